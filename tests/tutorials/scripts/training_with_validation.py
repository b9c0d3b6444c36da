"""Training with loaders, a scheduler, validation, early stopping and the best weights kept."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    LinearLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
)
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
points = torch.randn(300, 2)
labels = ((points[:, 0] * points[:, 1]) > 0).long()
train_ds, valid_ds = random_split(TensorDataset(points, labels), [240, 60])
train_dl = DataLoader(train_ds, batch_size=32, shuffle=True, drop_last=False)
valid_dl = DataLoader(valid_ds, batch_size=64)


def make_model():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 2))


def train_one_epoch(model, optimizer, per_step=None):
    model.train()
    total = 0.0
    for xb, yb in train_dl:
        loss = F.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if per_step:
            per_step.step()
        total += loss.item() * len(xb)
    return total / len(train_ds)


def validate(model):
    model.eval()
    with torch.no_grad():
        sums = [
            (
                F.cross_entropy(model(xb), yb, reduction="sum").item(),
                (model(xb).argmax(1) == yb).sum().item(),
            )
            for xb, yb in valid_dl
        ]
    return sum(s for s, _ in sums) / len(valid_ds), sum(c for _, c in sums) / len(valid_ds)


def plateau(optimizer):
    return ReduceLROnPlateau(optimizer, "min", factor=0.5, patience=0)


for name, make in {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.3, momentum=0.9, nesterov=True, weight_decay=1e-4),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.03),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.01),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "NAdam": lambda p: torch.optim.NAdam(p, lr=0.02),
}.items():
    model = make_model()
    optimizer = make(model.parameters())
    scheduler = plateau(optimizer)
    best, best_state, bad = math.inf, None, 0
    for epoch in range(4):
        train_loss = train_one_epoch(model, optimizer)
        valid_loss, accuracy = validate(model)
        scheduler.step(valid_loss)
        bad = 0 if valid_loss < best else bad + 1
        if valid_loss < best:
            best, best_state = valid_loss, copy.deepcopy(model.state_dict())
        print(
            f"{name} {epoch} {train_loss:.3f} {valid_loss:.3f} {accuracy:.2f} {scheduler.get_last_lr()}"
        )
        if bad > 1:
            break
    model.load_state_dict(best_state)
    print(f"{name} best {validate(model)[0]:.3f}")

model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
one_cycle = OneCycleLR(optimizer, max_lr=0.5, epochs=3, steps_per_epoch=len(train_dl))
for _ in range(3):
    print(
        f"one-cycle {train_one_epoch(model, optimizer, one_cycle):.3f} {one_cycle.get_last_lr()[0]:.5f} {optimizer.param_groups[0]['momentum']:.4f}"
    )

model = make_model()
optimizer = torch.optim.Adam(
    [{"params": model[0].parameters()}, {"params": model[3].parameters(), "lr": 1e-2}], lr=3e-2
)
warm = LinearLR(optimizer, start_factor=0.1, total_iters=2)
schedule = SequentialLR(optimizer, [warm, CosineAnnealingLR(optimizer, T_max=4)], milestones=[2])
for _ in range(5):
    loss = train_one_epoch(model, optimizer)
    schedule.step()
    print(f"warm-up {loss:.3f}", [f"{rate:.6f}" for rate in schedule.get_last_lr()])

model = make_model()
lbfgs = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")
model.eval()
xs, ys = points[:100], labels[:100]


def closure():
    lbfgs.zero_grad()
    loss = F.cross_entropy(model(xs), ys)
    loss.backward()
    return loss


for _ in range(3):
    print(f"L-BFGS {lbfgs.step(closure).item():.4f}")
