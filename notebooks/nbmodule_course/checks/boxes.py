"""Modules in containers, and a text for each: what the programs of chapter 08 are made of."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Container, Iterator
from inspect import isgenerator
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

from nbmodule import nn, tensor

from .lines import compiled

WHO = "a, b, c and d are Modules; called with 'x', a gives 'xa'"
_LEAVES: WeakKeyDictionary[type, type] = WeakKeyDictionary()
Pair = namedtuple("Pair", "first second")


def module_of(item: Any) -> type:
    """Return the class `Module` that a function or a layer of the reader's stands on."""
    if isinstance(item, type):
        return item.__mro__[1]
    names = getattr(item, "__globals__", {})
    found = getattr(names.get("mine"), "Module", None) or names.get("Module")
    return found if isinstance(found, type) else nn.Module


def leaf_of(Module: type) -> type:
    """Return a class of Modules that add their name to what they are called with."""

    class Leaf(Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def forward(self, x: Any) -> Any:
            return f"{x}{self.name}"

        def extra_repr(self) -> str:
            return self.name

    return Leaf


def world(given: Any, used: Container[str] = "abcd") -> dict[str, Any]:
    """Return the names that a program can use: `Module`, and new Modules, of `a` to `d` those that are used."""
    Module = module_of(given)
    Leaf = _LEAVES.get(Module) or _LEAVES.setdefault(Module, leaf_of(Module))
    names: dict[str, Any] = {name: Leaf(name) for name in "abcd" if name in used}
    names |= {
        "OrderedDict": OrderedDict,
        "Module": Module,
        "x": "x",
        "holding": _holding,
        "Pair": Pair,
    }
    names |= {"tensor": tensor, "hook": _hook, "sensitive": _sensitive}
    return {**names, given.__name__: given}


def programs(*parts: tuple[str, ...]) -> list[str]:
    """Return every program that takes one line from each part, the shortest first."""
    texts = ["; ".join(filter(None, lines)) for lines in product(*parts)]
    return sorted(dict.fromkeys(texts), key=lambda text: (text.count(";"), len(text)))


def uses(texts: Iterator[str] | list[str], note: str = WHO) -> dict[str, Callable[[Any], Any]]:
    """Return a use for each text: statements and, behind the last ";", an expression."""
    return {f"{text}  # {note}": lambda given, text=text: _value_of(text, given) for text in texts}


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    names = world(given, last.co_names + before.co_names)
    known = {id(value): name for name, value in names.items() if name in "abcd"}
    exec(before, names)
    value = eval(last, names)
    if isgenerator(value) and not isinstance(given, type):  # of a function that returns a list
        return value
    return _told(value, known, names["Module"])


def _told(value: Any, known: dict[int, str], Module: type) -> Any:
    """Return a value in plain words: a known Module is its name, another one what it consists of."""
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, Module):
        own = ", ".join(f"{k}: {_told(v, known, Module)}" for k, v in value._modules.items())
        return f"{type(value).__name__}({own})"
    if isinstance(value, list | tuple):
        return type(value)(_told(item, known, Module) for item in value)
    if isinstance(value, Iterator) or type(value).__name__ in (
        "dict_keys",
        "dict_values",
        "dict_items",
    ):
        return [_told(item, known, Module) for item in value]
    return value


def _holding(Module: type, **children: Any) -> Any:
    """Return a Module with these children."""
    module = Module()
    for name, child in children.items():
        setattr(module, name, child)
    return module


def _hook(module: Any) -> None:
    """Give a Module a hook, which runs only if the Module itself is called."""
    module._forward_hooks[1] = lambda module, args, result: f"{result}!"


def _sensitive(Module: type) -> type:
    """Return a class of Modules with a property that nobody should read."""

    def costly(self: Any) -> Any:
        raise RuntimeError("a property was read")

    return type("Sensitive", (Module,), {"costly": property(costly)})
