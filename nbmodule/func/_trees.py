"""Nested containers as trees: tuples, named tuples, lists and dictionaries, with anything else as leaves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

DICTIONARIES = (dict, OrderedDict)


class Spec:
    """The form of a tree: what the containers are, without the leaves.

    Attributes:
        kind: the type of the container; None for a leaf.
        keys: of a dictionary; None otherwise.
        children: a form for each member.
    """

    def __init__(self, kind: type | None, keys: list[Any] | None, children: list[Spec]) -> None:
        self.kind, self.keys, self.children = kind, keys, children

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        inner = ",".join(
            ("\n" if i else "") + repr(child).replace("\n", "\n  ")
            for i, child in enumerate(self.children)
        ).replace("\n", "\n  ")
        return f"TreeSpec({self.kind.__name__}, {self.keys}, [{inner}])"

    @property
    def pretty(self) -> str:
        """The form as Python would print the containers."""
        return repr(unflatten([LEAF] * sum(1 for _ in self.leaves()), self))

    def leaves(self) -> Iterator[Spec]:
        """Yield the forms of the leaves."""
        if self.kind is None:
            yield self
        for child in self.children:
            yield from child.leaves()


LEAF = Spec(None, None, [])


def is_container(value: Any) -> bool:
    """Return whether `value` is a container whose members belong to the tree."""
    return type(value) in (tuple, list, *DICTIONARIES) or (
        isinstance(value, tuple) and hasattr(value, "_fields")
    )


def members(tree: Any) -> list[Any]:
    """Return the members of a container, in order."""
    return list(tree.values()) if type(tree) in DICTIONARIES else list(tree)


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """Return the leaves of `tree`, from left to right, and its form."""
    if not is_container(tree):
        return [tree], LEAF
    leaves, children = [], []
    for member in members(tree):
        found, spec = flatten(member)
        leaves += found
        children.append(spec)
    keys = list(tree) if type(tree) in DICTIONARIES else None
    return leaves, Spec(type(tree), keys, children)


def unflatten(leaves: Iterable[Any], spec: Spec) -> Any:
    """Return the tree of the form `spec` with these leaves."""
    return _take(iter(leaves), spec)


def _take(leaves: Iterator[Any], spec: Spec) -> Any:
    if spec.kind is None:
        return next(leaves)
    children = [_take(leaves, child) for child in spec.children]
    if spec.keys is not None:
        return spec.kind(zip(spec.keys, children, strict=True))
    return spec.kind(*children) if hasattr(spec.kind, "_fields") else spec.kind(children)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return `tree` with ``function(leaf)`` in the place of each leaf."""
    leaves, spec = flatten(tree)
    return unflatten(map(function, leaves), spec)


def spread(prefix: Any, spec: Spec) -> list[Any] | None:
    """Return a leaf of `prefix` for each leaf of a tree of the form `spec`.

    A leaf of `prefix` may stand for a whole branch. Returns None where the two do not fit.
    """
    if spec.kind is None:
        return None if is_container(prefix) else [prefix]
    if not is_container(prefix):
        return [prefix] * sum(1 for _ in spec.leaves())
    _, form = flatten(prefix)
    if (form.kind, form.keys, len(form.children)) != (spec.kind, spec.keys, len(spec.children)):
        return None
    found = [spread(p, child) for p, child in zip(members(prefix), spec.children, strict=True)]
    return None if None in found else [leaf for branch in found for leaf in branch or ()]
