"""What each operation is called in ONNX: arithmetic, reductions, shapes and products. Layers are in `_layers.py`.

A rule is given the graph, adds nodes for ``graph.step``, and returns the name of the result, or of each result. The names of
operations are those that `nbmodule.observer` tells; the formulas stand in `nbmodule/_ops`.

Source: https://onnx.ai/onnx/operators/
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._dtypes import result_type
from ._graph import EVERYTHING, Graph

Rule = Callable[[Graph], Any]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Note what translates the operations called `names`."""

    def note(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return note


def kind(g: Graph) -> Any:
    """Return the type of the result."""
    return g.step.results[0].dtype


# ---- element by element

for _name, _operator in {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "mish": "Mish",
    "neg": "Neg", "reciprocal": "Reciprocal", "relu": "Relu", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin",
    "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
}.items():  # fmt: skip
    rule(_name)(lambda g, operator=_operator: g.add(operator, [g.tensor(0, kind(g))]))

for _name, _operator in {
    "bitwise_not": "Not",
    "logical_not": "Not",
    "isnan": "IsNaN",
    "isinf": "IsInf",
}.items():
    rule(_name)(lambda g, operator=_operator: g.add(operator, [g.tensor(0)]))

for _name, _operator in {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "pow": "Pow", "maximum": "Max", "minimum": "Min"}.items():  # fmt: skip
    rule(_name)(lambda g, operator=_operator: arithmetic(g, operator))

for _name, _operator in {
    "eq": "Equal",
    "lt": "Less",
    "le": "LessOrEqual",
    "gt": "Greater",
    "ge": "GreaterOrEqual",
}.items():
    rule(_name)(lambda g, operator=_operator: comparison(g, operator))

for _name, _operator in {"and": "And", "or": "Or", "xor": "Xor"}.items():
    rule(f"logical_{_name}", f"bitwise_{_name}")(lambda g, operator=_operator: logic(g, operator))


def arithmetic(g: Graph, operator: str) -> str:
    dtype = kind(g)
    b = g.tensor(1, dtype)
    if "alpha" in g.step.options and g.step.options["alpha"] != 1:  # of `add_`
        b = g.add("Mul", [b, g.number(g.step.options["alpha"], dtype)])
    return g.add(operator, [g.tensor(0, dtype), b])


def comparison(g: Graph, operator: str) -> str:
    common = result_type(*(getattr(a, "_array", a) for a in g.step.args[:2]))
    return g.add(operator, [g.tensor(0, common), g.tensor(1, common)])


def logic(g: Graph, operator: str) -> str:
    if kind(g).numpy.kind != "b":
        raise g.fail("it works on the bits of numbers")
    return g.add(operator, [g.tensor(0, kind(g)), g.tensor(1, kind(g))])


@rule("ne")
def _ne(g: Graph) -> str:
    return g.add("Not", [comparison(g, "Equal")])


@rule("clone", "detach", "data", "filled", "cast")
def _cast(g: Graph) -> str:
    return g.tensor(0, kind(g))


@rule("copy", "fill")
def _copy(g: Graph) -> str:
    return g.tensor(1, kind(g))


@rule("zero")
def _zero(g: Graph) -> str:
    return g.number(0, kind(g))


@rule("rsqrt")
def _rsqrt(g: Graph) -> str:
    return g.add("Reciprocal", [g.add("Sqrt", [g.tensor(0)])])


@rule("log1p")
def _log1p(g: Graph) -> str:
    return g.add("Log", [g.add("Add", [g.tensor(0), g.number(1, kind(g))])])


@rule("where")
def _where(g: Graph) -> str:
    return g.add("Where", [g.tensor(0), g.tensor(1, kind(g)), g.tensor(2, kind(g))])


@rule("masked")
def _masked(g: Graph) -> str:
    mask = g.value(lambda s: s.options["mask"])
    return g.add("Where", [mask, g.tensor(0), g.number(0, kind(g))])


@rule("clamp", "clamp_between", "clamp_min", "clamp_max", "hardtanh")
def _clamp(g: Graph) -> str:
    name, y, dtype = g.step.name.removesuffix("_"), g.tensor(0), kind(g)
    if name == "hardtanh":
        low, high = (g.number(g.step.options[side], dtype) for side in ("low", "high"))
    else:
        low = g.tensor(1, dtype) if name != "clamp_max" else None
        high = g.tensor(1 if name == "clamp_max" else 2, dtype) if name != "clamp_min" else None
    y = y if low is None else g.add("Max", [y, low])
    return y if high is None else g.add("Min", [y, high])


@rule("round")
def _round(g: Graph) -> str:
    if g.step.options.get("decimals", 0):
        raise g.fail("it rounds to decimals")
    return g.add("Round", [g.tensor(0)])


# ---- reductions


def reduced(g: Graph, operator: str, x: str, axes: Any, keepdim: bool) -> str:
    if not axes and g.step.args[0].dim():
        return x
    return g.add(operator, [x, g.ints(*axes)] if axes else [x], keepdims=int(keepdim))


for _name, _operator in {"sum": "ReduceSum", "mean": "ReduceMean", "amax": "ReduceMax", "amin": "ReduceMin", "prod": "ReduceProd", "length": "ReduceL2"}.items():  # fmt: skip
    rule(_name)(lambda g, operator=_operator: reduced(g, operator, g.tensor(0, kind(g)), g.step.options["axes"], g.step.options.get("keepdim", False)))  # fmt: skip


@rule("all", "any")
def _all(g: Graph) -> str:
    from .._dtypes import int32

    ones = g.add(
        "Cast", [g.add("Cast", [g.tensor(0)], to=9)], to=6
    )  # to bool, then to whole numbers
    operator = "ReduceMin" if g.step.name == "all" else "ReduceMax"
    found = reduced(g, operator, ones, g.step.options["axes"], g.step.options.get("keepdim", False))
    return g.add("Equal", [found, g.number(1, int32)])


@rule("var", "std")
def _var(g: Graph) -> str:
    o = g.step.options
    axes, correction, x = o["axes"], o.get("correction", 1), g.tensor(0)
    count = (
        g.fixed(lambda s: math.prod(s.args[0].shape[a] for a in axes), "the number of elements")
        if correction
        else 1
    )
    far = g.add("Sub", [x, g.add("ReduceMean", [x, g.ints(*axes)], keepdims=1)])
    y = reduced(g, "ReduceMean", g.add("Mul", [far, far]), axes, o.get("keepdim", False))
    if correction:
        y = g.add(
            "Mul",
            [
                y,
                g.number(count / (count - correction) if count > correction else math.nan, kind(g)),
            ],
        )
    return y if g.step.name == "var" else g.add("Sqrt", [y])


@rule("vector_norm")
def _vector_norm(g: Graph) -> str:
    operator = {1: "ReduceL1", 2: "ReduceL2"}.get(g.step.options["p"])
    if operator is None:
        raise g.fail("p is neither 1 nor 2")
    return reduced(
        g, operator, g.tensor(0), g.step.options["axes"], g.step.options.get("keepdim", False)
    )


@rule("logsumexp")
def _logsumexp(g: Graph) -> str:
    return reduced(
        g,
        "ReduceLogSumExp",
        g.tensor(0),
        g.step.options["axes"],
        g.step.options.get("keepdim", False),
    )


@rule("argmax", "argmin")
def _argmax(g: Graph) -> str:
    operator, axis = "ArgMax" if g.step.name == "argmax" else "ArgMin", g.step.options["axis"]
    x, keepdim = g.tensor(0), int(g.step.options.get("keepdim", False))
    if axis is None:
        x, axis, keepdim = g.add("Reshape", [x, g.ints(-1)]), 0, 0
    return g.add(operator, [x], axis=axis, keepdims=keepdim)


@rule("softmax", "log_softmax")
def _softmax(g: Graph) -> str:
    operator = "Softmax" if g.step.name == "softmax" else "LogSoftmax"
    return g.add(operator, [g.tensor(0)], axis=g.step.options["axis"])


@rule("cumsum")
def _cumsum(g: Graph) -> str:
    return g.add("CumSum", [g.tensor(0, kind(g)), g.constant(np.asarray(g.step.options["axis"]))])


# ---- shapes


@rule("reshape")
def _reshape(g: Graph) -> str:
    to = g.sizes(lambda s: s.options["shape"], rest=all(n > 0 for n in g.step.options["shape"]))
    return g.add("Reshape", [g.tensor(0), to])


@rule("expand")
def _expand(g: Graph) -> str:
    return g.add("Expand", [g.tensor(0), g.sizes(lambda s: s.options["shape"])])


@rule("permute")
def _permute(g: Graph) -> str:
    many = g.step.args[0].dim()
    return g.add("Transpose", [g.tensor(0)], perm=[d % many for d in g.step.options["dims"]])


@rule("transpose")
def _transpose(g: Graph) -> str:
    order = [*range(g.step.args[0].dim())]
    a, b = g.step.options["dim0"], g.step.options["dim1"]
    if order:
        order[a], order[b] = order[b], order[a]
    return g.add("Transpose", [g.tensor(0)], perm=order)


@rule("cat", "stack")
def _cat(g: Graph) -> str:
    axis, names = g.step.options["axis"], [g.tensor(i, kind(g)) for i in range(len(g.step.args))]
    if g.step.name == "stack":
        names = [g.add("Unsqueeze", [name, g.ints(axis)]) for name in names]
    return g.add("Concat", names, axis=axis)


@rule("split", "splitwithsizes")
def _split(g: Graph) -> Any:
    axis = g.step.options["axis"]
    if len(g.step.results) == 1:
        return [g.tensor(0)]
    lengths = g.fixed(lambda s: [t.shape[axis] for t in s.results], "the length of a part")
    return g.add("Split", [g.tensor(0), g.ints(*lengths)], len(lengths), axis=axis)


@rule("unbind")
def _unbind(g: Graph) -> Any:
    axis, many = g.step.options["axis"], len(g.step.results)
    return [
        g.add("Gather", [g.tensor(0), g.constant(np.asarray(i))], axis=axis) for i in range(many)
    ]


@rule("repeat")
def _repeat(g: Graph) -> str:
    extra = len(g.step.options["times"]) - g.step.args[0].dim()
    x = g.tensor(0)
    if extra:
        x = g.add("Unsqueeze", [x, g.ints(*range(extra))])
    return g.add("Tile", [x, g.sizes(lambda s: s.options["times"], None)])


@rule("flip")
def _flip(g: Graph) -> str:
    axes = g.step.options["axes"]
    back = [g.ints(*(n,) * len(axes)) for n in (-1, -EVERYTHING)]
    return g.add("Slice", [g.tensor(0), *back, g.ints(*axes), back[0]])


@rule("pad")
def _pad(g: Graph) -> str:
    widths = g.fixed(lambda s: [tuple(w) for w in s.options["widths"]], "the padding")
    if any(n < 0 for pair in widths for n in pair):
        raise g.fail("a negative padding cuts off")
    both = g.ints(*(before for before, _ in widths), *(after for _, after in widths))
    return g.add("Pad", [g.tensor(0), both, g.number(g.step.options.get("value", 0.0), kind(g))])


@rule("edge_pad")
def _edge_pad(g: Graph) -> str:
    """Padding with elements of the input: along each axis, which element stands where."""
    y, runs = g.tensor(0), g.fixed(lambda s: s.options["runs"], "what is padded")
    first = g.step.args[0].dim() - len(runs)
    for axis, parts in enumerate(runs, first):
        size = g.step.args[0].shape[axis]
        places = np.zeros(max(to.stop for to, _ in parts), np.int64)
        for to, source in parts:
            places[to] = np.arange(size)[source]
        y = g.add("Gather", [y, g.constant(places)], axis=axis)
    return y


@rule("resample")
def _resample(g: Graph) -> str:
    """Along each axis, an output is a weighted sum of a few elements: see `AxisMap`."""
    y, maps = g.tensor(0), g.step.options["maps"]
    g.fixed(lambda s: [m and (m.size, m.index.tolist()) for m in s.options["maps"]], "the size")
    for axis, m in enumerate(maps, g.step.args[0].dim() - len(maps)):
        if m is None:
            continue
        total = ""
        for k, places in enumerate(m.index):
            part = g.add("Gather", [y, g.constant(np.asarray(places, np.int64))], axis=axis)
            if m.weight is not None:
                shape = (-1, *(1,) * (g.step.args[0].dim() - 1 - axis))
                weight = np.asarray(m.weight[k], kind(g).numpy).reshape(shape)
                part = g.add("Mul", [part, g.constant(weight)])
            total = g.add("Add", [total, part]) if total else part
        y = total
    return y


@rule("gather")
def _gather(g: Graph) -> str:
    index = g.value(lambda s: s.options["index"])
    return g.add("GatherElements", [g.tensor(0), index], axis=g.step.options["axis"])


@rule("index")
def _index(g: Graph) -> str:
    """``x[key]``: one part of the key after the other, each on the next axis."""
    y, axis = g.tensor(0), 0
    key = _key(g.step)
    arrays = [
        part for part in key if not (part is None or isinstance(part, (slice, int, np.integer)))
    ]
    if arrays and (len(arrays) > 1 or any(isinstance(part, (int, np.integer)) for part in key)):
        raise g.fail("the index has an array, and beside it another one or a number")
    if any(isinstance(part, bool) or getattr(part, "dtype", None) == np.bool_ for part in key):
        raise g.fail("how much a mask picks depends on its numbers")
    for i, part in enumerate(key):
        if part is None:
            y = g.add("Unsqueeze", [y, g.ints(axis)])
        elif isinstance(part, slice):
            if part != slice(None):
                edges = [_edge(g, lambda s, i=i: _key(s)[i].start, 0), _edge(g, lambda s, i=i: _key(s)[i].stop, EVERYTHING)]  # fmt: skip
                y = g.add("Slice", [y, *edges, g.ints(axis), g.ints(part.step or 1)])
        else:
            places = g.value(lambda s, i=i: _key(s)[i])
            y = g.add("Gather", [y, places], axis=axis)
            axis += np.ndim(part) - 1
        axis += 1
    return y


def _key(step: Any) -> tuple:
    """Return the key of an index, with a slice for every axis that it leaves out."""
    key = step.options["key"]
    key = key if isinstance(key, tuple) else (key,)
    left = step.args[0].dim() - sum(part is not None and part is not Ellipsis for part in key)
    at = next((i for i, part in enumerate(key) if part is Ellipsis), len(key))
    return (*key[:at], *(slice(None),) * left, *key[at + 1 :])


def _edge(g: Graph, get: Callable[[Any], int | None], otherwise: int) -> str:
    """Return the name of the start or the end of a slice."""
    if get(g.step) is None:
        return g.ints(otherwise)
    return g.sizes(lambda s: [int(get(s) or 0)])


# ---- products


@rule("mm", "matmul", "bmm", "mv", "dot")
def _matmul(g: Graph) -> str:
    return g.add("MatMul", [g.tensor(0), g.tensor(1)])


@rule("contract")
def _contract(g: Graph) -> str:
    o = g.step.options
    letters = {
        n: "abcdefghijklmnopqrstuvwxyz"[i]
        for i, n in enumerate(dict.fromkeys((*o["left"], *o["right"])))
    }
    left, right, out = ("".join(letters[n] for n in o[side]) for side in ("left", "right", "out"))
    return g.add("Einsum", [g.tensor(0), g.tensor(1)], equation=f"{left},{right}->{out}")
