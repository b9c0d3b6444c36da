"""Whether there is a GPU to compute on, and which. `amp` holds the older names of mixed precision.

Source: https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .._backend import has_cuda, import_cupy
from .._device import chosen
from .._device import device as Device

if TYPE_CHECKING:
    from . import amp, memory, random, streams

_LATER = {
    "memory": ("empty_cache", "max_memory_allocated", "max_memory_reserved", "mem_get_info", "memory_allocated",
               "memory_reserved", "reset_peak_memory_stats"),
    "random": ("get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed",
               "seed_all", "set_rng_state", "set_rng_state_all"),
    "streams": ("Event", "Stream", "StreamContext", "current_stream", "default_stream", "set_stream", "stream"),
    "amp": (),
}  # fmt: skip
"""Files of this folder and what is taken from them, when it is first asked for: most programs need none of it."""


def __getattr__(name: str) -> Any:
    """Import a file of this folder when it, or something in it, is first asked for."""
    for file, names in _LATER.items():
        if name == file or name in names:
            found = import_module(f".{file}", __name__)
            return found if name == file else getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *(n for names in _LATER.values() for n in names)})


def is_available() -> bool:
    """Return whether tensors can be moved to ``device("cuda")``: CuPy and a driver are needed."""
    return has_cuda()


def init() -> None:
    """Look for the GPU now, not when the first tensor is moved there.

    Raises:
        AssertionError: there is none.
    """
    import_cupy()


def is_initialized() -> bool:
    """Return whether a GPU has been used; with one, it is ready at once."""
    return has_cuda()


def device_count() -> int:
    """Return how many GPUs there are."""
    return import_cupy().cuda.runtime.getDeviceCount() if has_cuda() else 0


def current_device() -> int:
    """Return the number of the GPU that "cuda" alone stands for.

    Raises:
        AssertionError: there is none.
    """
    import_cupy()
    return chosen.card


def set_device(device: Any) -> None:
    """Let "cuda" alone stand for `device` in this thread, a number or a device; negative ones change nothing.

    Raises:
        AssertionError: there is no GPU.
        RuntimeError: there are fewer than that.
    """
    import_cupy()
    index = card_of(device)
    if index >= device_count():
        raise RuntimeError(
            "CUDA error: invalid device ordinal\n"
            f"There is no device 'cuda:{index}': this machine has {device_count()}, and the first is 'cuda:0'."
        )
    if index >= 0:
        chosen.card = index


def card_of(device: Any) -> int:
    """Return the number of a GPU that is given as a number, a device, its name, or None for the current one.

    Raises:
        ValueError: `device` names no GPU.
    """
    if isinstance(device, int):
        return device
    found = Device("cuda" if device is None else device)
    if found.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {found}")
    return chosen.card if found.index is None else found.index


class device:
    """Within ``with``, "cuda" alone stands for this GPU.

    Args:
        device: a number or a device; None and negative numbers change nothing.
    """

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else card_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = chosen.card
        if self.idx >= 0:
            set_device(self.idx)

    def __exit__(self, type: Any, value: Any, traceback: Any) -> Any:
        chosen.card = self.prev_idx
        return False


class device_of(device):
    """Within ``with``, "cuda" alone stands for the GPU of a tensor; one on the CPU changes nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def get_device_name(device: Any = None) -> str:
    """Return what the maker calls the GPU.

    Raises:
        AssertionError: there is none.
    """
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the two numbers that say what the GPU can do: (9, 0) for an H100.

    Raises:
        AssertionError: there is none.
    """
    found = get_device_properties(device)
    return found.major, found.minor


def get_device_properties(device: Any = None) -> Any:
    """Return name, major, minor, total_memory and more of the GPU, as attributes.

    Raises:
        AssertionError: there is none.
    """
    cupy = import_cupy()
    index = card_of(device)
    if not 0 <= index < device_count():
        raise AssertionError("Invalid device id")
    found = cupy.cuda.runtime.getDeviceProperties(index)
    return SimpleNamespace(
        name=found["name"].decode(), major=found["major"], minor=found["minor"],
        total_memory=found["totalGlobalMem"], multi_processor_count=found["multiProcessorCount"],
        warp_size=found["warpSize"],
    )  # fmt: skip


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return False: NumPy and CuPy have no such type."""
    return False


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has done everything that was asked of it.

    Raises:
        AssertionError: there is none.
    """
    import_cupy().cuda.Device(card_of(device)).synchronize()
