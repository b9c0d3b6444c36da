"""The text twin of a graph: one line for each node in forward order, as a program would be written, indented by module."""

from __future__ import annotations

from collections.abc import Collection

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import count, decimal, shape_text, visible
from nbmodule_widgets.graphing.findings import findings, notes_of
from nbmodule_widgets.graphing.labels import few_numbers, group_title
from nbmodule_widgets.graphing.opening import default_open
from nbmodule_widgets.graphing.reading import WALKED
from nbmodule_widgets.graphing.records import WROTE, GraphFacts, GraphNode, WalkFacts

_MOST = 80  # lines of nodes and folded groups
_WIDTH = 64


def graph_text(graph: GraphFacts, walked: WalkFacts | None = None) -> str:
    """The graph as text; groups are folded where there would be more than some 80 lines.

    Args:
        graph: What `read` or `run` returned.
        walked: The backward walk, for the gradients of single numbers.
    """
    if graph.problem:
        return f"{_what(graph)}\n{graph.problem}"
    walked = walked or graph.walked
    parts = [_what(graph), *forward_only_lines(graph)]
    if graph.failure is not None:
        parts += failure_lines(graph)
    parts += [f"! {found.words}" for found in findings(graph, walked)]
    parts += _body(graph, default_open(graph, _MOST), walked)
    if walked is not None and walked.steps:
        parts.append(
            f"backward walk: {count(len(walked.steps), 'step')}, started with {walked.start}"
        )
    if walked is not None and walked.problem:
        parts.append(f"the walk broke off: {walked.problem}")
    notes = (
        *graph.notes,
        *notes_of(graph),
        *(walked.notes if walked is not None else _not_walked(graph)),
    )
    parts += [f"note: {note}" for note in notes]
    return "\n".join(parts)


def _not_walked(graph: GraphFacts) -> tuple[str, ...]:
    """That of a large graph no gradient is known yet: silence about zeros and NaN among them would look like praise."""
    if graph.forward_only or graph.failure is not None or len(graph.nodes) <= WALKED:
        return ()
    return (
        f"the backward walk was not taken, as there are more than {WALKED:,} nodes: no gradient was computed, so none "
        "is judged. The view's record_walk() takes it.",
    )


def _what(graph: GraphFacts) -> str:
    return f"{kind_of_graph(graph)} of {graph.label or 'a tensor'}: {summary(graph)}"


def kind_of_graph(graph: GraphFacts) -> str:
    """What the nodes and edges are: `"autograd graph"`, or `"forward graph"` where there is none."""
    return "forward graph" if graph.forward_only else "autograd graph"


def forward_only_lines(graph: GraphFacts) -> list[str]:
    """That there is no graph for the backward pass, and why."""
    why = graph.forward_only
    return [f"No backward graph was recorded: {why}. This is what ran forward."] if why else []


def summary(graph: GraphFacts) -> str:
    """`"18 nodes (9 operations, 6 leaves, 3 inputs)"`."""
    kinds = (("operation", "operation"), ("leaf", "leaf"), ("input", "input"))
    numbers = [(sum(n.kind == kind for n in graph.nodes), noun) for kind, noun in kinds]
    listed = ", ".join(count(number, noun) for number, noun in numbers if number)
    return (
        f"{count(len(graph.nodes), 'node')} ({listed})"
        if listed
        else count(len(graph.nodes), "node")
    )


def failure_lines(graph: GraphFacts) -> list[str]:
    """What is known of the operation that raised."""
    failed = graph.failure
    assert failed is not None
    where = f" in {failed.path}" if failed.path else ""
    place = f"at {failed.operation}" if failed.operation else "in Python code"
    met = f": {failed.words}" if failed.words else ""
    lines = [f"✗ the pass broke off {place}{where}{met}"]
    lines.append(f"  {failed.error}")
    for label, shape, dtype in failed.operands:
        lines.append(f"  {label}: {shape_text(shape)} {dtype}".rstrip())
    if failed.line >= 0:
        lines.append(f"  {line_text(graph, failed.line)}")
    return lines


def line_text(graph: GraphFacts, number: int) -> str:
    """`"net.py, line 12 in forward: return self.fc2(h)"`."""
    line = graph.lines[number]
    inside = f" in {line.function}" if line.function else ""
    return f"{line.file}, line {line.line}{inside}: {line.text}".rstrip(": ")


def _body(graph: GraphFacts, opened: Collection[int], walked: WalkFacts | None) -> list[str]:
    """The nodes, and a line for each group that is folded."""
    lines, node = [], 0
    inner: dict[int, list[int]] = {}
    for group in graph.groups[1:]:
        inner.setdefault(group.first, []).append(group.number)
    depth = {0: 0}
    while node < len(graph.nodes):
        skipped = False
        for group in inner.get(node, ()):
            level = depth.get(graph.groups[group].parent)
            if level is None:
                continue
            indent = "  " * (level + 1)
            if group not in opened:
                inside = count(graph.groups[group].end - node, "node")
                lines.append(f"{indent}▸ {visible(group_title(graph, group), 80)}: {inside}")
                node, skipped = graph.groups[group].end, True
                break
            lines.append(f"{indent}{visible(group_title(graph, group), 80)}")
            depth[group] = level + 1
        if not skipped:
            indent = "  " * (depth.get(graph.nodes[node].group, 0) + 1)
            lines.append(f"{indent}{_line(graph, graph.nodes[node], walked)}")
            node += 1
    return lines


def _line(graph: GraphFacts, node: GraphNode, walked: WalkFacts | None) -> str:
    shape = f" {shape_text(node.shape)}" if node.shape is not None else ""
    gradient = _number(walked.gradients.get(node.number) if walked is not None else None)
    number = f", gradient {gradient}" if gradient else ""
    made_of = _number(node.value if node.outputs == 1 else None)
    value = f" = {made_of}" if made_of else ""
    if node.kind in ("leaf", "input"):
        names = node.label or f"#{node.number}"
        more = f", also {', '.join(node.names[1:4])}" if len(node.names) > 1 else ""
        return f"{names}: {node.word}{shape}{value}{number}{more}"
    arguments = ", ".join(_argument(graph, edge) for edge in graph.incoming(node.number))
    sign = "✗" if node.kind == "failed" else ""
    made = f" = {node.label}" if node.label else ""
    formula = f"#{node.number}{made} = {sign}{node.word}({arguments})"
    freed = ", saved values freed" if node.freed else ""
    said = f"{shape}{value}{number}{freed}".removeprefix(
        ","
    )  # nothing may be known but the gradient
    return f"{formula} {said}  {node.name}".rstrip() if said else f"{formula}  {node.name}".rstrip()


def _number(seen: Glance | None) -> str:
    """A tensor of few numbers in full."""
    if seen is None:
        return ""
    return few_numbers(seen.values) or (decimal(seen.mean) if seen.numel == 1 else "")


def _argument(graph: GraphFacts, edge: int) -> str:
    found = graph.edges[edge]
    source = graph.nodes[found.source]
    name = source.label or f"#{source.number}"
    name = f"{name}[{found.output}]" if source.outputs > 1 or found.output else name
    return f"after {name}" if found.slot >= WROTE else name
