"""The Modules of a model as the tracer needs them: object, place in the tree, path, class."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbmodule_widgets.facts.container_state import PLAIN
from nbmodule_widgets.facts.hidden import modules_in
from nbmodule_widgets.facts.model import ModuleFacts
from nbmodule_widgets.facts.words import joined, visible
from nbmodule_widgets.protocol import SLOTS, class_name, drawer, own_dict

_LONGEST = 4000  # characters of a path
_SLOTS = frozenset(SLOTS)
_PLAIN = frozenset(map(id, PLAIN))


class Subject(NamedTuple):
    """One Module.

    Attributes:
        module: The object.
        node: Index in the facts of the model; -1 for a Module that the tree does not reach.
        path: Its dotted path, or where it hides: `"layers[0]"`.
        class_name: Its class.
        parent: Number of the Module around it, or -1.
    """

    module: Any
    node: int
    path: str
    class_name: str
    parent: int = -1


def subjects_of(model: object, known: ModuleFacts) -> list[Subject]:
    """The Modules of a model, each once, in the order of the tree; then those that hide in plain attributes.

    Args:
        model: The model.
        known: What `facts` read from it.
    """
    nodes = known.nodes
    found: list[Subject] = []
    seen: set[int] = set()
    held: list[Any] = [None] * len(nodes)
    paths: list[str] = [""] * len(nodes)
    numbers = [-1] * len(nodes)
    held[0] = model
    for node in range(len(nodes)):
        module, pattern = held[node], nodes.of(node)
        if module is None or id(module) in seen:
            continue
        seen.add(id(module))
        numbers[node] = len(found)
        above = nodes.parent[node]
        parent = numbers[above] if above >= 0 else -1
        found.append(Subject(module, node, paths[node], visible(pattern.class_name, 60), parent))
        if nodes.end[node] == node + 1:  # nothing is below it
            continue
        entries = [child for _, child in drawer(module, "_modules").entries if child is not None]
        for child, entry in zip(nodes.below(node), entries, strict=False):
            held[child] = entry
            paths[child] = _joined(paths[node], nodes.names[child])
    for subject in found:
        _add_hidden(subject, found, seen)
    return found


def _joined(path: str, name: str) -> str:
    whole = joined(path, visible(name, 80))
    return whole if len(whole) <= _LONGEST else f"…{whole[-_LONGEST // 2 :]}"


def _add_hidden(subject: Subject, found: list[Subject], seen: set[int]) -> None:
    """Adds the Modules that lie in plain attributes of one, and those in them."""
    for name, value in list(dict.items(own_dict(subject.module))):
        if id(type(value)) in _PLAIN or name in _SLOTS:
            continue
        inside = modules_in(value)
        for number, module in enumerate(inside):
            if id(module) in seen:
                continue
            seen.add(id(module))
            place = _joined(subject.path, visible(name, 80))
            place = place if module is value else f"{place}[{number}]"
            hidden = Subject(module, -1, place, visible(class_name(module), 60))
            found.append(hidden)
            _add_below(hidden, found, seen)
            _add_hidden(hidden, found, seen)


def _add_below(top: Subject, found: list[Subject], seen: set[int]) -> None:
    pending = [top]
    while pending:
        at = pending.pop()
        for name, child in drawer(at.module, "_modules").entries:
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                path = _joined(at.path, visible(name, 80))
                below = Subject(child, -1, path, visible(class_name(child), 60))
                found.append(below)
                pending.append(below)
