"""Which array library holds the numbers: NumPy always, CuPy where it is installed.

Everything above this file asks `namespace_of[type(array)]` for the functions that fit an array and calls
them through the name `xp`. This is the only file that imports CuPy.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

Array = Any
"""A NumPy or CuPy array. The two share no base class, so `Any` is the honest annotation."""

namespace_of: dict[type, ModuleType] = {np.ndarray: np}
"""The array library of each array type; the pretend device of the tests adds itself here."""


class device:  # PyTorch spells this class in lower case
    """Where a tensor lives: ``device("cpu")`` or ``device("cuda", 0)``.

    Args:
        type: "cpu", "cuda", or both in one string such as "cuda:1".
        index: which card; None means the current one.

    Raises:
        RuntimeError: the type is unknown.

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    __slots__ = ("index", "type")

    __module__ = "nbmodule"

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            type = f"cuda:{type}"
        if not type:
            raise RuntimeError("Device string must not be empty")
        kind, colon, number = type.partition(":")
        if kind not in ("cpu", "cuda"):
            raise RuntimeError(
                f"Expected one of cpu, cuda device type at start of device string: {type}"
            )
        if colon and not number.isdigit():
            raise RuntimeError(f"Invalid device string: '{type}'")
        self.type = kind
        self.index = int(number) if colon else index

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


CPU = device("cpu")


def import_cupy() -> ModuleType:
    """Return CuPy, registered in `namespace_of`.

    Raises:
        RuntimeError: CuPy is not installed, or finds no CUDA driver.
    """
    try:
        import cupy  # pyright: ignore[reportMissingImports]

        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise RuntimeError(
            "device 'cuda' needs CuPy and an NVIDIA driver, and this machine lacks one of them "
            f"({type(error).__name__}: {error}). Use device 'cpu', or install CuPy."
        ) from None
    namespace_of[cupy.ndarray] = cupy
    return cupy


def device_of(array: Array) -> device:
    """Return the `device` that holds `array`."""
    if isinstance(array, np.ndarray):
        return CPU
    return device("cuda", array.device.id)


def move(array: Array, target: device) -> Array:
    """Return `array` on `target`: itself where it lives there already, else a copy."""
    if target.type == "cpu":
        return array if isinstance(array, np.ndarray) else array.get()
    cupy = import_cupy()
    with cupy.cuda.Device(target.index or 0):
        return cupy.asarray(array)


def to_numpy(array: Array) -> np.ndarray:
    """Return `array` as a NumPy array, sharing memory where it is one."""
    return array if isinstance(array, np.ndarray) else array.get()


def byte_span(array: Array) -> tuple[int, int]:
    """Return the first and one past the last address of the memory that `array` can reach."""
    if isinstance(array, np.ndarray):
        return np.lib.array_utils.byte_bounds(array)
    start = array.data.ptr
    return start, start + sum(abs(s) * (n - 1) for s, n in zip(array.strides, array.shape)) + 1  # noqa: B905
