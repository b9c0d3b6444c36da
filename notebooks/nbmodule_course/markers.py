"""nbgrader's markers around a solution, and what remains when it is taken out: `...`, or a broken program to mend.

    ### BEGIN SOLUTION
    total += loss.item()
    ### INSTEAD
    # total += loss
    ### END SOLUTION

What stands after INSTEAD is commented out, so that the solved edition runs.
"""

from __future__ import annotations

BEGIN = "### BEGIN SOLUTION"
INSTEAD = "### INSTEAD"
END = "### END SOLUTION"


class MarkerError(ValueError):
    """The markers of a cell do not pair up."""


def stub_of(source: str) -> str:
    """Replace each marked solution by `...`, indented as its marker is; or by the comments after `### INSTEAD`, as code.

    Where the line before already ends in `...` at the same depth (`answer = ...`), nothing is left.

    Raises:
        MarkerError: a marker without its partner.
    """
    kept: list[str] = []
    broken: list[str] | None = None
    inside = False
    for line in source.split("\n"):
        word = line.strip()
        if word == BEGIN:
            if inside:
                raise MarkerError("a solution begins inside a solution")
            inside, broken = True, None
        elif word == INSTEAD:
            if not inside or broken is not None:
                raise MarkerError("what stands instead of a solution comes once, at its end")
            broken = []
        elif word == END:
            if not inside:
                raise MarkerError("a solution ends that has not begun")
            inside = False
            kept += _left(kept, _depth(line)) if broken is None else broken
        elif not inside:
            kept.append(line)
        elif broken is not None:
            broken.append(line.replace("# ", "", 1))
    if inside:
        raise MarkerError("a solution has no end")
    return "\n".join(kept)


def without_markers(source: str) -> str:
    """Return the solved cell as a reader would have written it."""
    kept, instead = [], False
    for line in source.split("\n"):
        word = line.strip()
        instead = word == INSTEAD or (instead and word != END)
        if not instead and word not in (BEGIN, END):
            kept.append(line)
    return "\n".join(kept)


def has_solution(source: str) -> bool:
    """Tell whether there is a marker in `source`."""
    return any(line.strip() in (BEGIN, END) for line in source.split("\n"))


def _left(lines: list[str], depth: int) -> list[str]:
    """Return what is left in the place of a solution, below `lines`."""
    return [] if _placeholder_before(lines, depth) else [" " * depth + "..."]


def _placeholder_before(lines: list[str], depth: int) -> bool:
    return bool(lines) and _depth(lines[-1]) == depth and lines[-1].rstrip().endswith("= ...")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
