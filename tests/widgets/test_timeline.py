"""HookTimeline without a browser: what travels to the page, the twins, the figure, and what is refused."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from module_subjects import HOSTILE
from timeline_subject import Net, timeline

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule_widgets.views.trace_tensors import EXACT, Tensors, picture, statistics


def unpacked(column: dict[str, Any]) -> list[int]:
    return np.frombuffer(
        column["bytes"], {"B": "u1", "H": "<u2", "I": "<u4"}[column["kind"]]
    ).tolist()


def grown(numbers: bytes) -> list[int]:
    found, rest = [], iter(numbers)
    for first in rest:
        found += [first if first < 255 else sum(next(rest) << 8 * n for n in range(3))]
    return found


def shapes_in_page(view: Any) -> list[list[tuple[str, str]]]:
    """For each event the names and forms of its tensors, worked out from the columns alone."""
    trait, step = view.moments, view.moments["step"]
    form, sizes, called, listed = (
        unpacked(step[name]) for name in ("form", "sizes", "called", "listed")
    )
    starts = np.cumsum([0, *sizes])
    newest, found = 0, []
    for number in grown(step["tensor"]):
        code = number and newest + ((number - 1) // 2 if number % 2 else -number // 2)
        if code <= len(form):
            newest = max(newest, code)
            items = [(0, code - 1)] if code else []
        else:
            own = slice(*starts[code - len(form) - 1 :][:2])
            items = list(zip(called[own], listed[own], strict=True))
        found.append([(trait["words"][n], trait["forms"][form[t]][0]) for n, t in items])
    return found


@pytest.mark.parametrize("keep", ["none", "all"])
def test_the_columns_say_what_the_events_say(keep):
    view = timeline(keep=keep)
    events, trait, step = view.facts.events, view.moments, view.moments["step"]
    what = [trait["what"][n] for n in unpacked(step["what"])]
    assert [kind for kind, *_ in what] == [event.kind for event in events]
    assert [n - 1 for n in unpacked(step["call"]) if n <= len(view.facts.calls)] == [
        event.call for event in events if event.call >= 0 or event.node < 0
    ]
    expected = [[(name, f"{g.shape} {g.dtype}") for name, g in event.tensors] for event in events]
    assert shapes_in_page(view) == expected
    ticks = np.cumsum(grown(step["at"])) * trait["span"] / 65535
    assert np.allclose(ticks, [event.at_us for event in events], atol=trait["span"] / 60000)
    calls = view.facts.calls
    assert unpacked(step["parent"]) == [call.parent + 1 for call in calls]
    assert unpacked(step["node"]) == [call.node + 1 for call in calls]


def test_several_tensors_and_late_ones_are_found_again():
    class Pairs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(*(nn.Linear(n, n + 1) for n in range(1, 300)))
            self.take = Take()

        def forward(self, x: Any) -> Any:
            return self.take(x, {"y": (self.layers(x), x)})

    class Take(nn.Module):
        def forward(self, x: Any, more: Any) -> Any:
            return more

    view = nw.trace(Pairs(), nbmodule.ones(2, 1))
    expected = [
        [(name, f"{g.shape} {g.dtype}") for name, g in event.tensors] for event in view.facts.events
    ]
    assert any(len(item) == 3 for item in expected)
    assert shapes_in_page(view) == expected


def test_statistics_have_three_digits_where_there_are_many():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(EXACT + 40, 4)) * 10.0 ** rng.integers(-9, 6, size=(EXACT + 40, 1))
    table[3], table[4], table[5] = 0, np.nan, (np.inf, -np.inf, 1, -1)
    few = statistics(table[:EXACT])
    assert few["scale"] is None
    assert np.array_equal(
        np.frombuffer(few["numbers"], "<f4"), table[:EXACT].astype("f4").ravel(), equal_nan=True
    )
    many = statistics(table)
    codes = np.frombuffer(many["numbers"], "<u2").astype(int).reshape(-1, 4)
    low, step = many["scale"]
    sizes = np.where(codes & 0x7FFF, 2 ** (low + ((codes & 0x7FFF) - 1) * step), 0)
    sizes[(codes & 0x7FFF) == 0x7FFE] = np.inf
    found = np.where(codes & 0x8000, -sizes, sizes)
    found[codes == 0xFFFF] = np.nan
    assert np.allclose(found, table, rtol=1e-3, atol=0, equal_nan=True)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 4), (2, 3, 4), (5, 2, 3, 4), (2, 9, 40, 30)])
def test_a_picture_shows_each_number_at_its_place(shape):
    values = np.arange(np.prod(shape, dtype=int), dtype="f4").reshape(shape)
    drawn = picture(values)
    cells = np.frombuffer(drawn["cells"], "<f4").reshape(drawn["rows"], drawn["columns"])
    if "tile" not in drawn:
        assert set(cells.ravel()) >= set(values.ravel())
        return
    high, wide = drawn["tile"]
    seen = 0
    for row in range(0, drawn["rows"], high):
        for column in range(0, drawn["columns"], wide):
            tile = row // high * (drawn["columns"] // wide) + column // wide
            if tile < drawn["tiles"]:
                index = np.unravel_index(tile, [shape[axis] for axis in drawn["others"]])
                place = (0,) * (len(shape) - 2 - len(index)) + tuple(index)
                assert np.array_equal(
                    cells[row : row + high, column : column + wide], values[place]
                )
                seen += 1
    assert seen == drawn["tiles"]
    assert str(seen) in drawn["words"]


def test_the_log_tells_what_ran_when():
    text = str(timeline())
    assert text == str(timeline())
    lines = [line.strip() for line in text.splitlines()]
    order = [
        "▶ the model (Net) · in (2, 4) float32",
        "▶ body (Sequential) · in (2, 4) float32",
        "▶ body.0 (Linear) · in (2, 4) float32",
        "□ forward() made (2, 5) float32",
        "◆ forward hook <lambda>: output replaced",
        "◆ forward hook <lambda>: changed nothing",
        "■ body.0 · out (2, 5) float32",
        "▶ again (Linear), call 2 · in (2, 5) float32",
        "◆ forward hook look: changed nothing",
        "▶ head (Linear), call 2, forward() called directly · in (2, 5) float32",
        "backward:",
        "∑ the loss is",
        "◀ the model · gradient of its output (2, 3) float32",
        "● gradient of head.weight (3, 5) float32",
        "◁ again · gradient of its input (2, 5) float32",
        "hooks, in the order in which they ran:",
        "1. forward hook <lambda> of body.0: output replaced",
        "2. forward hook <lambda> of body.0: changed nothing",
        "3. forward hook look of head: changed nothing",
        "✕ 1 hook of head did not run (look): forward() was called directly, bypassing __call__",
        "– 1 module never called (not reached",
    ]
    at = 0
    for wanted in order:
        at = next((n for n in range(at, len(lines)) if lines[n].startswith(wanted)), None)
        assert at is not None, wanted


class Balance(HTMLParser):
    """Refuses tags that are not closed, scripts, and attributes that could run something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.deepest = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag != "script"
        assert not any(name.startswith("on") or "url(" in (value or "") for name, value in attrs)
        self.seen.add(tag)
        if tag not in ("path", "rect", "circle"):
            self.open.append(tag)
            self.deepest = max(self.deepest, self.open.count("details"))

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_html_is_nested_as_the_calls_were():
    html = timeline().to_html()
    assert html == timeline().to_html()
    parsed = Balance()
    parsed.feed(html)
    assert parsed.open == []
    assert parsed.seen >= {"svg", "rect", "circle", "details", "summary"}
    assert parsed.deepest == 4  # the fold, the model, body, body.0


def test_a_pass_that_fails_says_where_and_why():
    class Wrong(nn.Sequential):
        pass

    view = nw.trace(Wrong(nn.Linear(4, 5), nn.Linear(6, 2)), nbmodule.ones(2, 4))
    facts = view.facts
    assert facts.events[facts.failed].path == "1"
    for twin in (str(view), view.to_html()):
        assert "⚠ failed in 1" in twin
        assert "6" in twin
        assert "shapes cannot be multiplied" in twin
    Balance().feed(view.to_html())
    assert "⚠ failed</text>" in view.to_html()
    (axis,) = view.figure().axes
    assert "failed" in [text.get_text().strip() for text in axis.texts]


def test_hostile_names_are_text_everywhere():
    model = nn.Sequential(nn.Linear(2, 2))
    layer = model._modules["0"]
    model._modules[HOSTILE] = type(HOSTILE, (nn.Linear,), {})(2, 2)
    hook: Any = type(HOSTILE, (), {"__call__": lambda *given: None})()
    layer.register_forward_hook(hook)
    view = nw.trace(model, nbmodule.ones(1, 2), loss=lambda y: y.sum())
    Balance().feed(view.to_html())
    assert "<img" not in view.to_html()
    assert all(mark not in str(view) for mark in "\u202e\x07")
    assert all(mark not in str(view.moments) for mark in "\u202e\x07")


def test_the_figure_shows_each_call_forward_and_backward():
    view = timeline()
    (axis,) = view.figure().axes
    drawn = {text.get_text() for text in axis.texts}
    assert {"1", "2", "3", "forward ▶", " ◀ backward"} <= drawn  # the hooks by number
    calls = len(view.facts.calls)
    assert len(axis.collections) == 2 * calls
    assert sum(bool(each.get_hatch()) for each in axis.collections) == calls
    assert "time in" in axis.get_xlabel()


def test_larger_values_stay_in_python_until_the_page_asks(wire, from_page):
    model = nn.Conv2d(1, 8, 3)
    view = nw.trace(model, nbmodule.ones(2, 1, 20, 20), keep="all")
    large = Tensors(view.facts).glances[-1]
    number = view.kept["larger"][-1]
    assert (large.shape, large.numel) == ((2, 8, 18, 18), 5184)
    from_page(view, kind="open", tensor=number)
    assert view.opened["tensor"] == number
    cells = np.frombuffer(view.opened["cells"], "<f4")
    assert large.values is not None
    assert np.isin(large.values[0], cells).all()
    for wrong in (-1, 10**9, "0", None, True):
        from_page(view, kind="open", tensor=wrong)
    assert view.opened["tensor"] == number
    assert view.problem == ""


def test_what_is_refused_and_what_is_said_then():
    with pytest.raises(
        TypeError, match=r"neither one of its options \(loss=, keep=, kwargs=\) nor a named input"
    ):
        nw.trace(Net(), nbmodule.ones(2, 4), depth=3)
    with pytest.raises(TypeError, match="function from the output to a scalar"):
        nw.trace(Net(), nbmodule.ones(2, 4), loss=3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs a Module"):
        nw.trace(3, nbmodule.ones(2, 4))


def test_hooks_of_parameters_and_idle_ones():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].bias.register_hook(lambda grad: grad * 2)
    model[1].weight.register_hook(lambda grad: None)
    model[1].register_full_backward_hook(lambda module, into, out: None)
    view = nw.trace(model, nbmodule.ones(1, 2), loss=lambda y: y.sum())
    ran = str(view)
    assert "◆ parameter hook <lambda> of 1.bias: gradient replaced: mean 1 -> 2" in ran
    assert re.search(r"\d\. parameter hook <lambda> of 1.bias: gradient replaced", ran)
    assert re.search(r"\d\. parameter hook <lambda> of 1.weight: changed nothing", ran)
    assert "✕" not in ran
    assert {hook.path for hook in view.facts.hooks} == {"1", "1.bias", "1.weight"}
    (event,) = (event for event in view.facts.events if "gradient replaced" in event.changed)
    assert (event.path, event.parameter) == ("1", "bias")
    assert "on 1.bias runs" in event.words
    forward = str(nw.trace(model, nbmodule.ones(1, 2)))
    why = "did not run: there was no backward pass"
    assert f"✕ parameter hook <lambda> of 1.bias {why}" in forward
    assert f"✕ backward hook <lambda> of 1 {why}" in forward
    assert "hooks, in the order" not in forward  # none of them ran


def test_what_else_could_be_seen_is_said():
    def hinted(view: Any) -> tuple[bool, bool]:
        page = "".join(words for mark, words, _ in view.moments["hooks"] if mark == "i")
        said = (page, str(view), view.to_html())
        found = {("no hooks are registered" in each, "loss=lambda" in each) for each in said}
        assert len(found) == 1  # the page, the text and the HTML say the same
        return found.pop()

    model, given = nn.Sequential(nn.Linear(2, 2)), nbmodule.ones(1, 2)
    assert hinted(nw.trace(model, given)) == (True, True)
    assert hinted(nw.trace(model, given, loss=lambda y: y.sum())) == (True, False)
    assert hinted(nw.trace(model, nbmodule.ones(1, 3))) == (False, False)  # it failed
    model.register_forward_hook(lambda module, args, output: None)
    assert hinted(nw.trace(model, given)) == (False, True)


def test_a_module_past_whose_hooks_forward_ran_was_not_never_called():
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(2, 2)
            self.inner.register_forward_hook(lambda module, args, output: output * 2)

        def forward(self, x: Any) -> Any:
            return self.inner.forward(x)

    view = nw.trace(Outer(), nbmodule.ones(1, 2))
    assert "never called" not in str(view) + view.to_html() + str(view.moments["hooks"])
    assert "✕ 1 hook of inner did not run (<lambda>)" in str(view)


def test_the_legend_has_what_the_pass_has():
    def shown(view: Any) -> str:
        return " ".join(words for _, words in view.moments["legend"])

    forward = shown(nw.trace(nn.Sequential(nn.Linear(2, 2)), nbmodule.ones(1, 2)))
    assert forward == "▶ forward ✓ has run"
    assert shown(timeline()) == (
        "▶ forward ◀ backward ❶ a hook of yours ● gradient of a parameter "
        "✓ has run · ✓✓ gradients done · – never called"
    )


@pytest.mark.parametrize(
    ("loss", "where"),
    [(lambda y: y.item(), "the loss function"), (lambda y: y, "the backward pass")],
)
def test_a_loss_that_fails_is_not_blamed_on_the_model(loss, where):
    view = nw.trace(nn.Sequential(nn.Linear(2, 3)), nbmodule.ones(1, 2), loss=loss)
    assert f"⚠ failed in {where}: " in str(view)
    assert view.moments["says"]["failed"].startswith(f"It failed in {where}: ")
    assert ("∑ the loss is (1, 3) float32" in str(view)) == (where == "the backward pass")


def test_a_call_that_nobody_hears_is_not_called_never_called():
    class Own(nn.Module):
        def __call__(self, x: Any) -> Any:
            return x

    view = nw.trace(Own(), nbmodule.ones(1))
    assert "nothing was recorded" in str(view)
    for told in (str(view), str(view.moments["hooks"]), view.to_html()):
        assert "1 module not recorded" in told
        assert "never called" not in told
    with pytest.raises(ValueError, match="no call was recorded"):
        view.figure()
