"""`save` and `load`: nests of tensors and plain values in files, PyTorch's and others.

Nothing that is loaded runs code: a file can name no function but those that build tensors, and those
that you allow with `add_safe_globals`.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import io
import os
import pickle
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any

from ._saving import archive, constructors, formats, legacy, pickles
from ._saving.archive import ReadOptions, WriteOptions
from ._saving.archive_reader import ArchiveReader
from ._saving.atomic import replacing
from ._saving.damage import named
from ._saving.places import (
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
)
from ._saving.safe import (
    add_safe_globals,
    allowed_by_user,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)
from ._saving.settings import (
    LoadEndianness,
    assumed_byteorder,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    maps_shared,
    of_thread,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from ._saving.storages import StorageType
from .utils.serialization import config

__all__ = [
    "LoadEndianness", "StorageType", "add_safe_globals", "clear_safe_globals", "default_restore_location",
    "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options", "get_safe_globals",
    "get_unsafe_globals_in_checkpoint", "load", "location_tag", "register_package", "safe_globals", "save",
    "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data",
    "validate_cuda_device",
]  # fmt: skip

DEFAULT_PROTOCOL = 2
MAGIC_NUMBER, PROTOCOL_VERSION = legacy.MAGIC_NUMBER, legacy.PROTOCOL_VERSION
UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `nbmodule.load` from `False` "
    "to `True`. Re-running `nbmodule.load` with `weights_only` set to `False` will likely succeed, but it can "
    "result in arbitrary code execution. Do it only if you got the file from a trusted source."
)
NEVER_RUNS_CODE = (
    "Here it will not: nbmodule runs no code of files, whatever `weights_only` says. Where you have the classes, "
    "open the file with PyTorch and save model.state_dict() there."
)
NOT_SEEKABLE = (
    ". You can only nbmodule.load from a file that is seekable. Please pre-load the data into a buffer like "
    "io.BytesIO and try to load from it instead."
)
NO_OTHER_PICKLE = "nbmodule writes and reads pickles by itself: leave pickle_module out, or pass Python's `pickle`."  # fmt: skip


# ---- saving


def save(obj: object, f: Any, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL, _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False) -> None:  # fmt: skip
    """Write `obj` into a file: a tensor, a state dict, a nest of them and of plain values.

    A file at a path is replaced in one step: whoever is interrupted before keeps the old file. The
    extension of the path chooses the format: ``.safetensors``, ``.npz``, and for all others PyTorch's own
    archive, which ``torch.load`` opens. Tensors that share memory share it again when they are loaded; so
    a view brings all of its memory along, in an archive: save ``view.clone()`` if you want the view alone.

    Args:
        obj: dicts, lists, tuples, sets, tensors, parameters, numbers, text, bytes, None, dtypes, devices.
        f: a path, or something with ``write`` and ``flush``.
        pickle_module: only Python's `pickle`, as a word of compatibility: it is not used.
        pickle_protocol: the version that the pickle in an archive claims, 2 to 5.

    Raises:
        TypeError: `obj` holds something else, such as a Module or a function; the message says where, and
            the file is as it was.
        RuntimeError: the folder does not exist.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.save.html

    Example:
        >>> import io, nbmodule
        >>> file = io.BytesIO()
        >>> nbmodule.save({"weight": nbmodule.ones(2), "epoch": 3}, file)
        >>> _ = file.seek(0)
        >>> nbmodule.load(file)
        {'weight': tensor([1., 1.]), 'epoch': 3}
    """
    _refuse_other_pickles(pickle_module)
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    protocol = _checked_protocol(pickle_protocol)
    if not _use_new_zipfile_serialization:
        if of_thread.skip_data:
            raise RuntimeError(
                "Cannot use skip_data=True with _use_new_zipfile_serialization=False"
            )
        _write_to(f, lambda file: legacy.write(obj, file, protocol))
        return
    path = os.fspath(f) if isinstance(f, (str, os.PathLike)) else ""
    format = formats.of_path(path)
    if format is not archive:
        _write_to(f, lambda file: format.write(obj, file))
        return
    options = WriteOptions(
        _folder(path), protocol, config.save.storage_alignment, config.save.compute_crc32,
        not _disable_byteorder_record, of_thread.skip_data,
    )  # fmt: skip
    _write_to(f, lambda file: archive.write(obj, file, options))


def _refuse_other_pickles(pickle_module: Any) -> None:
    if pickle_module not in (None, pickle):
        raise ValueError(f"pickle_module={pickle_module!r} is not supported\n{NO_OTHER_PICKLE}")


def _checked_protocol(protocol: int) -> int:
    if protocol > pickle.HIGHEST_PROTOCOL:
        raise ValueError(f"pickle protocol must be <= {pickle.HIGHEST_PROTOCOL}")
    return max(protocol, 2) if protocol >= 0 else pickle.HIGHEST_PROTOCOL


def _write_to(f: Any, write: Callable[[Any], None]) -> None:
    if isinstance(f, (str, os.PathLike)):
        with replacing(f) as file:
            write(file)
        return
    if not callable(f.write):
        kind = str(type(f)).strip("<>")
        raise TypeError(f"Buffer of {kind} has no callable attribute 'write'")
    write(f)
    f.flush()


def _folder(path: str) -> str:
    """Return the name of the folder in the archive: that of the file, without its extension."""
    name = os.path.splitext(os.path.basename(path))[0]
    return name if name and name.isascii() else "archive"


# ---- loading


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any) -> Any:  # fmt: skip
    """Return what `save`, ``torch.save``, safetensors or ``numpy.savez`` wrote into a file.

    The first bytes of the file say which format it is. No code of the file is run, and what it asks for
    must be on a list: tensors, plain values, and what `add_safe_globals` has put there.

    Args:
        f: a path, or something with ``read``, ``readline``, ``seek`` and ``tell``.
        map_location: where tensors go: None for the device on which they were; a device, or its name; a
            dict from names to others; or a function of storage and name that returns a storage or None.
        pickle_module: only Python's `pickle`, as a word of compatibility: it is not used.
        weights_only: accepted; the reader is the restricted one whatever is said.
        mmap: True maps the file into memory instead of reading it; numbers come when they are used.
        **pickle_load_args: `encoding` of the strings of Python 2, "utf-8" by default.

    Raises:
        UnpicklingError: the file asks for something that is not on the list; it is named.
        RuntimeError: the file is damaged, or a device is not there.
        EOFError: the file ends early.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html

    Example:
        >>> import io, nbmodule
        >>> model, file = nbmodule.nn.Linear(2, 1), io.BytesIO()
        >>> nbmodule.save(model.state_dict(), file)
        >>> _ = file.seek(0)
        >>> nbmodule.nn.Linear(2, 1).load_state_dict(nbmodule.load(file))
        <All keys matched successfully>
    """
    mmap = config.load.mmap if mmap is None else mmap
    _check_arguments(pickle_module, weights_only, pickle_load_args)
    options = ReadOptions(
        map_location, pickle_load_args.get("encoding", "utf-8"), assumed_byteorder(), of_thread.skip_data,
        bool(mmap), maps_shared(),
    )  # fmt: skip
    with _opened(f) as file, _telling(file):
        format = formats.of_file(file)
        if mmap and format is archive and not isinstance(f, (str, os.PathLike)):
            raise ValueError("f must be a file path in order to use the mmap argument")
        if format in (archive, legacy):
            return format.read(file, options) if format is archive else _load_legacy(f, file, options)  # fmt: skip
        return format.read(file, map_location, bool(mmap))


def _check_arguments(pickle_module: Any, weights_only: bool | None, others: dict[str, Any]) -> None:
    if pickle_module is not None and weights_only:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    _refuse_other_pickles(pickle_module)
    if others and weights_only is not False and pickle_module is None:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    for name in others:
        if name not in ("encoding", "errors", "fix_imports", "buffers"):
            raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{name}'")


def _load_legacy(f: Any, file: Any, options: ReadOptions) -> Any:
    if options.mmap:
        name = f"{f}, " if isinstance(f, str) else ""
        raise RuntimeError(
            f"mmap can only be used with files saved with `nbmodule.save({name}"
            "_use_new_zipfile_serialization=True), please nbmodule.save your checkpoint with this option in "
            "order to use mmap."
        )
    if legacy.is_tar(file):
        raise RuntimeError(
            "Cannot use ``weights_only=True`` with files saved in the legacy .tar format.\n"
            "It is PyTorch's format of 2016: open it with PyTorch, and save it again there."
        )
    return legacy.read(file, options)


@contextmanager
def _opened(f: Any) -> Iterator[Any]:
    """Yield a binary file that can be searched; close it if it was opened here."""
    if isinstance(f, (str, os.PathLike)):
        if stat.S_ISFIFO(os.stat(f).st_mode):  # to open it would wait for a writer
            raise io.UnsupportedOperation(f"{f} is a pipe{NOT_SEEKABLE}")
        with open(f, "rb") as file:
            yield file
        return
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as e:
        hint = NOT_SEEKABLE if "seek" in str(e) or "tell" in str(e) else ""
        raise type(e)(f"{e}{hint}") from None
    yield f


@contextmanager
def _telling(file: Any) -> Iterator[None]:
    """Let errors say which file is meant, and those of the restricted reader what to do."""
    try:
        yield
    except UnpicklingError as e:
        raise UnpicklingError(f"{_explained(str(e))}\nThe file is {named(file)}.") from None
    except (RuntimeError, EOFError, ValueError, TypeError, AssertionError) as e:
        if e.args and isinstance(e.args[0], str) and named(file) not in e.args[0]:
            e.args = (f"{e.args[0]}\nThe file is {named(file)}.",)
        raise


def _explained(message: str) -> str:
    """Return the message of the restricted reader with PyTorch's words around it."""
    if "was not an allowed global by default" in message:
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two options, "
            "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. \n"
            f"\t(1) {UNSAFE} {NEVER_RUNS_CODE}\n"
            "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the "
            f"following error message.\n\tWeightsUnpickler error: {message}"
        )
    return f"Weights only load failed. {UNSAFE}\n{NEVER_RUNS_CODE}\nWeightsUnpickler error: \n\n{message}"  # fmt: skip


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Return the names in an archive that `load` would refuse. Nothing of the file is run or built.

    Args:
        f: a path, or a file, of an archive.

    Raises:
        ValueError: it is no archive.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_unsafe_globals_in_checkpoint

    Example:
        >>> import io, nbmodule
        >>> from fractions import Fraction
        >>> file = io.BytesIO()
        >>> with nbmodule.serialization.safe_globals([Fraction]):
        ...     nbmodule.save(Fraction(1, 3), file)
        >>> _ = file.seek(0)
        >>> nbmodule.serialization.get_unsafe_globals_in_checkpoint(file)
        ['fractions.Fraction']
    """
    with _opened(f) as file, _telling(file):
        if formats.of_file(file) is not archive:
            raise ValueError("Expected input to be a checkpoint returned by nbmodule.save")
        opened = ArchiveReader(file)
        if "constants.pkl" in opened:
            raise ValueError(
                "Expected input to be a checkpoint returned by nbmodule.save but got a torchscript checkpoint"
            )
        found = pickles.names_in(opened.read("data.pkl"))
    return sorted(found - constructors.names() - set(allowed_by_user()))
