"""What enters the loss: shapes, probabilities for logits, targets that the output can't reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Pass, finite, kind_of, number, numbers, path_of
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.words import decimal
from nbmodule_widgets.protocol import attempt, class_name, read

_CLOSE = 1e-4


def losses(case: Case, first: Pass) -> Iterator[Finding]:
    """What is wrong between the output and the loss."""
    out, y, loss = numbers(first.out), numbers(case.y), number(first.loss)
    if out is None or y is None or out.size == 0 or not finite(out):
        return
    yield from _shapes(case, first, out, y, loss)
    yield from _scrambled(out, y, loss)
    if loss is None or not np.isfinite(loss):
        yield from _ignored(case.loss_fn, out, y)
        if class_name(case.loss_fn) == "KLDivLoss" and y.shape == out.shape and (y < 0).any():
            yield finding(
                "kl-log-target", CERTAIN, "`KLDivLoss` takes the logarithm of its targets, and they are logarithms already: that of a negative number is NaN",
                [f"the targets lie between {decimal(float(y.min()))} and {decimal(float(y.max()))}"])  # fmt: skip
        return
    kind = which(case.loss_fn, out, y, loss)
    yield from _targets(case.loss_fn, kind, out, y, loss)
    yield from _dropped(first, kind)
    if kind == "cross entropy":
        yield from _cross_entropy(first, out, y, loss)
    elif kind == "BCE with logits":
        yield from _binary(first, out)
    elif kind == "NLL":
        yield from _likelihood(out, loss)
    elif kind == "KL divergence":
        yield from _divergence(out, y)
    elif kind in ("MSE", "L1"):
        yield from _reach(first, out, y)


def which(loss_fn: Any, out: np.ndarray, y: np.ndarray, loss: float) -> str:
    """Which loss it is, going by its value; empty if it is none of the known ones.

    Args:
        loss_fn: The function; its name only decides between losses of equal value.
        out: The output.
        y: The targets.
        loss: What the function returned.
    """
    name = class_name(loss_fn)
    named = {
        "CrossEntropyLoss": "cross entropy", "NLLLoss": "NLL", "BCEWithLogitsLoss": "BCE with logits",
        "KLDivLoss": "KL divergence", "MSELoss": "MSE", "L1Loss": "L1",
    }.get(name)  # fmt: skip
    if named:
        return named
    with np.errstate(all="ignore"):
        for kind, value in _values(out.astype(np.float64), y):
            close = abs(value - loss) <= _CLOSE * (1 + abs(loss))
            summed = loss_fn is not None and abs(value * len(out) - loss) <= _CLOSE * (
                1 + abs(loss)
            )
            if close or summed:
                return kind
    return ""


def _values(out: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, float]]:
    """What each of the known losses would be."""
    classes = out.shape[1] if out.ndim > 1 else 0
    indices = y.dtype.kind in "iu" and classes and y.shape == (len(out), *out.shape[2:])
    if indices and y.size and y.min() >= 0 and y.max() < classes:
        at = np.expand_dims(y, 1)
        yield "cross entropy", float(-np.take_along_axis(log_softmax(out), at, 1).mean())
        yield "NLL", float(-np.take_along_axis(out, at, 1).mean())
    if y.dtype.kind == "f" and y.shape == out.shape:
        if classes > 1:
            yield "cross entropy", float(-(y * log_softmax(out)).sum(1).mean())
        yield "BCE with logits", float((np.logaddexp(0, out) - out * y).mean())
        yield "MSE", float(((out - y) ** 2).mean())
        yield "L1", float(np.abs(out - y).mean())
        terms = np.where(y > 0, y * (np.log(np.where(y > 0, y, 1)) - out), 0)
        yield "KL divergence", float(terms.mean())


def log_softmax(out: np.ndarray) -> np.ndarray:
    """Over the classes, which are the second dimension."""
    shifted = out - out.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def _ignored(loss_fn: Any, out: np.ndarray, y: np.ndarray) -> Iterator[Finding]:
    """A batch without a single target that counts."""
    ignored = read(loss_fn, "ignore_index").value
    ignored = -100 if type(ignored) is not int else ignored
    if y.dtype.kind in "iu" and y.size and y.ndim == out.ndim - 1 and (y == ignored).all():
        yield finding(
            "all-targets-ignored", CERTAIN, "Every target of this batch is `ignore_index`, so the loss is the mean of nothing: NaN",
            [f"all {y.size} targets are {ignored}"])  # fmt: skip


def _targets(
    loss_fn: Any, kind: str, out: np.ndarray, y: np.ndarray, loss: float
) -> Iterator[Finding]:
    """Targets that the loss has no use for, and a loss with the wrong sign."""
    classes = out.shape[1] if out.ndim > 1 else 0
    binary = kind == "BCE with logits" or class_name(loss_fn) == "BCELoss"
    if binary and y.size and (y.min() < 0 or y.max() > 1):
        yield finding(
            "target-out-of-range", CERTAIN,
            "Binary cross entropy needs targets between 0 and 1; with others it has no bottom, and can become negative",
            [f"the targets lie between {decimal(float(y.min()))} and {decimal(float(y.max()))}", f"the loss is {decimal(loss)}"])  # fmt: skip
    name = class_name(loss_fn)
    together = name == "BCELoss" and y.shape == out.shape and is_distribution(out, 1)
    if together and y.sum(1).max() > 1.05:
        yield finding(
            "target-out-of-reach", CERTAIN,
            "The model can't reach its targets: a softmax makes its outputs sum to 1, and several labels of a sample are 1 at once",
            [f"every row of the output sums to 1, and a row of the targets to up to {decimal(float(y.sum(1).max()))}"],
            "# a sigmoid in place of the softmax; or none, and nn.BCEWithLogitsLoss()")  # fmt: skip
    if (
        name in ("SoftMarginLoss", "HingeEmbeddingLoss", "MarginRankingLoss")
        and y.size
        and set(np.unique(y)) <= {0, 1}
        and (y == 0).any()
    ):
        yield finding(
            "margin-targets", CERTAIN, f"`{name}` needs targets of -1 and 1, and gets 0 and 1",
            [f"{(y == 0).mean():.0%} of the targets are 0"])  # fmt: skip
    soft = kind == "cross entropy" and y.dtype.kind == "f" and y.shape == out.shape and classes > 1
    if soft and np.abs(y.sum(1) - 1).max() > 0.05 and set(np.unique(y)) <= {0, 1}:
        yield finding(
            "targets-no-distribution", LIKELY,
            "Cross entropy takes these targets for the probabilities of one class each, and they mark several at once (or none)",
            [f"a row of the targets sums to up to {decimal(float(y.sum(1).max()))} and down to {decimal(float(y.sum(1).min()))}"])  # fmt: skip
    if not kind and loss < 0:
        other = which(None, out, y, -loss)
        if other in ("cross entropy", "BCE with logits", "MSE"):
            yield finding(
                "loss-negated", CERTAIN,
                f"The loss has the wrong sign: it is minus the {other}, so to make it smaller is to get worse",
                [f"the loss is {decimal(loss)}, and the {other} of this batch {decimal(-loss)}"])  # fmt: skip


def _shapes(
    case: Case, first: Pass, out: np.ndarray, y: np.ndarray, loss: float | None
) -> Iterator[Finding]:
    """A broadcast that nobody wanted."""
    if out.shape == y.shape or out.size != y.size or out.size < 2 or loss is None:
        return
    together = attempt(np.broadcast_shapes, out.shape, y.shape).value
    if together is None or int(np.prod(together)) <= out.size:
        return
    said = attempt(lambda: first.copy.loss_fn(first.out, case.y.reshape(first.out.shape)))
    meant = number(said.value)
    with np.errstate(all="ignore"):
        if meant is None or abs(meant - loss) <= 1e-9 * (1 + abs(loss)):
            return

    stretched = (1,) * (len(together) - out.ndim) + out.shape
    axis = next(n for n, size in enumerate(stretched) if size < together[n])
    axis -= len(together) - y.ndim  # along it every target meets the same output
    turned = [slice(None)] * axis + [[*range(1, y.shape[axis]), 0]]
    other = number(attempt(lambda: first.copy.loss_fn(first.out, case.y[tuple(turned)])).value)
    if other is None or abs(other - loss) > 1e-5 * abs(loss):
        return  # the loss function itself puts each target beside its own output
    yield finding(
        "broadcast-loss", CERTAIN,
        f"The loss compares every output with every target: the output has shape {list(out.shape)} and the target {list(y.shape)}, "
        f"so their difference is a table of {' x '.join(map(str, together))}. The best that it can learn is the mean of the targets",
        [f"a loss of {together[0]} times {together[-1]} differences: {loss:.6g}; with the target in the output's shape, of {out.size}: {meant:.6g}",
         "with the targets in another order the loss is the same: which of them belongs to which output has no influence"])  # fmt: skip


def _scrambled(out: np.ndarray, y: np.ndarray, loss: float | None) -> Iterator[Finding]:
    """Classes that a reshape has torn apart on their way into cross entropy."""
    if y.dtype.kind not in "iu" or out.ndim < 3 or loss is None or y.size < 2 or y.min() < 0:
        return
    second, last = y.shape == (len(out), *out.shape[2:]), y.shape == out.shape[:-1]
    classes = out.shape[1 if second else -1]
    if second == last or y.max() >= classes or classes < 2:
        return
    torn = out if second else out.reshape(len(out), classes, -1)
    torn = out.reshape(-1, classes) if second else np.moveaxis(torn, 1, 2).reshape(-1, classes)
    right = np.moveaxis(out, 1, -1).reshape(-1, classes) if second else out.reshape(-1, classes)
    meant, got = (
        float(-log_softmax(o.astype(np.float64))[np.arange(y.size), y.reshape(-1)].mean())
        for o in (right, torn)
    )
    if abs(got - loss) <= _CLOSE * (1 + abs(loss)) < 0.1 * _CLOSE + abs(meant - loss):
        where = "second" if second else "last"
        yield finding(
            "class-dimension", CERTAIN,
            f"The classes are in the {where} dimension of the output, and a reshape tears them apart: it only cuts the same row of numbers "
            "elsewhere, so the scores of one position end up at others",
            [f"the output has shape {list(out.shape)}, the target {list(y.shape)}",
             f"the loss is {loss:.6g}, as with such a reshape; with the classes moved it is {meant:.6g}"],
            f"loss_fn(out.movedim(1, -1).reshape(-1, {classes}), y.reshape(-1))" if second else "")  # fmt: skip


def _dropped(first: Pass, kind: str) -> Iterator[Finding]:
    """Dropout after the last layer."""
    made = [c for c in first.calls if any(t is first.out for t in c.made)]
    if kind and made and kind_of(made[0].module, "Dropout") and made[0].training:
        p = number(read(made[0].module, "p").value) or 0.0
        if 0 < p < 1:
            yield finding(
                "dropout-on-output", LIKELY,
                f"Dropout comes after the last layer: what the loss ({kind}) compares with the targets is 0 in {p:.0%} of its places, by chance",
                [f"the output is what `{path_of(made[0].path)}` returned; its `p` is {p:g}"])  # fmt: skip


def _cross_entropy(first: Pass, out: np.ndarray, y: np.ndarray, loss: float) -> Iterator[Finding]:
    if out.ndim < 2:
        return
    classes = out.shape[1]
    if classes == 1:
        yield finding(
            "one-class", CERTAIN,
            "Cross entropy over one class is always 0: the model has a single output, and a softmax of one number is 1",
            [f"the output has shape {list(out.shape)}, and the loss is {decimal(loss)}"])  # fmt: skip
        return
    last = [c for c in first.calls if any(t is first.out for t in c.made)]
    square = out.ndim == 3 and out.shape[1] == out.shape[2] and y.shape == out.shape[:2]
    if square and y.dtype.kind in "iu" and last and class_name(last[0].module) == "Linear":
        yield finding(
            "class-dimension", LIKELY,
            f"The classes are in the last dimension of the output, and cross entropy takes the second one for them: it fits only because both are {classes}",
            [f"the output has shape {list(out.shape)}, the target {list(y.shape)}", f"`{path_of(last[0].path)}`, a Linear, returned it, and its features come last"])  # fmt: skip
    if is_distribution(out, 1):
        least = np.log(np.e + classes - 1) - 1
        meant = float("nan")
        with np.errstate(all="ignore"):
            logits = np.log(np.maximum(out.astype(np.float64), 1e-12))
            meant = next((v for k, v in _values(logits, y) if k == "cross entropy"), meant)
        yield finding(
            "double-softmax", CERTAIN,
            "Softmax is applied twice: the model returns probabilities, and cross entropy takes them for logits and applies "
            "(log-)softmax once more",
            [f"every row of the output lies in [0, 1] and sums to 1 (made by {_made_by(first)})",
             f"so the loss can't fall below log(e + {classes} - 1) - 1 = {least:.3f}; it is {decimal(loss)}",
             f"with the probabilities' logarithms as logits it is {decimal(meant)}"])  # fmt: skip
    elif out.shape[0] > 1 and is_distribution(out, 0):
        yield finding(
            "softmax-wrong-dim", CERTAIN,
            "Softmax runs over the batch instead of the classes (`dim=0`): the samples compete with each other",
            ["every column of the output sums to 1, and the rows don't"])  # fmt: skip
    elif "Relu" in _made_by(first) and (out == 0).any():
        yield finding(
            "activation-on-logits", LIKELY,
            "A ReLU stands between the last layer and cross entropy: every negative logit becomes 0 and gets no gradient",
            [f"the output was made by {_made_by(first)}; {(out == 0).mean():.0%} of it is exactly 0"])  # fmt: skip
    elif "Sigmoid" in _made_by(first) or "Tanh" in _made_by(first):
        yield finding(
            "activation-on-logits", CERTAIN,
            f"The logits are squeezed before cross entropy sees them: the model ends with {_made_by(first)}, so it can never be sure",
            [f"the output lies between {decimal(float(out.min()))} and {decimal(float(out.max()))}, made by {_made_by(first)}"])  # fmt: skip


def _binary(first: Pass, out: np.ndarray) -> Iterator[Finding]:
    made = _made_by(first)
    if not (out >= 0).all():
        return
    if "Sigmoid" in made or "Softmax" in made:
        yield finding(
            "sigmoid-twice", CERTAIN,
            "Sigmoid is applied twice: the model returns probabilities, and `BCEWithLogitsLoss` applies sigmoid once more",
            [f"the output lies in [0, 1], made by {made}",
             "sigmoid of a number in [0, 1] lies between 0.5 and 0.731: it can never say no"])  # fmt: skip
    elif "Relu" in made:
        yield finding(
            "activation-on-logits", CERTAIN,
            "A ReLU stands before `BCEWithLogitsLoss`: its logits are never negative, so no probability is below one half",
            [f"the output was made by {made}; its least value is {decimal(float(out.min()))}"])  # fmt: skip


def _likelihood(out: np.ndarray, loss: float) -> Iterator[Finding]:
    if out.ndim < 2:
        return
    total = np.exp(np.minimum(out.astype(np.float64), 50)).sum(1)
    if np.abs(total - 1).max() < 1e-2:
        return
    if out.shape[0] > 1 and is_distribution(np.exp(np.minimum(out, 1)), 0):
        yield finding(
            "softmax-wrong-dim", CERTAIN,
            "Log-softmax runs over the batch instead of the classes (`dim=0`): the samples compete with each other",
            ["the exponentials of every column sum to 1, and those of the rows don't"])  # fmt: skip
        return
    what = "probabilities" if is_distribution(out, 1) else "raw scores"
    yield finding(
        "nll-without-log-softmax", CERTAIN,
        f"`NLLLoss` needs log-probabilities and gets {what}: it just takes the output at the target's place, so the loss has no bottom",
        [f"the exponentials of a row sum to {decimal(float(total.reshape(-1)[0]))} instead of 1", f"the loss is {decimal(loss)}"])  # fmt: skip


def _divergence(out: np.ndarray, y: np.ndarray) -> Iterator[Finding]:
    if (out > 1e-6).any() or (out.ndim > 1 and is_distribution(out, 1)):
        yield finding(
            "kl-on-probabilities", CERTAIN,
            "`KLDivLoss` needs log-probabilities as its input and gets something else",
            [f"the output has values up to {decimal(float(out.max()))}; a logarithm of a probability is never above 0"])  # fmt: skip


def _reach(first: Pass, out: np.ndarray, y: np.ndarray) -> Iterator[Finding]:
    made, least, most = _made_by(first), -np.inf, np.inf
    for word, low, high in (
        ("Sigmoid", 0, 1), ("Tanh", -1, 1), ("Relu", 0, np.inf), ("Softmax", 0, 1), ("Softplus", 0, np.inf)
    ):  # fmt: skip
        if made.startswith(word):
            least, most = low, high
    slack = 0.02 * (1 if most == np.inf else most - least)
    beyond = (y < least - slack) | (y > most + slack)
    if y.shape == out.shape and y.size and beyond.mean() > 0.05:
        yield finding(
            "target-out-of-reach", CERTAIN,
            f"The model can't reach its targets: it ends with {made}, whose values lie in [{least:g}, {most:g}], and the targets lie "
            f"between {decimal(float(y.min()))} and {decimal(float(y.max()))}",
            [f"{beyond.mean():.0%} of the targets are out of its reach"])  # fmt: skip


def is_distribution(out: np.ndarray, axis: int) -> bool:
    """Whether the values lie in [0, 1] and sum to 1 along an axis."""
    if out.ndim <= axis or out.shape[axis] < 2 or out.dtype.kind != "f":
        return False
    inside = out.min() >= 0 and out.max() <= 1
    return bool(inside and np.abs(out.astype(np.float64).sum(axis) - 1).max() < 1e-3)


def _made_by(first: Pass) -> str:
    return (
        class_name(read(first.out, "grad_fn").value)
        .replace("Backward0", "")
        .replace("Backward", "")
    )
