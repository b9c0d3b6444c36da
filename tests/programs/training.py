"""Diseases of a training: between the model, its optimizer, the loss and what is kept."""

from __future__ import annotations

import copy
from typing import Any

from .ran import Ran, caught, ran, said


def plain_list(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            layers = [nn.Linear(4, 4) for _ in range(3)]
            self.hidden = nn.ModuleList(layers) if cured else layers
            self.head = nn.Linear(4, 1)

        def forward(self, x):
            for layer in self.hidden:
                x = torch.relu(layer(x))
            return self.head(x)

    net, x, y, loss_fn = Net(), torch.randn(16, 4), torch.randn(16, 1), nn.MSELoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    before = [layer.weight.detach().clone() for layer in net.hidden]
    for _ in range(50):
        opt.zero_grad()
        loss_fn(net(x), y).backward()
        opt.step()
    unmoved = all(torch.equal(a, b.weight) for a, b in zip(before, net.hidden, strict=True))
    has_grad = net.hidden[-1].weight.grad is not None
    return ran(unmoved and has_grad, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def train_not_restored(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
    x, y, loss_fn = torch.randn(32, 4), torch.randn(32, 1), nn.MSELoss()
    opt = torch.optim.Adam(net.parameters(), lr=0.01)

    def epoch():
        opt.zero_grad()
        loss_fn(net(x), y).backward()
        opt.step()
        net.eval()
        with torch.no_grad():
            loss_fn(net(x), y).item()
        if cured:
            net.train()

    net.train()
    for _ in range(5):
        epoch()
    shows = not net.training and net[1].num_batches_tracked.item() == 1
    return ran(shows, step=epoch, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def loss_off_the_tape(torch: Any, cured: bool = False) -> Ran:
    nn, mse = torch.nn, torch.nn.functional.mse_loss
    net, x, y = nn.Linear(3, 1), torch.randn(16, 3), torch.randn(16, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    before = net.weight.detach().clone()

    def loss_fn(out, y):
        return mse(out, y) if cured else torch.tensor(mse(out, y).item(), requires_grad=True)

    for _ in range(20):
        opt.zero_grad()
        loss_fn(net(x), y).backward()
        opt.step()
    shows = net.weight.grad is None and torch.equal(before, net.weight)
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def best_is_live(torch: Any, cured: bool = False) -> Ran:
    nn, net, x = torch.nn, torch.nn.Linear(3, 1), torch.randn(32, 3)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    best, record = {}, float("inf")
    for lr in [0.1] * 20 + [5.0]:  # the last step ruins the model
        loss = loss_fn(net(x), y)
        if loss.item() < record:
            record = loss.item()
            best = copy.deepcopy(net.state_dict()) if cured else net.state_dict()
        net.zero_grad()
        loss.backward()
        torch.optim.SGD(net.parameters(), lr=lr).step()
    last = copy.deepcopy(net)
    last.load_state_dict(best)
    shows = loss_fn(last(x), y).item() > 2 * record
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, file=best)


def bn_running_stats(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn
    norm = nn.BatchNorm1d(8, momentum=0.1 if cured else 0.01)
    net = nn.Sequential(nn.Linear(4, 8), norm, nn.ReLU(), nn.Linear(8, 1))
    x, loss_fn = 20 + 5 * torch.randn(64, 4), nn.MSELoss()
    y = (x[:, :1] - 20) / 5
    opt, loss = torch.optim.Adam(net.parameters(), lr=0.02), torch.zeros(())
    for _ in range(60):
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        opt.step()
    if cured:  # the statistics of this data, from one pass over it
        norm.reset_running_stats()
        norm.momentum = None
        with torch.no_grad():
            net(x)
    net.eval()
    shows = loss_fn(net(x), y).item() > 5 * loss.item()
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def no_zero_grad(torch: Any, cured: bool = False) -> Ran:
    """Ends between `backward()` and `step()`, where it can be seen."""
    nn, net, x = torch.nn, torch.nn.Linear(3, 1), torch.randn(32, 3)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    opt, losses = torch.optim.SGD(net.parameters(), lr=0.1), []

    def backward():
        loss = loss_fn(net(x), y)
        if cured:
            opt.zero_grad()
        loss.backward()
        losses.append(loss.item())

    for _ in range(60):
        backward()
        opt.step()
    backward()
    shows = max(losses[30:]) > 0.2 * losses[0]
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def frozen_bn(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn
    backbone = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())
    backbone.requires_grad_(False)
    net, x, y = nn.Sequential(backbone, nn.Linear(4, 1)), 3 + torch.randn(64, 4), torch.randn(64, 1)
    opt, loss_fn = torch.optim.SGD(net[1].parameters(), lr=0.1), nn.MSELoss()
    before = backbone.eval()(x)
    net.train()
    if cured:
        backbone.eval()
    for _ in range(20):
        opt.zero_grad()
        loss_fn(net(x), y).backward()
        opt.step()
    after = copy.deepcopy(backbone).eval()(x)
    shows = not torch.allclose(before, after)
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def broadcast_loss(torch: Any, cured: bool = False) -> Ran:
    net, x = torch.nn.Linear(2, 1), torch.randn(100, 2)
    y = 9 * x[:, 0] - 2 * x[:, 1]  # of shape (100,); net(x) is (100, 1)
    if cured:
        y = y.unsqueeze(1)
    opt, loss = torch.optim.SGD(net.parameters(), lr=0.1), torch.zeros(())

    def loss_fn(out, y):
        return ((out - y) ** 2).mean()

    for _ in range(200):
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        opt.step()
    shows = loss.item() > 0.8 * y.var().item() and net(x).shape != y.shape
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def double_softmax(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn
    last = nn.Identity() if cured else nn.Softmax(dim=1)
    net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3), last)
    x = torch.randn(90, 2)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    opt, loss_fn = torch.optim.Adam(net.parameters(), lr=0.02), nn.CrossEntropyLoss()
    loss = torch.zeros(())
    for _ in range(400):
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        opt.step()
    accuracy = (net(x).argmax(1) == y).float().mean().item()
    shows = loss.item() > 0.55 and accuracy > 0.9
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def graph_kept(torch: Any, cured: bool = False) -> Ran:
    nn, net, x, y = torch.nn, torch.nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)
    opt, loss_fn, history = torch.optim.SGD(net.parameters(), lr=0.1), nn.MSELoss(), []

    def step():
        loss = loss_fn(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.detach() if cured else loss)

    for _ in range(100):
        step()
    shows = all(loss.grad_fn is not None for loss in history)
    given = {"model": net, "x": x, "y": y, "loss_fn": loss_fn, "optimizer": opt}
    return ran(shows, step=step, keeps=history, **given)


def backward_twice(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.head = nn.RNN(2, 4, batch_first=True), nn.Linear(4, 1)
            self.h = torch.zeros(1, 3, 4)

        def forward(self, x):
            out, h = self.rnn(x, self.h)
            self.h = h.detach() if cured else h  # carries the last graph in
            return self.head(out)

    def loss_fn(out, y):
        return (out - y).pow(2).mean()

    net, x, y = Net(), torch.randn(3, 5, 2), torch.zeros(3, 5, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def step():
        loss = loss_fn(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()

    step()
    error = caught(step)
    shows = said(error, RuntimeError, "backward through the graph a second time")
    given = {"model": net, "x": x, "y": y, "loss_fn": loss_fn, "optimizer": opt}
    return ran(shows, step=step, error=error, **given)


def nan_gradient(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    class Distance(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(3, 2)

        def forward(self, x, other):
            square = ((self.net(x) - self.net(other)) ** 2).sum(1)
            return (square + 1e-8).sqrt() if cured else square.sqrt()

    def loss_fn(out, y):
        return (out - y).abs().mean()

    model, x, y = Distance(), torch.randn(4, 3), -torch.ones(4)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    other = x.clone()
    other[1:] += 1  # pair 0 is equal: distance 0
    before = copy.deepcopy(model)
    loss = loss_fn(model(x, other), y)
    loss.backward()
    opt.step()
    ill = torch.isnan(model.net.weight).any().item()
    shows = torch.isfinite(loss).item() and ill
    # As it stood before the step that wrote NaN into every weight: there the cause can be seen.
    opt = torch.optim.SGD(before.parameters(), lr=0.1)
    return ran(shows, model=before, x=(x, other), y=y, loss_fn=loss_fn, optimizer=opt)
