"""Embeddings: words as rows of a table; and one-hot vectors.

``nbmodule.embedding``, which takes other arguments than ``nn.functional.embedding``, is `_embedding` here.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#sparse-functions
"""

from __future__ import annotations

import warnings
from math import ldexp
from typing import Any

from ... import _dtypes
from ..._backend import MetaArray, at_hand, meet
from ..._engine import renamed, wrap
from ..._errors import typed_name
from ..._functions._arguments import as_double, as_index
from ..._methods.common import library
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import elementwise as e
from ..._ops import embedding as rules
from ..._tensor import Tensor
from ._checks import check_flag, top_level


@pytorch_errors
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
    num_classes = as_index(num_classes)
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
        embedding_renorm_(weight.detach(), input.contiguous(), max_norm, norm_type)
    return _embedding(weight, input, row, scale_grad_by_freq, sparse)


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
        embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    assert offsets is not None
    return _embedding_bag(weight, input, offsets, scale_grad_by_freq, _MODES[mode], sparse, per_sample_weights, include_last_offset, padding_idx)[0]  # fmt: skip


@top_level
def _embedding(weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:  # fmt: skip
    """Return the rows of `weight` that `indices` names; `nbmodule.nn.functional.embedding` says more.

    Args:
        weight: (V, D)
        indices: any shape, int64 or int32.
        padding_idx: the row that gets no gradient; -1 for none.
        scale_grad_by_freq: divide the gradient of each row by how often it is named.
        sparse: taken, and without effect: the gradient is a dense tensor.

    Returns:
        (..., D)

    Raises:
        RuntimeError: `weight` is no matrix, or `indices` has another dtype.
        IndexError: there is no such row.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html

    Example:
        >>> import nbmodule
        >>> nbmodule.embedding(nbmodule.eye(3), nbmodule.tensor([2, 0]))
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
    """
    padding_idx = as_index(padding_idx)
    check_flag(scale_grad_by_freq)
    check_flag(sparse)
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices("embedding", 1, indices)
    index = indices._array
    if not len(weight) and index.ndim == 1 and index.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    refuse_strangers(index, len(weight), IndexError("index out of range in self"))
    return rules.embedding(weight, index=index, by_frequency=scale_grad_by_freq, padding=padding_idx)  # fmt: skip


def check_indices(function: str, place: int, indices: Tensor) -> None:
    """Raise if `indices` is neither int64 nor int32."""
    if indices._array.dtype not in ("i8", "i4"):
        kind = indices._array.dtype.kind
        name = "CPUBoolType" if kind == "b" else typed_name(indices._array)
        raise RuntimeError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: Long, "
            f"Int; but got {name} instead (while checking arguments for {function})"
        )


def refuse_strangers(index: Any, count: int, error: Exception) -> None:
    """Raise `error` if a number in `index` is none of a row of `count`."""
    if at_hand(index) and index.size and (index.min() < 0 or index.max() >= count):
        raise error


@top_level
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale the rows of `input` that `indices` names down to the norm `max_norm`, in place.

    Args:
        input: (V, D)
        indices: any shape, int64 or int32.
        max_norm: rows of a smaller norm stay as they are.
        norm_type: the p of the norm.

    Returns:
        `input` itself.

    Raises:
        RuntimeError: `input` is no matrix of floating point numbers, or `indices` has another dtype.
        IndexError: there is no such row.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[3.0, 4.0], [6.0, 8.0]])
        >>> nbmodule.embedding_renorm_(x, nbmodule.tensor([1]), 5.0, 2.0)
        tensor([[3., 4.],
                [3., 4.]])
    """
    if input.dim() != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input.dim()}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for embedding_renorm_)"
        )
    check_indices("embedding_renorm_", 2, indices)
    max_norm, norm_type = ldexp(max_norm, 0), ldexp(norm_type, 0)  # float() would take a text, too
    rows = input._array
    index = library(input).unique(indices._array)
    for place in index.tolist():
        if not -len(rows) <= place < len(rows):
            raise IndexError(
                f"select(): index {place} out of range for tensor of size {list(input.shape)} at dimension 0"
            )
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {input.dtype.scalar_name} instead."
        )
    max_norm = as_double(max_norm)  # a list would pass as an array
    size = wrap(rows[index]).norm(norm_type, 1)._array[:, None]
    scale = library(input).where(size > max_norm, max_norm / (size + 1e-7), 1)
    if not size.size:
        return input
    own = wrap(index.astype("i8") % len(rows))
    input.index_copy_(0, own, wrap((rows[index] * scale).astype(rows.dtype)))
    return input


@top_level
def _embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """Return sums, means or maxima of bags of rows; `nbmodule.nn.functional.embedding_bag` says more.

    Args:
        weight: (V, D)
        indices: (n,) the rows in all bags, one after the other.
        offsets: (B,) where each bag begins; (B + 1,) with `include_last_offset`.
        scale_grad_by_freq: divide the gradient of each row by how often it is named.
        mode: 0 for sums, 1 for means, 2 for maxima.
        sparse: taken, and without effect: the gradient is a dense tensor.
        per_sample_weights: (n,) factors of the rows, for sums.
        include_last_offset: whether the last of `offsets` is an end.
        padding_idx: a row that does not count.

    Returns:
        (B, D); for each of `indices` its bag; the sizes of the bags; and for maxima where they were found.

    Raises:
        RuntimeError: dtypes or numbers do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html

    Example:
        >>> import nbmodule
        >>> w, i = nbmodule.eye(3), nbmodule.tensor([2, 0, 1])
        >>> nbmodule.embedding_bag(w, i, nbmodule.tensor([0, 2]))[0]
        tensor([[1., 0., 1.],
                [0., 1., 0.]])
    """
    mode = as_index(mode)
    padding_idx = None if padding_idx is None else as_index(padding_idx)
    for flag in (scale_grad_by_freq, sparse, include_last_offset):
        check_flag(flag)
    if isinstance(weight._array, MetaArray):
        count = len(offsets) - bool(include_last_offset)
        sizes = offsets.new_empty(count)
        return (
            weight.new_empty(count, weight.size(1)),
            indices.new_empty(len(indices)),
            sizes,
            sizes,
        )
    count = len(weight)
    if padding_idx is not None and not -count <= padding_idx < count:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-count} through {count - 1}, but got "
            f"{padding_idx}"
        )
    if indices.dim() not in (1, 2):
        raise RuntimeError(
            f"input has to be a 1D or 2D Tensor, but got Tensor of dimension {indices.dim()}"
        )
    for name, t, dims in (("offsets", offsets, 1), ("weight", weight, 2)):
        if t.dim() != dims:
            raise RuntimeError(
                f"{name} has to be a {dims}D Tensor, but got Tensor of dimension {t.dim()}"
            )
    indices = indices.reshape(-1)
    _check_bag(weight, indices, offsets, per_sample_weights, include_last_offset)
    if per_sample_weights is not None and mode:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    if mode not in (0, 1, 2):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    xp, index = library(weight), indices._array
    starts = offsets._array
    meet(weight._array, index, starts)
    if include_last_offset:  # the last bag goes to the end of the indices, as in PyTorch
        starts = starts[:-1]
    quick = mode < 2 and padding_idx is None and weight._array.itemsize < 8
    for t, axis in ((weight, 1), (per_sample_weights, 0)):
        quick = quick and (t is None or t.stride(axis) == 1)
    refuse_strangers(index, count, _stranger(index, count, quick))
    bags = xp.searchsorted(starts, xp.arange(len(index)), side="right") - 1
    kept = bags >= 0
    if padding_idx is not None:
        kept &= index != padding_idx % count
    own, inside = bags[kept], index[kept]
    sizes = xp.bincount(own, minlength=len(starts))
    rows = rules.embedding(weight, index=inside, by_frequency=scale_grad_by_freq and mode < 2)
    if mode == 2:
        best = _places_of_largest(xp, rows._array, own, sizes)
        out = rules.pick(rows, places=best)
        where = xp.where(best < 0, 0, inside[best] if len(inside) else 0)
    else:
        if per_sample_weights is not None:
            rows = e.mul(rows, per_sample_weights[wrap(kept)].unsqueeze(1))
        if len(own) and bool((sizes == sizes[0]).all()):
            out = rules.sum_equal_bags(rows, count=len(sizes))
        else:
            out = rules.add_rows(rows, index=own, count=len(sizes))
        if mode == 1:
            out = e.div(out, wrap(xp.maximum(sizes, 1)[:, None].astype(weight._array.dtype)))
        else:  # PyTorch does not count here
            bags, sizes = bags[:0] if quick else bags, xp.zeros(len(offsets), "i8")
        where = sizes
    others = (wrap(a.astype(index.dtype)) for a in (bags, sizes, where))
    return renamed(out, "EmbeddingBagBackward0"), *others  # type: ignore[return-value]


def _places_of_largest(xp: Any, rows: Any, own: Any, sizes: Any) -> Any:
    """Return for each bag and column in which of the rows the largest element is, -1 for an empty bag.

    Args:
        xp: the array library.
        rows: (n, D)
        own: (n,) the bag of each row, ascending.
        sizes: (B,) how many rows each bag has.
    """
    longest = max(1, int(sizes.max()) if len(sizes) else 0)
    places, first = xp.full((len(sizes), longest), -1), xp.cumsum(sizes) - sizes
    places[own, xp.arange(len(own)) - first[own]] = xp.arange(len(own))
    if not len(own):
        return xp.full((len(sizes), rows.shape[1]), -1)
    seen = xp.where((places < 0)[..., None], -xp.inf, rows[places])
    return xp.take_along_axis(places, seen.argmax(1), 1)


def _stranger(index: Any, count: int, quick: bool) -> RuntimeError:
    """Return the error for the first number in `index` that is none of a row of `count`.

    Args:
        index: (n,)
        count: how many rows there are.
        quick: whether PyTorch has a kernel of its own for the case, with words of its own.
    """
    wrong = ((index < 0) | (index >= count)).nonzero()[0]
    place = int(wrong[0]) if wrong.size else 0
    value = int(index[place]) if index.size else 0
    if not quick:
        return RuntimeError(
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {value}"
        )
    return RuntimeError(
        f"Index {place} of input takes value {value} which is not in the valid range [0, {count})"
    )


def _check_bag(weight: Tensor, indices: Tensor, offsets: Tensor, per_sample_weights: Tensor | None, include_last_offset: bool) -> None:  # fmt: skip
    kinds = {t._array.dtype for t in (indices, offsets)}
    widest = max(kinds, key=lambda k: k.itemsize if k.kind != "f" else 99)
    if widest not in ("i8", "i4"):
        shown = indices if indices._array.dtype == widest else offsets
        check_indices("embedding_bag", 1, shown)
    if weight._array.dtype.kind != "f":
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {typed_name(weight._array)} instead (while checking arguments for "
            "embedding_bag)"
        )
    starts = offsets._array
    if include_last_offset and not starts.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if starts.size:
        if int(starts[0]) != 0:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
                f"0. However, got {int(starts[0])}"
            )
        if int(starts[-1]) > len(indices):
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length {len(indices)} but got offsets[-1] of "
                f"{int(starts[-1])}"
            )
    if per_sample_weights is not None and per_sample_weights._array.dtype != weight._array.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {typed_name(weight._array)} does not equal "
            f"{typed_name(per_sample_weights._array)} (while checking arguments for embedding_bag)"
        )
