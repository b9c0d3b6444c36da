"""Whether there is a GPU to compute on, and which. `amp` holds the older names of mixed precision.

Source: https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._backend import has_cuda, import_cupy
from .._device import device

if TYPE_CHECKING:
    from . import amp


def __getattr__(name: str) -> Any:
    """Import `amp` when it is first asked for."""
    if name == "amp":
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "amp"})


def is_available() -> bool:
    """Return whether tensors can be moved to ``device("cuda")``: CuPy and a driver are needed."""
    return has_cuda()


def is_initialized() -> bool:
    """Return whether a GPU has been used; with one, it is ready at once."""
    return has_cuda()


def device_count() -> int:
    """Return how many GPUs there are."""
    return import_cupy().cuda.runtime.getDeviceCount() if has_cuda() else 0


def current_device() -> int:
    """Return the number of the GPU in use.

    Raises:
        AssertionError: there is none.
    """
    return import_cupy().cuda.Device().id


def get_device_name(device: device | int | None = None) -> str:
    """Return what the maker calls the GPU.

    Raises:
        AssertionError: there is none.
    """
    cupy = import_cupy()
    index = current_device() if device is None else getattr(device, "index", device) or 0
    return cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()


def synchronize(device: device | int | None = None) -> None:
    """Wait until the GPU has done everything that was asked of it.

    Raises:
        AssertionError: there is none.
    """
    import_cupy().cuda.Device(getattr(device, "index", device)).synchronize()


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU's other users."""
    if has_cuda():
        import_cupy().get_default_memory_pool().free_all_blocks()


def memory_allocated(device: device | int | None = None) -> int:
    """Return how many bytes of the GPU's memory tensors take; 0 without a GPU."""
    return import_cupy().get_default_memory_pool().used_bytes() if has_cuda() else 0


def manual_seed(seed: int) -> None:
    """Do nothing: random numbers for a GPU come from `nbmodule.default_generator` too."""


def manual_seed_all(seed: int) -> None:
    """Do nothing: random numbers for all GPUs come from `nbmodule.default_generator` too."""
