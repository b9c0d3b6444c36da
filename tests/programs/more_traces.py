"""Programs whose disease shows in what they left behind: weights, gradients, files, and what lies beside the model."""

from __future__ import annotations

from .ran import caught
from .small import cls, fit, ill, mlp, net, reg, well


def _words(torch, padding):
    nn = torch.nn
    model = net(
        torch,
        lambda self, x: self.o(self.e(x).mean(1)),
        e=nn.Embedding(50, 8, padding_idx=padding),
        o=nn.Linear(8, 3),
    )
    x = torch.randint(2, 50, (12, 9))
    for row in range(12):
        x[row, 3 + row % 5 :] = 0
    return cls(torch, model, x=x, y=torch.randint(0, 3, (12,)))


def _language(torch, tied):
    nn = torch.nn
    model = net(
        torch,
        lambda self, x: self.o(self.e(x).tanh())[:, -1],
        e=nn.Embedding(20, 8),
        o=nn.Linear(8, 20, bias=False),
    )
    model.o.weight = model.e.weight if tied else nn.Parameter(model.e.weight.detach().clone())
    return cls(torch, model, x=torch.randint(0, 20, (12, 5)), y=torch.randint(0, 20, (12,)))


def _looped(torch, between, **k):
    """Four steps, with something done between backward and step."""
    r = reg(torch, **k)
    for _ in range(4):
        r["optimizer"].zero_grad()
        r["loss_fn"](r["model"](r["x"]), r["y"]).backward()
        between(r)
        r["optimizer"].step()
    return r


def _clip(torch, bound):
    return lambda r: torch.nn.utils.clip_grad_norm_(r["model"].parameters(), bound)


def _last_step(torch, first):
    nn = torch.nn
    model = net(
        torch,
        lambda self, x: self.o(self.r(x)[0][:, -1] if first else self.r(x)[0][-1]),
        r=nn.GRU(4, 8, batch_first=True),
        o=nn.Linear(8, 3),
    )
    return cls(torch, model, x=torch.randn(6, 6, 4), y=torch.randint(0, 3, (6,)))


@ill("padding-index")
def padding_elsewhere(torch):
    return _words(torch, 1)


@well
def padding_there(torch):
    return _words(torch, 0)


@ill("tie-copied")
def tie_copied(torch):
    return fit(torch, _language(torch, tied=False))


@well
def tied(torch):
    return fit(torch, _language(torch, tied=True))


@well
def identities(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
    nn.init.eye_(model[0].weight)
    nn.init.eye_(model[2].weight)
    return cls(torch, model, x=torch.randn(32, 8))


@ill("gradient-shrunk")
def clipped_to_nothing(torch):
    return _looped(torch, _clip(torch, 1e-9))


@well
def clipped_a_little(torch):
    return _looped(torch, _clip(torch, 0.1))


@well
def clipped_to_nothing_for_adam(torch):
    return _looped(torch, _clip(torch, 1e-3), opt=lambda n: torch.optim.Adam(n.parameters(), 0.01))


@ill("zero-grad-before-step")
def zeroed_between(torch):
    return _looped(
        torch,
        lambda r: r["optimizer"].zero_grad(set_to_none=False),
        opt=lambda n: torch.optim.Adam(n.parameters(), 0.01),
    )


@ill("optimizer-misses-parameters")
def random_features_by_mistake(torch):
    return fit(torch, reg(torch, opt=lambda n: torch.optim.SGD(n[2].parameters(), lr=0.05)))


@well
def pretrained_features(torch):
    r = reg(torch, opt=lambda n: torch.optim.SGD(n[2].parameters(), lr=0.05))
    r["model"][0].load_state_dict({k: v + 0 for k, v in r["model"][0].state_dict().items()})
    return fit(torch, r)


@ill("step-function")
def rounded(torch):
    nn = torch.nn

    def forward(self, x):
        return self.o(self.h(x).sign())

    return reg(torch, net(torch, forward, h=nn.Linear(4, 8), o=nn.Linear(8, 1)))


@well
def straight_through(torch):
    nn = torch.nn

    def forward(self, x):
        h = self.h(x)
        return self.o(h + (h.sign() - h).detach())

    return reg(torch, net(torch, forward, h=nn.Linear(4, 8), o=nn.Linear(8, 1)))


@ill("gradient-lost")
def backward_of_none(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    nn = torch.nn

    def forward(self, x):
        return self.o(Nothing.apply(self.h(x)))

    return reg(torch, net(torch, forward, h=nn.Linear(4, 8), o=nn.Linear(8, 1)))


@well
def sparse_gradients(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Embedding(20, 4, sparse=True), nn.Flatten(), nn.Linear(12, 3))
    sparse = torch.optim.SparseAdam(list(model[0].parameters()))
    dense = torch.optim.Adam(model[2].parameters())
    return cls(torch, model, x=torch.randint(0, 20, (32, 3))) | {"optimizer": [sparse, dense]}


@ill("samples-mixed")
def last_of_the_batch(torch):
    return _last_step(torch, first=False)


@well
def last_of_the_time(torch):
    return _last_step(torch, first=True)


@ill("input-not-scaled")
def pixels_as_they_are(torch):
    nn = torch.nn
    x = torch.randint(0, 256, (64, 144)).float()
    return cls(torch, mlp(nn, 144, 10, 50), x=x, y=torch.randint(0, 10, (64,)))


@ill("train-not-restored")
def four_steps_one_of_them_in_train(torch):
    nn = torch.nn
    r = reg(torch, nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1)))
    fit(torch, r, 1)
    r["model"].eval()
    return fit(torch, r, 3)


@ill("same-sample")
def divided_to_nothing(torch):
    return cls(torch, x=torch.zeros(32, 4))


@ill("channels-mismatch")
def gray_for_three(torch):
    return _raised(torch.nn.Conv2d(3, 8, 3), torch.rand(4, 1, 12, 12))


@ill("init-misspelled")
def init_of_one_underscore(torch):
    class N(torch.nn.Module):
        def _init_(self):
            self.o = torch.nn.Linear(4, 1)

        def forward(self, x):
            return self.o(x)

    return _raised(N(), torch.rand(3, 4))


@ill("name-shadowed")
def parameters_is_a_dict(torch):
    model = mlp(torch.nn)
    model.parameters = {"lr": 0.1}
    return {"model": model, "error": caught(lambda: model.parameters())}


@ill("keys-differ")
def layers_renamed(torch):
    nn = torch.nn
    model = nn.ModuleDict({"encoder": nn.Linear(4, 8), "head": nn.Linear(8, 2)})
    file = nn.ModuleDict({"features": nn.Linear(4, 8), "fc": nn.Linear(8, 2)}).state_dict()
    return {"model": model, "file": file, "error": caught(lambda: model.load_state_dict(file))}


def _raised(model, x):
    return {"model": model, "x": x, "error": caught(lambda: model(x))}
