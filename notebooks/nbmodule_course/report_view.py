"""The live form of a check: results that unfold, and buttons for the next hint, the solution, and another check."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.views.live import LiveView, refresh_views

from . import progress_file
from .again import Subject
from .capture import captured
from .check import check, next_step
from .exercise import HINTS, find_exercise
from .highlight import tokens
from .hints import Solution, hint, solution
from .page_scripts import page_script
from .report import CheckReport, behind, mark_of
from .wording import UsageError, listing


class ReportView(LiveView):
    """One report of `check`. Its buttons do what `check`, `hint` and `solution` do, and no more.

    Args:
        report: what `check` answered.
        subject: what it looked at.
    """

    _esm = page_script("report", "code")

    report = traitlets.Dict().tag(sync=True)

    def __init__(self, report: CheckReport, subject: Subject) -> None:
        self._report, self._subject = report, subject
        self._exercise = find_exercise(report.exercise_id)
        self._hints: tuple[str, ...] = ()
        self._solution: Solution | None = None
        self._answers = 0  # so that the page sees an answer that changes nothing
        self._said = ""
        super().__init__(report=self._packed())

    @property
    def facts(self) -> CheckReport:
        """The last report."""
        return self._report

    def refresh(self) -> None:
        """See which hints are open, and whether what was checked has been written anew."""
        self.report = self._packed()

    def to_html(self) -> str:
        """Return the report as static HTML."""
        return self._report.to_html()

    def __str__(self) -> str:
        return self._report.to_text()

    def handle(self, message: dict[str, Any]) -> None:
        """Do what a button says; whatever comes of it is an answer."""
        act = {"again": self._check, "hint": self._open_hint, "solution": self._solve}
        self._said = ""
        try:
            with captured() as printed:  # there is no cell below which it could be shown
                act[message["kind"]]()
            self._said = " ".join(part for part in (self._said, printed.getvalue().strip()) if part)
        finally:
            self._answers += 1
            self.report = self._packed()
        refresh_views(but=self)  # the map of progress is one of them

    def _check(self) -> None:
        subject = self._subject.again()
        try:
            self._report = check(self._exercise, *subject.objects)
        except UsageError as error:
            self._said = str(error)
            return
        self._subject = subject
        self._said = f"Checked again: {self._report.verdict}."

    def _open_hint(self) -> None:
        self._hints = hint(self._exercise).opened

    def _solve(self) -> None:
        found = solution(self._exercise)
        self._solution = found if found.source else None
        self._said = "" if found.source else found.note

    def _packed(self) -> dict[str, Any]:
        """The report as one trait."""
        report, name = self._report, self._exercise.id
        opened = max(len(self._hints), progress_file.hints_opened(name))
        shown = self._solution
        return {
            "name": name,
            "status": report.status,
            "heading": f"{report.exercise_id} {report.title}",
            "verdict": f"{report.tone[1]} {report.verdict}",
            "rows": [
                [*mark_of(result, told), behind(result, told), told, result.printed]
                for result, told in report.diagnoses
            ],
            "landed": report.landing.to_text() if report.landing else "",
            "file": report.landing.file if report.landing and not report.landing.problem else "",
            "next": next_step(self._exercise, report.status),
            "changed": self._news(),
            "hints": list(self._exercise.hints[:opened]),
            "all": HINTS,
            "solution": [shown.note, tokens(shown.source.rstrip())] if shown else None,
            "answers": self._answers,
            "said": self._said,
        }

    def _news(self) -> str:
        """Say what was written anew since a check that did not pass: chapters go on with what did."""
        changed = () if self._report.passed else self._subject.changed
        if not changed:
            return ""
        names = listing(f"`{name}`" for name in changed)
        return f"{names} {'has' if len(changed) == 1 else 'have'} changed since this check."


def live_bundle(report: CheckReport, subject: Subject) -> dict[str, Any]:
    """Return the MIME bundle of a fresh live report."""
    return ReportView(report, subject)._repr_mimebundle_()[0]
