"""Hearing that a Module is called, without a hook: its `forward` is shadowed while a pass runs.

A hook of ours would be seen by PyTorch, which leaves its fast paths when there is one, and would not run in a class whose
author wrote their own `__call__`. An entry `forward` in the Module's own `__dict__` is found before the method of the
class, and is gone when the pass is over.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

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
