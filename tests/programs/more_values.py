"""Programs that are ill in their values, targets and optimizers: each with the name of its disease."""

from __future__ import annotations

from .small import cls, ill, mlp, net, reg


@ill("optimizer-of-another-model")
def other_opt(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(mlp(torch.nn).parameters(), lr=0.1))


@ill("stale-optimizer")
def stale(torch):
    r = reg(torch)
    r["model"][2] = torch.nn.Linear(16, 1)
    return r


@ill("optimizer-misses-parameters")
def added(torch):
    r = reg(torch)
    r["model"].append(torch.nn.Linear(1, 1))
    return r


@ill("lr-zero")
def lr0(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n.parameters(), lr=0.0))


@ill("lr-too-large")
def lrbig(torch):
    return reg(torch, lr=50.0)


@ill("lr-too-small")
def lrsmall(torch):
    return reg(torch, lr=1e-9)


@ill("all-frozen")
def frozen(torch):
    r = reg(torch)
    r["model"].requires_grad_(False)
    return r


@ill("symmetric-weights")
def constinit(torch):
    r = reg(torch)
    for p in r["model"].parameters():
        torch.nn.init.constant_(p, 0.1)
    return r


@ill("dead-relu")
def dead(torch):
    r = reg(torch)
    torch.nn.init.constant_(r["model"][0].bias, -100.0)
    return r


@ill("saturated")
def sat(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Linear(4, 16), nn.Sigmoid(), nn.Linear(16, 1))
    r = reg(torch, n)
    r["x"] = r["x"] * 5000
    return r


@ill("vanishing-gradient")
def vanish(torch):
    nn = torch.nn
    n = nn.Sequential(
        *[m for _ in range(15) for m in (nn.Linear(4, 4), nn.Sigmoid())], nn.Linear(4, 1)
    )
    return reg(torch, n)


@ill("nan-in-input")
def naninput(torch):
    r = reg(torch)
    r["x"][3, 2] = float("nan")
    return r


@ill("nan-in-target")
def nany(torch):
    r = reg(torch)
    r["y"][3] = float("nan")
    return r


@ill("nan-in-weights")
def nanw(torch):
    r = reg(torch)
    r["model"][0].weight.data[0, 0] = float("nan")
    return r


@ill("label-out-of-range")
def labels(torch):
    r = cls(torch)
    r["y"] = r["y"] + 1
    return r


@ill("one-hot-target")
def onehot_int(torch):
    r = cls(torch)
    r["y"] = torch.nn.functional.one_hot(r["y"], 3)
    return r


@ill("sigmoid-twice")
def sig2(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
    r = reg(torch, n)
    r["y"] = (r["y"] > 0).float()
    r["loss_fn"] = nn.BCEWithLogitsLoss()
    return r


@ill("nll-without-log-softmax")
def nllraw(torch):
    return cls(torch, loss_fn=torch.nn.NLLLoss())


@ill("softmax-wrong-dim")
def sm0(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=0)))


@ill("one-class")
def onec(torch):
    r = cls(torch, mlp(torch.nn, 4, 1))
    r["y"] = torch.zeros(32).long()
    return r


@ill("activation-on-logits")
def relulast(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(nn.Linear(4, 3), nn.ReLU()))


@ill("target-out-of-reach")
def tanhreg(torch):
    nn = torch.nn
    r = reg(torch, nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()))
    return r


@ill("target-out-of-range")
def bcepm(torch):
    r = reg(torch, loss_fn=torch.nn.BCEWithLogitsLoss())
    r["y"] = r["y"].sign()
    return r


@ill("loss-negated")
def neg(torch):
    nn = torch.nn
    return cls(torch, loss_fn=lambda o, y: -nn.functional.cross_entropy(o, y))


@ill("functional-dropout")
def fdrop(torch):
    nn = torch.nn
    n = net(
        torch,
        lambda self, x: self.g(nn.functional.dropout(self.f(x).relu(), 0.5)),
        f=nn.Linear(4, 32),
        g=nn.Linear(32, 1),
    )
    n.eval()
    return dict(model=n, x=torch.randn(8, 4))


@ill("dropout-everything")
def drop1(torch):
    nn = torch.nn
    return reg(torch, nn.Sequential(nn.Linear(4, 16), nn.Dropout(1.0), nn.Linear(16, 1)))


@ill("bn-momentum")
def bnm0(torch):
    nn = torch.nn
    return reg(
        torch, nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16, momentum=0.0), nn.Linear(16, 1))
    )


@ill("training-flag-by-hand")
def flag(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 1))
    n.training = False
    return dict(model=n, x=torch.randn(4, 4))


@ill("layer-made-in-forward")
def inforward(torch):
    nn = torch.nn
    return reg(torch, net(torch, lambda self, x: self.o(nn.Linear(4, 4)(x)), o=nn.Linear(4, 1)))


@ill("layer-outside")
def outside(torch):
    nn = torch.nn
    g = nn.Linear(4, 4)

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def forward(self, x):
            return self.o(g(x))

    return reg(torch, N())


@ill("parameter-became-tensor")
def pbt(torch):
    nn = torch.nn
    return reg(
        torch,
        net(
            torch,
            lambda self, x: self.o(x * self.w),
            o=nn.Linear(4, 1),
            w=nn.Parameter(torch.randn(4)) * 0.1,
        ),
    )
