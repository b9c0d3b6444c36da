"""What the operations of layers are called in ONNX: linear maps, convolutions, pooling, activations, norms, recurrence, attention.

The arguments are those of the rules in `nbmodule/_ops`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._graph import Graph
from ._rules import kind, rule

# ---- linear maps


@rule("linear")
def _linear(g: Graph) -> str:
    """``x @ w.T + b``, the arguments being b, x, w."""
    return linear(g, g.tensor(1), g.tensor(2), g.tensor(0))


@rule("linear_without_bias")
def _linear_without_bias(g: Graph) -> str:
    return linear(g, g.tensor(0), g.tensor(1))


def linear(g: Graph, x: str, w: str, b: str | None = None) -> str:
    y = g.add("MatMul", [x, g.add("Transpose", [w], perm=[1, 0])])
    return y if b is None else g.add("Add", [y, b])


@rule("embedding")
def _embedding(g: Graph) -> str:
    return g.add("Gather", [g.tensor(0), g.value(lambda s: s.options["index"])], axis=0)


@rule("conv")
def _conv(g: Graph) -> str:
    o = g.step.options
    given = [g.tensor(i) for i, a in enumerate(g.step.args) if a is not None]
    return g.add(
        "Conv",
        given,
        strides=o["stride"],
        dilations=o["dilation"],
        group=o["groups"],
        pads=[*o["padding"]] * 2,
    )


@rule("conv_input")
def _conv_transposed(g: Graph) -> str:
    """The way back of a convolution is a transposed one; `size` says how much of the last windows is left over."""
    o = g.step.options

    def extra(s: Any) -> list[int]:
        x, kernel, p = s.args[0].shape[2:], s.args[1].shape[2:], s.options
        each = zip(p["size"], x, kernel, p["stride"], p["padding"], p["dilation"], strict=True)
        return [
            size - ((n - 1) * st - 2 * pad + d * (k - 1) + 1) for size, n, k, st, pad, d in each
        ]

    given = [g.tensor(i) for i, a in enumerate(g.step.args) if a is not None]
    return g.add(
        "ConvTranspose", given, strides=o["stride"], dilations=o["dilation"], group=o["groups"],
        pads=[*o["padding"]] * 2, output_padding=g.fixed(extra, "what is added to the output"),
    )  # fmt: skip


# ---- pooling


def _boxes(step: Any) -> list[tuple[int, int, int, int]] | None:
    """Return kernel, stride, padding and dilation along each axis; None where the windows differ in size."""
    boxes = []
    for w in step.options["windows"]:
        steps = {b - a for a, b in zip(w.starts, w.starts[1:], strict=False)} or {1}
        whole = isinstance(w.starts, range) or len({*w.sizes}) == 1
        if len(steps) != 1 or not whole:
            return None
        boxes.append((w.length, steps.pop(), -w.starts[0], w.dilation))
    return boxes


def _overhang(step: Any) -> list[int]:
    """Return how far the last windows reach beyond the input: the padding at the end."""
    return [
        w.starts[-1] + (w.length - 1) * w.dilation + 1 - w.size for w in step.options["windows"]
    ]


def _pool(g: Graph, operator: str, outputs: int = 1, **more: Any) -> str:
    """Return the name of the last of so many outputs."""
    boxes = g.fixed(_boxes, "the size of a window")
    if boxes is None:
        raise g.fail("its windows differ in size")
    kernel, stride, padding, dilation = zip(*boxes, strict=True)
    ends = [_overhang(s) for s in g.steps]
    if any(other != ends[0] for other in ends):
        if any(e > p for e, p in zip(ends[0], padding, strict=True)):
            raise g.fail("how far its windows reach beyond the input follows a dynamic axis")
        ends = [padding]
    x, planes = g.tensor(0), len(kernel)
    folded = g.step.args[0].dim() != planes + 2  # ONNX wants (N, C, ...)
    if folded:
        x = g.add("Reshape", [x, g.sizes(lambda s: (1, -1, *s.args[0].shape[-planes:]))])
    after = [max(0, e) for e in ends[0]]
    *_, y = g.add(
        operator, [x], outputs, kernel_shape=kernel, strides=stride, pads=[*padding, *after],
        dilations=dilation if operator == "MaxPool" else None, **more,
    )  # fmt: skip
    return g.add("Reshape", [y, g.sizes(lambda s: s.result.shape)]) if folded else y


@rule("max_pool")
def _max_pool(g: Graph) -> str:
    return _pool(g, "MaxPool")


@rule("max_pool_places")
def _max_pool_places(g: Graph) -> str:
    """Where in its plane the largest element of each window lies; ONNX counts through all planes."""
    planes = len(g.step.options["windows"])
    size = g.fixed(lambda s: math.prod(s.args[0].shape[-planes:]), "the size of a plane")
    return g.add("Mod", [_pool(g, "MaxPool", outputs=2), g.constant(np.asarray(size))])


@rule("pick")
def _pick(g: Graph) -> str:
    planes, lead = g.step.options["dims"], g.step.args[0].dim() - g.step.options["dims"]
    rows = g.ints(*(0,) * lead, -1)
    x, places = (g.add("Reshape", [g.tensor(i), rows]) for i in (0, 1))
    found = g.add("GatherElements", [x, places], axis=lead)
    return g.add(
        "Reshape", [found, g.sizes(lambda s: (*s.args[0].shape[:lead], *s.args[1].shape[-planes:]))]
    )


@rule("avg_pool")
def _avg_pool(g: Graph) -> str:
    o = g.step.options
    padded = all(len(w.sizes) == 1 for w in o["windows"])
    y = _pool(g, "AveragePool", count_include_pad=int(padded))
    if o.get("divisor"):
        y = g.add(
            "Mul", [y, g.number(math.prod(w.length for w in o["windows"]) / o["divisor"], kind(g))]
        )
    return y


# ---- activations


def _scaled(g: Graph, x: str, factor: float) -> str:
    return x if factor == 1 else g.add("Mul", [x, g.number(factor, kind(g))])


@rule("leaky_relu")
def _leaky_relu(g: Graph) -> str:
    return g.add("LeakyRelu", [g.tensor(0)], alpha=g.step.options["negative_slope"])


@rule("prelu")
def _prelu(g: Graph) -> str:
    return g.add("PRelu", [g.tensor(0), g.tensor(1)])


@rule("elu")
def _elu(g: Graph) -> str:
    x, o, zero = g.tensor(0), g.step.options, g.number(0, kind(g))
    below = g.add("Exp", [_scaled(g, g.add("Min", [x, zero]), o["input_scale"])])
    below = _scaled(g, g.add("Sub", [below, g.number(1, kind(g))]), o["alpha"])
    return _scaled(g, g.add("Add", [g.add("Max", [x, zero]), below]), o["scale"])


@rule("silu")
def _silu(g: Graph) -> str:
    return g.add("Mul", [g.tensor(0), g.add("Sigmoid", [g.tensor(0)])])


@rule("gelu")
def _gelu(g: Graph) -> str:
    x, one = g.tensor(0), g.number(1, kind(g))
    return _scaled(
        g,
        g.add("Mul", [x, g.add("Add", [g.add("Erf", [_scaled(g, x, math.sqrt(0.5))]), one])]),
        0.5,
    )


@rule("gelu_tanh")
def _gelu_tanh(g: Graph) -> str:
    x, one = g.tensor(0), g.number(1, kind(g))
    cube = _scaled(g, g.add("Mul", [x, g.add("Mul", [x, x])]), 0.044715)
    inner = g.add("Tanh", [_scaled(g, g.add("Add", [x, cube]), math.sqrt(2 / math.pi))])
    return _scaled(g, g.add("Mul", [x, g.add("Add", [inner, one])]), 0.5)


@rule("hardsigmoid")
def _hardsigmoid(g: Graph) -> str:
    return g.add("HardSigmoid", [g.tensor(0)], alpha=1 / 6, beta=0.5)


@rule("hardswish")
def _hardswish(g: Graph) -> str:
    return g.add("HardSwish", [g.tensor(0)])


@rule("softplus")
def _softplus(g: Graph) -> str:
    o = g.step.options
    return _scaled(g, g.add("Softplus", [_scaled(g, g.tensor(0), o["beta"])]), 1 / o["beta"])


@rule("log_sigmoid")
def _log_sigmoid(g: Graph) -> str:
    return g.add("Neg", [g.add("Softplus", [g.add("Neg", [g.tensor(0)])])])


@rule("threshold")
def _threshold(g: Graph) -> str:
    o = g.step.options
    above = g.add("Greater", [g.tensor(0), g.number(o["threshold"], kind(g))])
    return g.add("Where", [above, g.tensor(0), g.number(o["value"], kind(g))])


@rule("hardshrink")
def _hardshrink(g: Graph) -> str:
    return g.add("Shrink", [g.tensor(0)], lambd=g.step.options["lambd"], bias=0.0)


@rule("softshrink")
def _softshrink(g: Graph) -> str:
    return g.add(
        "Shrink", [g.tensor(0)], lambd=g.step.options["lambd"], bias=g.step.options["lambd"]
    )


@rule("glu")
def _glu(g: Graph) -> str:
    half = g.fixed(lambda s: s.result.shape[s.options["axis"]], "half of the input")
    a, b = g.add("Split", [g.tensor(0), g.ints(half, half)], 2, axis=g.step.options["axis"])
    return g.add("Mul", [a, g.add("Sigmoid", [b])])


# ---- normalization


@rule("standardised")
def _standardised(g: Graph) -> list[str]:
    """``(x - mean) / sqrt(var + eps) * weight + bias``: which numbers share a mean, the options say."""
    return [_normed_rows(g) if "size" in g.step.options else _normed_planes(g)]


def _normed_rows(g: Graph) -> str:
    size, shape = g.step.options["size"], g.step.args[0].shape
    axis = next(i for i in reversed(range(len(shape) + 1)) if math.prod(shape[i:]) == size)
    weight = (
        g.constant(np.ones(shape[axis:], kind(g).numpy)) if g.step.args[1] is None else g.tensor(1)
    )
    bias = [] if g.step.args[2] is None else [g.tensor(2)]
    return g.add(
        "LayerNormalization", [g.tensor(0), weight, *bias], axis=axis, epsilon=g.step.options["eps"]
    )


def _normed_planes(g: Graph) -> str:
    o, x, many = g.step.options, g.tensor(0), g.step.args[0].dim()
    column = g.ints(-1, *(1,) * (many - 2))
    if o.get("fixed"):
        known = [
            np.asarray(o["known"][place]).reshape(-1) for place in (0, 1)
        ]  # the mean, the variance
        names = [g.constant(a.astype(kind(g).numpy)) for a in known]
        given = [g.tensor(i) if g.step.args[i] is not None else None for i in (1, 2)]
        channels = o["at"].channels
        filled = [
            n or g.constant(np.full(channels, v, kind(g).numpy))
            for n, v in zip(given, (1, 0), strict=True)
        ]
        return g.add("BatchNormalization", [x, *filled, *names], epsilon=o["eps"])
    groups, seen, axes = o["at"].groups, x, [0, *range(2, many)]
    if groups is not None:
        seen, axes = g.add("Reshape", [x, g.ints(0, groups, -1)]), [2]
    far = g.add("Sub", [seen, g.add("ReduceMean", [seen, g.ints(*axes)], keepdims=1)])
    var = g.add("ReduceMean", [g.add("Mul", [far, far]), g.ints(*axes)], keepdims=1)
    y = g.add("Div", [far, g.add("Sqrt", [g.add("Add", [var, g.number(o["eps"], kind(g))])])])
    if groups is not None:
        y = g.add("Reshape", [y, g.add("Shape", [x])])
    for place, operator in ((1, "Mul"), (2, "Add")):
        if g.step.args[place] is not None:
            y = g.add(operator, [y, g.add("Reshape", [g.tensor(place), column])])
    return y


@rule("rms_norm")
def _rms_norm(g: Graph) -> str:
    x, axes, many = g.tensor(0), g.step.options["axes"], g.step.args[0].dim()
    square = g.add(
        "ReduceMean", [g.add("Mul", [x, x]), g.ints(*(a % many for a in axes))], keepdims=1
    )
    y = g.add(
        "Div",
        [x, g.add("Sqrt", [g.add("Add", [square, g.number(g.step.options["eps"], kind(g))])])],
    )
    return y if g.step.args[1] is None else g.add("Mul", [y, g.tensor(1)])


@rule("weight_norm")
def _weight_norm(g: Graph) -> str:
    """``g * v / ‖v‖``, the arguments being v, g."""
    axes = [
        a for a in range(g.step.args[0].dim()) if a != g.step.options["dim"] % g.step.args[0].dim()
    ]
    length = g.add("ReduceL2", [g.tensor(0), g.ints(*axes)], keepdims=1)
    return g.add("Mul", [g.tensor(0), g.add("Div", [g.tensor(1), length])])


# ---- recurrent layers, one direction each

GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn": (0,)}
"""The order in which ONNX wants the gates: i, o, f, c of our i, f, g, o; z, r, h of our r, z, n."""


@rule("lstm", "gru", "rnn")
def _recurrent(g: Graph) -> list[str]:
    """x: (T, N, I), the first states (N, H); weights for all gates; returns y: (T, N, H) and the last states."""
    name, args, o = g.step.name, g.step.args, g.step.options
    if len({*o["sizes"]}) > 1 or args[0].dim() != 3:
        raise g.fail("its sequences differ in length")
    states = 2 if name == "lstm" else 1
    if name == "lstm" and args[7] is not None:
        raise g.fail("it projects its output (proj_size)")
    x, hidden, many = g.tensor(0), args[1].shape[-1], len(GATES[name])
    first = [g.add("Unsqueeze", [g.tensor(i), g.ints(0)]) for i in range(1, 1 + states)]

    def ordered(place: int) -> str:
        parts = g.add("Split", [g.tensor(place), g.ints(*(hidden,) * many)], many, axis=0)
        return g.add(
            "Unsqueeze", [g.add("Concat", [parts[i] for i in GATES[name]], axis=0), g.ints(0)]
        )

    w, r, *places = range(1 + states, 5 + states)
    biased = args[places[0]] is not None
    bias = g.add("Concat", [ordered(b) for b in places], axis=1) if biased else ""
    if o["reverse"]:
        x = _backwards(g, x)
    kinds: dict[str, Any] = {
        "rnn": {"activations": ["Relu" if o.get("relu") else "Tanh"]},
        "gru": {"linear_before_reset": 1},
    }
    given = [x, ordered(w), ordered(r), bias, "", *first]
    made = g.add(name.upper(), given, 1 + states, hidden_size=hidden, **kinds.get(name, {}))
    y = g.add("Squeeze", [made[0], g.ints(1)])
    return [
        _backwards(g, y) if o["reverse"] else y,
        *(g.add("Squeeze", [s, g.ints(0)]) for s in made[1:]),
    ]


def _backwards(g: Graph, x: str) -> str:
    return g.add("Slice", [x, g.ints(-1), g.ints(-np.iinfo(np.int64).max), g.ints(0), g.ints(-1)])


# ---- attention


@rule("attention")
def _attention(g: Graph) -> list[str]:
    """``softmax(scale * q @ k.T + bias) @ v``, and the weights."""
    o, many = g.step.options, g.step.args[1].dim()
    turned = g.add("Transpose", [g.tensor(1)], perm=[*range(many - 2), many - 1, many - 2])
    scores = g.add("MatMul", [_scaled(g, g.tensor(0), o["scale"]), turned])
    if g.step.args[3] is not None:
        scores = g.add("Add", [scores, g.tensor(3)])
    weights = g.add("Softmax", [scores], axis=-1)
    if o["safe"] and g.step.args[3] is not None:  # where every score is minus infinity, no weights
        weights = g.add("Where", [g.add("IsNaN", [weights]), g.number(0, kind(g)), weights])
    return [g.add("MatMul", [weights, g.tensor(2)]), weights]
