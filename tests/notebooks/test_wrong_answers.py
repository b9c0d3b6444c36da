"""Every exercise meets the answers that readers really give: each wrong one fails with its own diagnosis."""

from __future__ import annotations

import functools
import itertools
import math
import traceback
import types
from contextlib import suppress

import pytest
from course_chapters import course_exercises
from right_answers import RIGHT

from nbmodule_course.check import check, examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.mine.cells import free_names
from nbmodule_course.mine.solutions import imports_of, solution_of
from nbmodule_course.numbering import chapter_of_id
from nbmodule_course.referee import wrong_answers
from nbmodule_course.referee.groups import Calls
from nbmodule_course.referee.solutions import OURS, build, solution_class, solution_source
from nbmodule_course.referee.verdict import findings, findings_of_earlier
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


def test_a_named_mistake_is_told_whatever_a_reader_writes_behind_raise():
    exercise = find_exercise("22.4")
    answer = next(each for each in exercise.referee.wrong if each.name == "results are refused")
    cell = source_of(exercise, answer)
    own = cell.replace("{a} uses {one} in one run and {other} in the other", "{a}: not the same")
    assert own != cell
    assert answer.says in repr(examine(exercise, (item_of(exercise, own),)))


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
    wrong = source_of(before, answer)
    imports = imports_of(chapter_of_id(earlier), free_names(wrong))  # as the reader's file has them
    source = "\n".join([*imports.values(), wrong, solution_source(exercise_id)])
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


@pytest.mark.parametrize("exercise_id", course_exercises())
def test_where_the_right_answer_raises_it_is_its_own_exception(exercise_id):
    """Otherwise the line that a check runs is at fault, and finds nothing, as every answer raises that."""
    exercise = find_exercise(exercise_id)
    item, faults = solution_class(exercise_id, exercise.takes[0]), []
    for group in exercise.referee.groups:
        for case in group.cases if isinstance(group, Calls) else ():
            given = case.arguments()
            try:
                given[0](item) if group.uses or isinstance(item, type) else item(*given)
            except Exception as error:
                places = traceback.extract_tb(error.__traceback__)
                ours = any(place.filename.startswith(OURS) for place in places)
                if not ours and type(error) is not LookupError:  # a check raises this one itself
                    faults.append((case.text, error))
    assert not faults


def test_the_loader_is_not_blamed_for_what_collates():
    collating, loader = find_exercise("19.2"), find_exercise("19.3")
    for answer in collating.referee.wrong:
        source = f"{source_of(collating, answer)}\n\n{solution_source('19.3')}"
        report = examine(loader, (item_of(loader, source),))
        assert report.passed, (answer.name, report)


HOOKS = [e for e in course_exercises() if e[:2] in ("15", "16")]


def on_torch(torch, exercise_id="", cell=""):
    """Return what our solutions of chapters 15 and 16 define where `nbmodule` means torch, and Module stands on its own.

    Args:
        torch: the library.
        exercise_id: whose solution is left out; nothing after it is run.
        cell: what stands in its place.
    """
    given = {"Module": type("Module", (torch.nn.Module,), {"__module__": "__main__"})}

    def extend(part):
        if part.__name__ != "Module":
            return given.setdefault(part.__name__, part)
        for name, value in vars(part).items():
            if not name.startswith("__") or name == "__call__":
                setattr(given["Module"], name, value)
        return given["Module"]

    names = {"nbmodule": torch, "nn": torch.nn, "tensor": torch.tensor, "suppress": suppress}
    names |= {
        "functools": functools,
        "math": math,
        "mine": types.SimpleNamespace(extend=extend),
        **given,
    }
    names["__name__"] = "torch.reader"  # an answer that names no library is tried on torch as well
    for each in sorted(HOOKS):
        exec(cell if each == exercise_id else solution_source(each), names)
        if each == exercise_id:
            break
    return given


@pytest.mark.torch
@pytest.mark.parametrize("exercise_id", HOOKS)
def test_the_hook_chapters_are_judged_alike_on_torch(exercise_id):
    """Each stored answer, right or wrong, is written for PyTorch, and for ours.

    `examine`, which `check` calls, must take the right ones in both. Of a wrong one the same lines of the report
    must be red: `findings` is what `examine` reports, without the search for its reason.
    15.1 stands on neither Module: its handles are the same in both.
    """
    torch = pytest.importorskip("torch")
    exercise = find_exercise(exercise_id)
    for cell in (solution_source(exercise_id), *RIGHT.get(exercise_id, ())):
        report = examine(exercise, (on_torch(torch, exercise_id, cell)[exercise.takes[0]],))
        assert report.passed, f"{cell}\n{report!r}"
    faults = []
    for answer in exercise.referee.wrong:
        cell = source_of(exercise, answer)
        theirs = on_torch(torch, exercise_id, cell)[exercise.takes[0]]
        red = [
            [f.name for f in findings(exercise, item, explain=False) if not f.passed]
            for item in (item_of(exercise, cell), theirs)
        ]
        if red[0] != red[1]:
            faults.append(f"{answer.name}: {red}")
    assert not faults, "\n".join(faults)


@pytest.mark.torch
@pytest.mark.parametrize("exercise_id", HOOKS)
def test_pytorch_s_own_classes_and_functions_are_right_answers(exercise_id):
    """Below the guard of `check`, which refuses finished work, PyTorch's own methods pass what the checks ask."""
    torch = pytest.importorskip("torch")
    utils, exercise = torch.nn.utils, find_exercise(exercise_id)
    real = {
        "Module": type("Module", (torch.nn.Module,), {}),
        "RemovableHandle": torch.utils.hooks.RemovableHandle,
        "clip_grad_norm_": utils.clip_grad_norm_,
        "clip_grad_value_": utils.clip_grad_value_,
    }
    item = real.get(exercise.takes[0])
    for asked in (exercise_id, *exercise.keeps) if item is not None else ():
        for finding in findings_of_earlier(exercise, asked, item):
            assert finding.passed, (asked, finding)


@pytest.mark.torch
def test_check_takes_methods_written_on_torch_s_module_and_not_inherited_ones(
    tmp_path, monkeypatch
):
    """Through `check` itself: what is written on `torch.nn.Module` is solved, and isn't saved in `my_module.py`."""
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    written = on_torch(torch, "15.2", solution_source("15.2"))["Module"]
    report = check("15.2", written)
    assert report.passed
    assert "stands on PyTorch" in repr(report)
    assert not list(tmp_path.rglob("my_module.py"))

    class Module(torch.nn.Module):
        """All of it is PyTorch's."""

    assert "`nn.Module`, the finished one" in repr(check("15.2", Module))

    class Handing(torch.nn.Module):
        """Both methods are written, and hand the work on."""

        def register_forward_pre_hook(self, hook, **options):
            return super().register_forward_pre_hook(hook, **options)

        def register_forward_hook(self, hook, **options):
            return super().register_forward_hook(hook, **options)

    assert "the library's own `register_forward_hook` did the work" in repr(check("15.2", Handing))
