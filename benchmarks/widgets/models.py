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
        """Holds others."""

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

    def step(self) -> Any:
        """Forward, loss, backward, update; returns the loss."""
        self.optimizer.zero_grad()
        scores = self.model(self.inputs)
        loss = self.lib.nn.functional.cross_entropy(
            scores.reshape(-1, scores.shape[-1]), self.targets
        )
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
