"""Networks to time: each function takes the library and returns a workload, of which a call is one step."""

from __future__ import annotations

from types import ModuleType
from typing import Any


class Workload:
    """A network, its inputs and what is done with them."""

    def __init__(
        self, t: ModuleType, net: Any, x: Any, y: Any = None, optimizer: Any = None
    ) -> None:
        self.t, self.net, self.x, self.y, self.optimizer = t, net, x, y, optimizer

    def __call__(self) -> Any:
        """Do one step and return the loss: forward, backward, and the update if there is an optimizer."""
        (self.optimizer or self.net).zero_grad()
        if self.x.requires_grad:
            self.x.grad = None
        loss = self.loss()
        loss.backward()
        if self.optimizer is not None:
            self.optimizer.step()
        return loss

    def loss(self) -> Any:
        """Return cross-entropy with the labels `y`, or the mean of squares where there are none."""
        out = self.net(self.x)
        if self.y is not None:
            return self.t.nn.functional.cross_entropy(out, self.y)
        return (out[0] if isinstance(out, tuple) else out).square().mean()


def training_step(
    t: ModuleType, net: Any, shape: tuple[int, ...], optimizer: str = "SGD", lr: float = 0.01
) -> Workload:
    """Return a training step of `net` on random inputs of `shape` in ten classes."""
    t.manual_seed(0)
    x, y = t.randn(*shape), t.randint(10, shape[:1])
    return Workload(t, net, x, y, getattr(t.optim, optimizer)(net.parameters(), lr=lr))


def forward_and_backward(
    t: ModuleType, net: Any, shape: tuple[int, ...], classes: int = 0, to_input: bool = False
) -> Workload:
    """Return a forward and a backward pass of `net`, with `to_input` to its input as well."""
    t.manual_seed(0)
    x = t.randn(*shape, requires_grad=to_input)
    return Workload(t, net, x, t.randint(classes, shape[:1]) if classes else None)


def tiny_mlp(t: ModuleType) -> Workload:
    """64-64-10, 32 rows, SGD."""
    nn = t.nn
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return training_step(t, net, (32, 64))


def mlp_with_adam(t: ModuleType) -> Workload:
    """784-512-512-10, 128 rows, Adam."""
    nn = t.nn
    hidden = (nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU())
    net = nn.Sequential(*hidden, nn.Linear(512, 10))
    return training_step(t, net, (128, 784), "Adam", 0.001)


def lenet(t: ModuleType) -> Workload:
    """A LeNet-like network on 64 images of 28 x 28, SGD."""
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
    )
    return training_step(t, net, (64, 1, 28, 28))


def simple_model(t: ModuleType) -> Workload:
    """Two convolutions of 20 channels on 32 images of 28 x 28, forward and backward."""
    nn = t.nn
    net = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.Conv2d(20, 20, 5), nn.ReLU())
    return forward_and_backward(t, net, (32, 1, 28, 28))


def zebra_net(t: ModuleType) -> Workload:
    """An AlexNet on four images of 224 x 224, forward and backward."""
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1)),
        *(nn.ReLU(), nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.AdaptiveAvgPool2d(6), nn.Flatten(), nn.Linear(9216, 4096), nn.ReLU()),
        *(nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000)),
    )
    return forward_and_backward(t, net, (4, 3, 224, 224), classes=1000)


def transformer_block(t: ModuleType) -> Workload:
    """256 features, 8 heads, 8 sequences of 128, forward and backward."""
    layer = t.nn.TransformerEncoderLayer(256, 8, 1024, 0.0, batch_first=True, norm_first=True)
    return forward_and_backward(t, layer, (8, 128, 256), to_input=True)


def batch_norm_relu_dropout(t: ModuleType) -> Workload:
    """Four times the three, on 64 x 32 x 28 x 28, forward and backward."""
    nn = t.nn
    layers = [(nn.BatchNorm2d(32), nn.ReLU(), nn.Dropout(0.2)) for _ in range(4)]
    net = nn.Sequential(*sum(layers, ()))
    return forward_and_backward(t, net, (64, 32, 28, 28), to_input=True)


def lstm(t: ModuleType) -> Workload:
    """128 hidden, 32 sequences of 64, forward and backward."""
    return forward_and_backward(t, t.nn.LSTM(128, 128, batch_first=True), (32, 64, 128))


def gru_of_two_directions(t: ModuleType) -> Workload:
    layer = t.nn.GRU(64, 64, num_layers=2, bidirectional=True)
    return forward_and_backward(t, layer, (50, 16, 64), to_input=True)


def depthwise_block(t: ModuleType) -> Workload:
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.BatchNorm2d(32), nn.SiLU()),
        *(nn.Conv2d(32, 64, 1), nn.GroupNorm(8, 64), nn.GELU()),
    )
    return forward_and_backward(t, net, (16, 32, 28, 28), to_input=True)


def up_and_down(t: ModuleType) -> Workload:
    """A step down and a step up of a U-Net."""
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU()),
        *(nn.AvgPool2d(2), nn.Upsample(scale_factor=2, mode="bilinear")),
    )
    return forward_and_backward(t, net, (8, 16, 32, 32), to_input=True)


def embedding_and_classifier(t: ModuleType) -> Workload:
    nn = t.nn
    t.manual_seed(0)
    net = nn.Sequential(nn.Embedding(5000, 128), nn.LayerNorm(128), nn.Linear(128, 10))
    return Workload(t, net, t.randint(5000, (64, 40)))


GOALS = [
    tiny_mlp,
    mlp_with_adam,
    lenet,
    simple_model,
    zebra_net,
    transformer_block,
    batch_norm_relu_dropout,
    lstm,
]
"""The networks that have a goal, see `goals.py`."""

NETWORKS = [
    *GOALS,
    gru_of_two_directions,
    depthwise_block,
    up_and_down,
    embedding_and_classifier,
]
