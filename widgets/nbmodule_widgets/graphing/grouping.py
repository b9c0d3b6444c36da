"""The nodes in groups that can be folded: a module's call, or a long stretch of operations.

A group is a stretch of the forward order. So the graph of the groups has no cycles, however often a module is called
and wherever its parameters are used again.
"""

from __future__ import annotations

from typing import NamedTuple

from nbmodule_widgets.graphing.records import GraphGroup

MOST_CHILDREN = 60
"""A group with more children than these gets parts."""


class Call(NamedTuple):
    """One call of a module.

    Attributes:
        key: Tells it from other calls.
        path: Dotted path of the module.
        class_name: Its class.
        number: Which call of this module it is, from 1.
    """

    key: int
    path: str
    class_name: str
    number: int


class _Group:
    """A group in the making."""

    def __init__(self, call: Call | None, first: int) -> None:
        self.call, self.first, self.end = call, first, first
        self.children: list[_Group | int] = []
        self.name, self.kind = "", "module"
        # Paths of the first and the last module in it; of a module its own.
        self.ends: tuple[str, ...] = (call.path,) if call is not None and call.path else ()


def groups_of(stacks: list[tuple[Call, ...]], title: str) -> tuple[list[GraphGroup], list[int]]:
    """The groups, and for each node the innermost one.

    Args:
        stacks: For each node, in forward order, the calls that it was made in, the outermost first.
        title: Name of the whole.
    """
    root = _Group(None, 0)
    root.name, root.kind = title, "root"
    open_groups = [root]
    for number, stack in enumerate(stacks):
        same = 0
        while (
            same < len(stack)
            and same + 1 < len(open_groups)
            and stack[same].key == open_groups[same + 1].call.key  # type: ignore[union-attr]
        ):
            same += 1
        for closed in open_groups[same + 1 :]:
            closed.end = number
        del open_groups[same + 1 :]
        for call in stack[same:]:
            inner = _Group(call, number)
            open_groups[-1].children.append(inner)
            open_groups.append(inner)
        open_groups[-1].children.append(number)
    for group in open_groups:
        group.end = len(stacks)
    return _numbered(root, len(stacks))


def _numbered(root: _Group, nodes: int) -> tuple[list[GraphGroup], list[int]]:
    """The finished records, long groups cut into parts."""
    groups: list[GraphGroup] = []
    innermost = [0] * nodes
    waiting: list[tuple[_Group, int, str]] = [(root, -1, "")]
    while waiting:
        group, parent, around = waiting.pop()
        number = len(groups)
        call = group.call
        path = call.path if call else around
        name = group.name
        if call:
            inside = call.path.removeprefix(f"{around}.") if around else call.path
            name = inside or call.class_name
        groups.append(
            GraphGroup(
                number,
                parent,
                group.first,
                group.end,
                group.kind,
                name,
                path if call else "",
                call.class_name if call else "",
                call.number if call else 0,
            )
        )
        children = _in_parts(group.children)
        for child in children:
            if isinstance(child, int):
                innermost[child] = number
        waiting.extend((c, number, path) for c in reversed(children) if not isinstance(c, int))
    return groups, innermost


def _in_parts(children: list[_Group | int]) -> list[_Group | int]:
    """At most `MOST_CHILDREN` children: stretches of them are put into parts, and parts into parts."""
    while len(children) > MOST_CHILDREN:
        size = max(MOST_CHILDREN // 2, -(-len(children) // MOST_CHILDREN))
        size = min(size, MOST_CHILDREN)
        parts: list[_Group | int] = []
        for start in range(0, len(children), size):
            inside = children[start : start + size]
            first, last = inside[0], inside[-1]
            if len(inside) == 1:
                parts.append(first)
                continue
            part = _Group(None, first if isinstance(first, int) else first.first)
            part.end = last + 1 if isinstance(last, int) else last.end
            part.children, part.kind = inside, "part"
            part.name = _part_name(part)
            parts.append(part)
        children = parts
    return children


def _part_name(part: _Group) -> str:
    """`"l.0 … l.59"` for a stretch with modules in it, otherwise the numbers of its nodes."""
    paths = [ends for child in part.children if isinstance(child, _Group) for ends in child.ends]
    if not paths:
        return f"nodes {part.first + 1:,}–{part.end:,}"
    part.ends = (paths[0], paths[-1])
    return paths[0] if paths[0] == paths[-1] else f"{paths[0]} … {paths[-1]}"


def guessed_stacks(owners: list[str | None], paths: dict[str, str]) -> list[tuple[Call, ...]]:
    """The calls that the nodes were made in, as far as the parameters that they consume tell.

    Args:
        owners: For each node the path of the module whose parameter it consumes (or is); None if it is none.
        paths: All modules: path -> class name.

    What lies between two nodes of known modules is taken to belong to the innermost module around both.
    """
    known = [number for number, owner in enumerate(owners) if owner is not None]
    chains: list[tuple[str, ...]] = [()] * len(owners)
    chain_of = {path: _chain(path, paths) for path in set(owners) if path is not None}
    for place, number in enumerate(known):
        chains[number] = chain_of[owners[number]]  # type: ignore[index]
        after = known[place + 1] if place + 1 < len(known) else None
        if after is None:
            break
        between = _common(chains[number], chain_of[owners[after]])  # type: ignore[index]
        for inner in range(number + 1, after):
            chains[inner] = between
    keys: dict[str, int] = {}
    stacks = {
        chain: tuple(Call(keys.setdefault(p, len(keys)), p, paths.get(p, ""), 0) for p in chain)
        for chain in dict.fromkeys(chains)
    }
    return [stacks[chain] for chain in chains]


def _chain(path: str, paths: dict[str, str]) -> tuple[str, ...]:
    """The modules from the outermost to this one that have a forward of their own."""
    steps = path.split(".") if path else []
    chain = (".".join(steps[: end + 1]) for end in range(len(steps)))
    return tuple(p for p in chain if paths.get(p, "") not in _CONTAINERS)


_CONTAINERS = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "")


def _common(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    return a[:same]
