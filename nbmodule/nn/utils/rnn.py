"""Sequences of different lengths: packed, padded, and back.

Source: https://docs.pytorch.org/docs/stable/nn.html#utility-functions
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

from ... import _dtypes, _factories
from ..._errors import name_of_type, not_a_tensor
from ..._methods.common import kind_of, library
from ..._ops import packing
from ..._tensor import Tensor
from ..functional._packed_sequence import (  # noqa: F401
    PackedSequence,
    PackedSequence_,
    bind,
    invert_permutation,
)

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

_NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do "
    "not need ONNX exportability."
)


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:  # fmt: skip
    """Take the padding out of a batch of sequences.

    Args:
        input: (T, N, ...), or (N, T, ...) with `batch_first`.
        lengths: (N,) how long each sequence is, at least 1; on the CPU.
        batch_first: whether the batch comes before the time.
        enforce_sorted: whether the sequences come longest first; else they are sorted.

    Returns:
        the sequences without gaps.

    Raises:
        RuntimeError: there are not as many lengths as sequences, one is not positive, or they are not sorted.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import pack_padded_sequence
        >>> x = nbmodule.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
        >>> packed = pack_padded_sequence(x, [2, 1, 3], batch_first=True, enforce_sorted=False)
        >>> packed.data, packed.batch_sizes, packed.sorted_indices
        (tensor([4, 1, 3, 5, 2, 6]), tensor([3, 2, 1]), tensor([2, 0, 1]))
    """
    lengths = _factories.as_tensor(lengths, dtype=_dtypes.int64)
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    if not isinstance(input, Tensor):
        raise not_a_tensor("_pack_padded_sequence", "input", 1, input)
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.dim() != 1 or lengths.device.type != "cpu":
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D "
            f"{lengths.device.type} Long tensor"
        )
    x = input.transpose(0, 1) if batch_first else input
    counts, sizes = lengths.tolist(), [x.size(0), x.size(1)]
    if len(counts) != sizes[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={sizes[1]})"
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in pairwise(counts)):
        raise RuntimeError(_NOT_SORTED)
    steps = _factories.arange(max(counts[0], sizes[0])).unsqueeze(1)
    at_time = steps < lengths  # (T, N) who is still there
    data = packing.take(x, mask=library(input).asarray(at_time[: sizes[0]]._array))
    return PackedSequence(data, at_time.sum(1)[: counts[0]], order, None)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the sequences as one tensor, filled up to one length, and their lengths.

    Args:
        sequence: what `pack_padded_sequence` or `pack_sequence` returned, or a recurrent layer made of that.
        batch_first: whether the batch shall come before the time.
        padding_value: what the shorter sequences are filled up with.
        total_length: the length to fill up to; by default the longest.

    Returns:
        (T, N, ...), or (N, T, ...) with `batch_first`; and the lengths (N,). The sequences come in the order that
        they had before they were sorted.

    Raises:
        ValueError: `total_length` is less than the longest length.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_packed_sequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import pack_sequence, pad_packed_sequence
        >>> packed = pack_sequence([nbmodule.tensor([1, 2, 3]), nbmodule.tensor([9])])
        >>> pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2, 3],
                [9, 0, 0]]), tensor([3, 1]))
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    data, sizes = sequence.data, sequence.batch_sizes
    if sizes.dim() != 1 or sizes.dtype is not _dtypes.int64:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {sizes.dim()}D {sizes.device.type} "
            f"{kind_of(sizes)} tensor"
        )
    _check_rows(data, sizes.tolist())
    if len(data) > (rows := int(sizes.sum())):
        data = data[:rows]
    count = int(sizes[0])
    at_time = _factories.arange(count) < sizes.unsqueeze(1)  # (T, N) who is still there
    mask = library(data).zeros((longest, count), "?")
    mask[: len(sizes)] = library(data).asarray(at_time._array)
    padded = packing.put(data, mask=mask, value=data.new_full((), padding_value).item())
    lengths = at_time.sum(0)
    if batch_first:
        padded = padded.transpose(0, 1)
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:  # fmt: skip
    """Return sequences of different lengths as one tensor, filled up to the longest.

    Args:
        sequences: tensors (L, ...), alike but for L.
        batch_first: whether the batch shall come before the time.
        padding_value: what the shorter sequences are filled up with.
        padding_side: "right" or "left": where.

    Returns:
        (T, N, ...), or (N, T, ...) with `batch_first`.

    Raises:
        RuntimeError: there are no sequences, they are not alike, or the side is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import pad_sequence
        >>> pad_sequence([nbmodule.tensor([1, 2, 3]), nbmodule.tensor([9])], batch_first=True, padding_side="left")
        tensor([[1, 2, 3],
                [0, 0, 9]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    sequences = tuple(sequences)
    _check_pad(sequences, batch_first, padding_value, padding_side)
    first = sequences[0]
    for x in sequences:
        _check_rest(x.shape[1:], first.shape[1:])
    length = max(len(x) for x in sequences)
    value = first.new_full((), float(padding_value)).item()
    left = padding_side == "left"
    axis = 0 if batch_first else 1
    return packing.pad(*sequences, length=length, value=value, left=left, axis=axis)


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:  # fmt: skip
    """Return the sequences of a padded tensor one by one, without the padding.

    Args:
        padded_sequences: (T, N, ...), or (N, T, ...) with `batch_first`. As in PyTorch it is turned around
            in place without `batch_first`.
        lengths: (N,) how long each sequence is.
        batch_first: whether the batch comes before the time.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.unpad_sequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import unpad_sequence
        >>> x = nbmodule.tensor([[1, 2, 3], [9, 0, 0]])
        >>> unpad_sequence(x, nbmodule.tensor([3, 1]), batch_first=True)
        [tensor([1, 2, 3]), tensor([9])]
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    places = _factories.arange(padded_sequences.shape[1], device=lengths.device)
    pairs = zip(padded_sequences, lengths, strict=True)
    return [sequence[places < length] for sequence, length in pairs]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of different lengths.

    Args:
        sequences: tensors (L, ...), alike but for L.
        enforce_sorted: whether they come longest first; else they are sorted.

    Raises:
        RuntimeError: they are not sorted, or one is empty.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_sequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import pack_sequence
        >>> pack_sequence([nbmodule.tensor([1, 2, 3]), nbmodule.tensor([9])]).data
        tensor([1, 9, 2, 3])
    """
    lengths = _factories.as_tensor([x.size(0) for x in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed batch one by one, in their order before they were sorted.

    Args:
        packed_sequences: what `pack_sequence` returned, or a recurrent layer made of that.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.unpack_sequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import pack_sequence, unpack_sequence
        >>> unpack_sequence(pack_sequence([nbmodule.tensor([1, 2, 3]), nbmodule.tensor([9])]))
        [tensor([1, 2, 3]), tensor([9])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def _check_pad(sequences: tuple[Any, ...], batch_first: Any, value: Any, side: Any) -> None:
    for place, x in enumerate(sequences):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {name_of_type(x)}"
            )
    expected = (("batch_first", batch_first, bool), ("padding_value", value, (int, float)), ("padding_side", side, str))  # fmt: skip
    for place, (name, given, kinds) in enumerate(expected, 2):
        if not isinstance(given, kinds):
            kind = kinds[-1].__name__ if isinstance(kinds, tuple) else kinds.__name__
            raise TypeError(
                f"pad_sequence(): argument '{name}' (position {place}) must be {kind}, not "
                f"{name_of_type(given)}"
            )
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {side}.")
    if not sequences[0].dim():
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")


def _check_rows(data: Tensor, sizes: list[int]) -> None:
    """Raise if `data` has fewer rows than the `sizes` of all times together; PyTorch looks run by run."""
    if sum(sizes) <= len(data):
        return
    start, rest = 0, data.shape[1:]
    for size, run in groupby(sizes):
        shape = [len(list(run)), size, *rest]
        there = min(shape[0] * size, len(data) - start)
        if there < shape[0] * size:
            raise RuntimeError(
                f"shape '{shape}' is invalid for input of size {there * math.prod(rest)}"
            )
        start += there


def _check_rest(found: Sequence[int], expected: Sequence[int]) -> None:
    """Check that a sequence fits the first one in all dimensions but its length."""
    for back in range(1, len(found) + 1):
        b = found[-back]
        a = expected[-back] if back <= len(expected) else 1
        if b not in (1, a):
            raise RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension "
                f"{max(len(found), len(expected)) + 1 - back}"
            )
