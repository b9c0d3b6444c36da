"""Modules that hold modules, and lists and dictionaries of parameters."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain
from typing import Any, TypeVar

from ..._legacy import typename
from ..._tensor import Tensor
from ..parameter import Parameter
from ._state_dict import as_it_was
from .module import Module

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]

T = TypeVar("T", bound="ParameterList")


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
        self.add_module(str(len(self._modules)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take out the child at `key` and return it."""
        child = self[key]
        del self[key]
        return child

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
        _insert(self, index + n if index < 0 else index, module)
        return self

    def __getitem__(self, idx: int | slice) -> Any:
        """Return the child at `idx`; for a slice, a Sequential of the same children."""
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[_name_at(self, idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, _name_at(self, idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        _delete(self, idx)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]  # what can be typed

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

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def append(self, module: Module) -> ModuleList:
        """Add a module at the end, and return the container."""
        self.add_module(str(len(self._modules)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take out the child at `key` and return it."""
        child = self[key]
        del self[key]
        return child

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
        _insert(self, index, module)

    def __getitem__(self, idx: int | slice) -> Any:
        """Return the child at `idx`; for a slice, a ModuleList of the same children."""
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return self._modules[str(_place_of(self, idx))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, _name_at(self, idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        _delete(self, idx)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]  # what can be typed

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


# ---- children called "0", "1", ...: of a Sequential, of a ModuleList


def _place_of(self: Module, index: int) -> int:
    """Return `index`, counted from the beginning.

    Raises:
        IndexError: there is no such child.
    """
    n, index = len(self._modules), operator.index(index)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range")
    return index % n


def _name_at(self: Module, index: int) -> str:
    """Return the name of the child at `index`."""
    return list(self._modules)[_place_of(self, index)]


def _insert(self: Module, index: int, module: Any) -> None:
    """Put `module` in at `index`, and move those behind it."""
    with as_it_was(self):
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


def _delete(self: Any, idx: int | slice) -> None:
    """Take out the child at `idx`, or all in a slice, and number the others again."""
    names = list(self._modules)[idx] if isinstance(idx, slice) else [_name_at(self, idx)]
    with as_it_was(self):
        for name in names:
            delattr(self, name)
        left = self._modules.values()
        self._modules = OrderedDict((str(i), module) for i, module in enumerate(left))


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

    def __getitem__(self, key: str) -> Any:
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
        module = self[key]
        del self[key]
        return module

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
            pairs = _pairs_of(modules, "ModuleDict")
        for key, module in pairs:
            self[key] = module


class ParameterList(Module):
    """A list whose tensors become parameters, known to the module that holds it.

    It may hold other values too; those are only kept.

    Args:
        values: what it holds to begin with.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterList.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.ParameterList([nbmodule.ones(2), nbmodule.ones(3, 4)])
        ParameterList(
            (0): Parameter containing: [nbmodule.float32 of size 2]
            (1): Parameter containing: [nbmodule.float32 of size 3x4]
        )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def append(self: T, value: Any) -> T:
        """Add a value at the end, and return the list."""
        new_index = len(self)
        self._size += 1
        self[new_index] = value
        return self

    def extend(self: T, values: Iterable[Any]) -> T:
        """Add all `values` at the end, and return the list.

        Raises:
            TypeError: `values` cannot be iterated over, or is one tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def _name_at(self, index: int) -> str:
        n, index = len(self), operator.index(index)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range")
        return str(index + n if index < 0 else index)

    def __getitem__(self, idx: int | slice) -> Any:
        """Return the value at `idx`; for a slice, a list of the same values."""
        if isinstance(idx, slice):
            return type(self)().extend(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, self._name_at(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._name_at(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __iadd__(self: T, parameters: Iterable[Any]) -> T:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def extra_repr(self) -> str:
        """Return a line for each value."""
        return "\n".join(
            f"  ({i}): {_shown(value, lambda t: str(t.dtype))}" for i, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: it computes nothing."""
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary whose tensors become parameters, known to the module that holds it.

    It may hold other values too; those are only kept.

    Args:
        parameters: what it holds to begin with: a mapping, or pairs of a name and a value. The names of a
            plain dict are sorted.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterDict.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.ParameterDict({"left": nbmodule.ones(5, 10)})
        ParameterDict(  (left): Parameter containing: [nbmodule.FloatTensor of size 5x10])
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        """Return the value called `key`."""
        return getattr(self, _checked(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, _checked(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, _checked(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Return a dictionary of the same values."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value called `key`; where there is none, put `default` there first."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all values out."""
        for key in self._keys.copy():
            del self[key]

    def pop(self, key: str) -> Any:
        """Take out the value called `key` and return it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take out what was put in last; return its name and value."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value called `key`, or `default` where there is none."""
        return self[key] if key in self else default  # noqa: SIM401 (this is that method)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new dictionary with `default` under each of `keys`."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the pairs of a name and a value."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Return the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Mapping[str, Any] | ParameterDict | Iterable[tuple[str, Any]]) -> None:  # fmt: skip
        """Add all `parameters`, over those of the same names.

        Raises:
            TypeError: `parameters` is neither a mapping nor a sequence of pairs.
            ValueError: an element does not have two parts.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs: Any = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = _pairs_of(parameters, "ParameterDict")
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        """Return a line for each value."""
        return "\n".join(f"  ({key}): {_shown(value, typename)}" for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        """Refuse: it computes nothing."""
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        return _united(self, other)

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        return _united(other, self)

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self


def _united(first: ParameterDict, second: ParameterDict) -> ParameterDict:
    result = first.copy()
    result.update(second)
    return result


def _checked(key: Any) -> str:
    """Return `key` if it can name an attribute."""
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
        )
    return key


def _as_parameter(value: Any) -> Any:
    """Return a tensor as a Parameter on the same memory, anything else as it is."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _shown(value: Any, kind: Any) -> str:
    """Return the line for `value`; ``kind(value)`` says what a tensor is made of."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    place = f" ({value.device})" if value.device.type == "cuda" else ""
    return f"{what} containing: [{kind(value)} of size {size}{place}]"


def _pairs_of(elements: Iterable[Any], container: str) -> Iterator[Any]:
    """Yield the elements of what `container` shall be updated with, if each of them is a pair."""
    for i, pair in enumerate(elements):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{container} update sequence element #{i} should be Iterable; is"
                + type(pair).__name__
            )
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(
                f"{container} update sequence element #{i} has length {len(pair)}; 2 is required"  # type: ignore[arg-type]
            )
        yield pair[0], pair[1]  # type: ignore[index]
