"""Chapter 03: `__getattr__`, and what copying asks of it."""

from __future__ import annotations

import copy
import io
import pickle

from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise, Wrong, attempt, expect
from ..wording import listing, shown
from .drawers import DRAWERS, held, weight


def furnished(Class):
    """Return an object of `Class` with one entry in every drawer, put there by hand, and those entries."""
    module = Class()
    entries = {"w": weight(3.0), "mean": tensor([4.0]), "fc": nn.Linear(2, 1)}
    for drawer, (name, value) in zip(DRAWERS, entries.items(), strict=True):
        held(module, drawer)[name] = value
    return module, entries


def expect_found(module: object, name: str, value: object, drawer: str, likely: str = "") -> None:
    """Raise `Wrong` unless `module.name` is `value` itself."""
    tried = attempt(lambda: getattr(module, name))
    got = shown(tried.value) if tried.error is None else tried.said
    expect(
        tried.error is None and tried.value is value,
        did=f"`{name}` lies in `{drawer}`; `m.{name}` gave {got}",
        real=f"it is the object that lies there, {shown(value)}",
        likely=likely,
    )


def expect_missing(module: object, name: str, likely: str = "") -> str:
    """Raise `Wrong` unless `module.name` is an AttributeError; return its message."""
    tried = attempt(lambda: getattr(module, name))
    got = f"gave {shown(tried.value)}" if tried.error is None else f"raised {tried.said}"
    expect(
        tried.raised(AttributeError),
        did=f"there is no `{name}`, and `m.{name}` {got}",
        real="it is an AttributeError: `hasattr`, `getattr` with a default, `copy` and `pickle` all wait for "
        "that one and no other",
        likely=likely,
    )
    return str(tried.error)


# ---- 03.1

fetching = Exercise(
    "03.1",
    title="Fetch it from the drawers",
    takes=("MyModule",),
    hints=(
        "Python has looked in all ordinary places already, in vain. Which three places are left?",
        "Ask each drawer `if name in drawer: return drawer[name]`. And when all three have said no, say so as "
        "Python does: `raise AttributeError(…)`, with the names of class and attribute.",
        "`for drawer in (self._parameters, self._buffers, self._modules):` with the two lines of hint 2, and "
        "after the loop `raise AttributeError(f\"'{type(self).__name__}' object has no attribute "
        "'{name}'\")`.",
    ),
)


def _finds(title: str, name: str, drawer: str) -> None:
    @fetching.sub(title)
    def look(MyModule):
        module, entries = furnished(MyModule)
        expect_found(module, name, entries[name], drawer, f"`{drawer}` is never asked")


_finds("a parameter is found", "w", "_parameters")
_finds("a buffer is found", "mean", "_buffers")
_finds("a child is found", "fc", "_modules")


@fetching.sub("so is an entry that is None, zero or empty")
def finds_falsy(MyModule):
    """`m.bias` is None in `nn.Linear(2, 1, bias=False)`; a child without parts may have length 0."""
    module = MyModule()
    held(module, "_parameters")["bias"] = None
    likely = (
        "the value is asked whether it is true (`drawer.get(name) or …`, `if value:`); ask whether the name "
        "is there: `if name in drawer`"
    )
    expect_found(module, "bias", None, "_parameters", likely)
    for name, value in (("zero", tensor(0.0)), ("many", tensor([1.0, 2.0]))):
        held(module, "_parameters")[name] = value = Parameter(value)
        expect_found(module, name, value, "_parameters", likely)
    held(module, "_modules")["empty"] = empty = nn.Sequential()
    expect_found(module, "empty", empty, "_modules", likely)


@fetching.sub("a missing name is an AttributeError")
def missing_raises(MyModule):
    module, _ = furnished(MyModule)
    expect_missing(
        module,
        "nope",
        "the end of the method is reached without `raise`, which returns None; or a dictionary is asked "
        "with `[…]` for a name that it has not, which is a KeyError",
    )


@fetching.sub("its message names the class and the attribute")
def message_names(MyModule):
    class ZebraNet(MyModule):
        pass

    message = expect_missing(furnished(ZebraNet)[0], "stripes")
    expect(
        "ZebraNet" in message and "stripes" in message,
        did=f"`stripes` is missing in an object of class ZebraNet, and the message is {message!r}",
        real="it is \"'ZebraNet' object has no attribute 'stripes'\"",
        likely="the message is empty, or the class is written into it; `type(self).__name__` knows it",
    )


@fetching.sub("`hasattr` and a default for `getattr` work")
def hasattr_works(MyModule):
    module, _ = furnished(MyModule)
    asked = attempt(lambda: (hasattr(module, "w"), hasattr(module, "nope")))
    expect(
        asked.value == (True, False),
        did='`hasattr(m, "w")` and `hasattr(m, "nope")` gave '
        + (str(asked.value) if asked.error is None else asked.said),
        real="they are (True, False)",
        likely="`hasattr` calls your method and understands one answer as no: an AttributeError",
    )
    default = attempt(lambda: getattr(module, "nope", "spare"))
    expect(
        default.value == "spare",
        did='`getattr(m, "nope", "spare")` gave '
        + (shown(default.value) if default.error is None else default.said),
        real='it is "spare"',
        likely="only an AttributeError makes `getattr` fall back on the default",
    )


@fetching.sub("plain attributes, methods and properties are left alone")
def ordinary_names(MyModule):
    class Thermostat(MyModule):
        unit = "kelvin"

        @property
        def heat(self):
            return 300

    module, _ = furnished(Thermostat)
    held(module, "__dict__")["lr"] = 0.1
    tried = attempt(lambda: (module.lr, module.unit, module.heat, module.training))
    expect(
        tried.value == (0.1, "kelvin", 300, True),
        did="a plain attribute, a class attribute, a property and `training` gave "
        + (shown(tried.value) if tried.error is None else tried.said),
        real="they are (0.1, 'kelvin', 300, True), found without your help",
        likely="`__getattribute__` is overridden; `__getattr__` is asked only when all else has failed",
    )


# ---- 03.2

copying = Exercise(
    "03.2",
    title="Survive copying",
    takes=("Fetcher",),
    hints=(
        "Who asks an object without drawers, and what does your method then do to open the drawer `_parameters`?",
        "`self._parameters` is itself an access to an attribute. When it is missing, Python calls `__getattr__` "
        "once more. `self.__dict__` is never missing: open the drawers through it.",
        '`for drawer in ("_parameters", "_buffers", "_modules"):` and inside `found = '
        "self.__dict__.get(drawer, {})`, then `if name in found: return found[name]`. The `raise` stays.",
    ),
)

_ASKED_BY_COPY = ("__deepcopy__", "__copy__", "__setstate__", "__getnewargs__")


def _blank(Class):
    """Return an object whose `__init__` has not run, as `copy` and `pickle` make one."""
    return object.__new__(Class)


@copying.sub("it still fetches, and still refuses")
def still_fetches(Fetcher):
    module, entries = furnished(Fetcher)
    for drawer, (name, value) in zip(DRAWERS, entries.items(), strict=True):
        expect_found(module, name, value, drawer)
    expect_missing(module, "nope")


@copying.sub("an object without drawers answers what copying asks")
def answers_copy(Fetcher):
    asked = [name for name in _ASKED_BY_COPY if not hasattr(Fetcher, name)]
    answers = {name: attempt(lambda name=name: getattr(_blank(Fetcher), name)) for name in asked}
    bad = [name for name, tried in answers.items() if not tried.raised(AttributeError)]
    if bad:
        first = answers[bad[0]]
        got = (
            f"gave {shown(first.value)}" if first.error is None else f"raised {_kind(first.error)}"
        )
        raise Wrong(
            did=f"before `__init__`, a wrong answer to {listing(f'`{name}`' for name in bad)}: "
            f"`m.{bad[0]}` {got}",
            real='each of them is an AttributeError: "no, this object has no such method"',
            likely=_why(first.error, first.value),
        )


@copying.sub("and so with every other name")
def answers_any(Fetcher):
    for name in ("w", "_parameters", "_buffers", "_modules"):
        tried = attempt(lambda name=name: getattr(_blank(Fetcher), name))
        if not tried.raised(AttributeError):
            got = (
                f"gave {shown(tried.value)}"
                if tried.error is None
                else f"raised {_kind(tried.error)}"
            )
            raise Wrong(
                did=f"before `__init__`, the ordinary name `m.{name}` {got}",
                real="it is an AttributeError",
                likely=_why(tried.error, tried.value),
            )


def _kind(error: BaseException) -> str:
    return type(error).__name__


def _why(error: BaseException | None, value: object) -> str:
    if isinstance(error, RecursionError):
        return (
            "a drawer is looked up as an attribute; it is not there, so `__getattr__` is called for the drawer, "
            "which looks up the drawer… Special names are not the cause, so treating them apart is no cure"
        )
    if error is None:
        return f"there are no drawers, and instead of raising, {shown(value)} is returned"
    return "whatever goes wrong on the way, the answer to a missing name is an AttributeError"


def _why_again(error: BaseException | None) -> str:
    """Return the likely mistake behind a copy that failed; the long text stands further up."""
    if isinstance(error, RecursionError):
        return (
            "the same as above: the new object, still without drawers, was asked for `__setstate__`"
        )
    return _why(error, None)


@copying.sub("asking changes nothing")
def asking_is_free(Fetcher):
    module = _blank(Fetcher)
    attempt(lambda: module.w)
    slots = list(held(module, "__dict__"))
    expect(
        not slots,
        did=f"before `__init__`, `m.w` was only asked for, and now `__dict__` has {slots}",
        real="`__dict__` is as empty as before",
        likely="missing drawers are made on the spot (`setdefault`); then a forgotten `super().__init__()` is "
        "never noticed",
    )


def _expect_same(module: object, twin: object, Class: type, how: str) -> None:
    """Raise `Wrong` unless `twin` is another object with equal contents."""
    expect(
        type(twin) is Class and twin is not module,
        did=f"`{how}` gave {shown(type(twin).__name__)}"
        + (", the very same object" if twin is module else ""),
        real="it is a second object of the same class",
        likely="a method such as `__deepcopy__` was written where none is needed",
    )
    slots = held(twin, "__dict__")
    lost = [d for d in DRAWERS if list(slots.get(d, {})) != list(held(module, d))]
    expect(
        not lost and slots.get("width") == 2,
        did=f"after `{how}`, {listing(f'`{d}`' for d in lost) if lost else '`width`'} of the copy lacks "
        "what the original has",
        real="the copy has the same names in the same drawers",
        likely="the copy is built anew instead of being copied",
    )


def _sized(Fetcher):
    """Return a class whose `__init__` needs an argument, as most layers' does, and an object of it."""

    class Sized(Fetcher):
        def __init__(self, width):
            super().__init__()
            held(self, "__dict__")["width"] = width

    module = Sized(2)
    for drawer, (name, value) in zip(DRAWERS, furnished(Fetcher)[1].items(), strict=True):
        held(module, drawer)[name] = value
    held(module, "_modules")["own"] = furnished(Fetcher)[0]
    return Sized, module


@copying.sub("`copy.deepcopy` makes an independent twin")
def deepcopy_works(Fetcher):
    Sized, module = _sized(Fetcher)
    tried = attempt(lambda: copy.deepcopy(module))
    expect(
        tried.error is None,
        did=f"`copy.deepcopy(m)` raised {_kind(tried.error) if tried.error else ''}",
        real="it makes a second module",
        likely=_why_again(tried.error),
    )
    _expect_same(module, tried.value, Sized, "copy.deepcopy(m)")
    twin, old = held(tried.value, "_parameters")["w"], held(module, "_parameters")["w"]
    expect(
        twin is not old and twin.item() == old.item(),
        did="the deep copy's `w` is "
        + ("the same object as" if twin is old else "different from")
        + " the original's",
        real="it is another Parameter with the same value",
        likely="a `__deepcopy__` of your own hands out the original's parts",
    )


@copying.sub("`copy.copy` works")
def copy_works(Fetcher):
    Sized, module = _sized(Fetcher)
    tried = attempt(lambda: copy.copy(module))
    expect(
        tried.error is None,
        did=f"`copy.copy(m)` raised {_kind(tried.error) if tried.error else ''}",
        real="it makes a second module that shares the drawers",
        likely=_why_again(tried.error),
    )
    _expect_same(module, tried.value, Sized, "copy.copy(m)")


@copying.sub("`pickle` there and back works")
def pickle_works(Fetcher):
    Sized, module = _sized(Fetcher)
    tried = attempt(lambda: _through_pickle(module, (Sized, Fetcher)))
    expect(
        tried.error is None,
        did=f"`pickle.loads(pickle.dumps(m))` raised {_kind(tried.error) if tried.error else ''}",
        real="it makes a second module",
        likely=_why_again(tried.error),
    )
    _expect_same(module, tried.value, Sized, "pickle.loads(pickle.dumps(m))")


def _through_pickle(module: object, classes: tuple[type, ...]) -> object:
    """Pickle and unpickle; `classes` need no name that an import could find."""

    class Writer(pickle.Pickler):
        def persistent_id(self, item):
            return classes.index(item) if isinstance(item, type) and item in classes else None

    class Reader(pickle.Unpickler):
        def persistent_load(self, number):
            return classes[number]

    file = io.BytesIO()
    Writer(file).dump(module)
    file.seek(0)
    return Reader(file).load()
