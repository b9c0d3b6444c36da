"""`show_source`: the library's own lines in the notebook, so that a chapter cannot drift from them."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any

from .display import Displayed, card
from .highlight import highlighted
from .wording import UsageError


@dataclass(frozen=True, repr=False)
class SourceView(Displayed):
    """Some lines of a file.

    Attributes:
        file: the file's name from its package on, such as "nbmodule/nn/modules/module.py".
        name: what the lines belong to, such as "Module.__setattr__".
        lines: the lines, without common indentation.
    """

    file: str
    name: str
    lines: str

    def to_text(self) -> str:
        """Return the file's name and the lines."""
        return f"# {self.file}: {self.name}\n{self.lines}"

    def to_html(self) -> str:
        """Return the lines, coloured."""
        return card("info", escape(f"{self.file} · {self.name}"), highlighted(self.lines))


def show_source(
    obj: Any,
    start: int | None = None,
    end: int | None = None,
    *,
    first: str | None = None,
    last: str | None = None,
) -> SourceView:
    """Show the source of a class, method, function or module.

    Args:
        obj: for example `nn.Module.__setattr__`.
        start: first line to show, counted from 1 at the line of `def` or `class`.
        end: last line to show.
        first: show from the first line that holds this text.
        last: show to the first line after it that holds this text.

    Raises:
        UsageError: the object has no Python source, or a marker is not in it.
    """
    obj = _unwrapped(obj)
    try:
        file, lines = _source_of(obj)
    except (TypeError, OSError) as error:
        raise UsageError(
            f"There is no Python source to show for {_name_of(obj)}: {error}"
        ) from None
    begin, stop = _range(lines, start, end, first, last)
    chosen = dedent("\n".join(lines[begin:stop]))
    return SourceView(_from_its_package(obj, file), _name_of(obj), chosen)


def _range(
    lines: list[str], start: int | None, end: int | None, first: str | None, last: str | None
) -> tuple[int, int]:
    """Return the half-open range of lines, counted from 0."""
    begin = (start or 1) - 1 if first is None else _find(lines, first, 0)
    stop = (end or len(lines)) if last is None else _find(lines, last, begin) + 1
    if not 0 <= begin < stop <= len(lines):
        raise UsageError(
            f"Lines {begin + 1} to {stop} were asked for; there are lines 1 to {len(lines)}."
        )
    return begin, stop


def _find(lines: list[str], marker: str, begin: int) -> int:
    for number, line in enumerate(lines[begin:], begin):
        if marker in line:
            return number
    raise UsageError(f"No line holds {marker!r}.")


def _unwrapped(obj: Any) -> Any:
    """Look through property, classmethod, staticmethod and decorators."""
    obj = obj.fget if isinstance(obj, property) else obj
    return inspect.unwrap(obj) if callable(obj) else obj


def _name_of(obj: Any) -> str:
    return getattr(obj, "__qualname__", None) or getattr(obj, "__name__", type(obj).__name__)


def _source_of(obj: Any) -> tuple[str, list[str]]:
    """Return the file and the lines of `obj`.

    A class may say that it lives in another module, where pickle is to find it. Then its methods know the file.
    """
    for method in map(_unwrapped, vars(obj).values() if isinstance(obj, type) else ()):
        code = getattr(method, "__code__", None)
        if code is not None and code.co_qualname.startswith(f"{obj.__name__}."):
            lines = linecache.getlines(code.co_filename)
            for node in ast.walk(ast.parse("".join(lines))):
                if isinstance(node, ast.ClassDef) and node.name == obj.__name__:
                    first = min(n.lineno for n in (node, *node.decorator_list))
                    return code.co_filename, [
                        line.rstrip("\n") for line in lines[first - 1 : node.end_lineno]
                    ]
    return inspect.getsourcefile(obj) or "", inspect.getsource(obj).rstrip("\n").split("\n")


def _from_its_package(obj: Any, file: str) -> str:
    """Return the path of `file` from its top package on, no folder of this computer; or whose solution it is."""
    if file.startswith("<our solution of "):
        return file.strip("<>")
    module = inspect.getmodule(obj)
    if module is None or module.__name__ == "__main__":
        return "your notebook"
    package = Path(getattr(sys.modules[module.__name__.partition(".")[0]], "__file__", None) or "")
    above = package.parents[1] if package.name == "__init__.py" else package.parent
    path = Path(file)
    return path.relative_to(above).as_posix() if path.is_relative_to(above) else path.name
