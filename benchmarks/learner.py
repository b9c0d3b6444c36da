"""Time what a Learner adds to a batch: its events, means and history, a progress bar, and accuracy.

    python benchmarks/learner.py

The first table has a step that does next to nothing, so that the difference is the Learner's own; the second a small
perceptron. CPU time, the least of several rounds in which all take turns.
"""

from __future__ import annotations

import contextlib
import io
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable
from typing import Any

import nbmodule
from nbmodule import nn, optim
from nbmodule.learner import Accuracy, Learner, ProgressBar

ROUNDS, BATCHES = 30, 1000


class Idle(nn.Module):
    """A model whose prediction is known."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(nbmodule.zeros(2))
        self.prediction = nbmodule.zeros(16, 2)

    def forward(self, x: Any) -> Any:
        """Return it."""
        return self.prediction


class Still(optim.SGD):
    """An optimizer that leaves everything as it is."""

    def step(self, closure: Any = None) -> None:
        """Do nothing."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Do nothing."""


def idle() -> tuple[Any, Any, Any]:
    model, loss = Idle(), nbmodule.tensor(1.0, requires_grad=True)
    return model, lambda prediction, target: loss, Still(model.parameters(), lr=0.1)


def perceptron() -> tuple[Any, Any, Any]:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    return model, nn.CrossEntropyLoss(), optim.SGD(model.parameters(), lr=0.01)


def by_hand(parts: tuple[Any, Any, Any], batches: list[Any]) -> Callable[[], Any]:
    model, loss_fn, optimizer = parts

    def work() -> float:
        model.train()
        total = 0.0
        for x, y in batches:
            loss = loss_fn(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        return total

    return work


def main() -> None:
    batches = [(nbmodule.randn(16, 8), nbmodule.randint(0, 2, (16,))) for _ in range(BATCHES)]
    for make in (idle, perceptron):
        more = {"learner": {}, "with a bar": {"callbacks": [ProgressBar(bar=True)]}, "with accuracy": {"metrics": [Accuracy()]}}  # fmt: skip
        works = {"by hand": by_hand(make(), batches)}
        for name, options in more.items():
            learner = Learner(*make(), batches, **options)
            works[name] = lambda learner=learner: learner.fit(1)
        least = dict.fromkeys(works, float("inf"))
        for _ in range(ROUNDS):
            for name, work in works.items():
                with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):  # fmt: skip
                    start = time.process_time()
                    work()
                    least[name] = min(least[name], time.process_time() - start)
        print(make.__name__)
        for name, seconds in least.items():
            extra = (seconds - least["by hand"]) / BATCHES * 1e6
            print(f"  {name:14}{seconds / BATCHES * 1e6:8.1f} us a batch  {extra:+.1f}")


if __name__ == "__main__":
    main()
