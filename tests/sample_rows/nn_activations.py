"""Activations and dropout of `nn.functional`."""

from sample_row import A, B, F, Sample


def plain(name, **options):
    label = "_".join([name, *(f"{k}_{v}" for k, v in options.items())])
    return Sample(f"F_{label}", lambda t, a: getattr(F(t), name)(a * 2, **options), (A,))


def inplace(name, **options):
    return Sample(
        f"F_{name}_inplace", lambda t, a: getattr(F(t), name)(a * 1, inplace=True, **options), (A,)
    )


def drawn(name, shape, **options):
    def call(t, a):
        t.manual_seed(3)
        return getattr(F(t), name)(a, training=True, **options)

    return Sample(f"F_{name}_{len(shape)}d", call, (shape,))


def hard_draw(t, a):
    t.manual_seed(1)
    return F(t).gumbel_softmax(a, 0.5, hard=True).sum(0) * a.sum() * 0 + F(t).gumbel_softmax(a)


ROWS = [
    *(
        plain(name)
        for name in (
            "relu6", "hardtanh", "hardsigmoid", "hardswish", "leaky_relu", "rrelu", "elu", "selu", "celu", "silu",
            "mish", "gelu", "glu", "softplus", "logsigmoid", "softshrink", "hardshrink", "softsign", "tanhshrink",
        )
    ),
    plain("hardtanh", min_val=-0.3, max_val=2.0),
    plain("threshold", threshold=0.1, value=3.0),
    plain("leaky_relu", negative_slope=-0.5),
    plain("leaky_relu", negative_slope=0.0),
    plain("elu", alpha=-0.7),
    plain("celu", alpha=2.5),
    plain("gelu", approximate="tanh"),
    plain("glu", dim=1),
    plain("softplus", beta=3, threshold=2),
    plain("softplus", beta=-0.5),
    plain("softshrink", lambd=0.1),
    plain("softmin", dim=0),
    plain("softmax", dim=1),
    *(inplace(name) for name in ("relu", "relu6", "hardtanh", "hardsigmoid", "hardswish", "leaky_relu", "rrelu")),
    *(inplace(name) for name in ("elu", "selu", "celu", "silu", "mish")),
    inplace("threshold", threshold=0.1, value=3.0),
    Sample("F_prelu", lambda t, a, b: F(t).prelu(a, b), (B, (3,))),
    Sample("F_prelu_one", lambda t, a, b: F(t).prelu(a, b), (A, (1,))),
    Sample("F_gumbel_softmax", hard_draw, (A,)),
    drawn("rrelu", A),
    drawn("dropout", A, p=0.3),
    drawn("dropout", B, p=1.0),
    drawn("alpha_dropout", A, p=0.3),
    drawn("dropout1d", B),
    drawn("dropout1d", A),
    drawn("dropout2d", (2, 3, 2, 2)),
    drawn("dropout3d", (3, 2, 2, 1)),
    drawn("feature_alpha_dropout", B, p=0.4),
]  # fmt: skip
