"""Lines of code as uses of the reader's class: compiled once, and shown with what the names mean that exist only in checks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from ..exercise import attempt
from ..referee.solutions import ANSWERS

Value = Callable[[str, Any], Any]
"""What a text is worth, given the reader's class or function."""


def vocabulary(meaning: Mapping[str, str], value_of: Value) -> Callable[..., dict[str, Callable[[Any], Any]]]:  # fmt: skip
    """Return `uses(*texts)`: for each text a use of what the reader wrote, under the text as a report shows it.

    Args:
        meaning: names that exist only in checks, and what to say about them.
        value_of: what a text is worth.
    """

    def uses(*texts: str) -> dict[str, Callable[[Any], Any]]:
        """Return a use for each text: statements and, behind the last "; ", an expression."""
        return {shown(text): lambda given, text=text: value_of(text, given) for text in texts}

    def shown(text: str) -> str:
        said = [meaning[name] for name in read_in(text) if name in meaning]
        return f"{text}  # {'; '.join(said)}" if said else text

    return uses


@lru_cache(maxsize=8192)
def compiled(text: str) -> tuple[CodeType, CodeType]:
    """Return the statements of a text and its last expression: they run many times."""
    *before, last = text.split("; ")
    return compile("\n".join(before), "<use>", "exec"), compile(last, "<use>", "eval")


def read_in(text: str) -> list[str]:
    """Return the names that a text reads and does not make itself, in their order."""
    names = [node for node in ast.walk(ast.parse(text.replace("; ", "\n"))) if isinstance(node, ast.Name)]  # fmt: skip
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    made = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    return list(dict.fromkeys(node.id for node in names if node.id not in made))


_READERS = ("__main__", "my_module", "my_tape", ANSWERS)


def tried(call: Callable[[], Any]) -> str:
    """Name the error that a call raises, or "NoneType". A class of the reader's counts as the one that it stands on."""
    kinds = type(attempt(call).error).__mro__
    return next(kind.__name__ for kind in kinds if kind.__module__ not in _READERS)


def used_in(code: CodeType) -> set[str]:
    """Return the names that code uses, in its functions too."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(used_in, inner))
