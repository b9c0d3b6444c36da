"""Suspects: Modules whose code mentions their mode or random numbers, and which are therefore run by themselves."""

from __future__ import annotations

from dis import Instruction, get_instructions
from types import CodeType, FunctionType

from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    drawer,
    mro_of,
    namespace_of,
    own_dict,
)

_TELLING = ("training", "drop", "rand", "bernoulli", "noise", "normal_")


def looks_at_its_mode(module: object) -> bool:
    """Whether the code of a Module's class mentions its mode or random numbers; True if it cannot be read.

    That it calls its child `self.dropout` says nothing about its own code.
    """
    return attempt(_mentions, module).value is not False


def _mentions(module: object) -> bool:
    children = {key for key, _ in drawer(module, "_modules").entries if type(key) is str}
    for cls in mro_of(type(module)):
        namespace = namespace_of(cls)
        if cls is object or namespace.get("__module__") in _LIBRARY_BASES:
            continue
        for value in namespace.values():
            code = getattr(value, "__code__", None) if isinstance(value, FunctionType) else None
            if code is not None and _tells(code, children):
                return True
    forward = own_dict(module).get("forward") or class_attribute(module, "forward")
    return not isinstance(forward, FunctionType)


_LIBRARY_BASES = ("torch.nn.modules.module", "nbmodule.nn.modules.module")


def _tells(code: CodeType, children: set[str]) -> bool:
    names = {name for name in (*code.co_names, *code.co_varnames) if _telling(name)}
    if names & children:
        names = {name for name in names if name not in children} | _not_of_self(code, children)
    if names:
        return True
    return any(_tells(inner, children) for inner in code.co_consts if isinstance(inner, CodeType))


def _telling(name: str) -> bool:
    return any(part in name for part in _TELLING)


def _not_of_self(code: CodeType, children: set[str]) -> set[str]:
    """Telling names that are those of children, and yet are looked up elsewhere than in `self`."""
    found, before = set(), None
    for step in get_instructions(code):
        if step.argval in children and _telling(step.argval) and not _loads_self(before, code):
            found.add(step.argval)
        before = step
    return found


def _loads_self(step: Instruction | None, code: CodeType) -> bool:
    """Whether an instruction puts the first argument on top of the stack."""
    if step is None or not step.opname.startswith("LOAD_FAST") or not code.co_argcount:
        return False
    loaded = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
    return loaded == code.co_varnames[0]
