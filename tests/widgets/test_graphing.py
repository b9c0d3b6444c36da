"""The autograd graph as facts: what is read, what a recorded run adds, the walk, passes that fail."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import nbmodule
from nbmodule_widgets import graphing
from nbmodule_widgets.graphing import GraphFacts

LIBRARIES = ["nbmodule", pytest.param("torch", marks=pytest.mark.torch)]


@pytest.fixture(params=LIBRARIES)
def lib(request: Any) -> Any:
    """nbmodule, then PyTorch where it is installed."""
    return nbmodule if request.param == "nbmodule" else pytest.importorskip("torch")


def make_net(lib: Any, inner: int = 8) -> Any:
    class Net(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = lib.nn.Linear(4, 8)
            self.bn = lib.nn.BatchNorm1d(8)
            self.drop = lib.nn.Dropout(0.5)
            self.fc2 = lib.nn.Linear(inner, 3)

        def forward(self, x: Any) -> Any:
            hidden = self.drop(self.bn(self.fc1(x)).relu())
            return self.fc2(hidden)

    lib.manual_seed(0)
    return Net()


def labels(graph: GraphFacts, kind: str) -> set[str]:
    return {node.label for node in graph.nodes if node.kind == kind}


def numpy_of(tensor: Any) -> np.ndarray:
    return np.array(tensor.detach().numpy())


def check_order(graph: GraphFacts) -> None:
    """Producers come first, and groups are nested stretches with few children each."""
    assert all(edge.source < edge.target for edge in graph.edges)
    assert [node.number for node in graph.nodes] == list(range(len(graph.nodes)))
    children = [0] * len(graph.groups)
    for group in graph.groups[1:]:
        around = graph.groups[group.parent]
        assert group.parent < group.number
        assert around.first <= group.first < group.end <= around.end
        children[group.parent] += 1
    for node in graph.nodes:
        group = graph.groups[node.group]
        assert group.first <= node.number < group.end
        children[node.group] += 1
    assert max(children) <= 60


# ---------------------------------------------------------------------------------- reading


def test_a_formula_is_read_in_the_order_in_which_it_was_computed(lib: Any) -> None:
    x, w = lib.ones(3, 4), lib.ones(4, 2, requires_grad=True)
    b = lib.zeros(2, requires_grad=True)
    hidden = (x @ w + b).relu()
    loss = (hidden * hidden).sum()

    graph = graphing.read(loss)

    check_order(graph)
    assert graph.label == "loss"
    assert graph.library == lib.__name__
    words = [node.word for node in graph.nodes]
    assert words == ["leaf", "matrix product", "leaf", "add", "relu", "multiply", "sum"]
    assert labels(graph, "leaf") == {"w", "b"}  # the names of our variables
    assert graph.nodes[-1].result
    assert graph.nodes[-1].name == "SumBackward0"
    relu, multiply = graph.find("relu"), graph.find("multiply")
    assert [graph.edges[e].slot for e in graph.incoming(multiply)] == [0, 1]
    assert {graph.edges[e].target for e in graph.outgoing(relu)} == {multiply}
    value = graph.nodes[relu].value  # saved by the multiplication
    assert value is not None
    assert np.array_equal(value.values, np.full((3, 2), 4.0))  # type: ignore[arg-type]
    assert "saved by MulBackward0" in graph.nodes[relu].value_from


def test_what_the_caller_holds_has_its_name_and_value(lib: Any) -> None:
    a = lib.tensor([1.0, 2.0], requires_grad=True)
    half = a / 2
    also = half
    halves = half.split(1)
    one = halves[0]
    moved = (half + 1).detach()
    graph = graphing.read((half + one + moved).sum())
    node = graph.nodes[graph.find("half")]
    assert (node.kind, node.word, node.names) == ("operation", "divide", ("half", "also"))
    assert not node.result
    assert np.array_equal(node.value.values, [0.5, 1.0])  # type: ignore[union-attr, arg-type]
    assert graph.find("one") < 0  # one of several: the name would not say which
    assert graph.find("moved") < 0  # it has no node
    text = graphing.graph_text(graph)
    assert " = half = divide(a)  (2,) = [0.5, 1]" in text
    assert "add(half, " in text
    half += 1  # now another node made it
    later = graphing.read((half * 2).sum())
    assert later.nodes[later.find("half")].word == "add"
    assert later.nodes[later.find("divide")].label == ""
    assert also is half


def test_parameters_name_the_leaves_and_group_the_operations(lib: Any) -> None:
    net = make_net(lib)
    graph = graphing.read(net(lib.ones(2, 4)).sum(), model=net)
    check_order(graph)
    assert labels(graph, "leaf") == {name for name, _ in net.named_parameters()}
    assert graph.grouped_by == "parameters"
    assert {g.path for g in graph.groups if g.kind == "module"} == {"fc1", "bn", "fc2"}
    assert graph.groups[graph.nodes[graph.find("fc2.weight")].group].path == "fc2"
    relu = graph.nodes[graph.find("relu")]
    assert relu.group == 0  # no parameter says where it belongs


def test_a_tied_leaf_has_all_its_names(lib: Any) -> None:
    embedding, out = lib.nn.Embedding(5, 4), lib.nn.Linear(4, 5, bias=False)
    out.weight = embedding.weight
    model = lib.nn.Sequential(embedding, out)
    graph = graphing.read(model(lib.tensor([1, 2])).sum(), model=model)
    (leaf,) = (node for node in graph.nodes if node.kind == "leaf")
    assert leaf.names == ("0.weight", "1.weight")
    assert {g.path for g in graph.groups if g.kind == "module"} == {"0", "1"}


def test_several_outputs_and_functions_written_by_hand(lib: Any) -> None:
    class Both(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b, a + b

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            a, b = ctx.saved_tensors
            return first * b + second, first * a + second

    x = lib.ones(2, 3, requires_grad=True)
    one, two = (x * 2).unbind(0)
    product, total = Both.apply(one, two)
    graph = graphing.read((product * total).sum())
    check_order(graph)
    split, own = graph.nodes[graph.find("unbind")], graph.nodes[graph.find("BothBackward")]
    assert (split.shape, split.outputs, own.outputs) == ((3,), 2, 2)
    assert [graph.edges[e].output for e in graph.incoming(own.number)] == [0, 1]
    assert "custom" in own.said
    assert [entry.problem for entry in graphing.saved(graph, own.number)] == ["", ""]
    assert len(graphing.walk(graph).steps) == len(graph.nodes)


def test_what_backward_has_freed_is_said(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    graph = graphing.read(loss)
    assert graph.nodes[graph.find("multiply")].freed
    assert any("retain_graph" in note for note in graph.notes)
    walked = graphing.walk(graph)
    assert "a second time" in walked.problem
    assert graph.nodes[walked.failed].word == "multiply"


def test_tensors_without_a_graph_and_what_is_no_tensor(lib: Any) -> None:
    assert "requires_grad=True" in graphing.read(lib.ones(2)).problem
    assert graphing.read(lib.ones(2, requires_grad=True)).nodes[0].kind == "leaf"
    with pytest.raises(TypeError, match="graph\\(model, x\\)"):
        graphing.read(lib.nn.Linear(1, 1))
    with pytest.raises(TypeError, match="got an int"):
        graphing.read(3)
    with pytest.raises(TypeError, match="names"):
        graphing.read(lib.ones(2, requires_grad=True), names=5)


def test_ten_thousand_operations_in_a_row_end_in_parts(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x.sum()
    for _ in range(10_000):
        y = y * 1.0
    graph = graphing.read(y)
    check_order(graph)
    assert len(graph.nodes) == 10_000 + 1 + len(labels(graph, "leaf"))
    assert len(graphing.graph_text(graph)) < 1000
    assert len(graphing.read(y, limit=100).nodes) == 100
    assert graphing.read(y, limit=100).left_out == 1


# ---------------------------------------------------------------------------------- the walk


def test_the_walk_finds_the_bits_of_backward_and_changes_nothing(lib: Any) -> None:
    net, x = make_net(lib), lib.ones(5, 4)
    hidden = net.fc1(x)
    hidden.retain_grad()
    loss = (net.fc2(hidden.relu()) ** 2).sum() + hidden.sum()
    before = lib.zeros_like(net.fc1.weight)
    net.fc1.weight.grad = before

    graph = graphing.read(loss, model=net)
    walked = graphing.walk(graph)

    assert walked.problem == ""
    assert hidden.grad is None
    assert net.fc1.weight.grad is before
    assert not before.numpy().any()
    place = {step.node: step.number for step in walked.steps}
    for edge in graph.edges:  # nobody's turn comes before that of all who consumed its output
        assert place[edge.target] < place[edge.source]
    loss.backward()  # nothing was freed
    for name, parameter in net.named_parameters():
        if parameter.grad is not None:
            found: Any = walked.gradients[graph.find(name)].values
            assert np.array_equal(found, parameter.grad.numpy())


def test_arrivals_are_what_was_sent_and_add_up(lib: Any) -> None:
    a = lib.tensor([2.0], requires_grad=True)
    graph = graphing.read((a * a + a).sum())
    walked = graphing.walk(graph)
    (leaf,) = (step for step in walked.steps if graph.nodes[step.node].kind == "leaf")
    assert leaf.number == len(walked.steps) - 1
    assert sorted(g.mean for _, g in leaf.arrivals) == [1.0, 2.0, 2.0]
    assert leaf.gradients[0].mean == 5.0  # type: ignore[union-attr]
    assert "3 gradients" in leaf.words
    first = walked.steps[0]
    assert first.arrivals[0][0] == -1
    assert graph.nodes[first.node].result
    sent = {edge: seen for step in walked.steps for edge, seen in step.sent}
    assert all(sent[edge] is seen for edge, seen in leaf.arrivals)


def test_a_backward_that_raises_is_shown_where_it_broke(lib: Any) -> None:
    class Refuses(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise ValueError("not\n<b>today</b>")

    x = lib.ones(2, requires_grad=True)
    graph = graphing.read((Refuses.apply(x * 3) * 2).sum())
    walked = graphing.walk(graph)
    assert walked.problem == "ValueError: not <b>today</b>"
    assert graph.nodes[walked.failed].name == "RefusesBackward"
    assert len(walked.steps) == 2


def test_hooks_run_and_none_stays(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad * 10)
    y = x * 3
    node = y.grad_fn
    graph = graphing.read(y.sum())
    walked = graphing.walk(graph)
    assert walked.gradients[graph.find("x")].mean == 30.0
    assert any("they ran" in note for note in walked.notes)
    assert len(graphing.walk(graphing.read(y.sum())).steps) == len(walked.steps)
    if lib is nbmodule:
        assert not node.notes.before
        assert not node.notes.after


# ---------------------------------------------------------------------------------- recorded runs


def test_a_run_sees_every_value_module_and_line(lib: Any) -> None:
    net, x = make_net(lib), lib.ones(5, 4)
    graph = graphing.run(net, x, loss=lambda out: out.sum())
    check_order(graph)
    operations = [node for node in graph.nodes if node.kind == "operation"]
    assert all(node.value is not None and node.value.shape == node.shape for node in operations)
    assert "x" in labels(graph, "input")
    modules = [(g.path, g.class_name) for g in graph.groups if g.kind == "module"]
    expected = [
        ("", "Net"),
        ("fc1", "Linear"),
        ("bn", "BatchNorm1d"),
        ("drop", "Dropout"),
        ("fc2", "Linear"),
    ]
    assert modules == expected
    relu = graph.nodes[graph.find("relu")]
    assert graph.lines[relu.line].text == "hidden = self.drop(self.bn(self.fc1(x)).relu())"
    assert graph.lines[relu.line].file == "test_graphing.py"
    assert graph.walked is not None
    assert len(graph.walked.gradients) == len(operations) + len(labels(graph, "leaf"))


def test_a_run_leaves_no_trace_and_computes_the_same_bits(lib: Any) -> None:
    net, x = make_net(lib), lib.ones(5, 4)
    lib.manual_seed(3)
    plain = numpy_of(net(x))
    net.bn.reset_running_stats()
    state = {name: numpy_of(value) for name, value in net.state_dict().items()}
    grads = [lib.ones_like(p) for p in net.parameters()]
    for parameter, grad in zip(net.parameters(), grads, strict=True):
        parameter.grad = grad
    lib.manual_seed(3)
    graph = graphing.run(net, x)
    assert np.array_equal(graph.nodes[graph.results[0]].value.values, plain)  # type: ignore[union-attr, arg-type]
    after = numpy_of(net.bn(lib.ones(5, 8)))  # not touched by what the run drew or counted
    assert after.shape == (5, 8)
    net.bn.reset_running_stats()
    assert all(np.array_equal(numpy_of(v), state[k]) for k, v in net.state_dict().items())
    assert all(p.grad is g for p, g in zip(net.parameters(), grads, strict=True))
    lib.manual_seed(3)
    first = numpy_of(lib.rand(3))
    lib.manual_seed(3)
    graphing.run(net, x)
    assert np.array_equal(numpy_of(lib.rand(3)), first)
    assert sys.getprofile() is None


def test_what_recorded_a_pass_goes_without_a_search_for_cycles(
    lib: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ten thousand Modules it takes half a second."""
    recorders: list[Any] = []
    recorder = graphing.running.Recorder

    def noted(*given: Any) -> Any:
        made = recorder(*given)
        recorders.append(weakref.ref(made))
        return made

    monkeypatch.setattr(graphing.running, "Recorder", noted)
    gc.disable()
    try:
        graph = graphing.run(make_net(lib), lib.ones(5, 4), loss=lambda out: out.sum())
        assert len(graph.nodes) > 5
        assert [found() for found in recorders] == [None]
    finally:
        gc.enable()


def test_each_call_of_a_module_is_a_group_of_its_own(lib: Any) -> None:
    class Twice(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = lib.nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return self.cell(self.cell(x).tanh())

    graph = graphing.run(Twice(), lib.ones(2, 3))
    check_order(graph)
    assert [(g.path, g.call) for g in graph.groups[2:]] == [("cell", 1), ("cell", 2)]
    weight = graph.find("cell.weight")
    assert len(graph.outgoing(weight)) == 2


def test_a_function_is_run_with_the_models_that_it_uses_put_back(lib: Any) -> None:
    net, x = make_net(lib), lib.ones(5, 4)
    state = {name: numpy_of(value) for name, value in net.state_dict().items()}
    graph = graphing.run(lambda: net(x).sum())
    assert labels(graph, "leaf") == {name for name, _ in net.named_parameters()}
    assert all(np.array_equal(numpy_of(v), state[k]) for k, v in net.state_dict().items())


def test_the_shapes_that_met_where_a_pass_broke_off(lib: Any) -> None:
    net = make_net(lib, inner=7)
    graph = graphing.run(net, lib.ones(5, 4))
    check_order(graph)
    failed = graph.failure
    assert failed is not None
    assert failed.path == "fc2"
    assert failed.words in ("(5, 8) @ (7, 3)", "(5, 8) @ (3, 7).T")
    assert graph.lines[failed.line].text == "return self.fc2(hidden)"
    assert "cannot be multiplied" in failed.error
    assert failed.node == len(graph.nodes) - 1
    assert graph.nodes[failed.node].kind == "failed"
    met = {graph.nodes[graph.edges[e].source].label for e in graph.incoming(failed.node)}
    assert "fc2.bias" in met
    assert graph.find("fc1.weight") >= 0  # what was computed before is there
    assert graph.results == ()
    assert all(g in graphing.default_open(graph, 1) for g in (0, graph.nodes[failed.node].group))
    assert "✗" in graphing.graph_text(graph)
    assert sys.getprofile() is None
    assert lib.ones(2, requires_grad=True).sum().grad_fn is not None


def test_operands_are_called_what_the_reader_wrote(lib: Any) -> None:
    x = lib.ones(2, 3, requires_grad=True)
    failed = graphing.run(lambda: (x * 2) + lib.ones(7)).failure
    assert failed is not None
    assert (failed.operation, failed.words) == ("add", "(2, 3) and (7,)")
    assert [label for label, _, _ in failed.operands] == ["x * 2, made by multiply", "lib.ones(7)"]


def test_an_exception_of_python_shows_what_was_computed_before(lib: Any) -> None:
    net = make_net(lib)

    def work() -> None:
        hidden = net.fc1(lib.ones(2, 4)).relu()
        raise KeyError(str(hidden.shape))

    graph = graphing.run(work)
    assert graph.failure is not None
    assert graph.failure.operands == ()
    assert "KeyError" in graph.failure.error
    assert graph.find("relu") >= 0


def test_passes_in_which_nothing_was_made_say_so(lib: Any) -> None:
    assert "no tensor, and no operation ran" in graphing.run(lambda: 5).problem
    assert "none of its operations made" in graphing.run(lib.nn.Identity(), lib.ones(2)).problem
    with pytest.raises(TypeError, match="Module or a function"):
        graphing.run(5)


# ---------------------------------------------------------------------------------- readers' own tensors


class Value:
    """A number that knows what it was made from, as in micrograd."""

    def __init__(self, data: float, made_from: tuple[Value, ...] = (), operation: str = "") -> None:
        self.data, self.grad = data, 0.0
        self._prev, self._op = set(made_from), operation
        self._backward = lambda: None

    def __add__(self, other: Value) -> Value:
        out = Value(self.data + other.data, (self, other), "+")

        def backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = backward
        return out

    def __mul__(self, other: Value) -> Value:
        out = Value(self.data * other.data, (self, other), "*")

        def backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = backward
        return out


def test_values_that_are_nodes_themselves() -> None:
    a, b = Value(2.0), Value(3.0)
    a.grad = 7.0
    total = a * b + a
    graph = graphing.read(total, names={"a": a, "b": b})
    assert [node.word for node in graph.nodes if node.kind == "operation"] == ["multiply", "add"]
    assert labels(graph, "leaf") == {"a", "b"}
    assert graph.nodes[graph.results[0]].value.mean == 8.0  # type: ignore[union-attr]
    walked = graphing.walk(graph)
    assert walked.gradients[graph.find("a")].mean == 4.0
    assert (a.grad, b.grad) == (7.0, 0.0)


def test_a_graph_with_a_cycle_ends() -> None:
    class Step:
        next_functions: tuple[Any, ...] = ()

    class Own:
        requires_grad = True
        shape, dtype = (), "float32"

        def __init__(self, node: Step) -> None:
            self.grad_fn = node

    first, second = Step(), Step()
    first.next_functions = ((second, 0), (None, 0), "nonsense")
    second.next_functions = ((first, 0),)
    graph = graphing.read(Own(first))
    assert len(graph.nodes) == 2
    assert any("a cycle" in note for note in graph.notes)
    check_order(graph)
    graphing.graph_html(graph)


def test_what_no_node_saved_is_worked_out_from_what_is_known(lib: Any) -> None:
    a, b = lib.tensor([2.0, 3.0], requires_grad=True), lib.tensor([5.0, 7.0], requires_grad=True)
    # nbmodule multiplies by alpha in a node of its own, which keeps the number to itself.
    totals = [-(a * b - (a + b if lib is nbmodule else lib.add(a, b, alpha=2)))]
    loss = totals[0].sum()
    graph = graphing.read(loss)
    negated = graph.nodes[graph.find("negate")]
    assert "worked out" in negated.value_from
    assert np.array_equal(negated.value.values, totals[0].detach().numpy())  # type: ignore[union-attr, arg-type]
    assert all(
        node.value is not None for node in graph.nodes if node.word in ("add", "subtract", "sum")
    )
    unknown = graphing.read((a + 1).exp().sum())  # nobody knows what was added
    assert unknown.nodes[unknown.find("add")].value is None


class OwnNode:
    """A node as chapter readers write it: functions for the arguments, and where their results go."""

    def __init__(self, vjps: list[Any], next_functions: list[Any]) -> None:
        self.vjps, self.next_functions = vjps, next_functions


class OwnTensor:
    """The least of a tensor with a graph: leaves stand in `next_functions` themselves."""

    def __init__(self, values: Any, grad_fn: Any = None) -> None:
        self.data, self.grad_fn, self.grad = np.asarray(values, float), grad_fn, None
        self.requires_grad = True
        self.shape, self.dtype = self.data.shape, self.data.dtype

    def numpy(self) -> np.ndarray:
        return self.data

    def __mul__(self, other: OwnTensor) -> OwnTensor:
        edges = [(t.grad_fn or t, 0) for t in (self, other)]
        vjps = [lambda g: g * other.data, lambda g: g * self.data]
        return OwnTensor(self.data * other.data, OwnNode(vjps, edges))


def test_nodes_of_a_reader_s_own_are_walked_by_their_vjps() -> None:
    a, b = OwnTensor([2.0, 3.0]), OwnTensor([5.0, 7.0])
    cube = a * b * a
    graph = graphing.read(cube, names={"a": a, "b": b})
    assert labels(graph, "leaf") == {"a", "b"}
    assert graph.nodes[graph.find("a")].word == "leaf"
    walked = graphing.walk(graph)
    assert walked.problem == ""
    found: Any = walked.gradients[graph.find("a")].values
    assert np.array_equal(found, 2 * a.data * b.data)
    assert len(walked.steps[-1].arrivals) == 2 or len(walked.steps[-2].arrivals) == 2
    assert a.grad is None
    assert walked.start == "ones of shape (2,), as for cube.sum()"
    cube.grad_fn.vjps = None
    assert "cannot be taken" in graphing.walk(graphing.read(cube)).problem


def test_a_function_of_a_reader_s_that_raises_is_not_said_to_be_missing() -> None:
    def refuse(g: Any) -> Any:
        raise RuntimeError("a second time")

    a = OwnTensor(2.0)
    square = a * a
    first = OwnTensor(4.0, OwnNode([refuse], [(a, 0)]))
    last = OwnTensor(4.0, OwnNode([abs], [(first.grad_fn, 0)]))
    for name, result, steps in (("first", first, 0), ("last", last, 1)):
        walked = graphing.walk(graphing.read(result))
        assert walked.problem == "RuntimeError: a second time"
        assert len(walked.steps) == steps
        assert walked.start == f"1, the gradient of {name} with respect to itself"
    assert graphing.walk(graphing.read(square)).problem == ""


class OwnSaved:
    """What a reader's node keeps until it is freed; to ask for it then raises, and must not happen on a look."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def free(self) -> None:
        self.data = None

    def get(self) -> Any:
        raise AssertionError("a look has called the reader's own code")


def test_a_reader_s_node_is_freed_only_if_what_it_kept_is_gone() -> None:
    a = OwnTensor([2.0, 3.0])
    square = a * a
    node = square.grad_fn

    def freed() -> bool:
        return graphing.read(square).nodes[-1].freed

    assert not freed()  # it says nothing of what it keeps
    for other in ((), [None], [a.data], "nonsense", [type("Odd", (), {"data": None})()], None):
        node.saved = other
        assert not freed()
    node.saved = [OwnSaved(a.data), OwnSaved(a.data)]
    graph = graphing.read(square)
    assert not graph.nodes[-1].freed
    assert [kept.name for kept in graphing.saved(graph, 1)] == ["[0]", "[1]"]
    assert "freed" not in graphing.graph_text(graph)
    node.saved[0].free()
    assert freed()
    assert "saved values freed" in graphing.graph_text(graphing.read(square))
    assert "freed" in graphing.graph_html(graphing.read(square))


class OrderedNode(OwnNode):
    """A node that can list itself and all below it: here its arguments from the right to the left."""

    order: Any = None

    def topological_order(self) -> list[Any]:
        return self.order()


def test_nodes_of_a_reader_s_own_are_walked_in_the_order_that_they_tell() -> None:
    a = OwnTensor(2.0)
    one, two = (OwnTensor(3.0, OwnNode([lambda g: g], [(a, 0)])) for _ in range(2))
    last = OrderedNode([lambda g: g, lambda g: g], [(one.grad_fn, 0), (two.grad_fn, 0)])
    result = OwnTensor(6.0, last)

    def walked(*order: Any) -> list[Any]:
        last.order = lambda: list(order)
        graph = graphing.read(result)
        return [graph.live.nodes[step.node] for step in graphing.walk(graph).steps]

    ours = walked()
    assert set(ours[1:3]) == {one.grad_fn, two.grad_fn}
    assert [ours[0], ours[3]] == [last, a]
    for first, second in ((one.grad_fn, two.grad_fn), (two.grad_fn, one.grad_fn)):
        assert walked(last, first, second, a) == [last, first, second, a]
    for wrong in (
        [a, last],
        [last, one.grad_fn, one.grad_fn],
        [last, "nonsense"],
        [one.grad_fn, last],
    ):
        assert walked(*wrong) == ours


def test_models_among_the_caller_s_variables_name_the_leaves(lib: Any) -> None:
    net = make_net(lib)
    part = net.fc1  # noqa: F841  a variable that holds less than `net`
    loss = net(lib.ones(2, 4)).sum()
    graph = graphing.read(loss)
    assert labels(graph, "leaf") == {name for name, _ in net.named_parameters()}
    assert graph.groups[0].name == "Net"
    other = lib.nn.Linear(3, 1)
    both = graphing.read(other(net(lib.ones(2, 4))).sum())
    assert {"net.fc1.weight", "other.weight"} < labels(both, "leaf")
    check_order(both)
