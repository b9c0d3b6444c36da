"""Tables of vectors: words and classes as vectors.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#sparse-functions
"""

from __future__ import annotations

import warnings

from ... import _dtypes
from ..._engine import wrap
from ..._functions._wrap import checked_function
from ..._methods.common import library
from ..._tensor import Tensor
from ._native import embedding as native


@checked_function
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 vectors with a single 1, at the place that each element of `input` names.

    Args:
        input: (...) class indices, int64.
        num_classes: the length of the vectors; by default the largest class plus one.

    Returns:
        (..., num_classes)

    Raises:
        RuntimeError: `input` has another dtype, or holds a number that is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.one_hot(nbmodule.tensor([2, 0]))
        tensor([[0, 0, 1],
                [1, 0, 0]])
    """
    if input.dtype is not _dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if input.is_meta and num_classes >= 0:  # nothing to check, and nothing to mark
        return input.new_empty((*input.shape, num_classes))
    if not input.numel() and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    xp, places = library(input), input._array.reshape(-1)
    least, largest = (int(places.min()), int(places.max())) if places.size else (0, -1)
    if least < 0:
        raise RuntimeError("Class values must be non-negative.")
    classes = largest + 1 if num_classes == -1 else num_classes
    if largest >= classes:
        raise RuntimeError(
            f"Class values must be smaller than num_classes.\nThe largest is {largest}, and num_classes is {classes}."
        )
    marks = xp.zeros((places.size, classes), "i8")
    marks[xp.arange(places.size), places] = 1
    return wrap(marks.reshape(*input.shape, classes))


def _row_of_padding(padding_idx: int | None, weight: Tensor) -> int:
    """Return the number of the padding row counted from the start, or -1 for None."""
    if padding_idx is None:
        return -1
    if padding_idx > 0:
        inside = padding_idx < weight.size(0)
    else:
        inside = padding_idx == 0 or padding_idx >= -weight.size(0)
    if not inside:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + weight.size(0) if padding_idx < 0 else padding_idx


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:  # fmt: skip
    """Return the rows of a table that `input` names, ``weight[input]``.

    Args:
        input: (...) numbers of rows, int64 or int32.
        weight: (V, D) the table.
        padding_idx: a row that gets no gradient.
        max_norm: scale the rows that are named and have a larger norm down to this one, in place.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each row by how often it is named.
        sparse: taken, and without effect: the gradient is a dense tensor, with the same numbers.

    Returns:
        (..., D)

    Raises:
        AssertionError: `padding_idx` is no row.
        RuntimeError: `weight` is no matrix, or `input` has another dtype.
        IndexError: there is no such row.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html

    Example:
        >>> import nbmodule
        >>> table = nbmodule.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]])
        >>> nbmodule.nn.functional.embedding(nbmodule.tensor([2, 1, 2]), table)
        tensor([[3., 4.],
                [1., 2.],
                [3., 4.]])
    """
    row = _row_of_padding(padding_idx, weight)
    if max_norm is not None:
        native.embedding_renorm_(weight.detach(), input.contiguous(), max_norm, norm_type)
    return native.embedding(weight, input, row, scale_grad_by_freq, sparse)


_MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None) -> Tensor:  # fmt: skip
    """Return the sum, mean or maximum of each bag of rows of a table.

    Args:
        input: (B, N) a bag in each row, or (n,) all bags one after the other: numbers of rows, int64 or int32.
        weight: (V, D) the table.
        offsets: (B,) where each bag begins in an `input` of one dimension; an empty bag gives zeros.
        max_norm: scale the rows that are named and have a larger norm down to this one, in place.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each row by how often it is named; not for "max".
        mode: "sum", "mean" or "max".
        sparse: taken, and without effect: the gradient is a dense tensor; not for "max".
        per_sample_weights: factors in the shape of `input`, for "sum" only.
        include_last_offset: whether `offsets` has one number more: the end of the last bag.
        padding_idx: a row that does not count, and gets no gradient.

    Returns:
        (B, D)

    Raises:
        ValueError: shapes do not fit, or `mode` is unknown.
        NotImplementedError: `per_sample_weights` with another mode than "sum".
        RuntimeError: dtypes or numbers do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html

    Example:
        >>> import nbmodule
        >>> table = nbmodule.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]])
        >>> bags = nbmodule.tensor([2, 1, 2])
        >>> nbmodule.nn.functional.embedding_bag(bags, table, nbmodule.tensor([0, 2]))
        tensor([[2., 3.],
                [3., 4.]])
    """
    if weight.dtype is _dtypes.int64 and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` "
            "is deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have "
            f"the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {type(offsets)}"
            )
        if not input.size(1):
            raise RuntimeError("step must be nonzero")
        starts = range(0, input.numel(), input.size(1))
        offsets = wrap(library(input).asarray(starts, dtype=input._array.dtype))
        include_last_offset = False
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    elif offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        native.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    assert offsets is not None
    return native.embedding_bag(weight, input, offsets, scale_grad_by_freq, _MODES[mode], sparse, per_sample_weights, include_last_offset, padding_idx)[0]  # fmt: skip
