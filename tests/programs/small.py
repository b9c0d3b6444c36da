"""Small programs to break: a net, a regression, a classification; and the tables of what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[[Any], dict[str, Any]]
"""Makes the arguments of `diagnose` with the library that it is given."""
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


def holding(nn, **layers):
    """Return a class whose instance holds these layers: what is left to write is `forward`."""

    class Holding(nn.Module):
        def __init__(self):
            super().__init__()
            for name, layer in layers.items():
                setattr(self, name, layer)

    return Holding


def mlp(nn, i=4, o=1, h=16):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, o))


def reg(torch, net=None, lr=0.05, opt=None, **k):
    nn = torch.nn
    net = net or mlp(nn)
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True)
    optimizer = opt(net) if opt else torch.optim.SGD(net.parameters(), lr=lr)
    return dict(model=net, x=x, y=y, loss_fn=nn.MSELoss(), optimizer=optimizer) | k


def cls(torch, net=None, k=3, **kw):
    nn = torch.nn
    net = net or mlp(nn, 4, k)
    x = torch.randn(32, 4)
    y = torch.randint(0, k, (32,))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return dict(model=net, x=x, y=y, loss_fn=nn.CrossEntropyLoss(), optimizer=optimizer) | kw


def adam(torch, net, **given):
    return dict(model=net, optimizer=torch.optim.Adam(net.parameters(), lr=0.01), **given)


def fit(torch, r, n=15):
    for _ in range(n):
        r["optimizer"].zero_grad()
        loss = r["loss_fn"](
            r["model"](*r["x"]) if type(r["x"]) is tuple else r["model"](r["x"]), r["y"]
        )
        loss.backward()
        r["optimizer"].step()
    return r
