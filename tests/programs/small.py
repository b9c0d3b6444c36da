"""Small programs to break: a net, a regression, a classification."""

from __future__ import annotations


def mlp(nn, i=4, o=1, h=16):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, o))


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
    net = net or mlp(nn, 4, k)
    x = torch.randn(32, 4)
    y = torch.randint(0, k, (32,))
    return dict(
        dict(
            model=net,
            x=x,
            y=y,
            loss_fn=nn.CrossEntropyLoss(),
            optimizer=torch.optim.SGD(net.parameters(), lr=0.1),
        ),
        **kw,
    )


def fit(torch, r, n=15):
    for _ in range(n):
        r["optimizer"].zero_grad()
        loss = r["loss_fn"](
            r["model"](*r["x"]) if type(r["x"]) is tuple else r["model"](r["x"]), r["y"]
        )
        loss.backward()
        r["optimizer"].step()
    return r
