"""Every exercise meets the answers that readers really give: each wrong one fails with its own diagnosis."""

from __future__ import annotations

import functools
import importlib
import itertools
import types
from contextlib import suppress

import pytest
from course_chapters import course_exercises
from right_answers import RIGHT

import nbmodule
from nbmodule_course.check import examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.mine.solutions import solution_of
from nbmodule_course.referee import wrong_answers
from nbmodule_course.referee.solutions import build, solution_class, solution_source
from nbmodule_course.referee.verdict import findings_of_earlier
from nbmodule_course.referee.wrong_answers import item_of, same_mistake, source_of
from nbmodule_course.report import mark_of


@pytest.fixture
def followed_once(monkeypatch):
    """An answer is built once, and followed once through the programs; the first one as a reader's, who builds anew."""
    for name in ("Trail", "item_of"):
        known = functools.lru_cache(maxsize=None)(getattr(wrong_answers, name))
        monkeypatch.setattr(wrong_answers, name, known)


@pytest.mark.parametrize("exercise_id", course_exercises())
def test_each_named_wrong_answer_is_refused_with_its_own_sentence(exercise_id, followed_once):
    exercise = find_exercise(exercise_id)
    answers = exercise.referee.wrong
    assert len(answers) >= 3
    assert len({answer.name for answer in answers}) == len(answers)
    faults = []
    for answer in answers:
        made = item_of if answer is answers[0] else wrong_answers.item_of
        item = made(exercise, source_of(exercise, answer))
        report = examine(exercise, (item,))
        told = repr(report)
        if report.status != "failed" or answer.says not in told or "<locals>" in told:
            faults.append(f"{answer.name}: {report.status}\n{report!r}")
    for one, other in itertools.combinations(answers, 2):
        if one.says != other.says and same_mistake(exercise_id, one.name, other.name):
            faults.append(f"{one.name} and {other.name} make the same mistake")
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


@pytest.mark.torch
@pytest.mark.parametrize("exercise_id", ["15.1", "15.2", "15.3", "15.4"])
def test_pytorch_s_own_classes_answer_the_hook_chapters(exercise_id):
    torch = pytest.importorskip("torch")
    real = {
        "Module": type("Module", (torch.nn.Module,), {}),
        "RemovableHandle": importlib.import_module("torch.utils.hooks").RemovableHandle,
    }
    exercise = find_exercise(exercise_id)
    for asked in (exercise_id, *exercise.keeps):
        for finding in findings_of_earlier(exercise, asked, real[exercise.takes[0]]):
            assert finding.passed, (asked, finding)


@pytest.mark.torch
def test_activation_stats_find_the_same_in_pytorch_s_layers():
    torch = pytest.importorskip("torch")
    found = []
    for library in (nbmodule, torch):
        net = library.nn.Sequential(
            library.nn.Linear(2, 3), library.nn.ReLU(), library.nn.Linear(3, 2)
        )
        for parameter in net.parameters():
            numbers = library.arange(float(parameter.numel())).reshape(parameter.shape)
            parameter.data.copy_(1 - numbers / 2)
        stats = solution_class("15.5", "ActivationStats")(net)
        net(library.tensor([[1.0, 2.0], [0.5, -1.0]]))
        found.append((stats.means, stats.stds, stats.dead, stats.strips))
        stats.remove()
    assert found[0][2:] == found[1][2:]
    for ours, theirs in zip(found[0][:2], found[1][:2], strict=True):
        assert all(theirs[name] == pytest.approx(ours[name], rel=1e-5) for name in ours)


def _on_torch(torch):
    """Return what our solutions of chapters 15 and 16 define, with `nbmodule` meaning torch: methods of its Module, and functions."""
    given = {"Module": type("Module", (torch.nn.Module,), {"__module__": "torch.reader"})}

    def extend(part):
        if part.__name__ != "Module":
            return given.setdefault(part.__name__, part)
        for name, value in vars(part).items():
            if not name.startswith("__") or name == "__call__":
                setattr(given["Module"], name, value)
        return given["Module"]

    names = {
        "nbmodule": torch,
        "tensor": torch.tensor,
        "suppress": suppress,
        "functools": functools,
    }
    names |= {"mine": types.SimpleNamespace(extend=extend), "__name__": "torch.reader"}
    for exercise_id in sorted(e for e in course_exercises() if e[:2] in ("15", "16")):
        exec(solution_source(exercise_id), names)
    return given


@pytest.mark.torch
@pytest.mark.parametrize("exercise_id", ["16.1", "16.2", "16.3", "16.4", "16.5", "16.6"])
def test_the_backward_hooks_are_judged_alike_on_pytorch(exercise_id):
    torch = pytest.importorskip("torch")
    exercise, utils = find_exercise(exercise_id), torch.nn.utils
    real = {
        "Module": type("Module", (torch.nn.Module,), {}),
        "clip_grad_norm_": utils.clip_grad_norm_,
        "clip_grad_value_": utils.clip_grad_value_,
    }
    for answers in (real, _on_torch(torch)):
        item = answers.get(exercise.takes[0])
        for asked in (exercise_id, *exercise.keeps) if item is not None else ():
            for finding in findings_of_earlier(exercise, asked, item):
                assert finding.passed, (asked, finding)
