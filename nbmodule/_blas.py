"""The linear algebra under NumPy, held at one thread.

Its own threads go on spinning after each product, on cores where somebody else could work: `_cores.py` shares the work instead.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

SETTERS = (
    "scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads64_",
    "openblas_set_num_threads", "MKL_Set_Num_Threads",
)  # fmt: skip
"""What the function is called that tells a library of linear algebra how many threads to use."""


def _blas_libraries() -> Iterator[ctypes.CDLL]:
    """Yield the shared libraries that may hold the linear algebra under NumPy.

    NumPy's own extension finds the functions of what it is linked with, except on Windows. There the library is
    asked that NumPy's wheel brings along; it is loaded already.
    """
    core: Any = np
    with contextlib.suppress(OSError):
        yield ctypes.CDLL(core._core._multiarray_umath.__file__)
    from pathlib import Path  # here, since elsewhere `import nbmodule` does without it

    package = Path(np.__file__).parent
    for path in (*package.parent.glob("numpy.libs/*openblas*"), *package.glob(".dylibs/*openblas*")):  # fmt: skip
        with contextlib.suppress(OSError):
            yield ctypes.CDLL(str(path))


def hold_linear_algebra() -> bool:
    """Tell the linear algebra under NumPy to use one thread, and return whether it could be told.

    ``NBMODULE_HOLD_BLAS=0`` in the environment leaves it alone.
    """
    if os.environ.get("NBMODULE_HOLD_BLAS") == "0":
        return False
    for library in _blas_libraries():
        for name in SETTERS:
            if hasattr(library, name):
                getattr(library, name)(ctypes.c_int(1))
                return True
    return False
