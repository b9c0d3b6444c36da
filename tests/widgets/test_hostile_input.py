"""Names that cannot be sent, pages that ask for nonsense, tensors that lie: a sentence, never an exception."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from fingerprints import fingerprint
from ipywidgets.widgets.widget import _remove_buffers  # as it is sent
from jupyter_client.session import json_packer
from module_subjects import (
    HOSTILE,
    Linear,
    Module,
    Net,
    Parameter,
    StubbornKey,
    Tensor,
    Unfriendly,
    dismantle,
)

import nbmodule_widgets as nw
from nbmodule_widgets.facts import heat
from nbmodule_widgets.facts.heat import heat_map

HEADER = ("status", "curves", "findings", "control", "path", "problem")
NASTY = f"{HOSTILE}\x00\ud800\u2066\u200b\x1b[31m\n"


def views_of(model: object) -> list[Any]:
    """Every kind of view, the watch after two steps."""
    run = nw.watch(model, display=False)
    with run:
        run.tick(loss=1.0, **{NASTY: 2.0, "note": NASTY, "big": 10**5000})
        run.tick(loss=float("nan"))
    pane = nw.parameters(model)
    pane.remember(NASTY)
    return [nw.show(model), pane, nw.lessons.anatomy(model), run.header, run.tree, run.parameters]


def looked_at(model: object) -> list[Any]:
    """Every view after looking at everything; each could be drawn and sent."""
    views = views_of(model)
    for view in views:
        if isinstance(view, nw.ModuleTree):
            for row in range(min(view.facts.rows, 30)):
                view.selection = [view._version, row]
        elif isinstance(view, nw.ParameterView):
            for path in view.index["paths"][:30]:
                view.path = path
        view.refresh()
        for text in (str(view), view.to_html()):
            assert "<script" not in text or text == str(view)
            assert all(mark not in text for mark in "\x00\ud800\u2066\x1b")
        state, _, _ = _remove_buffers(view.get_state())
        json_packer(state)  # raises for what is no UTF-8
        assert view.problem == ""
    return views


def of_tensor(tensor: Any) -> Module:
    model = Module()
    model._parameters["w"] = tensor
    model._buffers["b"] = tensor
    return model


def saying(**answers: Any) -> Module:
    """A tensor with these properties."""
    own = {name: property(lambda self, said=said: said) for name, said in answers.items()}
    kind = type("Says", (Parameter,), own)
    tensor = kind.__new__(kind)
    tensor._array = np.ones((1, 2))
    tensor.__dict__.update(grad=None, requires_grad=True)
    return of_tensor(tensor)


class Refuses:
    """Whatever a display may be tempted to ask."""

    def _no(self, *arguments: object) -> Any:
        raise RuntimeError("do not ask me")

    __bool__ = __str__ = __repr__ = __eq__ = __len__ = __iter__ = __int__ = __float__ = _no
    __hash__ = None  # type: ignore[assignment]


def holding(array: Any, gradient: Any = None) -> Module:
    tensor = Parameter([0.0])
    tensor._array = np.asarray(array)
    if gradient is not None:
        tensor.grad = Tensor([0.0])
        tensor.grad._array = np.asarray(gradient)
    return of_tensor(tensor)


def named_badly() -> Module:
    model = Module()
    for name in (NASTY, "", "a.b", ".", "\udfff", "x" * 100_000, "__proto__"):
        model._modules[name] = Linear(2, 2)
        model._parameters[f"{name}p"] = Parameter([1.0, 2.0])
    return model


def unfriendly() -> Module:
    class Made(Module, metaclass=Unfriendly):
        pass

    model = Made()
    model._parameters["w"] = Parameter([1.0])
    return model


SUBJECTS = {
    "names": named_badly,
    "a class that hides its name": unfriendly,
    "a shape beyond all numbers": lambda: saying(shape=(10**5000,)),
    "a shape beyond all memory": lambda: saying(shape=(2**62,) * 64),
    "a dtype that refuses": lambda: saying(dtype=Refuses()),
    "a dtype of many digits": lambda: saying(dtype=10**5000),
    "a device that refuses": lambda: saying(device=Refuses()),
    "a device of stubborn text": lambda: saying(device=type("D", (), {"__str__": lambda s: StubbornKey("x")})()),
    "one very large number": lambda: holding(np.full(5, 1e300)),
    "numbers at both ends": lambda: holding([1.797e308, -1.797e308]),
    "a very large gradient": lambda: holding(np.ones(3), np.full(3, 1e300)),
    "a gradient of another shape": lambda: holding(np.ones((3, 4)), np.ones((9, 9))),
}  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", SUBJECTS.values(), ids=SUBJECTS.keys())
def test_every_view_has_something_to_show(make, wire):
    looked_at(make())


def test_an_error_with_a_stubborn_message_is_said():
    class Stubborn(Exception):
        def __str__(self) -> str:
            return StubbornKey("no")

    class Raises(Module):
        def extra_repr(self) -> str:
            raise Stubborn

    assert "`extra_repr` raised Stubborn: no" in nw.text(Raises())


def test_a_gradient_of_another_shape_is_not_sent_whole(wire):
    model = holding(np.ones((3, 4)), np.zeros((1000, 1000)))
    view = nw.parameters(model)
    view.refresh()
    whole = view.shown["whole"]
    assert (len(whole["weight"]), len(whole["gradient"])) == (48, 0)


def test_paths_that_would_fill_the_memory_are_left_out():
    model = named_badly()
    model._modules["y" * 1_000_000] = Linear(2, 2)
    deep = at = Module()
    for _ in range(5_000):
        at._parameters["w"] = Parameter([1.0])
        at._modules["c"] = Module()
        at = at._modules["c"]
    try:
        assert len(nw.watch(deep, display=False).recorder.paths) == 501
        assert len(nw.parameters(deep).index["paths"]) == 501
    finally:
        dismantle(deep)
    run = nw.watch(model, display=False)
    with run:
        run.tick(loss=1.0)
        run.tree.paint({"loss": [1.0] * len(run.recorder.paths)}, run.recorder.paths)
    longest = max(map(len, (*run.recorder.paths, *run.parameters.index["paths"])))
    assert longest <= 4_000


def test_a_picture_of_a_huge_tensor_reads_a_part_of_it(monkeypatch):
    whole = np.random.default_rng(0).normal(size=(600, 700)) + np.linspace(0, 9, 700)
    expected = heat_map(whole)
    monkeypatch.setattr(heat, "READ", 2**15)
    found = heat_map(whole)
    assert (found.every, found.block, found.used) == (13, expected.block, expected.used)
    assert "of every 13th read" in found.words
    assert np.abs(found.cells - expected.cells).max() < 3  # a mean of some numbers of each cell
    monkeypatch.undo()
    endless = np.broadcast_to(np.arange(9.0), (10**12, 9))  # 72 TB if it were written out
    for array in (endless, endless.T):
        assert 9.0 > heat_map(array).cells.max() == 8.0


# ---------------------------------------------------------------------------------- messages from the page

JUNK: list[Any] = [
    None, True, 0, -1, 10**6, 2**70, 1e308, float("nan"), -float("inf"), "", "weight", NASTY, "now",
    "a." * 100_000, "first.weight", [], [1, 2], [[None]], {}, {"kind": {}}, [2**70, -5],
]  # fmt: skip
KINDS = ["slice", "remember", "compare", "forget", "opened", "closed", "drawn", "play", "pause", "speed",
         "reset", "training", "requires_grad", "__class__", 5, None, ["step"]]  # fmt: skip
WORDS = ("selection", "of", "axes", "index", "how", "before", "after", "speed", "number", "value")


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_from_the_page_changes_nothing(seed, wire, from_page):
    chance = random.Random(seed)
    model = Net()
    model.first.weight.grad = Tensor(np.ones((4, 3)))
    views = views_of(model)
    facts, before = nw.facts(model), fingerprint(model)
    for _ in range(300):
        view = chance.choice(views)
        if chance.random() < 0.5:
            message = {word: chance.choice(JUNK) for word in WORDS if chance.random() < 0.6}
            message["value"] = "no truth value"  # so that no button was pressed
            from_page(view, kind=chance.choice(KINDS), **message)
        else:
            name = chance.choice([name for name in view.keys if not name.startswith("_")])
            view.set_state({name: chance.choice(JUNK)})
    for view in views:
        view.refresh()
        assert str(view)
        assert view.to_html()
        assert json_packer(_remove_buffers(view.get_state())[0])
    assert fingerprint(model) == before
    assert nw.facts(model) == facts == views[0].facts


def test_the_page_sets_what_is_its_own_and_nothing_else(wire):
    tree, pane = nw.show(Net()), nw.parameters(Net())
    index, rows = pane.index, tree.tree
    tree.set_state({"selection": [1, 5], "tree": {}, "problem": "x", "_esm": "export default 7"})
    pane.set_state({"path": "second.weight", "index": {}})
    assert (tree.selected_path, pane.path) == ("first.weight", "second.weight")
    assert (tree.tree, tree.problem, pane.index) == (rows, "", index)
    assert "export default 7" not in str(tree._esm)


# ---------------------------------------------------------------------------------------------- libraries


@pytest.mark.torch
def test_memory_that_was_given_back_is_not_read():
    """A tensor whose storage was emptied, as FSDP does, still points at memory that is not its own."""
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(300, 300)
    model.weight.grad = torch.ones(300, 300)
    for tensor in (model.weight, model.weight.grad):
        tensor.untyped_storage().resize_(0)
    assert (
        "its memory was freed" in dict(nw.show(model).select("weight").detail["lines"])["gradient"]
    )
    assert "its memory was freed" in nw.parameters(model, "weight").facts.weight.problem
    assert "its memory was freed" in nw.lessons.anatomy(model).try_line("self.x = 1").error
    optimizer = torch.optim.SGD([model.bias], lr=0.1)
    model.bias.grad = torch.ones(300)
    with nw.watch(model, display=False) as run:
        optimizer.step()
        run.tick()
    assert run.facts.weight_norm[0, 0] == run.facts.gradient_norm[0, 0] == -2
    assert run.facts.gradient_norm[0, 1] == pytest.approx(300**0.5)


@pytest.mark.browser
def test_hostile_metrics_and_findings_are_only_text(stage, wire):
    model = named_badly()
    with nw.watch(model, display=False) as run:
        for _ in range(3):
            run.tick(**{NASTY: 1.0, "note": HOSTILE})
    run.header.problem = HOSTILE
    stage.show(run.header, HEADER)
    assert stage.page.get_by_text(HOSTILE[:12]).first.is_visible()
    assert stage.page.evaluate("() => window.pwned") is None
