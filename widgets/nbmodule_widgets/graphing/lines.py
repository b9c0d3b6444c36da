"""Which line of the reader's code runs, or raised: what Python's own `traceback` says of it."""

from __future__ import annotations

import ast
import linecache
import os.path
import sys
import traceback
from collections.abc import Iterator
from functools import lru_cache
from traceback import FrameSummary

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.records import SourceLine
from nbmodule_widgets.protocol import attempt, own_dict

LIBRARIES = ("torch", "nbmodule", "nbmodule_widgets", "numpy")
_CALLS = os.path.join(
    "torch", "nn", "modules", "module.py"
)  # where a call of a Module goes through
_SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")


class Lines:
    """The lines of the reader's code that a pass came to.

    Args:
        base: The file of the code that started the pass; what lies below it is no part of the pass.

    Attributes:
        lines: The lines, each once.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self.lines: list[SourceLine] = []
        self._entries: dict[tuple[str, int, str], FrameSummary] = {}
        self._numbers: dict[tuple[str, int | None], int] = {}
        files = [own_dict(sys.modules.get(name)).get("__file__") for name in LIBRARIES]
        homes = [os.path.dirname(file) + os.sep for file in files if type(file) is str]
        self._none_of_the_reader_s = (*homes, traceback.__file__, "<frozen", "<eval_with_key>")

    def now(self) -> int:
        """The index among `lines` of the innermost line of the reader's that is running; -1 if there is none."""
        return next(map(self.index, self._running()), -1)

    def inside_a_layer(self) -> bool:
        """Whether the innermost line of the reader's has called a Module, in which a library's code runs now."""
        for frame, _ in traceback.walk_stack(None):
            file = frame.f_code.co_filename
            if file == self._base or not file.startswith(self._none_of_the_reader_s):
                return False
            if file.endswith(_CALLS):
                return True
        return False

    def gradients_are_off(self) -> bool:
        """Whether the reader's own code says that nothing is recorded where it is now, by `no_grad()` or a relative."""
        return any(
            first <= (entry.lineno or 0) <= last
            for entry in self._running()
            for first, last in _switched_off(entry.filename)
        )

    def of_error(self, error: BaseException) -> list[tuple[int, FrameSummary]]:
        """The entries of the traceback that are the reader's with their places, the innermost first."""
        entries = attempt(traceback.extract_tb, error.__traceback__).value or []
        return [pair for pair in reversed([*enumerate(entries)]) if self._is_reader_s(pair[1])]

    def raised(self, error: BaseException) -> bool:
        """Whether the reader's own code raised an exception, and not what it called."""
        entries = attempt(traceback.extract_tb, error.__traceback__, -1).value
        return bool(entries) and self._is_reader_s(entries[0])

    def index(self, entry: FrameSummary) -> int:
        """The index of an entry's line among `lines`."""
        key = entry.filename, entry.lineno
        if key not in self._numbers:
            text = visible((entry.line or "").strip(), 200)
            function = {"<module>": "", "<lambda>": "lambda"}.get(
                entry.name, visible(entry.name, 60)
            )
            file = short_file(entry.filename)
            self._numbers[key] = len(self.lines)
            self.lines.append(SourceLine(file, entry.lineno or 0, text, function))
        return self._numbers[key]

    def _running(self) -> Iterator[FrameSummary]:
        """The entries of the stack that are the reader's and belong to the pass, the innermost first."""
        for frame, line in traceback.walk_stack(None):
            code = frame.f_code
            file = code.co_filename
            if file == self._base:
                return
            if not file.startswith(self._none_of_the_reader_s):
                yield self._entry(file, line, code.co_name)

    def _entry(self, file: str, line: int, function: str) -> FrameSummary:
        """What `traceback` makes of it, once for each place."""
        key = file, line, function
        if key not in self._entries:
            self._entries[key] = FrameSummary(file, line, function, lookup_line=False)
        return self._entries[key]

    def _is_reader_s(self, entry: FrameSummary) -> bool:
        return not entry.filename.startswith(self._none_of_the_reader_s)


def expression_of(entry: FrameSummary) -> ast.expr | None:
    """The expression that was being computed, from the columns that Python keeps for each instruction."""
    first, last, start, end = entry.lineno, entry.end_lineno, entry.colno, entry.end_colno
    if first is None or last is None or start is None or end is None:
        return None
    lines = [linecache.getline(entry.filename, n) for n in range(first, last + 1)]
    raw = [line.encode() for line in lines]
    raw[-1] = raw[-1][:end]
    raw[0] = raw[0][start:]
    return attempt(lambda: ast.parse(f"({b''.join(raw).decode()})", mode="eval").body).value


@lru_cache(maxsize=64)
def _switched_off(file: str) -> tuple[tuple[int, int], ...]:
    """The first and last lines of the stretches of a file in which its author says that nothing is to be recorded."""
    tree = attempt(lambda: ast.parse("".join(linecache.getlines(file)))).value
    found: list[tuple[int, int]] = []
    for node in ast.walk(tree) if tree is not None else ():
        last = getattr(node, "end_lineno", None) or 1_000_000
        if isinstance(node, ast.With | ast.AsyncWith):
            said = [item.context_expr for item in node.items]
        else:
            said = getattr(node, "decorator_list", [])
        if any(map(_names_a_switch, said)):
            found.append((node.lineno, last))  # type: ignore[attr-defined]
        body = getattr(node, "body", ())
        found += [  # `set_grad_enabled(False)` as a line by itself holds until its block ends, or longer
            (line.lineno, last)
            for line in (body if isinstance(body, list) else ())
            if isinstance(line, ast.Expr) and _names_a_switch(line.value)
        ]
    return tuple(found)


def _names_a_switch(expression: ast.expr) -> bool:
    names = (getattr(n, "attr", None) or getattr(n, "id", None) for n in ast.walk(expression))
    return any(name in _SWITCHES for name in names)


def short_file(path: str) -> str:
    """The name of a file without its folders, which differ from machine to machine; `"<cell>"` for a notebook's."""
    if "ipykernel" in path or path.startswith("<ipython"):
        return "<cell>"
    return visible(os.path.basename(path), 60)
