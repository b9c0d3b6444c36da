"""The layout of a graph that holds for all folds at once: in which row of its group everything stands, and where in the row.

Every group is laid out by itself. What stands in it, nodes and the groups directly inside, are its items. An edge between
two nodes deep inside becomes a link between the items that hold them, in the innermost group around both; on its way there
it leaves some groups through their lower edge and enters others through their upper one. A link that passes rows gets a
bend in each of them, so that there is room for it between the boxes. Sizes and coordinates are another matter
(`graphing.placing`, and the page): they depend on what is folded, rows and order do not. So nothing changes its place when
a group is unfolded, and the page needs no help for that.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.graphing.columns import BEND, GROUP, NODE, OUTSIDE, Layout
from nbmodule_widgets.graphing.records import GraphFacts

_MOST_BENDS = 1500  # in one group; beyond that, links go straight through
_SWEEPS = 4


def layout(graph: GraphFacts, opened: frozenset[int] | None = None) -> Layout:
    """Finds rows and order for every group.

    Args:
        graph: What `read` or `run` returned.
        opened: Do so for these groups alone, each given with those around it; the others stay empty.
    """
    stubs = _stubs(graph, opened)
    inside = children_of(graph)
    linked = _links(graph, stubs)
    table = _Table()
    known: dict[Any, _Shape] = {}
    for number, stub in enumerate(stubs):
        if stub < 0:
            _Rows(graph, inside[number], linked[number], known).add_to(table)
        table.end_group()
    return table.finished(graph)


def _stubs(graph: GraphFacts, opened: frozenset[int] | None) -> list[int]:
    """For each group the outermost of those around it, itself included, that is not open; -1 if all are."""
    stubs: list[int] = []
    for group in graph.groups:
        around = stubs[group.parent] if group.parent >= 0 else -1
        is_open = opened is None or group.number in opened
        stubs.append(around if around >= 0 or is_open else group.number)
    return stubs


# ------------------------------------------------------------------------------ children and links

Child = tuple[int, int]  # (kind, number)
Link = tuple[Child | None, Child | None]


def children_of(graph: GraphFacts) -> list[list[Child]]:
    """For each group its nodes and groups in forward order."""
    inside: list[list[tuple[int, Child]]] = [[] for _ in graph.groups]
    for node in graph.nodes:
        inside[node.group].append((node.number, (NODE, node.number)))
    for group in graph.groups[1:]:
        inside[group.parent].append((group.first, (GROUP, group.number)))
    return [[child for _, child in sorted(children)] for children in inside]


def _links(graph: GraphFacts, stubs: list[int]) -> list[dict[Link, list[int]]]:
    """For each group without a stub its links, each with the edges that it stands for."""
    parents = [group.parent for group in graph.groups]
    depth = [0] * len(parents)
    for number, parent in enumerate(parents[1:], 1):
        depth[number] = depth[parent] + 1
    owner = [node.group for node in graph.nodes]
    linked: list[dict[Link, list[int]]] = [{} for _ in parents]
    for number, edge in enumerate(graph.edges):
        a, b = owner[edge.source], owner[edge.target]
        above, below = stubs[a], stubs[b]
        if above == below >= 0:
            continue  # inside a group that is not open
        up: Child = (NODE, edge.source)
        down: Child = (NODE, edge.target)
        if above >= 0:
            up, a = (GROUP, above), parents[above]
        if below >= 0:
            down, b = (GROUP, below), parents[below]
        while a != b:
            if depth[a] >= depth[b]:
                linked[a].setdefault((up, None), []).append(number)
                up, a = (GROUP, a), parents[a]
            else:
                linked[b].setdefault((None, down), []).append(number)
                down, b = (GROUP, b), parents[b]
        linked[a].setdefault((up, down), []).append(number)
    return linked


# ------------------------------------------------------------------------------ one group


class _Shape(NamedTuple):
    """What groups have in common that differ in their names alone.

    Attributes:
        rank: The row of each child, then of each bend.
        order: Its place in the row.
        bends: For each link the indices of its bends.
    """

    rank: list[int]
    order: list[int]
    bends: list[range]


class _Rows:
    """The rows of one group.

    Args:
        graph: The graph.
        children: What stands in the group, in forward order.
        links: The links in it, with their edges.
        known: The shapes that were found before: a model has many equal layers.
    """

    def __init__(
        self,
        graph: GraphFacts,
        children: list[Child],
        links: dict[Link, list[int]],
        known: dict[Any, _Shape],
    ) -> None:
        self._children, self._links = children, links
        index = {child: i for i, child in enumerate(children)}
        # From here on children are known by their index, and None stands for the outside.
        self._pairs = [
            (None if a is None else index[a], None if b is None else index[b]) for a, b in links
        ]
        self._aside = [
            kind == NODE and graph.nodes[number].kind in ("leaf", "input")
            for kind, number in children
        ]
        key = (tuple(self._aside), tuple(self._pairs))
        if key not in known:
            known[key] = self._shape()
        self._rank, self._order, self._bends = known[key]

    def _shape(self) -> _Shape:
        """Rows, order and bends."""
        rank = self._ranks()
        bends, total = self._bends_of_links(rank)
        self._neighbours: list[tuple[list[int], list[int]]] = [([], []) for _ in range(total)]
        all_ranks = self._with_bends(rank, bends, total)
        order = [0] * total
        for row in self._ordered(all_ranks):
            for number, item in enumerate(row):
                order[item] = number
        return _Shape(all_ranks, order, bends)

    def _ranks(self) -> list[int]:
        """As high as the producers allow; what hangs on leaves alone as low as its consumers allow."""
        count = len(self._children)
        rank = [0] * count
        free = [True] * count  # whether it depends on nothing but leaves
        consumers: list[list[int]] = [[] for _ in range(count)]
        producers: list[list[int]] = [[] for _ in range(count)]
        for a, b in self._pairs:
            if a is None and b is not None:
                free[b] = False
            elif a is not None and b is not None:
                consumers[a].append(b)
                producers[b].append(a)
        for child in range(count):
            for source in producers[child]:
                rank[child] = max(rank[child], rank[source] + 1)
                free[child] = free[child] and free[source]
        for child in range(count - 1, -1, -1):
            if free[child] and consumers[child]:
                rank[child] = min(rank[c] for c in consumers[child]) - 1
        lowest = min(rank, default=0)
        return [r - lowest for r in rank]

    def _bends_of_links(self, rank: list[int]) -> tuple[list[range], int]:
        """For each link the indices of its bends, and how many items there are in all."""
        last = max(rank, default=0)
        total, found = len(self._children), []
        for a, b in self._pairs:
            first = 0 if a is None else rank[a] + 1
            end = last + 1 if b is None else rank[b]
            length = max(0, end - first)
            if total + length > len(self._children) + _MOST_BENDS:
                length = 0
            found.append(range(total, total + length))
            total += length
        return found, total

    def _with_bends(self, of_children: list[int], bends_of: list[range], total: int) -> list[int]:
        """The rows of children and bends, and who stands next to whom along the links."""
        rank = [*of_children, *[0] * (total - len(of_children))]
        for (a, b), bends in zip(self._pairs, bends_of, strict=True):
            first = 0 if a is None else rank[a] + 1
            for step, bend in enumerate(bends):
                rank[bend] = first + step
            path = [*([] if a is None else [a]), *bends, *([] if b is None else [b])]
            for upper, lower in pairwise(path):
                self._neighbours[upper][1].append(lower)
                self._neighbours[lower][0].append(upper)
        return rank

    def _ordered(self, ranks: list[int]) -> list[list[int]]:
        """The rows, ordered so that few links cross: by the mean place of the neighbours, down and up."""
        rows: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
        for item, rank in enumerate(ranks):
            rows[rank].append(item)
        rows = [self._flow_in_the_middle(row) for row in rows]
        place = [0.0] * len(ranks)
        for row in rows:
            self._take_places(row, place)
        if max(map(len, rows), default=0) < 2:
            return rows
        best, fewest = [list(row) for row in rows], self._crossings(rows, place)
        for sweep in range(_SWEEPS):
            if not fewest:
                break
            side = sweep % 2
            for row in rows if side == 0 else reversed(rows):
                row.sort(key=lambda item: self._wanted(item, side, place))
                self._take_places(row, place)
            crossings = self._crossings(rows, place)
            if crossings < fewest:
                best, fewest = [list(row) for row in rows], crossings
        return best

    def _flow_in_the_middle(self, row: list[int]) -> list[int]:
        """Leaves and inputs to both sides of what flows through."""
        sides = [item for item in row if item < len(self._aside) and self._aside[item]]
        flow = [item for item in row if item not in sides]
        half = (len(sides) + 1) // 2
        return [*sides[:half], *flow, *sides[half:]]

    def _wanted(self, item: int, side: int, place: list[float]) -> float:
        beside = self._neighbours[item][side]
        return sum(place[n] for n in beside) / len(beside) if beside else place[item]

    @staticmethod
    def _take_places(row: list[int], place: list[float]) -> None:
        middle = (len(row) - 1) / 2
        for number, item in enumerate(row):
            place[item] = number - middle

    def _crossings(self, rows: list[list[int]], place: list[float]) -> int:
        """How many pairs of links cross between neighbouring rows."""
        total = 0
        for row in rows:
            ends = [
                place[b] for a in row for b in sorted(self._neighbours[a][1], key=place.__getitem__)
            ]
            if len(ends) > 300:
                continue  # too full for anybody to see a difference
            for number, end in enumerate(ends):
                total += sum(1 for earlier in ends[:number] if earlier > end)
        return total

    def add_to(self, table: _Table) -> None:
        """Writes the group into the columns."""
        base, first_link = len(table.kind), len(table.source)
        for item, (kind, number) in enumerate(self._children):
            table.item(kind, number, self._rank[item], self._order[item])
        for link, ((a, b), bends, edges) in enumerate(
            zip(self._pairs, self._bends, self._links.values(), strict=True)
        ):
            for bend in bends:
                table.item(BEND, first_link + link, self._rank[bend], self._order[bend])
            table.source.append(OUTSIDE if a is None else base + a)
            table.target.append(OUTSIDE if b is None else base + b)
            table.bends.append((base + bends.start, base + bends.stop))
            table.edges.append(len(table.edge_list))
            table.edge_list += edges


class _Table:
    """The columns as they grow."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.number: list[int] = []
        self.rank: list[int] = []
        self.order: list[int] = []
        self.items, self.links = [0], [0]
        self.source: list[int] = []
        self.target: list[int] = []
        self.bends: list[tuple[int, int]] = []
        self.edges: list[int] = []
        self.edge_list: list[int] = []

    def item(self, kind: int, number: int, rank: int, order: int) -> None:
        """Adds an item."""
        self.kind.append(kind)
        self.number.append(number)
        self.rank.append(rank)
        self.order.append(order)

    def end_group(self) -> None:
        """Notes where the next group begins."""
        self.items.append(len(self.kind))
        self.links.append(len(self.source))

    def finished(self, graph: GraphFacts) -> Layout:
        """The columns as arrays."""

        def column(values: Any) -> np.ndarray:
            return np.array(values, dtype=np.int32)

        return Layout(
            np.array(self.kind, dtype=np.uint8), column(self.number), column(self.rank),
            column(self.order), column(self.items), column(self.source), column(self.target),
            column(self.links), column(self.bends).reshape(-1, 2),
            column([*self.edges, len(self.edge_list)]), column(self.edge_list),
            len(graph.nodes), len(graph.groups),
        )  # fmt: skip
