"""General slips, known once for all exercises: work that is not the reader's, and usual ways to go wrong."""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbmodule
from nbmodule import nn

from ..capture import captured
from ..diagnosis import is_reader, likely_mistake, reader_place, what_it_said
from ..mine.solutions import beside_module, solution_of
from ..mine.together import names_in
from ..wording import listing
from .budget import budget
from .calls import ask_all, ends_without, made_lazily
from .compare import Difference, Overtime, Pair, message_of, perform
from .groups import Calls, Group
from .library import stands_on_pytorch
from .solutions import ANSWERS, solved_names
from .swallowed import swallowed
from .world import Pool, subject

if TYPE_CHECKING:
    from ..exercise import Exercise

Words = tuple[str, str, str]
"""What the reader did, what is right, and what to change."""

_WATCHED = (nn.Module, nn.Parameter, nbmodule.Tensor, object)
_AS_SHIPPED = {owner: dict(vars(owner)) for owner in _WATCHED}
_SUPER = re.compile(r"super\(\s*(type\(self\)|self\.__class__)\s*,")


def before_all(exercise: Exercise, item: Any) -> Words | None:
    """Return what must be said before anything is compared, or None."""
    patched = list(replaced())
    if patched:
        return (
            f"{listing(patched)} of the library itself has been replaced",
            "the library stays as it is, so that the two can be compared",
            "restart the kernel, and write your methods in your own class",
        )
    later = _run_later(exercise, item)
    if later:
        return later
    if _comes_with_a_library(item):
        return (f"`{exercise.takes[0]}` is the library's own", "you write it yourself", "")
    if not isinstance(item, type):
        return None
    finished = "" if _written_on_pytorch(exercise, item) else _finished_parent(item)
    if finished and exercise.takes[0] in beside_module().classes:
        return (
            f"your class inherits from `{finished}`, the finished one",
            "it has no parent, and every method in it is yours",
            f"write `class {exercise.takes[0]}:`, with `@mine.extend` above it",
        )
    if finished and exercise.takes[0] != "Module":
        return (
            f"your class inherits from `{finished}`, the finished one",
            "it stands on your own Module, and every method in it is yours",
            f"write `class {exercise.takes[0]}(Module):`, with `@mine.extend` above it",
        )
    if finished:
        return (
            f"your class inherits from `{finished}`, the finished one",
            "your Module has no parent: every method in it is yours",
            "write `class Module:`, with `@mine.extend` above it",
        )
    for name in exercise.writes:
        function = _function(inspect.getattr_static(item, name, None))
        if function is not None and _of_library(function.__code__):
            return (
                f"`{name}` of your class is the library's own",
                "you write it yourself",
                "",
            )
    return _unextended(exercise, item)


def _run_later(exercise: Exercise, item: Any) -> Words | None:
    """Tell of `async def`, before a call of it makes Python warn that nobody waits for what it gives."""
    own = {getattr(item, "__name__", "your function"): item}
    if isinstance(item, type):
        asked = {*exercise.writes, *vars(solved_names(exercise.id).get(exercise.takes[0], object))}
        own = {n: v for base in item.__mro__[:-1] for n, v in vars(base).items() if n in asked}
    for name, value in own.items():
        function = _function(value)
        if function is not None and function.__code__.co_flags & _ASYNC:
            return (
                f"a call of `{name}` runs nothing of it yet",
                "a call runs it",
                "`async def` gives a coroutine, which has not run yet; write `def`",
            )
    return None


_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _finished_parent(item: type) -> str:
    """Return which finished class did the work: "nn.Module" or "mine.Linear"; '' where none did."""
    for base in item.__mro__[1:-1]:
        room = base.__module__.partition(".")[0]
        if room in ("nbmodule", "torch") and base.__name__ == "Tensor":
            return f"{room}.Tensor"
        if room in ("nbmodule", "torch"):
            return f"{'nn' if room == 'torch' or issubclass(base, nn.Module) else 'mine'}.{base.__name__}"
    return ""


def _comes_with_a_library(item: Any) -> bool:
    """Tell whether a class or a function stands in the library itself, or in PyTorch."""
    room = str(getattr(item, "__module__", ""))
    there = vars(sys.modules[room]) if room in sys.modules else {}
    return (
        room.partition(".")[0] in ("nbmodule", "torch")
        and there.get(getattr(item, "__name__", "")) is item
    )


def _written_on_pytorch(exercise: Exercise, item: type) -> bool:
    """Tell whether a class stands on PyTorch's Module and has methods of its own for all that is asked."""
    if not (exercise.on_torch and stands_on_pytorch(item)):
        return False
    own = item.__mro__[: item.__mro__.index(sys.modules["torch"].nn.Module)]
    return all(any(name in vars(base) for base in own) for name in exercise.writes)


def _unextended(exercise: Exercise, item: type) -> Words | None:
    """Tell a class that lacks what earlier exercises wrote: its cell has no `@mine.extend`."""
    solved = solved_names(exercise.id)
    ours, layer = solved["Module"], solved.get(exercise.takes[0])
    if isinstance(layer, type) and ours in layer.__mro__[1:]:
        if item.__bases__ != (object,):
            return None
        return (
            f"`{item.__name__}` has no parent, so its objects have no drawers",
            "it stands on your own Module",
            f"write `class {exercise.takes[0]}(Module):`, with `@mine.extend` above it",
        )
    if not isinstance(layer, type):
        layer = ours
    written = {"__init__", f"{layer.__name__}.__init__"} & {
        *exercise.writes,
        *solution_of(exercise.id).names,
    }
    if written or "__init__" not in vars(layer):
        return None
    if any("__init__" in vars(base) for base in item.__mro__[:-1]):
        return None
    lack = "no drawers" if layer is ours else "nothing in them"
    return (
        f"`{item.__name__}` has no `__init__`, so its objects have {lack}",
        "it keeps the methods of the earlier exercises",
        f"the line `@mine.extend` is missing above `class {layer.__name__}:`",
    )


def never_written(exercise: Exercise, item: Any) -> Words | None:
    """Return that a class does its work by other means than the special method that is asked for, or None."""
    if isinstance(item, type):
        asked = exercise.takes[0] in exercise.writes and vars(
            solved_names(exercise.id)[exercise.takes[0]]
        )
        if (
            asked
            and "forward" in asked
            and not any("forward" in vars(c) for c in item.__mro__[:-2])
        ):
            did = f"`{item.__name__}` has no `forward` of its own"
            return did, "you write `forward`: your `__call__` runs it, and the hooks", ""
        for name in exercise.writes:
            if name.startswith("__") and not any(name in vars(base) for base in item.__mro__[:-1]):
                did = f"`{item.__name__}` has no `{name}` of its own"
                return did, f"you write `{name}`: what calls it by its name finds yours", ""
    return None


def not_their_own(exercise: Exercise, item: Any) -> Words | None:
    """Return that a method or a function of the library did the reader's work, or None."""
    if not exercise.writes:
        return None
    asked, used = exercise.takes[0], set[str]()

    def look(frame: types.FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and of_module(code) and _asked_name(code) in exercise.writes:
            used.add(_asked_name(code))
        if event == "call" and asked in exercise.writes and _finished(frame, asked):
            used.add(asked)

    groups, outer = exercise.referee.groups, sys.getprofile()
    programs = [p for g in groups if isinstance(g, Group) for p in g.programs]
    if outer is not None and not callable(outer):
        return None  # `%prun`: there is one such place, and it is taken
    try:
        with budget(), captured():
            sys.setprofile(look)
            try:
                for program in programs[:: max(1, len(programs) // 60)]:
                    perform(subject(item, asked), program, Pool(), ())
                for group in groups:
                    if isinstance(group, Calls) and asked in exercise.writes:
                        ask_all(item, group)
            finally:
                sys.setprofile(outer)
    except Overtime:
        return None
    if not used:
        return None
    name = sorted(used)[0]
    if name == asked:
        return (
            f"the library's own `{name}` did the work: your code calls it",
            "you write it yourself",
            "",
        )
    return (
        f"the library's own `{name}` did the work: your method calls it",
        "you write it yourself, and call `object`'s method where you need an ordinary one",
        "",
    )


def _finished(frame: types.FrameType, asked: str) -> bool:
    """Tell whether a frame runs the library's own version of what is asked, and the reader's code has called it."""
    if frame.f_code.co_qualname.partition(".")[0] != asked or not _of_a_library(frame):
        return False
    caller = frame.f_back
    while caller is not None and _of_a_library(caller):
        caller = caller.f_back
    room = caller.f_globals.get("__name__", "") if caller is not None else ""
    return room == ANSWERS or (room != "" and caller is not None and is_reader(caller))


def _of_a_library(frame: types.FrameType) -> bool:
    room = str(frame.f_globals.get("__name__"))
    return room.partition(".")[0] in ("nbmodule", "torch", "contextlib")


def slip_in_the_source(found: Difference, item: type, pair: Pair) -> str:
    """Return which slip stands in the reader's source and was at work, or ''."""
    loops = isinstance(found.theirs.error, RecursionError)
    if (loops or found.theirs.error is None) and any(map(_SUPER.search, _supers(item))):
        return "`super(type(self), self)` never gets past the first subclass; write `super()`"
    if found.theirs.error is not None:
        return ""
    caught = swallowed(lambda: perform(pair.Theirs, found.program, Pool(), ()))
    if caught is None:
        return ""
    return f"your `except` caught `{what_it_said(caught.error)}`, raised by `{caught.line}`"


def likely_slip(found: Difference, pair: Pair) -> str:
    """Return which general slip a difference shows beyond doubt, or ''."""
    theirs, ours = found.theirs, found.ours
    if made_lazily(theirs.value):
        return made_lazily(theirs.value)
    if ours.value is None and _is_error(theirs.value):
        return "`return` hands the exception to the caller like any value; use `raise`"
    if isinstance(theirs.error, RecursionError):
        return likely_mistake(theirs.error, reader_place(theirs.error))
    if isinstance(theirs.error, AttributeError):
        return _cell_not_run(theirs.error, pair)
    if theirs.error is None and theirs.gave == "None" and ours.gave not in ("", "None"):
        if theirs.printed.strip() and ours.gave.strip("'") in theirs.printed:
            return "the value is printed; `return` hands it to the caller"
        return ends_without(lambda: perform(pair.Theirs, found.program, Pool(), ()))
    return ""


def _cell_not_run(error: AttributeError, pair: Pair) -> str:
    """Return which exercise writes the method that `error` misses in the reader's class, or ''.

    A restarted kernel knows nothing of the cells that ran before, and the class lacks what they gave it.
    """
    from ..exercise import all_exercises

    said = set(re.findall(r"\w+", message_of(error)))
    for exercise in all_exercises().values():
        for name in exercise.writes:
            if name in said and hasattr(pair.Ours, name) and not hasattr(pair.Theirs, name):
                return f"`{name}` comes from exercise {exercise.id}, and your class doesn't have it; if you restarted the kernel, run that cell again"
    return ""


def _is_error(value: Any) -> bool:
    kind = value if isinstance(value, type) else type(value)
    return issubclass(kind, BaseException)


def _supers(item: type) -> Iterator[str]:
    """Yield the source of each method of the reader's that says `super`."""
    for base in item.__mro__[:-1]:
        for value in vars(base).values():
            function = _function(value)
            if function is None or _of_library(function.__code__):
                continue
            if "super" in names_in(function):
                try:
                    yield inspect.getsource(function)
                except (OSError, TypeError):
                    continue


def _function(value: Any) -> types.FunctionType | None:
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    value = inspect.unwrap(value) if callable(value) else value  # behind `@no_grad()`, it's theirs
    return value if isinstance(value, types.FunctionType) else None


def _of_library(code: types.CodeType) -> bool:
    return code.co_filename.startswith(_LIBRARY)


def of_module(code: types.CodeType) -> bool:
    """Tell whether this is a method of a finished `Module`, the library's or PyTorch's, not of a layer."""
    finished = _of_library(code) or code.co_filename.endswith(_PYTORCHS)
    return finished and code.co_qualname.startswith("Module.")


_PYTORCHS = str(Path("torch", "nn", "modules", "module.py"))


def _asked_name(code: types.CodeType) -> str:
    """Return the name under which a method is asked for: PyTorch's `__call__` is made of two with other names."""
    return "__call__" if code.co_name in ("_call_impl", "_wrapped_call_impl") else code.co_name


_LIBRARY = str(nbmodule.__file__).rpartition("__init__")[0]


def replaced() -> Iterator[str]:
    """Yield the methods of the library's classes that are not those it came with."""
    for owner, shipped in _AS_SHIPPED.items():
        now = vars(owner)
        for name in {*shipped, *now}:
            first = shipped.get(name, now.get(name))
            kinds = types.FunctionType | types.WrapperDescriptorType
            if isinstance(first, kinds) and now.get(name) is not shipped.get(name):
                yield f"`{owner.__name__}.{name}`"
