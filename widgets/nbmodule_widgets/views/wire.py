"""A model's facts as they travel to the page: a few columns of numbers and tables of texts.

Ten thousand modules are some thirty thousand rows. Most of them are alike, so what a module consists of
is sent once, as a *pattern*, and each module is a name, a pattern, a depth, a count and a size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmodule_widgets.facts import ModuleFacts, TensorFacts
from nbmodule_widgets.facts.folding import alike, repeats
from nbmodule_widgets.facts.model import Nodes
from nbmodule_widgets.facts.patterns import Pattern
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.standing import moved_words, standing
from nbmodule_widgets.facts.words import count, size, visible
from nbmodule_widgets.text import place, totals_text
from nbmodule_widgets.views.columns import column

_FEWEST, _MOST_ROWS = 3, 18  # a row is saved by folding two, and the page shows 18 at once


def pack(model: ModuleFacts, version: int) -> dict[str, Any]:
    """The facts as one trait.

    Args:
        model: What `facts` returned.
        version: A number that the page gives back with each selection, so that Python knows which tree
            was meant.
    """
    nodes = model.nodes
    names = dict.fromkeys(nodes.names)
    numbered = dict(zip(names, range(len(names)), strict=True))
    counts, count_of = _table(nodes.numel, int)
    sizes, size_of = _table(nodes.nbytes, lambda number: size(int(number)))
    repeated = _repeated(nodes)
    return {
        "version": version,
        "names": [visible(name, 120) for name in names],
        "patterns": [_pattern(model, pattern) for pattern in nodes.patterns],
        "counts": counts,
        "sizes": sizes,
        "columns": {
            "name": column(np.fromiter(map(numbered.__getitem__, nodes.names), np.uint32)),
            "pattern": column(nodes.pattern),
            "depth": column(np.array(nodes.depth)),
            "count": column(count_of),
            "bytes": column(size_of),
        },
        "repeated": {"first": column(list(repeated)), "times": column(list(repeated.values()))},
        "totals": _totals(model),
        "summary": totals_text(model.totals),
    }


def _repeated(nodes: Nodes) -> dict[int, int]:
    """The neighbours that differ in their number alone and fill more than a screen: the first one, and how many they are."""
    groups = repeats(nodes, alike(nodes))
    each = {first: nodes.row[group[1]] - nodes.row[first] for first, group in groups.items()}
    return {
        first: len(group)
        for first, group in groups.items()
        if len(group) >= _FEWEST and len(group) * each[first] > _MOST_ROWS
    }


def _table(values: np.ndarray, entry: Callable[[Any], Any]) -> tuple[list[Any], np.ndarray]:
    """The different values as a table, and for each place the number of its entry."""
    different, numbers = np.unique(values, return_inverse=True)
    return [entry(value) for value in different], numbers


def _pattern(model: ModuleFacts, pattern: Pattern) -> dict[str, Any]:
    """Everything about a module but its name, its place and its counts."""
    hooks = sum(number for _, number in pattern.hooks)
    packed: dict[str, Any] = {"class": visible(pattern.class_name, 80), "extra": pattern.extra}
    packed["training"] = pattern.training
    if pattern.twin >= 0:
        kind = "cycle back to" if pattern.cycle else "same object as"
        packed["twin"] = [pattern.twin, f"{kind} {place(model, pattern.twin)}"]
    if hooks:
        packed["hooks"] = count(hooks, "hook")
        packed["hookKinds"] = [list(pair) for pair in pattern.hook_kinds]
    if any(tensor.lazy for tensor in pattern.tensors):
        packed["lazy"] = True
    packed["tensors"] = [_tensor(model, tensor) for tensor in pattern.tensors]
    packed["notes"] = [{"kind": note.kind, "text": note.text} for note in pattern.notes]
    return packed


def _tensor(model: ModuleFacts, tensor: TensorFacts) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": visible(tensor.name, 120),
        "kind": tensor.kind,
        "words": tensor_words(tensor).removesuffix(", frozen"),
        "count": tensor.numel,
        "state": _state(tensor),
        "dtype": tensor.dtype,
        "device": tensor.device,
        "bytes": size(tensor.nbytes),
    }
    if not tensor.empty:
        rules = standing(tensor)
        learned = "learned" if rules.learned else "frozen" if tensor.frozen else "–"
        saved = "saved" if rules.remembered else "not saved"
        row["rules"] = [learned, saved, moved_words(tensor.dtype, rules.moved, rules.cast)]
    if tensor.lazy:
        row["lazy"] = True
    if tensor.twin >= 0:
        row["twin"] = [tensor.twin, f"same object as {place(model, tensor.twin)}"]
    return row


def _state(tensor: TensorFacts) -> str:
    """What stands in the column "state" of a tensor."""
    if tensor.empty:
        return "none"
    if tensor.kind == "buffer":
        return "saved" if tensor.persistent else "not saved"
    return "frozen" if tensor.requires_grad is False else "trainable"


def _totals(model: ModuleFacts) -> list[list[str]]:
    totals = model.totals
    lines = [
        ["modules", f"{totals.modules:,}"],
        ["parameters", f"{totals.parameters:,}"],
        ["trainable", f"{totals.trainable:,}"],
        ["frozen", f"{totals.frozen:,}"],
        ["memory", size(totals.nbytes)],
    ]
    if totals.buffers:
        lines.insert(4, ["in buffers", f"{totals.buffers:,}"])
    return [*lines, *([words, ""] for words in totals.beside)]
