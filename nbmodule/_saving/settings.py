"""Settings of `save` and `load` that hold until they are changed; they live in `utils.serialization.config`."""

from __future__ import annotations

import sys
import threading
from enum import Enum
from typing import Any

from ..utils.serialization import config

if sys.platform == "win32":
    MAP_PRIVATE = MAP_SHARED = None
else:
    from mmap import MAP_PRIVATE, MAP_SHARED


class LoadEndianness(Enum):
    """In which order the bytes of numbers lie in a file that does not say it: as on this machine, or fixed.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html

    Example:
        >>> from nbmodule.serialization import LoadEndianness
        >>> [order.name for order in LoadEndianness]
        ['NATIVE', 'LITTLE', 'BIG']
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness() -> LoadEndianness | None:
    """Return the order of bytes that `load` takes for granted in files that do not say it; None is little.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_default_load_endianness

    Example:
        >>> from nbmodule.serialization import get_default_load_endianness
        >>> print(get_default_load_endianness())
        None
    """
    return config.load.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the order of bytes that `load` takes for granted in files that do not say it.

    Args:
        endianness: a `LoadEndianness`, or None for little.

    Raises:
        TypeError: it is something else.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_default_load_endianness

    Example:
        >>> from nbmodule import serialization
        >>> serialization.set_default_load_endianness(serialization.LoadEndianness.NATIVE)
        >>> serialization.get_default_load_endianness()
        <LoadEndianness.NATIVE: 1>
        >>> serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError(
            "Invalid argument type in function set_default_load_endianness\n"
            f"It takes a LoadEndianness or None, and got {endianness!r}."
        )
    config.load.endianness = endianness


def assumed_byteorder() -> str:
    """Return the order of bytes in files that do not say it: "little" or "big"."""
    order = get_default_load_endianness()
    if order is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if order is LoadEndianness.BIG else "little"


def get_crc32_options() -> bool:
    """Return whether `save` gives each entry of an archive a checksum.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_crc32_options

    Example:
        >>> from nbmodule.serialization import get_crc32_options
        >>> get_crc32_options()
        True
    """
    return config.save.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether `save` gives each entry of an archive a checksum, with which `load` recognises damage.

    Args:
        compute_crc32: whether it does. Without checksums, other programs may refuse to unzip the file.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_crc32_options

    Example:
        >>> from nbmodule.serialization import get_crc32_options, set_crc32_options
        >>> set_crc32_options(False)
        >>> get_crc32_options()
        False
        >>> set_crc32_options(True)
    """
    config.save.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """Return how ``load(..., mmap=True)`` maps files: ``mmap.MAP_PRIVATE``, unless it was changed.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_default_mmap_options

    Example:
        >>> import mmap
        >>> from nbmodule.serialization import get_default_mmap_options
        >>> get_default_mmap_options() == getattr(mmap, "MAP_PRIVATE", None)
        True
    """
    return config.load.mmap_flags


class set_default_mmap_options:  # PyTorch spells this class in lower case
    """Set how ``load(..., mmap=True)`` maps files, for good, or inside of a ``with`` block.

    Args:
        flags: ``mmap.MAP_PRIVATE``: writing to a tensor leaves the file alone; or ``mmap.MAP_SHARED``:
            it changes the file.

    Raises:
        RuntimeError: on Windows.
        ValueError: `flags` is something else.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_default_mmap_options

    Example:
        >>> import contextlib, mmap
        >>> from nbmodule.serialization import get_default_mmap_options, set_default_mmap_options
        >>> shared = getattr(mmap, "MAP_SHARED", None)  # None on Windows
        >>> with set_default_mmap_options(shared) if shared else contextlib.nullcontext():
        ...     get_default_mmap_options() == shared
        True
    """

    def __init__(self, flags: int) -> None:
        if MAP_PRIVATE is None:
            raise RuntimeError(
                "Changing the default mmap options is currently not supported for Windows"
            )
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                f"mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = config.load.mmap_flags
        config.load.mmap_flags = flags

    def __enter__(self) -> None:
        """Keep what was set."""

    def __exit__(self, *error: object) -> None:
        config.load.mmap_flags = self.prev


def maps_shared() -> bool:
    """Return whether writing to a tensor of a mapped file changes the file."""
    return MAP_SHARED is not None and config.load.mmap_flags == MAP_SHARED


class _OfThread(threading.local):
    skip_data = False


of_thread = _OfThread()


class skip_data:  # PyTorch spells this class in lower case
    """Inside of the ``with`` block, `save` writes zeros for the numbers, and `load` reads none: zeros again.

    Args:
        materialize_fake_tensors: accepted; there are no fake tensors here.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.skip_data

    Example:
        >>> import io, nbmodule
        >>> file = io.BytesIO()
        >>> with nbmodule.serialization.skip_data():
        ...     nbmodule.save(nbmodule.ones(2), file)
        >>> _ = file.seek(0)
        >>> nbmodule.load(file)
        tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before, of_thread.skip_data = of_thread.skip_data, True

    def __exit__(self, *error: object) -> None:
        of_thread.skip_data = self._before


PUBLIC: tuple[Any, ...] = (
    LoadEndianness, get_default_load_endianness, set_default_load_endianness, get_crc32_options,
    set_crc32_options, get_default_mmap_options, set_default_mmap_options, skip_data,
)  # fmt: skip
for _thing in PUBLIC:
    _thing.__module__ = "nbmodule.serialization"
