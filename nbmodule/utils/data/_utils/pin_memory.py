"""Copies of tensors in memory that a GPU can read from; where there is none, they stay where they are.

Source: https://docs.pytorch.org/docs/stable/data.html#memory-pinning
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...._tensor import Tensor
from .collate import mapping_like, sequence_like


def pin_memory(data: Any, device: Any = None) -> Any:
    """Call `pin_memory` of whatever has it, in mappings and sequences as well.

    Args:
        data: a batch.
        device: without effect, for calls written before PyTorch found it out.
    """
    if isinstance(data, Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return mapping_like(data, lambda key: pin_memory(data[key], device))
    if isinstance(data, tuple):
        items = [pin_memory(item, device) for item in data]
        return type(data)(*items) if hasattr(data, "_fields") else type(data)(items)
    if isinstance(data, Sequence):
        return sequence_like(data, data, lambda item: pin_memory(item, device))
    return data
