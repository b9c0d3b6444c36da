"""Methods that compute element by element, and their operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _dtypes, _errors
from .._backend import at_hand
from .._data import factor_number, fill_number
from .._engine import TensorBase, number, renamed
from .._errors import is_foreign
from .._ops import choices, integers
from .._ops import elementwise as e
from .common import element_of, factor_in, kind_of, limits
from .elementwise import Elementwise, Number, as_operand
from .explained import explained_methods
from .from_rules import (
    bitwise,
    by_number_or_tensor,
    only_for,
    operator,
    reflected,
    with_other,
    with_tensor,
)

if TYPE_CHECKING:
    from .._engine.state import Tensor


def _floor_of(number: Any, divisor: Any) -> Any:
    """Return ``number // divisor``."""
    if kind_of(number, divisor) == "Bool":
        raise NotImplementedError("\"div_floor_cpu\" not implemented for 'Bool'")
    return e.floor_divide(number, divisor)


def _remainder_of(number: Any, divisor: Any) -> Any:
    """Return ``number % divisor``, which PyTorch has no derivative of where `number` is no tensor."""
    if isinstance(number, TensorBase):
        return number.remainder(divisor)  # type: ignore[attr-defined]
    if kind_of(number, divisor) == "Bool":
        raise NotImplementedError("\"remainder_cpu\" not implemented for 'Bool'")
    return e.remainder_of_number(number, divisor)


def _of_number(method: Any) -> Any:
    """Return `method` for a number and a tensor: the number becomes a tensor of the type in which they meet."""
    return lambda number, t: method(number if is_foreign(number) else as_operand(t, number), t)


@explained_methods
class Arithmetic(Elementwise):
    """Arithmetic, comparisons, logic, choice, and their operators."""

    remainder = by_number_or_tensor(e.remainder, "remainder_cpu", "RemainderBackward")
    floor_divide = by_number_or_tensor(e.floor_divide, "div_floor_cpu", "")
    bitwise_and = bitwise(e.bitwise_and, "bitwise_and_cpu")
    bitwise_or = bitwise(e.bitwise_or, "bitwise_or_cpu")
    bitwise_xor = bitwise(e.bitwise_xor, "bitwise_xor_cpu")

    __add__, __radd__ = operator(e.add), reflected(e.add)
    __mul__ = __rmul__ = operator(e.mul)  # either way the tensor comes first in the graph
    __truediv__ = operator(e.div)
    __mod__, __rmod__ = operator(remainder), reflected(_remainder_of)
    __floordiv__, __rfloordiv__ = operator(floor_divide), reflected(_floor_of)
    __and__, __rand__ = operator(bitwise_and), reflected(bitwise_and)
    __or__, __ror__ = operator(bitwise_or), reflected(bitwise_or)
    __xor__, __rxor__ = operator(bitwise_xor), reflected(bitwise_xor)
    bitwise_left_shift = bitwise(integers.shift_left, "lshift_cpu")
    bitwise_right_shift = bitwise(integers.shift_right, "rshift_cpu")
    __lshift__, __rshift__ = map(operator, (bitwise_left_shift, bitwise_right_shift))
    __rlshift__ = reflected(_of_number(bitwise_left_shift))
    __rrshift__ = reflected(_of_number(bitwise_right_shift))
    __lt__, __le__, __gt__, __ge__ = map(operator, (e.lt, e.le, e.gt, e.ge))
    __eq__ = operator(e.eq)  # type: ignore[assignment]
    __ne__ = operator(e.ne)  # type: ignore[assignment]
    __neg__, __abs__, __invert__ = e.neg, e.abs, e.bitwise_not
    __hash__ = object.__hash__  # equality is by element, identity is what dictionaries need

    __pos__ = Elementwise.positive

    @operator
    def __sub__(self, other: Tensor | Number) -> Tensor:
        return e.sub(_not_bool(self, other), other)

    @operator
    def __rsub__(self, other: Tensor | Number) -> Tensor:
        out = e.sub(other, _not_bool(self, other))
        return renamed(out, f"RsubBackward{int(not isinstance(other, TensorBase))}")

    @operator
    def __rtruediv__(self, other: Number) -> Tensor:
        return e.mul(e.reciprocal(self), other)  # rounded twice, as in PyTorch

    @operator
    def __pow__(self, other: Tensor | Number) -> Tensor:
        return self.pow(other)

    @operator
    def __rpow__(self, other: Number) -> Tensor:
        if kind_of(self, other) == "Bool":
            raise NotImplementedError("\"pow\" not implemented for 'Bool'")
        return renamed(e.pow(other, self), "PowBackward2")

    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self + alpha * other``."""
        return e.add(self, other if alpha is _ONE else _scaled(self, other, alpha))

    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self - alpha * other``."""
        _not_bool(self, other)
        return e.sub(self, other if alpha is _ONE else _scaled(self, other, alpha))

    def rsub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``other - alpha * self``."""
        _not_bool(self, other)
        own = self if alpha is _ONE else _scaled(self, self, alpha)
        node = "RsubBackward0" if isinstance(other, TensorBase) else "RsubBackward1"
        return renamed(e.sub(other, own), node)

    def mul(self, other: Tensor | Number) -> Tensor:
        """Return ``self * other``."""
        return e.mul(self, other)

    def div(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""
        if rounding_mode is None:
            return e.div(self, other)
        if rounding_mode in ("floor", "trunc") and kind_of(self, other) == "Bool":
            raise NotImplementedError(f"\"div_{rounding_mode}_cpu\" not implemented for 'Bool'")
        if rounding_mode == "floor":
            return e.divide_down(self, other)
        if rounding_mode == "trunc":
            return e.divide_towards_zero(self, other)
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )

    multiply, divide, subtract, true_divide = mul, div, sub, div

    def pow(self, exponent: Tensor | Number) -> Tensor:
        """Return ``self ** exponent``."""
        if self._array.dtype.kind == "b" and kind_of(self, exponent) == "Bool":
            if isinstance(exponent, TensorBase):
                raise NotImplementedError("\"pow\" not implemented for 'Bool'")
            return e.clone(self) if exponent else e.eq(self, self)
        if isinstance(exponent, TensorBase):
            return renamed(e.pow(self, exponent), "PowBackward1")
        if type(exponent) is int and self._array.dtype.kind in "iu":
            if exponent < 0:
                raise RuntimeError("Integers to negative integer powers are not allowed.")
            fill_number(exponent, self.dtype)  # type: ignore[attr-defined]
        elif abs(exponent) > 65504 and self._array.dtype.kind == "f":  # where float16 ends
            fill_number(exponent, self.dtype)  # type: ignore[attr-defined]
        return e.pow(self, exponent)

    def square(self) -> Tensor:
        """Return ``self ** 2``."""
        return e.pow(self, 2)

    neg, sign = e.neg, e.sign
    abs = only_for("fiu", "abs_cpu", e.abs)
    negative, absolute, __abs__ = neg, abs, abs
    sqrt, rsqrt, reciprocal = e.sqrt, e.rsqrt, e.reciprocal
    exp, log, log1p, sin, cos = e.exp, e.log, e.log1p, e.sin, e.cos
    floor = only_for("fiu", "floor_vml_cpu", e.floor)
    ceil = only_for("fiu", "ceil_vml_cpu", e.ceil)
    relu, tanh, sigmoid = e.relu, e.tanh, e.sigmoid
    eq, ne, lt, le, gt, ge = map(with_other, (e.eq, e.ne, e.lt, e.le, e.gt, e.ge))
    not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge
    maximum, minimum = with_tensor(e.maximum), with_tensor(e.minimum)
    bitwise_not = only_for("iub", "bitwise_not_cpu", e.bitwise_not)
    logical_and, logical_or = with_tensor(e.logical_and), with_tensor(e.logical_or)
    logical_xor, logical_not = with_tensor(e.logical_xor), e.logical_not
    isnan, isinf, isfinite = e.isnan, e.isinf, e.isfinite

    def round(self, *, decimals: int | None = None) -> Tensor:
        """Return the elements rounded to so many `decimals`; halves go to the even digit."""
        kind = kind_of(self)
        if decimals and self._array.dtype.kind != "f":
            raise NotImplementedError(f"\"round_cpu\" not implemented for '{kind}'")
        if kind == "Bool":
            raise NotImplementedError("\"round_vml_cpu\" not implemented for 'Bool'")
        out = e.round(self, decimals=decimals or 0)
        return out if decimals is None else renamed(out, "RoundBackward1")

    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:  # fmt: skip
        """Return `self` with every element moved into [min, max]; None leaves that end open.

        Raises:
            RuntimeError: both ends are None.
            TypeError: one is a tensor and the other a number.
        """
        if min is None and max is None:
            raise RuntimeError("nbmodule.clamp: At least one of 'min' or 'max' must not be None")
        tensors = [isinstance(end, TensorBase) for end in (min, max) if end is not None]
        if all(tensors):
            return renamed(_clamp_by_tensors(self, min, max), "ClampBackward0")
        if any(end._array.ndim for end in (min, max) if isinstance(end, TensorBase)):
            raise TypeError("clamp(): `min` and `max` must both be tensors, or both numbers")
        low, high = (end.item() if isinstance(end, TensorBase) else end for end in (min, max))  # type: ignore[attr-defined]
        return _clamp_by_numbers(self, low, high)

    clip = clamp

    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """Return `self` where it is at least `min`, else `min`."""
        if min is None:
            raise TypeError("clamp_min(): `min` is missing")
        if isinstance(min, TensorBase):
            return choices.clamp_min(self, min)
        return renamed(_clamp_by_numbers(self, min, None), "ClampMinBackward0")

    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """Return `self` where it is at most `max`, else `max`."""
        if max is None:
            raise TypeError("clamp_max(): `max` is missing")
        if isinstance(max, TensorBase):
            return choices.clamp_max(self, max)
        return renamed(_clamp_by_numbers(self, None, max), "ClampMaxBackward0")

    def equal(self, other: Tensor) -> bool:
        """Return whether both have the same shape and the same elements."""
        return self._array.shape == other._array.shape and bool(self.eq(other).all())

    def isclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:  # fmt: skip
        """Return for each element whether ``|self - other| <= atol + rtol * |other|``."""
        if not isinstance(other, TensorBase):
            raise _errors.not_a_tensor("isclose", "other", 1, other)
        a, b = kind_of(self), kind_of(other)
        if a != b:
            raise RuntimeError(f"{a} did not match {b}")
        for name, value in (("rtol", rtol), ("atol", atol)):
            if value < 0:
                raise RuntimeError(
                    f"{name} must be greater than or equal to zero, but got {value:g}"
                )
        close: Any = e.eq(self, other)
        if equal_nan:
            close = close | (e.isnan(self) & e.isnan(other))  # type: ignore[operator]
        if rtol == 0 and atol == 0:
            return close
        gap: Any = e.abs(e.sub(self.to(_as_float(self)), other))  # type: ignore[attr-defined]
        allowed: Any = e.add(e.abs(e.mul(other, float(rtol))), float(atol))
        return close | e.isfinite(gap) & e.le(gap, allowed)

    def allclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:  # fmt: skip
        """Return whether all elements are close."""
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """Return `self` where `condition` is True, else `other`."""
        return choose(condition, self, other)

    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Return `self` with `value` where `mask` is True."""
        if mask._array.dtype.kind != "b":
            raise RuntimeError(
                "masked_fill_ only supports boolean masks, but got mask with dtype "
                f"{_dtypes.of_numpy[mask._array.dtype].c_name}"
            )
        if isinstance(value, TensorBase) and value._array.ndim:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        if isinstance(value, TensorBase):
            # on a GPU, PyTorch does not wait for the number to see whether it fits
            filled = element_of(self, value) if at_hand(value._array) else value.to(self.dtype)  # type: ignore[attr-defined]
            return renamed(e.where(mask, filled, self), "MaskedFillBackward1")
        filled = self.new_full((), value)  # type: ignore[attr-defined]
        return renamed(e.where(mask, filled, self), "MaskedFillBackward0")


def choose(condition: TensorBase, a: Any, b: Any) -> Tensor:
    """Return `a` where `condition` is True, else `b`, in their common dtype."""
    if not isinstance(condition, TensorBase):
        raise _errors.not_a_tensor("where", "condition", 1, condition)
    found = _dtypes.of_numpy[condition._array.dtype]
    if found is not _dtypes.bool_ and found is not _dtypes.uint8:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            + found.scalar_name
        )
    common = _dtypes.result_type(*(getattr(side, "_array", side) for side in (a, b)))
    return e.where(condition, _in_type(a, common), _in_type(b, common))


def _in_type(x: Any, common: _dtypes.dtype) -> Any:
    """Return `x`, a tensor or a number, in the type `common`."""
    if not isinstance(x, TensorBase):
        return common.numpy.type(factor_number(x, common))
    return x if x._array.dtype == common.numpy else e.cast(x, dtype=common.numpy)


_ONE = 1
"""The default of `alpha`: only where something else was given is there something to check."""


def _as_float(t: TensorBase) -> Any:
    """Return the dtype in which differences of `t` are taken: its own, the default one for integers."""
    own = _dtypes.of_numpy[t._array.dtype]
    return own if own.is_floating_point else _dtypes.get_default_dtype()


def _clamp_by_tensors(t: TensorBase, low: Any, high: Any) -> Any:
    if high is None:
        return choices.clamp_min(t, low)
    return choices.clamp_max(t, high) if low is None else choices.clamp_between(t, low, high)


def _clamp_by_numbers(t: TensorBase, low: Any, high: Any) -> Any:
    """Clamp to numbers, of which one may be None; the limits of the type stand in for that."""
    ends = [end for end in (low, high) if end is not None]
    common = _dtypes.of_numpy[t._array.dtype]
    if not common.is_floating_point:
        common = _dtypes.result_type(t._array, *ends)
        if common is _dtypes.bool_:
            which = "" if len(ends) == 2 else "_max" if low is None else "_min"
            raise NotImplementedError(f"\"clamp{which}_scalar_cpu\" not implemented for 'Bool'")
        if t._array.dtype != common.numpy:
            t = e.cast(t, dtype=common.numpy)
    smallest, largest = limits(common.numpy)
    low = smallest if low is None else fill_number(low, common)
    return e.clamp(t, low, largest if high is None else fill_number(high, common))


def _scaled(t: TensorBase, other: Any, alpha: Number) -> Any:
    """Return ``alpha * other``, as `add` and `sub` take it."""
    common = _dtypes.result_type(t._array, getattr(other, "_array", other))
    alpha = factor_in(common, "alpha", alpha)
    if isinstance(other, TensorBase):
        if common.numpy != other._array.dtype:  # no digits are lost on the way
            other = other.to(common)  # type: ignore[attr-defined]
        return e.mul(other, alpha)
    return number(other, common.numpy) * alpha


def _not_bool(t: TensorBase, other: Any) -> Any:
    """Return `t`, unless one side of a subtraction is boolean."""
    if is_foreign(other):
        raise _errors.not_a_tensor("sub", "other", 1, other)
    own = t._array.dtype.kind == "b"
    others = isinstance(other, bool) or (
        isinstance(other, TensorBase) and other._array.dtype.kind == "b"
    )
    if own and others:
        raise RuntimeError(_errors.NO_SUBTRACTION_OF_TWO)
    if own or others:
        raise RuntimeError(_errors.NO_SUBTRACTION)
    return t
