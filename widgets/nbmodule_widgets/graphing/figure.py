"""A graph as a matplotlib figure, for papers and slides; made without `pyplot`."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.graphing.html import drawn, left_out
from nbmodule_widgets.graphing.placing import Box, Line
from nbmodule_widgets.graphing.records import GraphFacts, WalkFacts
from nbmodule_widgets.inks import GREY, INK, SOFT, WHITE, ink, literal, pale

_FILL = {
    "operation": WHITE, "leaf": pale("parameter"), "input": WHITE, "failed": pale("problem"), "folded": pale("module"),
}  # fmt: skip
_PER_INCH = 90.0


@own_style
def graph_figure(
    graph: GraphFacts, opened: frozenset[int] | None = None, walked: WalkFacts | None = None
) -> Any:
    """A figure of the graph, forward from top to bottom.

    Args:
        graph: What `read` or `run` returned.
        opened: The groups that are unfolded; by default as many as some 50 boxes allow.
        walked: The backward walk, for the gradients of few numbers.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: There is no graph to draw.
    """
    if graph.problem or not graph.nodes:
        raise ValueError(f"no figure: {graph.problem or 'the graph is empty'}")
    picture = drawn(graph, opened, walked)
    missing = left_out(graph, picture)
    width, height = max(picture.width, 6.0 * len(missing)), picture.height + (24 if missing else 0)
    figure = sheet(max(2.0, width / _PER_INCH), max(1.0, height / _PER_INCH), layout=None)
    axis = figure.add_axes((0, 0, 1, 1))
    middle = picture.width / 2
    axis.set_xlim(middle - width / 2, middle + width / 2)
    axis.set_ylim(height, 0)
    axis.set_axis_off()
    for line in picture.lines:
        _curve(axis, line, line.carries or bool(graph.forward_only))
    if missing:
        axis.text(middle, height - 12, missing, fontsize=7, ha="center", va="center", color=SOFT)
    for box in picture.boxes:
        _box(axis, box, graph.nodes[box.number].kind if box.kind == "node" else box.kind)
    return figure


def _curve(axis: Any, line: Line, solid: bool) -> None:
    """An arrow through the points of a line."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x, y), *rest = line.points
    points, codes = [(x, y)], [Path.MOVETO]
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        points += [(x, middle), (to_x, middle), (to_x, to_y)]
        codes += [Path.CURVE4] * 3
        x, y = to_x, to_y
    look = {"edgecolor": GREY, "linestyle": "-" if solid else ":", "linewidth": 1}
    axis.add_patch(PathPatch(Path(points, codes), fill=False, **look))
    axis.plot([x - 3.5, x, x + 3.5], [y - 6, y, y - 6], color=GREY, linewidth=1)


def _box(axis: Any, box: Box, kind: str) -> None:
    """A node, a folded group, or the frame around an open one."""
    from matplotlib.patches import FancyBboxPatch

    frame = kind == "frame"
    edge = (
        ink("problem") if kind == "failed" else ink("module") if frame or kind == "folded" else GREY
    )
    look = {
        "facecolor": "none" if frame else _FILL[kind], "edgecolor": edge,
        "linewidth": 2 if kind == "failed" else 0.8, "linestyle": "--" if frame or kind == "input" else "-",
    }  # fmt: skip
    shape = "round,pad=0,rounding_size=6"
    axis.add_patch(FancyBboxPatch((box.x, box.y), box.width, box.height, boxstyle=shape, **look))
    _write(axis, box, frame)


def _write(axis: Any, box: Box, frame: bool) -> None:
    lines = [literal(line, 200) for line in box.lines if line]
    if frame:
        axis.text(box.x + 8, box.y + 11, lines[0], fontsize=6.5, color=ink("module"), va="center")
        return
    middle = box.x + box.width / 2
    for number, line in enumerate(lines):
        y = box.y + box.height * (number + 1) / (len(lines) + 1)
        axis.text(middle, y, line, fontsize=7 - number, ha="center", va="center", color=INK)
