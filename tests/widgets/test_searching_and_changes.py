"""Finding rows without a front end, hooks and lazy tensors in words, and who changed between two looks."""

from __future__ import annotations

from typing import Any

import pytest
from module_subjects import Linear, Module, Net, Parameter, chain, dismantle, wide

import nbmodule_widgets as nw
from nbmodule_widgets.facts.changes import changes
from nbmodule_widgets.views.wire import pack


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"text": "BIAS"}, ["first.bias", "second.bias"]),
        ({"text": "linear"}, ["first", "second", "again"]),
        ({"class_name": "lin", "kind": "parameter"},
         ["first.weight", "first.bias", "second.weight", "second.bias"]),
        ({"class_name": "Linear"}, ["first", "second", "again"]),
        ({"frozen": True}, ["second.bias"]),
        ({"frozen": False, "text": "bias"}, ["first.bias"]),
        ({"training": False}, ["second"]),
        ({"training": False, "kind": "parameter"}, ["second.weight", "second.bias"]),
        ({"kind": "buffer"}, ["mean", "mask"]),
        ({"text": "irst.wei"}, ["first.weight"]),
        ({"text": "rst.x"}, []),
        ({"text": "a.first.weight"}, []),
        ({"text": "nothing of it"}, []),
    ],
)  # fmt: skip
def test_search_finds_what_the_page_finds(asked, found):
    model = Net()
    model.second.training = False
    assert list(nw.facts(model).search(**asked)) == found


def test_search_without_a_wish_finds_every_module_and_tensor():
    known = nw.facts(Net())
    assert list(known.search()) == [known.path(row) for row in range(known.rows)]
    with pytest.raises(ValueError, match="no kind 'weights' of rows: there is 'module', 'para"):
        known.search(kind="weights")


def test_hooks_are_told_by_kind():
    model = Module()
    model._modules["one"] = one = Linear(1, 1)
    model._modules["more"] = more = Linear(1, 1)
    one._forward_hooks.update({1: print, 2: print})
    more._backward_pre_hooks[1] = more._forward_hooks[1] = more._state_dict_hooks[1] = print
    known = nw.facts(model)
    assert known.nodes[1].hook_kinds == (("forward", 2),)
    for twin in (nw.text(model), nw.show(model).to_html()):
        assert "2 forward hooks" in twin
        assert "3 hooks (1 backward pre, 1 forward, 1 state_dict)" in twin
    packed = [pattern for pattern in pack(known, 1)["patterns"] if "hooks" in pattern]
    assert [pattern["hooks"] for pattern in packed] == ["2 hooks", "3 hooks"]
    assert packed[0]["hookKinds"] == [["forward", 2]]


@pytest.mark.torch
def test_lazy_modules_are_marked_until_they_know_their_shape():
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.LazyBatchNorm1d())
    known = nw.facts(model)
    assert [node.lazy for node in known.nodes] == [False, True, True]
    assert known.nodes[1].tensors[0].lazy
    assert nw.text(model).count("· lazy") == 2
    assert [p.get("lazy") for p in pack(known, 1)["patterns"]] == [None, True, True]
    model(torch.zeros(2, 5))
    told = {(c.path, c.what): (c.before, c.after) for c in changes(known, nw.facts(model))}
    assert told["0.weight", "shape"] == ("no shape yet", "(3, 5)")
    assert told["0", "class"] == ("LazyLinear", "Linear")
    assert not any(node.lazy for node in nw.facts(model).nodes)


def _new_child(model: Any) -> None:
    model._modules["third"] = Linear(1, 1)


def _removed_child(model: Any) -> None:
    del model.second


def _another_class(model: Any) -> None:
    model.second.__class__ = Module


def _another_shape(model: Any) -> None:
    model.second.weight = Parameter([[1.0]])


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda m: None, []),
        (lambda m: setattr(m.first, "training", False), [("first", "training", "train", "eval")]),
        (lambda m: setattr(m.first.bias, "requires_grad", False),
         [("first.bias", "requires_grad", "trainable", "frozen")]),
        (lambda m: m.first._forward_hooks.update({1: print}),
         [("first", "hooks", "no hooks", "1 forward hook")]),
        (lambda m: m._non_persistent_buffers_set.clear(),
         [("mask", "saved", "not in state_dict", "in state_dict")]),
        (lambda m: m._parameters.update(empty=Parameter([1.0])), [("empty", "added", "", "parameter (1,)")]),
        (lambda m: m._buffers.pop("mean"), [("mean", "removed", "buffer (4,)", "")]),
        (lambda m: setattr(m.second, "inputs", 9), [("second", "extra_repr", "4, 2", "9, 2")]),
        (_new_child, [("third", "added", "", "Linear(1, 1)")]),
        (_removed_child, [("second", "removed", "Linear(4, 2)", "")]),
        (_another_class, [("second", "class", "Linear", "Module"), ("second", "extra_repr", "4, 2", "")]),
        (lambda m: setattr(m.second, "weight", m.first.weight),
         [("second.weight", "shape", "(2, 4)", "(4, 3)"), ("second.weight", "shared", "no", "with first.weight")]),
        (lambda m: m._modules.update(again=Linear(3, 4)), [("again", "shared", "with first", "no")]),
        (_another_shape, [("second.weight", "shape", "(2, 4)", "(1, 1)")]),
    ],
)  # fmt: skip
def test_who_changed(act, told):
    model = Net()
    before = nw.facts(model)
    act(model)
    now = nw.facts(model)
    found = changes(before, now)
    assert [(c.path, c.what, c.before, c.after) for c in found] == told
    assert (before == now) is (not told)
    for change in found:
        assert change.row == (-1 if change.what == "removed" else now.find(change.path))


def test_changes_of_a_large_or_deep_model_are_capped():
    model = wide(200)
    before = nw.facts(model)
    for child in model._modules.values():
        child.training = False
    found = changes(before, nw.facts(model), limit=7)
    assert [str(change) for change in found[:1]] == ["m0: training train → eval"]
    assert len(found) == 7
    deep = chain(20_000)
    try:
        before = nw.facts(deep)
        at = deep
        while at._modules:
            at = at._modules["c"]
            at.training = False
        found = changes(before, nw.facts(deep))
        assert len(found) > 1_000
        assert sum(len(change.path) for change in found) < 6_000_000
    finally:
        dismantle(deep)
