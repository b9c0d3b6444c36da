"""What `check` answers: a result for every sub-check, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from .again import Subject
from .display import Displayed, card, inline, paragraph, preformatted, symbol
from .mine.landing import Landing
from .wording import counted, indented

Status = Literal["passed", "failed", "not started"]


Diagnosis = list[tuple[str, str]]
"""Labeled lines: what happened, what the real one does, the likely mistake."""


@dataclass(frozen=True)
class SubResult:
    """What one sub-check found.

    Attributes:
        name: what was looked at.
        passed: whether it is right.
        did: what the reader's code did.
        real: what the real one does.
        likely: the usual mistake.
        said: the exception that the reader's code raised, as "KeyError: 'w'".
        where: the reader's own line that raised it.
        printed: what the reader's code printed meanwhile.
        model: who does it right: PyTorch has no `count`, so there is no real one.
    """

    name: str
    passed: bool
    did: str = ""
    real: str = ""
    likely: str = ""
    said: str = ""
    where: str = ""
    printed: str = ""
    model: str = "the real one"

    def lines(self) -> list[tuple[str, str]]:
        """Return the parts of the diagnosis that there are, each with its label."""
        parts = [
            ("you did", self.did),
            (self.model, self.real),
            ("your code raised", self.said),
            ("in your line", self.where),
            ("likely mistake", self.likely),
        ]
        return [(label, text) for label, text in parts if text]


@dataclass(frozen=True, repr=False)
class CheckReport(Displayed):
    """The answer of `check`.

    Attributes:
        exercise_id: such as "02.3".
        title: the title of the exercise.
        status: "passed", "failed" or "not started".
        results: one `SubResult` for each sub-check, in order.
        next_step: what to do now.
        subject: what was looked at, which the live form can look at again.
        landing: what became of it in `my_module.py`.
    """

    exercise_id: str
    title: str
    status: Status
    results: tuple[SubResult, ...]
    next_step: str
    subject: Subject | None = field(default=None, compare=False)
    landing: Landing | None = None

    @property
    def passed(self) -> bool:
        """Tell whether every sub-check passed."""
        return self.status == "passed"

    @property
    def heading(self) -> str:
        """Return one line: which exercise, and how it stands."""
        return f"{self.exercise_id} {self.title}: {self.verdict}"

    @property
    def verdict(self) -> str:
        """Return in words how it stands."""
        if self.status == "not started":
            return "not started"
        right, total = sum(result.passed for result in self.results), len(self.results)
        if self.passed:
            return f"solved, {counted(total, 'check')} passed"
        return f"not yet, {right} of {counted(total, 'check')} passed"

    @property
    def tone(self) -> tuple[str, str]:
        """Return the colour and the mark that stand for the status."""
        return {
            "passed": ("good", "✓"),
            "failed": ("bad", "✗"),
            "not started": ("open", "○"),
        }[self.status]

    @property
    def diagnoses(self) -> Iterator[tuple[SubResult, Diagnosis]]:
        """Yield each result with its diagnosis, without what an earlier one has said already.

        One mistake fails many sub-checks; saying the same of each would be a wall that nobody reads. A result
        that failed and has nothing left to say met the mistake of an earlier one: see `mark_of`. So did one whose
        cause has been named.
        """
        said: set[tuple[str, str]] = set()
        for result in self.results:
            diagnosis = [] if result.passed else result.lines()
            if result.likely and ("likely mistake", result.likely) in said:
                diagnosis = []
            fresh = [line for line in diagnosis if line not in said]
            if ("you did", result.did) in fresh:  # half of a comparison says nothing
                fresh = [line for line in diagnosis if line not in said or line[0] == result.model]
            elif result.did:
                fresh = [line for line in fresh if line[0] != result.model]
            said.update(diagnosis)
            yield result, fresh

    def to_text(self) -> str:
        """Return the report as text."""
        lines = [f"{self.tone[1]} {self.heading}"]
        for result, diagnosis in self.diagnoses:
            lines.append(f"  {mark_of(result, diagnosis)[1]}  {behind(result, diagnosis)}")
            lines += [indented(f"{label}: {text}", 6) for label, text in diagnosis]
            if result.printed:
                lines.append(indented("your code printed:", 6))
                lines.append(indented(result.printed, 8))
        landed = [self.landing.to_text()] if self.landing else []
        return "\n".join([*lines, *landed, self.next_step])

    def to_html(self) -> str:
        """Return the report as static HTML."""
        heading = f"{symbol(*self.tone)} {inline(self.heading)}"
        rows = "".join(_row(result, diagnosis) for result, diagnosis in self.diagnoses)
        table = f'<div style="margin: 0.3em 0">{rows}</div>' if rows else ""
        landed = self.landing.to_html() if self.landing else ""
        return card(self.tone[0], heading, table, landed, paragraph(self.next_step))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return the live report where there is something to check again, and always its two static forms."""
        html = f'<div class="nbmodule-static">{self.to_html()}</div>'  # see exporting.py
        static = {"text/plain": self.to_text(), "text/html": html}
        if self.subject is None:
            return static
        try:
            from .report_view import live_bundle
        except ImportError:  # the views are not installed
            return static
        return {**live_bundle(self, self.subject), **static}


def mark_of(result: SubResult, diagnosis: Diagnosis) -> tuple[str, str]:
    """Return the colour and the mark of a row. Only a mistake of its own makes it red."""
    if result.passed:
        return "good", "✓ passed"
    met = not diagnosis and bool(result.lines())
    return ("open", "○ not reached") if met else ("bad", "✗ failed")


def behind(result: SubResult, diagnosis: Diagnosis) -> str:
    """Return the name of a row, and why nothing can be said about it yet."""
    if mark_of(result, diagnosis)[0] != "open":
        return result.name
    return f"{result.name} (the mistake above comes first)"


def _row(result: SubResult, diagnosis: Diagnosis) -> str:
    mark, name = symbol(*mark_of(result, diagnosis)), inline(behind(result, diagnosis))
    parts = [f'<div style="margin-top: 0.25em">{mark} {name}</div>']
    for label, text in diagnosis:
        quiet = f'<span style="opacity: 0.75">{label}:</span>'
        parts.append(f'<div style="margin-left: 1.6em">{quiet} {inline(text)}</div>')
    if result.printed:
        parts.append('<div style="margin-left: 1.6em; opacity: 0.75">your code printed:</div>')
        parts.append(
            f'<div style="margin-left: 1.6em">{preformatted(escape(result.printed))}</div>'
        )
    return "".join(parts)
