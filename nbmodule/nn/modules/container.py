"""Modules that hold modules."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from .module import Module

T = TypeVar("T", bound="_Numbered")


class _Numbered(Module):
    """What `Sequential` and `ModuleList` share: children called "0", "1", ..., used as a list is."""

    def append(self: T, module: Module) -> T:
        """Add a module at the end, and return the container."""
        self.add_module(str(len(self)), module)
        return self

    def __getitem__(self, idx: int | slice) -> Any:
        """Return the child at `idx`; for a slice, a container of the same children."""
        if isinstance(idx, slice):
            return self._part(idx)
        return self._modules[self._name_at(idx)]

    def _part(self, part: slice) -> Any:
        raise NotImplementedError

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        names = list(self._modules)[idx] if isinstance(idx, slice) else [self._name_at(idx)]
        for name in names:
            del self._modules[name]
        self._renumber(list(self))

    def pop(self, key: int | slice) -> Any:
        """Take out the child at `key` and return it."""
        found = self[key]
        del self[key]
        return found

    def _name_at(self, index: int) -> str:
        n, index = len(self), operator.index(index)
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


class Sequential(_Numbered):
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

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add all modules of `sequential` at the end, and return the container."""
        for module in sequential:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module in at `index`, and return the container.

        Raises:
            AssertionError: `module` is not a Module.
            IndexError: there is no such place.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def _part(self, part: slice) -> Sequential:
        return type(self)(OrderedDict(list(self._modules.items())[part]))

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            return self + other
        return self.extend(list(other))

    def __mul__(self, other: int) -> Sequential:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        return self.extend(list(self * other)[len(self) :])


class ModuleList(_Numbered):
    """A list whose modules are known to the module that holds it, as those of a plain list are not.

    Args:
        modules: what it holds to begin with.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html

    Example:
        >>> import nbmodule.nn as nn
        >>> nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()])
        ModuleList(
          (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)
          (2): ReLU()
        )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add all `modules` at the end, and return the list.

        Raises:
            TypeError: `modules` cannot be iterated over, or one of them is not a Module.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Put a module in at `index`, as ``list.insert`` does."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def _part(self, part: slice) -> ModuleList:
        return type(self)(list(self)[part])

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __repr__(self) -> str:
        """Show neighbors that read the same as one line."""
        blocks: list[tuple[int, int, str]] = []
        for i, shown in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == shown:
                blocks[-1] = (blocks[-1][0], i, shown)
            else:
                blocks.append((i, i, shown))
        lines = [
            f"({first}): {shown}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {shown}"
            for first, last, shown in blocks
        ]
        body = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{self._get_name()}({body}\n)" if lines else f"{self._get_name()}()"
