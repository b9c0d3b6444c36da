"""Healthy programs that look like ill ones."""

from __future__ import annotations

from .small import cls, fit, lm, mlp, net, reg, well


@well
def zero_head(torch):
    r = cls(torch)
    torch.nn.init.zeros_(r["model"][2].weight)
    torch.nn.init.zeros_(r["model"][2].bias)
    return r


@well
def contrastive(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.e = nn.Linear(4, 8)

        def forward(self, x):
            z = nn.functional.normalize(self.e(x), dim=1)
            return z @ z.T / 0.5

    n = N()
    x = torch.randn(8, 4)
    return dict(
        model=n,
        x=x,
        y=torch.arange(8),
        loss_fn=nn.CrossEntropyLoss(),
        optimizer=torch.optim.Adam(n.parameters(), lr=0.01),
    )


@well
def bce_sigmoid(torch):
    nn = torch.nn
    r = reg(torch, nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()), loss_fn=nn.BCELoss())
    r["y"] = (r["y"] > 0).float()
    return r


@well
def warmup(torch):
    r = reg(torch, lr=0.1)
    for g in r["optimizer"].param_groups:
        g["initial_lr"] = 0.1
        g["lr"] = 0.0
    return r


@well
def vae(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.e = nn.Linear(4, 4)
            self.d = nn.Linear(2, 4)

        def forward(self, x):
            m, v = self.e(x).chunk(2, 1)
            return self.d(m + (v / 2).exp() * torch.randn_like(m)), m, v

    n = N()
    x = torch.randn(16, 4)
    return dict(
        model=n,
        x=x,
        y=x,
        loss_fn=lambda o, y: (
            ((o[0] - y) ** 2).mean() + 0.01 * (o[1] ** 2 + o[2].exp() - o[2] - 1).mean()
        ),
        optimizer=torch.optim.Adam(n.parameters(), lr=0.01),
    )


@well
def generator_eval_random(torch):
    nn = torch.nn
    return dict(
        model=net(torch, lambda self, x: self.l(x + torch.randn_like(x)), l=nn.Linear(4, 4)).eval(),
        x=torch.randn(4, 4),
    )


@well
def ignore_some(torch):
    r = cls(torch)
    r["y"][:5] = -100
    return r


@well
def headless_backbone_file(torch):
    nn = torch.nn

    def mk(k):
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, k))

    f = mk(100).state_dict()
    n = mk(10)
    n.load_state_dict({k: v for k, v in f.items() if k[0] == "0"}, strict=False)
    return dict(model=n, x=torch.randn(3, 8), file=f)


@well
def cached_features(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.f = nn.Linear(4, 8)
            self.o = nn.Linear(8, 1)
            self.last = None

        def forward(self, x):
            self.last = self.f(x)
            return self.o(self.last.relu())

    return fit(torch, reg(torch, N()))


@well
def clipped_loop(torch):
    r = reg(torch, lr=0.1)
    r["x"] = r["x"] * 10
    for _ in range(20):
        r["optimizer"].zero_grad()
        r["loss_fn"](r["model"](r["x"]), r["y"]).backward()
        torch.nn.utils.clip_grad_norm_(r["model"].parameters(), 1.0)
        r["optimizer"].step()
    r["optimizer"].zero_grad()
    return r


@well
def accumulate_loop(torch):
    r = reg(torch)
    for _ in range(10):
        r["optimizer"].zero_grad()
        for i in range(8):
            (
                r["loss_fn"](r["model"](r["x"][i * 4 : i * 4 + 4]), r["y"][i * 4 : i * 4 + 4]) / 8
            ).backward()
        r["optimizer"].step()
    return r


@well
def zero_in_place(torch):
    r = reg(torch)
    for _ in range(10):
        r["optimizer"].zero_grad(set_to_none=False)
        r["loss_fn"](r["model"](r["x"]), r["y"]).backward()
        r["optimizer"].step()
    return r


@well
def rl_sampled(torch):
    nn = torch.nn
    n = mlp(nn, 4, 3)
    x = torch.randn(8, 4)
    a = torch.randint(0, 3, (8,))
    return dict(
        model=n,
        x=x,
        y=a,
        loss_fn=lambda o, a: -(o.log_softmax(1)[range(8), a] * torch.linspace(-1, 1, 8)).mean(),
        optimizer=torch.optim.Adam(n.parameters(), lr=0.01),
    )


@well
def own_statistics(torch):
    nn = torch.nn
    norm = nn.BatchNorm1d(16, track_running_stats=False)
    return cls(torch, nn.Sequential(nn.Linear(4, 16), norm, nn.ReLU(), nn.Linear(16, 3)))


@well
def hinge(torch):
    r = reg(torch, y=torch.randn(32).sign())
    return r | dict(loss_fn=lambda out, y: (1 - out[:, 0] * y).clamp(min=0).mean())


@well
def head_alone(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n[2].parameters(), lr=0.05))


@well
def spread_of_batch(torch):
    nn = torch.nn

    def forward(self, x):
        h = self.f(x)
        return self.o(torch.cat([h, h.std(0).mean().expand(len(x), 1)], 1))

    return reg(torch, net(torch, forward, f=nn.Linear(4, 8), o=nn.Linear(9, 1)))


@well
def shifted_inside(torch):
    def loss(out, y):
        return torch.nn.functional.cross_entropy(out[:, :-1].reshape(-1, 20), y[:, 1:].reshape(-1))

    return lm(torch, targets="same", loss=loss)


@well
def padding_ignored(torch):
    def loss(out, y):
        return torch.nn.functional.cross_entropy(out.transpose(1, 2), y, ignore_index=0)

    return lm(torch, loss=loss, padded=True)


@well
def few_batches(torch):
    nn = torch.nn
    r = fit(
        torch, reg(torch, nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))), 5
    )
    r["model"].eval()
    return r
