"""What the tables of operations, modules and optimizers give on a GPU: the numbers of the CPU, and nothing leaves it."""

import numpy as np
import pytest
from optimizer_rows import ROWS as OPTIMIZERS
from optimizer_rows import made, train
from samples import SAMPLES

import nbmodule
from nbmodule import nn
from nbmodule._backend import library_of
from nbmodule.nn import functional as F
from nbmodule.nn.functional import _dropout as dropout
from nbmodule_course.exams.module_rows import TOPICS

MODULES = [row for rows in TOPICS.values() for row in rows]
SPARSE_HALVES = {"BCELoss", "MultiheadAttention_bias"}
"""Rows whose inputs are float32 tensors of their own: their modules are not turned to float64."""


@pytest.fixture(autouse=True)
def same_draws(monkeypatch):
    """Let dropout drop the same elements on every device."""
    draw = dropout._draw

    def draw_on_the_cpu(array, p, shape):
        near = np.lib.stride_tricks.as_strided(np.empty(1), array.shape, array.strides)
        return library_of(array).asarray(draw(near, p, shape))

    monkeypatch.setattr(dropout, "_draw", draw_on_the_cpu)


class OnTheGPU:
    """nbmodule, whose new tensors begin on the GPU."""

    def __getattr__(self, name):
        return getattr(nbmodule, name)

    def tensor(self, data, **options):
        return nbmodule.tensor(data, **options).cuda()


def assert_alike(found, expected):
    """Compare tensors on the GPU with tensors on the CPU, by name; float64 leaves room for another order of sums."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].device == nbmodule.device("cuda:0"), name
        assert found[name].dtype == value.dtype, name
        np.testing.assert_allclose(
            found[name].detach().cpu().numpy(), value.detach().numpy(), 1e-9, 1e-11, err_msg=name
        )


def values_and_gradients(library, sample, place):
    tensors = [nbmodule.tensor(a).to(place) for a in sample.arrays("f8")]
    tensors = [t.requires_grad_(sample.differentiable) for t in tensors]
    nbmodule.manual_seed(0)
    out = sample.call(library, *tensors)
    found = {"out": out}
    if sample.differentiable:
        weights = np.random.default_rng(1).standard_normal(tuple(out.shape))
        out.backward(nbmodule.tensor(weights).to(place))
        found |= {f"grad{i}": t.grad for i, t in enumerate(tensors) if t.grad is not None}
    return found


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_operations(gpu, sample):
    expected = values_and_gradients(nbmodule, sample, "cpu")
    assert_alike(values_and_gradients(OnTheGPU(), sample, "cuda"), expected)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.differentiable][::3], ids=str)
def test_second_derivatives(gpu, sample):
    """Of every third operation: they take the same rules once more."""

    def mixed(library, place):
        xs = [nbmodule.tensor(a).to(place).requires_grad_() for a in sample.arrays("f8")]
        out = sample.call(library, *xs)
        grads = nbmodule.autograd.grad(out.sum(), xs, create_graph=True, allow_unused=True)
        total = sum((g * g).sum() for g in grads if g is not None)
        if not total.requires_grad:
            return {"total": total}
        seconds = nbmodule.autograd.grad(total, xs, allow_unused=True)
        return {str(i): g for i, g in enumerate(seconds) if g is not None}

    assert_alike(mixed(OnTheGPU(), "cuda"), mixed(nbmodule, "cpu"))


def run_of_module(row, place):
    nbmodule.manual_seed(0)
    module = row.make(nbmodule)
    if not any(row.name.startswith(name) for name in SPARSE_HALVES):
        module = module.double()
    module, inputs = module.to(place), []
    kind = "f4" if any(row.name.startswith(name) for name in SPARSE_HALVES) else "f8"
    for x in row.arrays(kind):
        x = x(nbmodule) if callable(x) else nbmodule.tensor(x).requires_grad_()
        inputs.append(
            x.detach().to(place).requires_grad_(x.requires_grad)
            if isinstance(x, nbmodule.Tensor)
            else x
        )
        if isinstance(x, nn.utils.rnn.PackedSequence):
            inputs[-1] = x.to(place)
    outs = row.run(module, inputs)
    recorded = [o for o in outs if o.requires_grad]
    if recorded:
        nbmodule.autograd.backward(recorded, [nbmodule.ones_like(o) for o in recorded])
    found = {f"out{i}": o for i, o in enumerate(outs)} | dict(module.named_buffers())
    grads = {f"input{i}": t for i, t in enumerate(inputs)} | dict(module.named_parameters())
    return found | {
        f"grad of {name}": t.grad
        for name, t in grads.items()
        if getattr(t, "grad", None) is not None
    }


@pytest.mark.parametrize("row", MODULES, ids=str)
def test_modules(gpu, row):
    expected = run_of_module(row, "cpu")
    found = run_of_module(row, "cuda")
    if any(v.dtype == nbmodule.float32 for v in expected.values()):
        found, expected = (
            {k: v.double().detach() for k, v in d.items()} for d in (found, expected)
        )
        assert all(v.is_cuda for v in found.values())
        for k, v in expected.items():
            np.testing.assert_allclose(found[k].cpu().numpy(), v.numpy(), 1e-5, 1e-6, err_msg=k)
    else:
        assert_alike(found, expected)


@pytest.mark.parametrize(("kind", "options"), [(k, o) for k in OPTIMIZERS for o in OPTIMIZERS[k]])
def test_optimizers(gpu, kind, options):
    def trained(place):
        library = OnTheGPU() if place == "cuda" else nbmodule
        optimizer = made(library, kind, options, nbmodule.float64)
        params = train(library, optimizer)
        states = {
            f"{i} {name}": value
            for i, state in enumerate(optimizer.state.values())
            for name, value in state.items()
            if isinstance(value, nbmodule.Tensor) and value.dim()
        }
        return {str(i): p for i, p in enumerate(params)} | states

    assert_alike(trained("cuda"), trained("cpu"))


class Recurrent(nn.Module):
    """A network with a loop in it."""

    def __init__(self):
        super().__init__()
        self.rows = nn.LSTM(8, 6, 2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        return self.head(self.rows(x)[0][:, -1])


NETWORKS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 3)), (8,)),
    "convolutions": (
        lambda: nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3),
            nn.GELU(), nn.Dropout2d(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3),
        ),
        (1, 8, 8),
    ),
    "recurrent": (Recurrent, (5, 8)),
    "transformer": (
        lambda: nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Flatten(), nn.Linear(40, 3)),
        (5, 8),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_training(gpu, name):
    """The same losses in every step, with the same draws, and all parameters the same at the end."""

    def trained(place):
        make, shape = NETWORKS[name]
        nbmodule.manual_seed(0)
        model = make().double().to(place)
        optimizer = nbmodule.optim.AdamW(model.parameters(), lr=0.01)
        x = nbmodule.randn(12, *shape, dtype=nbmodule.float64).to(place)
        y = nbmodule.tensor([0, 1, 2] * 4).to(place)
        losses = {}
        for step in range(4):
            optimizer.zero_grad()
            loss = losses[f"loss {step}"] = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return losses | model.state_dict()

    assert_alike(trained("cuda"), trained("cpu"))
