"""Rprop: only the sign of a gradient counts, and each number of a parameter has a step size of its own.

Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning, 1993
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _factories
from .._backend import namespace_of
from .._functions.indexing import where
from .._tensor import Tensor
from ._checks import check_rate
from ._steps import (
    advance,
    check_lists,
    column,
    in_pieces,
    loss_of,
    new_counter,
    number,
    plain,
    with_gradient,
)
from .optimizer import Optimizer, _use_grad_for_differentiable

__all__ = ["Rprop", "rprop"]


class Rprop(Optimizer):
    """Resilient backpropagation: ``p -= size * sign(gradient)``, for gradients of all data at once.

    Where a gradient has the sign of the last one, its size grows by the second of `etas`. Where the sign has
    turned, the minimum was passed: the size shrinks by the first of `etas`, and this number waits for a step::

        agreement = g * last
        size *= etaplus where agreement > 0, etaminus where agreement < 0       # within `step_sizes`
        last = 0 where agreement < 0, else g
        p -= size * sign(last)

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the size of the first step, a number or a tensor of one element.
        etas: what a size is multiplied with to shrink, and to grow.
        step_sizes: the smallest and the largest size.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        differentiable: record the step, so that gradients pass through it.

    Raises:
        ValueError: `lr` is negative, or the `etas` do not lie on both sides of 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([1.0, 100.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.Rprop([p], lr=1.0)
        >>> for _ in range(3):
        ...     p.grad = 2 * p.detach()
        ...     optimizer.step()
        ...     print(p.detach(), optimizer.state[p]["step_size"])
        tensor([ 0., 99.]) tensor([1., 1.])
        tensor([ 0.0000, 97.8000]) tensor([1.0000, 1.2000])
        tensor([ 0.0000, 96.3600]) tensor([1.0000, 1.4400])
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2), step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        options = dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach)
        options |= dict(maximize=maximize, differentiable=differentiable, capturable=capturable)
        super().__init__(params, options)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, capturable=False)

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            etaminus, etaplus = group["etas"]
            step_size_min, step_size_max = group["step_sizes"]
            params = with_gradient(group["params"])
            known = [self._remembered(p, group["lr"]) for p in params]
            rprop(
                params,
                [p.grad for p in params],
                column(known, "prev"),
                column(known, "step_size"),
                column(known, "step"),
                step_size_min=step_size_min,
                step_size_max=step_size_max,
                etaminus=etaminus,
                etaplus=etaplus,
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss

    def _remembered(self, p: Tensor, lr: Any) -> dict[str, Any]:
        """Return what is known of `p`: at first a gradient of 0, and `lr` as the size of all steps."""
        state = self.state[p]
        if not state:
            sizes: Any = _factories.full_like(p.grad, plain(lr))  # type: ignore[arg-type]
            state.update(step=new_counter(), prev=_factories.zeros_like(p), step_size=sizes)
        return state


def rprop(params: list[Tensor], grads: list[Any], prevs: list[Tensor], step_sizes: list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, capturable: bool = False, maximize: bool = False, differentiable: bool = False, has_complex: bool = False, *, step_size_min: float, step_size_max: float, etaminus: float, etaplus: float) -> None:  # fmt: skip
    """Do one step of `Rprop`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        prevs: the gradients of the last step, 0 where the sign had turned.
        step_sizes: the sizes of the last step.
        state_steps: the counts of steps, each one number.
        foreach: as in `Rprop`, like all options that are not explained here.
        capturable: see there.
        maximize: see there.
        differentiable: see there.
        has_complex: no tensor here is complex.
        step_size_min: the first of the `step_sizes` of `Rprop`.
        step_size_max: the second.
        etaminus: the first of the `etas`.
        etaplus: the second.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: `capturable` is set, or `foreach` along with `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.rprop import rprop
        >>> p, g, last = nbmodule.ones(2), nbmodule.tensor([3.0, -3.0]), nbmodule.tensor([1.0, 1.0])
        >>> size, count = nbmodule.full((2,), 0.1), nbmodule.tensor(1.0)
        >>> limits = dict(step_size_min=1e-6, step_size_max=50)
        >>> rprop([p], [g], [last], [size], [count], etaminus=0.5, etaplus=1.2, **limits)
        >>> p, size
        (tensor([0.8800, 1.0000]), tensor([0.1200, 0.0500]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable, xla=True)  # fmt: skip
    etaminus, etaplus = number(etaminus), number(etaplus)
    limits = number(step_size_min), number(step_size_max)
    for i, p in enumerate(params):

        def update(w: Any, g: Any, last: Any, size: Any) -> None:
            if maximize:
                g = -g
            pick = _where_of(w)
            agreement = g * last
            turned = agreement < 0
            changed = pick(agreement > 0, size * etaplus, pick(turned, size * etaminus, size))
            size[...] = changed.clip(*limits)
            last[...] = pick(turned, 0, g)
            w -= pick(last > 0, size, pick(last < 0, -size, 0))

        in_pieces(update, p, grads[i], prevs[i], step_sizes[i])
        advance(state_steps[i])


def _where_of(w: Any) -> Callable[..., Any]:
    """Return the function `where` that fits `w`, an array or a tensor."""
    return where if isinstance(w, Tensor) else namespace_of[type(w)].where
