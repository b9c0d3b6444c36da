"""Methods that compute element by element, and their operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _dtypes
from .._engine import TensorBase, write
from .._ops import elementwise as e
from .._ops import linalg

if TYPE_CHECKING:
    from .._tensor import Tensor

Number = int | float | bool


def _integral(t: TensorBase) -> bool:
    return t._array.dtype.kind in "iub"


class Arithmetic(TensorBase):
    """Arithmetic, exponentials, activations, comparisons, and matrix products."""

    # The rules themselves serve as operators: a wrapper would cost as much as a small addition.
    __add__ = __radd__ = e.add
    __mul__ = __rmul__ = e.mul
    __truediv__ = e.div
    __pow__ = e.pow
    __neg__ = e.neg
    __abs__ = e.abs
    __mod__ = e.remainder
    __floordiv__ = e.floor_divide
    __and__ = __rand__ = e.bitwise_and
    __or__ = __ror__ = e.bitwise_or
    __xor__ = __rxor__ = e.bitwise_xor
    __invert__ = e.bitwise_not
    __lt__, __le__, __gt__, __ge__ = e.lt, e.le, e.gt, e.ge

    def __pos__(self) -> Tensor:
        return self  # type: ignore[return-value]

    def __sub__(self, other: Tensor | Number) -> Tensor:
        return e.sub(_not_bool(self, other), other)

    def __rsub__(self, other: Number) -> Tensor:
        return e.sub(other, _not_bool(self, other))

    def __rtruediv__(self, other: Number) -> Tensor:
        return e.div(other, self)

    def __rpow__(self, other: Number) -> Tensor:
        return e.pow(other, self)

    def __rmod__(self, other: Number) -> Tensor:
        return e.remainder(other, self)

    def __rfloordiv__(self, other: Number) -> Tensor:
        return e.floor_divide(other, self)

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.matmul(other) if isinstance(other, TensorBase) else NotImplemented

    def __eq__(self, other: object) -> Any:
        return e.eq(self, other) if _comparable(other) else False

    def __ne__(self, other: object) -> Any:
        return e.ne(self, other) if _comparable(other) else True

    __hash__ = object.__hash__  # equality is by element, identity is what dictionaries need

    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self + alpha * other``."""
        return e.add(self, other if alpha == 1 else e.mul(other, alpha))

    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self - alpha * other``."""
        return e.sub(_not_bool(self, other), other if alpha == 1 else e.mul(other, alpha))

    def mul(self, other: Tensor | Number) -> Tensor:
        """Return ``self * other``."""
        return e.mul(self, other)

    def div(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""
        if rounding_mode is None:
            return e.div(self, other)
        if rounding_mode == "floor":
            return e.floor_divide(self, other)
        if rounding_mode == "trunc":
            quotient = e.div(self, other)
            whole = e.sign(quotient) * e.floor(e.abs(quotient))
            return whole.to(_dtypes.result_type(self._array, getattr(other, "_array", other)))
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )

    multiply, divide, subtract, true_divide = mul, div, sub, div

    def pow(self, exponent: Tensor | Number) -> Tensor:
        """Return ``self ** exponent``."""
        return e.pow(self, exponent)

    def square(self) -> Tensor:
        """Return ``self ** 2``."""
        return e.pow(self, 2)

    neg, abs, sign = e.neg, e.abs, e.sign
    negative, absolute = neg, abs
    sqrt, rsqrt, reciprocal = e.sqrt, e.rsqrt, e.reciprocal
    exp, log, log1p, sin, cos = e.exp, e.log, e.log1p, e.sin, e.cos
    floor, ceil, round = e.floor, e.ceil, e.round
    relu, tanh, sigmoid = e.relu, e.tanh, e.sigmoid
    eq, ne, lt, le, gt, ge = e.eq, e.ne, e.lt, e.le, e.gt, e.ge
    maximum, minimum = e.maximum, e.minimum
    remainder, floor_divide = e.remainder, e.floor_divide
    bitwise_not, bitwise_and, bitwise_or = e.bitwise_not, e.bitwise_and, e.bitwise_or
    logical_not, isnan, isinf, isfinite = e.logical_not, e.isnan, e.isinf, e.isfinite

    def clamp(self, min: Number | None = None, max: Number | None = None) -> Tensor:
        """Return `self` with every element moved into [min, max]; None leaves that end open.

        Raises:
            ValueError: both ends are None.
        """
        if min is None and max is None:
            raise ValueError("clamp: At least one of 'min' or 'max' must not be None")
        if _integral(self) and not any(isinstance(end, float) for end in (min, max)):
            limits = _dtypes.of_numpy[self._array.dtype].numpy
            low, high = _integer_limits(limits)
            return e.clamp(self, low if min is None else min, high if max is None else max)
        open_low, open_high = -float("inf"), float("inf")
        return e.clamp(self, open_low if min is None else min, open_high if max is None else max)

    clip = clamp

    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """Return `self` where `condition` is True, else `other`."""
        return choose(condition, self, other)

    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Return `self` with `value` where `mask` is True."""
        if mask._array.dtype.kind != "b":
            raise RuntimeError(
                "masked_fill_ only supports boolean masks, but got mask with dtype "
                f"{_dtypes.of_numpy[mask._array.dtype].name}"
            )
        filled = value if isinstance(value, TensorBase) else e.mul(ones_like_scalar(self), value)
        return e.where(mask, filled.to(self.dtype), self)  # type: ignore[attr-defined]

    def matmul(self, other: Tensor) -> Tensor:
        """Return the matrix product; leading dimensions broadcast.

        Args:
            other: (..., K, M) for `self` of shape (..., N, K); vectors (K,) are allowed on either side.

        Raises:
            RuntimeError: the shapes or the dtypes do not fit.
        """
        a, b = self._array, other._array
        if a.dtype != b.dtype:
            names = (
                _dtypes.of_numpy[x.dtype].legacy.removesuffix("Tensor").lower() for x in (a, b)
            )
            raise RuntimeError(
                "expected m1 and m2 to have the same dtype, but got: {} != {}".format(*names)
            )
        return linalg.mm(self, other) if a.ndim == b.ndim == 2 else linalg.matmul(self, other)

    def mm(self, mat2: Tensor) -> Tensor:
        """Return the matrix product of two matrices."""
        for name, t in (("self", self), ("mat2", mat2)):
            if t._array.ndim != 2:
                raise RuntimeError(f"{name} must be a matrix")
        return self.matmul(mat2)

    def dot(self, other: Tensor) -> Tensor:
        """Return the inner product of two vectors."""
        if self._array.ndim != 1 or other._array.ndim != 1:
            raise RuntimeError(
                f"1D tensors expected, but got {self._array.ndim}D and {other._array.ndim}D tensors"
            )
        return self.matmul(other)

    bmm = matmul

    # ---- in place

    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Add ``alpha * other`` in place."""
        return write(self, Arithmetic.add, other, alpha=alpha)

    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Subtract ``alpha * other`` in place."""
        return write(self, Arithmetic.sub, other, alpha=alpha)

    def mul_(self, other: Tensor | Number) -> Tensor:
        """Multiply by `other` in place."""
        return write(self, e.mul, other)

    def div_(self, other: Tensor | Number) -> Tensor:
        """Divide by `other` in place."""
        return write(self, e.div, other)

    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """Raise to the power of `exponent` in place."""
        return write(self, e.pow, exponent)

    def clamp_(self, min: Number | None = None, max: Number | None = None) -> Tensor:
        """Move every element into [min, max], in place."""
        return write(self, Arithmetic.clamp, min, max)

    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Put `value` where `mask` is True."""
        return write(self, Arithmetic.masked_fill, mask, value)

    def relu_(self) -> Tensor:
        """Replace negative elements by 0."""
        return write(self, e.relu)

    def neg_(self) -> Tensor:
        """Change the sign of every element."""
        return write(self, e.neg)

    def exp_(self) -> Tensor:
        """Replace every element by its exponential."""
        return write(self, e.exp)

    def sqrt_(self) -> Tensor:
        """Replace every element by its square root."""
        return write(self, e.sqrt)

    def tanh_(self) -> Tensor:
        """Replace every element by its hyperbolic tangent."""
        return write(self, e.tanh)

    def sigmoid_(self) -> Tensor:
        """Replace every element by its logistic sigmoid."""
        return write(self, e.sigmoid)

    multiply_ = mul_
    __iadd__, __isub__, __imul__, __itruediv__, __ipow__ = add_, sub_, mul_, div_, pow_


def choose(condition: TensorBase, a: Any, b: Any) -> Tensor:
    """Return `a` where `condition` is True, else `b`, in their common dtype."""
    if condition._array.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{_dtypes.of_numpy[condition._array.dtype]!r}"
        )
    common = _dtypes.result_type(getattr(a, "_array", a), getattr(b, "_array", b))
    sides: list[Any] = [a, b]
    for i, side in enumerate(sides):
        is_number = isinstance(side, (int, float))
        sides[i] = common.numpy.type(side) if is_number else side.to(common)
    return e.where(condition, *sides)


def ones_like_scalar(t: TensorBase) -> Tensor:
    """Return a 0-d tensor of 1 in the dtype and on the device of `t`."""
    return t.new_ones(())  # type: ignore[attr-defined]


def _integer_limits(kind: Any) -> tuple[int, int]:
    if kind.kind == "b":
        return 0, 1
    bits = 8 * kind.itemsize - (kind.kind == "i")
    return (-(1 << bits) if kind.kind == "i" else 0), (1 << bits) - 1


def _comparable(other: object) -> bool:
    return isinstance(other, (TensorBase, int, float)) or hasattr(other, "__array__")


def _not_bool(t: TensorBase, other: Any) -> Any:
    kinds = [x._array.dtype.kind for x in (t, other) if isinstance(x, TensorBase)]
    if kinds[0] == "b" and (isinstance(other, bool) or kinds[1:] == ["b"]):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    return t
