"""Time what a Learner adds to a batch: its events, means and history, a progress bar, and accuracy.

The first row has a step that does next to nothing, so that the difference is the Learner's own; the second a small
perceptron. The base is the same loop by hand.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

from harness import Race

import nbmodule
from nbmodule import nn, optim
from nbmodule.learner import Accuracy, Learner, ProgressBar

BATCHES = 200


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


def silently(learner: Learner) -> Callable[[], Any]:
    def work() -> None:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            learner.fit(1)

    return work


MODELS = {"learner of a model that does nothing": idle, "learner of a perceptron": perceptron}
ROWS = list(MODELS)
ADDED: dict[str, dict[str, Any]] = {
    "learner": {},
    "with a bar": {"callbacks": [ProgressBar(bar=True)]},
    "with accuracy": {"metrics": [Accuracy()]},
}


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Print the time of a batch by hand, and what a Learner adds to it."""
    batches = [(nbmodule.randn(16, 8), nbmodule.randint(0, 2, (16,))) for _ in range(BATCHES)]
    print(f"\n{'learner, us a batch':36}{'by hand':>11}" + "".join(f"{name:>15}" for name in ADDED))
    results = {}
    for row in rows:
        make = MODELS[row]
        works = {"by hand": by_hand(make(), batches)}
        works |= {name: silently(Learner(*make(), batches, **more)) for name, more in ADDED.items()}
        results[row] = race = options.timing.race(works)
        base, *others = (min(race.seconds[name]) / BATCHES * 1e6 for name in works)
        print(
            f"{row:36}{base:11.1f}" + "".join(f"{f'+{other - base:.1f}':>15}" for other in others)
        )
    return results
