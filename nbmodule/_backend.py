"""Which array library holds the numbers: NumPy always, CuPy where it is installed.

Everything above this file asks `namespace_of[type(array)]` for the functions that fit an array and calls
them through the name `xp`. This is the only file that imports CuPy; `_cupy_functions` adds what it lacks.

CuPy computes on the *current* card of a thread, and makes new arrays there. `library_of`, `library_on` and
`on_one_device` make the card current that holds the arrays; which one "cuda" means is ours to remember.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from ._device import CPU, Accelerator, chosen, device
from ._meta import MetaArray, meta_functions

Array = Any
"""A NumPy, CuPy or meta array. They share no base class, so `Any` is the honest annotation."""

namespace_of: dict[type, Any] = {np.ndarray: np, MetaArray: meta_functions}
"""The array library of each array type; CuPy's is added when it is first asked for."""

BEFORE_CUPY = len(namespace_of)

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
    if cupy.ndarray not in namespace_of:
        import cupyx  # pyright: ignore[reportMissingImports]

        from ._cupy_functions import CuPyFunctions

        namespace_of[cupy.ndarray] = CuPyFunctions(cupy, cupyx)
    return cupy


def has_cuda() -> bool:
    """Return whether tensors can be moved to ``device("cuda")``."""
    try:
        return import_cupy().cuda.runtime.getDeviceCount() > 0
    except AssertionError:
        return False


Accelerator.is_there = staticmethod(has_cuda)


def device_of(array: Array) -> device:
    """Return the `device` that holds `array`."""
    if isinstance(array, np.ndarray):
        return CPU
    if isinstance(array, MetaArray):
        return META
    return device("cuda", array.device.id)


def is_on(array: Array, target: device) -> bool:
    """Return whether `array` lives on `target`; "cuda" without a number is the current card."""
    home = device_of(array)
    if home.type != target.type:
        return False
    return home.type != "cuda" or home.index == place_number(target)


def library_on(place: device | None) -> Any:
    """Return the array library whose new arrays live on `place` from now on; None stands for the CPU.

    Raises:
        RuntimeError: there is no such device here.
    """
    if place is None or place.type == "cpu":
        return np
    if place.type == "meta":
        return meta_functions
    if place.type != "cuda":
        raise RuntimeError(f"PyTorch is not linked with support for {place.type} devices")
    cupy = import_cupy()
    index, count = place_number(place), cupy.cuda.runtime.getDeviceCount()
    if index >= count:
        raise RuntimeError(
            "CUDA error: invalid device ordinal\n"
            f"There is no device 'cuda:{index}': this machine has {count}, and the first is 'cuda:0'."
        )
    cupy.cuda.Device(index).use()
    return namespace_of[cupy.ndarray]


def library_of(array: Array) -> Any:
    """Return the library of `array`, which makes new arrays on the same device from now on."""
    kind = type(array)
    if kind is not np.ndarray and kind is not MetaArray:
        array.device.use()
    return namespace_of[kind]


def several_cards() -> bool:
    """Return whether arrays can lie on more than one GPU."""
    return len(namespace_of) > BEFORE_CUPY and import_cupy().cuda.runtime.getDeviceCount() > 1


def compute_beside(values: Iterable[Any]) -> None:
    """Make the card current that holds the first array among `values`."""
    for a in arrays_in(values):
        library_of(a)
        return


def place_number(place: device) -> int:
    """Return the number of a card; "cuda" alone is the one that `cuda.set_device` has chosen."""
    return chosen.card if place.index is None else place.index


def at_hand(array: Array) -> bool:
    """Return whether the numbers of `array` can be looked at without waiting: whether they are on the CPU.

    What a GPU was asked for it does later, and a program that looks at a number waits for all of it. Where PyTorch
    does not look either, arguments are not checked there: an index that names nothing wraps around.
    """
    return type(array) is np.ndarray


def move(array: Array, target: device, waits: bool = True) -> Array:
    """Return `array` on `target`: itself where it lives there already, else a copy.

    A GPU reads `pinned` memory while the program goes on, which must not write to it then; unless it `waits`.

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
        return to_numpy(array)
    xp = library_on(target)
    if isinstance(array, np.ndarray):
        return xp.asarray(array, blocking=waits and is_pinned(array))
    return array if is_on(array, target) else array.copy()


def to_numpy(array: Array) -> np.ndarray:
    """Return `array` as a NumPy array, sharing memory where it is one."""
    if isinstance(array, np.ndarray):
        return array
    return array.refuse_to_copy_out() if isinstance(array, MetaArray) else array.get(order="A")


def pinned(array: np.ndarray) -> np.ndarray:
    """Return a copy of `array` in memory that the system does not move: a GPU copies from there without help.

    Raises:
        AssertionError: there is no GPU.
    """
    memory = import_cupy().cuda.alloc_pinned_memory(max(array.nbytes, 1))
    copy = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    copy[...] = array
    return copy


def is_pinned(array: Array) -> bool:
    """Return whether `pinned` has made `array`, or what it is a view of."""
    while isinstance(array, np.ndarray):
        array = array.base
    return type(getattr(array, "obj", array)).__name__ == "PinnedMemoryPointer"


def on_one_device(values: Iterable[Any]) -> device | None:
    """Make the card current that holds the arrays among `values`, and look whether they can meet.

    Only a GPU's arrays ask for it. As in PyTorch, numbers may be among them, and CPU arrays of no dimensions.

    Returns:
        the device of all others if there are such CPU arrays: they are to be moved there.

    Raises:
        RuntimeError: the arrays are on several devices.
    """
    arrays = [*arrays_in(values)]
    if any(type(a) is MetaArray for a in arrays):  # its own functions see to that
        return None
    error = mixed_devices(a for a in arrays if a.ndim or type(a) is not np.ndarray)
    if error is not None:
        raise error
    foreign = [a for a in arrays if type(a) is not np.ndarray]
    library_of(foreign[0])
    return device_of(foreign[0]) if len(foreign) < len(arrays) else None


def mixed_devices(values: Iterable[Any]) -> RuntimeError | None:
    """Return the error for arrays on several devices, if those among `values` are."""
    homes = [device_of(a) for a in arrays_in(values)]
    other = next((h for h in homes if h != homes[0]), None)
    if other is None or META in homes:
        return None
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{homes[0]} and {other}!"
    )


def meet(*arrays: Array | None) -> None:
    """Make the card current that holds the first array, for functions that are no operations.

    Raises:
        RuntimeError: the arrays are on several devices.
    """
    if all(a is None or type(a) is np.ndarray for a in arrays):
        return
    error = mixed_devices(arrays)
    if error is not None:
        raise error
    compute_beside(arrays)


def arrays_in(values: Iterable[Any]) -> Iterator[Array]:
    """Yield the arrays among `values`, also those in tuples and lists."""
    for x in values:
        if type(x) in namespace_of:
            yield x
        elif isinstance(x, (tuple, list)):
            yield from arrays_in(x)


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
    reach = (
        [s * (n - 1) for s, n in zip(array.strides, array.shape, strict=True)] if array.size else []
    )
    return start + sum(s for s in reach if s < 0), start + sum(s for s in reach if s > 0) + array.itemsize * (array.size > 0)  # fmt: skip
