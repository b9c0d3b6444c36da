"""Hearing that a Module is called, without a hook: its `forward` is shadowed while a pass runs.

A hook of ours would be seen by PyTorch, which leaves its fast paths when there is one, and would not run in a class whose
author wrote their own `__call__`. An entry `forward` in the Module's own `__dict__` is found before the method of the
class, and is gone when the pass is over.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType
from typing import Any

from nbmodule_widgets.protocol import (
    class_attribute,
    has_own_dict,
    mro_of,
    namespace_of,
    own_dict,
    read,
)

_ABSENT = object()


class Shadows:
    """The entries `forward` of one pass."""

    def __init__(self) -> None:
        self._placed: list[tuple[dict[str, Any], MethodType, Any]] = []

    def place(self, module: Any, own: dict[str, Any], function: Callable[..., Any]) -> None:
        """Lets a function stand in front of a Module's `forward`.

        Args:
            module: The Module.
            own: Its `__dict__`.
            function: Is called with the Module, then with what `forward` is given. A copy that the pass makes of the
                Module with `deepcopy` has a shadow too, which hands the copy to the function.
        """
        shadow = MethodType(function, module)
        self._placed.append((own, shadow, own.get("forward", _ABSENT)))
        own["forward"] = shadow

    def remove(self) -> None:
        """Puts back what stood there, unless the pass has put something else in its place."""
        for own, shadow, before in reversed(self._placed):
            if own.get("forward") is shadow:
                if before is _ABSENT:
                    del own["forward"]
                else:
                    own["forward"] = before
        self._placed.clear()


class Entrances:
    """The functions in front of `__call__` of one pass: who calls `forward` directly does not come through there.

    Python looks for `__call__` in the class alone, so that is where they stand, and all instances enter through them, in all
    threads.

    Args:
        around: Makes the function that stands in front of a given `__call__`.
    """

    def __init__(self, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._around = around
        self._placed: dict[int, tuple[type, Any, Any]] = {}
        self._known: dict[int, type] = {}  # classes that are done, by identity

    def place(self, cls: type) -> None:
        """Puts one in front of each `__call__` that a class has or inherits."""
        if id(cls) in self._known:
            return
        self._known[id(cls)] = cls
        for base in mro_of(cls):
            before = namespace_of(base).get("__call__")
            if type(before) is FunctionType and id(base) not in self._placed:
                ours = functools.update_wrapper(self._around(before), before)
                self._placed[id(base)] = (
                    base,
                    ours,
                    before,
                )  # first: an interrupt may come in between
                type.__setattr__(base, "__call__", ours)

    def remove(self) -> None:
        """Puts back what stood there, unless the pass has put something else in its place."""
        for base, ours, before in reversed(self._placed.values()):
            if namespace_of(base).get("__call__") is ours:
                type.__setattr__(base, "__call__", before)
        self._placed.clear()
        self._known.clear()


def forward_of(module: Any) -> Callable[..., Any] | None:
    """A Module's `forward` as a function of a Module and what `forward` is given; None if it cannot be shadowed."""
    if not has_own_dict(module):
        return None
    method, own = class_attribute(module, "forward"), own_dict(module)
    if type(method) is FunctionType and "forward" not in own:
        return method
    if method is None and "forward" not in own:
        return None
    forward = read(module, "forward").value
    return (lambda module, *args, **kwargs: forward(*args, **kwargs)) if callable(forward) else None


@contextmanager
def deeper(modules: int) -> Iterator[None]:
    """Room for the frames that shadow and entrance add to each call: a chain that ran without us runs with us."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + min(3 * modules + 50, 20_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
