"""`mine = carried()`: the reader's class so far, our layers on it, `mine.extend`, and what chapter it is."""

import copy
import pickle

import growing_course
import pytest

import nbmodule
from nbmodule import nn, tensor
from nbmodule_course import UsageError, carried, chapters, stubs
from nbmodule_course.capture import run_snippet
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.mine.carried import carried_by, current
from nbmodule_course.replay import Session


@pytest.fixture(autouse=True)
def in_a_course(tmp_path, monkeypatch):
    """A folder of the reader's, and a course of chapters 91 to 93."""
    folder = growing_course.write_course(tmp_path / "course")
    monkeypatch.setattr(chapters, "folder", lambda: folder)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    stubs._work_places.cache_clear()
    yield
    stubs._work_places.cache_clear()


@pytest.fixture
def session():
    with Session() as running:
        yield running


def begin(session, chapter):
    error = session.run(growing_course.START + f"# {chapter}")
    assert error is None, error
    return session.names["mine"]


def run(session, source):
    error = session.run(source)
    assert error is None, error


def test_all_layers_stand_on_the_readers_class(session):
    mine = begin(session, "91")
    layer = mine.Conv2d(1, 2, 3)
    assert isinstance(layer, mine.so_far)
    assert not isinstance(layer, nn.Module)
    nbmodule.manual_seed(0)
    theirs = mine.Sequential(mine.Linear(3, 4), mine.ReLU())
    nbmodule.manual_seed(0)
    ours = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    x = tensor([[1.0, -2.0, 3.0]])
    assert theirs(x).tolist() == ours(x).tolist()
    assert repr(theirs) == repr(ours)


def test_so_far_holds_the_chapters_before_and_nothing_of_later_ones(session):
    mine = begin(session, "93")
    names = {name for name in vars(mine.so_far) if name.startswith(("__init", "__set", "__get", "_m"))}  # fmt: skip
    assert names == {"__init__", "__setattr__", "_make_room"}
    assert {origin.whose for origin in mine.methods.values()} == {"ours"}
    net = mine.so_far()
    net.child = mine.Linear(1, 1)
    assert list(net._modules) == ["child"]
    assert not hasattr(net, "child")


def test_a_cell_extends_the_one_class_in_place(session):
    mine = begin(session, "91")
    before, Module = mine.so_far, session.names["Module"]
    assert "__init__" in mine.lent or "__init__" not in vars(before)
    run(session, without_markers(growing_course.INIT))
    assert session.names["Module"] is before is Module
    assert mine.methods["__init__"].whose == "yours"
    assert vars(before()).keys() == {"training", "_parameters", "_buffers", "_modules"}
    run(session, without_markers(growing_course.ROWS))  # `super()` in it means object
    assert "__setattr__" not in mine.lent
    net = mine.Sequential(mine.Linear(2, 2))
    assert list(net._modules) == ["0"]
    raw = before()
    raw.inner = net
    assert raw._modules == {"inner": net}
    assert mine.Sequential(raw)[0] is raw  # an object of the class itself is a Module, too


def test_a_cell_that_is_run_again_replaces_what_it_gave(session):
    mine = begin(session, "92")
    run(session, without_markers(growing_course.ROOM))
    assert "_make_room" in vars(mine.so_far)
    shorter = without_markers(growing_course.ROOM).partition("\n    def _make_room")[0]
    run(session, shorter)
    assert "_make_room" not in vars(mine.so_far)
    run(session, without_markers(growing_course.ROWS))  # another cell
    assert mine.methods["__setattr__"].exercise_id == "92.1"


@pytest.mark.parametrize("body", ["        ...", "        pass", '        """Files it."""'])
def test_an_untouched_exercise_goes_on_with_our_solution(session, body):
    mine = begin(session, "92")
    run(session, without_markers(growing_course.ROWS))
    assert mine.methods["__setattr__"].whose == "yours"
    run(
        session, stub_of(growing_course.ROOM).replace("        ...", body)
    )  # it looks like the stub of ROWS
    assert mine.methods["__setattr__"].whose == "ours"
    assert mine.methods["_make_room"].whose == "ours"
    assert mine.so_far.__setattr__.__qualname__ == "Module.__setattr__"  # as Python's messages say
    net = mine.so_far()
    net.child = mine.so_far()
    assert list(net._modules) == ["child"]
    run(session, without_markers(growing_course.ROOM))
    assert mine.methods["_make_room"].whose == "yours"


def test_functions_land_beside_the_class(session):
    mine = begin(session, "93")
    run(session, stub_of(growing_course.COUNT))
    assert mine.functions["count"].whose == "ours"
    assert mine.count(mine.Linear(2, 2)) == session.names["count"](mine.Linear(2, 2)) == 2
    run(
        session, without_markers(growing_course.COUNT).replace("len(module._p", "7 + len(module._p")
    )
    assert mine.count(mine.Linear(2, 2)) == 9


@pytest.mark.parametrize(
    ("written", "whose"), [(without_markers, "yours"), (stub_of, "ours")], ids=["yours", "ours"]
)
def test_the_first_cell_run_again_loses_nothing(session, written, whose):
    begin(session, "92")
    run(session, written(growing_course.ROWS))
    mine = begin(session, "92")
    assert mine.methods["__setattr__"].whose == whose
    net = session.names["Module"]()
    net.child = mine.Linear(1, 1)
    assert list(net._modules) == ["child"]


def test_a_class_with_a_parent_is_refused(session):
    begin(session, "91")
    error = session.run("@mine.extend\nclass Module(nn.Module):\n    def f(self): return 1")
    assert isinstance(error, UsageError)
    assert "inherits from `nbmodule.nn.modules.module.Module`" in str(error)
    with pytest.raises(UsageError, match="has no parent"):
        carried(nn.Linear)


def test_carried_objects_are_copied_and_pickled(session):
    mine = begin(session, "93")
    net = mine.Sequential(mine.Linear(2, 2), mine.BatchNorm1d(2))
    for again in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert type(again) is mine.Sequential
        assert again.state_dict().keys() == net.state_dict().keys()
        assert isinstance(again[0], mine.so_far)


def test_a_method_that_raises_while_a_layer_is_made_is_called_the_readers(session):
    mine = begin(session, "92")
    broken = without_markers(growing_course.ROWS).replace("self._parameters[", "self._params[")
    run(session, broken)
    with pytest.raises(AttributeError) as caught:
        mine.Linear(1, 1)
    note = caught.value.__notes__[0]
    assert "your own `__setattr__`, which ran while `Linear` was being made" in note
    assert "self._params[name] = value" in note


def test_a_hook_that_would_never_run_is_refused(session):
    mine = begin(session, "93")
    layer = mine.Identity()
    layer.register_forward_hook(lambda *args: None).remove()
    call = "@mine.extend\nclass Module:\n    def __call__(self, *args):\n        return self.forward(*args)"
    run(session, call)
    with pytest.raises(NotImplementedError, match="your `__call__` never looks there"):
        mine.Identity().register_forward_hook(lambda *args: None)
    run(session, call.replace("return", "assert not self._forward_hooks; return"))
    mine.Identity().register_forward_hook(lambda *args: None)
    with pytest.raises(NotImplementedError, match=r"with_kwargs=True\) would have no effect"):
        mine.Identity().register_forward_hook(lambda *args: None, with_kwargs=True)


def test_in_a_notebook_of_ones_own_everything_is_taken_as_it_is(session):
    session.run("from nbmodule_course import carried\nmine = carried()")
    mine = session.names["mine"]
    run(session, "@mine.extend\nclass Module:\n    def forward(self):\n        pass")
    assert mine.methods["forward"].whose == "yours"
    assert mine.Module()() is None


def test_global_hooks_run_on_carried_modules(session):
    mine = begin(session, "91")
    seen = []
    handle = nn.modules.module.register_module_forward_hook(lambda m, *_: seen.append(type(m)))
    mine.Identity()(tensor(1.0))
    handle.remove()
    assert seen == [mine.Identity]


def test_the_view_says_of_each_method_whose_it_is(session):
    mine = begin(session, "92")
    run(session, without_markers(growing_course.ROWS))
    text = repr(mine)
    assert text.startswith("Your Module: 1 method is yours, 1 is ours, ")
    assert "○ __init__     ours: exercise 91.1 is still open" in text
    assert "✓ __setattr__  yours, exercise 92.1" in text
    assert "register_buffer" in text.partition("to come")[2]
    html = mine._repr_html_()
    assert html.count("<details") == 3
    assert "isinstance" in html
    assert "SOLUTION" not in html


def test_a_snippet_that_carries_leaves_the_notebooks_class_alone(session):
    """`with_torch` and predictions run lines with a `carried()` of their own, beside the notebook's."""
    mine = begin(session, "92")
    run(session, growing_course.ROWS)
    seen = run_snippet(
        'from nbmodule_course import carried\nmine = carried(chapter="93")\nmine.so_far.__name__',
        {},
    )
    assert seen.value == ("'Module'", "Module")
    assert current() is mine
    assert carried_by(mine.Module) is mine
    again = begin(session, "92")  # the first cell once more: what the cells gave is taken over
    assert again is not mine
    assert [given.exercise_id for given in again.cells] == [
        given.exercise_id for given in mine.cells
    ]
    assert again.cells
