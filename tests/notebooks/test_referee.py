"""The referee: the shortest program, plain words, general slips, and an end to endless code."""

from __future__ import annotations

import _thread
import gc
import linecache
import threading
import time

import pytest
from course_chapters import Rehearsal, code_of

import nbmodule
from nbmodule import nn
from nbmodule_course import attempt, check, progress_file
from nbmodule_course.check import examine
from nbmodule_course.checks.states import _aside
from nbmodule_course.diagnosis import what_it_said
from nbmodule_course.exercise import find_exercise
from nbmodule_course.referee import run, write
from nbmodule_course.referee.budget import budget
from nbmodule_course.referee.calls import first_call, traits_of_calls
from nbmodule_course.referee.compare import Overtime, Pair
from nbmodule_course.referee.groups import Calls, Case
from nbmodule_course.referee.solutions import build, patched, solution_source
from nbmodule_course.referee.steps import Program
from nbmodule_course.referee.verdict import Finding, line_of
from nbmodule_course.referee.world import subject
from nbmodule_course.wording import shown

SORT = """
if isinstance(value, Parameter):
    self._parameters[name] = value
elif isinstance(value, Module):
    self._modules[name] = value
else:
    super().__setattr__(name, value)
"""


@pytest.fixture(scope="module")
def stage():
    """The notebook of chapter 02 up to exercise 02.1."""
    with Rehearsal("02.1") as stage:
        yield stage


def clerk(body: str, above: str = "") -> str:
    """Return a cell whose `__setattr__` holds `body`."""
    lines = "\n".join(f"        {line}" for line in body.strip("\n").split("\n"))
    return f"{above}@mine.extend\nclass Module:\n    def __setattr__(self, name, value):\n{lines}\n"


def diagnoses(report) -> list[dict[str, str]]:
    return [dict(result.lines()) for result in report.results if not result.passed]


def test_the_shortest_program_is_told_in_plain_words(stage):
    report = stage.report_on(clerk(SORT.replace("else:", "if True:")))
    assert diagnoses(report)[0] == {
        "you did": "after `m.w = P`, `w` is in `_parameters` and `__dict__` (`P` is a Parameter)",
        "the real one": "it is only in `_parameters`",
        "likely mistake": "a value for a drawer is also passed to `super()`, so it is stored twice; "
        "an `else` is missing",
    }


def test_a_row_whose_part_is_right_is_not_called_failed(stage):
    report = stage.report_on(clerk(SORT.replace("elif", "if")))
    told = repr(report)
    assert "✗ failed  a Parameter goes into `_parameters`" in told
    assert "○ not reached  a Module goes into `_modules` (the mistake above comes first)" in told
    assert told.count("✗ failed") == report.to_html().count("✗ failed") == 1
    assert "is the second `if` meant as an `elif`?" in told


def test_an_endless_recursion_quotes_the_line_that_calls_itself(stage):
    told = diagnoses(
        stage.report_on(
            clerk(SORT.replace("super().__setattr__(name, value)", "setattr(self, name, value)"))
        )
    )
    assert {lines["in your line"] for lines in told if "in your line" in lines} == {
        "`setattr(self, name, value)` (in `__setattr__`)"
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("self.training = True", "`Spy()` calls `__setattr__` of its class for `training`"),
        ('slots["_is_full_backward_hook"] = 0', "the real one: it gives `None`"),
    ],
)
def test_a_sentence_is_no_string_and_what_is_missing_no_value(body, said):
    source = solution_source("01.2")
    last = 'slots["_modules"] = {}'
    told = repr(
        examine(find_exercise("01.2"), (item(source.replace(last, f"{last}\n        {body}")),))
    )
    assert said in told
    assert "'calls" not in told
    missing = repr(
        examine(
            find_exercise("01.1"),
            (item("class Module:\n    def __init__(self):\n        pass\n", "01.1"),),
        )
    )
    assert "'missing'" not in missing


def test_values_whose_beginnings_are_the_same_are_shown_where_they_differ():
    long = {"num_batches_tracked": 1, "running_mean": [0.1] * 20}
    right, got = ({**long, "running_var": [number]} for number in (1.1, 1.0))
    group = Calls("state", (Case("state(norm)", tuple),))
    found = first_call(lambda: right, lambda: got, group)
    assert "'running_var': [1.0]}" in found.did
    assert "'running_var': [1.1]}" in found.real


def item(source: str, exercise_id: str = "01.2"):
    """Return the class that a cell of an exercise makes."""
    return build(exercise_id, source)["Module"]


def test_a_model_changed_by_the_first_call_is_no_memory_between_two_calls():
    """What stays in the model isn't blamed on a default argument."""
    source = solution_source("04.5").replace('.pop("shapes", None)', ".clear()")
    told = repr(examine(find_exercise("04.5"), (build("04.5", source)["shapes"],)))
    assert "this also removes hooks that were there before" in told
    assert "remembered" not in told


@pytest.mark.parametrize(
    ("exercise_id", "old", "new", "said"),
    [
        (
            "04.1",
            "return self.forward(*args, **kwargs)",
            "try:\n            return self.forward(*args, **kwargs)\n        except TypeError:\n            return self.forward(*args)",
            "runs a second time",
        ),
        ("04.5", "model(*inputs)", "model.forward(*inputs)", "hooks of the model itself don't run"),
        ("03.6", "type(in_class[0])", "in_class[0]", "ask its type"),
    ],
)
def test_what_looks_right_and_isnt_is_refused(exercise_id, old, new, said):
    exercise, source = find_exercise(exercise_id), solution_source(exercise_id)
    made = build(exercise_id, source.replace(old, new))[exercise.takes[0]]
    assert said in repr(examine(exercise, (made,)))


def test_names_of_the_subject_are_explained(stage):
    exercise = find_exercise("03.4")
    source = solution_source("03.4").replace("set(super().__dir__())", "list(super().__dir__())")
    for drawer in ("_parameters", "_buffers", "_modules"):
        source = source.replace(f"names.update(self.{drawer})", f"names += self.{drawer}")
    told = repr(examine(exercise, (build("03.4", source)["Module"],)))
    assert "the class of `m` has an attribute `unit`" in told


def test_a_message_has_no_names_from_inside_a_check():
    """They are in most messages about a call: `_aside.<locals>.state_dict() missing 1 required …`."""
    tried = attempt(lambda: _aside(nn.Module)().state_dict(prefix=""))
    assert tried.error is not None
    assert "<locals>" in str(tried.error)
    assert what_it_said(tried.error).startswith("TypeError: state_dict() missing 2 required")
    inside = type("Leaf", (), {"__qualname__": "_made.<locals>.Leaf"})
    assert shown(inside).endswith("Leaf'>")
    assert "<locals>" not in shown([inside, lambda: 0])


def test_pytorch_has_no_count_of_its_own():
    """What PyTorch doesn't have, a report calls "the right answer"."""
    no_answer = build("01.4", "def count_tree(module):\n    return -1\n")["count_tree"]
    told = repr(examine(find_exercise("01.4"), (no_answer,)))
    assert "the right answer: it gives `15`" in told
    assert "the real one" not in told


def test_the_same_mistake_with_other_last_digits_is_the_same_mistake():
    """Whoever adds up in another order has made no other mistake, be it in float32 or just at a rounding boundary."""
    group = Calls("a mean", (Case("f(3)", lambda: (3,)), Case("f(7)", lambda: (7,))))

    def found(wrong):
        return list(traits_of_calls(lambda n: 1.0, wrong, group))

    one = found(lambda n: nbmodule.tensor([1 / n, 2 / n]))
    assert one == found(lambda n: nbmodule.tensor([1 / n, 2 / n]) * (1 + 2e-7))
    assert list(map(hash, one)) == list(
        map(hash, found(lambda n: nbmodule.tensor([1 / n, 2 / n]) * (1 + 2e-7)))
    )
    assert one != found(lambda n: nbmodule.tensor([1 / n, 2.001 / n]))
    assert one != found(lambda n: nbmodule.tensor([1 / n]))
    assert found(lambda n: 0.1234567885) == found(lambda n: 0.12345678849999999)
    assert found(lambda n: n) != found(lambda n: n + 1)  # whole numbers are exact


def test_a_use_is_run_twice_to_see_what_it_leaves_behind():
    runs = []
    group = Calls("a use", (Case("use", lambda: (lambda f: f(),)),), uses=True)
    assert first_call(lambda: 1, lambda: runs.append(1) or 1, group) is None
    assert len(runs) == 2
    assert first_call(lambda: 1, lambda: runs.append(1) or len(runs), group) is not None


def test_a_mistake_without_a_name_gets_no_guess(stage):
    told = diagnoses(
        stage.report_on(clerk(SORT.replace("Parameter)", "Parameter) and name > 'f'")))
    )
    assert told
    assert all("likely mistake" not in lines for lines in told)


def test_the_readers_line_is_quoted(stage):
    told = diagnoses(stage.report_on(clerk(SORT.replace("self._modules", "self._children"))))
    assert told[0]["you did"].startswith("`m.fc = child` raises `AttributeError: ")
    assert told[0]["in your line"] == "`self._children[name] = value` (in `__setattr__`)"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (clerk(SORT.replace("super()", "super(type(self), self)")), "write `super()`"),
        (clerk("nn.Module.__setattr__(self, name, value)"), "the library's own `__setattr__` did"),
        (clerk("import copy\nvalue = copy.copy(value)" + SORT), "is `another Parameter`"),
        (clerk("if hasattr(value, 'requires_grad'): value.requires_grad = True" + SORT), "itself has changed"),
        (clerk("type(self).last = name" + SORT.replace("_modules[", "nope[")), "has no attribute 'nope'"),
        (clerk("try:\n    self.nope[name]\nexcept Exception:\n    pass"), "your `except` caught `AttributeError"),
        (clerk(SORT.replace("self._modules[name] = value", "return TypeError(name)")), "use `raise`"),
    ],
)  # fmt: skip
def test_general_slips_are_known_by_name(stage, cell, said):
    report = stage.report_on(cell)
    assert report.status == "failed"
    assert said in repr(report)


def test_drawers_in_the_class_are_seen():
    cell = "@mine.extend\nclass Module:\n    _modules = {}\n" + clerk(SORT)[27:].replace(
        "self._modules", "type(self)._modules"
    )
    exercise = find_exercise("02.1")
    report = examine(exercise, (build("02.1", cell)["Module"],))
    assert "`fc` is nowhere" in repr(report)


def test_the_finished_class_is_refused_by_name():
    class Module(nn.Module):
        pass

    assert "inherits from `nn.Module`, the finished one" in repr(
        examine(find_exercise("02.1"), (Module,))
    )


def test_a_patched_library_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(nn.Module, "__getattr__", lambda self, name: 1)
    report = examine(find_exercise("03.1"), (build("03.1")["Module"],))
    assert "`Module.__getattr__` of the library itself has been replaced" in repr(report)


def test_a_class_without_extend_is_told_so():
    class Module:
        def __setattr__(self, name, value):
            self.__dict__[name] = value

    assert "`@mine.extend` is missing" in repr(examine(find_exercise("02.1"), (Module,)))


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    pass",
        "while True:\n    try:\n        name.nope\n    except BaseException:\n        pass",
        "def twice(n):\n    return n < 1 or twice(n - 1) + twice(n - 1)\ntwice(60)",
    ],
)
def test_endless_code_is_stopped_and_its_line_is_shown(stage, body, monkeypatch):
    monkeypatch.setattr("nbmodule_course.referee.budget.CPU_SECONDS", 0.3)
    report = stage.report_on(clerk(body))
    assert "was still running after several seconds" in repr(report)
    assert "in your line" in repr(report)
    assert len(report.results) == 1


@pytest.mark.parametrize("wait", ["time.sleep(60)", "sleep(60)", "threading.Event().wait()"])
def test_code_that_waits_is_stopped(stage, wait, monkeypatch):
    monkeypatch.setattr("nbmodule_course.referee.budget.WALL_SECONDS", 0.3)
    report = stage.report_on(clerk(f"import threading, time\nfrom time import sleep\n{wait}"))
    assert "your code was still waiting after several seconds, so it was stopped" in repr(report)
    assert f"in your line: `{wait}`" in repr(report)
    assert time.sleep.__name__ == "sleep"


def test_code_that_gets_little_of_the_processor_is_not_stopped():
    def work() -> None:
        while True:
            used = time.thread_time()
            while time.thread_time() < used + 0.002:
                pass
            time.sleep(0.01)  # as if other processes ran

    began = time.monotonic()
    with pytest.raises(Overtime) as ended, budget(60.0, 0.2):
        work()
    assert ended.type is Overtime  # and not Waited
    assert time.monotonic() - began > 0.8  # the clock alone ends it four times as late


def test_beside_the_main_thread_a_sleep_ends_too():
    def look() -> None:
        try:
            with budget(0.3, 0.3):
                time.sleep(60)
        except Overtime:
            ended.append(True)

    ended = []
    thread = threading.Thread(target=look)
    thread.start()
    thread.join(30)
    assert ended


def test_async_def_gets_a_sentence_and_no_warning(stage, recwarn):
    report = stage.report_on(clerk("pass").replace("def __setattr__", "async def __setattr__"))
    assert "a call of `__setattr__` runs nothing of it yet" in repr(report)
    assert "`async def` gives a coroutine" in repr(report)
    gc.collect()
    assert not list(recwarn)


def test_the_stop_button_gives_a_report(stage):
    threading.Timer(0.3, _thread.interrupt_main).start()
    report = stage.report_on(clerk("import time\nwhile True:\n    time.sleep(0.01)"))
    assert report.status == "failed"
    assert "you stopped this check while your code ran" in repr(report)


def test_the_budget_leaves_nothing_behind():
    def wait() -> None:
        while True:
            time.sleep(0.001)

    with pytest.raises(Overtime), budget(0.05, 0.05):
        wait()
    time.sleep(0.05)
    with budget():
        assert sum(range(1000)) == 499500


def test_what_was_solved_is_checked_again_when_its_check_has_changed():
    right, wrong = build("03.1")["Module"], build("03.1")["Module"]
    wrong.__setattr__ = lambda self, name, value: self.__dict__.update({name: value})
    progress_file.record_check("02.3", "passed", "an older edition")
    assert "checked again" not in repr(check("03.1", right))
    assert progress_file.solved("02.3")
    assert "checked again" not in repr(check("03.1", wrong))  # its edition is known by now
    progress_file.record_check("02.3", "passed", "an older edition")
    report = check("03.1", wrong)
    assert report.passed
    assert "was checked again: 02.3 (after `m.w = P`" in report.next_step
    assert not progress_file.solved("02.3")


def test_hidden_state_and_helpers_are_the_readers_business():
    cell = clerk("self._store(name, value)").replace(
        "    def __setattr__",
        "    def _store(self, name, value):\n        self.__dict__.setdefault('log', []).append(name)\n"
        "        if isinstance(value, Parameter):\n            self._parameters[name] = value\n"
        "        elif isinstance(value, Module):\n            self._modules[name] = value\n"
        "        else:\n            object.__setattr__(self, name, value)\n\n    def __setattr__",
    )
    assert examine(find_exercise("02.1"), (build("02.1", cell)["Module"],)).passed


def test_a_long_program_is_cut_down_to_what_matters():
    cell = patched(solution_source("02.1"), {"elif isinstance(value, Module):": "elif False:"})
    pair = Pair(
        subject(build("02.1")["Module"]), subject(build("02.1", cell)["Module"]), ("w", "fc", "n")
    )
    steps = (*write("n", "5"), *write("w", "P"), *write("fc", "child"), *write("n", "7"))
    found = pair.first([Program(steps)])
    assert found is not None
    assert [step.text for step in pair.shortest(found).program.steps] == ["m.fc = child"]


def test_each_program_has_values_of_its_own():
    found = []

    def spoil(world):
        value = world.value("P")
        found.append(value.tolist())
        value.data += 1

    pair = Pair(subject(nn.Module), subject(nn.Module), ("w",))
    program = Program(tuple(run("P.data += 1", spoil)))
    assert pair.differ(program) is None
    assert pair.differ(program) is None  # our half is known by now
    assert len(found) == 3
    assert found[0] == found[1] == found[2]


def test_a_patch_that_does_not_fit_its_solution_is_an_error():
    source = solution_source("02.1")
    with pytest.raises(ValueError, match="occurs 0 times"):
        patched(source, {"nothing like it": ""})
    assert "return 5" in patched(
        source, {"__setattr__": "def __setattr__(self, name, value):\n    return 5"}
    )


_REFUSES = """
class Module:
    def __getattr__(self, name):
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if name == "late":
            raise AttributeError(name)
        object.__setattr__(self, name, self._hidden)

    def reads(self):
        self._set.add(1)

    def writes(self):
        self.late = 1

    def meets_a_mistake(self):
        self.early = 1
"""


@pytest.mark.parametrize(
    ("method", "writes", "line"),
    [
        ("reads", (), "`self._set.add(1)` (in `reads`)"),
        ("writes", (), "`self.late = 1` (in `writes`)"),
        ("reads", ("__getattr__",), "`raise AttributeError(name)` (in `__getattr__`)"),
        ("meets_a_mistake", ("__setattr__",), "`raise AttributeError(name)` (in `__getattr__`)"),
    ],
)
def test_a_refused_attribute_quotes_the_line_that_asked(method, writes, line):
    """Unless the exercise is about that method: then its `raise` may be the mistake."""
    file = "<a reader's cell>"
    linecache.cache[file] = (len(_REFUSES), None, _REFUSES.splitlines(keepends=True), file)
    names: dict = {"__name__": "__main__"}
    exec(compile(_REFUSES, file, "exec"), names)
    error = attempt(getattr(names["Module"](), method)).error
    assert line_of(Finding("", error=error), writes) == line


def test_a_method_whose_cell_has_not_run_since_the_restart_is_traced_to_its_exercise():
    stage = Rehearsal("07.6")
    start = next(i for i, cell in enumerate(stage.cells) if cell.exercise_id == "07.6")
    stage.cells = (*code_of(stage.cells)[:1], *stage.cells[start:])
    with stage:
        told = diagnoses(
            stage.report_on(
                "@mine.extend\n" + solution_source("07.6").partition("@mine.extend\n")[2]
            )
        )
    likely = [lines["likely mistake"] for lines in told if "likely mistake" in lines]
    assert likely
    assert all(words.startswith("`get_submodule` comes from exercise 07.5,") for words in likely)
