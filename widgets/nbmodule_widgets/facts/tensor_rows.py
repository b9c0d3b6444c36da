"""The bits of many small tensors of PyTorch, remembered and compared together.

Asked one by one, each of 20,000 parameters costs a few calls of PyTorch; as rows they cost a few for each shape.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from typing import Any

_MOST = 4096  # numbers of a tensor; a larger one takes its time by itself
_BITS = {
    "float16": "int16", "bfloat16": "int16", "float32": "int32", "float64": "int64",
    "int8": "int8", "uint8": "uint8", "bool": "uint8", "int16": "int16", "int32": "int32", "int64": "int64",
}  # fmt: skip


class Rows:
    """Small tensors by dtype and shape, as long as a block lasts."""

    def __init__(self) -> None:
        torch: Any = sys.modules.get("torch")
        kinds = (
            {}
            if torch is None
            else {getattr(torch, k): getattr(torch, b) for k, b in _BITS.items()}
        )
        self._torch: Any = torch
        self._kinds, self._kind = kinds, getattr(torch, "Tensor", None)
        self._tensors: dict[Any, list[Any]] = {}
        self._then: dict[Any, Any] = {}
        self._changed: dict[Any, Container[int]] | None = None

    def take(self, tensor: Any) -> tuple[Any, int] | None:
        """Notes a tensor whose bits are to be remembered; returns its row, or None where it must be asked alone."""
        if type(tensor) is not self._kind or not tensor.is_cpu or tensor.numel() > _MOST:
            return None
        dtype = tensor.dtype
        if dtype not in self._kinds or tensor.layout is not self._torch.strided or tensor.is_neg():
            return None
        if is_freed(tensor):
            return None
        key = dtype, tensor.shape
        there = self._tensors.setdefault(key, [])
        there.append(tensor)
        return key, len(there) - 1

    def remember(self) -> None:
        """Copies the bits of all that were taken, as they are now."""
        self._then = {key: self._bits(key) for key in self._tensors}

    def compare(self) -> None:
        """Finds out which have other bits than they had."""
        self._changed = None
        changed: dict[Any, Container[int]] = {}
        for key, then in self._then.items():
            if any(map(is_freed, self._tensors[key])):
                return
            now = self._bits(key)
            if not self._torch.equal(now, then):
                changed[key] = {*(now != then).any(1).nonzero().flatten().tolist()}
        self._changed = changed

    def put_back(self, row: tuple[Any, int], tensor: Any) -> None:
        """Gives a tensor its bits back, if it has others: as `compare` found, else by itself."""
        key, number = row
        if self._changed is not None and number not in self._changed.get(key, ()):
            return
        then = self._then[key][number]
        if is_freed(tensor):
            raise ValueError("its memory was freed")
        bits = tensor.view(self._kinds[key[0]])
        if not self._torch.equal(bits.flatten(), then):
            bits.copy_(then.view(bits.shape))

    def _bits(self, key: Any) -> Any:
        matrix = self._torch.stack(self._tensors[key])
        return matrix.reshape(len(matrix), -1).view(self._kinds[key[0]])


def is_freed(tensor: Any) -> bool:
    """Whether the memory of a tensor of PyTorch was given back, as FSDP does: to read it is a crash."""
    return tensor.untyped_storage().nbytes() == 0 and tensor.numel() > 0
