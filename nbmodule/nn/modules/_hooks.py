"""What all kinds of hooks of a Module need: to be put in a dictionary, and to know their module.

Source: https://docs.pytorch.org/docs/stable/notes/modules.html#module-hooks
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...utils.hooks import RemovableHandle

if TYPE_CHECKING:
    from .module import Module

Hooks = dict[int, Callable]
"""Hooks by the number of their handle; an OrderedDict, so that one can be moved to the front."""


def add_hook(hooks: Hooks, hook: Callable, *, prepend: bool = False, marks: tuple[dict[int, bool], ...] = (), marked: tuple[bool, ...] = ()) -> RemovableHandle:  # fmt: skip
    """Put `hook` into `hooks`, and return the handle that takes it out again.

    Args:
        hooks: an OrderedDict.
        hook: a function.
        prepend: put it before the hooks that are there already.
        marks: dictionaries that say something on the hooks; the handle takes the hook out of them too.
        marked: for each of `marks`, whether it says so of this hook.
    """
    handle = RemovableHandle(hooks, extra_dict=list(marks))
    for mark, wanted in zip(marks, marked, strict=True):
        if wanted:
            mark[handle.id] = True
    hooks[handle.id] = hook  # after its marks, which say how it is called
    if prepend:
        hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
    return handle


class WrappedHook:
    """A hook that is called with its module, and yet does not keep the module alive.

    Args:
        hook: a function.
        module: what to pass to it first; None passes nothing more.

    Raises:
        RuntimeError: on a call, when the module is gone.
    """

    def __init__(self, hook: Callable, module: Module | None = None) -> None:
        functools.update_wrapper(self, hook)
        self.hook = hook
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the hook."""
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])
