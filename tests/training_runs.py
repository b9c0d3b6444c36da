"""Small training runs, alike for nbmodule and PyTorch: what the tests of the Recorder watch."""

from __future__ import annotations

import itertools
from typing import Any


def mlp(lib: Any, *sizes: int) -> Any:
    nn = lib.nn
    layers: list[Any] = []
    for wide, narrow in itertools.pairwise(sizes):
        layers += [nn.Linear(wide, narrow), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def task(lib: Any, model: Any, rows: int = 32) -> Any:
    """A function that computes the loss on always the same numbers."""
    lib.manual_seed(1)
    first = next(iter(model.parameters()))
    x = lib.randn(rows, first.shape[1])
    y = (x[:, :1] > 0).float()
    return lambda: ((model(x) - y) ** 2).mean()


def train(
    lib: Any, model: Any, steps: int, recorder: Any = None, loss: Any = None, lr: float = 0.05
) -> None:
    loss = loss or task(lib, model)
    optimizer = lib.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        if recorder is not None:
            recorder.step({"loss": value})


def kinds(recorder: Any) -> list[str]:
    return [finding.kind for finding in recorder.history().problems]
