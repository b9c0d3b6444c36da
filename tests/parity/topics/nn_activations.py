"""Activations and dropout: extremes, kinks, types, messages, warnings, nodes, draws."""

import math
import pickle

from casebook import case, error, heard

POINTS = [-math.inf, -1e4, -100.0, -30.0, -3.0, -1.0, -0.5, -1e-8, 0.0, 0.5, 1.0, 3.0, 6.0, 20.0, 100.0, 1e4, math.inf, math.nan]  # fmt: skip

CURVES = [
    "relu(x)", "relu6(x)", "hardtanh(x)", "hardtanh(x, -0.5, 3.0)", "threshold(x, 0.5, 20.0)", "leaky_relu(x)", "leaky_relu(x, 0.0)",
    "leaky_relu(x, -0.5)", "leaky_relu(x, 2.0)", "rrelu(x)", "elu(x)", "elu(x, -2.0)", "selu(x)", "celu(x, 2.0)", "celu(x, -1.0)",
    "silu(x)", "mish(x)", "hardswish(x)", "hardsigmoid(x)", "sigmoid(x)", "tanh(x)", "logsigmoid(x)", "hardshrink(x)", "softshrink(x)",
    "softplus(x)", "softplus(x, 2, 1)", "softplus(x, -1)", "softsign(x)", "tanhshrink(x)", "prelu(x, w)", "gelu(x)", "gelu(x, approximate='tanh')",
]  # fmt: skip

IN_PLACE = [
    "relu", "relu6", "hardtanh", "leaky_relu", "rrelu", "elu", "selu", "celu", "silu", "mish", "hardswish", "hardsigmoid",
]  # fmt: skip


def call(t, text, x):
    w = t.tensor([0.25], dtype=x.dtype)
    return eval(f"F.{text}", {"F": t.nn.functional, "x": x, "w": w})


@case
def extremes(t):
    """Values, and first derivatives also at the kinks; GELU's at infinity depend on how PyTorch was built."""
    found = []
    for text in CURVES:
        x = t.tensor(POINTS if "gelu" not in text else POINTS[1:-2], requires_grad=True)
        y = call(t, text, x)
        y.backward(t.ones_like(y))
        found.append([text, y, x.grad, y.grad_fn.name()])
    return found


@case
def second_derivatives(t):
    found = []
    for text in CURVES:
        if "hardsigmoid" in text or "gelu" in text:
            continue
        x = t.tensor(POINTS[4:-3], dtype=t.float64, requires_grad=True)
        (g,) = t.autograd.grad(call(t, text, x).sum(), x, create_graph=True)
        found.append([text, t.autograd.grad(g.sum(), x)[0]])
    return found


@case
def types(t):
    small = [t.tensor([0, 1, 2]).to(kind) for kind in (t.int64, t.uint8, t.bool, t.float16)]
    # half precision is rounded differently where several steps meet
    return [[text, [error(lambda x=x, text=text: call(t, text, x)).split("tensor(")[0] for x in small]] for text in CURVES]  # fmt: skip


@case
def half_precision(t):
    x = t.tensor([-4.0, -1.0, 0.5, 12.0], dtype=t.float16)
    return [(call(t, text, x).float() * 64).round() for text in CURVES]


@case
def in_place(t):
    F, found = t.nn.functional, []
    for name in IN_PLACE:
        x = t.tensor([-2.0, -0.5, 0.0, 0.5, 2.0, 7.0], requires_grad=True)
        z = x * 1
        y = getattr(F, name)(z, inplace=True)
        y.sum().backward()
        found.append([y is z, y, x.grad, y.grad_fn.name(), error(lambda x=x, name=name: getattr(F, name)(x, inplace=True))])  # fmt: skip
    z = t.tensor([-2.0, 0.5])
    return [
        found,
        [f(z.clone()) for f in (F.relu_, F.selu_, F.celu_, F.elu_, F.leaky_relu_, F.hardtanh_, F.rrelu_)],
        [F.threshold_(z.clone(), 0.1, 3.0), F.hardtanh_(z.clone(), 2, 1), F.threshold(z.clone(), 0.1, 3.0, True)],
    ]  # fmt: skip


@case
def in_place_with_a_negative_slope(t):
    F, x = t.nn.functional, t.ones(2, requires_grad=True)
    return [
        error(lambda f=f: f((x * 1), -1.0).sum().backward())
        for f in (F.leaky_relu_, F.elu_, F.celu_)
    ] + [error(lambda: F.rrelu_(x * 1, -0.5, -0.1).sum().backward())]


@case
def refusals(t):
    F, x, i = t.nn.functional, t.tensor([-2.0, 0.5]), t.tensor([1, 2])
    calls = [
        "F.hardtanh(x, 2, 1)", "F.hardtanh(x, 'a', 1)", "F.hardtanh(x, -1, 'a')", "F.hardtanh(t.tensor([1], dtype=t.uint8))", "F.hardtanh(i > 1)",
        "F.softplus(x, 'a')", "F.softplus(x, 1, 2, 3)", "F.softplus(x, beta=None)", "F.softshrink(x, -1)", "F.softshrink(x, -0.5)", "F.softshrink(x, lambd='a')",
        "F.softshrink(i, -1)", "F.gelu(x, approximate='no')", "F.gelu(x, 'tanh')", "F.gelu(x, approximate=3)", "F.glu(t.ones(3))", "F.glu(t.ones(4, 3), 1)",
        "F.glu(t.ones(4), 1)", "F.glu(t.ones(4), 'a')", "F.glu(t.tensor(1.0))", "F.celu(x, 0)", "F.celu(i, 0)", "F.leaky_relu(x, 'a')", "F.elu(x, None)",
        "F.rrelu(x, 0.5, 0.1)", "F.rrelu(x, 0.5, 0.1, True)", "F.threshold(x, 'a', 1)", "F.threshold(x, 1)", "F.logsigmoid(x, 3)", "F.softmax(x, 5)", "F.softmax(x, 'a')",
        "F.softmax(i, 0)", "F.log_softmax(i > 1, 0)", "F.softmin(i > 1, 0)", "F.gumbel_softmax(x, dim=3)", "F.gumbel_softmax(i)", "F.prelu(x, t.ones(3))", "F.prelu(x, 0.5)", "F.prelu(x)",
        "F.prelu(t.ones(2, 3), t.ones(2, 2))", "F.prelu(t.tensor(1.0), t.ones(2))", "F.prelu(x, t.ones(1).double())", "F.tanhshrink(i > 1)", "F.softsign(i > 1)", "F.sigmoid('a')",
        "t.nn.Hardtanh(2, 1)", "t.nn.Threshold(1)", "t.nn.Tanh()(3)", "t.nn.Sigmoid()(None)", "t.nn.Softmax2d()(x)", "t.nn.GELU('no')(x)", "t.nn.PReLU(3)(t.ones(2, 2))", "t.nn.Dropout(1.5)", "t.nn.Dropout2d(-0.1)", "t.nn.Dropout('a')",
        *(f"F.{name}({bad})" for name in ("relu", "relu6", "elu", "silu", "gelu", "softplus", "logsigmoid", "hardswish", "leaky_relu", "threshold_", "dropout") for bad in ("3", "None", "[x]")),
    ]  # fmt: skip
    names = {"F": F, "t": t, "x": x, "i": i}
    return [[text, error(lambda text=text: eval(text, names))] for text in calls]


@case
def memory_that_is_shared(t):
    """What lies in one place for several elements cannot be overwritten; a view of other memory can."""
    F, found = t.nn.functional, []
    for name in IN_PLACE[1:]:
        wide = t.ones(1).expand(4)
        found.append(error(lambda name=name, wide=wide: getattr(F, name)(wide, inplace=True)))
    for name in ("elu", "relu", "leaky_relu", "silu", "hardswish", "mish"):
        x = t.tensor([1.0, -1.0, 0.5, -0.5], requires_grad=True)
        y = x.clone()
        part = y.narrow(0, 1, 2)
        same = getattr(F, name)(part, inplace=True) is part
        (g,) = t.autograd.grad(y.sum(), x)
        found.append([same, y, g, y.grad_fn.name()])
    return found


@case
def written_afterwards(t):
    """The result, or the input, is changed before backward."""
    F, found = t.nn.functional, []

    def walk(name, inplace, which):
        x = t.tensor([1.0, -2.0], requires_grad=True)
        h = x * 2
        y = getattr(F, name)(h, inplace=inplace)
        (h if which else y).add_(1)
        y.sum().backward()
        return x.grad.tolist()

    ways = ((True, 0), (False, 0), (False, 1))
    found += [[error(lambda name=name, way=way: walk(name, *way)) for way in ways] for name in IN_PLACE[:-3]]  # fmt: skip
    return found


@case
def numbers_of_other_kinds(t):
    F, x = t.nn.functional, t.tensor([-2.0, 0.5])
    half = t.tensor(0.5)
    return [
        F.leaky_relu(x, half), F.elu(x, True), F.hardtanh(t.tensor([-3, 3]), -1.5, 1.5), F.threshold(t.tensor([1, 2]), 1.5, 2.5), F.softplus(x, t.tensor(2)), F.dropout(x, half * 0),
    ]  # fmt: skip


@case
def out(t):
    F, x = t.nn.functional, t.tensor([-2.0, 0.5])
    found = [
        f(x, out=t.empty(2)) for f in (F.gelu, F.softplus, F.softshrink, F.hardshrink, F.logsigmoid)
    ]
    return found + [error(lambda: F.softshrink(x, out=t.empty(2, dtype=t.float64))), error(lambda: F.glu(x, out=t.empty(1)))]  # fmt: skip


@case
def softmax_without_a_dimension(t):
    F = t.nn.functional
    found = [heard(lambda n=n, f=f: f(t.arange(2.0**n).reshape((2,) * n))) for n in range(5) for f in (F.softmax, F.softmin, F.log_softmax)]  # fmt: skip
    layers = [getattr(t.nn, name)() for name in ("Softmax", "Softmin", "LogSoftmax")]
    return found + [heard(lambda layer=layer: layer(t.ones(2, 2))) for layer in layers]


@case
def softmax_types(t):
    F, i = t.nn.functional, t.tensor([1, 2, 4])
    return [
        F.softmax(i, 0, dtype=t.float64), F.softmin(i, 0, dtype=t.float32), F.log_softmax(i, -1, dtype=t.float16).round(decimals=2), F.softmax(t.ones(0, 3), 0), F.softmax(t.tensor(3.0), 0), F.softmax(t.ones(2, 0), 1),
        F.log_softmax(t.tensor([-math.inf, 0.0, 1000.0]), 0), F.softmax(t.tensor([-math.inf, -math.inf]), 0), F.softmax(t.tensor([math.inf, 0.0]), 0),
        F.softmax(t.ones(2, 3).t(), 0), t.nn.Softmax2d()(t.ones(2, 2, 1)),
    ]  # fmt: skip


@case
def gumbel(t):
    F, x = t.nn.functional, t.tensor([[0.5, -1.0, 2.0], [0.0, 0.0, 9.0]], requires_grad=True)
    t.manual_seed(1)
    soft = F.gumbel_softmax(x, 0.5)
    hard = F.gumbel_softmax(x, hard=True, dim=0)
    (soft * t.arange(3.0) + hard).sum().backward()
    warned = heard(lambda: F.gumbel_softmax(x.detach(), eps=1.0).shape)[1]
    return [soft, hard, x.grad, hard.grad_fn.name(), warned, F.gumbel_softmax(x.detach().double())]


@case
def old_names_and_pickles(t):
    nn = t.nn
    made = [heard(lambda kw=kw: repr(nn.Hardtanh(**kw))) for kw in ({"min_value": -2}, {"max_value": 2, "inplace": True})]  # fmt: skip
    soft = nn.Softmax(1)
    state = soft.__getstate__() if hasattr(soft, "__getstate__") else vars(soft)
    older = {k: v for k, v in dict(state or vars(soft)).items() if k != "dim"}
    restored = nn.Softmax.__new__(nn.Softmax)
    restored.__setstate__(older)
    again = pickle.loads(pickle.dumps(nn.ELU(0.5)))
    return [made, repr(restored), repr(again), repr(pickle.loads(pickle.dumps(nn.functional.gelu)).__name__)]  # fmt: skip


@case
def prelu_parameters(t):
    m = t.nn.PReLU(3, 0.1, dtype=t.float64)
    x = t.tensor([[-1.0, 2.0, -3.0], [0.0, math.inf, -0.5]], dtype=t.float64, requires_grad=True)
    y = m(x)
    y.sum().backward()
    return [
        y,
        x.grad,
        m.weight.grad,
        list(m.state_dict()),
        repr(m),
        m.init,
        m.num_parameters,
        repr(t.nn.PReLU(0)),
    ]


# ---- dropout


def draw(t, text, **names):
    t.manual_seed(2)
    return eval(text, {"F": t.nn.functional, "t": t, **names})


@case
def draws(t):
    x = t.arange(1.0, 25.0).reshape(2, 3, 4)
    calls = [
        "F.dropout(x)", "F.dropout(x, 0.1)", "F.dropout(x.double(), 0.7)", "F.dropout(x.half(), 0.3)", "F.dropout(x.transpose(0, 2))", "F.dropout(x[:, ::2])", "F.dropout(x, 1.0)",
        "F.dropout(x, 0.0)", "F.dropout(x, 0.5, False)", "F.dropout1d(x)", "F.dropout1d(x[0])", "F.dropout2d(x[None])", "F.dropout3d(x[None])", "F.dropout3d(x[None, None])",
        "F.alpha_dropout(x, 0.3, True)", "F.alpha_dropout(x)", "F.feature_alpha_dropout(x, 0.5, True)", "F.dropout(x.clone(), 0.5, True, True)", "F.dropout1d(x[0].clone(), inplace=True)",
        "F.alpha_dropout(x.clone(), 0.5, True, True)", "F.feature_alpha_dropout(x.clone(), 0.5, True, True)", "F.dropout3d(x[None].clone(), inplace=True)", "F.dropout(x[:0])",
        "t.dropout(x, 0.5, True)", "t.feature_dropout(x, 0.5, True)", "t.alpha_dropout(x, 0.5, True)", "t.feature_alpha_dropout(x, 0.5, True)", "t.native_dropout(x, 0.5, True)",
        "t.native_dropout(x, 0.5, None)", "t.native_dropout(x, 0.5, False)", "t.native_dropout(x, 1.0, True)", "t.dropout_(x.clone(), 0.5, True)", "t.feature_dropout_(x.clone(), 0.5, True)",
        "F.dropout(t.tensor(2.0))", "F.dropout(t.tensor([math.nan, math.inf, 1.0]))",
        "F.dropout(x > 3, 1.0)", "F.dropout((x > 3).clone(), 1.0, True, True)",
    ]  # fmt: skip
    return [[text, draw(t, text, x=x, math=math)] for text in calls] + [t.rand(2)]


@case
def dropout_refusals(t):
    F, x, i = t.nn.functional, t.tensor([-2.0, 0.5]), t.tensor([1, 2])
    calls = [
        "F.dropout(x, -1)", "F.dropout(x, math.nan)", "F.dropout(x, 'a')", "F.dropout(i)", "F.dropout(i, inplace=True)", "F.dropout(i > 1)", "F.dropout(i, 0.0)", "F.dropout(i, 1.0)",
        "F.alpha_dropout(x, 2)", "F.alpha_dropout(i, 0.5, True)", "F.alpha_dropout(i > 1, 0.5, True)", "F.dropout1d(x)", "F.dropout1d(t.ones(2, 2, 2, 2))", "F.dropout2d(x, 2)", "F.feature_alpha_dropout(x, 0.5, True)", "t.dropout(x, 0.5)",
        "t.dropout(x, 1.5, True)", "t.dropout(x, 0.5, 3)", "t.dropout(3, 0.5, True)", "t.feature_dropout(x, 0.5, True)", "t.feature_dropout(x, 0.0, True)", "t.native_dropout(x, 2.0, True)", "t.native_dropout(i, 0.5, True)",
        "F.dropout(leaf, inplace=True)", "F.dropout1d(leaf[None], inplace=True)",
    ]  # fmt: skip
    names = {"F": F, "t": t, "x": x, "i": i, "math": math, "leaf": t.ones(2, requires_grad=True)}
    return [[text, error(lambda text=text: eval(text, names))] for text in calls]


@case
def dropout_warnings(t):
    F = t.nn.functional
    return [
        *(heard(lambda n=n: F.dropout2d(t.ones((2,) * n), training=False))[1] for n in range(1, 6)),
        *(
            heard(lambda n=n: error(lambda: F.dropout3d(t.ones((2,) * n), 0.0)))[1]
            for n in range(1, 7)
        ),
        heard(lambda: t.nn.Dropout2d()(t.ones(2, 2)).shape)[1],
    ]


@case
def dropout_nodes(t):
    F, found = t.nn.functional, []
    for text in (
        "F.dropout(x)", "F.dropout(x, 1.0)", "F.dropout(x * 1, inplace=True)", "F.alpha_dropout(x, 0.5, True)", "F.dropout1d(x)", "F.dropout2d(x[None])", "F.feature_alpha_dropout(x, 0.5, True)",
        "t.native_dropout(x, 0.5, True)[0]", "t.native_dropout(x, 0.5, False)[0]",
    ):  # fmt: skip
        x = t.ones(2, 3, 2, requires_grad=True)
        y = draw(t, text, x=x)
        y.sum().backward()
        found.append([y.grad_fn.name(), x.grad])
    x = t.ones(2, requires_grad=True)
    kept = [
        F.dropout(x, 0.5, False) is x,
        F.dropout(x, 0.0) is x,
        t.nn.Dropout().eval()(x) is x,
        F.alpha_dropout(x) is x,
    ]
    return [found, kept, [repr(getattr(t.nn, n)(0.25)) for n in ("Dropout", "Dropout1d", "AlphaDropout")], issubclass(t.nn.Dropout3d, t.nn.modules.dropout._DropoutNd)]  # fmt: skip


@case
def second_derivatives_at_the_kinks(t):
    """What is written in place tells its slope from the result; at 0 the slope of that is 0."""
    F, found = t.nn.functional, []
    for text in ("F.elu_(y, 2.0)", "F.selu_(y)", "F.celu_(y, 2.0)", "F.prelu(y, w)", "F.hardswish(y)"):  # fmt: skip
        x = t.tensor([-2.0, -0.5, 0.0, 0.5], requires_grad=True)
        w = t.tensor([0.25], requires_grad=True)
        out = eval(text, {"F": F, "y": x * 1, "w": w})
        leaves = [x, w] if "prelu" in text else [x]
        weighted = out * t.tensor([1.0, 2.0, 3.0, 4.0])
        first = t.autograd.grad(weighted.sum(), leaves, create_graph=True)
        second = [t.autograd.grad(g.sum(), leaves, retain_graph=True) for g in first]
        # PyTorch's zeros may have no memory until something is added
        found.append([text, first, [[d + t.zeros(()) for d in ds] for ds in second]])
    w = t.tensor([0.25], requires_grad=True)
    (g,) = t.autograd.grad(F.prelu(-t.ones(2), w).sum(), [w], create_graph=True)
    scalar = t.tensor(0.5, requires_grad=True)
    return found, g.requires_grad, t.autograd.grad(F.hardswish(scalar), [scalar])


@case
def numbers_that_do_not_fit(t):
    F, x = t.nn.functional, t.ones(3)
    huge, whole, none = 10**30, t.zeros(0, 3, dtype=t.int64), t.zeros(2, 0, dtype=t.bool)
    calls = (
        "F.elu(x, huge)", "F.hardtanh(x, -huge, huge)", "F.threshold(x, 1, huge)", "F.dropout(x, huge)", "t.dropout(x, huge, True)", "t.native_dropout(x, 0.5, 1)",
        "F.softmax(x, True)", "t.log_softmax(x, 0.5)", "F.softmax(t.tensor(3), 0)", "F.log_softmax(t.tensor(True), 0)", "F.softmax(whole, 0)", "F.log_softmax(none, 1)", "F.softmax(t.tensor([3]), 5)",
    )  # fmt: skip
    known = {"t": t, "F": F, "x": x, "huge": huge, "whole": whole, "none": none}
    return [error(lambda c=c: str(eval(c, known).tolist())) for c in calls]
