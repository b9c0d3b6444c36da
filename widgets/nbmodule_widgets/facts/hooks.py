"""The hooks of one Module: which functions are called, and in which order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from nbmodule_widgets.engines import Dialect, dialect_of, is_a_library_s
from nbmodule_widgets.facts.records import HOOK_KINDS
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    attempt,
    class_name,
    drawer,
    is_exactly,
    own_dict,
    plain_text,
)

# A call runs the kinds in this order; those of state_dict() and load_state_dict() come after.
_ORDER = (
    "_forward_pre_hooks",
    "_forward_hooks",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_state_dict_pre_hooks",
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_MARKS = {"_with_kwargs": "with kwargs", "_always_called": "always called"}
_TENSOR_HOOKS = ("gradient", "after accumulating the gradient")


@dataclass(frozen=True, slots=True)
class HookFacts:
    """One registered hook.

    Attributes:
        kind: `"forward pre"`, `"backward"`, ...
        name: The qualified name of what is called, such as `"Recorder.note"`.
        marks: `("with kwargs", "always called")`, or those of the two that hold.
    """

    kind: str
    name: str
    marks: tuple[str, ...] = ()


def module_hooks(module: object) -> tuple[HookFacts, ...]:
    """The hooks of a Module in the order in which they fire; calls none of them.

    Args:
        module: Any object with hook dictionaries.
    """
    found = []
    for slot in _ORDER:
        marked = {mark: _ids(module, slot + ending) for ending, mark in _MARKS.items()}
        for key, hook in _entries(module, slot):
            marks = tuple(m for m, ids in marked.items() if type(key) is int and key in ids)
            found.append(HookFacts(HOOK_KINDS[slot], callable_name(hook), marks))
    return tuple(found)


def tensor_hooks(tensor: object) -> tuple[HookFacts, ...]:
    """The hooks on the gradient of a parameter, in the order in which they fire."""
    dialect = dialect_of(tensor) or Dialect()
    tables = dialect.hook_tables(tensor)
    return tuple(
        HookFacts(kind, callable_name(hook))
        for kind, hooks in zip(_TENSOR_HOOKS, tables, strict=True)
        if issubclass(type(hooks), dict)
        for hook in dict.values(hooks)
    )


def _entries(module: object, slot: str) -> list[tuple[Any, Any]]:
    """A hook dictionary in the order of its own: `prepend=True` moves an entry of an OrderedDict to the front."""
    found: Any = own_dict(module).get(slot)
    if issubclass(type(found), OrderedDict):
        return list(OrderedDict.items(found))
    return drawer(module, slot).entries


def _ids(module: object, slot: str) -> set[int]:
    return {key for key, _ in _entries(module, slot) if type(key) is int}


def callable_name(function: Any) -> str:
    """The qualified name of a function, method, partial or callable object, read without running any of it."""
    return visible(_qualified_name(function), 80)


def hook_name(function: Any) -> str:
    """The same as its author wrote it: without the function inside which it was defined."""
    return visible(_qualified_name(function).rpartition("<locals>.")[2], 80)


def is_readers(hook: Any) -> bool:
    """Whether a hook is the reader's own, and no library's as those of lazy and pruned Modules are."""
    return attempt(is_a_library_s, _innermost(hook)).value is not True


def readers_hooks(modules: Iterable[object]) -> int:
    """How many hooks of the reader's own a pass through these Modules may run.

    Args:
        modules: Any objects with hook dictionaries.
    """
    pairs = ((module, slot) for module in modules for slot in _ORDER[:4])
    return sum(is_readers(hook) for module, slot in pairs for _, hook in _entries(module, slot))


def _innermost(function: Any) -> Any:
    """What a partial, a method, … calls."""
    for _ in range(4):  # a partial of a method of ...
        if type(function) is partial:
            function = function.func
        elif class_name(function) == "_WrappedHook":  # PyTorch's, around the hooks of a state_dict
            function = own_dict(function).get("hook")
        elif type(function) is MethodType:
            function = function.__func__
    return function


def _qualified_name(function: Any) -> str:
    function = _innermost(function)
    if is_exactly(function, FunctionType, BuiltinFunctionType):
        return plain_text(function.__qualname__)
    return f"{class_name(function)} object"
