"""How much of a GPU's memory is taken.

CuPy takes memory from the card and keeps it for the next array when one is gone: *reserved* counts what it has
taken, *allocated* what arrays use of it.

Source: https://docs.pytorch.org/docs/stable/torch_cuda_memory.html
"""

from __future__ import annotations

from typing import Any

from .._backend import has_cuda, import_cupy
from . import card_of


def _pool(device: Any) -> Any:
    """Return CuPy's pool, and make `device` the card that it speaks of."""
    cupy = import_cupy()
    cupy.cuda.Device(card_of(device)).use()
    return cupy.get_default_memory_pool()


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU's other users."""
    if has_cuda():
        _pool(None).free_all_blocks()


def memory_allocated(device: Any = None) -> int:
    """Return how many bytes of the GPU's memory tensors take; 0 without a GPU."""
    return _pool(device).used_bytes() if has_cuda() else 0


def memory_reserved(device: Any = None) -> int:
    """Return how many bytes CuPy has taken from the card, for tensors now and later; 0 without a GPU."""
    return _pool(device).total_bytes() if has_cuda() else 0


def max_memory_allocated(device: Any = None) -> int:
    """Return a bound for how many bytes tensors have taken at any one time.

    CuPy keeps no count of it: this is what it has taken from the card, as in `memory_reserved`.
    """
    return memory_reserved(device)


def max_memory_reserved(device: Any = None) -> int:
    """Return what `memory_reserved` does: CuPy gives nothing back by itself."""
    return memory_reserved(device)


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let `max_memory_allocated` begin anew: memory that no tensor uses is given back.

    Raises:
        AssertionError: there is no GPU.
    """
    _pool(device).free_all_blocks()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return how many bytes of the card are free, and how many it has.

    Raises:
        AssertionError: there is no GPU.
    """
    free, total = import_cupy().cuda.Device(card_of(device)).mem_info
    return free, total
