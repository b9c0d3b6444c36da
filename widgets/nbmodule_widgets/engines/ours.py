"""How nbmodule is asked: by its observer, and by what its nodes tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from nbmodule_widgets.engines.engine import (
    RETAINS,
    Engine,
    Heard,
    Memories,
    Memory,
    Recording,
    made_memory,
    saved_of_function,
)
from nbmodule_widgets.engines.products import Counted, our_products
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    error_text,
    own_dict,
    plain_text,
    read,
)


class NbmoduleEngine(Engine):
    """nbmodule."""

    computes_in_numpy = True
    accumulator_slot = "_accumulator"  # of a leaf's `__dict__`

    def array(self, tensor: Any) -> np.ndarray | None:
        """The memory of an ordinary tensor on the CPU."""
        return tensor.numpy(force=True) if tensor.device.type == "cpu" else None

    def stamp(self, tensor: Any) -> tuple[int, int] | None:
        """The writes, and the array itself: to ask for its address is slow."""
        try:
            return tensor._version, id(tensor._array)
        except RuntimeError:  # made in inference mode
            return None

    def retaining(self, nodes: list[Any]) -> list[Any]:
        """Those that these nodes made."""
        notes = [getattr(node, "notes", None) for node in nodes]
        kept = [n.retained() for n in notes if n is not None and n.retained is not None]
        return [tensor for tensor in kept if tensor is not None]

    def memory(self, tensor: Any) -> Memory | None:
        """By the storage that tensors which share memory have in common."""
        array = tensor._array
        if type(array) is not np.ndarray:
            return None
        # From the array that owns the memory: to ask NumPy for an address takes longer than all the rest.
        offset, owner = 0, array
        while type(owner.base) is np.ndarray:
            owner = owner.base
        if owner is not array:
            offset = _address(array) - _address(owner)
        dtype = array.dtype
        return made_memory(
            (id(tensor._storage), offset, array.shape, array.strides, dtype, dtype.itemsize, 1)
        )

    def memories(self) -> Memories:
        """By the storages, which count writes and have no numbers."""
        return _OurMemories()

    @contextmanager
    def recording(self, listener: Callable[[Heard], Any]) -> Iterator[Recording]:
        """Listens by the observer."""
        found = _OurRecording(listener, self.module)
        with self.module.observer.observe(found.hear):
            yield found

    @contextmanager
    def counting(self, listener: Counted) -> Iterator[None]:
        """Tells of every operation how many multiply-adds it took."""

        def hear(event: Any) -> None:
            if event.kind != "operation" or event.error is not None:
                return
            if event.operation is None and not hasattr(self.module.Tensor, event.name):
                listener(event.name, None)  # a reader's Function, whose inside is not told of
                return
            told = attempt(our_products, event.name, event.args, event.options, event.result)
            listener(event.name, told.value)

        handle = self.module.observer.observe(hear)
        try:
            yield
        finally:
            handle.remove()
        if handle.error is not None:  # a model that called itself for ever left no room to listen
            listener(f"what ran after {error_text(handle.error)}", None)

    # ------------------------------------------------------------------------------ nodes

    def gradients(
        self, tensors: list[Any], starts: list[Any], leaves: list[Any], nodes: list[Any]
    ) -> Any:
        """As nbmodule finds them; a leaf that was put back as it was knows its node in this graph no more."""
        before = [(vars(leaf), vars(leaf).get(self.accumulator_slot, ...)) for leaf in leaves]
        try:
            for (own, _), node in zip(before, nodes, strict=True):
                own[self.accumulator_slot] = node
            return super().gradients(tensors, starts, leaves, nodes)
        finally:
            for own, known in before:
                if known is ...:
                    own.pop(self.accumulator_slot, None)
                else:
                    own[self.accumulator_slot] = known

    def accumulator(self, leaf: Any) -> Any:
        """The node where the gradients for a leaf arrive; None if none was made yet, so that no hook hangs there."""
        return own_dict(leaf).get(self.accumulator_slot)

    def hook_tables(self, leaf: Any) -> tuple[Any, Any]:
        """The node where its gradients arrive has them; where it was not made yet, there are none."""
        node = self.accumulator(leaf)
        notes = read(node, "notes").value if node is not None else None
        return (None, None) if notes is None else (notes.arrived, notes.accumulated)

    def made(self, node: Any) -> list[tuple[tuple[int, ...] | None, str]]:
        """`(shape, dtype)` of what the operation made, where that is one tensor."""
        if self.is_shared(node):
            return []
        said = attempt(lambda: [(tuple(node.shape), _dtype(node.dtype))])
        return said.value or []

    def is_shared(self, node: Any) -> bool:
        """Whether the node has several outputs."""
        return class_attribute(node, "count_of_outputs") is not None

    def port(self, node: Any, slot: int) -> tuple[tuple[int, ...], str] | None:
        """`(shape, dtype)` of an argument that is one of several outputs of the operation before."""
        places = self._places(node)
        edge: Any = node.edges[places[slot]] if slot < len(places) else None
        return (tuple(edge.shape), _dtype(edge.dtype)) if edge and edge.shown is not edge else None

    def sent(self, node: Any, gradients: Any) -> list[Any]:
        """Without those of numbers, for which there is no edge."""
        return [gradients[place] for place in self._places(node) if place < len(gradients)]

    def _places(self, node: Any) -> list[int]:
        """For each of `next_functions` its place among the node's `edges`: numbers are left out there."""
        edges = node.edges
        if len(edges) == len(node.next_functions):
            return list(range(len(edges)))
        return [i for i, s in enumerate(node.storages[: len(edges)]) if s is not None]

    def function(self, node: Any) -> str:
        """The function whose vjps the node holds: several share a name, as a linear layer does with `addmm`."""
        for vjp in read(node, "vjps").value or ():
            if callable(vjp):
                return plain_text(getattr(vjp, "__qualname__", "")).partition(".")[0]
        return ""

    def age(self, node: Any) -> float:
        """When the node was born."""
        return getattr(node, "birth", 0)

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """What the node saved, under PyTorch's names."""
        if class_attribute(node, "saved_tensors") is not None:
            return saved_of_function(node)
        found = []
        second = "exponent" if type(node).__name__.startswith("Pow") else "other"
        for name in ("self", second, "result"):
            said = attempt(getattr, node, f"_saved_{name}")
            if not said.problem:
                found.append((name, said.value, ""))
            elif not said.problem.startswith("AttributeError"):
                return [("saved values", None, said.problem)]
        return found

    def hooks(self, node: Any) -> tuple[Any, ...]:
        """All hooks, whoever registered them."""
        notes = getattr(node, "notes", None)
        if notes is None:
            return ()
        kinds = (notes.arrived, notes.before, notes.after, notes.accumulated)
        hooks = [hook for each in kinds for hook in list(each.values())]
        return (*hooks, *((RETAINS,) if notes.retained is not None else ()))


class _OurMemories(Memories):
    def __init__(self) -> None:
        self._met: dict[int, Any] = {}

    def is_new(self, tensor: Any) -> bool:
        """Whether a tensor's storage is met for the first time."""
        before = len(self._met)
        self._met.setdefault(id(tensor._storage), tensor._storage)
        return len(self._met) > before


class _OurRecording(Recording):
    """Keeps what a listener says by the node that was recorded, which is held: its `id` stays its own.

    Leaves are held too: their nodes do not hold them, and a Module that the pass makes has gone when it is over.
    """

    def __init__(self, listener: Callable[[Heard], Any], library: Any) -> None:
        super().__init__(listener)
        self._is_recorded, self._tensor = library.is_grad_enabled, library.Tensor
        self._notes: dict[int, tuple[Any, Any, bool]] = {}
        self._leaves: list[Any] = []

    def hear(self, event: Any) -> None:
        """Tells of an event, if it is an operation or a write."""
        if event.kind not in ("operation", "write"):
            return
        if event.error is not None and event.kind == "operation" and event.operation is None:
            return  # of a reader's Function: what raised stands in the reader's own lines
        arguments = (*event.args, *event.options.values())
        written = (event.result,) if event.kind == "write" else ()
        heard = Heard(
            event.name, arguments, event.result, event.error, self._is_recorded(), written=written,
            fresh=event.node is not None,
        )  # fmt: skip
        note = self.listener(heard)
        if event.node is None or note is None:
            return
        self._leaves += [t for t in arguments if issubclass(type(t), self._tensor) and t.is_leaf]
        for node, is_own in _nodes_of(event):
            self._notes.setdefault(id(node), (node, note, is_own))

    def notes(self, nodes: list[Any]) -> dict[int, tuple[Any, bool]]:
        """What was kept of these live nodes."""
        return {id(n): self._notes[id(n)][1:] for n in nodes if id(n) in self._notes}


def _nodes_of(event: Any) -> Iterator[tuple[Any, bool]]:
    """The nodes that an event made, and whether what it gave is theirs: a write to a view gives the base two more."""
    yield event.node, True
    base = event.result._base if event.kind == "write" else None
    if base is not None:
        grafted = base.grad_fn
        yield grafted, False
        for written, _ in grafted.next_functions[1:]:
            if written is not None:
                yield written, True


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@cache
def _dtype(dtype: np.dtype) -> str:
    """`"float32"`, which NumPy would put together again each time."""
    return dtype.name
