"""Chapter 03, its functions: a clearer message, and the ladder itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbmodule import nn

from ..exercise import Exercise


class Scales(nn.Module):
    """A property with a typo in it, one that works, and one that fails in another way."""

    unit = "gram"

    @property
    def size(self) -> Any:
        """Fail, because of the typo."""
        return self.wieght

    @property
    def works(self) -> int:
        """Return a number."""
        return 5

    @property
    def costly(self) -> Any:
        """Raise: nothing should have run it."""
        raise RuntimeError("this property was run, although only its place was asked for")


class ZebraScales(Scales):
    """Inherits the properties, and puts a value in place of one."""

    works = "a value of the class"  # type: ignore[assignment]


class Oven(nn.Module):
    """Another property with a typo, two steps deep."""

    @property
    def heat(self) -> Any:
        """Fail, in the property that it reads."""
        return self.warmth + 1

    @property
    def warmth(self) -> Any:
        """Fail, because of the typo."""
        return self.temprature


class Setter:
    """A data descriptor that is no property."""

    def __set__(self, thing: object, value: Any) -> None:
        """Do nothing."""


class Deleter:
    """A data descriptor by its `__delete__` alone."""

    def __delete__(self, thing: object) -> None:
        """Do nothing."""


class Getter:
    """A descriptor, but not for data: `__get__` alone."""

    def __get__(self, thing: object, owner: type | None = None) -> str:
        return "fetched"


class Rungs:
    """Something on every rung, and a `__getattr__` that knows one name."""

    stored, sent, got, plain, both = Setter(), Deleter(), Getter(), 5, "the class"

    def __init__(self) -> None:
        own = dict.fromkeys(("stored", "sent", "got", "both", "own", "size"), "the object")
        vars(self).update(own)

    @property
    def size(self) -> Any:
        """Raise: nothing should have run it."""
        raise RuntimeError("this property was run, although only its place was asked for")

    def method(self) -> None:
        """Do nothing."""

    def __getattr__(self, name: str) -> str:
        if name == "drawer":
            return "__getattr__"
        raise AttributeError(name)


class Child(Rungs):
    """Puts an ordinary value in place of the property."""

    size = "a value of the class"  # type: ignore[assignment]


def _linear() -> nn.Module:
    return nn.Linear(2, 1)


_MAKERS = (Scales, ZebraScales, Oven, Rungs, Child, object)


def _cases(function: str, **names: str) -> dict[str, Callable[[], tuple[Any, ...]]]:
    """Return a case for each name, by the class of its object: `Scales="size nope"`."""
    makers: dict[str, Callable[[], Any]] = {made.__name__: made for made in _MAKERS}
    makers["Linear"] = _linear
    return {
        f'{function}({owner}(), "{name}")': lambda owner=owner, name=name: (makers[owner](), name)
        for owner, some in names.items()
        for name in some.split()
    }


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
        "If that is a `property`, call its getter again with `found.fget(module)`, and catch the AttributeError. "
        "`str` of the exception is the message that names the missing attribute.",
        "`found = getattr(type(module), name, None)`, then `if isinstance(found, property):` and inside it "
        "`try: found.fget(module)` and `except AttributeError as inner: return f\"in the property '{name}': "
        '{inner}"`. The last line of the function returns the usual message.',
    ),
)
explaining.compare_calls(
    "an ordinary missing name gets the usual message",
    _cases("explain", Scales="nope", ZebraScales="nope", Linear="wieght"),
)
explaining.compare_calls(
    "a broken property is named, with the attribute that is missing inside it",
    _cases("explain", Scales="size", Oven="heat warmth"),
)
explaining.compare_calls(
    "the property may be inherited, or may have been replaced",
    _cases("explain", ZebraScales="size works"),
)
_FOUND = "found = getattr(type(module), name, None)"
_INNER = "return f\"in the property '{name}': {inner}\""
_USUAL = "return f\"'{type(module).__name__}' object has no attribute '{name}'\""
explaining.wrong(
    "never looks for a property",
    {"if isinstance(found, property):": "if False:"},
    says="the property isn't found; `getattr(type(module), name, None)` returns it without running it",
)
explaining.wrong(
    "own class only",
    {_FOUND: "found = vars(type(module)).get(name)"},
    says="`vars(type(module))` misses inherited properties; `getattr(type(module), name, None)` finds them",
)
explaining.wrong(
    "inner message alone",
    {_INNER: "return str(inner)"},
    says="this is the inner message alone; put the name of the property in front of it",
)
explaining.wrong(
    "property alone",
    {_INNER: "return f\"in the property '{name}'\""},
    says="the attribute that is missing inside isn't named; the caught exception has that message",
)
explaining.wrong(
    "one example",
    {_INNER: "return f\"in the property '{name}': 'Scales' object has no attribute 'wieght'\""},
    says="the names of one example are written into the function; take the message of the caught exception",
)
explaining.wrong(
    "the class itself",
    {_USUAL: "return f\"'{type(module)}' object has no attribute '{name}'\""},
    says="`type(module)` is the class; its bare name is `type(module).__name__`",
)

climbing = Exercise(
    "03.6",
    title="The ladder in ten lines",
    takes=("rung_of",),
    minutes=10,
    importance="extra",
    writes=("rung_of",),
    hints=(
        "Search the classes first. The first class in `type(thing).__mro__` whose `vars` holds the name answers "
        "both rung 1 and rung 3.",
        "An attribute of the class is on rung 1 if its type has `__set__` or `__delete__`, and on rung 3 if not. "
        "Between the two comes `vars(thing)`. After that only `__getattr__` is left, so `hasattr` may ask.",
        "`in_class = [vars(kind)[name] for kind in type(thing).__mro__ if name in vars(kind)]`. Then come four "
        "tests in the order of the ladder: `in_class` and `type(in_class[0])` has `__set__` or `__delete__`; "
        "`name in vars(thing)`; `in_class`; `hasattr(thing, name)`.",
    ),
)
climbing.compare_calls(
    "rung 1: properties and other data descriptors, which don't run",
    _cases(
        "rung_of", Rungs="size stored sent __class__", Scales="size costly", ZebraScales="costly"
    ),
)
climbing.compare_calls(
    "rung 2: the object's own `__dict__`",
    _cases("rung_of", Rungs="own both got", Child="size own", Linear="training _parameters"),
)
climbing.compare_calls(
    "rung 3: everything else in the class and its parents",
    _cases(
        "rung_of",
        Rungs="plain method",
        Child="plain __init__",
        ZebraScales="works unit",
        Linear="forward",
    ),
)
climbing.compare_calls(
    "rung 4, or nowhere",
    _cases(
        "rung_of", Rungs="drawer nope", Child="drawer", Linear="weight bias wieght", Scales="nope"
    ),
)
_KINDS = 'if hasattr(kind, "__set__") or hasattr(kind, "__delete__"):'
_LAST = "return 4 if hasattr(thing, name) else None"
climbing.wrong(
    "the object first",
    {
        "if in_class:\n    kind = type(in_class[0])": "if in_class and name not in vars(thing):\n    kind = type(in_class[0])"
    },
    says="`__dict__` comes before data descriptors; rung 1 is above rung 2",
)
climbing.wrong(
    "the oldest class",
    {"kind = type(in_class[0])": "kind = type(in_class[-1])"},
    says="the last class in `__mro__` decides; Python takes the first one that has the name",
)
climbing.wrong(
    "own class only",
    {"for kind in type(thing).__mro__ if": "for kind in (type(thing),) if"},
    says="only the object's own class is searched; its parents are in `type(thing).__mro__`",
)
climbing.wrong(
    "only properties",
    {_KINDS: "if isinstance(in_class[0], property):"},
    says="a property isn't the only data descriptor; test whether the type has `__set__` or `__delete__`",
)
climbing.wrong(
    "every descriptor",
    {_KINDS: 'if hasattr(kind, "__get__"):'},
    says="functions have a `__get__` too; a data descriptor is known by `__set__` or `__delete__`",
)
climbing.wrong(
    "only __set__",
    {_KINDS: 'if hasattr(kind, "__set__"):'},
    says="a type with `__delete__` alone makes a data descriptor, too",
)
climbing.wrong(
    "always finds something",
    {_LAST: "return 4"},
    says="a missing name is on no rung; the answer is None",
)
climbing.wrong(
    "no fourth rung",
    {_LAST: "return None"},
    says="rung 4 is never reached; when the first three fail, `hasattr` tells whether `__getattr__` knows the name",
)
