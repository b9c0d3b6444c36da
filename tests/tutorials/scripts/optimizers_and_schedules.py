"""What the page on torch.optim shows: groups, closures, schedules one after the other, states by name."""

from copy import deepcopy

import torch
import torch.optim as optim
from torch import nn
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
)

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
        self.classifier = nn.Linear(8, 3)

    def forward(self, x):
        return self.classifier(self.base(x))


x = torch.randn(32, 4)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
loss_fn = nn.CrossEntropyLoss()

# groups of parameters, with options of their own
model = Net()
optimizer = optim.SGD(
    [{"params": model.base.parameters(), "lr": 1e-2}, {"params": model.classifier.parameters()}],
    lr=1e-1,
    momentum=0.9,
)
print(optimizer)
others = [p for name, p in model.named_parameters() if "bias" not in name]
biases = [p for name, p in model.named_parameters() if "bias" in name]
decayed = optim.AdamW([{"params": others}, {"params": biases, "weight_decay": 0}], lr=1e-2)
print([(len(g["params"]), g["weight_decay"]) for g in decayed.param_groups])

# steps, and steps with a closure
for _ in range(3):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 3))


def closure():
    decayed.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    return loss


print([round(decayed.step(closure).item(), 3) for _ in range(3)])

# two schedules on one optimizer
optimizer = optim.SGD(model.parameters(), lr=0.1)
schedules = [ExponentialLR(optimizer, gamma=0.9), MultiStepLR(optimizer, [3, 6], gamma=0.1)]
for epoch in range(8):
    optimizer.zero_grad()
    loss_fn(model(x), y).backward()
    optimizer.step()
    for schedule in schedules:
        schedule.step()
    print(epoch, [f"{schedule.get_last_lr()[0]:.5f}" for schedule in schedules])

# one after the other: a warm up, then a cosine; gone on with from a checkpoint
optimizer = optim.AdamW(model.parameters(), lr=0.01)


def warm_up_and_down(optimizer):
    parts = [LinearLR(optimizer, 0.1, total_iters=4), CosineAnnealingLR(optimizer, T_max=6)]
    return SequentialLR(optimizer, parts, milestones=[4])


schedule = warm_up_and_down(optimizer)
rates = []
for epoch in range(10):
    rates.append(schedule.get_last_lr()[0])
    optimizer.zero_grad()
    loss_fn(model(x), y).backward()
    optimizer.step()
    schedule.step()
    if epoch == 5:
        checkpoint = deepcopy([optimizer.state_dict(), schedule.state_dict()])
print([round(rate, 5) for rate in rates])
again = optim.AdamW(model.parameters(), lr=0.01)
schedule = warm_up_and_down(again)
again.load_state_dict(checkpoint[0])
schedule.load_state_dict(checkpoint[1])
print(schedule.last_epoch, schedule.get_last_lr() == [again.param_groups[0]["lr"]])
print(sorted(checkpoint[1]), again.state_dict()["state"][0]["step"])

# one cycle, batch by batch, with the momentum the other way; and a plateau
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
schedule = OneCycleLR(optimizer, max_lr=0.5, steps_per_epoch=5, epochs=2)
for _ in range(10):
    group = optimizer.param_groups[0]
    print(f"{group['lr']:.4f} {group['momentum']:.4f}", end="; ")
    optimizer.step()
    schedule.step()
print()
schedule = ReduceLROnPlateau(optimizer, "min", factor=0.5, patience=2)
for loss in [1.0, 0.8, 0.81, 0.8, 0.82, 0.79, 0.79]:
    schedule.step(loss)
    print(schedule.get_last_lr(), schedule.num_bad_epochs)

# the state of one model for another with more layers: parameters are found by their names
small = nn.Sequential()
small.add_module("first", nn.Linear(3, 3))
large = nn.Sequential()
large.add_module("new", nn.Linear(3, 3))
large.add_module("first", nn.Linear(3, 3))
first = optim.SGD(small.named_parameters(), lr=0.5, momentum=0.9)
second = optim.SGD(large.named_parameters(), lr=0.1, momentum=0.5)
small(torch.ones(1, 3)).sum().backward()
first.step()


def by_name(optimizer, state_dict):
    new = deepcopy(optimizer.state_dict())
    saved = state_dict["param_groups"][0]
    own = new["param_groups"][0]
    own.update({k: v for k, v in saved.items() if k not in ("params", "param_names")})
    numbers = dict(zip(saved["param_names"], saved["params"], strict=True))
    for name, number in zip(own["param_names"], own["params"], strict=True):
        if name in numbers:
            new["state"][number] = state_dict["state"][numbers[name]]
    return new


handle = second.register_load_state_dict_pre_hook(by_name)
second.load_state_dict(first.state_dict())
print(second.param_groups[0]["param_names"], second.param_groups[0]["lr"])
print({k: list(v["momentum_buffer"].shape) for k, v in second.state_dict()["state"].items()})
handle.remove()
try:
    second.load_state_dict(first.state_dict())
except ValueError as error:
    print(error)
