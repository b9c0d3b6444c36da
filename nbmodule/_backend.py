"""Which array library holds the numbers: NumPy always, CuPy where it is installed.

Everything above this file asks `namespace_of[type(array)]` for the functions that fit an array and calls
them through the name `xp`. This is the only file that imports CuPy.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ._device import CPU, device
from ._meta import MetaArray, meta_functions

Array = Any
"""A NumPy, CuPy or meta array. They share no base class, so `Any` is the honest annotation."""

namespace_of: dict[type, Any] = {np.ndarray: np, MetaArray: meta_functions}
"""The array library of each array type; the pretend device of the tests adds itself here."""

META = device("meta")


def import_cupy() -> ModuleType:
    """Return CuPy, registered in `namespace_of`.

    Raises:
        AssertionError: CuPy is not installed, or finds no CUDA driver. (The type is PyTorch's.)
    """
    try:
        import cupy  # pyright: ignore[reportMissingImports]

        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise AssertionError(
            "Torch not compiled with CUDA enabled\nnbmodule reaches a GPU through CuPy and an NVIDIA "
            f"driver, and this machine lacks one of them ({type(error).__name__}: {error}). Use device "
            "'cpu', or install CuPy."
        ) from None
    namespace_of[cupy.ndarray] = cupy
    return cupy


def has_cuda() -> bool:
    """Return whether tensors can be moved to ``device("cuda")``."""
    try:
        import_cupy()
    except AssertionError:
        return False
    return True


def device_of(array: Array) -> device:
    """Return the `device` that holds `array`."""
    if isinstance(array, np.ndarray):
        return CPU
    if isinstance(array, MetaArray):
        return META
    return device("cuda", array.device.id)


def move(array: Array, target: device) -> Array:
    """Return `array` on `target`: itself where it lives there already, else a copy.

    Raises:
        NotImplementedError: `array` is a meta array, which has no numbers to copy.
        RuntimeError: there is no such device here.
    """
    kind = target.type
    if isinstance(array, MetaArray):
        return array if kind == "meta" else array.refuse_to_copy_out()
    if kind == "meta":
        return MetaArray.like(array)
    if kind == "cpu":
        return array if isinstance(array, np.ndarray) else array.get()
    if kind != "cuda":
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices")
    cupy = import_cupy()
    with cupy.cuda.Device(target.index or 0):
        return cupy.asarray(array)


def to_numpy(array: Array) -> np.ndarray:
    """Return `array` as a NumPy array, sharing memory where it is one."""
    if isinstance(array, np.ndarray):
        return array
    return array.refuse_to_copy_out() if isinstance(array, MetaArray) else array.get()


def byte_span(array: Array) -> tuple[int, int]:
    """Return the first and one past the last address of the memory that `array` can reach."""
    if isinstance(array, MetaArray):
        array = array.shadow
    if isinstance(array, np.ndarray):
        if not array.flags.c_contiguous:
            return np.lib.array_utils.byte_bounds(array)
        start = array.__array_interface__["data"][0]
        return start, start + array.nbytes
    start = array.data.ptr
    return start, start + sum(abs(s) * (n - 1) for s, n in zip(array.strides, array.shape)) + 1  # noqa: B905
