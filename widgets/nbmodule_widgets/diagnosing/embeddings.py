"""Tables of embeddings: padding that has a meaning, or stands elsewhere, and a head that was to share their weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.passes import Call, Pass, has_say, numbers, path_of
from nbmodule_widgets.diagnosing.records import LIKELY, Finding, finding
from nbmodule_widgets.diagnosing.sequences import padding_of
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import class_name, drawer, own_dict, read

_LEAST = 32  # numbers of a matrix that are not alike by chance
_ALIKE = 0.95
_MOST = 16  # layers of which any two are compared


def embeddings(case: Case, first: Pass) -> Iterator[Finding]:
    """What is wrong with the tables that a pass looked into."""
    yield from _filled(case)
    yield from _elsewhere(first)
    yield from _copied(case, first)


def _weight(module: Any) -> np.ndarray | None:
    weight = dict(drawer(module, "_parameters").entries).get("weight")
    learns = is_tensor(weight) and read(weight, "requires_grad").value is True
    return numbers(weight) if learns else None


def _filled(case: Case) -> Iterator[Finding]:
    """A row that stands for nothing, has numbers, and can't learn."""
    for path, module in case.modules.items():
        row = own_dict(module).get("padding_idx")
        values = _weight(module) if type(row) is int else None
        if values is None or not values[row].any():
            continue

        def emptied(copy: Copy, path: str = path, row: Any = row) -> None:
            copy.at(path).weight.data[row].zero_()

        if has_say(case, emptied):
            yield finding(
                "padding-row", LIKELY,
                f"The padding of `{path_of(path)}` has a meaning: its row {row} was filled with numbers after the layer had set it to 0, "
                "and `padding_idx` keeps it from learning",
                [f"row {row} of the weight has values up to {decimal(float(np.abs(values[row]).max()))}", "with that row set to 0 the output is another one"])  # fmt: skip
            return


def _elsewhere(first: Pass) -> Iterator[Finding]:
    """Sentences that end in one number, and a `padding_idx` that is another."""
    for call in first.calls:
        row = own_dict(call.module).get("padding_idx")
        x = (
            numbers(call.given[0])
            if call.given and class_name(call.module) == "Embedding"
            else None
        )
        if type(row) is not int or x is None or x.ndim != 2:
            continue
        pad, tail = padding_of(x)
        if tail is not None and pad != row and not (x[:, [0, -1]] == row).any():
            yield finding(
                "padding-index", LIKELY,
                f"The sentences are filled up with {pad}, and `padding_idx` of `{path_of(call.path)}` is {row}: the padding is learned like a "
                "word, and the word of that row is not",
                [f"{tail.mean():.0%} of the indices are {pad} up to the end of their row, and none is before",
                 f"`padding_idx` is {row}, which stands {int((x == row).sum())} times in this batch, never at an end"],
                f"nn.Embedding(words, features, padding_idx={pad})")  # fmt: skip
            return


def _copied(case: Case, first: Pass) -> Iterator[Finding]:
    """Two weights that learn on their own, and began as one: a tie that was copied."""
    calls = {c.path: c for c in first.calls}
    tables = [c for c in calls.values() if class_name(c.module) == "Embedding"]
    heads = [c for c in calls.values() if class_name(c.module) == "Linear"]
    pairs = [(a, b, False) for a in tables[:_MOST] for b in heads[-_MOST:]]
    if len(heads) <= _MOST:
        pairs += [(a, b, True) for n, a in enumerate(heads) for b in heads[n + 1 :]]
    for one, two, turned in pairs:
        how = _alike(one, two, turned)
        if how:
            yield finding(
                "tie-copied", LIKELY,
                f"`{path_of(two.path)}` has a copy of the weight of `{path_of(one.path)}`{' (transposed)' if turned else ''}, not the weight "
                "itself: each learns on its own, so they drift apart",
                [how, "they are two parameters, in two places of the memory"],
                f"self.{visible(two.path, 60)}.weight = self.{visible(one.path, 60)}.weight"
                + ("  # or F.linear(x, weight.T)" if turned else "  # the Parameter itself, no clone"))  # fmt: skip
            return


def _alike(one: Call, two: Call, turned: bool) -> str:
    """What shows that two weights began as one; empty if nothing does."""
    a, b = _weight(one.module), _weight(two.module)
    if a is None or b is None:
        return ""
    a = a.T if turned else a
    if a.shape != b.shape or a.size < _LEAST or len(np.unique(a)) < a.size / 2:
        return ""
    places = [read(read(c.module, "weight").value, "data_ptr").value for c in (one, two)]
    if read(one.module, "weight").value is read(two.module, "weight").value:
        return ""
    if all(map(callable, places)) and places[0]() == places[1]():
        return ""
    if np.array_equal(a, b):
        return f"all {a.size} numbers are equal"
    close = float(np.corrcoef(a.ravel(), b.ravel())[0, 1])
    return f"their {a.size} numbers have a correlation of {close:.3f}" if close > _ALIKE else ""
