# Made by scripts/make_stubs.py: do not edit.
# pyright: reportOverlappingOverload=false
# (The first form that a call fits decides its type.)

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import overload

from ._dtypes import dtype as _dtype
from ._tensor import Number, Tensor

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Entropy: ``-x * log(x)``; 0 at 0, minus infinity below."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One minus the error function, exact also where that is nearly 1."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x * x) * erfc(x)``, which does not vanish for large x."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function is x."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of x."""

def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``: where the exponential overflows the quotient is 0, as it should be."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential minus 1, exact also near 0."""

def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function; only x has a derivative."""

def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function; only x has a derivative."""

def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the size of the gamma function."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of order 0."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`i0` times ``exp(-|x|)``."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of order 1."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`i1` times ``exp(-|x|)``."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of 1 + x, accurate also near 0."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the probability that a normal variable falls below x."""

def log_softmax(input: Tensor, dim: _int, *, dtype: _dtype | None = None) -> Tensor: ...
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return ``log(x / (1 - x))``; with `eps`, of x moved into [eps, 1 - eps]."""

def logsumexp(
    input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return the log of the sum of exponentials over `dim`, without overflow."""

def multigammaln(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension `p` >= 1."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The probability that a normal variable falls below x."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number below which a normal variable falls with probability x."""

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`."""

def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor: ...
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of pi x over pi x; 1 at 0."""

def softmax(input: Tensor, dim: _int, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def xlog1py(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``x * log1p(y)``; 0 where x is 0, whatever y is but NaN."""

@overload
def xlog1py(self: Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlogy(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``x * log(y)``; 0 where x is 0, whatever y is but NaN."""

@overload
def xlogy(self: Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def zeta(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz's zeta function. It has a derivative with respect to q alone."""

@overload
def zeta(self: Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
