"""Recording one pass: the model runs as it is, and is put back as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from time import perf_counter_ns
from typing import Any

from nbmodule_widgets.facts import ModuleFacts, structure
from nbmodule_widgets.facts.collector import collector_resting, full_searches_put_off
from nbmodule_widgets.facts.glance import Glance, glance
from nbmodule_widgets.facts.history import has_history
from nbmodule_widgets.facts.hooks import hook_name
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.reach import reach
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import (
    article,
    class_attribute,
    class_name,
    error_text,
    require_module,
)
from nbmodule_widgets.shadowing import deeper
from nbmodule_widgets.tracing.columns import Columns, Made
from nbmodule_widgets.tracing.hook_records import hook_facts, order_notes
from nbmodule_widgets.tracing.looks import KEPT, Looks
from nbmodule_widgets.tracing.never import compiled_notes, fused, never_fired
from nbmodule_widgets.tracing.order import Order
from nbmodule_widgets.tracing.parameters import ParameterWatch
from nbmodule_widgets.tracing.records import TraceFacts
from nbmodule_widgets.tracing.sampling import sample
from nbmodule_widgets.tracing.subjects import subjects_of
from nbmodule_widgets.tracing.tape import FAILED, LOSS, Tape
from nbmodule_widgets.tracing.tracer import Tracer

EVENTS = 20_000
BYTES = 64_000_000
_RAW = 50  # moments on the tape for each event that may stay


def record(
    model: object,
    inputs: tuple,
    kwargs: dict[str, Any] | None = None,
    *,
    loss: Callable[[Any], Any] | None = None,
    keep: str | int = "small",
    budget: int = BYTES,
    limit: int = EVENTS,
    kept: Preserved | None = None,
    called: TraceFacts | None = None,
) -> TraceFacts:
    """Runs a model once and writes down what ran when; afterwards the model is bit for bit what it was.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        inputs: Positional arguments of the call.
        kwargs: Arguments by keyword.
        loss: Makes a number of the output, from which the gradients start; None for a forward pass only.
        keep: Whose values are kept: `"none"`, `"small"` (tensors up to 64 kB), `"all"`, or tensors up to so
            many bytes. Statistics are kept of all.
        budget: Bytes of all values that are kept.
        limit: Events that are kept; of more, whole calls are left out evenly.
        kept: An open block that keeps the model and the inputs, where there are several passes without a loss: rewound
            afterwards. By default this pass has one of its own.
        called: What this returned for `model(x)` in that block: this is the pass of `model.forward(x)`, past `__call__`,
            which is the last one of the block and ends it.

    Returns:
        What happened, up to an exception if there was one.

    Raises:
        TypeError: If the object is nothing like a Module, or an argument has the wrong type.
        ValueError: If an argument has a value that it cannot have.
    """
    require_module(model, "trace")
    most = _checked(inputs, loss, keep, budget, limit)
    with full_searches_put_off():
        pass_ = _Recording(model, inputs, dict(kwargs or {}), loss, most, budget, limit, called)
        return pass_.facts(kept)


def _checked(inputs: Any, loss: Any, keep: Any, budget: Any, limit: Any) -> int:
    """Refuses arguments that make no sense; returns the bytes of a tensor whose values are kept."""
    if type(inputs) is not tuple:
        raise TypeError(f"inputs must be a tuple of arguments; got {article(class_name(inputs))}")
    if loss is not None and not callable(loss):
        raise TypeError(
            f"loss must be a function from the output to a number, such as `lambda y: y.sum()`; got "
            f"{article(class_name(loss))}"
        )
    for name, value in (("budget", budget), ("limit", limit)):
        if type(value) is not int or value < 0:
            raise ValueError(f"{name} must be a whole number, not negative; got {visible(value)}")
    if type(keep) is int and keep >= 0:
        return keep
    if type(keep) is not str or keep not in KEPT:
        known = ", ".join(repr(name) for name in KEPT)
        raise ValueError(f"keep must be {known} or a number of bytes; got {visible(keep)!r}")
    return KEPT[keep]


class _Recording:
    """One pass, from the model to the facts."""

    def __init__(
        self, model: object, inputs: tuple, kwargs: dict[str, Any], loss: Any, keep: int, budget: int, limit: int,
        called: TraceFacts | None,
    ) -> None:  # fmt: skip
        self._model, self._inputs, self._kwargs, self._loss = model, inputs, kwargs, loss
        self._limit, self._direct = limit, called is not None
        with collector_resting():
            self._known: ModuleFacts = called.model if called is not None else structure(model)
        self._looks = Looks(keep, budget)
        self._tape = Tape(self._looks, loss is not None, max(_RAW * limit, 1000))
        self._tracer = Tracer(subjects_of(model, self._known), self._tape, limit)
        self._problem, self._loss_words = "", "no loss was given: forward only"
        self._loss_seen: Glance | None = None
        self._began = self._ended = self._back = 0
        self._history = self._returned = False
        self._watch = ParameterWatch(self._tracer)
        self._notes: list[str] = []
        self._order_notes: tuple[str, ...] = ()

    def facts(self, kept: Preserved | None) -> TraceFacts:
        """Runs the pass, then sorts out what was written down."""
        with ExitStack() as stack:
            if kept is None:
                blocks = [stack.enter_context(block) for block in self._preserved()]
            else:
                blocks = [kept]
                stack.callback(kept.__exit__ if self._direct else kept.rewind)
            stack.enter_context(self._tracer)
            watch = stack.enter_context(self._watch)
            stack.enter_context(deeper(len(self._known.nodes)))
            self._order_notes = order_notes(self._tracer)
            self._run()
            self._note_writes(watch, blocks)
            self._note_added(self._tracer.added_unseen())
            never = never_fired(self._tracer, self._tape, not self._returned)
        if watch.too_many and self._loss is not None:
            self._notes.append(
                f"{count(watch.too_many, 'parameter')}: only those with hooks of yours have moments of their own"
            )
        self._notes += compiled_notes(self._tracer)
        self._notes += [problem for block in blocks for problem in block.problems]
        with collector_resting():
            return self._sorted_out(never)

    def _preserved(self) -> list[Preserved]:
        """What the pass may change: the model, the inputs, and what the loss gets at, such as another Module."""
        modules, tensors = reach(self._loss) if self._loss is not None else ([], [])
        given = [self._inputs, self._kwargs, [tensor for _, tensor in tensors]]
        self._history = any(has_history(t) for nest in given for _, t in tensors_in(nest))
        own = {id(subject.module) for subject in self._tracer.subjects}
        others = [Preserved(module) for _, module in modules if id(module) not in own]
        return [Preserved(self._model, *given), *others]

    # ------------------------------------------------------------------ the pass

    def _run(self) -> None:
        tape = self._tape
        self._began = perf_counter_ns()
        try:
            output = self._forward()
            self._returned = True
            if self._loss is not None:
                self._backward(output)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # `sys.exit()` in a forward must not end the kernel
            self._problem = visible(error_text(error), 1000)
            tape.fail(self._last_call(), error, error_text(error))
        self._ended = perf_counter_ns()

    def _forward(self) -> Any:
        """Calls the model as the reader would, or its forward."""
        model: Any = self._model
        calls = class_attribute(model, "__call__") is not None and not self._direct
        if not calls and not self._direct:
            self._notes.append(
                f"{class_name(model)} has no `__call__`, so its forward was called directly"
            )
        called = model if calls else model.forward
        if 0 not in self._tracer.unseen:
            return called(*self._inputs, **self._kwargs)
        call = self._tape.open(0, self._inputs, self._kwargs, True)
        if self._direct:
            self._tape.direct.add(call)
        output = called(*self._inputs, **self._kwargs)
        self._tape.close(call, output)
        return output

    def _backward(self, output: Any) -> None:
        loss: Any = self._loss
        value = loss(output)
        if not is_tensor(value) or class_attribute(value, "backward") is None:
            raise TypeError(
                f"loss must return a tensor with one number, from which backward() starts; it returned "
                f"{article(class_name(value))}"
            )
        look = self._looks.see(value)
        self._tape.moments.append((LOSS, -1, perf_counter_ns(), look))
        self._loss_seen = glance(value)
        self._loss_words = f"the gradients start from the loss, {self._loss_seen.words}"
        self._back = len(self._tape.module)
        self._watch.listen()
        if self._history:  # part of the graph is the reader's, who may want to walk it
            value.backward(retain_graph=True)
        else:
            value.backward()

    def _last_call(self) -> int:
        """The call of the last moment that belongs to one: where a backward pass was when it failed."""
        for moment in reversed(self._tape.moments):
            if moment is not None and moment[1] >= 0:
                return moment[1]
        return -1

    # ------------------------------------------------------------------ afterwards

    def _sorted_out(self, never: tuple) -> TraceFacts:
        tape, tracer = self._tape, self._tracer
        order = Order(tape, tracer)
        rows, stays, dropped = self._fitting(order)
        wanted = {look for row in rows for look in _looks_of(row)}
        self._looks.sum_up(wanted)
        columns = Columns(
            rows, stays, order, tape, tracer.subjects, tracer.hooks, tracer.skipped, self._looks,
            fused(tracer, tape), self._began,
        )  # fmt: skip
        failed = max((i for i, row in enumerate(rows) if row.kind == FAILED), default=-1)
        counted = len(tracer.counted)
        left = len(stays) - int(stays.sum()) + counted
        dropped += counted * (2 if self._loss is None else 4)
        self._note_the_rest(left, dropped)
        return TraceFacts(
            model=self._known,
            calls=Made(len(columns.calls), columns.call_record),
            events=Made(len(rows), columns.event),
            hooks=hook_facts(tracer, columns),
            never_fired=never,
            order=self._order_notes,
            loss=self._loss_seen,
            loss_words=self._loss_words,
            problem=self._problem,
            failed=failed if self._problem else -1,
            dropped=dropped,
            bytes_kept=self._looks.kept,
            seconds=(self._ended - self._began) / 1e9,
            notes=tuple(self._notes),
            _columns=columns,
        )

    def _fitting(self, order: Order) -> tuple[list, Any, int]:
        """The events that stay, for each call whether it does, and how many events were left out."""
        sizes = [0] * len(self._tape.module)
        important = []
        for row in order.rows:
            if row.call >= 0:
                sizes[row.call] += 1
                if row.ran is not None or row.kind == FAILED:
                    important.append(row.call)
        free = sum(row.call < 0 for row in order.rows)
        stays = sample(self._tape.parent, sizes, important, max(0, self._limit - free))
        rows = [row for row in order.rows if row.call < 0 or stays[row.call]]
        if len(rows) > self._limit:  # more without a call than may stay
            rows = rows[: self._limit]
        return rows, stays, len(order.rows) - len(rows)

    def _note_writes(self, watch: ParameterWatch, blocks: list[Preserved]) -> None:
        """What the pass did to parameters, which are put back, and to what stepped them."""
        if watch.to_come:
            self._notes.append(
                f"lazy: this pass created {count(watch.to_come, 'parameter')}, and the model is as before, without them; "
                "your first call creates its own"
            )
        if written := watch.written():
            steppers = ", ".join(
                dict.fromkeys(name for block in blocks for name in block.optimizers)
            )
            one = written == 1
            self._notes.append(
                f"{count(written, 'parameter')} {'was' if one else 'were'} written to in this pass, and "
                f"{'has' if one else 'have'} been restored; "
                + (
                    f"so has the state of what hooks can step ({steppers})"
                    if steppers
                    else "what wrote may have state of its own, such as momentum: none was found, so none "
                    "was restored"
                )
            )

    def _note_added(self, hooks: list[Any]) -> None:
        if hooks:
            names = ", ".join(map(hook_name, hooks[:3])) + (", …" if len(hooks) > 3 else "")
            self._notes.append(
                f"{count(len(hooks), 'hook')} ({names}) added to Modules while the pass ran: if they fired in it, that "
                "could not be seen"
            )

    def _note_the_rest(self, left: int, dropped: int) -> None:
        tape = self._tape
        if dropped:
            self._notes.append(
                f"{count(dropped, 'moment')} of {count(left, 'call')} left out, evenly, since a trace keeps "
                f"{self._limit:,}"
            )
        if tape.left_out:
            self._notes.append(
                f"{count(tape.left_out, 'call')} after those were not recorded at all"
            )
        if tape.threads:
            self._notes.append(f"{count(tape.threads, 'other thread')} called Modules too")
        again = len(tape.module) - self._back if self._back and self._loss_seen is not None else 0
        if again > 0:
            self._notes.append(
                f"{count(again, 'call')} came during the backward pass, as with checkpointing"
            )
        caught = tape.caught[:-1] if self._problem else tape.caught
        self._notes += [
            f"an exception was raised and caught inside: {visible(text)}" for text in caught[:3]
        ]


def _looks_of(row: Any) -> Iterable[int]:
    groups = [row.group]
    if row.ran is not None:
        groups += [row.ran.before, *row.ran.inputs]
    for group in groups:
        if type(group) is int:
            yield group
        else:
            yield from (look for _, look in group)
