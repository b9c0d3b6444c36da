"""Both views in a real browser: colours, focus, keys and the notebook, hostile names, lines, a lost kernel."""

from __future__ import annotations

import pytest
from mock_page import ANATOMY, CONTRAST, TREE, Stage
from module_subjects import HOSTILE, Linear, Module, Net, hostile

import nbmodule_widgets as nw

pytestmark = pytest.mark.browser


def test_hostile_names_are_only_text(stage):
    stage.show(nw.show(hostile()), TREE)
    stage.page.get_by_role("button", name="all", exact=True).click()
    stage.rows.nth(1).click()
    stage.view.selection = [stage.view.tree["version"], 1]
    stage.push("detail")
    assert stage.page.evaluate("() => window.pwned") is None
    assert any(name.startswith(HOSTILE[:20]) for name in stage.names())
    assert stage.page.locator("main img, main script").count() == 0
    assert not any("\u202e" in name for name in stage.names())
    view = nw.lessons.anatomy(hostile())
    stage.show(view, ANATOMY)
    view.try_line(f"self.x = {HOSTILE!r}")
    stage.push(*ANATOMY)
    assert stage.page.evaluate("() => window.pwned") is None
    assert stage.page.locator("main img, main script").count() == 0


@pytest.mark.parametrize(("background", "theme"), [("#111", "dark"), ("#fff", "light")])
def test_the_theme_follows_the_page(stage, background, theme):
    for view, names in ((nw.show(Net()), TREE), (nw.lessons.anatomy(Net()), ANATOMY)):
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


JUPYTER_LIGHT = "--jp-ui-font-color1: rgba(0,0,0,.87); --jp-content-font-color2: rgba(0,0,0,.54)"
JUPYTER_DARK = "--jp-ui-font-color1: #fff; --jp-content-font-color2: rgba(255,255,255,.7); --jp-layout-color1: #212121"


@pytest.mark.parametrize("style", [f"#fff; {JUPYTER_LIGHT}", f"#111; {JUPYTER_DARK}", "#fff"])
def test_every_text_stands_out(stage, style):
    """WCAG AA, with the colours of JupyterLab and with our own."""
    model = hostile()
    model._modules["net"] = Net()
    tree = nw.show(model).select("net.first.weight")
    tree.paint({"gradient norm": [0.1, float("nan")]}, ["net.first.weight", "net.first.bias"])
    tree.set_requires_grad("net.first.weight", False)
    drawers = nw.lessons.anatomy(model)
    drawers.try_line("self.landed = [self]")
    for view, names in ((tree, TREE), (drawers, ANATOMY)):
        stage.show(view, names, style)
        root = stage.page.locator("section.view")
        assert root.evaluate(CONTRAST) == []


def test_the_focus_is_seen(stage):
    stage.show(nw.show(Net()), TREE)
    stage.tree.focus()
    stage.keys("ArrowDown")
    assert stage.page.locator(".table").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    reached = set()
    for _ in range(8):
        stage.keys("Tab")
        reached.add(
            stage.page.evaluate(
                "() => document.querySelector('.nbmodule-view').shadowRoot.activeElement?.className"
            )
        )
    assert "inside" in reached  # the pane scrolls by keyboard


def test_nothing_sticks_out_of_a_narrow_page(stage):
    stage.page.set_viewport_size({"width": 420, "height": 900})
    for view, names in ((nw.show(Net()), TREE), (nw.lessons.anatomy(Net()), ANATOMY)):
        stage.show(view, names)
        assert stage.page.evaluate("() => document.documentElement.scrollWidth") <= 420


def test_a_line_goes_to_python_and_its_landing_is_lit(stage):
    view = nw.lessons.anatomy(Net(), namespace={"Linear": Linear, "Module": Module})
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


def test_a_line_in_the_making_survives_the_landing_of_another(stage):
    view = nw.lessons.anatomy(Net())
    stage.show(view, ANATOMY)
    field = stage.page.get_by_label("Try a line")
    field.fill("self.x = 5")
    field.press("Enter")
    field.fill("self.y = ")
    view.try_line("self.x = 5")
    stage.push(*ANATOMY)
    assert field.input_value() == "self.y = "


def test_names_written_from_right_to_left_keep_their_place(stage):
    model = Module()
    model._modules["\u05e9\u05dc\u05d5\u05dd"] = Linear(2, 2)
    stage.show(nw.lessons.anatomy(model), ANATOMY)
    entry = stage.page.get_by_role("group", name="_modules").locator("li")
    name, summary = (entry.locator(part).bounding_box()["x"] for part in ("b", ".sum"))
    assert name < summary


def test_a_full_drawer_scrolls(stage):
    model = Module()
    vars(model).update({f"a{i}": i for i in range(150)})
    view = nw.lessons.anatomy(model)
    stage.show(view, ANATOMY)
    plain = stage.page.get_by_role("group", name="plain attributes")
    assert plain.bounding_box()["height"] < 500
    view.try_line("self.b = 1")
    stage.push(*ANATOMY)
    lit, place = plain.locator("li.lit").bounding_box(), plain.bounding_box()
    assert place["y"] < lit["y"] < place["y"] + place["height"]
    assert plain.locator("ul").get_attribute("tabindex") == "0"


@pytest.mark.parametrize(("make", "names"), [(nw.show, TREE), (nw.lessons.anatomy, ANATOMY)])
def test_a_kernel_that_is_gone_is_said_once_and_quietly(stage, make, names):
    stage.show(make(Net()), names)
    absent = stage.page.locator(".absent")
    assert absent.is_hidden()
    stage.page.evaluate("() => { window.kernelGone = true; window.happens('comm_live_update'); }")
    assert absent.get_attribute("role") == "status"
    assert "Not connected to a kernel" in absent.inner_text()
    if make is nw.show:
        stage.rows.nth(4).click()
        stage.page.wait_for_timeout(800)
        assert "Not connected" in stage.page.locator("aside").inner_text()
    else:
        stage.page.get_by_label("Try a line").fill("self.x = 5")
        stage.keys("Enter")
        stage.page.wait_for_timeout(500)
        assert "busy" not in stage.page.get_by_role("status").last.inner_text()
    stage.page.evaluate("() => { window.kernelGone = false; window.happens('comm_live_update'); }")
    assert absent.is_hidden()
    stage.page.evaluate("() => { window.kernelGone = true; window.cleanUp(); }")


def test_of_views_in_one_box_the_first_says_that_the_kernel_is_gone(stage):
    """Also where it is drawn before it is put into the box, as JupyterLab does on a loaded machine."""
    stage.show(nw.show(Net()), TREE)
    absent = stage.page.locator(".absent")
    stage.page.evaluate("() => { window.kernelGone = true; window.happens('comm_live_update'); }")
    absent.wait_for()
    put = """(first) => {
        const box = document.createElement("div"), main = document.querySelector("main");
        box.className = "widget-vbox";
        box.innerHTML = "<div><div class='nbmodule-view'></div></div>";
        document.body.append(box);
        box[first ? "prepend" : "append"](main);
    }"""
    stage.page.evaluate(put, True)
    assert absent.is_visible()
    stage.page.evaluate(put, False)
    assert absent.is_hidden()


def test_jupyterlab_is_asked_to_leave_our_keys_alone(stage):
    """It listens on the document before anybody else, and "x" would cut the cell."""
    stage.show(nw.show(Net()), TREE)
    stage.page.evaluate(
        """() => { window.left = [];
             document.addEventListener("keydown", (event) => {
               const suppressed = event.target.closest("[data-lm-suppress-shortcuts]");
               if (!suppressed) window.left.push(event.key); }, true); }"""
    )
    for place in ("[role=tree]", "input[type=search]", "button >> nth=0"):
        stage.page.locator(place).focus()
        stage.keys("x", "d", "ArrowDown", "Home")
    assert stage.page.evaluate("() => window.left") == []
    stage.tree.focus()
    stage.keys("Control+s", "Shift+Enter", "Escape")
    assert stage.page.evaluate("() => window.left") == ["Control", "s", "Enter", "Escape"]
    stage.page.evaluate(
        "() => { document.querySelector('.nbmodule-view').blur(); window.left = []; }"
    )
    stage.page.locator("body").press("x")
    assert stage.page.evaluate("() => window.left") == ["x"]


def test_keys_typed_into_fields_do_not_reach_the_notebook(stage):
    for view, names, field in (
        (nw.show(Net()), TREE, "input[type=search]"),
        (nw.lessons.anatomy(Net()), ANATOMY, "input#line"),
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


@pytest.mark.parametrize(("make", "names"), [(nw.show, TREE), (nw.lessons.anatomy, ANATOMY)])
def test_cleaning_up_leaves_nothing_behind(stage, make, names):
    stage.show(make(Net()), names)
    assert stage.page.evaluate("() => window.listening()") > 0
    assert stage.page.evaluate("() => window.sent[0]") == {"kind": "opened"}
    stage.page.evaluate("() => window.cleanUp()")
    assert stage.page.evaluate("() => window.listening()") == 0
    assert stage.page.evaluate("() => document.querySelector('main').childElementCount") == 0
    assert stage.page.evaluate("() => window.sent.at(-1)") == {"kind": "closed"}


@pytest.mark.parametrize(("make", "names"), [(nw.show, TREE), (nw.lessons.anatomy, ANATOMY)])
def test_trouble_is_shown_in_the_view(stage, make, names):
    view = make(Net())
    stage.show(view, names)
    alert = stage.page.locator("[role=alert]")
    assert alert.is_hidden()
    view.problem = "TypeError: <b>gone</b>"
    stage.push("problem")
    assert alert.inner_text().endswith("TypeError: <b>gone</b>")
