"""Methods that `Sequential` and `ModuleList` share: children called "0", "1", ..., used as a list is."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, TypeVar

from ._as_it_was import as_it_was
from .module import Module

T = TypeVar("T", bound=Module)


def append(self: T, module: Module) -> T:
    """Add a module at the end, and return the container."""
    self.add_module(str(len(self._modules)), module)
    return self


def pop(self: Any, key: int | slice) -> Any:
    """Take out the child at `key` and return it."""
    found = self[key]
    del self[key]
    return found


def setitem(self: Any, idx: int, module: Module) -> None:
    """Put `module` in the place of the child at `idx`."""
    setattr(self, name_at(self, idx), module)


def delitem(self: Any, idx: int | slice) -> None:
    """Take out the child at `idx`, or all in a slice, and number the others anew."""
    names = list(self._modules)[idx] if isinstance(idx, slice) else [name_at(self, idx)]
    with as_it_was(self):
        for name in names:
            delattr(self, name)
        left = self._modules.values()
        self._modules = OrderedDict((str(i), module) for i, module in enumerate(left))


def length(self: Module) -> int:
    """Return how many children there are."""
    return len(self._modules)


def iterate(self: Module) -> Iterator[Any]:
    """Return an iterator over the children."""
    return iter(self._modules.values())


def without_numbers(self: Any) -> list[str]:
    """Return the names of all attributes that can be typed."""
    return [name for name in Module.__dir__(self) if not name.isdigit()]


def insert(self: Module, index: int, module: Any) -> None:
    """Put `module` in at `index`, and move those behind it."""
    with as_it_was(self):
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


def place_of(self: Module, index: int) -> int:
    """Return `index`, counted from the beginning.

    Raises:
        IndexError: there is no such child.
    """
    n, index = len(self._modules), operator.index(index)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range")
    return index % n


def name_at(self: Module, index: int) -> str:
    """Return the name of the child at `index`."""
    return list(self._modules)[place_of(self, index)]
