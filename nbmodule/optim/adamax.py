"""Adamax: Adam that divides by the largest of the recent gradients.

Source: Kingma and Ba, https://arxiv.org/abs/1412.6980, section 7
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._factories import zeros_like
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
    now,
    number,
    numbers,
    raised,
    scalar,
    with_gradient,
)
from .optimizer import Optimizer, _use_grad_for_differentiable

__all__ = ["Adamax", "adamax"]


class Adamax(Optimizer):
    """``p -= lr * mean / largest``, of a running mean of the gradients and the largest of late.

    ::

        g = gradient + weight_decay * p
        mean = beta1 * mean + (1 - beta1) * g
        largest = max(beta2 * largest, |g| + eps)
        p -= lr / (1 - beta1**steps) * mean / largest

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        betas: how slowly the mean and the largest gradient are forgotten.
        eps: keeps the division away from 0.
        weight_decay: adds this times the parameter to its gradient.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        differentiable: record the step, so that gradients pass through it.
        capturable: for graphs of GPU work, which are not made here: a step raises.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0, 4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.Adamax([p], lr=0.5)
        >>> (p * nbmodule.tensor([1.0, -100.0])).sum().backward()
        >>> optimizer.step()
        >>> p
        tensor([3.5000, 4.5000], requires_grad=True)
    """

    def __init__(self, params: Any, lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, capturable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        check_options(eps=eps)
        check_betas(betas)
        check_options(weight_decay=weight_decay)
        options = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach)
        options |= dict(maximize=maximize, differentiable=differentiable, capturable=capturable)
        super().__init__(params, options)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, capturable=False)

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p, group) for p in params]
            beta1, beta2 = group["betas"]
            adamax(
                params,
                [p.grad for p in params],
                column(known, "exp_avg"),
                column(known, "exp_inf"),
                column(known, "step"),
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
                eps=group["eps"],
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
            )
        return loss

    def _remembered(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            state.update(step=new_counter(), exp_avg=zeros_like(p), exp_inf=zeros_like(p))
        return state


def adamax(params: list[Tensor], grads: list[Any], exp_avgs: list[Tensor], exp_infs: list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *, eps: float, beta1: float, beta2: float, lr: Any, weight_decay: float) -> None:  # fmt: skip
    """Do one step of `Adamax`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        exp_avgs: the running means of the gradients.
        exp_infs: the largest gradients of late.
        state_steps: how many steps there were, tensors without dimensions.
        foreach: as in `Adamax`, like all options that are not explained here.
        maximize: see there.
        differentiable: see there; the caller switches the recording on.
        capturable: see there.
        has_complex: no tensor here is complex.
        eps: see there.
        beta1: the first of the `betas`.
        beta2: the second.
        lr: see there.
        weight_decay: see there.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: the ways to compute that were asked for exclude one another.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html

    Example:
        >>> import nbmodule
        >>> p, g, mean, largest = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1), nbmodule.full((1,), 8.0)
        >>> options = dict(eps=0, beta1=0.5, beta2=0.5, weight_decay=0)
        >>> nbmodule.optim.adamax.adamax([p], [g], [mean], [largest], [nbmodule.tensor(0.0)], lr=0.5, **options)
        >>> p, mean, largest  # 1 - 0.5 / (1 - 0.5) * 0.5 / 4
        (tensor([0.8750]), tensor([0.5000]), tensor([4.]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable)  # fmt: skip
    lr, beta1, beta2 = scalar(lr), scalar(beta1), scalar(beta2)
    kept, forgotten = numbers(beta2, 1 - beta1)
    decay, eps = numbers(weight_decay, eps)
    for i, p in enumerate(params):
        steps = following(state_steps[i])
        size = number(lr / (1 - beta1**steps))

        def update(w: Any, g: Any, mean: Any, largest: Any) -> None:
            if maximize:
                g = -g
            if decay != 0:
                g = g + decay * now(w)
            mean += (g - mean) * forgotten
            largest *= kept
            w -= size * now(mean) / now(raised(largest, abs(g) + eps))

        in_pieces(update, p, grads[i], exp_avgs[i], exp_infs[i], alike=True)
        advance(state_steps[i])
