"""From the indices that a sampler gives to the data of a batch, the same way in a worker and without one.

Source: https://docs.pytorch.org/docs/stable/data.html#automatic-batching-default
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dataset import Dataset
from .collate import collates_as_usual


class _BaseDatasetFetcher:
    """Fetches batches from `dataset`.

    Args:
        dataset: where samples come from.
        auto_collation: whether an index stands for a batch (a list of indices), not for a sample.
        collate_fn: makes a batch of a list of samples, or converts a sample.
        drop_last: whether a last batch that is not full is left out.

    `ended` says that a stream has come to its end.
    """

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:  # fmt: skip
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch for these indices, or the sample for this index."""
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Takes the next samples of a stream; of the indices only their number counts."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:  # fmt: skip
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)

    def fetch(self, possibly_batched_index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        data = []
        for _ in possibly_batched_index:
            try:
                data.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not data or (self.drop_last and len(data) < len(possibly_batched_index)):
            raise StopIteration
        return self.collate_fn(data)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Looks samples up, all of a batch at once where the dataset has `__getitems__`.

    Of tensors in memory a batch is taken without making samples first.
    """

    def fetch(self, possibly_batched_index: Any) -> Any:
        dataset = self.dataset
        if not self.auto_collation:
            data = dataset[possibly_batched_index]
        elif (batch := self._at_once(possibly_batched_index)) is not None:
            return batch
        elif hasattr(dataset, "__getitems__") and dataset.__getitems__:
            data = dataset.__getitems__(possibly_batched_index)
        else:
            data = [dataset[i] for i in possibly_batched_index]
        return self.collate_fn(data)

    def _at_once(self, indices: Any) -> Any:
        """Return the batch if the dataset can give it at once, None if its samples have to be collated."""
        is_list = (
            type(indices) is list
        )  # a sampler may yield anything, also what can be read only once
        if is_list and isinstance(self.dataset, Dataset) and collates_as_usual(self.collate_fn):
            return self.dataset._batch_at(indices)
        return None


class _DatasetKind:
    """The two kinds of datasets: looked up by index, or gone through from the start."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> _BaseDatasetFetcher:  # fmt: skip
        """Return what fetches from a dataset of that kind."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)
