"""The experiment: one input, two modes, many draws, and everything put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmodule_widgets.comparing.buffers import Buffers, by_module
from nbmodule_widgets.comparing.causes import (
    Trials,
    Verdict,
    compare_calls,
    varies,
    was_given_the_same,
    where_it_begins,
)
from nbmodule_widgets.comparing.judging import judged, role_of, spread_of
from nbmodule_widgets.comparing.listening import Heard
from nbmodule_widgets.comparing.masks import Dropping, droppings, run_twice
from nbmodule_widgets.comparing.norms import norms
from nbmodule_widgets.comparing.outputs import output_facts
from nbmodule_widgets.comparing.passes import Inputs, Runner
from nbmodule_widgets.comparing.reading import Look, distance
from nbmodule_widgets.comparing.records import ModesFacts
from nbmodule_widgets.comparing.summary import flag_notes, sentence
from nbmodule_widgets.comparing.suspects import looks_at_its_mode
from nbmodule_widgets.comparing.switching import flag_of, odd_flags, set_mode, step_by_step
from nbmodule_widgets.comparing.walking import Place, walked
from nbmodule_widgets.facts import ModuleFacts, facts
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import class_name

_EVERY_DRAW = (
    400  # Modules that are compared in each draw; of larger models the reasons and the output are
)

_OTHER = 10_000  # how far the seeds under `eval()` are from those of the draws


def compare(
    model: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *,
    draws: int = 32, seed: int = 0, keep_modes: bool = False,
) -> ModesFacts:  # fmt: skip
    """Runs a model on the same input under `eval()` and many times under `train()`.

    The model, its buffers, its modes, the random generators and all gradients are as before when it returns.

    Args:
        model: The model.
        inputs: What it is called with.
        kwargs: The same, by name.
        draws: Passes under `train()`, each with random numbers of its own. The model runs two times more.
        seed: For the random numbers; the same seed gives the same facts.
        keep_modes: Whether modules whose `training` is not that of the model itself keep it under both modes: a
            batch norm that was frozen by `eval()`, a dropout that was left on by `train()`.

    Returns:
        What was found; a pass that raises is a fact too.
    """
    found = facts(model)
    places, left = walked(model)
    kwargs = dict(kwargs or {})
    with Preserved(model, inputs, kwargs) as kept:
        experiment = _Experiment(model, places, (tuple(inputs), kwargs), draws, seed, keep_modes)
        try:
            experiment.run()
        finally:
            experiment.buffers.put_back()
    notes = [*experiment.notes, *kept.problems]
    if left:
        notes.append(f"the first {len(places):,} modules were listened to, {left:,} were not")
    return experiment.found(found, tuple(notes))


class _Experiment:
    """All passes over one model."""

    def __init__(
        self, model: Any, places: list[Place], inputs: Inputs, draws: int, seed: int, keep: bool
    ) -> None:
        self.model, self.places = model, places
        self.wanted, self.seed = draws, seed
        self.buffers = Buffers(places)
        self.notes: list[str] = []
        self.before = [flag_of(place.module) for place in places]
        self.odd = odd_flags(places, self.before)
        self.kept = self.odd if keep else {}
        self.verdicts = [Verdict() for _ in places]
        self.norms = norms(places)
        self.dropping: dict[int, Dropping] = {}
        self.outputs: list[tuple[Look, ...]] = []
        self.gaps: list[list[float]] = [[] for _ in places]
        self.spreads: list[list[tuple[float, float]]] = [[] for _ in places]
        self.random: list[bool | None] = [None] * len(places)
        self.random_in_eval: list[bool | None] = [None] * len(places)
        self.runner = Runner(model, places, inputs, self.buffers, self._around)

    def run(self) -> None:
        self._note_modes()
        self._evaluate()
        trials = Trials(self.buffers, self.flags, self.seed)
        trials.draws_nothing = not self.runner.combinations[0].random
        self._look_for_reasons(trials)
        self._draw()
        self._look_again(trials)

    def _note_modes(self) -> None:
        """What the two switches do to the flags."""
        said = self._switch(True)
        train = [flag_of(place.module) for place in self.places]
        said = self._switch(False) or said
        evaluation = [flag_of(place.module) for place in self.places]
        self.flags = list(zip(train, evaluation, strict=True))
        if said:
            self.notes.append(visible(said, 300))
        self.notes += flag_notes(self.places, self.before, self.flags, self.kept)

    def _switch(self, training: bool) -> str:
        return set_mode(self.model, self.places, training, self.kept)

    def _evaluate(self) -> None:
        """The passes under `eval()`: with gradients, then without and with other random numbers."""
        self._switch(False)
        with step_by_step():
            self.under_eval = self.runner.one(False, True, self.seed + _OTHER, keep_inputs=True)
        again = self.runner.one(False, False, self.seed + _OTHER + 1)
        for place in self.places:
            self.random_in_eval[place.index] = varies(place, self.under_eval, again)
            if not self.runner.combinations[0].random:
                self.random_in_eval[place.index] = False  # there was nothing to be random with
            if was_given_the_same(place, self.under_eval, again):
                self.verdicts[place.index].random_eval = self.random_in_eval[place.index]
        begins = where_it_begins(self.under_eval, again)
        if begins >= 0 and self.runner.combinations[0].random:
            self.verdicts[begins].source = True

    def _around(
        self, place: Place, forward: Callable[..., Any], args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        """Runs a Module under `train()`, and notes what is to be known of it."""
        if place.index in self.norms:
            self.norms[place.index].hears((args, kwargs))
        if place.index in self.dropping:
            return run_twice(self.dropping[place.index], forward, args, kwargs)
        return forward(*args, **kwargs)

    def _look_for_reasons(self, trials: Trials) -> None:
        """Runs by themselves the Modules whose code looks at their mode."""
        self._switch(False)
        for place in self.places:
            calls = self.under_eval.calls.get(place.index)
            if calls and (place.index or place.is_leaf) and looks_at_its_mode(place.module):
                trials.examine(place, calls[0], self.verdicts[place.index])
        reasons = any(each.own for each in self.verdicts)
        calls = self.under_eval.calls.get(0)
        if calls and reasons and not self.places[0].is_leaf and looks_at_its_mode(self.model):
            self.verdicts[0].own, runs = trials.differs_by_itself(self.places[0], calls[0])
            self.runner.passes += runs
            if self.wanted >= 8:  # so that the model does not run more often than was said
                self.wanted -= runs
                self.notes.append(
                    f"fewer draws than asked for, by {runs}: the model also ran with only its own flag "
                    "switched, to see whether its own forward looks at the mode"
                )
        found = [
            (p, drop) for p in self.places if (drop := self.verdicts[p.index].drop) is not None
        ]
        self.dropping = droppings(found)
        if len(self.dropping) < len(found):
            self.notes.append(
                f"masks are kept of the first {len(self.dropping)} of {len(found):,} dropouts"
            )

    def _draw(self) -> None:
        """The passes under `train()`, one after the other, so that running statistics go on moving."""
        self._switch(True)
        self.buffers.renew()
        self._look_at_norms()
        some = [p for p in self.places if p.index in self.norms or p.index in self.dropping or not p.index]  # fmt: skip
        many = sum(self.under_eval.counts.values()) > _EVERY_DRAW
        grad, needed = True, False  # the first draw records a graph, for the table
        for draw in range(self.wanted):
            heard = self.runner.one(
                True, grad, self.seed + draw, places=some if many and draw > 1 else None,
                table=draw < 2, renew=False,
            )  # fmt: skip
            if draw == 0:
                self.under_train = heard
                for place in self.places:
                    verdict = self.verdicts[place.index]
                    compare_calls(verdict, place, self.under_eval, heard)
                begins = where_it_begins(self.under_eval, heard)
                reason = self.verdicts[begins] if begins >= 0 else None
                if reason is not None and reason.own is None and not reason.source:
                    reason.own = True
            if heard.problem and draw != 1:
                break
            needed = needed or bool(heard.problem)  # by a forward that computes gradients itself
            grad = needed
            if heard.problem:
                self._forget_half_a_draw()
                continue
            self._look_at_norms()
            self.outputs.append(heard.output)
            self._measure(heard)

    def _forget_half_a_draw(self) -> None:
        """What a draw left behind before it failed, so that masks and outputs go on belonging together."""
        done = len(self.outputs)
        for dropping in self.dropping.values():
            del dropping.masks[done:]
        for norm in self.norms.values():
            del norm.means[done:], norm.variances[done:]

    def _look_at_norms(self) -> None:
        for norm in self.norms.values():
            norm.looks()

    def _measure(self, heard: Heard) -> None:
        """How far this draw is from `eval()`, and from the first draw, Module by Module."""
        for index, calls in heard.calls.items():
            place, then = self.places[index], self.under_eval.calls.get(index, [])
            gaps = [
                distance(b.gave, a.gave)
                for a, b in zip(then, calls, strict=False)
                if a.gave is not None and b.gave is not None
            ]
            if gaps:
                self.gaps[index].append(float(np.mean([gap.mean for gap in gaps])))
            self.spreads[index].append(spread_of(calls))
            if heard is not self.under_train and not self.random[index]:
                self.random[index] = varies(place, self.under_train, heard)

    def _look_again(self, trials: Trials) -> None:
        """Runs by themselves the leaves that differ, are no reason as far as is known, and were given something else."""
        self._switch(False)
        for place in self.places:
            verdict = self.verdicts[place.index]
            calls = self.under_eval.calls.get(place.index)
            differs = verdict.ran and not verdict.gave.rounding and not verdict.given.equal
            if calls and place.is_leaf and place.index and verdict.own is None and differs:
                trials.examine(place, calls[0], verdict)

    def found(self, model: ModuleFacts, notes: tuple[str, ...]) -> ModesFacts:
        """Everything that was found out.

        Args:
            model: The model before.
            notes: What the reader should know.
        """
        evaluated, trained = self.under_eval, self.under_train
        problem = ""
        if evaluated.problem:
            problem = f"the pass under eval() raised {evaluated.problem}"
        elif trained.problem:
            problem = f"the pass under train() raised {trained.problem}"
        for place in reversed(
            self.places
        ):  # from below, so that those above know of the reasons inside
            role_of(
                self.verdicts[place.index], self.verdicts[place.index + 1 : place.end],
                evaluated.counts.get(place.index, 0),
            )  # fmt: skip
        ran = self.runner.combinations
        moved = tuple(by_module(ran[n].moved if n < len(ran) else ()) for n in (2, 0))
        modules = tuple(
            judged(
                place, self.places, self.verdicts, self.flags[place.index], self.before[place.index],
                (evaluated.counts.get(place.index, 0), trained.counts.get(place.index, 0)),
                self.gaps[place.index], evaluated.calls.get(place.index, []),
                self.spreads[place.index], (self.random[place.index], self.random_in_eval[place.index]),
                place.index in self.norms, moved[0].get(place.path, ()), place.index in self.kept,
            )
            for place in self.places
        )  # fmt: skip
        order = [2, 3, 0, 1]
        table = [ran[n] for n in order if n < len(ran)]
        return ModesFacts(
            model=model,
            label=visible(class_name(self.model), 60),
            modules=modules,
            masks=tuple(each.facts() for each in self.dropping.values() if each.masks),
            norms=tuple(f for each in self.norms.values() if (f := each.facts()) is not None),
            output=output_facts(evaluated.output, self.outputs),
            combinations=tuple(table),
            seed=self.seed,
            draws=len(self.outputs),
            passes=self.runner.passes,
            notes=notes,
            problem=problem,
            sentence=sentence(modules, problem, moved, bool(self.kept), len(self.odd)),
            odd=len(self.odd),
            keep_modes=bool(self.kept),
        )
