"""Arithmetic that overwrites its tensor: the methods whose names end in an underscore."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._engine import TensorBase, write
from .._ops import elementwise as e
from .arithmetic import Arithmetic, Number, operator

if TYPE_CHECKING:
    from .._tensor import Tensor


def in_place(rule: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Turn ``rule(t, ...)`` into a method that replaces the elements of `t` by the result.

    Args:
        rule: gives a result in the shape of its first argument.
        names: what the other arguments are called.
    """

    def method(self: TensorBase, *args: Any, **named: Any) -> Any:
        given = len(args)
        args += tuple(named.pop(name) for name in names[given:] if name in named)
        return write(self, rule, *args, **named)

    method.__name__ = method.__qualname__ = f"{rule.__name__}_"
    method.__doc__ = f"Do what `{rule.__name__}` does, in place, and return `self`."
    return method


class InPlace(TensorBase):
    """Arithmetic in place. What is recorded elsewhere is recorded here too, under the same rules."""

    abs_, neg_, sign_ = map(in_place, (e.abs, e.neg, e.sign))
    exp_, log_, log1p_ = map(in_place, (e.exp, e.log, e.log1p))
    sqrt_, rsqrt_, reciprocal_ = map(in_place, (e.sqrt, e.rsqrt, e.reciprocal))
    sin_, cos_, tanh_, sigmoid_, relu_ = map(in_place, (e.sin, e.cos, e.tanh, e.sigmoid, e.relu))
    floor_, ceil_ = map(in_place, (e.floor, e.ceil))
    round_, square_ = map(in_place, (Arithmetic.round, Arithmetic.square))
    mul_, remainder_ = in_place(e.mul, "other"), in_place(e.remainder, "other")
    floor_divide_ = in_place(e.floor_divide, "other")
    div_, pow_ = in_place(Arithmetic.div, "other"), in_place(Arithmetic.pow, "exponent")
    clamp_ = in_place(Arithmetic.clamp, "min", "max")
    masked_fill_ = in_place(Arithmetic.masked_fill, "mask", "value")
    bitwise_and_ = in_place(e.bitwise_and, "other")
    bitwise_or_ = in_place(e.bitwise_or, "other")
    bitwise_xor_ = in_place(e.bitwise_xor, "other")

    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Add ``alpha * other`` in place."""
        return write(self, Arithmetic.add, other, alpha=alpha)

    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Subtract ``alpha * other`` in place."""
        return write(self, Arithmetic.sub, other, alpha=alpha)

    multiply_, divide_, subtract_, clip_ = mul_, div_, sub_, clamp_
    __iadd__, __isub__, __imul__ = map(operator, (add_, sub_, mul_))
    __itruediv__, __ipow__ = map(operator, (div_, pow_))
    __ifloordiv__, __imod__ = map(operator, (floor_divide_, remainder_))
    __iand__, __ior__, __ixor__ = map(operator, (bitwise_and_, bitwise_or_, bitwise_xor_))
