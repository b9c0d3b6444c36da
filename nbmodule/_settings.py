"""Switches for the whole program: threads, determinism, precision."""

from __future__ import annotations

import contextlib
import ctypes
import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

SETTERS = (
    "scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads64_",
    "openblas_set_num_threads", "MKL_Set_Num_Threads",
)  # fmt: skip
GETTERS = tuple(
    name.replace("set_num", "get_num").replace("MKL_Set_Num", "MKL_Get_Max") for name in SETTERS
)
PRECISIONS = ("highest", "high", "medium")


class Settings:
    """What has been asked for."""

    def __init__(self) -> None:
        self.threads: int | None = None
        self.deterministic: bool = False
        self.warn_only: bool = False
        self.precision: str = "highest"
        self.warn_always: bool = False


settings = Settings()


def _blas_libraries() -> Iterator[ctypes.CDLL]:
    """Yield the shared libraries that may hold the linear algebra under NumPy.

    NumPy's own extension finds the functions of what it is linked with, except on Windows. There the library is
    asked that NumPy's wheel brings along; it is loaded already.
    """
    from pathlib import Path  # here, since `import nbmodule` does without it

    core: Any = np
    package = Path(np.__file__).parent
    bundled = [*package.parent.glob("numpy.libs/*openblas*"), *package.glob(".dylibs/*openblas*")]
    for path in (core._core._multiarray_umath.__file__, *bundled):
        with contextlib.suppress(OSError):
            yield ctypes.CDLL(str(path))


def _blas_function(names: tuple[str, ...]) -> Any:
    """Return the first of the functions `names` that the linear algebra under NumPy has, or None."""
    found = (
        getattr(library, name)
        for library in _blas_libraries()
        for name in names
        if hasattr(library, name)
    )
    return next(found, None)


def set_num_threads(threads: int) -> None:
    """Let the linear algebra under NumPy use so many threads.

    Args:
        threads: at least 1.

    Raises:
        RuntimeError: it is no positive int.
    """
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(threads).__name__}")
    if threads <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    settings.threads = threads
    function = _blas_function(SETTERS)
    if function is None:
        warnings.warn(
            "the linear algebra under this NumPy cannot be told how many threads to use; set "
            "OMP_NUM_THREADS before Python starts",
            UserWarning,
            stacklevel=2,
        )
    else:
        function(ctypes.c_int(threads))


def get_num_threads() -> int:
    """Return how many threads the linear algebra under NumPy may use."""
    function = _blas_function(GETTERS)
    if function is not None:
        return int(function())
    return settings.threads or os.cpu_count() or 1


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for algorithms that give the same numbers every time. There are no others here."""
    settings.deterministic, settings.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was asked for."""
    return settings.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was asked for with ``warn_only=True``."""
    return settings.warn_only


def set_float32_matmul_precision(precision: str) -> None:
    """Allow products of matrices to be less exact. They stay as exact as they are.

    Args:
        precision: "highest", "high" or "medium".

    Raises:
        RuntimeError: it is none of them.
    """
    if precision not in PRECISIONS:
        raise RuntimeError(f"Unknown precision: {precision}")
    settings.precision = precision


def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was told; "highest" at first."""
    return settings.precision


def set_warn_always(b: bool, /) -> None:
    """Let warnings that come once in the life of a program come each time. Tests of warnings want that.

    Args:
        b: whether they come each time.

    Raises:
        RuntimeError: it is no bool.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_warn_always.html

    Example:
        >>> import nbmodule
        >>> nbmodule.set_warn_always(False)
        >>> nbmodule.is_warn_always_enabled()
        False
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    settings.warn_always = b


def is_warn_always_enabled() -> bool:
    """Return what `set_warn_always` has set."""
    return settings.warn_always
