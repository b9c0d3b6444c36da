"""Chapter 03, second exercise: what copying asks of `__getattr__`."""

from __future__ import annotations

import copy
import io
import pickle

from ..exercise import Exercise, Wrong, attempt, expect
from ..wording import listing, shown
from .ch03 import expect_found, expect_missing, furnished
from .drawers import DRAWERS, held

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
    _expect_few_calls(Fetcher)


_FEW = 50  # far more than three drawers need, far fewer than Python's limit


def _expect_few_calls(Fetcher: type) -> None:
    """Raise `Wrong` if one question makes `__getattr__` call itself up to Python's limit."""
    calls: list[str] = []

    class Counted(Fetcher):
        def __getattr__(self, name):
            calls.append(name)
            return super().__getattr__(name)

    attempt(lambda: _blank(Counted).w)
    expect(
        len(calls) <= _FEW,
        did=f"before `__init__`, the one question `m.w` called `__getattr__` more than {_FEW} times",
        real="it is called once, and says no",
        likely="the endless calls are still there, and only their RecursionError is caught; look the drawers "
        "up in `self.__dict__`, and nothing calls itself",
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
