"""A small training run with everything that is hard to resume, in many variants."""

import random
from functools import partial

import numpy as np

import nbmodule
from nbmodule import nn, optim
from nbmodule.learner import (
    Accuracy,
    Checkpoint,
    EarlyStopping,
    GradientAccumulation,
    GradientClipping,
    Learner,
    OneCycle,
    Scheduler,
)
from nbmodule.utils.data import DataLoader, Dataset, TensorDataset

EPOCHS, SAMPLES, BATCH = 3, 22, 5
STEPS = EPOCHS * -(-SAMPLES // BATCH)


class Jittered(Dataset):
    """Samples with noise from all three random generators."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        noise = nbmodule.rand(()) + random.random() + np.random.rand()  # noqa: NPY002 - the global generator is meant
        return self.x[i] + 0.01 * noise, self.y[i]


class FreshBatches:
    """A loader without a state of its own, that shuffles."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return -(-len(self.x) // BATCH)

    def __iter__(self):
        for places in nbmodule.randperm(len(self.x)).split(BATCH):
            yield self.x[places], self.y[places]


def loader_of(kind, x, y):
    if kind == "plain":
        return FreshBatches(x, y)
    if kind == "own generator":
        generator = nbmodule.Generator().manual_seed(3)
        return DataLoader(TensorDataset(x, y), BATCH, shuffle=True, generator=generator)
    if kind == "workers":
        return DataLoader(TensorDataset(x, y), BATCH, shuffle=True, num_workers=2)
    return DataLoader(Jittered(x, y), BATCH, shuffle=True)


OPTIMIZERS = {
    "sgd": partial(optim.SGD, lr=0.1, momentum=0.9),
    "adam": partial(optim.Adam, lr=0.02),
    "adamw": partial(optim.AdamW, lr=0.02, amsgrad=True),
}
EXTRAS = {
    "none": list,
    "accumulation": lambda: [GradientAccumulation(3), GradientClipping(max_norm=0.3)],
    "stopping": lambda: [EarlyStopping(patience=1, restore_best=True)],
    "every epoch": lambda: [Scheduler(partial(optim.lr_scheduler.StepLR, step_size=1))],
    "every step": lambda: [
        Scheduler(partial(optim.lr_scheduler.ExponentialLR, gamma=0.9), every="step")
    ],
    "plateau": lambda: [Scheduler(partial(optim.lr_scheduler.ReduceLROnPlateau, patience=0))],
    "one cycle": list,
}
LOADERS = ["shuffled", "own generator", "workers", "plain"]


def built(optimizer="sgd", extra="none", loader="shuffled", folder=None, more=(), suffix=".pt"):
    """Return a learner, always the same one."""
    nbmodule.manual_seed(1)
    random.seed(2)
    np.random.seed(3)  # noqa: NPY002
    x = nbmodule.randn(SAMPLES + 8, 4)
    y = (x.sum(1) > 0).long()
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.3), nn.Linear(6, 2))  # fmt: skip
    callbacks = [*EXTRAS[extra](), *more]
    if folder is not None:
        callbacks.append(
            Checkpoint(folder, every_steps=1, keep=None, monitor="valid_loss", suffix=suffix)
        )
    valid = DataLoader(TensorDataset(x[SAMPLES:], y[SAMPLES:]), 3)
    train = loader_of(loader, x[:SAMPLES], y[:SAMPLES])
    return Learner(model, nn.CrossEntropyLoss(), OPTIMIZERS[optimizer], train, valid, [Accuracy()], callbacks)  # fmt: skip


def trained(learner, extra):
    """Train it to its end."""
    one_cycle = [OneCycle(0.2)] if extra == "one cycle" else []
    learner.fit(EPOCHS, one_cycle)
    return learner


def facts(learner):
    """Return everything that must be the same, as plain Python."""
    return plain(learner.state_dict()) | {"next": nbmodule.rand(3).tolist()}


def plain(nest):
    if isinstance(nest, nbmodule.Tensor):
        return (str(nest.dtype), nest.tolist())
    if isinstance(nest, dict):
        return {key: plain(value) for key, value in nest.items()}
    if isinstance(nest, (list, tuple)):
        return type(nest)(plain(value) for value in nest) if type(nest) in (list, tuple) else nest
    return nest
