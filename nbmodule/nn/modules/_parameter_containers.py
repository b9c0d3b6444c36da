"""Modules that hold parameters. `container.py` shows them."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, TypeVar

from ..._legacy import typename
from ..._tensor import Tensor
from ..parameter import Parameter
from .module import Module

T = TypeVar("T", bound="ParameterList")


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
            pairs = pairs_of(parameters, "ParameterDict")
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


def pairs_of(elements: Iterable[Any], container: str) -> Iterator[Any]:
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


for _kind in (ParameterList, ParameterDict):
    _kind.__module__ = "nbmodule.nn.modules.container"
