"""ParameterLedger: learned, remembered, neither; read by the rules, compared with what the libraries really do."""

from __future__ import annotations

from typing import Any

import pytest
from fingerprints import fingerprint
from module_subjects import HOSTILE, Linear, Module, Parameter, Tensor

import nbmodule_widgets as nw


def everything(lib: Any) -> Any:
    """A model with a tensor of every kind."""
    nn = lib.nn

    class Net(nn.Module):
        of_class = lib.ones(3)

        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(4, 3)
            self.bn = nn.BatchNorm1d(3)
            self.frozen = nn.Linear(3, 4, bias=False)
            self.frozen.weight.requires_grad_(False)
            self.head = nn.Linear(4, 3)
            self.head.weight = self.fc.weight
            self.register_buffer("mask", lib.ones(3), persistent=False)
            self.register_buffer("steps", lib.zeros(2, dtype=lib.int64))
            self.plain = lib.ones(2)
            self.listed = [lib.ones(2), {"a": lib.ones(2)}]
            self.blocks = [nn.Linear(2, 2)]
            self.__dict__["alias"] = self.fc.bias
            self.__dict__["old"] = self.bn.running_mean

    return Net()


def test_the_rules_are_those_of_the_library(lib):
    model = everything(lib)
    before = fingerprint(model)
    found = nw.lessons.ledger(model).facts
    assert fingerprint(model) == before
    learned = {id(p) for p in model.parameters() if p.requires_grad}
    saved = set(model.state_dict())
    dtypes = {path: tensor.dtype for path, tensor in places(model)}
    model.double()
    assert {row.path for row in found.rows if not row.empty} == set(dtypes)
    for row in found.rows:
        if row.empty:
            continue
        tensor = dict(places(model))[row.path]
        assert row.learned == (id(tensor) in learned and row.kind == "parameter"), row.path
        assert row.remembered == (row.path in saved), row.path
        assert row.cast == (tensor.dtype != dtypes[row.path]), row.path
    assert found.tried
    assert not [row.tried for row in found.rows if row.tried]


def places(model: Any) -> list[tuple[str, Any]]:
    """The same places, by hand."""
    named = [*model.named_parameters(remove_duplicate=False), *model.named_buffers()]
    by_hand = {
        "plain": model.plain,
        "listed[0]": model.listed[0],
        "listed[1]['a']": model.listed[1]["a"],
        "blocks[0].weight": model.blocks[0].weight,
        "blocks[0].bias": model.blocks[0].bias,
        "alias": model.alias,
        "old": model.__dict__["old"],
        "Net.of_class": type(model).of_class,
    }
    return [*named, *by_hand.items()]


def test_what_is_said_of_each_kind(lib):
    found = nw.lessons.ledger(everything(lib)).facts
    said = {row.path: row.verdict for row in found.rows}
    assert said["plain"].startswith("A plain tensor: not saved, not moved, not learned.")
    assert "`register_buffer`" in said["plain"]
    assert "`nn.ModuleList`" in said["blocks[0].weight"]
    assert "persistent=False" in said["mask"]
    assert "never learned" in said["steps"]
    assert "casts floating point only" in said["steps"]
    assert said["frozen.weight"].startswith("A frozen parameter")
    assert "The same object as `fc.weight`: counted once." in said["head.weight"]
    assert "moves along" in said["alias"]
    assert "keeps the old one" in said["old"]
    assert found.totals()["learned"] == (5, 12 + 3 + 3 + 3 + 3)
    text, html = (
        str(nw.lessons.ledger(everything(lib))),
        nw.lessons.ledger(everything(lib)).to_html(),
    )
    assert "⇄ head.weight" in text
    assert "all came out as predicted" in text
    assert "✓ learned" in html
    assert (
        str(nw.lessons.ledger(everything(lib))) == text
    )  # nothing in it that another run would change


class Half:
    """A reader's class before `register_buffer`."""

    def __init__(self) -> None:
        self.__dict__.update(_parameters={"w": Parameter([1.0, 2.0])}, _modules={})
        self.t = Tensor([1.0])


class Forgets(Module):
    """Its `named_parameters` does not go into the children, and its `state_dict` saves everything."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = Linear(2, 2)
        self._parameters["own"] = Parameter([1.0])
        self._buffers["mask"] = Tensor([1.0])
        self._non_persistent_buffers_set.add("mask")

    def named_parameters(self) -> Any:
        return iter(self._parameters.items())

    def state_dict(self) -> dict[str, object]:
        return {**self._parameters, **self._buffers}

    def double(self) -> None:
        raise RuntimeError("not yet")


def test_a_class_that_is_half_written():
    found = nw.lessons.ledger(Half()).facts
    assert [row.group for row in found.rows] == ["learned", "neither"]
    assert "`_buffers` is not there yet" in found.notes[0]
    assert found.trial is not None
    assert "There is no `named_parameters()` yet." in found.trial.notes


def test_methods_that_do_otherwise_are_named():
    found = nw.lessons.ledger(Forgets()).facts
    tried = {row.path: row.tried for row in found.rows if row.tried}
    assert "does not list it" in tried["fc.weight"]
    assert "has no such key" in tried["fc.weight"]
    assert tried["mask"] == "its own `state_dict()` has it"
    assert "own" not in tried
    assert "Its `double()` raised RuntimeError: not yet" in str(
        nw.lessons.ledger(Forgets())
    ).replace("'", "`")


def test_lists_that_leave_out_a_buffer_or_name_a_tensor_twice_are_reported():
    class Lists(Module):
        def __init__(self) -> None:
            super().__init__()
            self._parameters["w"] = self._parameters["again"] = Parameter([1.0])
            self._buffers.update(mean=Tensor([1.0]), later=None)

        def named_parameters(self) -> Any:
            return iter(self._parameters.items())

        def named_buffers(self) -> Any:
            return iter([])

    view = nw.lessons.ledger(Lists())
    assert {row.path: row.tried for row in view.facts.rows if row.tried} == {
        "mean": "its own `named_buffers()` does not list it"
    }
    assert "Its `named_parameters()` lists one tensor 2 times: `w`, `again`." in str(view)
    Lists.named_buffers = lambda self: iter(self._buffers.items())  # type: ignore[method-assign]
    assert str(view).endswith("as predicted; see also the notes.")


def test_a_method_written_in_a_later_cell_is_tried(wire):
    class Mine(Forgets):
        pass

    view = nw.lessons.ledger(Mine())
    assert "does not list it" in str(view)
    Mine.named_parameters = lambda self: iter([("own", 1), ("fc.weight", 2), ("fc.bias", 3)])  # type: ignore[method-assign]
    view.refresh()
    assert "does not list it" not in str(view)


@pytest.mark.browser
def test_the_page_says_what_the_facts_say(stage):
    model = everything(pytest.importorskip("nbmodule"))
    model._parameters[HOSTILE] = None
    stage.show(nw.lessons.ledger(model), ("ledger", "problem"))
    rows, grid = stage.page.locator("[data-item]"), stage.page.get_by_role("grid")
    assert "✗ left behind" in rows.filter(has_text="plain").first.inner_text()
    stage.page.get_by_role("button", name="neither").click()
    assert "fc.weight" not in grid.inner_text()
    grid.focus()
    stage.keys("ArrowDown", "ArrowDown")
    chosen = stage.page.locator("[aria-selected=true]")
    assert chosen.get_attribute("id") == grid.get_attribute("aria-activedescendant")
    assert "not learned" in stage.page.get_by_role("status").last.inner_text()
    stage.page.get_by_role("button", name="⇄ shared").click()
    grid.focus()
    stage.keys("End")
    stage.page.get_by_role("button", name="go to fc.weight").click()
    assert stage.page.locator("[aria-selected=true]").inner_text().startswith("fc.weight")
    assert stage.page.evaluate("() => window.pwned") is None
    assert [message["kind"] for message in stage.page.evaluate("() => window.sent")] == ["opened"]


def test_a_tensor_that_was_computed_is_not_told_to_collect_a_gradient(lib):
    model = lib.nn.Linear(3, 2)
    model.scaled = model.weight * 2  # as a spectral norm keeps it
    (row,) = [row for row in nw.lessons.ledger(model).facts.rows if row.path == "scaled"]
    assert row.computed
    assert "was computed from others" in row.verdict
    assert "optimizer" not in row.verdict


def test_double_leaves_complex_numbers_alone(lib):
    if lib.__name__ == "nbmodule":
        pytest.skip("no complex numbers here")
    model = lib.nn.Linear(3, 2)
    model.register_buffer("phase", lib.zeros(2, dtype=lib.complex64))
    found = nw.lessons.ledger(model).facts
    (row,) = [row for row in found.rows if row.path == "phase"]
    assert (row.moved, row.cast, row.tried) == (True, False, "")


def test_memory_is_told_by_dtype_and_device_now_and_at_first(lib):
    """On meta nothing is taken, a tensor with two names counts once, and another name for it moves along."""
    nn = lib.nn
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2, device="meta"))
    model.tied = model[0].weight
    view = nw.lessons.ledger(model, memory=True)
    assert "(3, 4) float32 on cpu" in str(view)
    assert "float32 on meta  ░" in str(view)
    (bar,) = view.ledger["memory"]
    assert bar["title"] == "memory: 116 B"  # 15 + 12 numbers of 4 bytes, and one of 8
    assert [share[:2] for share in bar["shares"]] == [
        ["float32 on cpu", "108 B"], ["int64 on cpu", "8 B"], ["float32 on meta", "0 B instead of 32 B"],
    ]  # fmt: skip
    model.half()
    view.refresh()
    assert [bar["title"] for bar in view.ledger["memory"]] == ["memory at first: 116 B", "memory now: 62 B"]  # fmt: skip
    assert "float16 on cpu: 54 B" in view.to_html()
    assert "memory" not in nw.lessons.ledger(model).ledger


def test_memory_of_a_class_of_ones_own():
    assert str(nw.lessons.ledger(Half(), memory=True)).endswith(
        f"memory: 12 B\n  float32  {'█' * 40} 12 B"
    )


@pytest.mark.browser
def test_every_dtype_can_be_read_and_told_apart(stage):
    """A column may cut off a shape; not what the colors stand for. Kinds of numbers of one width look different."""
    lib = pytest.importorskip("nbmodule")
    model = lib.nn.Sequential(lib.nn.Conv2d(1, 20, 5), lib.nn.BatchNorm1d(20)).double()
    view = nw.lessons.ledger(model, memory=True)
    stage.show(view, ("ledger", "problem"))
    looks = "all => all.map((mark) => getComputedStyle(mark).background)"
    assert len(set(stage.page.locator(".places .key").evaluate_all(looks))) == 2
    assert view.ledger["memory"][0]["shares"][0][0] == "float64 on cpu"
    inside = """all => all.flatMap((cell) => {
        const range = document.createRange(), text = [...cell.childNodes].find((node) => node.nodeType === 3);
        const end = text.data.indexOf("cpu") + 3;
        range.setStart(text, 0); range.setEnd(text, end);
        const room = cell.closest(".line > span").getBoundingClientRect();
        return range.getBoundingClientRect().right > room.right ? [text.data] : [];
    })"""
    shown = stage.page.locator(".inner .line > :nth-child(2) > .mono")
    for width in (900, 700, 420):
        stage.page.set_viewport_size({"width": width, "height": 900})
        stage.page.locator(".lines.two").wait_for(state="attached" if width < 640 else "detached")
        assert shown.count() == 7
        assert shown.evaluate_all(inside) == []
        list_, row = stage.page.get_by_role("grid"), stage.page.locator("[data-item]").first
        assert row.bounding_box()["width"] <= list_.bounding_box()["width"]
        assert row.evaluate("(row) => row.scrollWidth <= row.clientWidth")


@pytest.mark.browser
def test_the_page_draws_the_memory(stage):
    nn = pytest.importorskip("nbmodule").nn
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2, device="meta"))
    view = nw.lessons.ledger(model, memory=True)
    stage.show(view, ("ledger", "problem"))
    parts = stage.page.locator(".memory .part")
    assert parts.evaluate_all("all => all.map((part) => part.className)") == [
        "part here", "part here whole", "part nowhere",
    ]  # fmt: skip
    wide = parts.evaluate_all("all => all.map((part) => part.getBoundingClientRect().width)")
    assert wide[0] > wide[2] > wide[1] > 0
    assert stage.page.locator("[data-item] .key.nowhere").count() == 2
    model.half()
    view.refresh()
    stage.push("ledger")
    assert "memory at first: 116 B" in stage.page.locator(".memory").inner_text()
    assert parts.count() == 6
