"""`check` looks at everything, explains every failure and never crashes."""

from __future__ import annotations

import html.parser
import importlib
import random
import re
import sys

import numpy as np
import pytest
import scratch_course

import nbmodule
from nbmodule_course import Predict, UsageError, Wrong, check, exercise, progress_file
from nbmodule_course.exercise import Exercise, attempt, expect, find_exercise
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.referee import ask_torch
from nbmodule_course.replay import Session

pytestmark = pytest.mark.usefixtures("course")
SOLVED = without_markers(scratch_course.SOLUTION)
STUB = stub_of(scratch_course.SOLUTION)


def written(source: str):
    """What a reader's cell defines under the name Drawer."""
    with Session() as session:
        assert session.run(source) is None
        return session.names["Drawer"]


def in_setattr(*lines: str):
    """A Drawer whose `__setattr__` holds these lines."""
    body = "\n".join(f"        {line}" for line in lines)
    return written(STUB.replace("        ...", body))


def test_a_solution_passes_and_is_remembered():
    report = check("98.1", written(SOLVED))
    assert report.passed
    assert [result.passed for result in report.results] == [True, True]
    assert repr(report) == (
        "✓ 98.1 A drawer: solved, 2 checks passed\n"
        "  ✓ passed  a value goes into the drawer\n"
        "  ✓ passed  it goes nowhere else\n"
        'Well done. `solution("98.1")` shows how we wrote it.'
    )
    assert progress_file.solved("98.1")


def test_all_sub_checks_run_and_each_failure_is_explained():
    report = check("98.1", in_setattr("object.__setattr__(self, name, value)"))
    assert repr(report) == (
        "✗ 98.1 A drawer: not yet, 0 of 2 checks passed\n"
        "  ✗ failed  a value goes into the drawer\n"
        "      you did: after `box.pen = 1`, `held` is {}\n"
        "      the right answer: it is {'pen': 1}\n"
        "      likely mistake: nothing is written to `self.held`\n"
        "  ✗ failed  it goes nowhere else\n"
        "      you did: `pen` is in `__dict__`\n"
        "      the right answer: `__dict__` holds `held` alone\n"
        "      likely mistake: `super().__setattr__` is called as well\n"
        'Next: `hint("98.1")` opens hint 1 of 3.'
    )
    assert not progress_file.solved("98.1")


def test_an_exception_names_the_readers_own_line():
    report = check("98.1", in_setattr("drawer = self.held", "drawer.put(name, value)"))
    first = report.results[0]
    assert first.said == "AttributeError: 'dict' object has no attribute 'put'"
    assert first.where == "`drawer.put(name, value)` (in `__setattr__`)"
    assert "Traceback" not in repr(report)


def test_endless_recursion_is_a_diagnosis_with_its_usual_cause():
    first = check("98.1", in_setattr("self.count = 1")).results[0]
    assert first.said.startswith("RecursionError")
    assert first.where == "`self.count = 1` (in `__setattr__`)"
    assert "calls `__setattr__` again" in first.likely


@pytest.mark.parametrize("stop", ["SystemExit", "BaseException", "GeneratorExit"])
def test_code_that_wants_to_stop_python_does_not(stop):
    report = check("98.1", in_setattr(f"raise {stop}('enough')"))
    assert stop in report.results[0].said
    assert len(report.results) == 2


def test_a_hostile_class_attribute_is_not_asked_anything():
    source = "class Trap:\n    def __getattr__(self, name):\n        raise SystemExit(name)\n\n"
    trapped = STUB.replace("class Drawer:\n", "class Drawer:\n    trap = Trap()\n")
    assert check("98.1", written(source + trapped)).status == "failed"  # the reader has begun


def test_a_flood_of_output_is_cut():
    report = check("98.1", in_setattr("print(name * 10_000)", "for n in range(999): print(n)"))
    assert len(repr(report)) < 3000
    assert "… 988 more lines" in repr(report)


def test_the_readers_stop_button_works():
    report = check("98.1", in_setattr("raise KeyboardInterrupt"))
    assert "you stopped this check while your code ran" in repr(report)
    assert len(report.results) == 1


def test_prints_are_shown_in_the_report_and_nowhere_else(capsys):
    report = check("98.1", in_setattr("print('storing', name)", "self.held[name] = value"))
    assert report.passed
    assert report.results[0].printed == "storing pen"
    assert "your code printed:\n        storing pen" in repr(report)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "source",
    [
        STUB,
        STUB.replace("...", "...  # later"),
        STUB.replace("        ...", '        """Think."""'),
        STUB.replace("        ...", "        pass"),
        "class Drawer:\n    ...",
    ],
    ids=["as given", "a comment", "a docstring", "pass", "empty class"],
)
def test_an_untouched_stub_is_not_started(source):
    report = check("98.1", written(source))
    assert (report.status, report.results) == ("not started", ())
    assert "not started" in repr(report)
    assert "not started" in report.to_html()
    assert progress_file.read()["checks"] == {}


@pytest.mark.parametrize("nothing", [..., None])
def test_a_value_that_is_still_dots_is_not_started(nothing):
    assert check("98.2", nothing).status == "not started"
    assert check("98.2", 16).status == "failed"
    assert check("98.2", 17).passed


def test_an_empty_body_beside_real_work_is_wrong_and_not_untouched():
    source = STUB.replace(
        "        ...", "        self.held[name] = None\n\n    def other(self): ..."
    )
    assert check("98.1", written(source)).status == "failed"


def test_solved_stays_solved_when_a_later_try_fails():
    check("98.1", written(SOLVED))
    check("98.1", in_setattr("pass", "self.held.clear()"))
    assert progress_file.solved("98.1")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: check("98.3", object), 'no exercise "98.3". Did you mean "98.2"?'),
        (lambda: check("drawer", object), "Possible: "),
        (lambda: check(98.1, object), 'named by a string such as "02.3"; got float'),
        (lambda: check("98.1"), 'you gave it none. Write check("98.1", Drawer).'),
        (lambda: check("98.1", object, object), "you gave it 2"),
        (lambda: check("98.1", object()), "the class Drawer itself"),
        (lambda: check("98.2", int), "an object, `answer`; it got the class int"),
    ],
)
def test_wrong_calls_say_what_is_possible(call, said):
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        call()
    assert caught.value._render_traceback_() == [f"UsageError: {caught.value}"]


class Tags(html.parser.HTMLParser):
    """Collects elements and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attributes}


def test_html_is_static_and_escaped_and_says_all_that_the_text_says():
    report = check("98.1", in_setattr("raise ValueError('<script>alert(1)</script>')"))
    page = report.to_html()
    tags = Tags(page)
    assert tags.elements <= {"div", "span", "strong", "p", "pre", "code", "br"}
    assert tags.attributes == {"style"}
    assert "&lt;script&gt;" in page
    assert "✗ failed" in page
    assert "<script>" not in page


def test_reports_hold_no_addresses():
    report = check("98.1", in_setattr("raise ValueError(object())"))
    assert "0x" not in repr(report) + report.to_html()


def test_a_reader_value_whose_repr_fails_is_still_named():
    from nbmodule_course import shown

    class Broken:
        def __repr__(self):
            raise RuntimeError("no")

    assert shown(Broken()) == "<a Broken whose repr raised RuntimeError>"
    assert len(shown("x" * 500)) == 80


def test_a_diagnosis_quotes_the_exception_it_answers():
    quoting = Exercise("97.1", title="Quote", takes=("reader",), hints=("1", "2", "3"))

    @quoting.sub("quotes")
    def quotes(reader):
        try:
            reader()
        except KeyError:
            raise Wrong(did="it raised", real="it returns") from None

    report = check(quoting, lambda: {}["w"])
    assert report.results[0].said == "KeyError: 'w'"


def test_exercises_are_refused_when_they_cannot_work():
    with pytest.raises(ValueError, match="2 hints instead of 3"):
        Exercise("97.2", title="", takes=("x",), hints=("1", "2"))
    with pytest.raises(ValueError, match="takes nothing"):
        Exercise("97.2", title="", takes=(), hints=("1", "2", "3"))
    with pytest.raises(ValueError, match="exercise ids look like"):
        Exercise("ninety", title="", takes=("x",), hints=("1", "2", "3"))
    with pytest.raises(ValueError, match="already defined in scratch_course"):
        Exercise("98.1", title="again", takes=("x",), hints=("1", "2", "3"))
    with pytest.raises(ValueError, match="two sub-checks named"):
        find_exercise("98.2").sub("it is seventeen")(print)


def test_an_exercise_without_sub_checks_never_passes():
    hollow = Exercise("97.3", title="Hollow", takes=("x",), hints=("1", "2", "3"))
    assert not check(hollow, 1).passed


def test_attempt_turns_an_exception_into_a_value():
    tried = attempt(lambda: {}["w"])
    assert tried.raised(KeyError, "w")
    assert not tried.raised(TypeError)
    assert tried.said == "KeyError: 'w'"
    assert attempt(lambda: 3).value == 3
    assert attempt(sys.exit).raised(SystemExit)


def test_what_was_said_once_is_not_said_again():
    twice = Exercise("97.3", title="Twice", takes=("reader",), hints=("1", "2", "3"))
    for name in ("one", "two"):
        twice.sub(name)(lambda reader: expect(reader(), did="it said no", real="it says yes"))
    report = check(twice, lambda: False)
    text = repr(report)
    assert text.count("it said no") == 1
    assert "○ not reached  two (the mistake above comes first)" in text
    assert text.count("✗ failed") == 1
    assert report.to_html().count("✗ failed") == 1


def test_what_it_did_never_stands_without_what_is_right():
    """Two cases may share the right answer, and a reader needs it beside each."""
    shared = Exercise("97.3", title="Shared", takes=("reader",), hints=("1", "2", "3"))
    for name in ("one", "two"):
        shared.sub(name)(
            lambda reader, name=name: expect(reader(), did=f"{name} is no", real="yes")
        )
    text = repr(check(shared, lambda: False))
    assert text.count("you did: ") == text.count("the right answer: yes") == 2


def test_what_is_right_never_stands_without_what_it_did():
    """Two cases may go wrong in the same way, and only the first says how."""
    shared = Exercise("97.3", title="Shared", takes=("reader",), hints=("1", "2", "3"))
    for name in ("one", "two"):
        shared.sub(name)(
            lambda reader, name=name: expect(reader(), did="it says no", real=f"it says {name}")
        )
    report = check(shared, lambda: False)
    text = repr(report)
    assert text.count("you did: ") == text.count("the right answer: ") == 1
    assert "○ not reached  two (the mistake above comes first)" in text
    assert "it says two" not in report.to_html()


def test_what_a_readers_object_says_of_itself_is_legible(course):
    """Control characters and marks that turn a text round are seen, and megabytes are cut."""

    class Answer(int):
        def __repr__(self):
            return "\u202e\x1b[31m\x00\ud800" * 100_000

    print_too = check(
        "98.1", in_setattr("print('\\x1b[31m\\u202e')", "raise ValueError('\\x00' * 10**6)")
    )
    for report in (check("98.2", Answer(16)), print_too):
        assert len(report.to_html()) < 20_000
        assert not {"\u202e", "\x1b", "\x00", "\ud800"} & set(repr(report) + report.to_html())
        assert "\\x00" in repr(report)
    assert "\\x1b[31m\\u202e" in print_too.results[0].printed


def generators():
    """What the reader's next random numbers depend on."""
    pythons, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    return [nbmodule.get_rng_state().tolist(), pythons, *map(str, numpys)]


def draw(*_):
    nbmodule.rand(3), random.random(), np.random.rand(3)  # noqa: NPY002
    return ""


_DRAWS = "import nbmodule, random; nbmodule.rand(3), random.random()"


@pytest.mark.parametrize("step", ["examine", "checked_again", "land", "library_of"])
def test_no_step_of_a_check_moves_the_readers_generators(step, monkeypatch):
    module, before = importlib.import_module("nbmodule_course.check"), generators()
    does = getattr(module, step)
    monkeypatch.setattr(module, step, lambda *given: draw() or does(*given))
    assert check("98.1", written(SOLVED)).passed
    assert generators() == before


@pytest.mark.parametrize("line", [_DRAWS, f"{_DRAWS}; self.held[name] = value", f"{_DRAWS}; 1 / 0"])
def test_no_answer_moves_the_readers_generators(line):
    before = generators()
    check("98.1", in_setattr(line))
    assert Predict("98.a", "?", options=["", "1"], code=_DRAWS).answer("a").outcome
    assert generators() == before


def test_the_first_question_about_an_exercise_draws_nothing(monkeypatch):
    """Some modules of checks make networks when they are imported, which happens once in a process."""
    before = generators()
    monkeypatch.setattr(importlib, "import_module", draw)
    exercise._import_checks.__wrapped__()
    assert generators() == before


@pytest.mark.torch
def test_a_check_leaves_pytorch_s_generator_alone():
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    before = torch.get_rng_state()
    check("98.1", in_setattr("__import__('torch').rand(3)"))
    ask_torch("torch.manual_seed(5); torch.rand(3)")
    assert torch.equal(torch.get_rng_state(), before)
