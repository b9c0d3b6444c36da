"""Where optimizers go on a loss of two numbers, and what each of their steps is made of."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Point = tuple[float, float]
_CELLS = 36  # of the grid on which the loss is measured, in each direction
_LEVELS = 9
_MARGIN = 0.12  # around all trails, as a part of their size
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Moment:
    """A place of a trail, and the step that leaves it; the three parts lead to the next place, one after the other.

    Attributes:
        at: The two numbers.
        loss: The loss there.
        gradient: The part of the step that is -lr · gradient.
        decay: The part that is -lr · weight_decay · the numbers.
        rest: What the optimizer adds to both: momentum, scaling.
    """

    at: Point
    loss: float
    gradient: Point = (0.0, 0.0)
    decay: Point = (0.0, 0.0)
    rest: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Trail:
    """The way of one optimizer.

    Attributes:
        name: What the caller calls it.
        moments: The start, and the place after each step.
        ended: Why it ends early, or the empty string.
    """

    name: str
    moments: tuple[Moment, ...]
    ended: str = ""


@dataclass(frozen=True, eq=False)
class DescentFacts:
    """All trails, and the loss around them.

    Attributes:
        trails: In the order in which they were given.
        box: Least and greatest of the first number, then of the second.
        contours: Levels of the loss with the pieces of their lines.
        lowest: Where the loss is least as far as was looked, and that loss; None if it gets lower towards an edge.
    """

    trails: tuple[Trail, ...]
    box: tuple[float, float, float, float]
    contours: tuple[tuple[float, tuple[tuple[Point, Point], ...]], ...]
    lowest: tuple[Point, float] | None = None

    @property
    def steps(self) -> int:
        """How many steps the longest trail has."""
        return max(len(trail.moments) for trail in self.trails) - 1


def descent_facts(
    loss: Callable[[Any], Any],
    optimizers: Mapping[str, Callable[[list[Any]], Any]],
    start: Any,
    steps: int,
) -> DescentFacts:
    """Let each optimizer walk.

    Args:
        loss: Takes a tensor of two numbers, gives the loss.
        optimizers: For each name what makes the optimizer of a list of parameters.
        start: A parameter with two numbers; it is copied.
        steps: How many.

    Raises:
        TypeError: No optimizers, or `start` has not two numbers.
        ValueError: Steps below 1 or far too many.
    """
    if not isinstance(optimizers, Mapping) or not optimizers:
        raise TypeError(
            "descent needs optimizers by name: {'SGD': lambda params: SGD(params, lr=0.1)}"
        )
    if len(_numbers(start)) != 2:
        raise TypeError("descent starts at a parameter with two numbers")
    if not 1 <= steps <= _MOST:
        raise ValueError(f"steps must be from 1 to {_MOST}; got {steps}")
    trails = tuple(_trail(name, make, loss, start, steps) for name, make in optimizers.items())
    height = _height(loss, start)
    places = [moment.at for trail in trails for moment in trail.moments]
    lowest = _lowest(height, _box(places, 1.0))
    box = _box([*places, *([lowest[0]] if lowest else [])])
    return DescentFacts(trails, box, tuple(_contours(height, box)), lowest)


def _numbers(tensor: Any) -> list[float]:
    try:
        return [float(number) for number in tensor.data.tolist()]
    except (AttributeError, TypeError):
        return []


def _trail(name: str, make: Callable[..., Any], loss: Any, start: Any, steps: int) -> Trail:
    here = copy.deepcopy(start)
    here.grad = None
    optimizer = make([here])
    moments: list[Moment] = []
    for number in range(steps + 1):  # the last one tells of which parts the next step would be
        here.grad = None
        value = loss(here)
        value.backward()
        gradient, before = _numbers(here.grad), _numbers(here)
        rate, decay = _option(optimizer, "lr"), _option(optimizer, "weight_decay")
        optimizer.step()
        after = _numbers(here)
        by_gradient = [-rate * g for g in gradient]
        by_decay = [-rate * decay * x for x in before]
        parts = zip(before, after, by_gradient, by_decay, strict=True)
        rest = [b - a - g - d for a, b, g, d in parts]
        at = _point(before)
        moments.append(
            Moment(at, float(value.item()), _point(by_gradient), _point(by_decay), _point(rest))
        )
        if not all(math.isfinite(number) and abs(number) < 1e6 for number in after):
            return Trail(name, tuple(moments), f"it leaves the page after step {number}")
    return Trail(name, tuple(moments))


def _point(numbers: list[float]) -> Point:
    return numbers[0], numbers[1]


def _option(optimizer: Any, name: str) -> float:
    """Return an option of the first group; 0 where there is none."""
    groups = getattr(optimizer, "param_groups", None)
    return float(groups[0].get(name, 0)) if groups else 0.0


def _box(points: list[Point], margin: float = _MARGIN) -> tuple[float, float, float, float]:
    """Return the page that holds all points and the origin."""
    found: list[float] = []
    for numbers in zip(*points, strict=True):
        low, high = min(*numbers, 0.0), max(*numbers, 0.0)
        room = margin * (high - low) or 1.0
        found += [low - room, high + room]
    return found[0], found[1], found[2], found[3]


def _height(loss: Any, start: Any) -> Callable[[float, float], float]:
    """Return the loss as a function of two numbers."""
    point = copy.deepcopy(start)

    def height(x: float, y: float) -> float:
        point.data[0], point.data[1] = x, y
        return float(loss(point).item())

    return height


def _lowest(
    height: Callable[[float, float], float], box: tuple[float, ...]
) -> tuple[Point, float] | None:
    """Return the lowest place that is found in the box, from the best of a grid in ever smaller steps."""
    left, right, bottom, top = box
    cells = 24
    across, up = (right - left) / cells, (top - bottom) / cells
    grid = [
        (left + across * i, bottom + up * j) for i in range(cells + 1) for j in range(cells + 1)
    ]
    known = [(height(*at), at) for at in grid]
    value, (x, y) = min(
        (pair for pair in known if math.isfinite(pair[0])), default=(math.inf, grid[0])
    )
    for _ in range(200):
        around = [(x + across, y), (x - across, y), (x, y + up), (x, y - up)]
        better = min((height(*at), at) for at in around)
        if better[0] < value:
            value, (x, y) = better
        else:
            across, up = across / 2, up / 2
        if not (left < x < right and bottom < y < top):
            return None
    return ((x, y), value) if math.isfinite(value) else None


def _contours(height: Callable[[float, float], float], box: tuple[float, ...]) -> Iterator[Any]:
    """Yield levels of the loss, each twice as far from the least one, with their lines."""
    left, right, bottom, top = box
    xs = [left + (right - left) * n / _CELLS for n in range(_CELLS + 1)]
    ys = [bottom + (top - bottom) * n / _CELLS for n in range(_CELLS + 1)]
    heights = [[height(x, y) for x in xs] for y in ys]
    flat = [value for row in heights for value in row if math.isfinite(value)]
    low, high = min(flat), max(flat)
    for n in range(_LEVELS):
        level = low + (high - low) * 2.0 ** (n - _LEVELS)
        corners = [[(x, y, heights[j][i]) for i, x in enumerate(xs)] for j, y in enumerate(ys)]
        yield level, tuple(_line(corners, level))


def _line(corners: list[list[tuple[float, float, float]]], level: float) -> Iterator[Any]:
    """Yield the pieces of a contour line: in each half of a cell, it runs from one side to another."""
    for lower, upper in pairwise(corners):
        for i in range(len(lower) - 1):
            for triangle in (
                (lower[i], lower[i + 1], upper[i]),
                (upper[i + 1], lower[i + 1], upper[i]),
            ):
                sides = zip(triangle, (*triangle[1:], triangle[0]), strict=True)
                ends = [_between(a, b, level) for a, b in sides if (a[2] < level) != (b[2] < level)]
                if len(ends) == 2:
                    yield ends[0], ends[1]


def _between(a: tuple[float, ...], b: tuple[float, ...], level: float) -> Point:
    part = (level - a[2]) / (b[2] - a[2])
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
