"""`my_module.py` or `my_tape.py` as text: how a definition goes in or out. Nothing else of it is touched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ..numbering import order_of
from .cells import Definition, end_of_block, moved, named_at_once, span
from .kept_blocks import MARK, Block, blocks, classes, layer_classes, tree_of
from .kept_file import NAME, TAPE
from .solutions import bases_of

NEW = '''"""My own Module, exercise by exercise, from the nbmodule course.

Each exercise that I solve puts its code here, and the next chapter builds on it. This file is mine to edit.
"""


class Module:
    """An object that keeps books."""
'''
NEW_TAPE = '''"""My own Tensor and its tape, exercise by exercise, from the nbmodule course.

It stands beside my_module.py, and stands alone. This file is mine to edit.
"""
'''
_NEW = {NAME: NEW, TAPE: NEW_TAPE}


class NotAlone(ValueError):
    """A class in the file has another parent than it should; nothing can be put into it."""


def add(text: str, exercise_id: str, definitions: Iterable[Definition], name: str = NAME) -> str:
    """Put definitions into the file, each in the place of the one that it replaces, or in the order of the course.

    Args:
        text: the file; '' for a new one.
        exercise_id: what they are the answer to. What it gave before and does not define any more goes.
        definitions: none that a later exercise has replaced; see `later_ones`.
        name: which file it is: `my_module.py`, which has a class Module, or `my_tape.py`.

    Raises:
        SyntaxError: the file is no Python, or would not be any afterwards.
        NotAlone: the class in it has a parent.
    """
    text, definitions = text or _NEW[name], list(definitions)
    if name == NAME:
        text = _with_class(text)
    for header in definitions:
        if header.kind == "class":
            wanted = tuple(base for base in bases_of(header) if base != "object")
            text = _with_class(text, header.name, wanted)
    names = {(i.kind == "method", i.name) for i in definitions if i.kind != "class"}
    gone = [
        block
        for block in blocks(text)
        if block.exercise_id == exercise_id and (block.kind == "method", block.name) not in names
    ]
    for block in reversed(gone):
        text = _cut(text, block)
    text = _with_body(text, {block.owner for block in gone})
    for item in definitions:
        text = _put(text, exercise_id, item, definitions)
    tree_of(text)
    return text


def remove(text: str, wanted: Iterable[Block]) -> str:
    """Take definitions out of the file."""
    wanted = sorted(wanted, key=lambda block: -block.first)
    for block in wanted:
        text = _cut(text, block)
    text = _with_body(text, {block.owner for block in wanted if block.kind == "method"})
    tree_of(text)
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
        kept = [line for line in lines[block.first - 1 : block.last] if not MARK.match(line)]
        yield block.name, "\n".join(kept)


def _put(text: str, exercise_id: str, item: Definition, others: Iterable[Definition]) -> str:
    """Put one definition in; a class is put in with the first of its methods."""
    if item.kind == "class":
        first = next((other for other in others if other.owner == item.name), None)
        there = any(node.name == item.name for node in layer_classes(text))
        return text if there or first is None else _with_layer(text, exercise_id, item, first)
    found = [b for b in blocks(text) if b.name == item.name and _same_place(b, item)]
    if item.kind == "import":
        return text if found else _with_import(text, item.text)
    margin = _margin(text, item.owner) if item.kind == "method" else ""
    written = [f"# exercise {exercise_id}", *item.text.split("\n")]
    new = moved("\n".join(written), len(margin), margin).split("\n")
    lines = text.split("\n")
    below = _classes_end(text, item)
    if found and found[-1].first < below:  # it names a class at once now, so it moves below it
        text, found = _cut(text, found[-1]), []
        lines, below = text.split("\n"), _classes_end(text, item)
    if found:  # in the place of the one before, so that `__init__` stays at the top
        lines[found[-1].first - 1 : found[-1].last] = new
        return "\n".join(lines)
    at = max(_place(text, exercise_id, item), below)
    return _inserted(lines, at, new, item.kind == "method")


def _inserted(lines: list[str], at: int, new: list[str], in_class: bool) -> str:
    """Return the lines with new ones after the first `at`, and as many blank lines around them as are usual."""
    gap = [""] if in_class else ["", ""]
    above = [] if at == 0 or not lines[at - 1].strip() else gap
    rest = lines[at:]
    while rest and not rest[0].strip():
        rest = rest[1:]
    below = _gap_below(rest)
    return "\n".join([*lines[:at], *above, *new, *below, *rest])


def _classes_end(text: str, item: Definition) -> int:
    """Return the last line of the classes that a definition names as soon as it is read, as in `def f(m: Module)`."""
    if item.kind == "method":
        return 0
    said, lines = named_at_once(item.text), text.split("\n")
    nodes = [node for node in _own_classes(text) if node.name in said]
    return max((end_of_block(node, lines) for node in nodes), default=0)


def _with_layer(text: str, exercise_id: str, header: Definition, first: Definition) -> str:
    """Put the beginning of a class in: below Module, behind the classes of earlier exercises."""
    lines, nodes = text.split("\n"), _own_classes(text)
    at = _above(nodes[0], lines) if nodes else len(text.rstrip().split("\n"))
    for node in nodes:
        marks = [b.exercise_id for b in blocks(text) if b.exercise_id and b.owner == node.name]
        if not marks or order_of(marks[0]) <= order_of(exercise_id) or node.name == "Module":
            at = end_of_block(node, lines)
    gap = [""] if '"""' in header.text or "'" in header.text else []
    body = moved(f"# exercise {exercise_id}\n{first.text}", 4)
    return _inserted(lines, at, [*header.text.split("\n"), *gap, *body.split("\n")], False)


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
    found = (block for block in blocks(text) if _same_place(block, item) and block.exercise_id)
    here = [block for block in found if block.owner == item.owner]
    earlier = [b for b in here if order_of(b.exercise_id) <= order_of(exercise_id)]
    lines = text.split("\n")
    if earlier:
        return earlier[-1].last
    if here:
        return _without_blank_lines(lines, here[0].first - 1)
    if item.kind == "method":
        return end_of_block(_class_of(text, item.owner), lines)
    nodes = _own_classes(text)
    return _above(nodes[0], lines) if nodes else len(text.rstrip().split("\n"))


def _above(node: ast.ClassDef, lines: list[str]) -> int:
    """Return after how many lines something comes that stands above a class and its comments."""
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


def _class_of(text: str, owner: str = "") -> ast.ClassDef:
    return next(reversed(classes(text, owner)))


def _own_classes(text: str) -> list[ast.ClassDef]:
    """Return class Module, where there is one, and the other classes of the reader's own."""
    return [*classes(text)[-1:], *layer_classes(text)]


def _with_class(text: str, owner: str = "", wanted: tuple[str, ...] = ()) -> str:
    """Return the file with an empty class Module at its end where it has none; a layer is left to `_with_layer`.

    Args:
        text: the file.
        owner: another class than Module.
        wanted: what that class stands on in the reader's cell.

    Raises:
        NotAlone: the class has another parent than it should.
    """
    try:
        node = _class_of(text, owner)
    except StopIteration:
        return text if owner else text.rstrip("\n") + "\n" + NEW[NEW.index("\n\nclass Module") :]
    bases = [ast.unparse(base) for base in node.bases]
    stands = {"Module", *(layer.name for layer in layer_classes(text))} if wanted else set()
    right = bases in ([], ["object"]) if not wanted else set(bases) <= stands and bases
    if node.keywords or not (right or (owner and tuple(bases) == wanted)):
        parents = ", ".join(f"`{base}`" for base in bases) or "nothing"
        line = f"class {owner or 'Module'}{f'({wanted[0]})' if wanted else ''}:"
        raise NotAlone(
            f"the class `{node.name}` in it inherits from {parents}. Write `{line}` there"
        )
    if node.body[0].lineno != node.lineno:
        return text
    lines = text.split("\n")  # its body is on its own line, as in `class Module: pass`
    body = [ast.unparse(inner) for inner in node.body]
    end = node.end_lineno or node.lineno
    head = (
        f"class {owner}({', '.join(bases)}):" if owner and bases else f"class {owner or 'Module'}:"
    )
    lines[node.lineno - 1 : end] = [head, *(moved(part, 4) for part in body)]
    return "\n".join(lines)


def _with_body(text: str, owners: set[str]) -> str:
    """Give Module an empty body where it has lost its last line, and take away layers that have lost their last."""
    try:
        tree_of(text)
    except SyntaxError:
        text = _EMPTY.sub(r'\1\n    """An object that keeps books."""', text)
    for owner in sorted(owners - {""}):
        for node in classes(text, owner)[-1:]:
            if all(isinstance(part, ast.Expr | ast.Pass) for part in node.body):
                lines = text.split("\n")
                before = max(
                    (n.end_lineno or 0 for n in tree_of(text).body if n.lineno < node.lineno),
                    default=0,
                )
                first, last = span(node, lines, before)
                text = _cut(text, Block(owner, "class", "", first, last, 0))
    return text


_EMPTY = re.compile(
    r"^(class \w+\b[^\n]*:)[ ]*(?:#[^\n]*)?$(?!\n(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]+[^\s#])",
    re.MULTILINE,
)
"""The first line of a class that has lost its body."""


def _margin(text: str, owner: str = "") -> str:
    """Return what the methods of the class are indented with: spaces or tabs."""
    node = _class_of(text, owner).body[0]
    return text.split("\n")[node.lineno - 1][: node.col_offset]


def _with_import(text: str, line: str) -> str:
    tree, lines = tree_of(text), text.split("\n")
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
