"""AssignmentFlow: which way a line takes through `__setattr__`, and whether that is what happens."""

from __future__ import annotations

from typing import Any

import pytest
from module_subjects import HOSTILE, MISBEHAVING, Linear, Module, Net, StubbornKey

import nbmodule_widgets as nw

HOMES = ("free", "plain", "weight", "mean", "fc", "empty", "method", "fixed", "settable")
VALUES = ("5", "None", "tensor", "Parameter(tensor)", "nn.ReLU()", "nn.Buffer(tensor)")


def model_of(lib: Any) -> Any:
    class Small(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.plain = 0.1
            self.weight = lib.nn.Parameter(lib.ones(2))
            self.register_buffer("mean", lib.zeros(2))
            self.fc = lib.nn.Linear(2, 2)
            self.register_module("empty", None)

        def method(self) -> None: ...

        @property
        def fixed(self) -> int:
            return 1

        @property
        def settable(self) -> int:
            return 1

        @settable.setter
        def settable(self, value: object) -> None:
            self.__dict__["kept"] = value

    return Small()


def names_of(lib: Any) -> dict[str, Any]:
    return {
        "nn": lib.nn,
        "tensor": lib.ones(2),
        "Parameter": lib.nn.Parameter,
        "lib": lib,
    }


def lit(found: Any) -> tuple[int, str, str]:
    """Number of the row where the line ended, the kind of the ending, and its text."""
    rows = [(at, end) for at, row in enumerate(found.rows, 1) for end in row.endings if end.lit]
    ((at, end),) = rows
    return at, end.kind, end.text


def test_the_rules_predict_what_the_library_does(lib):
    """Every kind of value under every kind of name, against what happens to a copy."""
    model, names = model_of(lib), names_of(lib)
    for name in HOMES:
        for value in VALUES:
            view = nw.lessons.assignment(model, f"self.{name} = {value}", namespace=names)
            found = view.facts
            assert found.library == lib.__name__, found.line
            assert found.agrees is True, str(view)
            _, kind, text = lit(found)
            assert (kind == "refused") == bool(found.outcome.error), str(view)
            moved = {before for moved, before, after in found.outcome.moves if moved == name and after != before}  # fmt: skip
            assert moved - {None} == set(found.removed), str(view)
            assert text in str(view)


@pytest.mark.parametrize(
    ("line", "row", "kind"),
    [
        ("self.new = Parameter(tensor)", 1, "stored"),
        ("self.method = Parameter(tensor)", 1, "refused"),
        ("self.weight = 5", 2, "refused"),
        ("self.weight = None", 2, "kept"),
        ("self.weight = nn.ReLU()", 2, "refused"),
        ("self.plain = nn.ReLU()", 3, "stored"),
        ("self.fc = None", 4, "kept"),
        ("self.fc = tensor", 4, "refused"),
        ("self.mean = tensor", 5, "stored"),
        ("self.mean = 'five'", 5, "refused"),
        ("self.fixed = 5", 6, "refused"),
        ("self.plain = nn.ReLU", 6, "plain"),
        ("self.fc.bias = None", 2, "kept"),
        ("del self.weight", 2, "deleted"),
        ("del self.fc", 4, "deleted"),
        ("del self.plain", 5, "deleted"),
        ("del self.gone", 5, "refused"),
        ("self.register_buffer('a.b', tensor)", 2, "refused"),
        ("self.register_buffer('fc', tensor)", 3, "refused"),
        ("self.register_buffer('new', 5)", 4, "refused"),
        ("self.register_buffer('new', tensor, persistent=False)", 5, "stored"),
        ("self.register_parameter('', None)", 2, "refused"),
        ("self.register_parameter('new', tensor)", 4, "refused"),
        ("self.register_parameter('new', Parameter(tensor))", 6, "stored"),
        ("self.add_module('new', 5)", 1, "refused"),
        ("self.add_module('method', nn.ReLU())", 2, "refused"),
        ("self.add_module('a.b', nn.ReLU())", 3, "refused"),
        ("self.add_module('new', nn.ReLU())", 4, "stored"),
        ("setattr(self, 'new', nn.ReLU())", 3, "stored"),
    ],
)
def test_where_a_line_ends(lib, line, row, kind):
    view = nw.lessons.assignment(model_of(lib), line, namespace=names_of(lib))
    assert lit(view.facts)[:2] == (row, kind)
    assert view.facts.agrees is True
    asked = [row.question is None or row.question.answer is not None for row in view.facts.rows]
    assert asked[:row] == [True] * row
    assert view.facts.moments[-1].part == "result"


def test_before_super_init_nothing_is_there(lib):
    class Forgot(lib.nn.Module):
        def __init__(self) -> None: ...

    names = names_of(lib)
    for line, row in (("self.fc = nn.ReLU()", 3), ("self.w = Parameter(tensor)", 1), ("del self.x", 1)):  # fmt: skip
        found = nw.lessons.assignment(Forgot(), line, namespace=names).facts
        assert lit(found)[:2] == (row, "refused")
        assert found.outcome.error.startswith("AttributeError")
        assert "\\n" not in found.outcome.error


def test_a_class_of_the_readers_shows_its_lines(lib):
    class Clerk(lib.nn.Module):
        def __setattr__(self, name: str, value: object) -> None:
            if name.startswith("x"):
                value = None
            super().__setattr__(name, value)

    view = nw.lessons.assignment(Clerk(), "self.fc = nn.ReLU()", namespace=names_of(lib))
    assert view.facts.source_of == "Clerk.__setattr__"
    assert [line.ran for line in view.facts.source] == [0, 1, 0, 1]
    assert lit(view.facts)[:2] == (3, "stored")  # `super()` asks the library
    assert "passes on to" in view.facts.clerk
    played = [moment.words for moment in view.facts.moments if moment.part == "line"]
    assert view.figure().axes
    assert nw.lessons.assignment(Net(), "self.first = 5").figure().axes  # has lines only
    assert played == ['if name.startswith("x"):', "super().__setattr__(name, value)"]


def test_a_clerk_of_ones_own_is_told_by_its_lines_and_by_what_moved():
    model = Net()
    found = nw.lessons.assignment(
        model, "self.first = Linear(1, 1)", namespace={"Linear": Linear}
    ).facts
    assert found.rows == ()
    assert found.agrees is None
    assert "its lines" in found.clerk
    assert any(line.ran and "self.__dict__[home][name]" in line.text for line in found.source)
    moved = nw.lessons.assignment(
        model, "self.first = P([1.0])", namespace={"P": type(model.first.weight)}
    )
    assert moved.facts.removed == ("_modules",)
    assert list(model._modules) == ["first", "second", "again"]


def test_lines_that_ask_nobody():
    class Plain:
        pass

    assert lit(nw.lessons.assignment(Plain(), "self.w = 3").facts)[1:2] == ("plain",)
    assert "object.__setattr__(self, 'w', 3)" in str(nw.lessons.assignment(Plain(), "self.w = 3"))
    words = {
        "self._modules['x'] = 3": "the line bypassed it",
        "1 / 0": "before anything was assigned",
        "print(3)": "no `__setattr__` was called",
        "self.x = = 3": "before anything was assigned",
    }
    for line, said in words.items():
        view = nw.lessons.assignment(Net(), line)
        assert said in view.facts.clerk
        assert view.facts.moments[-1].part == "result"


def test_building_a_large_part_does_not_drown_the_assignment(lib):
    found = nw.lessons.assignment(
        model_of(lib),
        "self.big = nn.Sequential(*(nn.Linear(2, 2) for _ in range(100)))",
        namespace=names_of(lib),
    ).facts
    assert (found.name, lit(found)[0]) == ("big", 3)
    assert found.notes == ()
    two = nw.lessons.assignment(
        model_of(lib), "self.a = self.b = nn.ReLU()", namespace=names_of(lib)
    ).facts
    assert (two.name, "The others are about `b`" in two.notes[0]) == ("a", True)


class Gathers(Module):
    def __setattr__(self, *pair: Any) -> None:
        super().__setattr__(*pair)


def test_odd_signatures_and_names_are_followed(lib):
    found = nw.lessons.assignment(Gathers(), "self.fc = 5").facts
    assert (found.name, found.value) == ("fc", "5")
    keyed = "self.register_buffer(persistent=True, tensor=None, name='b')"
    found = nw.lessons.assignment(model_of(lib), keyed, namespace=names_of(lib)).facts
    assert (found.name, found.value, lit(found)[:2]) == ("b", "None", (5, "stored"))
    stubborn = nw.lessons.assignment(model_of(lib), "setattr(self, Key('x'), 5)", namespace={"Key": StubbornKey})  # fmt: skip
    assert (stubborn.facts.name, bool(str(stubborn))) == ("x", True)


class Endless(Module):
    def __setattr__(self, name: str, value: object) -> None:
        while True:
            value = value


def test_a_clerk_who_never_ends_is_stopped():
    found = nw.lessons.assignment(Endless(), "self.x = 1").facts
    assert "does this loop ever end?" in found.outcome.error
    assert found.source[2].ran > 1000


@pytest.mark.parametrize("make", MISBEHAVING)
def test_misbehaving_modules_are_shown_and_left_alone(make):
    for line in ("self.zz = 3", "self.fc = None", "del self.fc"):
        view = nw.lessons.assignment(make(), line)
        assert view.facts.outcome.sentence
        assert len(str(view)) < 20_000
        assert "<script" not in view.to_html()


def test_lines_go_on_with_the_copy_and_the_view_says_when_the_module_changed(from_page):
    model = Net()
    view = nw.lessons.assignment(model, "del self.first")
    assert view.facts.outcome.moves == (("first", "_modules", None),)
    from_page(view, kind="try", line="self.first = 5")
    assert view.facts.outcome.moves == (("first", None, "__dict__"),)
    view.refresh()
    assert (view.stale, model.first is not None) == (False, True)
    model._modules.pop("again")
    view.refresh()
    assert view.stale
    from_page(view, kind="again")
    assert view.facts.line == "self.first = 5"
    assert "2 places" in view.facts.outcome.sentence
    view.refresh()
    assert not view.stale
    for wrong, kind in ((3, TypeError), ("  ", ValueError)):
        with pytest.raises(kind, match=r"needs a line of Python"):
            nw.lessons.assignment(model, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'names'"):
        nw.lessons.assignment(model, "self.x = 1", names={})


@pytest.mark.browser
def test_the_way_lights_up_question_by_question(stage):
    import nbmodule

    stage.show(
        nw.lessons.assignment(model_of(nbmodule), "self.weight = 5", namespace=names_of(nbmodule)),
        ("flow", "stale"),
    )
    page = stage.page
    assert page.locator(".box.known, .end.known").count() == 0  # the way is still to come
    page.get_by_role("button", name="last moment").click()
    assert page.locator(".end.known").inner_text().split("\n")[0] == "no"
    assert "cannot assign 'int' as parameter 'weight'" in page.locator(".verdict").inner_text()
    page.get_by_role("button", name="first moment").focus()
    stage.keys("Home", "ArrowRight")
    assert "Is the value a Parameter?" in page.locator(".box.now").inner_text()
    assert page.locator(".end.known").count() == 0
    stage.keys("ArrowRight", "ArrowRight")
    assert "Is the value None?" in page.locator(".box.now").inner_text()
    assert page.locator(".row.left").count() == 1
    field = page.get_by_label("Try a line")
    field.fill(f"self.x = {HOSTILE!r}")
    field.press("Enter")
    assert page.evaluate("() => window.sent.at(-1).kind") == "try"
    stage.view.try_line(f"self.x = {HOSTILE!r}")
    stage.push("flow")
    page.get_by_role("button", name="last moment").click()
    assert page.locator(".end.known").inner_text().startswith("no")
    assert page.evaluate("() => window.pwned") is None
    page.get_by_role("button", name="Fresh copy").click()
    assert page.evaluate("() => window.sent.at(-1)") == {"kind": "again"}
