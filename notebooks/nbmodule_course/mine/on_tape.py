"""The reader's Module and layers on the reader's own tape: `tape = mine.on_my_tape()`, then `tape.MyLinear(2, 3)`.

Their methods run a second time, with other names around them: `Tensor` is the reader's, `Parameter` is made from it,
and `Module` and the layers are the second ones. What nbmodule computes with tensors of its own isn't recorded on the
reader's tape, so a call of it is refused, unless an operator or a method of the reader's Tensor does the same; numbers
to begin with, as from `randn` or `init`, are taken over. A layer of the course's that can't run there has ours in its place.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import nbmodule
from nbmodule import nn

from ..capture import captured
from ..referee.chance import undisturbed
from ..wording import UsageError
from .cells import owner_of
from .home import at_home
from .layers import completed_layer
from .solutions import OURS, exercise_of, solutions

if TYPE_CHECKING:
    from .carried import Carried

_MAKES = (
    "tensor", "as_tensor", "from_numpy", "arange", "linspace", "eye", "zeros", "ones", "full", "empty", "rand", "randn",
    "zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like")  # fmt: skip
_STAYS = ("manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state")
_FILLS = ("uniform_", "normal_", "fill_", "zero_", "copy_")
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "matmul": operator.matmul, "mm": operator.matmul, "pow": operator.pow, "t": operator.attrgetter("T"),
    "linear": lambda x, weight, bias=None: x @ weight.T if bias is None else x @ weight.T + bias}  # fmt: skip
"""What some functions of nbmodule's are in operators, which the reader's Tensor has."""
_TRIED: dict[str, tuple[tuple[int, ...], tuple[int, ...], str, str]] = {
    "MyLinear": (
        (2, 3), (4, 2), "init.uniform_(self.weight, -bound, bound)", "x @ self.weight.T + self.bias"),
    "MyConv2d": (
        (1, 2, 2), (1, 1, 3, 3), "bound = 1 / math.sqrt(math.prod(shape[1:]))", "y = x.conv2d(self.weight, ...)")}  # fmt: skip
"""The layers that the chapters put on the tape: what makes one, the shape of an input, and a line of `__init__` and of
`forward` that runs there."""
_PYTHONS_OWN = re.compile("^'\\w+' object |^object of type |operand type")
"""A TypeError of Python's, as for a Tensor without `__getitem__`; the reader's Module raises others."""
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
        notices: what the reader should know, each in a sentence or two.

    Raises:
        UsageError: there is no Tensor of the reader's.
    """

    Module: type

    def __init__(self, mine: Carried) -> None:
        if "Tensor" not in mine.own_layers:
            said = mine.tape_problem or "There is no `Tensor` of yours yet: chapter 12 writes it."
            raise UsageError(said)
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
        self.notices = [said for name in _TRIED if (said := self._with_ours(name))]

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
        own.update((n, c) for n, c in mine.own_layers.items() if not mine.classes.alone(n))
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
                    plain = new.__name__ == "Module" or not isinstance(moved, FunctionType)
                    setattr(new, name, moved if plain else _plainly(moved, new.__name__))
        return {name: second[first] for name, first in own.items()}

    def _with_ours(self, tried: str) -> str:
        """Put our layer in the place of the reader's if only that one can run on the tape; return a sentence, or ''."""
        if tried not in self.layers:
            return ""
        reached, missing = self._tried(tried)
        if missing is None:
            return ""
        layer = self.layers[tried].__dict__["_readers_own"]
        theirs = {name: value for name, value in vars(layer).items() if name not in _NOT_MOVED}
        _exchange(layer, theirs, self._ours(layer))
        if self._tried(tried)[0] <= reached:
            _exchange(layer, vars(layer), theirs)
            return ""
        name = f"{tried}.{missing.method}"
        origin = self._mine.methods.get(name)
        exercise_id = (origin.exercise_id if origin else "") or exercise_of(name)
        whose = f" (exercise {exercise_id})" if exercise_id else ""
        instead = _TRIED[tried][3 if missing.method == "forward" else 2]
        return (
            f"Your `{name}`{whose} asks for something that your Tensor doesn't have "
            f"({missing.said}), so our `{tried}` stands in for yours on the tape. To use yours, write "
            f"`{instead}` there, in {self._mine.file.name}, and restart this notebook."
        )

    def _tried(self, name: str) -> tuple[int, NotOnTape | None]:
        """Use a layer; return how far that went, and what was missing on the tape."""
        reached, (arguments, shape, *_) = 0, _TRIED[name]
        with undisturbed(), captured():
            try:
                layer = self.layers[name](*arguments)
                reached = 1
                out = layer(self.Tensor(nbmodule.ones(shape).numpy()))
                reached = 2
                out.sum().backward()
                reached = 3
            except NotOnTape as error:
                return reached, error
            except Exception:  # whatever else it is, the reader's own cell will say it
                pass
        return reached, None

    def _ours(self, layer: type) -> dict[str, Any]:
        """Return the methods of our layer of this name, which see the names of the tape."""
        found: dict[str, Any] = {}
        for exercise_id, solution in solutions().items():
            if any(owner_of(name) == layer.__name__ for name in solution.names):
                found |= self._mine.ours(exercise_id)
        return {
            name.rpartition(".")[2]: at_home(value, layer, self._world)
            for name, value in found.items()
            if owner_of(name) == layer.__name__
        }

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


class NotOnTape(UsageError):
    """A layer of the reader's asks for more than their Tensor can do.

    Args:
        layer: its name.
        method: which of its methods asks.
        said: what is missing, in a few words.
    """

    def __init__(self, layer: str, method: str, said: str) -> None:
        self.method, self.said = method, said
        super().__init__(
            f"`{layer}` can't run on your tape: its `{method}` asks for something that your Tensor doesn't have "
            f"({said}). A layer on your tape is made of what chapter 12 gave your Tensor, such as +, *, @, relu, "
            f"sum and mean. Leave `{layer}` out there, or write what is missing as a method of your Tensor."
        )


class _Refused(UsageError):
    """A function of nbmodule's was given a Tensor of the reader's."""


def _plainly(method: FunctionType, layer: str) -> Callable[..., Any]:
    """Return a method of a layer that says so if it asks for more than the reader's Tensor can do."""

    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except _Refused as error:
            raise NotOnTape(layer, method.__name__, f"{error}".partition(",")[0]) from error
        except (AttributeError, TypeError) as error:
            named = {"Tensor", "Parameter", "ndarray"} & set(re.findall(r"\w+", str(error)))
            filing = isinstance(error, TypeError) and method.__name__ != "forward"
            if not named or (filing and not _PYTHONS_OWN.search(str(error))):
                raise
            raise NotOnTape(layer, method.__name__, str(error)) from error

    return called


def _exchange(layer: type, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Take methods out of a class, and put others in."""
    for name in [name for name in old if name not in _NOT_MOVED]:
        delattr(layer, name)
    for name, value in new.items():
        setattr(layer, name, value)


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

        def __getattr__(self, name: str) -> Any:
            """Return what fills a Parameter with numbers to begin with, where the reader's Tensor doesn't."""
            if name in _FILLS:
                return functools.partial(_filled, self, name, Tensor)
            said = f"'{type(self).__name__}' object has no attribute '{name}'"
            raise AttributeError(said, name=name, obj=self)

    Parameter.__module__, Parameter.__qualname__ = "__main__", "Parameter"
    return Parameter


def _numbers(value: Any, Tensor: type) -> Any:
    """Return the numbers of a tensor as an array; the reader's keep their memory."""
    if isinstance(value, Tensor):
        return value.data
    return value.detach().numpy().copy() if isinstance(value, nbmodule.Tensor) else value


def _filled(parameter: Any, name: str, Tensor: type, *args: Any, **kwargs: Any) -> Any:
    """Fill a Parameter as `uniform_`, `copy_` and so on do it in nbmodule."""
    numbers = nbmodule.tensor(parameter.data)
    given = (nbmodule.tensor(arg.data) if isinstance(arg, Tensor) else arg for arg in args)
    parameter.data[...] = getattr(numbers, name)(*given, **kwargs).numpy()
    return parameter


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
        if name in _OPERATORS:
            return _OPERATORS[name](*args, **kwargs)
        if args and isinstance(args[0], Tensor) and callable(getattr(Tensor, name, None)):
            return getattr(args[0], name)(*args[1:], **kwargs)
        raise _Refused(
            f"`{name}` is nbmodule's, and computes with nbmodule's tensors: nothing of it would be on your tape. "
            "Write this step with operators and methods of your Tensor."
        )

    return called
