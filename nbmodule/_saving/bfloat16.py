"""bfloat16: the upper half of a float32. NumPy has no such type, so files that hold it are widened.

Every bfloat16 is a float32 whose last 16 bits are zero: nothing is lost on the way in.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import numpy as np


def widened(words: np.ndarray) -> np.ndarray:
    """Return the numbers of `words`, bfloat16s as uint16, as float32: value = word · 2¹⁶ as bits."""
    return (words.astype(np.uint32) << np.uint32(16)).view(np.float32)


def warn_widened(names: Sequence[str]) -> None:
    """Warn that the tensors `names` were bfloat16 in the file and are float32 now."""
    if names:
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        text = (
            f"{len(names)} bfloat16 tensors ({shown}) were loaded as float32, which holds the same numbers: "
            "nbmodule has no bfloat16."
        )
        warnings.warn(text, UserWarning, stacklevel=_frames_of_nbmodule() + 1)


def _frames_of_nbmodule() -> int:
    """Return how many frames, from the caller's on, belong to the library: the warning points above them."""
    frame, count, package = sys._getframe(1), 1, __name__.partition(".")[0]
    while frame.f_back and frame.f_back.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, count = frame.f_back, count + 1
    return count
