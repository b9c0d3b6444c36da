"""Programs that are ill in their values, targets and optimizers: each with the name of its disease."""

from __future__ import annotations

from typing import Any

from .small import cls, mlp, net, reg


def other_opt(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(mlp(torch.nn).parameters(), lr=0.1))


def stale(torch):
    r = reg(torch)
    r["model"][2] = torch.nn.Linear(16, 1)
    return r


def added(torch):
    r = reg(torch)
    r["model"].append(torch.nn.Linear(1, 1))
    return r


def lr0(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n.parameters(), lr=0.0))


def lrbig(torch):
    return reg(torch, lr=50.0)


def lrsmall(torch):
    return reg(torch, lr=1e-9)


def frozen(torch):
    r = reg(torch)
    r["model"].requires_grad_(False)
    return r


def constinit(torch):
    r = reg(torch)
    for p in r["model"].parameters():
        torch.nn.init.constant_(p, 0.1)
    return r


def dead(torch):
    r = reg(torch)
    torch.nn.init.constant_(r["model"][0].bias, -100.0)
    return r


def sat(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Linear(4, 16), nn.Sigmoid(), nn.Linear(16, 1))
    r = reg(torch, n)
    r["x"] = r["x"] * 5000
    return r


def vanish(torch):
    nn = torch.nn
    n = nn.Sequential(
        *[m for _ in range(15) for m in (nn.Linear(4, 4), nn.Sigmoid())], nn.Linear(4, 1)
    )
    return reg(torch, n)


def naninput(torch):
    r = reg(torch)
    r["x"][3, 2] = float("nan")
    return r


def nany(torch):
    r = reg(torch)
    r["y"][3] = float("nan")
    return r


def nanw(torch):
    r = reg(torch)
    r["model"][0].weight.data[0, 0] = float("nan")
    return r


def labels(torch):
    r = cls(torch)
    r["y"] = r["y"] + 1
    return r


def onehot_int(torch):
    r = cls(torch)
    r["y"] = torch.nn.functional.one_hot(r["y"], 3)
    return r


def sig2(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
    r = reg(torch, n)
    r["y"] = (r["y"] > 0).float()
    r["loss_fn"] = nn.BCEWithLogitsLoss()
    return r


def nllraw(torch):
    return cls(torch, loss_fn=torch.nn.NLLLoss())


def sm0(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=0)))


def onec(torch):
    r = cls(torch, mlp(torch.nn, 4, 1))
    r["y"] = torch.zeros(32).long()
    return r


def relulast(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(nn.Linear(4, 3), nn.ReLU()))


def tanhreg(torch):
    nn = torch.nn
    r = reg(torch, nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()))
    return r


def bcepm(torch):
    r = reg(torch, loss_fn=torch.nn.BCEWithLogitsLoss())
    r["y"] = r["y"].sign()
    return r


def neg(torch):
    nn = torch.nn
    return cls(torch, loss_fn=lambda o, y: -nn.functional.cross_entropy(o, y))


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


def drop1(torch):
    nn = torch.nn
    return reg(torch, nn.Sequential(nn.Linear(4, 16), nn.Dropout(1.0), nn.Linear(16, 1)))


def bnm0(torch):
    nn = torch.nn
    return reg(
        torch, nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16, momentum=0.0), nn.Linear(16, 1))
    )


def flag(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 1))
    n.training = False
    return dict(model=n, x=torch.randn(4, 4))


def inforward(torch):
    nn = torch.nn
    return reg(torch, net(torch, lambda self, x: self.o(nn.Linear(4, 4)(x)), o=nn.Linear(4, 1)))


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


VALUES: dict[str, tuple[Any, str]] = {
    "other-opt": (other_opt, "optimizer-of-another-model"),
    "stale": (stale, "stale-optimizer"),
    "added": (added, "optimizer-misses-parameters"),
    "lr0": (lr0, "lr-zero"),
    "lrbig": (lrbig, "lr-too-large"),
    "lrsmall": (lrsmall, "lr-too-small"),
    "frozen": (frozen, "all-frozen"),
    "constinit": (constinit, "symmetric-weights"),
    "dead": (dead, "dead-relu"),
    "sat": (sat, "saturated"),
    "vanish": (vanish, "vanishing-gradient"),
    "naninput": (naninput, "nan-in-input"),
    "nany": (nany, "nan-in-target"),
    "nanw": (nanw, "nan-in-weights"),
    "labels": (labels, "label-out-of-range"),
    "onehot-int": (onehot_int, "one-hot-target"),
    "sig2": (sig2, "sigmoid-twice"),
    "nllraw": (nllraw, "nll-without-log-softmax"),
    "sm0": (sm0, "softmax-wrong-dim"),
    "onec": (onec, "one-class"),
    "relulast": (relulast, "activation-on-logits"),
    "tanhreg": (tanhreg, "target-out-of-reach"),
    "bcepm": (bcepm, "target-out-of-range"),
    "neg": (neg, "loss-negated"),
    "fdrop": (fdrop, "functional-dropout"),
    "drop1": (drop1, "dropout-everything"),
    "bnm0": (bnm0, "bn-momentum"),
    "flag": (flag, "training-flag-by-hand"),
    "inforward": (inforward, "layer-made-in-forward"),
    "outside": (outside, "layer-outside"),
    "pbt": (pbt, "parameter-became-tensor"),
}
