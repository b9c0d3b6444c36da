"""Many dictionaries as they were, compared all at once: of ten thousand hardly one is another after a pass."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import is_
from typing import Any

_flat = chain.from_iterable


class Dictionaries:
    """The keys and the values of dictionaries at one moment, in their order. Nothing of the reader's runs to compare them."""

    def __init__(self) -> None:
        self._items: list[dict[Any, Any]] = []
        self._keys: list[tuple[Any, ...]] = []
        self._values: list[tuple[Any, ...]] = []

    def keep(self, item: dict[Any, Any], values: tuple[Any, ...]) -> None:
        """Remembers one.

        Args:
            item: A dictionary of Python's own, not of a class that inherits from it.
            values: What is in it.
        """
        self._items.append(item)
        self._keys.append(tuple(item))
        self._values.append(values)

    def keep_all(self, items: Iterable[dict[Any, Any]]) -> None:
        """Remembers several."""
        before = len(self._items)
        self._items += items
        added = self._items[before:]
        self._keys += map(tuple, added)
        self._values += map(tuple, map(dict.values, added))

    def put_back(self) -> None:
        """Gives each that changed its contents back."""
        items, keys, values = self._items, self._keys, self._values
        if (
            list(map(len, items)) == list(map(len, keys))
            and all(map(is_, _flat(items), _flat(keys)))
            and all(map(is_, _flat(map(dict.values, items)), _flat(values)))
        ):
            return
        for item, names, held in zip(items, keys, values, strict=True):
            if len(item) != len(names) or not (
                all(map(is_, item, names)) and all(map(is_, item.values(), held))
            ):
                item.clear()
                item.update(zip(names, held, strict=True))
