"""Layers of the reader's own: classes that stand on the reader's Module, from their first stub to later chapters."""

import copy
import pickle
import sys
from pathlib import Path

import layers_course
import pytest

import nbmodule
from nbmodule_course import chapters, check, stubs
from nbmodule_course.check import examine
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.mine import kept_blocks, kept_text
from nbmodule_course.mine.cells import read_cell
from nbmodule_course.mine.commands import overview, take_back
from nbmodule_course.mine.solved import solved_text
from nbmodule_course.referee.wrong_answers import item_of, source_of
from nbmodule_course.replay import Session
from nbmodule_course.wording import UsageError

LINEAR, SIZE, CHAIN = map(
    without_markers, (layers_course.LINEAR, layers_course.SIZE, layers_course.CHAIN)
)
FILE = Path("my_module.py")


@pytest.fixture(autouse=True)
def in_a_course(tmp_path, monkeypatch):
    folder = layers_course.write_course(tmp_path / "course")
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
        assert session.run(f"{layers_course.FIRST}# {number}") is None
        return session

    yield start
    for each in reversed(opened):
        each.__exit__()


def solve(session, exercise_id, source, taken):
    error = session.run(source)
    assert error is None, error
    report = check(exercise_id, session.names[taken])
    assert report.passed, report
    return report.landing.to_text()


def solve_all(chapter):
    solve(
        chapter("94"), "94.1", without_markers(layers_course.CLASS + layers_course.CALL), "Module"
    )
    sixth = chapter("95")
    solve(sixth, "95.1", LINEAR, "MyLinear")
    solve(sixth, "95.2", SIZE, "MyLinear")
    seventh = chapter("96")
    solve(seventh, "96.1", CHAIN, "Sequential")
    return seventh


def test_a_layer_grows_below_the_class_in_the_readers_own_words(chapter):
    seventh = solve_all(chapter)
    text = FILE.read_text()
    assert 'class MyLinear(Module):\n    """A weight and a bias."""\n\n    # exercise 95.1\n    # The layer\'s own numbers.\n    def __init__' in text  # fmt: skip
    order = ["class Module", "def __getattr__", "class MyLinear(", "def extra_repr", "class Sequential(", "def forward"]  # fmt: skip
    assert sorted(order, key=text.rindex) == [*order[:5], order[5]]
    classes = "\n\nclass Module:"
    assert text.partition(classes)[2] == solved_text().partition(classes)[2]
    assert Path("my_module_earlier").is_dir()
    names = {}
    exec(text, names)  # it stands alone
    net = names["Sequential"](names["MyLinear"](2, 3), names["MyLinear"](3, 1))
    assert net(nbmodule.ones(5, 2)).shape == (5, 1)
    again = chapter("95")  # run again from the top: nothing changes
    solve(again, "95.1", LINEAR, "MyLinear")
    assert FILE.read_text() == text
    assert "mine" in seventh.names


def test_the_class_is_one_object_and_an_untouched_stub_is_ours(chapter):
    session = chapter("95")
    assert session.run(stub_of(layers_course.LINEAR)) is None
    MyLinear, mine = session.names["MyLinear"], session.names["mine"]
    layer = mine.MyLinear(2, 3)
    assert layer(nbmodule.ones(1, 2)).shape == (1, 3)
    assert check("95.1", MyLinear).status == "not started"
    assert (
        session.run(LINEAR.split("    def forward")[0] + "    def forward(self, x): ...\n") is None
    )
    assert "`MyLinear.forward` is still as at the start" in check("95.1", MyLinear).to_text()
    solve(session, "95.1", LINEAR, "MyLinear")
    solve(session, "95.2", SIZE, "MyLinear")
    assert session.names["MyLinear"] is MyLinear
    assert layer.extra_repr() == "2 -> 3"
    assert isinstance(MyLinear(1, 1), mine.MyLinear)
    assert [row.name for row in dict(mine.view.layers)["MyLinear"]] == ["__init__", "forward", "extra_repr"]  # fmt: skip


def test_a_check_in_the_middle_of_a_cell_saves_what_stands_above_it(chapter):
    below = "@mine.extend\nclass Chain(Module):\n    def forward(self, x):\n        return x"
    session = chapter("95")
    session.names["check"] = check
    error = session.run(f'{LINEAR}\nreport = check("95.1", MyLinear)\n\n{below}')
    assert error is None, error
    assert session.names["report"].passed
    assert "class MyLinear(" in FILE.read_text()
    assert "class Chain(" not in FILE.read_text()


def test_a_later_chapter_brings_the_readers_layers_completed(chapter):
    assert chapter("97").names["mine"].Sequential.__module__.startswith("nbmodule.")
    assert chapter("97").names["mine"].MyLinear(2, 3)(nbmodule.ones(1, 2)).shape == (1, 3)
    solve_all(chapter)
    session = chapter("97")
    mine = session.names["mine"]
    net = mine.Sequential(mine.MyLinear(2, 3), mine.ReLU(), mine.Linear(3, 1))
    assert (
        "_modules[str(number)] = layer" in Path(type(net).__init__.__code__.co_filename).read_text()
    )
    assert isinstance(net, mine.so_far)
    assert set(net.state_dict()) == {"0.weight", "0.bias", "2.weight", "2.bias"}
    for again in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert type(again) is type(net)
        assert again(nbmodule.ones(1, 2)).tolist() == net(nbmodule.ones(1, 2)).tolist()
    session.names["plain"] = sys.modules["__main__"].MyLinear = mine.classes.others["MyLinear"]
    assert pickle.loads(pickle.dumps(session.names["plain"](2, 3))).size == (2, 3)
    assert "Your layer" in mine._repr_html_()


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            "class MyLinear:",
            "`class MyLinear:` has no parent. Write `class MyLinear(Module):` for a layer",
        ),
        ("class MyLinear(nn.Module):", "`MyLinear` inherits from `nn.Module`, the finished one."),
        ("class MyLinear(nn.Linear):", "`MyLinear` inherits from `nn.Linear`, the finished one."),
        (
            "class MyLinear(mine.Linear):",
            "`MyLinear` inherits from `mine.Linear`, the finished one.",
        ),
        (
            "class MyLinear(mine.Module):",
            "`MyLinear` stands on `mine.Module`, which also has what later",
        ),
        ("class MyLinear(dict):", "`MyLinear` inherits from `dict`."),
        ("class MyLinear(Module, dict):", "`MyLinear` has 2 parents."),
    ],
)
def test_another_base_is_named(chapter, head, said):
    session = chapter("95")
    error = session.run(LINEAR.replace("class MyLinear(Module):", head))
    assert isinstance(error, UsageError)
    assert str(error).startswith(said), error
    session.run(LINEAR.replace("@mine.extend\n", "").replace("class MyLinear(Module):", head))
    report = check("95.1", session.names["MyLinear"])
    if "dict" not in head and head != "class MyLinear(mine.Module):":
        assert "write `class MyLinear(Module):`" in report.to_text()


def test_edited_by_hand_taken_back_and_listed(chapter):
    solve_all(chapter)
    text = FILE.read_text()
    assert "your layer MyLinear:\n" in overview(Path())
    FILE.write_text(text.replace("class MyLinear(Module)", "class MyLinear(nn.Linear)"))
    assert "It stands on your own Module: write `class MyLinear(Module):`" in overview(Path())
    by_hand = "    def twice(self, x):\n        return self(x) * 2\n"
    FILE.write_text(text + by_hand)
    assert chapter("97").names["mine"].Sequential(nbmodule.nn.ReLU()).twice(nbmodule.ones(1)).tolist() == [2.0]  # fmt: skip
    assert "Taken out of my_module.py: MyLinear.extra_repr." in take_back("95.2", Path())
    assert "class MyLinear(Module):" in FILE.read_text()
    take_back("95.1", Path())
    assert "class MyLinear" not in FILE.read_text()
    take_back("Sequential", Path())
    assert [b.name for b in kept_blocks.blocks(FILE.read_text()) if b.kind == "method"] == [
        "__init__", "__setattr__", "__getattr__", "__call__",
    ]  # fmt: skip


def test_a_function_that_names_a_class_at_once_stands_below_it(chapter):
    solve_all(chapter)
    text = kept_text.add(FILE.read_text(), "96.1", read_cell(f"{LATE}{CHAIN}").functions)
    text = kept_text.add(text, "96.1", read_cell(LATE.replace("=Module", "=MyLinear")).functions)
    exec(text, {})
    assert text.count("def count(") == 1
    assert text.index("def count(") > text.index("class MyLinear(")


LATE = "@mine.extend\ndef count(m: 'a Module', kind=Module):\n    return len(m._modules)\n"


def test_the_referee_knows_layers(chapter):
    exercise = layers_course.exercises["95.1"]
    for answer in exercise.referee.wrong:
        item = item_of(exercise, source_of(exercise, answer))
        if answer.name == "no bias":
            report = examine(exercise, (item,)).to_text()
            assert "after `m = MyLinear(2, 4); m.weight[:] = 2`" in report
            assert answer.says in report
    session = chapter("95")
    hidden = "self._calls = []\n        super().__init__()\n        self._kept = {}"
    session.run(LINEAR.replace("super().__init__()", "super().__init__()\n        self._kept = {}"))
    state = nbmodule.get_rng_state().tolist()
    assert check("95.1", session.names["MyLinear"]).passed, hidden
    assert nbmodule.get_rng_state().tolist() == state
