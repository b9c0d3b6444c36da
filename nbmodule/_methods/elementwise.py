"""Methods that compute element by element: angles, exponentials, special functions, parts of numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._data import fill_number
from .._engine import TensorBase, number, renamed, wrap
from .._errors import not_a_tensor
from .._ops import activations as act
from .._ops import (
    bessel,
    blends,
    choices,
    error_function,
    gamma,
    integers,
    number_parts,
    smooth_activations,
    waves,
)
from .._ops import elementwise as e
from ..return_types import results
from .common import kind_of, library, not_implemented
from .pytorch_errors import pytorch_errors_in_methods
from .rule_to_method import only_for, with_tensor

if TYPE_CHECKING:
    from .._engine.state import Tensor

Number = int | float | bool

frexp_results = results("frexp", "mantissa", "exponent")


def as_operand(t: TensorBase, value: Any, floating: bool = False) -> Any:
    """Return the number `value` as a 0-d tensor of the type in which it meets `t`; tensors stay.

    `floating`: for an operation that makes floats of integers.
    """
    if isinstance(value, TensorBase):
        return value
    common = _dtypes.result_type(t._array, value)
    if floating and not common.is_floating_point:
        common = _dtypes.get_default_dtype()
    xp = library(t)
    return wrap(xp.asarray(number(value, common.numpy), dtype=common.numpy))


@pytorch_errors_in_methods
class Elementwise(TensorBase):
    """Functions of one number, and of two."""

    # ---- angles, exponentials, special functions

    tan, sinh, cosh = waves.tan, waves.sinh, waves.cosh
    asin, acos, atan = waves.asin, waves.acos, waves.atan
    asinh, acosh, atanh = waves.asinh, waves.acosh, waves.atanh
    arcsin, arccos, arctan = asin, acos, atan
    arcsinh, arccosh, arctanh = asinh, acosh, atanh
    atan2 = arctan2 = with_tensor(waves.atan2)
    sinc, deg2rad, rad2deg = waves.sinc, waves.deg2rad, waves.rad2deg
    exp2, expm1, log2, log10 = waves.exp2, waves.expm1, waves.log2, waves.log10
    hypot = with_tensor(only_for("f", "hypot_cpu", waves.hypot))
    logaddexp = with_tensor(only_for("f", "logaddexp_cpu", waves.logaddexp))
    logaddexp2 = with_tensor(only_for("f", "logaddexp2_cpu", waves.logaddexp2))
    erf, erfc, erfinv = error_function.erf, error_function.erfc, error_function.erfinv
    lgamma, digamma, i0 = gamma.lgamma, gamma.digamma, bessel.i0
    igamma = with_tensor(only_for("f", "igamma_cpu", gamma.igamma))
    igammac = with_tensor(only_for("f", "igammac_cpu", gamma.igammac))

    def polygamma(self, n: int) -> Tensor:
        """Return the derivative of digamma of order `n` >= 0."""
        if n < 0:
            raise RuntimeError("polygamma(n, x) does not support negative n.")
        out = gamma.digamma(self) if n == 0 else gamma.polygamma(self, n=int(n))
        return renamed(out, "PolygammaBackward0") if n else out

    def mvlgamma(self, p: int) -> Tensor:
        """Return the logarithm of the multivariate gamma function of dimension `p` >= 1."""
        if self._array.dtype.kind == "b":
            raise RuntimeError("The input tensor may not be a boolean tensor.")
        if p < 1:
            raise RuntimeError("p has to be greater than or equal to 1")
        total: Any = gamma.lgamma(self)
        for j in range(1, p):
            total = e.add(total, gamma.lgamma(e.sub(self, 0.5 * j)))
        total = e.add(total, p * (p - 1) / 4 * math.log(math.pi))
        return renamed(total, "MvlgammaBackward0")

    def logit(self, eps: float | None = None) -> Tensor:
        """Return ``log(x / (1 - x))``; with `eps`, of x moved into [eps, 1 - eps]."""
        return smooth_activations.logit(self, eps=None if eps is None or eps < 0 else float(eps))

    def xlogy(self, other: Tensor | Number) -> Tensor:
        """Return ``self * log(other)``, 0 where `self` is 0."""
        out = waves.xlogy(self, as_operand(self, other, floating=True))
        return out if isinstance(other, TensorBase) else renamed(out, "XlogyBackward2")

    # ---- parts of numbers

    fix = trunc = only_for("fiu", "trunc_vml_cpu", number_parts.trunc)
    frac = only_for("f", "frac_cpu", number_parts.frac)
    signbit, isposinf, isneginf = number_parts.signbit, number_parts.isposinf, number_parts.isneginf
    nextafter = with_tensor(only_for("f", "nextafter_cpu", number_parts.nextafter))
    fmax, fmin = with_tensor(choices.fmax), with_tensor(choices.fmin)
    gcd, lcm = with_tensor(integers.gcd), with_tensor(integers.lcm)

    def ldexp(self, other: Tensor) -> Tensor:
        """Return ``self * 2**other``."""
        if not isinstance(other, TensorBase):
            raise not_a_tensor("ldexp", "other", 1, other)
        if other._array.dtype.kind == "b" and self._array.dtype.kind == "f":
            raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")
        if self._array.dtype.kind == "f" and other._array.dtype.kind in "iu":
            return number_parts.ldexp(self, other)
        return number_parts.ldexp_of_floats(self, other)

    def sgn(self) -> Tensor:
        """Return -1, 0 or 1."""
        return renamed(e.sign(self), "SgnBackward0")

    def positive(self) -> Tensor:
        """Return `self`."""
        if self._array.dtype.kind == "b":
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self  # type: ignore[return-value]

    def isreal(self) -> Tensor:
        """Return True for every element: there are no complex numbers here."""
        return e.eq(e.isnan(self), e.isnan(self))

    def conj(self) -> Tensor:
        """Return `self`, which is its own conjugate."""
        return self  # type: ignore[return-value]

    conj_physical = resolve_conj = resolve_neg = conj

    def angle(self) -> Tensor:
        """Return pi for negative numbers, NaN for NaN, else 0."""
        return waves.angle(self)

    def frexp(self) -> tuple[Tensor, Tensor]:
        """Return `mantissa` in [0.5, 1) and `exponent` with ``self == mantissa * 2**exponent``."""
        if self._array.dtype.kind != "f":
            raise RuntimeError("nbmodule.frexp() only supports floating-point dtypes")
        mantissa = renamed(number_parts.mantissa(self), "FrexpBackward0")
        return frexp_results((mantissa, number_parts.exponent(self)))

    def fmod(self, other: Tensor | Number) -> Tensor:
        """Return what is left after division by `other`, with the sign of `self`."""
        if kind_of(self, other) == "Bool":
            raise NotImplementedError("\"fmod_cpu\" not implemented for 'Bool'")
        out = number_parts.fmod(self, other)
        return out if isinstance(other, TensorBase) else renamed(out, "FmodBackward0")

    def copysign(self, other: Tensor | Number) -> Tensor:
        """Return the size of `self` with the sign of `other`; integers become floats."""
        out = number_parts.copysign(self, as_operand(self, other, floating=True))
        return out if isinstance(other, TensorBase) else renamed(out, "CopysignBackward1")

    def heaviside(self, values: Tensor) -> Tensor:
        """Return 0 where `self` is negative, 1 where it is positive, and `values` where it is 0."""
        if self._array.dtype != values._array.dtype:
            raise RuntimeError(
                "heaviside is not yet implemented for tensors with different dtypes."
            )
        return number_parts.heaviside(self, values)

    def nan_to_num(self, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Tensor:  # fmt: skip
        """Return `self` with numbers for NaN (0) and the infinities (the largest and smallest finite)."""
        for value in (nan, posinf, neginf):
            if value is not None:
                math.isinf(value)  # a TypeError for what is no number
        if self._array.dtype.kind != "f":
            return e.clone(self)
        limits = np.finfo(self._array.dtype)
        return number_parts.nan_to_num(
            self,
            nan=0.0 if nan is None else nan,
            posinf=float(limits.max) if posinf is None else posinf,
            neginf=float(limits.min) if neginf is None else neginf,
        )

    # ---- two or three numbers at once

    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """Return ``self ** exponent``, computed in float64."""
        double = _dtypes.float64.numpy
        base = self if self._array.dtype == double else e.cast(self, dtype=double)
        if isinstance(exponent, TensorBase):
            if exponent._array.dtype != double:
                exponent = e.cast(exponent, dtype=double)
            return renamed(e.pow(base, exponent), "PowBackward1")
        return e.pow(base, float(exponent))

    def lerp(self, end: Tensor, weight: Tensor | float) -> Tensor:
        """Return ``self + weight * (end - self)``."""
        kind = self._array.dtype
        given = {"end": end, "weight": weight}
        if not isinstance(end, TensorBase):
            raise TypeError("end must be a Tensor")
        for name, x in given.items():
            if isinstance(x, TensorBase) and x._array.dtype != kind and (x._array.ndim or name == "end"):  # fmt: skip
                found = _dtypes.of_numpy[x._array.dtype]
                raise RuntimeError(
                    f"expected dtype {_short_name(kind)} for `{name}` but got dtype "
                    f"{_short_name(found.numpy)}"
                )
        by_tensor = isinstance(weight, TensorBase) and weight._array.ndim > 0
        if kind.kind != "f":
            kernel = "lerp_kernel_tensor" if by_tensor else "lerp_kernel_scalar"
            raise not_implemented(kernel, self)
        if isinstance(weight, TensorBase):
            return blends.lerp(self, end, e.cast(weight, dtype=kind) if weight._array.dtype != kind else weight)  # fmt: skip
        xp = library(self)
        out = blends.lerp(self, end, wrap(xp.asarray(float(weight), dtype=kind)))
        return renamed(out, "LerpBackward0")

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """Return ``self + value * tensor1 * tensor2``."""
        common = _dtypes.result_type(self._array, tensor1._array, tensor2._array)
        if common is _dtypes.bool_:
            raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool'")
        if not common.is_floating_point:
            value = fill_number(value, common)
        return blends.addcmul(self, tensor1, tensor2, value=value)

    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """Return ``self + value * tensor1 / tensor2``."""
        sides = _dtypes.result_type(tensor1._array, tensor2._array)
        if not sides.is_floating_point:
            raise RuntimeError(NO_INTEGER_ADDCDIV)
        return blends.addcdiv(self, tensor1, tensor2, value=value)

    # ---- activations

    def hardshrink(self, lambd: float = 0.5) -> Tensor:
        """Return `self` where it is outside of [-lambd, lambd], else 0."""
        if self._array.dtype.kind != "f":
            raise not_implemented("hardshrink_cpu", self)
        return act.hardshrink(self, lambd=fill_number(float(lambd), self.dtype))  # type: ignore[attr-defined]

    def prelu(self, weight: Tensor) -> Tensor:
        """Return `self` where it is positive, else `self` times `weight`, one number for each channel.

        Args:
            weight: of one element, or (C,) where `self` is (N, C, ...).
        """
        if not isinstance(weight, TensorBase):
            raise not_a_tensor("prelu", "weight", 1, weight)
        shaped = _for_channels(self, weight)
        if self._array.dtype.kind != "f":
            raise not_implemented("prelu_cpu", self)
        return act.prelu(self, shaped)


def _short_name(kind: Any) -> Any:
    return {
        "float16": "c10::Half",
        "float32": "float",
        "float64": "double",
        "int64": "long int",
    }.get(kind.name, kind.name)


def _for_channels(t: TensorBase, weight: TensorBase) -> Any:
    """Return the weight of `prelu` in a shape that broadcasts along dimension 1 of `t`."""
    if t._array.dtype != weight._array.dtype:
        kinds = kind_of(t), kind_of(weight)
        raise RuntimeError("prelu: Type promoting not supported. Got {} and {}".format(*kinds))
    count, ndim = weight._array.size, t._array.ndim
    if count != 1:
        if ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = t._array.shape[1] if ndim > 1 else 1
        if channels != count:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
    if weight._array.ndim > 1:
        raise RuntimeError(
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
            f"{weight._array.ndim}"
        )
    if ndim < 2 or count == 1:
        return weight.reshape((1,) * ndim)  # type: ignore[attr-defined]
    return weight.reshape((1, -1) + (1,) * (ndim - 2))  # type: ignore[attr-defined]


NO_INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
    "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
    "value * nbmodule.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
    "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
    "(input + value * tensor1 / tensor2), for all dtypes."
)
