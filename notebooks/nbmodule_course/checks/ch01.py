"""Chapter 01: the drawers of an empty Module, and the way past `__setattr__`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from ..exercise import Exercise, Wrong, attempt, expect
from ..wording import listing, shown
from .drawers import DRAWERS

SLOTS = ("training", *DRAWERS)
_PYTORCH_MAKES = "PyTorch makes every slot in `__init__`, for each object anew"


def slots_of(module: object) -> dict[str, Any]:
    """Return what an object holds itself, read past all of the reader's methods."""
    slots = attempt(lambda: object.__getattribute__(module, "__dict__")).value
    expect(
        slots is not None,
        did=f"a `{type(module).__name__}` has no `__dict__` at all",
        real="the slots of a Module lie in its `__dict__`, where views and tools look for them",
        likely="`__slots__` in the class: leave it out",
    )
    return slots


def in_class(owner: type, name: str) -> bool:
    """Tell whether a class, or one above it, has an attribute `name`."""
    return any(name in vars(base) for base in owner.__mro__)


def expect_slots(MyModule: type) -> None:
    """Raise `Wrong` unless a new object holds all four slots, made by the reader's own class."""
    ready = [base for base in MyModule.__mro__[1:] if _is_a_ready_module(base)]
    expect(
        not ready,
        did=f"`MyModule` inherits from `{ready[0].__name__ if ready else ''}`, which makes the slots for it",
        real="PyTorch's `nn.Module` has no such parent: it makes every slot itself",
        likely="you inherited it; here it is to be built: `class MyModule:`, with nothing in parentheses",
    )
    module = MyModule()
    slots = slots_of(module)
    missing = [name for name in SLOTS if name not in slots]
    are = "is" if len(missing) == 1 else "are"
    expect(
        not missing,
        did=f"in the `__dict__` of `MyModule()`, {_code(missing)} {are} missing",
        real=_PYTORCH_MAKES,
        likely=_why_missing(MyModule, missing, slots),
    )


def _is_a_ready_module(base: type) -> bool:
    """Tell whether `base` is somebody's finished Module: ours, the course's or PyTorch's."""
    return base.__module__.partition(".")[0] in ("nbmodule", "nbmodule_course", "torch")


def _why_missing(MyModule: type, missing: list[str], slots: dict[str, Any]) -> str:
    shared = [name for name in missing if in_class(MyModule, name)]
    other = [name for name in slots if name not in SLOTS]
    if shared:
        return f"written in the class, outside of `__init__`: {_code(shared)}. That is one for all objects"
    if other:
        return f"misspelled? The object holds {_code(other)}"
    if MyModule.__init__ is object.__init__:
        return (
            "Python calls no method but `__init__` by itself, with two underscores on either side"
        )
    if not slots:
        return "nothing was stored: names without `self.` before them are gone when `__init__` ends"
    return ""


def _code(names: Iterable[str]) -> str:
    """Return "`a`, `b` and `c`", or ''."""
    marked = [f"`{name}`" for name in names]
    return listing(marked) if marked else ""


def slot_of(module: object, name: str) -> Any:
    """Return one slot of `module`; raise a short `Wrong` if it is missing."""
    slots = slots_of(module)
    expect(
        name in slots,
        did=f"there is no `{name}` in the object to look at",
        real=_PYTORCH_MAKES,
    )
    return slots[name]


def expect_training(MyModule: type) -> None:
    """Raise `Wrong` unless a new object is in training mode."""
    given = slot_of(MyModule(), "training")
    expect(
        given is True,
        did=f"`MyModule().training` is {shown(given)}",
        real="a new PyTorch module is in training mode: `training` is True until you call `eval()`",
        likely="every model begins by learning, so it is not False at the start"
        if given is False
        else "`training` is a switch: True or False, nothing else",
    )


def expect_dictionaries(MyModule: type) -> None:
    """Raise `Wrong` unless every drawer is an empty dictionary."""
    module = MyModule()
    for name in DRAWERS:
        given = slot_of(module, name)
        expect(
            isinstance(given, dict),
            did=f"`MyModule().{name}` is {shown(given)}",
            real="each drawer is a dictionary: from a name to what lies there",
            likely=_not_a_drawer(given),
        )
        expect(
            not given,
            did=f"`MyModule().{name}` is not empty: {shown(given)}",
            real="nothing has been handed over yet, so all drawers are empty",
            likely="the drawer was filled in `__init__`, or belongs to something else too",
        )


def _not_a_drawer(given: Any) -> str:
    if isinstance(given, list | tuple):
        return f"a {type(given).__name__} has no names, and `self.fc` is asked for by its name: use `{{}}`"
    if isinstance(given, set):
        return "a set holds names without things; note that `set()` is the empty set, and `{}` the empty dict"
    if given is dict or given is OrderedDict:
        return "the class itself was stored; the parentheses make a dictionary of it: `dict()`"
    if given is None:
        return "None is no drawer: nothing can be put into it. Begin with `{}`"
    return "an empty dictionary is written `{}`"


def expect_own_drawers(MyModule: type) -> None:
    """Raise `Wrong` unless two objects, and the three drawers of one, are apart."""
    one, other = MyModule(), MyModule()
    for name in DRAWERS:
        given = slot_of(one, name)
        expect(
            given is None or given is not slot_of(other, name),
            did=f"two objects share one `{name}`: what one puts in, the other has too",
            real=_PYTORCH_MAKES,
            likely="the dictionary is made once, with the class or as a default argument; make it in the "
            "body of `__init__`",
        )
    pairs = (DRAWERS[:2], DRAWERS[1:], DRAWERS[::2])
    for first, second in pairs:
        given = slot_of(one, first)
        expect(
            given is None or given is not slot_of(one, second),
            did=f"`{first}` and `{second}` of one object are the same dictionary",
            real="three drawers are three dictionaries",
            likely="`a = b = {}` makes one dictionary with two names; write `{}` once for each drawer",
        )


# ---- 01.1

drawers = Exercise(
    "01.1",
    title="Four slots for every object",
    takes=("MyModule",),
    hints=(
        "Look at the listing above: which four names does the real one have that you need now? Give each object "
        "its own: `__init__` runs once for every object.",
        "`self.training` says whether the module is learning, and a new one is. A drawer is an empty "
        "dictionary, `{}`, and each of the three needs one of its own.",
        "`self.training = True`, then `self._parameters = {}`, and likewise `_buffers` and `_modules`.",
    ),
)


@drawers.sub("a new object holds `training` and three drawers, by their right names")
def has_the_slots(MyModule):
    expect_slots(MyModule)


@drawers.sub("a new module is in training mode")
def is_training(MyModule):
    expect_training(MyModule)


@drawers.sub("every drawer is an empty dictionary")
def drawers_are_dictionaries(MyModule):
    expect_dictionaries(MyModule)


@drawers.sub("no drawer is shared: not by two objects, and not by two names")
def drawers_are_apart(MyModule):
    expect_own_drawers(MyModule)


# ---- 01.2

past_the_clerk = Exercise(
    "01.2",
    title="Past the clerk",
    takes=("MyModule",),
    hints=(
        "`self.x = …` always calls `__setattr__` of the whole class, so also the strict one of a subclass. "
        "Which other ways are there to put something into an object?",
        "The class above yours has a `__setattr__` as well, and that one looks into no drawers: "
        "`super().__setattr__(name, value)`. Note that there is no `self` in the parentheses.",
        '`super().__setattr__("_parameters", {})`, and the same for the other three slots. '
        '`self.__dict__["_parameters"] = {}` is another way.',
    ),
)


def strict_class(MyModule: type) -> type:
    """Return a subclass whose clerk looks into all drawers before anything is stored."""

    class Strict(MyModule):
        def __setattr__(self, name, value):
            for drawer in DRAWERS:
                if name in getattr(self, drawer):
                    raise TypeError(f"there is a '{name}' in {drawer} already")
            super().__setattr__(name, value)

    return Strict


@past_the_clerk.sub("all that 01.1 asked for is still there")
def still_has_drawers(MyModule):
    expect_slots(MyModule)
    expect_training(MyModule)
    expect_dictionaries(MyModule)
    expect_own_drawers(MyModule)


@past_the_clerk.sub("a subclass with a strict `__setattr__` can be built")
def strict_can_be_built(MyModule):
    Strict = strict_class(MyModule)
    tried = attempt(Strict)
    if tried.error is not None:
        raise Wrong(
            did="a subclass whose `__setattr__` looks into the drawers could not even be built",
            real="PyTorch makes its slots past `__setattr__`, and such a subclass works",
            likely=_why_not_built(tried.error),
        ) from tried.error
    slots = slots_of(tried.value)
    missing = [name for name in slots_of(MyModule()) if name in SLOTS and name not in slots]
    expect(
        not missing,
        did=f"with a strict `__setattr__`, {_code(missing)} was not made",
        real="PyTorch makes the same slots, whatever a subclass does with `__setattr__`",
        likely="the slot is made on another way when the first one fails; one way must do for all",
    )


def _why_not_built(error: BaseException) -> str:
    said = str(error)
    if isinstance(error, AttributeError) and any(drawer in said for drawer in DRAWERS):
        return (
            "`self.x = …` and `setattr(self, …)` both call `__setattr__`, and that one looks into "
            "drawers which you are only just making"
        )
    if isinstance(error, TypeError) and "argument" in said:
        return (
            '`super().__setattr__("x", value)` takes a name and a value; `object.__setattr__(self, "x", '
            "value)` takes the object first"
        )
    return ""


@past_the_clerk.sub("the clerk of a subclass is not called for the slots")
def clerk_is_not_called(MyModule):
    called: list[str] = []

    class Listening(MyModule):
        def __setattr__(self, name, value):
            called.append(name)
            super().__setattr__(name, value)

    Listening()
    expect(
        not [name for name in called if name in (*SLOTS, "__dict__")],
        did=f"`__setattr__` was called for {_code(dict.fromkeys(called))}",
        real="in PyTorch it is not called for any of the slots: they are made past it",
        likely="these names are still assigned with `self.… = …`",
    )


@past_the_clerk.sub("what was there before stays there")
def keeps_what_was_there(MyModule):
    class Early(MyModule):
        def __init__(self):
            object.__setattr__(self, "note", "written before super().__init__()")
            super().__init__()

    expect(
        "note" in slots_of(Early()),
        did="an attribute that was set before `super().__init__()` is gone afterwards",
        real="PyTorch adds its slots and leaves the rest alone",
        likely="`__dict__` was replaced by a new dictionary; put the slots into the one that is there",
    )


@past_the_clerk.sub("other attributes still pass the clerk")
def others_pass_the_clerk(MyModule):
    class Doubling(MyModule):
        def __setattr__(self, name, value):
            super().__setattr__(name, 2 * value if name == "n" else value)

    module = Doubling()
    module.n = 21
    given = slots_of(module).get("n")
    expect(
        given == 42,
        did=f"a subclass's `__setattr__` stores the double of `n`; after `m.n = 21`, `n` is {shown(given)}",
        real="only the making of the slots goes past `__setattr__`; later assignments don't",
        likely="the way past the clerk was opened for good, not just in `__init__`",
    )
