"""A graph on its way to the page: columns of whole numbers, and tables of texts.

A graph of thousands of nodes travels twice. At first only what is drawn at once goes, each folded group with one node
that stands for all of it; then, when the page has asked, the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nbmodule_widgets.facts.words import count, shape_text, visible
from nbmodule_widgets.graphing.findings import Finding, notes_of
from nbmodule_widgets.graphing.labels import few_numbers
from nbmodule_widgets.graphing.layout import Layout
from nbmodule_widgets.graphing.records import GraphFacts, GraphGroup, GraphNode, SourceLine
from nbmodule_widgets.graphing.text import forward_only_lines, kind_of_graph
from nbmodule_widgets.views.columns import Words, column
from nbmodule_widgets.views.graph_rules import rules_for

FIRST = 60_000  # bytes; a larger graph goes in two messages
_NAME = 160
_WRITTEN = 1000  # values that are written out


@dataclass(frozen=True)
class Shown:
    """Which nodes and groups travel, and the numbers that they get.

    Attributes:
        nodes: The nodes that go, in order.
        groups: The groups that go, in order.
        node: For each node of the graph its number on the way; those that stay behind have that of the node
            that stands for them.
        group: For each group its number on the way, -1 if it stays behind.
        stubs: Those of `groups` whose inside stays behind.
    """

    nodes: np.ndarray
    groups: np.ndarray
    node: np.ndarray
    group: np.ndarray
    stubs: frozenset[int]


def everything(graph: GraphFacts) -> Shown:
    """All nodes, with their own numbers."""
    nodes, groups = np.arange(len(graph.nodes)), np.arange(len(graph.groups))
    return Shown(nodes, groups, nodes, groups, frozenset())


def outside_of(graph: GraphFacts, opened: frozenset[int]) -> Shown:
    """What is drawn when these groups are open.

    Args:
        graph: The facts.
        opened: The open groups, each with those around it.
    """
    hidden = [group.number not in opened for group in graph.groups]
    kept = [group for group in graph.groups if group.parent < 0 or not hidden[group.parent]]
    stubs = [group for group in kept if hidden[group.number]]
    stands = np.arange(len(graph.nodes))
    for group in stubs:
        stands[group.first : group.end] = group.first
    nodes, node = np.unique(stands, return_inverse=True)
    groups = np.array([group.number for group in kept])
    number = np.full(len(graph.groups), -1)
    number[groups] = np.arange(len(groups))
    return Shown(nodes, groups, node, number, frozenset(group.number for group in stubs))


def pack_graph(
    graph: GraphFacts, layout: Layout, shown: Shown, found: tuple[Finding, ...] = ()
) -> dict[str, Any]:
    """The graph as a trait.

    Args:
        graph: The facts.
        layout: What `layout` made of them.
        shown: What of it is to go.
        found: What stands out.
    """
    tables = _Tables(graph)
    nodes = [graph.nodes[number] for number in shown.nodes.tolist()]
    packed_nodes = {
        "op": column([tables.op(node) for node in nodes]),
        "label": column([tables.word(_label(graph, node)) for node in nodes]),
        "is": column([node.result + 2 * node.freed for node in nodes]),
        "shape": column([tables.shape(node) for node in nodes]),
        "group": column(_groups_of(graph, nodes, shown)),
        "rank": column(layout.node_rank[shown.nodes].tolist()),
        "order": column(layout.node_order[shown.nodes].tolist()),
    }
    edges = _edges(graph, shown, tables)
    failure = graph.failure
    about = [failure.node] if failure is not None else [one.node for one in found if one.node >= 0]
    fault = bool(about)
    about = next(iter([*about, *graph.results]), -1)
    return {
        "title": f"{kind_of_graph(graph)} of {visible(graph.label or 'a tensor', _NAME)}",
        "lead": [visible(line, 600) for line in forward_only_lines(graph)],
        "forward": bool(graph.forward_only),
        "totals": _totals(graph),
        "alarm": _alarm(graph, found),
        "notes": [visible(note, 400) for note in (*graph.notes, *notes_of(graph))[:12]],
        "whole": len(nodes) == len(graph.nodes),
        "about": int(shown.node[about]) if about >= 0 else -1,
        "fault": fault,
        "failed": int(shown.node[failure.node]) if failure is not None else -1,
        "met": visible(failure.words, 60) if failure is not None else "",
        "nodes": packed_nodes,
        "groups": _groups(graph, layout, shown, tables),
        "edges": {
            name: column(edges[:, at].tolist()) for at, name in enumerate(_EDGE[: edges.shape[1]])
        },
        **_links(graph, layout, shown),
        "ops": tables.ops,
        "words": tables.words.table(),
        "shapes": tables.shapes.table(),
        "values": _values(nodes),
    }


# `output` is twice the number of the output, and 1 more where a gradient flows back. Where not all nodes go, `shape` is
# that of the tensor: the node at the end of the edge may stand for others.
_EDGE = ("source", "target", "slot", "output", "shape")


class _Tables:
    """Texts that occur often, each sent once."""

    def __init__(self, graph: GraphFacts) -> None:
        self._graph = graph
        self._ops: dict[tuple[Any, ...], int] = {}
        self.ops: list[dict[str, Any]] = []
        self.words, self.shapes = Words(), Words()
        self._shapes: dict[tuple[Any, str], int] = {}

    def op(self, node: GraphNode) -> int:
        rules = rules_for(self._graph, node)
        key = (node.kind, node.name, node.word, rules)
        if key not in self._ops:
            self._ops[key] = len(self.ops)
            name, word = visible(node.name, 80), visible(node.word, 60)
            said = {"kind": node.kind, "name": name, "word": word, "rules": list(rules)}
            self.ops.append(said)
        return self._ops[key]

    def word(self, text: str) -> int:
        return self.words.number(visible(text, _NAME))

    def shape(self, node: GraphNode) -> int:
        key = (node.shape, node.dtype)
        if key not in self._shapes:
            said = "" if node.shape is None else shape_text(node.shape)
            dtype = "" if node.dtype == "float32" else f" {visible(node.dtype, 20)}"
            said = (said + dtype).strip()
            self._shapes[key] = self.shapes.number(said)
        return self._shapes[key]


def _label(graph: GraphFacts, node: GraphNode) -> str:
    """The name of a leaf or a result; `".weight"` where the page can put the path of the module before it."""
    if node.result and not node.label:
        return "result"
    path = graph.groups[node.group].path
    return (
        node.label.removeprefix(path) if path and node.label.startswith(f"{path}.") else node.label
    )


def _groups_of(graph: GraphFacts, nodes: list[GraphNode], shown: Shown) -> list[int]:
    """The group of each node on the way; one that stands for a folded group lies in that group."""
    found = []
    for node in nodes:
        group = node.group
        while shown.group[group] < 0:
            group = graph.groups[group].parent
        found.append(int(shown.group[group]))
    return found


def _groups(graph: GraphFacts, layout: Layout, shown: Shown, tables: _Tables) -> dict[str, Any]:
    groups = [graph.groups[number] for number in shown.groups.tolist()]
    before = np.cumsum([0, *(node.kind in ("operation", "failed") for node in graph.nodes)])
    packed = {
        "parent": [1 + int(shown.group[g.parent]) if g.parent >= 0 else 0 for g in groups],
        "first": np.searchsorted(shown.nodes, [g.first for g in groups]).tolist(),
        "end": np.searchsorted(shown.nodes, [g.end for g in groups]).tolist(),
        "name": [tables.word(g.name) for g in groups],
        "path": [tables.word(g.path) for g in groups],
        "kind": [tables.word(_group_words(g)) for g in groups],
        "size": [
            tables.word(count(int(before[g.end] - before[g.first]), "operation")) for g in groups
        ],
        "stub": [int(g.number in shown.stubs) for g in groups],
        "rank": layout.group_rank[shown.groups].tolist(),
        "order": layout.group_order[shown.groups].tolist(),
        "id": shown.groups.tolist(),
    }
    return {name: column(numbers) for name, numbers in packed.items()}


def _group_words(group: GraphGroup) -> str:
    """Class of the module, and which of several calls it is."""
    if group.call > 1:
        return f"{group.class_name} · call {group.call}"
    return group.class_name if group.class_name != group.name else ""


def _edges(graph: GraphFacts, shown: Shown, tables: _Tables) -> np.ndarray:
    """The edges between nodes that go, one for each pair and shape; (edges, 4), or 5 where not all nodes go."""
    edges = np.array(
        [(e.source, e.target, e.slot, 2 * e.output + e.carries) for e in graph.edges], np.int64
    ).reshape(-1, 4)
    if len(shown.nodes) == len(graph.nodes):
        return edges
    source = edges[:, 0].tolist()
    edges[:, :2] = shown.node[edges[:, :2]]
    apart = np.flatnonzero(edges[:, 0] != edges[:, 1])
    shapes = [tables.shape(graph.nodes[source[edge]]) for edge in apart.tolist()]
    edges = np.column_stack([edges[apart], np.array(shapes, np.int64)])
    _, first = np.unique(edges[:, [0, 1, 4]], axis=0, return_index=True)
    return edges[np.sort(first)]


def _links(graph: GraphFacts, layout: Layout, shown: Shown) -> dict[str, Any]:
    """The links that have bends, as columns; only these need to be sent, the page finds the others itself."""
    total, sent = len(graph.nodes), len(shown.nodes)

    def end(item: int) -> int:
        """An end of a link on the way: 0 for the outside, then the nodes, then the groups."""
        return (
            1 + int(shown.node[item] if item < total else sent + shown.group[item - total])
            if item >= 0
            else 0
        )

    rows, orders = [], []
    for link in layout.bent:
        if shown.group[link.group] >= 0 and link.group not in shown.stubs:
            ends = end(link.source), end(link.target)
            rows.append((int(shown.group[link.group]), *ends, len(link.orders)))
            orders += link.orders
    table = np.array(rows, np.int64).reshape(-1, 4)
    names = ("group", "from", "to", "count")
    columns = {name: column(table[:, at].tolist()) for at, name in enumerate(names)}
    return {"links": columns, "bends": column(orders)}


def _values(nodes: list[GraphNode]) -> dict[str, str]:
    """Tiny tensors in full, by their node's number on the way."""
    found = {}
    for number, node in enumerate(nodes):
        said = (
            few_numbers(node.value.values) if node.value is not None and node.outputs == 1 else ""
        )
        if said:
            found[str(number)] = said
        if len(found) >= _WRITTEN:
            break
    return found


def _totals(graph: GraphFacts) -> str:
    """What there is, in a line."""
    if not graph.nodes:
        return ""
    leaves = sum(node.kind == "leaf" for node in graph.nodes)
    inputs = sum(node.kind == "input" for node in graph.nodes)
    said = [
        count(graph.operations, "operation"),
        count(inputs, "input") if graph.forward_only else count(leaves, "leaf"),
    ]
    return " · ".join([*said, *([graph.library] if graph.library else [])])


def _alarm(graph: GraphFacts, found: tuple[Finding, ...]) -> list[str]:
    """What went wrong: why there is no graph, or where the pass broke off and what met there."""
    lines = [f"! {visible(graph.problem, 600)}"] if graph.problem else []
    lines += [f"! {visible(one.words, 600)}" for one in found]
    broken = graph.failure
    if broken is None:
        return lines
    where = f" in {visible(broken.path, _NAME)}" if broken.path else ""
    lines.append(
        f"✕ `{visible(broken.operation, 80)}` failed{where}: `{visible(broken.words, 200)}`"
    )
    lines.append(visible(broken.error, 1000))
    met = [
        f"{visible(label, 80)} `{shape_text(shape)}`"
        for label, shape, _ in broken.operands[:8]
        if shape is not None
    ]
    if met:
        lines.append(f"what met there: {', '.join(met)}")
    if 0 <= broken.line < len(graph.lines):
        lines.append(line_words(graph.lines[broken.line]))
    return lines


def line_words(line: SourceLine) -> str:
    """A line of the reader's code and where it stands: "model.py:12 in forward: `return x @ self.w`"."""
    where = f"{visible(line.file, 80)}:{line.line} in {visible(line.function, 60)}"
    return f"{where}: `{visible(line.text, _NAME)}`" if line.text else where
