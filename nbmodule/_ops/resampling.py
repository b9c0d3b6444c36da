"""Resizing: along each axis, every output is a weighted sum of a few elements of the input.

The weights form a sparse matrix for each axis, an `AxisMap`. Its transpose is an `AxisMap` too, so that the
derivative of resizing is resizing, with the maps turned.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from .._engine import op
from .sliding import laid_out


class AxisMap:
    """How the elements along one axis are mixed: output i is the sum over k of ``weight[k, i] * x[index[k, i]]``.

    Args:
        size: of the input.
        index: (taps, count), int64 on the host.
        weight: (taps, count), floating point on the host; None for a single tap that is taken as it is.
    """

    def __init__(self, size: int, index: Any, weight: Any = None) -> None:
        self.size, self.index, self.weight = size, index, weight

    @cached_property
    def turned(self) -> AxisMap:
        """The transpose: from gradients of the outputs to those of the inputs."""
        count = self.index.shape[1]
        # the taps, by the element that they see
        order = self.index.reshape(-1).argsort(kind="stable")
        source = self.index.reshape(-1)[order]
        first = source.searchsorted(range(self.size))
        rank = range(source.size) - first[source]  # which of the taps of its element
        shape = int(rank.max()) + 1, self.size
        index = (self.index[:1, :1] * 0).repeat(shape[0], 0).repeat(shape[1], 1)
        weight = index.astype("float64")
        index[rank, source] = order % count
        weight[rank, source] = 1 if self.weight is None else self.weight.reshape(-1)[order]
        return AxisMap(count, index, weight)


@op(name="UpsampleBilinear2DBackward0")
def resample(xp, x, *, maps: tuple[AxisMap | None, ...], back: tuple[AxisMap | None, ...] = ()):
    """x: (..., *size) -> (..., *out). None stands for an axis that stays as it is.

    The gradient takes the way of `back` backwards, where it is another one.
    """
    y: Any = x
    for axis, m in reversed(list(enumerate(maps, x.ndim - len(maps)))):
        if m is not None:
            y = _mixed(xp, y, axis, m)
    y = laid_out(xp, y.copy() if y is x else y, x)
    return y, lambda g: resample.inside(xp, g, maps=tuple(m and m.turned for m in back or maps))


def _mixed(xp, x, axis: int, m: AxisMap):
    """Apply the map `m` along `axis`, counted from the front."""
    y: Any = None
    for k, places in enumerate(m.index):
        part = xp.take(x, xp.asarray(places), axis)
        if m.weight is not None:
            weight = xp.asarray(m.weight[k], dtype=x.dtype)
            part *= weight.reshape(-1, *(1,) * (x.ndim - 1 - axis))
        y = part if y is None else y.__iadd__(part)
    return y
