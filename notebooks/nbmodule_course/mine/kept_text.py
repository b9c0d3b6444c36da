"""`my_module.py` as text: what stands where, and how a definition goes in or out. Nothing else of it is touched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..numbering import CHAPTER, order_of
from .cells import Definition, Kind, end_of_block, moved, span

_MARK = re.compile(rf"^\s*# exercise ({CHAPTER}\.\d+)\s*$")

NEW = '''"""My own Module, exercise by exercise, from the nbmodule course.

Each exercise that I solve puts its code here, and the next chapter builds on it. This file is mine to edit.
"""


class Module:
    """An object that keeps books."""
'''


class NotAlone(ValueError):
    """The class in the file is not a class of its own; nothing can be put into it."""


@dataclass(frozen=True)
class Block:
    """A definition and its lines, counted from 1; comments above it belong to it."""

    name: str
    kind: Kind
    exercise_id: str
    first: int
    last: int
    depth: int


def blocks(text: str) -> list[Block]:
    """Return what the file defines, in its order.

    Raises:
        SyntaxError: it is no Python.
    """
    tree, lines = ast.parse(text), text.split("\n")
    found: list[Block] = []
    before = 0
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Module":
            found += _in_class(node, lines)
        else:
            found += _block(node, lines, before, None, in_class=False)
        before = node.end_lineno or node.lineno
    return found


def add(text: str, exercise_id: str, definitions: Iterable[Definition]) -> str:
    """Put definitions into the file, each in the place of the one that it replaces, or in the order of the course.

    Args:
        text: the file; '' for a new one.
        exercise_id: what they are the answer to. What it gave before and does not define any more goes.
        definitions: none that a later exercise has replaced; see `later_ones`.

    Raises:
        SyntaxError: the file is no Python, or would not be any afterwards.
        NotAlone: the class in it has a parent.
    """
    text, definitions = text or NEW, list(definitions)
    text = _with_class(text)
    names = {(item.kind == "method", item.name) for item in definitions}
    gone = [
        block
        for block in blocks(text)
        if block.exercise_id == exercise_id and (block.kind == "method", block.name) not in names
    ]
    for block in reversed(gone):
        text = _cut(text, block)
    text = _with_body(text)
    for item in definitions:
        text = _put(text, exercise_id, item)
    ast.parse(text)
    return text


def remove(text: str, wanted: Iterable[Block]) -> str:
    """Take definitions out of the file."""
    for block in sorted(wanted, key=lambda block: -block.first):
        text = _cut(text, block)
    text = _with_body(text)
    ast.parse(text)
    return text


def later_ones(text: str, exercise_id: str, definitions: Iterable[Definition]) -> dict[str, str]:
    """Return those names that the file has from a later exercise already, each with that exercise."""
    there = {(b.kind == "method", b.name): b.exercise_id for b in blocks(text) if b.exercise_id}
    found = {item.name: there.get((item.kind == "method", item.name), "") for item in definitions}
    return {n: e for n, e in found.items() if e and order_of(e) > order_of(exercise_id)}


def lost(before: str, after: str) -> list[str]:
    """Return what the file had before that is not in it now word for word."""
    now = {text for _, text in _texts(after)}
    return [name for name, text in _texts(before) if text not in now]


def _texts(text: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    for block in blocks(text):
        kept = [line for line in lines[block.first - 1 : block.last] if not _MARK.match(line)]
        yield block.name, "\n".join(kept)


def _in_class(node: ast.ClassDef, lines: list[str]) -> list[Block]:
    found: list[Block] = []
    before = node.lineno
    for position, inner in enumerate(node.body):
        end = end_of_block(node, lines) if position == len(node.body) - 1 else None
        found += _block(inner, lines, before, end, in_class=True)
        before = inner.end_lineno or inner.lineno
    return found


def _block(
    node: ast.stmt, lines: list[str], before: int, end: int | None, in_class: bool
) -> list[Block]:
    name, kind = _name_and_kind(node, in_class)
    if not name:
        return []
    first, last = span(node, lines, before, end)
    marks = [found[1] for line in lines[first - 1 : node.lineno] if (found := _MARK.match(line))]
    return [Block(name, kind, marks[-1] if marks else "", first, last, node.col_offset)]


def _name_and_kind(node: ast.stmt, in_class: bool) -> tuple[str, Kind]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return node.names[0].asname or node.names[0].name.partition(".")[0], "import"
    kind: Kind = "method" if in_class else "helper"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name, kind
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return (target.id, kind) if isinstance(target, ast.Name) else ("", kind)


def _put(text: str, exercise_id: str, item: Definition) -> str:
    """Put one definition in."""
    found = [b for b in blocks(text) if b.name == item.name and _same_place(b, item)]
    if item.kind == "import":
        return text if found else _with_import(text, item.text)
    margin = _margin(text) if item.kind == "method" else ""
    written = [f"# exercise {exercise_id}", *item.text.split("\n")]
    new = moved("\n".join(written), len(margin), margin).split("\n")
    lines = text.split("\n")
    if found:  # in the place of the one before, so that `__init__` stays at the top
        lines[found[-1].first - 1 : found[-1].last] = new
        return "\n".join(lines)
    at = _place(text, exercise_id, item)
    gap = [""] if item.kind == "method" else ["", ""]
    above = [] if at == 0 or not lines[at - 1].strip() else gap
    rest = lines[at:]
    while rest and not rest[0].strip():
        rest = rest[1:]
    below = _gap_below(rest)
    return "\n".join([*lines[:at], *above, *new, *below, *rest])


def _same_place(block: Block, item: Definition) -> bool:
    if item.kind == "import":
        return block.kind != "method"
    return (block.kind == "method") == (item.kind == "method")


def _gap_below(rest: list[str]) -> list[str]:
    if not rest:
        return [""]
    return ["", ""] if not rest[0].startswith((" ", "\t")) else [""]


def _place(text: str, exercise_id: str, item: Definition) -> int:
    """Return after how many lines a new definition comes: behind the last one of an earlier exercise."""
    here = [b for b in blocks(text) if _same_place(b, item) and b.exercise_id]
    earlier = [b for b in here if order_of(b.exercise_id) <= order_of(exercise_id)]
    lines = text.split("\n")
    if earlier:
        return earlier[-1].last
    if here:
        return _without_blank_lines(lines, here[0].first - 1)
    node = _class_of(text)
    if item.kind == "method":
        return end_of_block(node, lines)
    start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    while start > 1 and lines[start - 2].startswith("#"):
        start -= 1
    return _without_blank_lines(lines, start - 1)


def _without_blank_lines(lines: list[str], at: int) -> int:
    while at > 0 and not lines[at - 1].strip():
        at -= 1
    return at


def _cut(text: str, block: Block) -> str:
    lines = text.split("\n")
    first = _without_blank_lines(lines, block.first - 1)
    rest = lines[block.last :]
    while rest and not rest[0].strip():
        rest = rest[1:]
    gap = _gap_below(rest) if block.kind == "method" or not rest else ["", ""]
    return "\n".join([*lines[:first], *gap, *rest])


def classes(text: str) -> list[ast.ClassDef]:
    """Return every class `Module` of the file; the last one is the reader's."""
    body = ast.parse(text).body
    return [node for node in body if isinstance(node, ast.ClassDef) and node.name == "Module"]


def _class_of(text: str) -> ast.ClassDef:
    return next(reversed(classes(text)))


def _with_class(text: str) -> str:
    """Return the file with an empty class at its end where it has none."""
    try:
        node = _class_of(text)
    except StopIteration:
        return text.rstrip("\n") + "\n" + NEW[NEW.index("\n\nclass Module") :]
    if [ast.unparse(base) for base in node.bases] not in ([], ["object"]) or node.keywords:
        bases = ", ".join(f"`{ast.unparse(base)}`" for base in node.bases) or "something"
        raise NotAlone(f"the class `Module` in it inherits from {bases}")
    if node.body[0].lineno != node.lineno:
        return text
    lines = text.split("\n")  # its body is on its own line, as in `class Module: pass`
    body = [ast.unparse(inner) for inner in node.body]
    end = node.end_lineno or node.lineno
    lines[node.lineno - 1 : end] = ["class Module:", *(moved(part, 4) for part in body)]
    return "\n".join(lines)


def _with_body(text: str) -> str:
    """Give a class that has lost its last line an empty body."""
    try:
        ast.parse(text)
    except SyntaxError:
        return re.sub(r"^(class Module\b[^\n]*:)[ ]*$", r'\1\n    """An object that keeps books."""', text, flags=re.M)  # fmt: skip
    return text


def _margin(text: str) -> str:
    """Return what the methods of the class are indented with: spaces or tabs."""
    node = _class_of(text).body[0]
    return text.split("\n")[node.lineno - 1][: node.col_offset]


def _with_import(text: str, line: str) -> str:
    tree, lines = ast.parse(text), text.split("\n")
    imports = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    if imports:
        at = imports[-1].end_lineno or imports[-1].lineno
        return "\n".join([*lines[:at], line, *lines[at:]])
    first = tree.body[0] if tree.body else None
    opening = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = (first.end_lineno or 0) if opening and first is not None else 0
    rest = lines[at:]
    while rest and not rest[0].strip():
        rest = rest[1:]
    above = [""] if at else []
    return "\n".join([*lines[:at], *above, line, "", "", *rest])
