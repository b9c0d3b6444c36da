"""The bits of many small tensors of PyTorch, remembered and compared together.

Asked one by one, each of 20,000 parameters costs a few calls of PyTorch; as rows they cost a few for each shape.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable
from itertools import repeat
from typing import Any

MOST = 4096  # numbers of a tensor; a larger one takes its time by itself
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
        if type(tensor) is not self._kind or not tensor.is_cpu or tensor.numel() > MOST:
            return None
        dtype = tensor.dtype
        if dtype not in self._kinds or tensor.layout is not self._torch.strided or tensor.is_neg():
            return None
        return None if is_freed(tensor) else self.add(tensor)

    def can_hold(self, dtype: Any) -> bool:
        """Whether the bits of numbers of this kind can be asked for."""
        return dtype in self._kinds

    def add(self, tensor: Any) -> tuple[Any, int]:
        """Notes one that need not be asked alone."""
        key = tensor.dtype, tensor.shape
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
            if any(are_freed(self._tensors[key])):
                return
            now = self._bits(key)
            if not self._torch.equal(now, then):
                changed[key] = {*(now != then).any(1).nonzero().flatten().tolist()}
        self._changed = changed

    def same(self, rows: list[tuple[Any, int]]) -> Iterable[bool]:
        """For each row whether `compare` found the bits that it had."""
        changed = self._changed
        if changed is None or not changed:
            return repeat(changed is not None, len(rows))
        return [number not in changed.get(key, ()) for key, number in rows]

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


def are_freed(tensors: list[Any]) -> list[bool]:
    """For each of PyTorch's ordinary tensors whether its memory was given back."""
    torch: Any = sys.modules["torch"]
    storages = map(torch.Tensor.untyped_storage, tensors)
    sizes = map(torch.UntypedStorage.nbytes, storages)
    return [not size and t.numel() > 0 for size, t in zip(sizes, tensors, strict=True)]


def is_freed(tensor: Any) -> bool:
    """Whether the memory of a tensor of PyTorch was given back, as FSDP does: to read it is a crash."""
    return tensor.untyped_storage().nbytes() == 0 and tensor.numel() > 0
