"""How time grows: each row's work at sizes that double, and the slope of log time against log size.

A slope of 1 means that twice the size takes twice the time; below, that a fixed cost is part of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import modules
from harness import Race, Work, duration
from networks import forward_and_backward, training_step


def mlp(t: ModuleType, width: int = 64, depth: int = 2, batch: int = 32) -> Work:
    """A training step of `depth` hidden layers."""
    nn = t.nn
    sizes = itertools.pairwise([64] + [width] * depth)
    hidden = [layer for i, o in sizes for layer in (nn.Linear(i, o), nn.ReLU())]
    return training_step(t, nn.Sequential(*hidden, nn.Linear(width, 10)), (batch, 64))


def convolution(t: ModuleType, batch: int = 8, size: int = 28) -> Work:
    """Two convolutions of 16 channels."""
    nn = t.nn
    net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1))
    return forward_and_backward(t, net, (batch, 3, size, size))


def lstm(t: ModuleType, length: int) -> Work:
    return forward_and_backward(t, t.nn.LSTM(32, 32, batch_first=True), (8, length, 32))


def attention(t: ModuleType, length: int) -> Work:
    layer = t.nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True)
    return forward_and_backward(t, layer, (4, length, 64), to_input=True)


def tree_to_state_dict(t: ModuleType, count: int) -> Work:
    return modules.tree(t, count).state_dict


GROWING: dict[str, tuple[Callable[[ModuleType, int], Work], list[int]]] = {
    "MLP, width": (lambda t, n: mlp(t, width=n), [16, 32, 64, 128, 256, 512, 1024]),
    "MLP, depth": (lambda t, n: mlp(t, depth=n), [1, 2, 4, 8, 16, 32, 64]),
    "MLP, batch": (lambda t, n: mlp(t, batch=n), [1, 4, 16, 64, 256, 1024, 4096]),
    "convolutions, batch": (lambda t, n: convolution(t, batch=n), [1, 2, 4, 8, 16, 32, 64]),
    "convolutions, image size": (lambda t, n: convolution(t, size=n), [7, 14, 28, 56, 112]),
    "LSTM, length": (lstm, [4, 8, 16, 32, 64, 128, 256]),
    "transformer block, length": (attention, [8, 16, 32, 64, 128, 256, 512]),
    "state_dict, modules": (tree_to_state_dict, [300, 1000, 3000, 10_000]),
}
ROWS = list(GROWING)


def slope(sizes: list[int], times: list[float]) -> float:
    """Return the slope of the line that is nearest to the points (log size, log time)."""
    x, y = [math.log(n) for n in sizes], [math.log(s) for s in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / sum((a - mean_x) ** 2 for a in x)


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Print the slopes, and the times and ratios at both ends."""
    found = options.libraries
    title = "growth: time ~ size^slope"
    print(f"\n{title:28}{'sizes':>14}" + "".join(f"{name:>10}" for name in found) + "    times, and ratios at both ends")  # fmt: skip
    results = {}
    for row in rows:
        make, sizes = GROWING[row]
        sizes = sizes[:3] if options.quick else sizes
        races = [
            options.timing.race({name: make(t, size) for name, t in found.items()})
            for size in sizes
        ]
        slopes = [slope(sizes, [race.median(name) for race in races]) for name in found]
        ends = (races[0], races[-1])
        text = " to ".join(duration(race.median("nbmodule")) for race in ends)
        if "torch" in found:
            text += ", " + " to ".join(f"{race.ratio('nbmodule', 'torch'):.2f}" for race in ends)
        print(f"{row:28}{f'{sizes[0]} to {sizes[-1]}':>14}" + "".join(f"{s:10.2f}" for s in slopes) + f"    {text}", flush=True)  # fmt: skip
        pairs = zip(sizes, races, strict=True)
        results[row] = Race({f"{who} at {n}": s for n, race in pairs for who, s in race.seconds.items()})  # fmt: skip
    return results
