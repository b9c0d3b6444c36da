"""GraphView: the autograd graph of a tensor, and the backward walk over it step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from nbmodule_widgets import graphing
from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.facts.collector import collector_resting, full_searches_put_off
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing import GraphFacts, WalkFacts
from nbmodule_widgets.protocol import is_module_like
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.graph_look import look_at
from nbmodule_widgets.views.graph_walk import pack_walk
from nbmodule_widgets.views.graph_wire import FIRST, everything, outside_of, pack_graph
from nbmodule_widgets.views.live import LiveView, script

_BOXES = 16  # that are drawn at first, if the graph has groups to fold
_SMALL = 2500  # nodes; a larger graph is too heavy for the first message
_LOOKS = 24_000  # bytes of details that travel with the graph; the others are sent when they are asked for
_LOOK = 1_500  # bytes of the details of one node, of those
_LOOKED_AT = 200  # nodes of which details may travel with the graph


class GraphView(LiveView):
    """An autograd graph in the page: folded by module, with the backward walk to step through.

    A graph is a record of one moment: looking again changes nothing in it, and no pass is run twice.

    Args:
        graph: The facts, from `graphing.read` or `graphing.run`.
        walk: Whether to record the backward walk immediately; by default if there are at most 2,000 nodes, and
            no saved-tensor hooks, which the walk would run.
        keep: Numbers of a tensor are kept if they take at most so many bytes.

    Example:
        >>> view = graph(loss, model=model)  # doctest: +SKIP
        >>> view.facts.operations  # doctest: +SKIP
        12
    """

    _esm = script(
        "core",
        "player",
        "graph_cells",
        "graph_unpack",
        "graph_layout",
        "graph_draw",
        "graph_pane",
        "graph",
    )

    graph = traitlets.Dict().tag(sync=True)
    rest = traitlets.Dict().tag(sync=True)
    played = traitlets.Dict().tag(sync=True)
    opened = traitlets.List().tag(sync=True)
    looks = traitlets.List().tag(sync=True)
    looked = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the moment that is shown
    _for_readers = ("step",)

    def __init__(self, graph: GraphFacts, *, walk: bool | None = None, keep: int = 4096) -> None:
        self._facts, self._keep = graph, keep
        self._said: tuple[WalkFacts | None, str] | None = None
        self._walked = graph.walked
        wanted = (
            walk if walk is not None else len(graph.nodes) <= graphing.WALKED and not graph.packed
        )
        if self._walked is None and wanted and self._can_walk():
            self._walked = graphing.walk(graph, keep=keep)
        with collector_resting():
            first = self._first()
        super().__init__(**first)

    @property
    def facts(self) -> GraphFacts:
        """The graph: nodes, edges, groups, and where a pass failed."""
        return self._facts

    @property
    def walk(self) -> WalkFacts | None:
        """The backward walk, step by step; None as long as nobody has asked for it."""
        return self._walked

    def record_walk(self) -> WalkFacts:
        """Takes the backward walk, once: nobody's `.grad` changes and nothing is freed."""
        with self._lock:
            if self._walked is None:
                self._walked = graphing.walk(self._facts, keep=self._keep)
                self._send_rest()
            return self._walked

    def refresh(self) -> None:
        """Sends to a page that has opened what it does not have yet; the graph itself is a record and stays."""
        if self._seen_by and not self.graph["whole"] and not self.rest:
            self._send_rest()

    def handle(self, message: dict[str, Any]) -> None:
        """Answers the page: the numbers of a node, the inside of a large graph, the walk."""
        number = message.get("node")
        if (
            message["kind"] == "look"
            and type(number) is int
            and 0 <= number < len(self._facts.nodes)
        ):
            self.looked = look_at(self._facts, self._walked, number)
        elif message["kind"] == "rest":
            self._send_rest()
        elif message["kind"] == "walk":
            self.record_walk()

    def to_html(self) -> str:
        """The folded graph as a picture and a list, HTML without a script."""
        return graphing.graph_html(self._facts, self._walked, str(self))

    def figure(self) -> Any:
        """The folded graph as a matplotlib `Figure`."""
        return graphing.graph_figure(self._facts, walked=self._walked)

    def __str__(self) -> str:
        known = self._said
        if known is None or known[0] is not self._walked:  # the HTML has it too
            known = self._said = self._walked, graphing.graph_text(self._facts, self._walked)
        return known[1]

    def _first(self) -> dict[str, Any]:
        """The traits of a new view: of a large graph only what is drawn at once."""
        facts = self._facts
        opened = graphing.default_open(facts, _BOXES)
        small = len(facts.nodes) <= _SMALL
        packed = self._packed(None if small else opened)
        if small and weight(packed) > FIRST:
            packed = self._packed(opened)
        played = pack_walk(facts, self._walked) if packed["whole"] else {}
        return {
            "graph": packed,
            "played": played,
            "opened": sorted(opened),
            "looks": self._looks() if packed["whole"] else [],
        }

    def _can_walk(self) -> bool:
        facts = self._facts
        return bool(facts.nodes) and facts.failure is None and not facts.forward_only

    def _packed(self, opened: frozenset[int] | None = None) -> dict[str, Any]:
        """The graph, of which everything goes or what is drawn when these groups are open; no more is laid out."""
        shown = everything(self._facts) if opened is None else outside_of(self._facts, opened)
        rows = graphing.layout(self._facts, opened)
        walkable = self._walked is None and self._can_walk()
        found = graphing.findings(self._facts, self._walked)
        return {**pack_graph(self._facts, rows, shown, found), "walkable": walkable}

    def _send_rest(self) -> None:
        """Sends all of the graph, and the walk."""
        with self.hold_sync():
            self.played = pack_walk(self._facts, self._walked)
            packed = self._packed()
            if self.graph["whole"]:
                self.graph = packed
            else:
                self.rest = packed

    def _looks(self) -> list[dict[str, Any]]:
        """The details of as many nodes as there is room for, so that a page without Python has them."""
        found, room = [], _LOOKS
        failure = self._facts.failure
        marked = [one.node for one in graphing.findings(self._facts, self._walked) if one.node >= 0]
        first = [failure.node] if failure is not None else [*marked, *self._facts.results[:3]]
        others = [n for n in range(min(len(self._facts.nodes), _LOOKED_AT)) if n not in first]
        for number in [*first, *others]:
            look = look_at(self._facts, self._walked, number)
            if weight(look) > _LOOK:  # its numbers follow when they are asked for
                look = {**look, "value": {}, "gradient": {}, "more": True}
            room -= weight(look)
            if room < 0:
                break
            found.append(look)
        return found


def weight(packed: Any) -> int:
    """About how many bytes something takes on its way to the page."""
    if isinstance(packed, dict):
        return sum(len(key) + 4 + weight(value) for key, value in packed.items())
    if isinstance(packed, (list, tuple)):
        return sum(weight(item) + 1 for item in packed)
    return len(packed) + 2 if isinstance(packed, (str, bytes)) else 5


@refusing
def graph(
    subject: Any,
    *inputs: Any,
    loss: Callable[[Any], Any] | None = None,
    model: Any = None,
    names: Any = None,
    walk: bool | None = None,
    kwargs: dict[str, Any] | None = None,
    limit: int = graphing.LIMIT,
    keep: int = graphing.KEEP,
    **named: Any,
) -> GraphView:
    """Shows an autograd graph, or, for a pass that records none, the operations that ran forward.

    Args:
        subject: A tensor that has a graph, or several in a tuple, list or dictionary. Or a Module or another
            callable: it is run on `inputs`, which does not change the model; a pass that fails is shown
            up to the operation that failed.
        inputs: What to call it with.
        loss: A function from the output to the tensor that the graph starts from.
        model: A Module whose parameters name the leaves and whose modules group the operations.
        names: A dictionary with more names for tensors.
        walk: Whether to record the backward walk immediately; by default if there are at most 2,000 nodes.
        kwargs: Inputs by name, for names that are options too: `kwargs={"limit": 3}`.
        limit: The most nodes to read.
        keep: The largest tensor, in bytes, whose numbers are kept.
        **named: The other inputs by name: `graph(model, input_ids=ids)`.

    Returns:
        The view; `view.facts` has the nodes and edges, `view.walk` the steps.

    Raises:
        TypeError: If nothing that was given has a graph, or a name is neither an option nor an input of the model.

    Example:
        >>> import nbmodule as nb
        >>> w = nb.tensor([2.0], requires_grad=True)
        >>> graph((w * w).sum(), names={"w": w}).facts.operations
        2
    """
    if is_tensor(subject) or not (is_module_like(subject) or callable(subject)):
        facts = graphing.read(subject, model=model, names=names, limit=limit, keep=keep)
        _refuse_extra(inputs, {"loss": loss, "kwargs": kwargs, **named})
        return GraphView(facts, walk=walk, keep=keep)
    by_name = keyword_inputs(graph, subject, named, kwargs)
    with full_searches_put_off():
        facts = graphing.run(
            subject, *inputs, kwargs=by_name, model=model, names=names, loss=loss, walk=walk, limit=limit,
            keep=keep,
        )  # fmt: skip
        return GraphView(facts, walk=walk, keep=keep)


def _refuse_extra(inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Raises a TypeError for what makes sense only where something is run."""
    given = [visible(name, 40) for name, value in named.items() if value is not None]
    if inputs or given:
        what = " and ".join([*(["more arguments"] if inputs else []), *(f"{n}=" for n in given)])
        raise TypeError(
            f"graph(tensor) takes no {what}: the tensor has its graph already, and the options are model=, names=, "
            "walk=, limit= and keep=. To run a pass write graph(model, x, loss=...) or graph(lambda: ...)"
        )
