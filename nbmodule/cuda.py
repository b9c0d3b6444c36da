"""Whether there is a GPU to compute on."""

from __future__ import annotations

from ._backend import import_cupy


def is_available() -> bool:
    """Return whether tensors can be moved to ``device("cuda")``: CuPy and a driver are needed."""
    try:
        import_cupy()
    except RuntimeError:
        return False
    return True
