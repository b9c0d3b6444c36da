"""Networks to time: each function takes the library and returns the work of one step."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

Work = Callable[[], Any]


def training_step(
    t: ModuleType, net: Any, shape: tuple[int, ...], optimizer: str = "SGD", classes: int = 10
) -> Work:
    """Return a step of `net` on random inputs of `shape`, with cross-entropy."""
    t.manual_seed(0)
    x, y = t.randn(*shape), t.randint(classes, (shape[0],))
    update = getattr(t.optim, optimizer)(net.parameters(), lr=0.001)

    def work() -> None:
        loss = t.nn.functional.cross_entropy(net(x), y)
        update.zero_grad()
        loss.backward()
        update.step()

    return work


def forward_and_backward(t: ModuleType, net: Any, shape: tuple[int, ...]) -> Work:
    """Return a forward and a backward pass of `net`, to the input as well."""
    t.manual_seed(0)
    x = t.randn(*shape, requires_grad=True)

    def work() -> None:
        out = net(x)
        x.grad = None
        for p in net.parameters():
            p.grad = None
        (out[0] if isinstance(out, tuple) else out).square().mean().backward()

    return work


def tiny_mlp(t: ModuleType) -> Work:
    nn = t.nn
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return training_step(t, net, (32, 64))


def mlp_with_adam(t: ModuleType) -> Work:
    nn = t.nn
    hidden = (nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU())
    return training_step(t, nn.Sequential(*hidden, nn.Linear(512, 10)), (128, 784), "Adam")


def lenet(t: ModuleType) -> Work:
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
    )
    return training_step(t, net, (64, 1, 28, 28))


def simple_model(t: ModuleType) -> Work:
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.Conv2d(20, 20, 5), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(20 * 20 * 20, 10)),
    )
    return training_step(t, net, (32, 1, 28, 28))


def zebra_net(t: ModuleType) -> Work:
    """An AlexNet on four images of 224 x 224."""
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1)),
        *(nn.ReLU(), nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.AdaptiveAvgPool2d(6), nn.Flatten(), nn.Linear(9216, 4096), nn.ReLU()),
        *(nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000)),
    )
    return training_step(t, net, (4, 3, 224, 224), classes=1000)


def transformer_block(t: ModuleType) -> Work:
    layer = t.nn.TransformerEncoderLayer(256, 8, 1024, 0.0, batch_first=True, norm_first=True)
    return forward_and_backward(t, layer, (8, 128, 256))


def batch_norm_relu_dropout(t: ModuleType) -> Work:
    nn = t.nn
    layers = [(nn.BatchNorm2d(32), nn.ReLU(), nn.Dropout(0.2)) for _ in range(4)]
    return forward_and_backward(t, nn.Sequential(*sum(layers, ())), (64, 32, 28, 28))


def lstm(t: ModuleType) -> Work:
    return forward_and_backward(t, t.nn.LSTM(128, 128, batch_first=True), (32, 64, 128))


def gru_of_two_directions(t: ModuleType) -> Work:
    layer = t.nn.GRU(64, 64, num_layers=2, bidirectional=True)
    return forward_and_backward(t, layer, (50, 16, 64))


def depthwise_block(t: ModuleType) -> Work:
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.BatchNorm2d(32), nn.SiLU()),
        *(nn.Conv2d(32, 64, 1), nn.GroupNorm(8, 64), nn.GELU()),
    )
    return forward_and_backward(t, net, (16, 32, 28, 28))


def up_and_down(t: ModuleType) -> Work:
    """A step down and a step up of a U-Net."""
    nn = t.nn
    net = nn.Sequential(
        *(nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU()),
        *(nn.AvgPool2d(2), nn.Upsample(scale_factor=2, mode="bilinear")),
    )
    return forward_and_backward(t, net, (8, 16, 32, 32))


def embedding_and_classifier(t: ModuleType) -> Work:
    nn = t.nn
    words = t.randint(5000, (64, 40))
    net = nn.Sequential(nn.Embedding(5000, 128), nn.LayerNorm(128), nn.Linear(128, 10))

    def work() -> None:
        for p in net.parameters():
            p.grad = None
        net(words).square().mean().backward()

    return work


NETWORKS: dict[Callable[[ModuleType], Work], int] = {
    tiny_mlp: 300,
    mlp_with_adam: 10,
    lenet: 5,
    simple_model: 2,
    zebra_net: 1,
    transformer_block: 1,
    batch_norm_relu_dropout: 1,
    lstm: 2,
    gru_of_two_directions: 1,
    depthwise_block: 2,
    up_and_down: 3,
    embedding_and_classifier: 5,
}
"""The networks, and how often each is run between two looks at the clock."""
