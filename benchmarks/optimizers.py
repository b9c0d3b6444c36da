"""Optimizers to time: each function takes the library and returns the work of one step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

Work = Callable[[], Any]

LARGE = [(700, 700), (700,), (700, 700), (700,), (10, 700), (10,)]
"""About a million numbers in six tensors."""

SMALL = [(10,)] * 200

NAMES = [
    "SGD",
    "Adam",
    "AdamW",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "Rprop",
    "ASGD",
    "Adafactor",
]
OPTIONS = {"SGD with momentum": ("SGD", {"momentum": 0.9})} | {name: (name, {}) for name in NAMES}


def parameters(t: ModuleType, shapes: list[tuple[int, ...]]) -> list[Any]:
    """Return parameters of these shapes that have gradients."""
    t.manual_seed(0)
    params = [t.nn.Parameter(t.randn(*shape)) for shape in shapes]
    for p in params:
        p.grad = t.randn(*p.shape)
    return params


def step(name: str, shapes: list[tuple[int, ...]], t: ModuleType) -> Work:
    kind, options = OPTIONS[name]
    return getattr(t.optim, kind)(parameters(t, shapes), lr=0.001, **options).step


def muon_step(t: ModuleType) -> Work:
    return t.optim.Muon(parameters(t, [(64, 64)] * 6), lr=0.001).step


def lbfgs_step(t: ModuleType) -> Work:
    """Fit a line: the work of the optimizer outweighs that of the loss."""
    t.manual_seed(0)
    x, y = t.randn(50, 1000), t.randn(50)
    w = t.nn.Parameter(t.zeros(1000))
    optimizer = t.optim.LBFGS([w], lr=0.01, max_iter=5, tolerance_grad=0, tolerance_change=0)

    def loss() -> Any:
        optimizer.zero_grad()
        value = (x @ w - y).square().mean()
        value.backward()
        return value

    return lambda: optimizer.step(loss)


def zero_grad(t: ModuleType) -> Work:
    params = parameters(t, SMALL)
    optimizer, grads = t.optim.SGD(params, lr=0.1), [p.grad for p in params]

    def work() -> None:
        for p, g in zip(params, grads, strict=True):
            p.grad = g
        optimizer.zero_grad()

    return work


def clip_grad_norm(shapes: list[tuple[int, ...]], t: ModuleType) -> Work:
    params = parameters(t, shapes)
    return lambda: t.nn.utils.clip_grad_norm_(params, 1.0)


def average_of_weights(t: ModuleType) -> Work:
    net = t.nn.Sequential(*(t.nn.Linear(10, 10) for _ in range(50)))
    averaged = t.optim.swa_utils.AveragedModel(net)
    return lambda: averaged.update_parameters(net)


def schedule(t: ModuleType) -> Work:
    optimizer = t.optim.SGD(parameters(t, SMALL[:2]), lr=0.1)
    scheduler = t.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1000)
    optimizer.step()
    return scheduler.step


def optimizer_state_round_trip(t: ModuleType) -> Work:
    optimizer = t.optim.Adam(parameters(t, SMALL))
    optimizer.step()
    return lambda: optimizer.load_state_dict(optimizer.state_dict())


def a_thousand_modules(t: ModuleType) -> Work:
    net = t.nn.Sequential(*(t.nn.Linear(2, 2) for _ in range(1000)))
    return lambda: net.load_state_dict(net.state_dict())


OPTIMIZERS: dict[str, Callable[[ModuleType], Work]] = {
    **{f"{name}, 1 million": partial(step, name, LARGE) for name in OPTIONS},
    **{f"{name}, 200 of 10": partial(step, name, SMALL) for name in OPTIONS},
    "Muon, 6 of 64 x 64": muon_step,
    "LBFGS, 1000": lbfgs_step,
    "zero_grad, 200": zero_grad,
    "clip_grad_norm, 1 million": partial(clip_grad_norm, LARGE),
    "clip_grad_norm, 200 of 10": partial(clip_grad_norm, SMALL),
    "AveragedModel, 100 of 10": average_of_weights,
    "a schedule's step": schedule,
    "state_dict round trip of Adam, 200": optimizer_state_round_trip,
    "state_dict round trip, 1000 modules": a_thousand_modules,
}
