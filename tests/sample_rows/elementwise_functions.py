"""Element by element: angles, special functions, parts of numbers, blends, activations."""

from sample_row import A, Sample


def unit(t, a):
    """Numbers inside of (-1, 1), away from the ends."""
    return t.tanh(a) * 0.9


ROWS = [
    # angles and hyperbolas
    *(
        Sample(name, lambda t, a, name=name: getattr(t, name)(a), (A,))
        for name in ("tan", "atan", "sinh", "cosh", "asinh", "sinc", "deg2rad", "rad2deg", "exp2", "expm1", "angle", "trunc", "frac")
    ),
    *(
        Sample(name, lambda t, a, name=name: getattr(t, name)(unit(t, a)), (A,))
        for name in ("asin", "acos", "atanh", "erfinv")
    ),
    Sample("acosh", lambda t, a: t.acosh(a + 1), (A,), True),
    Sample("log2", lambda t, a: t.log2(a), (A,), True),
    Sample("log10", lambda t, a: t.log10(a), (A,), True),
    Sample("atan2", lambda t, a, b: t.atan2(a, b), (A, (4,)), True),
    Sample("hypot", lambda t, a, b: t.hypot(a, b), (A, (4,)), True),
    Sample("logaddexp", lambda t, a, b: t.logaddexp(a, b), (A, (4,))),
    Sample("logaddexp2", lambda t, a, b: t.logaddexp2(a, b), (A, (4,))),
    Sample("xlogy", lambda t, a, b: t.xlogy(a, b), (A, (4,)), True),
    Sample("xlogy_number", lambda t, a: t.xlogy(a, 2.0) + t.xlogy(3, a), (A,), True),
    Sample("xlog1py", lambda t, a, b: t.special.xlog1py(a, b), (A, (4,)), True),
    Sample("entr", lambda t, a: t.special.entr(a), (A,), True),
    # special functions
    *(
        Sample(name, lambda t, a, name=name: getattr(t.special, name)(a), (A,))
        for name in ("erf", "erfc", "erfcx", "ndtr", "log_ndtr", "i0", "i0e", "i1", "i1e", "expit")
    ),
    Sample("ndtri", lambda t, a: t.special.ndtri(t.sigmoid(a)), (A,)),
    Sample("lgamma", lambda t, a: t.lgamma(a), (A,), True),
    Sample("lgamma_negative", lambda t, a: t.lgamma(-a - 3.25), (A,), True),
    Sample("digamma", lambda t, a: t.digamma(a), (A,), True),
    Sample("polygamma", lambda t, a: t.polygamma(2, a), (A,), True),
    Sample("mvlgamma", lambda t, a: t.mvlgamma(a + 2, 3), (A,), True),
    Sample("zeta", lambda t, a: t.special.zeta(3.5, a), (A,), True),
    Sample("gammainc", lambda t, a: t.special.gammainc(t.full_like(a, 1.5).detach(), a), (A,), True),
    Sample("gammaincc", lambda t, a: t.special.gammaincc(t.full_like(a, 2.5).detach(), a), (A,), True),
    Sample("logit", lambda t, a: t.logit(t.sigmoid(a)), (A,)),
    Sample("logit_eps", lambda t, a: t.logit(t.sigmoid(a), eps=0.3), (A,)),
    # parts of numbers, choice, blends
    Sample("fmod", lambda t, a, b: t.fmod(a, b), (A, A), True),
    Sample("fmod_number", lambda t, a: t.fmod(a, 0.75), (A,)),
    Sample("copysign", lambda t, a, b: t.copysign(a, b), (A, A)),
    Sample("copysign_number", lambda t, a: t.copysign(a, -1), (A,)),
    Sample("ldexp", lambda t, a, b: t.ldexp(a, b), (A, (4,))),
    Sample("frexp", lambda t, a: t.frexp(a).mantissa, (A,)),
    Sample("nan_to_num", lambda t, a: t.nan_to_num(a), (A,)),
    Sample("heaviside", lambda t, a, b: t.heaviside(a, b), (A, A), differentiable=False),
    Sample("sgn", lambda t, a: t.sgn(a), (A,), differentiable=False),
    Sample("signbit", lambda t, a: t.signbit(a), (A,), differentiable=False),
    Sample("fmax", lambda t, a, b: t.fmax(a, b), (A, (4,))),
    Sample("fmin", lambda t, a, b: t.fmin(a, b), (A, (4,))),
    Sample("clamp_tensors", lambda t, a, b, c: t.clamp(a, b - 1, c + 1), (A, (4,), A)),
    Sample("clamp_min_tensor", lambda t, a, b: t.clamp_min(a, b), (A, (4,))),
    Sample("clamp_max_tensor", lambda t, a, b: t.clamp_max(a, b), (A, (4,))),
    Sample("clamp_min_number", lambda t, a: t.clamp_min(a, 0.1), (A,)),
    Sample("lerp_number", lambda t, a, b: t.lerp(a, b, 0.3), (A, (4,))),
    Sample("lerp", lambda t, a, b, c: t.lerp(a, b, c), (A, (4,), A)),
    Sample("addcmul", lambda t, a, b, c: t.addcmul(a, b, c, value=2), (A, (4,), A)),
    Sample("addcdiv", lambda t, a, b, c: t.addcdiv(a, b, c, value=0.5), (A, (4,), A), True),
    Sample("rsub", lambda t, a, b: t.rsub(a, b, alpha=2), (A, (4,))),
    Sample("float_power", lambda t, a: t.float_power(a, 2.5).to(a.dtype), (A,), True),
    # activations
    *(
        Sample(f"torch_{name}", lambda t, a, name=name: getattr(t, name)(a), (A,))
        for name in ("selu", "celu", "hardshrink", "rrelu")
    ),
    Sample("torch_celu_alpha", lambda t, a: t.celu(a, 0.5), (A,)),
    Sample("torch_threshold", lambda t, a: t.threshold(a, 0.1, 2.0), (A,)),
    Sample("torch_prelu", lambda t, a, b: t.prelu(a, b), (A, (4,))),
    Sample("torch_prelu_one", lambda t, a, b: t.prelu(a, b), (A, (1,))),
    # in place
    Sample("in_place_functions", lambda t, a: (a * 1).sin_().add_(2).log_(), (A,)),
    Sample("in_place_two", lambda t, a, b: (a * 1).mul_(b).atan2_(b).lerp_(b, 0.5).addcmul_(a, b), (A, A), True),
]  # fmt: skip
