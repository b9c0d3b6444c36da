"""Methods that compute element by element, and their operators."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from .. import _dtypes, _errors
from .._engine import TensorBase, number, renamed
from .._errors import is_foreign
from .._ops import elementwise as e
from .._ops import linalg

if TYPE_CHECKING:
    from .._tensor import Tensor

Number = int | float | bool


def operator(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Turn ``function(self, other)`` into an operator: what is no tensor may know how to meet one."""

    def meet(self: Any, other: Any) -> Any:
        try:
            return function(self, other)
        except TypeError:
            if is_foreign(other):
                return NotImplemented
            raise

    return meet


def with_other(rule: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Turn a rule of two tensors into a method whose argument is called `other`."""

    @wraps(rule)
    def method(self: Any, other: Any) -> Any:
        return rule(self, other)

    return method


def reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Turn ``function(other, self)`` into an operator for `self` on the right."""
    return operator(lambda self, other: function(other, self))


def _integral(t: TensorBase) -> bool:
    return t._array.dtype.kind in "iub"


class Arithmetic(TensorBase):
    """Arithmetic, exponentials, activations, comparisons, and matrix products."""

    __add__, __radd__ = operator(e.add), reflected(e.add)
    __mul__, __rmul__ = operator(e.mul), reflected(e.mul)
    __truediv__ = operator(e.div)
    __mod__, __rmod__ = operator(e.remainder), reflected(e.remainder)
    __floordiv__, __rfloordiv__ = operator(e.floor_divide), reflected(e.floor_divide)
    __and__, __rand__ = operator(e.bitwise_and), reflected(e.bitwise_and)
    __or__, __ror__ = operator(e.bitwise_or), reflected(e.bitwise_or)
    __xor__, __rxor__ = operator(e.bitwise_xor), reflected(e.bitwise_xor)
    __lshift__, __rshift__ = operator(e.shift_left), operator(e.shift_right)
    __lt__, __le__, __gt__, __ge__ = map(operator, (e.lt, e.le, e.gt, e.ge))
    __eq__ = operator(e.eq)  # type: ignore[assignment]
    __ne__ = operator(e.ne)  # type: ignore[assignment]
    __neg__, __abs__, __invert__ = e.neg, e.abs, e.bitwise_not
    __hash__ = object.__hash__  # equality is by element, identity is what dictionaries need

    def __pos__(self) -> Tensor:
        return self  # type: ignore[return-value]

    @operator
    def __sub__(self, other: Tensor | Number) -> Tensor:
        return e.sub(_not_bool(self, other), other)

    @operator
    def __rsub__(self, other: Number) -> Tensor:
        return renamed(e.sub(other, _not_bool(self, other)), "RsubBackward1")

    @operator
    def __rtruediv__(self, other: Number) -> Tensor:
        return renamed(e.div(other, self), "MulBackward0")

    @operator
    def __pow__(self, other: Tensor | Number) -> Tensor:
        return self.pow(other)

    @operator
    def __rpow__(self, other: Number) -> Tensor:
        return renamed(e.pow(other, self), "PowBackward2")

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.matmul(other) if isinstance(other, TensorBase) else NotImplemented

    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self + alpha * other``."""
        return e.add(self, other if alpha == 1 else _scaled(self, other, alpha))

    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self - alpha * other``."""
        _not_bool(self, other)
        return e.sub(self, other if alpha == 1 else _scaled(self, other, alpha))

    def mul(self, other: Tensor | Number) -> Tensor:
        """Return ``self * other``."""
        return e.mul(self, other)

    def div(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""
        if rounding_mode is None:
            return e.div(self, other)
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
        out = e.pow(self, exponent)
        return renamed(out, "PowBackward1") if isinstance(exponent, TensorBase) else out

    def square(self) -> Tensor:
        """Return ``self ** 2``."""
        return e.pow(self, 2)

    neg, abs, sign = e.neg, e.abs, e.sign
    negative, absolute = neg, abs
    sqrt, rsqrt, reciprocal = e.sqrt, e.rsqrt, e.reciprocal
    exp, log, log1p, sin, cos = e.exp, e.log, e.log1p, e.sin, e.cos
    floor, ceil = e.floor, e.ceil
    relu, tanh, sigmoid = e.relu, e.tanh, e.sigmoid
    eq, ne, lt, le, gt, ge = map(with_other, (e.eq, e.ne, e.lt, e.le, e.gt, e.ge))
    not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge
    maximum, minimum = map(with_other, (e.maximum, e.minimum))
    remainder, floor_divide = map(with_other, (e.remainder, e.floor_divide))
    bitwise_and, bitwise_or = map(with_other, (e.bitwise_and, e.bitwise_or))
    bitwise_xor, bitwise_not = with_other(e.bitwise_xor), e.bitwise_not
    logical_and, logical_or = map(with_other, (e.logical_and, e.logical_or))
    logical_xor, logical_not = with_other(e.logical_xor), e.logical_not
    isnan, isinf, isfinite = e.isnan, e.isinf, e.isfinite

    def round(self, *, decimals: int = 0) -> Tensor:
        """Return the elements rounded to so many `decimals`; halves go to the even digit."""
        return e.round(self, decimals=decimals)

    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:  # fmt: skip
        """Return `self` with every element moved into [min, max]; None leaves that end open.

        Raises:
            RuntimeError: both ends are None.
        """
        if min is None and max is None:
            raise RuntimeError("nbmodule.clamp: At least one of 'min' or 'max' must not be None")
        if isinstance(min, TensorBase) or isinstance(max, TensorBase):
            raised = self if min is None else choose(e.lt(self, min), min, self)
            return raised if max is None else choose(e.gt(raised, max), max, raised)  # type: ignore[return-value]
        if _integral(self) and not any(isinstance(end, float) for end in (min, max)):
            limits = _dtypes.of_numpy[self._array.dtype].numpy
            low, high = _integer_limits(limits)
            return e.clamp(self, low if min is None else min, high if max is None else max)
        open_low, open_high = -float("inf"), float("inf")
        return e.clamp(self, open_low if min is None else min, open_high if max is None else max)

    clip = clamp

    def equal(self, other: Tensor) -> bool:
        """Return whether both have the same shape and the same elements."""
        return self._array.shape == other._array.shape and bool(self.eq(other).all())

    def isclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:  # fmt: skip
        """Return for each element whether ``|self - other| <= atol + rtol * |other|``."""
        a, b = (_dtypes.of_numpy[x._array.dtype].legacy[:-6] for x in (self, other))
        if a != b:
            raise RuntimeError(f"{a} did not match {b}")
        near: Any = e.abs(e.sub(self, other)) <= e.abs(other) * rtol + atol  # type: ignore[operator]
        close = e.eq(self, other) | near & e.isfinite(other)
        return close | (e.isnan(self) & e.isnan(other)) if equal_nan else close

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
        filled = value if isinstance(value, TensorBase) else e.mul(ones_like_scalar(self), value)
        return renamed(e.where(mask, filled.to(self.dtype), self), "MaskedFillBackward0")  # type: ignore[attr-defined]

    def matmul(self, other: Tensor) -> Tensor:
        """Return the matrix product; leading dimensions broadcast.

        Args:
            other: (..., K, M) for `self` of shape (..., N, K); vectors (K,) are allowed on either side.

        Raises:
            RuntimeError: the shapes or the dtypes do not fit.
        """
        if not isinstance(other, TensorBase):
            raise _errors.not_a_tensor("matmul", "other", 1, other)
        a, b = self._array, other._array
        if a.dtype != b.dtype:
            names = (_dtypes.of_numpy[x.dtype].c_name for x in (a, b))
            raise RuntimeError(
                "expected m1 and m2 to have the same dtype, but got: {} != {}".format(*names)
            )
        if a.ndim == b.ndim == 2:
            return linalg.mm(self, other)
        names_of = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (1, 2): "SqueezeBackward4"}
        out = linalg.matmul(self, other)
        return renamed(out, names_of.get((a.ndim, b.ndim), "UnsafeViewBackward0"))

    def mm(self, mat2: Tensor) -> Tensor:
        """Return the matrix product of two matrices."""
        for name, t in (("self", self), ("mat2", mat2)):
            if t._array.ndim != 2:
                raise RuntimeError(f"{name} must be a matrix")
        return self.matmul(mat2)

    def mv(self, vec: Tensor) -> Tensor:
        """Return the product of a matrix and a vector."""
        if self._array.ndim != 2 or vec._array.ndim != 1:
            raise RuntimeError(
                f"vector + matrix @ vector expected, got 1, {self._array.ndim}, {vec._array.ndim}"
            )
        return self.matmul(vec)

    def dot(self, tensor: Tensor) -> Tensor:
        """Return the inner product of two vectors."""
        if not isinstance(tensor, TensorBase):
            raise _errors.not_a_tensor("dot", "tensor", 1, tensor)
        if self._array.ndim != 1 or tensor._array.ndim != 1:
            raise RuntimeError(
                f"1D tensors expected, but got {self._array.ndim}D and {tensor._array.ndim}D tensors"
            )
        a, b = (_dtypes.of_numpy[x._array.dtype].legacy[:-6] for x in (self, tensor))
        if a != b:
            raise RuntimeError(
                f"dot : expected both vectors to have same dtype, but found {a} and {b}"
            )
        return self.matmul(tensor)

    def bmm(self, mat2: Tensor) -> Tensor:
        """Return the matrix product of each pair of matrices in two batches (N, ., .)."""
        for name, t in (("batch1", self), ("batch2", mat2)):
            if t._array.ndim != 3:
                raise RuntimeError(f"{name} must be a 3D tensor")
        a, b = self._array.shape, mat2._array.shape
        if b[:2] != (a[0], a[2]):
            raise RuntimeError(_errors.batches_text([a[0], a[2]], list(b[:2])))
        return renamed(self.matmul(mat2), "BmmBackward0")


def choose(condition: TensorBase, a: Any, b: Any) -> Tensor:
    """Return `a` where `condition` is True, else `b`, in their common dtype."""
    if not isinstance(condition, TensorBase):
        raise _errors.not_a_tensor("where", "condition", 1, condition)
    found = _dtypes.of_numpy[condition._array.dtype]
    if found is not _dtypes.bool_ and found is not _dtypes.uint8:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            + found.legacy.removesuffix("Tensor")
        )
    common = _dtypes.result_type(*(getattr(side, "_array", side) for side in (a, b))).numpy
    sides = [
        e.cast(x, dtype=common) if isinstance(x, TensorBase) else common.type(number(x, common))
        for x in (a, b)
    ]
    return e.where(condition, *sides)


def ones_like_scalar(t: TensorBase) -> Tensor:
    """Return a 0-d tensor of 1 in the dtype and on the device of `t`."""
    return t.new_ones(())  # type: ignore[attr-defined]


def _integer_limits(kind: Any) -> tuple[int, int]:
    if kind.kind == "b":
        return 0, 1
    bits = 8 * kind.itemsize - (kind.kind == "i")
    return (-(1 << bits) if kind.kind == "i" else 0), (1 << bits) - 1


def _scaled(t: TensorBase, other: Any, alpha: Number) -> Any:
    """Return ``alpha * other``, as `add` and `sub` take it."""
    if isinstance(alpha, float) and _integral(t):
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    return e.mul(other, alpha) if isinstance(other, TensorBase) else other * alpha


def _not_bool(t: TensorBase, other: Any) -> Any:
    """Return `t`, unless one side of a subtraction is boolean."""
    own = t._array.dtype.kind == "b"
    others = isinstance(other, bool) or (
        isinstance(other, TensorBase) and other._array.dtype.kind == "b"
    )
    if own and others:
        raise RuntimeError(_errors.NO_SUBTRACTION_OF_TWO)
    if own or others:
        raise RuntimeError(_errors.NO_SUBTRACTION)
    return t
