"""The walks of a Module as PyTorch does them, worked out on the tree: what is visited, what is skipped and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.visits_tree import VisitTree

_MOST = 1500  # moments of one walk


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment, before the visits are counted; as `Step`."""

    kind: Literal["visit", "down", "skip", "cut"]
    node: int
    words: str
    memo: int = -1


@dataclass(frozen=True, slots=True)
class Plan:
    """One walk.

    Attributes:
        call: How it is written.
        order: The order in words.
        walk: Yields the moments on a tree.
        endless: What to say if a cycle keeps the walk from ending; the empty string if none can.
    """

    call: str
    order: str
    walk: Callable[[VisitTree], Iterator[Moment]]
    endless: str

    def steps(self, tree: VisitTree) -> tuple[list[Moment], bool]:
        """The moments, and whether the walk was cut off."""
        found = list(islice(self.walk(tree), _MOST + 1))
        cut = len(found) > _MOST or any(moment.kind == "cut" for moment in found)
        return found[:_MOST], cut


def _label(tree: VisitTree, node: int) -> str:
    return (
        f"`{visible(tree.nodes[node].path, 80)}`" if tree.nodes[node].path else "the model itself"
    )


def _first(tree: VisitTree, node: int) -> int:
    return node if tree.nodes[node].twin < 0 else tree.nodes[node].twin


def _modules(tree: VisitTree) -> Iterator[Moment]:
    memo: set[int] = set()
    pending = [0]
    while pending:
        node = pending.pop()
        first = _first(tree, node)
        if first in memo:
            back = "leads back to" if tree.nodes[node].cycle else "is the same object as"
            yield Moment(
                "skip",
                node,
                f"{_label(tree, node)} {back} {_label(tree, first)}, which is in the memo: skipped.",
            )
            continue
        memo.add(first)
        yield Moment(
            "visit",
            node,
            f"{_label(tree, node)} is yielded and goes into the memo; its children come next.",
            node,
        )
        pending += reversed(tree.children[node])


def _every_place(tree: VisitTree) -> Iterator[Moment]:
    pending = [0]
    while pending:
        node = pending.pop()
        if tree.nodes[node].cycle:
            yield Moment(
                "cut",
                node,
                f"{_label(tree, node)} leads back to a Module above it, and nothing remembers that: the walk goes round until Python raises RecursionError.",
            )
            continue
        again = ", once more under this name" if tree.nodes[node].twin >= 0 else ""
        yield Moment(
            "visit", node, f"{_label(tree, node)} is yielded{again}; its children come next."
        )
        pending += reversed(tree.children[node])


def _children(tree: VisitTree) -> Iterator[Moment]:
    memo: set[int] = set()
    for node in tree.children[0]:
        first = _first(tree, node)
        if first in memo:
            yield Moment(
                "skip",
                node,
                f"{_label(tree, node)} is the same object as {_label(tree, first)}: skipped.",
            )
            continue
        memo.add(first)
        yield Moment(
            "visit",
            node,
            f"{_label(tree, node)} is yielded; what is inside it is not looked at.",
            node,
        )


def _parameters(tree: VisitTree) -> Iterator[Moment]:
    memo: set[int] = set()
    for moment in _modules(tree):
        if moment.kind == "skip":
            yield moment
            continue
        own = tree.parameters[moment.node]
        what = (
            "its own parameters come before those of its children"
            if own
            else "it has no parameters of its own"
        )
        yield Moment("down", moment.node, f"{_label(tree, moment.node)}: {what}.", -1)
        for node in own:
            first = _first(tree, node)
            if first in memo:
                yield Moment(
                    "skip",
                    node,
                    f"{_label(tree, node)} is the same tensor as {_label(tree, first)}, which is in the memo: skipped.",
                )
                continue
            memo.add(first)
            yield Moment(
                "visit", node, f"{_label(tree, node)} is yielded and goes into the memo.", node
            )


def _siblings(tree: VisitTree, node: int) -> Iterator[tuple[int, str]]:
    """The children as `children()` gives them, and why one of them is left out."""
    seen: set[int] = set()
    for child in tree.children[node]:
        first = _first(tree, child)
        twice = (
            f"{_label(tree, child)} is the same object as a child before it: `children()` skips it."
        )
        yield child, twice if first in seen else ""
        seen.add(first)


def _apply(tree: VisitTree) -> Iterator[Moment]:
    """Depth first, with a stack of iterators: `fn` is called when a Module's children are done."""
    yield Moment(
        "down",
        0,
        "`apply(fn)` goes to the children first: the turn of the model itself comes last.",
    )
    stack = [(0, _siblings(tree, 0))]
    while stack:
        node, rest = stack[-1]
        child, why = next(rest, (-1, ""))
        if child < 0:
            stack.pop()
            again = " again, since `apply` keeps no memo" if tree.nodes[node].twin >= 0 else ""
            yield Moment(
                "visit",
                node,
                f"The children of {_label(tree, node)} are done: `fn` is called on it{again}.",
            )
        elif why:
            yield Moment("skip", child, why)
        elif tree.nodes[child].cycle:
            yield Moment(
                "cut",
                child,
                f"{_label(tree, child)} leads back to a Module above it: `apply` calls itself until Python raises RecursionError.",
            )
            return
        else:
            if tree.children[child]:
                yield Moment("down", child, f"{_label(tree, child)} has children: they come first.")
            stack.append((child, _siblings(tree, child)))


def _train(tree: VisitTree) -> Iterator[Moment]:
    pending = [(0, "")]
    while pending:
        node, why = pending.pop()
        if why:
            yield Moment("skip", node, why)
            continue
        if tree.nodes[node].cycle:
            yield Moment(
                "cut",
                node,
                f"{_label(tree, node)} leads back to a Module above it: `train()` calls itself until Python raises RecursionError.",
            )
            return
        again = ", for the second time" if tree.nodes[node].twin >= 0 else ""
        yield Moment(
            "visit",
            node,
            f"`training` of {_label(tree, node)} is set{again}; then `train()` is called on its children.",
        )
        pending += reversed(list(_siblings(tree, node)))


_RECURSES = "A cycle: this call ends with a RecursionError, so it was not made."

EXPECTED = {
    "modules": Plan(
        "modules()",
        "pre-order: a Module, then its children; each object once (memo)",
        _modules,
        "",
    ),
    "apply": Plan(
        "apply(fn)",
        "post-order: the children, then the Module; no memo, so a shared Module has two turns",
        _apply,
        _RECURSES,
    ),
    "children": Plan(
        "children()",
        "the direct children only; each object once (memo)",
        _children,
        "",
    ),
    "named_modules(remove_duplicate=False)": Plan(
        "named_modules(remove_duplicate=False)",
        "pre-order; every name, even of a shared Module (no memo)",
        _every_place,
        _RECURSES,
    ),
    "named_parameters": Plan(
        "named_parameters()",
        "Modules in pre-order, of each its own parameters; each tensor once (memo)",
        _parameters,
        "",
    ),
    "train": Plan(
        "train()",
        "pre-order: the switch of a Module, then its children; no memo",
        _train,
        _RECURSES,
    ),
}
