"""Which samples, in which order, in which batches: samplers, streams and loaders of one's own."""

import itertools
import math
import random
from collections import Counter, namedtuple

import numpy as np
import torch
from torch.utils.data import (
    BatchSampler,
    ChainDataset,
    DataLoader,
    IterableDataset,
    RandomSampler,
    Sampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
)
from torch.utils.data.distributed import DistributedSampler

torch.manual_seed(0)
labels = torch.tensor([0] * 8 + [1] * 3 + [2] * 1)
dataset = TensorDataset(torch.arange(12.0), labels)


class Balanced(Sampler):
    """Draws each class as often as the others."""

    def __init__(self, labels):
        counts = Counter(labels)
        self.weights = torch.tensor([1.0 / counts[n] for n in labels], dtype=torch.double)

    def __iter__(self):
        return iter(torch.multinomial(self.weights, len(self), replacement=True).tolist())

    def __len__(self):
        return len(self.weights)


class Forever(Sampler):
    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            yield from torch.randperm(self.n, generator=generator).tolist()


class ByLength(BatchSampler):
    """Batches of about one length, in a random order."""

    def __init__(self, sampler, batch_size, lengths):
        super().__init__(sampler, batch_size, drop_last=False)
        self.lengths = lengths

    def __iter__(self):
        for chunk in BatchSampler(self.sampler, 3 * self.batch_size, drop_last=False):
            by_length = sorted(chunk, key=self.lengths.__getitem__)
            yield from SubsetRandomSampler(list(BatchSampler(by_length, self.batch_size, False)))


print([y.tolist() for _, y in DataLoader(dataset, batch_size=6, sampler=Balanced(labels.tolist()))])
endless = DataLoader(dataset, batch_size=5, sampler=Forever(12, seed=5))
print([x.tolist() for x, _ in itertools.islice(endless, 4)])
texts = [torch.arange(n) for n in torch.randint(1, 9, (11,)).tolist()]
batches = ByLength(RandomSampler(texts), 2, [len(t) for t in texts])
print([[len(t) for t in b] for b in DataLoader(texts, batch_sampler=batches, collate_fn=list)])
for rank in range(3):
    sampler = DistributedSampler(dataset, num_replicas=3, rank=rank, seed=1)
    sampler.set_epoch(2)
    print(list(sampler), len(sampler))
order = np.random.RandomState(1).permutation(12)
held_out = DataLoader(dataset, batch_size=3, sampler=SubsetRandomSampler(order[:4].tolist()))
print([x.tolist() for x, _ in held_out])
print(Subset(dataset, order[:2].tolist())[1], StackDataset(text=texts, number=range(11))[3])

Point = namedtuple("Point", "x y")
for samples in (
    [Point(1, 2.0), Point(3, 4.0)],
    [{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3, 4]}],
    [(1, "a"), (2, "b")],
    [np.float32(1), np.float32(2)],
    [True, False],
):
    print(default_collate(samples))
print(default_convert([np.array([1, 2]), {"a": np.float64(2)}, "text"]))


class Stream(IterableDataset):
    """Numbers, each from one worker."""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(range(self.start, self.end))
        share = math.ceil((self.end - self.start) / info.num_workers)
        start = self.start + info.id * share
        return iter(range(start, min(start + share, self.end)))


print([b.tolist() for b in DataLoader(Stream(3, 10), batch_size=2)])
print([b.tolist() for b in DataLoader(Stream(3, 10), batch_size=2, num_workers=2)])
print(list(DataLoader(ChainDataset([Stream(0, 2), Stream(5, 7)]), batch_size=None)))


class Shared(IterableDataset):
    def __init__(self):
        self.numbers = range(6)

    def __iter__(self):
        return iter(self.numbers)


def share(worker_id):
    info = get_worker_info()
    info.dataset.numbers = info.dataset.numbers[worker_id :: info.num_workers]


print([b.tolist() for b in DataLoader(Shared(), num_workers=2, worker_init_fn=share)])


class Noise(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.rand(1).item() if i != 2 else None


def without_holes(batch):
    return default_collate([sample for sample in batch if sample is not None])


def seeded(worker_id):
    random.seed(torch.initial_seed() % 2**32)


generator = torch.Generator().manual_seed(0)
loader = DataLoader(
    Noise(), 2, num_workers=2, collate_fn=without_holes, worker_init_fn=seeded, generator=generator
)
print([b.tolist() for b in loader], len(loader))
for wrong in (
    lambda: DataLoader(dataset, shuffle=True, sampler=RandomSampler(dataset)),
    lambda: DataLoader(Stream(0, 3), shuffle=True),
    lambda: len(Stream(0, 3)),
    lambda: DataLoader(dataset, batch_size=0),
    lambda: setattr(loader, "batch_size", 3),
):
    try:
        wrong()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, str(e).split("\n")[0])
