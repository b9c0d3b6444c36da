"""Notes what every operation makes while a pass runs, without a hook on anything: the engines tell of them."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbmodule_widgets.engines import DETACHING, Heard, recording
from nbmodule_widgets.facts.glance import Glance, glance
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.graphing.calls import Calls
from nbmodule_widgets.graphing.cuts import Cuts
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.noted import Input, Seen
from nbmodule_widgets.graphing.records import Cut
from nbmodule_widgets.protocol import attempt, read

BUDGET = 32_000_000
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
        inputs: `id` of a tensor that takes no gradient -> what is known of it.
        notes: What could not be recorded.
        failed: The operation that raised last.
    """

    def __init__(self, names: Names, calls: Calls, cuts: Cuts, keep: int, limit: int) -> None:
        self._names, self._calls, self._cuts = names, calls, cuts
        self._keep, self._limit, self._left = keep, limit, BUDGET
        self.inputs: dict[int, Input] = {}
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

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Where the pass left the graph."""
        return self._cuts.found

    def recent(self) -> list[Any]:
        """The results that still live, the last one first."""
        return [tensor for ref in reversed(self._recent) if (tensor := ref()) is not None]

    def seen(self, nodes: list[Any]) -> dict[int, Seen]:
        """What was noted of these live nodes, by their `id`."""
        found: dict[int, Seen] = {}
        notes = self._notes_of(nodes)
        for node in nodes:
            if id(node) not in notes:
                continue
            seen, is_own = notes[id(node)]
            # Where the operation is not the node's own, neither its value nor its inputs are.
            edges: Any = read(node, "next_functions").value or ()
            inputs = [
                (slot, key) for slot, key in seen.inputs
                if is_own and (slot >= len(edges) or edges[slot][0] is None)  # else it is an edge already
            ]  # fmt: skip
            found[id(node)] = Seen(seen.value if is_own else None, seen.stack, seen.line, inputs)
        return found

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
        made = tensors_in(heard.result)
        for _, tensor in made:
            attempt(lambda tensor=tensor: self._recent.append(weakref.ref(tensor)))
        if not heard.recorded:
            self._cuts.unrecorded(heard.arguments)
        if heard.name in DETACHING:
            self._cuts.detached(heard)
            return None
        if not heard.recorded or self._noted >= self._limit:
            return None
        self._noted += 1
        value = self._look(made[0][1]) if made else None
        inputs = self._arguments(heard.arguments)
        return Seen(value, self._calls.open, self._calls.line(), inputs)

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
