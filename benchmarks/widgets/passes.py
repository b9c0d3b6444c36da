"""What it costs to look into one pass: its events, the same under train() and eval(), its graph; and that nothing changed."""

from __future__ import annotations

import contextlib
import gc
import random
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import models
import numpy as np
from clock import cpu_ms, keep_memory, ratio, take_turns
from rows import Row
from wire import recorded

import nbmodule_widgets as nw
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.tracing import record, recording

Targets = tuple[float | None, float | None]  # of the pass itself, of the whole
EVENTS = 20_000
MESSAGE = 8_000  # bytes, of what one recorded step of the transformer is in the page
DRAWS, PASSES, COMPARED = 32, 34, 32_000
NODES, DRAWN = 10_000, 500
LARGE = 1_000  # ms


def events(quick: bool) -> Iterator[Row]:
    """The ratio of a recorded pass, forward and backward, to the plain one, in CPU time."""
    keep_memory()
    large = models.small_gpt12 if quick else models.gpt12
    for lib in _libraries():
        best = "all four kinds of hooks 3.24, torchlens 64 s"
        rounds = 5 if quick else 15
        name = f"10,000 {lib.__name__} modules"
        yield from _recorded(name, lib, models.running_tree, rounds, (1.2, None), best)
        if lib.__name__ == "torch":
            best = "torchlens 2.8 to 13.5"
            yield from _recorded(
                "12-layer transformer, torch", lib, large, rounds, (1.1, 1.1), best
            )


def large(quick: bool) -> Iterator[Row]:
    """Each view of 10,101 Modules, from the call to the view: CPU time in Python, the least of three rounds."""
    for lib in _libraries():
        made = models.Trainer(lib, models.blocks_of_layers)
        model, x, state = made.model, made.inputs, made.model.state_dict()
        views: dict[str, Callable[[], Any]] = {
            "show": lambda model=model: nw.show(model),
            "parameters": lambda model=model: nw.parameters(model),
            "summary": lambda model=model, x=x: nw.summary(model, x),
            "trace": lambda model=model, x=x: nw.trace(model, x),
            "trace with a loss": lambda made=made: nw.trace(
                made.model, made.inputs, loss=made.loss
            ),
            "compare_modes": lambda model=model, x=x: nw.compare_modes(model, x),
            "graph": lambda model=model, x=x: nw.graph(model, x),
            "find_orphans": lambda model=model: nw.find_orphans(model),
            "match_keys": lambda model=model, state=state: nw.match_keys(model, state),
            "call_tape": lambda model=model, x=x: nw.lessons.call_tape(model, x),
        }
        for name, view in views.items():
            with recorded():
                view()  # what is loaded only once is loaded now
                ms = cpu_ms(view, 1 if quick else 3)
            yield Row(f"{name}: 10,101 {lib.__name__} modules", ms, "ms", LARGE)


def messages(quick: bool) -> Iterator[Row]:
    """What `nw.trace` sends: of a 12-layer transformer, and of a pass with more events than are kept."""
    for lib in _libraries():
        name = lib.__name__
        subjects: dict[str, Any] = {"10,000 modules": (models.running_tree, None)}
        if name == "torch":
            subjects = {"12-layer transformer": (models.small_gpt12, MESSAGE), **subjects}
        for subject, (build, target) in subjects.items():
            made = models.Trainer(lib, build)
            with recorded() as wire:
                view = nw.trace(made.model, made.inputs, loss=made.loss, keep="none")
                sent = wire.size - len(str(view._esm).encode())
            found = view.facts
            step = _bytes_of(view.moments["step"])
            words = f"{len(found.events):,} events; whole message {sent / 1e3:.1f} kB with names and tree"
            yield Row(
                f"trace, one step in the page: {name} {subject}", step, "bytes", target, "", words
            )
            words = f"{found.dropped:,} more left out, and said so"
            yield Row(f"events kept: {name} {subject}", len(found.events), "", EVENTS, "", words)
            ms = cpu_ms(lambda view=view: (str(view), view.to_html()), 2)
            yield Row(f"text and static HTML: {name} {subject}", ms, "ms")


def modes(quick: bool) -> Iterator[Row]:
    """`nw.compare_modes` on a LeNet-like model: forward passes, bytes and CPU time."""
    for lib in _libraries():
        passes = [0]
        made = models.Trainer(lib, lambda lib, passes=passes: models.lenet(lib, passes))
        passes[0] = 0
        with recorded() as wire:
            view = nw.compare_modes(made.model, made.inputs, draws=DRAWS)
            sent, messages = wire.size - len(str(view._esm).encode()), wire.messages
            what = f"LeNet-like, {DRAWS} draws, {lib.__name__}"
            yield Row(f"compare_modes, forward passes: {what}", passes[0], "", PASSES)
            words = f"{messages} messages, one of them ipywidgets' layout"
            yield Row(f"compare_modes, sent: {what}", sent, "bytes", COMPARED, "", words)

            def plain(made: models.Trainer = made) -> None:
                for _ in range(DRAWS):
                    made.model(made.inputs)

            def compared(made: models.Trainer = made) -> None:
                nw.compare_modes(made.model, made.inputs, draws=DRAWS)

            half = 2 if quick else 5
            found = ratio((take_turns(plain, compared, half), take_turns(compared, plain, half)), 1)
            least = cpu_ms(plain, half), cpu_ms(compared, half)
            words = f"{least[1]:.0f} ms against {least[0]:.0f} ms for {DRAWS} plain passes; spread {found.total:.2f}"
            yield Row(
                f"compare_modes, ratio to plain passes: {what}",
                least[1] / least[0],
                "ratio",
                None,
                "",
                words,
            )


def graphs(quick: bool) -> Iterator[Row]:
    """`nw.graph` of 10,000 nodes: CPU time in Python, bytes, and what is drawn at once."""
    rounds = 2 if quick else 5
    for lib in _libraries():
        made = models.Trainer(lib, models.many_operations)
        loss = made.loss(made.model(made.inputs))
        name = lib.__name__
        with recorded() as wire:
            view = nw.graph(loss, model=made.model)
            first = wire.size - len(str(view._esm).encode())
            view._handle_custom_msg({"kind": "rest"}, [])
            sent = wire.size - len(str(view._esm).encode())
            ms = cpu_ms(lambda loss=loss, made=made: nw.graph(loss, model=made.model), rounds)
        nodes = len(view.facts.nodes)
        yield Row(
            f"graph, Python: {nodes:,} nodes, {name}", ms, "ms", None, "torchviz 10.6 s to draw"
        )
        yield Row(f"graph, first message: {nodes:,} nodes, {name}", first, "bytes", 60_000)
        yield Row(
            f"graph, all messages: {nodes:,} nodes, {name}", sent, "bytes", 60_000 + 25 * nodes
        )
        twins = len(str(view).encode()), len(view.to_html().encode())
        words = f"text {twins[0] / 1e3:.1f} kB"
        yield Row(
            f"graph, static HTML: {nodes:,} nodes, {name}", twins[1], "bytes", None, "", words
        )


def as_before(quick: bool) -> Iterator[Row]:
    """Whether model, gradients, hooks, modes and random states are as before, bit for bit."""
    for lib, subject, build in _subjects():
        made = models.Trainer(lib, build, momentum=0.9)
        made.step()
        made.model.register_forward_hook(lambda module, given, result: None)
        looks: dict[str, Callable[[], Any]] = {
            "trace": lambda made=made: nw.trace(made.model, made.inputs, loss=made.loss),
            "trace of a failing pass": lambda made=made: nw.trace(
                made.model, made.inputs, loss=_fails
            ),
            "compare_modes": lambda made=made: nw.compare_modes(made.model, made.inputs, draws=3),
            "graph": lambda made=made: nw.graph(made.model, made.inputs, loss=made.loss),
            "call_tape": lambda made=made: nw.lessons.call_tape(made.model, made.inputs),
        }
        for name, look in looks.items():
            before = state_of(made)
            with recorded():
                str(look())
            same = "yes" if state_of(made) == before else "no"
            best = "torchinfo, torchvista, torchlens: no" if name == "trace" else ""
            yield Row(
                f"bit-identical after {name}: {lib.__name__} {subject}", same, "", "yes", best
            )


def state_of(made: models.Trainer) -> list[Any]:
    """Everything that looking at a pass could disturb, to the last bit."""
    numbers = np.random.get_state()  # noqa: NPY002  # the generator that readers share
    found: list[Any] = [
        repr(random.getstate()),
        repr(numbers),
        made.lib.get_rng_state().numpy().tobytes(),
    ]
    for part in made.model.modules():
        for key, value in vars(part).items():
            found.append((key, value if isinstance(value, bool) else id(value)))
            if isinstance(value, dict):
                found.append([(name, id(item)) for name, item in value.items()])
    for tensor in (*made.model.parameters(), *made.model.buffers()):
        found += [
            None if e is None else (id(e), e.detach().numpy().tobytes())
            for e in (tensor, tensor.grad)
        ]
    return found


def _recorded(
    subject: str, lib: Any, build: Callable[[Any], Any], rounds: int, targets: Targets, best: str
) -> Iterator[Row]:
    """A pass while its events are written down, and the whole of `record`, against the plain pass."""
    made = models.Trainer(lib, build)

    def plain() -> None:
        made.loss(made.model(made.inputs)).backward()
        made.optimizer.zero_grad()

    plain()
    alone, within, whole, events = [], [], [], 0
    with mock.patch.object(
        recording, "perf_counter_ns", time.process_time_ns
    ):  # CPU time, as all here
        for _ in range(rounds):
            gc.collect()
            with full_searches_put_off():  # as `record` does, so that neither is charged for one
                alone.append(_seconds(plain))
            start = time.process_time()
            found = record(made.model, (made.inputs,), loss=made.loss, keep="none")
            whole.append(time.process_time() - start)
            within.append(found.seconds)
            events = len(found.events) + found.dropped
    words = f"{events:,} events, least of {rounds} rounds, a plain pass {min(alone) * 1e3:.0f} ms"
    yield Row(
        f"a pass whose events are recorded: {subject}",
        min(within) / min(alone),
        "ratio",
        targets[0],
        best,
        words,
    )
    words = "with all statistics, and the model copied and put back"
    yield Row(f"whole of trace: {subject}", min(whole) / min(alone), "ratio", targets[1], "", words)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _fails(output: Any) -> Any:
    raise ZeroDivisionError("no loss today")


def _bytes_of(value: Any) -> int:
    """Of a trait: its binary columns and its texts."""
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + 4 + _bytes_of(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return sum(1 + _bytes_of(item) for item in value)
    return len(str(value).encode())


def _libraries() -> list[Any]:
    return [lib for name in ("nbmodule", "torch") if (lib := models.library(name))]


def _subjects() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    for lib in _libraries():
        with contextlib.suppress(ImportError):
            subjects = models.TORCH if lib.__name__ == "torch" else models.NBMODULE
            for name, build in subjects.items():
                yield lib, name, build
