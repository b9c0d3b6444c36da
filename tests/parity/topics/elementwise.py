"""Element by element: types, errors, `out`, in place."""

import warnings

from casebook import case, error

KINDS = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool")
FLOATING = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "i0",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "rad2deg",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]
OTHERS = [
    "abs",
    "angle",
    "bitwise_not",
    "ceil",
    "fix",
    "floor",
    "frac",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "logical_not",
    "nan_to_num",
    "neg",
    "positive",
    "relu",
    "round",
    "sgn",
    "sign",
    "signbit",
    "square",
    "trunc",
    "celu",
    "selu",
    "hardshrink",
]
TWO = [
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "fmod",
    "pow",
    "atan2",
    "xlogy",
    "maximum",
    "fmin",
    "copysign",
    "hypot",
    "eq",
    "lt",
    "ge",
    "logical_and",
    "logical_xor",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "gcd",
    "lcm",
    "ldexp",
    "float_power",
]


def numbers(t, kind):
    if "float" in kind:
        return t.tensor([0.5, -0.25, 2.0, -3.0], dtype=getattr(t, kind))
    return t.tensor(
        [1, 0, 2, 5] if kind != "bool" else [True, False, True, True], dtype=getattr(t, kind)
    )


def of_all_kinds(t, names):
    return {
        f"{name} {kind}": error(lambda: getattr(t, name)(numbers(t, kind)))  # noqa: B023
        for name in names
        for kind in KINDS
        if kind != "float16"
    }


def types(t, names):
    found = {}
    for name in names:
        for kind in KINDS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[f"{name} {kind}"] = str(getattr(t, name)(numbers(t, kind)).dtype)
    return found


@case
def functions_make_floats_of_integers(t):
    return types(t, FLOATING)


@case
def other_functions_keep_the_type_or_refuse(t):
    return of_all_kinds(t, OTHERS)


@case
def two_types_meet(t):
    return {
        f"{name} {a} {b}": error(lambda: str(getattr(t, name)(numbers(t, a), numbers(t, b)).dtype))  # noqa: B023
        for name in TWO
        for a in KINDS
        for b in KINDS
    }


@case
def a_tensor_meets_a_number(t):
    return {
        f"{name} {a} {number}": error(
            lambda: str(getattr(t, name)(numbers(t, a), number).dtype)  # noqa: B023
        )
        for name in TWO
        for a in KINDS
        for number in (2, 2.5, True)
    }


@case
def special_values(t):
    x = t.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")], dtype=t.float64)
    names = [n for n in FLOATING + OTHERS if n not in ("bitwise_not", "positive")]
    return {n: getattr(t, n)(x) for n in names if n not in ("i0",)}


@case
def special_values_of_two(t):
    x = t.tensor([0.0, 1.0, -1.0, float("inf"), float("nan"), 2.0], dtype=t.float64)
    y = t.tensor([0.0, 0.0, float("nan"), float("inf"), 1.0, -3.0], dtype=t.float64)
    names = "xlogy atan2 fmax fmin maximum minimum logaddexp hypot heaviside copysign remainder fmod nextafter"
    return {n: getattr(t, n)(x, y) for n in names.split()}


@case
def arguments_that_do_not_fit(t):
    x = t.ones(2)
    return [
        error(lambda: t.abs("a")), error(lambda: t.abs()), error(lambda: t.abs(x, 1)), error(lambda: t.abs(x, foo=1)), error(lambda: t.abs(x, out=3)),
        error(lambda: x.abs(1)), error(lambda: x.abs(foo=1)), error(lambda: t.add(x)), error(lambda: t.add(x, "a")), error(lambda: t.add("a", x)), error(lambda: x.add("a")),
        error(lambda: x.add()), error(lambda: t.add(x, x, x, x)), error(lambda: t.add(x, x, beta=1)), error(lambda: t.add(x, None)), error(lambda: t.sub(x, "a")),
        error(lambda: t.mul(x, [1])), error(lambda: t.mul(x)), error(lambda: t.div(x, "a")), error(lambda: t.pow(x, "a")), error(lambda: t.pow(x)), error(lambda: t.eq(x, "a")),
        error(lambda: t.eq(1, x)), error(lambda: t.atan2(x, 2.0)), error(lambda: x.atan2(2.0)), error(lambda: t.maximum(x, 1)), error(lambda: t.logical_and(x, True)),
        error(lambda: t.clamp(x)), error(lambda: t.clamp(x, "a")), error(lambda: t.clamp(x, x, 1.0)), error(lambda: t.clamp_min(x, None)), error(lambda: t.lerp(x, x)),
        error(lambda: t.lerp(x, 1.0, 0.5)), error(lambda: t.addcmul(x, x)), error(lambda: t.addcmul(x, x, "a")), error(lambda: t.polygamma(x, 1)), error(lambda: t.polygamma(1.5, x)),
        error(lambda: t.polygamma(-1, x)), error(lambda: t.mvlgamma(x, 0)), error(lambda: t.isin("a", x)), error(lambda: t.special.erf(1)), error(lambda: t.special.xlogy(1, 2)),
        error(lambda: t.round(x, decimals="a")), error(lambda: t.round(x, 1)), error(lambda: t.bitwise_and(2, 3)), error(lambda: t.remainder("a", x)), error(lambda: t.threshold(x, 1)),
        error(lambda: t.prelu(x, 0.1)), error(lambda: t.isclose(x, 1)), error(lambda: t.nan_to_num(x, "a")), error(lambda: t.logit(x, "a")), error(lambda: t.equal(x, 1)),
    ]  # fmt: skip


@case
def numpys_names_of_arguments(t):
    x, y = t.tensor([1.0, 2.0]), t.tensor([3.0, 5.0])
    return [t.add(input=x, other=y), t.add(x, x2=y), t.mul(x1=x, x2=y), x.sub(x2=y), t.add(x, other=y, alpha=2), t.abs(x=-x)]  # fmt: skip


@case
def numbers_first(t):
    x = t.tensor([1.0, 2.0])
    return [t.add(2, x), t.sub(2, x), t.mul(2, x), t.div(2, x), t.pow(2, x), t.remainder(5, x), t.xlogy(2, x), t.float_power(2, x), t.add(2, 3), t.mul(2, 2.5), t.bitwise_and(6, t.tensor([3, 5])), 2 << t.tensor([1, 2]), 64 >> t.tensor([1, 2])]  # fmt: skip


@case
def alpha(t):
    i, f, b = t.tensor([1, 2]), t.tensor([1.0, 2.0]), t.tensor([True, False])
    return [
        t.add(i, i, alpha=3), t.sub(f, i, alpha=0.5), t.rsub(f, 2, alpha=3), f.clone().add_(i, alpha=2), t.add(b, b, alpha=True), error(lambda: t.add(i, i, alpha=1.5)),
        error(lambda: t.add(i, i, alpha=True)), error(lambda: t.sub(b, b)), error(lambda: t.sub(f, b)), error(lambda: 1 - b), error(lambda: -b), error(lambda: +b),
    ]  # fmt: skip


@case
def out(t):
    x = t.tensor([1.0, 4.0])
    a, b, c = t.empty(0), t.zeros(2, dtype=t.float64), t.zeros(2)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        grown = t.zeros(3)
        t.exp(x, out=grown)
    return [
        t.sqrt(x, out=a) is a, a, t.add(x, x, alpha=2, out=b), b, t.eq(x, 4, out=c), grown, [str(w.message).partition(" (Triggered")[0] for w in seen], t.add(x, 1, out=x) is x, x,
        error(lambda: t.sqrt(x, out=t.zeros(2, dtype=t.int64))), error(lambda: t.add(x, 1, out=t.zeros(2, requires_grad=True))), error(lambda: t.add(x.clone().requires_grad_(), 1, out=t.zeros(2))),
        error(lambda: t.floor(x, out=t.zeros(2, dtype=t.float64))), error(lambda: t.signbit(x, out=t.zeros(2))), error(lambda: t.isin(x, x, out=t.zeros(2))), error(lambda: t.exp(x[:1], out=t.zeros(1, 3).expand(2, 3)[0])),
        error(lambda: t.add(t.ones(2, 3), 1, out=t.zeros(1, 3).expand(2, 3))), t.frexp(x, out=(t.zeros(2), t.zeros(2, dtype=t.int32))), t.abs(-x, out=None),
    ]  # fmt: skip


@case
def in_place_types(t):
    i, f, b = t.tensor([1, 2]), t.tensor([1.0, 2.0]), t.tensor([True, False])
    return [
        error(lambda: i.sqrt_()), error(lambda: i.add_(1.5)), error(lambda: i.div_(2)), error(lambda: b.add_(1)), i.clone().eq_(1), f.clone().lt_(2), i.clone().logical_and_(b), b.clone().logical_not_(),
        f.clone().logical_not_(), i.clone().mul_(True), error(lambda: f.float_power_(2)), f.double().float_power_(2), error(lambda: i.bitwise_and_(1.5)), i.clone().bitwise_left_shift_(2),
        f.clone().copysign_(-1), f.clone().clamp_(min=1.5), f.clone().nan_to_num_(), f.clone().lerp_(f * 3, 0.5), f.clone().addcdiv_(f, f, value=2), i.clone().gcd_(i * 4), f.clone().fmod_(0.75),
        error(lambda: f.clone().requires_grad_().add_(1)), t.relu_(f - 1.5), t.selu_(f - 1.5), t.celu_(f - 1.5, 2.0), t.threshold_(f.clone(), 1.5, 0.0), t.exp_(f.clone()),
    ]  # fmt: skip


@case
def names_of_nodes(t):
    a, b = t.tensor([0.5, 0.25], requires_grad=True), t.tensor([0.75, 0.5], requires_grad=True)
    one = "acos acosh asin atan exp2 expm1 log2 erf erfc erfinv lgamma digamma i0 sinc logit frac trunc deg2rad rad2deg sgn nan_to_num selu celu rrelu hardshrink square round"
    two = "atan2 logaddexp logaddexp2 xlogy hypot copysign fmod remainder fmax fmin rsub float_power pow clamp_min clamp_max ldexp maximum"
    found = {n: getattr(t, n)(a).grad_fn.name() for n in one.split()}
    found |= {f"{n} tensor": getattr(t, n)(a, b).grad_fn.name() for n in two.split()}
    numbers = "xlogy copysign fmod remainder rsub float_power pow clamp_min clamp_max"
    found |= {f"{n} number": getattr(t, n)(a, 2.0).grad_fn.name() for n in numbers.split()}
    found |= {
        f"{n} of number": getattr(t, n)(2.0, a).grad_fn.name()
        for n in ("xlogy", "pow", "float_power", "sub", "div")
    }
    more = (
        t.lerp(a, b, 0.3),
        t.lerp(a, b, b),
        t.addcmul(a, a, b),
        t.addcdiv(a, a, b),
        t.mvlgamma(a + 3, 2),
        t.polygamma(1, a),
        t.clamp(a, b, b),
        t.clamp(a, 0, 1),
        t.threshold(a, 0.4, 1.0),
        t.round(a, decimals=1),
        t.frexp(a)[0],
    )
    return [found, [x.grad_fn.name() for x in more]]


@case
def special_functions(t):
    s, x = t.special, t.linspace(-3, 3, 13, dtype=t.float64)
    p = t.linspace(0.05, 0.95, 7, dtype=t.float64)
    one = "entr erf erfc erfcx exp2 expit expm1 gammaln i0 i0e i1 i1e log_ndtr ndtr psi sinc"
    return [
        {n: getattr(s, n)(x + 0.01) for n in one.split()}, s.erfinv(p), s.ndtri(p), s.logit(p), s.logit(x, eps=0.2), s.polygamma(2, p), s.multigammaln(p + 3, 3), s.zeta(p + 1.5, p), s.zeta(2.5, p),
        s.gammainc(p, p * 3), s.gammaincc(p * 3, p), s.xlog1py(p, 2.0), s.xlogy(0, p), s.round(x * 10.123, decimals=1), s.softmax(x, 0), s.log_softmax(x, 0), s.logsumexp(x, 0),
    ]  # fmt: skip


@case
def comparisons(t):
    a, b = (
        t.tensor([1.0, float("nan"), float("inf")]),
        t.tensor([1.00001, float("nan"), float("inf")]),
    )
    return [
        t.isclose(a, b), t.isclose(a, b, equal_nan=True), t.isclose(a, b, rtol=0, atol=0), t.allclose(a, b), error(lambda: t.isclose(a, b.double())), error(lambda: t.isclose(a, b, rtol=-1)),
        t.isin(t.tensor([1, 2, 3]), t.tensor([2, 5])), t.isin(t.tensor([1, 2]), 2), t.isin(2, t.tensor([1, 2])), t.isin(t.tensor([1, 2]), t.tensor([2]), invert=True), t.equal(a, b), t.equal(t.ones(2), t.ones(2)),
        error(lambda: t.isin(t.tensor([True]), t.tensor([True]))), t.tensor([1, 2]).isclose(t.tensor([1, 3])), t.isreal(a), t.tensor([True]).isclose(t.tensor([True])),
    ]  # fmt: skip


@case
def shifts_beyond_the_end(t):
    x = t.tensor([1, -3, 100], dtype=t.int8)
    return [x << 3, x << 8, x << -1, x >> 2, x >> 9, x >> -1, t.tensor([200], dtype=t.uint8) >> 9, error(lambda: t.ones(1) << 1), t.tensor([5]).__ilshift__(2)]  # fmt: skip


@case
def blends_and_their_errors(t):
    f, d, i = t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0], dtype=t.float64), t.tensor([1, 2])
    return [
        error(lambda: t.lerp(f, d, 0.5)), error(lambda: t.lerp(f, f, d)), error(lambda: t.lerp(i, i, 0.5)), error(lambda: t.addcdiv(i, i, i)), t.addcmul(i, i, i, value=2), t.addcmul(f, i, d),
        error(lambda: t.heaviside(f, d)), t.clamp(f, i, d), t.clamp(i, 1.5), t.clamp(t.tensor([True, False]), 0, 1), error(lambda: t.prelu(t.ones(2, 3), t.ones(2))), error(lambda: t.prelu(f, d[:1])),
        error(lambda: t.celu(f, 0)), error(lambda: t.frexp(i)), t.round(f * 1234.567, decimals=-2), error(lambda: t.round(i, decimals=1)), error(lambda: t.pow(i, -1)), error(lambda: t.div(i, 0, rounding_mode="floor")),
        error(lambda: t.div(i, 2, rounding_mode="up")),
    ]  # fmt: skip


@case
def short_powers_to_the_last_bit(t):
    found = []
    for dtype in (t.float32, t.float64):
        x = t.arange(1, 200, dtype=dtype) / 7
        short = {3: x * x * x, -2: 1 / (x * x), 2: x * x, -1: 1 / x, -0.5: x.rsqrt()}
        for power, expected in short.items():
            y = x.clone().requires_grad_()
            (0.7 * y**power).sum().backward()
            found.append(
                [
                    bool((x**power == expected).all()),
                    bool((y.grad == 0.7 * (power * x ** (power - 1))).all()),
                ]
            )
    return [found, t.tensor([float("-inf"), -0.0, 0.0, -2.0]) ** -0.5, t.tensor(3.0) ** 3, t.tensor([2, -3]) ** 3]  # fmt: skip
