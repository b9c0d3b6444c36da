"""A layout as columns of whole numbers, which is how it travels to the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

OUTSIDE = -1
NODE, GROUP, BEND = 0, 1, 2


class Bent(NamedTuple):
    """A link that passes rows.

    Attributes:
        group: The group that it runs in.
        source: The item that it comes from: a node's number, or the number of nodes plus that of a group; -1 is the
            outside.
        target: The item that it leads to, in the same way.
        orders: Its place in each row that it passes, from the row after its source (the first one, if it comes
            from outside) to the row before its target (the last one, if it leads outside).
    """

    group: int
    source: int
    target: int
    orders: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """The rows and the order in them, as columns of whole numbers.

    Attributes:
        kind: For each item 0 (node), 1 (group) or 2 (bend of a link).
        number: The number of the node, the group, or the link.
        rank: Its row in its group; 0 is the top one.
        order: Its place in the row; 0 is at the left.
        items: Where the items of each group begin, and their number at the end: those of group `g` are
            `items[g]` to `items[g + 1]`.
        source: For each link the item that it comes from; -1: from outside, through the upper edge.
        target: The item that it leads to; -1: outside, through the lower edge.
        links: Where the links of each group begin, and their number at the end.
        bends: Where the bends of each link begin in `items` order, and the end: they are items one after the
            other, from top to bottom.
        edges: Where the edges of each link begin in `edge_list`, and the end.
        edge_list: Indices into `GraphFacts.edges`.
        nodes: How many nodes the graph has. Of groups that were not laid out none is an item.
        groups: How many groups it has.
    """

    kind: np.ndarray
    number: np.ndarray
    rank: np.ndarray
    order: np.ndarray
    items: np.ndarray
    source: np.ndarray
    target: np.ndarray
    links: np.ndarray
    bends: np.ndarray
    edges: np.ndarray
    edge_list: np.ndarray
    nodes: int
    groups: int

    @cached_property
    def item_of_node(self) -> dict[int, int]:
        """The item of each node."""
        return {int(self.number[i]): int(i) for i in np.flatnonzero(self.kind == NODE)}

    @cached_property
    def item_of_group(self) -> dict[int, int]:
        """The item of each group but the root, which is none."""
        return {int(self.number[i]): int(i) for i in np.flatnonzero(self.kind == GROUP)}

    def _of_kind(self, kind: int, column: np.ndarray, total: int) -> np.ndarray:
        """A column by the numbers of the nodes, or of the groups; what is no item, such as the root, has 0."""
        chosen = np.flatnonzero(self.kind == kind)
        found = np.zeros(total, dtype=np.int32)
        found[self.number[chosen]] = column[chosen]
        return found

    @cached_property
    def node_rank(self) -> np.ndarray:
        """The row of each node."""
        return self._of_kind(NODE, self.rank, self.nodes)

    @cached_property
    def node_order(self) -> np.ndarray:
        """The place of each node in its row."""
        return self._of_kind(NODE, self.order, self.nodes)

    @cached_property
    def group_rank(self) -> np.ndarray:
        """The row of each group; 0 for the root."""
        return self._of_kind(GROUP, self.rank, self.groups)

    @cached_property
    def group_order(self) -> np.ndarray:
        """The place of each group in its row; 0 for the root."""
        return self._of_kind(GROUP, self.order, self.groups)

    @cached_property
    def bent(self) -> tuple[Bent, ...]:
        """The links that pass rows."""
        nodes, found = self.nodes, []
        group_of = np.searchsorted(self.links, np.arange(len(self.source)), side="right") - 1
        for link in np.flatnonzero(self.bends[:, 0] < self.bends[:, 1]).tolist():
            first, end = self.bends[link]
            a, b = (
                OUTSIDE
                if item < 0
                else int(self.number[item]) + nodes * int(self.kind[item] == GROUP)
                for item in (self.source[link], self.target[link])
            )
            found.append(Bent(int(group_of[link]), a, b, tuple(self.order[first:end].tolist())))
        return tuple(found)
