"""The error function and its relatives, by rational approximations that are exact to float64.

The coefficients of `erf`, `erfc` and `ndtri` are those of the Cephes library (S. L. Moshier, 1984-1995).
Everything is computed in float64 and rounded to the type of the argument at the end.
"""

import math
from functools import wraps

from .._engine import op

ROOT_PI = math.sqrt(math.pi)


def in_float64(function):
    """Let ``function(xp, x, ...)`` compute in float64 and answer in the type of x."""

    @wraps(function)
    def call(xp, x, *rest):
        return function(xp, x.astype("float64", copy=False), *rest).astype(x.dtype, copy=False)

    return call


def polynomial(x, coefficients):
    """Return the polynomial with these coefficients, the highest power first, at x (Horner)."""
    y = x * 0 + coefficients[0]
    for c in coefficients[1:]:
        y = y * x + c
    return y


# erf on [0, 1], erfc * exp(x * x) on [1, 8], and the same beyond 8
_ERF_TOP = (9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
            7.00332514112805075473e3, 5.55923013010394962768e4)  # fmt: skip
_ERF_BOTTOM = (1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
               2.26290000613890934246e4, 4.92673942608635921086e4)  # fmt: skip
_NEAR_TOP = (2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
             4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
             9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2)  # fmt: skip
_NEAR_BOTTOM = (1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
                9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
                1.65666309194161350182e3, 5.57535340817727675546e2)  # fmt: skip
_FAR_TOP = (5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
            6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0)  # fmt: skip
_FAR_BOTTOM = (1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
               1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0)  # fmt: skip


def _erf_small(xp, x):
    """Return erf for |x| <= 1; what it gives elsewhere means nothing."""
    x = xp.clip(x, -1, 1)
    square = x * x
    return x * polynomial(square, _ERF_TOP) / polynomial(square, _ERF_BOTTOM)


def _scaled_tail(xp, x):
    """Return ``exp(x * x) * erfc(x)`` for x >= 1; what it gives elsewhere means nothing."""
    near, far = xp.clip(x, 1, 8), xp.clip(x, 8, 1e300)
    inner = polynomial(near, _NEAR_TOP) / polynomial(near, _NEAR_BOTTOM)
    z = 1 / far
    outer = z * polynomial(z, _FAR_TOP[::-1]) / polynomial(z, _FAR_BOTTOM[::-1])
    return xp.where(x < 8, inner, outer)


def _exp_of_minus_square(xp, x):
    """Return ``exp(-x * x)``; the square is taken in two parts, so that its error is not blown up."""
    x = xp.clip(x, -40, 40)
    head = xp.trunc(x * 16) / 16
    return xp.exp(-head * head) * xp.exp(-(x - head) * (x + head))


@in_float64
def _erf(xp, x):
    size = xp.abs(x)
    tail = 1 - _exp_of_minus_square(xp, size) * _scaled_tail(xp, size)
    y = xp.where(size < 1, _erf_small(xp, x), xp.sign(x) * tail)
    return xp.where(x != x, x, y)


@in_float64
def _erfc(xp, x):
    size = xp.abs(x)
    tail = _exp_of_minus_square(xp, size) * _scaled_tail(xp, size)
    y = xp.where(size < 1, 1 - _erf_small(xp, x), xp.where(x > 0, tail, 2 - tail))
    return xp.where(x != x, x, y)


@in_float64
def _erfcx(xp, x):
    size = xp.abs(x)
    square = xp.minimum(size, 27) ** 2
    below_one = xp.exp(square) * (1 - _erf_small(xp, size))
    y = xp.where(size < 1, below_one, _scaled_tail(xp, size))
    y = xp.where(x >= 0, y, 2 * xp.exp(square) - y)
    y = xp.where(x == math.inf, 0, xp.where(x < -26.7, math.inf, y))
    return xp.where(x != x, x, y)


@in_float64
def _erfinv(xp, y):
    """Return a rational guess, made exact by two of Newton's steps."""
    size = xp.abs(y)
    z = y * y
    inner = y * polynomial(z, (-0.140543331, 0.914624893, -1.645349621, 0.886226899))
    inner /= polynomial(z, (0.012229801, -0.329097515, 1.442710462, -2.118377725, 1.0))
    z = xp.sqrt(-xp.log((1 - xp.minimum(size, 1 - 2**-53)) / 2))
    outer = polynomial(z, (1.641345311, 3.429567803, -1.624906493, -1.970840454))
    outer = xp.sign(y) * outer / polynomial(z, (1.637067800, 3.543889200, 1.0))
    x = xp.where(size <= 0.7, inner, outer)
    for _ in range(2):
        # near 1 the difference of two erfc is exact where that of two erf is not
        error = xp.where(
            size <= 0.7, _erf(xp, x) - y, xp.sign(y) * (1 - size - _erfc(xp, xp.abs(x)))
        )
        x = x - error * (ROOT_PI / 2) * xp.exp(x * x)
    return xp.where(size == 1, y * math.inf, xp.where(size > 1, math.nan, x))


@op(floating=True)
def erf(xp, x):
    """The error function."""
    return _erf(xp, x), lambda g: g * (2 / ROOT_PI * xp.exp(-x * x))


@op(floating=True)
def erfc(xp, x):
    """One minus the error function, exact also where that is nearly 1."""
    return _erfc(xp, x), lambda g: g * (-2 / ROOT_PI * xp.exp(-x * x))


@op(floating=True)
def erfinv(xp, x):
    """The number whose error function is x."""

    def vjp(g):  # as in PyTorch, the result may be overwritten
        y = erfinv.inside(xp, x)  # type: ignore[attr-defined]
        return g * (ROOT_PI / 2 * xp.exp(y * y))

    return _erfinv(xp, x), vjp


@op(floating=True, name="SpecialErfcxBackward0")
def erfcx(xp, x):
    """``exp(x * x) * erfc(x)``, which does not vanish for large x."""
    y = _erfcx(xp, x)
    return y, lambda g: g * (2 * x * y - 2 / ROOT_PI)


# ---- the normal distribution

_MIDDLE_TOP = (-5.99633501014107895267e1, 9.80010754185999661536e1, -5.66762857469070293439e1,
               1.39312609387279679503e1, -1.23916583867381258016e0)  # fmt: skip
_MIDDLE_BOTTOM = (1.0, 1.95448858338141759834e0, 4.67627912898881538453e0, 8.63602421390890590575e1,
                  -2.25462687854119370527e2, 2.00260212380060660359e2, -8.20372256168333339912e1,
                  1.59056225126211695515e1, -1.18331621121330003142e0)  # fmt: skip
_SIDE_TOP = (4.05544892305962419923e0, 3.15251094599893866154e1, 5.71628192246421288162e1,
             4.40805073893200834700e1, 1.46849561928858024014e1, 2.18663306850790267539e0,
             -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4)  # fmt: skip
_SIDE_BOTTOM = (1.0, 1.57799883256466749731e1, 4.53907635128879210584e1, 4.13172038254672030440e1,
                1.50425385692907503408e1, 2.50464946208309415979e0, -1.42182922854787788574e-1,
                -3.80806407691578277194e-2, -9.33259480895457427372e-4)  # fmt: skip
_EDGE_TOP = (3.23774891776946035970e0, 6.91522889068984211695e0, 3.93881025292474443415e0,
             1.33303460815807542389e0, 2.01485389549179081538e-1, 1.23716634817820021358e-2,
             3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9)  # fmt: skip
_EDGE_BOTTOM = (1.0, 6.02427039364742014255e0, 3.67983563856160859403e0, 1.37702099489081330271e0,
                2.16236993594496635890e-1, 1.34204006088543189037e-2, 3.28014464682127739104e-4,
                2.89247864745380683936e-6, 6.79019408009981274425e-9)  # fmt: skip
_EXP_MINUS_2 = 0.13533528323661269189


@in_float64
def _ndtri(xp, p):
    upper = p > 1 - _EXP_MINUS_2
    y = xp.where(upper, 1 - p, p)
    centre = y - 0.5
    square = centre * centre
    inner = polynomial(square, _MIDDLE_TOP) / polynomial(square, _MIDDLE_BOTTOM)
    inner = (centre + centre * square * inner) * math.sqrt(2 * math.pi)
    x = xp.sqrt(-2 * xp.log(xp.clip(y, 5e-324, _EXP_MINUS_2)))
    z = 1 / x
    side = polynomial(z, _SIDE_TOP) / polynomial(z, _SIDE_BOTTOM)
    edge = polynomial(z, _EDGE_TOP) / polynomial(z, _EDGE_BOTTOM)
    outer = x - xp.log(x) / x - z * xp.where(x < 8, side, edge)
    out = xp.where(y > _EXP_MINUS_2, inner, xp.where(upper, outer, -outer))
    out = xp.where(p == 0, -math.inf, xp.where(p == 1, math.inf, out))
    return xp.where((p >= 0) & (p <= 1), out, math.nan)


@in_float64
def _log_ndtr(xp, x):
    t = x / math.sqrt(2)
    low = xp.log(_erfcx(xp, xp.maximum(-t, 0)) / 2) - t * t
    return xp.where(x < -1, low, xp.log1p(-_erfc(xp, t) / 2))


@op(floating=True, name="SpecialNdtriBackward0")
def ndtri(xp, x):
    """The number below which a normal variable falls with probability x."""
    y = _ndtri(xp, x)
    return y, lambda g: g * (math.sqrt(2 * math.pi) * xp.exp(y * y / 2))


@op(floating=True, name="SpecialLogNdtrBackward0")
def log_ndtr(xp, x):
    """The logarithm of the probability that a normal variable falls below x."""

    def slope(g):
        return g * (math.sqrt(2 / math.pi) / erfcx.inside(xp, x * -math.sqrt(0.5)))  # type: ignore[attr-defined]

    return _log_ndtr(xp, x), slope
