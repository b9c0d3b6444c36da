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


class _NoForm(Exception):
    """The arguments fit none of the forms."""


def parse_to(*args: Any, **kwargs: Any) -> tuple[Dtype | None, device | None, bool]:
    """Return dtype, device and whether to copy, from any of the ways in which ``to`` is called.

    Raises:
        TypeError: an argument is none of them.
        RuntimeError: there is no such device.
    """
    try:
        dtype, target, flags = _sorted_out(list(args), dict(kwargs))
    except _NoForm:
        raise invalid_call("to", args, kwargs, FORMS) from None
    copied = bool(flags[1]) if len(flags) > 1 else bool(kwargs.get("copy", False))
    return _dtypes.checked(dtype, "to"), None if target is None else device(target), copied


def _sorted_out(args: list[Any], named: dict[str, Any]) -> tuple[Any, Any, list[Any]]:
    """Return dtype, device and the flags that stood behind them."""
    first = args.pop(0) if args else None
    if isinstance(first, TensorBase):
        named = {"tensor": first, **named}
    elif _is_dtype(first):
        _put(named, "dtype", first)
    elif isinstance(first, (str, device, int)) and not isinstance(first, bool):
        _put(named, "device", first)
    elif first is not None:
        raise _NoForm
    if args and not isinstance(first, TensorBase) and not _is_dtype(first) and "dtype" not in named:
        named["dtype"] = args.pop(0)
    dtype, target, other = (named.pop(name, None) for name in ("dtype", "device", "tensor"))
    format, flags = named.pop("memory_format", None), list(args)
    flags += [named.pop(name) for name in ("non_blocking", "copy") if name in named]
    if (
        named
        or len(flags) > 2
        or not all(isinstance(f, bool) for f in flags)
        or not (dtype is None or _is_dtype(dtype))
        or not (target is None or isinstance(target, (str, device, int)))
        or not (format is None or isinstance(format, memory_format))
    ):
        raise _NoForm
    if other is not None:
        dtype, target = _dtypes.of_numpy[other._array.dtype], device_of(other._array)
    return dtype, target, args if len(args) > 1 else []


def _is_dtype(x: Any) -> bool:
    return isinstance(x, Dtype) or (isinstance(x, type) and x in _dtypes.of_python)


def _put(named: dict[str, Any], name: str, value: Any) -> None:
    if name in named:
        raise _NoForm
    named[name] = value


def _converter(target: Dtype, name: str, doc: str) -> Any:
    def method(self: Any, memory_format: Any = None) -> Any:
        if memory_format is None:
            return self.to(target)
        checked_format(name, memory_format)
        return self.to(target, memory_format=memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return `self` as {doc}."
    return method


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

    float = _converter(_dtypes.float32, "float", "float32")
    double = _converter(_dtypes.float64, "double", "float64")
    half = _converter(_dtypes.float16, "half", "float16")
    short = _converter(_dtypes.int16, "short", "int16")
    char = _converter(_dtypes.int8, "char", "int8")
    byte = _converter(_dtypes.uint8, "byte", "uint8")
    long = _converter(_dtypes.int64, "long", "int64")
    int = _converter(_dtypes.int32, "int", "int32")
    bool = _converter(_dtypes.bool_, "bool", "bool: whether each element is not 0")


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
