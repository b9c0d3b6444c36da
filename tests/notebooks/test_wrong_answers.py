"""Every exercise meets the answers that readers really give: each wrong one fails with its own diagnosis."""

from __future__ import annotations

import pytest
from course_chapters import course_exercises
from right_answers import RIGHT

from nbmodule_course.check import examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.mine.solutions import solution_of
from nbmodule_course.referee.solutions import build, solution_source
from nbmodule_course.referee.wrong_answers import item_of, source_of, traits
from nbmodule_course.report import mark_of


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
        told = repr(report)
        if report.status != "failed" or answer.says not in told or "<locals>" in told:
            faults.append(f"{answer.name}: {report.status}\n{report!r}")
        twin = known.setdefault(traits(exercise_id, answer.name), answer)
        if twin.says != answer.says:
            faults.append(f"{answer.name} and {twin.name} make the same mistake")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("exercise_id", sorted(RIGHT))
def test_right_answers_in_another_style_pass(exercise_id):
    exercise = find_exercise(exercise_id)
    for cell in RIGHT[exercise_id]:
        report = examine(exercise, (item_of(exercise, cell),))
        assert report.passed, f"{cell}\n{report!r}"


KEPT = [(later, e) for later in course_exercises() for e in find_exercise(later).keeps]


@pytest.mark.parametrize(("exercise_id", "earlier"), KEPT, ids=map(" keeps ".join, KEPT))
def test_a_mistake_of_an_earlier_exercise_comes_first_and_blames_nothing_else(exercise_id, earlier):
    exercise, before = find_exercise(exercise_id), find_exercise(earlier)
    if not before.referee.groups:
        pytest.skip(f"{earlier} has no programs")
    answer = before.referee.wrong[0]
    source = f"{source_of(before, answer)}\n\n{solution_source(exercise_id)}"
    item = build(exercise_id, source)[exercise.takes[0]]
    rows = [(mark_of(*row)[1], row[0]) for row in examine(exercise, (item,)).diagnoses]
    title = f"what {earlier} asked for still holds"
    if set(solution_of(exercise_id).names) & set(solution_of(earlier).names):
        assert rows[0][1].name == exercise.referee.groups[0].name  # it may be its own mistake
        assert title in [row.name for _, row in rows]
        return
    (mark, first), *rest = rows
    assert (mark, first.name, first.likely) == ("✗ failed", title, answer.says)
    own = (*exercise.referee.groups, *exercise.subs)
    assert [row.name for _, row in rest] == [group.name for group in own]
    assert {mark for mark, _ in rest} == {"○ not reached"}
