"""The Recorder: decides when to look, compares before and after, and keeps the run."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.locks import lock_of_object
from nbmodule_widgets.protocol import attempt, read, require_module
from nbmodule_widgets.watching.findings import FEW, Evidence, findings
from nbmodule_widgets.watching.history import History, TrainingFacts
from nbmodule_widgets.watching.hooks import StepHooks
from nbmodule_widgets.watching.looks import Look, Looks
from nbmodule_widgets.watching.metrics import Metrics
from nbmodule_widgets.watching.places import Places
from nbmodule_widgets.watching.sample import COLUMNS, Sample
from nbmodule_widgets.watching.sampler import Sampler
from nbmodule_widgets.watching.steppers import Known, Rates
from nbmodule_widgets.watching.units import QuietUnits

_CHECK = 8  # looks after which the tree, the optimizers and the share of zeros are looked at again


class Recorder:
    """Watches the weights and gradients of a model while it trains, and changes nothing by it.

    A look takes place around an optimizer's step: gradients are read right before it (with a closure, right after),
    weights before and after. Only where no optimizer tells of its steps, as a reader's own, does `step()` look itself;
    then gradients are seen only if they are still there.

    A training step ends with `step()`. If an optimizer steps twice without it, each of its steps counts as one; several
    optimizers that step one after the other (as for a GAN) belong to one training step, and so does what an optimizer
    does after several backward passes. A step that a `GradScaler` skips is no step of the optimizer: nothing is looked at.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`, of any library.
        every: Look at each n-th training step of the optimizer only. The others cost about a microsecond.
        optimizer: Needed only if it is of a class of its own that offers `register_step_pre_hook` and
            `register_step_post_hook`; those of PyTorch and nbmodule, and subclasses, are heard anyway.

    Raises:
        TypeError: If the model is nothing like a Module, or `every` is no whole number.
        ValueError: If `every` is less than 1.

    Example:
        >>> recorder = Recorder(model)  # doctest: +SKIP
        >>> recorder.start()  # doctest: +SKIP
        >>> train(model)  # doctest: +SKIP
        >>> recorder.stop()  # doctest: +SKIP
        >>> print(recorder.history())  # doctest: +SKIP
    """

    def __init__(self, model: object, every: int = 1, optimizer: object = None) -> None:
        require_module(model, "watch")
        if type(every) is not int:
            raise TypeError(f"every says at which steps to look and must be an int; got {every!r}")
        if every < 1:
            raise ValueError(
                f"every says at which steps to look and must be at least 1; got {every}"
            )
        self._model, self._every = model, every
        self._lock = lock_of_object()
        self._hooks = StepHooks(self, optimizer)
        self._history, self._metrics = History(), Metrics()
        self._latest: Sample | None = None
        self._step = 0  # training steps
        self._turn = 0  # those of them at which an optimizer came, or else tick()
        self._trouble = ""
        self._open = self._looking = self._fresh = self._heard = self._running = False
        self._strangers = False  # whether an optimizer of other parameters stepped
        self._stepped: set[int] = set()  # optimizers that did, in this training step
        self._until_check = 0
        self._rates = Rates(FEW)
        self._find_parameters()

    @property
    def paths(self) -> tuple[str, ...]:
        """The P watched parameters, each object once, at its first place in the tree."""
        return self._places.paths

    @property
    def latest(self) -> Sample | None:
        """What the newest look saw."""
        with self._lock:
            self._measure()
            self._latest = self._looks.sample() or self._latest
            return self._latest

    @property
    def running(self) -> bool:
        """Whether it is watching now."""
        return self._running

    def start(self) -> None:
        """Starts to watch: hooks into the steps of optimizers, and remembers the weights."""
        with self._lock:
            if self._running:
                return
            self._running, self._open = True, False
            self._until_check = 0
            self._check_parameters()
            self._hooks.place()
            self._looked_at = -1
            self._remember()

    def stop(self) -> None:
        """Takes every hook back. Safe at any time, also twice; `start()` goes on with the same history."""
        with self._lock:
            self._running = self._open = self._looking = False
            self._hooks.remove()

    def step(self, values: Mapping[str, object] | None = None) -> bool:
        """A training step is done.

        Args:
            values: What the loop reports, such as `{"loss": loss}`: numbers, or tensors with one element (whose value is
                copied, which waits for a GPU).

        Returns:
            Whether there is a new `latest` since the last call.
        """
        with self._lock:
            if not self._open:
                self._step += 1
                if not self._heard and self._running:
                    outcome = attempt(self._step_without_optimizer)
                    self._trouble = outcome.problem or self._trouble
            if values:
                self._metrics.add(self._step, values)
            self._open = self._looking = False
            fresh, self._fresh = self._fresh, False
            return fresh

    def history(self) -> TrainingFacts:
        """The whole run so far. May be called from another thread."""
        with self._lock:
            self._measure()
            steps, tables = self._history.arrays(self.paths)
            return TrainingFacts(
                paths=self.paths,
                steps=steps,
                metrics=self._metrics.arrays(),
                **dict(zip(COLUMNS, tables.transpose(1, 0, 2), strict=True)),
                problems=findings(self._evidence(steps, tables)),
                training_steps=self._step,
                every=self._every,
                notes=(f"a look failed: {visible(self._trouble)}",) if self._trouble else (),
            )

    # ---- what the optimizers' hooks call

    def before_step(self, optimizer: Any, closure: object) -> None:
        """An optimizer is about to step: read the gradients that it will use, and the weights."""
        if not self._running:
            return
        with self._lock:
            known = self._optimizers.get(id(optimizer))
            if known is None or known.refer() is not optimizer:
                known = self._meet(optimizer)
                if known.strange and self._places.changed():
                    # Such as a new head, with an optimizer of its own.
                    self._looking = False  # the look under way, if any, was of the old tree
                    self._measure()
                    self._find_parameters()
                    known = self._meet(optimizer)
            if not known.held:
                self._strangers = self._strangers or known.strange
                return
            self._heard = True
            first = not self._open or id(optimizer) in self._stepped
            if first:
                self._begin()
                known = self._optimizers.get(id(optimizer)) or self._meet(optimizer)
            self._stepped.add(id(optimizer))
            if self._looking:
                self._read_before(known, closure is not None, first)

    def after_step(self, optimizer: Any) -> None:
        """It has stepped: read the weights again."""
        if not self._looking or id(optimizer) not in self._stepped:
            return
        with self._lock:
            look = self._looks.now
            if self._pending:
                look.whole |= self._sampler.read_gradients(look.gradients, self._pending)
            self._sampler.read_weights(look.after, self._mine)
            self._finish()

    def gave_up(self, problem: str) -> None:
        """A look raised: the history says so, and training goes on."""
        self._looking, self._trouble = False, problem

    # ---- looking

    def _begin(self) -> None:
        """A new training step, of which an optimizer told."""
        self._step += 1
        self._turn += 1
        self._open = True
        self._stepped.clear()
        self._looking = (self._turn - 1) % self._every == 0
        if self._looking:
            self._check_parameters()

    def _read_before(self, known: Known, closure: bool, first: bool) -> None:
        sampler, everything = self._sampler, self._sampler.everything
        self._mine = known.held if known.rest else everything
        which = everything if first else self._mine
        self._pending = which if closure else ()
        if first:
            look = self._open_look()
            if self._looked_at != self._turn - 1:
                sampler.read_weights(look.before, everything)
            if self._mine is not everything:
                look.after.take(look.before)
                if self._looked_at == self._turn - 1:  # the loop may change these by itself
                    sampler.read_weights(look.after, known.rest)
        else:
            look = self._looks.now
            self._looks.resume()
        if not closure:
            look.whole |= sampler.read_gradients(look.gradients, which)
        self._rates.note(known.refer())

    def _open_look(self) -> Look:
        """The next look; it begins with the weights that the one before ended with."""
        last = self._looks.now
        if self._looks.full:
            self._measure()
        look = self._looks.begin(self._step)
        if self._looked_at == self._turn - 1:
            look.before.take(last.after)
        return look

    def _finish(self) -> None:
        """All is read."""
        self._looks.now.done = self._fresh = True
        self._looked_at = self._turn

    def _measure(self) -> None:
        """Computes the statistics of those looks for which that was not done yet."""
        if not self._looks.waiting:
            return
        silent = self._looks.silent()
        found = self._looks.measure()
        self._units.add(silent, [table for _, table in found])
        self._until_judged -= len(found)
        if self._until_judged <= 0 and (newest := self._looks.sample()) is not None:
            self._until_judged = _CHECK
            self._sampler.suspect(newest.gradient_zeros)
        for step, table in found:
            self._history.put(step, table, self.paths)

    def _step_without_optimizer(self) -> None:
        """Looks from `step()`: with the weights that were read at the end of the step before."""
        self._hooks.place()  # a library may have been imported since
        self._turn += 1
        if (self._turn - 1) % self._every == 0:
            self._check_parameters()
            sampler, look = self._sampler, self._open_look()
            if self._looked_at != self._turn - 1:
                look.before.take(self._looks.spare)
            look.whole |= sampler.read_gradients(look.gradients, sampler.everything)
            sampler.read_weights(look.after, sampler.everything)
            self._finish()
        elif self._turn % self._every == 0:
            self._remember()

    def _remember(self) -> None:
        """Reads the weights to compare them with those after the next step."""
        self._sampler.read_weights(self._looks.spare, self._sampler.everything)

    # ---- whom to look at

    def _check_parameters(self) -> None:
        """Reads the tree again if it is another one; whether it is, is asked at every 8th look."""
        self._until_check -= 1
        if self._until_check >= 0 and not self._sampler.stale:
            return
        self._until_check = _CHECK - 1
        self._optimizers.clear()  # parameters may have been added to one
        if self._sampler.stale or self._places.changed():
            self._measure()
            self._find_parameters()

    def _find_parameters(self) -> None:
        """Reads the model's tree; what was known of parameters that are still there stays."""
        if hasattr(self, "_looks"):
            self._latest = self._looks.sample() or self._latest
        self._places = Places(self._model)
        tensors = self._places.tensors
        self._index = {id(tensor): i for i, tensor in enumerate(tensors)}
        self._optimizers: dict[int, Known] = {}
        self._held = np.zeros(len(tensors), bool)
        self._sampler = Sampler(tensors)
        self._looks, self._units = Looks(self._sampler), QuietUnits(self._sampler)
        self._mine: Sequence[int] = self._sampler.everything
        self._pending: Sequence[int] = ()
        self._looked_at, self._until_judged = -1, 0
        self._history.begin(len(tensors))

    def _meet(self, optimizer: Any) -> Known:
        """Notes which watched parameters an optimizer holds."""
        groups = read(optimizer, "param_groups").value or []
        ids = attempt(lambda: list(map(id, chain.from_iterable(g["params"] for g in groups)))).value
        held = [self._index[i] for i in ids or () if i in self._index]
        self._held[held] = True
        among = set(held)
        rest = [i for i in self._sampler.everything if i not in among]
        refer = attempt(weakref.ref, optimizer).value or (lambda: optimizer)
        known = self._optimizers[id(optimizer)] = Known(
            refer, held, rest, len(held) < len(ids or ())
        )
        return known

    def _evidence(self, steps: np.ndarray, tables: np.ndarray) -> Evidence:
        wants = [read(tensor, "requires_grad").value for tensor in self._places.tensors]
        rate, whose = self._rates.of(self._index)
        return Evidence(
            paths=self.paths,
            numel=np.array([s.numel for s in self._sampler.plan], np.float64),
            matrix=np.array([len(shape) >= 2 for shape in self._sampler.shapes], bool),
            frozen=np.array([wanted is False for wanted in wants], bool),
            held=self._held.copy(),
            rate=rate,
            whose=whose,
            hooked=self._heard,
            strangers=self._strangers,
            steps=steps,
            rows=tables,
            recent=self._history.recent_tables(len(wants)),
            latest=self.latest,
            quiet=self._units.counts,
            window=self._units.window,
            hidden=self._places.hidden(),
        )
