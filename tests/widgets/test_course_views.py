"""The live forms of the course's own views: the map of progress, and what a prediction as one card."""

from __future__ import annotations

import pytest
from mock_page import CONTRAST

from nbmodule_course import progress, progress_file


@pytest.fixture(autouse=True)
def kept_here(tmp_path, monkeypatch):
    monkeypatch.setenv(progress_file.ENVIRONMENT, str(tmp_path / "progress.json"))


def test_the_map_has_its_static_forms_and_a_live_one(wire):
    shown = progress()
    bundle = shown._repr_mimebundle_()
    assert bundle["text/plain"] == repr(shown)
    assert bundle["text/html"] == f'<div class="nbmodule-static">{shown.to_html()}</div>'
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert shown.next_step == "Next: exercise 00.1 in chapter 00"


def test_the_map_without_the_views_installed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "nbmodule_course.progress_view", None)
    assert set(progress()._repr_mimebundle_()) == {"text/plain", "text/html"}


@pytest.mark.browser
def test_the_map_follows_what_is_solved(stage):
    from nbmodule_course.progress_view import ProgressView

    view = ProgressView()
    assert len(view._esm) < 40_000
    stage.show(view, ("map", "problem"))
    exercise = stage.page.get_by_role("listitem", name="exercise 01.1")
    assert exercise.inner_text() == "○ 01.1"
    progress_file.record_check("00.1", "passed")
    progress_file.record_check("01.1", "failed")
    progress_file.record_prediction("01.a", "a", True)
    view.refresh()
    stage.push("map")
    assert exercise.inner_text() == "✗ 01.1"
    assert exercise.get_attribute("aria-label") == "exercise 01.1: tried"
    assert stage.page.get_by_role("status").last.inner_text() == "Next: exercise 01.1 in chapter 01"
    assert "1 of 4 predictions made, 1 right" in stage.page.locator(".chapters").inner_text()


def question(*options, code="print(6 * 7)"):
    from nbmodule_course import Predict
    from nbmodule_course.predict_view import PredictView

    return PredictView(
        Predict("01.a", "What is `it`?", options=options, code=code, why="Six times seven.")
    )


@pytest.mark.browser
@pytest.mark.parametrize("colour", ["white", "#111"])
def test_a_prediction_is_one_card(stage, colour):
    """Its options lie on one line; one press, by keyboard, commits, runs and marks what is right."""
    view = question("41", "42", "<b>43</b>")
    stage.show(view, ("card", "problem"), colour)
    buttons = stage.page.get_by_role("group", name="Your prediction for 01.a").get_by_role("button")
    assert buttons.all_inner_texts() == ["a) 41", "b) 42", "c) <b>43</b>"]
    assert len({round(button.bounding_box()["y"]) for button in buttons.all()}) == 1
    buttons.first.focus()
    stage.keys("Enter", "Enter")
    assert stage.page.evaluate("() => window.sent.filter((m) => m.kind === 'answer')") == [
        {"kind": "answer", "letter": "a"}
    ]
    stage.answer()
    stage.push("card")
    answer = stage.page.locator(".answer")
    assert "You predicted a), and it is b) 42" in answer.inner_text()
    assert "Six times seven." in answer.inner_text()
    assert buttons.all_inner_texts() == ["→ a) 41", "✓ b) 42", "c) <b>43</b>"]
    assert buttons.first.get_attribute("aria-pressed") == "true"
    assert buttons.first.evaluate("e => e.getRootNode().activeElement === e")  # the focus stays
    buttons.nth(1).click(force=True)
    assert stage.page.evaluate("() => window.sent.length") == 0
    assert stage.page.locator("section.view").evaluate(CONTRAST) == []


@pytest.mark.browser
def test_a_kept_answer_stands_in_the_card_when_it_comes_back(stage):
    progress_file.record_prediction("01.a", "b", True)
    stage.show(question("41", "42"), ("card", "problem"))
    buttons = stage.page.locator(".options button")
    assert buttons.all_inner_texts() == ["a) 41", "✓ b) 42"]
    assert stage.page.locator(".answer").inner_text().startswith("✓ As you predicted: b) 42")


@pytest.mark.browser
def test_long_options_wrap_and_stay_in_the_card(stage):
    stage.page.set_viewport_size({"width": 420, "height": 800})
    stage.show(question("a long way to say it, " * 12, "TypeError: x\ny"), ("card", "problem"))
    card = stage.page.locator("section.view")
    assert card.evaluate("e => e.scrollWidth <= e.clientWidth")
