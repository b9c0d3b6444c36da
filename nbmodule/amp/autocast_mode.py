"""`autocast`: PyTorch's switch for casting by itself. Here it warns and stays off.

Casting pays on a GPU with 16-bit units; NumPy is slower with 16 bits than with 32, and has no bfloat16. With
casting off, results keep the types of their tensors: more digits than PyTorch's, not fewer.

Source: https://docs.pytorch.org/docs/stable/amp.html#autocasting
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import _dtypes
from .._device import device as Device
from ._state import NO_CASTING, chosen, get_autocast_dtype, is_autocast_enabled, kind_of

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]


def is_autocast_available(device_type: str) -> bool:
    """Return whether `autocast` knows a type of device. That casting stays off, `is_autocast_enabled` says.

    Args:
        device_type: such as "cpu" or "cuda".

    Raises:
        RuntimeError: there is no such type of device.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.is_autocast_available

    Example:
        >>> import nbmodule
        >>> nbmodule.amp.is_autocast_available("cpu"), nbmodule.amp.is_autocast_available("meta")
        (True, False)
    """
    return kind_of("_is_autocast_available", device_type) not in NO_CASTING


def autocast_decorator(autocast_instance: autocast, func: Callable[..., Any]) -> Callable[..., Any]:
    """Return `func` such that each call runs within `autocast_instance`.

    Args:
        autocast_instance: what to enter.
        func: what to call.

    Source: https://docs.pytorch.org/docs/stable/amp.html#autocasting
    """

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


class autocast:  # PyTorch spells this class in lower case
    """Ask for casting in a block, or, as a decorator, in a function. It warns, and stays off.

    Results keep the types of their tensors: with float32 parameters everything is float32.

    Args:
        device_type: such as "cpu" or "cuda".
        dtype: what PyTorch would cast to; `get_autocast_dtype` says it within the block.
        enabled: False asks for nothing, and does not warn.
        cache_enabled: whether PyTorch would keep the casted weights.

    Raises:
        ValueError: `device_type` is no string.
        RuntimeError: PyTorch has no casting for it.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.autocast

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Linear(2, 1)
        >>> with nbmodule.autocast("cpu", enabled=False):
        ...     layer(nbmodule.ones(3, 2)).dtype
        nbmodule.float32
    """

    def __init__(self, device_type: str, dtype: _dtypes.dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None):  # fmt: skip
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self._cache_enabled = True if cache_enabled is None else cache_enabled
        self._enabled = False
        if enabled:
            warnings.warn(self._why_not(dtype), stacklevel=2)

    def _why_not(self, dtype: _dtypes.dtype | None) -> str:
        """Return why casting is off: PyTorch's own reason, where it has one."""
        from .. import cuda

        name = self.device.upper()
        if self.device == "cuda" and not cuda.is_available():
            return "CUDA is not available or torch_xla is imported. Disabling autocast."
        if self.device != "cuda" and dtype not in (None, _dtypes.float16):
            return (
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of nbmodule.bfloat16, nbmodule.float16 currently."
            )
        return (
            f"In {name} autocast, but nbmodule does not cast by itself. Disabling autocast: "
            "results keep the types of their tensors."
        )

    def __enter__(self) -> autocast:
        self.prev_fastdtype = get_autocast_dtype(self.device)
        chosen.types[Device(self.device).type] = self.fast_dtype
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> bool:
        chosen.types[Device(self.device).type] = self.prev_fastdtype
        return False

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return `func` such that each call runs within this."""
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with nbmodule.autocast(device_type=...):\n        output = model(input)"
            )
        return autocast_decorator(self, func)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: _dtypes.dtype | None = None) -> Any:  # fmt: skip
    """Decorate the `forward` of an `autograd.Function`: note in its ctx that casting is off.

    Args:
        fwd: the method; None: return the decorator.
        device_type: such as "cpu" or "cuda".
        cast_inputs: what PyTorch casts inputs to where casting is on; so it has no effect.

    Raises:
        ValueError: `device_type` is no string.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.custom_fwd

    Example:
        >>> import nbmodule
        >>> class Double(nbmodule.autograd.Function):
        ...     @staticmethod
        ...     @nbmodule.amp.custom_fwd(device_type="cpu")
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     @nbmodule.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> x = nbmodule.ones(2, requires_grad=True)
        >>> Double.apply(x).sum().backward()
        >>> x.grad
        tensor([2., 2.])
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype = get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = is_autocast_enabled(device_type)
        return fwd(*args, **kwargs)

    return decorate_fwd


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorate the `backward` of an `autograd.Function`: it runs with the casting that `forward` had.

    Args:
        bwd: the method; None: return the decorator.
        device_type: such as "cpu" or "cuda".

    Raises:
        ValueError: `device_type` is no string.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.custom_bwd

    Example:
        >>> import nbmodule
        >>> nbmodule.amp.custom_bwd(device_type="cpu").keywords  # a decorator
        {'device_type': 'cpu'}
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(device_type, dtype=ctx._dtype, enabled=ctx._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return decorate_bwd
