"""Functions that return views, or copies in another shape or order."""

from __future__ import annotations

from itertools import combinations as choices
from itertools import combinations_with_replacement
from typing import Any

from .. import _dtypes
from .._engine import wrap
from .._methods.common import library
from .._methods.layout import tidy
from .._methods.sizes import Size
from .._ops import shape as s
from .._tensor import Tensor
from ._wrap import function

reshape = function(Tensor.reshape)
flatten = function(Tensor.flatten)
ravel = function(Tensor.ravel)
unflatten = function(Tensor.unflatten)
permute = function(Tensor.permute)
transpose = function(Tensor.transpose)
swapaxes = function(Tensor.swapaxes)
swapdims = function(Tensor.swapdims)
movedim = moveaxis = function(Tensor.movedim)
t = function(Tensor.t)
adjoint = function(Tensor.adjoint)
squeeze = function(Tensor.squeeze)
unsqueeze = function(Tensor.unsqueeze)
broadcast_to = function(Tensor.broadcast_to)
as_strided = function(Tensor.as_strided)

flip = function(Tensor.flip)
fliplr = function(Tensor.fliplr)
flipud = function(Tensor.flipud)
roll = function(Tensor.roll)
rot90 = function(Tensor.rot90)
tile = function(Tensor.tile)

tril = function(Tensor.tril)
triu = function(Tensor.triu)
diag = function(Tensor.diag)
diagonal = function(Tensor.diagonal)
diagflat = function(Tensor.diagflat)
diag_embed = function(Tensor.diag_embed)
trace = function(Tensor.trace)


def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:  # fmt: skip
    """Return each slice of `input` along `dim` so many times in a row.

    With `input` alone, return the number i as often as its element i says.
    """
    if repeats is None:
        places = library(input).arange(input._array.size)
        return wrap(places).repeat_interleave(input, 0, output_size=output_size)
    return input.repeat_interleave(repeats, dim, output_size=output_size)


def _corner(row: int, col: int) -> None:
    for name, n in (("row", row), ("col", col)):
        if n < 0:
            raise RuntimeError(f"{name} must be non-negative, got{n}")


def _indices(row: int, col: int, offset: int, dtype: Any, lower: bool) -> Tensor:
    import numpy as np

    _corner(row, col)
    reach = np.arange(col)[None, :] - np.arange(row)[:, None]
    found = np.stack((reach <= offset if lower else reach >= offset).nonzero())
    return wrap(found.astype((dtype or _dtypes.int64).numpy))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: _dtypes.dtype | None = None, device: Any = None, layout: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return the rows and columns, (2, N), of what lies on or below a diagonal of a (row, col) matrix."""
    return _indices(row, col, offset, dtype, True).to(device or "cpu")


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: _dtypes.dtype | None = None, device: Any = None, layout: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return the rows and columns, (2, N), of what lies on or above a diagonal of a (row, col) matrix."""
    return _indices(row, col, offset, dtype, False).to(device or "cpu")


# ---- several tensors


def _several(tensors: tuple[Any, ...]) -> list[Any]:
    """Return the tensors that were given as ``f(a, b)`` or as ``f([a, b])``."""
    return list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)  # fmt: skip


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that all `shapes` broadcast to.

    Raises:
        RuntimeError: there is none.
    """
    given = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max(map(len, given), default=0)
    out = [1] * n
    for position, shape in enumerate(given):
        for back in range(1, len(shape) + 1):
            size = shape[-back]
            if size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if size == 1 or size == out[-back]:
                continue
            if out[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {-back}! Mismatching "
                    f"argument at index {position} had {shapes[position]}; but expected shape should be broadcastable "
                    f"to {out}"
                )
            out[-back] = size
    return Size(out)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return the tensors expanded to their common shape."""
    from .._errors import broadcast_text

    given = _several(tensors)
    try:
        shape = broadcast_shapes(*(x.shape for x in given))
    except RuntimeError:
        raise RuntimeError(broadcast_text([x.shape for x in given])) from None
    return tuple(x if x.shape == shape else x.expand(shape) for x in given)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return for each vector a grid in which it runs along a dimension of its own.

    Args:
        *tensors: vectors, or numbers without dimensions.
        indexing: "ij" lays vector i along dimension i; "xy" swaps the first two.

    Raises:
        RuntimeError: a tensor has more dimensions, the dtypes differ, or there is none.
    """
    given = _several(tensors)
    if indexing is None:
        import warnings

        warnings.warn(
            "nbmodule.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            stacklevel=2,
        )
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'nbmodule.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for x in given:
        if x.ndim > 1:
            shown = str(x).removeprefix("tensor(")
            raise RuntimeError(
                f"nbmodule.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {shown}"
            )
        if x.dtype != given[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    swapped = indexing == "xy" and len(given) > 1
    if swapped:
        given[:2] = given[1], given[0]
    shape = [x.numel() for x in given]
    grids = [
        x.view([-1 if a == i else 1 for a in range(len(shape))]).expand(shape)
        for i, x in enumerate(given)
    ]
    if swapped:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


def cartesian_prod(*tensors: Any) -> Tensor:
    """Return all ways to take one element of each vector, a row for each; of one vector, itself."""
    given = _several(tensors)
    for x in given:
        if x.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    if len(given) == 1:
        return given[0]
    return tidy(s.stack(*(g.reshape(-1) for g in meshgrid(*given, indexing="ij")), axis=1))


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all ways to take `r` elements of a vector, a row for each, in order."""
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(library(input).zeros((0,), input._array.dtype))
    if len(input) ** r >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")
    pick = combinations_with_replacement if with_replacement else choices
    rows = list(pick(range(len(input)), r))
    places = library(input).asarray(rows, "i8").reshape(len(rows), r)
    return tidy(s.stack(*(input[wrap(places[:, k])] for k in range(r)), axis=1))


def atleast_1d(*tensors: Any) -> Any:
    """Return the tensors with at least 1 dimension."""
    return _at_least(1, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Return the tensors with at least 2 dimensions; a vector becomes a row."""
    return _at_least(2, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """Return the tensors with at least 3 dimensions; a matrix gets a last one."""
    return _at_least(3, tensors)


def _at_least(n: int, tensors: tuple[Any, ...]) -> Any:
    given = _several(tensors)
    out = tuple(_raised(x, n) for x in given)
    return out[0] if len(tensors) == 1 and isinstance(tensors[0], Tensor) else out


def _raised(x: Tensor, n: int) -> Tensor:
    if x.ndim >= n:
        return x
    if x.ndim == 0:
        return x.reshape((1,) * n)
    return x.unsqueeze(0) if n == 2 else x.unsqueeze(-1) if x.ndim == 2 else x.unsqueeze(0).unsqueeze(-1)  # fmt: skip
