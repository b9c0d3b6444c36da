"""Healthy programs whose training looks like that of a disease."""

from __future__ import annotations

import copy
from typing import Any

from .ran import Ran, fitted, ran


def accumulation(torch: Any) -> Ran:
    """Ends before `step()`, with the gradient of all four parts."""
    nn, net, x = torch.nn, torch.nn.Linear(3, 1), torch.randn(32, 3)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt.zero_grad()
    for rows, wanted in zip(x.split(8), y.split(8), strict=True):
        (loss_fn(net(rows), wanted) / 4).backward()
    (whole,) = torch.autograd.grad(loss_fn(net(x), y), [net.weight])
    same = torch.allclose(net.weight.grad, whole, atol=1e-6)
    return ran(same, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def dropout_in_training(torch: Any) -> Ran:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    x = torch.randn(32, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def log_softmax_twice(torch: Any) -> Ran:
    nn = torch.nn
    net, x = nn.Sequential(nn.Linear(2, 3), nn.LogSoftmax(dim=1)), torch.randn(30, 2)
    y, loss_fn = (x[:, 0] > 0).long() + (x[:, 1] > 0).long(), nn.CrossEntropyLoss()
    done = fitted(net, x, y, loss_fn, torch.optim.SGD(net.parameters(), lr=0.5))
    same = torch.allclose(loss_fn(net(x), y), loss_fn(net[0](x), y), atol=1e-6)
    return done._replace(shows=done.shows and same)


def probabilities_with_their_own_loss(torch: Any) -> Ran:
    nn = torch.nn
    net, x = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1)), torch.randn(30, 2)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    opt = torch.optim.SGD(net.parameters(), lr=0.5)
    return fitted(net, x, y, lambda out, y: nn.functional.nll_loss(out.log(), y), opt)


def target_network(torch: Any) -> Ran:
    nn = torch.nn

    class Agent(nn.Module):
        def __init__(self):
            super().__init__()
            self.online = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
            self.target = copy.deepcopy(self.online)  # never in the optimizer; copied now and then

        def forward(self, state):
            return self.online(state)

    agent, state = Agent(), torch.randn(32, 4)

    def loss_fn(values, reward):
        with torch.no_grad():
            wanted = reward + 0.5 * agent.target(state).max(1).values
        return nn.functional.mse_loss(values.max(1).values, wanted)

    opt = torch.optim.SGD(agent.online.parameters(), lr=0.05)
    before = agent.target[0].weight.detach().clone()
    done = fitted(agent, state, state[:, 0], loss_fn, opt)
    still = torch.equal(before, agent.target[0].weight)
    return done._replace(shows=done.shows and still)


def language_model(torch: Any) -> Ran:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm = nn.Embedding(7, 8), nn.LSTM(8, 8, batch_first=True)
            self.head, self.state = nn.Linear(8, 7), None

        def forward(self, tokens):
            out, state = self.lstm(self.embed(tokens), self.state)
            self.state = tuple(part.detach() for part in state)
            return self.head(out).flatten(0, 1)

    model, tokens = Model(), torch.arange(24).reshape(4, 6) % 7
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    return fitted(model, tokens, ((tokens + 1) % 7).flatten(), nn.CrossEntropyLoss(), opt)


def two_optimizers(torch: Any) -> Ran:
    """A GAN, as it stands after the generator's backward: the judge's gradients are left over, and get zeroed."""
    nn = torch.nn
    maker, judge = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    opt_m = torch.optim.SGD(maker.parameters(), lr=0.05)
    opt_j = torch.optim.SGD(judge.parameters(), lr=0.05)
    bce, noise, real = nn.BCEWithLogitsLoss(), torch.randn(32, 2), 3 + torch.randn(32, 2)
    yes, no = torch.ones(32, 1), torch.zeros(32, 1)

    def loss_fn(made, y):
        return bce(judge(made), y)

    for _ in range(40):
        opt_j.zero_grad()
        (bce(judge(real), yes) + bce(judge(maker(noise).detach()), no)).backward()
        opt_j.step()
        opt_m.zero_grad()
        loss_fn(maker(noise), yes).backward()
        opt_m.step()
    nearer = (maker(noise) - 3).norm().item() < (noise - 3).norm().item()
    return ran(nearer, model=maker, x=noise, y=yes, loss_fn=loss_fn, optimizer=opt_m)


def frozen_extractor(torch: Any) -> Ran:
    nn = torch.nn

    class Tuned(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
            self.backbone.requires_grad_(False)
            self.head = nn.Linear(8, 1)

        def train(self, mode=True):
            super().train(mode)
            self.backbone.eval()
            return self

        def forward(self, x):
            return self.head(self.backbone(x))

    net, x = Tuned().train(), torch.randn(32, 4)
    before = copy.deepcopy(net.backbone.state_dict())
    opt = torch.optim.Adam(net.head.parameters(), lr=0.05)
    done = fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)
    after = net.backbone.state_dict()
    return done._replace(shows=done.shows and all(torch.equal(before[k], after[k]) for k in after))


def checkpointed(torch: Any) -> Ran:
    nn = torch.nn

    class Saving(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
            self.head = nn.Linear(16, 1)

        def forward(self, x):
            h = torch.utils.checkpoint.checkpoint(self.body, x, use_reentrant=False)
            return self.head(h)

    net, x = Saving(), torch.randn(32, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def groups_and_schedule(torch: Any) -> Ran:
    nn = torch.nn
    net, x = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 1)), torch.randn(32, 4)
    decayed = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim < 2]
    groups = [{"params": decayed}, {"params": others, "weight_decay": 0.0}]
    opt = torch.optim.AdamW(groups, lr=0.02)
    slower = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    first = loss_fn(net(x), y).item()
    for _ in range(10):
        fitted(net, x, y, loss_fn, opt, 1)
        slower.step()
    better = loss_fn(net(x), y).item() < first
    return ran(better, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def two_losses_one_graph(torch: Any) -> Ran:
    net, x = torch.nn.Linear(3, 2), torch.randn(8, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    out = net(x)
    opt.zero_grad()
    out[:, 0].pow(2).mean().backward(retain_graph=True)  # the graph is needed twice, and no longer
    out[:, 1].pow(2).mean().backward()

    def loss_fn(out, y):
        return out.pow(2).mean(0).sum()

    (whole,) = torch.autograd.grad(loss_fn(net(x), None), [net.weight])
    same = torch.allclose(whole, net.weight.grad, atol=1e-6)
    return ran(same, model=net, x=x, loss_fn=loss_fn, optimizer=opt)


def closure(torch: Any) -> Ran:
    nn, net, x = torch.nn, torch.nn.Linear(3, 1), torch.randn(32, 3)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    opt = torch.optim.LBFGS(net.parameters(), max_iter=10)

    def again():
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        return loss

    opt.step(again)
    shows = loss_fn(net(x), y).item() < 1e-3
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def sampling_in_training(torch: Any) -> Ran:
    """A variational autoencoder: two answers in training, one in eval."""
    nn = torch.nn

    class Vae(nn.Module):
        def __init__(self):
            super().__init__()
            self.mean, self.spread, self.back = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(2, 4)

        def forward(self, x):
            z = self.mean(x)
            if self.training:
                z = z + 0.1 * self.spread(x).exp() * torch.randn_like(z)
            return self.back(z)

    net, x = Vae(), torch.randn(32, 4)
    return fitted(net, x, x, nn.MSELoss(), torch.optim.Adam(net.parameters(), lr=0.05), 40)


def head_for_later(torch: Any) -> Ran:
    nn = torch.nn

    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.now, self.later = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 5)

        def forward(self, x, task="now"):
            return getattr(self, task)(torch.tanh(self.body(x)))

    net, x = Heads(), torch.randn(16, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    done = fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)
    return done._replace(shows=done.shows and net.later.weight.grad is None)


def clipped(torch: Any) -> Ran:
    """Ends before `step()`: the gradient isn't that of the batch any more, on purpose."""
    nn, net, x = torch.nn, torch.nn.Linear(3, 1), 5 * torch.randn(32, 3)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt.zero_grad()
    loss_fn(net(x), y).backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    return ran(norm > 1, model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def scaled(torch: Any) -> Ran:
    """Ends before `step()`: the gradient is a multiple, which the scaler will take back."""
    nn, net, x = torch.nn, torch.nn.Linear(3, 1), torch.randn(32, 3)
    y, loss_fn = x.sum(1, keepdim=True), nn.MSELoss()
    opt, scaler = (
        torch.optim.SGD(net.parameters(), lr=0.1),
        torch.amp.GradScaler("cpu", init_scale=64.0),
    )
    scaler.scale(loss_fn(net(x), y)).backward()
    (own,) = torch.autograd.grad(loss_fn(net(x), y), [net.weight])
    same = torch.allclose(net.weight.grad, 64 * own, atol=1e-4)
    given = {"model": net, "x": x, "y": y, "loss_fn": loss_fn, "optimizer": opt}
    return ran(same, keeps=scaler, **given)


def one_target_for_all(torch: Any) -> Ran:
    net, x = torch.nn.Linear(3, 1), torch.randn(32, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    return fitted(net, x, torch.tensor(1.0), lambda out, y: ((out - y) ** 2).mean(), opt)


def gradient_penalty(torch: Any) -> Ran:
    nn = torch.nn

    class Critic(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

        def forward(self, x):
            x = x.detach().requires_grad_()
            self.value = self.net(x)
            (slope,) = torch.autograd.grad(self.value.sum(), [x], create_graph=True)
            return slope

    net, x = Critic(), torch.randn(16, 2)

    def loss_fn(slope, y):
        return (slope.norm(dim=1) - y).pow(2).mean()

    return fitted(net, x, torch.ones(16), loss_fn, torch.optim.Adam(net.parameters(), lr=0.02))


ALL = (
    accumulation,
    dropout_in_training,
    log_softmax_twice,
    probabilities_with_their_own_loss,
    target_network,
    language_model,
    two_optimizers,
    frozen_extractor,
    checkpointed,
    groups_and_schedule,
    two_losses_one_graph,
    closure,
    sampling_in_training,
    head_for_later,
    clipped,
    scaled,
    one_target_for_all,
    gradient_penalty,
)
