"""Anatomy's line: what lands where, what is said about it, and who may run one."""

from __future__ import annotations

import pytest
from module_subjects import (
    HidesItsDict,
    Linear,
    Module,
    Net,
    Parameter,
    RaisesEverywhere,
    RaisesKeyError,
    Recurses,
    ReturnsNone,
    StubbornDrawers,
    Tensor,
    chain,
    dismantle,
)

import nbmodule_widgets as nw
from nbmodule_widgets.views import sandbox

REFUSED = "RuntimeError: do not call me"


@pytest.mark.parametrize(
    ("line", "name", "before", "after", "words"),
    [
        (
            "self.fc = Linear(2, 2)",
            "fc",
            None,
            "_modules",
            "is a Module: it went to `_modules`, not to",
        ),
        ("self.w = Parameter([1.0])", "w", None, "_parameters", "where the optimizer finds it"),
        ("self.w = 5", "w", None, "__dict__", "is an int: it stayed in `__dict__`"),
        ("self.w = [Linear(1, 1)]", "w", None, "__dict__", "Use `nn.ModuleList`"),
        ("self.w = {'a': Linear(1, 1)}", "w", None, "__dict__", "Use `nn.ModuleDict`"),
        ("self.w = Tensor([1.0], True)", "w", None, "__dict__", "requires a gradient"),
        ("self.first = Parameter([1.0])", "first", "_modules", "_parameters", "was evicted"),
        ("self.first = Linear(1, 1)", "first", "_modules", "_modules", "It replaced a Linear"),
        ("del self.first", "first", "_modules", None, "was removed from `_modules`"),
        (
            "self._buffers['b'] = Tensor([1])",
            "b",
            None,
            "_buffers",
            "saved and moved but not trained",
        ),
        ("self.training = False", "training", "__dict__", "__dict__", "`training` is False now"),
        ("self._forward_hooks[3] = print", "3", None, "_forward_hooks", "`_forward_hooks`"),
        ("self.first.training", "", None, None, "Its value is True"),
        ("print('hello')", "", None, None, "It printed: hello"),
    ],
)
def test_where_things_land(line, name, before, after, words):
    names = {"Linear": Linear, "Parameter": Parameter, "Tensor": Tensor}
    landing = nw.lessons.anatomy(Net(), namespace=names).try_line(line)
    assert landing.error == ""
    assert (landing.name, landing.before, landing.after) == (name, before, after)
    assert words in landing.sentence


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("self.empty = 5", "TypeError: cannot assign 'int' as parameter 'empty'"),
        ("self.fc = ", "SyntaxError: invalid syntax"),
        ("nowhere", "NameError: name 'nowhere' is not defined"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("\0", "SyntaxError: source code string cannot contain null bytes"),
    ],
)
def test_exceptions_are_shown_in_place(line, error):
    view = nw.lessons.anatomy(Net())
    landing = view.try_line(line)
    assert error in landing.error.replace("ValueError: source", "SyntaxError: source")
    assert "nothing moved" in landing.sentence
    assert view.landing["error"] == landing.error


def test_lines_go_on_with_the_same_copy_until_reset():
    model = Net()
    view = nw.lessons.anatomy(model, namespace={"Linear": Linear})
    view.try_line("size = 3")
    view.try_line("self.fc = Linear(size, size)")
    assert [e["name"] for e in view.state["drawers"][2]["entries"]][-1] == "fc"
    assert view.state["copy"]
    assert "fc" not in model._modules
    view.reset()
    assert not view.state["copy"]
    assert view.landing == {}
    assert view.try_line("size").error == "NameError: name 'size' is not defined"


def test_a_module_that_cannot_be_copied_is_not_touched():
    class Stubborn(Module):
        def __deepcopy__(self, memo: object) -> Module:
            raise RuntimeError("no copies")

    class Same(Module):
        def __deepcopy__(self, memo: object) -> Module:
            return self

    for make in (Stubborn, Same):
        model = make()
        landing = nw.lessons.anatomy(model).try_line("self.x = 5")
        assert "x" not in vars(model)
        assert "could not be copied" in landing.sentence
        assert landing.error


@pytest.mark.parametrize(
    "make", [ReturnsNone, Recurses, RaisesKeyError, RaisesEverywhere, HidesItsDict]
)
def test_a_half_built_class_is_copied_without_being_asked(make):
    """`copy.deepcopy` would ask its `__getattr__` for `__deepcopy__`."""
    model = make()
    view = nw.lessons.anatomy(model)
    assert view.try_line("self.__class__.__name__ and None; x = self").error in ("", REFUSED)
    assert view._sandbox.is_copy
    assert view._sandbox.current is not model


def test_looking_up_how_to_copy_runs_nothing():
    class Counts(Module):
        def __getattr__(self, name: str) -> object:
            self.__dict__["asked_for"] = name
            raise AttributeError(name)

    model = Counts()
    model._modules["child"] = Counts()
    assert nw.lessons.anatomy(model).try_line("self.x = 5").after == "__dict__"
    assert "asked_for" not in vars(model)
    assert "asked_for" not in vars(model._modules["child"])


def test_a_deep_chain_is_copied():
    deep = chain(5_000)
    view = nw.lessons.anatomy(deep)
    assert view.try_line("self.x = 5").after == "__dict__"
    view.reset()
    dismantle(deep)


def test_a_copy_that_shares_a_drawer_is_refused():
    class Shallow(Module):
        def __deepcopy__(self, memo: object) -> Module:
            twin = object.__new__(type(self))
            twin.__dict__.update(self.__dict__)
            return twin

    class Other(Module):
        def __deepcopy__(self, memo: object) -> int:
            return 5

    model = Module()
    model._modules["inner"] = Shallow()
    assert "shares Shallow" in nw.lessons.anatomy(model).try_line("self.inner.x = 5").error
    assert nw.lessons.anatomy(Other()).try_line("self.x = 5").error == "deepcopy made an int of it"


def test_the_notebooks_own_name_for_the_model_means_the_copy():
    model = Net()
    names = {"model": model, "layer": model.first, "weight": model.first.weight, "other": Net()}
    view = nw.lessons.anatomy(model, namespace=names)
    assert view.try_line("model.x = 5").name == "x"
    view.try_line("layer.y = 5; weight.numpy().fill(7)")
    assert view.try_line("self.first.y, self.first.weight.numpy().max() == 7").error == ""
    assert "x" not in vars(model)
    assert "y" not in vars(model.first)
    assert model.first.weight.numpy().max() != 7
    view.try_line("other.z = 5")  # no part of the model: the reader's own object
    assert vars(names["other"])["z"] == 5


def test_keys_of_all_kinds_can_land():
    landing = nw.lessons.anatomy(StubbornDrawers()).try_line(
        "vars(self)['_modules'].update({None: self})"
    )
    assert landing.error
    view = nw.lessons.anatomy(Net(), namespace={"Linear": Linear})
    assert view.try_line("self._modules[10**5000] = Linear(1, 1)").name == "an int of 16,610 bits"


def test_what_an_endless_line_prints_does_not_fill_the_memory(monkeypatch):
    landing = nw.lessons.anatomy(Net()).try_line(
        "for i in range(100_000): print('spam')\nraise KeyboardInterrupt"
    )
    assert landing.error == "KeyboardInterrupt"
    assert "It printed: spam" in landing.sentence
    assert len(landing.sentence) < 500
    written = sandbox._Printed()
    assert written.write("x" * 50_000) == 50_000
    assert len(written.getvalue()) == 10_000


def test_warnings_about_a_line_are_shown_with_it(capsys):
    line = "import sys; print('careful', file=sys.stderr)"
    assert "It printed: careful" in nw.lessons.anatomy(Net()).try_line(line).sentence
    assert capsys.readouterr().err == ""


def test_lines_of_several_lines_may_be_indented():
    landing = nw.lessons.anatomy(Net()).try_line("    self.a = 1\n    self.b = 2\n")
    assert [move.name for move in landing.moves] == ["a", "b"]


def test_only_a_message_from_the_page_runs_a_line(from_page):
    view = nw.lessons.anatomy(Net())
    view.landing = {"line": "self.x = 5"}  # restored state is data, not a request
    from_page(view, kind="try", line=7)
    from_page(view, kind="unknown", line="self.x = 5")
    assert not view.state["copy"]
    from_page(view, kind="try", line="self.x = 5")
    assert view.landing["after"] == "__dict__"
    from_page(view, kind="reset")
    assert not view.state["copy"]


def test_calling_the_forgotten_init_creates_the_slots():
    class Half(Module):
        def __init__(self) -> None:
            self.__dict__["size"] = 5

    view = nw.lessons.anatomy(Half())
    landing = view.try_line("super().__init__()")
    assert landing.error == ""
    assert landing.sentence.startswith("17 slots were created: `training`, `_parameters`")
    assert len(landing.sentence) < 600
    assert not view.state["untouched"]


def test_many_changes_are_counted():
    landing = nw.lessons.anatomy(Net()).try_line(
        "vars(self).update({f'a{i}': i for i in range(9)})"
    )
    assert len(landing.moves) == 9
    assert landing.sentence.endswith("And 5 more changes.")


def test_a_name_with_two_homes_is_said_to_have_two() -> None:
    class Careless(Module):
        def __setattr__(self, name: str, value: object) -> None:
            if isinstance(value, Module):
                self._modules[name] = value
            else:
                object.__setattr__(self, name, value)

    view = nw.lessons.anatomy(Careless(), namespace={"Module": Module})
    view.try_line("self.x = 5")
    landing = view.try_line("self.x = Module()")
    assert landing.sentence == (
        "`x` is in 2 places now: `_modules` and `__dict__`. One name should have one home."
    )
