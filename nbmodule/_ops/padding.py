"""Padding with what the array itself holds: its mirror image, its edge, its other end.

Along each axis the result is made of up to three runs: what lies before the array, the array, and what lies behind.
A run says which elements come from where; along several axes each combination of runs is one block that is copied.
"""

from itertools import product

from .._engine import op
from .sliding import Size, laid_out

Run = tuple[slice, slice]
"""(elements of the result, elements of the array); one element of the array may fill a whole run."""


@op
def edge_pad(xp, x, *, runs: tuple[tuple[Run, ...], ...], size: Size):
    """Fill the last axes, `size` long, by `runs`; x: (..., *old) -> (..., *size)."""
    y = xp.empty((*x.shape[: -len(size)], *size), x.dtype)
    for block in product(*runs):
        y[(..., *(to for to, _ in block))] = x[(..., *(of for _, of in block))]
    old = x.shape[-len(size) :]
    return laid_out(xp, y, x), lambda g: edge_pad_back.inside(xp, g, runs=runs, size=old)


@op
def edge_pad_back(xp, g, *, runs: tuple[tuple[Run, ...], ...], size: Size):
    """Add up what each element was copied to: the adjoint of `edge_pad`."""
    d = xp.zeros((*g.shape[: -len(size)], *size), g.dtype)
    axes = range(-len(size), 0)
    for block in product(*runs):
        part = g[(..., *(to for to, _ in block))]
        fills = tuple(a for a, (_, of) in zip(axes, block, strict=True) if of.stop == of.start + 1)
        if fills:
            part = part.sum(fills, keepdims=True, dtype=g.dtype)
        d[(..., *(of for _, of in block))] += part
    padded = g.shape[-len(size) :]
    return d, lambda h: edge_pad.inside(xp, h, runs=runs, size=padded)


def runs_along(n: int, before: int, after: int, mode: str) -> tuple[Run, ...]:
    """Return the runs along an axis of `n` elements, padded by `before` and `after`; negative ones crop.

    Element `i` of the result stands at ``i - before`` beside the array.
    """
    end = n + after
    places = {
        "left": (-before, min(0, end)),
        "own": (max(0, -before), min(n, end)),
        "right": (max(n, -before), end),
    }
    kept = max(0, -before), n + min(0, after)  # what cropping leaves
    return tuple(
        (slice(a + before, b + before), _source(mode, side, a, b, n, kept))
        for side, (a, b) in places.items()
        if a < b
    )


def _source(mode: str, side: str, a: int, b: int, n: int, kept: tuple[int, int]) -> slice:
    """Return which elements of an axis of `n` stand at the places from `a` to `b`."""
    if side == "own":
        return slice(a, b)
    if mode == "replicate":
        return slice(0, 1) if side == "left" else slice(n - 1, n)
    if mode == "circular":
        shift = kept[1] if side == "left" else kept[0] - n
        return slice(a + shift, b + shift)
    twice = 0 if side == "left" else 2 * (n - 1)
    return slice(twice - a, twice - b if twice >= b else None, -1)
