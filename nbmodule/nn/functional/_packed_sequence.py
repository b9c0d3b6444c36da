"""`PackedSequence`: sequences of different lengths without gaps; `nbmodule.nn.utils.rnn` shows it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _dtypes, _factories
from ..._tensor import Tensor


class PackedSequence_(NamedTuple):
    """The fields of a `PackedSequence`, which is a tuple of them.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html

    Example:
        >>> from nbmodule.nn.utils.rnn import PackedSequence
        >>> PackedSequence._fields
        ('data', 'batch_sizes', 'sorted_indices', 'unsorted_indices')
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def bind(optional: Any, fn: Callable[[Any], Any]) -> Any:
    """Return ``fn(optional)``, or None for None.

    Args:
        optional: anything.
        fn: what to call with it.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html

    Example:
        >>> from nbmodule.nn.utils.rnn import bind
        >>> bind(3, str), bind(None, str)
        ('3', None)
    """
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """A batch of sequences, ordered by time: first all first elements, then all second ones, and so on.

    The sequences come longest first, so that those which have ended are missing at the end: of ``[a, b, c]``
    and ``[x]`` the data are ``[a, x, b, c]``, and the sizes ``[2, 1, 1]``. Recurrent layers take it as their
    input. `pack_sequence` and `pack_padded_sequence` make it.

    Args:
        data: (total length, ...)
        batch_sizes: (T,) how many sequences have an element at each time; int64, on the CPU.
        sorted_indices: (N,) the places of the sequences before they were sorted, or None.
        unsorted_indices: the inverse of `sorted_indices`, worked out where it is left out.

    Attributes:
        data: as given; likewise the others.

    Raises:
        ValueError: `batch_sizes` is on another device than the CPU.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import pack_sequence
        >>> packed = pack_sequence([nbmodule.tensor([1, 2, 3]), nbmodule.tensor([9])])
        >>> packed.data, packed.batch_sizes
        (tensor([1, 9, 2, 3]), tensor([2, 1, 1]))
    """

    __module__ = "nbmodule.nn.utils.rnn"

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        return super().__new__(
            cls, *_checked_fields(data, batch_sizes, sorted_indices, unsorted_indices)
        )

    def pin_memory(self) -> PackedSequence:
        """Return a copy in memory from which a GPU can read directly."""
        return self._with(self.data.pin_memory(), lambda t: t.pin_memory())

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return it with `data` on another device or of another dtype; itself if nothing changes.

        The arguments are those of `Tensor.to`.
        """
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda t: t.to(data.device))

    def _with(self, data: Tensor, moved: Any) -> PackedSequence:
        places = bind(self.sorted_indices, moved), bind(self.unsorted_indices, moved)
        return type(self)(data, self.batch_sizes, *places)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return it with `data` on a GPU; the arguments are those of `Tensor.to`."""
        probe = _factories.empty(0, dtype=self.data.dtype, device=self.data.device)
        if not probe.to(*args, **kwargs).is_cuda:
            kwargs["device"] = "cuda"
        return self.to(*args, **kwargs)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return it with `data` on the CPU; the arguments are those of `Tensor.to`."""
        probe = _factories.empty(0, dtype=self.data.dtype, device=self.data.device)
        if probe.to(*args, **kwargs).device.type != "cpu":
            kwargs["device"] = "cpu"
        return self.to(*args, **kwargs)

    def double(self) -> PackedSequence:
        """Return it with data of float64."""
        return self.to(dtype=_dtypes.float64)

    def float(self) -> PackedSequence:
        """Return it with data of float32."""
        return self.to(dtype=_dtypes.float32)

    def half(self) -> PackedSequence:
        """Return it with data of float16."""
        return self.to(dtype=_dtypes.float16)

    def long(self) -> PackedSequence:
        """Return it with data of int64."""
        return self.to(dtype=_dtypes.int64)

    def int(self) -> PackedSequence:
        """Return it with data of int32."""
        return self.to(dtype=_dtypes.int32)

    def short(self) -> PackedSequence:
        """Return it with data of int16."""
        return self.to(dtype=_dtypes.int16)

    def char(self) -> PackedSequence:
        """Return it with data of int8."""
        return self.to(dtype=_dtypes.int8)

    def byte(self) -> PackedSequence:
        """Return it with data of uint8."""
        return self.to(dtype=_dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether `data` is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Return whether `data` is in memory from which a GPU can read directly."""
        return self.data.is_pinned()


PackedSequence_.__module__ = "nbmodule.nn.utils.rnn"


def _checked_fields(data: Any, batch_sizes: Tensor | None, sorted_indices: Tensor | None, unsorted_indices: Tensor | None) -> tuple[Any, ...]:  # fmt: skip
    """Return the fields; data and sizes may also come as one pair."""
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    if batch_sizes is None:
        if not (isinstance(data, (list, tuple)) and len(data) == 2):
            raise AssertionError("Expected data to be a list or tuple of length 2")
        return data[0], data[1], sorted_indices, unsorted_indices
    if batch_sizes.device.type != "cpu":
        raise ValueError(
            "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
            "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
            "nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
        )
    return data, batch_sizes, sorted_indices, unsorted_indices


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the order that undoes `permutation`; None for None.

    Args:
        permutation: (N,) each of 0 to N - 1 once, int64.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.invert_permutation.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.rnn import invert_permutation
        >>> invert_permutation(nbmodule.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    out = _factories.empty_like(permutation)
    places = _factories.arange(permutation.numel(), device=permutation.device)
    return out.scatter_(0, permutation, places)


bind.__module__ = invert_permutation.__module__ = "nbmodule.nn.utils.rnn"
