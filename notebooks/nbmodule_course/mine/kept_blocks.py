"""What `my_module.py` or `my_tape.py` defines, and in which lines: it is only read here."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from ..numbering import CHAPTER
from .cells import Kind, end_of_block, owner_of, qualified, span
from .solutions import beside_module

MARK = re.compile(rf"^\s*# exercise ({CHAPTER}\.\d+)\s*$")


@dataclass(frozen=True)
class Block:
    """A definition and its lines, counted from 1; comments above it belong to it.

    A method of a layer of the reader's own is called "MyLinear.forward".
    """

    name: str
    kind: Kind
    exercise_id: str
    first: int
    last: int
    depth: int

    @property
    def owner(self) -> str:
        """Return the layer that a method belongs to; '' for class Module and for what is no method."""
        return owner_of(self.name)


def blocks(text: str) -> list[Block]:
    """Return what the file defines, in its order.

    Raises:
        SyntaxError: it is no Python.
    """
    return list(_blocks(text, frozenset(beside_module().classes)))


@lru_cache(maxsize=16)
def _blocks(text: str, alone: frozenset[str]) -> tuple[Block, ...]:
    tree, lines = tree_of(text), text.split("\n")
    found: list[Block] = []
    before = 0
    layers = [id(node) for node in _layer_classes(text, alone)]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and (node.name == "Module" or id(node) in layers):
            found += _in_class(node, lines)
        else:
            found += _block(node, lines, before, None, in_class=False)
        before = node.end_lineno or node.lineno
    return tuple(found)


def source_of(block: Block, lines: list[str]) -> str:
    """Return the text of a definition, as `inspect.getsource` gives it: without the comments above."""
    own = lines[block.first - 1 : block.last]
    while own and (own[0].lstrip().startswith("#") or not own[0].strip()):
        own = own[1:]
    return "\n".join(own).rstrip() + "\n" if own else ""


@lru_cache(maxsize=4)
def tree_of(text: str) -> ast.Module:
    """Return the file as Python reads it, which nobody may change: to put one answer in asks for it ten times.

    Few are kept: what looks for garbage walks through each of them.

    Raises:
        SyntaxError: it is no Python.
    """
    with _nothing_collected():
        return ast.parse(text)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Keep Python from looking for garbage among ten thousand new nodes, again and again: most of the time went there."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def layer_classes(text: str) -> list[ast.ClassDef]:
    """Return the classes of the reader's own: they stand on Module or on each other, or hold answers of exercises.

    Those that stand on nothing, such as `Tensor`, are known by their names too.

    A class that came along with an answer has the mark of its exercise above it, and is none of these.
    """
    return list(_layer_classes(text, frozenset(beside_module().classes)))


@lru_cache(maxsize=4)
def _layer_classes(text: str, alone: frozenset[str]) -> tuple[ast.ClassDef, ...]:
    lines, before = text.split("\n"), 0
    known: set[str] = {"Module"}
    found: list[ast.ClassDef] = []
    for node in tree_of(text).body:
        if isinstance(node, ast.ClassDef) and node.name != "Module":
            first, last = span(node, lines, before)
            marked = any(MARK.match(line) for line in lines[first - 1 : node.lineno])
            inside = any(MARK.match(line) for line in lines[node.lineno : last])
            stands = any(ast.unparse(base) in known for base in node.bases) or node.name in alone
            if inside or (stands and not marked):
                known.add(node.name)
                found.append(node)
        before = node.end_lineno or node.lineno
    return tuple(found)


def _in_class(node: ast.ClassDef, lines: list[str]) -> list[Block]:
    found: list[Block] = []
    before = node.lineno
    for position, inner in enumerate(node.body):
        end = end_of_block(node, lines) if position == len(node.body) - 1 else None
        owner = "" if node.name == "Module" else node.name
        found += _block(inner, lines, before, end, in_class=True, owner=owner)
        before = inner.end_lineno or inner.lineno
    return found


def _block(
    node: ast.stmt, lines: list[str], before: int, end: int | None, in_class: bool, owner: str = ""
) -> list[Block]:
    name, kind = _name_and_kind(node, in_class)
    if not name:
        return []
    first, last = span(node, lines, before, end)
    marks = [found[1] for line in lines[first - 1 : node.lineno] if (found := MARK.match(line))]
    exercise_id = marks[-1] if marks else ""
    return [Block(qualified(owner, name), kind, exercise_id, first, last, node.col_offset)]


def _name_and_kind(node: ast.stmt, in_class: bool) -> tuple[str, Kind]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return node.names[0].asname or node.names[0].name.partition(".")[0], "import"
    kind: Kind = "method" if in_class else "helper"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name, kind
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return (target.id, kind) if isinstance(target, ast.Name) else ("", kind)


def classes(text: str, owner: str = "") -> list[ast.ClassDef]:
    """Return every class `Module` of the file, or every one of that name; the last one is the reader's."""
    body, name = tree_of(text).body, owner or "Module"
    return [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
