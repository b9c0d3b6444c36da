"""The backward walk over graphs of the reader's own: their functions are called, and their gradients put back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.records import GraphFacts, WalkFacts, WalkStep
from nbmodule_widgets.graphing.steps import Taker, start_words, step_words
from nbmodule_widgets.protocol import Outcome, attempt, class_attribute, own_dict, read

_BACKWARDS = ("backward", "apply", "__call__")
_NO_FUNCTION = "TypeError: the node cannot be called"
_CANNOT = (
    "The nodes of this graph have neither vjps nor a backward() that could be called with a gradient, so the walk "
    "cannot be taken."
)


class ParentsWalk:
    """A walk over values that add to each other's `grad` by a `_backward()` of their own, as micrograd's do."""

    def __init__(self, graph: GraphFacts, taker: Taker) -> None:
        self._graph, self._taker = graph, taker

    def facts(self) -> WalkFacts:
        """Takes the walk, and puts every `grad` back."""
        graph, nodes = self._graph, self._graph.live.nodes
        if not any(callable(read(node, "_backward").value) for node in nodes):
            return WalkFacts(problem="These values have no _backward() that could be called.")
        before = [read(node, "grad") for node in nodes]
        start = np.ones(graph.nodes[graph.results[0]].shape or ())
        steps: list[WalkStep] = []
        sent: dict[int, Glance | None] = {}
        problem, failed = "", -1
        try:
            for number, node in enumerate(nodes):
                first = float(start) if not start.shape else start
                zero = 0.0 if type(before[number].value) in (int, float) else None
                own = before[number].value
                zero = own * 0 if zero is None and own is not None else zero
                attempt(setattr, node, "grad", first if number in graph.results else zero)
            for number in range(len(nodes) - 1, -1, -1):
                steps.append(self._step(number, sent))
                function = read(nodes[number], "_backward").value
                grads = {e: self._grad(graph.edges[e].source) for e in graph.incoming(number)}
                said = attempt(function) if callable(function) else None
                if said is not None and said.problem:
                    problem, failed = visible(said.problem, 600), number
                    break
                self._note(number, grads, sent)
                outgoing = tuple((e, sent.get(e)) for e in graph.incoming(number))
                last = steps[-1]
                words = step_words(graph, number, len(last.arrivals), last.gradients, outgoing)
                steps[-1] = WalkStep(
                    last.number, number, last.arrivals, last.gradients, outgoing, words
                )
        finally:
            for node, grad in zip(nodes, before, strict=True):
                if not grad.problem:
                    attempt(setattr, node, "grad", grad.value)
        return WalkFacts(
            tuple(steps), start_words(graph), problem, failed,
            ("Every grad was put back as it was.",), self._taker.dropped,
        )  # fmt: skip

    def _grad(self, number: int) -> Any:
        said = read(self._graph.live.nodes[number], "grad").value
        return attempt(lambda: np.array(getattr(said, "data", said), dtype=np.float64)).value

    def _step(self, number: int, sent: dict[int, Glance | None]) -> WalkStep:
        graph = self._graph
        coming = [(e, sent[e]) for e in graph.outgoing(number) if sent.get(e) is not None]
        coming.sort(key=lambda pair: -graph.edges[pair[0]].target)
        given = self._taker.look_if(self._grad(number))
        if number in graph.results:
            coming.insert(0, (-1, self._taker.look(np.ones(()))))
        return WalkStep(graph.nodes[-1].number - number, number, tuple(coming), (given,), (), "")  # type: ignore[arg-type]

    def _note(self, number: int, before: dict[int, Any], sent: dict[int, Glance | None]) -> None:
        """What was added to each argument's `grad`; for `a * a` it is one sum, noted at the first edge."""
        seen: set[int] = set()
        for edge, old in before.items():
            source = self._graph.edges[edge].source
            new = self._grad(source)
            if source not in seen and new is not None and old is not None:
                sent[edge] = self._taker.look(new - old)
            seen.add(source)


class NodesWalk:
    """A walk over nodes of a reader's own that have `next_functions`.

    A node brings `vjps`, one function for each argument, or it can be called (`backward`, `apply`, or itself) with the
    gradient of its output and returns one for each argument. Leaves are not called, so that no `.grad` is touched.
    Where the first node has a `topological_order()`, that is the order of the steps.
    """

    def __init__(self, graph: GraphFacts, taker: Taker) -> None:
        self._graph, self._taker = graph, taker
        self._arrived: dict[int, Any] = {}
        self._seen: dict[int, list[tuple[int, Glance]]] = {}

    def facts(self) -> WalkFacts:
        """Takes the walk."""
        graph, live = self._graph, self._graph.live
        start = attempt(self._start, live.results[0], False).value
        first, words = graph.results[0], start_words(graph)
        if graph.nodes[first].kind == "operation":
            said = self._derivatives(first, start)
            if said.problem:  # it may want a tensor of its own kind
                start = attempt(self._start, live.results[0], True).value
                said = self._derivatives(first, start)
            if said.problem == _NO_FUNCTION:
                return WalkFacts(problem=_CANNOT)
            if said.problem:
                problem = visible(said.problem, 600)
                return WalkFacts((), words, problem, first, dropped=self._taker.dropped)
        self._receive(first, -1, start)
        steps: list[WalkStep] = []
        for number in self._order(first):
            if number not in self._arrived:
                continue
            given = (self._taker.look(self._arrived[number]),)
            sent: list[tuple[int, Glance | None]] = []
            incoming = graph.incoming(number)
            if incoming:
                said = self._derivatives(number, self._arrived[number])
                if said.problem:
                    problem = visible(said.problem, 600)
                    return WalkFacts(
                        tuple(steps), words, problem, number, dropped=self._taker.dropped
                    )
                for edge in incoming:
                    slot = graph.edges[edge].slot
                    gradient = said.value[slot] if slot < len(said.value) else None
                    seen = None
                    if gradient is not None:
                        seen = self._receive(graph.edges[edge].source, edge, gradient)
                    sent.append((edge, seen))
            arrivals = tuple(self._seen.get(number, ()))
            step = step_words(graph, number, len(arrivals), given, tuple(sent))
            steps.append(WalkStep(len(steps), number, arrivals, given, tuple(sent), step))
        return WalkFacts(tuple(steps), words, dropped=self._taker.dropped)

    def _order(self, first: int) -> Sequence[int]:
        """The nodes in the reader's own order if it is one, each after those that send it a gradient; or in ours."""
        graph, nodes = self._graph, self._graph.live.nodes
        ours = range(len(graph.nodes) - 1, -1, -1)
        if class_attribute(nodes[first], "topological_order") is None:
            return ours
        said = attempt(lambda: list(nodes[first].topological_order())).value or ()
        numbers = {id(node): number for number, node in enumerate(nodes)}
        theirs = [numbers.get(id(node), -1) for node in said]
        place = {number: turn for turn, number in enumerate(theirs)}
        if len(theirs) != len(ours) or place.keys() != set(ours):
            return ours
        ordered = all(place[edge.source] > place[edge.target] for edge in graph.edges)
        return theirs if ordered else ours

    @staticmethod
    def _start(result: Any, wrapped: bool) -> Any:
        shape = tuple(read(result, "shape").value or ())
        return type(result)(np.ones(shape)) if wrapped else np.ones(shape)

    def _derivatives(self, number: int, gradient: Any) -> Outcome:
        """The gradients for the arguments of a node, in a list."""
        node = self._graph.live.nodes[number]
        vjps = read(node, "vjps").value
        if issubclass(type(vjps), (list, tuple)):
            return attempt(lambda: [None if vjp is None else vjp(gradient) for vjp in vjps])
        for name in _BACKWARDS:
            if class_attribute(node, name) is None and name not in own_dict(node):
                continue
            function = node if name == "__call__" else read(node, name).value
            said = attempt(function, gradient)
            alone = not issubclass(type(said.value), (list, tuple))
            return Outcome([said.value] if alone else list(said.value), said.problem)
        return Outcome(None, _NO_FUNCTION)

    def _receive(self, number: int, edge: int, gradient: Any) -> Glance:
        """Adds a gradient to what has arrived for a node."""
        seen = self._taker.look(gradient)
        self._seen.setdefault(number, []).append((edge, seen))
        known = self._arrived.get(number)
        total = gradient if known is None else attempt(lambda: known + gradient).value
        self._arrived[number] = gradient if total is None else total
        return seen
