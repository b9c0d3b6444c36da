"""Handles that take a hook off again."""

from __future__ import annotations

import weakref
from collections.abc import MutableMapping
from typing import Any


class RemovableHandle:
    """What registering a hook returns: ``handle.remove()`` takes the hook off.

    It is also a context manager that removes the hook at the end of its block. It holds the dictionary
    of hooks weakly, so a forgotten handle keeps no model alive.

    Args:
        hooks_dict: the dictionary that holds the hook under the handle's id.
        extra_dict: dictionaries with more facts on the hook, cleared along with it.

    Source: https://docs.pytorch.org/docs/stable/notes/modules.html#module-hooks
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extras = (
            extra_dict if isinstance(extra_dict, list) else [extra_dict] * (extra_dict is not None)
        )
        self.extra_dict_ref = tuple(map(weakref.ref, extras))

    def remove(self) -> None:
        """Take the hook off. Doing so twice is harmless."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks: MutableMapping[int, Any] | None = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple:
        return self.hooks_dict_ref(), self.id, [r() for r in self.extra_dict_ref]

    def __setstate__(self, state: tuple) -> None:
        from collections import OrderedDict

        hooks, self.id, extras = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if e is None else e) for e in extras)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()
