"""TrainEvalCompare in a page: one switch for the whole picture, a player over the draws, and nothing sent but by a button."""

from __future__ import annotations

from typing import Any

import pytest

import nbmodule
import nbmodule_widgets as nw

pytestmark = pytest.mark.browser

TRAITS = ("found", "problem")


def show(stage: Any) -> Any:
    nn = nbmodule.nn
    nbmodule.manual_seed(0)
    model = nn.Sequential(
        *(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.25), nn.Linear(8, 3))
    )
    view = nw.compare_modes(model, nbmodule.randn(6, 4), draws=5)
    stage.show(view, TRAITS)
    return view


def row(stage: Any, name: str) -> Any:
    return stage.page.get_by_role("option").filter(has=stage.page.get_by_text(name, exact=True))


def masks_shown(stage: Any) -> list[bool]:
    """Which units the cursor calls kept, read with the keys."""
    stage.page.locator(".heat canvas").focus()
    kept = []
    for _ in range(8):
        stage.keys("ArrowRight")
        kept.append(not stage.page.locator(".heat .reading").inner_text().endswith("= 0"))
    return kept


def test_the_switch_changes_lamps_numbers_pictures_and_the_table(stage):
    view = show(stage)
    lamps = stage.page.locator("[role=option] .lamp")
    spread = row(stage, "3").locator(".spread")
    assert set(lamps.all_inner_texts()) == {"●"}
    trained = spread.inner_text()
    stage.page.get_by_role("button", name="eval()").click()
    assert set(lamps.all_inner_texts()) == {"○"}
    dropout = view.facts.find("3")
    assert spread.inner_text().startswith(f"{dropout.mean_eval:.3g} ±")
    assert spread.inner_text() != trained
    assert stage.page.locator("th.now").all_inner_texts() == ["○ eval()", "○ eval() in no_grad()"]
    assert stage.page.locator(".legend b").filter(has_text="eval()").count() == 2
    stage.keys("t")
    assert spread.inner_text() == trained
    assert stage.page.get_by_role("button", name="train()").get_attribute("aria-pressed") == "true"


def test_each_draw_shows_its_mask_and_its_running_statistics(stage):
    view = show(stage)
    stage.page.get_by_role("listbox").focus()
    stage.keys("ArrowDown", "ArrowDown")  # from the first reason, batch norm, to dropout
    assert row(stage, "3").get_attribute("aria-selected") == "true"
    (mask,) = view.facts.masks
    assert masks_shown(stage) == mask.mask(0).tolist()
    stage.page.get_by_role("listbox").focus()
    stage.keys("ArrowRight", "ArrowRight")  # these belong to the player
    assert masks_shown(stage) == mask.mask(2).tolist()
    stage.keys("e")
    assert masks_shown(stage) == [True] * 8
    stage.keys("t")
    row(stage, "1").click()
    chart = stage.page.locator(".both figure").first
    chart.locator("canvas").focus()
    stage.keys("ArrowRight", "ArrowRight")
    (norm,) = view.facts.norms
    running, batch = norm.running_mean[3, 1], norm.batch_mean[:, 1].mean()
    said = chart.locator(".reading").inner_text()
    assert said.startswith("channel 1: start 0, batch (used) ")
    numbers = [float(part.rpartition(" ")[2]) for part in said.split(", ")[1:]]
    assert numbers == pytest.approx([batch, running], rel=1e-3)


def test_eval_moves_with_the_running_statistics(stage):
    view = show(stage)
    row(stage, "1").click()
    outline = stage.page.locator(".output .legend span").first
    assert outline.inner_text().endswith("eval() after 1 batch")
    stage.page.get_by_role("listbox").focus()
    stage.keys("ArrowRight", "ArrowRight")
    assert outline.inner_text().endswith("eval() after 3 batches")
    stage.keys("e")
    filled = stage.page.locator(".output .legend b")
    assert filled.all_inner_texts() == ["█ eval() after 3 batches", "◇ eval() after 3 batches"]
    said = "eval(): uses the running statistics after 3 batches, and changes nothing"
    assert stage.page.locator(".over").inner_text() == said
    assert len(view.facts.output.after) == 5


def test_only_the_controls_ask_python(stage):
    view = show(stage)
    stage.keys("e")
    stage.page.get_by_role("listbox").focus()
    stage.keys("End", "Home", "ArrowDown", "e")
    assert stage.page.evaluate("() => window.sent.map((m) => m.kind)") == ["opened"]
    stage.page.get_by_role("spinbutton", name="draws").fill("7")
    stage.page.get_by_role("button", name="Run again").click()
    stage.page.get_by_text("Python is busy").wait_for()
    asked = stage.page.evaluate("() => window.sent.slice(1)")
    assert asked == [{"kind": "again", "draws": 7, "seed": 0, "keep": False}]
    view._handle_custom_msg(asked[0], [])
    assert (view.facts.draws, view.facts.seed) == (7, 0)
    stage.push(*TRAITS)
    stage.page.get_by_text("Python is busy").wait_for(state="detached")
    assert stage.page.locator(".player-count").inner_text() == "1 of 7"
    assert row(stage, "2").get_attribute("aria-selected") == "true"  # the choice stays


def test_modes_that_were_set_by_hand_can_be_kept(stage):
    nn = nbmodule.nn
    model = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(0.5))
    model[0].eval()
    view = nw.compare_modes(model, nbmodule.randn(6, 4), draws=3)
    stage.show(view, TRAITS)
    box = stage.page.get_by_role("checkbox", name="keep the modes of the parts (1 module)")
    assert not box.is_checked()
    assert row(stage, "0").locator(".role").inner_text() == "≠ cause"
    box.check()
    stage.page.wait_for_function("() => window.sent.length > 1")
    asked = stage.page.evaluate("() => window.sent.slice(1)")
    assert asked == [{"kind": "again", "draws": 3, "seed": 0, "keep": True}]
    view.handle(asked[0])
    assert view.facts.find("0").role == "same"
    stage.show(view, TRAITS)
    row(stage, "0").click()
    over = stage.page.locator(".over")
    frozen = "stays in eval mode: uses the running statistics, and changes nothing"
    assert over.inner_text() == f"train(): {frozen}"
    assert stage.page.locator(".both .legend b").all_inner_texts() == ["● running (used)"] * 2
    stage.page.get_by_role("button", name="eval()").click()
    assert over.inner_text() == "eval(): uses the running statistics, and changes nothing"
    assert view.found["asked"] == [3, 0, True]


def test_a_dropout_that_drops_under_eval_too_is_not_said_to_do_nothing(stage):
    class Forgot(nbmodule.nn.Module):
        def forward(self, x: Any) -> Any:
            return nbmodule.nn.functional.dropout(x, 0.5)

    stage.show(nw.compare_modes(Forgot(), nbmodule.randn(4, 8), draws=3), TRAITS)
    assert "kept" in stage.page.locator(".over").inner_text()
    stage.page.get_by_role("button", name="eval()").click()
    assert stage.page.locator(".over").inner_text().startswith("eval(): drops here too")
    assert stage.page.locator(".heat").is_hidden()
