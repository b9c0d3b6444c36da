"""descent: the trails are those that the optimizers really take, and the parts of a step add up to it."""

from __future__ import annotations

from typing import Any

import pytest
from every_view import used_up

import nbmodule_widgets as nw


def valley(lib: Any) -> Any:
    scale, lowest = lib.tensor([0.05, 1.0]), lib.tensor([2.0, -0.5])
    return lambda w: ((w - lowest) ** 2 * scale).sum()


def start_of(lib: Any) -> Any:
    return lib.nn.Parameter(lib.tensor([-4.0, 1.5]))


MAKERS = {
    "SGD": lambda lib: lambda params: lib.optim.SGD(params, lr=0.5),
    "momentum": lambda lib: lambda params: lib.optim.SGD(params, 0.1, momentum=0.9),
    "decay": lambda lib: lambda params: lib.optim.SGD(params, 0.1, weight_decay=0.5),
    "AdamW": lambda lib: lambda params: lib.optim.AdamW(params, 0.2, weight_decay=0.5),
}


def seen(lib: Any, steps: int = 8, **more: Any) -> Any:
    makers = {name: make(lib) for name, make in MAKERS.items()} | more
    return nw.lessons.descent(valley(lib), makers, start_of(lib), steps)


def test_a_trail_is_the_way_of_the_optimizer(lib):
    facts = seen(lib).facts
    for trail in facts.trails:
        here = start_of(lib)
        optimizer = MAKERS[trail.name](lib)([here])
        for moment in trail.moments:
            loss = valley(lib)(here)
            assert moment.at == pytest.approx(here.tolist())
            assert moment.loss == pytest.approx(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert len(trail.moments) == facts.steps + 1 == 9


def test_the_parts_of_a_step_lead_to_the_next_place(lib):
    for trail in seen(lib).facts.trails:
        for moment, following in zip(trail.moments, trail.moments[1:], strict=False):
            parts = zip(moment.at, moment.gradient, moment.decay, moment.rest, strict=True)
            assert [sum(part) for part in parts] == pytest.approx(list(following.at))
        second = trail.moments[1]
        assert (max(map(abs, second.decay)) > 0) is (trail.name in ("decay", "AdamW"))
        assert (max(map(abs, second.rest)) > 1e-6) is (trail.name in ("momentum", "AdamW"))


def test_contour_lines_are_where_the_loss_has_their_level(lib):
    for level, pieces in seen(lib).facts.contours:
        points = [point for piece in pieces for point in piece]
        assert points
        for point in points[::40]:
            assert valley(lib)(lib.tensor(list(point))).item() == pytest.approx(level, rel=0.1, abs=0.1)  # fmt: skip


def test_nothing_that_was_handed_in_is_changed_and_all_forms_say_the_same(lib):
    start = start_of(lib)
    start.grad = lib.ones(2)
    optimizers = {name: make(lib) for name, make in MAKERS.items()}
    view = used_up(nw.lessons.descent(valley(lib), optimizers, start, 12))
    assert start.tolist() == [-4.0, 1.5]
    assert start.grad.tolist() == [1.0, 1.0]
    assert "momentum, first step: −lr · gradient (0.06, -0.4)" in str(view)
    assert "−lr · weight decay · weight (0.2, -0.075)" in view.to_html()
    legend = [text.get_text() for text in view.figure().axes[0].get_legend().get_texts()]
    assert legend == [*MAKERS, "lowest loss found"]
    assert str(view).endswith("lowest loss found: (2, -0.5), loss 0")
    assert len(view.descent["trails"][0]["words"]) == 13


def test_a_trail_that_leaves_the_page_ends_there(lib):
    wild = seen(lib, 400, wild=lambda params: lib.optim.SGD(params, lr=50.0)).facts.trails[-1]
    assert wild.ended.startswith("it leaves the page after step")
    assert len(wild.moments) < 20


def test_an_optimizer_without_groups_has_one_part():
    import nbmodule

    class Own:
        def __init__(self, params: Any) -> None:
            self.params = params

        def step(self) -> None:
            for param in self.params:
                param.data -= 0.1 * param.grad.data

    moment = seen(nbmodule, own=Own).facts.trails[-1].moments[0]
    assert moment.gradient == moment.decay == (0.0, 0.0)
    assert moment.rest == pytest.approx((0.06, -0.4))


def test_wrong_arguments_are_refused_in_words(lib):
    makers = {"SGD": MAKERS["SGD"](lib)}
    with pytest.raises(TypeError, match="optimizers by name"):
        nw.lessons.descent(valley(lib), {}, start_of(lib))
    with pytest.raises(TypeError, match="two numbers"):
        nw.lessons.descent(valley(lib), makers, lib.nn.Parameter(lib.ones(3)))
    with pytest.raises(ValueError, match="from 1 to 1000"):
        nw.lessons.descent(valley(lib), makers, start_of(lib), 0)


def test_the_lowest_place_is_found_or_not_claimed(lib):
    facts = seen(lib).facts
    assert facts.lowest is not None
    assert facts.lowest[0] == pytest.approx((2.0, -0.5), abs=1e-3)
    left, right, bottom, top = facts.box
    assert left < 2.0 < right
    assert bottom < -0.5 < top
    makers = {"SGD": MAKERS["SGD"](lib)}
    slope = nw.lessons.descent(lambda w: w.sum(), makers, start_of(lib), 3)
    assert slope.facts.lowest is None
    assert "lowest" not in str(slope)
    assert "lowest" not in slope.to_html()


def test_the_last_place_has_a_next_step_too(lib):
    for trail in seen(lib, 5).facts.trails:
        longer = next(t for t in seen(lib, 6).facts.trails if t.name == trail.name)
        assert trail.moments[-1] == longer.moments[5]


@pytest.mark.browser
def test_the_legend_has_the_colors_of_the_arrows(stage):
    import nbmodule as lib

    view = seen(lib)
    stage.show(view, ("descent", "step", "problem"))
    samples = stage.page.locator(".part .sample").evaluate_all(
        "all => all.map((node) => [getComputedStyle(node).borderTopColor, getComputedStyle(node).borderTopStyle])"
    )
    assert len({tuple(sample) for sample in samples}) == 3
    stage.page.get_by_role("button", name="AdamW").click()
    stage.page.get_by_role("button", name="last moment").click()
    arrows = stage.page.locator(".arrow")
    assert arrows.count() == 3
    colors = arrows.evaluate_all("all => all.map((node) => getComputedStyle(node).stroke)")
    assert colors == [color for color, _ in samples]
    assert stage.page.locator(".player-count").inner_text() == "step 8 of 8"
    assert "lowest loss found: (2, -0.5)" in stage.page.locator(".view").inner_text()


@pytest.mark.browser
def test_arrows_that_turn_back_do_not_cover_each_other(stage):
    import nbmodule as lib

    decay = {"decay": lambda params: lib.optim.SGD(params, lr=0.3, weight_decay=0.5)}
    stage.show(
        nw.lessons.descent(valley(lib), decay, start_of(lib), 200), ("descent", "step", "problem")
    )
    stage.page.get_by_role("button", name="last moment").click()
    ends = stage.page.locator(".arrow").evaluate_all(
        "all => all.map((node) => ['x1', 'y1', 'x2', 'y2'].map((key) => Number(node.getAttribute(key))))"
    )
    (x1, y1, x2, y2), (x3, y3, *_) = ends
    area = (x2 - x1) * (y3 - y1) - (y2 - y1) * (x3 - x1)
    assert abs(area) > 5 * ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5  # a distance of more than 5
