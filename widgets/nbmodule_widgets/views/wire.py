"""A model's facts as they travel to the page: a few columns of numbers and tables of texts.

Ten thousand modules are some thirty thousand rows. Most of them are alike, so what a module consists of
is sent once, as a *pattern*, and each module is a name, a pattern, a depth and two counts.
"""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts import ModuleFacts, NodeFacts, TensorFacts
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.words import count, size, visible
from nbmodule_widgets.text import place, totals_text
from nbmodule_widgets.views.live import column


class _Table:
    """Gives equal things the same number."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.items: list[Any] = []

    def number(self, key: Any, item: Any = None) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.items)
            self.items.append(key if item is None else item)
        return found


def pack(model: ModuleFacts, version: int) -> dict[str, Any]:
    """The facts as one trait.

    Args:
        model: What `facts` returned.
        version: A number that the page gives back with each selection, so that Python knows which tree
            was meant.
    """
    names, counts, patterns = _Table(), _Table(), _Table()
    numbers: dict[str, list[int]] = {"name": [], "pattern": [], "depth": [], "count": []}
    for node in model.nodes:
        numbers["name"].append(names.number(visible(node.name, 120)))
        key = (
            node.class_name, node.extra, node.training, node.twin, node.tensors, node.notes, node.hooks
        )  # fmt: skip
        known = patterns.numbers.get(key)
        numbers["pattern"].append(
            patterns.number(key, _pattern(model, node)) if known is None else known
        )
        numbers["depth"].append(node.depth)
        numbers["count"].append(counts.number(node.numel))
    return {
        "version": version,
        "names": names.items,
        "patterns": patterns.items,
        "counts": counts.items,
        "columns": {name: column(values) for name, values in numbers.items()},
        "totals": _totals(model),
        "summary": totals_text(model.totals),
    }


def _pattern(model: ModuleFacts, node: NodeFacts) -> dict[str, Any]:
    """Everything about a module but its name, its place and its counts."""
    hooks = sum(number for _, number in node.hooks)
    pattern: dict[str, Any] = {"class": visible(node.class_name, 80), "extra": node.extra}
    pattern["training"] = node.training
    if node.twin >= 0:
        kind = "cycle back to" if node.cycle else "same object as"
        pattern["twin"] = [node.twin, f"{kind} {place(model, node.twin)}"]
    if hooks:
        pattern["hooks"] = count(hooks, "hook")
    pattern["tensors"] = [_tensor(model, tensor) for tensor in node.tensors]
    pattern["notes"] = [{"kind": note.kind, "text": note.text} for note in node.notes]
    return pattern


def _tensor(model: ModuleFacts, tensor: TensorFacts) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": visible(tensor.name, 120),
        "kind": tensor.kind,
        "words": tensor_words(tensor).removesuffix(", frozen"),
        "count": tensor.numel,
        "state": _state(tensor),
    }
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
    return lines
