"""Elements of a plane, by their numbers: what the maximum of a window was, and where its gradient goes.

The numbers count the elements of a plane row by row, as the indices of PyTorch's max pooling do.
"""

from __future__ import annotations

import math

from .._engine import op
from .sliding import laid_out


def _flat_places(xp, index, size: tuple[int, ...]):
    """Return where in the flat memory of all planes the elements `index` lie: (..., *out) -> one axis."""
    lead, area = index.shape[: index.ndim - len(size)], math.prod(size)
    planes = math.prod(lead)
    starts = xp.arange(planes).reshape(-1, 1) * area
    return (index.reshape(planes, math.prod(index.shape[len(lead) :])) + starts).reshape(-1)


@op(name="GatherBackward0")
def pick(xp, x, index, *, dims: int):
    """x: (..., *size), index: (..., *out) -> (..., *out). The elements numbered `index` of each plane."""
    size = x.shape[x.ndim - dims :]
    found = x.reshape(-1)[_flat_places(xp, index, size)].reshape(index.shape)
    return laid_out(xp, found, index), lambda g: spread.inside(xp, g, index, size=size), None


@op(name="ScatterAddBackward0")
def spread(xp, g, index, *, size: tuple[int, ...], apart: bool = False):
    """g, index: (..., *out) -> (..., *size). Planes of zeros with each element of `g` added at its number.

    Numbers that are `apart` occur once in a plane at most.
    """
    places, dims = _flat_places(xp, index, size), len(size)
    shape = (*index.shape[: index.ndim - dims], *size)
    if apart:
        d = xp.zeros(math.prod(shape), g.dtype)
        d[places] = g.reshape(-1)
    else:  # bincount adds in float64, so that the sum of many float32 gradients does not drift
        d = xp.bincount(places, weights=g.reshape(-1), minlength=math.prod(shape))
    return (
        d.astype(g.dtype, copy=False).reshape(shape),
        lambda h: pick.inside(xp, h, index, dims=dims),
        None,
    )


@op(name="MaxUnpool2DBackward0")
def max_unpool(xp, x, index, *, size: tuple[int, ...]):
    """x, index: (..., *out) -> (..., *size). Planes of zeros with each element of `x` put at its number."""
    places, dims = _flat_places(xp, index, size), len(size)
    shape = (*index.shape[: index.ndim - dims], *size)
    y = xp.zeros(math.prod(shape), x.dtype)
    if y.size:
        y[places] = x.reshape(-1)
    y = laid_out(xp, y.reshape(shape), x)
    return y, lambda g: pick.inside(xp, g, index, dims=dims), None
