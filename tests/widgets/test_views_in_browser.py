"""The page's side of the views, in a real browser but without JupyterLab: a mock model stands in for the kernel."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import launch
from module_subjects import HOSTILE, Linear, Module, Net, hostile, wide

import nbmodule_widgets as nw

pytestmark = pytest.mark.browser

MOCK = """
async ({script, state}) => {
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const revive = (value) => {
    if (value === null || typeof value !== "object") return value;
    if ("base64" in value) return bytes(value.base64);
    if (Array.isArray(value)) return value.map(revive);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
  };
  const traits = revive(state), handlers = {};
  window.sent = [];
  window.saved = [];
  const model = {
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; },
    save_changes: () => window.saved.push(JSON.parse(JSON.stringify(traits.selection ?? null))),
    send: (message) => window.sent.push(message),
    on: (event, handler) => (handlers[event] ??= []).push(handler),
    off: (event, handler) => { handlers[event] = handlers[event].filter((other) => other !== handler); },
  };
  window.push = (changes) => {
    Object.assign(traits, revive(changes));
    for (const name of Object.keys(changes)) for (const handler of handlers[`change:${name}`] ?? []) handler();
  };
  window.listening = () => Object.values(handlers).flat().length;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const view = (await import(url)).default;
  window.cleanUp = await view.render({ model, el: document.querySelector("main") });
}
"""


def encoded(value: Any) -> Any:
    """A trait as JSON, bytes as base64."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: encoded(item) for key, item in value.items()}
    return [encoded(item) for item in value] if isinstance(value, (list, tuple)) else value


class Stage:
    """A page with one view in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.trouble: list[str] = []
        page.on("console", lambda message: self.trouble.append(message.text))
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("request", lambda request: self._request(request.url))
        self.rows = page.locator("[role=treeitem]")
        self.tree = page.locator("[role=tree]")

    def _request(self, url: str) -> None:
        if not url.startswith(("blob:", "data:", "about:")):
            self.trouble.append(url)

    def show(self, view: Any, names: tuple[str, ...], background: str = "white") -> None:
        self.view = view
        self.page.set_content(f"<body style='background:{background}'><main></main></body>")
        self.page.evaluate(MOCK, {"script": str(view._esm), "state": self._state(names)})

    def push(self, *names: str) -> None:
        """Sends traits of the Python view to the page."""
        self.page.evaluate("(changes) => window.push(changes)", self._state(names))

    def _state(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: encoded(getattr(self.view, name)) for name in names}

    def names(self) -> list[str]:
        return self.page.locator("[role=treeitem] .name bdi").all_inner_texts()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def selection(self) -> str:
        """The path that the page last told Python."""
        self.page.wait_for_timeout(120)
        self.view.selection = self.page.evaluate("() => window.saved.at(-1)")
        return self.view.selected_path


TREE = ("tree", "selection", "detail", "live")
ANATOMY = ("state", "landing")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()


@pytest.fixture
def stage(browser: Any) -> Iterator[Stage]:
    context = browser.new_context(
        viewport={"width": 1100, "height": 800}, reduced_motion="reduce", color_scheme="light"
    )
    page = context.new_page()
    page.set_default_timeout(10_000)
    made = Stage(page)
    yield made
    assert made.trouble == []
    context.close()


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


def test_the_detail_pane_shows_numbers_and_a_histogram(stage):
    view = nw.show(Net())
    view.select("first.weight")
    stage.show(view, TREE)
    pane = stage.page.locator("aside")
    assert "(4, 3)" in pane.inner_text()
    assert "None: no backward() has reached it" in pane.inner_text()
    assert pane.locator("rect").count() == 24


def test_searching_shows_matches_with_the_way_to_them(stage):
    stage.show(nw.show(wide(10_000)), TREE)
    stage.page.locator("input[type=search]").fill("M9")
    assert stage.names()[:3] == ["Module", "m0", "m0"]
    assert 10 < stage.rows.count() < 45  # only what is in sight exists
    stage.keys("Enter")
    assert stage.selection().endswith("m9")
    stage.page.locator("input[type=search]").fill("nothing like it")
    assert stage.page.get_by_text("nothing found").is_visible()
    stage.keys("Escape")
    assert stage.tree.evaluate("e => e === e.getRootNode().activeElement")
    assert stage.rows.count() > 10


def test_unfolding_ten_thousand_modules_stays_fast_and_small(stage):
    stage.show(nw.show(wide(10_000)), TREE)
    seconds = stage.page.evaluate(
        """() => { const root = document.querySelector(".nbmodule-view").shadowRoot;
                   const start = performance.now();
                   [...root.querySelectorAll("button")].find((b) => b.textContent === "Unfold all").click();
                   return (performance.now() - start) / 1000; }"""
    )
    assert seconds < 2
    assert stage.rows.count() < 45
    stage.tree.focus()
    stage.keys("End")
    assert stage.page.locator("[aria-selected=true]").count() == 1


def test_hostile_names_are_only_text(stage):
    stage.show(nw.show(hostile()), TREE)
    stage.page.get_by_text("Unfold all").click()
    stage.rows.nth(1).click()
    stage.view.selection = [stage.view.tree["version"], 1]
    stage.push("detail")
    assert stage.page.evaluate("() => window.pwned") is None
    assert any(name.startswith(HOSTILE[:20]) for name in stage.names())
    assert stage.page.locator("main img, main script").count() == 0
    assert not any("\u202e" in name for name in stage.names())
    view = nw.anatomy(hostile())
    stage.show(view, ANATOMY)
    view.try_line(f"self.x = {HOSTILE!r}")
    stage.push(*ANATOMY)
    assert stage.page.evaluate("() => window.pwned") is None
    assert stage.page.locator("main img, main script").count() == 0


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


def test_training_shows_a_status_bars_and_a_legend(stage):
    view = nw.show(Net())
    stage.show(view, TREE)
    assert stage.page.locator(".pulse").is_hidden()
    view.tick(step=12, loss=0.83)
    view.tick(step=13, loss=0.5)
    view.refresh()
    stage.push("live")
    stage.page.get_by_text("step 13 · loss 0.5").wait_for()
    weight = stage.rows.nth(5)
    assert float(weight.locator(".number").inner_text()) > 0
    assert "weight norm, log scale" in stage.page.locator(".legend").inner_text()
    stage.page.locator("select").select_option("gradient norm")
    assert weight.locator(".number").inner_text() == "None"
    assert stage.page.locator("polyline").count() == 1


@pytest.mark.parametrize(("background", "theme"), [("#111", "dark"), ("#fff", "light")])
def test_the_theme_follows_the_page(stage, background, theme):
    for view, names in ((nw.show(Net()), TREE), (nw.anatomy(Net()), ANATOMY)):
        stage.show(view, names, background)
        root = stage.page.locator("section.view")
        assert root.get_attribute("data-theme") == theme
        ink, page = root.evaluate(
            "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor].map("
            "c => c.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0))"
        )
        assert abs(ink - page) > 450  # text stands out from its background
    other = "#fff" if theme == "dark" else "#111"
    stage.page.evaluate("(colour) => document.body.style.background = colour", other)
    stage.page.wait_for_selector(f"section.view:not([data-theme={theme}])")


def test_no_background_means_what_the_system_prefers(browser):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    stage = Stage(page)
    stage.show(nw.show(Net()), TREE, "transparent")
    assert page.locator("section.view").get_attribute("data-theme") == "dark"
    context.close()


def test_nothing_sticks_out_of_a_narrow_page(stage):
    stage.page.set_viewport_size({"width": 420, "height": 900})
    for view, names in ((nw.show(Net()), TREE), (nw.anatomy(Net()), ANATOMY)):
        stage.show(view, names)
        assert stage.page.evaluate("() => document.documentElement.scrollWidth") <= 420


def test_a_line_goes_to_python_and_its_landing_is_lit(stage):
    view = nw.anatomy(Net(), namespace={"Linear": Linear, "Module": Module})
    stage.show(view, ANATOMY)
    field = stage.page.get_by_label("Try a line")
    field.fill("self.mean = Linear(2, 2)")
    field.press("Enter")
    assert stage.page.evaluate("() => window.sent.at(-1)") == {
        "kind": "try", "line": "self.mean = Linear(2, 2)",
    }  # fmt: skip
    view.try_line("self.mean = Linear(2, 2)")
    stage.push(*ANATOMY)
    drawer = stage.page.get_by_role("group", name="_modules")
    assert "just landed" in drawer.locator("li.lit").inner_text()
    gone = stage.page.get_by_role("group", name="_buffers").locator("li.gone")
    assert "left for _modules" in gone.inner_text()
    assert "is a Module" in stage.page.get_by_role("status").inner_text()
    assert field.input_value() == ""
    field.press("ArrowUp")
    assert field.input_value() == "self.mean = Linear(2, 2)"
    stage.page.get_by_text("Reset").click()
    assert stage.page.evaluate("() => window.sent.at(-1)") == {"kind": "reset"}


def test_keys_typed_into_fields_do_not_reach_the_notebook(stage):
    for view, names, field in (
        (nw.show(Net()), TREE, "input[type=search]"),
        (nw.anatomy(Net()), ANATOMY, "input#line"),
    ):
        stage.show(view, names)
        stage.page.evaluate(
            "() => { window.heard = []; document.onkeydown = (e) => window.heard.push(e.key); }"
        )
        stage.page.locator(field).press("d")
        stage.page.locator(field).press("Enter")
        assert stage.page.evaluate("() => window.heard") == []
    stage.show(nw.show(Net()), TREE)
    stage.page.evaluate(
        "() => { window.heard = []; document.onkeydown = (e) => window.heard.push(e.key); }"
    )
    stage.tree.press("ArrowDown")
    stage.tree.press("Control+s")  # saving the notebook still works
    assert stage.page.evaluate("() => window.heard") == ["Control", "s"]


@pytest.mark.parametrize(("make", "names"), [(nw.show, TREE), (nw.anatomy, ANATOMY)])
def test_cleaning_up_leaves_nothing_behind(stage, make, names):
    stage.show(make(Net()), names)
    assert stage.page.evaluate("() => window.listening()") > 0
    assert stage.page.evaluate("() => window.sent[0]") == {"kind": "opened"}
    stage.page.evaluate("() => window.cleanUp()")
    assert stage.page.evaluate("() => window.listening()") == 0
    assert stage.page.evaluate("() => document.querySelector('main').childElementCount") == 0
    assert stage.page.evaluate("() => window.sent.at(-1)") == {"kind": "closed"}


@pytest.mark.parametrize(("make", "names"), [(nw.show, TREE), (nw.anatomy, ANATOMY)])
def test_trouble_is_shown_in_the_view(stage, make, names):
    view = make(Net())
    stage.show(view, names)
    alert = stage.page.locator("[role=alert]")
    assert alert.is_hidden()
    view.problem = "TypeError: <b>gone</b>"
    stage.push("problem")
    assert alert.inner_text().endswith("TypeError: <b>gone</b>")
