"""A small character model on plain tensors, checkpointing its steps, with a schedule and clipped gradients."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, LambdaLR, StepLR
from torch.utils.checkpoint import checkpoint

text = "hello tensors, hello modules, hello gradients. " * 3
letters = sorted(set(text))
index = {c: i for i, c in enumerate(letters)}
data = torch.tensor([index[c] for c in text])
print(len(letters), data[:10], data.dtype)
torch.manual_seed(3)


class Cell(nn.Module):
    def __init__(self, letters, hidden):
        super().__init__()
        self.i2h = nn.Linear(letters, hidden)
        self.h2h = nn.Linear(hidden, hidden, bias=False)
        self.h2o = nn.Linear(hidden, letters)

    def forward(self, x, h):
        h = torch.tanh(self.i2h(x) + self.h2h(h))
        return self.h2o(h), h


cell = Cell(len(letters), 24)
print(cell)
optimizer = torch.optim.AdamW(cell.parameters(), lr=2e-2)
schedule = LambdaLR(optimizer, lambda epoch: 0.95**epoch)
vectors = F.one_hot(data, len(letters)).float()
for epoch in range(6):
    h = torch.zeros(1, 24)
    outputs = []
    for x in vectors[:40]:
        out, h = cell(x[None], h)
        outputs.append(out)
    loss = F.cross_entropy(torch.cat(outputs), data[1:41])
    optimizer.zero_grad()
    loss.backward()
    norm = sum(p.grad.pow(2).sum() for p in cell.parameters()).sqrt()
    for p in cell.parameters():
        p.grad.mul_(torch.clamp(1.0 / (norm + 1e-6), max=1.0))
    optimizer.step()
    schedule.step()
    print(epoch, round(loss.item(), 3), round(schedule.get_last_lr()[0], 6))

with torch.no_grad():
    h, c, said = torch.zeros(1, 24), "h", "h"
    for _ in range(12):
        out, h = cell(F.one_hot(torch.tensor([index[c]]), len(letters)).float(), h)
        c = letters[out.argmax(1).item()]
        said += c
print(repr(said))

# the same gradients with steps that are computed again on the way back
x = torch.randn(2, len(letters))
h = torch.zeros(2, 24, requires_grad=True)
plain, _ = cell(x, h)
expected = torch.autograd.grad(plain.square().sum(), [h, cell.h2h.weight])
again, _ = checkpoint(cell, x, h, use_reentrant=False)
found = torch.autograd.grad(again.square().sum(), [h, cell.h2h.weight])
print([torch.allclose(a, b) for a, b in zip(expected, found, strict=True)])

for make in (lambda o: StepLR(o, step_size=2, gamma=0.1), lambda o: ExponentialLR(o, gamma=0.9)):
    o = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
    s = make(o)
    for _ in range(5):
        o.step()
        s.step()
    print(type(s).__name__, round(o.param_groups[0]["lr"], 6), s.last_epoch)
print(o)
