"""Healthy programs whose layers look ill."""

from __future__ import annotations

import copy
import warnings

from .small import cls, fit, mlp, net, reg, well


@well
def lora(torch):
    nn = torch.nn
    return reg(
        torch,
        net(
            torch,
            lambda self, x: self.o(self.base(x) + x @ self.A.T @ self.B.T),
            base=nn.Linear(4, 8).requires_grad_(False),
            A=nn.Parameter(torch.randn(2, 4)),
            B=nn.Parameter(torch.zeros(8, 2)),
            o=nn.Linear(8, 1),
        ),
    )


@well
def timefirst(torch):
    nn = torch.nn
    n = net(
        torch,
        lambda self, x: self.o(self.l(x)[0]).flatten(0, 1),
        l=nn.LSTM(4, 8),
        o=nn.Linear(8, 3),
    )
    x = torch.randn(5, 6, 4)
    return dict(
        model=n,
        x=x,
        y=torch.randint(0, 3, (30,)),
        loss_fn=nn.CrossEntropyLoss(),
        optimizer=torch.optim.Adam(n.parameters(), lr=0.01),
    )


@well
def timefirst_last(torch):
    nn = torch.nn
    return reg(
        torch,
        net(torch, lambda self, x: self.o(self.l(x)[0][-1]), l=nn.GRU(4, 8), o=nn.Linear(8, 1)),
        x=torch.randn(5, 32, 4),
    )


@well
def aux_loss(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(4, 8)
            self.o = nn.Linear(8, 1)
            self.aux = nn.Linear(8, 1)

        def forward(self, x):
            z = self.a(x).relu()
            return (self.o(z), self.aux(z)) if self.training else self.o(z)

    return reg(
        torch,
        N(),
        loss_fn=lambda o, y: (
            ((o[0] - y) ** 2).mean() + 0.3 * ((o[1] - y) ** 2).mean()
            if type(o) is tuple
            else ((o - y) ** 2).mean()
        ),
    )


@well
def learned_gate(torch):
    nn = torch.nn
    return reg(
        torch,
        net(
            torch,
            lambda self, x: self.o(x + self.g * self.f(x).tanh()),
            f=nn.Linear(4, 4),
            g=nn.Parameter(torch.zeros(1)),
            o=nn.Linear(4, 1),
        ),
    )


@well
def stopgrad(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.e = nn.Linear(4, 4)
            self.p = nn.Linear(4, 4)

        def forward(self, x):
            z = self.e(x)
            return self.p(z), z.detach()

    n = N()
    x = torch.randn(16, 4)
    return dict(
        model=n,
        x=x,
        loss_fn=lambda o: ((o[0] - o[1]) ** 2).mean(),
        optimizer=torch.optim.SGD(n.parameters(), lr=0.05),
    )


@well
def checkpoint_ok(torch):
    r = fit(torch, reg(torch))
    r["file"] = {
        "model": copy.deepcopy(r["model"].state_dict()),
        "optimizer": r["optimizer"].state_dict(),
        "epoch": 1,
    }
    return r


@well
def gnn(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(4, 3)
            self.register_buffer("A", torch.rand(32, 32).softmax(1))

        def forward(self, x):
            return self.A @ self.l(x)

    return cls(torch, N())


@well
def dropout_high(torch):
    nn = torch.nn
    return fit(
        torch,
        reg(
            torch,
            nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Dropout(0.9), nn.Linear(64, 1)),
            lr=0.01,
        ),
    )


@well
def mc_list(torch):
    n = mlp(torch.nn)
    preds = [n(torch.randn(3, 4)).detach() for _ in range(30)]
    n.preds = preds
    return dict(model=n, x=torch.randn(3, 4))


@well
def state_returned(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.e, self.r, self.o = nn.Embedding(20, 8), nn.LSTM(8, 16), nn.Linear(16, 20)

        def forward(self, x, state=None):
            out, state = self.r(self.e(x), state)
            return self.o(out), state

    def loss_fn(out, y):
        return nn.functional.cross_entropy(out[0].flatten(0, 1), y.flatten())

    x = torch.randint(0, 20, (6, 4))
    return dict(model=N(), x=x, y=x.roll(-1, 0), loss_fn=loss_fn)


@well
def scripted(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return dict(model=torch.jit.script(mlp(torch.nn)), x=torch.randn(8, 4))


@well
def hook_scales(torch):
    r = reg(torch)
    r["model"][0].register_forward_hook(lambda m, i, o: o * 0.5)
    return r


@well
def unbatched(torch):
    nn = torch.nn
    return reg(
        torch, net(torch, lambda self, x: self.o(self.l(x)[0]), l=nn.GRU(4, 8), o=nn.Linear(8, 1))
    )


@well
def reset_later(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.l, self.o, self.h = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 1), None

        def reset(self):
            self.h = None

        def forward(self, x):
            out, self.h = self.l(x, self.h)
            return self.o(out)

    return fit(torch, reg(torch, N(), x=torch.randn(8, 5, 4), y=torch.randn(8, 5, 1)), 1)


@well
def stochastic_depth(torch):
    nn = torch.nn

    def forward(self, x):
        for layer in self.blocks:
            if not self.training or torch.rand(1).item() < 0.5:
                x = x + torch.relu(layer(x))
        return self.o(x)

    blocks = nn.ModuleList(
        [
            net(torch, lambda self, x: x @ self.w, w=nn.Parameter(0.1 * torch.randn(4, 4)))
            for _ in range(4)
        ]
    )
    return reg(torch, net(torch, forward, blocks=blocks, o=nn.Linear(4, 1)))


@well
def dropout_of_its_own_for_samples(torch):
    nn = torch.nn

    class MonteCarlo(nn.Dropout):
        def forward(self, x):
            return nn.functional.dropout(x, self.p, training=True)

    return reg(torch, nn.Sequential(nn.Linear(4, 32), nn.ReLU(), MonteCarlo(0.2), nn.Linear(32, 1)))


@well
def relative_positions(torch):
    nn = torch.nn

    def forward(self, x):
        scores = nn.functional.pad(x @ self.places.T, (1, 0))
        n, t, s = scores.shape
        skewed = scores.view(n, s, t)[:, 1:].reshape(n, t, s - 1)[:, :, :t]
        return self.o((skewed.softmax(-1) @ x).mean(1))

    places = nn.Parameter(0.1 * torch.randn(7, 6))
    return cls(
        torch, net(torch, forward, places=places, o=nn.Linear(6, 3)), x=torch.randn(32, 5, 6)
    )


@well
def feature_then_head_without_bend(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(nn.Linear(4, 16), nn.Linear(16, 3)))


@well
def residual_in_place(torch):
    nn = torch.nn

    def forward(self, x):
        y = self.norm(self.conv(x))
        y += x
        return self.relu(y)

    block = net(
        torch, forward, conv=nn.Conv2d(8, 8, 3, padding=1), norm=nn.BatchNorm2d(8),
        relu=nn.ReLU(inplace=True),
    )  # fmt: skip
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), block,
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
    )  # fmt: skip
    return cls(torch, model, x=torch.randn(32, 3, 8, 8))


@well
def efficient_attention(torch):
    nn = torch.nn

    def forward(self, x):
        q, k = self.q(x).softmax(-1), self.k(x).softmax(-2)
        return self.o((q @ (k.mT @ x)).mean(1))

    model = net(torch, forward, q=nn.Linear(6, 6), k=nn.Linear(6, 6), o=nn.Linear(6, 3))
    return cls(torch, model, x=torch.randn(32, 6, 6))


@well
def queue_of_samples(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = mlp(nn, 4, 8)
            self.register_buffer("queue", torch.randn(48, 8), persistent=False)

        def forward(self, x):
            z = self.o(x)
            out = z @ self.queue.T.clone()
            if self.training:
                self.queue = torch.cat([self.queue[len(x) :], z.detach()])
            return out

    return cls(torch, N())
