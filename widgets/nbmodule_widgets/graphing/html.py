"""The static twin of a graph: an inline drawing and the same as a list, without a script.

The lines are drawn in the page's own colour and the boxes washed with transparent ones, so that both read in light and in
dark; what a colour says, a sign or a dash says too.
"""

from __future__ import annotations

from html import escape

from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.graphing.findings import findings
from nbmodule_widgets.graphing.layout import layout
from nbmodule_widgets.graphing.opening import default_open
from nbmodule_widgets.graphing.placing import Box, Line, Picture, place
from nbmodule_widgets.graphing.records import GraphFacts, WalkFacts
from nbmodule_widgets.graphing.text import (
    failure_lines,
    forward_only_lines,
    graph_text,
    kind_of_graph,
    summary,
)
from nbmodule_widgets.inks import either, wash
from nbmodule_widgets.markup import GREY, MODULE, PARAMETER, PROBLEM, SOFT, coded, drawing, framed

_DRAWN = 48  # boxes

_ALARM = "border-radius:6px;padding:4px 10px;margin:6px 0"
_FILL = {
    "operation": GREY, "leaf": PARAMETER, "input": "none",
    "failed": wash("problem", 0.3), "folded": MODULE, "frame": wash("module", 0.05),
}  # fmt: skip


def graph_html(graph: GraphFacts, walked: WalkFacts | None = None, listed: str = "") -> str:
    """The graph as HTML that needs no script.

    Args:
        graph: What `read` or `run` returned.
        walked: The backward walk.
        listed: Its text twin, if it has been made already.
    """
    title = escape(visible(graph.label or "a tensor", 80))
    head = f"<div><b>{kind_of_graph(graph)} of <bdi>{title}</bdi></b> <span style='{SOFT}'>{escape(summary(graph))}</span></div>"
    if graph.problem:
        return framed(head, f"<div>{escape(graph.problem)}</div>")
    parts = [head, *(f"<div>{coded(line)}</div>" for line in forward_only_lines(graph))]
    if graph.failure is not None:
        said = "<br>".join(f"<bdi>{escape(line)}</bdi>" for line in failure_lines(graph))
        parts.append(f"<div style='background:{PROBLEM};{_ALARM}'>{said}</div>")
    found = "<br>".join(f"! {coded(one.words)}" for one in findings(graph, walked))
    if found:
        parts.append(f"<div style='background:{PROBLEM};{_ALARM}'>{found}</div>")
    parts.append(
        f"<div tabindex='0' role='group' aria-label='drawing' style='overflow:auto;max-height:1200px;margin:6px 0'>{drawing(graph_svg(graph, walked=walked))}</div>"
    )
    parts.append(
        f"<div style='{SOFT}'>Forward runs from top to bottom. <b>▭</b> operation, {_legend(graph)}, ▸ folded.</div>"
    )
    parts.append(
        f"<details><summary>as a list</summary><pre style='background:none;white-space:pre-wrap;margin:4px 0'>"
        f"{escape(listed or graph_text(graph, walked))}</pre></details>"
    )
    return framed(*parts)


def _legend(graph: GraphFacts) -> str:
    if graph.forward_only:
        return "<b>┄</b> made before"
    return "<b>▰</b> leaf with a gradient, <b>┄</b> no gradient flows back"


def graph_svg(
    graph: GraphFacts, opened: frozenset[int] | None = None, walked: WalkFacts | None = None
) -> str:
    """The drawing alone.

    Args:
        graph: The graph.
        opened: The groups that are unfolded; by default as many as some 50 boxes allow.
        walked: The backward walk, for the gradients of few numbers.
    """
    picture = drawn(graph, opened, walked)
    missing = left_out(graph, picture)
    width = max(picture.width, 6.0 * len(missing))
    height = picture.height + (20 if missing else 0)
    parts = [_line(line, line.carries or bool(graph.forward_only)) for line in picture.lines]
    frames = [_box(graph, box) for box in picture.boxes if box.kind == "frame"]
    boxes = [_box(graph, box) for box in picture.boxes if box.kind != "frame"]
    said = _text(picture.width / 2, height - 6, missing, "middle", ".72") if missing else ""
    label = escape(f"drawing of the graph: {summary(graph)}; the list below says the same")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="{(picture.width - width) / 2:.0f} 0 {width:.0f} {height:.0f}" '
        f'style="font:11px system-ui,sans-serif;color:inherit;max-width:none">'
        f"{''.join(frames)}{''.join(parts)}{''.join(boxes)}{said}</svg>"
    )


def _line(line: Line, solid: bool) -> str:
    (x, y), *rest = line.points
    path = [f"M{x:.0f} {y:.0f}"]
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        path.append(f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}")
        x, y = to_x, to_y
    dash = "" if solid else ' stroke-dasharray="3 3"'
    arrow = f"M{x - 3.5:.1f} {y - 6:.0f}L{x:.1f} {y:.0f}L{x + 3.5:.1f} {y - 6:.0f}"
    look = 'fill="none" stroke="currentColor" stroke-opacity=".55"'
    return f'<path d="{"".join(path)}" {look}{dash}/><path d="{arrow}" {look}/>'


def _box(graph: GraphFacts, box: Box) -> str:
    node = graph.nodes[box.number] if box.kind == "node" else None
    kind = node.kind if node is not None else box.kind
    failed = kind == "failed"
    dash = ' stroke-dasharray="4 3"' if box.kind == "frame" or kind == "input" else ""
    width = "2.5" if failed or (node is not None and node.result) else "1"
    stroke = either("problem") if failed else "currentColor"
    rounded = {"leaf": 3, "frame": 8}.get(kind, 9)
    parts = [
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="{rounded}" '
        f'fill="{_FILL[kind]}" stroke="{stroke}" stroke-opacity=".6" stroke-width="{width}"{dash}/>'
    ]
    if box.kind == "frame":
        parts.append(_text(box.x + 8, box.y + 14, f"▾ {box.lines[0]}", "start", ".8"))
        return "".join(parts)
    middle = box.x + box.width / 2
    name, below = box.lines
    mark = "▸ " if box.kind == "folded" else ""
    parts.append(_text(middle, box.y + (16 if below else 23), mark + name, "middle", "1"))
    if below:
        parts.append(_text(middle, box.y + 30, below, "middle", ".72"))
    title = f"<title>{escape(_title(graph, box))}</title>"
    return f"<g>{title}{''.join(parts)}</g>"


def _text(x: float, y: float, text: str, anchor: str, opacity: str) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="currentColor" '
        f'fill-opacity="{opacity}">{escape(text)}</text>'
    )


def _title(graph: GraphFacts, box: Box) -> str:
    """What a browser shows when the pointer rests on a box."""
    if box.kind != "node":
        return " ".join(box.lines)
    node = graph.nodes[box.number]
    said = [node.label, node.word, node.name, str(node.shape or ""), node.dtype, node.said]
    return visible(" · ".join(part for part in said if part), 300)


def left_out(graph: GraphFacts, picture: Picture) -> str:
    """How much of the graph a picture does not show; the empty string if it shows all."""
    folded = [graph.groups[box.number] for box in picture.boxes if box.kind == "folded"]
    inside = sum(group.end - group.first for group in folded)
    parts = (
        [f"{inside:,} of {count(len(graph.nodes), 'node')} are inside folded boxes (▸)"]
        if inside
        else []
    )
    parts += [f"more than {graph.left_out:,} were not read"] if graph.left_out else []
    return "; ".join(parts)


def drawn(
    graph: GraphFacts, opened: frozenset[int] | None = None, walked: WalkFacts | None = None
) -> Picture:
    """The picture that the drawing shows.

    Args:
        graph: The graph.
        opened: The groups that are unfolded.
        walked: The backward walk, for the gradients of few numbers.
    """
    chosen = default_open(graph, _DRAWN) if opened is None else opened
    return place(graph, layout(graph, chosen), chosen, walked or graph.walked)
