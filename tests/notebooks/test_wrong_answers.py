"""Every exercise meets the answers that readers really give: each wrong one fails with its own diagnosis."""

from __future__ import annotations

import pytest
from course_chapters import course_exercises
from right_answers import RIGHT

from nbmodule_course.check import examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.referee.wrong_answers import item_of, source_of, traits


@pytest.mark.parametrize("exercise_id", course_exercises())
def test_each_named_wrong_answer_is_refused_with_its_own_sentence(exercise_id):
    exercise = find_exercise(exercise_id)
    answers = exercise.referee.wrong
    assert len(answers) >= 3
    assert len({answer.name for answer in answers}) == len(answers)
    faults, known = [], {}
    for answer in answers:
        item = item_of(exercise, source_of(exercise, answer))
        report = examine(exercise, (item,))
        if report.status != "failed" or answer.says not in repr(report):
            faults.append(f"{answer.name}: {report.status}\n{report!r}")
        twin = known.setdefault(traits(exercise, item), answer)
        if twin.says != answer.says:
            faults.append(f"{answer.name} and {twin.name} make the same mistake")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("exercise_id", sorted(RIGHT))
def test_right_answers_in_another_style_pass(exercise_id):
    exercise = find_exercise(exercise_id)
    for cell in RIGHT[exercise_id]:
        report = examine(exercise, (item_of(exercise, cell),))
        assert report.passed, f"{cell}\n{report!r}"
