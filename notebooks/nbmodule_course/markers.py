"""nbgrader's markers around a solution, and what remains when it is taken out."""

from __future__ import annotations

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"


class MarkerError(ValueError):
    """The markers of a cell do not pair up."""


def stub_of(source: str) -> str:
    """Replace each marked solution by `...`, indented as its marker is.

    Where the line before already ends in `...` at the same depth (`answer = ...`), nothing is left.

    Raises:
        MarkerError: a marker without its partner.
    """
    kept: list[str] = []
    inside = False
    for line in source.split("\n"):
        word = line.strip()
        if word == BEGIN:
            if inside:
                raise MarkerError("a solution begins inside a solution")
            inside = True
            if not _placeholder_before(kept, _depth(line)):
                kept.append(" " * _depth(line) + "...")
        elif word == END:
            if not inside:
                raise MarkerError("a solution ends that has not begun")
            inside = False
        elif not inside:
            kept.append(line)
    if inside:
        raise MarkerError("a solution has no end")
    return "\n".join(kept)


def without_markers(source: str) -> str:
    """Return the solved cell as a reader would have written it."""
    return "\n".join(line for line in source.split("\n") if line.strip() not in (BEGIN, END))


def has_solution(source: str) -> bool:
    """Tell whether there is a marker in `source`."""
    return any(line.strip() in (BEGIN, END) for line in source.split("\n"))


def _placeholder_before(lines: list[str], depth: int) -> bool:
    return bool(lines) and _depth(lines[-1]) == depth and lines[-1].rstrip().endswith("= ...")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
