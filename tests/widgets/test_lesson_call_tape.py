"""CallTape: what `model(x)` runs, against what `model.forward(x)` runs."""

from __future__ import annotations

from typing import Any

import pytest
from fingerprints import fingerprint
from module_subjects import HOSTILE

import nbmodule
import nbmodule_widgets as nw


def double(module: Any, given: Any) -> Any:
    return (given[0] * 2,)


def plus_one(module: Any, given: Any, result: Any) -> Any:
    return result + 1


def look(module: Any, given: Any, result: Any) -> None: ...


def model_of(lib: Any) -> Any:
    model = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Dropout(0.5))
    model.register_forward_pre_hook(double)
    model.register_forward_hook(plus_one)
    model[0].register_forward_hook(look)
    return model


def told(found: Any, side: str) -> list[str]:
    return [row.title for row in found.rows if row.side == side]


def test_what_the_direct_call_skips(lib):
    lib.manual_seed(1)
    model, given = model_of(lib), lib.ones(2, 3)
    before = fingerprint(model)
    view = nw.lessons.call_tape(model, given)
    assert fingerprint(model) == before
    found = view.facts
    assert told(found, "called") == [
        "Sequential.__call__",
        "forward pre hook double",
        "forward hook plus_one",
        "Sequential.__call__ returns",
    ]
    assert told(found, "direct") == []
    assert told(found, "both") == [
        "Sequential.forward",
        "0: Linear.__call__",
        "0: Linear.forward",
        "0: Linear.forward returns",
        "forward hook look",
        "0: Linear.__call__ returns",
        "1: ReLU",
        "1: ReLU returns",
        "2: Dropout",
        "2: Dropout returns",
        "Sequential.forward returns",
    ]
    assert [row.depth for row in found.rows[:5]] == [0, 1, 1, 2, 3]
    assert [row.shapes for row in found.rows[:1]] == ["(2, 3) float32"]
    assert found.rows[6].stack == ("Sequential", "0: Linear")
    assert [text.split(" (in")[0] for text in found.skipped] == [
        "skipped: forward pre hook double",
        "skipped: forward hook plus_one",
    ]
    assert found.same is False  # `double` and `plus_one` change the numbers
    assert "→ model.forward(x) skips 2 hooks, and gives another result." in str(view)
    assert view.to_html().count("<s ") == 4
    assert len(view.figure().axes) == 2


def test_without_hooks_both_give_the_same_bit_for_bit(lib):
    model = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.Dropout(0.5))  # random, from one state
    found = nw.lessons.call_tape(model, lib.ones(64, 3)).facts
    assert found.same is True
    assert told(found, "called") == ["Sequential.__call__", "Sequential.__call__ returns"]
    assert not any(row.differs for row in found.rows)
    assert "no hooks" in found.notes[0]


def test_a_part_whose_forward_is_called_directly_skips_its_hooks_in_both(lib):
    class Careless(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.part = model_of(lib)

        def forward(self, x: Any) -> Any:
            return self.part.forward(x)

    found = nw.lessons.call_tape(Careless(), lib.ones(2, 3)).facts
    assert not any("double" in row.title for row in found.rows)
    assert "skipped in both: double, plus_one" in "".join(found.notes)


def test_a_pass_that_fails_is_shown_as_far_as_it_got(lib):
    model = model_of(lib)
    found = nw.lessons.call_tape(model, lib.ones(2, 5)).facts
    assert found.same is None
    assert found.verdict.startswith("Both raise: RuntimeError: mat1 and mat2")
    assert found.rows[-1].kind == "failed"
    only = lib.nn.Linear(3, 2)

    def refuse(module: Any, given: Any) -> Any:
        raise ValueError("not today")

    only.register_forward_pre_hook(refuse)
    assert "`model(x)` raises ValueError: not today; the other one does not" in nw.lessons.call_tape(only, lib.ones(1, 3)).facts.verdict  # fmt: skip


def test_a_call_of_ones_own_shows_its_lines(lib):
    class Own(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = lib.nn.Linear(3, 2)
            self.after = [lambda y: y + 1, lambda y: y * 2]

        def forward(self, x: Any) -> Any:
            return self.fc(x)

        def __call__(self, x: Any) -> Any:
            y = self.forward(x)
            for hook in self.after:
                y = hook(y)
            return y

    found = nw.lessons.call_tape(Own(), lib.ones(1, 3)).facts
    assert found.source_of == "Own.__call__"
    assert [line.ran for line in found.source] == [0, 1, 3, 2, 1]
    assert found.same is False  # what `__call__` adds after `forward` counts
    assert nw.lessons.call_tape(model_of(lib), lib.ones(1, 3)).facts.source == ()


def test_a_long_pass_folds_what_lies_deepest(lib):
    def nest(depth: int) -> Any:
        parts = [nest(depth - 1) for _ in range(3)] if depth else [lib.nn.ReLU()]
        return lib.nn.Sequential(*parts)

    view = nw.lessons.call_tape(nest(5), lib.ones(1))
    rows = view.facts.rows
    assert 50 < len(rows) <= 300
    assert rows[-1].title == "Sequential.__call__ returns"
    assert f"{view.facts.left_out + len(rows) - 120:,} moments more" in str(view)
    assert view.facts.same is True


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match=r"call_tape\(\) needs a Module"):
        nw.lessons.call_tape(print)


@pytest.mark.browser
def test_the_tape_is_played(stage):
    import nbmodule

    model = model_of(nbmodule)
    model.add_module(HOSTILE.replace(".", ""), nbmodule.nn.ReLU())
    stage.show(nw.lessons.call_tape(model, nbmodule.ones(2, 3)), ("tape",))
    page = stage.page
    now = page.locator(".pair.now")
    assert "Sequential.__call__" in now.inner_text()
    assert "skipped" in now.inner_text()
    assert not page.locator(".verdict").is_visible()
    page.get_by_role("button", name="first moment").focus()
    stage.keys("ArrowRight")
    assert "input replaced" in now.inner_text()
    assert "model.forward(x) skips it" in page.locator(".saying").inner_text()
    heights = set()
    for _ in range(page.locator(".pair").count()):
        heights.add(page.locator(".view").bounding_box()["height"])
        stage.keys("ArrowRight")
    assert len(heights) == 1
    assert "Sequential.__call__ returns" in now.inner_text()
    assert page.locator(".verdict").is_visible()
    page.locator(".pair").nth(3).click()
    assert "0: Linear" in page.locator(".stack").inner_text()
    assert page.evaluate("() => window.pwned") is None
    assert {message["kind"] for message in page.evaluate("() => window.sent")} == {"opened"}


def test_two_ways_to_fail_are_both_told():
    class Half(nbmodule.nn.Module):
        def __init__(self) -> None:
            """Forgets `super().__init__()`."""

        def forward(self, x: Any) -> Any:
            raise ValueError("forward fails")

    view = nw.lessons.call_tape(Half(), 1)
    assert "`model(x)` raises AttributeError" in view.facts.verdict
    assert "`model.forward(x)` raises ValueError: forward fails" in view.facts.verdict
    assert "skipped" not in str(view)  # a failure is not something to skip


def test_the_rows_are_indented_by_what_is_open_and_have_the_signs_of_the_timeline():
    class Outer(nbmodule.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nbmodule.nn.Sequential(nbmodule.nn.ReLU())
            self.body.register_forward_hook(look)

        def forward(self, x: Any) -> Any:
            return self.body.forward(x)

    view = nw.lessons.call_tape(Outer(), nbmodule.ones(2))
    assert [row.depth for row in view.facts.rows] == [0, 1, 2, 3, 3, 2, 1, 0]
    signs = [line.split()[0] for line in str(view).splitlines()[2:10]]
    assert signs == ["▶", "▷", "▷", "▶", "■", "□", "□", "■"]
    assert "There are no hooks" not in str(view)
    assert "its hooks are skipped in both: look" in str(view)
