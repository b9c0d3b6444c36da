"""The state that is to be loaded: its keys, what lies under them, and what it looks like as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.tensors import TensorReader, key_text
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.ledger_places import tensors_of
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_attribute,
    class_name,
    has_drawers,
    is_tensor_like,
    own_dict,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the state.

    Attributes:
        key: Its key after renaming.
        original: Its own key.
        value: The object.
        facts: What it is; None if it is no tensor.
    """

    key: str
    original: str
    value: object
    facts: TensorFacts | None


@dataclass(frozen=True, slots=True)
class Given:
    """The state.

    Attributes:
        by_key: Its entries by their keys after renaming, in order.
        versions: What it noted on each Module, by path; None if it has no such notes.
        hints: What was noticed about it.
        notes: What could not be read.
    """

    by_key: dict[str, Item]
    versions: dict[str, Any] | None
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def version(self, path: str) -> object:
        """The version that the state noted for a Module, or None."""
        noted: Any = (self.versions or {}).get(path)
        return dict.get(noted, "version") if issubclass(type(noted), dict) else None


def state_of(state: object) -> Any:
    """The dictionary itself; of a Module what its `state_dict()` says, or would say if it had one already.

    Raises:
        TypeError: If it is neither.
    """
    if has_drawers(state):
        if class_attribute(state, "state_dict") is None:
            found, _ = tensors_of(state)
            kept = (f for f in found if f.kind in ("parameter", "buffer") and f.saved)
            return {f.path: f.tensor for f in kept if f.tensor is not None}
        said = attempt(lambda: state.state_dict())  # type: ignore[attr-defined]
        if said.problem:
            raise TypeError(
                f"match_keys() could not read the state of {visible(class_name(state), 60)}: {visible(said.problem)}"
            )
        state = said.value
    if not attempt(issubclass, type(state), Mapping).value:
        given = article(visible(class_name(state), 60))
        advice = (
            "; load the file first"
            if issubclass(type(state), str) or hasattr(type(state), "__fspath__")
            else ""
        )
        raise TypeError(
            f"match_keys() needs a state_dict (a dictionary of tensors) or a Module; got {given}{advice}"
        )
    return state


def items_of(state: Any) -> list[tuple[Any, Any]]:
    """The entries of a state, past what a class of its own makes of `items()`."""
    return list(dict.items(state) if issubclass(type(state), dict) else state.items())


def given_of(whole: object, renames: dict[str, str]) -> Given:
    """Reads a state.

    Args:
        whole: A dictionary of tensors, or a Module.
        renames: The state's own keys -> the keys under which they are to be read.

    Raises:
        TypeError: If it is neither.
    """
    state = state_of(whole)
    said = attempt(items_of, state)
    reader = TensorReader()
    by_key: dict[str, Item] = {}
    for key, value in said.value or ():
        own = key_text(key)
        new = renames.get(own, own)
        facts = reader.entry(own, "buffer", value, True) if is_tensor_like(value) else None
        by_key[new] = Item(new, own, value, facts)
    noted: Any = own_dict(state).get("_metadata")
    notes = (f"The state could not be read: {visible(said.problem, 200)}",) if said.problem else ()
    versions = (
        {key_text(k): v for k, v in dict.items(noted)} if issubclass(type(noted), dict) else None
    )
    return Given(by_key, versions, tuple(_nested(by_key)), notes)


def _nested(by_key: dict[str, Item]) -> list[str]:
    """Dictionaries in the state that look like the state that was meant."""
    found = []
    for key, item in by_key.items():
        if issubclass(type(item.value), dict):
            values = list(dict.values(item.value))  # type: ignore[arg-type]
            tensors = sum(is_tensor_like(value) for value in values[:1000])
            if tensors and tensors * 2 > len(values[:1000]):
                found.append(
                    f"This looks like a whole checkpoint: `{visible(key, 60)}` is a dictionary of {len(values):,} "
                    "entries, most of them tensors. Pass that one."
                )
    return found
