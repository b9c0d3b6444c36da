"""Notes what every operation makes while a pass runs, without a hook on anything.

PyTorch tells a dispatch mode of every operation that reaches its kernels; the node that is recorded for it was made just
before, so its sequence number says which it is. In nbmodule an operation is a Python function that returns a tensor, so the
interpreter's own profile function sees all of them. Neither changes which kernels run, a random number, or a bit of the
result, and both are gone when the pass ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any

from nbmodule_widgets.facts.glance import Glance, glance
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.cuts import Cuts
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.noted import Input, Seen
from nbmodule_widgets.graphing.records import Cut
from nbmodule_widgets.graphing.stack import Stack
from nbmodule_widgets.graphing.words import base_name
from nbmodule_widgets.protocol import attempt, own_dict, read

BUDGET = 32_000_000


class Recorder:
    """Notes of one pass.

    Args:
        names: The names of tensors.
        stack: Finds modules and lines.
        keep: Values are copied if they take at most so many bytes.
        limit: Most operations to note.

    Attributes:
        inputs: `id` of a tensor that takes no gradient -> what is known of it.
        notes: What could not be recorded.
        failed: `(operation, operands)` of the operation that raised last, for PyTorch.
    """

    def __init__(self, names: Names, stack: Stack, keep: int, limit: int) -> None:
        self._names, self._stack, self._keep, self._limit = names, stack, keep, limit
        self._left = BUDGET
        self._cuts = Cuts(stack)
        self.inputs: dict[int, Input] = {}
        self.notes: list[str] = []
        self.failed: tuple[str, list[tuple[str, Any]]] | None = None
        self._by_age: dict[
            int, tuple[str, Seen]
        ] = {}  # PyTorch: sequence number -> operation and note
        self._by_node: dict[int, tuple[Any, Seen]] = {}  # nbmodule: id of the node -> node and note

    # ------------------------------------------------------------------------------ both

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Records what runs in the block."""
        with self._torch_mode(), self._profile():
            yield

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Where the pass left the graph."""
        return self._cuts.found

    def seen(self, nodes: list[Any]) -> dict[int, Seen]:
        """What was noted of these live nodes, by their `id`."""
        found = {
            id(node): self._by_node[id(node)][1] for node in nodes if id(node) in self._by_node
        }
        if self._by_age:
            for node in nodes:
                age = attempt(lambda node=node: node._sequence_nr()).value
                noted = self._by_age.get(age) if type(age) is int else None
                if noted is not None:
                    found[id(node)] = _checked(node, *noted)
        for seen in found.values():
            seen.inputs = [(slot, key) for slot, key in seen.inputs if key in self.inputs]
        for node in nodes:  # an argument that has a node is an edge already
            seen = found.get(id(node))
            if seen is not None and seen.inputs:
                edges = read(node, "next_functions").value or ()
                seen.inputs = [
                    (slot, key) for slot, key in seen.inputs
                    if slot >= len(edges) or edges[slot][0] is None
                ]  # fmt: skip
        return found

    def _look(self, tensor: Any) -> Glance:
        seen = glance(tensor, self._keep if self._left > 0 else 0)
        self._left -= seen.values.nbytes if seen.values is not None else 0
        return seen

    def _arguments(self, arguments: Any) -> list[tuple[int, int]]:
        """`(slot, id)` of the tensors among the arguments that take no gradient and can be told apart."""
        found = []
        for slot, (_, tensor) in enumerate(tensors_in(arguments)):
            if read(tensor, "requires_grad").value is not False:
                continue
            if id(tensor) not in self.inputs:
                label, word = self._label(tensor)
                if not label:
                    continue
                self.inputs[id(tensor)] = Input(tensor, label, word, self._look(tensor))
            found.append((slot, id(tensor)))
        return found

    def _label(self, tensor: Any) -> tuple[str, str]:
        """The name of a tensor that takes no gradient, and what it is."""
        names = self._names.of(tensor)
        if names:
            return names[0], self._names.kinds.get(id(tensor), "input")
        base = read(tensor, "_base").value
        names = self._names.of(base) if base is not None else ()
        return (f"{names[0]} (view)", "input") if names else ("", "")

    # ------------------------------------------------------------------------------ PyTorch

    def _torch_mode(self) -> Any:
        torch: Any = sys.modules.get("torch")
        dispatch: Any = sys.modules.get("torch.utils._python_dispatch")
        count = getattr(getattr(torch, "autograd", None), "_get_sequence_nr", None)
        if dispatch is None or count is None:
            return nullcontext()
        recorder, start = self, count()

        class Mode(dispatch.TorchDispatchMode):
            @classmethod
            def _should_skip_dynamo(cls) -> bool:
                return False  # to skip it, PyTorch would first load its compiler: two seconds

            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                age = count() - 1
                try:
                    out = func(*args, **(kwargs or {}))
                except Exception:
                    recorder._note_failure(func, args)
                    raise
                if not torch.is_grad_enabled():
                    recorder._cuts.unrecorded(sys._getframe(1), args)
                elif age >= start:
                    recorder._note(age, func, args, out)
                if _short(func).startswith("detach"):
                    recorder._cuts.detached(sys._getframe(1))
                return out

        return Mode()

    def _note(self, age: int, func: Any, args: Any, out: Any) -> None:
        """Takes down an operation of PyTorch; the first one that follows a node is the node's own."""
        self.failed = None
        if age in self._by_age or len(self._by_age) >= self._limit:
            return
        stack, line = self._stack.at(sys._getframe(2))
        made = tensors_in(out)
        value = self._look(made[0][1]) if made else None
        self._by_age[age] = _short(func), Seen(value, stack, line, self._arguments(args))

    def _note_failure(self, func: Any, args: Any) -> None:
        if self.failed is not None:
            return
        roles = attempt(lambda: [argument.name for argument in func._schema.arguments]).value or []
        operands = []
        for role, argument in zip(roles, args, strict=False):
            for place, tensor in tensors_in(argument):
                operands.append((self.operand_label(tensor, f"{role}{place}"), tensor))
        self.failed = _short(func), operands

    def operand_label(self, tensor: Any, otherwise: str) -> str:
        """What to call an operand: its name, that of what it is a view of, or its role."""
        label = self._label(tensor)[0]
        return label or otherwise

    # ------------------------------------------------------------------------------ nbmodule

    @contextmanager
    def _profile(self) -> Iterator[None]:
        library: Any = sys.modules.get("nbmodule")
        kind = getattr(library, "Tensor", None)
        if kind is None:
            yield
            return
        if sys.getprofile() is not None:
            self.notes.append(
                "A profiler is running, so nbmodule's operations were not watched one by one."
            )
            yield
            return
        tensors: dict[type, bool] = {}

        def profile(frame: FrameType, event: str, value: Any) -> None:
            if event != "return" or value is None:
                return
            cls = type(value)
            if cls is tuple or cls is list:
                for item in value if len(value) <= 64 else ():
                    if issubclass(type(item), kind):
                        self._note_returned(item, frame)
                return
            known = tensors.get(cls)
            if known is None:
                known = tensors[cls] = issubclass(cls, kind)
            if known:
                self._note_returned(value, frame)

        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note_returned(self, tensor: Any, frame: FrameType) -> None:
        """Takes down an operation of nbmodule when its result is first returned."""
        node = own_dict(tensor).get("_node")
        if node is None:
            self._note_cut(frame)
            return
        node = node.shown
        if id(node) in self._by_node or len(self._by_node) >= self._limit:
            return
        stack, line = self._stack.at(frame)
        inputs = self._arguments(_given(frame))
        self._by_node[id(node)] = node, Seen(self._look(tensor), stack, line, inputs)

    def _note_cut(self, frame: FrameType) -> None:
        """Takes down what nbmodule did not record, if something that it was made from has a graph."""
        name = frame.f_code.co_name
        if name in _OPERATIONS:
            self._cuts.unrecorded(frame, _given(frame))
        elif name in ("detach", "detach_", "data"):
            self._cuts.detached(frame)


_OPERATIONS = ("apply", "loop")
"""The functions that run every operation of nbmodule: written out for a few arguments, and for any number."""


def _given(frame: FrameType) -> tuple[Any, ...]:
    """What an operation was given, if `frame` is one that ran an operation."""
    code, names = frame.f_code, frame.f_locals
    if code.co_name not in _OPERATIONS:
        return ()
    given = names.get("args", tuple(names.get(n) for n in code.co_varnames[: code.co_argcount]))
    return given if type(given) is tuple else ()


def _short(func: Any) -> str:
    """`"addmm"` for `aten.addmm.default`."""
    name = attempt(lambda: str(func._schema.name)).value or visible(str(func), 60)
    return name.rpartition("::")[2]


def _checked(node: Any, operation: str, seen: Seen) -> Seen:
    """The note, without the value if the operation is not the one that the node is called after."""
    own, noted = base_name(type(node).__name__), base_name(operation)
    if own.startswith(noted) or noted.startswith(own):
        return seen
    return Seen(None, seen.stack, seen.line, [])
