"""Adafactor: squares of the gradients that are remembered as a row and a column, in place of a matrix.

Source: Shazeer and Stern, https://arxiv.org/abs/1804.04235
"""

from __future__ import annotations

from collections.abc import Callable
from operator import imul, isub
from typing import Any

from .. import _factories
from .._backend import Array, library_of
from .._engine import wrap
from .._limits import finfo
from .._tensor import Tensor
from ..autograd import no_grad
from ._checks import check_rate, check_reaches
from ._steps import (
    advance,
    column,
    following,
    in_pieces,
    loss_of,
    new_counter,
    plain,
    scalar,
    with_gradient,
)
from .optimizer import Optimizer

__all__ = ["Adafactor", "adafactor"]


class Adafactor(Optimizer):
    """Steps in the scale of the gradients, with little memory.

    For a matrix of gradients g::

        rows    += (mean over columns of g * g - rows) * t ** beta2_decay
        columns += (mean over rows of g * g - columns) * t ** beta2_decay
        u = g / sqrt(rows * columns / mean(rows))
        p -= max(eps2, rms(p)) * min(lr, 1 / sqrt(t)) * u / max(1, rms(u) / d)

    where t counts the steps and rms is the root of the mean of squares. Vectors remember all squares.

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the largest size of a step as a part of the parameter's, a number or a tensor of one element.
        beta2_decay: how the memory of the squares grows longer with t; at most 0.
        eps: two numbers. The first keeps the division away from 0, None: the `eps` of the parameter's type; the
            second is the smallest size that a parameter counts as.
        d: updates whose rms is larger are shortened to it; at least 1.
        weight_decay: how fast the parameters shrink, as a part of the learning rate.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adafactor.html

    Example:
        >>> import nbmodule
        >>> w = nbmodule.ones(2, 3, requires_grad=True)
        >>> optimizer = nbmodule.optim.Adafactor([w], lr=0.1)
        >>> w.grad = nbmodule.tensor([[1.0, 10.0, 100.0], [1.0, 10.0, 100.0]])
        >>> optimizer.step()
        >>> w.detach()[0], {k: list(v.shape) for k, v in optimizer.state[w].items()}
        (tensor([0.9000, 0.9000, 0.9000]), {'step': [], 'row_var': [2, 1], 'col_var': [1, 3]})
    """

    __module__ = "nbmodule.optim"

    def __init__(self, params: Any, lr: float | Tensor = 1e-2, beta2_decay: float = -0.8, eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False) -> None:  # fmt: skip
        check_rate(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 >= beta2_decay:  # noqa: SIM300 - PyTorch's order: the error of a wrong type names it
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            check_reaches(0.0, eps[0], "epsilon1 should be >= 0 but is: {}")
        check_reaches(0.0, eps[1], "epsilon2 should be >= 0 but is: {}")
        check_reaches(1.0, d, "Clipping threshold d should be >= 1 but is: {}")
        check_reaches(0.0, weight_decay, "weight_decay should be >= 0 but is: {}")
        options = dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay)
        super().__init__(params, options | dict(foreach=foreach, maximize=maximize))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(foreach=None)

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p) for p in params]
            eps1, eps2 = group["eps"]
            adafactor(
                params,
                [p.grad for p in params],
                [state.get("row_var") for state in known],
                [state.get("col_var") for state in known],
                [state.get("variance") for state in known],
                column(known, "step"),
                d=group["d"],
                lr=group["lr"],
                beta2_decay=group["beta2_decay"],
                weight_decay=group["weight_decay"],
                eps1=eps1,
                eps2=eps2,
                foreach=group["foreach"],
                maximize=group["maximize"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
            )
        return loss

    def _remembered(self, p: Tensor) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and squares of 0."""
        state = self.state[p]
        if not state:
            new = {"step": new_counter()}
            if p.dim() > 1:
                *before, rows, columns = p.shape
                new["row_var"] = p.new_zeros([*before, rows, 1])
                new["col_var"] = p.new_zeros([*before, 1, columns])
            else:
                new["variance"] = _factories.zeros_like(p)
            state.update(new)
        return state


def adafactor(params: list[Tensor], grads: list[Any], row_vars: list[Any], col_vars: list[Any], variances: list[Any], state_steps: list[Tensor], foreach: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool = False, *, d: float, lr: float | Tensor, beta2_decay: float, weight_decay: float, eps1: float | None, eps2: float, maximize: bool) -> None:  # fmt: skip
    """Do the step of `Adafactor` on lists of tensors, in place.

    Args:
        params: the parameters.
        grads: their gradients.
        row_vars: the means of squares of each row (..., n, 1); None for vectors.
        col_vars: those of each column (..., 1, m); None for vectors.
        variances: the means of squares of vectors; None for the others.
        state_steps: how many steps there were, tensors of one element.
        foreach: as in `Adafactor`, like all options that are not explained here.
        grad_scale: must be None, like `found_inf`.
        found_inf: see there.
        has_complex: no tensor here is complex.
        d: see there.
        lr: see there.
        beta2_decay: see there.
        weight_decay: see there.
        eps1: the first of the two `eps`.
        eps2: the second.
        maximize: see there.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: the gradients are scaled still.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adafactor.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim._adafactor import adafactor
        >>> p, g, squares = nbmodule.ones(2), nbmodule.tensor([3.0, -3.0]), nbmodule.zeros(2)
        >>> options = dict(d=1.0, lr=0.1, beta2_decay=-0.8, weight_decay=0, eps1=None, eps2=1e-3)
        >>> adafactor([p], [g], [None], [None], [squares], [nbmodule.tensor(0.0)], maximize=False, **options)
        >>> p, squares
        (tensor([0.9000, 1.1000]), tensor([9., 9.]))
    """
    if not all(isinstance(t, Tensor) for t in state_steps):
        raise RuntimeError("`state_steps` argument must contain a list of singleton tensors")
    if params and (grad_scale is not None or found_inf is not None):
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    lr, (d, weight_decay, eps1, eps2) = scalar(lr), map(plain, (d, weight_decay, eps1, eps2))
    for i, p in enumerate(params):
        g = grads[i]._array
        xp = library_of(g)
        if maximize:
            g = -g
        if eps1 is None:
            eps1 = finfo(p.dtype).eps
        t = following(state_steps[i])
        weight = t ** plain(beta2_decay)
        step_size = max(eps2, _rms(p._array)) * min(lr, 1 / t**0.5)
        if weight_decay != 0:
            in_pieces(lambda w: imul(w, plain(1 - lr * weight_decay)), p)
        if g.ndim > 1:
            rows, columns = _arrays(row_vars[i], col_vars[i])
            rows += (_mean_of_squares(g, -1) - rows) * weight
            columns += (_mean_of_squares(g, -2) - columns) * weight
            squares = rows * columns / xp.maximum(rows.mean(axis=-2, keepdims=True), eps1)
        elif variances[i] is None:
            raise AssertionError("variance should be defined when grad is a vector")
        else:
            squares = variances[i]._array
            squares += (g * g - squares) * weight
        update = g / xp.maximum(squares, eps1 * eps1) ** 0.5
        change = plain(step_size / max(1.0, _rms(update) / d)) * update

        # of arrays without dimensions NumPy makes numbers
        in_pieces(isub, p, wrap(xp.asarray(change)))
        advance(state_steps[i])


def _arrays(rows: Tensor | None, columns: Tensor | None) -> tuple[Array, Array]:
    if rows is None or columns is None:
        raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
    return rows._array, columns._array


def _mean_of_squares(x: Array, axis: int) -> Array:
    """Return the mean along one axis; half precision, whose squares overflow, is summed in single."""
    wide = x.astype("float32") if x.dtype.itemsize == 2 else x
    return ((wide * wide).sum(axis=axis, keepdims=True) / x.shape[axis]).astype(x.dtype, copy=False)


def _rms(x: Array) -> float:
    """Return the root of the mean of all squares."""
    wide = x.astype("float32") if x.dtype.itemsize == 2 else x
    return float((wide * wide).sum()) ** 0.5 / x.size**0.5
