"""PyTorch's first names for its types: ``FloatTensor``, ``LongTensor`` and their relatives.

They make tensors, and ``isinstance(x, FloatTensor)`` asks for the dtype, but no tensor has them as its class.
"""

from __future__ import annotations

from typing import Any

from . import _dtypes
from ._data import legacy_array
from ._engine import TensorBase, wrap
from ._errors import warn_once
from ._formats import strided
from ._methods.copying import alias
from ._tensor import Tensor

_DEPRECATED = (
    "nbmodule.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
    "nbmodule.set_default_dtype() and nbmodule.set_default_device() as alternatives."
)
_ONLY_FLOATS = "only floating-point types are supported as the default type"


class tensortype(type):  # PyTorch spells this class in lower case
    """The class of the legacy types.

    Args:
        name: such as "FloatTensor".
        dtype: of the tensors that the type makes.
    """

    _legacy_dtype: _dtypes.dtype
    is_cuda = False
    is_sparse = False
    layout = strided

    def __new__(cls, name: str, dtype: _dtypes.dtype) -> Any:
        """Make a type of this name."""
        made = super().__new__(cls, name, (), {"__module__": "nbmodule"})
        made._legacy_dtype = dtype
        return made

    def __init__(cls, name: str, dtype: _dtypes.dtype) -> None:
        """`__new__` has done everything."""

    @property
    def dtype(cls) -> _dtypes.dtype:
        """The dtype of the tensors that the type makes."""
        return cls._legacy_dtype

    def __instancecheck__(cls, instance: object) -> bool:
        if not isinstance(instance, Tensor):
            return False
        return instance.dtype is cls._legacy_dtype and instance.device.type == "cpu"

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        """Return a tensor of the given sizes, or of the given data, or on the memory of a tensor.

        Raises:
            TypeError: the arguments are something else, or a tensor of another dtype.
        """
        array = legacy_array(cls._legacy_dtype, args, kwargs)
        if args and isinstance(args[0], TensorBase) and array is args[0]._array:
            return alias(args[0])
        return wrap(array)


tensortype.__module__ = "nbmodule"

FloatTensor = tensortype("FloatTensor", _dtypes.float32)
DoubleTensor = tensortype("DoubleTensor", _dtypes.float64)
HalfTensor = tensortype("HalfTensor", _dtypes.float16)
ByteTensor = tensortype("ByteTensor", _dtypes.uint8)
CharTensor = tensortype("CharTensor", _dtypes.int8)
ShortTensor = tensortype("ShortTensor", _dtypes.int16)
IntTensor = tensortype("IntTensor", _dtypes.int32)
LongTensor = tensortype("LongTensor", _dtypes.int64)
BoolTensor = tensortype("BoolTensor", _dtypes.bool_)

_by_name = {
    t.__name__: t
    for t in (
        FloatTensor, DoubleTensor, HalfTensor, ByteTensor, CharTensor, ShortTensor, IntTensor, LongTensor,
        BoolTensor,
    )
}  # fmt: skip


def set_default_tensor_type(t: Any) -> None:
    """Make the dtype of the legacy type `t`, or of its name, the default dtype. Deprecated.

    Raises:
        TypeError: it is no legacy type of floats.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
    """
    warn_once(_DEPRECATED, 2)
    if isinstance(t, str):
        library, _, name = t.rpartition(".")
        t = _by_name.get(name) if library in ("nbmodule", "torch") else None
    if not isinstance(t, tensortype):
        raise TypeError(f"invalid type object: {_ONLY_FLOATS}")
    if not t._legacy_dtype.is_floating_point:
        raise TypeError(_ONLY_FLOATS)
    _dtypes.set_default_dtype(t._legacy_dtype)


def typename(obj: Any, /) -> str:
    """Return the name of the type of `obj`, with its module: "nbmodule.FloatTensor" for a tensor."""
    if isinstance(obj, TensorBase):
        return obj.type()  # type: ignore[attr-defined]
    module = getattr(obj, "__module__", "") or ""
    if hasattr(obj, "__qualname__"):
        name = obj.__qualname__
    elif hasattr(obj, "__name__"):
        name = obj.__name__
    else:
        module, name = type(obj).__module__ or "", type(obj).__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"
