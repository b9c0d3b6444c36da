"""From the runs of a model to the graph, and from the graph to the model as ONNX knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._tensor import Tensor
from . import _layers  # noqa: F401  # its rules are in RULES then
from ._graph import Graph, onnx_type
from ._rules import RULES
from ._tracing import OnnxExporterError, Run, Step


def build(runs: Sequence[Run], output_names: Sequence[str] | None, opset: int) -> Any:
    """Return the model as ONNX knows it."""
    import onnx

    graph, first = Graph(runs, opset), runs[0]
    for steps in zip(*(run.steps for run in runs), strict=True):
        graph.steps = steps
        translate(graph)
    finals = add_outputs(graph, output_names)
    nodes, constants = needed_for(finals, graph)
    inputs = [_declared(name, [run.inputs[name] for run in runs], runs) for name in first.inputs]
    outputs = [
        _declared(name, [run.outputs[key] for run in runs], runs)
        for name, key in zip(finals, first.outputs, strict=True)
    ]
    initializers = [
        onnx.numpy_helper.from_array(np.asarray(a, order="C"), name)
        for name, a in constants.items()
    ]
    body = onnx.helper.make_graph(nodes, "model", inputs, outputs, initializers)
    imports = [onnx.helper.make_opsetid("", opset)]
    version = onnx.helper.find_min_ir_version_for(imports)
    return onnx.helper.make_model(
        body, opset_imports=imports, ir_version=version, producer_name="nbmodule"
    )


def translate(g: Graph) -> None:
    """Add the nodes for the step that `g` is at, and note the names of its results.

    What can't be exported is no reason to stop, unless an output needs it.
    """
    try:
        made = _write(g) if g.step.kind == "write" else _rule(g, g.step.name)(g)
    except OnnxExporterError as error:
        made = [g.new("refused") for _ in g.step.results]
        g.refused.update(dict.fromkeys(made, error))
    g.give(made)


def _rule(g: Graph, name: str) -> Any:
    if name not in RULES:
        raise g.fail("nbmodule knows no operator of ONNX for it")
    return RULES[name]


def _write(g: Graph) -> str:
    """Writing in place is computing a new value, and calling it by the old name."""
    if g.step.args[0]._base is not None:
        raise g.fail(
            "it writes into a view, a part of another tensor. Make that anew, with `where` or `cat`"
        )
    if g.step.name == "random_fill_":  # as `randn` does it
        raise g.fail("it fills a tensor with random numbers")
    made = _rule(g, g.step.name.removesuffix("_"))(g)
    return g.add("Expand", [made, g.sizes(lambda s: s.args[0].shape)])


def add_outputs(g: Graph, names: Sequence[str] | None) -> list[str]:
    """Add a node for each output, which gives it its name; return the names."""
    keys = [*g.runs[0].outputs]
    wanted = keys if names is None else [*names]
    if len(wanted) != len(keys) or len({*wanted}) < len(wanted):
        raise ValueError(f"output_names must be {len(keys)} different names, but got {wanted}")
    for name, key in zip(wanted, keys, strict=True):
        g.steps = tuple(_Last(run, key) for run in g.runs)
        value = g.tensor(0)
        if g.new(name) != name:
            raise ValueError(f"{name!r} is the name of two values; give the output another name")
        g.add("Identity", [value], names=[name])
    return wanted


class _Last(Step):
    """The end of a run: what it does is return a tensor."""

    def __init__(self, run: Run, key: str) -> None:
        out = run.outputs[key]
        self.name, self.kind, self.path = "return", "operation", ""
        self.args, self.options, self.result = (out,), {}, out
        self.versions = {id(out): out._version}


def needed_for(outputs: Sequence[str], g: Graph) -> tuple[list[Any], dict[str, np.ndarray]]:
    """Return the nodes and the constants that the outputs need."""
    needed, nodes = {*outputs}, []
    for node in reversed(g.nodes):
        if needed.intersection(node.output):
            needed.update(node.input)
            nodes.append(node)
    for name, error in g.refused.items():
        if name in needed:
            raise error
    return nodes[::-1], {name: a for name, a in g.constants.items() if name in needed}


def _declared(name: str, tensors: Sequence[Tensor], runs: Sequence[Run]) -> Any:
    """Return the type and the shape of an input or output, with the names of its dynamic axes."""
    import onnx

    shape: list[int | str] = []
    for axis, sizes in enumerate(zip(*(t.shape for t in tensors), strict=True)):
        labels = runs[0].sizes
        same = [x for x in labels if all(r.sizes[x] == n for r, n in zip(runs, sizes, strict=True))]
        shape.append(sizes[0] if len({*sizes}) == 1 else same[0] if same else f"{name}_{axis}")
    return onnx.helper.make_tensor_value_info(name, onnx_type(tensors[0].dtype.numpy), shape)
