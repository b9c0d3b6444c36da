"""Which groups are unfolded at first."""

from __future__ import annotations

from nbmodule_widgets.graphing.records import GraphFacts


def default_open(graph: GraphFacts, limit: int = 60) -> frozenset[int]:
    """The groups to unfold at first: the outer ones, as long as at most `limit` boxes are drawn.

    Args:
        graph: The graph.
        limit: Most boxes, folded groups included. The groups around a failure are open in any case.
    """
    within = _groups_in(graph)
    inside = [len(groups) for groups in within]
    for each in graph.nodes:
        inside[each.group] += 1
    opened = {0}
    node = graph.nodes[graph.failure.node].group if graph.failure is not None else -1
    while node > 0:
        opened.add(node)
        node = graph.groups[node].parent
    drawn = sum(inside[g] for g in opened) - (len(opened) - 1)
    waiting = [0]
    while waiting:
        group = waiting.pop(0)
        # Siblings of one class are opened all or none: half a row of equal layers would look like a difference.
        alike: dict[str, list[int]] = {}
        for child in within[group]:
            if child not in opened and graph.groups[child].kind != "part":
                alike.setdefault(graph.groups[child].class_name, []).append(child)
        for children in sorted(alike.values(), key=lambda c: sum(inside[n] for n in c)):
            more = sum(inside[child] - 1 for child in children)
            if drawn + more <= limit:
                opened.update(children)
                drawn += more
        waiting += [child for child in within[group] if child in opened]
    return frozenset(opened)


def _groups_in(graph: GraphFacts) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in graph.groups]
    for group in graph.groups[1:]:
        found[group.parent].append(group.number)
    return found
