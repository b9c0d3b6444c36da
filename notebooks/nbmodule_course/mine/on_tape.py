"""The reader's Module and layers on the reader's own tape: `tape = mine.on_my_tape()`, then `tape.MyLinear(2, 3)`.

Their methods run a second time, with other names around them: `Tensor` is the reader's, `Parameter` is made from it,
and `Module` and the layers are the second ones. What nbmodule computes with tensors of its own isn't recorded on the
reader's tape, so a call of it is refused; numbers to begin with, as from `randn` or `init`, are taken over.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import nbmodule
from nbmodule import nn

from ..wording import UsageError
from .home import at_home
from .layers import completed_layer
from .solutions import OURS

if TYPE_CHECKING:
    from .carried import Carried

_MAKES = (
    "tensor", "as_tensor", "from_numpy", "arange", "linspace", "eye", "zeros", "ones", "full", "empty", "rand", "randn",
    "zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like")  # fmt: skip
_STAYS = ("manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state")
_READERS = ("__main__", "my_module", OURS)
_NOT_MOVED = ("__dict__", "__weakref__", "__module__", "__doc__", "__qualname__")


class OnTape:
    """The reader's classes on their tape: `tape.Module`, `tape.MyLinear` and so on.

    Args:
        mine: what they are now.

    Attributes:
        Module: the reader's class, completed by ours as `mine.Module` is.
        Tensor: the reader's.
        Parameter: a Tensor that requires a gradient and is filed by the reader's `__setattr__`.
        layers: the reader's layers by name.

    Raises:
        UsageError: there is no Tensor of the reader's yet.
    """

    Module: type

    def __init__(self, mine: Carried) -> None:
        if "Tensor" not in mine.own_layers:
            raise UsageError("There is no `Tensor` of yours yet: chapter 12 writes it.")
        self.Tensor = mine.own_layers["Tensor"]
        self.Parameter = _parameter_of(self.Tensor)
        self._mine, self._worlds = mine, {}
        self._swapped: dict[int, Any] = {
            id(nbmodule.Tensor): self.Tensor,
            id(nn.Parameter): self.Parameter,
        }
        if "no_grad" in (*mine.own_layers, *mine.functions):
            self._swapped[id(nbmodule.no_grad)] = mine.no_grad
        self.layers = self._second_classes()
        self.layers["Module"]._tape = self  # type: ignore[attr-defined]
        completion = mine.completed_again(self.layers["Module"])
        self.Module = completion.type
        for name, layer in self.layers.items():
            self.layers[name] = (
                self.Module if name == "Module" else completed_layer(layer, self.Module)
            )

    def __getattr__(self, name: str) -> Any:
        """Return a layer of the reader's, or a function of an exercise, on the tape."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.layers:
            return self.layers[name]
        mine = self._mine
        if name in mine.functions:
            return self._value(mine.functions[name].value)
        if name in mine.own_layers:  # another class of the tape
            return mine.own_layers[name]
        if hasattr(mine, name):
            raise UsageError(
                f"`{name}` is nbmodule's, and computes with nbmodule's tensors: nothing of it would be on your tape. "
                f"Write it as a layer on `tape.Module`, with operators and methods of your Tensor."
            )
        raise AttributeError(f"no layer and no function of yours is called '{name}'")

    def __dir__(self) -> list[str]:
        return sorted({"Module", "Tensor", "Parameter", *self.layers, *self._mine.functions})

    def _second_classes(self) -> dict[str, type]:
        """Return new classes with the methods of the reader's Module and layers, which see other names."""
        mine = self._mine
        own = {"Module": mine.so_far}
        own.update((n, c) for n, c in mine.own_layers.items() if not mine.is_of_tape(n))
        second: dict[type, type] = {}
        for first in own.values():
            bases = tuple(second.get(base, base) for base in first.__bases__)
            named = {"__module__": first.__module__, "__doc__": first.__doc__}
            second[first] = type(first.__name__, bases, named)
        self._swapped.update((id(first), new) for first, new in second.items())
        for first, new in second.items():
            for name, value in vars(first).items():
                if name not in _NOT_MOVED:
                    moved = at_home(value, new, self._world)
                    forward = name == "forward" and isinstance(moved, FunctionType)
                    setattr(new, name, _plainly(moved, new.__name__) if forward else moved)
        return {name: second[first] for name, first in own.items()}

    def _world(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the names around a function, as they are on the tape."""
        if names.get("__name__") not in _READERS:
            return names
        if id(names) not in self._worlds:
            world = self._worlds[id(names)] = dict(names)
            for name, value in names.items():
                world[name] = self._value(value)
        return self._worlds[id(names)]

    def _value(self, value: Any) -> Any:
        """Return what stands for a value on the tape; most stand for themselves."""
        if id(value) in self._swapped:
            return self._swapped[id(value)]
        if isinstance(value, ModuleType):
            ours = value.__name__.partition(".")[0] == "nbmodule"
            return _Room(value, self._value) if ours else value
        if isinstance(value, FunctionType):
            if str(value.__module__).partition(".")[0] == "nbmodule":
                return _lifted(value, self.Tensor)
            if value.__globals__.get("__name__") in _READERS:
                return at_home(value, object, self._world)
        return value


def _plainly(forward: FunctionType, layer: str) -> Callable[..., Any]:
    """Return a `forward` that says so if it asks for more than the reader's Tensor can do."""

    @functools.wraps(forward)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return forward(*args, **kwargs)
        except (AttributeError, TypeError) as error:
            if not {"Tensor", "Parameter"} & set(re.findall(r"\w+", str(error))):
                raise
            raise UsageError(
                f"`{layer}` can't run on your tape: its `forward` asks your Tensor for something that it doesn't have "
                f"({error}). A layer on your tape is made of what chapter 12 gave your Tensor, such as +, *, @, relu, "
                f"sum and mean. Leave `{layer}` out there, or write what is missing as a method of your Tensor."
            ) from error

    return called


class _Room:
    """One of nbmodule's modules, as `nbmodule` or `nn`, whose names mean what they mean on the tape."""

    def __init__(self, room: ModuleType, value: Callable[[Any], Any]) -> None:
        self._room, self._value = room, value

    def __getattr__(self, name: str) -> Any:
        return self._value(getattr(self._room, name))


def _parameter_of(Tensor: type) -> type:
    """Return the reader's Tensor as a Parameter."""

    class Parameter(Tensor):
        """A Tensor of the reader's that a Module files, and that requires a gradient."""

        def __init__(self, data: Any, requires_grad: bool = True) -> None:
            super().__init__(_numbers(data, Tensor), requires_grad=requires_grad)

    Parameter.__module__, Parameter.__qualname__ = "__main__", "Parameter"
    return Parameter


def _numbers(value: Any, Tensor: type) -> Any:
    """Return the numbers of a tensor as an array; the reader's keep their memory."""
    if isinstance(value, Tensor):
        return value.data
    return value.detach().numpy().copy() if isinstance(value, nbmodule.Tensor) else value


def _lifted(function: Callable[..., Any], Tensor: type) -> Callable[..., Any]:
    """Return what stands for a function of nbmodule's: it gives numbers to begin with, or refuses the reader's Tensor."""
    name = function.__name__

    def ours(value: Any) -> Any:
        return nbmodule.tensor(value.data) if isinstance(value, Tensor) else value

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if name in _MAKES and getattr(nbmodule, name, None) is function:
            made = function(*map(ours, args), **{key: ours(value) for key, value in kwargs.items()})
            return Tensor(made.detach().numpy(), requires_grad=made.requires_grad)
        if name == "is_tensor":
            return isinstance(given[0], Tensor)
        if name in _STAYS or not any(isinstance(value, Tensor) for value in given):
            return function(*args, **kwargs)
        if function.__module__ == nn.init.__name__:
            filled = ours(args[0] if args else kwargs["tensor"])
            function(filled, *args[1:], **{k: v for k, v in kwargs.items() if k != "tensor"})
            given[0].data[...] = filled.numpy()
            return given[0]
        raise UsageError(
            f"`{name}` is nbmodule's, and computes with nbmodule's tensors: nothing of it would be on your tape. "
            "Write this step with operators and methods of your Tensor."
        )

    return called
