"""A training step hands its work to the GPU and does not wait for it: only the pretend device can count that."""

import pretend_cupy
import pytest

import nbmodule
from nbmodule import nn
from nbmodule.nn import functional as F


@pytest.fixture
def pretend():
    with pretend_cupy.installed():
        yield


IMAGES = lambda: nbmodule.randn(4, 1, 8, 8)  # noqa: E731
ROWS = lambda: nbmodule.randn(4, 8)  # noqa: E731
NETWORKS = {
    "mlp": (lambda: [nn.Linear(8, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3)], ROWS),
    "convolutions": (
        lambda: [
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, 2),
            nn.GroupNorm(2, 4), nn.AvgPool2d(1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3),
        ],
        IMAGES,
    ),
    "transformer": (
        lambda: [nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Flatten(), nn.Linear(16, 3)],
        lambda: nbmodule.randn(4, 2, 8),
    ),
    "words": (
        lambda: [nn.Embedding(5, 8), nn.LayerNorm(8), nn.GELU(), nn.Flatten(), nn.Linear(16, 3), nn.SiLU()],
        lambda: nbmodule.randint(5, (4, 2)),
    ),
    "images out": (
        lambda: [
            nn.ConvTranspose2d(1, 2, 2, 2), nn.Upsample(scale_factor=2, mode="bilinear"), nn.PReLU(),
            nn.ReflectionPad2d(1), nn.InstanceNorm2d(2), nn.Flatten(), nn.LazyLinear(3),
        ],
        IMAGES,
    ),
}  # fmt: skip
LOSSES = {
    "cross_entropy": (F.cross_entropy, lambda: nbmodule.tensor([0, 1, 2, 0])),
    "mse": (F.mse_loss, lambda: nbmodule.rand(4, 3)),
    "bce": (F.binary_cross_entropy_with_logits, lambda: nbmodule.rand(4, 3)),
    "smooth": (F.smooth_l1_loss, lambda: nbmodule.rand(4, 3)),
}


def waits_of_a_step(layers, inputs, loss, target, kind="AdamW"):
    model, x = nn.Sequential(*layers()), inputs()
    model(x)  # lazy layers get their shapes
    model, x, y = model.cuda(), x.cuda(), target().cuda()
    optimizer = getattr(nbmodule.optim, kind)(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        loss(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    step()
    before = pretend_cupy.Counters.synchronisations
    step()
    return pretend_cupy.Counters.synchronisations - before


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(pretend, name):
    assert waits_of_a_step(*NETWORKS[name], *LOSSES["cross_entropy"]) == 0


@pytest.mark.parametrize("name", LOSSES)
def test_losses(pretend, name):
    assert waits_of_a_step(*NETWORKS["mlp"], *LOSSES[name]) == 0


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "RAdam"])
def test_optimizers(pretend, kind):
    assert waits_of_a_step(*NETWORKS["mlp"], *LOSSES["mse"], kind) == 0


def test_a_number_that_is_asked_for_is_waited_for(pretend):
    t = nbmodule.ones(3, device="cuda").sum()
    before = pretend_cupy.Counters.synchronisations
    assert t.item() == 3
    assert pretend_cupy.Counters.synchronisations == before + 1
