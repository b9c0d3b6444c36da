"""What `load_state_dict` writes: after everything was looked at, so that a refused load leaves the modules as they were.

Most loads wait until all keys and shapes are known to fit, and then only copy, which cannot go wrong. Where somebody
else's code wants to see what was loaded in between, or where a copy may be refused, the old numbers are put aside first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._engine import note_write, wrap
from ...autograd import no_grad
from ..parameter import PLAIN, is_lazy

if TYPE_CHECKING:
    from .module import Module


class Messages(list[str]):
    """What is wrong with a state, and what is to be written if nothing is.

    It is the list `error_msgs` that every ``_load_from_state_dict`` passes on, so that modules with one of their own
    need not know about it.

    Args:
        at_once: write without waiting, because somebody looks at the modules in between.
    """

    def __init__(self, at_once: bool) -> None:
        super().__init__()
        self.before = Before()
        self.at_once, self.refused = at_once, False
        self.simply = not at_once  # as long as only copies wait
        self.copies: list[tuple[Any, Any]] = []
        self.others: list[tuple[int, Callable[[], str | None]]] = []  # with the place of a message

    def write(self, tensor: Any, found: Any) -> None:
        """Copy the numbers of `found`, of which `can_be_copied` is true, now or after the others."""
        self.do(lambda: copy_now(tensor, found), tensor)

    def do(self, write: Callable[[], str | None], tensor: Any = None) -> None:
        """Do `write`, now or later, which returns what has gone wrong, or None; it may change `tensor`."""
        if self.at_once:
            self.extend(filter(None, [write()]))
            return
        if self.simply:
            self.simply = False
            for target, _ in self.copies:
                self.before.keep_numbers(target)
        if tensor is not None:
            self.before.keep_numbers(tensor)
        self.others.append((len(self), write))

    def settle(self, refused: bool) -> None:
        """Write what waits, unless the load is refused.

        What may go wrong is tried even then: its message belongs to the others, in its place.
        """
        self.refused = refused or bool(self)
        if self.others:
            copy_all(self.copies)
            said = [(place, write()) for place, write in self.others]
            for place, message in reversed(said):
                self[place:place] = filter(None, [message])
        elif not self.refused:
            copy_all(self.copies)


def copy_all(pairs: list[tuple[Any, Any]]) -> None:
    """Copy from the second to the first of each pair. An interrupt has to wait until the last one is copied."""
    rest, tensor, found = iter(pairs), None, None
    try:
        for tensor, found in rest:
            tensor._array[...] = found._array
            note_write(tensor._storage, tensor._array)
    except BaseException:
        if tensor is not None:
            copy_now(tensor, found)
        for tensor, found in rest:
            copy_now(tensor, found)
        raise


def can_be_copied(tensor: Any, found: Any) -> bool:
    """Return whether `copy_now` is ``tensor.copy_(found)``: two arrays of one kind that do not overlap."""
    if type(tensor) not in PLAIN or type(found) not in PLAIN:
        return False
    array, source, storage = tensor._array, found._array, tensor._storage
    return (
        type(array) is np.ndarray is type(source)
        and array.shape == source.shape
        and (array.dtype is source.dtype or array.dtype.kind == "f" == source.dtype.kind)
        and array.flags.writeable
        and (storage is not found._storage or array is source)
        and not storage.is_inference
    )


def copy_now(tensor: Any, found: Any) -> None:
    """Copy the numbers of `found`, of which `can_be_copied` is true."""
    tensor._array[...] = found._array
    note_write(tensor._storage, tensor._array)


class Before:
    """What modules held before a load, to be put back if it is refused."""

    def __init__(self) -> None:
        self._drawers: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._without_shape: list[tuple[Any, type, Any, Any]] = []
        self._numbers: list[tuple[Any, Any, Any]] = []
        self._extra_states: list[tuple[Any, Any]] = []
        self._kept: set[int] = set()

    def keep_drawers(self, module: Module) -> None:
        """Put aside which tensors `module` itself holds, and that some have no shape yet."""
        for drawer in (module._parameters, module._buffers):
            self._drawers.append((drawer, dict(drawer)))
            for tensor in filter(is_lazy, drawer.values()):
                array, storage = (object.__getattribute__(tensor, name) for name in ("_array", "_storage"))  # fmt: skip
                self._without_shape.append((tensor, type(tensor), array, storage))

    def keep_all(self, module: Module) -> None:
        """Put aside all that `module` itself holds, with the numbers."""
        self.keep_drawers(module)
        for drawer in (module._parameters, module._buffers):
            for tensor in drawer.values():
                if tensor is not None and not is_lazy(tensor):
                    self.keep_numbers(tensor)

    def keep_numbers(self, tensor: Any) -> None:
        """Put aside the numbers of `tensor`, once."""
        if id(tensor) not in self._kept and not is_lazy(tensor):
            array = tensor._array
            self._numbers.append((tensor, array, array.copy()))
            self._kept.add(id(tensor))

    def keep_extra_state(self, module: Any) -> None:
        """Put aside what the module's own method says of it, if it has one and that does not fail."""
        with suppress(Exception):
            self._extra_states.append((module, module.get_extra_state()))

    def put_back(self) -> None:
        """Let the modules be what they were."""
        for module, state in reversed(self._extra_states):
            with suppress(Exception):
                module.set_extra_state(state)
        for drawer, old in reversed(self._drawers):
            drawer.clear()
            drawer.update(old)
        for tensor, kind, array, storage in self._without_shape:
            tensor.__class__ = kind
            object.__setattr__(tensor, "_array", array)
            object.__setattr__(tensor, "_storage", storage)
        for tensor, array, numbers in self._numbers:
            tensor._array = array
            with suppress(RuntimeError), no_grad():  # what refuses it has refused the load, too
                wrap(array, tensor._storage).copy_(wrap(numbers))
