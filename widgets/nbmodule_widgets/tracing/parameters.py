"""The moment when the gradient of a parameter is done, and the user's hooks on parameters."""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import Any

from nbmodule_widgets.engines import Dialect, engine_of
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_attribute, drawer
from nbmodule_widgets.tracing.hooked import ACCUMULATED, GRADIENT, Wrapped, dict_class_of
from nbmodule_widgets.tracing.tape import PARAMETER
from nbmodule_widgets.tracing.tracer import Tracer
from nbmodule_widgets.tracing.writes import is_to_come

MOST = 1000  # parameters; of more than that only those with hooks of the user are listened to


class ParameterWatch:
    """Listens to the parameters of a model: `with ParameterWatch(tracer):` around the pass.

    Args:
        tracer: Has the Modules, and is told.

    Attributes:
        too_many: How many parameters there are, if that is more than are listened to; else 0.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._handles: list[Any] = []
        self._wrapped: list[Wrapped] = []
        self._known: dict[int, Any] = {}  # by identity, and held, so that it stays theirs
        self.too_many = 0

    def __enter__(self) -> ParameterWatch:
        self.listen()
        return self

    def listen(self) -> None:
        """Listens to the parameters that are new: at first to all, later to those that a forward has made."""
        found: list[tuple[int, str, Any]] = []
        for index, subject in enumerate(self._tracer.subjects):
            for name, tensor in drawer(subject.module, "_parameters").entries:
                if tensor is None or id(tensor) in self._known or is_to_come(type(tensor)):
                    continue
                if is_tensor(tensor):
                    self._known[id(tensor)] = tensor
                    found.append((index, visible(name, 80), tensor))
        self.too_many = len(self._known) if len(self._known) > MOST else 0
        for index, name, tensor in found:
            for hooks, kind in _hooks_of(tensor):
                if dict_class_of(hooks) is not None and len(hooks):
                    self._wrapped.append(Wrapped(self._tracer, hooks, index, kind, PARAMETER, name))
            if not self.too_many and class_attribute(tensor, "register_post_accumulate_grad_hook"):
                hook = partial(self._done, index, name)
                said = attempt(lambda: tensor.register_post_accumulate_grad_hook(hook))  # noqa: B023
                self._handles += [said.value] if not said.problem else []

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            attempt(handle.remove)
        for wrapped in self._wrapped:
            attempt(wrapped.unwrap)
        self._handles, self._wrapped, self._known = [], [], {}

    def _done(self, index: int, name: str, parameter: Any) -> None:
        tape = self._tracer.tape
        if not self._tracer.over:
            group = tape.see_all(attempt(getattr, parameter, "grad").value, None)
            tape.moments.append((PARAMETER, -1, perf_counter_ns(), group, (index, name, None)))


def _hooks_of(tensor: Any) -> list[tuple[Any, str]]:
    """The dictionaries of hooks on a parameter."""
    tables = (engine_of(tensor) or Dialect()).hook_tables(tensor)
    pairs = zip(tables, (GRADIENT, ACCUMULATED), strict=True)
    return [(hooks, kind) for hooks, kind in pairs if hooks is not None]
