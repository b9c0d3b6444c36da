"""RMSprop: every number of a parameter has a step of its own, by how large its gradients were of late.

Source: Hinton, https://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf; Graves,
https://arxiv.org/abs/1308.0850 (centered)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._factories import zeros_like
from .._tensor import Tensor
from ._checks import check_options, check_rate
from ._steps import (
    advance,
    check_lists,
    column,
    in_pieces,
    loss_of,
    new_counter,
    now,
    numbers,
    with_gradient,
)
from .optimizer import Optimizer, _use_grad_for_differentiable

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(Optimizer):
    """``p -= lr * gradient / (sqrt(mean of squares) + eps)``, of a running mean of squared gradients.

    With momentum the step goes along a running sum of these quotients::

        g = gradient + weight_decay * p
        squares = alpha * squares + (1 - alpha) * g**2
        spread = squares                # centered: squares - mean**2, of a running mean of g
        v = momentum * v + g / (sqrt(spread) + eps)
        p -= lr * v

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        alpha: how slowly the mean of the squares forgets.
        eps: keeps the division away from 0.
        weight_decay: adds this times the parameter to its gradient.
        momentum: how much of the last step goes into the next.
        centered: divide by an estimate of the deviation from the mean gradient.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        differentiable: record the step, so that gradients pass through it.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0, 4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.RMSprop([p], lr=0.1)
        >>> (p * nbmodule.tensor([1.0, 100.0])).sum().backward()
        >>> optimizer.step()
        >>> p  # both moved alike: by 0.1 / sqrt(1 - alpha)
        tensor([3., 3.], requires_grad=True)
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        check_options(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        options = dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered)
        options |= dict(weight_decay=weight_decay, capturable=capturable, foreach=foreach)
        super().__init__(params, options | dict(maximize=maximize, differentiable=differentiable))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(momentum=0, centered=False, foreach=None, maximize=False, differentiable=False, capturable=False)  # fmt: skip

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p, group) for p in params]
            rmsprop(
                params,
                [p.grad for p in params],
                column(known, "square_avg"),
                column(known, "grad_avg", group["centered"]),
                column(known, "momentum_buffer", group["momentum"] > 0),
                column(known, "step"),
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
                lr=group["lr"],
                alpha=group["alpha"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                centered=group["centered"],
            )
        return loss

    def _remembered(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            new = {"step": new_counter(), "square_avg": zeros_like(p)}
            if group["momentum"] > 0:
                new["momentum_buffer"] = zeros_like(p)
            if group["centered"]:
                new["grad_avg"] = zeros_like(p)
            state.update(new)
        return state


def rmsprop(params: list[Tensor], grads: list[Any], square_avgs: list[Tensor], grad_avgs: list[Tensor], momentum_buffer_list: list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *, lr: Any, alpha: float, eps: float, weight_decay: float, momentum: float, centered: bool) -> None:  # fmt: skip
    """Do one step of `RMSprop`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        square_avgs: the running means of the squared gradients.
        grad_avgs: the running means of the gradients; used if `centered` only.
        momentum_buffer_list: the running sums of steps; used with `momentum` only.
        state_steps: how many steps there were, tensors without dimensions.
        foreach: as in `RMSprop`, like all options that are not explained here.
        maximize: see there.
        differentiable: see there; the caller switches the recording on.
        capturable: see there.
        has_complex: no tensor here is complex.
        lr: see there.
        alpha: see there.
        eps: see there.
        weight_decay: see there.
        momentum: see there.
        centered: see there.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: the ways to compute that were asked for exclude one another.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html

    Example:
        >>> import nbmodule
        >>> p, g, squares = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1)
        >>> options = dict(alpha=0.75, eps=0, weight_decay=0, momentum=0, centered=False)
        >>> nbmodule.optim.rmsprop.rmsprop([p], [g], [squares], [], [], [nbmodule.tensor(0.0)], lr=0.25, **options)
        >>> p, squares
        (tensor([0.5000]), tensor([0.2500]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable, xla=True)  # fmt: skip
    lr, alpha, eps, decay, momentum = numbers(lr, alpha, eps, weight_decay, momentum)
    for i, p in enumerate(params):
        average = grad_avgs[i] if centered else None
        buffer = momentum_buffer_list[i] if momentum > 0 else None

        def update(w: Any, g: Any, squares: Any, mean: Any, v: Any) -> None:
            if maximize:
                g = -g
            if decay != 0:
                g = g + decay * now(w)
            squares *= alpha
            squares += (1 - alpha) * g * g
            spread = squares
            if mean is not None:
                mean += (g - mean) * (1 - alpha)
                spread = squares - mean * mean
            width = now(spread) ** 0.5 + eps
            if v is None:
                w -= lr * g / width
            else:
                v *= momentum
                v += g / width
                w -= lr * now(v)

        in_pieces(update, p, grads[i], square_avgs[i], average, buffer)
        advance(state_steps[i])
