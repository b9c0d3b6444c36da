"""Programs whose disease shows only when the input, the samples or the weights of a copy are changed."""

from __future__ import annotations

from typing import Any

from .small import cls, fit, lm, net, reg


def future(torch):
    return lm(torch, mixer=torch.nn.GRU(8, 8, batch_first=True, bidirectional=True))


def copying(torch):
    return lm(torch, targets="same")


def padding(torch):
    return lm(torch, padded=True)


def torn(torch):
    def loss(out, y):
        return torch.nn.functional.cross_entropy(out.reshape(-1, 4), y.reshape(-1))

    x, y = torch.rand(4, 3, 6, 6), torch.randint(0, 4, (4, 6, 6))
    return reg(torch, torch.nn.Conv2d(3, 4, 1), x=x, y=y, loss_fn=loss)


def result_unused(torch):
    nn = torch.nn

    def forward(self, x):
        self.b(x)
        return self.o(x)

    return reg(torch, net(torch, forward, b=nn.Linear(4, 8), o=nn.Linear(4, 1)))


def data_used(torch):
    nn = torch.nn
    return reg(
        torch,
        net(
            torch,
            lambda self, x: self.o(x @ self.a.weight.data.T + self.a.bias),
            a=nn.Linear(4, 8),
            o=nn.Linear(8, 1),
        ),
    )


def row_of_padding(torch):
    nn = torch.nn
    embed = nn.Embedding(20, 8, padding_idx=0)
    nn.init.normal_(embed.weight)
    x = torch.randint(0, 20, (32, 6))
    return cls(
        torch,
        net(torch, lambda self, x: self.o(self.e(x).mean(1)), e=embed, o=nn.Linear(8, 3)),
        x=x,
    )


def buffer_learns(torch):
    n = net(torch, lambda self, x: self.o(x * self.w), o=torch.nn.Linear(4, 1))
    n.register_buffer("w", torch.ones(4, requires_grad=True))
    return reg(torch, n)


def log_target(torch):
    nn = torch.nn
    y = torch.randn(32, 3).log_softmax(1)
    return cls(
        torch,
        nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(1)),
        y=y,
        loss_fn=nn.KLDivLoss(reduction="batchmean"),
    )


def centers(torch):
    nn = torch.nn
    loss = net(
        torch,
        lambda self, out, y: ((out - self.c[y]) ** 2).mean(),
        c=nn.Parameter(torch.randn(3, 3)),
    )
    return cls(torch, loss_fn=loss)


def scrambled(torch):
    nn = torch.nn

    def forward(self, x):
        return self.o(self.l(x.reshape(5, 32, 4))[0][-1])

    return reg(
        torch, net(torch, forward, l=nn.GRU(4, 8), o=nn.Linear(8, 1)), x=torch.randn(32, 5, 4)
    )


def softmax_alone(torch):
    nn = torch.nn
    return dict(model=nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=0)), x=torch.randn(8, 4))


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


def large_weights(torch):
    nn = torch.nn
    n = nn.Sequential(
        *[part for _ in range(6) for part in (nn.Linear(32, 32, bias=False), nn.ReLU())],
        nn.Linear(32, 1),
    )
    for p in n.parameters():
        nn.init.normal_(p)
    return reg(torch, n, x=torch.randn(32, 32))


def blown_up(torch):
    return fit(torch, reg(torch, lr=5.0), 3)


def unfitted(torch):
    nn = torch.nn
    r = reg(torch, nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)).eval())
    return fit(torch, r, 6)


PROVEN: dict[str, tuple[Any, str]] = {
    "future": (future, "no-causal-mask"),
    "copying": (copying, "labels-not-shifted"),
    "padding": (padding, "padding-in-loss"),
    "torn": (torn, "class-dimension"),
    "result-unused": (result_unused, "unused-layer"),
    "data-used": (data_used, "tape-cut-in-forward"),
    "row-of-padding": (row_of_padding, "padding-row"),
    "buffer-learns": (buffer_learns, "buffer-with-gradient"),
    "log-target": (log_target, "kl-log-target"),
    "centers": (centers, "optimizer-misses-parameters"),
    "scrambled": (scrambled, "samples-mixed"),
    "softmax-alone": (softmax_alone, "softmax-wrong-dim"),
    "state-given": (state_given, "backward-twice"),
    "large-weights": (large_weights, "exploding-activations"),
    "blown-up": (blown_up, "lr-too-large"),
    "trained-in-eval": (unfitted, "train-not-restored"),
}
