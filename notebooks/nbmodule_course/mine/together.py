"""Methods that belong together: one of ours may need something that the reader's method does not do yet.

`register_forward_hook` only keeps a hook; `__call__` is what runs it. Beside a `__call__` that runs no hooks, our
`register_forward_hook` would keep a hook that never runs, and nobody would know. So it refuses, in a sentence.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

# a method of ours -> the method that has to look into this slot, or call this method, for it to have an effect
_NEEDS = {
    "register_forward_pre_hook": ("__call__", "_forward_pre_hooks"),
    "register_forward_hook": ("__call__", "_forward_hooks"),
    "register_full_backward_pre_hook": ("__call__", "_backward_pre_hooks"),
    "register_full_backward_hook": ("__call__", "_backward_hooks"),
    "register_backward_hook": ("__call__", "_backward_hooks"),
    "register_state_dict_pre_hook": ("state_dict", "_state_dict_pre_hooks"),
    "register_state_dict_post_hook": ("state_dict", "_state_dict_hooks"),
    "_register_state_dict_hook": ("state_dict", "_state_dict_hooks"),
    "register_load_state_dict_pre_hook": ("load_state_dict", "_load_state_dict_pre_hooks"),
    "_register_load_state_dict_pre_hook": ("load_state_dict", "_load_state_dict_pre_hooks"),
    "register_load_state_dict_post_hook": ("load_state_dict", "_load_state_dict_post_hooks"),
}

# a method of ours -> its options, each with the slot that `__call__` has to look into
_OPTIONS = {
    "register_forward_pre_hook": {"with_kwargs": "_forward_pre_hooks_with_kwargs"},
    "register_forward_hook": {
        "with_kwargs": "_forward_hooks_with_kwargs",
        "always_call": "_forward_hooks_always_called",
    },
}

# a slot -> the methods of the reader's that ask for it in our place
_ASKED_BY = {
    "_backward_hooks": "_get_backward_hooks",
    "_backward_pre_hooks": "_get_backward_pre_hooks",
    "_load_state_dict_pre_hooks": "_load_from_state_dict",
    "_load_state_dict_post_hooks": "_load",
}


def refusals(own: type, lent: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return for each method of ours that could have no effect one that says so.

    Args:
        own: the reader's class.
        lent: our methods that are to stand in.
    """
    said = _all_names(own)
    refused = {}
    for name, (reader, slot) in _NEEDS.items():
        theirs = vars(own).get(reader)
        if name not in lent or theirs is None:
            continue
        if slot not in said and _ASKED_BY.get(slot, slot) not in said:
            refused[name] = _refusal(name, reader, slot)
            continue
        lacking = {o: slot for o, slot in _OPTIONS.get(name, {}).items() if slot not in said}
        if lacking:
            refused[name] = _without_options(lent[name], lacking)
    return refused


def _refusal(name: str, reader: str, slot: str) -> Callable[..., Any]:
    words = (
        f"{name} would have no effect here: it puts the hook into `{slot}`, but your `{reader}` never looks there. "
        f"Let your `{reader}` run the hooks in `{slot}` first."
    )

    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(words)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = words
    return refuse


def _without_options(ours: Callable[..., Any], lacking: dict[str, str]) -> Callable[..., Any]:
    """Return our method, which refuses the options that the reader's `__call__` does not know."""

    @functools.wraps(ours)
    def register(self: Any, *args: Any, **kwargs: Any) -> Any:
        for option, slot in lacking.items():
            if kwargs.get(option):
                raise NotImplementedError(
                    f"{ours.__name__}(..., {option}=True) would have no effect here: your `__call__` never looks "
                    f"in `{slot}`. Leave the option out, or let your `__call__` look there first."
                )
        return ours(self, *args, **kwargs)

    return register


def _all_names(own: type) -> set[str]:
    """Return every name and text that the methods of a class mention."""
    return set().union(*map(names_in, vars(own).values()))


def names_in(value: Any) -> set[str]:
    """Return every name and text that a method mentions.

    Args:
        value: anything out of the body of a class.
    """
    todo = [function.__code__ for function in functions_in(value)]
    found: set[str] = set()
    while todo:
        code = todo.pop()
        found.update(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                todo.append(constant)
            elif isinstance(constant, str):
                found.add(constant)
            elif isinstance(constant, tuple):
                found.update(item for item in constant if isinstance(item, str))
    return found


def functions_in(value: Any) -> list[FunctionType]:
    """Return the functions in what stands in the body of a class."""
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
    return [part for part in parts if isinstance(part, FunctionType)]
