"""The live forms of the course's own views: the map of progress, and what a prediction says to the keyboard."""

from __future__ import annotations

import pytest
from mock_page import MOCK

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
    assert "1 of 6 predictions made, 1 right" in stage.page.locator(".chapters").inner_text()


QUESTION = """
<div class='nbmodule-predict'><div class='widget-radio-box'><input type=radio><input type=radio></div>
<button onclick='this.disabled = true'>Run it and see</button><div class='nbmodule-predict-answer'></div><main></main></div>
"""


@pytest.mark.browser
def test_a_prediction_is_one_group_and_hands_the_focus_on(stage):
    from nbmodule_course.predict_view import KeyGuard

    page = stage.page
    page.set_content(QUESTION)
    page.evaluate(
        MOCK, {"script": str(KeyGuard._esm), "state": {"label": "Your prediction for 01.a"}}
    )
    group = page.get_by_role("radiogroup", name="Your prediction for 01.a")
    group.wait_for()
    page.get_by_role("radio").first.focus()
    stage.keys("ArrowDown")
    assert page.get_by_role("radio").nth(1).is_checked()
    stage.keys("Tab", "Enter")
    page.wait_for_function("() => document.activeElement.matches('.nbmodule-predict-answer')")
    assert page.get_by_role("status").count() == 1
