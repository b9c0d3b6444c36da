"""Functions that compute element by element: most are methods of Tensor under another roof."""

from __future__ import annotations

from typing import Any

from .. import _dtypes
from .._engine import renamed
from .._methods._signatures import bind_call
from .._methods.elementwise import as_operand
from .._methods.pytorch_errors import pytorch_errors
from .._ops import choices, waves
from .._tensor import Tensor
from ._out import BOOLEAN, EXPECTED, FOUND
from ._wrap import function


def _xlogy_of_number(other: Tensor, x: float) -> Tensor:
    return renamed(waves.xlogy(as_operand(other, x, floating=True), other), "XlogyBackward1")


def _number_minus(other: Tensor, x: float) -> Tensor:
    return renamed(x - other, "SubBackward0")


def _number_over(other: Tensor, x: float) -> Tensor:
    return renamed(x / other, "DivBackward0")


def _power_of_number(exponent: Tensor, base: float) -> Tensor:
    return float(base) ** exponent.double()


# ---- arithmetic

add = function(Tensor.add, Tensor.__radd__, name="add")
sub = function(Tensor.sub, _number_minus, name="sub")
subtract = function(Tensor.subtract, _number_minus, name="subtract")
rsub = function(Tensor.rsub, name="rsub")
mul = function(Tensor.mul, Tensor.__rmul__, name="mul")
multiply = function(Tensor.multiply, Tensor.__rmul__, name="multiply")
div = function(Tensor.div, _number_over, name="div")
divide = function(Tensor.divide, _number_over, name="divide")
true_divide = function(Tensor.true_divide, _number_over, name="true_divide")
pow = function(Tensor.pow, Tensor.__rpow__, name="pow")
float_power = function(Tensor.float_power, _power_of_number, name="float_power")
square = function(Tensor.square, name="square")
remainder = function(Tensor.remainder, Tensor.__rmod__, name="remainder")
fmod = function(Tensor.fmod, name="fmod")
floor_divide = function(Tensor.floor_divide, Tensor.__rfloordiv__, name="floor_divide")
abs = function(Tensor.abs, name="abs", exact=FOUND)
absolute = function(Tensor.absolute, name="absolute", exact=FOUND)
neg = function(Tensor.neg, name="neg", exact=FOUND)
negative = function(Tensor.negative, name="negative", exact=FOUND)
positive = function(Tensor.positive, name="positive")
sign = function(Tensor.sign, name="sign", exact=FOUND)
sgn = function(Tensor.sgn, name="sgn", exact=FOUND)
signbit = function(Tensor.signbit, name="signbit", exact=BOOLEAN)

# ---- roots, exponentials, logarithms

sqrt = function(Tensor.sqrt, name="sqrt")
rsqrt = function(Tensor.rsqrt, name="rsqrt")
reciprocal = function(Tensor.reciprocal, name="reciprocal")
exp = function(Tensor.exp, name="exp")
exp2 = function(Tensor.exp2, name="exp2")
expm1 = function(Tensor.expm1, name="expm1")
log = function(Tensor.log, name="log")
log1p = function(Tensor.log1p, name="log1p")
log2 = function(Tensor.log2, name="log2")
log10 = function(Tensor.log10, name="log10")
logaddexp = function(Tensor.logaddexp, name="logaddexp")
logaddexp2 = function(Tensor.logaddexp2, name="logaddexp2")
xlogy = function(Tensor.xlogy, _xlogy_of_number, name="xlogy")

# ---- angles and hyperbolas

sin = function(Tensor.sin, name="sin")
cos = function(Tensor.cos, name="cos")
tan = function(Tensor.tan, name="tan")
asin = function(Tensor.asin, name="asin")
acos = function(Tensor.acos, name="acos")
atan = function(Tensor.atan, name="atan")
atan2 = function(Tensor.atan2, name="atan2")
arcsin = function(Tensor.arcsin, name="arcsin")
arccos = function(Tensor.arccos, name="arccos")
arctan = function(Tensor.arctan, name="arctan")
arctan2 = function(Tensor.arctan2, name="arctan2")
sinh = function(Tensor.sinh, name="sinh")
cosh = function(Tensor.cosh, name="cosh")
tanh = function(Tensor.tanh, name="tanh")
asinh = function(Tensor.asinh, name="asinh")
acosh = function(Tensor.acosh, name="acosh")
atanh = function(Tensor.atanh, name="atanh")
arcsinh = function(Tensor.arcsinh, name="arcsinh")
arccosh = function(Tensor.arccosh, name="arccosh")
arctanh = function(Tensor.arctanh, name="arctanh")
sinc = function(Tensor.sinc, name="sinc")
deg2rad = function(Tensor.deg2rad, name="deg2rad")
rad2deg = function(Tensor.rad2deg, name="rad2deg")
hypot = function(Tensor.hypot, name="hypot")

# ---- special functions

erf = function(Tensor.erf, name="erf")
erfc = function(Tensor.erfc, name="erfc")
erfinv = function(Tensor.erfinv, name="erfinv")
lgamma = function(Tensor.lgamma, name="lgamma")
digamma = function(Tensor.digamma, name="digamma")
mvlgamma = function(Tensor.mvlgamma, name="mvlgamma")
i0 = function(Tensor.i0, name="i0")
igamma = function(Tensor.igamma, name="igamma")
igammac = function(Tensor.igammac, name="igammac")
sigmoid = function(Tensor.sigmoid, name="sigmoid")
relu = function(Tensor.relu, name="relu")
logit = function(Tensor.logit, name="logit")

# ---- parts of numbers

floor = function(Tensor.floor, name="floor", exact=FOUND)
ceil = function(Tensor.ceil, name="ceil", exact=FOUND)
round = function(Tensor.round, name="round", exact=FOUND)
trunc = function(Tensor.trunc, name="trunc", exact=FOUND)
fix = function(Tensor.fix, name="fix", exact=FOUND)
frac = function(Tensor.frac, name="frac", exact=FOUND)
frexp = function(Tensor.frexp, name="frexp")
ldexp = function(Tensor.ldexp, name="ldexp")
nextafter = function(Tensor.nextafter, name="nextafter")
copysign = function(Tensor.copysign, name="copysign")
heaviside = function(Tensor.heaviside, name="heaviside")
nan_to_num = function(Tensor.nan_to_num, name="nan_to_num")
angle = function(Tensor.angle, name="angle")
conj = function(Tensor.conj, name="conj")
conj_physical = function(Tensor.conj_physical, name="conj_physical", exact=FOUND)
resolve_conj = function(Tensor.resolve_conj, name="resolve_conj")
resolve_neg = function(Tensor.resolve_neg, name="resolve_neg")
gcd = function(Tensor.gcd, name="gcd")
lcm = function(Tensor.lcm, name="lcm")

# ---- choice and blends

clamp = function(Tensor.clamp, name="clamp")
clip = function(Tensor.clip, name="clip")
clamp_min = function(Tensor.clamp_min, name="clamp_min")
clamp_max = function(Tensor.clamp_max, name="clamp_max")
maximum = function(Tensor.maximum, name="maximum")
minimum = function(Tensor.minimum, name="minimum")
fmax = function(Tensor.fmax, name="fmax")
fmin = function(Tensor.fmin, name="fmin")
lerp = function(Tensor.lerp, name="lerp", exact=FOUND)
addcmul = function(Tensor.addcmul, name="addcmul")
addcdiv = function(Tensor.addcdiv, name="addcdiv")
masked_fill = function(Tensor.masked_fill, name="masked_fill")

# ---- comparisons

eq = function(Tensor.eq, name="eq")
ne = function(Tensor.ne, name="ne")
not_equal = function(Tensor.not_equal, name="not_equal")
lt = function(Tensor.lt, name="lt")
less = function(Tensor.less, name="less")
le = function(Tensor.le, name="le")
less_equal = function(Tensor.less_equal, name="less_equal")
gt = function(Tensor.gt, name="gt")
greater = function(Tensor.greater, name="greater")
ge = function(Tensor.ge, name="ge")
greater_equal = function(Tensor.greater_equal, name="greater_equal")
equal = function(Tensor.equal, name="equal")
isclose = function(Tensor.isclose, name="isclose")
allclose = function(Tensor.allclose, name="allclose")
isnan = function(Tensor.isnan, name="isnan")
isinf = function(Tensor.isinf, name="isinf")
isfinite = function(Tensor.isfinite, name="isfinite")
isposinf = function(Tensor.isposinf, name="isposinf", exact=BOOLEAN)
isneginf = function(Tensor.isneginf, name="isneginf", exact=BOOLEAN)
isreal = function(Tensor.isreal, name="isreal")

# ---- logic and bits

logical_not = function(Tensor.logical_not, name="logical_not")
logical_and = function(Tensor.logical_and, name="logical_and")
logical_or = function(Tensor.logical_or, name="logical_or")
logical_xor = function(Tensor.logical_xor, name="logical_xor")
bitwise_not = function(Tensor.bitwise_not, name="bitwise_not", exact=FOUND)
bitwise_and = function(Tensor.bitwise_and, name="bitwise_and")
bitwise_or = function(Tensor.bitwise_or, name="bitwise_or")
bitwise_xor = function(Tensor.bitwise_xor, name="bitwise_xor")
bitwise_left_shift = function(
    Tensor.bitwise_left_shift, Tensor.__rlshift__, name="bitwise_left_shift"
)
bitwise_right_shift = function(
    Tensor.bitwise_right_shift, Tensor.__rrshift__, name="bitwise_right_shift"
)

# ---- in place

abs_ = function(Tensor.abs_, name="abs_")
acos_ = function(Tensor.acos_, name="acos_")
acosh_ = function(Tensor.acosh_, name="acosh_")
arccos_ = function(Tensor.arccos_, name="arccos_")
arccosh_ = function(Tensor.arccosh_, name="arccosh_")
arcsin_ = function(Tensor.arcsin_, name="arcsin_")
arcsinh_ = function(Tensor.arcsinh_, name="arcsinh_")
arctan_ = function(Tensor.arctan_, name="arctan_")
arctanh_ = function(Tensor.arctanh_, name="arctanh_")
asin_ = function(Tensor.asin_, name="asin_")
asinh_ = function(Tensor.asinh_, name="asinh_")
atan_ = function(Tensor.atan_, name="atan_")
atanh_ = function(Tensor.atanh_, name="atanh_")
ceil_ = function(Tensor.ceil_, name="ceil_")
clamp_ = function(Tensor.clamp_, name="clamp_")
clamp_max_ = function(Tensor.clamp_max_, name="clamp_max_")
clamp_min_ = function(Tensor.clamp_min_, name="clamp_min_")
clip_ = function(Tensor.clip_, name="clip_")
conj_physical_ = function(Tensor.conj_physical_, name="conj_physical_")
cos_ = function(Tensor.cos_, name="cos_")
cosh_ = function(Tensor.cosh_, name="cosh_")
deg2rad_ = function(Tensor.deg2rad_, name="deg2rad_")
erf_ = function(Tensor.erf_, name="erf_")
erfc_ = function(Tensor.erfc_, name="erfc_")
exp2_ = function(Tensor.exp2_, name="exp2_")
exp_ = function(Tensor.exp_, name="exp_")
expm1_ = function(Tensor.expm1_, name="expm1_")
fix_ = function(Tensor.fix_, name="fix_")
floor_ = function(Tensor.floor_, name="floor_")
frac_ = function(Tensor.frac_, name="frac_")
gcd_ = function(Tensor.gcd_, name="gcd_")
i0_ = function(Tensor.i0_, name="i0_")
lcm_ = function(Tensor.lcm_, name="lcm_")
ldexp_ = function(Tensor.ldexp_, name="ldexp_")
log10_ = function(Tensor.log10_, name="log10_")
log1p_ = function(Tensor.log1p_, name="log1p_")
log2_ = function(Tensor.log2_, name="log2_")
log_ = function(Tensor.log_, name="log_")
logit_ = function(Tensor.logit_, name="logit_")
nan_to_num_ = function(Tensor.nan_to_num_, name="nan_to_num_")
neg_ = function(Tensor.neg_, name="neg_")
negative_ = function(Tensor.negative_, name="negative_")
rad2deg_ = function(Tensor.rad2deg_, name="rad2deg_")
reciprocal_ = function(Tensor.reciprocal_, name="reciprocal_")
round_ = function(Tensor.round_, name="round_")
rsqrt_ = function(Tensor.rsqrt_, name="rsqrt_")
sigmoid_ = function(Tensor.sigmoid_, name="sigmoid_")
sin_ = function(Tensor.sin_, name="sin_")
sinc_ = function(Tensor.sinc_, name="sinc_")
sinh_ = function(Tensor.sinh_, name="sinh_")
sqrt_ = function(Tensor.sqrt_, name="sqrt_")
square_ = function(Tensor.square_, name="square_")
tan_ = function(Tensor.tan_, name="tan_")
tanh_ = function(Tensor.tanh_, name="tanh_")
trunc_ = function(Tensor.trunc_, name="trunc_")
xlogy_ = function(Tensor.xlogy_, name="xlogy_")
zero_ = function(Tensor.zero_, name="zero_")
fill_ = function(Tensor.fill_, name="fill_")
detach_ = function(Tensor.detach_, name="detach_")

real = function(Tensor.conj, name="real")


@pytorch_errors
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of digamma of order `n` >= 0."""
    bind_call("polygamma", False, (n, input), {})
    return input.polygamma(n) if out is None else _polygamma(input, n, out=out)  # type: ignore[call-arg]


_polygamma = function(Tensor.polygamma, name="polygamma")


@pytorch_errors
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return for each of `elements` whether it is among `test_elements`.

    Args:
        elements: a tensor, or a number.
        test_elements: a tensor, or a number unless `elements` is one.
        assume_unique: neither holds a number twice; nothing is gained by it here.
        invert: return the opposite.
        out: where to put the result.
    """
    bind_call("isin", False, (elements, test_elements), {})
    if isinstance(elements, bool) or isinstance(test_elements, bool):
        raise RuntimeError(NO_BOOLEANS)
    return _isin(elements, test_elements, out=out, **({"invert": True} if invert else {}))  # type: ignore[call-arg]


NO_BOOLEANS = "Unsupported input type encountered for isin(): Bool"


def _is_among(elements: Tensor, test_elements: Any, *, invert: bool = False) -> Tensor:
    tests = as_operand(elements, test_elements)
    for t in (elements, tests):
        if t.dtype is _dtypes.bool_:
            raise RuntimeError(NO_BOOLEANS)
    return choices.isin(elements, tests, invert=invert)


_isin = function(_is_among, name="isin", exact=EXPECTED)
