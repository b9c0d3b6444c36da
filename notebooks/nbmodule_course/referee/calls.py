"""Compares a reader's function with the solution's: what it returns, raises, and does to what it was handed."""

from __future__ import annotations

import dis
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral, Number
from typing import Any

from nbmodule import Tensor

from ..capture import captured
from ..diagnosis import is_reader, what_it_said
from ..wording import first_lines, shown, without_addresses
from .chance import begin_again
from .compare import Overtime, closed, near, same_text, without_numbers
from .groups import Calls, Case
from .solutions import ANSWERS
from .world import DRAWERS, slots_of

_DEEP = 4


@dataclass(frozen=True)
class CallDifference:
    """A call on which the two differ, in words; see `verdict.Finding`."""

    case: Case
    did: str
    real: str
    slip: str
    error: BaseException | None
    printed: str


@dataclass(frozen=True)
class _Answer:
    value: Any
    error: BaseException | None
    printed: str

    @property
    def words(self) -> str:
        if self.error is not None:
            return f"raises `{first_lines(what_it_said(self.error), 2)}`"
        return f"gives `{shown(self.value)}`"


def _told_apart(*answers: _Answer) -> tuple[str, ...]:
    """Return the words of two answers; where both are cut before they differ, from shortly before that place."""
    words = tuple(answer.words for answer in answers)
    if len(set(words)) > 1 or not words[0].endswith("…`"):
        return words
    texts = [without_addresses(repr(answer.value)) for answer in answers]
    pairs = enumerate(zip(*texts, strict=False))
    same = next((place for place, letters in pairs if len(set(letters)) > 1), None)
    if same is None:
        return words
    start = texts[0].rfind(" ", 0, max(same - _BEFORE, 0)) + 1
    cut = [text[start : start + _WINDOW] for text in texts]
    ends = ["" if start + _WINDOW >= len(text) else "…" for text in texts]
    return tuple(f"gives `…{part}{end}`" for part, end in zip(cut, ends, strict=True))


_BEFORE, _WINDOW = 20, 78  # letters before the first difference, and in all


def first_call(ours: Callable, theirs: Callable, group: Calls) -> CallDifference | None:
    """Return the first call of `group` on which two functions, or two classes, differ; or None."""
    theirs = _callable(theirs, group)
    for case in group.cases:
        try:
            found = _difference(ours, theirs, group, case)
        except Overtime as error:
            error.during = case.shown
            raise
        if found is not None:
            return found
    return None


def _difference(
    ours: Callable, theirs: Callable, group: Calls, case: Case
) -> CallDifference | None:
    """Return how the two differ on one call, or None."""
    right = _right(ours, group, case)
    given = case.arguments()
    before = [tree(argument) for argument in given]
    got = _ask(theirs, given)
    text = case.shown
    if not _alike(right, got, group.same):
        slip = _slip(right, got, lambda: _ask(theirs, case.arguments()))
        said, meant = _told_apart(got, right)
        return CallDifference(case, f"{text} {said}", f"it {meant}", slip, got.error, got.printed)
    if [tree(argument) for argument in given] != before:
        did, real = _changes(case.arguments(), given)
        return CallDifference(case, f"{text} {did}", real, "", None, got.printed)
    remembers = (
        "the result isn't the same each time: does something stay changed after the first call (a default "
        "argument, a global name), or does the result depend on the order of a set?"
    )
    # A use makes its own arguments, so handing it the same ones again would be nothing new.
    again_with = [(case.arguments(), remembers), (given, "")][: 1 if group.uses else 2]
    for handed, slip in again_with:
        again = _ask(theirs, handed)
        if not _alike(right, again, group.same):
            did = f"{text}, called a second time, {again.words}"
            return CallDifference(case, did, f"it {right.words} every time", slip, again.error, "")
    return None


def traits_of_calls(ours: Callable, theirs: Callable, group: Calls) -> Iterator[Any]:
    """Yield for each call how two functions, or two classes, differ, or None."""
    theirs = _callable(theirs, group)
    for case in group.cases:
        right, given = _right(ours, group, case), case.arguments()
        before = [tree(argument) for argument in given]
        got = _ask(theirs, given)
        changed = [tree(argument) for argument in given] != before
        if changed or not _alike(right, got, group.same):
            said = _heard(got.error) if got.error is not None else shown(got.value, _LONG)
            yield _Said(said), changed, bool(got.printed.strip())
        else:
            yield None


def ask_all(item: Callable, group: Calls) -> None:
    """Run every call of `group`, whatever comes of it."""
    asked = _callable(item, group)
    for case in group.cases:
        _ask(asked, case.arguments())


def _heard(error: BaseException) -> str:
    """Return what an error says; its type alone if a `raise` of the reader's made it, whose words are their own."""
    end = error.__traceback__
    while end is not None and end.tb_next is not None:
        end = end.tb_next
    if end is None or not (
        is_reader(end.tb_frame) or end.tb_frame.f_globals.get("__name__") == ANSWERS
    ):
        return what_it_said(error)
    raised = end.tb_frame.f_code.co_code[end.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return type(error).__name__ if raised else what_it_said(error)


_LONG = 2000


@dataclass(frozen=True, eq=False)
class _Said:
    """What was given, in words, where the last digits of its numbers don't count: `g * g` and `g**2` are the same."""

    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Said) and same_text(self.text, other.text)

    def __hash__(self) -> int:
        return hash(without_numbers(self.text))


def tree(value: Any, depth: int = _DEEP) -> Any:
    """Return what an argument holds: for a Module its drawers and children, for others their content."""
    slots = slots_of(value)
    if "_modules" not in slots and "_parameters" not in slots:
        if isinstance(value, list | dict | set):
            return repr(value)
        return id(value), sorted((name, id(item)) for name, item in slots.items())
    own = [
        (name, list(slots[name].items())) for name in DRAWERS if isinstance(slots.get(name), dict)
    ]
    kept = [
        (name, [(key, id(item), _learns(item)) for key, item in entries]) for name, entries in own
    ]
    plain = sorted((name, id(item)) for name, item in slots.items() if not isinstance(item, dict))
    children = slots.get("_modules") or {}
    below = [tree(child, depth - 1) for child in children.values()] if depth else []
    return kept, plain, below


def _changes(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[str, str]:
    """Return what became of the arguments, in words: the first mode that is another, or that they have changed."""
    for one, other in zip(before, after, strict=True):
        was, now = dict(_modes(one)), dict(_modes(other))
        for path, mode in now.items():
            if was.get(path, mode) != mode:
                where = f"`{path}`" if path else "the model itself"
                return (
                    f"leaves `training={mode}` in {where}",
                    f"it leaves `training={was[path]}` there",
                )
    return "changes its arguments", "the arguments stay as they were"


def _modes(value: Any, path: str = "", depth: int = _DEEP) -> Iterator[tuple[str, Any]]:
    """Yield the path of each Module of a tree, and its `training`."""
    slots = slots_of(value)
    if "training" in slots:
        yield path, slots["training"]
    for name, child in (slots.get("_modules") or {}).items() if depth else ():
        yield from _modes(child, f"{path}.{name}" if path else name, depth - 1)


def _callable(item: Any, group: Calls) -> Callable:
    """Return a function as it is, or what runs one of its uses (see `Exercise.compare_uses`)."""
    return (lambda use: use(item)) if group.uses or isinstance(item, type) else item


def _learns(item: Any) -> Any:
    """Return whether a Parameter is trained, and its numbers; None for what is not a tensor."""
    if not isinstance(item, Tensor):
        return None
    return item.requires_grad, "on meta" if item.is_meta else repr(item.tolist())


def _ask(function: Callable, arguments: tuple[Any, ...]) -> _Answer:
    begin_again()
    # Python shows a warning of a line once; entering forgets what was shown, so that each call prints the same.
    with warnings.catch_warnings(), captured() as seen:
        try:
            value, error = closed(function(*arguments)), None
        except (KeyboardInterrupt, Overtime):
            raise
        except BaseException as problem:
            value, error = None, problem
    return _Answer(value, error, seen.getvalue())


@lru_cache(maxsize=4096)
def _right(ours: Callable, group: Calls, case: Case) -> _Answer:
    """Return our answer; each named mistake is compared with it, so it is asked only once."""
    return _ask(_callable(ours, group), case.arguments())


def _alike(right: _Answer, got: _Answer, same: Callable[[Any, Any], bool] | None) -> bool:
    if right.error is not None:
        return got.error is not None and isinstance(got.error, type(right.error))
    if got.error is not None:
        return False
    if same is not None:
        return same(right.value, got.value)
    kind = Integral if isinstance(right.value, int) else type(right.value)  # numpy's integers count
    same_kind = isinstance(got.value, kind) and (
        isinstance(got.value, bool) == isinstance(right.value, bool)
    )
    return same_kind and _equal(right.value, got.value)


def _equal(right: Any, got: Any) -> bool:
    """Tell whether two values are equal; of tensors and floats the last digits don't count."""
    try:
        if isinstance(right, Tensor) and isinstance(got, Tensor):
            alike = right.shape == got.shape and right.dtype == got.dtype
            return alike and _equal(right.tolist(), got.tolist())
        if isinstance(right, list | tuple) and type(right) is type(got):
            return len(right) == len(got) and all(map(_equal, right, got))
        if isinstance(right, dict) and type(right) is type(got):
            return right.keys() == got.keys() and all(
                _equal(right[name], got[name]) for name in right
            )
        if isinstance(right, float) and isinstance(got, float):
            return near(right, got)
        return right is got or bool(right == got)
    except Exception:
        return False


def ends_without(run: Callable[[], Any]) -> str:
    """Return that the reader's function whose None is the result has no `return` with a value, or ''."""
    last: list[types.FrameType] = []

    def look(frame: types.FrameType, event: str, argument: Any) -> None:
        if event == "return" and is_reader(frame) and not frame.f_code.co_name.startswith("<"):
            last[:] = [*last, frame] if argument is None else []

    outer = sys.getprofile()
    if outer is not None and not callable(outer):
        return ""  # `%prun`: there is one such place, and it is taken
    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(outer)
    while last:
        frame = last.pop()
        if _returns_nothing(frame.f_code):
            return f"`{frame.f_code.co_name}` ends without a `return`, so it gives None"
        if not (last and last[-1].f_back is frame):  # what it called has given it the None
            break
    return ""


def _returns_nothing(code: types.CodeType) -> bool:
    """Tell whether no `return` of a function has a value."""
    steps = list(dis.get_instructions(code))
    before = [None, *steps[:-1]]
    ends = [last for last, step in zip(before, steps, strict=True) if step.opname == "RETURN_VALUE"]
    ends += [step for step in steps if step.opname == "RETURN_CONST"]
    return bool(ends) and all(
        end is not None and end.argval is None and "CONST" in end.opname for end in ends
    )


def made_lazily(value: Any) -> str:
    """Return which word in the reader's code made a generator or a coroutine in the place of the answer, or ''."""
    if inspect.iscoroutine(value):
        return "`async def` gives a coroutine, which has not run yet; write `def`"
    if inspect.isgenerator(value) and value.gi_code.co_name == "<genexpr>":
        return "`(… for …)` makes a generator, which has not run yet; write `tuple(… for …)` or `[… for …]`"
    if inspect.isgenerator(value):
        return "`yield` makes a generator, which has not run yet; `return` hands over the answer"
    return ""


def _slip(right: _Answer, got: _Answer, again: Callable[[], Any]) -> str:
    if got.error is None and got.value is None and right.value is not None:
        if shown(right.value, 1000).strip("'\"") in got.printed:
            return "the answer is printed; `return` hands it to the caller"
        return ends_without(again)
    lazily = made_lazily(got.value)
    if lazily:
        return lazily
    if isinstance(got.value, BaseException) and right.error is not None:
        return "`return` hands the exception to the caller like any value; use `raise`"
    return "" if got.error or right.error else _of_another_type(right.value, got.value)


def _of_another_type(right: Any, got: Any) -> str:
    """Return that an answer is of another type than the right one, or ''."""
    other_number = isinstance(right, Number) and isinstance(got, Number) and got != right
    if right is None or got is None or type(got) is type(right) or other_number:
        return ""
    is_, should_be = type(got).__name__, type(right).__name__
    return f"what is returned is of type `{is_}`; the right answer is of type `{should_be}`"
