"""The first exam: PyTorch and nbmodule pass it, a missing chapter is named, and so is a single fault."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import sys
from collections import Counter
from functools import lru_cache
from html.parser import HTMLParser

import pytest

from nbmodule_course.__main__ import main
from nbmodule_course.editions import MANIFEST
from nbmodule_course.exams import exam, room, taking
from nbmodule_course.exams.page import page_of
from nbmodule_course.exams.questions import FIRST
from nbmodule_course.exams.report import ExamReport, link_to
from nbmodule_course.exams.suite import answer, names_of, questions
from nbmodule_course.mine import solved

QUESTIONS = questions()
INHERITED = "import nbmodule\nclass Module(nbmodule.nn.Module):\n    pass\n"


@lru_cache
def solved_text():
    return solved.solved_text()


@pytest.fixture
def sit(tmp_path):
    """Ask a file in this process, which is quicker: nothing in these files hangs."""

    def ask(text):
        file = tmp_path / "my_module.py"
        file.write_text(text)
        answering = room.begun(file)
        heard = {q.key: room.ask(q, answering, file, taking.CPU_SECONDS) for q in QUESTIONS}
        return taking.Taken(FIRST, file, taking.judged(QUESTIONS, heard, text))

    yield ask
    for name in ("my_module", "exam"):
        sys.modules.pop(name, None)


def in_state(taken, state):
    return [found.question.key for found in taken.answers if found.state == state]


# ---- the questions


def test_there_are_enough_and_they_stand_on_each_other():
    keys = Counter(question.key for question in QUESTIONS)
    assert len(keys) == len(QUESTIONS) >= 44
    assert {need for question in QUESTIONS for need in question.needs} <= keys.keys()
    assert all("#Exercise-" in link_to(question.mends) for question in QUESTIONS)
    assert max(len(question.code.splitlines()) for question in QUESTIONS) <= 12


@pytest.mark.parametrize(
    "library",
    [
        "nbmodule",
        pytest.param(
            "torch",
            marks=[
                pytest.mark.torch,
                pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="not installed"),
            ],
        ),
    ],
)
def test_the_recorded_answers_are_what_the_library_says(library):
    names = names_of(importlib.import_module(library))
    outcomes = {question.key: answer(question, names) for question in QUESTIONS}
    said = {key: outcome.error_text or outcome.value[0] for key, outcome in outcomes.items()}
    assert said == {question.key: question.torch for question in QUESTIONS}


# ---- our solutions, and what is left out of them


def test_our_solutions_give_every_answer(sit):
    taken = sit(solved_text())
    assert in_state(taken, "right") == [question.key for question in QUESTIONS]
    report = ExamReport(taken)
    assert report.passed
    assert report.advice.startswith("Passed.")


@pytest.mark.parametrize(
    "left_out", ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "14"]
)
def test_a_chapter_that_is_left_out_is_named(sit, monkeypatch, left_out):
    """The second `__init__`, of 06.3, holds what chapter 01 taught, so it goes as well; who has solved 15 has met 14."""
    gone = {"01": ("01.", "06.3")}.get(left_out, (f"{left_out}.",))
    known = solved.solutions_before("16")
    kept = {name: each for name, each in known.items() if not name.startswith(gone)}
    monkeypatch.setattr(solved, "solutions_before", lambda chapter: kept)
    taken = sit(solved.solved_text())
    named = {found.question.chapter for found in taken.answers if found.state == "wrong"}
    report = ExamReport(taken)
    assert report.begin_with is not None
    assert report.begin_with.question.chapter == left_out
    assert named == {left_out}
    assert not report.passed
    assert not in_state(taken, "unasked")


FAULTS = {
    "own-drawers": ('slots["_buffers"] = {}', 'slots["_buffers"] = vars(type(self)).get("kept", {})\n        type(self).kept = slots["_buffers"]'),
    "frozen": ("        if isinstance(value, Parameter):\n            self._make", "        if isinstance(value, Parameter) and value.requires_grad:\n            self._make"),
    "early": ('and "_modules" not in slots:', 'and False:\n            pass\n        if isinstance(value, Parameter) and "_modules" not in slots:\n            return\n        if False:'),
    "wrong-value": ('            if value is not None:\n                raise TypeError(f"\'{name}\' is a child', '            if False:\n                raise TypeError(f"\'{name}\' is a child'),
    "none": ("            self._modules[name] = None\n", "            del self._modules[name]\n"),
    "one-home": ("self._make_room(name, keep=self._parameters)", "pass"),
    "buffer-filing": ("if value is not None and not isinstance(value, Tensor):", "if False:"),
    "half-built": ("found = self.__dict__.get(drawer, {})", "found = getattr(self, drawer)"),
    "delete": ("        elif name in self._modules:\n            del self._modules[name]\n", ""),
    "dir": (" if not name[0].isdigit()", ""),
    "no-forward": ("raise NotImplementedError(", "return str("),
    "hook": ("            return result if changed is None else changed", "            return changed"),
    "extra-repr": ("entries = [extra] if extra else []", "entries = []"),
    "parameter-leaf": ("if param is not None and param.grad_fn is not None:", "if False:"),
    "not-saved": ("            self._non_persistent_buffers_set.add(name)", "            pass"),
    "parameter-options": ("whole_tree if recurse else [(prefix, self)]", "whole_tree"),
    "freezing": ("parameter.requires_grad_(requires_grad)\n        return self", "parameter.requires_grad_(requires_grad)"),
    "cycle": ("            memo.add(self)\n        yield prefix", "            pass\n        yield prefix"),
    "apply": ("        for child in self.children():\n            child.apply(fn)\n        fn(self)\n", "        fn(self)\n        for child in self.children():\n            child.apply(fn)\n"),
    "set-submodule": ("        setattr(parent, name, module)", "        pass"),
    "slices": ("return type(self)(OrderedDict(list(self._modules.items())[index]))", "return list(self)[index]"),
    "wrong-mode": ("if not isinstance(mode, bool):", "if False:"),
    "live": ("value if keep_vars else value.detach()", "value if keep_vars else value.detach().clone()"),
    "metadata": ("destination._metadata[prefix[:-1]]", "destination._metadata[prefix]"),
    "wrong-shape": (" or new.shape != old.shape:", ":"),
    "assign": ('elif local_metadata.get("assign_to_params_buffers"):', "elif False:"),
    "same-object": ("if moved.is_meta == param.is_meta:", "if False:"),
    "gradients-move": ("param.grad = grad\n", "pass\n"),
    "to-refuses": ("dtype.is_floating_point\n", "True\n"),
    "zero-grad-zeros": ("            if set_to_none:\n", "            if True:\n"),
}  # fmt: skip


@pytest.mark.parametrize("key", FAULTS)
def test_one_fault_is_one_red_answer(sit, key):
    old, new = FAULTS[key]
    assert solved_text().count(old) == 1
    taken = sit(solved_text().replace(old, new))
    assert in_state(taken, "wrong") == [key]


# ---- files that do harm


def breaking(old, new):
    assert old in solved_text()
    return solved_text().replace(old, new, 1)


UNFIT = {
    "": "no class `Module`",
    "class Module(:\n": "isn't valid Python in line 1",
    "import nowhere\n": "No module named 'nowhere'",
    "raise SystemExit\n": "SystemExit",
    INHERITED: "Your Module has no parent",
    "from nbmodule.nn import Module\n": "is imported",
}
HARMFUL = {
    "while True:\n    print('flood' * 1000)\n": "still running 1 s after its import began, in line",
    "import os\nos._exit(3)\n": "ended with exit status 3",
    "import nbmodule\nnbmodule.ones = nbmodule.zeros\nclass Module: pass\n": "replaces `ones` of the library itself",
    "import nbmodule\ndel nbmodule.float64\nclass Module: pass\n": "replaces `float64` of the library itself",
    "from nbmodule.nn import Module as M\nM.train = None\nclass Module: pass\n": "replaces `Module.train`",
    "import os\nfor fd in range(3, 30):\n    try: os.write(fd, b'[1]\\n')\n    except OSError: pass\n": "where only the exam writes",
}


@pytest.mark.parametrize(("text", "said"), UNFIT.items(), ids=UNFIT.values())
def test_a_file_that_cannot_be_asked_says_why(sit, text, said):
    """Nothing in these files outlives the question."""
    with pytest.raises(room.Unfit, match=re.escape(said)):
        sit(text)


def test_a_large_import_is_named(tmp_path):
    (tmp_path / "large.py").write_text("while True: pass\n")
    file = tmp_path / "my_module.py"
    file.write_text("import nbmodule\nimport large\nclass Module: pass\n")
    said = exam(file).taken.unfit
    assert said.startswith("In line 2 of my_module.py, `import large` takes too long: ")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_file_that_forks_is_asked_once(tmp_path):
    """The child goes on in the same code as its parent, and is silent. It can't fork in its turn: then it ends at once."""
    file = tmp_path / "my_module.py"
    fork = "import os\nif os.fork() == 0:\n    os.fork = lambda: os._exit(0)\n"
    file.write_text(fork + "class Module: pass\n")
    taken = taking.take(FIRST, file, QUESTIONS[:2])
    assert not taken.unfit
    assert not [found for found in taken.answers if "no answer" in found.said]


@pytest.mark.parametrize(("text", "said"), HARMFUL.items(), ids=HARMFUL.values())
def test_a_file_that_does_harm_says_why(tmp_path, text, said):
    file = tmp_path / "my_module.py"
    file.write_text(text)
    report = exam(file)
    assert said in report.taken.unfit
    assert said in report.to_text()
    assert not report.passed
    assert not (tmp_path / FIRST.page).exists()


def test_a_class_that_hangs_floods_and_dies_gets_a_report_and_a_page(tmp_path):
    text = breaking("        self.training = mode\n", "        while True: pass\n")
    for old, new in (
        ("        fn(self)\n", "        import os; os._exit(5)\n"),
        ("            self._modules[name] = None\n", "            raise ValueError('</dd><script>')\n"),
        ("        for _, buffer in self.n", "        while True: print('x' * 9999)\n        for _, buffer in self.n"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new, 1)
    file = tmp_path / "my_module.py"
    file.write_text(text)
    report = exam(file)
    said = {
        found.question.key: found.said for found in report.taken.answers if found.state == "wrong"
    }
    assert said.keys() == {"none", "buffers", "apply", "modes"}
    assert "exit status 5" in said["apply"]
    assert "still running" in said["modes"]
    assert "still running" in said["buffers"]
    where = {a.question.key: a.where.partition(" in ")[2] for a in report.taken.answers}
    assert (where["modes"], where["buffers"], where["apply"]) == ("`train`", "`buffers`", "")
    assert said["none"] == "ValueError: </dd><script>"
    assert in_state(report.taken, "waits") == ["wrong-mode", "dropout", "batch-norm"]
    assert report.begin_with is not None
    assert report.begin_with.question.mends == "02.3"
    page = (tmp_path / FIRST.page).read_text(encoding="utf-8")
    assert _tags(page)["script"] == 0
    assert "&lt;script&gt;" in page
    assert "&lt;script&gt;" in report.to_html()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(Exception):\n            __str__ = lambda self: 1 / 0\n        raise E", "E: its message can't be shown, because its `__str__` raises ZeroDivisionError"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import sys; sys.setrecursionlimit(10**9); self.train()", "RecursionError"),
        ("raise GeneratorExit", "GeneratorExit"),
    ],
)  # fmt: skip
def test_what_went_wrong_is_said_as_it_was(sit, line, said):
    taken = sit(
        breaking(
            "        self.training = mode\n", f"        {line}\n        self.training = mode\n"
        )
    )
    found = {answer.question.key: answer for answer in taken.answers}["modes"]
    assert found.said.startswith(said)
    assert found.state == "wrong"


@pytest.mark.parametrize(
    "line", ["[1, 2]", "5", '{"a": 1, "line": "x"}', '{"key": 5}', '{"key": "modes"}']
)
def test_a_line_that_the_exam_does_not_write_is_not_taken(line):
    assert not taking._is_ours(json.loads(line))


@pytest.mark.parametrize("written", ["garbage \\xff", '{"a": 1}'])
def test_what_the_class_writes_past_python_is_no_answer(tmp_path, written):
    write = f"        import os\n        for fd in range(3, 30):\n            try: os.write(fd, b'{written}\\n')\n            except OSError: pass\n"
    file = tmp_path / "my_module.py"
    file.write_text(
        "import json\njson.dumps = None\n"
        + breaking("        self.training = mode\n", f"{write}        self.training = mode\n")
    )
    report = exam(file)
    assert {a.question.key: a.said for a in report.taken.answers if a.state == "wrong"} == {
        "modes": "no answer: the process wrote what isn't an answer where only the exam writes"
    }
    assert (tmp_path / FIRST.page).is_file()


@pytest.mark.parametrize(
    ("method", "first", "error", "mends"),
    [
        ("load_state_dict", "nowhere", "NameError", "10.4"),
        ("train", "while True: pass", "", "09.1"),  # what takes too long has no words yet
        ("_own_state", "None.detach", "AttributeError", "10.1"),
        ("_own_state", "return self._own_state()", "RecursionError", "10.1"),
        ("_named_members", "self.missing_here", "AttributeError", "07.3"),
        ("_apply", "1 / 0", "ZeroDivisionError", "11.3"),
        ("_load_from_state_dict", "raise RuntimeError('mine')", "RuntimeError", ""),
    ],
)
def test_a_fault_inside_a_method_names_its_line_and_its_exercise(sit, method, first, error, mends):
    text = solved_text()
    head = re.search(rf"^    def {method}\((?:.|\n)*?:\n", text, re.MULTILINE)
    assert head is not None
    text = f"{text[: head.end()]}        {first}\n{text[head.end() :]}"
    line = text[: head.end()].count("\n") + 1
    taken = sit(text)
    wrong = [answer for answer in taken.answers if answer.state == "wrong"]
    met = [found for found in wrong if (error in found.said if error else not found.said)]
    assert met
    for found in met:
        assert found.mends == mends
        assert found.where == (f"my_module.py, line {line}, in `{method}`" if mends else "")
    if mends:
        report = ExamReport(taken)
        for shown in (report.to_text(), report.to_html(), page_of(report)):
            assert f"my_module.py, line {line}, in " in shown


@pytest.mark.parametrize(
    ("method", "mends"),
    [("_own_state", "10.1"), ("_load_from_state_dict", "10.3"), ("_apply", "11.1")],
)
def test_a_method_that_is_missing_sends_to_the_exercise_that_teaches_it(sit, method, mends):
    text = solved_text()
    taken = sit(re.sub(rf"def {method}\b", f"def _x{method}", text))
    wrong = [answer for answer in taken.answers if answer.state == "wrong"]
    lacking = [answer for answer in wrong if f"no attribute '{method}'" in answer.said]
    assert lacking
    assert {answer.mends for answer in lacking} == {mends}


def test_the_page_is_one_plain_file(sit):
    page = page_of(ExamReport(sit(solved_text())))
    tags = _tags(page)
    assert tags["script"] + tags["link"] + tags["img"] + tags["iframe"] == 0
    assert tags["h1"] == 1
    assert tags["details"] == len(QUESTIONS) + 2
    assert not re.search(r"https?://|url\(|@import| on\w+=", page)
    assert "@media screen and (prefers-color-scheme: dark)" in page  # paper is white
    assert "prefers-color-scheme" not in page.replace("@media screen and (prefers-color-scheme", "")
    assert "@media print" in page


def test_what_to_begin_with_is_a_link_and_no_backtick_is_shown(sit):
    """Of a class that can't even be made, so that the first exercise has code in its title."""
    report = ExamReport(sit("class Module:\n    def __init__(self):\n        pass\n"))
    first = report.begin_with
    assert first is not None
    page = page_of(report)
    assert f'<a href="#{first.question.key}">Begin with ' in page
    assert f'id="{first.question.key}"' in page
    for html in (page, report.to_html()):
        assert "`" not in re.sub(r"<(style|code|pre|dd)\b.*?</\1>", "", html, flags=re.DOTALL)


def test_the_command_takes_the_exam_in_a_readers_folder(tmp_path, capsys):
    (tmp_path / MANIFEST).write_text("{}")
    assert main(["exam", str(tmp_path)]) == 1
    assert "There is no my_module.py" in capsys.readouterr().out
    (tmp_path / "my_module.py").write_text(solved_text())
    assert main(["exam", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Asking your my_module.py. This takes some seconds")
    assert "82 of 82" in said
    assert (tmp_path / FIRST.page).is_file()


class _Counting(HTMLParser):
    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def handle_starttag(self, tag, attrs):
        self.counts[tag] += 1


def _tags(page):
    parser = _Counting()
    parser.feed(page)
    return parser.counts
