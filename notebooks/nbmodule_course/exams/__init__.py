"""The first exam: the protocol that nbmodule's Module and PyTorch's keep, asked of the reader's class alone."""

from __future__ import annotations

from pathlib import Path

from ..mine import kept_file
from ..safely import replace_file
from .page import page_of
from .report import ExamReport
from .taking import take

PAGE = "exam_1.html"

__all__ = ["PAGE", "ExamReport", "exam"]


def exam(file: str | Path | None = None) -> ExamReport:
    """Ask your class Module what every Module must know, and write a page to keep beside your file.

    Args:
        file: the file with the class; None means your `my_module.py`.
    """
    place = kept_file.place() if file is None else Path(file).expanduser().absolute()
    report = ExamReport(take(place))
    if report.taken.unfit:
        return report
    page = place.with_name(PAGE)
    try:
        replace_file(page, page_of(report))
    except OSError as error:
        return ExamReport(report.taken, problem=f"{PAGE} can't be written: {error.strerror}.")
    return ExamReport(report.taken, page)
