"""Tensors that a Module recognises: what is learned, and what is only remembered."""

from __future__ import annotations

from typing import Any

from .. import _factories
from .._engine import wrap
from .._tensor import Tensor


class Parameter(Tensor):
    """A tensor to be learned. Assigned to a Module, it goes into the drawer ``_parameters``.

    Args:
        data: the values; the parameter shares their memory. None makes an empty one.
        requires_grad: whether operations on it are recorded.

    Raises:
        TypeError: `data` is not a Tensor.
        RuntimeError: `data` does not hold floats, and `requires_grad` is True.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Wrap the memory of `data`."""
        if data is None:
            data = _factories.empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(
                f"a Parameter is made of a Tensor, got {type(data).__name__}: wrap it in nbmodule.tensor(...) "
                "first"
            )
        if requires_grad and not data.is_floating_point():
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        self = super().__new__(cls)
        self._array, self._storage = data._array, data._storage
        self._requires_grad = bool(requires_grad)
        return self

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """`__new__` has done everything."""

    def __deepcopy__(self, memo: dict) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(wrap(self._array.copy()), self._requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class _BufferMeta(type):
    """Makes ``isinstance(t, Buffer)`` true for the tensors that `Buffer` marked."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.__dict__.get("_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor to be remembered. Assigned to a Module, it goes into the drawer ``_buffers``.

    Args:
        data: the values; the buffer shares their memory. None makes an empty one.
        persistent: whether ``state_dict()`` holds it.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        """Return a plain Tensor that bears a mark."""
        if data is None:
            data = _factories.empty(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent, t._is_buffer = persistent, True  # type: ignore[attr-defined]
        return t
