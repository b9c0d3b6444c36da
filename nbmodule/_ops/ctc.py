"""Connectionist temporal classification: how likely a text is, whenever its letters are spoken.

A network says at each time how likely each letter is, or the *blank*. A text fits what it says if it is left over
when repetitions are merged and blanks dropped: "-cc-aa-t" is "cat". Paths run through the *states* blank, c, blank,
a, blank, t, blank: at each time a path stays, goes on by one, or skips the blank between two different letters.

Source: Graves et al., Connectionist Temporal Classification, ICML 2006.
"""

import math
from dataclasses import dataclass
from typing import Any

from .._engine import op

LOWEST = -1e30
"""Less than any logarithm, but finite: what is subtracted where there is no path at all."""


@dataclass(frozen=True)
class Texts:
    """What is to be said, and how much time there is.

    Attributes:
        states: (N, S) the class of each state: blank, letter, blank, ... blank.
        last: (N,) the last state of each text, twice its length.
        times: (N,) how many of the times belong to each example.
        zero_infinity: whether texts for which there is no path have no gradient, instead of NaN.
    """

    states: Any
    last: Any
    times: Any
    zero_infinity: bool


@dataclass(frozen=True)
class Paths:
    """What the loss leaves for its derivative; an object, so that no recorded walk looks inside.

    Attributes:
        emissions: (T, N, S) how likely each state is at each time.
        both: (T, 2N, S) sums over the paths to each state, then over those from it to the end, turned round.
    """

    emissions: Any
    both: Any


def _log_paths(xp, emissions, states):
    """Return the log-probability of all paths from the start to each state at each time, (T, N, S)."""
    times, n, count = emissions.shape
    closed = xp.zeros((3, n, count), emissions.dtype)  # 0 where a path may skip, go on, stay
    closed[0, :, :2] = -math.inf
    closed[0, :, 2:] = xp.where(states[:, 2:] != states[:, :-2], 0, -math.inf)
    # with two states before the first
    paths = xp.full((times, n, count + 2), -math.inf, emissions.dtype)
    paths[0, :, 2:4] = emissions[0, :, :2]
    ways = xp.lib.stride_tricks.sliding_window_view(paths, count, 2).transpose(0, 2, 1, 3)
    sums = xp.empty_like(closed)
    for t in range(1, times):
        xp.add(ways[t - 1], closed, out=sums)
        top = xp.maximum(sums.max(0), LOWEST)
        sums -= top
        total = xp.exp(sums, out=sums).sum(0)
        top += xp.log(total, out=total)
        xp.add(top, emissions[t], out=paths[t, :, 2:])
    return paths[:, :, 2:]


def _turned(xp, table, texts: Texts):
    """Return `table` (T, N, S) with the time and the states of each example the other way round."""
    t = texts.times[None, :, None] - 1 - xp.arange(table.shape[0])[:, None, None]
    s = texts.last[None, :, None] - xp.arange(table.shape[2])
    rows = xp.arange(table.shape[1])[None, :, None]
    # what lies beyond an end comes from anywhere: nobody looks at it
    return table[t % table.shape[0], rows, s % table.shape[2]]


@op(name="CtcLossBackward0")
def ctc_loss(xp, log_probs, *, texts: Texts, sloped: bool):
    """Minus the log of the sum of the probabilities of all paths, (N,), for log_probs (T, N, C).

    If it is `sloped`, paths from the end are summed on the way, in the same loop.
    """
    emissions = xp.take_along_axis(log_probs, texts.states[None], 2)
    starts, states, n = emissions, texts.states, len(texts.last)
    if sloped:
        s = texts.last[:, None] - xp.arange(states.shape[1])
        turned = states[xp.arange(n)[:, None], s % states.shape[1]]
        starts = xp.concatenate((emissions, _turned(xp, emissions, texts)), 1)
        states = xp.concatenate((states, turned))
    both = _log_paths(xp, starts, states)
    forward, rows, end = both[:, :n], xp.arange(n), xp.maximum(texts.times - 1, 0)
    a = forward[end, rows, texts.last]
    b = xp.where(texts.last > 0, forward[end, rows, texts.last - 1], -math.inf)
    top = xp.maximum(xp.maximum(a, b), LOWEST)
    total = xp.log(xp.exp(a - top) + xp.exp(b - top)) + top
    silent = xp.where(texts.last == 0, 0, -math.inf)  # no time at all: only the empty text fits
    loss = (-xp.where(texts.times > 0, total, silent)).astype(log_probs.dtype, copy=False)
    paths = Paths(emissions, both)
    return loss, lambda g: ctc_loss_backward.inside(
        xp, g, log_probs, loss, texts=texts, paths=paths
    )


@op(name="_CtcLossBackwardBackward0")
def ctc_loss_backward(xp, g, log_probs, loss, *, texts: Texts, paths: Paths):
    """The probability of each class, minus that of the paths that say it then, (T, N, C).

    This is the gradient for what came before `log_softmax`; PyTorch gives it for `log_probs` themselves.
    """
    times, n, classes = log_probs.shape
    forward, backward = paths.both[:, :n], _turned(xp, paths.both[:, n:], texts)
    now = xp.arange(times)[:, None, None] < texts.times[:, None]
    used = now & (xp.arange(forward.shape[2]) <= texts.last[:, None])
    share = xp.exp(forward + backward - paths.emissions + loss[:, None])
    share = xp.where(used, share, 0)
    place = xp.arange(times * n).reshape(times, n, 1) * classes + texts.states
    said = xp.bincount(place.reshape(-1), share.reshape(-1), log_probs.size)
    d = xp.exp(log_probs) - said.reshape(log_probs.shape)
    d = xp.where((log_probs == -math.inf) | ~(loss[:, None] < math.inf), math.nan, d)
    if texts.zero_infinity:
        now = now & (loss[:, None] != math.inf)
    return xp.where(now, d * g[:, None], 0).astype(log_probs.dtype, copy=False), None, None, None
