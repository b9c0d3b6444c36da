"""ModuleTree in a real browser but without JupyterLab: rows, keyboard, search, selection, training."""

from __future__ import annotations

import pytest
from mock_page import TREE
from module_subjects import Linear, Net, chain, dismantle, wide

import nbmodule_widgets as nw

pytestmark = pytest.mark.browser


def unfold_all(stage):
    stage.page.get_by_role("button", name="all", exact=True).click()


def test_rows_say_what_the_facts_say(stage):
    stage.show(nw.show(Net()), TREE)
    assert stage.names() == [
        "Net", "empty", "mean", "mask", "first", "weight", "bias", "second", "weight", "bias", "again",
    ]  # fmt: skip
    text = stage.rows.nth(9).inner_text()
    assert "(2,) float32" in text
    assert "❄ frozen" in text
    assert "⇄ same object as first" in stage.rows.nth(10).inner_text()
    assert "not saved" in stage.rows.nth(3).inner_text()
    assert stage.page.get_by_text("trainable 24").is_visible()


def test_the_keyboard_of_a_tree(stage):
    stage.show(nw.show(Net()), TREE)
    stage.tree.focus()
    stage.keys("Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
    assert stage.selection() == "first"
    stage.keys("ArrowRight")  # unfolded already: goes in
    assert stage.selection() == "first.weight"
    stage.keys("ArrowLeft", "ArrowLeft")  # to the parent, then folds it
    assert stage.selection() == "first"
    first = stage.page.locator("[role=treeitem][aria-selected=true]")
    assert first.get_attribute("aria-expanded") == "false"
    assert "first" in stage.names()
    assert len(stage.names()) == 9
    stage.keys("Enter")
    assert first.get_attribute("aria-expanded") == "true"
    stage.keys("End")
    assert stage.selection() == "again"
    stage.keys("/")
    assert stage.page.locator("input[type=search]").evaluate(
        "e => e === e.getRootNode().activeElement"
    )


def test_a_screen_reader_is_told_everything(stage):
    stage.show(nw.show(Net()), TREE)
    row = stage.rows.nth(8)
    said = {
        name: row.get_attribute(f"aria-{name}")
        for name in ("level", "posinset", "setsize", "selected", "label")
    }
    assert said["level"] == "3"
    assert (said["posinset"], said["setsize"]) == ("1", "2")
    assert said["label"] == "weight, parameter, (2, 4) float32, 8 numbers, trainable"
    row.click()
    assert row.get_attribute("aria-selected") == "true"
    active = stage.tree.get_attribute("aria-activedescendant")
    assert active == row.get_attribute("id")
    assert stage.page.locator("input, select, [role=tree]").evaluate_all(
        "all => all.every(e => e.ariaLabel || e.closest('label') || e.labels?.length)"
    )


def test_clicks_select_and_twins_lead_to_each_other(stage):
    model = Net()
    stage.show(nw.show(model), TREE)
    stage.rows.filter(has_text="again").locator("bdi").first.click()
    assert stage.selection() == "again"
    assert stage.view.selected is model.first
    stage.page.locator("[data-twin]").click()
    assert stage.selection() == "first"
    stage.push("detail")
    assert stage.page.locator("aside dd").filter(has_text="Linear").count() == 1


def test_the_detail_pane_shows_what_a_tensor_is(stage):
    view = nw.show(Net())
    view.select("first.weight")
    stage.show(view, TREE)
    pane = stage.page.locator("aside")
    assert "(4, 3)" in pane.inner_text()
    assert "None: no backward() has reached it" in pane.inner_text()


def test_searching_shows_matches_with_the_way_to_them(stage):
    stage.show(nw.show(wide(10_000)), TREE)
    stage.page.locator("input[type=search]").fill("M9")
    assert stage.names()[:3] == ["Module", "m0", "m0"]
    assert 10 < stage.rows.count() < 45  # only what is in sight exists
    stage.keys("Enter")
    assert stage.selection().endswith("m9")
    stage.page.locator("input[type=search]").fill("nothing like it")
    assert stage.page.get_by_text("nothing found").is_visible()
    assert stage.page.get_by_text("0 of 30,").is_visible()
    stage.keys("Escape")
    assert stage.tree.evaluate("e => e === e.getRootNode().activeElement")
    assert stage.rows.count() > 10


def test_only_what_leads_to_a_match_looks_unfolded(stage):
    stage.show(nw.show(Net()), TREE)
    stage.page.locator("input[type=search]").fill("linear")
    assert stage.names() == ["Net", "first", "second", "again"]
    unfolded = [stage.rows.nth(i).get_attribute("aria-expanded") for i in range(4)]
    assert unfolded == ["true", None, None, None]


def test_letters_and_enter_lead_on(stage):
    stage.show(nw.show(Net()), TREE)
    stage.tree.focus()
    stage.keys("s", "e")
    assert stage.selection() == "second"
    stage.page.wait_for_timeout(750)  # a pause begins a new word
    stage.keys("w")
    assert stage.selection() == "second.weight"
    stage.keys("End", "Enter")  # a row without children: to its twin
    assert stage.selection() == "first"


def test_what_python_has_selected_is_in_sight_at_once(stage):
    view = nw.show(wide(120)).select("m9.m9.bias")
    stage.show(view, TREE)
    selected = stage.page.locator("[aria-selected=true]")
    selected.wait_for()
    assert selected.get_attribute("aria-level") == "4"
    lower = stage.tree.evaluate("e => e.getBoundingClientRect().bottom")
    assert selected.bounding_box()["y"] < lower


def test_choosing_the_selected_row_again_keeps_its_details(stage):
    view = nw.show(Net()).select("first.weight")
    stage.show(view, TREE)
    stage.rows.nth(5).click()
    stage.page.wait_for_timeout(800)
    assert "(4, 3)" in stage.page.locator("aside").inner_text()


def test_deep_names_and_marks_of_sharing_are_not_cut_off(stage):
    deep = chain(60)
    deep._modules["twin"] = deep._modules["c"]
    stage.show(nw.show(deep), TREE)
    unfold_all(stage)
    stage.tree.focus()
    stage.keys("End")
    link = stage.page.locator("[data-twin]")
    assert stage.comes_true(link, "e => e.scrollWidth <= e.clientWidth")
    for keys in (("End", "ArrowUp"), ("Home",)):
        stage.keys(*keys)
        name = stage.page.locator("[aria-selected=true] .name bdi")
        assert stage.comes_true(name, "e => e.clientWidth > 0 && e.scrollWidth <= e.clientWidth")
    dismantle(deep._modules["twin"])


def test_news_and_scrolling_in_one_frame_are_both_drawn(stage):
    view = nw.show(wide(120))
    stage.show(view, TREE)
    unfold_all(stage)
    view.paint({"gradient norm": [0.5]}, ["m9.m9.bias"])
    stage.page.evaluate(
        """(changes) => { const root = document.querySelector(".nbmodule-view").shadowRoot;
             const list = root.querySelector("[role=tree]");
             list.scrollTop = list.scrollHeight;
             list.dispatchEvent(new Event("scroll"));
             window.push(changes); }""",
        stage._state(("watched", "live")),
    )
    last = stage.rows.last
    last.locator(".number").get_by_text("0.5").wait_for()
    assert "bias" in last.inner_text()


def test_unfolding_ten_thousand_modules_stays_fast_and_small(stage):
    stage.show(nw.show(wide(10_000)), TREE)
    seconds = stage.page.evaluate(
        """() => { const root = document.querySelector(".nbmodule-view").shadowRoot;
                   const start = performance.now();
                   [...root.querySelectorAll("button")].find((b) => b.textContent === "all").click();
                   return (performance.now() - start) / 1000; }"""
    )
    assert seconds < 2
    assert stage.rows.count() < 45
    stage.tree.focus()
    stage.keys("End")
    assert stage.page.locator("[aria-selected=true]").count() == 1


def test_a_changed_model_keeps_what_is_unfolded_and_selected(stage):
    model = wide(120)
    view = nw.show(model)
    stage.show(view, TREE)
    stage.tree.focus()
    stage.keys("Home", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown")
    assert stage.selection() == "m0.m0"
    model._modules = {"added": Linear(1, 1), **model._modules}
    view.refresh()
    stage.push("tree", "selection", "detail")
    assert "added" in stage.names()
    assert view.selected_path == "m0.m0"
    selected = stage.page.locator("[aria-selected=true]")
    assert selected.count() == 1
    assert selected.get_attribute("aria-level") == "3"
