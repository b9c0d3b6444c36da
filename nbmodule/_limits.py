"""What numbers a dtype can hold: `finfo` for floats, `iinfo` for integers.

Source: https://docs.pytorch.org/docs/stable/type_info.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _dtypes
from ._dtypes import dtype as Dtype


def _checked(name: str, type: Any) -> Dtype:
    if not isinstance(type, Dtype):
        raise TypeError(
            f"{name}(): argument 'type' (position 1) must be nbmodule.dtype, not "
            f"{type.__class__.__name__}"
        )
    return type


class _Limits:
    """What `finfo` and `iinfo` share.

    Attributes:
        bits: how many bits a number takes.
        dtype: the name of the dtype.
        max: the largest number.
        min: the smallest.
    """

    __slots__ = ("bits", "dtype", "max", "min")

    bits: int
    dtype: str
    max: Any
    min: Any

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash((type(self), self.dtype))


class finfo(_Limits):  # PyTorch spells this class in lower case
    """The limits of a floating point dtype.

    Args:
        type: the dtype; by default the one that new tensors of floats get. For a complex one,
            these are the limits of the real and imaginary parts.

    Attributes:
        eps: the distance from 1 to the next number.
        tiny: the smallest positive number that is held with full precision.
        smallest_normal: the same.
        resolution: the precision in decimals.

    Raises:
        TypeError: `type` is not a floating point dtype.
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    __module__ = "nbmodule"

    def __init__(self, type: Dtype | None = None) -> None:
        type = _dtypes.get_default_dtype() if type is None else _checked("finfo", type).to_real()
        if not type.is_floating_point:
            raise TypeError(
                "nbmodule.finfo() requires a floating point input type. Use nbmodule.iinfo to handle "
                "'nbmodule.finfo'"
            )
        found = np.finfo(type.numpy)
        self.bits, self.dtype = 8 * type.itemsize, type.name
        self.min, self.max, self.eps = float(found.min), float(found.max), float(found.eps)
        self.tiny = self.smallest_normal = float(found.tiny)
        self.resolution = float(str(found.resolution))

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):  # PyTorch spells this class in lower case
    """The limits of an integer dtype.

    Args:
        type: the dtype.

    Raises:
        TypeError: `type` is not an integer dtype.
    """

    __slots__ = ()

    __module__ = "nbmodule"

    def __init__(self, type: Dtype) -> None:
        type = _checked("iinfo", type)
        if type.category >= _dtypes.FLOATING:
            raise TypeError(
                "nbmodule.iinfo() requires an integer input type. Use nbmodule.finfo to handle "
                "'nbmodule.iinfo'"
            )
        if type is _dtypes.bool_:
            raise TypeError("nbmodule.bool is not supported by nbmodule.iinfo")
        found = np.iinfo(type.numpy)
        self.bits, self.dtype = 8 * type.itemsize, type.name
        self.min, self.max = int(found.min), int(found.max)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
