"""The backward walk, node by node in the order of the engine: what arrived, and what each node made of it.

The library's own backward pass is run, by its `autograd.grad`, with a hook on every node. So the numbers are those that
`backward()` would find, bit for bit; but nothing is added to anybody's `.grad`, and nothing that was saved is freed. Hooks of
the reader's own are part of what backward does: they run.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from nbmodule_widgets.engines import RETAINS, Engine, ParentsDialect
from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.own_walks import NodesWalk, ParentsWalk
from nbmodule_widgets.graphing.records import GraphFacts, WalkFacts, WalkStep
from nbmodule_widgets.graphing.steps import Taker, start_words, step_words
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import attempt, read

KEEP = 4096
BUDGET = 8_000_000

_HOOKS_RAN = "Hooks on tensors, nodes and modules are part of the backward pass: they ran."
_UNPACKED = (
    "What hooks had packed was unpacked for the walk, so what a checkpoint left out was recomputed; the models whose "
    "parameters are named here were restored."
)


def walk(graph: GraphFacts, *, keep: int = KEEP, budget: int = BUDGET) -> WalkFacts:
    """Takes the backward walk over a graph.

    Args:
        graph: What `read` or `run` returned.
        keep: Gradients are copied if they take at most so many bytes.
        budget: All copies together take at most so many bytes; beyond, only statistics are kept.

    Returns:
        The steps; up to where it broke, and why, if the library refused.
    """
    if graph.walked is not None:
        return graph.walked
    live = graph.live
    if graph.forward_only:
        return WalkFacts(problem=f"There is no backward graph to walk over: {graph.forward_only}.")
    if graph.problem or not live.nodes:
        return WalkFacts(problem=graph.problem or "There is no graph to walk over.")
    if graph.failure is not None:
        return WalkFacts(problem="The pass broke off, so there is no result to walk back from.")
    if isinstance(live.dialect, ParentsDialect):
        return ParentsWalk(graph, Taker(keep, budget)).facts()
    if not isinstance(live.dialect, Engine):
        return NodesWalk(graph, Taker(keep, budget)).facts()
    with ExitStack() as kept:
        packed = graph.packed or any(map(live.dialect.is_packed, live.nodes))
        if packed or graph.recorded:  # hooks run now, and with them what a checkpoint left out
            for model in live.models:
                kept.enter_context(Preserved(model, gradients=False))
        found = _EngineWalk(graph, Taker(keep, budget)).facts()
    return replace(found, notes=(*found.notes, _UNPACKED)) if packed else found


class _EngineWalk:
    """A walk by PyTorch's or nbmodule's engine."""

    def __init__(self, graph: GraphFacts, taker: Taker) -> None:
        self._graph, self._taker = graph, taker
        self._dialect: Any = graph.live.dialect
        self._order: list[int] = []
        self._now = -1
        self._given: dict[int, tuple[Glance | None, ...]] = {}
        self._sent: dict[int, Glance | None] = {}  # edge -> what was sent along it
        # node -> a gradient on its way to it: (tensor, version, what it is like). Held, so that it can be known again.
        self._underway: dict[int, tuple[Any, int, Glance]] = {}

    def facts(self) -> WalkFacts:
        """Takes the walk."""
        graph, live = self._graph, self._graph.live
        leaves = {
            node.number: leaf
            for node in graph.nodes
            if node.kind == "leaf"
            and (leaf := self._dialect.leaf(live.nodes[node.number])) is not None
        }
        wanted = {
            n: leaf for n, leaf in leaves.items() if read(leaf, "requires_grad").value is True
        }
        if not wanted:
            return WalkFacts(problem="No leaf requires a gradient any more.")
        handles: list[Any] = []
        kept = self._retained()
        starts = [attempt(self._dialect.ones_like, tensor) for tensor in live.results]
        try:
            for node in graph.nodes:
                if node.kind == "operation":
                    handles += self._listen(node.number, live.nodes[node.number])
            said = attempt(
                self._dialect.gradients, list(live.results), [s.value for s in starts],
                list(wanted.values()), [live.nodes[number] for number in wanted],
            )  # fmt: skip
        finally:
            for handle in handles:
                handle.remove()
            for tensor, grad in kept:
                attempt(setattr, tensor, "grad", grad)
        for number, gradient in zip(wanted, said.value or (), strict=False):
            self._given[number] = (self._taker.look_if(gradient),)
        steps = self._steps([self._taker.look(s.value) for s in starts if s.value is not None])
        hooked = any(
            "BackwardHook" in node.name or any(hook != RETAINS for hook in node.hooks)
            for node in graph.nodes
        )
        return WalkFacts(
            tuple(steps), start_words(graph), visible(" ".join(said.problem.split()), 600),
            self._broken() if said.problem else -1, (_HOOKS_RAN,) if hooked else (), self._taker.dropped,
        )  # fmt: skip

    def _listen(self, number: int, node: Any) -> list[Any]:
        """Hooks that note this node's turn."""
        incoming = self._graph.incoming(number)
        by_slot = {self._graph.edges[e].slot: e for e in incoming if self._graph.edges[e].carries}

        def before(_outputs: Any) -> None:
            self._now = number

        def after(inputs: Any, outputs: Any) -> None:
            self._order.append(number)
            self._given[number] = self._arrived(number, outputs)
            sent = self._dialect.sent(node, inputs)
            for slot, edge in by_slot.items():
                gradient: Any = sent[slot] if slot < len(sent) else None
                seen = self._sent[edge] = self._taker.look_if(gradient)
                if seen is not None:
                    version = gradient._version
                    self._underway[self._graph.edges[edge].source] = gradient, version, seen

        registered = [attempt(node.register_prehook, before), attempt(node.register_hook, after)]
        return [said.value for said in registered if said.value is not None]

    def _arrived(self, number: int, outputs: Any) -> tuple[Glance | None, ...]:
        """What a node was given. Where nothing was added to what was sent, it was looked at before."""
        known = self._underway.pop(number, None)
        if known is not None and len(outputs) == 1 and outputs[0] is not None:
            tensor, version, seen = known
            same = tensor is outputs[0] or _memory(tensor) == _memory(outputs[0])
            if same and outputs[0]._version == version:
                return (seen,)
        return tuple(map(self._taker.look_if, outputs))

    def _broken(self) -> int:
        """The node that raised: the one whose turn had begun, or else the one whose turn was next."""
        if self._now >= 0 and self._now not in self._given:
            return self._now
        waiting = (n.number for n in reversed(self._graph.nodes) if n.kind == "operation")
        return next((number for number in waiting if number not in self._given), -1)

    def _retained(self) -> list[tuple[Any, Any]]:
        """Tensors of the graph that keep their gradient though they are no leaves, with what they have now."""
        found = self._dialect.retaining(self._graph.live.nodes)
        return [(tensor, read(tensor, "grad").value) for tensor in found]

    def _steps(self, starts: list[Glance]) -> list[WalkStep]:
        """The turns of operations as they were noted, each leaf's right after its last gradient has come."""
        graph = self._graph
        begin: dict[int, list[tuple[int, Glance]]] = {}
        for tensor, seen in zip(graph.live.results, starts, strict=False):
            start = self._dialect.start(tensor)
            begin.setdefault(graph.live.numbers[id(start[0])], []).append((-1, seen))
        missing = {
            node.number: sum(1 for e in graph.outgoing(node.number) if graph.edges[e].carries)
            for node in graph.nodes
            if node.kind == "leaf"
        }
        turn = {number: place for place, number in enumerate(self._order)}
        in_order = [n for n, waits in missing.items() if not waits]
        for number in self._order:
            in_order.append(number)
            for edge in graph.incoming(number):
                source = graph.edges[edge].source
                if source in missing and graph.edges[edge].carries:
                    missing[source] -= 1
                    if not missing[source]:
                        in_order.append(source)
        done = set(in_order)
        in_order += [n for n in missing if n not in done and any(self._given.get(n, ()))]
        steps = []
        for number in in_order:
            coming = sorted(
                (e for e in graph.outgoing(number) if self._sent.get(e) is not None),
                key=lambda e: turn.get(graph.edges[e].target, 0),
            )
            arrivals = (*begin.get(number, ()), *((e, self._sent[e]) for e in coming))
            given = self._given.get(number, ())
            if graph.nodes[number].kind == "leaf" and not any(given):
                continue
            sent = tuple(
                (e, self._sent.get(e)) for e in graph.incoming(number) if graph.edges[e].carries
            )
            words = step_words(graph, number, len(arrivals), given, sent)
            steps.append(WalkStep(len(steps), number, arrivals, given, sent, words))  # type: ignore[arg-type]
        return steps


def _memory(tensor: Any) -> Any:
    """Where a tensor's numbers lie, and how; something that nothing equals where it does not say."""
    said = attempt(lambda: (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype))
    return object() if said.problem else said.value
