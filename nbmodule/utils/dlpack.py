"""Capsules through which libraries share memory.

Source: https://docs.pytorch.org/docs/stable/dlpack.html
"""

from __future__ import annotations

from typing import Any

from .._interop import from_dlpack as from_dlpack
from .._tensor import Tensor


def to_dlpack(tensor: Tensor) -> Any:
    """Return a capsule through which another library can use the memory of `tensor`, once.

    Raises:
        BufferError: it requires grad.
    """
    try:
        return tensor.__dlpack__(
            max_version=(1, 0)
        )  # older capsules do not say that they may be written to
    except TypeError:  # NumPy 2.0
        return tensor.__dlpack__()
