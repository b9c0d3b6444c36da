"""What casting this thread asks for, by type of device; and that it stays off.

Source: https://docs.pytorch.org/docs/stable/amp.html#autocasting
"""

from __future__ import annotations

import threading
from typing import Any

from .. import _dtypes
from .._device import device as Device
from .._errors import name_of_type

NO_CASTING = "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "lazy", "vulkan", "meta"
"""Devices for which PyTorch has no casting."""
BFLOAT16 = "cpu", "hpu", "maia", "xla"
"""Devices for which PyTorch casts to bfloat16, if nothing else is asked for; else to float16."""


class Chosen(threading.local):
    """The types that `autocast` asks for in this thread, by device."""

    def __init__(self) -> None:
        self.types: dict[str, _dtypes.dtype] = {}


chosen = Chosen()


def kind_of(asker: str, device_type: Any) -> str:
    """Return the type of device that a string names."""
    if not isinstance(device_type, str):
        raise TypeError(
            f"{asker}(): argument 'device_type' (position 1) must be str, not {name_of_type(device_type)}"
        )
    return Device(device_type).type


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether operations cast by themselves: False, also within `autocast`.

    Args:
        device_type: such as "cpu" or "cuda".

    Source: https://docs.pytorch.org/docs/stable/amp.html

    Example:
        >>> import nbmodule
        >>> nbmodule.is_autocast_enabled("cpu")
        False
    """
    if kind_of("is_autocast_enabled", device_type) in NO_CASTING:
        raise RuntimeError(
            "unknown device type for autocast in get_autocast_dispatch_key_from_device_type"
        )
    return False


def get_autocast_dtype(device_type: str) -> _dtypes.dtype:
    """Return the type that `autocast` asks for on a type of device.

    Args:
        device_type: such as "cpu", or "cuda".

    Returns:
        what the surrounding `autocast` was given; else float16, and float32 where PyTorch says bfloat16.

    Source: https://docs.pytorch.org/docs/stable/amp.html

    Example:
        >>> import nbmodule
        >>> with nbmodule.autocast("cpu", nbmodule.float16, enabled=False):
        ...     nbmodule.get_autocast_dtype("cpu")
        nbmodule.float16
    """
    kind = kind_of("get_autocast_dtype", device_type)
    if kind in NO_CASTING:
        raise RuntimeError("unsupported scalarType")
    return chosen.types.get(kind, _dtypes.float32 if kind in BFLOAT16 else _dtypes.float16)
