"""Repeated blocks: neighbours that would be printed alike but for their number are shown once, as `0 … 11: Block x 12`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from nbmodule_widgets.facts.model import Nodes
from nbmodule_widgets.facts.words import visible


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a tree in which equal neighbours are folded.

    Attributes:
        index: The Module, the first one of those that it stands for.
        times: How many it stands for.
        name: Its name, `"0 … 11"` for several.
        last: Whether no sibling follows.
    """

    index: int
    times: int
    name: str
    last: bool


def alike(nodes: Nodes, more: Sequence[Hashable] | None = None) -> list[int]:
    """For each Module a number; equal ones have all that is printed, and what their hooks call, in common.

    Their own names are left out.

    Args:
        nodes: The Modules.
        more: What else is printed of each.
    """
    numbers: dict[Hashable, int] = {}
    found = [0] * len(nodes)
    pattern, numel, nbytes = nodes.pattern.tolist(), nodes.numel.tolist(), nodes.nbytes.tolist()
    hooked = nodes.hooked.tolist()
    for index in range(len(nodes) - 1, -1, -1):  # children before their parents
        inside = tuple((nodes.names[child], found[child]) for child in nodes.below(index))
        said = more[index] if more is not None else None
        key = (pattern[index], numel[index], nbytes[index], hooked[index], said, inside)
        found[index] = numbers.setdefault(key, len(numbers))
    return found


def repeats(nodes: Nodes, same: Sequence[int]) -> dict[int, list[int]]:
    """The groups of equal neighbours whose names are numbers in a row.

    Args:
        nodes: The Modules.
        same: What `alike` returned.

    Returns:
        For the first of each group all that are in it, in order.
    """
    found: dict[int, list[int]] = {}
    for parent in range(len(nodes)):
        if nodes.end[parent] < parent + 3:
            continue
        group: list[int] = []
        for one, other in pairwise(nodes.below(parent)):
            if same[one] == same[other] and _follows(nodes.names[one], nodes.names[other]):
                group = group or found.setdefault(one, [one])
                group.append(other)
            else:
                group = []
    return found


def places(nodes: Nodes, groups: dict[int, list[int]]) -> Iterator[Place]:
    """The rows that are shown, in order.

    Args:
        nodes: The Modules.
        groups: What `repeats` returned; nothing is folded without any.
    """
    index, jumps = (
        0,
        [(len(nodes), len(nodes))],
    )  # where a folded group is left out, and until where
    while index < len(nodes):
        group = groups.get(index, [index])
        until = nodes.end[group[-1]]
        name = visible(nodes.names[index], 60)
        if len(group) > 1:
            name = f"{name} … {visible(nodes.names[group[-1]], 60)}"
            jumps.append((nodes.end[index], until))
        parent = nodes.parent[index]
        yield Place(index, len(group), name, parent < 0 or until == nodes.end[parent])
        index += 1
        while index < len(nodes) and jumps[-1][0] == index:
            index = jumps.pop()[1]


def folded(nodes: Nodes, fold: bool = True) -> list[Place]:
    """The rows of a tree.

    Args:
        nodes: The Modules.
        fold: Whether equal neighbours are one row.
    """
    return list(places(nodes, repeats(nodes, alike(nodes)) if fold else {}))


def _follows(one: str, other: str) -> bool:
    """Whether two names are a number and the next one."""
    if not (one.isdecimal() and other.isdecimal() and len(other) < 10):
        return False
    return str(int(one)) == one and str(int(one) + 1) == other
