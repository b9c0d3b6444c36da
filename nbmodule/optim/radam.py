"""RAdam: Adam that trusts its estimate of the scale only when enough gradients have been seen.

Source: Liu et al., https://arxiv.org/abs/1908.03265
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _factories
from .._tensor import Tensor
from ._checks import check_betas, check_options, check_rate
from ._steps import (
    advance,
    check_lists,
    column,
    following,
    in_pieces,
    loss_of,
    new_counter,
    number,
    scalar,
    with_gradient,
)
from .optimizer import Optimizer, _use_grad_for_differentiable

__all__ = ["RAdam", "radam"]


class RAdam(Optimizer):
    """`Adam` with a warm-up of its own: the variance of the scale is rectified.

    rho says of how many gradients the mean of squares consists, in effect. While these are too few the step is
    that of plain momentum. With t the number of the step and g the gradient::

        mean = beta1 * mean + (1 - beta1) * g
        squares = beta2 * squares + (1 - beta2) * g * g
        rho_inf = 2 / (1 - beta2) - 1
        rho = rho_inf - 2 * t * beta2 ** t / (1 - beta2 ** t)
        if rho > 5:
            r = sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
            p -= lr * mean / (1 - beta1 ** t) * r * sqrt(1 - beta2 ** t) / (sqrt(squares) + eps)
        else:
            p -= lr * mean / (1 - beta1 ** t)

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        betas: how slowly the mean of the gradients, and that of their squares, forget.
        eps: keeps the division away from 0.
        weight_decay: adds this times the parameter to its gradient.
        decoupled_weight_decay: let the parameters shrink by ``lr * weight_decay`` beside the step instead.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        differentiable: record the step, so that gradients pass through it.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.RAdam([p], lr=0.25)
        >>> (p**2).sum().backward()
        >>> optimizer.step()  # the first steps are those of plain momentum: lr * gradient
        >>> p
        tensor([2.], requires_grad=True)
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        check_options(eps=eps)
        check_betas(betas)
        check_options(weight_decay=weight_decay)
        options = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        options |= dict(maximize=maximize, foreach=foreach, capturable=capturable)
        options |= dict(decoupled_weight_decay=decoupled_weight_decay)
        super().__init__(params, options | dict(differentiable=differentiable))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, decoupled_weight_decay=False, capturable=False)  # fmt: skip

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p) for p in params]
            beta1, beta2 = group["betas"]
            radam(
                params,
                [p.grad for p in params],
                column(known, "exp_avg"),
                column(known, "exp_avg_sq"),
                column(known, "step"),
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
                decoupled_weight_decay=group["decoupled_weight_decay"],
            )
        return loss

    def _remembered(self, p: Tensor) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            means = {name: _factories.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
            state.update({"step": new_counter()} | means)
        return state


def radam(params: list[Tensor], grads: list[Any], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], state_steps: list[Tensor], decoupled_weight_decay: bool = False, foreach: bool | None = None, differentiable: bool = False, capturable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: Any, weight_decay: float, eps: float) -> None:  # fmt: skip
    """Do one step of `RAdam`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        exp_avgs: the means of the gradients.
        exp_avg_sqs: the means of their squares.
        state_steps: the counts of steps, each one number.
        decoupled_weight_decay: as in `RAdam`, like all options that are not explained here.
        foreach: see there.
        differentiable: see there.
        capturable: see there.
        has_complex: no tensor here is complex.
        maximize: see there.
        lr: see there.
        weight_decay: see there.
        eps: see there.
        beta1: the first of the `betas`.
        beta2: the second.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: `capturable` is set, or `foreach` along with `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.radam import radam
        >>> p, g, mean, squares = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1), nbmodule.zeros(1)
        >>> options = dict(beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0, eps=1e-8)
        >>> radam([p], [g], [mean], [squares], [nbmodule.tensor(0.0)], **options)
        >>> p, mean
        (tensor([0.9000]), tensor([0.1000]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable)  # fmt: skip
    beta1, beta2, eps, weight_decay = map(number, (beta1, beta2, eps, weight_decay))
    shrinking = bool(decoupled_weight_decay and weight_decay != 0)
    shrunk, lr = number(1 - scalar(lr) * weight_decay), number(lr)
    rho_inf = 2 / (1 - beta2) - 1
    for i, p in enumerate(params):
        t = following(state_steps[i])
        bias1, bias2 = 1 - beta1**t, 1 - beta2**t
        rho = rho_inf - 2 * t * beta2**t / bias2
        tensors = (p, grads[i], exp_avgs[i], exp_avg_sqs[i])

        def update(w: Any, g: Any, mean: Any, squares: Any) -> None:
            if maximize:
                g = -g
            if shrinking:
                w *= shrunk
            elif weight_decay != 0:
                g = g + weight_decay * w
            mean += (g - mean) * (1 - beta1)
            squares *= beta2
            squares += (1 - beta2) * g * g
            change = mean / bias1 * lr
            if rho > 5.0:
                r = ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ** 0.5
                change = change * (bias2**0.5 / (squares**0.5 + eps)) * r
            w -= change

        in_pieces(update, *tensors, writes=1 + shrinking, alike=True)
        advance(state_steps[i])
