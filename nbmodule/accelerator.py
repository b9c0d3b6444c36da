"""Whether there is anything faster than the CPU: a GPU, or nothing.

Source: https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from . import cuda
from ._device import chosen, device


def is_available() -> bool:
    """Return whether tensors can be moved to an accelerator."""
    return cuda.is_available()


def device_count() -> int:
    """Return how many accelerators there are."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> device | None:
    """Return the device of the accelerator, None where there is none.

    Args:
        check_available: has no effect here: what is not available is never returned.
    """
    return device("cuda", chosen.card) if cuda.is_available() else None


def current_device_index() -> int:
    """Return the number of the accelerator in use.

    Raises:
        AssertionError: there is none.
    """
    return cuda.current_device()


def synchronize(device: device | int | None = None, /) -> None:
    """Wait until the accelerator has done everything that was asked of it.

    Raises:
        AssertionError: there is none.
    """
    cuda.synchronize(device)


def set_device_index(device: device | int | str | None, /) -> None:
    """Let "cuda" alone stand for this accelerator from now on, in this thread.

    Raises:
        AssertionError: there is none.
    """
    cuda.set_device(device)


def empty_cache() -> None:
    """Give memory that no tensor uses back to the accelerator's other users."""
    cuda.memory.empty_cache()


def memory_allocated(device_index: device | int | str | None = None, /) -> int:
    """Return how many bytes of the accelerator's memory tensors take; 0 without one."""
    return cuda.memory.memory_allocated(device_index)


def memory_reserved(device_index: device | int | str | None = None, /) -> int:
    """Return how many bytes are taken from the accelerator, for tensors now and later; 0 without one."""
    return cuda.memory.memory_reserved(device_index)
