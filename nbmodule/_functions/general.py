"""Functions that say what a tensor is, and two that return it again."""

from __future__ import annotations

from typing import Any

from .. import _dtypes
from .._engine.signature import shown_as
from .._errors import invalid_call
from .._tensor import Tensor
from ._wrap import function

clone = function(Tensor.clone)
detach = function(Tensor.detach)
numel = function(Tensor.numel)
is_floating_point = function(Tensor.is_floating_point)
is_complex = function(Tensor.is_complex)
is_signed = function(Tensor.is_signed)
is_nonzero = function(Tensor.is_nonzero)
is_conj = function(Tensor.is_conj)
is_neg = function(Tensor.is_neg)
is_inference = function(Tensor.is_inference)
is_same_size = function(Tensor.is_same_size)
get_device = function(Tensor.get_device)


@shown_as("tensor1, tensor2, /")
def result_type(*args: Any, **kwargs: Any) -> _dtypes.dtype:
    """Return the dtype of an operation on two tensors or numbers.

    Call it as ``result_type(a, b)``; by name the arguments are `tensor` and `other`, `scalar` and
    `tensor`, or `scalar1` and `scalar2`.

    Raises:
        TypeError: an argument is neither a tensor nor a number.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.result_type.html
    """
    both = (*args, *kwargs.values())
    if len(both) != 2 or not all(isinstance(x, (Tensor, int, float)) for x in both):
        raise invalid_call("result_type", args, kwargs)
    return _dtypes.result_type(*(getattr(x, "_array", x) for x in both))


def is_tensor(obj: object) -> bool:
    """Return whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)
