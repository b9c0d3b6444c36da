"""Tells an exercise that nobody has touched from one that is wrong.

The learner's edition leaves `...` where the solution was. A value that is still `...` is easy to see. For a
class or a function the compiled code decides: if it is the code that the stub compiles to, nobody has
worked on it. Comments and blank lines don't count as work, and given methods don't count either.
"""

from __future__ import annotations

import dis
import inspect
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from .chapters import solved_source, stub_source

_NO_WORK = {
    "RESUME",
    "NOP",
    "CACHE",
    "COPY_FREE_VARS",
    "MAKE_CELL",
    "LOAD_CONST",
    "RETURN_CONST",
    "RETURN_VALUE",
    "POP_TOP",
}


def is_untouched(exercise_id: str, item: Any) -> bool:
    """Tell whether `item` still is what the learner's edition starts from."""
    if item is ... or item is None:
        return True
    codes = _reader_codes(item)
    places = _work_places(exercise_id)
    asked = [name for name in places if name in codes]
    if asked:
        untouched = all(_same_or_empty(codes[name], places[name]) for name in asked)
        return untouched and not _has_values(item)
    if codes:
        return not places and all(map(_is_empty, codes.values()))
    return isinstance(item, type) and item.__bases__ == (object,) and not _has_content(item)


def is_stub(exercise_id: str, value: Any) -> bool:
    """Tell whether a method or function of an exercise is what the learner's edition starts from.

    Args:
        exercise_id: the exercise.
        value: out of the body of the class, or a function.
    """
    function = _plain_function(value)
    if function is None:
        return value is ...
    code = function.__code__
    places = _work_places(exercise_id)
    return code.co_qualname in places and _same_or_empty(code, places[code.co_qualname])


@lru_cache(maxsize=64)
def _work_places(exercise_id: str) -> dict[str, CodeType]:
    """Return the stub's code of every function that the solution fills in, by qualified name."""
    try:
        stub = _functions_in(stub_source(exercise_id))
        solution = _functions_in(solved_source(exercise_id))
    except (SyntaxError, ValueError):  # a chapter in the making: fall back on empty bodies
        return {}
    return {
        name: code
        for name, code in stub.items()
        if name not in solution or _fingerprint(code) != _fingerprint(solution[name])
    }


def _functions_in(source: str) -> dict[str, CodeType]:
    """Return the code of every function that `source` defines, however deep."""
    found: dict[str, CodeType] = {}
    todo: list[Any] = [compile(source, "<exercise>", "exec", dont_inherit=True)]
    while todo:
        code = todo.pop()
        if code.co_flags & inspect.CO_NEWLOCALS:
            found[code.co_qualname] = code
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


def _reader_codes(item: Any) -> dict[str, CodeType]:
    """Return the code of `item`'s own functions by qualified name, without asking `item` anything."""
    if isinstance(item, FunctionType):
        return {item.__code__.co_qualname: item.__code__}
    owner = item if isinstance(item, type) else type(item)
    functions = (
        _plain_function(value) for value in type.__getattribute__(owner, "__dict__").values()
    )
    return {f.__code__.co_qualname: f.__code__ for f in functions if f is not None}


def _plain_function(value: Any) -> FunctionType | None:
    """Look through property, classmethod and staticmethod."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, classmethod | staticmethod):
        value = value.__func__
    return value if isinstance(value, FunctionType) else None


def _same_or_empty(code: CodeType, stub: CodeType) -> bool:
    return _is_empty(code) or _fingerprint(code) == _fingerprint(stub)


def _is_empty(code: CodeType) -> bool:
    """Tell whether the body is `...`, `pass`, `return`, or a docstring and one of them."""
    steps = list(dis.get_instructions(code))
    constants = [step.argval for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST")]
    return all(step.opname in _NO_WORK for step in steps) and all(
        value is None or value is ... for value in constants
    )


def _fingerprint(code: CodeType) -> tuple:
    """Return what a function does, without where it was written."""
    constants = tuple(
        _fingerprint(constant) if isinstance(constant, CodeType) else (type(constant), constant)
        for constant in code.co_consts
    )
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def _has_values(item: Any) -> bool:
    """Tell whether a class was given values in its body, as a stub never is."""
    if not isinstance(item, type):
        return False
    ours = type.__getattribute__(item, "__dict__").items()
    return any(
        not (name.startswith("__") and name.endswith("__")) and _plain_function(value) is None
        for name, value in ours
    )


def _has_content(owner: type) -> bool:
    """Tell whether the body of a class holds anything of its own."""
    ours = type.__getattribute__(owner, "__dict__")
    return any(not (name.startswith("__") and name.endswith("__")) for name in ours)
