"""Time nbmodule, and PyTorch in the same run where it is installed.

    python benchmarks/run.py [WORD...]

A word is a group (engine, networks, optim, data, files, learner, import), or part of the names of rows. Both libraries use one
thread. Each figure is CPU time (with workers: time), the least of several rounds in which the two take
turns; a ratio below 1 means that nbmodule is faster. On a busy machine trust the ratios, not the times.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import importlib.util
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from types import ModuleType
from typing import Any

import learner
from data import DATA, WORKERS
from files import FILES
from networks import NETWORKS
from optimizers import OPTIMIZERS

ROUNDS = 7


def small_product(t: ModuleType) -> Callable[[], Any]:
    a, b = t.ones(8, requires_grad=True), t.ones(8)
    return lambda: a * b


def small_product_and_backward(t: ModuleType) -> Callable[[], Any]:
    a, b = t.ones(8, requires_grad=True), t.ones(8)

    def work() -> None:
        x = a
        for _ in range(100):
            x = x * b
        x.sum().backward()

    return work


def small_matrix_product(t: ModuleType) -> Callable[[], Any]:
    x = t.randn(8, 16)
    return lambda: x @ x.T


def zeros(t: ModuleType) -> Callable[[], Any]:
    return lambda: t.zeros(3)


def a_list_of_numbers(t: ModuleType) -> Callable[[], Any]:
    numbers = [float(i) for i in range(1000)]
    return lambda: t.tensor(numbers)


def index_a_row(t: ModuleType) -> Callable[[], Any]:
    x = t.ones(8, 16)
    return lambda: x[2]


def view(t: ModuleType) -> Callable[[], Any]:
    x = t.ones(8, 16)
    return lambda: x.view(16, 8)


def add_in_place(t: ModuleType) -> Callable[[], Any]:
    x = t.ones(8)
    return lambda: x.add_(0.0)


def write_rows_in_a_loop(t: ModuleType) -> Callable[[], Any]:
    x = t.zeros(100)

    def work() -> None:
        for i in range(100):
            x[i] = 1.0

    return work


def write_rows_in_a_recorded_loop(t: ModuleType) -> Callable[[], Any]:
    w = t.ones((), requires_grad=True)

    def work() -> None:
        x = t.zeros(100)
        for i in range(100):
            x[i] = w * i
        x.sum().backward()

    return work


def rnn_over_200_steps(t: ModuleType) -> Callable[[], Any]:
    t.manual_seed(0)
    sequence = t.randn(200, 4, 8)
    into, onward = t.nn.Linear(8, 16), t.nn.Linear(16, 16)

    def work() -> None:
        state = t.zeros(4, 16)
        for x in sequence.unbind(0):
            state = (into(x) + onward(state)).tanh()
        state.sum().backward()

    return work


def create_graph_step(t: ModuleType) -> Callable[[], Any]:
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Linear(8, 16), t.nn.Tanh(), t.nn.Linear(16, 1))
    x = t.randn(32, 8, requires_grad=True)

    def work() -> None:
        (slope,) = t.autograd.grad(net(x).sum(), x, create_graph=True)
        ((slope**2).sum(1) - 1).pow(2).mean().backward()

    return work


def module_with_hooks(t: ModuleType) -> Callable[[], Any]:
    layer, x = t.nn.Linear(4, 4), t.ones(2, 4)
    layer.register_forward_pre_hook(lambda module, args: None)
    layer.register_forward_hook(lambda module, args, output: None)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    return lambda: layer(x).sum().backward()


def state_dict_round_trip(t: ModuleType) -> Callable[[], Any]:
    nn = t.nn
    net = nn.Sequential(*(nn.Linear(16, 16) for _ in range(8)))
    return lambda: net.load_state_dict(net.state_dict())


def call_a_module(t: ModuleType) -> Callable[[], Any]:
    identity = t.nn.Identity()
    return lambda: identity(1)


def get_a_parameter(t: ModuleType) -> Callable[[], Any]:
    layer = t.nn.Linear(4, 4)
    return lambda: layer.weight


def set_a_parameter(t: ModuleType) -> Callable[[], Any]:
    layer, parameter = t.nn.Linear(4, 4), t.nn.Parameter(t.ones(1))
    return lambda: setattr(layer, "extra", parameter)


SMALL_WORK: dict[Callable[[ModuleType], Callable[[], Any]], int] = {
    small_product: 20_000,
    small_product_and_backward: 50,
    small_matrix_product: 10_000,
    zeros: 20_000,
    a_list_of_numbers: 1000,
    index_a_row: 20_000,
    view: 20_000,
    add_in_place: 10_000,
    write_rows_in_a_loop: 100,
    write_rows_in_a_recorded_loop: 10,
    rnn_over_200_steps: 5,
    create_graph_step: 50,
    module_with_hooks: 500,
    state_dict_round_trip: 200,
    call_a_module: 50_000,
    get_a_parameter: 50_000,
    set_a_parameter: 20_000,
}


Rows = dict[str, tuple[Callable[[ModuleType], Callable[[], Any]], int]]


def rows(functions: dict[Callable[[ModuleType], Callable[[], Any]], int]) -> Rows:
    """Return rows that are called as their functions are."""
    return {f.__name__.replace("_", " "): (f, times) for f, times in functions.items()}


GROUPS: dict[str, Rows] = {
    "engine": rows(SMALL_WORK),
    "networks": rows(NETWORKS),
    "optim": OPTIMIZERS,
    "data": DATA | WORKERS,
    "files": FILES,
}


def chosen(words: list[str]) -> dict[str, Rows]:
    """Return the rows that the words ask for, by group; all if there are none."""
    found = {}
    for group, table in GROUPS.items():
        if words and group not in words:
            table = {
                name: row for name, row in table.items() if any(word in name for word in words)
            }
        if table:
            found[group] = table
    return found


def microseconds(libraries: list[ModuleType], prepare: Any, times: int, clock: Any) -> list[float]:
    """Return the least time of `prepare`'s work for each library, the libraries taking turns."""
    work = [prepare(library) for library in libraries]
    best = [float("inf")] * len(work)
    for _ in range(ROUNDS):
        for i, function in enumerate(work):
            took = timeit.timeit(function, number=times, timer=clock) / times * 1e6
            best[i] = min(best[i], took)
    return best


def import_seconds(statement: str) -> float:
    """Return the least CPU time of `statement` in a fresh process that may keep compiled modules."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    code = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
    runs = [
        subprocess.check_output([sys.executable, "-c", code], text=True, env=environment)
        for _ in range(1 + ROUNDS)  # the first one may have to compile
    ]
    return min(map(float, runs))


def main() -> None:
    """Print a table."""
    import nbmodule

    libraries: list[ModuleType] = [nbmodule]
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        libraries.append(torch)
    words = sys.argv[1:]
    for group, table in chosen(words).items():
        print(f"{group:40}{'nbmodule':>12}{'torch':>12}{'ratio':>8}   (microseconds)")
        for name, (prepare, times) in table.items():
            clock = time.perf_counter if name in WORKERS else time.process_time
            found = microseconds(libraries, prepare, times, clock)
            torch_columns = f"{found[1]:12.2f}{found[0] / found[1]:8.2f}" if len(found) > 1 else ""
            print(f"{name:40}{found[0]:12.2f}{torch_columns}", flush=True)
    if not words or "learner" in words:
        learner.main()
    if not words or "import" in words:
        numpy_seconds, ours = import_seconds("import numpy"), import_seconds("import nbmodule")
        print(f"import nbmodule: {ours / numpy_seconds:.2f} times the CPU time of import numpy")


if __name__ == "__main__":
    main()
