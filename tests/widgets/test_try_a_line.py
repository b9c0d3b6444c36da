"""Anatomy's line: what lands where, what is said about it, and who may run one."""

from __future__ import annotations

import pytest
from module_subjects import Linear, Module, Net, Parameter, Tensor

import nbmodule_widgets as nw


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
        ("self.w = Tensor([1.0], True)", "w", None, "__dict__", "wants a gradient"),
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
    landing = nw.anatomy(Net(), namespace=names).try_line(line)
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
    view = nw.anatomy(Net())
    landing = view.try_line(line)
    assert error in landing.error.replace("ValueError: source", "SyntaxError: source")
    assert "nothing moved" in landing.sentence
    assert view.landing["error"] == landing.error


def test_lines_go_on_with_the_same_copy_until_reset():
    model = Net()
    view = nw.anatomy(model, namespace={"Linear": Linear})
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
        landing = nw.anatomy(model).try_line("self.x = 5")
        assert "x" not in vars(model)
        assert "could not be copied" in landing.sentence
        assert landing.error


def test_only_a_message_from_the_page_runs_a_line(from_page):
    view = nw.anatomy(Net())
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

    view = nw.anatomy(Half())
    landing = view.try_line("super().__init__()")
    assert landing.error == ""
    assert landing.sentence.startswith("17 slots were created: `training`, `_parameters`")
    assert len(landing.sentence) < 600
    assert not view.state["untouched"]


def test_many_changes_are_counted():
    landing = nw.anatomy(Net()).try_line("vars(self).update({f'a{i}': i for i in range(9)})")
    assert len(landing.moves) == 9
    assert landing.sentence.endswith("And 5 more changes.")
