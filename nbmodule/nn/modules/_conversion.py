"""Methods of a Module that replace the numbers in its parameters and buffers: other types, other devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ... import __future__ as choices
from ... import _dtypes, _factories
from ..._backend import device as Device
from ..._dtypes import dtype as Dtype
from ..._tensor import Tensor
from ...autograd import no_grad
from ..parameter import Parameter, is_lazy
from ._walks import has_children

if TYPE_CHECKING:
    from .module import Module

T = TypeVar("T", bound="Module")

NO_DATA = "Cannot copy out of meta tensor; no data!"

NO_SHARED_MEMORY = (
    "share_memory() is not supported: the arrays of NumPy live in the memory of one process. "
    "Send a state_dict() to the other process instead."
)

FORMS_OF_TO = """
 * (nbmodule.device device = None, nbmodule.dtype dtype = None, bool non_blocking = False, bool copy = False, *, nbmodule.memory_format memory_format = None)
 * (nbmodule.dtype dtype, bool non_blocking = False, bool copy = False, *, nbmodule.memory_format memory_format = None)
 * (Tensor tensor, bool non_blocking = False, bool copy = False, *, nbmodule.memory_format memory_format = None)
"""


def apply_to_tensors(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
    """Replace the numbers of all parameters, gradients and buffers by ``fn`` of them.

    The Parameter objects stay the same, so an optimizer goes on knowing them.
    """
    for module in self.children() if recurse and has_children(self) else ():
        module._apply(fn)
    for name, parameter in self._parameters.items():
        if parameter is not None:
            self._parameters[name] = _converted(parameter, fn)
    for name, buffer in self._buffers.items():
        if buffer is not None:
            self._buffers[name] = fn(buffer)
    return self


def _converted(parameter: Parameter, fn: Callable[[Tensor], Tensor]) -> Parameter:
    """Put ``fn(parameter)`` into `parameter`, or into a new one where the old cannot hold it."""
    with no_grad():
        values = fn(parameter)
    gradient, result = parameter.grad, parameter
    if _fits(parameter, values):
        parameter.data = values
    else:
        result = Parameter(values, parameter.requires_grad)
    if gradient is not None:
        with no_grad():
            values = fn(gradient)
        if _fits(gradient, values):
            gradient.data = values
        else:
            result.grad = values.requires_grad_(gradient.requires_grad)
    return result


def _fits(old: Tensor, new: Tensor) -> bool:
    """Return whether `old` is to take over the memory of `new`: tensors without memory stay apart.

    Raises:
        TypeError: `new` is no tensor.
    """
    if not isinstance(new, Tensor):
        raise TypeError(
            "_has_compatible_shallow_copy_type(): argument 'from' (position 2) must be Tensor, not "
            f"{type(new).__name__}\nA function that converts the parameters of a Module returns tensors."
        )
    if choices.get_overwrite_module_params_on_conversion():
        return choices.get_swap_module_params_on_conversion()
    return old.is_meta == new.is_meta


def to(self: T, *args: Any, **kwargs: Any) -> T:
    """Move all parameters and buffers to a device, and the floating point ones to a dtype.

    Call it as ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``. It changes the module
    itself, and returns it. `memory_format` lays out what has four or five dimensions; `non_blocking` is accepted
    and has no effect.

    Raises:
        TypeError: the dtype is not a floating point one, or the arguments fit no form.
        NotImplementedError: a tensor on the "meta" device has no numbers to move; see `to_empty`.
    """
    device, dtype = parsed(args, kwargs)
    if dtype is not None and not dtype.is_floating_point:
        raise TypeError(
            _dtypes.NO_COMPLEX
            if dtype.is_complex
            else "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            f"dtype={dtype!r}"
        )

    layout = kwargs.get("memory_format")

    def convert(t: Tensor) -> Tensor:
        if device is None and layout is None:
            return t.to(dtype) if t.is_floating_point() else t
        target: dict[str, Any] = {
            "device": device,
            "dtype": dtype if t.is_floating_point() else None,
        }
        if layout is not None and t.dim() in (4, 5):
            target["memory_format"] = layout
        try:
            return t.to(**target)
        except NotImplementedError as error:
            if str(error) != NO_DATA:
                raise
            raise NotImplementedError(
                f"{error} Please use nbmodule.nn.Module.to_empty() instead of nbmodule.nn.Module.to() when "
                "moving module from meta to a different device."
            ) from None

    return self._apply(convert)


def parsed(args: tuple, kwargs: dict[str, Any]) -> tuple[Device | None, Dtype | None]:
    """Return device and dtype from the arguments of `Module.to`, in whichever form they come.

    Raises:
        TypeError: they fit no form.
        RuntimeError: `copy` is among them, or there is no such device.
    """
    if len(args) > 4:
        raise TypeError(f"to() takes from 0 to 4 positional arguments but {len(args)} were given")
    first = args[0] if args else None
    if isinstance(first, Tensor) or "tensor" in kwargs:
        names = ["tensor"]
    elif isinstance(first, (Dtype, type)):
        names = ["dtype"]
    else:
        names = ["device", "dtype"]
    names += ["non_blocking", "copy"]
    given = dict(zip(names, args, strict=False))
    known = {*names, "memory_format"}
    if len(args) > len(names) or not kwargs.keys() <= known - given.keys():
        raise wrong_arguments(args, kwargs)
    given.update(kwargs)
    if not all(_has_right_type(name, value) for name, value in given.items()):
        raise wrong_arguments(args, kwargs)
    if "copy" in given:
        raise RuntimeError(".to() does not accept copy argument")
    if "tensor" in given:
        return given["tensor"].device, given["tensor"].dtype
    device, dtype = given.get("device"), given.get("dtype")
    return None if device is None else Device(device), _dtypes.checked(dtype, "to")


def _has_right_type(name: str, value: Any) -> bool:
    kinds: dict[str, Any] = {
        "tensor": Tensor,
        "dtype": (Dtype, type, type(None)),
        "device": (Device, str, int, type(None)),
        "non_blocking": bool,
        "copy": bool,
    }
    if name == "memory_format":
        return value is None or type(value).__name__ == "memory_format"
    return isinstance(value, kinds[name])


def wrong_arguments(args: tuple, kwargs: dict[str, Any]) -> TypeError:
    """Return the error for arguments that fit no form of ``to``."""
    shown = [_type_name(a) for a in args]
    shown += [f"{name}={_type_name(kwargs[name])}" for name in sorted(kwargs)]
    got = ", ".join(shown) + ("" if args else ", ")
    return TypeError(
        f"to() received an invalid combination of arguments - got ({got}), but expected one of:"
        + FORMS_OF_TO
    )


def _type_name(value: Any) -> str:
    if isinstance(value, (Dtype, Device)):
        return f"nbmodule.{type(value).__name__}"
    return type(value).__name__


def to_empty(self: T, *, device: Any, recurse: bool = True) -> T:
    """Move all parameters and buffers to `device` without their numbers, and return the module.

    Args:
        self: the module.
        device: where to make room.
        recurse: whether to do the same below.
    """
    return self._apply(lambda t: _factories.empty_like(t, device=device), recurse=recurse)


def cpu(self: T) -> T:
    """Move all parameters and buffers to the CPU."""
    return self._apply(lambda t: t.cpu())


def cuda(self: T, device: Any = None) -> T:
    """Move all parameters and buffers to a GPU."""
    return self._apply(lambda t: t.to("cuda" if device is None else device))


def to_type(self: T, dst_type: Any) -> T:
    """Cast all parameters and buffers to `dst_type`."""
    return self._apply(lambda t: t.type(dst_type))


def to_float(self: T) -> T:
    """Cast all floating point parameters and buffers to float32."""
    return self._apply(lambda t: t.float() if t.is_floating_point() else t)


def double(self: T) -> T:
    """Cast all floating point parameters and buffers to float64."""
    return self._apply(lambda t: t.double() if t.is_floating_point() else t)


def half(self: T) -> T:
    """Cast all floating point parameters and buffers to float16."""
    return self._apply(lambda t: t.half() if t.is_floating_point() else t)


def share_memory(self: Module) -> Any:
    """Refuse: what NumPy allocates cannot be moved to memory that processes share.

    Raises:
        NotImplementedError: always.
    """
    for tensor in (*self.parameters(), *self.buffers()):
        if is_lazy(tensor):
            tensor.share_memory_()  # it refuses in words of its own
    raise NotImplementedError(NO_SHARED_MEMORY)
