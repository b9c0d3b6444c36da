"""Arithmetic that overwrites its tensor: the methods whose names end in an underscore."""

from __future__ import annotations

import operator as operators
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from .._engine import TensorBase, renamed, wants_grad, write
from .._engine.state import grad_mode
from .._errors import is_foreign
from .._ops import elementwise as e
from .arithmetic import Arithmetic
from .common import kind_of
from .elementwise import Elementwise, Number
from .explained import explained_methods
from .from_rules import in_place

if TYPE_CHECKING:
    from .._engine.state import Tensor


def _operator(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Turn a method into an operator that leaves strings and lists to Python's own error."""

    def meet(self: Any, other: Any) -> Any:
        return NotImplemented if is_foreign(other) else function(self, other)

    return meet


def _after(*names: str) -> list[Callable[..., Any]]:
    """Return for methods of one tensor, by name, those that work in place."""
    return [in_place(getattr(Arithmetic, name)) for name in names]


def _with_other(*names: str) -> list[Callable[..., Any]]:
    """Return for methods of `self` and `other`, by name, those that work in place."""
    return [in_place(getattr(Arithmetic, name), "other") for name in names]


def _comparing(name: str) -> Callable[..., Any]:
    """Return the comparison `name` in place; it is recorded, with a derivative of 0."""
    plain, test = getattr(Arithmetic, name), getattr(operators, name)

    @wraps(plain)
    def compared(self: Any, other: Any) -> Any:
        found = plain(self, other)  # refuses what cannot be compared
        if not any(isinstance(t, TensorBase) and wants_grad(t) for t in (self, other)):
            return found
        node = f"{name.title()}Backward{int(isinstance(other, TensorBase))}"
        return renamed(e.overwritten_by_test(self, other, test=test), node)

    return in_place(compared, "other")


def _unrecorded(rule: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Return a method in place that leaves the history of its tensor as it is, as PyTorch's logical ones do."""
    method = in_place(rule, *names)

    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        before, grad_mode.enabled = grad_mode.enabled, False
        try:
            return method(self, *args, **named)
        finally:
            grad_mode.enabled = before

    return call


@explained_methods
class InPlace(TensorBase):
    """Arithmetic in place. What is recorded elsewhere is recorded here too, under the same rules."""

    abs_, neg_, sign_, sgn_, square_ = _after("abs", "neg", "sign", "sgn", "square")
    absolute_, negative_ = abs_, neg_
    exp_, exp2_, expm1_ = _after("exp", "exp2", "expm1")
    log_, log1p_, log2_, log10_ = _after("log", "log1p", "log2", "log10")
    sqrt_, rsqrt_, reciprocal_ = _after("sqrt", "rsqrt", "reciprocal")
    sin_, cos_, tan_, asin_, acos_, atan_ = _after("sin", "cos", "tan", "asin", "acos", "atan")
    sinh_, cosh_, tanh_ = _after("sinh", "cosh", "tanh")
    asinh_, acosh_, atanh_ = _after("asinh", "acosh", "atanh")
    arcsin_, arccos_, arctan_ = asin_, acos_, atan_
    arcsinh_, arccosh_, arctanh_ = asinh_, acosh_, atanh_
    sinc_, deg2rad_, rad2deg_ = _after("sinc", "deg2rad", "rad2deg")
    sigmoid_, relu_ = _after("sigmoid", "relu")
    erf_, erfc_, erfinv_, lgamma_, digamma_, i0_ = _after(
        "erf", "erfc", "erfinv", "lgamma", "digamma", "i0"
    )
    floor_, ceil_, round_, trunc_, frac_ = _after("floor", "ceil", "round", "trunc", "frac")
    fix_ = trunc_
    bitwise_not_, conj_physical_ = _after("bitwise_not", "conj_physical")
    mul_, remainder_, floor_divide_, fmod_ = _with_other("mul", "remainder", "floor_divide", "fmod")
    div_, true_divide_ = _with_other("div", "true_divide")
    atan2_, hypot_, copysign_, nextafter_ = _with_other("atan2", "hypot", "copysign", "nextafter")
    arctan2_ = atan2_
    xlogy_, ldexp_, gcd_, lcm_ = _with_other("xlogy", "ldexp", "gcd", "lcm")
    igamma_, igammac_ = _with_other("igamma", "igammac")
    eq_, ne_, lt_, le_, gt_, ge_ = map(_comparing, ("eq", "ne", "lt", "le", "gt", "ge"))
    not_equal_, less_, less_equal_, greater_, greater_equal_ = ne_, lt_, le_, gt_, ge_
    logical_not_ = _unrecorded(Arithmetic.logical_not)
    logical_and_ = _unrecorded(Arithmetic.logical_and, "other")
    logical_or_ = _unrecorded(Arithmetic.logical_or, "other")
    logical_xor_ = _unrecorded(Arithmetic.logical_xor, "other")
    bitwise_and_, bitwise_or_, bitwise_xor_ = _with_other(
        "bitwise_and", "bitwise_or", "bitwise_xor"
    )
    bitwise_left_shift_, bitwise_right_shift_ = _with_other(
        "bitwise_left_shift", "bitwise_right_shift"
    )
    pow_ = in_place(Arithmetic.pow, "exponent")
    heaviside_ = in_place(Arithmetic.heaviside, "values")
    clamp_ = clip_ = in_place(Arithmetic.clamp, "min", "max")
    clamp_min_, clamp_max_ = in_place(Arithmetic.clamp_min, "min"), in_place(Arithmetic.clamp_max, "max")  # fmt: skip
    masked_fill_ = in_place(Arithmetic.masked_fill, "mask", "value")
    lerp_ = in_place(Arithmetic.lerp, "end", "weight")
    addcmul_ = in_place(Arithmetic.addcmul, "tensor1", "tensor2")
    addcdiv_ = in_place(Arithmetic.addcdiv, "tensor1", "tensor2")
    nan_to_num_ = in_place(Arithmetic.nan_to_num, "nan", "posinf", "neginf")
    logit_, polygamma_ = in_place(Arithmetic.logit, "eps"), in_place(Arithmetic.polygamma, "n")
    mvlgamma_ = in_place(Arithmetic.mvlgamma, "p")

    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Add ``alpha * other`` in place."""
        return write(self, Arithmetic.add, other, alpha=alpha)

    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Subtract ``alpha * other`` in place."""
        return write(self, Arithmetic.sub, other, alpha=alpha)

    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """Raise to the power of `exponent` in place.

        Raises:
            RuntimeError: the elements are not float64, the type of the result.
        """
        if self._array.dtype.name != "float64":
            raise RuntimeError(
                f"the base given to float_power_ has dtype {kind_of(self)} but the operation's "
                "result requires dtype Double"
            )
        return write(self, Elementwise.float_power, exponent)

    multiply_, divide_, subtract_ = mul_, div_, sub_
    __iadd__, __isub__, __imul__ = map(_operator, (add_, sub_, mul_))
    __itruediv__, __ipow__ = map(_operator, (div_, pow_))
    __ifloordiv__, __imod__ = map(_operator, (floor_divide_, remainder_))
    __iand__, __ior__, __ixor__ = map(_operator, (bitwise_and_, bitwise_or_, bitwise_xor_))
    __ilshift__, __irshift__ = map(_operator, (bitwise_left_shift_, bitwise_right_shift_))
