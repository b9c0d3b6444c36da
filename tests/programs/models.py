"""Diseases of a model and of its file: they need no training to be seen."""

from __future__ import annotations

import io
import pickle
from typing import Any

from .ran import Ran, caught, ran, said


def forgot_eval(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
    x = torch.randn(4, 8)
    if cured:
        net.eval()
    with torch.no_grad():
        first = net(x)
        second = net(x)
    return ran(not torch.equal(first, second), model=net, x=x)


def strict_false(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = nn.Linear(4, 2)

        def forward(self, x):
            return self.model(x)

    trained, net, x = Wrapped(), nn.Linear(4, 2), torch.randn(3, 4)
    saved = trained.state_dict()
    if cured:
        saved = {name.removeprefix("model."): value for name, value in saved.items()}
    net.load_state_dict(saved, strict=False)
    return ran(not torch.equal(net(x), trained(x)), model=net, x=x, file=saved)


def key_prefix(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    def build():
        return nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))

    wrapped = nn.DataParallel(build())
    saved = (wrapped.module if cured else wrapped).state_dict()
    net = build()
    error = caught(lambda: net.load_state_dict(saved))
    shows = said(error, RuntimeError, "Missing key")
    return ran(shows, model=net, x=torch.randn(5, 4), file=saved, error=error)


def plain_tensor(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    class Norm(nn.Module):
        def __init__(self, scale):
            super().__init__()
            if cured:
                self.register_buffer("scale", torch.tensor(scale))
            else:
                self.scale = torch.tensor(scale)
            self.fc = nn.Linear(3, 1)

        def forward(self, x):
            return self.fc(x / self.scale)

    trained, net, x = Norm(5.0), Norm(1.0), torch.randn(4, 3)
    saved = trained.state_dict()
    report = net.load_state_dict(saved)
    shows = not report.missing_keys and not torch.equal(net(x), trained(x))
    return ran(shows, model=net, x=x, file=saved)


def in_place(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 1)

        def forward(self, x):
            h = torch.sigmoid(self.a(x))
            if cured:
                h = h + 1
            else:
                h += 1  # sigmoid needs its output for backward
            return self.b(h)

    def loss_fn(out, y):
        return (out - y).sum()

    net, x, y = Net(), torch.randn(2, 3), torch.zeros(2, 1)
    error = caught(lambda: loss_fn(net(x), y).backward())
    shows = said(error, RuntimeError, "modified by an inplace operation")
    return ran(shows, model=net, x=x, y=y, loss_fn=loss_fn, error=error)


def bn_batch_of_one(torch: Any, cured: bool = False) -> Ran:
    nn, data = torch.nn, torch.utils.data
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    pairs = data.TensorDataset(torch.randn(33, 4), torch.randn(33, 1))
    loader, loss_fn = data.DataLoader(pairs, batch_size=16, drop_last=cured), nn.MSELoss()
    x = y = None

    def epoch():
        nonlocal x, y
        for x, y in loader:
            loss_fn(net(x), y).backward()

    error = caught(epoch)
    shows = said(error, ValueError, "Expected more than 1 value per channel")
    return ran(shows, step=epoch, model=net, x=x, y=y, loss_fn=loss_fn, error=error)


def head_shape(torch: Any, cured: bool = False) -> Ran:
    nn = torch.nn
    saved = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1000)).state_dict()
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
    if cured:
        saved = {name: value for name, value in saved.items() if not name.startswith("2.")}
    error = caught(lambda: net.load_state_dict(saved, strict=False))
    shows = said(error, RuntimeError, "size mismatch")
    return ran(shows, model=net, x=torch.randn(3, 8), file=saved, error=error)


def pickled_model(torch: Any, cured: bool = False) -> Ran:
    """PyTorch refuses at `load`, nbmodule at `save`; a file of PyTorch's is at hand then."""
    nn = torch.nn
    net, file = nn.Sequential(nn.Linear(4, 2)), io.BytesIO()

    def save_and_load():
        torch.save(net.state_dict() if cured else net, file)
        file.seek(0)
        torch.load(file)

    error = caught(save_and_load)
    file.seek(0)
    refused = isinstance(error, pickle.UnpicklingError | TypeError)
    words = "eights only load failed", "cannot save"
    shows = refused and any(word in str(error) for word in words)
    return ran(shows, model=net, x=torch.randn(3, 4), file=file, error=error)
