"""Special functions: ``nbmodule.special``. Each says in its docstring what it computes, element by element.

Source: https://docs.pytorch.org/docs/stable/special.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps as _wraps
from typing import Any

from ._engine import renamed
from ._engine.signature import shown_as as _shown_as
from ._functions._out import EXPECTED
from ._functions._wrap import function
from ._functions.elementwise import polygamma as _polygamma
from ._methods.elementwise import as_operand
from ._methods.rule_to_method import only_for as _only_for
from ._methods.rule_to_method import with_tensor as _with_tensor
from ._ops import bessel as _bessel
from ._ops import error_function as _error_function
from ._ops import gamma as _gamma
from ._ops import waves as _waves
from ._tensor import Tensor

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1",
    "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "round",
    "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]  # fmt: skip


def _special(method: Callable[..., Any], name: str, turned: Any = None) -> Callable[..., Any]:
    """Return the function `name` of this module, which PyTorch's messages call ``special_<name>``."""
    return function(method, turned, name=f"special_{name}")


def _by_number_or_tensor(rule: Callable[..., Any], name: str, node: str) -> Callable[..., Any]:
    """Return a function of two tensors, of which one may be a number; that is the end of its node's name."""

    @_wraps(rule)
    def first(self: Tensor, other: Any) -> Tensor:
        out = rule(self, as_operand(self, other, floating=True))
        return out if isinstance(other, Tensor) else renamed(out, f"{node}2")

    def second(other: Tensor, number: float) -> Tensor:
        return renamed(rule(as_operand(other, number, floating=True), other), f"{node}1")

    return _special(first, name, second)


def _ndtr(input: Tensor) -> Tensor:
    """The probability that a normal variable falls below x."""
    return renamed(((input * math.sqrt(0.5)).erf() + 1) * 0.5, "MulBackward1")


digamma = _special(Tensor.digamma, "digamma")
psi = _special(Tensor.digamma, "psi")
entr = _special(_waves.entr, "entr")
erf = _special(Tensor.erf, "erf")
erfc = _special(Tensor.erfc, "erfc")
erfcx = _special(_error_function.erfcx, "erfcx")
erfinv = _special(Tensor.erfinv, "erfinv")
exp2 = _special(Tensor.exp2, "exp2")
expit = _special(Tensor.sigmoid, "expit")
expm1 = _special(Tensor.expm1, "expm1")
gammaln = _special(Tensor.lgamma, "gammaln")
gammainc = _special(_with_tensor(_only_for("f", "igamma_cpu", _gamma.igamma)), "gammainc")
gammaincc = _special(_with_tensor(_only_for("f", "igammac_cpu", _gamma.igammac)), "gammaincc")
multigammaln = _special(Tensor.mvlgamma, "multigammaln")
i0 = _special(Tensor.i0, "i0")
i0e = _special(_bessel.i0e, "i0e")
i1 = _special(_bessel.i1, "i1")
i1e = _special(_bessel.i1e, "i1e")
log1p = _special(Tensor.log1p, "log1p")
logit = _special(Tensor.logit, "logit")
ndtr = _special(_ndtr, "ndtr")
ndtri = _special(_error_function.ndtri, "ndtri")
log_ndtr = _special(_error_function.log_ndtr, "log_ndtr")
sinc = _special(Tensor.sinc, "sinc")
xlogy = _by_number_or_tensor(_waves.xlogy, "xlogy", "XlogyBackward")
xlog1py = _by_number_or_tensor(_waves.xlog1py, "xlog1py", "SpecialXlog1PyBackward")
zeta = _by_number_or_tensor(_gamma.zeta, "zeta", "SpecialZetaBackward")
logsumexp = _shown_as("input, dim, keepdim=False, *, out=None")(
    _special(Tensor.logsumexp, "logsumexp")
)


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of digamma of order `n` >= 0."""
    return _polygamma(n, input, out=out)


def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Return the elements rounded to so many `decimals`; halves go to the even digit."""
    return renamed(_round(input, decimals=decimals, out=out), "RoundBackward1")  # type: ignore[call-arg]


_round = _special(Tensor.round, "round")


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return exponentials that add up to 1 along `dim`."""
    return _softmax(input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the logarithm of `softmax`."""
    return _log_softmax(input, dim, dtype)


_softmax = function(Tensor.softmax, name="special_softmax", exact=EXPECTED)
_log_softmax = function(Tensor.log_softmax, name="special_log_softmax", exact=EXPECTED)
