"""Runs a piece of code and writes down what a reader would have seen."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from .wording import without_addresses

SNIPPET = "<snippet>"
"""The file name that the lines of `run_snippet` have."""
MOST_PRINTED = 1 << 20


class _Paper(io.StringIO):
    """Keeps the first million characters: a loop that prints must not fill the memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, MOST_PRINTED - self.tell())])
        return len(text)


@contextlib.contextmanager
def captured() -> Iterator[io.StringIO]:
    """Collect what is printed (and warned) instead of showing it."""
    seen = _Paper()
    with contextlib.redirect_stdout(seen), contextlib.redirect_stderr(seen):
        yield seen


@dataclass(frozen=True)
class Outcome:
    """What a snippet did.

    Attributes:
        printed: everything it printed, without the last line break.
        value: the last expression as `repr` and as `str`, or () when there was none.
        error: the name of the exception's class, or ''.
        message: the exception's message.
    """

    printed: str = ""
    value: tuple[str, ...] = ()
    error: str = ""
    message: str = ""

    @property
    def error_text(self) -> str:
        """Return "TypeError: the message", or '' when nothing was raised."""
        return f"{self.error}: {self.message}" if self.message else self.error

    def to_text(self) -> str:
        """Return the output as a notebook would show it."""
        parts = (self.printed, self.value[0] if self.value else "", self.error_text)
        return "\n".join(part for part in parts if part)

    def readings(self) -> set[str]:
        """Return every text that names this outcome truly."""
        texts = {self.to_text()}
        if self.error:
            texts |= {self.error, self.error_text}
        elif self.value and not self.printed:
            texts |= set(self.value)
        return texts


def run_snippet(
    code: str, namespace: dict[str, Any], told: Callable[[BaseException], None] | None = None
) -> Outcome:
    """Run `code` in `namespace`, which it changes; exceptions become part of the outcome.

    Args:
        code: the lines.
        namespace: what they know.
        told: is given an exception that they raise.
    """
    value: tuple[str, ...] = ()
    error = message = ""
    with captured() as seen:
        try:
            value = _run(code, namespace)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            error, message = type(problem).__name__, without_addresses(_message(problem))
            if told is not None:
                told(problem)
    return Outcome(tidy(seen.getvalue()), value, error, message)


def _message(problem: BaseException) -> str:
    """Return what an exception says; of one that can't say it, which exception it raises instead."""
    try:
        return str(problem)
    except Exception as error:
        return f"its message can't be shown, because its `__str__` raises {type(error).__name__}"


def tidy(text: str) -> str:
    """Strip what the eye does not see: spaces at line ends, empty lines around, addresses."""
    lines = without_addresses(text).rstrip().split("\n")
    return "\n".join(line.rstrip() for line in lines).lstrip("\n")


def compile_with_source(code: str | ast.AST, source: str, name: str, mode: str) -> Any:
    """Compile `code` so that tracebacks and `inspect.getsource` find `source` under `name`."""
    remember_source(source, name)
    return compile(code, name, mode, dont_inherit=True)  # type: ignore[call-overload]


def remember_source(source: str, name: str) -> None:
    """Let tracebacks and `inspect.getsource` find `source` under `name`."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


def _run(code: str, namespace: dict[str, Any]) -> tuple[str, ...]:
    """Run all statements; give the last one's value when it is an expression."""
    statements, last = _compiled(code)
    remember_source(code, SNIPPET)
    exec(statements, namespace)
    if last is None:
        return ()
    value = eval(last, namespace)
    return () if value is None else (tidy(repr(value)), tidy(str(value)))


@functools.lru_cache(64)
def _compiled(code: str) -> tuple[CodeType, CodeType | None]:
    """Return all statements but a last one that is an expression, and that one."""
    tree, last = ast.parse(code, SNIPPET), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    compiled = compile_with_source(tree, code, SNIPPET, "exec")
    return compiled, compile_with_source(last, code, SNIPPET, "eval") if last else None
