"""What a convolution reads at each position of its kernel: which pixels, where padded ones come from, and the sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Grid = tuple[tuple[float, ...], ...]
_LARGEST = 40  # pixels in a row, with the padding
_MODES = ("zeros", "reflect", "replicate", "circular")


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


@dataclass(frozen=True, slots=True)
class Reading:
    """What one position gives.

    Attributes:
        total: The sum of all products.
        gave: What the layer gave there.
        copied: Pixels beyond the border that are under the kernel, each with its source; None for a zero.
    """

    total: float
    gave: float
    copied: tuple[tuple[tuple[int, int], tuple[int, int] | None], ...]


@dataclass(frozen=True, eq=False)
class KernelWalkFacts:
    """A filter and everything that it reads.

    Attributes:
        layer: The class of the layer.
        mode: Its padding mode.
        settings: Its other settings, in words.
        filter: Which filter walks.
        channels: The numbers of the channels that it sees.
        image: The numbers of each of them.
        weight: The kernel for each of them.
        bias: What is added to each sum.
        down: The rows.
        across: The columns.
        readings: What each position gives, row by row.
    """

    layer: str
    mode: str
    settings: str
    filter: int
    channels: tuple[int, ...]
    image: tuple[Grid, ...]
    weight: tuple[Grid, ...]
    bias: float
    down: Axis
    across: Axis
    readings: tuple[Reading, ...]

    def position(self, step: int) -> tuple[int, int]:
        """Row and column of a position in the output."""
        return divmod(step, len(self.across.places))


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
    weights, pixels = _numbers(layer, "weight"), _array(image)
    if _depth(weights) != 4:
        raise TypeError("kernel_walk shows a Conv2d: a layer with a weight of four dimensions")
    if _depth(pixels) != 4:
        raise TypeError("kernel_walk needs a batch of images: (N, channels, rows, columns)")
    if not 0 <= filter < len(weights):
        raise ValueError(f"filter must be from 0 to {len(weights) - 1}; got {filter}")
    mode, groups = str(getattr(layer, "padding_mode", "zeros")), int(getattr(layer, "groups", 1))
    if mode not in _MODES:
        raise ValueError(f"the padding mode must be one of {', '.join(_MODES)}; got {mode}")
    seen = len(weights[filter])
    first = filter // (len(weights) // groups) * seen
    sizes = (len(pixels[0][0]), len(pixels[0][0][0]))
    kernel = (len(weights[0][0]), len(weights[0][0][0]))
    down, across = (_axis(layer, n, sizes[n], kernel[n], mode) for n in (0, 1))
    gave = _given(_array(layer(image)), filter, (len(down.places), len(across.places)))
    channels = tuple(range(first, first + seen))
    grids = tuple(_grid(pixels[0][channel]) for channel in channels)
    kernels = tuple(_grid(one) for one in weights[filter])
    bias = _numbers(layer, "bias")
    added = float(bias[filter]) if bias else 0.0
    readings = tuple(
        _reading(grids, kernels, added, (rows, down), (columns, across), gave[i][j])
        for i, rows in enumerate(down.places)
        for j, columns in enumerate(across.places)
    )
    kept = (kernel, *(_pair(layer, name, other) for name, other in (("stride", 1), ("dilation", 1))))  # fmt: skip
    said = "kernel {}, stride {}, dilation {}".format(*("{} × {}".format(*each) for each in kept))
    return KernelWalkFacts(
        type(layer).__name__, mode, said, filter, channels, grids, kernels, added, down, across, readings
    )  # fmt: skip


def _numbers(layer: Any, name: str) -> list[Any]:
    value = getattr(layer, name, None)
    return [] if value is None else _array(value)


def _array(tensor: Any) -> list[Any]:
    """Return the numbers of a tensor of any library as lists."""
    try:
        found = tensor.data.tolist()
    except (AttributeError, TypeError):
        return []
    return found if isinstance(found, list) else []


def _given(result: list[Any], filter: int, size: tuple[int, int]) -> Any:
    """Return what the layer gave for a filter.

    Raises:
        ValueError: It has another size than the settings say.
    """
    found = result[0][filter] if _depth(result) == 4 and filter < len(result[0]) else []
    there = (len(found), len(found[0]) if found else 0)
    if there != size or 0 in size:
        raise ValueError(
            f"the layer's settings make {size[0]} × {size[1]} positions of the kernel, and its result has {there[0]} × {there[1]}"
        )
    return found


def _depth(numbers: Any) -> int:
    return 1 + _depth(numbers[0]) if isinstance(numbers, list) and numbers else 0


def _grid(rows: list[list[float]]) -> Grid:
    return tuple(tuple(map(float, row)) for row in rows)


def _pair(layer: Any, name: str, otherwise: int) -> tuple[int, int]:
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


def _reading(grids: Any, weight: Any, bias: float, down: Any, across: Any, gave: float) -> Reading:
    """Return the sum at one position, and what of it lies beyond the border."""
    (rows, vertical), (columns, horizontal) = down, across
    total, copied = bias, []
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            y, x = vertical.sources[row], horizontal.sources[column]
            real = y >= 0 and x >= 0
            if real:
                pairs = zip(grids, weight, strict=True)
                total += sum(grid[y][x] * kernel[i][j] for grid, kernel in pairs)
            if not (vertical.holds(row) and horizontal.holds(column)):
                at = (row - vertical.before, column - horizontal.before)
                copied.append((at, (y, x) if real else None))
    return Reading(total, float(gave), tuple(copied))
