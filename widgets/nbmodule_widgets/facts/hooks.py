"""The hooks of one Module: which functions are called, and in which order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

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
_PLAIN = (str, int, float, bool, bytes, type(None))
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


def hook_numbers(modules: Sequence[object], hooked: Iterable[int]) -> np.ndarray:
    """For each Module a number, 0 without hooks; equal ones call the same functions with the same bound arguments.

    Args:
        modules: Any objects with hook dictionaries.
        hooked: Which of them have hooks.
    """
    numbers: dict[Hashable, int] = {}
    found = np.zeros(len(modules), np.int64)
    for index in hooked:
        found[index] = numbers.setdefault(_functions(modules[index]), len(numbers) + 1)
    return found


def repeated(module: object) -> list[tuple[str, str, int]]:
    """The reader's hooks that are on a Module more than once: the slot, the name, and how many times.

    Args:
        module: Any object with hook dictionaries.
    """
    found: dict[Hashable, tuple[str, str, int]] = {}
    for slot in _ORDER:
        for _, hook in _entries(module, slot):
            if is_readers(hook):
                key = slot, attempt(_does, hook, module).value or id(hook)
                times = found[key][2] if key in found else 0
                found[key] = slot, hook_name(hook), times + 1
    return [each for each in found.values() if each[2] > 1]


def _functions(module: object) -> Hashable:
    """What the hooks of a Module do, kind by kind; its own place in them says "this Module"."""
    own, found = own_dict(module), []
    for slot in _ORDER:
        if not _filled(own.get(slot)):
            continue
        marked = [_ids(module, slot + e) for e in _MARKS if _filled(own.get(slot + e))]
        for key, hook in _entries(module, slot):
            marks = [type(key) is int and key in ids for ids in marked]
            found.append((slot, _does(hook, module), *marks))
    return tuple(found)


def _filled(found: object) -> bool:
    """Whether it is a dictionary that holds something, whatever its class says."""
    return issubclass(type(found), dict) and dict.__len__(found) > 0  # type: ignore[arg-type]


def _does(hook: Any, module: object) -> Hashable:
    """Equal for two hooks that run the same code with the same bound arguments; none of it is run."""
    bound: list[Hashable] = []
    inner = _innermost(hook, lambda *values: bound.append(_marked(values, module)))
    if type(inner) is FunctionType:
        cells = [attempt(getattr, c, "cell_contents").value for c in inner.__closure__ or ()]
        given = *(inner.__defaults__ or ()), *(inner.__kwdefaults__ or {}).values(), *cells
        return id(inner.__code__), id(inner.__globals__), _marked(given, module), *bound
    if type(inner) is BuiltinFunctionType:  # such as a list's `append`, made anew each time
        return inner.__name__, _marked((inner.__self__,), module), *bound
    if attempt(is_a_library_s, type(inner)).value is True:  # one for each Module, as of weight_norm
        own = own_dict(inner)
        return id(type(inner)), tuple(own), _marked(own.values(), module), *bound
    return id(inner), *bound


def _marked(values: Iterable[object], module: object) -> Hashable:
    """The plain values as they are, the Module itself as such, anything else by its identity."""
    return tuple(
        "itself" if v is module else (type(v), v) if is_exactly(v, *_PLAIN) else id(v)
        for v in values
    )


def _innermost(function: Any, bind: Callable[..., Any] = lambda *values: None) -> Any:
    """What a partial, a method, … calls; `bind` is told what they pass on of their own."""
    for _ in range(4):  # a partial of a method of ...
        if type(function) is partial:
            bind(*function.args, *function.keywords, *function.keywords.values())
            function = function.func
        elif class_name(function) == "_WrappedHook":  # PyTorch's, around the hooks of a state_dict
            bind(own_dict(function).get("with_module"))
            function = own_dict(function).get("hook")
        elif type(function) is MethodType:
            bind(function.__self__)
            function = function.__func__
    return function


def _qualified_name(function: Any) -> str:
    function = _innermost(function)
    if is_exactly(function, FunctionType, BuiltinFunctionType):
        return plain_text(function.__qualname__)
    return f"{class_name(function)} object"
