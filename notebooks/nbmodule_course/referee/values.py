"""The values that programs assign: each has a short name, the words that explain it, and a maker.

A program says `m.w = P`, and its report adds "`P` is a Parameter". The reader's class and the solution's get
values of their own, made by the same maker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from nbmodule import Tensor, tensor
from nbmodule.nn import Parameter

Maker = Callable[[type], Any]


@dataclass(frozen=True)
class Making:
    """How a program gets an object whose class takes arguments.

    Attributes:
        text: the call as a reader would type it, such as "MyLinear(2, 3)".
        act: takes the world, and calls `world.Class`.
        uses: the names of the values that the text mentions.
    """

    text: str
    act: Callable[[Any], Any]
    uses: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


Made = Literal["init", "blank"] | Making
"""How a program gets its object: by calling the class, without `__init__`, or with arguments."""


@dataclass(frozen=True)
class Value:
    """A value that programs use.

    Attributes:
        name: what a program calls it, such as "P" or "5".
        words: what it is, such as "a Parameter"; "" where the name says it.
        make: takes the class that is checked and returns the value.
    """

    name: str
    words: str
    make: Maker


class Special(Parameter):
    """A subclass of Parameter: still a Parameter."""


class Measured(Tensor):
    """A subclass of Tensor that is no Parameter."""


class Shaped:
    """An object with the attributes of a tensor and of a Module, which is neither."""

    shape, dtype, requires_grad = (1,), "float32", True
    _modules: dict = {}
    _parameters: dict = {}

    def forward(self) -> None:
        """Do nothing."""

    __call__ = parameters = forward


def _layer(Module: type) -> Any:
    """Return a Module of a subclass, with a Parameter of its own."""

    class Layer(Module):
        pass

    layer = Layer()
    slots: dict[str, Any] = object.__getattribute__(layer, "__dict__")
    slots.setdefault("_parameters", {})["weight"] = Parameter(tensor([1.0]))
    return layer


def _deep(Module: type) -> Any:
    """Return a Module of a subclass of a subclass."""
    return type("Deep", (type("Middle", (Module,), {}),), {})()


_KNOWN: dict[str, Value] = {}


def add_value(name: str, words: str, make: Maker) -> str:
    """Make a value known to all programs, and return its name.

    Args:
        name: what programs call it; unique.
        words: what it is, for the report: "a Parameter".
        make: takes the class that is checked (`Module`) and returns a new value.

    Raises:
        ValueError: another value has this name.
    """
    known = _KNOWN.get(name)
    if known is not None and known.make.__qualname__ != make.__qualname__:
        raise ValueError(f"programs know a value {name!r} already: {known.words or name}")
    _KNOWN[name] = Value(name, words, make)
    return name


def value_named(name: str) -> Value:
    """Return the value that programs call `name`.

    Raises:
        ValueError: there is none; the message lists what there is.
    """
    if name not in _KNOWN:
        raise ValueError(f"no value is called {name!r}; known: {', '.join(_KNOWN)}")
    return _KNOWN[name]


for _name, _words, _make in (
    (
        "measured",
        "an object of a subclass of Tensor",
        lambda Module: tensor([8.0]).as_subclass(Measured),
    ),
    ("P", "a Parameter", lambda Module: Parameter(tensor([1.0]))),
    ("Q", "another Parameter", lambda Module: Parameter(tensor([2.0]))),
    (
        "frozen",
        "a Parameter with requires_grad=False",
        lambda Module: Parameter(tensor([3.0]), requires_grad=False),
    ),
    ("special", "an object of a subclass of Parameter", lambda Module: Special(tensor([4.0]))),
    ("t", "a tensor", lambda Module: tensor([5.0])),
    ("u", "another tensor", lambda Module: tensor([6.0])),
    (
        "trainable",
        "a tensor with requires_grad=True",
        lambda Module: tensor([7.0], requires_grad=True),
    ),
    ("child", "a Module", lambda Module: Module()),
    ("other", "another Module", lambda Module: Module()),
    ("layer", "a layer: an object of a subclass of Module", _layer),
    ("deep", "an object of a subclass of a subclass of Module", _deep),
    ("Layer", "a class, not a layer", lambda Module: type("Layer", (Module,), {})),
    (
        "shaped",
        "an object with a `shape` and a `forward` that is neither a tensor nor a Module",
        lambda Module: Shaped(),
    ),
    ("config", "a dictionary", lambda Module: {"w": 1, "x": 2}),
    ("items", "a list", lambda Module: [1, 2]),
    ("print", "", lambda Module: print),
    ("5", "", lambda Module: 5),
    ("7", "", lambda Module: 7),
    ("0", "", lambda Module: 0),
    ("None", "", lambda Module: None),
    ("True", "", lambda Module: True),
    ("False", "", lambda Module: False),
    ("'text'", "", lambda Module: "text"),
    ("()", "", lambda Module: ()),
):
    _KNOWN[_name] = Value(_name, _words, _make)
