"""What a dataset is, and the ways to make one of others: stack, join, chain, take a part, split.

A *map-style* dataset answers ``dataset[i]``; an *iterable* one is a stream. A dataset may also answer
`__getitems__`, for a whole batch of indices at once; `DataLoader` asks for it, so `Dataset` itself must not have it.
Neither has a `__len__` here: Python's own TypeError is the right answer where a dataset has no length.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Iterable, TypeVar  # noqa: UP035 - subclasses may mix in Generic

from ..._factories import randperm
from ..._generator import Generator, default_generator
from ..._tensor import Tensor
from ._utils.rows import is_as_written, rows_at

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_T_stack = TypeVar("_T_stack", tuple, dict)


class Dataset(Generic[_T_co]):
    """A map from an index to a sample: subclasses write ``__getitem__``, and mostly ``__len__``.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Dataset

    Example:
        >>> from nbmodule.utils.data import Dataset
        >>> class Squares(Dataset[int]):
        ...     def __getitem__(self, i):
        ...         return i * i
        ...     def __len__(self):
        ...         return 4
        >>> [Squares()[i] for i in range(4)], len(Squares() + Squares())
        ([0, 1, 4, 9], 8)
    """

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[_T_co]) -> ConcatDataset[_T_co]:
        return ConcatDataset([self, other])

    def _batch_at(self, indices: list[int]) -> list[Tensor] | None:
        """Return what `default_collate` would make of the samples at `indices`, where that is simply rows of tensors."""
        return None


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """A stream of samples: subclasses write ``__iter__``.

    With several workers each of them iterates over a copy; `get_worker_info` tells a copy which part is its own.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset

    Example:
        >>> from nbmodule.utils.data import IterableDataset
        >>> class Countdown(IterableDataset):
        ...     def __init__(self, start):
        ...         self.start = start
        ...     def __iter__(self):
        ...         return iter(range(self.start, 0, -1))
        >>> list(Countdown(3) + Countdown(2))
        [3, 2, 1, 2, 1]
    """

    def __add__(self, other: Dataset[_T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Sample `i` is the tuple of ``tensor[i]`` of each tensor.

    Args:
        tensors: of any shapes (N, ...), with the same N.

    Raises:
        AssertionError: they differ in N.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.TensorDataset

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(6.0).reshape(3, 2)
        >>> nbmodule.utils.data.TensorDataset(x, x.sum(1))[1]
        (tensor([2., 3.]), tensor(5.))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            sizes = [tensor.size(0) for tensor in tensors]
            raise AssertionError(
                f"Size mismatch between tensors\nTheir first dimensions are {sizes}."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def _batch_at(self, indices: list[int]) -> list[Tensor] | None:
        return rows_at(self.tensors, indices) if is_as_written(self, TensorDataset) else None

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[_T_stack]):
    """Sample `i` is made of sample `i` of each dataset: a tuple, or a dict where they have names.

    Args:
        args: datasets of one length, for tuples.
        kwargs: datasets of one length, for dicts.

    Raises:
        ValueError: both kinds are given, or none, or the lengths differ.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.StackDataset

    Example:
        >>> from nbmodule.utils.data import StackDataset
        >>> StackDataset("abc", range(3))[1], StackDataset(letter="abc", place=range(3))[2]
        (('b', 1), {'letter': 'c', 'place': 2})
    """

    datasets: tuple | dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        parts = args or tuple(kwargs.values())
        self._length = len(parts[0])
        if any(self._length != len(dataset) for dataset in parts):
            lengths = [len(dataset) for dataset in parts]
            raise ValueError(f"Size mismatch between datasets\nThey have {lengths} samples.")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {k: dataset[index] for k, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list) -> list:
        """Return the samples at `indices`; each dataset is asked for all of its own at once, if it can.

        Raises:
            ValueError: one of them returns another number of samples.
        """
        if isinstance(self.datasets, dict):
            names, parts = tuple(self.datasets), tuple(self.datasets.values())
            rows = _rows(parts, indices)
            return [dict(zip(names, row, strict=True)) for row in rows]
        return _rows(self.datasets, indices)

    def __len__(self) -> int:
        return self._length


def _rows(datasets: tuple, indices: list) -> list[tuple]:
    """Return for each index the tuple of what the datasets have there."""
    columns = []
    for dataset in datasets:
        if callable(getattr(dataset, "__getitems__", None)):
            columns.append(dataset.__getitems__(indices))
        else:
            columns.append([dataset[index] for index in indices])
        if len(columns[-1]) != len(indices):
            raise ValueError(
                "Nested dataset's output size mismatch."
                f" Expected {len(indices)}, got {len(columns[-1])}"
            )
    return list(zip(*columns, strict=True))


class ConcatDataset(Dataset[_T_co]):
    """Map-style datasets one after the other.

    Args:
        datasets: they, an iterable.

    Attributes:
        cumulative_sizes: where each of them ends.

    Raises:
        AssertionError: there are none, or one is an `IterableDataset`.
        ValueError: a negative index goes back beyond the start.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.ConcatDataset

    Example:
        >>> from nbmodule.utils.data import ConcatDataset
        >>> both = ConcatDataset([range(3), "xy"])
        >>> both[2], both[3], both[-1], both.cumulative_sizes
        (2, 'x', 'y', [3, 5])
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Return the lengths of the members, each added to those before it."""
        return list(itertools.accumulate(len(e) for e in sequence))

    def __init__(self, datasets: Iterable[Dataset[_T_co] | Sequence[_T_co]]) -> None:
        super().__init__()
        self.datasets = list(datasets)
        if len(self.datasets) == 0:
            raise AssertionError("datasets should not be an empty iterable")
        for d in self.datasets:
            if isinstance(d, IterableDataset):
                raise AssertionError(
                    "ConcatDataset does not support IterableDataset\nChainDataset does."
                )
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(
                    "absolute value of index should not exceed dataset length\n"
                    f"The index is {idx}, the length {len(self)}."
                )
            idx = len(self) + idx
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """`cumulative_sizes` under its first, misspelt name."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`",
            FutureWarning,
            stacklevel=2,
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets one after the other.

    Args:
        datasets: they, an iterable; it is gone through again in every epoch.

    Raises:
        AssertionError: while iterating, one is no `IterableDataset`.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.ChainDataset

    Example:
        >>> from nbmodule.utils.data import ChainDataset, IterableDataset
        >>> class Letters(IterableDataset):
        ...     def __iter__(self):
        ...         return iter("ab")
        >>> list(ChainDataset([Letters(), Letters()]))
        ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        super().__init__()
        self.datasets = datasets

    def _each(self) -> Iterator[Any]:
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield d

    def __iter__(self) -> Iterator[Any]:
        for d in self._each():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._each())


class Subset(Dataset[_T_co]):
    """Some samples of a dataset: number `i` is ``dataset[indices[i]]``.

    Args:
        dataset: the whole.
        indices: which, a sequence.

    Raises:
        NotImplementedError: a subclass overrides `__getitem__` alone, which a `DataLoader` does not call.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Subset

    Example:
        >>> from nbmodule.utils.data import Subset
        >>> odd = Subset("abcdef", [1, 3, 5])
        >>> len(odd), odd[0], odd.__getitems__([2, 0])
        (3, 'b', ['f', 'b'])
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[_T_co] | Sequence[_T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__. "
                "When subclassing Subset and overriding __getitem__, you must also override "
                "__getitems__ to ensure DataLoader works correctly with your custom logic. "
                "A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> _T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        """Return the samples at `indices`, in one call where the dataset has one for it."""
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__([self.indices[idx] for idx in indices])  # type: ignore[attr-defined]
        return [self.dataset[self.indices[idx]] for idx in indices]

    def _batch_at(self, indices: list[int]) -> list[Tensor] | None:
        own = type(self)
        as_written = own.__getitem__ is Subset.__getitem__ and own.__getitems__ is Subset.__getitems__  # fmt: skip
        if as_written and isinstance(self.dataset, Dataset):
            return self.dataset._batch_at([self.indices[i] for i in indices])
        return None

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Dataset[_T], lengths: Sequence[int | float], generator: Generator | None = default_generator) -> list[Subset[_T]]:  # fmt: skip
    """Deal a dataset out at random into parts that do not overlap.

    Args:
        dataset: what is split; it needs a length.
        lengths: the parts' lengths, or fractions that sum to 1. A fraction `f` gets ``floor(f * len(dataset))``
            samples, and those left over go to the parts from the first on, one each.
        generator: where the permutation is drawn from.

    Returns:
        A `Subset` for each part.

    Raises:
        ValueError: the lengths do not sum to the dataset's, or a fraction is not between 0 and 1.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.random_split

    Example:
        >>> import nbmodule
        >>> g = nbmodule.Generator().manual_seed(42)
        >>> parts = nbmodule.utils.data.random_split(range(10), [0.25, 0.75], generator=g)
        >>> [list(part) for part in parts]
        [[2, 6, 1], [8, 4, 5, 0, 9, 3, 7]]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _shares(lengths, len(dataset))  # type: ignore[arg-type]
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.",
                    stacklevel=2,
                )
    if sum(lengths) != len(dataset):  # type: ignore[arg-type]
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset!\n"
            f"They sum to {sum(lengths)}, and it has {len(dataset)} samples."  # type: ignore[arg-type]
        )
    indices: list[int] = randperm(sum(lengths), generator=generator).tolist()  # type: ignore[arg-type]
    ends: Any = itertools.accumulate(lengths)
    return [
        Subset(dataset, indices[end - length : end])  # type: ignore[misc]
        for end, length in zip(ends, lengths, strict=True)
    ]


def _shares(fractions: Sequence[float], total: int) -> list[int]:
    """Return `total` cut into whole numbers by `fractions`."""
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    return lengths
