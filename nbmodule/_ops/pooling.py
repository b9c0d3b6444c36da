"""Pooling: summaries of windows over one, two or three axes, which are the last ones of an array."""

from __future__ import annotations

import math

from .._engine import joined_parts, op
from .._meta import MetaArray
from .picking import spread
from .sliding import laid_out
from .windows import Tap, Windows, along, from_last, on_axis, spatial

Boxes = tuple[Windows, ...]
"""The windows along each axis."""


# ---- the largest element


@op(name="MaxPool2DWithIndicesBackward0")
def max_pool(xp, x, *, windows: Boxes):
    """x: (..., *size) -> (..., *out). The first of equal maxima in a window gets the gradient."""
    size = spatial(x, windows)
    y = _in_parts(xp, _maxima, x, windows, x.size)

    def vjp(g):
        places = max_pool_places.inside(xp, x, windows=windows)
        return spread.inside(xp, g, places, size=size, apart=all(w.apart for w in windows))

    return laid_out(xp, y, x), vjp


def _in_parts(xp, rule, x, windows: Boxes, steps: float):
    """Return ``rule(xp, x, windows)``, computed for some planes on each core."""
    if x.ndim == len(windows):  # one plane
        return rule(xp, x, windows)
    return joined_parts(xp, lambda n: rule(xp, x[n], windows), len(x), steps)


def _maxima(xp, x, windows: Boxes):
    """Return the maximum of each window."""
    y, lowest = x, -float("inf") if x.dtype.kind == "f" else xp.iinfo(x.dtype).min
    for axis, w in reversed(from_last(windows)):  # whole rows first: they lie side by side
        if not w.single:
            y = _largest(xp, y, axis, w, lowest)
    return y.copy("K") if y is x else y


def _largest(xp, x, axis: int, w: Windows, lowest):
    """Return the maximum of each window along one axis."""
    taps = w.taps
    if taps and (y := x[along(xp, axis, taps[0].inputs)].copy()).shape[axis] == w.many:
        taps = taps[1:]
    else:
        y = xp.full((*x.shape[:axis], w.many, *x.shape[x.ndim + axis + 1 :]), lowest, x.dtype)
    for tap in taps:
        there, seen = along(xp, axis, tap.outputs), x[along(xp, axis, tap.inputs)]
        if isinstance(tap.outputs, slice):
            held = y[there]
            xp.maximum(held, seen, out=held)
        else:  # picked one by one: not a view
            y[there] = xp.maximum(y[there], seen)
    return y


@op
def max_pool_places(xp, x, *, windows: Boxes):
    """x: (..., *size) -> (..., *out). The number in its plane of the largest element of each window, int64.

    Of equal ones the first counts, of NaNs the last. Axis by axis it is noted how far from the first tap the one
    lies that won: later taps lie further, so that the note of the last one to win is the maximum of all notes.
    """
    if not all(w.many for w in windows):
        shape = (*x.shape[: x.ndim - len(windows)], *(w.many for w in windows))
        return xp.zeros(shape, "int64"), None
    places = _in_parts(xp, _places, x, windows, x.size)
    return laid_out(xp, places, x), None


def _places(xp, x, windows: Boxes):
    size = spatial(x, windows)
    # how many elements lie from one place of an axis to the next
    rows = [math.prod(size[axis + 1 :]) for axis in range(len(size))]
    furthest = sum((w.length - 1) * w.dilation * row for w, row in zip(windows, rows, strict=True))
    kind = "int8" if furthest < 128 else "int16" if furthest < 1 << 15 else "int64"
    nans = x.dtype.kind == "f" and _may_hold_nan(xp, x)
    lowest = -float("inf") if x.dtype.kind == "f" else xp.iinfo(x.dtype).min
    best, note, corners = x, None, 0  # None: not yet any but 0
    for axis, w in from_last(windows):
        corners = corners + on_axis(xp, axis, w.starts, "int64") * rows[axis]
        if w.single:
            continue
        apart = w.dilation * rows[axis]
        seen, seen_note = best, note
        begin = along(xp, axis, _first_inside(w))
        best = seen[begin].copy()
        note = xp.zeros(best.shape, kind) if seen_note is None else seen_note[begin].copy()
        if w.first:
            note += on_axis(xp, axis, w.first, kind) * apart
        for tap in w.taps[0 if w.first else 1 :]:
            candidate = _seen_by(xp, seen, axis, w, tap, lowest)
            better = candidate > best
            if nans:
                better |= candidate != candidate
            mark = tap.number * apart
            if seen_note is not None:
                mark = mark + _seen_by(xp, seen_note, axis, w, tap, 0)
            won = better.view("int8") if kind == "int8" else better.astype(kind)
            xp.maximum(note, won * mark, out=note)
            xp.maximum(best, candidate, out=best)
    return corners + (xp.zeros(x.shape, kind) if note is None else note)


def _may_hold_nan(xp, x) -> bool:
    """Return False only if no element is NaN, and that is quickly seen."""
    if xp.__name__ != "numpy" or isinstance(x, MetaArray) or not x.size:
        return True
    largest = x.max()
    return bool(largest != largest)


def _first_inside(w: Windows):
    """Return the place of the first element of each window that lies in the input."""
    if not w.first:
        return w.taps[0].inputs
    return tuple(start + t * w.dilation for start, t in zip(w.starts, w.first, strict=True))


def _seen_by(xp, x, axis: int, w: Windows, tap: Tap, missing):
    """Return what one tap of each window sees, side by side in memory; `missing` where it is outside."""
    here = x[along(xp, axis, tap.inputs)]
    if here.shape[axis] == w.many:
        return xp.ascontiguousarray(here)
    y = xp.full((*x.shape[:axis], w.many, *x.shape[x.ndim + axis + 1 :]), missing, x.dtype)
    y[along(xp, axis, tap.outputs)] = here
    return y


@op
def fractional_places(xp, x, starts, *, kernel: tuple[int, ...]):
    """x: (..., *size), starts: for each plane where the windows begin, (..., *out) -> (..., *out).

    The number in its plane of the largest element of each window, as in `max_pool_places`; `starts` are
    numbers of elements in a plane too.
    """
    lead, size = x.shape[: x.ndim - len(kernel)], x.shape[x.ndim - len(kernel) :]
    flat = x.reshape(*lead, math.prod(size))
    lines = starts.reshape(*lead, math.prod(starts.shape[len(lead) :]))
    best, place = xp.take_along_axis(flat, lines, -1), lines
    for offset in _offsets(kernel, size)[1:]:
        seen = xp.take_along_axis(flat, lines + offset, -1)
        better = (seen > best) | (seen != seen)
        best, place = xp.where(better, seen, best), xp.where(better, lines + offset, place)
    return place.reshape(starts.shape), None, None


def _offsets(kernel: tuple[int, ...], size: tuple[int, ...]) -> list[int]:
    """Return how far the elements of a window lie from its first, row by row, in the memory of a plane."""
    offsets = [0]
    for axis, k in enumerate(kernel):
        row = math.prod(size[axis + 1 :])
        offsets = [o + t * row for o in offsets for t in range(k)]
    return offsets


# ---- the mean


@op(name="AvgPool2DBackward0")
def avg_pool(xp, x, *, windows: Boxes, divisor: int | None = None):
    """x: (..., *size) -> (..., *out). The sum of each window through the number of its elements, or `divisor`."""

    def through_count(sums):
        if divisor:
            return sums / divisor
        for axis, w in from_last(windows):
            same = len(set(w.sizes)) == 1
            sums = sums / (w.sizes[0] if same else on_axis(xp, axis, w.sizes, sums.dtype))
        return sums

    wide = "float32" if x.dtype == "float16" else x.dtype
    y = through_count(_moved(xp, x.astype(wide, copy=False), windows, True))
    y = y.astype(x.dtype, copy=False)
    return (
        laid_out(xp, y, x) if x.ndim == 4 else y,
        lambda g: window_spread.inside(xp, through_count(g), windows=windows),
    )


@op
def window_sum(xp, x, *, windows: Boxes):
    """x: (..., *size) -> (..., *out). The sum of each window."""
    return _moved(xp, x, windows, True), lambda g: window_spread.inside(xp, g, windows=windows)


@op
def window_spread(xp, g, *, windows: Boxes):
    """g: (..., *out) -> (..., *size). Add each element of `g` to all that its window sees."""
    return _moved(xp, g, windows, False), lambda h: window_sum.inside(xp, h, windows=windows)


def _moved(xp, x, windows: Boxes, together: bool):
    """Add up what the taps see, axis by axis; or, not `together`, the other way round."""
    y = x
    for axis, w in from_last(windows) if not together else reversed(from_last(windows)):
        if w.single:
            continue
        count = w.many if together else w.size
        into = xp.zeros((*y.shape[:axis], count, *y.shape[y.ndim + axis + 1 :]), y.dtype)
        for tap in w.taps:
            there, here = along(xp, axis, tap.outputs), along(xp, axis, tap.inputs)
            if together:
                into[there] += y[here]
            else:
                into[here] += y[there]
        y = into
    return y.copy() if y is x else y


# ---- nothing


@op
def empty_pool(xp, x, *, shape: tuple[int, ...], name: str):
    """x: (..., *size) -> `shape`, which holds no elements. PyTorch takes no gradient through the pooling `name`."""

    def refuse(g):
        place = next(i for i in range(1 - x.ndim, 0) if not shape[i])
        raise RuntimeError(
            f"{name}_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but "
            f"grad_output has sizes {list(shape)} with dimension {x.ndim + place} being empty"
        )

    return xp.zeros(shape, x.dtype), refuse
