"""Where one program runs: an object `m`, a second object, the values; and what all of that looks like afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbmodule import Tensor

from ..wording import shown
from .values import Made, Making, value_named

DRAWERS = ("_parameters", "_buffers", "_modules")
SIMPLE = (type(None), bool, int, float, complex, str, bytes)
STORED = "stored by a property"
"""Where the property `heat` of a `subject` leaves its value, so that it is seen whether its setter ran."""
_MISSING = object()


def slots_of(module: object) -> dict[str, Any]:
    """Return the `__dict__` of an object, past every method of its class."""
    try:
        return object.__getattribute__(module, "__dict__")
    except AttributeError:
        return {}


OF_THE_SUBJECT = {
    "unit": "the class of `m` has an attribute `unit`",
    "heat": "the class of `m` has a property `heat`",
}
"""What a report says of the names in which a `subject` differs from the reader's class."""


def subject(Class: type, name: str = "Module") -> type:
    """Return a subclass with things of its own: a class attribute, a method, a property with three doors.

    Args:
        Class: ours or the reader's.
        name: what the exercise calls it. A layer keeps this name and its own `forward`.
    """

    def forward(self: Any) -> None:
        """Do nothing."""

    heat = property(
        lambda self: 300,
        lambda self, value: slots_of(self).update({STORED: value}),
        lambda self: slots_of(self).update({STORED: None}),
    )
    if name != "Module":
        return type(name, (Class,), {"unit": "kelvin", "heat": heat})
    return type("Zebra", (Class,), {"unit": "kelvin", "forward": forward, "heat": heat})


class Words(str):
    """What a step of an author's own tells: a report shows it as it is, "stores 21 as `n`", and not as a value."""


class Pool(dict[str, Any]):
    """Values by name; `born` tells which attributes each of them had when it was made."""

    def __init__(self) -> None:
        super().__init__()
        self.born: dict[str, set[str]] = {}


class World:
    """What a program runs in.

    Args:
        Class: the class of the object, a `subject`.
        made: "init" calls the class, "blank" makes an object without `__init__`; see `steps.make`.
        pool: values that are made already, by name; others are made when they are asked for.
    """

    def __init__(self, Class: type, made: Made, pool: Pool) -> None:
        self.Class, self.pool = Class, pool
        parents = Class.__mro__[1:-1]
        self.Module: type = next((c for c in parents if c.__name__ == "Module"), Class.__mro__[1])
        self.m: Any = self._made(made)
        self.twin: Any = self._made(made)
        self.first = {name: slots_of(self.m).get(name) for name in DRAWERS}

    def _made(self, made: Made) -> Any:
        if isinstance(made, Making):
            return made.act(self)
        return object.__new__(self.Class) if made == "blank" else self.Class()

    def value(self, name: str) -> Any:
        """Return the value that programs call `name`."""
        if name not in self.pool:
            self.pool[name] = value = value_named(name).make(self.Module)
            self.pool.born[name] = set(slots_of(value))
        return self.pool[name]

    @property
    def hidden(self) -> set[str]:
        """Return the names of the class that nobody asked for: helper methods and slots of the reader's own."""
        own = {name for Class in self.Class.__mro__[1:-1] for name in vars(Class)}
        return {*own, *slots_of(self.twin), *dir(object)} - {"training", *DRAWERS}

    def label(self, value: Any) -> str:
        """Return what a report calls `value`: its name in programs, or what it looks like."""
        return "m" if value is self.m else label(self.pool, value, numbers=True)


def label(pool: dict[str, Any], value: Any, numbers: bool = False) -> str:
    """Return the name of `value` in `pool`, or what it looks like.

    Args:
        pool: the values of the program by name.
        value: anything.
        numbers: whether a tensor without a name is told by what is in it.
    """
    for name, known in pool.items():
        if known is value and not isinstance(value, SIMPLE):
            return name
    if isinstance(value, Words):
        return str(value)
    if isinstance(value, SIMPLE):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {label(pool, v, numbers)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        parts = [label(pool, item, numbers) for item in value]
        parts = sorted(parts) if isinstance(value, set | frozenset) else parts
        inside = ", ".join(parts)
        if type(value) is list:
            return f"[{inside}]"
        if type(value) is tuple:
            return f"({inside},)" if len(parts) == 1 else f"({inside})"
        return f"{type(value).__name__}({inside})"
    if isinstance(value, BaseException):
        return f"the exception {type(value).__name__}"
    if numbers and isinstance(value, Tensor):
        return f"{type(value).__name__.lower()}({_numbers(value)})"
    return f"another {type(value).__name__}"


def _numbers(value: Tensor) -> str:
    """Return what is in a tensor, with as many digits as different ways of computing it agree on."""
    if value.is_meta:
        return f"shape {tuple(value.shape)}, on meta"
    if value.numel() > _MANY:
        return (
            f"shape {tuple(value.shape)}, {_rounded(value.detach().double().sum().item())} in all"
        )
    return _rounded(value.tolist())


_MANY = 64


def _rounded(item: Any) -> str:
    if isinstance(item, list):
        return f"[{', '.join(map(_rounded, item))}]"
    return f"{item:.6g}" if isinstance(item, float) else repr(item)


State = dict[str, Any]


def state(world: World, names: Iterable[str], drawers: tuple[str, ...] = DRAWERS) -> State:
    """Return where everything lies: every drawer in order, and the named attributes in `__dict__`."""
    slots, pool = slots_of(world.m), world.pool
    found: State = {}
    for drawer in drawers:
        if drawer in slots:
            found[drawer] = _entries(slots[drawer], pool)
    names = (*names, STORED)
    plain = {name: slots[name] for name in names if name in slots and name not in drawers}
    found["__dict__"] = sorted((name, label(pool, value)) for name, value in plain.items())
    found["training"] = label(pool, slots["training"]) if "training" in slots else "missing"
    found["same drawers"] = [name for name in drawers if world.first.get(name) is slots.get(name)]
    found["twin"] = _outline(world.twin, names)
    return found


def aftermath(pool: Pool) -> dict[str, Any]:
    """Return what became of the values themselves, of their numbers, and which attributes they have got."""
    return {
        name: (
            _inside(value),
            value.tolist() if isinstance(value, Tensor) and _is_small(value) else None,
            [
                slot
                for slot in sorted(slots_of(value))
                if slot not in pool.born.get(name, slots_of(value)) and not _is_note(value, slot)
            ],
        )
        for name, value in pool.items()
    }


def _is_small(value: Tensor) -> bool:
    """Tell whether the numbers of a tensor can be written out; one on meta has none."""
    return value.numel() <= _MANY and not value.is_meta


def _is_note(value: Any, slot: str) -> bool:
    """Tell whether a slot is the library's own: comparing two Parameters leaves a note of autograd's in them."""
    if slot == "_grad":  # that there is none was said, and changes nothing
        return slots_of(value)[slot] is None
    return isinstance(value, Tensor) and hasattr(Tensor, slot)


def _entries(drawer: Any, pool: dict[str, Any]) -> Any:
    if not isinstance(drawer, dict):
        return f"not a dictionary: {shown(drawer, 40)}"
    return [(name, label(pool, value)) for name, value in drawer.items()]


def _outline(module: Any, names: Iterable[str]) -> Any:
    slots = slots_of(module)
    drawers = [(name, list(slots[name])) for name in DRAWERS if isinstance(slots.get(name), dict)]
    return drawers, [name for name in names if name in slots]


def _inside(value: Any) -> Any:
    """Return what can be changed in a value: the content of a list or dictionary, a module's drawers, the switch."""
    if isinstance(value, list | dict):
        return repr(value)
    if isinstance(value, (*SIMPLE, type)):
        return None
    slots = slots_of(value)
    drawers = [(name, list(slots[name])) for name in DRAWERS if isinstance(slots.get(name), dict)]
    switch = getattr(type(value), "requires_grad", _MISSING)
    needs = value.requires_grad if switch is not _MISSING and not drawers else None
    return drawers, slots.get("training"), needs
