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
    """

    name: str
    passed: bool
    did: str = ""
    real: str = ""
    likely: str = ""
    said: str = ""
    where: str = ""
    printed: str = ""

    def lines(self) -> list[tuple[str, str]]:
        """Return the parts of the diagnosis that there are, each with its label."""
        parts = [
            ("you did", self.did),
            ("the real one", self.real),
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

        One mistake fails many sub-checks; saying the same of each would be a wall that nobody reads.
        """
        said: set[tuple[str, str]] = set()
        for result in self.results:
            diagnosis = [] if result.passed else result.lines()
            fresh = [line for line in diagnosis if line not in said]
            said.update(diagnosis)
            yield (
                result,
                fresh
                or ([("diagnosis", "the same as above; fix that first")] if diagnosis else []),
            )

    def to_text(self) -> str:
        """Return the report as text."""
        lines = [f"{self.tone[1]} {self.heading}"]
        for result, diagnosis in self.diagnoses:
            lines.append(f"  {'✓ passed' if result.passed else '✗ failed'}  {result.name}")
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


def _row(result: SubResult, diagnosis: Diagnosis) -> str:
    mark = symbol("good", "✓ passed") if result.passed else symbol("bad", "✗ failed")
    parts = [f'<div style="margin-top: 0.25em">{mark} {inline(result.name)}</div>']
    for label, text in diagnosis:
        quiet = f'<span style="opacity: 0.75">{label}:</span>'
        parts.append(f'<div style="margin-left: 1.6em">{quiet} {inline(text)}</div>')
    if result.printed:
        parts.append('<div style="margin-left: 1.6em; opacity: 0.75">your code printed:</div>')
        parts.append(
            f'<div style="margin-left: 1.6em">{preformatted(escape(result.printed))}</div>'
        )
    return "".join(parts)
