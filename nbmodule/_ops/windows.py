"""Windows along one axis of a signal, an image or a volume: what pooling shares.

A window is taken apart into its positions, its "taps": what tap `t` sees is one view of the input with an element
for each output. A maximum or a sum over a box is one along each axis in turn, of as many views as the box is long.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

Key = slice | tuple[int, ...]
"""Places along one axis: evenly spaced ones as a slice, others as numbers."""


class Tap(NamedTuple):
    """Position `number` of the windows: it exists in the windows `outputs`, which see the elements `inputs`."""

    number: int
    outputs: Key
    inputs: Key


class Windows(NamedTuple):
    """All windows along one axis.

    Attributes:
        size: of the input.
        many: how many windows there are.
        length: of the longest of them, in taps.
        dilation: the distance between taps.
        taps: those that lie in the input.
        starts: where tap 0 of each window lies, outside of the input too.
        first: the number of the first tap of each window in the input; None where that is 0 for all.
        sizes: what each window is divided by when its mean is taken; one number if it is the same for all.
    """

    size: int
    many: int
    length: int
    dilation: int
    taps: tuple[Tap, ...]
    starts: Sequence[int]
    first: tuple[int, ...] | None
    sizes: tuple[int, ...]

    @property
    def single(self) -> bool:
        """Whether each element is a window."""
        return self.length == 1 and self.size == self.many

    @property
    def apart(self) -> bool:
        """Whether no element is seen by two windows."""
        reach = (self.length - 1) * self.dilation
        return all(b - a > reach for a, b in pairwise(self.starts))


@lru_cache(512)
def sliding(size: int, count: int, kernel: int, stride: int, padding: int = 0, dilation: int = 1, padded: bool = True) -> Windows:  # fmt: skip
    """Return `count` windows of `kernel` elements, `stride` apart; `padded`: the padding counts as elements."""
    taps = []
    for t in range(kernel):
        offset = t * dilation - padding
        low = max(0, -(offset // stride))  # the first window in which this tap is inside
        high = min(count, (size - 1 - offset) // stride + 1)
        if low < high:
            begin, end = low * stride + offset, (high - 1) * stride + offset + 1
            taps.append(Tap(t, slice(low, high), slice(begin, end, stride)))
    starts = range(-padding, count * stride - padding, stride)
    first = tuple(max(0, -(start // dilation)) for start in starts) if padding else ()
    lowest, highest = (-padding, size + padding) if padded else (0, size)
    if count and lowest <= starts[0] and starts[-1] + kernel <= highest:
        sizes = (kernel,)
    else:
        sizes = tuple(min(start + kernel, highest) - max(start, lowest) for start in starts)
    return Windows(size, count, kernel, dilation, tuple(taps), starts, first if any(first) else None, sizes)  # fmt: skip


@lru_cache(512)
def adaptive(size: int, count: int) -> Windows:
    """Return `count` windows that cover an input of `size`, and may overlap."""
    starts = tuple(i * size // count for i in range(count))
    sizes = tuple(-((i + 1) * size // -count) - starts[i] for i in range(count))
    length = max(sizes, default=0)
    taps = []
    for t in range(length):
        outputs = tuple(i for i in range(count) if sizes[i] > t)
        taps.append(Tap(t, _key(outputs), _key(tuple(starts[i] + t for i in outputs))))
    return Windows(size, count, length, 1, tuple(taps), starts, None, sizes)


@lru_cache(512)
def adaptive_sums(size: int, count: int) -> Windows:
    """Return the windows of `adaptive`, with taps none of which sees an element twice, so that sums can be undone.

    Where there are more windows than elements, those that see an element are the windows of the other way round.
    """
    windows = adaptive(size, count)
    if count <= size:
        return windows
    turned = (Tap(t.number, t.inputs, t.outputs) for t in adaptive(count, size).taps)
    return windows._replace(taps=tuple(turned))


def _key(places: tuple[int, ...]) -> Key:
    """Return `places` as a slice if they are evenly spaced."""
    if len(places) == 1:
        return slice(places[0], places[0] + 1)
    step = places[1] - places[0]
    if step > 0 and places == tuple(range(places[0], places[-1] + 1, step)):
        return slice(places[0], places[-1] + 1, step)
    return places


def along(xp: Any, axis: int, key: Key) -> tuple:
    """Return the index that applies `key` to `axis`, a negative number."""
    if not isinstance(key, slice):
        key = xp.asarray(key)
    return (..., key, *(slice(None),) * (-1 - axis))


def on_axis(xp: Any, axis: int, numbers: Sequence[int], dtype: Any) -> Any:
    """Return `numbers` as an array that lies along `axis`, a negative number."""
    return xp.asarray(numbers, dtype=dtype).reshape((-1, *(1,) * (-1 - axis)))


def from_last(windows: tuple[Windows, ...]) -> list[tuple[int, Windows]]:
    """Return each axis, as a negative number, with its windows, the last axis first."""
    return [(-1 - i, w) for i, w in enumerate(reversed(windows))]


def spatial(x: Any, windows: tuple) -> tuple[int, ...]:
    """Return the sizes of the axes of `x` that the windows lie on."""
    return x.shape[x.ndim - len(windows) :]
