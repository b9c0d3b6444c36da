"""Tables of vectors, one for each word or class.

Source: https://docs.pytorch.org/docs/stable/nn.html#sparse-layers
"""

from __future__ import annotations

from typing import Any

from ... import _factories
from ..._tensor import Tensor
from ...autograd import no_grad
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """A module with a table of vectors, of which one may stand for padding."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    weight: Tensor

    def reset_parameters(self) -> None:
        """Draw the table again, and set the row for padding to 0."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def _counted_from_start(self, padding_idx: int | None, name: str) -> int | None:
        if padding_idx is None or padding_idx == 0:
            return padding_idx
        if not -self.num_embeddings <= padding_idx < self.num_embeddings:
            raise AssertionError(f"{name} must be within num_embeddings")
        return padding_idx + self.num_embeddings if padding_idx < 0 else padding_idx

    def _make_weight(self, given: Tensor | None, trained: bool, device: Any, dtype: Any) -> None:
        shape = (self.num_embeddings, self.embedding_dim)
        if given is None:
            fresh = _factories.empty(shape, device=device, dtype=dtype)
            self.weight = Parameter(fresh, requires_grad=trained)
            self.reset_parameters()
            return
        if tuple(given.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(given, requires_grad=trained)


class Embedding(_Table):
    """A table of vectors: returns the row that each number of the input names, ``weight[input]``.

    Args:
        num_embeddings: how many vectors there are.
        embedding_dim: the size of each.
        padding_idx: a row that is 0 at first, and gets no gradient.
        max_norm: a vector that is looked up and has a larger norm is scaled down to this one, in place.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each vector by how often it was looked up.
        sparse: taken, and without effect: the gradient is a dense tensor, with the same numbers.
        _weight: a table that is given; see `from_pretrained`.
        _freeze: whether the table shall stay as it is in training.
        device: where the table lives.
        dtype: of the table; the default dtype when left out.

    Attributes:
        weight: (num_embeddings, embedding_dim), drawn from the standard normal distribution.

    Raises:
        AssertionError: `padding_idx` is no row.
        IndexError: on a call, when there is no such row.
        RuntimeError: on a call, when the input is neither int64 nor int32.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html

    Example:
        >>> import nbmodule
        >>> words = nbmodule.nn.Embedding(10, 3, padding_idx=0)
        >>> words(nbmodule.tensor([[1, 2, 4, 5], [4, 3, 0, 0]])).shape
        nbmodule.Size([2, 4, 3])
        >>> words(nbmodule.tensor(0)).tolist()
        [0.0, 0.0, 0.0]
    """

    __constants__ = [
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip

    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    freeze: bool
    sparse: bool

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = self._counted_from_start(padding_idx, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._make_weight(_weight, not _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        """Return the vectors (..., embedding_dim) that `input`, (...), names."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)  # fmt: skip

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        s = "{num_embeddings}, {embedding_dim}"
        s += ", padding_idx={padding_idx}" if self.padding_idx is not None else ""
        s += ", max_norm={max_norm}" if self.max_norm is not None else ""
        s += ", norm_type={norm_type}" if self.norm_type != 2 else ""
        s += ", scale_grad_by_freq={scale_grad_by_freq}" if self.scale_grad_by_freq is not False else ""  # fmt: skip
        s += ", sparse=True" if self.sparse is not False else ""
        return s.format(**self.__dict__)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Embedding:  # fmt: skip
        """Return a module around a table that is given.

        Args:
            embeddings: (num_embeddings, embedding_dim); it is shared, not copied.
            freeze: whether the table shall stay as it is in training.
            padding_idx: as the remaining arguments, see the class.
            max_norm: see the class.
            norm_type: see the class.
            scale_grad_by_freq: see the class.
            sparse: see the class.

        Example:
            >>> import nbmodule
            >>> words = nbmodule.nn.Embedding.from_pretrained(nbmodule.tensor([[1, 2.3], [4, 5.1]]))
            >>> words(nbmodule.tensor([1]))
            tensor([[4.0000, 5.1000]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings, _freeze=freeze)  # fmt: skip


class EmbeddingBag(_Table):
    """A table of vectors: returns the sum, mean or maximum of the rows that each bag of numbers names.

    It computes what `Embedding` and then ``sum(1)``, ``mean(1)`` or ``max(1)`` would.

    Args:
        num_embeddings: how many vectors there are.
        embedding_dim: the size of each.
        max_norm: a vector that is looked up and has a larger norm is scaled down to this one, in place.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each vector by how often it was looked up; not for "max".
        mode: "sum", "mean" or "max".
        sparse: taken, and without effect: the gradient is a dense tensor; not for "max".
        _weight: a table that is given; see `from_pretrained`.
        include_last_offset: whether `offsets` has one number more: the end of the last bag.
        padding_idx: a row that is 0 at first, does not count in a bag, and gets no gradient.
        device: where the table lives.
        dtype: of the table; the default dtype when left out.

    Attributes:
        weight: (num_embeddings, embedding_dim), drawn from the standard normal distribution.

    Raises:
        AssertionError: `padding_idx` is no row.
        ValueError: on a call, when shapes do not fit or the mode is unknown.
        RuntimeError: on a call, when dtypes or numbers do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html

    Example:
        >>> import nbmodule
        >>> bags = nbmodule.nn.EmbeddingBag(10, 3, mode="sum")
        >>> words, starts = nbmodule.tensor([1, 2, 4, 5, 4, 3]), nbmodule.tensor([0, 4])
        >>> bags(words, starts).shape
        nbmodule.Size([2, 3])
    """

    __constants__ = [
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    ]  # fmt: skip

    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    mode: str
    sparse: bool
    include_last_offset: bool

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = self._counted_from_start(padding_idx, "padding_idx")
        self._make_weight(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:  # fmt: skip
        """Return (B, embedding_dim).

        Args:
            input: (B, N) a bag in each row, or (n,) all bags one after the other.
            offsets: (B,) where each bag begins in an input of one dimension; an empty bag gives zeros.
            per_sample_weights: factors in the shape of `input`, for sums.
        """
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)  # fmt: skip

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        s = "{num_embeddings}, {embedding_dim}"
        s += ", max_norm={max_norm}" if self.max_norm is not None else ""
        s += ", norm_type={norm_type}" if self.norm_type != 2 else ""
        s += ", scale_grad_by_freq={scale_grad_by_freq}" if self.scale_grad_by_freq is not False else ""  # fmt: skip
        s += ", mode={mode}"
        s += ", padding_idx={padding_idx}" if self.padding_idx is not None else ""
        return s.format(**{name: repr(value) for name, value in self.__dict__.items()})

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False, padding_idx: int | None = None) -> EmbeddingBag:  # fmt: skip
        """Return a module around a table that is given.

        Args:
            embeddings: (num_embeddings, embedding_dim); it is shared, not copied.
            freeze: whether the table shall stay as it is in training.
            max_norm: as the remaining arguments, see the class.
            norm_type: see the class.
            scale_grad_by_freq: see the class.
            mode: see the class.
            sparse: see the class.
            include_last_offset: see the class.
            padding_idx: see the class.

        Example:
            >>> import nbmodule
            >>> bags = nbmodule.nn.EmbeddingBag.from_pretrained(nbmodule.tensor([[1, 2.5], [4, 5.5]]))
            >>> bags(nbmodule.tensor([[1, 0]]))
            tensor([[2.5000, 4.0000]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, _weight=embeddings, include_last_offset=include_last_offset, padding_idx=padding_idx)  # fmt: skip
        made.weight.requires_grad = not freeze
        return made
