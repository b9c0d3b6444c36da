"""Chapter 03, the two functions: a clearer message, and the ladder."""

from __future__ import annotations

import re
from typing import Any

from nbmodule import nn

from ..exercise import Exercise

explaining = Exercise(
    "03.5",
    title="A clearer message",
    takes=("explain",),
    minutes=8,
    importance="useful",
    writes=("explain",),
    hints=(
        "Ask the class, not the object. `getattr(type(module), name, None)` returns the property itself, without "
        "running it.",
        "If that's a `property`, run its getter again with `found.fget(module)`, and catch the AttributeError. "
        "*Its* message names the attribute that is really missing.",
        "`found = getattr(type(module), name, None)`, then `if isinstance(found, property):`, and inside it `try: "
        "found.fget(module)` with `except AttributeError as inner: return f\"in the property '{name}': {inner}\"`. "
        "The last line returns the usual message.",
    ),
)


class Measurement(property):
    """A property of a kind of its own."""


class Scales(nn.Module):
    """Its property has a typo inside."""

    unit = "gram"

    @property
    def size(self) -> Any:
        """Fail."""
        return self.wieght

    @Measurement
    def weight_in_grams(self) -> Any:
        """Fail."""
        return self.gramms

    @property
    def color(self) -> str:
        """Work."""
        return "red"


class ZebraScales(Scales):
    """Inherits the broken property."""


class Oven(nn.Module):
    """Its property has another typo inside."""

    @property
    def heat(self) -> Any:
        """Fail."""
        return self.temprature + 1


for _made in (Scales, ZebraScales, Oven):  # as if it were written in a cell of its own
    _made.__qualname__, _made.__module__ = _made.__name__, "__main__"


def _as_good(ours: Any, theirs: Any) -> bool:
    """Tell whether a message names what ours names; the words around are free."""
    if not isinstance(theirs, str):
        return False
    named = re.findall(r"'(\w+)'", ours)
    if ours.startswith("in the property"):
        named = [named[0], named[-1]]  # the property, and what is missing in it
        if re.search(rf"property\W+{named[1]}\b", theirs):
            return False
    return all(re.search(rf"(?<![\w.]){word}(?![\w(])", theirs) for word in named)


explaining.compare_calls(
    "an ordinary missing name gets the usual message",
    {
        "explain(Scales(), 'nope')": lambda: (Scales(), "nope"),
        "explain(ZebraScales(), 'stripes')": lambda: (ZebraScales(), "stripes"),
        "explain(Oven(), 'size')": lambda: (Oven(), "size"),
    },
    same=_as_good,
)
explaining.compare_calls(
    "a broken property is named, and so is what is missing inside it",
    {
        "explain(Scales(), 'size')": lambda: (Scales(), "size"),
        "explain(Oven(), 'heat')": lambda: (Oven(), "heat"),
        "explain(ZebraScales(), 'size')": lambda: (ZebraScales(), "size"),
        "explain(Scales(), 'weight_in_grams')": lambda: (Scales(), "weight_in_grams"),
    },
    same=_as_good,
)
_FOUND = "found = getattr(type(module), name, None)"
_INNER = "return f\"in the property '{name}': {inner}\""
# fmt: off
explaining.wrongs(
    ("the usual message always", {"if isinstance(found, property):": "if False:"}, "a broken property gets the usual message; run it again with `found.fget(module)`, and catch its AttributeError"),
    ("no default", {_FOUND: "found = getattr(type(module), name)"}, "for a name that the class doesn't have, `explain` itself raises; `getattr(type(module), name, None)` doesn't"),
    ("own class only", {_FOUND: "found = vars(type(module)).get(name)"}, "an inherited property isn't found; `getattr(type(module), name, None)` also looks in the parents"),
    ("inner message alone", {_INNER: "return str(inner)"}, "the message names the missing attribute, but not the property that asked for it"),
    ("the two exchanged", {_INNER: "return f\"in the property '{inner.name}': '{type(module).__name__}' object has no attribute '{name}'\""}, "the message calls the missing attribute a property, and the property missing; `name` is the property"),
    ("no message at the end", {"return f\"'{type(module)…": "return None"}, "for an ordinary missing name there is no message"),
    ("the object itself", {"return f\"'{type(module)…": "return f\"'{module}' object has no attribute '{name}'\""}, "the message doesn't hold the bare name of the object's class; `type(module).__name__` does"),
    ("raised", {"return f\"'{type(module)…": "raise AttributeError(f\"'{type(module).__name__}' object has no attribute '{name}'\")"}, "`explain` raises the error; it returns the message, and its caller raises"),
)
# fmt: on

ladder = Exercise(
    "03.6",
    title="The ladder in ten lines",
    takes=("rung_of",),
    minutes=10,
    importance="extra",
    writes=("rung_of",),
    hints=(
        "Go down the ladder. Which rungs are about the class and its parents, and which one is about the object?",
        "Find the first class in `type(thing).__mro__` whose `vars` holds the name. If the type of its entry has "
        "`__set__` or `__delete__`, that's rung 1, and if not, it's rung 3. Test `vars(thing)` between the two.",
        "`in_class = [vars(kind)[name] for kind in type(thing).__mro__ if name in vars(kind)]`. Rung 1: `in_class` "
        "isn't empty, and `type(in_class[0])` has `__set__` or `__delete__`. Rung 2: `name in vars(thing)`. Rung "
        "3: `in_class` isn't empty. After that only `__getattr__` is left, so `return 4 if hasattr(thing, name) "
        "else None`.",
    ),
)


class _Setter:
    """A data descriptor that is no property."""

    def __set__(self, thing: Any, value: Any) -> None:
        """Do nothing."""


class _Deleter:
    """A data descriptor that can only delete."""

    def __delete__(self, thing: Any) -> None:
        """Do nothing."""


class _Parent:
    inherited = 3
    covered = property(lambda self: 1)

    def method(self) -> None:
        """Do nothing."""


class Thing(_Parent):
    """Has something on every rung."""

    unit = "gram"
    covered = 5
    empty, kind = None, property
    setter, deleter = _Setter(), _Deleter()
    kind = _Setter  # a class has `__set__`, and is none that its own class knows of
    broken = property(lambda self: 1 / 0)
    shy = property(lambda self: self.nothing_here)

    def __init__(self) -> None:
        self.own = self.unit2 = 1
        vars(self).update(unit="mine", broken="hidden", setter=1, covered=2, method=3, none=None)

    def __getattr__(self, name: str) -> Any:
        if name == "late":
            return None
        raise AttributeError(name)


_RUNGS = (
    "broken",
    "shy",
    "setter",
    "deleter",
    "own",
    "unit",
    "none",
    "covered",
    "method",
    "kind",
    "inherited",
    "empty",
    "kind",
    "late",
    "nope",
    "__dict__",
    "__class__",
    "__init__",
    "nothing_here",
)
_ELSE = "`thing` has something on every rung"
_IN_THING = {
    "setter": "its class holds an object whose class has `__set__`",
    "deleter": "its class holds an object whose class has `__delete__`",
    "kind": "its class holds a class, and that class has a `__set__` for its own objects",
    "broken": "a property that raises ZeroDivisionError",
    "shy": "a property that raises AttributeError",
    "covered": "an ordinary attribute of the class that covers a property of the parent",
    "late": "only `__getattr__` finds it",
    "empty": "an attribute of the class whose value is None",
    "none": "it is in `__dict__`, with the value None",
}
ladder.compare_calls(
    "each name is found on its rung",
    {
        f"rung_of(thing, {name!r})  # {_IN_THING.get(name, _ELSE)}": lambda name=name: (
            Thing(),
            name,
        )
        for name in _RUNGS
    },
)
ladder.compare_calls(
    "a Module's names are found the same way",
    {
        f"rung_of(layer, {name!r})": lambda name=name: (nn.Linear(2, 1), name)
        for name in ("weight", "bias", "in_features", "training", "forward", "_modules", "nope")
    },
)
# fmt: off
ladder.wrongs(
    ("no data descriptors", {"return 1": "return 3"}, "a property is a data descriptor: it is found on rung 1, before the object's own `__dict__`"),
    ("only __set__", {' or hasattr(kind, "__delete__")': ""}, "a data descriptor has `__set__` or `__delete__`; one of them is enough"),
    ("only properties", {'if hasattr(kind, "__set__") or hasattr(kind, "__delete__"):': "if kind is property:"}, "a property is one kind of data descriptor; there are others, and all have `__set__` or `__delete__`"),
    ("asks the entry", {"kind = type(in_class[0])": "kind = in_class[0]"}, "an entry that has `__set__` itself counts as a data descriptor; ask its type, as Python does"),
    ("the class first", {"if name in vars(thing):\n    return 2": "", "return 3": "return 3\nif name in vars(thing):\n    return 2"}, "the object's own `__dict__` comes before ordinary attributes of the class"),
    ("own class only", {"type(thing).__mro__": "[type(thing)]"}, "what only a parent class has isn't found; search every class in `type(thing).__mro__`"),
    ("always 4", {"return 4 if hasattr(thing, name) else None": "return 4"}, "the answer is 4 only if `__getattr__` finds the name; otherwise it's None"),
    ("never 4", {"return 4 if hasattr(thing, name) else None": "return None"}, "a name that only `__getattr__` finds is on rung 4"),
)
# fmt: on
