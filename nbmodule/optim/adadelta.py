"""Adadelta: steps in the scale of the steps before, so that no learning rate has to be found.

Source: Zeiler, https://arxiv.org/abs/1212.5701
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

__all__ = ["Adadelta", "adadelta"]


class Adadelta(Optimizer):
    """``p -= lr * delta``, where delta is the gradient in the scale of the deltas before.

    ::

        g = gradient + weight_decay * p
        squares = rho * squares + (1 - rho) * g**2
        delta = sqrt(deltas + eps) / sqrt(squares + eps) * g
        deltas = rho * deltas + (1 - rho) * delta**2
        p -= lr * delta

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        rho: how slowly both running means of squares forget.
        eps: keeps both roots away from 0, and gives the first steps their size.
        weight_decay: adds this times the parameter to its gradient.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        maximize: climb instead.
        differentiable: record the step, so that gradients pass through it.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0, 4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.Adadelta([p])
        >>> for _ in range(100):
        ...     p.grad = nbmodule.tensor([1.0, 100.0])
        ...     optimizer.step()
        >>> p  # whatever the scale of the gradient
        tensor([3.5939, 3.5938], requires_grad=True)
    """

    def __init__(self, params: Any, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_options(eps=eps, weight_decay=weight_decay)
        options = dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize)
        options |= dict(capturable=capturable, foreach=foreach, differentiable=differentiable)
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
            adadelta(
                params,
                [p.grad for p in params],
                column(known, "square_avg"),
                column(known, "acc_delta"),
                column(known, "step"),
                capturable=group["capturable"],
                foreach=group["foreach"],
                differentiable=group["differentiable"],
                lr=group["lr"],
                rho=group["rho"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                maximize=group["maximize"],
            )
        return loss

    def _remembered(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            state.update(step=new_counter(), square_avg=zeros_like(p), acc_delta=zeros_like(p))
        return state


def adadelta(params: list[Tensor], grads: list[Any], square_avgs: list[Tensor], acc_deltas: list[Tensor], state_steps: list[Tensor], capturable: bool = False, foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *, lr: Any, rho: float, eps: float, weight_decay: float, maximize: bool) -> None:  # fmt: skip
    """Do one step of `Adadelta`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        square_avgs: the running means of the squared gradients.
        acc_deltas: the running means of the squared deltas.
        state_steps: how many steps there were, tensors without dimensions.
        capturable: as in `Adadelta`, like all options that are not explained here.
        foreach: see there.
        differentiable: see there; the caller switches the recording on.
        has_complex: no tensor here is complex.
        lr: see there.
        rho: see there.
        eps: see there.
        weight_decay: see there.
        maximize: see there.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: the ways to compute that were asked for exclude one another.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html

    Example:
        >>> import nbmodule
        >>> p, g, squares, deltas = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1), nbmodule.ones(1)
        >>> options = dict(rho=0.75, eps=0, weight_decay=0, maximize=False)
        >>> nbmodule.optim.adadelta.adadelta([p], [g], [squares], [deltas], [nbmodule.tensor(0.0)], lr=0.25, **options)
        >>> p, squares, deltas  # delta: sqrt(1 / 0.25)
        (tensor([0.5000]), tensor([0.2500]), tensor([1.7500]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable, xla=False)  # fmt: skip
    lr, rho, eps, decay = numbers(lr, rho, eps, weight_decay)
    for i, p in enumerate(params):

        def update(w: Any, g: Any, squares: Any, deltas: Any) -> None:
            if maximize:
                g = -g
            if decay != 0:
                g = g + decay * now(w)
            squares *= rho
            squares += (1 - rho) * g * g
            delta = (deltas + eps) ** 0.5 / (squares + eps) ** 0.5 * g
            deltas *= rho
            deltas += (1 - rho) * delta * delta
            w -= lr * delta

        in_pieces(update, p, grads[i], square_avgs[i], acc_deltas[i])
        advance(state_steps[i])
