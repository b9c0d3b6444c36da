"""The tape of the reader's own: classes that stand on nothing, and functions, in `my_tape.py` beside `my_module.py`."""

import copy
import pickle
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tape_course

import nbmodule
from nbmodule_course import chapters, check, stubs
from nbmodule_course.check import examine
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.mine import carried
from nbmodule_course.mine.commands import overview, take_back
from nbmodule_course.mine.solved import solved_text
from nbmodule_course.mine.view import GrowingClass, Row
from nbmodule_course.referee.solutions import build
from nbmodule_course.referee.wrong_answers import item_of, source_of
from nbmodule_course.replay import Session
from nbmodule_course.wording import UsageError

FILE, TAPE = Path("my_module.py"), Path("my_tape.py")
SOURCES = {
    exercise_id: (without_markers(source), taken)
    for cells in tape_course.CHAPTERS.values()
    for exercise_id, source, taken in cells
}


@pytest.fixture(autouse=True)
def in_a_course(tmp_path, monkeypatch):
    folder = tape_course.write_course(tmp_path / "course")
    monkeypatch.setattr(chapters, "folder", lambda: folder)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    stubs._work_places.cache_clear()
    yield
    stubs._work_places.cache_clear()


@pytest.fixture
def chapter():
    opened = []

    def start(number):
        session = Session()
        session.__enter__()
        opened.append(session)
        assert session.run(f"{tape_course.FIRST}# {number}") is None
        for name in ("Tensor", "order", "no_grad", "SGD"):
            session.run(f"{name} = mine.{name}")
        return session

    yield start
    for each in reversed(opened):
        each.__exit__()


def solve(session, exercise_id, source=None):
    own, taken = SOURCES[exercise_id]
    error = session.run(source or own)
    assert error is None, error
    report = check(exercise_id, session.names[taken])
    assert report.passed, report
    return report.landing.to_text()


def solve_chapter(chapter, number):
    session = chapter(number)
    for exercise_id in SOURCES:
        if exercise_id.startswith(f"{number}."):
            solve(session, exercise_id)
    return session


def solve_all(chapter):
    for number in ("94", "95", "96b"):
        solve_chapter(chapter, number)
    return solve_chapter(chapter, "96c")


def test_it_lands_beside_the_module_in_the_readers_own_words(chapter):
    session = solve_all(chapter)
    text = TAPE.read_text()
    assert text == solved_text(name="my_tape.py"), text
    classes = "\n\nclass Module:"
    assert FILE.read_text().partition(classes)[2] == solved_text().partition(classes)[2]
    assert "Tensor" not in FILE.read_text()
    assert (
        "    # exercise 96b.1\n    # Each product remembers what it was made of.\n    def __mul__"
        in text
    )
    names = {}
    exec(text, names)  # it stands alone
    a = names["Tensor"]([3.0], True)
    (a * a).backward()
    assert a.grad.data.tolist() == [6.0]
    assert Path("my_tape_earlier").is_dir()
    assert session.names["mine"].tape == TAPE.absolute()


def test_an_untouched_stub_is_ours_and_the_class_is_one_object(chapter):
    session = chapter("96b")
    assert session.run(stub_of(tape_course.TENSOR)) is None
    Tensor, mine = session.names["Tensor"], session.names["mine"]
    a = Tensor([2.0], True)
    assert (a * a).parents == (a, a)
    assert check("96b.1", Tensor).status == "not started"
    half = SOURCES["96b.1"][0].split("    # Each")[0] + "    def __mul__(self, other): ..."
    assert session.run(half) is None
    assert "`Tensor.__mul__` is still as at the start" in check("96b.1", Tensor).to_text()
    solve(session, "96b.1")
    assert session.names["Tensor"] is Tensor is mine.Tensor
    assert isinstance(a * a, Tensor)
    assert session.run(SOURCES["94.1"][0].replace("class Module", "class Module")) is None
    assert isinstance(session.run(SOURCES["96b.1"][0].replace("Tensor:", "MyLinear:")), UsageError)


@pytest.mark.parametrize("base", ["nbmodule.Tensor", "nn.Module", "mine.Linear"])
def test_the_finished_tensor_is_no_parent(chapter, base):
    session = chapter("96b")
    source = SOURCES["96b.1"][0].replace("class Tensor:", f"class Tensor({base}):")
    error = session.run(source)
    assert "Yours has no parent: write `class Tensor:`" in str(error)
    session.run(source.replace("@mine.extend\n", ""))
    report = check("96b.1", session.names["Tensor"]).to_text()
    assert "the finished one" in report
    assert "write `class Tensor:`, with `@mine.extend` above it" in report


def test_without_extend_it_is_said(chapter):
    session = solve_chapter(chapter, "94")
    session = chapter("96b")
    session.run(SOURCES["96b.1"][0].replace("@mine.extend\n", ""))
    landing = check("96b.1", session.names["Tensor"]).landing.to_text()
    assert landing.startswith("Not saved in my_tape.py: the line `@mine.extend` is missing")
    solve(session, "96b.1")
    solve(session, "96b.2")
    session.run(SOURCES["96b.3"][0].replace("@mine.extend\n", ""))
    said = check("96b.3", session.names["Tensor"]).to_text()
    assert "the line `@mine.extend` is missing above `class Tensor:`" in said


def test_a_function_that_is_written_again_is_the_new_one_for_all(chapter):
    session = chapter("96c")  # nothing is solved: all before is ours
    session.run("a = Tensor([2.0], True)\nfor _ in range(2000): a = a * Tensor([1.0])")
    assert isinstance(session.run("a.backward()"), RecursionError)
    solve(session, "96c.1")
    assert session.run("a.backward()") is None
    solve_chapter(chapter, "96b")
    later = chapter("96c")  # the file has both: this chapter starts with the first
    assert "order" in TAPE.read_text()
    later.run("a = Tensor([2.0], True)\nfor _ in range(2000): a = a * Tensor([1.0])")
    assert isinstance(later.run("a.backward()"), RecursionError)
    assert later.run(SOURCES["96c.1"][0]) is None
    assert later.run("a.backward()") is None


def test_the_referee_builds_the_tape(chapter):
    for exercise_id, deep in (("96b.3", False), ("96c.1", True)):
        Tensor = build(exercise_id)["Tensor"]
        b = Tensor([2.0], True)
        for _ in range(2000):
            b = b * Tensor([1.0])
        if deep:
            b.backward()
        else:
            with pytest.raises(RecursionError):
                b.backward()


def test_what_an_open_exercise_would_give_stands_in(chapter):
    session = chapter("96b")
    assert session.run(stub_of(tape_course.TENSOR)) is None
    said = solve(session, "96b.2")
    assert said == "Saved in my_tape.py: `order`."
    solve(session, "96b.3")
    text = TAPE.read_text()
    assert "class Tensor:" in text
    assert "__init__" not in text
    assert "def _add" in text  # the helper came along
    later = chapter("96c")
    assert later.run("a = Tensor([2.0], True)\n(a * a).backward()") is None
    assert later.names["a"].grad.data.tolist() == [4.0]
    assert "96b.1" in str(later.names["mine"])
    assert "uses `Tensor`" not in overview(Path())


def test_taken_back_edited_half_broken_and_deleted(chapter):
    solve_all(chapter)
    text = TAPE.read_text()
    assert "your tape, class Tensor:\n" in overview(Path())
    assert "your tape, functions:\n" in overview(Path())
    assert "my_module.py and" in overview(Path())
    assert "Your tape, class" in chapter("96c").names["mine"]._repr_html_()
    by_hand = text.replace("self.grad = None", "self.grad = None\n        self.by_hand = 1")
    TAPE.write_text(by_hand.replace("    # exercise 96b.1\n", "") + "\n\nclass Own:\n    x = 1\n")
    session = chapter("96c")
    assert session.names["Tensor"]([1.0]).by_hand == 1
    solve(session, "96c.1")
    assert "class Own:\n    x = 1\n" in TAPE.read_text()
    assert "Taken out of my_tape.py: order. The previous version is my_tape_earlier/" in take_back(
        "96c.1", Path()
    )
    assert "Taken out of my_tape.py: Tensor.backward and _add." in take_back("96b.3", Path())
    take_back("no_grad", Path())
    take_back("Tensor", Path())
    take_back("SGD", Path())
    assert "class Own" in TAPE.read_text()
    assert "exercise" not in TAPE.read_text().partition("class Own")[0].partition('"""\n')[2]
    assert "Taken out of my_module.py: zero_grad." in take_back("96c.4", Path())
    module = FILE.read_text()
    for broken, said in (
        ("class Tensor(:", "my_tape.py is not valid Python in line 1"),
        ("raise ValueError(5)", "my_tape.py cannot be run. Line 1 raises ValueError: 5."),
        ("class Tensor:\n    def __init__(self): self.x = y\n", "your `Tensor.__init__` uses `y`"),
    ):
        TAPE.write_text(broken)
        session = chapter("96c")
        assert said in overview(Path())
        if "uses" not in said:
            session.run("a = Tensor([2.0], True)\n(a * a).backward()")
            assert session.names["a"].grad.data.tolist() == [4.0]  # ours stands in
            assert "MyLinear" in str(session.names["mine"])
            assert "Until then, there is no tape of yours here" in overview(Path())
            session.names["mine"].on_my_tape()  # the promise is kept
            with pytest.raises(UsageError, match=f"{re.escape(said)}.*no tape of yours here"):
                carried(chapter="").on_my_tape()  # a notebook of the reader's own
            carried(chapter="96c")
    TAPE.write_text("class Tensor(:")
    said = check("96c.1", session.names["order"]) if not session.run(SOURCES["96c.1"][0]) else None
    assert "Not saved in my_tape.py: line 1 of it is not valid Python" in said.landing.to_text()
    with pytest.raises(UsageError, match=r"my_tape\.py is not valid Python"):
        take_back("96b.1", Path())
    assert TAPE.read_text() == "class Tensor(:"
    assert FILE.read_text() == module
    TAPE.write_text("class SGD(dict): pass")
    session = chapter("96c")
    session.run(stub_of(tape_course.NO_GRAD))
    session.run(SOURCES["96c.3"][0])
    said = check("96c.3", session.names["SGD"])
    assert "Write `class SGD:` there" in said.landing.to_text()
    TAPE.unlink()
    FILE.write_text(module + "\n\nclass Tensor:\n    x = 1\n")
    assert "`Tensor` in my_module.py belongs to your tape. Move it into my_tape.py" in overview(
        Path()
    )
    FILE.write_text(module)
    solve_chapter(chapter, "96b")
    solve_chapter(chapter, "96c")
    assert TAPE.read_text() == text


def test_the_readers_line_is_shown_when_their_method_raises(chapter):
    session = chapter("96b")
    wrong = SOURCES["96b.1"][0].replace("self.data * other.data", "self.data * other.dat")
    assert session.run(wrong) is None
    said = check("96b.1", session.names["Tensor"]).to_text()
    assert "AttributeError: 'Tensor' object has no attribute 'dat'" in said
    assert "self.data * other.dat" in said
    (answer,) = tape_course.exercises["96b.1"].referee.wrong
    exercise = tape_course.exercises["96b.1"]
    item = item_of(exercise, source_of(exercise, answer))
    assert answer.says in examine(exercise, (item,)).to_text()


MENDED = """
@mine.extend
class Tensor:
    def backward(self):
        # mended
        for tensor in [self]: tensor.grad = Tensor(np.ones_like(tensor.data))
"""


def test_a_method_of_before_that_is_mended_here_is_not_forgotten_in_silence(chapter):
    solve_chapter(chapter, "94")
    solve_chapter(chapter, "96b")
    session = chapter("96c")
    assert session.run(MENDED) is None
    said = solve(session, "96c.2")
    notice = (
        "This ran with the `Tensor.backward` of this notebook; my_tape.py has another one. "
        '`check("96b.3", Tensor)` saves yours.'
    )
    assert notice in said
    assert "# mended" not in TAPE.read_text()
    solve(session, "96b.3")  # again as it is in the file
    take_back("96c.2", Path())
    assert "This ran with" not in solve(session, "96c.2")


def test_one_method_of_the_tape_is_taken_back_by_its_own_name(chapter):
    solve_all(chapter)
    assert take_back("backward", Path()).startswith("Taken out of my_tape.py: Tensor.backward.")
    assert "def backward" not in TAPE.read_text()
    assert take_back("__exit__", Path()).startswith("Taken out of my_tape.py: no_grad.__exit__.")
    assert take_back("zero_grad", Path()).startswith("Taken out of my_module.py: zero_grad.")
    assert take_back("__init__", Path()).startswith("Taken out of my_module.py: __init__.")
    said = "Several classes have a method.* MyLinear.__init__, Tensor.__init__ and SGD.__init__"
    with pytest.raises(UsageError, match=said):
        take_back("__init__", Path())
    with pytest.raises(UsageError, match=r"no method of that name\. Did you mean \"SGD\.step\""):
        take_back("SGD.stepp", Path())


def test_two_notebooks_and_run_again(chapter):
    first, second = chapter("96b"), chapter("96b")
    assert first.run(stub_of(tape_course.ORDER)) is None
    solve(first, "96b.1")
    solve(second, "96b.2")
    solve(first, "96b.3")
    assert [TAPE.read_text().count(f"# exercise 96b.{n}\n") for n in (1, 2, 3)] == [2, 1, 2]
    solve(second, "96b.1")
    text = TAPE.read_text()
    for _ in range(2):
        solve_chapter(chapter, "96b")
    assert TAPE.read_text() == text
    session = solve_chapter(chapter, "96c")
    Tensor, a = session.names["Tensor"], session.value_of("Tensor([2.0], True)")
    assert session.run(f"{tape_course.FIRST}# 96c\nTensor, SGD = mine.Tensor, mine.SGD") is None
    assert session.run(SOURCES["96c.3"][0]) is None  # the first cell ran again
    mine = session.names["mine"]
    assert {name for name, _ in mine.view.tape} == {"Tensor", "no_grad", "SGD", ""}
    assert mine.Tensor.__name__ == Tensor.__name__
    for again in (copy.deepcopy(a), _pickled(session, a, Tensor)):
        assert type(again) is type(a)
        assert again.data.tolist() == [2.0]


def _pickled(session, value, cls):
    sys.modules["__main__"].Tensor = cls
    return pickle.loads(pickle.dumps(value))


def test_the_module_on_the_readers_tape(chapter):
    with pytest.raises(UsageError, match="no `Tensor` of yours yet"):
        chapter("96b").names["mine"].on_my_tape()
    solve_all(chapter)
    session = chapter("96c")
    mine = session.names["mine"]
    session.run(MATMUL)
    session.run("@mine.extend\ndef relu(x): return nn.functional.relu(x)")
    tape = mine.on_my_tape()
    nbmodule.manual_seed(0)
    layer = tape.MyLinear(2, 3)
    nbmodule.manual_seed(0)
    ours = mine.MyLinear(2, 3)
    x = np.ones((4, 2), dtype="float32")
    assert np.allclose(layer(tape.Tensor(x)).data, ours(nbmodule.tensor(x)).detach().numpy())
    assert list(layer._parameters) == ["weight", "bias"]
    assert type(layer.weight) is tape.Parameter
    assert issubclass(tape.Parameter, mine.Tensor)
    assert isinstance(layer, tape.Module)
    assert not isinstance(layer, mine.Module)
    assert layer.extra_repr() == "2 -> 3"
    assert mine.on_my_tape() is tape
    session.names["tape"] = tape
    assert session.run(NET) is None
    net = session.value_of("Net()")
    for again in (copy.deepcopy(net), _pickled(session, net, mine.Tensor)):
        assert again.fc.weight.data.tolist() == net.fc.weight.data.tolist()
        assert type(again.fc) is tape.MyLinear
    assert (
        session.run("@mine.extend\nclass MyLinear(Module):\n    def extra_repr(self): return 'new'")
        is None
    )
    assert mine.on_my_tape().MyLinear(1, 1).extra_repr() == "new"
    for wrong in (lambda: tape.Linear(2, 3), lambda: tape.relu(layer.weight)):
        with pytest.raises(UsageError, match="is nbmodule's, and computes with nbmodule's tensors"):
            wrong()
    with pytest.raises(AttributeError, match="no layer and no function"):
        _ = tape.nothing
    assert session.run("@mine.extend\ndef twice(x): return nbmodule.matmul(x, x)") is None
    assert mine.on_my_tape().twice(tape.Tensor(np.eye(2))).data.tolist() == [[1, 0], [0, 1]]


def _on_tape_of(chapter, forward="x @ self.weight.T + self.bias", begin="pass"):
    """Return the tape of a reader whose MyLinear is this."""
    session = solve_chapter(chapter, "96b")
    assert session.run(MATMUL) is None
    source = f"@mine.extend\nclass MyLinear(Module):\n    def forward(self, x):\n        return {forward}\n"
    own = SOURCES["95.1"][0].partition("    def forward")[0]
    for text in (f"{own}        {begin}\n", source):
        assert session.run(text) is None
    session.names["F"] = nbmodule.nn.functional
    return session.names["mine"].on_my_tape()


def _used(tape):
    nbmodule.manual_seed(0)
    return tape.MyLinear(2, 3)(tape.Tensor([[1.0, 2.0]])).data.tolist()


FILLED = "self.weight.{}; self.bias.zero_()"


@pytest.mark.parametrize(
    ("forward", "begin"),
    [
        ("F.linear(x, self.weight, self.bias)", "pass"),
        ("nbmodule.nn.functional.linear(x, self.weight) + self.bias", "pass"),
        ("nbmodule.matmul(x, nbmodule.t(self.weight)) + self.bias", "pass"),
        ("nbmodule.add(nbmodule.mm(x, self.weight.T), self.bias)", "pass"),
        ("x @ self.weight.T + self.bias", FILLED.format("copy_(nbmodule.ones(3, 2))")),
        ("x @ self.weight.T + self.bias", FILLED.format("copy_(self.weight)")),
        ("x @ self.weight.T + self.bias", "nbmodule.no_grad(); self.weight.uniform_(-1, 1)"),
        ("x @ self.weight.T + self.bias", FILLED.format("zero_().fill_(2)")),
    ],
)
def test_a_linear_layer_in_other_words_is_the_readers_own(chapter, forward, begin, capsys):
    plain = "zero" not in begin and "uniform" not in begin
    tape = _on_tape_of(chapter, forward, begin)
    assert "stands in" not in capsys.readouterr().out
    nbmodule.manual_seed(0)
    layer = tape.MyLinear(2, 3)
    x = np.array([[1, 2]], "float32")
    assert np.allclose(layer(tape.Tensor(x)).data, x @ layer.weight.data.T + layer.bias.data)
    assert type(layer.weight) is tape.Parameter
    if plain:
        nbmodule.manual_seed(0)
        drawn = nbmodule.nn.init.normal_(nbmodule.zeros(3, 2)).numpy()
        assert (layer.weight.data == drawn).all()


@pytest.mark.parametrize(
    ("forward", "begin", "missing"),
    [
        ("x @ self.weight.transpose(0, 1) + self.bias", "pass", "'transpose'"),
        ("x @ self.weight.t() + self.bias", "pass", "'t'"),
        ("x.matmul(self.weight.T) + self.bias", "pass", "'matmul'"),
        ("nbmodule.addmm(self.bias, x, self.weight.T)", "pass", "`addmm` is nbmodule's"),
        ("(x >= 0) @ self.weight.T", "pass", "'>=' not supported"),
        ("x @ self.weight.T * len(x)", "pass", "has no len"),
        ("x @ self.weight.T", "self.weight.data.uniform_(-1, 1)", "'uniform_'"),
        ("x @ self.weight.T", "self.weight.data.copy_(self.weight)", "'copy_'"),
        ("x @ self.weight.T", "self.weight.data.mul_(2)", "'mul_'"),
    ],
)
def test_ours_stands_in_for_a_linear_layer_that_cant_run_there(
    chapter, forward, begin, missing, capsys
):
    state = nbmodule.get_rng_state().numpy().tolist()
    tape = _on_tape_of(chapter, forward, begin)
    assert nbmodule.get_rng_state().numpy().tolist() == state
    method = "forward" if begin == "pass" else "__init__"
    said = capsys.readouterr().out
    assert f"Your `MyLinear.{method}` (exercise 95.1) asks for something" in said
    assert missing in said
    assert "our `MyLinear` stands in for yours" in said
    remedy = "`x @ self.weight.T + self.bias`" if begin == "pass" else "`init.uniform_(self.weight"
    assert f"{remedy}" in said
    assert "my_module.py" in said
    assert len(_used(tape)[0]) == 3
    out = tape.MyLinear(2, 3)(tape.Tensor([[1.0, 2.0]]))
    assert type(out) is tape.Tensor


@pytest.mark.parametrize(
    ("forward", "kind"),
    [("int('a' + 1)", TypeError), ("self.weigth", AttributeError), ("1 / 0", ZeroDivisionError)],
)
def test_a_fault_that_has_nothing_to_do_with_the_tape_stays_the_readers(chapter, forward, kind, capsys):  # fmt: skip
    tape = _on_tape_of(chapter, forward)
    assert "stands in" not in capsys.readouterr().out
    with pytest.raises(kind):
        _used(tape)


@pytest.mark.parametrize(
    ("begin", "forward", "method", "missing"),
    [
        ("self.n = 1", "x.var(0)", "forward", "'var'"),
        ("self.n = 1", "nn.functional.dropout(x, 0.5)", "forward", "`dropout` is nbmodule's"),
        ("self.n = 1", "x * (nbmodule.rand(2) >= 0.5)", "forward", "'>=' not supported"),
        ("self.n = nbmodule.zeros(3).mul_(2)", "x", "__init__", "'mul_'"),
    ],
)
def test_any_other_layer_says_what_its_tensor_lacks(chapter, begin, forward, method, missing):
    session = solve_chapter(chapter, "96b")
    source = (
        "@mine.extend\nclass Norm(Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        {begin}\n    def forward(self, x):\n        return {forward}\n"
    )
    assert session.run(source) is None
    tape = session.names["mine"].on_my_tape()
    said = rf"`Norm` can't run on your tape: its `{method}` asks .*{missing}.* Leave `Norm` out"
    with pytest.raises(UsageError, match=said):
        tape.Norm()(tape.Tensor([1.0, 2.0]))


MATMUL = """
@mine.extend
class Tensor:
    def __matmul__(self, other): return Tensor(self.data @ other.data, True, (self, other))
    def __add__(self, other): return Tensor(self.data + other.data, True, (self, other))
    T = property(lambda self: Tensor(self.data.T))
"""
NET = """
class Net(tape.Module):
    def __init__(self):
        super().__init__()
        self.fc = tape.MyLinear(2, 3)
        self.other = Parameter = tape.Parameter(nbmodule.randn(2))
    def forward(self, x):
        return self.fc(x) * self.other
Parameter = tape.Parameter
"""


def test_the_newest_chapter_is_in_sight_and_in_color():
    row = Row("forward", "yours", "04.1", "def forward(self): ...")
    before = GrowingClass((row,), (row,), (), (("MyLinear", (row,)),))
    assert before.to_html().count("<details") == 3  # each row unfolds to its source
    html = replace(before, tape=(("Node", (replace(row, exercise_id="12.1"),)),)).to_html()
    assert html.count("<details") == 7
    folded, _, newest = html.partition("Your tape")
    assert "</code> (1)</summary>" in folded
    assert "Outside the class (1)</summary>" in folded
    assert folded.count("<details") == folded.count("</details>") == 6
    assert ">def</span>" in newest
    assert "def forward(self): ..." in folded
