"""Reads the definitions in a cell: each with its own text and the comments above it, by the positions of `ast`."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Literal

from ..markers import without_markers

Kind = Literal["method", "class", "function", "helper", "import"]
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Definition:
    """A definition in a cell or in `my_module.py`.

    Attributes:
        name: what it defines; a method of a layer of the reader's own is called "MyLinear.forward".
        kind: "method": in a class; "class": the first lines of a layer's class; "function": an exercise; "helper":
            stands beside them; "import".
        text: its own text, beginning at the first column.
    """

    name: str
    kind: Kind
    text: str

    @property
    def uses(self) -> set[str]:
        """Return the names that it takes from outside: neither its own nor Python's."""
        return set(_uses(self.kind, self.text)) - {self.name}

    @property
    def owner(self) -> str:
        """Return the layer that a method belongs to; '' for class Module and for what is no method."""
        return owner_of(self.name)


@dataclass(frozen=True)
class CellText:
    """What a cell defines.

    Attributes:
        methods: of the classes below `@mine.extend`.
        functions: those below `@mine.extend`.
        helpers: everything else that stands at the first column and has a name, imports too.
        layers: the first lines of the classes of the reader's own below `@mine.extend`.
    """

    methods: tuple[Definition, ...] = ()
    functions: tuple[Definition, ...] = ()
    helpers: tuple[Definition, ...] = ()
    layers: tuple[Definition, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the methods, then of the functions."""
        return tuple(item.name for item in (*self.methods, *self.functions))

    def needed(self) -> tuple[Definition, ...]:
        """Return the helpers that the methods and functions use, directly or through each other, in their order."""
        return self.needed_by((*self.methods, *self.functions))

    def needed_by(self, definitions: Iterable[Definition]) -> tuple[Definition, ...]:
        """Return the helpers that these definitions use, directly or through each other, in their order."""
        wanted: set[str] = set().union(*(item.uses for item in definitions))
        while True:
            found = [item for item in self.helpers if item.name in wanted]
            more = wanted.union(*(item.uses for item in found))
            if more == wanted:
                return tuple(found)
            wanted = more


def read_cell(source: str) -> CellText:
    """Return what the cell `source` defines; the markers of a solution are left out.

    Raises:
        SyntaxError: it is no Python.
    """
    source = without_markers(source)
    tree, lines = ast.parse(source), source.split("\n")
    methods: list[Definition] = []
    functions: list[Definition] = []
    helpers: list[Definition] = []
    layers: list[Definition] = []
    before = 0
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _extends(node):
            owner = "" if node.name == "Module" else node.name
            methods += methods_of(node, source, owner)
            if owner:
                layers.append(Definition(owner, "class", _header(node, lines, before)))
        elif isinstance(node, ast.FunctionDef) and _extends(node):
            text = _without_extend(node, _text(node, lines, before))
            functions.append(Definition(node.name, "function", text))
        else:
            helpers += [Definition(n, k, t) for n, k, t in _plain(node, lines, before)]
        before = node.end_lineno or node.lineno
    return CellText(tuple(methods), tuple(functions), tuple(helpers), tuple(layers))


def owner_of(name: str) -> str:
    """Return the layer that a method belongs to: "MyLinear" of "MyLinear.forward"; '' for a method of Module."""
    return name.rpartition(".")[0]


def qualified(owner: str, name: str) -> str:
    """Return "MyLinear.forward", or "forward" for class Module, whose name is ''."""
    return f"{owner}.{name}" if owner else name


def methods_of(node: ast.ClassDef, source: str, owner: str = "") -> list[Definition]:
    """Return what the body of a class defines, in its order; the last of a name counts."""
    lines = source.split("\n")
    found: dict[str, Definition] = {}
    before = node.lineno
    for position, inner in enumerate(node.body):
        last = position == len(node.body) - 1
        end = end_of_block(node, lines) if last else None
        for name, kind, text in _plain(inner, lines, before, end):
            if kind == "import":
                continue
            found.pop(name, None)
            found[name] = Definition(qualified(owner, name), "method", text)
        before = inner.end_lineno or inner.lineno
    return list(found.values())


@lru_cache(maxsize=1024)
def _uses(kind: Kind, text: str) -> frozenset[str]:
    if kind == "import":
        return frozenset()
    if kind == "class":
        text += "\n    ..."
    return frozenset(free_names(f"class _:\n{moved(text, 4)}" if kind == "method" else text))


def free_names(source: str | CodeType) -> set[str]:
    """Return the names that code looks up outside of its functions and does not define itself."""
    found: set[str] = set()
    given: set[str] = set(dir(builtins)) | {"__class__", "__name__", "__file__", "__doc__"}
    given |= {"__module__", "__qualname__", "__annotations__"}
    if isinstance(source, str):
        source = compile(source, "<names>", "exec", dont_inherit=True)
    todo = [source]
    while todo:
        code = todo.pop()
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                found.add(step.argval)
            elif step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                given.add(step.argval)
    return found - given


def named_at_once(source: str) -> set[str]:
    """Return the names that a definition looks up as soon as it is read: in bases, annotations and default values."""
    todo, found = [compile(source, "<names>", "exec", dont_inherit=True)], set()
    while todo:
        code = todo.pop()
        found.update(code.co_names)
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        todo += [each for each in inner if not each.co_flags & inspect.CO_OPTIMIZED]
    return found


def _extends(node: ast.ClassDef | ast.FunctionDef) -> bool:
    return any(_is_extend(decorator) for decorator in node.decorator_list)


def _is_extend(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "extend"


def _without_extend(node: ast.FunctionDef, text: str) -> str:
    """Leave the line of the decorator out."""
    marks = {ast.unparse(d) for d in node.decorator_list if _is_extend(d)}
    return "\n".join(line for line in text.split("\n") if line.strip().lstrip("@") not in marks)


def _header(node: ast.ClassDef, lines: list[str], before: int) -> str:
    """Return the first lines of a class: the comments above it, its bases, and its docstring."""
    first, _ = span(node, lines, before)
    start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    said = lines[first - 1 : start - 1]
    said += [f"@{ast.unparse(d)}" for d in node.decorator_list if not _is_extend(d)]
    bases = [ast.unparse(base) for base in node.bases]
    bases += [f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords]
    said.append(f"class {node.name}({', '.join(bases)}):" if bases else f"class {node.name}:")
    doc = node.body[0]
    if ast.get_docstring(node) is not None:
        said.append(moved(_text(doc, lines, doc.lineno - 1), 4))
    return "\n".join(said)


def _plain(
    node: ast.stmt, lines: list[str], before: int, end: int | None = None
) -> list[tuple[str, Kind, str]]:
    """Return name, kind and text of what a statement defines; nothing for one that only does something."""
    text = _text(node, lines, before, end)
    if isinstance(node, _DEFINES):
        return [(node.name, "helper", text)]
    if isinstance(node, ast.Import | ast.ImportFrom):
        bound = [(alias.asname or alias.name.partition(".")[0], alias) for alias in node.names]
        return [(name, "import", _single_import(node, alias)) for name, alias in bound]
    if isinstance(node, ast.Assign):
        targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return [(name, "helper", text) for name in targets[:1]]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, "helper", text)]
    return []


def _single_import(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import([alias]))
    return ast.unparse(ast.ImportFrom(node.module, [alias], node.level))


def span(node: ast.stmt, lines: list[str], before: int, end: int | None = None) -> tuple[int, int]:
    """Return the first and the last line of a statement with the comments above it.

    Args:
        node: the statement.
        lines: those of the whole source.
        before: the last line of what stands above it.
        end: the last line, where comments below it belong to it too.
    """
    start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    first = start
    while first - 1 > before and _is_quiet(lines[first - 2]):
        first -= 1
    while first < start and not lines[first - 1].strip():
        first += 1
    return first, end or node.end_lineno or node.lineno


def _text(node: ast.stmt, lines: list[str], before: int, end: int | None = None) -> str:
    """Return the lines of a statement with the comments above it, moved to the first column."""
    first, last = span(node, lines, before, end)
    if lines[node.lineno - 1][: node.col_offset].strip():  # behind a colon or a semicolon
        return ast.unparse(node)
    return moved("\n".join(lines[first - 1 : last]), -node.col_offset).rstrip()


def _is_quiet(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def end_of_block(node: ast.ClassDef, lines: list[str]) -> int:
    """Return the last line of a class, comments at its end included."""
    end = last = node.end_lineno or node.lineno
    for number in range(end + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        if not (line.startswith((" ", "\t")) and _is_quiet(line)):
            break
        last = number
    return last


def moved(text: str, columns: int, margin: str = "") -> str:
    """Move lines to the right or to the left, but not those that begin inside of a text with several lines.

    Args:
        text: the lines.
        columns: how far to the right; less than 0 is to the left.
        margin: what to put before each line instead of spaces, such as a tab.
    """
    lines = text.split("\n")
    fixed = _lines_inside_texts(text if columns > 0 else f"if 1:\n{text}", columns <= 0)
    for number, line in enumerate(lines, 1):
        if number in fixed or not line.strip():
            continue
        if columns > 0:
            lines[number - 1] = (margin or " " * columns) + line
        else:
            depth = min(-columns, len(line) - len(line.lstrip()))
            lines[number - 1] = line[depth:]
    return "\n".join(lines)


def _lines_inside_texts(source: str, shifted: bool) -> set[int]:
    """Return the lines, counted from 1, that begin inside of a text; a docstring moves with its function."""
    found: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            is_text = token.type == tokenize.STRING and token.end[0] > token.start[0]
            if is_text and token.line[: token.start[1]].strip():
                found.update(range(token.start[0] + 1, token.end[0] + 1))
    except (tokenize.TokenError, IndentationError):
        return set()
    return {number - 1 for number in found} if shifted else found
