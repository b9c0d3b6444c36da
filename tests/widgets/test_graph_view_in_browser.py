"""GraphView in a page: where its boxes stand, folding, keys, search, the walk, a failing pass, thousands of nodes."""

from __future__ import annotations

import pytest

import nbmodule as nb
import nbmodule_widgets as nw
from nbmodule import nn

pytestmark = pytest.mark.browser
GRAPH = ("graph", "rest", "played", "opened", "looks", "looked", "problem")
# Of each box and frame: its number, its place in the picture, and whether it is a frame.
PLACES = """
(svg) => [...svg.querySelectorAll("[data-item]")].map((g) => {
  const [x, y] = g.getAttribute("transform").match(/[-\\d.]+/g).map(Number), box = g.querySelector("rect:last-of-type");
  return { item: Number(g.dataset.item), x, y, right: x + Number(box.getAttribute("width")), bottom: y + Number(box.getAttribute("height")), frame: g.classList.contains("frame") };
})
"""


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(4), nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def network(blocks=2):
    nb.manual_seed(0)
    model = nn.Sequential(*(Block() for _ in range(blocks)))
    return nw.graph(model, nb.randn(3, 4), loss=lambda y: (y * y).mean())


@pytest.fixture
def shown(stage):
    """Shows a view; gives back its picture."""

    def show(view):
        stage.show(view, GRAPH)
        picture = stage.page.locator("svg.picture")
        stage.page.wait_for_function(
            "(svg) => svg.firstChild.hasAttribute('transform')", arg=picture.element_handle()
        )
        return picture

    return show


def press(stage, name):
    stage.page.get_by_role("button", name=name).click()


def picked(stage):
    return stage.page.locator("[role=treeitem][aria-selected=true] bdi").inner_text()


def test_boxes_stand_apart_inside_their_frames_and_arrows_lead_down(stage, shown):
    picture = shown(network())
    press(stage, "unfold, up to")
    places = picture.evaluate(PLACES)
    boxes = [p for p in places if not p["frame"]]
    frames = [p for p in places if p["frame"]]
    assert len(boxes) == 25
    assert len(frames) >= 7
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = (
                a["x"] >= b["right"]
                or b["x"] >= a["right"]
                or a["y"] >= b["bottom"]
                or b["y"] >= a["bottom"]
            )
            assert apart, (a, b)
        for f in frames:  # inside or outside, never across the edge
            inside = (
                f["x"] <= a["x"]
                and a["right"] <= f["right"]
                and f["y"] <= a["y"]
                and a["bottom"] <= f["bottom"]
            )
            outside = (
                f["x"] >= a["right"]
                or a["x"] >= f["right"]
                or f["y"] >= a["bottom"]
                or a["y"] >= f["bottom"]
            )
            assert inside or outside, (a, f)
    ends = picture.evaluate(
        "(svg) => [...svg.querySelectorAll('.wire path:first-child')].map((p) => [p.getPointAtLength(0).y, p.getPointAtLength(1e6).y])"
    )
    assert len(ends) > 24
    assert all(start < end for start, end in ends)


def test_folding_leaves_a_box_where_it_is_and_tells_nobody(stage, shown):
    picture = shown(network())
    press(stage, "fold all")
    box = picture.locator("g.group")
    assert box.count() == 1
    assert "10 operations" in box.text_content()
    before = box.bounding_box()
    box.click()
    frame = picture.locator("g.frame").first
    after = frame.bounding_box()
    assert abs(before["x"] - after["x"]) < 3
    assert abs(before["y"] - after["y"]) < 3
    picture.locator(".titles text").first.click()
    assert picture.locator("g.frame").count() == 0
    assert stage.page.evaluate("() => window.sent.map((m) => m.kind)") == ["opened"]


def test_the_arrow_keys_follow_the_arrows(stage, shown):
    picture = shown(network(1))
    press(stage, "fold all")
    picture.focus()
    assert picked(stage) == "loss = mean"
    stage.keys("ArrowUp")
    assert picked(stage) == "multiply"
    stage.keys("ArrowUp")
    assert picked(stage) == "Sequential"
    stage.keys("+")
    row = stage.page.locator("[role=treeitem][aria-selected=true]")
    assert row.get_attribute("aria-expanded") == "true"
    stage.keys("-", "ArrowDown")
    assert picked(stage) == "multiply"
    assert picture.get_attribute("aria-activedescendant").startswith("item-")
    stage.page.locator("[role=tree]").focus()
    stage.keys("Home", "Enter", "ArrowDown")
    assert row.get_attribute("aria-level") == "2"
    stage.keys("ArrowLeft")
    assert picked(stage) == "Sequential"


def test_searching_unfolds_what_it_finds(stage, shown):
    shown(network())
    press(stage, "fold all")
    field = stage.page.get_by_role("searchbox", name="find a node")
    field.fill("1.down.weight")
    stage.page.get_by_text("1 found").wait_for()
    field.press("Enter")
    assert picked(stage) == "weight"
    assert stage.page.locator("aside h4").inner_text() == "● 1.down.weight"
    field.fill("no gradient")
    stage.page.get_by_text("1 found").wait_for()
    field.press("Enter")
    assert stage.page.locator("aside h4").inner_text() == "○ input"


def test_what_is_probably_a_fault_stands_above_and_is_selected(stage, shown):
    x = nb.tensor([0.0, 4.0], requires_grad=True)
    shown(nw.graph((x.sqrt() * 3).sum(), names={"x": x}))
    alarm = stage.page.get_by_role("alert")
    assert "square root (SqrtBackward0) is the first to send infinity" in alarm.inner_text()
    assert stage.page.locator("aside h4").inner_text().strip() == "square root"


def test_the_walk_shows_numbers_arriving_and_can_be_taken_back(stage, shown):
    a = nb.tensor(2.0, requires_grad=True)
    b = nb.tensor(3.0, requires_grad=True)
    picture = shown(nw.graph(a * b + a, names={"a": a, "b": b}))
    leaf, other = (picture.get_by_role("img", name=f"leaf, {name},") for name in "ab")
    assert "grad –" in leaf.text_content()
    first = picture.inner_html()
    for _ in range(3):
        press(stage, "step forward")
    assert picture.locator("g.lit").count() == 1
    assert picture.locator(".sum").text_content() in ("3 + 1 = 4", "1 + 3 = 4")
    assert "grad 4" in leaf.text_content()
    story = stage.page.locator(".story").inner_text()
    assert "a gets g = " in story
    assert "backward() adds it to .grad" in story
    press(stage, "last moment")
    assert "grad 2" in other.text_content()
    stage.page.get_by_role("combobox", name="at the arrows").select_option("values, shapes")
    press(stage, "first moment")
    stage.page.get_by_role("combobox", name="at the arrows").select_option("values, shapes")
    picture.locator("g.result").click()
    assert picture.inner_html() == first
    assert stage.page.evaluate("() => window.sent.map((m) => m.kind)") == ["opened"]


def test_a_folded_group_says_how_much_of_it_has_run(stage, shown):
    picture = shown(network(1))
    press(stage, "fold all")
    for _ in range(5):
        press(stage, "step forward")
    state = picture.locator("g.group .state").text_content()
    assert "ran" in state
    done, all_ = (int(n) for n in state.replace(" ran", "").split(" of "))
    assert 0 < done < all_


def test_a_failing_pass_opens_at_the_operation_that_raised(stage, shown):
    view = nw.graph(nn.Sequential(*(Block() for _ in range(3)), nn.Linear(5, 2)), nb.ones(2, 4))
    picture = shown(view)
    failed = picture.locator("g.failed")
    assert "(2, 4) @" in failed.text_content()
    box, frame = failed.bounding_box(), picture.bounding_box()
    assert frame["y"] <= box["y"]
    assert box["y"] + box["height"] <= frame["y"] + frame["height"]
    assert "failed in 3" in stage.page.get_by_role("alert").filter(visible=True).inner_text()
    assert picture.locator(".tag.bad").count() == len(view.facts.incoming(view.facts.failure.node))
    assert stage.page.locator("input[type=range]:visible").count() == 0


def test_thousands_of_nodes(stage, shown, from_page):
    model = nn.Sequential(*(nn.Linear(1, 1) for _ in range(1_200)))
    view = nw.graph(model(nb.ones(1)), model=model)
    picture = shown(view)
    assert 0 < len(picture.evaluate(PLACES)) < 100
    from_page(view, kind="opened")
    stage.push("rest", "played")
    stage.page.wait_for_timeout(100)
    press(stage, "unfold, up to")
    boxes = [p for p in picture.evaluate(PLACES) if not p["frame"]]
    assert 300 < len(boxes) <= 500
    field = stage.page.get_by_role("searchbox", name="find a node")
    field.fill("1199.weight")
    field.press("Enter")
    assert stage.page.locator("aside h4").inner_text() == "● 1199.weight"
    assert len([p for p in picture.evaluate(PLACES) if not p["frame"]]) <= 500


def test_names_of_variables_and_what_is_freed_are_written(stage, shown):
    a = nb.tensor([1.0, 2.0], requires_grad=True)
    square = a * a
    total = (square + 1).sum()
    shown(nw.graph(total))
    boxes = stage.page.locator(".box .first")
    assert boxes.all_text_contents() == ["● a", " square = multiply", " add", " total = sum"]
    assert stage.page.locator(".box.result").count() == 1
    assert "freed" not in stage.page.locator(".view").inner_text()
    for _ in range(3):
        press(stage, "step forward")
    story = stage.page.locator(".story").inner_text()
    assert story.startswith("square = multiply (MulBackward0) gets g = [1, 1] from add")
    assert stage.page.locator(".player-count").inner_text() == "step 3 of 4"
    total.backward()
    shown(nw.graph(total))
    freed = stage.page.locator(".box", has_text="freed")
    assert freed.count() == 1
    assert "square" in freed.text_content()
    assert "freed: backward() let go" in stage.page.locator(".bar").last.inner_text()
