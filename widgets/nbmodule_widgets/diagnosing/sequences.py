"""A sequence for a sequence: outputs that see the future, targets that are the input, padding that counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.losses import log_softmax
from nbmodule_widgets.diagnosing.passes import Pass, answered, number, numbers
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.protocol import attempt

_LEAST = 3  # time steps
_PADDED = 0.1


def sequences(case: Case, first: Pass) -> Iterator[Finding]:
    """What is wrong where `y` is a sequence like the input."""
    for place, tensor in enumerate(case.inputs):
        x, y = (numbers(t) if is_tensor(t) else None for t in (tensor, case.y))
        if x is None or y is None or x.size != y.size or x.ndim < 2 or min(x.shape[:2]) < 2:
            continue
        y = y.reshape(x.shape)
        counts = y >= 0 if y.dtype.kind in "iu" else y == y
        yield from _padded(case, first, x, y)
        for axis in (1, 0):
            if x.shape[axis] < _LEAST or not np.ptp(x):
                continue
            early, late = _cut(axis, None, -1), _cut(axis, 1, None)
            if counts[early].mean() > 0.5 and (y[early] == x[late])[counts[early]].all():
                if _sees(case, place, axis, x, -1, slice(-1)):
                    yield _future()
                return
        same = x.dtype.kind in "iu" and counts.all() and bool((x == y).all())
        if same and x.shape[1] >= _LEAST and _plain_loss(first, x, y):
            causal = not _sees(case, place, 1, x, -1, slice(-1)) and _sees(
                case, place, 1, x, 0, slice(-1, None)
            )
            if causal and case.in_time:
                yield finding(
                    "labels-not-shifted", CERTAIN,
                    "The model reads from left to right and is asked for the token that it was just given: the targets are the input "
                    "itself, so it learns to copy and not to predict the next one",
                    ["`y` equals `x`, and the loss compares position t with position t",
                     "what comes later in `x` has no influence on an earlier output, so the model was made to predict"])  # fmt: skip
        return


def _cut(axis: int, begin: int | None, end: int | None) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(begin, end))


def _future() -> Finding:
    return finding(
        "no-causal-mask", CERTAIN,
        "The model sees the future: it is trained to predict the next step of a sequence, and that step is in what it is given. "
        "Its loss will be far too good, and what it generates will not be",
        ["`y` is `x`, one step later", "with the last step of `x` changed, outputs of earlier steps are other ones, in eval mode"])  # fmt: skip


def _sees(case: Case, place: int, axis: int, x: np.ndarray, changed: int, told: slice) -> bool:
    """Whether the output at some steps changes with the input at another one."""
    one, two, again = (_output(case, place, axis, x, step) for step in (None, changed, None))
    if one is None or two is None or again is None or not np.array_equal(one, again):
        return False
    where = (*(slice(None),) * axis, told)
    return not np.allclose(one[where], two[where], rtol=1e-4, atol=1e-6)


def _output(
    case: Case, place: int, axis: int, x: np.ndarray, step: int | None
) -> np.ndarray | None:
    """What a copy makes in eval mode, as (…, classes) over the input's first two dimensions; `step` of the input turned around."""

    def turned(copy: Copy) -> None:
        given = copy.inputs[place].detach().clone()
        if step is not None:
            where = (slice(None),) * axis + (step,)
            given[where] = given.min() + given.max() - given[where]
        copy.inputs = (*copy.inputs[:place], given, *copy.inputs[place + 1 :])

    made = answered(case, turned)
    return None if made is None else _by_step(numbers(made.out), x)


def _by_step(out: np.ndarray | None, x: np.ndarray) -> np.ndarray | None:
    """An output as (N, T, classes): it may come flat, or with the classes second."""
    n, t = x.shape[:2]
    if out is None or out.size % (n * t):
        return None
    if out.shape[:1] == (n,) and out.ndim == 3 and out.shape[1] != t and out.shape[2] == t:
        out = np.moveaxis(out, 1, 2)
    fits = out.shape[:2] == (n, t) or (out.shape[0] == n * t and out.ndim == 2)
    return out.reshape(n, t, -1) if fits else None


def _plain_loss(first: Pass, x: np.ndarray, y: np.ndarray) -> bool:
    """Whether the loss is the cross entropy of each position with its own target."""
    out, loss = _by_step(numbers(first.out), x), number(first.loss)
    if out is None or loss is None or out.shape[2] <= y.max():
        return False
    flat = out.reshape(-1, out.shape[2]).astype(np.float64)
    own = -log_softmax(flat)[np.arange(len(flat)), y.reshape(-1)].mean()
    return abs(own - loss) < 1e-3 * (1 + abs(loss))


def padding_of(x: np.ndarray) -> tuple[int, np.ndarray | None]:
    """The index that sentences of different lengths are filled up with, and where; None where there is none."""
    if x.dtype.kind not in "iu" or x.ndim != 2 or not x.size:
        return 0, None
    pad = int(np.bincount(np.abs(x[:, -1])).argmax())
    tail = np.flip(np.logical_and.accumulate(np.flip(x == pad, 1), axis=1), 1)
    lengths = tail.sum(1)
    known = (lengths > 1).sum() > 1 and not (x == pad)[~tail].any() and not tail.all(1).any()
    return pad, tail if known else None


def _padded(case: Case, first: Pass, x: np.ndarray, y: np.ndarray) -> Iterator[Finding]:
    """Positions after the end of a sentence whose outputs move the loss."""
    out, loss = numbers(first.out), number(first.loss)
    pad, tail = padding_of(x)
    if tail is None or y.dtype.kind not in "iu" or out is None or loss is None:
        return
    after = tail & (y == y[tail][0])
    if after.mean() < _PADDED or (after != tail).any() or (y[tail] < 0).any():
        return
    steps = _by_step(out, x)
    if (
        steps is None
        or first.raw is not first.out
        or steps.shape[:2] + steps.shape[2:] != out.shape
    ):
        return
    moved = np.where(after[:, :, None], np.flip(steps, 2), steps)
    given = attempt(lambda: case.lib.tensor(moved.astype(out.dtype)))
    other = number(attempt(lambda: first.copy.loss_fn(given.value, first.copy.y)).value)
    if other is not None and abs(other - loss) > 1e-6 * (1 + abs(loss)):
        yield finding(
            "padding-in-loss", LIKELY,
            "The loss counts the padding: the model is also trained to say what comes after the end",
            [f"{after.mean():.0%} of the positions are {pad} up to the end of their row, and the sequences have none before",
             "with the outputs at these positions changed, the loss is another one"],
            f"nn.CrossEntropyLoss(ignore_index={int(y[tail][0])})")  # fmt: skip
