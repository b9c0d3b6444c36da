"""The exams: what nbmodule's Module and PyTorch's do, asked of the reader's class alone.

questions   what a question is
suite       those of the first exam: objects, trees, states
room        the process in which it is taken, and taking watches it
checks      the lines that the final exam runs on every layer
layers      which layers there are; module_rows: what they are made with, and called with
rebuilt     the layers on the reader's class, and final_room is their process
final       takes the final exam
report      what came out: of the first exam, and final_report of the final one
page        the page to keep, and final_page
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..mine import kept_file
from ..safely import replace_file
from .page import page_of
from .questions import FIRST
from .report import ExamReport
from .suite import questions
from .taking import take

Report = TypeVar("Report", bound=ExamReport)

__all__ = ["ExamReport", "exam"]


def exam(file: str | Path | None = None, *, final: bool = False) -> ExamReport:
    """Ask your class Module what every Module must know, and write a page to keep beside your file.

    Args:
        file: the file with the class; None means your `my_module.py`.
        final: take the final exam instead of the first: rebuild all layers on your class, and ask each of them.
    """
    place = kept_file.place() if file is None else Path(file).expanduser().absolute()
    if final:
        from . import final_page  # the table of all modules is read only where it is used
        from .final import take_final
        from .final_report import FinalReport

        return _with_page(FinalReport(take_final(place)), final_page.page_of)
    return _with_page(ExamReport(take(FIRST, place, questions())), page_of)


def _with_page(report: Report, page_of: Callable[[Report], str]) -> Report:
    """Write the page to keep, unless there was nothing to ask, and return the report that names it."""
    taken = report.taken
    if taken.unfit:
        return report
    page = taken.file.with_name(taken.exam.page)
    try:
        replace_file(page, page_of(report))
    except OSError as error:
        return replace(report, problem=f"{page.name} can't be written: {error.strerror}.")
    return replace(report, page=page)
