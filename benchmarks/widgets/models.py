"""The subjects: models built with a library that is handed in, so that one text serves nbmodule and torch.

The torch subjects are those of the measurements that our targets were set against.
"""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Callable
from typing import Any


def library(name: str) -> Any | None:
    """`nbmodule` or `torch`, on one thread; None where it is not installed."""
    try:
        found = importlib.import_module(name)
    except ImportError:
        return None
    if name == "torch":
        found.set_num_threads(1)
    return found


def tree(lib: Any, modules: int, branching: int = 10) -> Any:
    """A model of exactly so many Modules below the root: a tree whose leaves are `Linear(2, 2)`."""

    class Box(lib.nn.Module):
        """Holds others, and calls them in their order."""

        def forward(self, x: Any) -> Any:
            for child in self._modules.values():
                x = child(x)
            return x

    root = Box()
    boxes = (modules - 1) // branching
    parents, made = deque([root]), 0
    while made < modules:
        parent = parents.popleft()
        for place in range(min(branching, modules - made)):
            child = Box() if made < boxes else lib.nn.Linear(2, 2)
            if made < boxes:
                parents.append(child)
            parent.add_module(f"m{place}", child)
            made += 1
    return root


def blocks_of_layers(lib: Any) -> tuple[Any, Any, Any]:
    """10,101 Modules that all run: 100 blocks of 100 layers, with 20,000 parameters."""
    nn = lib.nn
    blocks = (nn.Sequential(*(nn.Linear(4, 4) for _ in range(100))) for _ in range(100))
    return nn.Sequential(*blocks), lib.randn(2, 4), lib.randint(4, (2,))


def running_tree(lib: Any) -> tuple[Any, Any, Any]:
    """10,000 Modules that all run, and a small batch: next to nothing is computed, so that everything else shows."""
    return tree(lib, 10_000), lib.randn(4, 2), lib.randint(2, (4,))


def many_operations(lib: Any) -> tuple[Any, Any, Any]:
    """Some 10,000 operations and leaves: 17 blocks of 100 layers, with sums around each layer."""
    nn = lib.nn

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(lib.ones(4))
            self.shift = nn.Parameter(lib.zeros(4))

        def forward(self, x: Any) -> Any:
            return x + (x * self.scale + self.shift) * 0.01

    blocks = nn.Sequential(*(nn.Sequential(*(Layer() for _ in range(100))) for _ in range(17)))
    return blocks, lib.randn(3, 4), lib.randint(4, (3,))


def lenet(lib: Any, passes: list[int] | None = None) -> tuple[Any, Any, Any]:
    """LeCun's network with batch norm and dropout; counts its forward passes in `passes`."""
    nn, counted = lib.nn, [0] if passes is None else passes

    class LeNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Sequential(
                *(nn.Conv2d(1, 6, 5, padding=2), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2)),
                *(nn.Conv2d(6, 16, 5), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
            )
            self.head = nn.Sequential(
                *(nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Dropout(0.5)),
                *(nn.Linear(120, 84), nn.ReLU(), nn.Dropout(0.25), nn.Linear(84, 10)),
            )

        def forward(self, x: Any) -> Any:
            counted[0] += 1
            return self.head(self.conv(x))

    return LeNet(), lib.randn(4, 1, 28, 28), lib.randint(10, (4,))


class Trainer:
    """A model with an optimizer and one batch; `step()` is one training step.

    Args:
        lib: nbmodule or torch.
        build: Makes the model and its batch: `(inputs, targets)`.
        momentum: Of the SGD that trains it.
    """

    def __init__(
        self, lib: Any, build: Callable[[Any], tuple[Any, Any, Any]], momentum: float = 0.0
    ) -> None:
        lib.manual_seed(0)
        self.lib = lib
        self.model, self.inputs, self.targets = build(lib)
        self.optimizer = lib.optim.SGD(self.model.parameters(), lr=0.01, momentum=momentum)

    def loss(self, scores: Any) -> Any:
        """The loss of what the model computed from the batch."""
        return self.lib.nn.functional.cross_entropy(
            scores.reshape(-1, scores.shape[-1]), self.targets
        )

    def step(self) -> Any:
        """Forward, loss, backward, update; returns the loss."""
        self.optimizer.zero_grad()
        loss = self.loss(self.model(self.inputs))
        loss.backward()
        self.optimizer.step()
        return loss


def simple_model(lib: Any) -> tuple[Any, Any, Any]:
    """The convolutions of PyTorch's own introduction to Module."""
    nn = lib.nn
    model = nn.Sequential(
        *(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.Conv2d(20, 20, 5), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(20 * 20 * 20, 10)),
    )
    return model, lib.randn(16, 1, 28, 28), lib.randint(10, (16,))


def mlp(lib: Any) -> tuple[Any, Any, Any]:
    """Two layers and dropout."""
    nn = lib.nn
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Dropout(0.25), nn.Linear(128, 10))
    return model, lib.randn(64, 784), lib.randint(10, (64,))


def conv_net(lib: Any) -> tuple[Any, Any, Any]:
    """A small convolutional net with batch norm and dropout; 12 parameters."""
    nn = lib.nn
    model = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(
            nn.Flatten(),
            nn.Dropout(0.25),
            nn.Linear(32 * 7 * 7, 128),
            nn.ReLU(),
            nn.Linear(128, 10),
        ),
    )
    return model, lib.randn(16, 1, 28, 28), lib.randint(10, (16,))


def transformer(
    layers: int, width: int, heads: int, vocabulary: int, length: int
) -> Callable[[Any], Any]:
    """A language model: so many encoder layers, its head tied to its embedding."""

    def build(lib: Any) -> tuple[Any, Any, Any]:
        nn = lib.nn

        class Transformer(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.tok = nn.Embedding(vocabulary, width)
                self.pos = nn.Embedding(1024, width)
                layer = nn.TransformerEncoderLayer(
                    *(width, heads, 4 * width, 0.1, "gelu"), batch_first=True, norm_first=True
                )
                self.blocks = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
                self.ln = nn.LayerNorm(width)
                self.head = nn.Linear(width, vocabulary, bias=False)
                self.head.weight = self.tok.weight
                nn.init.normal_(self.tok.weight, std=0.02)
                nn.init.normal_(self.pos.weight, std=0.02)

            def forward(self, ids: Any) -> Any:
                end = ids.shape[1]
                mask = nn.Transformer.generate_square_subsequent_mask(end)
                h = self.tok(ids) + self.pos(lib.arange(end))
                return self.head(self.ln(self.blocks(h, mask=mask, is_causal=True)))

        ids = lib.randint(vocabulary, (1, length + 1))
        return Transformer(), ids[:, :-1], ids[0, 1:]

    return build


gpt12 = transformer(layers=12, width=768, heads=12, vocabulary=50257, length=64)  # 124 M numbers
small_gpt12 = transformer(layers=12, width=192, heads=6, vocabulary=4096, length=64)  # 6 M
tied = transformer(layers=2, width=32, heads=4, vocabulary=128, length=16)


def lstm(lib: Any) -> tuple[Any, Any, Any]:
    """Two recurrent layers with dropout between."""
    nn = lib.nn

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(8, 32, num_layers=2, dropout=0.2, batch_first=True)
            self.head = nn.Linear(32, 5)

        def forward(self, x: Any) -> Any:
            return self.head(self.lstm(x)[0][:, -1])

    return Recurrent(), lib.randn(8, 20, 8), lib.randint(5, (8,))


def parametrized(lib: Any) -> tuple[Any, Any, Any]:
    """Weights that are computed from others: weight norm and spectral norm."""
    nn, of = lib.nn, lib.nn.utils.parametrizations
    model = nn.Sequential(
        of.weight_norm(nn.Linear(16, 32)), nn.ReLU(), of.spectral_norm(nn.Linear(32, 10))
    )
    return model, lib.randn(8, 16), lib.randint(10, (8,))


NBMODULE = {"SimpleModel": simple_model, "MLP with dropout": mlp}
TORCH = {
    "conv net": conv_net,
    "transformer": tied,
    "LSTM": lstm,
    "weight and spectral norm": parametrized,
}
