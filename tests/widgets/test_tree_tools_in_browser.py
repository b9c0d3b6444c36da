"""The tools of ModuleTree in a real browser: filter, depth, changes, actions, colours, and what is remembered."""

from __future__ import annotations

import numpy as np
import pytest
from mock_page import TREE
from module_subjects import Linear, ListOfModules, Module, Net, wide

import nbmodule_widgets as nw

pytestmark = pytest.mark.browser
NET = ("first.weight", "first.bias", "second.weight", "second.bias")
WHICH = "select[aria-label='which rows to show']"


def choices(stage):
    return stage.page.locator(WHICH).locator("option").all_inner_texts()


def choose(stage, name):
    found = next(text for text in choices(stage) if text.startswith(name + " ("))
    stage.page.locator(WHICH).select_option(label=found)


def press(stage, name):
    stage.page.get_by_role("button", name=name, exact=True).click()


# ------------------------------------------------------------------------------------------- filter and depth


def test_the_filter_offers_the_kinds_that_there_are(stage):
    model = Net()
    model.first._forward_hooks.update({1: print, 2: len})
    model.second._forward_pre_hooks[3] = print
    object.__setattr__(model, "layers", [Linear(1, 1)])
    model.second.__dict__["training"] = False
    stage.show(nw.show(model), TREE)
    assert choices(stage) == [
        "all rows", "trainable (3)", "frozen (1)", "train mode (3)", "eval mode (1)", "shared (1)", "with hooks (2)",
        "buffers (2)", "notes (1)",
    ]  # fmt: skip
    choose(stage, "with hooks")
    assert stage.names() == ["Net", "first", "second"]
    assert stage.page.get_by_text("2 of 12 rows").is_visible()
    assert stage.rows.nth(0).get_attribute("class") == "row way"  # only leads to what was asked for
    assert stage.rows.nth(1).locator(".chip").get_attribute("title") == "2 forward"
    stage.page.locator("input[type=search]").fill("sec")
    assert stage.names() == ["Net", "second"]
    choose(stage, "eval mode")
    assert stage.names() == ["Net", "second"]
    choose(stage, "frozen")
    assert stage.page.get_by_text("nothing found").is_visible()  # frozen, and called "sec"
    stage.page.locator("input[type=search]").fill("")
    assert stage.names() == ["Net", "second", "bias"]
    stage.page.get_by_text("! 1 note").click()
    assert stage.names()[1].startswith("layers is a plain list with 1 Module")
    assert stage.rows.nth(1).locator(".name").get_attribute("class") == "name note hidden"


def test_a_dotted_path_can_be_searched_for(stage):
    model = wide(1_500)
    model._modules["a.b"] = Linear(1, 1)
    stage.show(nw.show(model), TREE)
    field = stage.page.locator("input[type=search]")
    field.fill("m9.m9.M1")
    assert stage.names() == ["Module", "m9", "m9", "m1"]
    field.fill("5.m9.m9.we")
    assert stage.names() == ["Module", "m5", "m9", "m9", "weight"]
    field.fill("a.b")
    assert stage.names() == ["Module", "a.b"]
    field.fill("x.m9")
    assert stage.page.get_by_text("nothing found").is_visible()


def test_depth_is_chosen_on_the_page_and_from_python(stage):
    view = nw.show(wide(1_500))
    view.expand(2)
    stage.show(view, TREE)
    group = stage.page.get_by_role("group", name="unfold to depth")
    assert group.locator("button").all_inner_texts() == ["1", "2", "3", "4", "5", "all"]
    assert stage.page.get_by_text("131 of 4,501 rows").is_visible()  # 10 + 100 Modules, 20 tensors
    press(stage, "1")
    assert stage.page.get_by_text("11 of 4,501 rows").is_visible()
    press(stage, "all")
    assert stage.page.get_by_text("4,501 of 4,501 rows").is_visible()
    view.expand(0)
    stage.push("unfold")
    assert stage.names() == ["Module"]
    stage.page.get_by_label("tensors", exact=True).uncheck()
    view.expand()
    stage.push("unfold")
    assert stage.page.get_by_text("1,501 of 4,501 rows").is_visible()


def test_a_broken_class_is_shown_with_what_is_wrong(stage):
    stage.show(nw.show(ListOfModules()), TREE)
    assert "`_modules` is a list, not a dict".replace("`", "") in stage.rows.nth(1).inner_text()
    assert stage.page.get_by_text("! 1 note").is_visible()


# ------------------------------------------------------------------------------------------- repeated blocks


def blocks(times):
    """Blocks that differ in their numbers alone, between two other layers."""
    model, layers = Module(), Module()
    for number in range(times):
        layers._modules[str(number)] = Module()
        layers._modules[str(number)]._modules["lin"] = Linear(2, 2)
    model._modules.update({"stem": Linear(1, 2), "layers": layers, "head": Linear(2, 1)})
    return model


FOLDED = ["Module", "stem", "weight", "bias", "layers", "0 … 11", "head", "weight", "bias"]


def test_blocks_that_are_alike_are_one_row_that_opens(stage):
    view = nw.show(blocks(12))
    stage.show(view, TREE)
    assert stage.names() == FOLDED
    assert stage.page.get_by_text("8 of 56 rows").is_visible()
    group = stage.rows.nth(5)
    assert "12 x Module" in group.inner_text()
    assert group.get_attribute("aria-label") == "0 … 11, 12 x Module, train, 6 numbers each"
    assert group.get_attribute("aria-level") == "3"
    stage.tree.focus()
    stage.keys("Home", *["ArrowDown"] * 5)  # by keyboard alone
    chosen = stage.page.locator("[role=treeitem][aria-selected=true]")
    assert chosen.get_attribute("aria-expanded") == "false"
    assert "None of them is selected" in stage.page.locator("aside").inner_text()
    stage.page.wait_for_function("() => String(window.saved.at(-1)) === '1,-1'")  # a moment later
    assert stage.page.evaluate("() => window.trait('path')") == ""
    stage.keys("ArrowRight")
    assert stage.names()[5:9] == ["0 … 11", "0", "1", "2"]
    stage.keys("ArrowRight")
    assert stage.selection() == "layers.0"
    said = [chosen.get_attribute(f"aria-{name}") for name in ("level", "posinset", "setsize")]
    assert said == ["4", "1", "12"]
    stage.keys("ArrowLeft", "Enter")  # back to the row of all, and folded
    assert stage.names() == FOLDED
    view.expand(3)
    stage.push("unfold")
    assert "0 … 11" in stage.names()
    assert "lin" not in stage.names()
    press(stage, "all")
    assert stage.page.get_by_text("56 of 56 rows").is_visible()


def test_a_path_into_folded_blocks_opens_them(stage):
    view = nw.show(blocks(12))
    stage.show(view, TREE)
    view.path = "layers.7.lin.weight"
    stage.push("selection", "path", "detail")
    assert stage.names()[5:8] == ["0 … 11", "0", "1"]
    chosen = stage.page.locator("[role=treeitem][aria-selected=true]")
    assert chosen.get_attribute("aria-level") == "6"
    assert chosen.is_visible()
    stage.page.locator("input[type=search]").fill("lin")  # what is searched for is not folded
    assert "0 … 11" not in stage.names()


def test_blocks_that_differ_are_not_hidden(stage):
    model = blocks(12)
    layers = model._modules["layers"]._modules
    layers["5"]._modules["lin"]._forward_hooks[1] = print
    layers["8"].__dict__["training"] = False
    view = nw.show(model)
    stage.show(view, TREE)
    press(stage, "2")
    named = [name for name in stage.names() if name[0].isdecimal()]
    assert named == ["0 … 4", "5", "6", "7", "8", "9", "10", "11"]
    layers["8"].__dict__["training"] = True
    layers["5"]._modules["lin"]._forward_hooks.clear()
    for block in layers.values():
        object.__setattr__(block, "spare", [Linear(1, 1)])
    view.refresh()
    stage.push("tree", "selection", "changed")
    assert "0 … 11" not in stage.names()  # two of them have just changed
    press(stage, "clear the marks of what changed")
    assert "! 12 notes inside" in stage.rows.filter(has_text="0 … 11").inner_text()
    view.paint({"gradient norm": [1.0, 2.0]}, ["layers.0.lin.weight", "layers.1.lin.weight"])
    stage.push("watched", "live")
    stage.page.locator(".number").first.wait_for()
    assert "0 … 11" not in stage.names()  # each has a number of its own


# ------------------------------------------------------------------------------------------- acting and changes


def test_a_button_of_the_pane_asks_python_and_the_rows_say_who_changed(stage):
    view = nw.show(Net()).select("first.weight")
    stage.show(view, TREE)
    group = stage.page.get_by_role("group", name="changes the model")
    assert group.locator("button").all_inner_texts() == ["freeze", "unfreeze"]
    assert group.locator("button").first.get_attribute("title") == "requires_grad_(False)"
    group.get_by_text("freeze", exact=True).focus()
    stage.keys("Enter")
    message = stage.page.evaluate("() => window.sent.at(-1)")
    assert message == {"kind": "requires_grad", "value": False, "selection": [1, view.selection[1]]}
    view.handle(message)
    stage.push("tree", "selection", "changed", "detail")
    story = stage.page.locator(".story")
    assert story.inner_text() == (
        "first.weight.requires_grad_(False): 1 parameter trainable → frozen: first.weight"
    )
    row = stage.page.locator(".row.changed")
    assert row.count() == 1
    assert "Δ trainable → frozen" in row.inner_text()
    assert "just changed: trainable → frozen" in row.get_attribute("aria-label")
    focused = "() => document.querySelector('.nbmodule-view').shadowRoot.activeElement?.textContent"
    assert stage.page.evaluate(focused) == "freeze"  # still there for the next key
    press(stage, "clear the marks of what changed")
    assert stage.page.evaluate("() => window.sent.at(-1)") == {"kind": "forget"}
    assert row.count() == 0
    assert story.is_hidden()


def test_a_refusal_is_said_and_a_busy_python_too(stage):
    view = nw.show(Net()).select("first")
    stage.show(view, TREE)
    press(stage, "eval(): eval()")
    stage.page.get_by_text("Python is busy").wait_for()
    view.handle(stage.page.evaluate("() => window.sent.at(-1)"))
    stage.push("changed", "detail")
    assert (
        "`Linear` has no method `eval()`".replace("`", "")
        in stage.page.locator(".story").inner_text()
    )
    assert "Python is busy" not in stage.page.locator("aside").inner_text()


def test_one_jumps_from_change_to_change(stage):
    model = wide(120)
    view = nw.show(model)
    stage.show(view, TREE)
    for path in ("m1.m3", "m7", "m9.m9"):
        found = model
        for name in path.split("."):
            found = found._modules[name]
        found.__dict__["training"] = False
    view.refresh()
    stage.push("tree", "selection", "changed")
    press(stage, "next ›")
    assert stage.selection() == "m1.m3"
    press(stage, "next ›")
    press(stage, "next ›")
    assert stage.selection() == "m9.m9"
    press(stage, "next ›")
    assert stage.selection() == "m1.m3"
    press(stage, "‹ previous")
    assert stage.selection() == "m9.m9"
    assert stage.page.locator("[aria-selected=true]").is_visible()
    press(stage, "only these")
    assert stage.page.get_by_text("3 of 361 rows").is_visible()


# ------------------------------------------------------------------------------------------- numbers


def test_rows_are_coloured_by_the_metric_that_is_chosen(stage):
    view = nw.show(Net())
    stage.show(view, TREE)
    assert stage.page.locator(".metric").count() == 0
    columns = {
        "gradient norm": [3.0, 4.0, -1.0, np.nan],
        "update / weight": [0.1, 0.1, 0.5, -2.0],
        "weight norm": [3, 4, 0, 2],
    }
    view.paint(columns, NET)
    stage.push("watched", "live")
    numbers = stage.page.locator(".number")
    numbers.get_by_text("None").wait_for()
    said = dict(zip(stage.names(), numbers.all_inner_texts(), strict=True))
    shown = numbers.all_inner_texts()
    assert shown[4:11] == [
        "5",
        "3",
        "4",
        "NaN",
        "None",
        "NaN",
        "5",
    ]  # first, its two, second, its two, again
    assert said["mean"] == said["empty"] == ""
    widths = stage.page.locator(".bar").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect().width)"
    )
    assert widths[6] > widths[5] > 0
    assert stage.page.locator(".legend").inner_text().startswith("gradient norm, log scale: 1e-3")
    stage.page.get_by_label("what the colors show").select_option("update / weight")
    assert numbers.all_inner_texts()[4:10] == ["0.1", "0.1", "0.1", "0", "0.5", "unread"]
    assert stage.page.evaluate("() => window.trait('metric')") == "update / weight"


def test_numbers_that_arrive_leave_everything_in_its_place(stage):
    view = nw.show(wide(300)).select("m3")
    stage.show(view, TREE)
    press(stage, "all")
    view.paint({"gradient norm": [1.0]}, ["m0.weight"])
    stage.push("watched", "live")
    stage.page.locator(".number").first.wait_for()
    stage.tree.evaluate("e => { e.scrollTop = 480; }")
    stage.page.wait_for_timeout(100)
    row = stage.rows.nth(12)
    row.evaluate("e => { window.held = e; }")
    box = row.bounding_box()
    stage.page.mouse.move(box["x"] + 100, box["y"] + 10)
    stage.page.mouse.down()
    for step in range(5):
        view.paint({"gradient norm": [2.0 + step]}, ["m0.weight"])
        stage.push("watched", "live")
        stage.page.wait_for_timeout(30)
    stage.page.mouse.up()  # the row of the press is still there, so this is a click
    assert stage.tree.evaluate("e => e.scrollTop") == 480
    assert row.get_attribute("aria-selected") == "true"


# ------------------------------------------------------------------------------------------- paths and memory


def test_the_path_is_shared_with_other_views(stage):
    view = nw.show(Net())
    stage.show(view, TREE)
    stage.rows.filter(has_text="bias").first.click()
    stage.page.wait_for_function("() => window.trait('path') === 'first.bias'")  # a moment later
    stage.page.evaluate("() => window.push({path: 'second.weight'})")  # as a linked view does
    assert stage.selection() == "second.weight"
    stage.page.evaluate("() => window.push({path: 'no.such.path'})")
    assert (
        stage.page.locator("[aria-selected=true]").get_attribute("aria-label").startswith("weight")
    )


def test_an_echo_of_the_row_before_takes_nothing_back(stage):
    """ipywidgets sends a trait back as Python took it; the next arrow key may have been pressed by then."""
    stage.show(nw.show(Net()), TREE)
    stage.page.evaluate("""async () => {
        const tree = document.querySelector(".nbmodule-view").shadowRoot.querySelector("[role=tree]");
        const press = (key) => tree.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        press("Home");
        while (!saved.length) await new Promise((done) => setTimeout(done, 5));
        const echo = saved.at(-1);
        press("ArrowDown");
        if (String(trait("selection")) !== String(echo)) push({ selection: echo });
        press("ArrowDown");
    }""")
    assert stage.selection() == stage.names()[2] == "mean"  # one row further at each press


def test_a_view_that_is_drawn_again_is_as_it_was_left(stage):
    model = wide(300)
    view = nw.show(model)
    stage.show(view, TREE)
    press(stage, "2")
    stage.page.get_by_label("tensors", exact=True).uncheck()
    stage.tree.evaluate("e => { e.scrollTop = 600; }")
    stage.page.wait_for_timeout(100)
    names = stage.names()
    stage.page.evaluate("() => { window.cleanUp(); return window.draw(); }")
    stage.page.wait_for_timeout(100)
    assert stage.tree.evaluate("e => e.scrollTop") == 600
    assert stage.names() == names
    choose(stage, "train mode")
    stage.page.locator("input[type=search]").fill("m7")
    names = stage.names()
    stage.page.evaluate("() => { window.cleanUp(); return window.draw(); }")
    assert stage.names() == names
    stage.page.locator("input[type=search]").fill("")
    stage.page.locator(WHICH).select_option("")
    names = stage.names()
    stage.page.evaluate("() => window.cleanUp()")
    model._modules = {"new": Linear(1, 1), **model._modules}
    view.refresh()
    view.select("m1")
    stage.push("tree", "selection")  # while nobody looks
    stage.page.evaluate("() => window.draw()")
    assert stage.names()[:3] == ["Module", "new", "m0"]
    assert stage.rows.nth(2).get_attribute("aria-expanded") == "true"
    assert stage.page.locator("[aria-selected=true] .name bdi").inner_text() == "m1"
