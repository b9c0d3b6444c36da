"""What a convolution reads at each position of its kernel: which pixels, where padded ones come from, and the sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_LARGEST = 40  # pixels in a row, with the padding
_MODES = ("zeros", "reflect", "replicate", "circular")
_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the image.

    Attributes:
        sources: For each pixel, with the padding, the number of the pixel that it is copied from; -1 for a zero.
        before: How many of them come before the image.
        places: For each position of the kernel, the pixels under it, counted with the padding.
    """

    sources: tuple[int, ...]
    before: int
    places: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many pixels the image has."""
        return max(self.sources) + 1

    def holds(self, place: int) -> bool:
        """Tell whether a pixel, counted with the padding, belongs to the image."""
        return 0 <= place - self.before < self.size


@dataclass(frozen=True, eq=False)
class KernelWalkFacts:
    """A filter and everything that it reads.

    Attributes:
        layer: The class of the layer.
        settings: Its settings, in words.
        filter: Which filter walks.
        channels: The numbers of the channels that it sees.
        padded: These channels with their padding: (channels, rows, columns).
        weight: The kernel for each of them, in the same shape.
        bias: What is added to each sum.
        down: The rows.
        across: The columns.
        gave: What the layer gave: (rows, columns).
    """

    layer: str
    settings: str
    filter: int
    channels: tuple[int, ...]
    padded: np.ndarray
    weight: np.ndarray
    bias: float
    down: Axis
    across: Axis
    gave: np.ndarray

    @property
    def bordered(self) -> bool:
        """Whether there is any padding."""
        return any(len(axis.sources) > axis.size for axis in (self.down, self.across))

    def beyond(self, row: int, column: int) -> bool:
        """Tell whether a pixel, counted with the padding, belongs to the padding."""
        return not (self.down.holds(row) and self.across.holds(column))

    def under(self, step: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The rows and the columns under the kernel at a position, counted with the padding."""
        row, column = divmod(step, len(self.across.places))
        return self.down.places[row], self.across.places[column]

    def total(self, step: int) -> float:
        """The sum of all products at a position, and the bias."""
        rows, columns = self.under(step)
        return float((self.padded[:, rows][:, :, columns] * self.weight).sum() + self.bias)

    def copied(self, step: int) -> list[tuple[_Place, _Place | None]]:
        """The pixels of the padding that are under the kernel, each with its source; None for a zero."""
        rows, columns = self.under(step)
        found = []
        for row, column in ((r, c) for r in rows for c in columns if self.beyond(r, c)):
            source = self.down.sources[row], self.across.sources[column]
            at = row - self.down.before, column - self.across.before
            found.append((at, None if -1 in source else source))
        return found


def kernel_walk_facts(layer: Any, image: Any, filter: int) -> KernelWalkFacts:
    """Call the layer once, and find what each of its numbers was made of.

    Args:
        layer: Any library's `Conv2d`, or one of your own with its attributes.
        image: A batch of images for the layer; the first one is shown.
        filter: Whose walk it is.

    Raises:
        TypeError: This is no convolution, or no batch of images.
        ValueError: The image is too large to be shown, there is no such filter or padding mode, or the layer's result
            has another size than its settings say.
    """
    weight, images = _array(getattr(layer, "weight", None)), _array(image)
    if weight.ndim != 4:
        raise TypeError("kernel_walk shows a Conv2d: a layer with a weight of four dimensions")
    if images.ndim != 4:
        raise TypeError("kernel_walk needs a batch of images: (N, channels, rows, columns)")
    if not 0 <= filter < len(weight):
        raise ValueError(f"filter must be from 0 to {len(weight) - 1}; got {filter}")
    mode, groups = str(getattr(layer, "padding_mode", "zeros")), int(getattr(layer, "groups", 1))
    if mode not in _MODES:
        raise ValueError(f"the padding mode must be one of {', '.join(_MODES)}; got {mode}")
    down, across = (_axis(layer, n, images.shape[n + 2], weight.shape[n + 2], mode) for n in (0, 1))
    size, given = (len(down.places), len(across.places)), _array(layer(image))
    if given.shape[1:] != (len(weight), *size) or 0 in size:
        raise ValueError(
            f"the layer's settings make {size[0]} × {size[1]} positions of the kernel for each of {len(weight)} filters, "
            f"and its result has the shape {given.shape}"
        )
    seen = weight.shape[1]
    first = filter // (len(weight) // groups) * seen
    with_zero = np.pad(images[0, first : first + seen], ((0, 0), (0, 1), (0, 1)))  # number -1
    bias = _array(getattr(layer, "bias", None))
    return KernelWalkFacts(
        type(layer).__name__,
        _settings(layer, weight.shape[2:], mode, groups),
        filter,
        tuple(range(first, first + seen)),
        with_zero[:, down.sources][:, :, across.sources],
        weight[filter],
        float(bias[filter]) if bias.ndim else 0.0,
        down,
        across,
        given[0, filter],
    )


def _array(tensor: Any) -> np.ndarray:
    """Return the numbers of a tensor of any library; nothing in no dimension if it is none."""
    try:
        return np.array(tensor.data.tolist(), dtype=float)
    except (AttributeError, TypeError, ValueError):
        return np.array(0.0)


def _pair(layer: Any, name: str, otherwise: int) -> _Place:
    value = getattr(layer, name, otherwise)
    first, second = value if isinstance(value, tuple | list) else (value, value)
    return int(first), int(second)


def _axis(layer: Any, n: int, size: int, kernel: int, mode: str) -> Axis:
    stride, dilation = _pair(layer, "stride", 1)[n], _pair(layer, "dilation", 1)[n]
    padding, reach = getattr(layer, "padding", 0), dilation * (kernel - 1)
    if padding == "same":
        before, after = reach // 2, reach - reach // 2
    else:
        before = after = 0 if padding == "valid" else _pair(layer, "padding", 0)[n]
    if size + before + after > _LARGEST:
        raise ValueError(
            f"an image of {size} pixels is too large to be shown; with its padding, at most {_LARGEST}"
        )
    sources = tuple(_source(at, size, mode) for at in range(-before, size + after))
    starts = range(0, len(sources) - reach, stride)
    places = tuple(tuple(start + dilation * k for k in range(kernel)) for start in starts)
    return Axis(sources, before, places)


def _source(at: int, size: int, mode: str) -> int:
    """Return which pixel a padded one is copied from."""
    if mode == "zeros":
        return at if 0 <= at < size else -1
    if mode == "circular":
        return at % size
    if mode == "replicate":
        return min(max(at, 0), size - 1)
    return size - 1 - abs(size - 1 - abs(at))


def _settings(layer: Any, kernel: _Place, mode: str, groups: int) -> str:
    """Return what the layer was made with, in words; what is as usual is left out."""
    padding = getattr(layer, "padding", 0)
    padding = padding if isinstance(padding, str) else _each(_pair(layer, "padding", 0))
    said = {
        f"stride {_each(_pair(layer, 'stride', 1))}": "stride 1",
        f"dilation {_each(_pair(layer, 'dilation', 1))}": "dilation 1",
        f"padding {padding} ({mode})": "padding 0 (zeros)",
        f"{groups} groups": "1 groups",
    }
    kept = (words for words, usual in said.items() if words != usual)
    return ", ".join(["kernel {} × {}".format(*kernel), *kept])


def _each(pair: _Place) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]} × {pair[1]}"
