"""What a ModuleTree does to a model when it is asked to, and how it says who changed."""

from __future__ import annotations

import functools

import pytest
from module_subjects import Linear, Module, Net, wide

import nbmodule_widgets as nw
from nbmodule_widgets.facts.hooks import module_hooks
from nbmodule_widgets.views.acting import ActionError


@pytest.fixture
def nn(lib):
    return lib.nn


def model(nn):
    return nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Dropout(), nn.Linear(3, 1)))


def test_eval_runs_the_models_own_method_and_names_who_changed(nn):
    net = model(nn)
    view = nw.show(net)
    view.set_training("1", False)
    assert [m.training for m in net.modules()] == [True, True, False, False, False]
    assert [(c.path, c.what, c.before, c.after) for c in view.changes] == [
        (path, "training", "train", "eval") for path in ("1", "1.0", "1.1")
    ]
    assert view.changed["line"] == "1.eval(): 3 modules train → eval: 1, 1.0, 1.1"
    view.set_training("1", False)
    assert view.changed["line"] == "1.eval(): no mode, flag or part changed"
    view.clear_changes()
    assert view.changes == ()
    assert view.changed == {}


def test_a_choice_that_comes_after_the_button_is_found_again_by_its_path(nn):
    view = nw.show(model(nn))
    rows = view.facts.rows
    chosen = [1, next(row for row in range(rows) if view.facts.path(row) == "1")]
    view.handle({"kind": "training", "value": False, "selection": chosen})
    view.set_state({"selection": chosen, "path": "1"})  # the page had waited a moment with it
    assert (view.path, view.selected_path, view.selected) == ("1", "1", view.model[1])
    view.set_state({"selection": [1, rows - 1]})
    view.handle({"kind": "training", "value": True, "selection": [1, 1]})
    assert view.changed["failed"]  # but a button acts on no other row than on the one it was for
    view.set_state({"selection": [0, 1], "path": "nowhere"})
    assert view.selected_path == ""


def test_freezing_reaches_every_parameter_below_and_can_be_undone(nn):
    net = model(nn)
    view = nw.show(net)
    view.set_requires_grad("1", False)
    assert [p.requires_grad for p in net.parameters()] == [True, True, False, False]
    assert "2 parameters trainable → frozen: 1.1.weight, 1.1.bias" in view.changed["line"]
    view.set_requires_grad("1.1.weight", True)
    assert [c.path for c in view.changes] == ["1.1.weight"]
    assert view.tree["totals"] == nw.show(net).tree["totals"]


def test_acting_touches_nothing_else(lib, nn):
    lib.manual_seed(0)
    net = model(nn)
    before = (
        [p.detach().numpy().tobytes() for p in net.parameters()],
        lib.get_rng_state().numpy().tobytes(),
    )
    view = nw.show(net)
    for path in ("", "0", "1.1"):
        for value in (False, True):
            view.set_training(path, value).set_requires_grad(path, value)
    assert all(m.training for m in net.modules())
    assert all(p.requires_grad and p.grad is None for p in net.parameters())
    after = (
        [p.detach().numpy().tobytes() for p in net.parameters()],
        lib.get_rng_state().numpy().tobytes(),
    )
    assert before == after


def test_an_overridden_method_is_what_runs(nn):
    class Stubborn(nn.Module):
        def train(self, mode=True):
            return super().train(True)  # never leaves train

    view = nw.show(Stubborn())
    view.set_training("", False)
    assert view.changed["line"] == "model.eval(): no mode, flag or part changed"


def test_a_class_without_the_method_is_told_so_and_left_alone():
    net = Net()
    view = nw.show(net)
    with pytest.raises(
        ActionError, match=r"`Linear` has no method `eval\(\)`, so nothing was changed"
    ):
        view.set_training("first", False)
    with pytest.raises(ActionError, match=r"`Linear` has no method `requires_grad_\(\)`"):
        view.set_requires_grad("first", False)
    with pytest.raises(ActionError, match="only Modules have"):
        view.set_training("first.weight", True)
    assert net.first.weight.requires_grad is True
    assert view.changed["failed"]
    view.set_requires_grad("first.weight", False)  # a parameter has at least the attribute
    assert net.first.weight.requires_grad is False
    with pytest.raises(KeyError, match=r"'first'"):
        view.set_training("frist", True)


def test_what_changed_before_a_method_raised_is_said(nn):
    class Breaks(nn.Module):
        def train(self, mode=True):
            raise ValueError("<b>not today</b>")

    net = nn.Sequential(nn.Linear(1, 1), Breaks(), nn.Linear(1, 1))
    view = nw.show(net)
    with pytest.raises(ActionError) as raised:
        view.set_training("", False)
    assert [m.training for m in net.modules()] == [False, False, True, True]
    said = str(raised.value)
    assert said.startswith("`Sequential.eval()` raised ValueError: <b>not today</b>. Before that: ")
    assert "2 modules train → eval: the model, 0" in said
    assert view.changed["line"] == said
    assert len(view.changes) == 2


def test_buttons_go_the_same_way(nn, from_page):
    net = model(nn)
    view = nw.show(net).select("1")
    buttons = [code for _, code, _ in view.detail["actions"]]
    assert buttons == ["train()", "eval()", "requires_grad_(False)", "requires_grad_(True)"]
    for _, code, message in view.detail["actions"]:
        from_page(view, **message, selection=view.selection)
        assert view.changed["line"].startswith(f"1.{code}: ")
    assert view.problem == ""
    from_page(view, kind="training", value=False, selection=[0, 3])  # of a tree that is gone
    assert view.changed["line"] == "The tree has changed: choose the row again."
    assert net.training
    from_page(view, kind="forget")
    assert view.changed == {}
    broken = nw.show(Net()).select("first")
    from_page(broken, kind="training", value=False, selection=broken.selection)
    assert broken.changed["failed"]
    assert broken.problem == ""  # said once, in the place of the changes


def test_a_cell_that_changed_the_model_is_noticed(nn):
    net = model(nn)
    view = nw.show(net)
    net[0].weight.requires_grad_(False)
    net[1].append(nn.ReLU())
    net[0].register_forward_hook(print)
    view.refresh()
    line = view.changed["line"]
    assert line == (
        "since the last look: no hooks → 1 forward hook: 0 · 1 parameter trainable → frozen: 0.weight · "
        "added ReLU(): 1.2"
    )
    marked = dict(zip(view.changed["rows"]["bytes"], view.changed["word"]["bytes"], strict=True))
    rows = {view.facts.path(row): view.changed["words"][word] for row, word in marked.items()}
    assert rows["0.weight"] == "trainable → frozen"
    view.refresh()
    assert view.changed["line"] == line  # stays until something else happens
    del net[1]
    view.refresh()
    assert view.changed["line"] == "since the last look: removed Sequential(): 1"


def test_ten_thousand_changes_are_a_short_line_and_a_small_message(wire):
    root = wide(5_000)
    view = nw.show(root)
    for module in root._modules.values():
        module.__dict__["training"] = False
    wire.sent.clear()
    for node in root._modules.values():
        for inner in node._modules.values():
            inner.__dict__["training"] = False
    view.refresh()
    assert len(view.changes) == 110
    assert len(view.changed["line"]) < 300
    assert view.changed["line"].endswith("and 106 more")
    assert len(repr(view.changed)) < 2_000


# ------------------------------------------------------------------------------------------- looking


def test_depth_is_asked_for_from_python():
    view = nw.show(Net())
    assert view.expand(2).unfold == [1, 2]
    assert view.expand().unfold == [2, -1]
    for wrong, kind in ((-1, ValueError), (1.5, TypeError), (True, TypeError), ("all", TypeError)):
        with pytest.raises(kind, match=r"expand\(\) needs"):
            view.expand(wrong)


def test_the_path_follows_the_selection_and_leads_it():
    net = Net()
    view = nw.show(net)
    view.select("second.bias")
    assert view.path == "second.bias"
    view.path = "first"
    assert view.selected is net.first
    view.path = "nothing.like.it"
    assert view.selected is net.first
    view.path = ""
    assert view.selected is net
    net._modules["a.b"] = Linear(1, 1)
    view.refresh()
    view.path = "a.b.weight"
    assert view.selected is net._modules["a.b"].weight


def test_hooks_are_listed_in_the_order_in_which_they_fire(nn):
    class Watcher:
        def note(self, *arguments):
            pass

        __call__ = note

    net = nn.Linear(1, 1)
    net.register_forward_hook(Watcher().note)
    net.register_forward_pre_hook(functools.partial(Watcher.note, 1), with_kwargs=True)
    net.register_forward_hook(Watcher(), prepend=True, always_call=True)
    net.register_full_backward_hook(lambda *arguments: None)
    found = [
        (hook.kind, hook.name.split("<locals>.")[-1], hook.marks) for hook in module_hooks(net)
    ]
    assert found == [
        ("forward pre", "Watcher.note", ("with kwargs",)),
        ("forward", "Watcher object", ("always called",)),
        ("forward", "Watcher.note", ()),
        ("backward", "<lambda>", ()),
    ]
    lines = nw.show(net).select("").detail["lines"]
    assert ["hooks", "4, in the order in which they fire:"] in lines
    assert (
        lines[lines.index(["hooks", "4, in the order in which they fire:"]) + 1][0]
        == "1. forward pre"
    )


def test_hooks_that_are_no_functions_are_named_all_the_same():
    class Liar:
        __name__ = __call__ = property(lambda self: 1 / 0)

    module = Module()
    module._forward_hooks.update({1: Liar(), 2: 5, 3: print, 4: None})
    assert [hook.name for hook in module_hooks(module)] == [
        "Liar object", "int object", "print", "NoneType object",
    ]  # fmt: skip
