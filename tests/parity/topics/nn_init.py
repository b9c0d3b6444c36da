"""Initialisers: the same draws, gains, warnings, messages."""

from casebook import case, error, heard


def seeded(t, call, *shape, dtype=None):
    t.manual_seed(4)
    return call(t.nn.init, t.empty(*shape, dtype=dtype))


@case
def draws(t):
    calls = [
        lambda i, w: i.uniform_(w, -2.0, 3.0), lambda i, w: i.normal_(w, 1.0, 0.5), lambda i, w: i.constant_(w, 0.3), lambda i, w: i.ones_(w), lambda i, w: i.zeros_(w), lambda i, w: i.eye_(w),
        lambda i, w: i.xavier_uniform_(w), lambda i, w: i.xavier_uniform_(w, 2.0), lambda i, w: i.xavier_normal_(w, 0.5), lambda i, w: i.kaiming_uniform_(w), lambda i, w: i.kaiming_uniform_(w, 0.3, "fan_out"),
        lambda i, w: i.kaiming_uniform_(w, mode="FAN_OUT", nonlinearity="relu"), lambda i, w: i.kaiming_normal_(w, nonlinearity="tanh"), lambda i, w: i.trunc_normal_(w), lambda i, w: i.trunc_normal_(w, 1.0, 0.5, 0.5, 1.2),
        lambda i, w: i.trunc_normal_(w, 0.0, 1.0, 2.5, 4.0), lambda i, w: i.trunc_normal_(w, 0.5, 1.0, 0.3, 0.6), lambda i, w: i.sparse_(w, 0.4), lambda i, w: i.sparse_(w, 0.5, 2.0),
    ]  # fmt: skip
    return [[seeded(t, call, *shape, dtype=kind) for shape in ((4, 6), (5, 3)) for kind in (t.float32, t.float64)] for call in calls]  # fmt: skip


@case
def of_convolutions(t):
    init = t.nn.init
    names = ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_")
    found = [seeded(t, lambda i, w, name=name: getattr(i, name)(w), 4, 2, 3) for name in names]
    shapes = ((4, 4, 3), (4, 2, 3), (4, 4, 2, 3), (6, 3, 1, 1, 2))
    found += [[init.dirac_(t.empty(*shape), groups) for groups in (1, 2)] for shape in shapes]
    return found + [list(init._calculate_fan_in_and_fan_out(t.empty(4, 3, 2, 2)))]


@case
def orthogonal(t):
    def products(*shape, gain=1.0):
        w = t.nn.init.orthogonal_(t.empty(*shape, dtype=t.float64), gain).flatten(1)
        return (w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w).round(decimals=6).abs()

    drawn = [
        seeded(t, lambda i, w: i.orthogonal_(w), *shape)
        for shape in ((3, 3), (2, 4), (4, 2), (3, 2, 2))
    ]
    return [drawn, products(3, 5), products(5, 3, gain=2.0), t.nn.init.orthogonal_(t.empty(0, 3))]


@case
def other_layouts(t):
    found = []
    for name in (
        "uniform_",
        "normal_",
        "trunc_normal_",
        "xavier_normal_",
        "orthogonal_",
        "sparse_",
    ):
        t.manual_seed(5)
        args = (0.5,) if name == "sparse_" else ()
        found.append(getattr(t.nn.init, name)(t.empty(4, 3).t(), *args))
    return found + [error(lambda: t.nn.init.orthogonal_(t.empty(2, 3, 4).permute(2, 1, 0)))]


@case
def with_a_generator(t):
    init, found = t.nn.init, []
    for name in ("uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_"):  # fmt: skip
        t.manual_seed(0)
        g = t.Generator().manual_seed(7)
        found.append([getattr(init, name)(t.empty(3, 3), generator=g), t.rand(1)])
    g = t.Generator().manual_seed(7)
    t.manual_seed(0)
    return found + [init.sparse_(t.empty(4, 3), 0.5, generator=g)]


@case
def gains(t):
    gain = t.nn.init.calculate_gain
    names = [
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "sigmoid",
        "tanh",
        "relu",
        "leaky_relu",
        "selu",
    ]
    found = [gain(name) for name in names]
    found += [
        gain("leaky_relu", 0.2),
        gain("leaky_relu", 0),
        gain("leaky_relu", 3),
        gain("tanh", 5),
    ]
    bad = (
        ("leaky_relu", True),
        ("leaky_relu", "a"),
        ("leaky_relu", t.tensor(1.0)),
        ("gelu",),
        ("",),
        (None,),
    )
    return found + [error(lambda args=args: gain(*args)) for args in bad]


@case
def refusals(t):
    i = t.nn.init
    calls = [
        "i.eye_(t.empty(3))", "i.dirac_(t.empty(3, 3))", "i.dirac_(t.empty(3, 3, 3), 2)", "i.dirac_(t.empty(2, 2, 2, 2, 2, 2))", "i.orthogonal_(t.empty(3))", "i.sparse_(t.empty(3), 0.5)", "i.sparse_(t.empty(3, 3, 3), 0.5)",
        "i.xavier_uniform_(t.empty(3))", "i.xavier_normal_(t.tensor(1.0))", "i.kaiming_uniform_(t.empty(3))", "i.kaiming_normal_(t.tensor(1.0))", "i.kaiming_uniform_(t.empty(3, 3), mode='fan')", "i.kaiming_normal_(t.empty(3, 3), nonlinearity='no')",
        "i.kaiming_uniform_(t.empty(3, 3), 'a')", "i.uniform_(t.empty(2), 3, 1)", "i.normal_(t.empty(2), 0, -1)", "i.uniform_(t.ones(2, dtype=t.int64))", "i.ones_(3)", "i.xavier_uniform_(t.empty(0, 0))",
    ]  # fmt: skip
    return [[text, error(lambda text=text: eval(text, {"t": t, "i": i}))] for text in calls]


@case
def older_names(t):
    i, found = t.nn.init, []
    for name in [
        "uniform",
        "normal",
        "constant",
        "eye",
        "dirac",
        "xavier_uniform",
        "xavier_normal",
        "kaiming_uniform",
        "kaiming_normal",
        "orthogonal",
        "sparse",
    ]:
        args = {"constant": (2.0,), "sparse": (0.5,)}.get(name, ())
        w = t.empty((2, 2, 3) if name == "dirac" else (2, 2))
        found.append(
            [
                heard(lambda name=name, w=w, args=args: getattr(i, name)(w, *args))[1],
                getattr(i, name).__name__,
            ]
        )
    return found


@case
def side_effects(t):
    i, leaf = t.nn.init, t.ones(3, 3, requires_grad=True)
    same = [getattr(i, n)(leaf) is leaf for n in ("uniform_", "normal_", "trunc_normal_", "ones_", "zeros_", "eye_", "orthogonal_", "xavier_normal_")]  # fmt: skip
    warnings_ = [
        heard(lambda: i.kaiming_uniform_(t.empty(0, 3)))[1],
        heard(lambda: i.kaiming_normal_(t.empty(3, 0)))[1],
        heard(lambda: i.trunc_normal_(t.empty(2, 2), 5.0, 1.0))[1],
        heard(lambda: i.trunc_normal_(t.empty(2, 2), -9.0, 1.0, -2.0, 2.0))[1],
    ]
    meta = [f(t.empty(2, 2, device="meta")).shape for f in (i.uniform_, i.normal_, i.trunc_normal_, i.orthogonal_, i.eye_, i.ones_)]  # fmt: skip
    return [same, leaf.requires_grad, leaf.grad_fn is None, leaf.is_leaf, leaf._version > 0, warnings_, [list(s) for s in meta]]  # fmt: skip


@case
def bounds_that_the_dtype_cannot_hold(t):
    inf, nan = float("inf"), float("nan")
    bounds = (
        (inf, 1),
        (0, inf),
        (nan, 1),
        (-3e38, 3e38),
        (-1e308, 1e308),
        (0, 7e4),
        (-6e4, 6e4),
        (2, 1),
    )
    found = []
    for kind in (t.float32, t.float64, t.float16):
        x = t.empty(2, dtype=kind)
        found.append([error(lambda x=x, a=a, b=b: x.uniform_(a, b) is x) for a, b in bounds])
        found.append([error(lambda x=x, s=s: x.normal_(0, s) is x) for s in (nan, -1, inf)])
    w = t.zeros(2, 2)
    i = t.nn.init
    return [
        found,
        error(lambda: t.normal(0.0, nan, (2,))),
        error(lambda: i.xavier_uniform_(w, gain=nan)),
        error(lambda: i.kaiming_normal_(w, a=nan)),
        [error(lambda f=f: f(3.5)) for f in (i.eye_, i.dirac_, i.orthogonal_)],
    ]  # fmt: skip
