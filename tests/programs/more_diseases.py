"""Programs that are ill in how they are built: each with the name of its disease."""

from __future__ import annotations

from .small import cls, fit, ill, lm, mlp, net, reg


@ill("unused-layer")
def unused(torch):
    nn = torch.nn
    return reg(torch, net(torch, lambda self, x: self.o(x), o=nn.Linear(4, 1), h=nn.Linear(4, 4)))


@ill("tape-cut-in-forward")
def cut(torch):
    nn = torch.nn
    return reg(
        torch,
        net(
            torch, lambda self, x: self.o(self.h(x).detach()), h=nn.Linear(4, 4), o=nn.Linear(4, 1)
        ),
    )


@ill("no-grad-in-forward")
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


@ill("stacked-hooks")
def hooks(torch):
    r = reg(torch)
    seen = []
    for _ in range(3):
        r["model"][0].register_forward_hook(lambda m, i, o: seen.append(o.detach().mean()))
    return r


@ill("hook-changes-output")
def hookret(torch):
    r = reg(torch)
    r["model"][0].register_forward_hook(lambda m, i, o: o.detach())
    return r


@ill("call-overridden")
def callover(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def __call__(self, x):
            return self.o(x)

    return dict(model=N(), x=torch.randn(3, 4))


@ill("same-layer-repeated")
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


@ill("batch-first")
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


@ill("input-changed")
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


@ill("mode-method-overwritten")
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


@ill("gradient-hook")
def ghook(torch):
    r = reg(torch)
    r["model"][0].weight.register_hook(lambda g: g * 0)
    return r


@ill("no-causal-mask")
def future(torch):
    return lm(torch, mixer=torch.nn.GRU(8, 8, batch_first=True, bidirectional=True))


@ill("unused-layer")
def result_unused(torch):
    nn = torch.nn

    def forward(self, x):
        self.b(x)
        return self.o(x)

    return reg(torch, net(torch, forward, b=nn.Linear(4, 8), o=nn.Linear(4, 1)))


@ill("tape-cut-in-forward")
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


@ill("padding-row")
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


@ill("buffer-with-gradient")
def buffer_learns(torch):
    n = net(torch, lambda self, x: self.o(x * self.w), o=torch.nn.Linear(4, 1))
    n.register_buffer("w", torch.ones(4, requires_grad=True))
    return reg(torch, n)


@ill("samples-mixed")
def scrambled(torch):
    nn = torch.nn

    def forward(self, x):
        return self.o(self.l(x.reshape(5, 32, 4))[0][-1])

    return reg(
        torch, net(torch, forward, l=nn.GRU(4, 8), o=nn.Linear(8, 1)), x=torch.randn(32, 5, 4)
    )


@ill("softmax-wrong-dim")
def softmax_alone(torch):
    nn = torch.nn
    return dict(model=nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=0)), x=torch.randn(8, 4))


@ill("in-place")
def skip_is_written_to(torch):
    nn = torch.nn

    def forward(self, x):
        return x + self.norm(self.conv(self.relu(x)))

    def block():
        return net(
            torch, forward, relu=nn.ReLU(inplace=True), conv=nn.Conv2d(8, 8, 3, padding=1),
            norm=nn.BatchNorm2d(8),
        )  # fmt: skip

    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), block(), block(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)
    )
    return cls(torch, model, x=torch.randn(32, 3, 8, 8))


@ill("view-for-transpose")
def view_for_transpose(torch):
    nn = torch.nn

    def forward(self, x):
        n, t, c = x.shape
        return self.o(torch.relu(self.conv(x.view(n, c, t))).mean(-1))

    model = net(torch, forward, conv=nn.Conv1d(6, 8, 3, padding=1), o=nn.Linear(8, 3))
    return cls(torch, model, x=torch.randn(32, 10, 6))


@ill("norm-over-batch")
def norm_over_batch(torch):
    nn = torch.nn
    return cls(
        torch, nn.Sequential(nn.Linear(4, 16), nn.LayerNorm([32, 16]), nn.ReLU(), nn.Linear(16, 3))
    )


@ill("dropout-on-output")
def dropout_on_output(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(mlp(nn, 4, 3), nn.Dropout(0.5)))


@ill("buffer-not-saved")
def statistics_not_saved(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)
            self.register_buffer("mean", torch.zeros(4), persistent=False)

        def forward(self, x):
            if self.training:
                self.mean.lerp_(x.mean(0), 0.1)
            return self.o(x - self.mean)

    return fit(torch, reg(torch, N()), 5)


@ill("layer-made-in-forward")
def parameter_made_anew(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x):
            y = self.o(x)
            self.scale = nn.Parameter(torch.ones(1))
            return y * self.scale

    return fit(torch, reg(torch, N()))


@ill("only-linear")
def only_linear(torch):
    nn = torch.nn
    return cls(torch, nn.Sequential(nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 3)))


@ill("hook-never-runs")
def spectral_norm_passed_by(torch):
    nn = torch.nn
    a = nn.utils.spectral_norm(nn.Linear(4, 8))
    model = net(torch, lambda self, x: self.b(self.a.forward(x).relu()), a=a, b=nn.Linear(8, 1))
    return fit(torch, reg(torch, model), 1)


@ill("softmax-wrong-dim")
def attention_over_queries(torch):
    nn = torch.nn

    def forward(self, x):
        weights = (self.q(x) @ self.k(x).mT / 8**0.5).softmax(1)
        return self.o((weights @ x).mean(1))

    model = net(torch, forward, q=nn.Linear(8, 8), k=nn.Linear(8, 8), o=nn.Linear(8, 3))
    return cls(torch, model, x=torch.randn(32, 5, 8))


@ill("samples-mixed")
def both_directions_viewed(torch):
    nn = torch.nn

    def forward(self, x):
        _, h = self.r(x)
        return self.o(h.view(len(x), -1))

    r = nn.GRU(4, 8, batch_first=True, bidirectional=True)
    x, y = torch.randn(8, 5, 4), torch.randint(0, 2, (8,))
    return cls(torch, net(torch, forward, r=r, o=nn.Linear(16, 2)), x=x, y=y)
