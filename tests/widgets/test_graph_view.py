"""GraphView without a page: what it sends and when, what it says of a node, the formulas that it prints."""

from __future__ import annotations

import re
from array import array

import numpy as np
import pytest

import nbmodule as nb
import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule_widgets import graphing
from nbmodule_widgets.facts.words import shape_text
from nbmodule_widgets.views.graph import GraphView, weight
from nbmodule_widgets.views.graph_rules import rules_for, rules_of
from nbmodule_widgets.views.graph_walk import norm, pack_walk
from nbmodule_widgets.views.graph_wire import everything, outside_of, pack_graph

FIRST = 60_000  # bytes of the first message, whatever the graph
EACH = 26  # bytes of a node, of the whole


def numbers(column):
    return array(column["kind"], column["bytes"]).tolist()


def columns(table):
    return {name: numbers(column) for name, column in table.items()}


def deep(layers):
    """A chain of linear layers, three nodes each."""
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(layers)))
    return model, model(nb.ones(1, 2)).sum()


def look_of(view, number):
    return next(look for look in view.looks if look["node"] == number)


def product():
    a = nb.tensor(2.0, requires_grad=True)
    b = nb.tensor(3.0, requires_grad=True)
    return nw.graph((a * b + a) * 1.0, names={"a": a, "b": b})


def test_thousands_of_nodes_go_in_two_messages(wire, from_page):
    model, out = deep(1_200)
    view = nw.graph(out, model=model)
    total = len(view.facts.nodes)
    assert total > 3_600 - 2
    assert sum(weight(getattr(view, name)) for name in ("graph", "played", "looks")) < FIRST
    assert not view.graph["whole"]
    assert view.rest == {}
    assert view.walk is None  # nobody waits for it
    from_page(view, kind="opened")
    assert weight(view.rest) < EACH * total
    assert view.rest["whole"]
    sent = len(wire.sent)
    view.refresh()
    assert len(wire.sent) == sent


def test_the_walk_is_recorded_when_the_page_asks(wire, from_page):
    x = nb.ones(3, requires_grad=True)
    view = nw.graph((x * 2).sum(), walk=False)
    assert view.walk is None
    assert view.graph["walkable"]
    from_page(view, kind="walk")
    assert not view.graph["walkable"]
    assert numbers(view.played["steps"]) == [step.node for step in view.walk.steps]
    assert view.record_walk() is view.walk
    assert x.grad is None


@pytest.mark.parametrize("limit", [1, 6, 40])
def test_the_outside_of_a_graph_is_a_graph(limit):
    model, out = deep(120)
    facts = graphing.read(out, model=model)
    layout = graphing.layout(facts)
    shown = outside_of(facts, graphing.default_open(facts, limit))
    packed = pack_graph(facts, layout, shown)
    node, group, edge = (columns(packed[name]) for name in ("nodes", "groups", "edges"))
    assert len(node["op"]) < len(facts.nodes)
    assert max(edge["source"] + edge["target"]) < len(node["op"])
    assert all(s < t for s, t in zip(edge["source"], edge["target"], strict=True))
    crossing = {
        (shown.node[e.source], shown.node[e.target], shape_text(facts.nodes[e.source].shape))
        for e in facts.edges
    }
    for source, target, shape in zip(edge["source"], edge["target"], edge["shape"], strict=True):
        assert (source, target, packed["shapes"][shape]) in crossing  # not that of a stand-in
    for first, end, stub in zip(group["first"], group["end"], group["stub"], strict=True):
        assert end - first == 1 if stub else end > first
    whole = pack_graph(facts, layout, everything(facts))
    counts = dict(
        zip(columns(whole["groups"])["id"], columns(whole["groups"])["size"], strict=True)
    )
    for number, words in zip(group["id"], group["size"], strict=True):
        assert (
            packed["words"][words] == whole["words"][counts[number]]
        )  # says how much it really holds


def test_the_numbers_at_the_arrows_are_those_of_the_walk():
    nb.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    view = nw.graph(model, nb.randn(5, 3), loss=lambda y: (y * y).mean())
    packed, walk = view.played, view.walk
    assert numbers(packed["steps"]) == [step.node for step in walk.steps]
    codes = np.frombuffer(packed["edges"], "<u2").astype(float)
    for step in walk.steps:
        for edge, gradient in step.sent:
            if gradient is not None:
                assert 10 ** (codes[edge] / 700 - 46) == pytest.approx(norm(gradient), rel=0.004)
    weights = next(node for node in view.facts.nodes if node.label == "0.weight")
    assert look_of(view, weights.number)["came"] == walk.gradients[weights.number].words
    assert pack_walk(view.facts, None) == {}


def test_a_sum_of_two_gradients_is_written_out():
    view = product()
    words = {node.label or node.word: node.number for node in view.facts.nodes}
    assert view.played["nodeTexts"][str(words["a"])] == "4"
    into = [view.played["edgeTexts"][str(e)] for e in view.facts.outgoing(words["a"])]
    assert sorted(into) == ["1", "3"]
    assert view.graph["values"][str(words["b"])] == "3"


def test_a_node_is_described():
    view = product()
    number = next(node.number for node in view.facts.nodes if node.name == "MulBackward0")
    lines = dict(map(tuple, look_of(view, number)["lines"]))
    assert lines["→ a"] == "`g · b`"
    assert lines["→ b"] == "`g · a`"
    assert lines["node"] == "MulBackward0"
    assert lines["shape"] == "() float32"


def test_the_page_may_ask_for_nodes_that_are_not_there(from_page):
    view = product()
    for number in (-1, 10**9, True, "0", None, 1.0):
        from_page(view, kind="look", node=number)
        assert view.looked == {}
    from_page(view, kind="look", node=0)
    assert view.looked["node"] == 0
    assert view.problem == ""


def test_a_pass_that_fails_is_about_the_operation_that_raised():
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(7, 3))
    view = nw.graph(model, nb.ones(2, 4))
    facts, sent = view.facts, view.graph
    assert sent["about"] == sent["failed"] == facts.failure.node
    assert "(2, 8) @ (3, 7)" in sent["alarm"][0]
    assert view.looks[0]["node"] == facts.failure.node
    assert facts.nodes[facts.failure.node].group in view.opened
    assert view.played == {}
    assert not sent["walkable"]


def test_what_a_checkpoint_packed_stays_packed(torch):
    """Unpacking it would run the reader's forward again, and BatchNorm would move its statistics."""
    from torch.utils.checkpoint import checkpoint

    linear, norm, runs = torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), []

    def stretch(a):
        runs.append(a)
        return norm(linear(a)).tanh()

    x = torch.ones(2, 3, requires_grad=True)
    loss = checkpoint(stretch, x, use_reentrant=False).sum()
    before = norm.running_mean.clone()
    view = nw.graph(loss)
    tanh = view.facts.find("TanhBackward0")
    assert view.walk is None
    assert view.graph["walkable"]
    assert dict(look_of(view, tanh)["lines"])["saved result"].startswith(
        "packed by a saved-tensor hook"
    )
    assert "nothing was unpacked" in str(view)
    assert view.to_html()
    assert len(runs) == 1
    assert len(view.record_walk().steps) == len(view.facts.nodes)  # asked for: now it has to run
    assert len(runs) == 2
    assert torch.equal(norm.running_mean, before)
    assert x.grad is None
    loss.backward()
    assert view.walk.gradients[view.facts.find("x")].mean == x.grad.mean()
    assert GraphView(graphing.read((x * x).sum())).walk is not None


def test_what_cannot_be_shown_is_refused():
    x = nb.tensor(1.0, requires_grad=True)
    with pytest.raises(TypeError, match=r"graph\(tensor\) takes no more arguments and loss="):
        nw.graph(x * 2, x, loss=sum)
    with pytest.raises(TypeError, match=r"takes no depth=.*options are model="):
        nw.graph(x * 2, depth=3)
    with pytest.raises(
        TypeError, match=r"neither one of its options .*loss=.*Linear.forward \(input="
    ):
        nw.graph(nb.nn.Linear(1, 1), y=x)
    plain = nw.graph(nb.tensor(1.0))
    assert plain.graph["alarm"][0].startswith("!")
    assert plain.facts.problem in str(plain)


def test_all_forms_tell_the_same_twice():
    twins = [(str(view), view.to_html()) for view in (product(), product())]
    assert twins[0] == twins[1]
    assert "<script" not in twins[0][1]
    assert isinstance(product(), GraphView)
    pytest.importorskip("matplotlib")
    assert product().figure().axes


# ---------------------------------------------------------------------------------------- the formulas

SIGNS = {"·": "*", "−": "-", "^": "**", "y²": "y**2", "y³": "y**3", "b²": "b**2", "gᵀ": "g.T", "aᵀ": "a.T",
         "bᵀ": "b.T", "cᵀ": "c.T", "sign(": "np.sign(", "log a": "np.log(a)", "cos a": "np.cos(a)",
         "sin a": "np.sin(a)", "sigmoid(": "sigmoid("}  # fmt: skip
CASES = {
    "MulBackward0": lambda a, b: a * b,
    "SubBackward0": lambda a, b: a - b,
    "DivBackward0": lambda a, b: a / b,
    "NegBackward0": lambda a: -a,
    "ExpBackward0": lambda a: a.exp(),
    "LogBackward0": lambda a: a.log(),
    "SqrtBackward0": lambda a: a.sqrt(),
    "AbsBackward0": lambda a: a.abs(),
    "SinBackward0": lambda a: a.sin(),
    "CosBackward0": lambda a: a.cos(),
    "SigmoidBackward0": lambda a: a.sigmoid(),
    "TanhBackward0": lambda a: a.tanh(),
    "PowBackward1": lambda a, b: a**b,
    "MmBackward0": lambda a, b: a @ b,
    "SoftplusBackward0": lambda a: nn.functional.softplus(a),
    "RsqrtBackward0": lambda a: a.rsqrt(),
    "ReciprocalBackward0": lambda a: a.reciprocal(),
}


@pytest.mark.parametrize("name", CASES)
def test_the_formulas_are_what_the_engine_computes(name):
    rules, work = rules_of(name), CASES[name]
    draws = np.random.default_rng(0)
    given = [nb.tensor(draws.uniform(0.5, 2, (3, 3)), requires_grad=True) for _ in rules]
    out = work(*given)
    assert out.grad_fn.name() == name
    g = draws.normal(size=(3, 3))
    out.backward(nb.tensor(g))
    known = {"g": g, "y": out.detach().numpy(), "np": np, "sigmoid": lambda v: 1 / (1 + np.exp(-v))}
    known |= {letter: t.detach().numpy() for letter, t in zip("abc", given, strict=False)}
    for rule, tensor in zip(rules, given, strict=True):
        written = rule
        for sign, python in SIGNS.items():
            written = written.replace(sign, python)
        assert re.search("[^ -~]", written) is None, written
        np.testing.assert_allclose(eval(written, known), tensor.grad.numpy(), rtol=1e-6)


MORE = {
    "linear": (lambda lib, a, b, c: lib.nn.functional.linear(b, c, a), (2,), (5, 3), (2, 3)),
    "linear on sequences": (lambda lib, a, b, c: lib.nn.functional.linear(b, c, a), (2,), (4, 5, 3), (2, 3)),
    "linear without bias": (lambda lib, a, b: lib.nn.functional.linear(a, b), (5, 3), (2, 3)),
    "addmm": (lambda lib, a, b, c: lib.addmm(a, b, c), (2,), (5, 3), (3, 2)),
    "mm": (lambda lib, a, b: a @ b, (5, 3), (3, 2)),
    "mv": (lambda lib, a, b: a @ b, (5, 3), (3,)),
    "dot": (lambda lib, a, b: a @ b, (3,), (3,)),
    "add": (lambda lib, a, b: a + b, (5, 3), (3,)),
    "mul": (lambda lib, a, b: a * b, (5, 1), (3,)),
    "div": (lambda lib, a, b: a / b, (), (5, 3)),
    "a number to the power": (lambda lib, a: 3**a, (5, 3)),
    "softmax": (lambda lib, a: a.softmax(-1), (5, 3)),
    "log softmax": (lambda lib, a: a.log_softmax(-1), (5, 3)),
    "var": (lambda lib, a: a.var(), (5, 3)),
    "std": (lambda lib, a: a.std(), (5, 3)),
    "mse": (lambda lib, a, b: lib.nn.functional.mse_loss(a, b), (5, 3), (5, 3)),
    "clamp": (lambda lib, a: a.clamp(0.8, 1.2), (5, 3)),
    "relu": (lambda lib, a: (a - 1).relu(), (5, 3)),
}  # fmt: skip
# How the words of these formulas are computed; what is given there are rows.
IN_WORDS = {
    "g, summed over the rows it was copied to": lambda v: v["g"],
    "g ⊗ b": lambda v: np.outer(v["g"], v["b"]),
    "g · y · log(the base)": lambda v: v["g"] * v["y"] * np.log(3),
    "y · (g − Σ g · y)": lambda v: v["y"] * (v["g"] - (v["g"] * v["y"]).sum(-1, keepdims=True)),
    "g − softmax(a) · Σ g": lambda v: v["g"] - np.exp(v["y"]) * v["g"].sum(-1, keepdims=True),
    "g · 2 · (a − mean) / (n − correction)": lambda v: v["g"] * 2 * (v["a"] - v["a"].mean()) / 14,
    "g · (a − mean) / y / (n − correction)": lambda v: v["g"] * (v["a"] - v["a"].mean()) / v["y"] / 14,
    "g · 2 · (a − b) / n": lambda v: v["g"] * 2 * (v["a"] - v["b"]) / 15,
    "g · 2 · (b − a) / n": lambda v: v["g"] * 2 * (v["b"] - v["a"]) / 15,
    "g where a was inside the limits, otherwise 0": lambda v: v["g"] * (abs(v["a"] - 1) < 0.2),
    "g where y > 0, otherwise 0": lambda v: v["g"] * (v["y"] > 0),
}  # fmt: skip


@pytest.mark.parametrize("library", ["nbmodule", pytest.param("torch", marks=pytest.mark.torch)])
@pytest.mark.parametrize("case", MORE)
def test_formulas_in_words_and_of_arguments_that_are_copied(case, library):
    lib = pytest.importorskip(library)
    work, *shapes = MORE[case]
    if library == "torch" and case.startswith("linear"):
        pytest.skip("PyTorch records a transpose of its own, and addmm after it")
    if library == "nbmodule" and case == "std":
        pytest.skip("nbmodule records var and a square root")
    draws = np.random.default_rng(0)
    given = [lib.tensor(draws.uniform(0.5, 2, shape), requires_grad=True) for shape in shapes]
    out = work(lib, *given)
    g = draws.normal(size=tuple(out.shape))
    facts = graphing.read((out * lib.tensor(g)).sum(), names=dict(zip("abc", given, strict=False)))
    node = facts.nodes[facts.live.numbers[id(out.grad_fn)]]
    step = next(step for step in graphing.walk(facts).steps if step.node == node.number)
    rules, sent = rules_for(facts, node), {facts.edges[e].slot: seen for e, seen in step.sent}
    assert rules
    assert len(sent) == len(given)

    def rows(values):
        return values.reshape(-1, values.shape[-1]) if values.ndim > 2 else values

    known = {"g": rows(g), "y": rows(out.detach().numpy())}
    known |= {letter: rows(t.detach().numpy()) for letter, t in zip("abc", given, strict=False)}
    for slot, rule in enumerate(rules):
        rule = rule.removesuffix(", summed over the copies")
        compute = IN_WORDS.get(rule)
        if compute is None:
            for sign, python in SIGNS.items():
                rule = rule.replace(sign, python)
            compute = lambda v, rule=rule: eval(rule, dict(v))  # noqa: E731
        made, shape = compute(known), sent[slot].shape
        copied = rules[slot].endswith("copies") or "copied to" in rules[slot]
        if copied:
            assert made.shape != shape
            made = np.broadcast_to(made, known["y"].shape)
            while made.ndim > len(shape):
                made = made.sum(0)
            made = made.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)
        np.testing.assert_allclose(
            made.reshape(shape), sent[slot].values, rtol=1e-6, err_msg=rules[slot]
        )
