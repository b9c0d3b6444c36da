"""A training run in a terminal: the newest numbers of each parameter, and the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbmodule_widgets.facts.words import count, decimal, visible
from nbmodule_widgets.watching.sample import NO_GRADIENT, UNREADABLE

if TYPE_CHECKING:
    from nbmodule_widgets.watching.history import TrainingFacts

_MOST_LINES = 40
_HEADINGS = ("parameter", "‖weight‖", "‖gradient‖", "‖update‖", "update/weight")


def training_text(facts: TrainingFacts) -> str:
    """A table of the newest look, at most 40 parameters, below it what was found.

    Args:
        facts: The run.
    """
    lines = [_headline(facts)]
    if len(facts.steps):
        lines += ["", *_table(facts)]
    if facts.problems:
        lines += ["", *(f"! {problem.kind}: {problem.text}" for problem in facts.problems)]
    return "\n".join([*lines, *facts.notes])


def _headline(facts: TrainingFacts) -> str:
    looks = f"{count(len(facts.steps), 'look')} kept" if len(facts.steps) else "not looked yet"
    newest = (
        f"{visible(name, 40)} {decimal(float(values[-1]))}"
        for name, (_, values) in facts.metrics.items()
        if len(values)
    )
    return " · ".join([f"{count(facts.training_steps, 'training step')}, {looks}", *newest])


def _table(facts: TrainingFacts) -> list[str]:
    columns = (facts.weight_norm, facts.gradient_norm, facts.update_norm, facts.ratio)
    rows: list[tuple[str, ...]] = [_HEADINGS]
    for index, path in enumerate(facts.paths[:_MOST_LINES]):
        rows.append((visible(path, 60), *(_cell(float(table[-1, index])) for table in columns)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    more = len(facts.paths) - _MOST_LINES
    return [*lines, f"… {count(more, 'parameter')} more"] if more > 0 else lines


def _cell(number: float) -> str:
    if number == NO_GRADIENT:
        return "none"
    return "unreadable" if number == UNREADABLE else decimal(number)
