"""Which names a function's code mentions, as Python's `dis` tells it; nothing is run."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Container, Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from nbmodule_widgets.protocol import attempt

_NAMED = frozenset((*dis.hasname, *dis.haslocal, *dis.hasfree))


class Mention(NamedTuple):
    """A name in the code of a function.

    Attributes:
        name: The name.
        of_self: Whether it is looked up in the first argument.
    """

    name: str
    of_self: bool


@lru_cache(maxsize=2048)
def mentions(function: FunctionType) -> frozenset[Mention]:
    """The names of variables and attributes in a function and in those that are defined in it."""
    signature = attempt(inspect.signature, function).value
    first = next(iter(signature.parameters), "") if signature is not None else ""
    return frozenset(_mentions(function, first))


def mentioned(function: Any, names: Container[str]) -> bool:
    """Whether a function mentions one of these names; True where there is no Python to read."""
    function = inspect.unwrap(function) if type(function) is FunctionType else function
    return type(function) is not FunctionType or any(m.name in names for m in mentions(function))


def keywords(function: Any) -> frozenset[str]:
    """The names by which a function's own code gives arguments to what it calls; none where there is no Python to read."""
    steps = dis.get_instructions(function) if type(function) is FunctionType else ()
    tuples = (s.argval for s in steps if s.opcode not in _NAMED and type(s.argval) is tuple)
    return frozenset(name for names in tuples for name in names if type(name) is str)


def _mentions(code: FunctionType | CodeType, first: str) -> Iterator[Mention]:
    before: Any = None
    for step in dis.get_instructions(code):
        if type(step.argval) is CodeType:
            yield from _mentions(step.argval, first)
        elif step.opcode in _NAMED:
            names = step.argval if type(step.argval) is tuple else (step.argval,)
            yield from (Mention(name, before == first) for name in names)
            before = names[-1]
            continue
        before = None
