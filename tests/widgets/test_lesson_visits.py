"""VisitPlayer: the expected order is that of the libraries, and a reader's order is told apart from it."""

from __future__ import annotations

from typing import Any

import pytest
from fingerprints import fingerprint
from module_subjects import HOSTILE

import nbmodule_widgets as nw
from nbmodule_widgets.lesson_facts.visits import HOWS


def shared(lib: Any) -> Any:
    """A Module in two blocks, another one twice in one block, a tied weight, an empty place."""
    nn = lib.nn
    act, twice = nn.ReLU(), nn.Linear(2, 2)
    model = nn.Sequential(nn.Sequential(twice, act, twice), nn.Sequential(nn.Linear(2, 2), act))
    model[1][0].weight = twice.weight
    model.register_module("empty", None)
    return model


@pytest.mark.parametrize("how", HOWS)
def test_the_expected_order_is_that_of_the_library(lib, how):
    model = shared(lib)
    before = fingerprint(model)
    found = nw.lessons.visits(model, how).facts
    assert fingerprint(model) == before
    walk = found.walk
    assert walk.same is (None if how == "train" else True)
    paths = [found.nodes[step.node].path for step in walk.visits]
    if how == "named_parameters":
        assert paths == [name for name, _ in model.named_parameters()]
    elif how == "apply":
        assert paths == ["0.0", "0.1", "0", "1.0", "1.1", "1", ""]
    elif how == "train":
        assert paths == ["", "0", "0.0", "0.1", "1", "1.0", "1.1"]
    elif how == "children":
        assert paths == ["0", "1"]
    else:
        names = {"modules": model.named_modules()}.get(
            how, model.named_modules(remove_duplicate=False)
        )
        assert paths == [name for name, _ in names]


def test_what_is_skipped_and_what_is_remembered(lib):
    walk = nw.lessons.visits(shared(lib)).facts.walk
    skipped = [step.words for step in walk.steps if step.kind == "skip"]
    assert skipped[0] == "`0.2` is the same object as `0.0`, which is in the memo: skipped."
    assert [step.memo >= 0 for step in walk.steps] == [step.kind == "visit" for step in walk.steps]
    text = str(nw.lessons.visits(shared(lib)))
    assert "skipped    skipped    " in text
    assert text == str(nw.lessons.visits(shared(lib)))


def test_a_cycle_ends_where_it_ends_in_the_library(lib):
    model = shared(lib)
    model[0].add_module("up", model)
    found = nw.lessons.visits(model).facts
    assert found.walk.same is True
    for how in ("apply", "train", "named_modules(remove_duplicate=False)"):
        assert found.walks[how].cut
        assert found.walks[how].steps[-1].kind == "cut" or "named" in how
        assert "ends with a RecursionError" in found.walks[how].verdict
    for call in (model.train, lambda: list(model.named_modules(remove_duplicate=False))):
        with pytest.raises(RecursionError):
            call()


class Mine:
    """A reader's Module; a test gives it walks."""

    def __init__(self, **children: Any) -> None:
        self.__dict__.update(_modules=children, _parameters={}, _buffers={})


def children_first(self: Any) -> Any:
    for child in self._modules.values():
        yield from child.modules()
    yield self


def forever(self: Any) -> Any:
    while True:
        yield self


def too_few(self: Any) -> Any:
    yield self


def raises(self: Any) -> Any:
    yield self
    raise KeyError("b")


WRONG = {
    "children first": (
        children_first,
        "visits `a.c` as number 1; PyTorch's visits `the model itself` there.",
    ),
    "endless": (forever, "does not come to an end: stopped after 204 visits."),
    "too few": (too_few, "stops after 1 visit; PyTorch's goes on with `a`."),
    "raises": (raises, "Then it raised KeyError: 'b'"),
    "strangers": (
        lambda self: iter([self, 3]),
        "visits `(an int that is not in the tree)` as number 2",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_first_difference_is_named(name):
    walk, said = WRONG[name]
    kind = type("Mine", (Mine,), {"modules": walk})
    model = kind(a=kind(c=kind()), b=kind())
    found = nw.lessons.visits(model).facts
    assert found.walk.same is False
    assert said in found.walk.verdict
    assert found.walks["apply"].same is None
    assert "no `apply()` yet" in found.walks["apply"].verdict


def test_an_apply_that_changes_the_model_or_does_not_end_leaves_no_trace():
    def apply(self: Any, function: Any) -> Any:
        self.touched = True
        while True:
            function(self)

    model = type("Mine", (Mine,), {"apply": apply})(a=Mine())
    found = nw.lessons.visits(model, "apply").facts
    assert "does not come to an end" in found.walk.verdict
    assert "touched" not in vars(model)


class Walking(Mine):
    """A reader's Module whose walk is right, with a way by path that is not."""

    def modules(self, memo: Any = None) -> Any:
        memo = set() if memo is None else memo
        if self in memo:
            return
        memo.add(self)
        yield self
        for child in self._modules.values():
            yield from child.modules(memo)

    def get_submodule(self, target: str) -> Any:
        return self._modules.get(target)


def test_the_lines_of_the_readers_own_walk_are_counted(lib):
    shared = Walking()
    found = nw.lessons.visits(Walking(a=shared, b=Walking(c=shared))).facts.walk
    assert found.same is True
    ((whose, lines),) = found.lines
    assert whose == "Walking.modules"
    ran = {line.text.strip(): line.ran for line in lines}
    assert (ran["if self in memo:"], ran["return"], ran["yield self"]) == (4, 1, 3)
    assert "▸         return" in str(nw.lessons.visits(Walking(a=shared, b=shared)))
    assert nw.lessons.visits(lib.nn.Sequential(lib.nn.ReLU())).facts.walk.lines == ()


@pytest.mark.parametrize(
    ("path", "steps", "right"),
    [
        ("", [("", True)], "get_submodule"),
        ("1.0.weight", [("", True), ("1", True), ("0", True), ("weight", True)], "get_parameter"),
        ("up.0", [("", True), ("up", True), ("0", True)], "get_submodule"),
        ("0.running_mean", [("", True), ("0", True), ("running_mean", True)], "get_buffer"),
        ("1.9.weight", [("", True), ("1", True), ("9", False)], ""),
        ("empty", [("", True), ("empty", True)], ""),
        ("0.eps", [("", True), ("0", True), ("eps", True)], ""),
        ("1..0", [("", True), ("1", True), ("(an empty name)", False)], ""),
    ],
)
def test_a_path_leads_where_it_leads_in_the_library(lib, path, steps, right):
    nn = lib.nn
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Sequential(nn.Linear(2, 2)))
    model.register_module("empty", None)
    model.add_module("up", model)
    before = fingerprint(model)
    found = nw.lessons.visits(model, path=path).facts.path
    assert fingerprint(model) == before
    assert [(step.name, step.found) for step in found.steps] == steps
    assert found.found is all(there for _, there in steps)
    assert all(answer.same for answer in found.answers)
    gives = [a.call.partition("(")[0] for a in found.answers if a.says.startswith("gives")]
    assert gives == ([right] if right else [])


def test_a_method_of_the_readers_that_loses_the_way_is_told_apart():
    view = nw.lessons.visits(Walking(a=Walking(b=Walking())), path="a.b")
    first, *others = view.facts.path.answers
    assert (first.same, first.says) == (False, "gives None; PyTorch's gives what is there")
    assert {answer.same for answer in others} == {None}
    assert view.follow("a").answers[0].same is True
    assert view.visits["path"]["words"] == "`a` leads to a Walking, in `_modules`."
    with pytest.raises(TypeError, match="not an int"):
        view.follow(3)
    assert view.facts.path.path == "a"


def test_what_cannot_be_asked_is_said():
    with pytest.raises(ValueError, match="knows 'modules', 'apply'"):
        nw.lessons.visits(Mine(), "walk")
    with pytest.raises(ValueError, match="got beside='walk'"):
        nw.lessons.visits(Mine(), beside="walk")
    with pytest.raises(TypeError, match="unexpected keyword argument 'order'"):
        nw.lessons.visits(Mine(), order="apply")
    assert nw.lessons.visits(Mine(), "modules()").facts.how == "modules"


@pytest.mark.browser
def test_playing_lights_the_places_and_sends_nothing(stage):
    model = shared(pytest.importorskip("nbmodule"))
    model.add_module(HOSTILE.replace(".", ""), model[0])
    stage.show(nw.lessons.visits(model), ("visits", "problem"))
    left, right = (
        stage.page.get_by_role("region", name="modules()"),
        stage.page.get_by_role("region", name="apply(fn)"),
    )
    stage.page.get_by_role("button", name="play").focus()
    stage.keys("ArrowRight", "ArrowRight")
    assert left.locator(".number").all_inner_texts()[:4] == ["1", "2", "3", "·"]
    assert right.locator(".number").all_inner_texts()[:4] == ["↓", "3", "1", "2"]
    assert "memo (3)" in stage.page.get_by_role("group", name="memo").inner_text()
    stage.keys("ArrowRight", "ArrowRight")
    assert left.locator(".lit.skipped").inner_text().startswith("✕")
    height = stage.page.locator("main").bounding_box()["height"]
    stage.keys("End")
    assert stage.page.locator("main").bounding_box()["height"] == height
    stage.page.get_by_label("the walk that is played").select_option("named_parameters")
    stage.keys("Tab")
    parameters = stage.page.get_by_role("region", name="named_parameters()")
    assert parameters.locator(".parameter").count() == 10
    stage.page.get_by_label("Follow a path").fill("1.0.weight")
    stage.keys("Enter")
    stage.view.follow("1.0.weight")
    stage.push("visits")
    assert "leads to a Parameter" in stage.page.locator(".way").inner_text()
    assert stage.page.locator(".steps li").all_inner_texts()[-1] == "weight: Parameter"
    assert stage.page.evaluate("() => window.pwned") is None
    assert [message["kind"] for message in stage.page.evaluate("() => window.sent")] == [
        "opened",
        "follow",
    ]
