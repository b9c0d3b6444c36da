"""The graph of a pass that recorded nothing for backward: what it was made from, against referees that do not know it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from nbmodule_widgets import graphing
from nbmodule_widgets.graphing import GraphFacts

NAMES = ["a", "b", "c", "d"]


def program(seed: int) -> Any:
    """A function of four tensors (2, 3), the same for each seed: arithmetic, views of views, writes through them."""

    def run(lib: Any, given: list[Any]) -> Any:
        draw = random.Random(seed)
        pool = [given[0] * 1.5, given[1].T.T, *given[2:]]
        for _ in range(draw.randrange(4, 14)):
            one, other = draw.choice(pool), draw.choice(pool)
            deed = draw.randrange(9)
            if deed == 0:
                pool.append(one + other)
            elif deed == 1:
                pool.append((one @ other.T) @ one)
            elif deed == 2:
                pool.append(lib.cat([one[:, :1], other[:, 1:]], 1))
            elif deed == 3:
                pool.append(one.reshape(3, 2).T)
            elif deed == 4:
                pool.append(one.clone())
            else:  # a write in place, which autograd forbids in a leaf and its views
                base = one.clone() if deed < 7 else pool[0]
                view = [base, base[0], base[:, 1], base.T, base[1:]][draw.randrange(5)]
                row = other[0] if view.shape == (3,) else other[:, 0] if view.shape == (2,) else 2.0
                (view.mul_ if draw.random() < 0.5 else view.add_)(row)
                pool += [base, view if view.shape == (2, 3) else base * 2.0]
        return pool[draw.randrange(4, len(pool))] if len(pool) > 4 else pool[0]

    return run


def leaves_behind(tensor: Any) -> set[int]:
    """The leaves that autograd has behind a tensor: the walk over `next_functions` that everybody writes."""
    waiting, seen, leaves = [tensor.grad_fn], set(), set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if hasattr(node, "variable"):
            leaves.add(id(node.variable))
        waiting += [source for source, _ in node.next_functions]
    return leaves


def behind(graph: GraphFacts) -> set[str]:
    """The named inputs from which edges lead to a result."""
    waiting, seen = list(graph.results), set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [graph.edges[edge].source for edge in graph.incoming(node)]
    assert len(seen) == len(graph.nodes)  # nothing is drawn that leads nowhere
    return {graph.nodes[node].label for node in seen} & set(NAMES)


def test_what_a_result_was_made_from_is_drawn_and_nothing_else(lib: Any) -> None:
    """Everything whose change shows in the result; and nothing that autograd, were it on, would not know of."""
    drawn = 0
    for seed in range(120):
        run = program(seed)

        def given(**wanted: bool) -> list[Any]:
            made = [lib.tensor([[1.0, 2, 3], [4, 5, 6]]) * (0.1 * n + 0.3) for n in range(4)]
            return [tensor.requires_grad_(wanted.get("grad", False)) for tensor in made]

        leaves = given(grad=True)
        known = leaves_behind(run(lib, leaves))
        may = {name for name, leaf in zip(NAMES, leaves, strict=True) if id(leaf) in known}
        plain = given()
        with lib.no_grad():
            bits = run(lib, given()).numpy().tobytes()
            must = set()
            for number, name in enumerate(NAMES):
                other = given()
                other[number].mul_(1.5)
                if run(lib, other).numpy().tobytes() != bits:
                    must.add(name)
            named = dict(zip(NAMES, plain, strict=True))
            graph = graphing.run(lambda run=run, plain=plain: run(lib, plain), names=named)
        if graph.problem:  # the result is one of the inputs
            assert len(may) == 1, seed
            continue
        drawn += 1
        assert graph.forward_only, seed
        assert must <= behind(graph) <= may, (seed, must, behind(graph), may)
        assert all(not edge.carries and edge.source < edge.target for edge in graph.edges), seed
    assert drawn > 100


def test_the_walk_that_everybody_writes_finds_the_same_nodes_and_edges(lib: Any) -> None:
    for seed in range(60):
        leaves = [lib.ones(2, 3).mul_(n + 1.0).requires_grad_(True) for n in range(4)]
        result = program(seed)(lib, leaves)
        if result.is_leaf:
            continue
        graph = graphing.read(result)
        live = graph.live.nodes
        told = {(id(live[e.source]), id(live[e.target]), e.slot) for e in graph.edges}
        found, waiting, seen = set(), [result.grad_fn], {}
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen[id(node)] = node
            sources = [(n, s) for n, (s, _) in enumerate(node.next_functions) if s is not None]
            found |= {(id(source), id(node), slot) for slot, source in sources}
            waiting += [source for _, source in sources]
        assert {id(node) for node in live} == set(seen), seed
        assert told == found, seed


class Net:
    """Makes a small network of a library."""

    def __new__(cls, lib: Any) -> Any:
        class Small(lib.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.fc, self.bn, self.out = lib.nn.Linear(4, 8), lib.nn.BatchNorm1d(8), lib.nn.Linear(8, 3)  # fmt: skip

            def forward(self, x: Any, how: str = "plain") -> Any:
                found = self.out(self.bn(self.fc(x)).relu())
                if how == "detached":
                    return found.detach() * 2
                if how == "number":
                    return found.sum().item()
                return found.argmax(1) if how == "whole" else found

        lib.manual_seed(0)
        return Small()


@pytest.mark.parametrize(
    ("how", "grad", "why"),
    [
        ("plain", "off", "switched off when the pass began"),
        ("plain", "frozen", "nothing that took part requires a gradient (6 parameters frozen)"),
        ("detached", "on", "detach() leaves the graph, test_forward_graph.py"),
        ("whole", "on", "what it returned is int64"),
        ("number", "off", "switched off"),
    ],
)
def test_why_there_is_no_backward_graph_and_what_ran_instead(
    lib: Any, how: str, grad: str, why: str
) -> None:
    model, x = Net(lib), lib.ones(5, 4)
    model.requires_grad_(grad != "frozen")
    with lib.set_grad_enabled(grad != "off"):
        graph = graphing.run(model, x, how)
    text = graphing.graph_text(graph)
    assert not graph.problem
    assert why in graph.forward_only
    assert f"No backward graph was recorded: {graph.forward_only}" in text
    assert "forward graph of" in text
    assert {group.path for group in graph.groups} >= {"fc", "bn", "out"}
    assert {"fc.weight", "out.bias", "x"} <= {node.label for node in graph.nodes}
    assert "No backward graph" in graphing.graph_html(graph)
    assert graphing.walk(graph).problem


def test_results_without_a_graph_beside_one_are_named(lib: Any) -> None:
    model, x = Net(lib), lib.ones(5, 4)
    graph = graphing.run(lambda: {"loss": model(x).sum(), "best": model(x).argmax(1)})
    assert not graph.forward_only
    assert any("['best']" in note for note in graph.notes)


@pytest.mark.parametrize("name", ["call", "args", "backward", "forward_impl", "step", "loop", "apply", "run"])  # fmt: skip
def test_methods_may_be_called_anything(lib: Any, name: str) -> None:
    class Odd(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = lib.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return getattr(self, name)(x)

    def method(self: Any, x: Any) -> Any:
        frame, args, kwargs = "mine", (), {}
        return self.fc(x) * len((frame, args, kwargs))

    setattr(Odd, name, method)
    graph = graphing.run(Odd(), lib.ones(1, 2), loss=lambda y: y.sum())
    assert not graph.notes
    assert not graphing.findings(graph)
    assert graph.unreached.cut == ()
