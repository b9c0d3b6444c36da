"""Loaders of data to time: each function takes the library and returns the work of an epoch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

Work = Callable[[], Any]


def table(t: ModuleType) -> Any:
    """Return 6400 rows of 784 numbers, with a class each."""
    t.manual_seed(0)
    return t.utils.data.TensorDataset(t.rand(6400, 784), t.zeros(6400, dtype=t.int64))


def pictures(t: ModuleType) -> Any:
    """Return `FashionMini`, or for PyTorch a data set of the same pictures that works in the same way."""
    from nbmodule.datasets import FashionMini

    ours = FashionMini()
    if t.__name__ == "nbmodule":
        return ours

    class Pictures(t.utils.data.Dataset):
        data, targets = t.from_numpy(ours.data.numpy()), t.from_numpy(ours.targets.numpy())

        def __len__(self) -> int:
            return len(self.data)

        def __getitem__(self, index: int) -> tuple[Any, int]:
            return self.data[index].unsqueeze(0) / 255, int(self.targets[index])

    return Pictures()


def epoch(dataset: Callable[[ModuleType], Any], options: dict[str, Any], t: ModuleType) -> Work:
    loader = t.utils.data.DataLoader(dataset(t), **options)

    def work() -> None:
        for _ in loader:
            pass

    return work


def bare_loader(workers: int, t: ModuleType) -> Work:
    """A data set that costs nothing, so that what remains is the loader's own work: 1600 batches."""

    class Nothing(t.utils.data.Dataset):
        def __len__(self) -> int:
            return 6400

        def __getitems__(self, indices: list[int]) -> list[int]:
            return indices

    options = {"batch_size": 4, "collate_fn": len, "num_workers": workers}
    return epoch(lambda t: Nothing(), options, t)


def collate(t: ModuleType) -> Work:
    samples = [{"x": t.ones(3), "y": i, "z": (0.5, "name")} for i in range(64)]
    return lambda: t.utils.data.default_collate(samples)


def weighted_order(t: ModuleType) -> Work:
    sampler = t.utils.data.WeightedRandomSampler([0.1, 0.9] * 5000, 10_000)
    return lambda: list(sampler)


def split(t: ModuleType) -> Work:
    dataset = t.utils.data.TensorDataset(t.zeros(60_000))
    return lambda: t.utils.data.random_split(dataset, [0.8, 0.2])


def training_epoch(t: ModuleType) -> Work:
    """An epoch over `FashionMini` with two convolutions and Adam."""
    nn = t.nn
    t.manual_seed(0)
    loader = t.utils.data.DataLoader(pictures(t), batch_size=64, shuffle=True)
    net = nn.Sequential(
        *(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.Conv2d(20, 20, 5), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(20 * 20 * 20, 10)),
    )
    optimizer, loss_fn = t.optim.Adam(net.parameters()), nn.CrossEntropyLoss()

    def work() -> None:
        for x, y in loader:
            optimizer.zero_grad()
            loss_fn(net(x), y).backward()
            optimizer.step()

    return work


SHUFFLED = {"batch_size": 64, "shuffle": True}
DATA: dict[str, Callable[[ModuleType], Work]] = {
    "100 batches of a TensorDataset": partial(epoch, table, {"batch_size": 64}),
    "100 batches, shuffled": partial(epoch, table, SHUFFLED),
    "40 batches of FashionMini": partial(epoch, pictures, SHUFFLED),
    "1600 batches of nothing": partial(bare_loader, 0),
    "collate 64 dicts": collate,
    "WeightedRandomSampler, 10,000": weighted_order,
    "random_split of 60,000": split,
    "an epoch of training on FashionMini": training_epoch,
}

WORKERS: dict[str, Callable[[ModuleType], Work]] = {
    "2 workers: 100 batches": partial(epoch, table, SHUFFLED | {"num_workers": 2}),
    "2 workers: 40 of FashionMini": partial(epoch, pictures, SHUFFLED | {"num_workers": 2}),
    "2 workers: 1600 of nothing": partial(bare_loader, 2),
}
"""With workers, which are processes in PyTorch: timed by the clock on the wall."""
