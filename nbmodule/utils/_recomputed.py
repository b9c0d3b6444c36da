"""Nodes that forget what their operations saved, and a second run of these that tells them again.

A node of the first run keeps its place in the graph: its name, its edges, its hooks. Only its vjps, which
hold the arrays, go; in their place stands the `Stretch` that can make them. When a walk asks the first node of
a stretch for its vjps, the function runs again, and node by node the second graph hands over to the first.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from .. import _errors
from .._engine import AccumulateGrad, Node, captured_arrays, clock, edge_of, youngest_first
from .._engine.state import Since

_HELD: Any = Node.__dict__["vjps"]  # the slot itself, which `_forgetful` hides behind a property


class CheckpointError(RuntimeError):
    """The second run of a checkpoint did something else than the first one."""


class Stretch:
    """The operations of one call of a function.

    Args:
        again: calls the function again, recorded, and returns its tensors.
        careful: compare the two runs.
        inputs: the tensors that it gets, which must not have been written when it is called again.
    """

    def __init__(self, again: Callable[[], list[Any]], careful: bool, inputs: Sequence[Any] = ()) -> None:  # fmt: skip
        self.again, self.careful = again, careful
        self.inputs = [(t, t._storage.version) for t in inputs]
        self.start = clock()
        self.nodes: list[weakref.ref[Node]] = []
        self.facts: list[tuple[Any, ...]] = []

    def forget(self, outputs: Iterable[Any]) -> None:
        """Let the nodes that led to `outputs` since this object was made forget their arrays."""
        for node in _since(self.start, outputs):
            self.nodes.append(
                weakref.ref(node)
            )  # the nodes hold us: holding them too would be a cycle
            self.facts.append(_facts(node))
            _HELD.__set__(node, self)
            node.__class__ = _forgetful(type(node))

    def remember(self) -> None:
        """Run the function again, and give every node its vjps back.

        Raises:
            CheckpointError: the runs differ.
            RuntimeError: an input was written in place.
        """
        for t, version in self.inputs:
            if t._storage.version != version:
                raise _errors.overwritten(_written_text(t, version))
        start = clock()
        outputs = self.again()
        fresh = _since(start, outputs)
        self._compare(fresh)
        for reference, new in zip(self.nodes, fresh, strict=True):
            node = reference()
            if node is None or _HELD.__get__(node) is not self:
                continue
            node.ids = new.ids
            node.storages = [s and _since_birth(s, new) for s in new.storages]
            _HELD.__set__(node, new.vjps)

    def _compare(self, fresh: list[Node]) -> None:
        if len(fresh) != len(self.nodes):
            raise CheckpointError(
                "nbmodule.utils.checkpoint: A different number of tensors was saved during the original forward "
                f"and recomputation.\nNumber of operations during forward: {len(self.nodes)}\nNumber of "
                f"operations during recomputation: {len(fresh)}."
            )
        found = [_facts(node) for node in fresh]
        differing = [i for i, (a, b) in enumerate(zip(self.facts, found, strict=True)) if a != b]
        if self.careful and differing:
            lines = [
                f"operation at position {i}:\nsaved metadata: {self.facts[i]}\nrecomputed metadata: {found[i]}"
                for i in differing
            ]
            raise CheckpointError(
                "nbmodule.utils.checkpoint: Recomputed values for the following tensors have different metadata "
                "than during the forward pass.\n" + "\n".join(lines)
            )


def _written_text(t: Any, version: int) -> str:
    maker = t._storage.maker or (t._node and type(t._node.shown))
    which = _errors.output_text(maker) if maker else ""
    return (
        f"[{_errors.typed_name(t._array)} {list(t._array.shape)}]{which} is at version "
        f"{t._storage.version}; expected version {version} instead"
    )


def _since(start: int, outputs: Iterable[Any]) -> list[Node]:
    """Return the nodes born after `start` that led to `outputs` and hold arrays, the oldest first."""
    edges = [edge for t in outputs if (edge := edge_of(t)) is not None]
    nodes = (n for n in youngest_first(edges) if not isinstance(n, AccumulateGrad))
    # what a hook has packed is not kept here, and not to be computed again
    new = (n for n in nodes if n.birth > start and not n.packs)
    own = [n for n in new if isinstance(n.vjps, (list, tuple))]
    return [n for n in reversed(own) if any(map(captured_arrays, n.vjps))]


def _facts(node: Node) -> tuple[Any, ...]:
    return node.name(), node.shape, str(node.dtype)


def _since_birth(storage: Any, node: Node) -> Any:
    """Return `storage` as one that was saved when `node` was born."""
    seen = Since(getattr(storage, "storage", storage))
    seen.start = int(node.birth)
    return seen


@cache
def _forgetful(kind: type[Node]) -> type[Node]:
    """Return `kind` with vjps that are made when somebody asks for them."""

    def read(node: Any) -> Any:
        held = _HELD.__get__(node)
        if isinstance(held, Stretch):
            held.remember()
            held = _HELD.__get__(node)
        return held

    def hold(node: Any, vjps: Any) -> None:
        _HELD.__set__(node, vjps)

    body = {"__slots__": (), "__module__": kind.__module__, "vjps": property(read, hold)}
    return type(kind.__name__, (kind,), body)
