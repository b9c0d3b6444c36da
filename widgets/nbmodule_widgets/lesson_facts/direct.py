"""A pass of `model.forward(x)`, recorded through a small outer Module that makes this call."""

from __future__ import annotations

from typing import Any


class DirectCall:
    """Speaks the Module protocol, holds one child, and calls the child's `forward` past its `__call__`.

    It has no `forward` of its own, so nothing but the child's pass is recorded.

    Args:
        model: The child.
    """

    def __init__(self, model: object) -> None:
        self.training = True
        self._parameters: dict[str, Any] = {}
        self._buffers: dict[str, Any] = {}
        self._modules: dict[str, Any] = {"model": model}

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Returns what the child's `forward` returns."""
        return self._modules["model"].forward(*inputs, **kwargs)
