"""`Variable`: what tensors that can be differentiated were called before PyTorch 0.4."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """Returns its tensor: today every tensor can require grad."""

    def __new__(cls, data: Any = None, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:  # fmt: skip
        """Return `data` as a new tensor on the same memory."""
        t = Tensor() if data is None else data.detach()
        return t.requires_grad_(bool(requires_grad)) if requires_grad is not None else t
