"""What a pass computed from what, whether or not the library recorded a graph for the backward pass.

The engines tell of every operation. Which one made a tensor is known by the memory that its numbers lie in: the same numbers
may be seen through many objects, and a new view is another object each time. A write in place makes a new state of a memory:
who reads it afterwards, through whichever view, reads what was there before and what was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from nbmodule_widgets.engines import Dialect, Heard, Memories, Memory, engine_of
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.graphing.records import WROTE
from nbmodule_widgets.protocol import attempt

Made = tuple[tuple[int, ...] | None, str]
_NUMBERS = ("item", "_local_scalar_dense", "equal", "is_nonzero")  # they give numbers of Python's


class Ran:
    """An operation that has run.

    Args:
        name: What the library calls it.
        number: Which one it is, from 0.
        made: `(shape, dtype)` of each tensor that it made.
        writes: Whether it wrote to what it was given.

    Attributes:
        sources: For each tensor that it was given `(who made it, which output)`, or `(None, 0)`.
        writers: The same for those that have written to parts of them since.
    """

    __slots__ = ("made", "name", "number", "sources", "writers", "writes")

    def __init__(self, name: str, number: int, made: list[Made], writes: bool) -> None:
        self.name, self.number, self.made, self.writes = name, number, made, writes
        self.sources: list[tuple[Ran | None, int]] = []
        self.writers: list[tuple[Ran, int]] = []


class _Version(NamedTuple):
    """Who made what lies in a memory, as which of its outputs."""

    ran: Ran
    output: int
    memory: Memory


class FlowDialect(Dialect):
    """Operations that ran, read as if they were the nodes of a graph.

    Args:
        flow: What is known of them.
        library: `"torch"` or `"nbmodule"`.
    """

    carries = False

    def __init__(self, flow: Flow, library: str) -> None:
        self._flow, self.library = flow, library

    def start(self, tensor: object) -> tuple[Ran, int] | None:
        """The operation that made the tensor, or wrote to all of it last; None if it was there before the pass."""
        return self._flow.maker(tensor)

    def edges(self, node: Ran) -> list[Any]:
        """For each tensor that the operation was given who made it, and who has written to it since."""
        return [*node.sources, *node.writers]

    def slots(self, node: Ran) -> Iterable[tuple[int, Any]]:
        """The same with the arguments that they stand for."""
        return [*enumerate(node.sources), *enumerate(node.writers, WROTE)]

    def name(self, node: Ran) -> str:
        """What the library calls the operation."""
        return node.name

    def leaf(self, node: Ran) -> None:
        """None: no gradient is accumulated anywhere."""

    def value(self, node: Ran) -> None:
        """None: the operation does not hold what it made."""

    def made(self, node: Ran) -> list[Made]:
        """`(shape, dtype)` of each tensor that the operation made."""
        return node.made

    def age(self, node: Ran) -> float:
        """When it ran."""
        return node.number

    def saved(self, node: Ran) -> list[tuple[str, Any, str]]:
        """Nothing was saved."""
        return []

    def said(self, node: Ran) -> str:
        """That it wrote in place, if it did."""
        return "writes in place, to its input" if node.writes else ""


class Flow:
    """The operations of a pass.

    Attributes:
        ran: Those that ran, in order.
        numbers: How many of them gave a number of Python's; where that goes nobody can see.
        outside: `id` -> the tensor, for all that no operation of the pass made.
        library: The library of the tensors.
    """

    def __init__(self) -> None:
        self.ran: list[Ran] = []
        self.numbers, self.library = 0, ""
        self.outside: dict[int, Any] = {}
        self._outside_at: dict[Memory, Any] = {}
        self._now: dict[Memory, _Version] = {}
        self._writes: dict[int, list[_Version]] = {}  # storage -> who wrote to parts of it
        self._storages: set[int] = (
            set()
        )  # those that were met, whose numbers `_memories` makes their own
        self._memories: dict[str, Memories] = {}  # by library
        self._engines: dict[int, tuple[type, Any]] = {}  # by `id` of the tensor's class
        self._alone: dict[int, tuple[Any, Ran, int]] = {}  # tensors that say no memory, by `id`

    def release(self) -> None:
        """Lets go of everything but the operations."""
        tables = self._now, self._writes, self._alone, self.outside, self._outside_at
        for table in (*tables, self._storages, self._memories):
            table.clear()

    def add(
        self, heard: Heard, made: list[Any], given: list[Any]
    ) -> tuple[Ran | None, list[tuple[int, int]]]:
        """Notes an operation.

        Args:
            heard: The operation.
            made: The tensors that it made.
            given: The tensors that it was given.

        Returns:
            What is known of it, None if it gave back what it was given; and `(slot, id)` of those in
            `outside`.
        """
        before = [self.place(tensor) for tensor in given]
        after = [self.place(tensor) for tensor in made]
        written = [t for _, t in tensors_in(heard.written)] if heard.written else []
        if made and not written and all(place is not None and place in before for place in after):
            return None, []  # the same numbers under another name
        shapes = [_shape_of(tensor) for tensor in made]
        ran = Ran(heard.name, len(self.ran), shapes, bool(written))
        self.ran.append(ran)
        self.numbers += heard.name in _NUMBERS
        unmade = []
        for slot, (tensor, place) in enumerate(zip(given, before, strict=True)):
            version, others = self._read(tensor, place)
            ran.sources.append((None, 0) if version is None else version)
            new = [(v.ran, v.output) for v in others]
            ran.writers += [writer for writer in new if writer not in ran.writers]
            if version is None:
                unmade.append((slot, self._from_outside(tensor, place)))
        for output, (tensor, place) in enumerate(zip(made, after, strict=True)):
            self._note(tensor, place, ran, output)
        for tensor in written:
            place = self.place(tensor)
            self._note(tensor, place, ran, 0)
            if place is not None:
                self._writes.setdefault(place.storage, []).append(_Version(ran, 0, place))
        return ran, unmade

    def maker(self, tensor: Any) -> tuple[Ran, int] | None:
        """The operation that a tensor comes from as it is now, and as which output; None if none made it."""
        version, writers = self._read(tensor, self.place(tensor))
        last = max(writers, key=lambda v: v.ran.number, default=None)
        return (last.ran, last.output) if last is not None else version

    def sinks(self) -> list[tuple[Ran, int]]:
        """The operations that were given something and whose results no other operation took."""
        taken = {id(source) for ran in self.ran for source, _ in (*ran.sources, *ran.writers)}
        return [(ran, 0) for ran in self.ran if id(ran) not in taken and ran.sources]

    def _read(
        self, tensor: Any, place: Memory | None
    ) -> tuple[tuple[Ran, int] | None, list[_Version]]:
        """Who made a tensor, and who has written to parts of it since."""
        if place is None:
            known = self._alone.get(id(tensor))
            return ((known[1], known[2]) if known is not None else None), []
        made = self._now.get(place)
        writes = self._writes.get(place.storage)
        if not writes:
            return ((made.ran, made.output) if made is not None else None), []
        since = made.ran.number if made is not None else -1
        later = [v for v in writes if v.ran.number > since and _overlap(v.memory, place)]
        whole = next((v for v in reversed(later) if _covers(v.memory, place)), None)
        if whole is not None:
            made, later = whole, [v for v in later if v.ran.number > whole.ran.number]
        return ((made.ran, made.output) if made is not None else None), later

    def written(self, tensor: Any) -> bool:
        """Whether an operation wrote to the memory of a tensor."""
        place = self.place(tensor)
        return place is not None and place.storage in self._writes

    def _from_outside(self, tensor: Any, place: Memory | None) -> int:
        """The `id` of the first tensor that was seen with this memory."""
        if place is not None:
            tensor = self._outside_at.setdefault(place, tensor)
        self.outside[id(tensor)] = tensor
        return id(tensor)

    def _note(self, tensor: Any, place: Memory | None, ran: Ran, output: int) -> None:
        if place is None:
            self._alone[id(tensor)] = tensor, ran, output
            return
        self._now[place] = _Version(ran, output, place)

    def place(self, tensor: Any) -> Memory | None:
        """Where a tensor's numbers lie; what makes that place its own is held."""
        kind = type(tensor)
        known = self._engines.get(id(kind))
        if known is None:
            known = self._engines[id(kind)] = kind, engine_of(tensor)
        engine = known[1]
        if engine is None:
            return None
        place = engine.memory(tensor)
        if place is not None and place.storage not in self._storages:
            self._storages.add(place.storage)
            memories = self._memories.get(engine.library)
            if memories is None:
                memories = self._memories[engine.library] = engine.memories()
            attempt(memories.is_new, tensor)
            self.library = self.library or engine.library
        return place


def _extent(memory: Memory) -> tuple[int, int, bool]:
    """The first byte, one past the last one, and whether the numbers lie without gaps."""
    low = high = 0
    steps = []
    for size, stride in zip(memory.shape, memory.strides, strict=True):
        if not size:
            return 0, 0, True
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
        steps += [(abs(stride) * memory.unit, size)] if size > 1 else []
    expected, dense = memory.item, True
    for stride, size in sorted(steps):
        dense = dense and stride == expected
        expected *= size
    first = memory.offset * memory.unit
    return first + low * memory.unit, first + high * memory.unit + memory.item, dense


def _overlap(one: Memory, other: Memory) -> bool:
    """Whether two parts of a memory may share a number: whether the stretches that they lie in do."""
    a, b = _extent(one), _extent(other)
    return a[0] < b[1] and b[0] < a[1]


def _covers(one: Memory, other: Memory) -> bool:
    """Whether one part of a memory surely holds all numbers of the other."""
    if one == other:
        return True
    a, b = _extent(one), _extent(other)
    return a[2] and a[0] <= b[0] and b[1] <= a[1]


def _shape_of(tensor: Any) -> Made:
    said = attempt(lambda: (tuple(tensor.shape), str(tensor.dtype).rpartition(".")[2]))
    return said.value or (None, "")
