"""The result of the final exam: layer by layer, in six columns, what runs on the reader's Module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape

from ..display import symbol
from ..numbering import order_of
from ..wording import counted, listing
from .checks import CHECKS, COLUMNS
from .layers import families
from .report import (
    MARKS,
    ExamReport,
    exercise_of_answer,
    worst,
    wrong_card,
    wrong_lines,
)
from .taking import Answer, State

_COLUMN = {check.key: check.column for check in CHECKS}
_CHECK = {check.key: check for check in CHECKS}
NAMED = 3
"""How many layers a title names."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, on some layers or on all.

    Attributes:
        answers: of all questions that it has spoilt.
        waiting: how many layers weren't asked the same, because it didn't end.
    """

    answers: tuple[Answer, ...]
    waiting: int = 0

    @property
    def first(self) -> Answer:
        """Return the answer that stands for all: of the first layer."""
        return self.answers[0]

    @property
    def layers(self) -> tuple[str, ...]:
        """Return the layers that it is on."""
        return tuple(dict.fromkeys(map(layer_of_answer, self.answers)))

    @property
    def title(self) -> str:
        """Return what is wrong and where: "repr: it prints itself in the same words (`Linear` and 160 more)"."""
        names = [f"`{name}`" for name in self.layers[:NAMED]]
        more = len(self.layers) - len(names)
        names += [f"{more} more"] if more else []
        wait = f"; {counted(self.waiting, 'layer')} not asked because of it" if self.waiting else ""
        check = _CHECK[self.first.question.kind]
        return f"{check.column}: {check.title} ({listing(names)}{wait})"


class FinalReport(ExamReport):
    """The answers to the final exam."""

    @cached_property
    def grid(self) -> dict[str, dict[str, State]]:
        """Return for each layer the state of each column that is asked of it."""
        found: dict[str, dict[str, set[State]]] = {}
        for answer in self.taken.answers:
            row = found.setdefault(layer_of_answer(answer), {})
            row.setdefault(_COLUMN[answer.question.kind], set()).add(answer.state)
        return {layer: {c: worst(states) for c, states in row.items()} for layer, row in found.items()}  # fmt: skip

    @property
    def families(self) -> dict[str, tuple[str, ...]]:
        """Return the layers that were asked, family by family."""
        asked = {family: tuple(n for n in names if n in self.grid) for family, names in families().items()}  # fmt: skip
        return {family: names for family, names in asked.items() if names}

    @property
    def faults(self) -> list[Fault]:
        """Return what is wrong, in the order of the exercises that mend it."""
        found: dict[tuple[str, ...], list[Answer]] = {}
        waiting: dict[str, set[str]] = {}
        for answer in self.taken.answers:
            if answer.state == "wrong":
                known = (answer.question.kind, exercise_of_answer(answer), answer.where)
                found.setdefault(known, []).append(answer)
            elif answer.state == "waits" and not answer.said:
                waiting.setdefault(answer.waits_for, set()).add(layer_of_answer(answer))
        faults = [
            Fault(tuple(answers), sum(len(waiting.get(a.question.key, ())) for a in answers))
            for answers in found.values()
        ]
        return sorted(faults, key=lambda fault: order_of(exercise_of_answer(fault.first)))

    @property
    def begin_with(self) -> Answer | None:
        """Return the first answer of the fault to begin with."""
        return self.faults[0].first if self.faults else None

    @property
    def heading(self) -> str:
        """Return one line: how many layers run."""
        if self.taken.unfit:
            return super().heading
        whole, total = self.score
        return f"{whole} of {total} layers run on your Module"

    @property
    def score(self) -> tuple[int, int]:
        """Return how many layers are right in every column, of how many."""
        whole = sum(set(row.values()) == {"right"} for row in self.grid.values())
        return whole, len(self.grid)

    def cell(self, names: tuple[str, ...], column: str) -> tuple[State, str]:
        """Return how some layers stand in a column: their state, and in how many of them it is right."""
        asked = [self.grid[name] for name in names if column in self.grid[name]]
        states: list[State] = [states[column] for states in asked]
        right = states.count("right")
        return worst(states), f"{right} of {len(states)}" if states else ""

    def _lines(self) -> Iterator[str]:
        if not self.grid:
            return
        width = max(map(len, self.families))
        widths = {column: max(len(column), 10) + 2 for column in COLUMNS}
        head = "".join(f"{column:{size}}" for column, size in widths.items())
        yield f"    {'':{width}}  {head}".rstrip()
        for family, names in self.families.items():
            cells = {column: self.cell(names, column) for column in COLUMNS}
            states: list[State] = [state for state, _ in cells.values()]
            mark = MARKS[worst(states)][1]
            counts = "".join(f"{cells[c][1]:{size}}" for c, size in widths.items())
            yield f"  {mark} {family:{width}}  {counts}".rstrip()
        for fault in self.faults:
            yield from wrong_lines(fault.first, fault.title)

    def _inside(self) -> str:
        if not self.grid:
            return ""
        cell = "padding: 0.1em 0.8em 0.1em 0; text-align: left; vertical-align: baseline"
        head = "".join(f'<th style="{cell}">{escape(name)}</th>' for name in ("", *COLUMNS))
        rows = ""
        for family, names in self.families.items():
            cells = ""
            for column in COLUMNS:
                state, count = self.cell(names, column)
                cells += f'<td style="{cell}">{symbol(*MARKS[state])} {count}</td>'
            rows += f'<tr><td style="{cell}">{escape(family)}</td>{cells}</tr>'
        table = f'<table style="border-collapse: collapse"><tr>{head}</tr>{rows}</table>'
        return table + "".join(wrong_card(fault.first, fault.title) for fault in self.faults)


def layer_of_answer(answer: Answer) -> str:
    """Return the layer that was asked."""
    return answer.question.key.partition("/")[0].partition("_")[0]
