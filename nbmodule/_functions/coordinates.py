"""`gradient`, differences over a grid, and `unravel_index`, from flat indices to coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from itertools import accumulate
from operator import mul
from typing import Any

from .. import _dtypes
from .._errors import invalid_call
from .._factories import as_tensor
from .._ops.reduce import axis_of
from .._tensor import Tensor
from ._wrap import function
from .joining import cat

newaxis = None
"""``x[newaxis]`` is ``x[None]``: a dimension more."""


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Return the coordinates of flat `indices` in a tensor of the given shape, a tensor for each dimension.

    Args:
        indices: integers, in any shape, which is also that of each result.
        shape: the sizes.

    Raises:
        TypeError: `indices` or `shape` are no integers.
        ValueError: a size is negative.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unravel_index.html

    Example:
        >>> import nbmodule
        >>> nbmodule.unravel_index(nbmodule.tensor([4, 1]), (3, 2))
        (tensor([2, 0]), tensor([0, 1]))
    """
    if indices.is_floating_point() or indices.dtype == _dtypes.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps = list(accumulate(reversed((*sizes[1:], 1)), mul))[::-1]
    rows = as_tensor(steps, dtype=_dtypes.int64, device=indices.device)
    ends = as_tensor(sizes, dtype=_dtypes.int64, device=indices.device)
    return (indices.unsqueeze(-1).floor_divide(rows) % ends).unbind(-1)


def _gradient(self: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:  # fmt: skip
    """Return an estimate of the derivative along each dimension, from differences of neighbours.

    Inside it is ``(f(x + b) - f(x - a)) / (a + b)``, weighted where the distances a and b differ, so that it
    is exact for parabolas; at the edges the difference to the only neighbour, or (`edge_order` 2) a parabola
    through the three outermost points.

    Args:
        self: values on a grid.
        spacing: the distance of neighbours, by default 1; or one for each dimension; or for each dimension a
            vector of coordinates.
        dim: one dimension or several; by default all.
        edge_order: 1 or 2.

    Raises:
        RuntimeError: there are too few points, or not as many spacings as dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.gradient.html
    """
    several = isinstance(spacing, (list, tuple))
    dims = dim if isinstance(dim, (list, tuple)) else None if dim is None else (dim,)
    if not (several or spacing is None or isinstance(spacing, (int, float)) or _is_number(spacing)):
        raise invalid_call("gradient", (self,), {"spacing": spacing})
    _check_gradient(self, spacing if several else None, dims, edge_order)
    axes = [axis_of(d, self.dim()) for d in (range(self.dim()) if dims is None else dims)]
    steps = spacing if several else [1 if spacing is None else spacing] * len(axes)
    return tuple(
        _slopes(self, axis, step, edge_order) for axis, step in zip(axes, steps, strict=True)
    )


_gradient.__name__ = "gradient"
_checked_gradient = function(_gradient)


@wraps(_checked_gradient)
def gradient(*args: Any, **named: Any) -> tuple[Tensor, ...]:
    if not (args or "input" in named):
        raise invalid_call("gradient", args, named)
    return _checked_gradient(*args, **named)


def _is_number(x: Any) -> bool:
    return isinstance(x, Tensor) and x.dim() == 0


def _check_gradient(t: Tensor, spacing: Any, dims: Any, edge_order: int) -> None:
    if spacing is not None:
        count = t.dim() if dims is None else len(dims)
        if len(spacing) != count:
            if dims is None:
                raise RuntimeError(
                    "nbmodule.gradient expected spacing to be unspecified, a scalar, or a list of length equal "
                    f"to 'self.dim() = {t.dim()}', since dim argument was not given, but got a list of length "
                    f"{len(spacing)}"
                )
            raise RuntimeError(
                "nbmodule.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
                f"arguments to have the same length, but got a spacing argument of length {len(spacing)} and a "
                f"dim argument of length {count}."
            )
        if isinstance(spacing[0], Tensor):
            for place, x in enumerate(spacing):
                if not isinstance(x, Tensor):
                    raise TypeError(
                        f"expected Tensor as element {place} in argument 1, but got {type(x).__name__}"
                    )
                if x.dim() != 1:
                    raise RuntimeError(
                        "nbmodule.gradient expected each element of spacing to have one dimension, but got an "
                        f"element with {x.dim()} dimensions!"
                    )
    if t.dtype == _dtypes.uint8:
        raise RuntimeError("nbmodule.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("nbmodule.gradient only supports edge_order=1 and edge_order=2.")
    axes = [axis_of(d, t.dim()) for d in (range(t.dim()) if dims is None else dims)]
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        if t.shape[axis] <= edge_order:
            raise RuntimeError(
                "nbmodule.gradient expected each dimension size to be at least edge_order+1"
            )


def _slopes(t: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    """Return the estimate along one axis; `step` is a distance, or a vector of coordinates."""
    n = t.shape[axis]
    if isinstance(step, Tensor) and step.dim():
        gaps = step.diff()
        wide = (-1, *[1] * (t.dim() - axis - 1))
    else:
        return _even_slopes(t, axis, step, edge_order)

    def differences(start: int, count: int) -> Tensor:
        near = t.narrow(axis, start + 1, count) - t.narrow(axis, start, count)
        return near / gaps[start : start + count].reshape(wide)

    first, last = differences(0, 1), differences(n - 2, 1)
    a, b = gaps[:-1].reshape(wide), gaps[1:].reshape(wide)
    left, right = differences(0, n - 2), differences(1, n - 2)
    middle = (b * left + a * right) / (a + b)
    if edge_order == 2:
        g = gaps
        second, before = differences(1, 1), differences(n - 3, 1)
        first = first + (first - second) * (g[0] / (g[0] + g[1]))
        last = last + (last - before) * (g[-1] / (g[-1] + g[-2]))
    return cat((first, middle, last), axis)


def _even_slopes(t: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    n = t.shape[axis]

    def at(start: int, count: int = 1) -> Tensor:
        return t.narrow(axis, start, count)

    if edge_order == 1:
        first, last = (at(1) - at(0)) / step, (at(n - 1) - at(n - 2)) / step
    else:
        first = (4 * at(1) - 3 * at(0) - at(2)) / (2 * step)
        last = (3 * at(n - 1) - 4 * at(n - 2) + at(n - 3)) / (2 * step)
    middle = (at(2, n - 2) - at(0, n - 2)) / (2 * step)
    return cat((first, middle, last), axis)
