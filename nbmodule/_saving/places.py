"""`map_location`: on which device what is loaded shall live.

A file says of each storage where it was: "cpu", "cuda:0". That tag, or what `map_location` makes of it,
goes through a registry of functions, one for each kind of device, until one of them returns a storage.

Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html,
    https://docs.pytorch.org/docs/stable/generated/torch.serialization.register_package.html
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .._backend import has_cuda
from .._device import device as Device
from .._engine import wrap
from .._meta import MetaArray
from ..cuda import device_count
from ..storage import UntypedStorage, bytes_of, window

NOT_AVAILABLE = (
    "Attempting to deserialize object on a {} device but nbmodule.{}.is_available() is False. If you are running "
    "on a CPU-only machine, please use nbmodule.load with map_location=nbmodule.device('cpu') to map your "
    "storages to the CPU."
)
Tagger = Callable[[Any], str | None]
Deserializer = Callable[[Any, str], Any]

registry: list[tuple[int, Tagger, Deserializer]] = []
"""By priority: what names the place of a storage, and what brings a storage to a place of that name."""


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Add a kind of place where storages can live. `save` and `load` ask all kinds, in order.

    Args:
        priority: the lowest is asked first; the CPU has 10, the GPU 20, "meta" 22.
        tagger: called with a storage; returns the name of its place, or None.
        deserializer: called with a storage and such a name; returns the storage at that place, or None.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.serialization.register_package.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.serialization import default_restore_location, register_package
        >>> to_cpu = lambda storage, place: storage if place.startswith("gpu farm") else None
        >>> register_package(90, lambda storage: None, to_cpu)
        >>> storage = nbmodule.ones(1).untyped_storage()
        >>> default_restore_location(storage, "gpu farm 7") is storage
        True
    """
    registry.append((priority, tagger, deserializer))
    registry.sort(key=lambda entry: entry[0])


def location_tag(storage: Any) -> str:
    """Return the name of the place where `storage` lives, as `save` writes it.

    Args:
        storage: an `UntypedStorage` or `TypedStorage`.

    Raises:
        RuntimeError: nobody knows.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html

    Example:
        >>> import nbmodule
        >>> nbmodule.serialization.location_tag(nbmodule.ones(2).untyped_storage())
        'cpu'
    """
    for _, tagger, _ in registry:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {_name(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """Return `storage` at the place called `location`.

    Args:
        storage: an `UntypedStorage` on the CPU.
        location: such as "cpu", "cuda:1" or "meta".

    Raises:
        RuntimeError: there is no such place here.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html

    Example:
        >>> import nbmodule
        >>> storage = nbmodule.ones(2).untyped_storage()
        >>> nbmodule.serialization.default_restore_location(storage, "meta").device
        device(type='meta')
    """
    for _, _, deserializer in registry:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        f"don't know how to restore data location of {_name(storage)} (tagged with {location})\n"
        "Pass map_location='cpu' to load onto the CPU."
    )


def _name(storage: Any) -> str:
    return f"{type(storage).__module__}.{type(storage).__qualname__}"


def restorer(map_location: Any) -> Deserializer:
    """Return the function that brings a storage to where `map_location` wants what was at a place.

    Args:
        map_location: None for the place where it was; a device, or its name; a dict from the names in the
            file to others; or a function of storage and name that returns a storage, or None for the
            place where it was.
    """
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, tag: default_restore_location(storage, map_location.get(tag, tag))
    if isinstance(map_location, str | Device):
        return lambda storage, tag: default_restore_location(storage, str(map_location))
    return lambda storage, tag: _by_function(map_location, storage, tag)


def _by_function(function: Any, storage: Any, tag: str) -> Any:
    result = function(storage, tag)
    if result is None:
        return default_restore_location(storage, tag)
    if not isinstance(result, UntypedStorage):
        raise TypeError(
            "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
            " * (*, UntypedStorage wrap_storage, nbmodule.dtype dtype)\n"
            f"Argument 'wrap_storage' must be UntypedStorage, but got {type(result)}: "
            "map_location has to return the storage, or None."
        )
    return result


def is_meta(map_location: Any) -> bool:
    """Return whether `map_location` wants everything without its numbers: none have to be read then."""
    return isinstance(map_location, str | Device) and str(map_location) == "meta"


def placed(t: Any, map_location: Any) -> Any:
    """Return the CPU tensor `t` where `map_location` wants it: itself, if that is the CPU."""
    storage = t.untyped_storage()
    moved = restorer(map_location)(storage, "cpu")
    if moved is storage:
        return t
    return wrap(_like(t._array, moved), moved._storage)


def _like(array: Any, moved: UntypedStorage) -> Any:
    """Return what `array` shows of its memory, on `moved`, a copy of all of it."""
    if not array.size:
        return moved._bytes[:0].view(array.dtype).reshape(array.shape)
    start = array.ctypes.data - bytes_of(array).ctypes.data
    strides = tuple(step // array.itemsize for step in array.strides)
    flat = moved._bytes[start % array.itemsize :].view(array.dtype)
    return window(flat, start // array.itemsize, array.shape, strides)


# ---- the kinds of places


def _cpu_tag(storage: Any) -> str | None:
    return "cpu" if storage.device.type == "cpu" else None


def _cpu_deserialize(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _cuda_tag(storage: Any) -> str | None:
    return str(storage.device) if storage.device.type == "cuda" else None


def _meta_tag(storage: Any) -> str | None:
    return "meta" if storage.device.type == "meta" else None


def _meta_deserialize(storage: Any, location: str) -> Any:
    if location != "meta":
        return None
    return UntypedStorage._on(MetaArray.empty((storage.nbytes(),), "uint8"))


def _accelerator_deserialize(storage: Any, location: str) -> Any:
    """Bring `storage` to a GPU, or say why it cannot be brought to an accelerator."""
    found = re.match(r"(cuda|hpu|xpu|mps|mtia|privateuseone)(?::[0-9]+)?$", location)
    if found is None:
        return None
    kind = found[1]
    if kind != "cuda" or not has_cuda():
        raise RuntimeError(NOT_AVAILABLE.format(kind.upper(), kind))
    return storage.to(device=f"cuda:{validate_cuda_device(location)}")


def validate_cuda_device(location: str) -> int:
    """Return the number of the GPU that `location` names.

    Args:
        location: such as "cuda:1".

    Raises:
        RuntimeError: there is no GPU, or there are fewer than that.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html

    Example:
        >>> from nbmodule.serialization import validate_cuda_device
        >>> validate_cuda_device("cuda:1000")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        RuntimeError: Attempting to deserialize object on ...
    """
    wanted = Device(location)
    if not has_cuda():
        raise RuntimeError(NOT_AVAILABLE.format("CUDA", "cuda"))
    if (wanted.index or 0) >= device_count():
        raise RuntimeError(
            f"Attempting to deserialize object on {wanted.type.upper()} device {wanted.index} but "
            f"nbmodule.{wanted.type}.device_count() is {device_count()}. Please use nbmodule.load with "
            "map_location to map your storages to an existing device."
        )
    return wanted.index or 0


register_package(10, _cpu_tag, _cpu_deserialize)
register_package(20, _cuda_tag, _accelerator_deserialize)
register_package(22, _meta_tag, _meta_deserialize)
