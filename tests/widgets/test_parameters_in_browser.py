"""ParameterView in a real browser but without JupyterLab: tabs, cursors, slices, search, and a busy Python."""

from __future__ import annotations

import numpy as np
import pytest
from mock_page import Stage
from module_subjects import HOSTILE, Linear, Module, Net, Parameter, Tensor
from pretend_recorder import Recording, paths_of

from nbmodule_widgets.views.parameters import ParameterView

pytestmark = pytest.mark.browser

# what the cursor says when the pointer is at every seventh pixel of the picture
EVERYWHERE = """() => {
  const root = document.querySelector(".nbmodule-view").shadowRoot, canvas = root.querySelector("canvas"), said = [];
  const { left, top, width, height } = canvas.getBoundingClientRect();
  for (let y = 3; y < height; y += 7)
    for (let x = 3; x < width; x += 7) {
      canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y }));
      said.push(root.querySelector(".reading").textContent);
    }
  return said;
}"""

TRAITS = ("path", "index", "shown", "flow", "past", "news", "moments")


def model() -> Module:
    made = Net()
    made.first.weight.numpy()[:] = np.arange(12.0).reshape(4, 3) - 5
    made.first.weight.grad = Tensor(np.full((4, 3), 0.5))
    made._modules["conv"] = conv = Module()
    conv._parameters["kernel"] = Parameter(np.arange(2 * 3 * 4 * 5.0).reshape(2, 3, 4, 5))
    conv._parameters["filters"] = Parameter(np.arange(40 * 40 * 9.0).reshape(40, 40, 3, 3))
    conv._parameters["wide"] = Parameter(np.arange(6 * 90 * 90.0).reshape(6, 90, 90))
    return made


def show(stage: Stage, path: str = "first.weight", looks: int = 0) -> ParameterView:
    made = model()
    recorder = Recording(paths_of(made), looks) if looks else None
    view = ParameterView(made, path, recorder=recorder)
    view.refresh()
    stage.show(view, TRAITS)
    return view


def tab(stage: Stage, name: str) -> None:
    stage.page.get_by_role("tab", name=name).click()


def answer(stage: Stage) -> None:
    """Lets Python do what the page last asked for, and shows the answer."""
    for message in stage.page.evaluate("() => window.sent.splice(0)"):
        stage.view._handle_custom_msg(message, [])
    stage.push(*TRAITS)


def reading(stage: Stage) -> str:
    return stage.page.locator(".reading").first.inner_text()


def test_the_number_under_the_cursor(stage):
    show(stage)
    canvas = stage.page.locator("canvas")
    canvas.focus()
    stage.keys("ArrowDown", "ArrowDown", "ArrowRight")
    assert reading(stage) == "first.weight[1, 1] = -1"
    stage.keys("End", "ArrowDown", "ArrowDown", "ArrowDown")
    assert reading(stage) == "first.weight[3, 2] = 6"
    canvas.hover(position={"x": 60, "y": 10})
    assert reading(stage) == "first.weight[0, 1] = -4"
    assert "4 rows by 3 columns" in canvas.get_attribute("aria-label")
    assert stage.page.locator(".legend").inner_text().split()[0] == "−6"


def test_colours_are_cold_below_and_warm_above_zero(stage):
    show(stage)
    pixels = stage.page.locator("canvas").evaluate(
        """canvas => { const [wide, tall] = [canvas.width, canvas.height];
           const all = canvas.getContext("2d").getImageData(0, 0, wide, tall).data;
           const at = (x, y) => [...all.subarray(4 * (y * wide + x), 4 * (y * wide + x) + 4)];
           return [at(4, 4), at(wide - 6, tall - 6)]; }"""
    )
    (red, _, blue, _), (warm, _, cold, _) = pixels
    assert blue > red + 60
    assert warm > cold + 60


def test_small_tensors_are_sliced_without_python(stage):
    show(stage, "conv.kernel")
    stage.page.get_by_role("combobox", name="slices").select_option("one")
    slider = stage.page.locator("input[type=range]").first
    slider.focus()
    stage.keys("ArrowRight")
    stage.page.locator("canvas").focus()
    stage.keys("ArrowRight", "ArrowRight")
    assert reading(stage) == "conv.kernel[1, 0, 0, 1] = 61"
    stage.page.get_by_label("down").select_option("0")
    stage.page.locator("canvas").focus()
    stage.keys("ArrowRight", "ArrowDown")
    assert reading(stage) == "conv.kernel[1, 0, 0, 0] = 60"


@pytest.mark.parametrize("down", [None, 0])
def test_all_slices_of_a_small_tensor_lie_side_by_side(stage, down):
    view = show(stage, "conv.kernel")
    tiles = stage.page.get_by_role("combobox", name="slices")
    assert tiles.input_value() == "all"
    assert reading(stage) == "6 slices of 4 rows by 5 columns"
    if down is not None:
        stage.page.get_by_label("down").select_option(str(down))
        answer(stage)
        assert tiles.input_value() == "all"  # what the page asked for is no choice of Python's
        assert reading(stage) == "12 slices of 2 rows by 5 columns"
    kernel, seen = view.selected.numpy(), set()
    for said in stage.page.evaluate(EVERYWHERE):
        index, value = said.removeprefix("conv.kernel").split(" = ")
        at = tuple(int(n) for n in index.strip("[]").split(", "))
        assert kernel[at] == float(value)
        seen.add(at)
    assert len(seen) == kernel.size
    view.slice(index=(1, 2, 0, 0))
    stage.push(*TRAITS)
    tab(stage, "Values")
    assert tiles.input_value() == "one"
    assert reading(stage) == "4 rows by 5 columns"


def test_another_slice_of_a_large_tensor_comes_from_python(stage):
    show(stage, "conv.wide")
    assert "4 numbers in a cell" in reading(stage)
    slider = stage.page.locator("input[type=range]").first
    slider.fill("5")
    stage.page.wait_for_function("() => window.sent.some((m) => m.kind === 'slice')")
    stage.page.get_by_text("Python is busy").wait_for()
    answer(stage)
    stage.page.get_by_text("Python is busy").wait_for(state="detached")
    stage.page.locator("canvas").focus()
    stage.keys("ArrowRight")
    assert reading(stage) == "conv.wide[5, 0…1, 0…1] mean = 4.05e+4"
    stage.page.get_by_label("each cell").select_option("extreme")
    stage.page.wait_for_function("() => window.sent.some((m) => m.how === 'extreme')")
    answer(stage)
    stage.page.locator("canvas").focus()
    stage.keys("ArrowRight")
    assert "extreme = 4.06e+4" in reading(stage)


def test_a_large_convolution_opens_on_a_mosaic(stage):
    show(stage, "conv.filters")
    assert reading(stage) == "the first 21 × 21 of 40 × 40 slices, each 3 × 3"
    assert stage.page.locator("input[type=range]").count() == 0
    canvas = stage.page.locator("canvas")
    canvas.focus()
    stage.keys("Home", "End", "PageDown")  # row 10, column 62
    number = ((3 * 40 + 20) * 3 + 1) * 3 + 2
    assert reading(stage) == f"conv.filters[3, 20, 1, 2] = {number}"
    slices = stage.page.locator("select", has_text="one")
    slices.focus()
    slices.select_option("one")
    stage.page.wait_for_function("() => window.sent.some((m) => m.tiles === false)")
    answer(stage)
    stage.page.locator("label.pick", has_text="dim 1").locator("input").wait_for()
    assert reading(stage) == "3 rows by 3 columns"
    assert slices.evaluate("e => e.getRootNode().activeElement === e")
    slices.select_option("all")
    stage.page.wait_for_function("() => window.sent.some((m) => m.tiles)")
    answer(stage)
    stage.page.locator("label.pick", has_text="dim 1").locator("input").wait_for(state="detached")
    assert "of 40 × 40 slices" in reading(stage)


def test_tabs_by_keyboard(stage):
    show(stage, looks=5)
    tabs = stage.page.get_by_role("tab")
    tabs.first.focus()
    said = []
    for _ in range(5):
        stage.keys("ArrowRight")
        current = stage.page.locator("[role=tab][aria-selected=true]")
        assert current.evaluate("e => e === e.getRootNode().activeElement")
        labelled = stage.page.get_by_role("tabpanel").get_attribute("aria-labelledby")
        assert labelled == current.get_attribute("id")
        said.append(current.inner_text())
    assert said == ["Histogram", "Over time", "Gradient flow", "Before / after", "Values"]
    stage.keys("End")
    assert stage.page.locator("[role=tab][aria-selected=true]").inner_text() == "Before / after"


def test_histograms_have_a_cursor_and_a_log_scale(stage):
    show(stage)
    tab(stage, "Histogram")
    bars = stage.page.locator(".histogram svg").first
    bars.focus()
    stage.keys("Home")
    assert reading(stage) == "-5 … -4.725: 1 numbers"
    heights = "e => [...e.querySelectorAll('.values')].map((r) => Number(r.getAttribute('height')))"
    assert sorted(set(bars.evaluate(heights))) == [0, 100]
    stage.page.get_by_label("one axis for both").check()
    assert "5" in stage.page.locator(".histogram .ends").nth(1).inner_text()
    stage.page.get_by_label("counts on a log scale").check()
    counts = stage.page.locator(".histogram .counts").first
    assert counts.inner_text().split() == ["1", "log", "0"]
    stage.page.get_by_label("one axis for both").uncheck()
    origin = stage.page.locator(".histogram .origin").first  # 0 in numbers, under the dashed line
    assert origin.inner_text() == "0"
    line = stage.page.locator(".zero").first.bounding_box()
    place = origin.bounding_box()
    assert abs(place["x"] + place["width"] / 2 - line["x"] - line["width"] / 2) < 2


def test_norms_over_time_are_there_for_every_tensor_at_once(stage):
    show(stage, looks=12)
    tab(stage, "Over time")
    figures = stage.page.locator("figure.time figcaption")
    assert figures.all_inner_texts()[0].split("\n")[-1] == "2050"  # three digits travel
    chart = stage.page.locator("figure.time canvas").first
    chart.focus()
    stage.keys("Home", "ArrowRight")
    assert "at step 2" in stage.page.locator(".ends").first.inner_text()
    assert [text.split("\n")[-1] for text in figures.all_inner_texts()] == ["2", "0.2", "0.002", "0.001"]  # fmt: skip
    stage.page.get_by_role("button", name="next tensor").click()
    assert stage.page.locator(".title").inner_text() == "first.bias"
    assert (
        stage.page.evaluate("() => window.sent.length") == 1
    )  # only "opened": Python was not asked
    assert figures.all_inner_texts()[0].split("\n")[-1] == "2"


def test_a_running_loop_adds_to_the_curves(stage):
    view = show(stage, looks=3)
    tab(stage, "Over time")
    view._recorder.looks = 4
    view.advance()
    stage.push("shown", "news")
    stage.page.wait_for_function(
        "() => document.querySelector('.nbmodule-view').shadowRoot.querySelector('figcaption b').textContent === '8'"
    )
    tab(stage, "Gradient flow")
    assert "Step 4." in stage.page.get_by_role("tabpanel").inner_text()
    assert stage.page.locator(".bars .words").nth(0).inner_text() == "0.231"


def test_flow_names_what_is_wrong_and_leads_there(stage):
    show(stage)
    tab(stage, "Gradient flow")
    assert (
        "no gradient in first.bias, second.weight" in stage.page.locator(".findings").inner_text()
    )
    row = stage.page.locator(".bars .bar-row").first
    assert row.inner_text().split() == ["first.weight", "0.5"]
    stage.page.get_by_role("button", name="show").click()
    assert stage.page.locator(".title").inner_text() == "first.bias"
    assert stage.page.evaluate("() => window.sent.length") == 1
    stage.page.locator(".bars").focus()
    stage.keys("ArrowDown")
    assert stage.page.locator(".title").inner_text() == "second.weight"
    assert stage.page.locator(".bars").evaluate("e => e === e.getRootNode().activeElement")


def test_moments_are_remembered_and_compared_from_the_page(stage):
    view = show(stage)
    tab(stage, "Before / after")
    assert "No moment is remembered" in stage.page.get_by_role("tabpanel").inner_text()
    stage.page.get_by_role("button", name="Remember").click()
    answer(stage)
    stage.page.locator(".bars").wait_for()
    view.model.first.weight.numpy()[:] *= 2
    view.refresh()
    stage.push(*TRAITS)
    stage.page.get_by_text("(100 %)").first.wait_for()
    stage.page.locator(".side canvas").focus()
    stage.keys("ArrowRight")
    assert "Δ first.weight[0, 0] = -5" in stage.page.locator(".side").inner_text()
    stage.page.get_by_role("tabpanel").get_by_role("combobox").first.select_option("now")
    asked = stage.page.evaluate("() => window.sent.at(-1)")
    assert asked == {"kind": "compare", "before": "now", "after": "now"}


def test_search_by_a_part_of_the_path(stage):
    view = show(stage)
    field = stage.page.get_by_label("search for a tensor by its path")
    assert stage.page.locator("datalist option").first.get_attribute("value") == "mean"
    field.fill("SECOND.b")
    stage.keys("Enter")
    assert stage.page.locator(".title").inner_text() == "second.bias"
    view.path = "second.bias"
    stage.push("path", "shown")
    stage.page.locator("canvas").wait_for()
    assert "2 numbers" in reading(stage)


def test_while_python_is_busy_no_old_numbers_stand_under_a_new_name(stage):
    show(stage)
    stage.page.get_by_role("button", name="next tensor").click()
    assert stage.page.locator(".title").inner_text() == "first.bias"
    assert stage.page.locator("canvas").count() == 0
    stage.page.get_by_text("Python is busy").wait_for()


def test_the_tree_may_choose_while_python_is_busy(stage):
    show(stage, looks=3)
    tab(stage, "Over time")
    stage.page.evaluate("() => window.push({ path: 'second' })")
    stage.page.wait_for_function(
        "() => document.querySelector('.nbmodule-view').shadowRoot.querySelector('.title').textContent === 'second.weight'"
    )


def test_nan_infinity_empty_and_hostile_tensors(stage):
    made = Module()
    made._parameters["bad"] = Parameter([[np.nan, np.inf], [1, -1000], [0, 0]])
    made._parameters["empty"] = Parameter(np.empty((0, 3)))
    made._modules[HOSTILE] = Linear(2, 2)
    view = ParameterView(made)
    view.refresh()
    stage.show(view, TRAITS)
    assert "1 NaN: X" in stage.page.locator(".legend").inner_text()
    assert "1 infinite: ∞" in stage.page.locator(".legend").inner_text()
    for path in view.index["paths"]:
        view.path = path
        stage.push(*TRAITS)
        for name in ("Values", "Histogram", "Over time", "Gradient flow", "Before / after"):
            tab(stage, name)
    assert stage.page.evaluate("() => window.pwned") is None
    tab(stage, "Values")
    view.path = "empty"
    stage.push(*TRAITS)
    stage.page.get_by_text("no picture: a tensor of shape (0, 3) holds no numbers").wait_for()


def test_everything_has_a_name_and_closing_leaves_nothing(stage):
    show(stage, "conv.wide", looks=3)
    for name in ("Values", "Histogram", "Over time", "Gradient flow", "Before / after"):
        tab(stage, name)
        nameless = stage.page.locator(
            "input, select, canvas, svg[tabindex], [role=listbox]"
        ).evaluate_all(
            "all => all.filter((e) => !e.ariaLabel && !e.labels?.length).map((e) => e.outerHTML)"
        )
        assert nameless == []
    stage.page.evaluate("() => window.cleanUp()")
    assert stage.page.evaluate("() => window.listening()") == 0
    assert stage.page.evaluate("() => window.sent.at(-1).kind") == "closed"


def test_a_view_that_is_drawn_again_is_as_the_reader_left_it(stage):
    show(stage)
    tab(stage, "Histogram")
    stage.page.get_by_label("counts on a log scale").check()
    stage.page.evaluate("() => { window.cleanUp(); return window.draw(); }")
    assert stage.page.locator("[role=tab][aria-selected=true]").inner_text() == "Histogram"
    assert stage.page.get_by_label("counts on a log scale").is_checked()


def test_the_page_fits_its_budget():
    assert len(ParameterView._esm.encode()) <= 44_000
