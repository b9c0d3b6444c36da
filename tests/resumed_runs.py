"""Training runs in plain loops that can stop at any step, be saved, and go on in fresh objects."""

import nbmodule as torch
from nbmodule import nn
from nbmodule.optim import lr_scheduler
from nbmodule.utils.data import DataLoader, Dataset, IterableDataset, WeightedRandomSampler

EPOCHS = 3
ROWS, BATCH = 11, 4  # the last batch is smaller

OPTIMIZERS = {
    "SGD": dict(lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    "Adam": dict(lr=0.05, amsgrad=True),
    "AdamW": dict(lr=0.05),
    "RMSprop": dict(lr=0.01, momentum=0.5, centered=True),
    "Adagrad": dict(lr=0.1, lr_decay=0.1, initial_accumulator_value=0.1),
    "Adadelta": dict(lr=1.0),
    "Adamax": dict(lr=0.05),
    "NAdam": dict(lr=0.05),
    "RAdam": dict(lr=0.05),
    "Rprop": dict(lr=0.01),
    "ASGD": dict(lr=0.05, t0=2),
    "LBFGS": dict(lr=0.1, max_iter=3, history_size=3),
    "Adafactor": dict(lr=0.05),
}

BY_EPOCH = {
    "StepLR": lambda o: lr_scheduler.StepLR(o, 1, gamma=0.5),
    "ReduceLROnPlateau": lambda o: lr_scheduler.ReduceLROnPlateau(o, patience=0, factor=0.3),
    "CosineAnnealingWarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2),
    "SequentialLR": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.ConstantLR(o, 0.5, 1), lr_scheduler.ExponentialLR(o, 0.9)], [1]
    ),
    "ChainedScheduler": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.LinearLR(o, 0.3, total_iters=2), lr_scheduler.MultiStepLR(o, [1, 2])], o
    ),
}
BY_STEP = {
    "CosineAnnealingLR": lambda o: lr_scheduler.CosineAnnealingLR(o, 5),
    "OneCycleLR": lambda o: lr_scheduler.OneCycleLR(o, 0.1, 30, cycle_momentum=False),
    "CyclicLR": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 2, 3, cycle_momentum=False, mode="triangular2"),
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda step: 0.9**step),
    "PolynomialLR": lambda o: lr_scheduler.PolynomialLR(o, 7, 2.0),
}  # fmt: skip


class Rows(Dataset):
    """Rows that are made anew, with noise, each time that they are asked for."""

    def __len__(self):
        return ROWS

    def __getitem__(self, i):
        x = torch.arange(3.0) * i / ROWS + 0.1 * torch.rand(3)
        return x, x.sum() * 2


class Stream(IterableDataset):
    """The same rows in their order; each worker gives all of them."""

    def __iter__(self):
        return (Rows()[i] for i in range(ROWS))


LOADERS = {
    "shuffled": lambda workers: DataLoader(Rows(), BATCH, shuffle=True, num_workers=workers),
    "own generator": lambda workers: DataLoader(Rows(), BATCH, shuffle=True, num_workers=workers, generator=torch.Generator().manual_seed(5)),
    "weighted": lambda workers: DataLoader(Rows(), BATCH, sampler=WeightedRandomSampler(range(1, ROWS + 1), ROWS), num_workers=workers, drop_last=True),
    "stream": lambda workers: DataLoader(Stream(), BATCH, num_workers=workers),
}  # fmt: skip


class Run:
    """A model, an optimizer, schedulers and a loader in their first state.

    Args:
        optimizer: a key of `OPTIMIZERS`.
        by_epoch, by_step: keys of the schedulers.
        loader: a key of `LOADERS`.
        workers: of the loader.
    """

    def __init__(self, optimizer="Adam", by_epoch="StepLR", by_step="CosineAnnealingLR", loader="shuffled", workers=0):  # fmt: skip
        self.options = dict(optimizer=optimizer, by_epoch=by_epoch, by_step=by_step, loader=loader, workers=workers)  # fmt: skip
        self.model = nn.Sequential(
            nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Dropout(0.3), nn.Linear(5, 1)
        )
        self.optimizer = getattr(torch.optim, optimizer)(
            self.model.parameters(), **OPTIMIZERS[optimizer]
        )
        self.by_epoch, self.by_step = (
            BY_EPOCH[by_epoch](self.optimizer),
            BY_STEP[by_step](self.optimizer),
        )
        self.loader = LOADERS[loader](workers)
        self.epoch = self.step = 0
        self.losses = []

    def train(self, stop=None):
        """Train until `stop` steps are done, or to the end."""
        while self.epoch < EPOCHS:
            for x, y in self.loader:
                self.losses.append(self.optimizer.step(lambda: self.loss(x, y)).item())  # noqa: B023
                self.by_step.step()
                self.step += 1
                if self.step == stop:
                    return self
            if isinstance(self.by_epoch, lr_scheduler.ReduceLROnPlateau):
                self.by_epoch.step(self.losses[-1])
            else:
                self.by_epoch.step()
            self.epoch += 1
        return self

    def loss(self, x, y):
        self.optimizer.zero_grad()
        loss = ((self.model(x)[:, 0] - y) ** 2).mean()
        loss.backward()
        return loss

    def checkpoint(self):
        """Return all that the next step depends on."""
        return {
            "options": self.options,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedulers": [self.by_epoch.state_dict(), self.by_step.state_dict()],
            "loader": self.loader.state_dict(),
            "random": torch.get_rng_state(),
            "progress": (self.epoch, self.step, self.losses),
        }

    @classmethod
    def resumed(cls, checkpoint):
        """Return a run of fresh objects that goes on where `checkpoint` was made."""
        self = cls(**checkpoint["options"])
        self.model.load_state_dict(checkpoint["model"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        for scheduler, state in zip(
            [self.by_epoch, self.by_step], checkpoint["schedulers"], strict=True
        ):
            scheduler.load_state_dict(state)
        self.loader.load_state_dict(checkpoint["loader"])
        torch.set_rng_state(checkpoint["random"])
        self.epoch, self.step, self.losses = checkpoint["progress"]
        return self

    def outcome(self):
        """Return the bits of everything at the end, as text."""
        return repr(_bits(self.checkpoint()))


def _bits(value):
    if isinstance(value, torch.Tensor):
        return str(value.dtype), list(value.shape), value.numpy().tobytes().hex()
    if isinstance(value, dict):
        return [(k, _bits(v)) for k, v in value.items()]
    return [_bits(v) for v in value] if isinstance(value, list | tuple) else value
