"""Every exercise meets the answers that readers really give: each must fail, with its own words."""

from __future__ import annotations

import pytest
from course_chapters import ROOT, Rehearsal, course_exercises, load
from wrong_answer import WrongAnswer

FOLDER = ROOT / "tests" / "notebooks" / "wrong_answers"
WRONG: dict[str, list[WrongAnswer]] = {}
for file in sorted(FOLDER.glob("ch[0-9][0-9]*.py")):
    WRONG |= load(file).WRONG


def test_wrong_answers_belong_to_exercises():
    assert set(WRONG) == set(course_exercises())


@pytest.mark.parametrize("exercise_id", course_exercises())
def test_there_are_three_to_six_wrong_answers_with_words_of_their_own(exercise_id):
    answers = WRONG.get(exercise_id, [])
    assert 3 <= len(answers) <= 12
    for field in ("name", "source", "expect"):
        values = [getattr(answer, field) for answer in answers]
        assert len(set(values)) == len(values), f"two wrong answers share their {field}"


@pytest.mark.parametrize("exercise_id", sorted(WRONG))
def test_each_wrong_answer_fails_with_its_own_message(exercise_id):
    answers = WRONG[exercise_id]
    with Rehearsal(exercise_id) as stage:
        texts = [stage.report_on(answer.source) for answer in answers]
    faults = []
    for answer, report in zip(answers, texts, strict=True):
        said = repr(report)
        if report.status != "failed":
            faults.append(f"{answer.name}: {report.status}")
        elif answer.expect not in said:
            faults.append(f"{answer.name}: {answer.expect!r} is not in\n{said}")
    assert not faults, "\n".join(faults)
    diagnoses = [repr([r.lines() for r in report.results if not r.passed]) for report in texts]
    assert len(set(diagnoses)) == len(diagnoses), "two wrong answers get the same report"
