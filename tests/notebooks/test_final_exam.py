"""The final exam: solved chapters and PyTorch's own design pass it, and each fault is found on the layers that it spoils."""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from nbmodule import nn
from nbmodule_course.__main__ import main
from nbmodule_course.editions import MANIFEST
from nbmodule_course.exams import checks, final
from nbmodule_course.exams.final_page import page_of
from nbmodule_course.exams.final_report import FinalReport, layer_of_answer
from nbmodule_course.exams.layers import families, rows
from nbmodule_course.exams.questions import FINAL
from nbmodule_course.exams.report import link_to
from nbmodule_course.exams.taking import take
from nbmodule_course.mine import solved

EVERY = checks.questions()
FEW = ("Identity", "Linear", "LazyLinear", "ConvTranspose1d", "BatchNorm1d", "TransformerEncoder", "Sequential", "LinearCrossEntropyLoss")  # fmt: skip


@lru_cache
def solved_text():
    return solved.solved_text()


@lru_cache
def of_few():
    """The first row of a few layers, with nbmodule's answers: the notebook asks all rows of all layers."""
    names = {rows()[name][0].name for name in FEW}
    return final.answered(tuple(q for q in EVERY if q.key.partition("/")[0] in names))


@pytest.fixture
def sit(tmp_path):
    def ask(text, asked):
        file = tmp_path / "my_module.py"
        file.write_text(text)
        return FinalReport(take(FINAL, file, asked))

    return ask


def wrong(report):
    """Return by the check on which layers it is wrong."""
    found = defaultdict(list)
    for answer in report.taken.answers:
        if answer.state == "wrong":
            found[answer.question.kind].append(layer_of_answer(answer))
    return dict(found)


def changed(*pairs):
    text = solved_text()
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


# ---- what is asked


def test_every_layer_is_in_a_family_and_has_a_row():
    known = [name for name in nn.modules.__all__ if issubclass(getattr(nn, name), nn.Module)]
    listed = [name for names in families().values() for name in names]
    assert sorted([*listed, "Module"]) == sorted(known)
    assert all(rows()[name] for name in listed)
    assert len({q.key for q in EVERY}) == len(EVERY)
    assert all("#Exercise-" in link_to(check.mends) for check in checks.CHECKS)
    assert [c.column for c in checks.CHECKS] == sorted(
        (c.column for c in checks.CHECKS), key=checks.COLUMNS.index
    )


def test_an_error_of_our_own_is_no_right_answer(monkeypatch):
    def broken(sitting):
        sitting.heard = {q.key: {"said": "", "error": "ValueError: 3"} for q in sitting.asked}

    monkeypatch.setattr(final.Sitting, "ask", broken)
    with pytest.raises(RuntimeError, match="didn't answer: Bilinear/numbers: ValueError: 3"):
        final.answered(EVERY[:1])


# ---- who passes


def test_the_solved_course_passes_in_a_readers_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(final, "questions", of_few)
    monkeypatch.setattr(checks, "questions", of_few)
    (tmp_path / MANIFEST).write_text("{}")
    assert main(["exam", "--final", str(tmp_path)]) == 1
    assert "There is no my_module.py" in capsys.readouterr().out
    (tmp_path / "my_module.py").write_text(solved_text())
    assert main(["exam", "--final", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    count = len(FEW)
    assert f"{count} of {count} layers run on your Module" in said
    assert "Passed." in said
    page = (tmp_path / FINAL.page).read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|<img|https?://|url\(|@import| on\w+=", page)
    assert "@media print" in page
    assert page.count('scope="row"') == count + 6  # families
    assert "class _IncompatibleKeys" in re.sub("<[^>]+>", "", page)  # the file that took it


def test_pytorchs_own_design_passes(sit):
    """The text of our `module.py`, with every method that PyTorch's has, as a file of a reader's."""
    text = Path(nn.modules.module.__file__).read_text(encoding="utf-8")
    for dots, place in (("...", "nbmodule"), ("..", "nbmodule.nn"), (".", "nbmodule.nn.modules")):
        text = re.sub(rf"^from {re.escape(dots)}(?=\w)", f"from {place}.", text, flags=re.M)
        text = re.sub(rf"^from {re.escape(dots)} ", f"from {place} ", text, flags=re.M)
    report = sit(text, of_few())
    assert report.score == (len(FEW), len(FEW)), report.to_text()


# ---- who doesn't


FAULTS = (
    ("return self.forward(*args, **kwargs)\n        result, begun", "return self.forward(*args)\n        result, begun"),
    ("        for name, value in self._own_state().items():\n", "        for name, value in [*self._own_state().items()][::-1]:\n"),
    ("noted = {**metadata.get(prefix[:-1], {}), ", 'noted = {"version": 2, '),
    ("            child.train(mode)\n", "            pass\n"),
    ("pass_through((result,), at_outputs)[0] if listening else result", "result"),
    ("entries = [extra] if extra else []", "entries = []"),
    ("        return self.__dict__.copy()\n", '        return {**self.__dict__, "_buffers": {}}\n'),
)  # fmt: skip


def test_each_fault_is_found_on_the_layers_that_it_spoils(sit):
    """One or two in each column; what is wrong in `forward` already isn't named a second time."""
    report = sit(changed(*FAULTS), of_few())
    everywhere = ["LazyLinear", "Linear", "Identity", "ConvTranspose1d", "BatchNorm1d"]
    assert {kind: set(names) for kind, names in wrong(report).items()} == {
        "numbers": {"TransformerEncoder"},
        "state": {*everywhere, "Sequential"} - {"Identity"},
        "older": {"BatchNorm1d", "Sequential"},
        "modes": {"Sequential", "LinearCrossEntropyLoss"},
        "eval": {"Sequential"},
        "backward-hooks": {*everywhere, "Sequential", "LinearCrossEntropyLoss"},
        "repr": {"LinearCrossEntropyLoss"},
        "deepcopy": {"BatchNorm1d", "Sequential"},
        "pickle": {"BatchNorm1d", "Sequential", "LinearCrossEntropyLoss"},
    }
    assert report.score == (0, len(FEW))
    mends = {
        a.question.kind: a.mends or a.question.mends
        for a in report.taken.answers
        if a.state == "wrong"
    }
    assert (mends["pickle"], mends["older"], mends["repr"]) == ("17.6", "10.3", "04.4")
    assert report.advice.startswith("Begin with 04.1 Make it callable: `TransformerEncoder`")
    for text in (report.to_text(), report.to_html(), page_of(report)):
        assert "BatchNorm1d" in text
        assert "its equal, and changes alone" in text


def test_a_chapter_that_is_left_out_is_named(sit, monkeypatch):
    known = solved.solutions_before("19")
    kept = {name: each for name, each in known.items() if not name.startswith("17.")}
    monkeypatch.setattr(solved, "solutions_before", lambda chapter: kept)
    report = sit(solved.solved_text(), of_few())
    found = {(layer_of_answer(a), a.mends) for a in report.taken.answers if a.state == "wrong"}
    assert found == {("LazyLinear", "17.3"), ("ConvTranspose1d", "17.6"), ("TransformerEncoder", "17.6")}  # fmt: skip
    assert report.begin_with is not None
    assert report.begin_with.mends == "17.3"


def test_what_is_still_to_come_is_no_fault(sit):
    """A reader who has solved the chapters up to 09."""
    report = sit(solved.solved_text("10"), of_few())
    assert not wrong(report)
    assert report.advice == "Everything that you've solved is right. Chapter 10 is next."
    assert not report.passed
    assert report.grid["Linear"]["modes"] == "right"


def test_a_class_that_hangs_dies_and_writes_markup_gets_a_report(sit):
    kinds = ("numbers", "modes", "repr", "deepcopy")
    report = sit(
        changed(
            ("        self.training = mode\n", "        while True: pass\n"),
            ("        name, extra = type(self).__name__, self.extra_repr()\n", "        import os; os._exit(5)\n"),
            ("        return self.__dict__.copy()\n", "        raise ValueError('</dd><script>\x1b')\n"),
        ),
        tuple(q for q in of_few() if q.kind in kinds),
    )  # fmt: skip
    first = layer_of_answer(report.taken.answers[0])
    said = {kind: set(names) for kind, names in wrong(report).items()}
    assert (said["modes"], said["repr"]) == ({first}, {first})
    assert said["numbers"] == {"TransformerEncoder"}  # it copies its layers
    assert len(said["deepcopy"]) == len(FEW) - 1
    text = report.to_text()
    assert "still running after 1 second" in text
    assert "ended with exit status 5" in text
    assert f"`{first}`; {len(FEW) - 2} layers not asked because of it" in text
    assert "\x1b" not in text
    for html in (report.to_html(), page_of(report)):
        assert "<script" not in html
        assert "&lt;script&gt;" in html


THEIRS = "from nbmodule.nn import Module as Theirs\n"


def test_nothing_of_ours_is_left(sit):
    """Neither what a file has put aside, nor what it puts into its class."""
    asked = tuple(q for q in of_few() if q.kind in ("numbers", "modes"))
    report = sit(THEIRS + changed(("        return self.train(False)\n", "        return Theirs.eval(self)\n")), asked)  # fmt: skip
    assert wrong(report).keys() == {"modes"}
    assert "type object 'Module' has no attribute 'eval'" in report.to_text()
    assert "09.1" in report.advice
    lent = sit(f"{THEIRS}{solved_text()}\nModule.eval = Theirs.eval\n", asked)
    assert "`eval` of the Module in my_module.py can't be asked" in lent.taken.unfit
    assert not lent.passed
    assert "a library wrote it" in lent.to_html()


PUT_ASIDE = """\
import importlib.util
import nbmodule.nn.modules.module as ours
kept = dict(vars(ours.Module))
again = importlib.util.spec_from_file_location("nbmodule.nn.modules.again", ours.__file__)
second = importlib.util.module_from_spec(again)
again.loader.exec_module(second)
"""
CHANGES_THE_EXAM = """\
import sys
from nbmodule_course.exams import rebuilt
from nbmodule_course.mine.again import SecondCopy
rebuilt._empty = rebuilt._close = sys.modules["__main__"].rebuild = lambda *given: None
SecondCopy.stay = lambda self: None
class Module: pass
"""


def test_what_a_file_puts_aside_and_changes_does_not_help(sit):
    asked = tuple(q for q in of_few() if q.kind in ("numbers", "modes", "repr"))
    text = changed(
        ("        return self.train(False)\n", "        return kept['eval'](self)\n"),
        ("        name, extra = type(self).__name__, self.extra_repr()\n", "        return second.Module.__repr__(self)\n"),
    )  # fmt: skip
    report = sit(PUT_ASIDE + text, asked)
    assert wrong(report).keys() == {"modes", "repr"}
    for name in ("eval", "__repr__"):
        assert f"this is the `{name}` of a finished Module, and the exam asks" in report.to_text()
    assert sit(CHANGES_THE_EXAM, asked).score == (0, len(FEW))


def test_what_a_file_starts_ends_with_the_exam(sit, tmp_path):
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    note = tmp_path / "still there"
    child = f"import os, time\nif not os.fork():\n    time.sleep(4)\n    open({str(note)!r}, 'w')\n    os._exit(0)\n"
    began = time.monotonic()
    assert sit(child + "class Module: pass\n", of_few()[:1]).score == (0, 1)
    time.sleep(max(0.0, began + 6 - time.monotonic()))
    assert not note.exists()
