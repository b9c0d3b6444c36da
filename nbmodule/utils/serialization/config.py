"""How `save` and `load` behave where no argument says otherwise; `config.load` and `config.save`.

``with config.patch("load.mmap", True):`` changes a setting for a while.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#module-torch.utils.serialization.config
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class load:  # PyTorch spells these two classes in lower case
    """How `load` reads.

    Attributes:
        mmap: whether the file is mapped into memory rather than read.
        endianness: the order of bytes in files that do not say it; None means little.
        mmap_flags: ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``; None on Windows.
        calculate_storage_offsets: accepted; here places are read from the file's table of contents.
    """

    mmap: bool = False
    endianness: Any = None
    mmap_flags: int | None = None if sys.platform == "win32" else 2
    calculate_storage_offsets: bool = False


class save:
    """How `save` writes.

    Attributes:
        compute_crc32: whether each entry gets a checksum, with which `load` recognises damage.
        use_pinned_memory_for_d2h: accepted; there is no pinned memory here.
        storage_alignment: each storage begins at a multiple of so many bytes.
    """

    compute_crc32: bool = True
    use_pinned_memory_for_d2h: bool = False
    storage_alignment: int = 64


@contextmanager
def patch(changes: str | dict[str, Any], value: Any = None) -> Iterator[None]:
    """Change settings inside of a ``with`` block, or of the function that this decorates.

    Args:
        changes: the name of a setting such as "load.mmap", or a dict from such names to values.
        value: the value, if one name was given.

    Raises:
        AttributeError: there is no such setting.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#module-torch.utils.serialization.config

    Example:
        >>> from nbmodule.utils.serialization import config
        >>> with config.patch("save.storage_alignment", 4096):
        ...     config.save.storage_alignment
        4096
        >>> config.save.storage_alignment
        64
    """
    wanted = changes if isinstance(changes, dict) else {changes: value}
    before = {name: getattr(*_setting(name)) for name in wanted}
    try:
        for name, new in wanted.items():
            setattr(*_setting(name), new)
        yield
    finally:
        for name, old in before.items():
            setattr(*_setting(name), old)


def _setting(path: str) -> tuple[type, str]:
    group, _, name = path.partition(".")
    home = {"load": load, "save": save}.get(group)
    if home is None or not hasattr(home, name):
        raise AttributeError(f"{__name__}.{path} does not exist")
    return home, name
