"""The moment when the gradient of a parameter is done, and the user's hooks on parameters."""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import Any

from nbmodule_widgets.engines import Dialect, engine_of
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_attribute, drawer, own_dict
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
        to_come: How many parameters had no shape before the pass.
        too_many: How many parameters there are, if that is more than are listened to; else 0.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._handles: list[Any] = []
        self._wrapped: list[Wrapped] = []
        # By identity: the parameter, and how often it had been written to.
        self._known: dict[int, tuple[Any, Any]] = {}
        self.too_many = self.to_come = 0
        self._scripted = {
            id(type(s.module)): is_scripted(s.module)
            for s in {id(type(s.module)): s for s in tracer.subjects}.values()
        }

    def __enter__(self) -> ParameterWatch:
        self.listen()
        return self

    def listen(self) -> None:
        """Listens to the parameters that are new: at first to all, later to those that a forward has made."""
        found: list[tuple[int, Any, Any]] = []
        to_come = 0
        known, again = self._known, bool(self._known)
        coming: dict[int, bool] = {}  # of classes of tensors, by identity
        for index, subject in enumerate(self._tracer.subjects):
            held = own_dict(subject.module).get("_parameters")
            if type(held) is not dict or self._scripted.get(id(type(subject.module))):
                held = dict(self._parameters_of(subject.module))
            elif again and known.keys() >= {*map(id, held.values())}:  # as after a forward pass
                continue
            for name, tensor in list(held.items()):
                if tensor is None or id(tensor) in known:
                    continue
                kind = id(type(tensor))
                if kind not in coming:
                    coming[kind] = is_to_come(type(tensor))
                if coming[kind]:
                    to_come += 1
                elif is_tensor(tensor):
                    known[id(tensor)] = tensor, _writes(tensor)
                    found.append((index, name, tensor))
        self.to_come = max(self.to_come, to_come)
        self.too_many = len(self._known) if len(self._known) > MOST else 0
        heard = not self.too_many and self._tracer.tape.gradients is not None
        dialects: dict[int, Any] = {}
        for index, called, tensor in found:
            tables = _hooks_of(tensor, dialects)
            if not heard and not tables:
                continue
            kinds, name = [], visible(called, 80)
            for hooks, kind in tables:
                if dict_class_of(hooks) is not None and len(hooks):
                    kinds.append(kind)
                    self._wrapped.append(Wrapped(self._tracer, hooks, index, kind, PARAMETER, name))
            if ACCUMULATED in kinds:  # the first of these tells what it is given
                continue
            if heard and class_attribute(tensor, "register_post_accumulate_grad_hook"):
                hook = partial(self._done, index, name)
                said = attempt(lambda: tensor.register_post_accumulate_grad_hook(hook))  # noqa: B023
                self._handles += [said.value] if not said.problem else []

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            attempt(handle.remove)
        for wrapped in self._wrapped:
            attempt(wrapped.unwrap)
        self._handles, self._wrapped, self._known = [], [], {}

    def _parameters_of(self, module: Any) -> Any:
        """The parameters of a Module with their names; of a scripted one those of its parts too, whose drawers lie in C++."""
        if self._scripted.get(id(type(module))):
            return attempt(lambda: list(module.named_parameters())).value or ()
        return drawer(module, "_parameters").entries

    def written(self) -> int:
        """How many parameters have been written to since they were met."""
        return sum(_writes(tensor) != before for tensor, before in self._known.values())

    def _done(self, index: int, name: str, parameter: Any) -> None:
        tape = self._tracer.tape
        if not self._tracer.over:
            group = tape.see_all(attempt(getattr, parameter, "grad").value, None)
            tape.moments.append((PARAMETER, -1, perf_counter_ns(), group, (index, name, None)))


def _writes(tensor: Any) -> int | None:
    try:
        return tensor._version
    except Exception:  # a library without versions, or a tensor of inference mode
        return None


def _hooks_of(tensor: Any, dialects: dict[int, Any]) -> list[tuple[Any, str]]:
    """The dictionaries of hooks on a parameter; whom to ask is looked up once for a class."""
    kind = id(type(tensor))
    if kind not in dialects:
        dialects[kind] = engine_of(tensor) or Dialect()
    tables = dialects[kind].hook_tables(tensor)
    if tables[0] is None and tables[1] is None:
        return []
    pairs = zip(tables, (GRADIENT, ACCUMULATED), strict=True)
    return [(hooks, kind) for hooks, kind in pairs if hooks is not None]
