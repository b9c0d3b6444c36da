"""Small programs to break: a net, a regression, a classification; and the tables of those that are.

A program of these tables only makes the arguments of `diagnose`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[[Any], dict[str, Any]]
MORE: dict[str, tuple[Make, str]] = {}
"""Ill programs by name, each with the name of its disease."""
MORE_HEALTHY: dict[str, Make] = {}


def ill(disease: str) -> Callable[[Make], Make]:
    """Enter a program and its disease into the table."""

    def enter(program: Make) -> Make:
        MORE[spelled(program)] = program, disease
        return program

    return enter


def well(program: Make) -> Make:
    """Enter a program that has no disease."""
    MORE_HEALTHY[spelled(program)] = program
    return program


def spelled(program: Callable[..., Any]) -> str:
    """Return a program's name as people would write it: `forgot-eval`."""
    return program.__name__.replace("_", "-")


def mlp(nn, i=4, o=1, h=16):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, o))


def net(torch, forward, **layers):
    """Return a Module with these attributes and this `forward(self, x)`."""

    class N(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, layer in layers.items():
                setattr(self, name, layer)

    N.forward = forward
    return N()


def reg(torch, net=None, lr=0.05, opt=None, **k):
    nn = torch.nn
    net = net or mlp(nn)
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True)
    return dict(
        dict(
            model=net,
            x=x,
            y=y,
            loss_fn=nn.MSELoss(),
            optimizer=opt(net) if opt else torch.optim.SGD(net.parameters(), lr=lr),
        ),
        **k,
    )


def cls(torch, net=None, k=3, **kw):
    nn = torch.nn
    made = reg(torch, net or mlp(nn, 4, k), lr=0.1, loss_fn=nn.CrossEntropyLoss())
    return made | {"y": torch.randint(0, k, (32,))} | kw


def lm(torch, targets="next", loss=None, mixer=None, padded=False):
    """Return a language model of one recurrent layer, and twelve sentences; `mixer` may see the future."""
    nn = torch.nn
    tokens = torch.randint(1, 20, (12, 9))
    if padded:
        tokens[:6, 5:] = 0
    model = net(
        torch,
        lambda self, x: self.head(self.mix(self.embed(x))[0]),
        embed=nn.Embedding(20, 8),
        mix=mixer or nn.GRU(8, 8, batch_first=True),
        head=nn.LazyLinear(20) if mixer else nn.Linear(8, 20),
    )
    x = tokens[:, :-1]
    y = tokens[:, 1:] if targets == "next" else x
    model(x)

    def flat(out, y):
        return nn.functional.cross_entropy(out.reshape(-1, 20), y.reshape(-1))

    return reg(torch, model, x=x, y=y, loss_fn=loss or flat, lr=0.5)


def fit(torch, r, n=15):
    for _ in range(n):
        r["optimizer"].zero_grad()
        loss = r["loss_fn"](
            r["model"](*r["x"]) if type(r["x"]) is tuple else r["model"](r["x"]), r["y"]
        )
        loss.backward()
        r["optimizer"].step()
    return r
