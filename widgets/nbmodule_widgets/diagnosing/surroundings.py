"""What the reader's hooks, loss and methods can write to outside of the model: put back after each trial."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import methods_of
from nbmodule_widgets.facts.container_state import Containers, contents, data_of
from nbmodule_widgets.facts.hooks import is_readers
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.reach import named_in
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import HOOK_SLOTS, attempt, drawer, has_drawers, own_dict

_MOST = 200


class Surroundings:
    """The lists, dictionaries, objects of data and other models that the program's functions have names for.

    A copy of a hook is the hook itself: what it appends to is the reader's own list.

    Attributes:
        models: Modules that are not below the model: a discriminator, a teacher.
    """

    def __init__(self, case: Case) -> None:
        self._containers = Containers()
        self.models: list[Preserved] = []
        waiting, seen = list(_functions(case)), {id(m): m for m in case.modules.values()}
        while waiting and len(seen) < _MOST + len(case.modules):
            function = waiting.pop()
            for _, value in named_in(function):
                if id(value) in seen:
                    continue
                seen[id(value)] = value
                if has_drawers(value):
                    self.models.append(Preserved(value, gradients=False))
                elif type(value) in (FunctionType, MethodType):
                    waiting.append(value)
                elif contents(value) is not None:
                    self._containers.keep(value)
                elif (own := data_of(value, is_tensor)) is not None:
                    self._containers.keep(own)

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """A block after which all of it is what it was."""
        with contextlib.ExitStack() as stack:
            for each in self.models:
                stack.enter_context(each)
            try:
                yield
            finally:
                attempt(self._containers.put_back)

    def put_back(self) -> None:
        """In the middle of the block: what comes next finds all as it was."""
        attempt(self._containers.put_back)
        for each in self.models:
            each.rewind()


def _functions(case: Case) -> Iterator[Any]:
    """What of the reader's runs in a trial, and is no copy there."""
    yield case.loss_fn
    yield from methods_of(case.loss_fn)
    for one_of_its_class in {id(type(m)): m for m in case.modules.values()}.values():
        yield from methods_of(one_of_its_class)
    for module in case.modules.values():
        own = own_dict(module)
        for slot in HOOK_SLOTS:
            if slot in own and "with_kwargs" not in slot and "always" not in slot:
                yield from (h for _, h in drawer(module, slot).entries if is_readers(h))
    for tensor in case.parameters.values():
        tables = case.engine.hook_tables(tensor) if case.engine is not None else ()
        yield from (hook for table in tables if table for hook in list(table.values()))
