"""Methods that bring a tensor to another dtype or device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _dtypes
from .._backend import at_hand, device, device_of, is_on, move
from .._dtypes import dtype as Dtype
from .._engine import TensorBase, op
from .._errors import invalid_call, not_a_tensor
from .._formats import RANKS, checked_format, memory_format, order_of
from .._ops import elementwise

if TYPE_CHECKING:
    from .._engine.state import Tensor

FORMS = """
 * (device device = None, dtype dtype = None, bool non_blocking = False, bool copy = False)
 * (dtype dtype, bool non_blocking = False, bool copy = False)
 * (Tensor tensor, bool non_blocking = False, bool copy = False)"""


OTHER_TENSOR = "tensor", "non_blocking", "copy"
OTHER_DTYPE = "dtype", "non_blocking", "copy"
OTHER_DEVICE = "device", "dtype", "non_blocking", "copy"
KINDS: dict[str, Any] = {
    "tensor": TensorBase,
    "dtype": (Dtype, type, type(None)),
    "device": (device, str, int, type(None)),
    "non_blocking": bool,
    "copy": bool,
    "memory_format": (memory_format, type(None)),
}


def parse_to(*args: Any, **kwargs: Any) -> tuple[Dtype | None, device | None, bool | None]:
    """Return dtype, device and `copy`, None where they are not given, from any of the ways in which ``to`` is called.

    Raises:
        TypeError: the arguments fit none of the forms.
        RuntimeError: there is no such device.
    """
    if len(args) > 4:
        raise TypeError(f"to() takes from 0 to 4 positional arguments but {len(args)} were given")
    first = args[0] if args else None
    if isinstance(first, TensorBase) or "tensor" in kwargs:
        names: tuple[str, ...] = OTHER_TENSOR
    elif isinstance(first, Dtype) or (isinstance(first, type) and first in _dtypes.of_python):
        names = OTHER_DTYPE
    else:
        names = OTHER_DEVICE
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    fit = len(args) <= len(names) and len(given) == len(args) + len(kwargs)
    for name, value in given.items():
        known = name in names or name == "memory_format"
        fit = fit and known and isinstance(value, KINDS[name])
    if not fit:
        raise invalid_call("to", args, kwargs, FORMS)
    if "tensor" in given:
        array = given["tensor"]._array
        return _dtypes.of_numpy[array.dtype], device_of(array), given.get("copy")
    target = given.get("device")
    dtype = _dtypes.checked(given.get("dtype"), "to")
    return dtype, None if target is None else device(target), given.get("copy")


def _cast(t: Any, target: Dtype, name: str, format: Any) -> Any:
    """Return `t` in the dtype `target`: what the method `name` was called for."""
    if format is None:
        return t.to(target)
    checked_format(name, format)
    return t.to(target, memory_format=format)


class Casting(TensorBase):
    """``to``, ``type``, ``float`` and their relatives."""

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return `self` in another dtype or on another device; itself where nothing changes.

        Call it as ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` or ``to(other_tensor)``; `copy`
        asks for a copy in any case, and `memory_format` for an order of the elements. With `non_blocking`
        a GPU reads pinned memory while the program goes on: do not write to it meanwhile.

        Raises:
            TypeError: it is called in none of these ways.
            NotImplementedError: `self` is on the meta device, and has no numbers to copy.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
        """
        out: Any = self
        if len(args) == 1 and not kwargs and type(args[0]) is Dtype:  # the common case, at once
            same = args[0].numpy == out._array.dtype
            return out if same else elementwise.cast(out, dtype=args[0].numpy)
        if len(args) == 1 and not kwargs and type(args[0]) is device:  # common, too
            stays = at_hand(out._array) if args[0]._type == "cpu" else is_on(out._array, args[0])
            return out if stays else moved(out, target=args[0], home=device_of(out._array))
        dtype, target, copied = parse_to(*args, **kwargs)
        waits = not kwargs.get("non_blocking", False)
        if dtype is not None and dtype.numpy != out._array.dtype:
            out = elementwise.cast(out, dtype=dtype.numpy)
        if target is not None and not is_on(out._array, target):
            out = moved(out, target=target, home=device_of(out._array), waits=waits)
        if kwargs.get("memory_format") in RANKS:
            return _in_format(out, kwargs["memory_format"])
        return out.clone() if copied and out is self else out

    def type(self, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        """Return the name of the type, such as "nbmodule.FloatTensor"; with `dtype` the cast tensor.

        Args:
            dtype: a dtype, or a legacy type such as ``nbmodule.FloatTensor``, or its name.
            non_blocking: accepted, without effect.
            **kwargs: none is known.

        Raises:
            ValueError: there is no such type.
            TypeError: `dtype` is something else.
        """
        if dtype is None:
            home = device_of(self._array)
            package = "nbmodule.cuda" if home.type == "cuda" else "nbmodule"
            return f"{package}.{_dtypes.of_numpy[self._array.dtype].legacy}"
        return self.to(_dtype_of_type(dtype))

    def type_as(self, other: Tensor) -> Tensor:
        """Return `self` in the dtype of `other`."""
        if not isinstance(other, TensorBase):
            raise not_a_tensor("type_as", "other", 1, other)
        return self.to(other)

    def cpu(self, memory_format: Any = None) -> Tensor:
        """Return `self` on the CPU."""
        checked_format("cpu", memory_format)
        return self.to("cpu", memory_format=memory_format)

    def cuda(self, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:  # fmt: skip
        """Return `self` on the GPU.

        Raises:
            AssertionError: there is none, or CuPy is not installed.
        """
        target = "cuda" if device is None else device
        return self.to(target, non_blocking=non_blocking, memory_format=memory_format)

    def float(self, memory_format: Any = None) -> Tensor:
        """Return `self` as float32."""
        return _cast(self, _dtypes.float32, "float", memory_format)

    def double(self, memory_format: Any = None) -> Tensor:
        """Return `self` as float64."""
        return _cast(self, _dtypes.float64, "double", memory_format)

    def half(self, memory_format: Any = None) -> Tensor:
        """Return `self` as float16."""
        return _cast(self, _dtypes.float16, "half", memory_format)

    def short(self, memory_format: Any = None) -> Tensor:
        """Return `self` as int16."""
        return _cast(self, _dtypes.int16, "short", memory_format)

    def char(self, memory_format: Any = None) -> Tensor:
        """Return `self` as int8."""
        return _cast(self, _dtypes.int8, "char", memory_format)

    def byte(self, memory_format: Any = None) -> Tensor:
        """Return `self` as uint8."""
        return _cast(self, _dtypes.uint8, "byte", memory_format)

    def long(self, memory_format: Any = None) -> Tensor:
        """Return `self` as int64."""
        return _cast(self, _dtypes.int64, "long", memory_format)

    def int(self, memory_format: Any = None) -> Tensor:
        """Return `self` as int32."""
        return _cast(self, _dtypes.int32, "int", memory_format)

    def bool(self, memory_format: Any = None) -> Tensor:
        """Return `self` as bool: whether each element is not 0."""
        return _cast(self, _dtypes.bool_, "bool", memory_format)


def _dtype_of_type(given: Any) -> Dtype:
    """Return the dtype that `given` stands for: a dtype, a legacy type, or the name of one."""
    if isinstance(given, Dtype):
        return given
    legacy = getattr(given, "_legacy_dtype", None)
    if isinstance(legacy, Dtype):
        return legacy
    if not isinstance(given, (str, type)):
        raise TypeError("dtype must be a type, str, or dtype object")
    text = given if isinstance(given, str) else given.__name__
    if isinstance(given, type) and given.__module__ == "nbmodule" and text == "Tensor":
        return _dtypes.get_default_dtype()
    library, _, name = text.rpartition(".")
    found = [d for d in _dtypes.KNOWN if d.legacy == name]
    if not found or library not in ("nbmodule", "torch"):
        raise ValueError(f"invalid type: '{text}'")
    return found[0]


def _in_format(t: Any, format: memory_format) -> Any:
    """Return `t` with its elements in the order of `format` in memory."""
    order = order_of(format, t.ndim)
    back = sorted(range(t.ndim), key=lambda i: order[i])
    return t.permute(order).contiguous().permute(back)


@op(name="ToCopyBackward0")
def moved(xp: Any, x: Any, *, target: device, home: device, waits: bool = True) -> Any:
    """Return a copy of `x`, which is on the device `home`, on `target`; its gradient travels back."""
    return move(x, target, waits), lambda g: moved.inside(xp, g, target=home, home=target)  # type: ignore[attr-defined]
