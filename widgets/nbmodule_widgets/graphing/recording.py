"""Notes what every operation makes while a pass runs, without a hook on anything: the engines tell of them."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from nbmodule_widgets.engines import DETACHING, Heard, recording
from nbmodule_widgets.facts.glance import Glance, glance
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.tensor_state import nbytes_of
from nbmodule_widgets.graphing.calls import Calls
from nbmodule_widgets.graphing.cuts import Cuts, wants_grad
from nbmodule_widgets.graphing.flow import Flow
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.noted import Input, Seen
from nbmodule_widgets.graphing.records import Cut
from nbmodule_widgets.protocol import read
from nbmodule_widgets.tracing.looks import Looks

BUDGET = 32_000_000
_HELD = 64_000_000  # bytes of results that are held until somebody asks what ran
_MANY = 10_000  # tensors of one operation, such as a stack of many
_PLAIN = (type(None), int, float, bool, str)
# These give memory as it lies there: whatever was in it, also NaN, is nobody's number.
_UNSET = (
    "empty",
    "empty_like",
    "empty_strided",
    "empty_permuted",
    "new_empty",
    "new_empty_strided",
)
_WRITTEN = "written to in the pass"
_RECENT = 64  # results that are remembered as long as they live


class Recorder:
    """Notes of one pass.

    Args:
        names: The names of tensors.
        calls: The open calls of Modules.
        cuts: Takes the places where the pass leaves the graph.
        keep: Values are copied if they take at most so many bytes.
        limit: Most operations to note.

    Attributes:
        wanted: Whether one was given something that requires a gradient.
        notes: What could not be recorded.
        failed: The operation that raised last.
    """

    def __init__(self, names: Names, calls: Calls, cuts: Cuts, keep: int, limit: int) -> None:
        self._names, self._calls, self._cuts = names, calls, cuts
        self._keep, self._limit = keep, limit
        self._looks, self._flow = Looks(keep, BUDGET), Flow()
        # Operations that `flow` has not been told of: where the library records a graph, nobody asks.
        self._waiting: list[tuple[Heard, list[Any], list[Any], Seen]] = []
        self._held = 0  # bytes of what they made
        self._given: dict[int, tuple[Any, str, str, int]] = {}
        self._ran: dict[int, Seen] = {}
        self.wanted = False
        self.notes: list[str] = []
        self.failed: Heard | None = None
        self._noted = 0
        self._recent: deque[weakref.ref[Any]] = deque(maxlen=_RECENT)
        self._notes_of: Callable[[list[Any]], dict[int, tuple[Any, bool]]] = lambda nodes: {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Records what runs in the block."""
        with self._calls.heard(), recording(self._hear) as self._notes_of:
            yield

    def release(self) -> None:
        """Forgets which node is whose: who tells that holds us, and Python's search for such cycles takes long."""
        self._notes_of, self._waiting = lambda nodes: {}, []

    @property
    def flow(self) -> Flow:
        """The operations that ran, recorded or not."""
        for heard, made, given, seen in self._waiting:
            ran, seen.inputs = self._flow.add(heard, made, given)
            if ran is not None:
                self._ran[id(ran)] = seen
        self._waiting, self._held = [], 0
        return self._flow

    @property
    def inputs(self) -> dict[int, Input]:
        """`id` of a tensor that takes no gradient -> what is known of it."""
        self._looks.sum_up()
        return {
            key: Input(tensor, label, word, self._looks.glance(look))
            for key, (tensor, label, word, look) in self._given.items()
        }

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Where the pass left the graph."""
        return self._cuts.found

    def recent(self) -> list[Any]:
        """The results that still live, the last one first."""
        _ = self.flow  # which lets go of those that nobody else holds
        return [tensor for ref in reversed(self._recent) if (tensor := ref()) is not None]

    def seen(self, nodes: list[Any]) -> dict[int, Seen]:
        """What was noted of these live nodes, by their `id`."""
        self._looks.sum_up()
        found: dict[int, Seen] = {}
        notes = self._notes_of(nodes)
        for node in nodes:
            if id(node) not in notes:
                continue
            seen, is_own = notes[id(node)]
            # Where the operation is not the node's own, neither its value nor its inputs are.
            edges: Any = read(node, "next_functions").value or () if seen.inputs else ()
            inputs = [
                (slot, key) for slot, key in seen.inputs
                if is_own and (slot >= len(edges) or edges[slot][0] is None)  # else it is an edge already
            ]  # fmt: skip
            value = self._looked(seen) if is_own else None
            found[id(node)] = Seen(value, seen.stack, seen.line, inputs)
        return found

    def ran(self, nodes: list[Any]) -> dict[int, Seen]:
        """What was noted of these operations of `flow`, by their `id`."""
        self._looks.sum_up()
        noted = [(node, self._ran[id(node)]) for node in nodes if id(node) in self._ran]
        return {
            id(node): Seen(self._looked(seen), seen.stack, seen.line, seen.inputs)
            for node, seen in noted
        }

    def from_outside(self, seen: Iterable[Seen]) -> dict[int, Input]:
        """The tensors that these operations were given and that no operation made, as they are now.

        Args:
            seen: What `ran` has returned.
        """
        found: dict[int, Input] = {}
        known = {place: t for t in self._names.held if (place := self.flow.place(t)) is not None}
        for key in (key for each in seen for _, key in each.inputs):
            if key not in found:
                tensor = self.flow.outside[key]
                # `p.data`, or a view of all of it, is the same numbers.
                place = None if self._names.of(tensor) else self.flow.place(tensor)
                same = known.get(place) if place is not None else None
                label, word = self._label(tensor if same is None else same)
                changed = self.flow.written(tensor)
                now = glance(tensor, 0 if changed else self._keep)
                if changed:
                    now = Glance(now.shape, now.dtype, now.device, now.numel, problem=_WRITTEN)
                found[key] = Input(tensor, label, word or "tensor", now)
        return found

    def _looked(self, seen: Seen) -> Glance | None:
        return self._looks.glance(seen.look) if seen.look is not None else None

    def operand_label(self, tensor: Any, otherwise: str) -> str:
        """What to call an operand: its name, that of what it is a view of, or its role."""
        label = self._label(tensor)[0]
        return label or otherwise

    # ------------------------------------------------------------------------------ what is heard

    def _hear(self, heard: Heard) -> Seen | None:
        """Notes an operation."""
        if heard.error is not None:
            self.failed = heard
            return None
        made = _tensors((heard.result,))
        for tensor in made:
            with suppress(TypeError):  # a reader's class of tensors may not know weak references
                self._recent.append(weakref.ref(tensor))
        given = _tensors((*heard.arguments, *heard.named))
        if not heard.recorded:
            self._cuts.unrecorded(given)
        detaches = heard.name in DETACHING
        if detaches:
            self._cuts.detached(heard, given)
        self.wanted = self.wanted or any(map(wants_grad, given))
        is_noted = heard.recorded and heard.fresh and not detaches and self._noted < self._limit
        look = self._looks.see_new(made[0]) if made and heard.name not in _UNSET else None
        stack, line = self._calls.open, self._calls.line()
        self._waiting.append((heard, made, given, Seen(None, stack, line, [], look)))
        self._held += sum(map(nbytes_of, made))
        if self._held > _HELD or any(each is not None for each in heard.written):
            _ = self.flow  # before what was made is too much, or is something else
        if not is_noted:
            return None
        self._noted += 1
        return Seen(None, stack, line, self._arguments(given), look)

    def _arguments(self, given: list[Any]) -> list[tuple[int, int]]:
        """`(slot, id)` of the tensors among the arguments that take no gradient and can be told apart."""
        found = []
        for slot, tensor in enumerate(given):
            known = id(type(tensor)) in self._looks.known  # as most, and it needs no guard
            wants = tensor.requires_grad if known else read(tensor, "requires_grad").value
            if wants is not False:
                continue
            if id(tensor) not in self._given:
                label, word = self._label(tensor)
                if not label:
                    continue
                self._given[id(tensor)] = tensor, label, word, self._looks.see(tensor)
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


def _tensors(values: Iterable[Any]) -> list[Any]:
    """The tensors among the arguments or results of an operation."""
    found: list[Any] = []
    for value in values:
        if is_tensor(value):
            found.append(value)
        elif type(value) not in _PLAIN:
            found += [tensor for _, tensor in tensors_in(value, _MANY)]
    return found
