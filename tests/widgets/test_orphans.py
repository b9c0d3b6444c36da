"""`find_orphans`: what it finds, what it leaves alone, and that looking changes nothing."""

from __future__ import annotations

import warnings
from collections import OrderedDict, deque
from types import SimpleNamespace
from typing import Any

import pytest

import nbmodule_widgets as nw


class Plain:
    """An object that is no Module."""

    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)

    def __repr__(self) -> str:
        raise SystemExit("nobody asked")


class Slotted:
    __slots__ = ("fc",)


def net_of(lib: Any, **held: Any) -> Any:
    """A Module with a child `fc`, and with plain attributes."""
    nn = lib.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(2, 2)
            self.__dict__.update(held)

        @property
        def costly(self) -> Any:
            raise SystemExit("a property was read")

        def forward(self, x: Any) -> Any:
            return self.fc(x)

    return Net()


def test_every_hiding_place_is_found_with_its_path(lib):
    Linear = lib.nn.Linear
    slotted = Slotted()
    slotted.fc = Linear(2, 2)
    layer = Linear(3, 3)
    model = net_of(
        lib,
        layers=[Linear(2, 2), [Linear(2, 2)]],
        heads={"a": Linear(2, 2), "b": OrderedDict(c=(Linear(2, 2),))},
        pool={Linear(1, 1)},
        queue=deque([Linear(1, 1)]),
        head=Plain(inner=Plain(fc=Linear(2, 3))),
        slotted=slotted,
        space=SimpleNamespace(x=Linear(1, 3)),
        act=lambda x: layer(x),
        method=Linear(4, 4).forward,
        alone=Linear(5, 5),
    )
    type(model).shared = lib.nn.Linear(1, 5)
    found = nw.find_orphans(model)
    assert found.paths == [
        "layers[0]", "layers[1][0]", "heads['a']", "heads['b']['c'][0]", "pool{…}", "queue[0]", "head.inner.fc",
        "slotted.fc", "space.x", "act's layer", "method.__self__", "alone", "Net.shared",
    ]  # fmt: skip
    assert [orphan.numbers for orphan in found] == [6, 6, 6, 6, 2, 2, 9, 6, 6, 12, 20, 30, 10]
    assert found[0].holder == "a plain list"
    assert found[0].advice == "Use `nn.ModuleList`"
    assert found[6].holder == "an object of class Plain"
    assert found[-1].holder == "the class Net"
    assert all(isinstance(orphan.thing, lib.nn.Module) for orphan in found)


def test_tensors_that_need_a_gradient_are_orphans_too(lib):
    parameter = lib.nn.Parameter(lib.zeros(3, 2))
    model = net_of(lib, weights=[parameter], scale=Plain(w=lib.zeros(4, requires_grad=True)))
    model.known, model.frozen = [model.fc.weight], lib.zeros(2)
    model.computed = model.fc.weight * 2
    found = nw.find_orphans(model)
    assert [(o.path, o.kind, o.numbers) for o in found] == [
        ("weights[0]", "tensor", 6),
        ("scale.w", "tensor", 4),
    ]
    assert "nn.ParameterList" in found[0].advice


def test_what_an_orphan_holds_counts_once_and_is_searched_too(lib):
    inner = lib.nn.Linear(2, 2)
    block = net_of(lib, more=[inner])
    model = net_of(lib, blocks=[block, block], again=(block,), known=[block.fc])
    found = nw.find_orphans(model)
    assert [(o.path, o.numbers) for o in found] == [("blocks[0]", 6), ("blocks[0].more[0]", 6)]


def test_no_alarm_for_what_only_refers_to_the_model(lib):
    model = net_of(lib)
    model.me, model.cycle = [model, model.fc], []
    model.cycle.append(model.cycle)
    model.config = Plain(model=model, sizes=[1, 2], name="x", cls=lib.nn.Linear)
    around = lib.nn.Sequential(model)
    vars(model.fc)["parent"] = model
    vars(model)["above"] = [around]
    assert not nw.find_orphans(model)
    assert not nw.find_orphans(around)
    trainer: Any = type("Trainer", (), {"__module__": "elsewhere.training"})()
    trainer.model, trainer.teacher = model, lib.nn.Linear(2, 2)
    vars(model)["trainer"] = trainer
    assert not nw.find_orphans(model)


def test_a_pass_shows_what_no_attribute_holds(lib):
    nn = lib.nn
    outside = nn.Linear(2, 2)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(2, 2)
            self.norm = nn.BatchNorm1d(2)
            self.layers = [nn.BatchNorm1d(2)]

        def forward(self, x: Any, twice: bool = False) -> Any:
            x = nn.ReLU()(self.layers[0](self.norm(self.fc(x))))  # a ReLU has nothing to lose
            return nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))(globals()["OUTSIDE"](x))

    globals()["OUTSIDE"] = outside
    model = Net()
    before = {name: value.tolist() for name, value in model.state_dict().items()}
    hidden = model.layers[0].running_mean.tolist()
    found = nw.find_orphans(model, lib.ones(3, 2), twice=True)
    assert [(o.path, o.class_name, o.numbers) for o in found] == [
        ("layers[0]", "BatchNorm1d", 4),
        ("forward", "Linear", 6),
        ("forward", "Sequential", 6),
    ]
    assert found[1].thing is outside
    assert "outside of the model" in found[1].advice
    assert found[2].thing is None
    assert "Each call creates it" in found[2].advice
    assert {name: value.tolist() for name, value in model.state_dict().items()} == before
    assert model.layers[0].running_mean.tolist() == hidden
    assert "__call__" not in vars(Net)
    assert model.training
    del globals()["OUTSIDE"]


def test_a_pass_that_fails_is_a_note(lib):
    found = nw.find_orphans(net_of(lib), lib.ones(3, 5))
    assert not found
    assert "the call raised" in found.notes[0]
    with pytest.raises(ValueError, match="lazy"):
        nw.find_orphans(lib.nn.Sequential(lib.nn.LazyLinear(3)), lib.ones(1, 2))
    with pytest.raises(TypeError, match="find_orphans"):
        nw.find_orphans([lib.nn.Linear(1, 1)])


def test_text_and_html_say_what_where_and_what_to_do(lib):
    model = net_of(lib, **{"a<b>": [lib.nn.Linear(2, 2)]})
    found = nw.find_orphans(model)
    text, page = str(found), found._repr_html_()
    assert text == repr(found)
    assert "1 orphan in Net, with 6 numbers that need a gradient: invisible to parameters()" in text
    assert "a<b>[0]" in text
    assert "`a<b>[0]`: Use `nn.ModuleList`." in text
    assert "<b>[0]" not in page
    assert "a&lt;b&gt;[0]" in page
    healthy = nw.find_orphans(lib.nn.Sequential(lib.nn.Linear(2, 2)), lib.ones(1, 2))
    assert str(healthy) == (
        "no orphans in Sequential: its drawers lead to 2 modules and 2 tensors, and no other Module ran"
    )
    assert len(healthy) == 0


def test_a_hostile_model_is_searched_without_running_it(lib):
    class Hostile(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.__dict__["list"] = type("L", (list,), {"__iter__": None, "__len__": None})(
                [lib.nn.Linear(1, 1)]
            )
            self.__dict__["dict"] = type("D", (dict,), {"items": None, "values": None})(a=self)

        def __eq__(self, other: object) -> bool:
            raise SystemExit("compared")

        __hash__ = None  # type: ignore[assignment]

        def __repr__(self) -> str:
            raise SystemExit("shown")

    assert nw.find_orphans(Hostile()).paths == ["list[0]"]


def test_show_has_them_in_red(lib):
    model = net_of(lib, pool={lib.nn.Linear(2, 2)}, head=Plain(fc=lib.nn.Linear(2, 2)))
    view = nw.show(model)
    notes = [note for note in view.facts.nodes[0].notes if note.kind == "hidden"]
    assert [note.text.partition(":")[0] for note in notes] == [
        "`pool` is a set with 1 Module (Linear)",
        "`head` is an object of class Plain with 1 Module (Linear)",
    ]


@pytest.mark.torch
def test_no_alarm_on_healthy_torch_models(torch):
    nn = torch.nn
    prune = pytest.importorskip("torch.nn.utils.prune")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = nn.utils.weight_norm(nn.Linear(2, 2))
        scripted = torch.jit.script(nn.Sequential(nn.Linear(2, 2)))
    pruned = nn.Linear(2, 2)
    prune.l1_unstructured(pruned, "weight", 1)
    models = [
        (nn.LSTM(3, 4, 2, bidirectional=True), torch.zeros(2, 1, 3)),
        (nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)), torch.zeros(1, 2)),
        (old, torch.zeros(1, 2)),
        (pruned, torch.zeros(1, 2)),
        (torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2)), torch.zeros(1, 2)),
        (torch.compile(nn.Sequential(nn.Linear(2, 2)), backend="eager"), torch.zeros(1, 2)),
        (torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2))), torch.zeros(1, 2)),
        (scripted, torch.zeros(1, 2)),
        (nn.TransformerEncoderLayer(8, 2, 8).eval(), torch.zeros(2, 1, 8)),
    ]
    for model, x in models:
        found = nw.find_orphans(model, x)
        assert not found, str(found)
        assert not found.notes, str(found)
