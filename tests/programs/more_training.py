"""Programs that are ill in how they are trained: each with the name of its disease."""

from __future__ import annotations

from typing import Any

from .ran import caught
from .small import cls, fit, ill, lm, mlp, net, reg

KEEP: list[Any] = []


@ill("backward-of-many")
def noreduce(torch):
    return reg(torch, loss_fn=torch.nn.MSELoss(reduction="none"))


@ill("graph-kept")
def total(torch):
    r = reg(torch)
    tot = 0
    for _ in range(20):
        loss = r["loss_fn"](r["model"](r["x"]), r["y"])
        r["optimizer"].zero_grad()
        loss.backward()
        r["optimizer"].step()
        tot = tot + loss
    KEEP.append(tot)
    return r


@ill("momentum-too-large")
def mom(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n.parameters(), lr=0.01, momentum=1.5))


@ill("weight-decay-too-large")
def wd(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n.parameters(), lr=0.05, weight_decay=20.0))


@ill("same-sample")
def same(torch):
    r = reg(torch)
    r["x"] = r["x"][:1].repeat(32, 1)
    return r


@ill("targets-no-distribution")
def multihot(torch):
    r = cls(torch)
    r["y"] = (torch.rand(32, 3) > 0.5).float()
    return r


@ill("freeze-without-effect")
def typo(torch):
    r = reg(torch)
    for p in r["model"].parameters():
        p.require_grad = False
    return r


@ill("freeze-without-effect")
def modrg(torch):
    r = reg(torch)
    r["model"][0].requires_grad = False
    return r


@ill("backward-twice")
def statestep(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.c = nn.RNNCell(4, 8)
            self.o = nn.Linear(8, 1)
            self.h = torch.zeros(32, 8)

        def forward(self, x):
            self.h = self.c(x, self.h)
            return self.o(self.h)

    r = reg(torch, N())
    r["loss_fn"](r["model"](r["x"]), r["y"]).backward()
    return r


@ill("input-not-scaled")
def pix(torch):
    r = reg(torch, lr=0.05)
    r["x"] = (torch.rand(32, 4) * 255).round()
    return r


@ill("optimizer-given-model")
def optmodel(torch):
    n = mlp(torch.nn)
    try:
        torch.optim.SGD(n, lr=0.1)
    except Exception as e:
        return dict(model=n, error=e)


@ill("tensor-in-if")
def lossctor(torch):
    n = mlp(torch.nn)
    x = torch.randn(3, 4)
    try:
        torch.nn.MSELoss(n(x), torch.randn(3, 1))(n(x))
    except Exception as e:
        return dict(model=n, x=x, error=e)


@ill("loss-arguments-swapped")
def swapped(torch):
    return cls(torch, loss_fn=lambda out, y: torch.nn.functional.cross_entropy(y, out))


@ill("lr-too-small")
def tiny(torch):
    return reg(torch, lr=1e-12)


@ill("input-not-scaled")
def unscaled(torch):
    r = reg(torch)
    return r | dict(x=1e4 * r["x"] + 5e4, y=1e5 * r["y"])


@ill("labels-not-shifted")
def copying(torch):
    return lm(torch, targets="same")


@ill("padding-in-loss")
def padding(torch):
    return lm(torch, padded=True)


@ill("class-dimension")
def torn(torch):
    def loss(out, y):
        return torch.nn.functional.cross_entropy(out.reshape(-1, 4), y.reshape(-1))

    x, y = torch.rand(4, 3, 6, 6), torch.randint(0, 4, (4, 6, 6))
    return reg(torch, torch.nn.Conv2d(3, 4, 1), x=x, y=y, loss_fn=loss)


@ill("kl-log-target")
def log_target(torch):
    nn = torch.nn
    y = torch.randn(32, 3).log_softmax(1)
    return cls(
        torch,
        nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(1)),
        y=y,
        loss_fn=nn.KLDivLoss(reduction="batchmean"),
    )


@ill("optimizer-misses-parameters")
def centers(torch):
    nn = torch.nn
    loss = net(
        torch,
        lambda self, out, y: ((out - self.c[y]) ** 2).mean(),
        c=nn.Parameter(torch.randn(3, 3)),
    )
    return cls(torch, loss_fn=loss)


@ill("backward-twice")
def state_given(torch):
    nn = torch.nn
    n = net(
        torch,
        lambda self, x, h: self.o(self.l(x, h)[0]),
        l=nn.GRU(4, 8, batch_first=True),
        o=nn.Linear(8, 1),
    )
    x = torch.randn(8, 5, 4)
    return reg(torch, n, x=(x, n.l(x)[1]), y=torch.randn(8, 5, 1))


@ill("exploding-activations")
def large_weights(torch):
    nn = torch.nn
    n = nn.Sequential(
        *[part for _ in range(6) for part in (nn.Linear(32, 32, bias=False), nn.ReLU())],
        nn.Linear(32, 1),
    )
    for p in n.parameters():
        nn.init.normal_(p)
    return reg(torch, n, x=torch.randn(32, 32))


@ill("lr-too-large")
def blown_up(torch):
    return fit(torch, reg(torch, lr=5.0), 3)


@ill("train-not-restored")
def trained_in_eval(torch):
    nn = torch.nn
    r = reg(torch, nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)).eval())
    return fit(torch, r, 6)


@ill("weight-decay-too-large")
def decay_takes_it_all(torch):
    def sgd(model):
        return torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=10.0)

    return fit(torch, reg(torch, opt=sgd), 30)


@ill("graph-kept")
def kept_by_a_hook(torch):
    r = cls(torch)
    model = r["model"]
    model.seen = []
    model[0].register_forward_hook(lambda m, i, o: model.seen.append(o))
    return fit(torch, r, 10)


@ill("optimizer-empty")
def parameters_used_up(torch):
    model = mlp(torch.nn)
    every = model.parameters()
    assert sum(p.numel() for p in every)
    return dict(model=model, error=caught(lambda: torch.optim.SGD(every, lr=0.1)))
