"""Healthy programs whose model or file looks like that of a disease."""

from __future__ import annotations

import copy
import io
from typing import Any

from .ran import Ran, fitted, ran


def tied_weights(torch: Any) -> Ran:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(11, 8), nn.Linear(8, 11, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, tokens):
            return self.head(torch.tanh(self.embed(tokens))).flatten(0, 1)

    model, tokens = Model(), torch.randint(0, 11, (6, 5))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    done = fitted(model, tokens, tokens.flatten(), nn.CrossEntropyLoss(), opt)
    tied = model.head.weight is model.embed.weight and len(list(model.parameters())) == 1
    done.given["file"] = copy.deepcopy(model.state_dict())
    return done._replace(shows=done.shows and tied)


def list_of_registered(torch: Any) -> Ran:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 1)
            self.order = [self.first, nn.Tanh(), self.second]  # points to what has its name already

        def forward(self, x):
            for layer in self.order:
                x = layer(x)
            return x

    net, x = Net(), torch.randn(16, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def hidden_teacher(torch: Any) -> Ran:
    nn = torch.nn

    class Student(nn.Module):
        def __init__(self, teacher):
            super().__init__()
            self.net = nn.Linear(4, 3)
            self._teacher = [teacher]  # in a list on purpose: not to be saved, nor trained

        def forward(self, x):
            with torch.no_grad():
                self.wanted = self._teacher[0](x)
            return self.net(x)

    teacher = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)).eval()
    before = copy.deepcopy(teacher.state_dict())
    model, x = Student(teacher), torch.randn(32, 4)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    done = fitted(model, x, None, lambda out, y: (out - model.wanted).pow(2).mean(), opt)
    still = all(torch.equal(value, before[name]) for name, value in teacher.state_dict().items())
    return done._replace(shows=done.shows and still)


def batch_of_one_picture(torch: Any) -> Ran:
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)
    )
    x, y = torch.randn(1, 1, 8, 8), torch.tensor([1])
    return fitted(net, x, y, nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.01))


def missing_head(torch: Any) -> Ran:
    nn = torch.nn

    def build(classes):
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, classes))

    saved = {name: value for name, value in build(1000).state_dict().items() if name[0] == "0"}
    net = build(10)
    report = net.load_state_dict(saved, strict=False)
    known = report.missing_keys == ["2.weight", "2.bias"] and not report.unexpected_keys
    return ran(known, model=net, x=torch.randn(3, 8), file=saved)


def unsaved_mask(torch: Any) -> Ran:
    nn = torch.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
            hidden = torch.ones(5, 5).triu(1) > 0
            self.register_buffer("hidden", hidden, persistent=False)

        def forward(self, x):
            scores = self.q(x) @ self.k(x).transpose(1, 2)
            return scores.masked_fill(self.hidden, float("-inf")).softmax(2) @ self.v(x)

    net, x = Attention(), torch.randn(4, 5, 8)
    done = fitted(net, x, x, nn.MSELoss(), torch.optim.Adam(net.parameters(), lr=0.01))
    done.given["file"] = copy.deepcopy(net.state_dict())
    return done._replace(shows=done.shows and "hidden" not in net.state_dict())


def constant_made_in_forward(torch: Any) -> Ran:
    nn = torch.nn

    class Rising(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.factor = nn.Linear(4, 1), 0.5  # a number goes everywhere

        def forward(self, x):
            return self.fc(x + self.factor * torch.arange(4, dtype=x.dtype, device=x.device))

    net, x = Rising(), torch.randn(16, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def weight_normed(torch: Any) -> Ran:
    nn = torch.nn
    norm = nn.utils.parametrizations.weight_norm
    net, x = (
        nn.Sequential(norm(nn.Linear(4, 8)), nn.Tanh(), norm(nn.Linear(8, 1))),
        torch.randn(32, 4),
    )
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def mixed_modes(torch: Any) -> Ran:
    """Monte-Carlo dropout: the model answers in eval mode, its dropout stays on, on purpose."""
    nn = torch.nn
    net = nn.Sequential(
        nn.Linear(4, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1)
    )
    net.eval()
    net[3].train()
    x = torch.randn(6, 4)
    with torch.no_grad():
        answers = torch.stack([net(x) for _ in range(30)])
    return ran((answers.std(0) > 0).all().item(), model=net, x=x)


def answered_in_eval(torch: Any) -> Ran:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 1))
    x = torch.randn(64, 4)
    y = x.sum(1, keepdim=True)
    done = fitted(net, x, y, nn.MSELoss(), torch.optim.Adam(net.parameters(), lr=0.05), 60)
    net.eval()
    with torch.no_grad():
        same = torch.equal(net(x), net(x))
    return done._replace(shows=done.shows and same)


def functional_call(torch: Any) -> Ran:
    nn = torch.nn
    net, x = nn.Linear(4, 2), torch.randn(3, 4)
    doubled = {name: 2 * value.detach() for name, value in net.named_parameters()}
    out = torch.func.functional_call(net, doubled, (x,))
    return ran(torch.allclose(out, 2 * net(x), atol=1e-6), model=net, x=x)


def averaged_copy(torch: Any) -> Ran:
    nn = torch.nn
    net, x = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(32, 4)
    swa = torch.optim.swa_utils
    ema = swa.AveragedModel(net, multi_avg_fn=swa.get_ema_multi_avg_fn(0.9))
    opt, y, loss_fn = torch.optim.SGD(net.parameters(), lr=0.1), x[:, :1], nn.MSELoss()
    losses = []
    for _ in range(20):
        losses.append(fitted(net, x, y, loss_fn, opt, 1))
        ema.update_parameters(net)
    better = loss_fn(ema(x), y).item() < y.var().item()
    saved = copy.deepcopy(ema.module.state_dict())
    return ran(better, model=ema.module, x=x, y=y, loss_fn=loss_fn, file=saved)


def dict_of_outputs(torch: Any) -> Ran:
    nn = torch.nn

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
            self.heads = nn.ModuleDict({"size": nn.Linear(8, 1), "kind": nn.Linear(8, 3)})

        def forward(self, x):
            h = self.body(x)
            return {name: head(h) for name, head in self.heads.items()}

    def loss_fn(out, y):
        size = nn.functional.mse_loss(out["size"], y["size"])
        return size + nn.functional.cross_entropy(out["kind"], y["kind"])

    net, x = Two(), torch.randn(24, 4)
    y = {"size": x[:, :1], "kind": (x[:, 1] > 0).long()}
    return fitted(net, x, y, loss_fn, torch.optim.SGD(net.parameters(), lr=0.1))


def siamese(torch: Any) -> Ran:
    nn = torch.nn

    class Siamese(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))

        def forward(self, a, b):
            return nn.functional.pairwise_distance(self.encoder(a), self.encoder(b))

    net, a = Siamese(), torch.randn(16, 4)
    near = torch.arange(16) < 8
    b = torch.where(near.unsqueeze(1), a, a + 2)

    def loss_fn(distance, y):
        return (y * distance**2 + (1 - y) * (2 - distance).clamp(min=0) ** 2).mean()

    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    x, y, losses = (a, b), near.float(), []
    for _ in range(20):
        opt.zero_grad()
        loss = loss_fn(net(*x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return ran(losses[-1] < losses[0], model=net, x=x, y=y, loss_fn=loss_fn, optimizer=opt)


def inplace_relu(torch: Any) -> Ran:
    nn = torch.nn
    relu = nn.ReLU(
        inplace=True
    )  # writes into what Linear and BatchNorm return, and they don't need that
    net = nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1d(8), relu, nn.Linear(8, 8), relu, nn.Linear(8, 1)
    )
    x = torch.randn(16, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def lazy_layers(torch: Any) -> Ran:
    nn = torch.nn
    net, x = nn.Sequential(nn.LazyLinear(8), nn.Tanh(), nn.LazyLinear(1)), torch.randn(16, 4)
    net(x)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    return fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)


def watched_by_hooks(torch: Any) -> Ran:
    nn = torch.nn
    net, x, seen = (
        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)),
        torch.randn(16, 4),
        {},
    )
    for name, layer in net.named_children():
        layer.register_forward_hook(
            lambda m, args, out, name=name: seen.update({name: out.detach()})
        )
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    done = fitted(net, x, x.sum(1, keepdim=True), nn.MSELoss(), opt)
    return done._replace(shows=done.shows and len(seen) == 3, keeps=seen)


def saved_and_opened(torch: Any) -> Ran:
    nn = torch.nn
    net, file = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)), io.BytesIO()
    net(torch.randn(9, 4))
    torch.save(net.state_dict(), file)
    file.seek(0)
    again, x = copy.deepcopy(net), torch.randn(5, 4)
    again[0].weight.data.zero_()
    again.load_state_dict(torch.load(file))
    file.seek(0)
    return ran(torch.equal(again.eval()(x), net.eval()(x)), model=again, x=x, file=file)


ALL = (
    tied_weights,
    list_of_registered,
    hidden_teacher,
    batch_of_one_picture,
    missing_head,
    unsaved_mask,
    constant_made_in_forward,
    weight_normed,
    mixed_modes,
    answered_in_eval,
    functional_call,
    averaged_copy,
    dict_of_outputs,
    siamese,
    inplace_relu,
    lazy_layers,
    watched_by_hooks,
    saved_and_opened,
)
