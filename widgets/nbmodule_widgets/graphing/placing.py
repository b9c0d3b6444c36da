"""Coordinates for the folds of the moment: where the boxes and lines of a graph are drawn.

The rows, and the order in them, come from `graphing.layout`. A row is as high as its highest box. In a row every box wants
to stand below or above the middle of what it is linked with, and the boxes keep their order and their distance.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.columns import BEND, NODE, OUTSIDE, Layout
from nbmodule_widgets.graphing.labels import group_lines, group_title, node_lines
from nbmodule_widgets.graphing.records import GraphFacts, WalkFacts

GAP_X, GAP_Y, PAD, HEAD = 14.0, 26.0, 12.0, 20.0
HEIGHT, LETTER, NARROWEST, BEND_WIDTH = 38.0, 6.7, 56.0, 10.0


class Box(NamedTuple):
    """A rectangle.

    Attributes:
        kind: `"node"`, `"folded"` (a group that is folded) or `"frame"` (one that is open).
        number: Of the node or the group.
        x: Left edge.
        y: Upper edge.
        width: Its width.
        height: Its height.
        depth: How many frames are around it.
        lines: What to write on it.
    """

    kind: str
    number: int
    x: float
    y: float
    width: float
    height: float
    depth: int
    lines: tuple[str, ...]


class Line(NamedTuple):
    """A line between two boxes.

    Attributes:
        points: `(x, y)` from top to bottom.
        carries: Whether a gradient flows back along it.
        edges: How many edges it stands for.
        edge: The first of them.
    """

    points: tuple[tuple[float, float], ...]
    carries: bool
    edges: int
    edge: int


@dataclass(frozen=True)
class Picture:
    """What is drawn.

    Attributes:
        boxes: The boxes, frames before what is in them.
        lines: The lines.
        width: Of all.
        height: Of all.
    """

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: float
    height: float


def place(
    graph: GraphFacts, layout: Layout, opened: Collection[int], walked: WalkFacts | None = None
) -> Picture:
    """Places what is seen with these groups open.

    Args:
        graph: The graph.
        layout: Its rows and their order.
        opened: The groups that are unfolded; those inside a folded one are not seen.
        walked: The backward walk, for the gradients of few numbers.
    """
    gradients = walked.gradients if walked is not None else {}
    return _Placer(graph, layout, frozenset(opened) | {0}, gradients).picture()


class _Placer:
    """Sizes from the inside out, positions from the outside in."""

    def __init__(
        self,
        graph: GraphFacts,
        layout: Layout,
        opened: frozenset[int],
        gradients: dict[int, Glance],
    ) -> None:
        self._gradients = gradients
        self._graph, self._layout, self._opened = graph, layout, opened
        self._size: dict[int, tuple[float, float]] = {}  # item -> width, height
        self._at: dict[int, tuple[float, float]] = {}  # item -> left, top in its group
        self._inner: dict[
            int, tuple[float, float]
        ] = {}  # open group -> width, height of its inside
        self._visible = self._open_groups()
        self._columns = [
            column.tolist() for column in (layout.kind, layout.number, layout.rank, layout.order)
        ]

    def _open_groups(self) -> list[int]:
        """The open groups that are seen, outer ones first."""
        seen = {0}
        for group in self._graph.groups[1:]:
            if group.parent in seen and group.number in self._opened:
                seen.add(group.number)
        return sorted(seen)

    def picture(self) -> Picture:
        """Places everything."""
        for group in reversed(self._visible):
            self._place_inside(group)
        # Open group -> origin of its inside.
        self._absolute: dict[int, tuple[float, float]] = {0: (PAD, PAD)}
        boxes: list[Box] = []
        depth = {0: 0}
        self._position: dict[int, tuple[float, float]] = {}  # item -> left, top in the picture
        kinds, numbers = self._columns[0], self._columns[1]
        for group in self._visible:
            left, top = self._absolute[group]
            for item in self._items(group):
                x, y = self._at[item]
                self._position[item] = left + x, top + y
                width, height = self._size[item]
                kind, number = kinds[item], numbers[item]
                if kind == BEND:
                    continue
                lines = (
                    self._node_lines(number) if kind == NODE else group_lines(self._graph, number)
                )
                what = "node" if kind == NODE else "folded"
                if kind != NODE and number in self._opened:
                    what, lines = "frame", (visible(group_title(self._graph, number), 60),)
                    self._absolute[number] = left + x + PAD, top + y + HEAD
                    depth[number] = depth[group] + 1
                boxes.append(
                    Box(what, number, left + x, top + y, width, height, depth[group], lines)
                )
        width, height = self._inner[0]
        return Picture(tuple(boxes), tuple(self._lines()), width + 2 * PAD, height + 2 * PAD)

    def _items(self, group: int) -> range:
        return range(int(self._layout.items[group]), int(self._layout.items[group + 1]))

    # ------------------------------------------------------------------------------ one group

    def _place_inside(self, group: int) -> None:
        kinds, numbers, ranks, orders = self._columns
        rows: list[list[int]] = []
        for item in self._items(group):
            self._size[item] = self._box_size(kinds[item], numbers[item])
            while len(rows) <= ranks[item]:
                rows.append([])
            rows[ranks[item]].append(item)
        y = 0.0
        for row in rows:
            row.sort(key=orders.__getitem__)
            height = max(self._size[item][1] for item in row) if row else 0.0
            for item in row:
                if kinds[item] == BEND:  # straight down between the boxes of the row
                    self._size[item] = BEND_WIDTH, height
                self._at[item] = 0.0, y + (height - self._size[item][1]) / 2
            y += height + GAP_Y
        centres = self._centres(group, rows)
        left = min((centres[i] - self._size[i][0] / 2 for row in rows for i in row), default=0.0)
        right = 0.0
        for item, centre in centres.items():
            x = centre - self._size[item][0] / 2 - left
            self._at[item] = x, self._at[item][1]
            right = max(right, x + self._size[item][0])
        if group:
            right = max(right, LETTER * len(group_title(self._graph, group)[:60]))
        self._inner[group] = right, max(0.0, y - GAP_Y)

    def _box_size(self, kind: int, number: int) -> tuple[float, float]:
        if kind == BEND:
            return BEND_WIDTH, 0.0
        if kind != NODE and number in self._opened:
            width, height = self._inner[number]
            return width + 2 * PAD, height + HEAD + PAD
        lines = self._node_lines(number) if kind == NODE else group_lines(self._graph, number)
        return max(NARROWEST, 18 + LETTER * max(map(len, lines))), HEIGHT

    def _centres(self, group: int, rows: list[list[int]]) -> dict[int, float]:
        """The middle of each item: rows are swept down, up and down again."""
        above: dict[int, list[int]] = {}
        below: dict[int, list[int]] = {}
        for upper, lower in self._steps(group):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
        centre: dict[int, float] = {}
        for row in rows:
            x = -(sum(self._size[i][0] for i in row) + GAP_X * (len(row) - 1)) / 2
            for item in row:
                centre[item] = x + self._size[item][0] / 2
                x += self._size[item][0] + GAP_X
        for beside, order in ((above, rows), (below, rows[::-1])) * 2:
            for row in order:
                wanted = [
                    sum(centre[n] for n in beside[i]) / len(beside[i]) if i in beside else centre[i]
                    for i in row
                ]
                centres = apart(wanted, [self._size[i][0] for i in row])
                centre.update(zip(row, centres, strict=True))
        return centre

    def _steps(self, group: int) -> list[tuple[int, int]]:
        """Pairs of items in neighbouring rows that a link joins."""
        links = range(*map(int, self._layout.links[group : group + 2]))
        return [step for link in links for step in pairwise(self._path(link))]

    def _path(self, link: int) -> list[int]:
        """The items that a link passes, from top to bottom."""
        layout = self._layout
        source, target = int(layout.source[link]), int(layout.target[link])
        bends = range(int(layout.bends[link][0]), int(layout.bends[link][1]))
        return [*([source] if source >= 0 else []), *bends, *([target] if target >= 0 else [])]

    def _node_lines(self, number: int) -> tuple[str, ...]:
        return node_lines(self._graph.nodes[number], self._gradients.get(number))

    # ------------------------------------------------------------------------------ lines

    def _lines(self) -> list[Line]:
        """One line for each pair of boxes that edges join, through the bends of all groups on its way."""
        graph, layout = self._graph, self._layout
        known: dict[tuple[int, int, int], int] = {}
        for group in self._visible:
            for link in range(int(layout.links[group]), int(layout.links[group + 1])):
                known[group, int(layout.source[link]), int(layout.target[link])] = link
        found: dict[tuple[int, int], list[int]] = {}
        folded = self._folded()
        shown = [
            layout.item_of_node[node.number]
            if folded[node.group] < 0
            else layout.item_of_group[folded[node.group]]
            for node in graph.nodes
        ]
        for number, edge in enumerate(graph.edges):
            ends = shown[edge.source], shown[edge.target]
            if ends[0] != ends[1]:
                found.setdefault(ends, []).append(number)
        lines = []
        for (start, end), edges in found.items():
            first = graph.edges[edges[0]]
            points = self._points(start, end, first.source, first.target, known)
            carries = any(graph.edges[e].carries for e in edges)
            lines.append(Line(tuple(points), carries, len(edges), edges[0]))
        return lines

    def _folded(self) -> list[int]:
        """For each group the outermost folded one of it and those around it; -1 where all are open."""
        seen, found = set(self._visible), [-1]
        for group in self._graph.groups[1:]:
            around = found[group.parent]
            found.append(around if around >= 0 else -1 if group.number in seen else group.number)
        return found

    def _chain(self, group: int) -> list[int]:
        """The groups around, from just below the root to the innermost one."""
        chain = []
        while group > 0:
            chain.append(group)
            group = self._graph.groups[group].parent
        return chain[::-1]

    def _points(
        self, start: int, end: int, source: int, target: int, known: dict[tuple[int, int, int], int]
    ) -> list[tuple[float, float]]:
        layout = self._layout
        up, down = ([0, *self._chain(self._graph.nodes[n].group)] for n in (source, target))
        common = 0
        while common < min(len(up), len(down)) and up[common] == down[common]:
            common += 1
        # The item that stands for each end in every group on the way, innermost last; a folded group need have none.
        groups, nodes = layout.item_of_group, layout.item_of_node
        ups = [*(groups.get(g, OUTSIDE) for g in up[1:]), nodes.get(source, OUTSIDE)]
        downs = [*(groups.get(g, OUTSIDE) for g in down[1:]), nodes.get(target, OUTSIDE)]
        passed: list[int] = []
        for level in range(len(up) - 1, common - 1, -1):
            passed += self._bends_of(known, up[level], ups[level], -1)
        passed += self._bends_of(known, up[common - 1], ups[common - 1], downs[common - 1])
        for level in range(common, len(down)):
            passed += self._bends_of(known, down[level], -1, downs[level])
        x, y = self._position[start]
        width, height = self._size[start]
        points = [(x + width / 2, y + height)]
        for item in passed:
            bx, by = self._position[item]
            points.append((bx + BEND_WIDTH / 2, by))
            points.append((bx + BEND_WIDTH / 2, by + self._size[item][1]))
        x, y = self._position[end]
        points.append((x + self._size[end][0] / 2, y))
        return points

    def _bends_of(
        self, known: dict[tuple[int, int, int], int], group: int, source: int, target: int
    ) -> range:
        link = known.get((group, source, target))
        if link is None:
            return range(0)
        first, end = self._layout.bends[link]
        return range(int(first), int(end))


def apart(wanted: list[float], widths: list[float], gap: float = GAP_X) -> list[float]:
    """The centres nearest to those wanted, in the same order, with a gap between neighbours.

    Args:
        wanted: Where the centres want to be, from left to right in the order that is kept.
        widths: Widths of the boxes.
        gap: Least distance between two boxes.

    Neighbours that would overlap are put side by side around the mean of what they want, again and again: the exact
    solution of least squares under these constraints.
    """
    offsets, x = [], 0.0
    for number, width in enumerate(widths):
        x += (widths[number - 1] + width) / 2 + gap if number else 0.0
        offsets.append(x)
    blocks: list[list[float]] = []  # sum of what is wanted, how many
    for want, offset in zip(wanted, offsets, strict=True):
        blocks.append([want - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, number = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += number
    found: list[float] = []
    for total, number in blocks:
        for _ in range(int(number)):
            found.append(total / number + offsets[len(found)])
    return found
