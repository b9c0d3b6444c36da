"""From how much work on a second core helps: single operations of growing size, on one thread and cut in two.

This is what the thresholds in `nbmodule/_cores.py` were chosen by. Nothing is left uncut here, however small. The
figures are the least times on the wall, and mean nothing while other programs run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from harness import Race, duration

from nbmodule import _cores

SIZES = (1, 4, 16, 64)
ROWS = ["product", "relu", "tanh", "convolution", "its weights", "max pooling", "normalization", "attention"]  # fmt: skip


def calls(t: Any, n: int) -> dict[str, Callable[[], Any]]:
    """Return the operations, for a batch of `n`."""
    from nbmodule._ops import conv

    F, where = (
        t.nn.functional,
        {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1},
    )
    a, b, w = t.randn(n * 16, 256).numpy(), t.randn(256, 256).numpy(), t.randn(16, 16, 3, 3)
    x, many, q = t.randn(n, 16, 14, 14), t.randn(n, 32, 28, 28), t.randn(n, 8, 64, 32)
    norm = t.nn.BatchNorm2d(32)
    return {
        "product": lambda: _cores.product(a, b),
        "relu": lambda: _cores.over_elements(np.ndarray.clip, many.numpy(), 0, np.inf),
        "tanh": lambda: _cores.over_elements(np.tanh, many.numpy()),
        "convolution": lambda: F.conv2d(x, w, padding=1),
        "its weights": lambda: conv.conv_weight.rule(
            np, x.numpy(), x.numpy(), kernel=(3, 3), **where
        ),
        "max pooling": lambda: F.max_pool2d(many, 2),
        "normalization": lambda: norm(many),
        "attention": lambda: F.scaled_dot_product_attention(q, q, q),
    }


@contextmanager
def everything_cut() -> Iterator[list[float]]:
    """Let the smallest work be worth a part, and note how much work there is."""
    noted: list[float] = []
    cut, part, much = _cores._cut, _cores.PART, _cores.MUCH

    def noting(count: int, steps: float, few: bool) -> Any:
        noted.append(steps)
        return cut(count, steps, few)

    _cores._cut, _cores.PART, _cores.MUCH = noting, 1, 1
    try:
        yield noted
    finally:
        _cores._cut, _cores.PART, _cores.MUCH = cut, part, much


def least(call: Callable[[], Any]) -> float:
    """Return the shortest time of a call, of those in 0.2 seconds."""
    best, end = float("inf"), time.perf_counter() + 0.2
    while (start := time.perf_counter()) < end:
        call()
        best = min(best, time.perf_counter() - start)
    return best


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Print for each operation and size the work, the time on one thread, and how many times faster two are."""
    t, results = options.libraries["nbmodule"], {}
    before = t.get_num_threads()
    print(f"\n{'cut in two, however small':26}" + f"{'steps':>12}{'1 thread':>11}{'gain':>6}")
    for row in rows:
        for n in SIZES:
            call = calls(t, n)[row]
            with everything_cut() as steps, t.no_grad():
                times = []
                for threads in (1, 2):
                    t.set_num_threads(threads)
                    call()
                    times.append(least(call))
            results[f"{row}, {n}"] = Race({"nbmodule, 1": times[:1], "nbmodule, 2": times[1:]}, 1)
            work = f"{max(steps, default=0):,.0f}"
            print(f"{f'{row}, {n}':26}{work:>12}{duration(times[0]):>11}{times[0] / times[1]:6.2f}", flush=True)  # fmt: skip
    t.set_num_threads(before)
    return results
