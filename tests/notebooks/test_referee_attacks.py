"""Classes of wrong answers that once got through or got an untrue reason, each with the exercise where it was found."""

from __future__ import annotations

import warnings

import pytest

from nbmodule_course import check
from nbmodule_course.replay import Session

CHAPTER_01 = """
from nbmodule_course import carried
mine = carried(chapter="01")
Module = mine.so_far
"""


def report_on(exercise_id, takes, *cells):
    with Session() as session, warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell in cells:
            error = session.run(cell)
            assert error is None, error
        return check(exercise_id, session.names[takes])


def said(report):
    return [(result.did, result.likely) for result in report.results if not result.passed]


@pytest.mark.parametrize(
    ("count", "likely"),
    [
        ("def count(module):\n    yield 15", "`yield` makes a generator"),
        ("async def count(module):\n    return 15", "`async def` gives a coroutine"),
    ],
)
def test_an_answer_that_has_not_run_is_named(count, likely):
    report = report_on("00.1", "count", count)
    assert report.status == "failed"
    assert likely in repr(report)
    assert "RuntimeWarning" not in repr(report)


def test_numbers_of_a_parameter_may_not_be_changed():
    answer = (
        "def count(module):\n    for p in module.parameters():\n        p.data.zero_()\n"
        "    return sum(p.numel() for p in module.parameters())"
    )
    assert "changes its arguments" in said(report_on("00.1", "count", answer))[0][0]


def test_an_ordinary_object_may_not_be_changed_either():
    answer = (
        "def found_in(thing, name):\n    vars(thing)['asked'] = name\n    if name in vars(thing):\n"
        "        return 'the object'\n"
        "    return next((c.__name__ for c in type(thing).__mro__ if name in vars(c)), None)"
    )
    assert "changes its arguments" in said(report_on("00b.5", "found_in", answer))[0][0]


def test_a_lambda_is_an_answer():
    report = report_on(
        "00.1",
        "count",
        "from nbmodule_course import carried\nmine = carried(chapter='00')",
        "count = mine.extend(lambda module: 15)",
    )
    assert report.status == "failed"


def test_another_method_than_the_one_that_is_asked_for_is_work():
    cell = (
        "@mine.extend\nclass Module:\n    def __init__(self):\n        ...\n\n"
        "    def __new__(cls):\n        return object.__new__(cls)\n"
    )
    assert report_on("01.1", "Module", CHAPTER_01, cell).status == "failed"


def test_a_body_left_empty_is_not_told_that_it_prints():
    cell = "class Scale:\n    def __init__(self, factor):\n        self.factor = factor\n\n    def apply(self, x):\n        ...\n"
    report = report_on("00b.1", "Scale", cell)
    assert report.status == "failed"
    assert "print" not in repr(report)


def test_two_underscores_are_not_called_a_missing_self():
    names = "self.training, self.__parameters, self.__buffers, self.__modules = True, {}, {}, {}"
    cell = f"@mine.extend\nclass Module:\n    def __init__(self):\n        {names}\n"
    assert "two underscores" in repr(report_on("01.1", "Module", CHAPTER_01, cell))
