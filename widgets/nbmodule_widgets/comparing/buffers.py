"""Buffers that an experiment may change: copies stand in their places while it runs."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.comparing.reading import copied, distance, look
from nbmodule_widgets.comparing.switching import gradients
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.protocol import attempt, own_dict


def by_module(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The last parts of some names of buffers, by the path of the Module."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        path, _, last = name.rpartition(".")
        found[path] = (*found.get(path, ()), last)
    return found


class Buffers:
    """The buffers of a model, which every experiment finds as they were at the beginning.

    The model's own tensors are never written to; `put_back` lets them in again.

    Args:
        places: The Modules.
    """

    def __init__(self, places: list[Place]) -> None:
        self._kept: list[tuple[int, str, dict[Any, Any], dict[Any, Any]]] = []
        self._scripted: dict[str, Any] = {}
        for place in places:
            if is_scripted(place.module):  # no other tensor can stand in the place of these
                at = f"{place.path}." if place.path else ""
                named = attempt(lambda place=place: dict(place.module.named_buffers())).value or {}
                self._scripted |= {at + name: tensor for name, tensor in named.items()}
                continue
            drawer: Any = own_dict(place.module).get("_buffers")
            if issubclass(type(drawer), dict):
                entries = dict(dict.items(drawer))
                if any(value is not None for value in entries.values()):
                    self._kept.append((place.index, place.path, drawer, entries))
        self._start = {name: copied(tensor) for name, tensor in self._scripted.items()}
        self._left: tuple[list[dict[Any, Any]], dict[str, Any]] = [], {}

    def renew(self, first: int = 0, end: int | None = None) -> None:
        """Puts fresh copies of the original values in place.

        Args:
            first: Number of the first Module to do it for.
            end: Number of the first that is left alone; all others if not given.
        """
        copies: dict[int, Any] = {}  # what is shared stays shared
        for index, _, drawer, entries in self._kept:
            if index < first or (end is not None and index >= end):
                continue
            for key, value in entries.items():
                if id(value) not in copies:
                    copies[id(value)] = copied(value)
                dict.__setitem__(drawer, key, copies[id(value)])
        self._write(self._start)

    def _write(self, values: dict[str, Any]) -> None:
        """Lets the buffers that cannot be replaced hold these values; whoever preserves the model puts them back."""
        with gradients(False):
            for name, value in values.items():
                attempt(self._scripted[name].copy_, value)

    def leave(self) -> None:
        """Remembers the values that there are now."""
        own = [
            {key: dict.get(drawer, key) for key in entries} for _, _, drawer, entries in self._kept
        ]
        self._left = own, {name: copied(tensor) for name, tensor in self._scripted.items()}

    def go_on(self) -> None:
        """Puts copies of the values in place that there were at the last `leave`."""
        copies: dict[int, Any] = {}
        for (_, _, drawer, _), values in zip(self._kept, self._left[0], strict=False):
            for key, value in values.items():
                if id(value) not in copies:
                    copies[id(value)] = copied(value)
                dict.__setitem__(drawer, key, copies[id(value)])
        self._write(self._left[1])

    def put_back(self) -> None:
        """Lets the model's own tensors in again."""
        for _, _, drawer, entries in self._kept:
            for key, value in entries.items():
                dict.__setitem__(drawer, key, value)

    def seen(self) -> dict[str, Any]:
        """The values that there are now, by name."""
        own = {
            f"{path}.{key_text(key)}" if path else key_text(key): look(dict.get(drawer, key))
            for _, path, drawer, entries in self._kept
            for key in entries
        }
        return own | {name: look(tensor) for name, tensor in self._scripted.items()}

    @staticmethod
    def moved(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
        """The names of those that changed between two calls of `seen`."""
        return tuple(
            name for name, value in before.items() if not distance(value, after[name]).equal
        )
