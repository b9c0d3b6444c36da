"""The experiment: one input, two modes, draw after draw, and everything put back each time.

The answer rests on two passes, or a few more. Each further draw only adds to what is counted, so it may come later: at once, or while
the reader looks at the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbmodule_widgets.comparing.buffers import Buffers
from nbmodule_widgets.comparing.causes import (
    Trials,
    Verdict,
    compare_calls,
    varies,
    was_given_the_same,
    where_it_begins,
)
from nbmodule_widgets.comparing.judging import mean_of, spread_of
from nbmodule_widgets.comparing.listening import Heard
from nbmodule_widgets.comparing.masks import Dropping, droppings, run_twice
from nbmodule_widgets.comparing.norms import norms
from nbmodule_widgets.comparing.passes import Runner
from nbmodule_widgets.comparing.reading import Look, distance
from nbmodule_widgets.comparing.staying import Generators, marks, other_since, refuse_lazy
from nbmodule_widgets.comparing.summary import flag_notes
from nbmodule_widgets.comparing.suspects import is_of_a_library, looks_at_its_mode
from nbmodule_widgets.comparing.switching import flag_of, odd_flags, set_mode, step_by_step
from nbmodule_widgets.comparing.walking import Place, walked
from nbmodule_widgets.facts import structure
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.preserved import Preserved

_EVERY_DRAW = 400  # Modules that are compared in each draw; of larger models the reasons and output
_FOLLOWED = 1_000_000  # parameters; of a larger model eval() is run once, since each draw would cost two passes
_OTHER = 10_000  # how far the seeds under `eval()` are from those of the draws


class Experiment:
    """All passes over one model. When a method returns or raises, the model is as it was before the call.

    Args:
        model: The model.
        inputs: What it is called with.
        kwargs: The same, by name.
        draws: Passes under `train()` that are run now; `draw` runs more.
        seed: Of the first draw; draw n (from 0) has `seed + n`, and the same seed gives the same facts.
        keep_modes: Whether modules whose `training` is not that of the model itself keep it under both modes: a
            batch norm that was frozen by `eval()`, a dropout that was left on by `train()`.

    Attributes:
        places: The Modules.
        left: How many more there are, that are not listened to.
        verdicts: What was found out about each.
        flags: For each its flag under `train()` and under `eval()`.
        before: And before anything was done.
        outputs: Of the model in each draw that came to its end.
        evaluated: Under `eval()`, with the running statistics as each of these draws left them; none where nothing moves.
        ended: Whether there can be no further draw, since a pass raised.

    Raises:
        ValueError: If a tensor of the model has no shape yet.
    """

    def __init__(
        self, model: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *,
        draws: int = 1, seed: int = 0, keep_modes: bool = False,
    ) -> None:  # fmt: skip
        self.model, self.inputs, self.seed = model, (tuple(inputs), dict(kwargs or {})), seed
        self.places, self.left = places, _ = walked(model)
        refuse_lazy(places)
        self.model_facts = structure(model)
        self.buffers, self.generators = Buffers(places), Generators(places)
        self.notes: list[str] = []
        self.problems: dict[str, None] = {}  # what could not be put back, each once
        self.before = [flag_of(place.module) for place in places]
        self.odd = odd_flags(places, self.before)
        self.kept = self.odd if keep_modes else {}
        self.verdicts = [Verdict() for _ in places]
        self.norms = norms(places)
        self.dropping: dict[int, Dropping] = {}
        self.outputs: list[tuple[Look, ...]] = []
        self.evaluated: list[tuple[Look, ...]] = []
        self.gaps: list[list[float]] = [[] for _ in places]
        self.spreads: list[list[tuple[float, float]]] = [[] for _ in places]
        self.random: list[bool | None] = [None] * len(places)
        self.random_in_eval: list[bool | None] = [None] * len(places)
        self.runner = Runner(model, places, self.inputs, self.buffers, self._around)
        self.under_train: Heard | None = None  # of the first draw
        self.ended, self._tried, self._needs_graph = False, 0, False
        self._suspects = {p.index for p in places if looks_at_its_mode(p.module)}
        self._doubtful = self._suspects | {
            p.index for p in places if p.is_leaf and not is_of_a_library(p.module)
        }
        with self._kept():
            self._answer()
            self._draws(draws - 1)
        self._marks = marks(places, self.inputs)

    def draw(self, number: int) -> int:
        """Runs the model under `train()` some more times. It must be as it was: ask `changed` before.

        Args:
            number: How often at most.

        Returns:
            How many draws there are now.
        """
        if not self.ended:
            with self._kept():
                self._draws(number)
        return len(self.outputs)

    def changed(self) -> str:
        """What of the model or its inputs is another since the first draw: "`0.weight` has changed", or nothing."""
        return other_since(self._marks, marks(self.places, self.inputs))

    @contextmanager
    def _kept(self) -> Iterator[None]:
        """A block that leaves nothing behind but what it found out."""
        # With 10,000 Modules of nbmodule the searches take a good part of the time.
        with full_searches_put_off(), Preserved(self.model, *self.inputs) as kept:
            try:
                yield
            finally:
                self.buffers.put_back()
        self.problems.update(dict.fromkeys(kept.problems))

    def _answer(self) -> None:
        """The two modes, the reasons, and the first draw.

        That is one pass each; one more if `eval()` draws random numbers; one or two more if the code of the model itself
        looks at its mode.
        """
        self._note_modes()
        self._evaluate()
        trials = Trials(self.buffers, self.flags, self.seed)
        trials.draws_nothing = not self.drew_in_eval
        self._look_for_reasons(trials)
        self.under_train = self._first_draw()
        self._look_again(trials)
        for heard in (self.under_eval, self.under_train):
            heard.release(self.dropping)

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
        """The pass under `eval()`, to which `_note_modes` has switched; if it drew random numbers, another one with others."""
        with step_by_step():
            self.under_eval = self.runner.one(False, True, self.seed + _OTHER, keep=self._doubtful)
        self.drew_in_eval = self.runner.combinations[False, True].random
        if not self.drew_in_eval:  # there was nothing to be random with
            self.random_in_eval = [False] * len(self.places)
            for verdict in self.verdicts:
                verdict.random_eval = False
            return
        other = self._evaluate_without_graph(self.places)
        for place in self.places:
            self.random_in_eval[place.index] = varies(place, self.under_eval, other)
            if was_given_the_same(place, self.under_eval, other):
                self.verdicts[place.index].random_eval = self.random_in_eval[place.index]
        begins = where_it_begins(self.under_eval, other)
        if begins >= 0:
            self.verdicts[begins].source = True

    def _evaluate_without_graph(self, places: list[Place] | None = None) -> Heard:
        """The other pass under `eval()`.

        Args:
            places: The Modules to listen to; none if not given.
        """
        self._switch(False)
        return self.runner.one(False, False, self.seed + _OTHER + 1, places=places or [])

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
        for place in self.places:
            calls = self.under_eval.calls.get(place.index)
            if calls and (place.index or place.is_leaf) and place.index in self._suspects:
                trials.examine(place, calls[0], self.verdicts[place.index])
        reasons = any(each.own for each in self.verdicts)
        calls = self.under_eval.calls.get(0)
        if calls and reasons and not self.places[0].is_leaf and 0 in self._suspects:
            self.verdicts[0].own, runs = trials.differs_by_itself(self.places[0], calls[0])
            self.runner.passes += runs
        found = [
            (p, drop) for p in self.places if (drop := self.verdicts[p.index].drop) is not None
        ]
        self.dropping = droppings(found)
        if len(self.dropping) < len(found):
            self.notes.append(
                f"masks are kept for the first {len(self.dropping)} of {len(found):,} dropouts"
            )

    def _first_draw(self) -> Heard:
        """The first pass under `train()`; it records a graph, for the table."""
        self._switch(True)
        self.buffers.renew()
        self._look_at_norms()
        heard = self._one_draw(True)
        for place in self.places:
            compare_calls(self.verdicts[place.index], place, self.under_eval, heard)
        begins = where_it_begins(self.under_eval, heard)
        reason = self.verdicts[begins] if begins >= 0 else None
        if reason is not None and reason.own is None and not reason.source:
            reason.own = True
        self.ended = bool(heard.problem)
        self._leave()
        return heard

    def _draws(self, number: int) -> None:
        """Further passes under `train()`, one after the other, so that running statistics go on moving."""
        if number < 1:
            return
        if (False, False) not in self.runner.combinations:
            self._evaluate_without_graph()  # for the table
        if self.ended:
            return
        self._go_on()
        if len(self.evaluated) < len(self.outputs):  # the first draw has left that for later
            self._evaluate_after()
        self._switch(True)
        for _ in range(number):
            heard = self._one_draw(self._needs_graph)
            if heard.problem and not self._needs_graph:  # a forward that computes gradients itself
                self._needs_graph = True
                self._go_on()
                heard = self._one_draw(True)
            if heard.problem:
                self.ended = True
                break
            self._evaluate_after()
        self._leave()

    def _evaluate_after(self) -> None:
        """The pass under `eval()` with the running statistics as a draw has left them, if they move in `train()` alone."""
        ran = self.runner.combinations
        moves = ran[True, True].moved and not ran[False, True].moved
        missed = len(self.outputs) - len(self.evaluated) != 1
        large = self._is_large or self.model_facts.totals.parameters > _FOLLOWED
        if not self.norms or not moves or missed or self.drew_in_eval or large:
            return
        self._switch(False)
        heard = self.runner.one(
            False, self._needs_graph, self.seed + _OTHER, places=[], table=False, renew=False
        )
        if not heard.problem:
            self.evaluated.append(heard.output)
        self._switch(True)

    @property
    def _is_large(self) -> bool:
        return sum(self.under_eval.counts.values()) > _EVERY_DRAW

    def _one_draw(self, grad: bool) -> Heard:
        """One pass under `train()`; a draw if it comes to its end."""
        many = self._is_large and self._tried > 1
        some = [p for p in self.places if p.index in self.norms or p.index in self.dropping or not p.index]  # fmt: skip
        heard = self.runner.one(
            True, grad, self.seed + len(self.outputs), places=some if many else None,
            table=self._tried < 2, renew=False,
        )  # fmt: skip
        self._tried += 1
        if heard.problem:
            self._forget_half_a_draw()
        else:
            self._look_at_norms()
            self.outputs.append(heard.output)
            self._measure(heard)
        return heard

    def _leave(self) -> None:
        """Notes where the next draw goes on."""
        self.buffers.leave()
        self.generators.leave()

    def _go_on(self) -> None:
        self.buffers.go_on()
        self.generators.go_on()

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
                self.gaps[index].append(mean_of([gap.mean for gap in gaps]))
            self.spreads[index].append(spread_of(calls))
            if self.under_train is not None and not self.random[index]:
                self.random[index] = varies(place, self.under_train, heard)

    def _look_again(self, trials: Trials) -> None:
        """Runs by themselves the leaves that differ, are no reason as far as is known, and were given something else."""
        again = []
        for place in self.places:
            verdict = self.verdicts[place.index]
            calls = self.under_eval.calls.get(place.index)
            differs = verdict.ran and not verdict.gave.rounding and not verdict.given.equal
            doubtful = place.is_leaf and place.index in self._doubtful
            if calls and doubtful and place.index and verdict.own is None and differs:
                again.append((place, calls[0], verdict))
        if again:
            self._switch(False)
        for each in again:
            trials.examine(*each)
