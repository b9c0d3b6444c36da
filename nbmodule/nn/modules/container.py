"""Modules that hold modules."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain
from typing import Any

from . import _numbered
from ._parameter_containers import ParameterDict, ParameterList, pairs_of
from ._registration import name_methods
from .module import Module

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class Container(Module):
    """A Module of the given children. Every Module can do that by now; it remains for old code.

    Args:
        **kwargs: the children by their names.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html

    Example:
        >>> import warnings
        >>> import nbmodule.nn as nn
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     nn.Container(hidden=nn.Linear(4, 8))
        Container(
          (hidden): Linear(in_features=4, out_features=8, bias=True)
        )
    """

    def __init__(self, **kwargs: Any) -> None:
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
            "Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


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

    _modules: dict[str, Module]  # type: ignore[assignment]

    append = _numbered.append
    pop = _numbered.pop
    __setitem__ = _numbered.setitem
    __delitem__ = _numbered.delitem
    __len__ = _numbered.length
    __iter__ = _numbered.iterate
    __dir__ = _numbered.without_numbers

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
        _numbered.insert(self, index + n if index < 0 else index, module)
        return self

    def __getitem__(self, idx: int | slice) -> Any:
        """Return the child at `idx`; for a slice, a Sequential of the same children."""
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[_numbered.name_at(self, idx)]

    def __add__(self, other: Sequential) -> Sequential:
        _refuse_addition(other)
        return Sequential().extend(self).extend(other)

    def __iadd__(self, other: Sequential) -> Sequential:
        _refuse_addition(other)
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        _refuse_factor(self, other)
        combined = Sequential()
        for _ in range(other):
            combined.extend(self)
        return combined

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Sequential:
        _refuse_factor(self, other)
        once = [self._modules[str(i)] for i in range(len(self))]
        return self.extend(once * (other - 1))


def _refuse_addition(other: Any) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )


def _refuse_factor(self: Sequential, other: Any) -> None:
    if not isinstance(other, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
    if other <= 0:
        raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")


class ModuleList(Module):
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

    _modules: dict[str, Module]  # type: ignore[assignment]

    append = _numbered.append
    pop = _numbered.pop
    __setitem__ = _numbered.setitem
    __delitem__ = _numbered.delitem
    __len__ = _numbered.length
    __iter__ = _numbered.iterate
    __dir__ = _numbered.without_numbers

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

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
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Put a module in at `index`, before the one that is there."""
        _numbered.insert(self, index, module)

    def __getitem__(self, idx: int | slice) -> Any:
        """Return the child at `idx`; for a slice, a ModuleList of the same children."""
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return self._modules[str(_numbered.place_of(self, idx))]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        combined = ModuleList()
        for i, module in enumerate(chain(self, other)):
            combined.add_module(str(i), module)
        return combined

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


class ModuleDict(Module):
    """A dictionary whose modules are known to the module that holds it.

    Args:
        modules: what it holds to begin with: a mapping, or pairs of a name and a module.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html

    Example:
        >>> import nbmodule.nn as nn
        >>> heads = nn.ModuleDict({"small": nn.Linear(4, 2), "act": nn.ReLU()})
        >>> list(heads)
        ['small', 'act']
    """

    _modules: dict[str, Module]  # type: ignore[assignment]

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        """Return the module called `key`."""
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take out the module called `key` and return it."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        """Return the pairs of a name and a module."""
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add all `modules`, over those of the same names.

        Raises:
            TypeError: `modules` is neither a mapping nor a sequence of pairs.
            ValueError: an element does not have two parts.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, (ModuleDict, Mapping)):
            pairs: Any = modules.items()
        else:
            pairs = pairs_of(modules, "ModuleDict")
        for key, module in pairs:
            self[key] = module


name_methods(Sequential)
name_methods(ModuleList)
