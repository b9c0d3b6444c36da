"""What `watch` costs in a training step, and that the trained weights cannot tell that they were watched."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import models
import numpy as np
from clock import Pairs, Ratio, keep_memory, ratio, take_turns
from rows import Row
from wire import answer, opened, recorded

import nbmodule_widgets as nw

TARGETS = {1: 1.05, 10: 1.01}
LOOKS = 8  # of which the Recorder computes the statistics together


def cost(quick: bool) -> Iterator[Row]:
    """The ratio of a watched training step to the plain one, in CPU time."""
    keep_memory()
    for name, build, steps, asked, best in _timed(quick):
        for every, target in TARGETS.items():
            found = _compare(build, every, steps)
            yield Row(
                f"watch(every={every}): {name}",
                *(found.value, "ratio", target if asked else None),
                *(best if every == 1 else "", found.words()),
            )
        found = _compare(build, 1, steps, seen=True)
        what = f"the same, all time, a page told 5 times a second: {name}"
        yield Row(what, found.total, "ratio", None, "", found.words())


def same_bits(quick: bool) -> Iterator[Row]:
    """Whether weights, buffers and random state come out the same with and without being watched."""
    for lib, name, build in _subjects():
        alone = _fingerprint(models.Trainer(lib, build, momentum=0.9))
        for every in (1, 3):
            trainer = models.Trainer(lib, build, momentum=0.9)
            same = alone == _fingerprint(trainer, every)
            yield Row(
                f"bit-identical under watch(every={every}): {lib.__name__} {name}",
                *("yes" if same else "no", "", "yes"),
                "torchexplorer, torchlens: no" if every == 1 else "",
            )


def nothing_left(quick: bool) -> Iterator[Row]:
    """Hooks that a finished or broken watch left behind, and a step before and after."""
    for lib, name, build in _subjects():
        trainer = models.Trainer(lib, build)
        before = _hooks(lib, trainer)
        _train(trainer, 3, every=1)
        with (
            contextlib.suppress(ZeroDivisionError),
            recorded(),
            nw.watch(trainer.model, display=False),
        ):
            trainer.step()
            raise ZeroDivisionError
        left = _hooks(lib, trainer) - before
        yield Row(f"hooks left after two watches: {lib.__name__} {name}", left, "hooks", 0)
    for lib, name, build in _subjects()[:1]:
        never, finished = models.Trainer(lib, build), models.Trainer(lib, build)
        _train(finished, 3, every=1)
        take_turns(never.step, finished.step, 10)
        half = 20 if quick else 100
        halves = (
            take_turns(never.step, finished.step, half),
            take_turns(never.step, finished.step, half),
        )
        found = ratio(halves, 1)
        words = f"a step after a finished watch, to one never watched: {lib.__name__} {name}"
        yield Row(words, found.value, "ratio", None, "", found.words())


def _timed(quick: bool) -> Iterator[tuple[str, Callable[[], models.Trainer], int, bool, str]]:
    """Name, factory, steps to measure, whether a target is set, and today's best, of what is timed."""
    ours, torch = models.library("nbmodule"), models.library("torch")
    steps = 320 if quick else 960
    yield "nbmodule SimpleModel", lambda: models.Trainer(ours, models.simple_model), steps, True, ""
    yield (
        "nbmodule MLP with dropout",
        lambda: models.Trainer(ours, models.mlp),
        4 * steps,
        False,
        "",
    )
    if torch is None:
        return
    best = "sampled histograms 1.05, wandb 2.4, torchexplorer 8.5"
    yield "torch conv net", lambda: models.Trainer(torch, models.conv_net), steps, True, best
    best = "sampled histograms 0.93, wandb 3.1, torchexplorer 1.3"
    build = models.small_gpt12 if quick else models.gpt12
    name = f"torch 12-layer transformer{', small' if quick else ''}"
    yield name, lambda: models.Trainer(torch, build), 80 if quick else 40, True, best


def _compare(
    subject: Callable[[], models.Trainer], every: int, steps: int, seen: bool = False
) -> Ratio:
    """Two equal trainings take turns; each is the watched one in half of the steps."""
    one, two = subject(), subject()
    numbers = sum(parameter.numel() for parameter in one.model.parameters())
    # Of a large model each look is computed at once.
    period = every * LOOKS if numbers < 1_000_000 else max(every, LOOKS)
    cycles = max(1, steps // period // 2)
    halves = (
        _measure(one, two, every, period, cycles, seen),
        _measure(two, one, every, period, cycles, seen),
    )
    return ratio(halves, period)


def _measure(
    plain: models.Trainer, other: models.Trainer, every: int, period: int, cycles: int, seen: bool
) -> Pairs:
    with recorded(), contextlib.ExitStack() as stack:
        with opened() if seen else contextlib.nullcontext():
            watch = stack.enter_context(nw.watch(other.model, every=every, display=False))

        def watched() -> None:
            watch.tick(loss=other.step())
            answer(watch.header)

        take_turns(plain.step, watched, period)  # what is made only once is made now
        return take_turns(plain.step, watched, period * cycles, period)


def _train(trainer: models.Trainer, steps: int, every: int = 0) -> None:
    """So many steps, watched by a page where `every` is not 0."""
    if not every:
        for _ in range(steps):
            trainer.step()
        return
    with recorded(), contextlib.ExitStack() as stack:
        with opened():
            watch = stack.enter_context(
                nw.watch(trainer.model, every=every, hz=1000, display=False)
            )
        for _ in range(steps):
            watch.tick(loss=trainer.step())
            answer(watch.header)


def _fingerprint(trainer: models.Trainer, every: int = 0) -> list[bytes]:
    """The bits of everything that 20 steps change."""
    _train(trainer, 20, every)
    state = trainer.model.state_dict()
    gradients = [parameter.grad for parameter in trainer.model.parameters()]
    found = [*state.values(), *(g for g in gradients if g is not None), trainer.lib.get_rng_state()]
    moments = [value for kept in trainer.optimizer.state.values() for value in kept.values()]
    found += [moment for moment in moments if hasattr(moment, "numpy")]
    return [np.asarray(tensor.detach().numpy()).tobytes() for tensor in found]


def _hooks(lib: Any, trainer: models.Trainer) -> int:
    """Every hook there is: of all optimizers, of this one, of all Modules, of these, and on tensors."""
    optimizer = sys.modules[f"{lib.__name__}.optim.optimizer"]
    module = sys.modules[f"{lib.__name__}.nn.modules.module"]
    owners: list[dict[str, Any]] = [vars(optimizer), vars(module), vars(trainer.optimizer)]
    owners += [vars(part) for part in trainer.model.modules()]
    tensors = [getattr(p, "_backward_hooks", None) or {} for p in trainer.model.parameters()]
    tables = [
        value
        for owner in owners
        for key, value in owner.items()
        if key.endswith("hooks") and isinstance(value, dict)
    ]
    return sum(map(len, [*tables, *tensors]))


def _subjects() -> list[tuple[Any, str, Callable[[Any], Any]]]:
    ours, torch = models.library("nbmodule"), models.library("torch")
    found = [(ours, *item) for item in models.NBMODULE.items()]
    return found + ([(torch, *item) for item in models.TORCH.items()] if torch else [])
