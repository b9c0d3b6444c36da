"""The names that a `.pt` file may use, and what each of them makes: the allow-list.

A file says `torch._utils._rebuild_tensor_v2`; here stands our function of that name, which checks what it
is given. Everything else is refused by its name, unless the user has allowed it with `add_safe_globals`.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from typing import Any

from .. import _dtypes
from .._device import device
from .._tensor import Size, Tensor
from ..storage import TypedStorage, UntypedStorage
from . import rebuilding as build
from .plain import parameter_class
from .rebuilding import brief
from .safe import allowed_by_user
from .storages import NOT_HERE, STORAGE_TYPES

BLOCKED = ("sys", "os", "posix", "nt")
"""Modules of which nothing can be allowed, not even by the user."""
NOT_ALLOWED = (
    "Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`nbmodule.serialization.add_safe_globals([{0}])` or the `nbmodule.serialization.safe_globals([{0}])` "
    "context manager to allowlist this global if you trust this class/function."
)

VALUES: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict, "collections.Counter": Counter,
    "torch.Size": Size, "torch.Tensor": Tensor, "torch.device": device,
    "torch.serialization._get_layout": build._get_layout, "_codecs.encode": build.encode,
    "builtins.bytearray": bytearray, "builtins.set": set, "builtins.complex": complex,
    "torch._tensor._rebuild_from_type_v2": build._rebuild_from_type_v2,
    "torch.storage.UntypedStorage": UntypedStorage, "torch.storage.TypedStorage": TypedStorage,
    **{f"torch.{d.name}": d for d in _dtypes.KNOWN},
    **STORAGE_TYPES, **build.REBUILDERS,
}  # fmt: skip
"""What each name stands for. `torch.nn.parameter.Parameter` is the one that is not here: see `find`."""

MAKERS: dict[Any, Callable] = {
    OrderedDict: build.ordered_dict, Counter: build.counter, set: build.set_of, Size: build.size,
    device: device, bytearray: build.checked_bytearray, complex: complex, Tensor: lambda: Tensor(),
    **{f: f for f in (build._get_layout, build.encode, build._rebuild_from_type_v2, *build.REBUILDERS.values())},
}  # fmt: skip
"""What is called where a file calls one of the values."""
PARAMETER = "torch.nn.parameter.Parameter"


class NotHere(TypeError):
    """A file holds a kind of tensor that nbmodule has not: it may well be whole."""


class Constructors:
    """What a file may name, call, make and fill: the list above and what the user has allowed."""

    def __init__(self) -> None:
        self._by_user = allowed_by_user()

    def find(self, module: str, name: str) -> Any:
        """Return what ``module.name`` stands for.

        Raises:
            UnpicklingError: it is not allowed.
            TypeError: it is a kind of tensor that nbmodule has not.
        """
        path = f"{module}.{name}"
        if module in BLOCKED:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
            )
        if path == PARAMETER:
            return parameter_class()
        for known in (VALUES, self._by_user):
            if path in known:
                return known[path]
        if path in NOT_HERE:
            raise NotHere(f"{path} cannot be loaded: {NOT_HERE[path]}")
        raise UnpicklingError(NOT_ALLOWED.format(path.removeprefix("builtins.")))

    def _of_user(self, function: Any) -> bool:
        return any(function is allowed for allowed in self._by_user.values())

    def call(self, function: Any, arguments: Any) -> Any:
        """Return ``function(*arguments)``."""
        if callable(function) and type(arguments) is tuple:
            if function in MAKERS:
                return MAKERS[function](*arguments)
            if function is parameter_class():
                return build._rebuild_parameter(*arguments)
            if self._of_user(function):
                return function(*arguments)
        raise UnpicklingError(f"Trying to call reduce for unrecognized function {brief(function)}")

    def new(self, cls: Any, arguments: Any) -> Any:
        """Return a new object of the class `cls`."""
        if isinstance(cls, type) and type(arguments) is tuple:
            if self._of_user(cls):
                return cls.__new__(cls, *arguments)
            if cls in MAKERS or cls is parameter_class():
                return self.call(cls, arguments)
        raise UnpicklingError(
            "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` "
            f"but got {brief(cls)}"
        )

    def build(self, made: Any, state: Any) -> None:
        """Give `made`, which this file has made, the attributes in `state`."""
        kind = type(made)
        if kind is OrderedDict:
            _fill_ordered_dict(made, state)
        elif kind is Tensor:  # PyTorch's way until 2017
            build.show(made, *build.finite(state))
        elif self._of_user(kind):
            _fill(made, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, "
                f"but got {kind}"
            )


def _fill_ordered_dict(made: OrderedDict, state: dict[str, Any]) -> None:
    """Set attributes such as the `_metadata` of a state dict; a method's name is refused."""
    build.check_attributes(OrderedDict, state)
    made.__dict__.update(state)


def _fill(made: Any, state: Any) -> None:
    """Do what `pickle` does with the state of an object."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    state, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    made.__dict__.update(state or {})
    for name, value in (slots or {}).items():
        setattr(made, name, value)


@cache
def names() -> frozenset[str]:
    """Return the names that are allowed without the user's help."""
    return frozenset({*VALUES, PARAMETER})
