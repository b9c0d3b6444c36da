"""Schedules as papers and repositories write them: subclasses, wrappers, functions, and their resuming."""

import math
import warnings
from functools import partial

import torch
from torch import nn
from torch.optim.lr_scheduler import (
    ConstantLR,
    CosineAnnealingLR,
    CyclicLR,
    LambdaLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    SequentialLR,
    StepLR,
)


def make_optimizer():
    parameters = [nn.Parameter(torch.zeros(1)) for _ in range(2)]
    groups = [{"params": [parameters[0]]}, {"params": [parameters[1]], "lr": 0.01}]
    return torch.optim.SGD(groups, lr=0.1, momentum=0.9)


class Noam(LRScheduler):
    """Up in a line, then down with the root of the step: "Attention Is All You Need"."""

    def __init__(self, optimizer, width, warmup, last_epoch=-1):
        self.width, self.warmup = width, warmup
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        step = max(1, self._step_count)
        scale = self.width**-0.5 * min(step**-0.5, step * self.warmup**-1.5)
        return [base * scale for base in self.base_lrs]


class WarmThen(LRScheduler):
    """Warms up, and then asks another scheduler."""

    def __init__(self, optimizer, epochs, then):
        self.epochs, self.then = epochs, then
        super().__init__(optimizer)

    def get_lr(self):
        if self.last_epoch >= self.epochs:
            return self.then.get_last_lr()
        return [base * (self.last_epoch + 1) / (self.epochs + 1) for base in self.base_lrs]

    def step(self, epoch=None):
        if self.last_epoch >= self.epochs:
            self.then.step()
            self._last_lr = self.then.get_last_lr()
        else:
            super().step(epoch)


class Range(LRScheduler):
    """From the first rate to `end` by equal factors: the range test."""

    def __init__(self, optimizer, end, steps):
        self.end, self.steps = end, steps
        super().__init__(optimizer)

    def get_lr(self):
        part = self.last_epoch / (self.steps - 1)
        return [base * (self.end / base) ** part for base in self.base_lrs]


class Decay:
    """A rule with numbers of its own, given as a bound method."""

    def __init__(self, start, total):
        self.start, self.total = start, total

    def factor(self, epoch):
        return 1.0 - max(0, epoch - self.start) / (self.total - self.start)


def up_and_down(step, *, warmup, total):
    return step / warmup if step < warmup else max(0.0, (total - step) / (total - warmup))


def half_cosine(step, *, total, cycles=0.5):
    return max(0.0, 0.5 * (1 + math.cos(math.pi * cycles * 2 * step / total)))


makers = {
    "noam": lambda o: Noam(o, 64, 4),
    "warm, then cosine": lambda o: WarmThen(o, 3, CosineAnnealingLR(o, 5)),
    "range": lambda o: Range(o, 10.0, 8),
    "up and down": lambda o: LambdaLR(o, partial(up_and_down, warmup=3, total=8)),
    "one for each group": lambda o: LambdaLR(o, [lambda e: 0.5**e, partial(half_cosine, total=8)]),
    "method": lambda o: LambdaLR(o, lr_lambda=Decay(3, 8).factor),
    "factor": lambda o: MultiplicativeLR(o, lambda e: 0.95),
    "polynomial": lambda o: PolynomialLR(o, total_iters=5, power=2.0),
    "sequence": lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 2), MultiStepLR(o, [1, 3, 3])], [2]),
    "cyclic": lambda o: CyclicLR(o, 0.01, [0.1, 0.2], step_size_up=2, mode="exp_range", gamma=0.9),
    "own wave": lambda o: CyclicLR(
        o, 0.01, 0.1, step_size_up=2, scale_fn=lambda n: 1 / 2 ** (n - 1)
    ),
}
warnings.simplefilter("ignore")
for name, make in makers.items():
    optimizer = make_optimizer()
    schedule = make(optimizer)
    rates = []
    for _ in range(6):
        optimizer.step()
        schedule.step()
        rates.append([round(group["lr"], 6) for group in optimizer.param_groups])
    print(name, rates, schedule.get_last_lr())
    if name != "warm, then cosine":  # its inner scheduler is not in a state dict that can be loaded
        fresh = make_optimizer()
        resumed = make(fresh)
        resumed.load_state_dict(schedule.state_dict())
        fresh.load_state_dict(optimizer.state_dict())
        for o, s in ((optimizer, schedule), (fresh, resumed)):
            o.step()
            s.step()
        print([g["lr"] for g in optimizer.param_groups] == [g["lr"] for g in fresh.param_groups])

optimizer = make_optimizer()
schedule = StepLR(optimizer, 2, 0.5)
for _ in range(3):
    optimizer.step()
    schedule.step()
fresh = make_optimizer()
fresh.load_state_dict(optimizer.state_dict())
print(StepLR(fresh, 2, 0.5, last_epoch=schedule.last_epoch).get_last_lr(), schedule.get_last_lr())
try:
    StepLR(make_optimizer(), 2, last_epoch=3)
except KeyError as e:
    print(e)
