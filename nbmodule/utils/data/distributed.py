"""The part of a dataset that one of several replicas trains on.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeVar

from ..._factories import randperm
from ..._generator import Generator
from .sampler import Sampler

__all__ = ["DistributedSampler"]

_T_co = TypeVar("_T_co", covariant=True)
_NO_GROUP = (
    "Default process group has not been initialized, please make sure to call init_process_group.\n"
    "There are no process groups here: give `num_replicas` and `rank`."
)


class DistributedSampler(Sampler[_T_co]):
    """Every `num_replicas`-th index, from the `rank`-th on: replicas share the data without overlap.

    So that all get equally many, indices from the start are used twice, or the last are dropped.

    Args:
        dataset: only its length counts, which must not change.
        num_replicas: how many share the data; to be given here, for want of process groups.
        rank: which of them this is, from 0 on; to be given here.
        shuffle: deal out a permutation, drawn from ``seed + epoch`` and so the same one for every replica.
        seed: the same for all of them.
        drop_last: drop the last indices instead of using the first again.

    Raises:
        ValueError: `rank` is not in [0, num_replicas), or one of the two is not given.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler

    Example:
        >>> from nbmodule.utils.data import DistributedSampler
        >>> [list(DistributedSampler(range(5), 2, rank, shuffle=False)) for rank in (0, 1)]
        [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0, drop_last: bool = False) -> None:  # fmt: skip
        if num_replicas is None or rank is None:
            raise ValueError(_NO_GROUP)
        if rank >= num_replicas or rank < 0:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        length = len(dataset)
        if drop_last and length % num_replicas != 0:
            self.num_samples = math.ceil((length - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(length / num_replicas)
        self.total_size = self.num_samples * self.num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[_T_co]:
        n = len(self.dataset)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = randperm(n, generator=generator).tolist()
        else:
            indices = list(range(n))
        if self.drop_last:
            indices = indices[: self.total_size]
        else:
            missing = self.total_size - n
            repeats = 1 if missing <= n else math.ceil(missing / n)
            indices += (indices * repeats)[:missing]
        if len(indices) != self.total_size:
            raise AssertionError(
                f"Number of indices ({len(indices)}) does not match total_size ({self.total_size})\n"
                "Has the length of the dataset changed?"
            )
        return iter(indices[self.rank : self.total_size : self.num_replicas])  # type: ignore[return-value]

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the permutation: to be called before each epoch, or all epochs have the same."""
        self.epoch = epoch
