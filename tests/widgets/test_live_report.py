"""The live form of `check`: its buttons do what `check`, `hint` and `solution` do, and Python decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import scratch_course
from mock_page import CONTRAST

from nbmodule_course import again, chapters, check, progress_file, stubs
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.replay import Session

SOLVED = without_markers(scratch_course.SOLUTION)
WRONG = stub_of(scratch_course.SOLUTION).replace(
    "        ...",
    "        print('<img src=x onerror=window.pwned=1>')\n        self.__dict__[name] = value",
)


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    """A course of one chapter, and a progress file of its own."""
    monkeypatch.setenv(progress_file.ENVIRONMENT, str(tmp_path / "progress.json"))
    scratch_course.write_course(tmp_path / "course")
    monkeypatch.setattr(chapters, "folder", lambda: tmp_path / "course")
    stubs._work_places.cache_clear()
    yield
    stubs._work_places.cache_clear()


@pytest.fixture
def names(monkeypatch) -> dict[str, Any]:
    """The names of the reader's notebook; the class in it is wrong."""
    known: dict[str, Any] = {"Drawer": written(WRONG)}
    monkeypatch.setattr(again, "_notebook", lambda: known)
    return known


def written(source: str) -> Any:
    """What a reader's cell defines under the name Drawer."""
    with Session() as session:
        assert session.run(source) is None
        return session.names["Drawer"]


def live(report: Any) -> Any:
    from nbmodule_course.report_view import ReportView

    return ReportView(report, report.subject)


def test_a_row_that_met_the_fault_above_is_neutral_in_the_live_form_as_well(wire, names):
    view = live(check("98.1", names["Drawer"]))
    first, *_ = view._report.results
    view._report = replace(view._report, results=(first, replace(first, name="the next")))
    view.refresh()
    shown, behind = view.report["rows"]
    assert shown[:2] == ["bad", "✗ failed"]
    assert behind[:4] == ["open", "○ not reached", "the next (the mistake above comes first)", []]


def test_a_report_has_its_static_forms_and_a_live_one(wire, names, monkeypatch):
    report = check("98.1", names["Drawer"])
    bundle = report._repr_mimebundle_()
    static = {
        "text/plain": repr(report),
        "text/html": f'<div class="nbmodule-static">{report.to_html()}</div>',
    }
    assert {mime: bundle[mime] for mime in static} == static
    assert "application/vnd.jupyter.widget-view+json" in bundle
    monkeypatch.setitem(__import__("sys").modules, "nbmodule_course.report_view", None)
    assert report._repr_mimebundle_() == static  # NumPy alone
    unknown = replace(report, exercise_id="no.such", subject=None)  # made by hand
    assert set(unknown._repr_mimebundle_()) == set(static)


def test_the_buttons_do_what_the_functions_do(wire, names, from_page):
    view = live(check("98.1", names["Drawer"]))
    from_page(view, kind="solution")
    assert view.report["solution"] is None  # nothing of it is in the page
    assert view.report["said"].startswith("The solution opens when 98.1 is solved")
    for number in (1, 2, 3):
        assert f"opens hint {number} of 3" in view.report["next"]
        from_page(view, kind="hint")
        assert view.report["hints"] == list(scratch_course.drawer.hints[:number])
        assert progress_file.hints_opened("98.1") == number
    from_page(view, kind="solution")
    note, source = view.report["solution"]
    assert "".join(text for _, text in source) == SOLVED.strip()
    assert note.startswith("One way to write it")
    assert view.report["answers"] == 5
    from_page(view, kind="nonsense")
    assert "nonsense" in view.problem
    assert view.report["answers"] == 6  # the page waits for one


def test_checking_again_looks_at_what_the_name_means_now(wire, names, from_page):
    view = live(check("98.1", names["Drawer"]))
    assert (view.report["status"], view.report["changed"]) == ("failed", "")
    names["Drawer"] = written(SOLVED)
    view.refresh()  # after that cell
    assert view.report["changed"] == "`Drawer` has changed since this check."
    from_page(view, kind="again")
    assert view.facts.passed
    assert view.report["said"] == "Checked again: solved, 2 checks passed."
    assert view.report["changed"] == ""
    assert progress_file.solved("98.1")
    names["Drawer"] = 5  # no class, and so no answer
    from_page(view, kind="again")
    assert view.facts.passed
    assert "looks at the class Drawer itself" in view.report["said"]
    del names["Drawer"]
    from_page(view, kind="again")
    assert view.report["said"] == "Checked again: solved, 2 checks passed."


def test_a_value_that_many_names_share_has_no_name_but_the_usual_one(names):
    names |= {"other": 17, "answer": 16}
    assert check("98.2", 17).subject.names == ("",)
    names["answer"] = 17
    assert check("98.2", 17).subject.names == ("answer",)
    names["Mine"] = names.pop("Drawer")
    assert check("98.1", names["Mine"]).subject.names == ("Mine",)


@pytest.mark.browser
def test_a_report_is_worked_by_keyboard(stage, names):
    page, view = stage.page, live(check("98.1", names["Drawer"]))
    assert len(view._esm) < 40_000
    stage.show(view, ("report", "problem"))
    root = page.locator("section.view")
    first, second = (
        page.get_by_role("button", name=f"✗ failed {words}") for words in ("a value", "it goes")
    )
    assert [each.get_attribute("aria-expanded") for each in (first, second)] == ["true", "false"]
    page.keyboard.press("Tab")
    stage.keys("Enter", "Tab", "Space")  # fold the first, unfold the second
    assert [each.get_attribute("aria-expanded") for each in (first, second)] == ["false", "true"]
    assert second.evaluate(
        "e => e.getRootNode().activeElement === e"
    )  # drawn anew, it keeps the focus
    assert "`__dict__` is" not in root.inner_text()
    assert page.get_by_label("what your code printed").inner_text().startswith("<img src=x")
    assert page.evaluate("() => window.pwned") is None
    press(stage, view, "next hint", "hint")
    stage.keys("Enter")  # answered once; now it is asked again
    answer(stage, view, "hint")
    assert page.locator(".hints li").all_inner_texts() == ["Where does a value go?", "Into held."]
    press(stage, view, "show the solution", "solution")
    assert "opens when 98.1 is solved" in page.locator(".acts").inner_text()
    names["Drawer"] = written(SOLVED)
    view.refresh()
    stage.push("report")
    assert page.get_by_text("Drawer has changed since this check.").is_visible()
    press(stage, view, "check again", "again")
    assert page.get_by_text("✓ solved, 2 checks passed").is_visible()
    press(stage, view, "show the solution", "solution")
    assert (
        page.get_by_role("region", name="solution").inner_text().endswith("self.held[name] = value")
    )
    for width in (1100, 420):
        page.set_viewport_size({"width": width, "height": 800})
        assert root.evaluate(CONTRAST) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.evaluate("() => { window.kernelGone = true; }")
    page.get_by_role("button", name="check again").press("Enter")
    assert "Not connected to a kernel" in page.locator(".acts").inner_text()


def press(stage: Any, view: Any, name: str, kind: str) -> None:
    """Press a button twice, which asks once, and let Python answer."""
    stage.page.evaluate("() => { window.sent.length = 0; }")
    button = stage.page.get_by_role("button", name=name)
    button.focus()
    stage.keys("Enter", "Enter")
    answer(stage, view, kind)


def answer(stage: Any, view: Any, kind: str) -> None:
    assert stage.page.evaluate("() => window.sent.splice(0)") == [{"kind": kind}]
    view.handle({"kind": kind})
    stage.push("report")
