"""The course: exercises that explain what went wrong, predictions that run, and your progress.

A chapter imports just what it uses:

    from nbmodule_course import Predict, check, hint, show_source
"""

from .check import check
from .data import FashionData, fashion
from .doctor import doctor
from .exams import exam
from .exercise import Exercise, Wrong, attempt, expect
from .hints import hint, solution
from .mine import carried
from .predict import Predict
from .progress import progress
from .referee import with_torch
from .report import CheckReport, SubResult
from .second_device import second_device
from .source import show_source
from .wording import UsageError, shown

__all__ = [
    "CheckReport",
    "Exercise",
    "FashionData",
    "Predict",
    "SubResult",
    "UsageError",
    "Wrong",
    "attempt",
    "carried",
    "check",
    "doctor",
    "exam",
    "expect",
    "fashion",
    "hint",
    "progress",
    "second_device",
    "show_source",
    "shown",
    "solution",
    "with_torch",
]
