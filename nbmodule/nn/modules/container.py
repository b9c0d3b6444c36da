"""Modules that hold modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from .module import Module


class Sequential(Module):
    """Calls its children one after the other; each gets what the one before it returned.

    Args:
        *args: the modules, which are then called "0", "1", ...; or one OrderedDict of names and modules.

    Raises:
        TypeError: one of them is not a Module.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html

    Example:
        >>> import nbmodule.nn as nn
        >>> nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        Sequential(
          (0): Linear(in_features=4, out_features=8, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        """Return what the last child makes of it."""
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Sequential:
        """Add a module at the end, and return the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, sequential: Any) -> Sequential:
        """Add all modules of `sequential` at the end, and return the container."""
        for module in sequential:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module in at `index`, and return the container.

        Raises:
            TypeError: `module` is not a Module.
            IndexError: there is no such place.
        """
        if not isinstance(module, Module):
            raise TypeError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def __getitem__(self, index: int | slice) -> Any:
        """Return the child at `index`; for a slice, a Sequential of the same children."""
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [self._name_at(index)]
        for name in names:
            del self._modules[name]
        self._renumber(list(self))

    def pop(self, key: int | slice) -> Any:
        """Take out the child at `key` and return it."""
        found = self[key]
        del self[key]
        return found

    def _name_at(self, index: int) -> str:
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def _renumber(self, modules: list[Any]) -> None:
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(modules))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return Sequential(*self, *other)
