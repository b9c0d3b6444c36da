"""In which order a dataset is gone through, and how the indices become batches.

Samplers draw the same indices as PyTorch's for the same seed. None has a default `__len__`: Python's own
TypeError is the right answer where a sampler has no length.

Source: https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ..._dtypes import float64, int64
from ..._factories import as_tensor, empty, multinomial, randint, randperm
from ..._generator import Generator
from ..._tensor import Tensor

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)
_DRAWN_AT_ONCE = 32
"""So many indices PyTorch draws together with replacement: it decides on the numbers."""


class Sampler(Generic[_T_co]):
    """An order of indices, or of lists of them: subclasses write ``__iter__``, and mostly ``__len__``.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Sampler

    Example:
        >>> from nbmodule.utils.data import Sampler
        >>> class ShortestFirst(Sampler[int]):
        ...     def __init__(self, texts):
        ...         self.texts = texts
        ...     def __iter__(self):
        ...         return iter(sorted(range(len(self.texts)), key=lambda i: len(self.texts[i])))
        >>> list(ShortestFirst(["three", "a", "two"]))
        [1, 2, 0]
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, ... to the last.

    Args:
        data_source: only its length counts.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.SequentialSampler

    Example:
        >>> from nbmodule.utils.data import SequentialSampler
        >>> list(SequentialSampler("abcd"))
        [0, 1, 2, 3]
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices shuffled; or, with replacement, each drawn anew.

    Args:
        data_source: only its length counts.
        replacement: draw each index from all of them.
        num_samples: how many to draw; the length, if not given. Without replacement more than the length
            begin another permutation.
        generator: where to draw from. Without one, each iteration draws a seed from the default
            generator and has a generator of its own.

    Raises:
        TypeError: `replacement` is no bool.
        ValueError: `num_samples` is no positive int.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.RandomSampler

    Example:
        >>> import nbmodule
        >>> from nbmodule.utils.data import RandomSampler
        >>> _ = nbmodule.manual_seed(0)
        >>> order = RandomSampler(range(6))
        >>> list(order), list(order)
        ([0, 1, 2, 3, 5, 4], [0, 4, 3, 5, 2, 1])
    """

    data_source: Sized
    replacement: bool

    def __init__(self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Generator | None = None) -> None:  # fmt: skip
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(self.replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={self.replacement}"
            )
        _check_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices an iteration gives: the length of the data, which may change, if not set."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, generator = len(self.data_source), self.generator
        if generator is None:
            seed = int(empty((), dtype=int64).random_().item())
            generator = Generator().manual_seed(seed)
        if self.replacement:
            whole, rest = divmod(self.num_samples, _DRAWN_AT_ONCE)
            for size in (*[_DRAWN_AT_ONCE] * whole, rest):
                yield from randint(high=n, size=(size,), dtype=int64, generator=generator).tolist()
        else:
            whole, rest = divmod(self.num_samples, n)
            for _ in range(whole):
                yield from randperm(n, generator=generator).tolist()
            yield from randperm(n, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices, shuffled.

    Args:
        indices: a sequence of them.
        generator: where the permutation is drawn from; the default generator, if not given.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.SubsetRandomSampler

    Example:
        >>> import nbmodule
        >>> g = nbmodule.Generator().manual_seed(0)
        >>> list(nbmodule.utils.data.SubsetRandomSampler([10, 20, 30, 40], generator=g))
        [10, 20, 40, 30]
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with the probability ``weights[i] / sum(weights)``.

    Args:
        weights: numbers, one for each index.
        num_samples: how many to draw.
        replacement: whether an index may come again.
        generator: where to draw from; the default generator, if not given.

    Raises:
        ValueError: `num_samples` is no positive int, `replacement` no bool, or `weights` no row of numbers.
        RuntimeError: while iterating, when the weights cannot be drawn from.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler

    Example:
        >>> import nbmodule
        >>> from nbmodule.utils.data import WeightedRandomSampler
        >>> g = nbmodule.Generator().manual_seed(0)
        >>> list(WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, generator=g))
        [5, 4, 4, 5, 4]
    """

    weights: Tensor
    num_samples: int
    replacement: bool

    def __init__(self, weights: Sequence[float] | Tensor, num_samples: int, replacement: bool = True, generator: Generator | None = None) -> None:  # fmt: skip
        _check_positive("num_samples", num_samples, bools=False)
        _check_bool("replacement", replacement)
        row = as_tensor(weights, dtype=float64)
        if row.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(row.shape)}"
            )
        self.weights = row
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices each of another sampler.

    Args:
        sampler: it, or any iterable of indices.
        batch_size: how many to a list.
        drop_last: leave out the last list where it is shorter.

    Raises:
        ValueError: `batch_size` is no positive int, or `drop_last` no bool.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.BatchSampler

    Example:
        >>> from nbmodule.utils.data import BatchSampler
        >>> list(BatchSampler(range(7), 3, False)), list(BatchSampler(range(7), 3, True))
        ([[0, 1, 2], [3, 4, 5], [6]], [[0, 1, 2], [3, 4, 5]])
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:  # fmt: skip
        _check_positive("batch_size", batch_size, bools=False)
        _check_bool("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := [*itertools.islice(indices, self.batch_size)]:
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        length = len(self.sampler)  # type: ignore[arg-type]
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


def _check_positive(name: str, value: Any, bools: bool = True) -> None:
    """Raise unless `value` is a positive int; `bools`: True counts as one."""
    if not isinstance(value, int) or (isinstance(value, bool) and not bools) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
