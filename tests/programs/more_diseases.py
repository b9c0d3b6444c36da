"""Programs that are ill in how they are built and trained: each with the name of its disease."""

from __future__ import annotations

import copy
from typing import Any

from .more_proven import PROVEN
from .more_values import VALUES
from .small import cls, mlp, net, reg

KEEP: list[Any] = []


def unused(torch):
    nn = torch.nn
    return reg(torch, net(torch, lambda self, x: self.o(x), o=nn.Linear(4, 1), h=nn.Linear(4, 4)))


def cut(torch):
    nn = torch.nn
    return reg(
        torch,
        net(
            torch, lambda self, x: self.o(self.h(x).detach()), h=nn.Linear(4, 4), o=nn.Linear(4, 1)
        ),
    )


def ng(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        @torch.no_grad()
        def forward(self, x):
            return self.o(x)

    return reg(torch, N())


def hooks(torch):
    r = reg(torch)
    seen = []
    for _ in range(3):
        r["model"][0].register_forward_hook(lambda m, i, o: seen.append(o.detach().mean()))
    return r


def hookret(torch):
    r = reg(torch)
    r["model"][0].register_forward_hook(lambda m, i, o: o.detach())
    return r


def foward(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def foward(self, x):
            return self.o(x)

    return dict(model=N(), x=torch.randn(3, 4))


def callover(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def __call__(self, x):
            return self.o(x)

    return dict(model=N(), x=torch.randn(3, 4))


def rep(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.h = nn.ModuleList([nn.Linear(4, 4)] * 3)
            self.o = nn.Linear(4, 1)

        def forward(self, x):
            for h in self.h:
                x = h(x).tanh()
            return self.o(x)

    return reg(torch, N())


def nhwc(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4 * 36, 2))
    return dict(model=n, x=torch.randn(2, 8, 8, 3))


def emb(torch):
    nn = torch.nn
    return dict(model=nn.Embedding(4, 3), x=torch.tensor([1, 4]))


def lstm(torch):
    nn = torch.nn
    n = net(torch, lambda self, x: self.o(self.l(x)[0][:, -1]), l=nn.LSTM(4, 8), o=nn.Linear(8, 1))
    x = torch.randn(16, 5, 4)
    return dict(
        model=n,
        x=x,
        y=x.sum((1, 2))[:, None],
        loss_fn=nn.MSELoss(),
        optimizer=torch.optim.SGD(n.parameters(), lr=0.1),
    )


def noreduce(torch):
    return reg(torch, loss_fn=torch.nn.MSELoss(reduction="none"))


def transp(torch):
    n = torch.nn.Linear(3, 5)
    f = {"weight": torch.randn(3, 5), "bias": torch.randn(5)}
    try:
        n.load_state_dict(f)
    except Exception as e:
        return dict(model=n, file=f, error=e)


def notloaded(torch):
    return dict(
        model=mlp(torch.nn), x=torch.randn(3, 4), file=copy.deepcopy(mlp(torch.nn).state_dict())
    )


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


def div0(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def forward(self, x):
            x = x - x
            return self.o(x / x.norm(dim=1, keepdim=True))

    return reg(torch, N())


def inx(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def forward(self, x):
            x += 1
            return self.o(x)

    return reg(torch, N())


def mom(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n.parameters(), lr=0.01, momentum=1.5))


def wd(torch):
    return reg(torch, opt=lambda n: torch.optim.SGD(n.parameters(), lr=0.05, weight_decay=20.0))


def same(torch):
    r = reg(torch)
    r["x"] = r["x"][:1].repeat(32, 1)
    return r


def multihot(torch):
    r = cls(torch)
    r["y"] = (torch.rand(32, 3) > 0.5).float()
    return r


def typo(torch):
    r = reg(torch)
    for p in r["model"].parameters():
        p.require_grad = False
    return r


def modrg(torch):
    r = reg(torch)
    r["model"][0].requires_grad = False
    return r


def ownTrain(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.f = nn.Linear(4, 8)
            self.d = nn.Dropout(0.5)
            self.o = nn.Linear(8, 1)

        def train(self, data):
            pass

        def forward(self, x):
            return self.o(self.d(self.f(x)))

    return reg(torch, N())


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


def pix(torch):
    r = reg(torch, lr=0.05)
    r["x"] = (torch.rand(32, 4) * 255).round()
    return r


def ghook(torch):
    r = reg(torch)
    r["model"][0].weight.register_hook(lambda g: g * 0)
    return r


def optmodel(torch):
    n = mlp(torch.nn)
    try:
        torch.optim.SGD(n, lr=0.1)
    except Exception as e:
        return dict(model=n, error=e)


def lossctor(torch):
    n = mlp(torch.nn)
    x = torch.randn(3, 4)
    try:
        torch.nn.MSELoss(n(x), torch.randn(3, 1))(n(x))
    except Exception as e:
        return dict(model=n, x=x, error=e)


def noreturn(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def forward(self, x):
            self.o(x)

    return dict(model=N(), x=torch.randn(8, 4))


def swapped(torch):
    return cls(torch, loss_fn=lambda out, y: torch.nn.functional.cross_entropy(y, out))


def nobuffers(torch):
    n = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    return dict(model=n, file={k: v.detach().clone() for k, v in n.named_parameters()})


def devices(torch):
    n = mlp(torch.nn)
    n[2] = torch.nn.Linear(16, 1, device="meta")
    return dict(model=n, x=torch.randn(8, 4))


def tiny(torch):
    return reg(torch, lr=1e-12)


def unscaled(torch):
    r = reg(torch)
    return r | dict(x=1e4 * r["x"] + 5e4, y=1e5 * r["y"])


def array(torch):
    return dict(model=mlp(torch.nn), x=torch.randn(8, 4).numpy())


MORE: dict[str, tuple[Any, str]] = (
    VALUES
    | PROVEN
    | {
        "unused": (unused, "unused-layer"),
        "cut": (cut, "tape-cut-in-forward"),
        "ng": (ng, "no-grad-in-forward"),
        "hooks": (hooks, "stacked-hooks"),
        "hookret": (hookret, "hook-changes-output"),
        "foward": (foward, "forward-missing"),
        "callover": (callover, "call-overridden"),
        "rep": (rep, "same-layer-repeated"),
        "nhwc": (nhwc, "channels-last"),
        "emb": (emb, "index-out-of-range"),
        "lstm": (lstm, "batch-first"),
        "noreduce": (noreduce, "backward-of-many"),
        "transp": (transp, "transposed-weight"),
        "notloaded": (notloaded, "file-not-loaded"),
        "total": (total, "graph-kept"),
        "div0": (div0, "nan-in-forward"),
        "inx": (inx, "input-changed"),
        "mom": (mom, "momentum-too-large"),
        "wd": (wd, "weight-decay-too-large"),
        "same": (same, "same-sample"),
        "multihot": (multihot, "targets-no-distribution"),
        "typo": (typo, "freeze-without-effect"),
        "modrg": (modrg, "freeze-without-effect"),
        "ownTrain": (ownTrain, "mode-method-overwritten"),
        "statestep": (statestep, "backward-twice"),
        "pix": (pix, "input-not-scaled"),
        "ghook": (ghook, "gradient-hook"),
        "optmodel": (optmodel, "optimizer-given-model"),
        "noreturn": (noreturn, "none-returned"),
        "swapped": (swapped, "loss-arguments-swapped"),
        "nobuffers": (nobuffers, "missing-buffers"),
        "devices": (devices, "device-mismatch"),
        "tiny": (tiny, "lr-too-small"),
        "unscaled": (unscaled, "input-not-scaled"),
        "array": (array, "input-not-tensor"),
        "lossctor": (lossctor, "tensor-in-if"),
    }
)
