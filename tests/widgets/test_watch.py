"""watch: what a run tells, what the page is sent and when, how it ends, and its twins."""

from __future__ import annotations

import gc
import math
import weakref
from collections import OrderedDict
from html.parser import HTMLParser
from typing import Any

import ipywidgets
import numpy as np
import pytest
from module_subjects import Net

import nbmodule as torch
from nbmodule import nn, optim
from nbmodule_widgets.curves import Curve, sparkline, summary
from nbmodule_widgets.views import screen
from nbmodule_widgets.views.steps import Pace
from nbmodule_widgets.views.watch import Watch, watch

HEADER = ("status", "curves", "findings", "control", "path", "problem")


class Training:
    """A small model and its step."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.optimizer = optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.x = torch.randn(16, 4)
        self.y = (self.x.sum(1) > 0).long()

    def step(self) -> Any:
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(self.x), self.y)
        loss.backward()
        self.optimizer.step()
        return loss


def hooks() -> int:
    from nbmodule.optim import optimizer

    return sum(
        len(value)
        for name, value in vars(optimizer).items()
        if name.startswith("_global") and hasattr(value, "__len__")
    )


def shown_curve(header: Any, index: int = 0) -> np.ndarray:
    return np.frombuffer(header.curves[index]["values"], np.float32)


# ------------------------------------------------------------------------------------------------------- the run


def test_a_run_tells_what_it_saw_and_leaves_no_hook():
    training, before = Training(), hooks()
    with watch(training.model) as w:
        for number in range(20):
            w.tick(loss=training.step(), epoch=number // 10, note="warm")
    assert hooks() == before
    steps, losses = w.facts.metrics["loss"]
    assert steps.tolist() == list(range(1, 21))
    assert losses[-1] < losses[0]
    assert (w.facts.gradient_norm > 0).all()
    assert w.header.status["words"] == "finished"
    assert w.header.status["counters"] == "20 steps"
    assert "epoch 1" in w.header.status["numbers"]
    assert "note warm" in w.header.status["numbers"]
    assert [curve["name"] for curve in w.header.curves] == ["loss"]
    np.testing.assert_allclose(shown_curve(w.header), losses, rtol=1e-6)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("x"), "stopped by ValueError at step 3"),
        (KeyboardInterrupt(), "interrupted at step 3"),
    ],
)
def test_an_exception_ends_the_run_and_goes_on(error, words):
    training, before = Training(), hooks()
    with pytest.raises(type(error)), watch(training.model) as w:  # noqa: PT012
        for _ in range(3):
            w.tick(loss=training.step())
        raise error
    assert hooks() == before
    assert w.header.status["words"] == words
    assert str(w).startswith(words)
    assert words in w.to_html()
    assert len(shown_curve(w.header)) == 3


def test_it_says_how_to_begin_and_does_not_begin_twice():
    w = watch(Net())
    for act in (w.tick, lambda: next(iter(w.steps([1])))):
        with pytest.raises(RuntimeError, match="with watch"):
            act()
    with w, pytest.raises(RuntimeError, match="running already"):
        w.start()
    with w:  # later is another matter: it goes on
        w.tick(loss=1.0)
    assert w.ticks == 1
    with pytest.raises(TypeError, match="herz"):
        watch(Net(), herz=3)
    with pytest.raises(ValueError, match="hz"):
        watch(Net(), hz=0)
    with pytest.raises(TypeError, match="watch"):
        watch([1, 2])


def test_two_watches_on_one_model_and_one_that_is_closed():
    training, before = Training(), hooks()
    with watch(training.model) as one, watch(training.model, every=2) as two:
        for _ in range(4):
            loss = training.step()
            one.tick(loss=loss)
            two.tick(loss=loss)
        two.close()
        one.tick(loss=training.step())
    assert hooks() == before
    assert (len(one.facts.steps), len(two.facts.steps)) == (5, 2)
    assert "widget-view" in "".join(
        two._repr_mimebundle_()[0]
    )  # displayed again, it is there again
    assert two.screen.open


def test_no_tensor_is_kept_by_a_metric():
    training = Training()
    with watch(training.model) as w:
        loss = training.step()
        w.tick(loss=loss)
        gone = weakref.ref(loss)
        del loss
        gc.collect()
        assert gone() is None


# ------------------------------------------------------------------------------------------------- steps and pace


def test_steps_play_where_nobody_can_press_a_button():
    training = Training()
    batches = [1, 2, 3]
    with watch(training.model) as w:
        assert [batch for batch in w.steps(batches, paused=True)] == batches  # noqa: C416
        assert w.ticks == 3  # each batch is a step, told or not
        for _ in w.steps(batches):
            w.tick(loss=training.step())
        assert w.ticks == 6
    assert len(w.steps(batches)) == 3
    with pytest.raises(TypeError, match="how many"):
        len(w.steps(iter(batches)))


def test_a_decorated_step_can_be_run_from_python():
    training = Training()
    w = watch(training.model)
    seen: list[int] = []

    @w.steps(range(5))
    def step(batch: int) -> None:
        seen.append(batch)
        w.tick(loss=training.step())

    assert w.header.status["phase"] == "paused"
    assert w.header.control["by"] == "idle"
    assert step.run(2) == 2
    assert w.header.status["counters"] == "2 steps · batch 2 of 5"
    assert step.run(9) == 3
    assert (seen, step.done, w.running) == ([0, 1, 2, 3, 4], True, False)
    assert step.run() == 0
    assert w.header.control["by"] == ""


def test_the_pace_counts_what_was_asked_for():
    pace = Pace()
    assert pace.may_go()
    pace.pause()
    assert not pace.may_go()
    pace.step(2)
    assert [pace.may_go() for _ in range(3)] == [True, True, False]
    assert pace.paused
    pace.play()
    pace.at_most(0.001)
    assert [pace.may_go() for _ in range(2)] == [True, False]
    pace.at_most(0)
    assert pace.may_go()


# -------------------------------------------------------------------------------------------------------- the page


def weight(message: tuple[dict[str, Any], list[Any]]) -> int:
    data, buffers = message
    return len(repr(data)) + sum(len(memoryview(buffer).cast("B")) for buffer in buffers)


def test_updates_are_small_and_wait_for_a_page_that_is_slow(wire, from_page, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(screen.time, "perf_counter", lambda: now[0])
    training = Training()
    with watch(training.model, hz=10) as w:
        wire.sent.clear()
        w.tick(loss=1.0)
        assert wire.sent == []  # nobody looks
        for view in (w.header, w.tree, w.parameters):
            from_page(view, kind="opened")
        from_page(w.header, kind="drawn", number=w.header.status["number"])

        def updates(seconds: float) -> int:
            before = w.header.status["number"]
            for _ in range(round(seconds * 100)):
                now[0] += 0.01
                w.tick(
                    loss=training.step(),
                    accuracy=0.5,
                    **{f"metric {i}": float(i) for i in range(20)},
                )
            return w.header.status["number"] - before

        wire.sent.clear()
        now[0] += 1
        assert updates(0.09) == 1
        assert 1_000 < sum(map(weight, wire.sent)) <= 40_000
        assert updates(0.8) == 0  # the page has not drawn it
        from_page(w.header, kind="drawn", number=w.header.status["number"])
        assert updates(0.02) == 1
        assert 2 <= updates(3) <= 3  # but a page that never answers is not waited for


def test_clicks_are_flags_and_findings_are_named(wire, from_page):
    with watch(Net()) as w:
        for kind, playing in (("pause", False), ("play", True), ("step", False)):
            from_page(w.header, kind=kind)
            assert w.pace.playing is playing
        from_page(w.header, kind="speed", speed=3)
        assert w.header.control == {"by": "", "paused": False, "playing": False, "speed": 3.0}
        from_page(w.header, kind="speed", speed="fast")
        assert w.pace.speed == 0
        from_page(w.header, kind="drawn", number="x")
    assert isinstance(w.screen.page, ipywidgets.VBox)
    assert len(str(w.header._esm).encode()) <= 40_000


# ------------------------------------------------------------------------------------------------------ the curves


def test_a_long_curve_keeps_its_extremes_and_its_gaps():
    curve = Curve("loss")
    for step in range(100_000):
        curve.add(
            step,
            math.nan
            if step == 70_000
            else 1e6
            if step == 33_333
            else -5.0
            if step == 44_444
            else 1.0,
        )
    steps, values = curve.thinned(512)
    assert len(steps) <= 512
    assert (steps[0], steps[-1]) == (0, 99_999)
    assert {33_333: 1e6, 44_444: -5.0}.items() <= dict(
        zip(steps.tolist(), values.tolist(), strict=True)
    ).items()
    assert np.isnan(values[steps == 70_000]).all()
    assert len(curve.steps) < 2**14
    assert summary(curve) == "min -5 at step 44,444 · max 1e+06 at step 33,333 · 1 NaN or infinite"


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([1, 2, 3], "▁▅█"),
        ([2.0], "▁"),
        ([1, math.inf, 3], "▁×█"),
        ([math.nan], "×"),
        ([10**400], "×"),
    ],
)
def test_sparklines(values, line):
    curve = Curve("x")
    for step, value in enumerate(values):
        curve.add(step, value)
    assert sparkline(curve) == line


def test_the_twins_are_text_without_a_script_and_deterministic():
    name = "<img src=x onerror=alert(1)>\u202e"

    def run() -> Watch:
        training = Training()
        with watch(training.model) as w:
            for number in range(9):
                w.tick(**{name: math.nan if number == 4 else training.step(), "accuracy": 0.5})
        return w

    first, second = run(), run()
    assert (str(first), first.to_html()) == (str(second), second.to_html())
    tags: list[str] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)
            assert not any(key.startswith("on") for key, _ in attrs)

    Parser().feed(first.to_html())
    assert {"svg", "polyline", "details"} <= set(tags)
    assert not {"script", "img", "style"} & set(tags)
    assert tags.count("polyline") == 3  # the gap at the NaN parts one of the two curves
    assert "\u202e" not in first.to_html() + str(first)
    assert "finished · 9 steps" in str(first)


def test_the_figure_shows_metrics_and_gradients():
    pytest.importorskip("matplotlib")
    training = Training()
    with watch(training.model) as w:
        for _ in range(5):
            w.tick(loss=training.step())
    loss, gradients = w.figure().axes
    np.testing.assert_allclose(loss.lines[0].get_ydata(), w.facts.metrics["loss"][1])
    assert gradients.get_yscale() == "log"
    assert {line.get_label() for line in gradients.lines} == set(w.facts.paths)
    assert gradients.get_xlabel() == "training step"


def test_a_name_that_looks_like_a_formula_is_drawn_as_it_is():
    """matplotlib reads what stands between dollars as mathematics, and refuses what it does not understand."""
    pytest.importorskip("matplotlib")
    name = r"$\frac{$"
    model = nn.Sequential(OrderedDict({name: nn.Linear(2, 2)}))
    with watch(model) as w:
        model(torch.ones(1, 2)).sum().backward()
        w.tick(**{name: 1.0})
    figure = w.figure()
    figure.draw_without_rendering()
    assert name in figure.axes[0].get_ylabel().replace("\\$", "$")


# ------------------------------------------------------------------------------------------------- in the browser


@pytest.fixture
def ended() -> Watch:
    training = Training()
    with watch(training.model) as w:
        for number in range(50):
            w.tick(loss=math.nan if number == 10 else training.step(), accuracy=number / 50)
    return w


@pytest.mark.browser
def test_curves_are_read_by_the_keyboard_and_switch_to_a_log_scale(stage, ended):
    stage.show(ended.header, HEADER)
    page = stage.page
    assert page.get_by_text("finished", exact=True).is_visible()
    plot = page.get_by_role("slider", name="loss")
    plot.focus()
    stage.keys("Home", "ArrowRight")
    value = shown_curve(ended.header)[1]
    assert plot.get_attribute("aria-valuetext").startswith("step 2, ")
    assert float(plot.get_attribute("aria-valuetext").split()[-1]) == pytest.approx(value, rel=1e-3)
    assert page.locator(".odd").count() == 1
    path = page.locator("figure .line").nth(1)
    assert path.get_attribute("d").count("M") == 1
    assert page.locator("figure .line").first.get_attribute("d").count("M") == 2  # the gap
    before = path.get_attribute("d")
    page.get_by_label("log scale").check()
    page.wait_for_function(
        "(before) => document.querySelector('.nbmodule-view').shadowRoot.querySelectorAll('figure .line')[1].getAttribute('d') !== before",
        arg=before,
    )
    assert "1 at or below 0 cannot be shown" in page.locator("figure").nth(1).inner_text()
    assert page.get_by_role("button", name="Play").count() == 0
    assert page.evaluate("() => window.sent.at(-1)") == {
        "kind": "drawn",
        "number": ended.header.status["number"],
    }


@pytest.mark.browser
def test_buttons_send_and_show_what_python_did(stage):
    with watch(Net()) as w:
        w.steered("loop", 10)
        stage.show(w.header, HEADER)
        page = stage.page
        page.get_by_role("button", name="Pause").click()
        assert page.evaluate("() => window.sent.at(-1)") == {"kind": "pause"}
        w.pace.pause()
        w.show_now()
        stage.push(*HEADER)
        page.get_by_role("button", name="Play").wait_for()
        assert page.get_by_text("paused", exact=True).is_visible()
        page.get_by_role("button", name="Step").click()
        assert page.evaluate("() => window.sent.at(-1)") == {"kind": "step"}
        page.get_by_label("speed").select_option("3")
        assert page.evaluate("() => window.sent.at(-1)") == {"kind": "speed", "speed": 3}
        w.header.findings = [{"kind": "<b>dead</b>", "path": "first.weight", "text": "never moves"}]
        stage.push("findings")
        finding = page.get_by_role("button", name="<b>dead</b>: never moves")
        finding.focus()
        stage.keys("Enter")
        assert page.evaluate("() => window.trait('path')") == "first.weight"
