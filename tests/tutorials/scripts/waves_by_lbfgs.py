"""Sine waves foretold by LSTM cells, fitted with L-BFGS; a polynomial by a loop of plain steps."""

from itertools import count

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

rng = np.random.RandomState(2)
period, length, waves = 3, 10, 6
data = np.sin((np.arange(length) + rng.randint(-4 * period, 4 * period, (waves, 1))) / 1.0 / period)
torch.manual_seed(0)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 7)
        self.gru2 = nn.GRUCell(7, 7)
        self.linear = nn.Linear(7, 1)

    def forward(self, x, future=0):
        outputs = []
        h1, c1, h2 = (torch.zeros(x.size(0), 7, dtype=torch.double) for _ in range(3))

        def step(value, h1, c1, h2):
            h1, c1 = self.lstm1(value, (h1, c1))
            h2 = self.gru2(h1, h2)
            return self.linear(h2), h1, c1, h2

        for value in x.split(1, dim=1):
            output, h1, c1, h2 = step(value, h1, c1, h2)
            outputs += [output]
        for _ in range(future):
            output, h1, c1, h2 = step(output, h1, c1, h2)
            outputs += [output]
        return torch.cat(outputs, dim=1)


x, y = torch.from_numpy(data[2:, :-1]), torch.from_numpy(data[2:, 1:])
test_x, test_y = torch.from_numpy(data[:2, :-1]), torch.from_numpy(data[:2, 1:])
criterion = nn.MSELoss()


def fit(net, **options):
    optimizer = optim.LBFGS(net.parameters(), max_iter=4, **options)
    for i in range(2):
        losses = []

        def closure(losses=losses):
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            losses.append(f"{loss.item():.5f}")
            return loss

        optimizer.step(closure)
        with torch.no_grad():
            foretold = net(test_x, future=5)
            error = criterion(foretold[:, :-5], test_y).item()
        print(i, losses, f"{error:.5f}", foretold[0, -2:].numpy())
    state = optimizer.state_dict()["state"][0]
    print(
        sorted(state),
        state["func_evals"],
        state["n_iter"],
        len(state["old_dirs"]),
        state["d"].shape,
    )


torch.manual_seed(0)
fit(Sequence().double(), lr=0.8)
torch.manual_seed(0)
fit(Sequence().double(), lr=1.0, line_search_fn="strong_wolfe", history_size=3)

degree = 4
W, b = torch.randn(degree, 1) * 5, torch.randn(1) * 5
fc = nn.Linear(W.size(0), 1)


def batch(size=32):
    points = torch.randn(size).unsqueeze(1)
    powers = torch.cat([points**i for i in range(1, degree + 1)], 1)
    return powers, powers.mm(W) + b.item()


def described(weights, bias):
    return (
        "y = " + " ".join(f"{w:+.2f} x^{i + 1}" for i, w in enumerate(weights)) + f" {bias[0]:+.2f}"
    )


for number in count(1):
    powers, values = batch()
    fc.zero_grad()
    loss = F.smooth_l1_loss(fc(powers), values)
    loss.backward()
    for p in fc.parameters():
        p.data.add_(-0.1 * p.grad)
    if loss.item() < 0.5 or number == 60:
        break
print(number, f"{loss.item():.3f}")
print(described(fc.weight.view(-1).detach(), fc.bias.detach()))
print(described(W.view(-1), b))
