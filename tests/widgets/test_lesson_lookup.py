"""AttributeLookup: the ladder of `module.name`, predicted, tried, and shown."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import pytest
from module_subjects import HOSTILE, MISBEHAVING, Linear, Module, Net, Parameter, Recurses

import nbmodule_widgets as nw
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views import lookup as views_lookup


def model_of(lib: Any) -> Any:
    class Small(lib.nn.Module):
        factor = 3

        def __init__(self) -> None:
            super().__init__()
            self.fc = lib.nn.Linear(2, 2)
            self.scale = lib.nn.Parameter(lib.ones(2))
            self.register_buffer("mean", lib.zeros(2))
            self.register_buffer("none", None)
            self.lr = 0.1
            self.head = lib.nn.ReLU()  # the class has a method of this name

        def head(self) -> None: ...  # type: ignore[no-redef]

        @property
        def size(self) -> Any:
            return self.wieght

        @property
        def double(self) -> float:
            return 2 * self.lr

        @functools.cached_property
        def once(self) -> float:
            return 2 * self.lr

    return Small()


@pytest.mark.parametrize(
    ("name", "end", "has", "lists"),
    [
        ("double", "data descriptor", "True", True),
        ("lr", "__dict__", "True", True),
        ("training", "__dict__", "True", True),
        ("_modules", "__dict__", "True", True),
        ("forward", "class", "True", True),
        ("factor", "class", "True", True),
        ("head", "class", "True", True),
        ("once", "class", "True", True),
        ("scale", "_parameters", "True", True),
        ("mean", "_buffers", "True", True),
        ("none", "_buffers", "True", True),
        ("fc", "_modules", "True", True),
        ("size", "AttributeError", "False", True),
        ("fcc", "AttributeError", "False", False),
    ],
)
def test_where_the_search_ends(lib, name, end, has, lists):
    model = model_of(lib)
    found = nw.lessons.lookup(model, name).facts
    assert found.rungs[found.ended].key == end
    assert hasattr(model, name) == (has == "True")
    assert (found.hasattr, found.dir == "lists it") == (has, lists)
    assert (name in dir(model)) == lists
    assert found.agrees in (True, None)
    assert [rung.step for rung in found.rungs] == ["1", "2", "3", "4", "4a", "4b", "4c", "–"]


def test_what_the_ladder_says_of_shadows_and_of_a_property_that_is_blamed(lib):
    model = model_of(lib)
    head = nw.lessons.lookup(model, "head").facts
    assert next(r for r in head.rungs if r.key == "_modules").state == "hidden"
    assert "`self.head` never reaches it: rung 3 answers first" in head.notes[0]
    size = nw.lessons.lookup(model, "size")
    assert size.facts.error == "AttributeError: 'Small' object has no attribute 'size'"
    assert "has no attribute 'wieght'" in size.facts.notes[0]
    assert [rung.state for rung in size.facts.rungs[:4]] == ["passed", "unasked", "unasked", "passed"]  # fmt: skip
    assert [line.text.strip() for line in size.facts.source if line.ran] == ["return self.wieght"]
    assert nw.lessons.lookup(model, "fcc").facts.near == ("fc",)
    assert len(nw.lessons.lookup(model, "head").figure().axes[0].texts) == 4 * 8
    assert "several lookups, the first of them for `fc`" in str(
        nw.lessons.lookup(model, "fc.weight")
    )


@pytest.mark.parametrize("make", MISBEHAVING)
@pytest.mark.parametrize("name", ["fc", "nope", "forward", "_modules", "training", "__class__"])
def test_python_does_what_the_ladder_says(make, name):
    found = nw.lessons.lookup(make(), name).facts
    if found.tried.startswith("not tried"):  # no copy could be made
        assert found.hasattr == "not tried"
        return
    tried = attempt(getattr, make(), name)
    assert found.error.split(":")[0] == tried.problem.split(":")[0]
    assert found.rungs[found.ended].state == ("raised" if tried.problem else "found")
    assert found.agrees is not False


class OpensInItsOwnOrder(Module):
    def __getattr__(self, name: str) -> Any:
        found = self.__dict__["_modules"]
        if name in found:
            return found[name]
        return self.__dict__["_parameters"].get(name)


def test_the_readers_own_getattr_is_watched():
    model = OpensInItsOwnOrder()
    model.weight = Parameter([1.0])
    found = nw.lessons.lookup(model, "weight").facts
    states = {rung.key: (rung.step, rung.state) for rung in found.rungs[4:7]}
    assert states == {
        "_modules": ("4a", "empty"),
        "_parameters": ("4b", "found"),
        "_buffers": ("4c", "unasked"),
    }
    assert found.source_of == "OpensInItsOwnOrder.__getattr__"
    assert [line.ran for line in found.source] == [0, 1, 1, 0, 1]
    view = nw.lessons.lookup(model, "typo")
    assert [step for step, _ in view.ladder["moments"]] == [0, 1, 2, 3, 4, 5, 3]
    nothing = view.facts
    assert (nothing.hasattr, nothing.result) == ("True", "None")
    assert "answers for a name that is in no drawer" in nothing.notes[0]


class Endless(Module):
    def __getattr__(self, name: str) -> Any:
        while True:
            with contextlib.suppress(Exception):
                self.__dict__["turns"] = self.__dict__.get("turns", 0) + 1


def test_what_calls_itself_or_never_ends_is_stopped_and_said():
    recursing = nw.lessons.lookup(Recurses(), "fc")
    assert recursing.facts.hasattr == "raises RecursionError: maximum recursion depth exceeded"
    assert "asks itself, again and again" in str(recursing)
    model = Endless()
    endless = nw.lessons.lookup(model, "x").facts
    assert "does this loop ever end?" in endless.error
    assert "turns" not in vars(model)


class Busy(Module):
    @property
    def draw(self) -> float:
        self.__dict__["reads"] = self.__dict__.get("reads", 0) + 1
        print("reading")
        return float(np.random.rand())  # noqa: NPY002


def test_the_readers_code_runs_on_a_copy_and_in_silence(capsys):
    model = Busy()
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.RandomState(5).rand()
    assert nw.lessons.lookup(model, "draw").facts.tried == "on a copy"
    assert "reads" not in vars(model)
    assert np.random.rand() == expected  # noqa: NPY002
    assert capsys.readouterr().out == ""


def test_a_model_that_cannot_be_copied_is_not_tried(monkeypatch):
    monkeypatch.setattr(views_lookup, "_LARGEST", 10)
    big = Busy()
    big.fc = Linear(3, 4)
    view = nw.lessons.lookup(big, "draw")
    assert "64 B is too large" in view.facts.tried
    assert view.facts.hasattr == "not tried"
    assert "Predicted by reading" in str(view)
    assert nw.lessons.lookup(big, "fc").facts.tried.startswith("not tried")  # its `__getattr__` is the class's own  # fmt: skip


def test_a_large_model_is_copied_again_only_if_something_came_or_went(monkeypatch):
    monkeypatch.setattr(views_lookup, "_LARGE", 10)
    model = Busy()
    model.fc = Linear(3, 4)
    view = nw.lessons.lookup(model, "draw")
    first = view.facts
    view.refresh()
    assert view.facts is first
    model.fc = Linear(3, 4)
    view.refresh()
    assert view.facts is not first
    assert view.look("draw") is view.facts


def test_the_view_follows_the_object_and_another_name(from_page):
    class Plain:
        step = "class"

    thing = Plain()
    view = nw.lessons.lookup(thing, "step")
    assert [rung.step for rung in view.facts.rungs] == ["1", "2", "3", "4", "–"]  # no drawers here
    thing.__dict__["step"] = "own"
    view.refresh()
    assert view.facts.rungs[view.facts.ended].key == "__dict__"
    assert "Shadow: rung 2 hides what rung 3 has" in str(view)
    from_page(view, kind="look", name="gone")
    assert view.ladder["name"] == "gone"
    from_page(view, kind="look", name=7)
    assert view.problem == ""
    for wrong, words in ((3, "as a str"), (None, "as a str")):
        with pytest.raises(TypeError, match=words):
            nw.lessons.lookup(thing, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs an object with a `__dict__`"):
        nw.lessons.lookup(5, "real")
    with pytest.raises(TypeError, match="unexpected keyword argument 'deep'"):
        nw.lessons.lookup(thing, "step", deep=True)


@pytest.mark.browser
def test_the_search_goes_down_the_ladder(stage):
    stage.show(nw.lessons.lookup(Net(), "second"), ("ladder",))
    rungs = stage.page.locator(".rung")
    now = stage.page.locator(".rung.now")
    assert now.locator(".step").inner_text() == "1"  # the search is still to come
    assert not stage.page.locator(".verdict").is_visible()
    stage.page.get_by_role("button", name="play").focus()
    stage.keys("End")
    assert now.locator(".step").inner_text() == "4c"
    assert stage.page.locator(".verdict").is_visible()
    stage.keys("Home", "ArrowRight")
    assert now.locator(".step").inner_text() == "2"
    assert rungs.nth(1).locator(".says").is_visible()
    assert not rungs.nth(2).locator(".says").is_visible()
    assert not stage.page.locator(".verdict").is_visible()
    field = stage.page.get_by_label("Look for")
    field.fill(HOSTILE)
    field.press("Enter")
    assert stage.page.evaluate("() => window.sent.at(-1)") == {"kind": "look", "name": HOSTILE}
    stage.view.look(HOSTILE)
    stage.push("ladder")
    assert now.locator(".step").inner_text() == "1"
    stage.page.get_by_role("button", name="last moment").click()
    assert now.locator(".step").inner_text() == "–"
    assert "AttributeError" in stage.page.locator(".verdict").inner_text()
    assert stage.page.evaluate("() => window.pwned") is None
    stage.view.look("secand")
    stage.push("ladder")
    stage.page.get_by_role("button", name="second").click()
    assert stage.page.evaluate("() => window.sent.at(-1).name") == "second"
