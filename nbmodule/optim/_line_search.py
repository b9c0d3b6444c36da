"""How far to go along a direction: a search for a step that satisfies the strong Wolfe conditions.

Along ``x + t * d`` let f(t) be the loss and f'(t) its slope, the inner product of gradient and direction.
A step t is good enough when both hold:

    f(t) <= f(0) + c1 * t * f'(0)       (Armijo: the loss falls in proportion to the step)
    |f'(t)| <= c2 * |f'(0)|             (the slope has become flat)

Source: Nocedal and Wright, Numerical Optimization, chapter 3.5, algorithms 3.5 and 3.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Trial = tuple[Any, float, Any, Any]
"""What is known of a step: its length, the loss there, the gradient there and the slope f'(t)."""


def _cubic_interpolate(x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None) -> Any:  # fmt: skip
    """Return where the cubic through two points, with the slopes `g1` and `g2`, has its minimum.

    Args:
        x1: one place.
        f1: the value there.
        g1: the slope there.
        x2: the other place.
        f2: the value there.
        g2: the slope there.
        bounds: the smallest and the largest answer; without them, the two places.

    Returns:
        The place of the minimum within the bounds, or their middle where the cubic has none.
    """
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    d2_square = d1**2 - g1 * g2
    if not d2_square >= 0:
        return (low + high) / 2.0
    d2 = d2_square.sqrt()
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


def _strong_wolfe(obj_func: Callable[..., tuple[float, Any]], x: Any, t: Any, d: Any, f: float, g: Any, gtd: Any, c1: float = 1e-4, c2: float = 0.9, tolerance_change: float = 1e-9, max_ls: int = 25) -> tuple[float, Any, Any, int]:  # fmt: skip
    """Search a step along `d` that satisfies the strong Wolfe conditions.

    Args:
        obj_func: ``obj_func(x, t, d)`` returns the loss and the gradient at ``x + t * d``.
        x: where the search starts; only handed on to `obj_func`.
        t: the length to try first.
        d: the direction, a tensor of one dimension.
        f: the loss at `x`.
        g: the gradient at `x`.
        gtd: the slope at `x`, the inner product of `g` and `d`.
        c1: how much of the promised fall in loss must happen.
        c2: how much of the slope may remain.
        tolerance_change: stop when no parameter would move by more than this.
        max_ls: how many new trials are made at most.

    Returns:
        The loss, the gradient and the length of the best step, and how often `obj_func` was called.
    """

    def tried(length: Any) -> Trial:
        loss, gradient = obj_func(x, length, d)
        return length, loss, gradient, gradient.dot(d)

    def too_high(trial: Trial) -> bool:
        return trial[1] > f + c1 * trial[0] * gtd

    def flat(trial: Trial) -> bool:
        return abs(trial[3]) <= -c2 * gtd

    start: Trial = (0, f, g.clone(), gtd)
    before, new = start, tried(t)
    calls, trials, done = 1, 0, False
    bracket = []
    # go further and further, until the minimum lies between two steps
    while trials < max_ls:
        if too_high(new) or (trials > 1 and new[1] >= before[1]):
            bracket = [before, new]
        elif flat(new):
            bracket, done = [new], True
        elif new[3] >= 0:
            bracket = [before, new]
        if bracket:
            break
        bounds = new[0] + 0.01 * (new[0] - before[0]), new[0] * 10
        further = _cubic_interpolate(
            before[0], before[1], before[3], new[0], new[1], new[3], bounds
        )
        before, new = new, tried(further)
        calls, trials = calls + 1, trials + 1
    if not bracket:
        bracket = [start, new]
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    # narrow the bracket around the minimum
    longest, stuck = d.abs().max(), False
    while not done and trials < max_ls:
        if abs(bracket[1][0] - bracket[0][0]) * longest < tolerance_change:
            break
        first, second = bracket
        t = _cubic_interpolate(first[0], first[1], first[3], second[0], second[1], second[3])
        t, stuck = _away_from_ends(t, [first[0], second[0]], stuck)
        new = tried(t)
        calls, trials = calls + 1, trials + 1
        if too_high(new) or new[1] >= bracket[low][1]:
            bracket[high] = new
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
            continue
        if flat(new):
            done = True
        elif new[3] * (bracket[high][0] - bracket[low][0]) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
    t, f_new, g_new, _ = bracket[low]
    return f_new, g_new, t, calls


def _away_from_ends(t: Any, ends: list[Any], stuck: bool) -> tuple[Any, bool]:
    """Keep a trial off the ends of the bracket, where the search would hardly get on.

    Returns:
        The trial, and whether it lies in the outermost tenth: the second time in a row it is moved.
    """
    left, right = min(ends), max(ends)
    tenth = 0.1 * (right - left)
    if not min(right - t, t - left) < tenth:
        return t, False
    if not (stuck or t >= right or t <= left):
        return t, True
    return (right - tenth if abs(t - right) < abs(t - left) else left + tenth), False
