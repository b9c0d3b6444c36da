"""What stands out in a graph: parameters without a gradient, where the pass left the graph, where NaN comes from."""

from __future__ import annotations

from typing import Any

import pytest

import nbmodule_widgets as nw
from nbmodule_widgets import graphing
from nbmodule_widgets.graphing import findings, notes_of


@pytest.fixture(params=["nbmodule", pytest.param("torch", marks=pytest.mark.torch)])
def lib(request: Any) -> Any:
    return pytest.importorskip(request.param)


def cut_net(lib: Any) -> Any:
    """A model with a detached branch, one under no_grad(), a frozen layer, and one that is never used."""
    nn = lib.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.side, self.quiet = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3)
            self.frozen, self.unused = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            h = self.frozen(self.first(x))
            h = h + self.side(x).detach()
            with lib.no_grad():
                q = self.quiet(x)
                q = q * 2
            return h + q

    return Net()


def test_parameters_that_no_gradient_reaches_and_where_they_were_cut_off(lib: Any) -> None:
    model = cut_net(lib)
    facts = graphing.run(model, lib.ones(2, 3), loss=lambda y: y.sum())
    missing = facts.unreached
    assert missing.total == 10
    assert set(missing.frozen) == {"frozen.weight", "frozen.bias"}
    assert {name.partition(".")[0] for name in missing.cut} == {"side", "quiet", "unused"}
    lines = [facts.lines[cut.line].text for cut in facts.cuts]
    assert [cut.what for cut in facts.cuts][:2] == ["detach()", "no_grad()"]
    assert "self.side(x).detach()" in lines[0]
    assert "self.quiet(x)" in lines[1]
    said = [found.words for found in findings(facts)]
    assert said[0].startswith("No gradient reaches 6 of 10 parameters from here: side.weight")
    assert "leaves the graph" in said[1]
    assert "frozen.weight" in notes_of(facts)[0]
    view = nw.graph(model, lib.ones(2, 3), loss=lambda y: y.sum())
    assert any("6 of 10" in line for line in view.graph["alarm"])
    assert "6 of 10" in str(view)
    assert "6 of 10" in view.to_html()


def test_a_whole_model_and_what_lies_in_between_are_no_findings(lib: Any) -> None:
    nn = lib.nn
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    x = lib.ones(2, 3)
    assert findings(graphing.read(model(x).sum(), model=model)) == ()
    hidden = graphing.read(
        model[0](x), model=model
    )  # nobody would wonder that 2.weight is not in it
    assert findings(hidden) == ()
    assert "2.weight" in notes_of(hidden)[0]


@pytest.mark.torch
def test_libraries_may_detach_what_they_like(torch: Any) -> None:
    """Layers save detached copies, reparametrize without a graph, and checkpoint: none of it is the reader's doing."""
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2)
    spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))
    x = torch.ones(2, 3, 4, requires_grad=True)
    works = (
        lambda: encoder(x),
        lambda: nn.LSTM(4, 4)(x)[0],
        lambda: spectral(x),
        lambda: checkpoint(lambda a: encoder(a).tanh(), x, use_reentrant=True),
        lambda: checkpoint(lambda a: encoder(a).tanh(), x, use_reentrant=False),
    )
    for work in works:
        assert graphing.run(work).cuts == ()


def test_the_first_node_that_makes_nan_is_named_on_both_ways(lib: Any) -> None:
    x = lib.tensor([0.0, 4.0], requires_grad=True)
    view = nw.graph(
        (x.sqrt() * 3).sum(), names={"x": x}
    )  # forward all is well, 1 / (2 * 0) comes back
    (found,) = findings(view.facts, view.walk)
    assert (
        "square root (SqrtBackward0) is the first to send infinity; it reaches 1 leaf"
        in found.words
    )
    assert view.facts.nodes[found.node].name == "SqrtBackward0"
    assert view.graph["about"] == found.node
    below = lib.tensor([-1.0, 4.0], requires_grad=True)
    facts = graphing.run(lambda: (below * 1).log().exp().sum())
    first = findings(facts)[0]
    assert facts.nodes[first.node].name == "LogBackward0"
    assert "whose result has NaN" in first.words


def test_a_mask_is_no_fault_and_what_it_spoils_is_traced_back_to_it(lib: Any) -> None:
    scores = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    endless = float("inf")

    def masked(*rows: list[float]) -> Any:
        mask = lib.tensor([*rows])
        return graphing.run(lambda: ((scores + mask).softmax(-1) * lib.tensor([1.0, 3.0])).sum())

    assert findings(masked([0.0, -endless], [0.0, 0.0])) == ()
    wrong = masked([-endless, -endless], [0.0, 0.0])  # nothing is left in the first row
    first = findings(wrong)[0]
    assert "infinity" in first.words
    assert wrong.nodes[first.node].word in ("add", "mask", "input")


def test_gradients_of_nothing_but_zeros(lib: Any) -> None:
    w = lib.tensor([-1.0, -2.0], requires_grad=True)
    facts = graphing.run(lambda: lib.nn.functional.relu(w * 1).sum())
    assert [f.words for f in findings(facts)] == ["The gradient is 0 everywhere in w."]


def test_a_large_graph_says_that_no_gradient_was_computed_until_it_is_walked(lib: Any) -> None:
    """Silence about zeros and NaN among the gradients would be taken for "none"."""
    model = lib.nn.Linear(3, 3)

    def long_pass(x: Any) -> Any:
        y = model(x)
        for _ in range(graphing.WALKED):
            y = y + 1
        return y * 0

    view = nw.graph(long_pass, lib.ones(2, 3), loss=lambda y: y.sum())
    assert view.walk is None
    for said in (str(view), view.to_html()):
        assert "no gradient was computed" in said
        assert "gradient is 0" not in said
    view.record_walk()
    for said in (str(view), view.to_html()):
        assert "no gradient was computed" not in said
        assert "The gradient is 0 everywhere in" in said


def test_a_walk_on_demand_is_the_walk_at_once(lib: Any) -> None:
    """Also the first one of a model that never ran before, whose parameters know no graph yet."""

    def steps(walk: bool) -> list[Any]:
        lib.manual_seed(0)
        view = nw.graph(lib.nn.Linear(3, 3), lib.ones(2, 3), loss=lambda y: y.sum(), walk=walk)
        return [(step.node, step.sent) for step in view.record_walk().steps]

    assert str(steps(False)) == str(steps(True)) != "[]"
