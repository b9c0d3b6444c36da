"""KeyMatcher: what it predicts is what `load_state_dict` does, word for word; and keys that are tied by hand."""

from __future__ import annotations

import copy
import random
import time
from typing import Any

import numpy as np
import pytest
from fingerprints import fingerprint
from module_subjects import (
    HOSTILE,
    Net,
    Parameter,
    RaisesEverywhere,
    StubbornDict,
    StubbornKey,
    Tensor,
)
from module_subjects import Module as OwnModule

import nbmodule_widgets as nw

NO_DOT = HOSTILE.replace(".", "")  # a name with a dot would be a path
TRAITS = ("matched", "answer", "problem")


def net(lib: Any) -> Any:
    nn = lib.nn

    class WithExtra(nn.Linear):
        def get_extra_state(self) -> Any:
            return {"seen": 3}

        def set_extra_state(self, state: Any) -> None: ...

    model = nn.Sequential(
        nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Sequential(WithExtra(3, 3), nn.Linear(3, 4))
    )
    model[2][1].weight = model[0].weight  # (3, 4) in both places
    model.register_buffer("mask", lib.ones(3), persistent=False)
    model.register_buffer("scale", lib.zeros(()))
    model.register_module("empty", None)
    return model


def broken(lib: Any, seed: int) -> dict[str, Any]:
    """A state with everything that can be wrong with it."""
    draw, state = random.Random(seed), dict(net(lib).state_dict())
    for key in list(state):
        fate = draw.randrange(8)
        if fate == 0:
            del state[key]
        elif fate == 1:
            state[
                draw.choice(("module.", "2.", "2.0.", "empty.", "")) + key + draw.choice(("", ".x"))
            ] = state.pop(key)
        elif fate == 2:
            state[key] = lib.zeros(draw.choice(((), (1,), (9, 2))))
        elif fate == 3:
            state[key] = draw.choice((3, None, np.ones(3), "text"))
        elif fate == 4 and "extra" not in key:
            state[key] = state[key].double()
    state.update(
        {"mask": lib.ones(3), "2._extra_state": 1, "unknown": lib.ones(2)} if seed % 2 else {}
    )
    return state


@pytest.mark.parametrize("seed", range(12))
def test_the_error_is_that_of_load_state_dict(lib, seed):
    model, state = net(lib), broken(lib, seed)
    before = fingerprint(model)
    found = nw.match_keys(model, state).facts
    assert fingerprint(model) == before
    for strict, predicted in ((True, found.errors), (False, found.lenient_errors)):
        answer, error = loaded(copy.deepcopy(model), state, strict)
        assert "\n\t".join(predicted) == error
        if answer is not None:
            assert found.missing == tuple(answer.missing_keys)
            assert found.unexpected == tuple(answer.unexpected_keys)


def loaded(model: Any, state: Any, strict: bool) -> tuple[Any, str]:
    """What `load_state_dict` returned, and the message of what it raised."""
    try:
        return model.load_state_dict(state, strict=strict), ""
    except RuntimeError as error:
        return None, str(error)


def test_a_state_that_fits(lib):
    found = nw.match_keys(net(lib), net(lib)).facts
    assert set(found.counts().items()) >= {("matched", 13), ("missing", 0), ("unexpected", 0)}
    assert "All keys matched" in found.strict_words
    assert dict(found.left_out)["mask"] == "a buffer with `persistent=False`: no key"
    notes = {row.model_key: row.note for row in found.rows}
    assert notes["2.1.weight"] == "one tensor with `0.weight`: loaded twice, the last one stays"


def test_a_prefix_is_seen_and_taken_away(lib):
    model = net(lib)
    state = {f"module.{key}": value for key, value in net(lib).state_dict().items()}
    view = nw.match_keys(model, state)
    assert view.facts.hints == ("All 13 keys would match without the prefix `module.`",)
    assert view.code == ""
    renamed = view.accept().renamed()
    assert view.facts.errors == ()
    assert all(renamed[key.removeprefix("module.")] is value for key, value in state.items())
    names = {"state": state}
    exec(view.code, names)
    assert names["state"] == renamed
    model.load_state_dict(renamed)
    assert str(view.undo()) == str(nw.match_keys(net(lib), state))


def test_a_head_of_another_size_has_a_remedy_that_runs(lib):
    def classifier(classes):
        return lib.nn.Sequential(
            lib.nn.Linear(4, 3), lib.nn.BatchNorm1d(3), lib.nn.Linear(3, classes)
        )

    model, other = classifier(10), classifier(1000)
    state = {f"module.{key}": value for key, value in other.state_dict().items()}
    view = nw.match_keys(model, state)
    (hint,) = view.facts.hints
    fitting = sum(one.fits for one in view.facts.suggestions)
    assert hint.startswith(f"{fitting} of the 9 keys would match")  # as many as are accepted
    assert view.remedy == ""  # nothing that is there is in the way
    state = other.state_dict()
    view = nw.match_keys(model, state)
    assert view.facts.lenient_errors
    assert view.remedy in str(view)
    head = model[2].weight.detach().clone()
    exec(view.remedy, {"model": model, "state": state})
    assert bool((model[0].weight == other[0].weight).all())
    assert bool((model[2].weight == head).all())
    assert len(state) == 9
    hostile = nw.match_keys(model, {**state, "2.bias": "'); import os #"})
    assert hostile.remedy.startswith("misfits = {'2.weight', '2.bias'}\n")


def test_suggestions_by_place_by_ending_and_by_shape():
    nbmodule = pytest.importorskip("nbmodule")
    nn = nbmodule.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))
    a, b = nn.Linear(2, 3), nn.Linear(3, 4)
    state = {"enc.kernel": a.weight, "enc.bias": a.bias, "dec.weight": b.weight, "dec.bias": b.bias}
    found = nw.match_keys(model, state).facts
    pairs = {one.old: one.new for one in found.suggestions}
    assert pairs == {
        "enc.kernel": "0.weight",
        "enc.bias": "0.bias",
        "dec.weight": "1.weight",
        "dec.bias": "1.bias",
    }
    whole = nw.match_keys(model, {"model": state, "epoch": 3}).facts
    assert whole.hints[0].startswith("This looks like a whole checkpoint: `model`")


def test_renaming_by_hand():
    nbmodule = pytest.importorskip("nbmodule")
    model = nbmodule.nn.Linear(2, 3)
    other = nbmodule.nn.Linear(2, 3)
    view = nw.match_keys(model, {"w": other.weight, "bias": other.bias})
    with pytest.raises(KeyError, match="no key 'x'"):
        view.rename("x", "weight")
    with pytest.raises(ValueError, match="`bias` is taken"):
        view.rename("w", "bias")
    view.rename("w", "v").rename("v", "weight")
    assert view.renames == {"w": "weight"}
    assert view.renamed() == {"weight": other.weight, "bias": other.bias}
    assert view.undo("w").renames == {}


def test_what_is_no_state_is_refused():
    model = OwnModule()
    for wrong, said in (
        (3, "got an int"),
        ("model.pt", "load the file first"),
        ([1], "got a list"),
    ):
        with pytest.raises(TypeError, match=said):
            nw.match_keys(model, wrong)


def test_a_load_state_dict_of_a_reader_s_own_is_not_vouched_for(lib):
    class Deaf(lib.nn.Linear):
        def load_state_dict(self, *_: Any, **__: Any) -> None:
            raise AssertionError("a look has loaded something")

    model, state = Deaf(2, 1), lib.nn.Linear(2, 1).state_dict()
    (said,) = nw.match_keys(model, state).facts.notes
    assert said.startswith("The class has its own `load_state_dict()`. It isn't run")
    assert not nw.match_keys(lib.nn.Linear(2, 1), state).facts.notes


@pytest.mark.parametrize("home", ["nbmodule.nn.modules.batchnorm", "torch.nn", "elsewhere"])
def test_a_library_s_layer_is_known_on_a_reader_s_module_too(home):
    class Own(OwnModule):
        def _load_from_state_dict(self, *given: Any) -> None: ...

    class Norm(Own):  # the course puts nbmodule's layers on the reader's Module
        def _load_from_state_dict(self, *given: Any) -> None: ...

    Norm.__module__ = home
    notes = nw.match_keys(Norm(), {}).facts.notes
    said = any("which may behave differently" in note for note in notes)
    assert said == (home == "elsewhere")


@pytest.mark.browser
def test_in_a_narrow_view_every_key_can_be_read(stage):
    nn = pytest.importorskip("nbmodule").nn
    model = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5))
    state = {f"module.{key}": value for key, value in model.state_dict().items()}
    view = nw.match_keys(model, state)
    for old, new in {f"module.{key}": key for key in model.state_dict()}.items():
        view.rename(old, new)
    state["module.0.bias"] = nn.Linear(
        4, 2
    ).bias  # what is wrong with it must not take the place of the key
    view.refresh()
    stage.show(view, TRAITS)
    cut = """all => all.filter((name) =>
        name.getBoundingClientRect().right > name.closest(".line > span").getBoundingClientRect().right + 1)
        .map((name) => name.textContent)"""
    grid = stage.page.get_by_role("grid")
    for width, state_of_two in ((900, "detached"), (420, "attached"), (900, "detached")):
        stage.page.set_viewport_size({"width": width, "height": 900})
        stage.page.locator(".lines.two").wait_for(state=state_of_two)
        assert grid.locator(".inner bdi").evaluate_all(cut) == []
        grid.focus()
        stage.keys("Home", "End")
        row, box = grid.locator("[aria-selected=true]").bounding_box(), grid.bounding_box()
        assert row["y"] + row["height"] <= box["y"] + box["height"] + 1


def test_odd_keys_and_a_class_without_load_state_dict():
    model = OwnModule()
    model._parameters.update({NO_DOT: Parameter([1.0]), "w": Parameter([1.0])})
    state = {NO_DOT: Tensor([1.0]), 3: Tensor([1.0]), ("a", "b"): "x", "w\x00": None}
    view = nw.match_keys(model, state)
    assert "The class has no `load_state_dict()` yet" in view.facts.notes[0]
    assert "<script" not in view.to_html()
    assert view.facts.counts()["unexpected"] == 3
    view.rename("3", "w")
    assert "w" in view.renamed()


def play(stage: Any) -> None:
    """Lets Python hear what the page has sent, and answer."""
    for message in stage.page.evaluate("() => window.sent.splice(0)"):
        if message["kind"] not in ("opened", "closed"):
            stage.view.handle(message)
    stage.push(*TRAITS)


def test_states_that_do_not_answer_and_modules_without_state_dict():
    stubborn = StubbornDict()
    dict.__setitem__(stubborn, StubbornKey("first.weight"), Tensor([1.0]))
    view = nw.match_keys(Net(), stubborn)
    assert view.facts.counts()["shape"] == 1
    assert len(view.accept().renamed()) == 1
    odd = {"first.weight": RaisesEverywhere(), "first.bias": StubbornKey("x"), "x": {}}
    assert nw.match_keys(Net(), odd).facts.counts()["value"] == 2
    assert nw.match_keys(Net(), Net()).facts.counts()["matched"] == 7


@pytest.mark.browser
def test_keys_are_tied_by_keyboard_and_by_drag(stage):
    nbmodule = pytest.importorskip("nbmodule")
    nn = nbmodule.nn
    model, other = nn.Linear(2, 3), nn.Linear(2, 3)
    stage.show(nw.match_keys(model, {"b": other.bias, NO_DOT: other.weight}), TRAITS)
    grid, said = stage.page.get_by_role("grid"), stage.page.locator(".answer")
    grid.focus()
    stage.keys("End", "ArrowUp", "Enter")
    assert "Carrying b" in said.inner_text()
    assert (
        stage.page.locator("[aria-selected=true]").inner_text().startswith("bias")
    )  # the one that fits
    stage.keys("Escape")
    assert said.inner_text() == "Let go."
    stage.keys("Enter", "Enter")
    play(stage)
    assert stage.view.renames == {"b": "bias"}
    assert "b is read as bias now" in said.inner_text()
    handle = stage.page.locator("[data-item]").filter(has_text="img src").locator(".handle")
    target = stage.page.locator("[data-item]").filter(has_text="weight").first
    handle.hover()
    stage.page.mouse.down()
    box = target.bounding_box()
    stage.page.mouse.move(box["x"] + 30, box["y"] + 10, steps=4)
    assert "over" in target.get_attribute("class")
    stage.page.mouse.up()
    play(stage)
    assert stage.view.renames == {"b": "bias", NO_DOT: "weight"}
    assert stage.page.get_by_text("All keys matched successfully").is_visible()
    assert stage.page.get_by_text("removeprefix").count() == 0
    assert stage.page.evaluate("() => window.pwned") is None


@pytest.mark.browser
def test_ten_thousand_keys_stay_usable(stage):
    class Wide(OwnModule):
        def __init__(self) -> None:
            super().__init__()
            one = Parameter(np.ones((2, 2)))
            self._parameters.update(
                {f"layer{i}_weight": one if i else Parameter([1.0]) for i in range(10_000)}
            )

    model = Wide()
    state = {f"module.{key}": value for key, value in model._parameters.items()}
    began = time.process_time()
    view = nw.match_keys(model, state)
    assert len(view.facts.suggestions) == 10_000
    assert time.process_time() - began < 20  # a guard against what is quadratic, not a measurement
    stage.show(view, TRAITS)
    rows = stage.page.locator("[data-item]")
    assert 10 < rows.count() < 40
    stage.page.get_by_role("button", name="unexpected").click()
    stage.page.get_by_role("grid").focus()
    stage.keys("End")
    assert "module.layer9999_weight" in stage.page.locator("[aria-selected=true]").inner_text()
    stage.page.get_by_role("button", name="accept 10,000 suggestions").click()
    play(stage)
    assert (
        stage.page.get_by_text("10000 renamed")
        .or_(stage.page.get_by_text("10,000 renamed"))
        .is_visible()
    )


def test_a_tied_key_that_is_missing_is_loaded_through_the_other(lib):
    nn = lib.nn
    model = nn.ModuleDict({"tok": nn.Embedding(5, 3), "head": nn.Linear(3, 5, bias=False)})
    model["head"].weight = model["tok"].weight
    for gone, there in (("head.weight", "tok.weight"), ("tok.weight", "head.weight")):
        state = {there: lib.ones(5, 3)}
        found = nw.match_keys(model, state).facts
        (row,) = [row for row in found.rows if row.status == "missing"]
        assert row.model_key == gone
        assert row.note.startswith(f"one tensor with `{there}`, which the state has")
        assert found.lenient_words.endswith(
            "what is missing is loaded through another key of the same tensor."
        )
        model.load_state_dict(state, strict=False)
        assert model["head"].weight.tolist() == model["tok"].weight.tolist() == [[1.0] * 3] * 5


def test_what_strict_never_forgives_is_named(lib):
    model = lib.nn.Linear(3, 2)
    none = nw.match_keys(model, {"weight": lib.ones(2, 3), "bias": None}).facts
    assert none.lenient_words.endswith("never a value that is not a tensor.")
    both = nw.match_keys(model, {"weight": lib.ones(3, 2), "bias": None}).facts
    assert both.lenient_words.endswith("never a shape or a value that is not a tensor.")


def test_a_librarys_layer_on_another_base_class_is_still_the_librarys():
    """In the course, the layers stand on the reader's own Module."""

    def load(self: Any, *args: Any) -> None: ...

    def standing_on(base: type, name: str, place: str) -> type:
        return type(name, (base,), {"_load_from_state_dict": load, "__module__": place})

    base = standing_on(OwnModule, "Module", "__main__")
    layer = standing_on(base, "Norm", "nbmodule.nn.modules.batchnorm")
    own = standing_on(layer, "MyNorm", "__main__")
    said = [repr(nw.match_keys(kind(), {}).facts.notes) for kind in (base, layer, own)]
    assert ["`_load_from_state_dict`" in notes for notes in said] == [False, False, True]
