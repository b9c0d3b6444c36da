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
    """What the forward sum leaves for the backward one; an object, so that no recorded walk looks inside."""

    emissions: Any
    forward: Any


def _log_paths(xp, emissions, states):
    """Return the log-probability of all paths from the start to each state at each time, (T, N, S)."""
    times, n, count = emissions.shape
    skips = xp.full((n, count), -math.inf, emissions.dtype)
    skips[:, 2:] = xp.where(states[:, 2:] != states[:, :-2], 0, -math.inf)
    paths = xp.full(
        (times, n, count + 2), -math.inf, emissions.dtype
    )  # two states before the first
    paths[0, :, 2:4] = emissions[0, :, :2]
    for t in range(1, times):
        stay, step = paths[t - 1, :, 2:], paths[t - 1, :, 1:-1]
        skip = paths[t - 1, :, :-2] + skips
        top = xp.maximum(xp.maximum(stay, step), skip)
        top = xp.where(top == -math.inf, 0, top)
        total = xp.exp(stay - top) + xp.exp(step - top) + xp.exp(skip - top)
        paths[t, :, 2:] = xp.log(total) + top + emissions[t]
    return paths[:, :, 2:]


def _turned(xp, table, times, last):
    """Return `table` (T, N, S) with the time and the states of each example the other way round."""
    t = times[None, :, None] - 1 - xp.arange(table.shape[0])[:, None, None]
    s = last[None, :, None] - xp.arange(table.shape[2])
    rows = xp.arange(table.shape[1])[None, :, None]
    return table[
        t % table.shape[0], rows, s % table.shape[2]
    ]  # what is turned beyond an end is not looked at


@op(name="CtcLossBackward0")
def ctc_loss(xp, log_probs, *, texts: Texts):
    """Minus the log of the sum of the probabilities of all paths, (N,), for log_probs (T, N, C)."""
    emissions = xp.take_along_axis(log_probs, texts.states[None], 2)
    forward = _log_paths(xp, emissions, texts.states)
    rows, end = xp.arange(len(texts.last)), xp.maximum(texts.times - 1, 0)
    a = forward[end, rows, texts.last]
    b = xp.where(texts.last > 0, forward[end, rows, texts.last - 1], -math.inf)
    top = xp.maximum(a, b)
    top = xp.where(top == -math.inf, 0, top)
    total = xp.log(xp.exp(a - top) + xp.exp(b - top)) + top
    silent = xp.where(texts.last == 0, 0, -math.inf)  # no time at all: only the empty text fits
    loss = (-xp.where(texts.times > 0, total, silent)).astype(log_probs.dtype, copy=False)
    paths = Paths(emissions, forward)
    return loss, lambda g: ctc_loss_backward.inside(
        xp, g, log_probs, loss, texts=texts, paths=paths
    )


@op(name="_CtcLossBackwardBackward0")
def ctc_loss_backward(xp, g, log_probs, loss, *, texts: Texts, paths: Paths):
    """The probability of each class, minus that of the paths that say it then, (T, N, C).

    This is the gradient for what came before `log_softmax`; PyTorch gives it for `log_probs` themselves.
    """
    shape, dtype = log_probs.shape, log_probs.dtype
    turned = _turned(xp, paths.emissions, texts.times, texts.last)
    states = texts.states[
        xp.arange(shape[1])[:, None],
        (texts.last[:, None] - xp.arange(turned.shape[2])) % turned.shape[2],
    ]
    onward = _turned(xp, _log_paths(xp, turned, states), texts.times, texts.last)
    now = xp.arange(shape[0])[:, None, None] < texts.times[:, None]
    used = now & (xp.arange(turned.shape[2]) <= texts.last[:, None])
    share = xp.exp(paths.forward + onward - paths.emissions + loss[:, None])
    share = xp.where(used, share, 0)
    place = xp.arange(shape[0] * shape[1]).reshape(*shape[:2], 1) * shape[2] + texts.states
    said = xp.bincount(place.reshape(-1), share.reshape(-1), math.prod(shape)).reshape(shape)
    d = xp.exp(log_probs) - said
    d = xp.where((log_probs == -math.inf) | (loss[:, None] == math.inf), math.nan, d)
    if texts.zero_infinity:
        now = now & (loss[:, None] != math.inf)
    return xp.where(now, d * g[:, None], 0).astype(dtype, copy=False), None, None, None
