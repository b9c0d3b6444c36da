"""Which nodes there are, and in which order the forward pass made them."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from nbmodule_widgets.engines import Dialect


@dataclass
class Found:
    """The nodes behind a tensor, as they were met, with what each consumed.

    Attributes:
        nodes: The live nodes; held, so that no identity is given to another object.
        edges: For each node the `(place in nodes, output, slot)` of its arguments that have a node.
        leaf: For each node the tensor for which it accumulates the gradient, or None.
        starts: `(place, output)` of what was asked for.
        left_out: How many nodes were met, but not read.
        notes: What was wrong with the graph.
    """

    nodes: list[Any] = field(default_factory=list)
    edges: list[list[tuple[int, int, int]]] = field(default_factory=list)
    leaf: list[Any] = field(default_factory=list)
    starts: list[tuple[int, int]] = field(default_factory=list)
    left_out: int = 0
    notes: list[str] = field(default_factory=list)


def collect(dialect: Dialect, starts: list[tuple[Any, int]], limit: int) -> Found:
    """Reads the nodes that lead to `starts`, nearest first, without recursion.

    Args:
        dialect: How to ask them.
        starts: `(node, output)` to start from.
        limit: Most nodes to read.
    """
    found = Found()
    places: dict[int, int] = {}
    waiting: deque[int] = deque()
    outside: set[int] = set()

    def place_of(node: Any) -> int:
        place = places.get(id(node), -1)
        if place < 0 and len(found.nodes) < limit:
            place = places[id(node)] = len(found.nodes)
            found.nodes.append(node)
            found.edges.append([])
            found.leaf.append(dialect.leaf(node))
            waiting.append(place)
        elif place < 0:
            outside.add(id(node))
        return place

    for node, output in starts:
        found.starts.append((place_of(node), output))
    while waiting:
        target = waiting.popleft()
        for slot, (node, output) in dialect.slots(found.nodes[target]):
            if node is not None:
                source = place_of(node)
                if source >= 0:
                    found.edges[target].append((source, output, slot))
    found.left_out = len(outside)
    return found


def forward_order(found: Found, ages: list[float]) -> tuple[list[int], list[int]]:
    """The places of all nodes in forward order, each leaf right before its first consumer.

    Args:
        found: What `collect` returned. Edges that close a cycle are taken out of it, and a note is left.
        ages: For each node a number that is larger for those made later.

    Returns:
        The leaves that no operation consumed, and the rest.
    """
    operations = [p for p in range(len(found.nodes)) if found.leaf[p] is None]
    in_order = sorted(operations, key=lambda p: (ages[p], -p))
    rank = {p: number for number, p in enumerate(in_order)}
    if any(rank.get(s, -1) >= rank[p] for p in operations for s, _, _ in found.edges[p]):
        in_order = _topological(found, operations, rank)
    return _with_leaves(found, in_order)


def _topological(found: Found, operations: list[int], rank: dict[int, int]) -> list[int]:
    """Producers first, otherwise the older one first; a cycle is broken where it is met."""
    missing = dict.fromkeys(operations, 0)
    consumers: dict[int, list[int]] = {p: [] for p in operations}
    for p in operations:
        for source, _, _ in found.edges[p]:
            if source in missing:
                missing[p] += 1
                consumers[source].append(p)
    ready = [(rank[p], p) for p in operations if not missing[p]]
    heapq.heapify(ready)
    in_order: list[int] = []
    done: set[int] = set()
    while len(in_order) < len(operations):
        if not ready:
            stuck = min(
                (p for p in operations if p not in done), key=lambda p: (missing[p], rank[p])
            )
            found.edges[stuck] = [
                e for e in found.edges[stuck] if e[0] in done or e[0] not in missing
            ]
            if not found.notes:
                found.notes.append(
                    "The graph has a cycle, which no forward pass makes; it was cut there."
                )
            ready.append((rank[stuck], stuck))
        _, p = heapq.heappop(ready)
        if p in done:
            continue
        done.add(p)
        in_order.append(p)
        for consumer in consumers[p]:
            missing[consumer] -= 1
            if not missing[consumer] and consumer not in done:
                heapq.heappush(ready, (rank[consumer], consumer))
    return in_order


def _with_leaves(found: Found, in_order: list[int]) -> tuple[list[int], list[int]]:
    """The leaves that nobody consumed; and the operations, every other leaf right before its first consumer."""
    placed: set[int] = set()
    complete: list[int] = []
    for p in in_order:
        for source, _, _ in found.edges[p]:
            if found.leaf[source] is not None and source not in placed:
                placed.add(source)
                complete.append(source)
        complete.append(p)
    alone = [p for p in range(len(found.nodes)) if found.leaf[p] is not None and p not in placed]
    return alone, complete
