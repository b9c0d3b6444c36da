"""Who is the reason: Modules that behave differently, told apart from those that pass a difference on.

If a Module was given the same and gave something else, it is a reason, or has one inside. If what it was given differs
already, it is run again by itself, on the input that it had under `eval()`, in both modes. Of a Module with others
inside only its own flag is switched for that, so that what remains is the work of its own `forward`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nbmodule_widgets.comparing.buffers import Buffers
from nbmodule_widgets.comparing.listening import Call, Heard
from nbmodule_widgets.comparing.reading import NOTHING, Distance, copied, distance, look, rebuilt
from nbmodule_widgets.comparing.suspects import is_of_a_library
from nbmodule_widgets.comparing.switching import gradients, seed_all, set_flag
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.arrays import part
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.random_state import drawn_between, random_states
from nbmodule_widgets.facts.tensors import as_float64
from nbmodule_widgets.facts.words import shape_text
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    own_dict,
)
from nbmodule_widgets.shadowing import forward_of

_MOST = 2000  # Modules that are run again
_TRIES = 8  # runs with other random numbers, before something counts as not random


@dataclass(frozen=True, slots=True)
class Drop:
    """What a dropout makes of ones.

    Attributes:
        dropped: What becomes of a dropped one: 0, or another number for alpha dropout.
        kept: What becomes of a kept one.
        what: What is dropped as a whole: `"unit"`, `"channel"` or `"example"`.
        share: How many were dropped where it was tried, 0 to 1.
    """

    dropped: float
    kept: float
    what: str
    share: float


@dataclass(slots=True)
class Verdict:
    """What was found out about one Module.

    Attributes:
        ran: Whether it was called under `eval()` and under `train()`, and came to its end.
        given: How far what it was given differs between the modes.
        gave: How far what it gave does.
        own: Whether it is a reason itself; None if not known.
        random_train: Whether its own output is random under `train()`, on one and the same input.
        random_eval: Likewise under `eval()`.
        drop: What it makes of ones under `train()`, if it drops some and scales the others.
        idle: Whether it is random under `train()`, and gives the same because it was given nothing but zeros.
        forms: What it gives under `train()` and under `eval()`, in words, if these are not tensors of the same shapes.
        problem: What it raised under `train()`, on an input that it takes under `eval()`.
        source: Whether the randomness under `eval()` begins in its own `forward`.
        untried: Whether it should have been run by itself and could not be.
    """

    ran: bool = False
    given: Distance = NOTHING
    gave: Distance = NOTHING
    own: bool | None = None
    random_train: bool | None = None
    random_eval: bool | None = None
    drop: Drop | None = None
    idle: bool = False
    forms: str = ""
    problem: str = ""
    source: bool = False
    untried: bool = False


def where_it_begins(one: Heard, other: Heard) -> int:
    """The Module in whose own `forward` two passes begin to differ, as far as the order of the calls shows; -1 if none.

    If a Module is given something else, and nothing before it gave something else, then its caller made the difference
    with functions of its own.
    """
    for index, number, going_in in one.order:
        pair = [heard.calls.get(index, [])[number : number + 1] for heard in (one, other)]
        if not pair[0] or not pair[1]:
            return -1
        a, b = pair[0][0], pair[1][0]
        if going_in and not distance(b.given, a.given).rounding:
            return a.caller
        if not going_in and not distance(b.gave or (), a.gave or ()).rounding:
            return index
    return -1


def compare_calls(verdict: Verdict, place: Place, under_eval: Heard, under_train: Heard) -> None:
    """Notes how far what a Module was given and what it gave differ between two passes."""
    pairs = _pairs(place, under_eval, under_train)
    verdict.ran = bool(pairs)
    verdict.given = _worst([distance(b.given, a.given) for a, b in pairs])
    verdict.gave = _worst([distance(b.gave or (), a.gave or ()) for a, b in pairs])
    other = next(((a, b) for a, b in pairs if _form(a) != _form(b)), None)
    if other is not None:
        verdict.forms = f"{_form(other[1])}; eval() gives {_form(other[0])}"


def _form(call: Call) -> str:
    """The names and shapes of what a call gave."""
    parts = [f"{one.name and f'`{one.name}` '}{shape_text(one.shape)}" for one in call.gave or ()]
    return ", ".join(parts[:4] + ["…"] * (len(parts) > 4)) or "no tensor"


def varies(place: Place, one: Heard, other: Heard) -> bool | None:
    """Whether what a Module gave differs between two passes, by more than rounding; None if it did not run in both."""
    pairs = _pairs(place, one, other)
    if not pairs:
        return None
    return not all(distance(b.gave or (), a.gave or ()).rounding for a, b in pairs)


def was_given_the_same(place: Place, one: Heard, other: Heard) -> bool:
    """Whether a Module was given the same in two passes."""
    return all(distance(b.given, a.given).equal for a, b in _pairs(place, one, other))


def _pairs(place: Place, one: Heard, other: Heard) -> list[tuple[Call, Call]]:
    calls = (heard.calls.get(place.index, []) for heard in (one, other))
    return [
        (a, b) for a, b in zip(*calls, strict=False) if a.gave is not None and b.gave is not None
    ]


def _worst(found: list[Distance]) -> Distance:
    """The largest of several distances; NaN counts as the largest."""
    if not found:
        return Distance(True, True, float("nan"), float("nan"), float("nan"))
    if (
        len(found) == 1
    ):  # nearly always, and the key below takes as long as the call of a small layer
        return found[0]
    return max(found, key=lambda one: (not one.equal, not one.rounding, np.nan_to_num(one.mean, nan=np.inf)))  # fmt: skip


class Trials:
    """Runs Modules by themselves.

    Args:
        buffers: Those of the model.
        flags: For each Module its flag under `train()` and under `eval()`.
        seed: For the random numbers.
    """

    def __init__(
        self, buffers: Buffers, flags: list[tuple[bool | None, bool | None]], seed: int
    ) -> None:
        self._buffers, self._flags, self._seed = buffers, flags, seed
        self.done = 0
        self.draws_nothing = False  # whether the pass under `eval()` drew no random numbers
        self._drew = False  # whether the last run did

    def examine(self, place: Place, call: Call, verdict: Verdict) -> None:
        """Finds out what a Module does by itself, and writes it into the verdict.

        Args:
            place: The Module; the whole model is in the mode of `eval()`.
            call: Its call under `eval()`, with its inputs.
            verdict: What is known so far.
        """
        if not call.can_be_made_again or self.done >= _MOST:
            verdict.untried = True
            return
        self.done += 1
        evaluated: Any = call.gave
        if not self.draws_nothing:
            evaluated, problem = self._run(place, call, False, 1)
            if problem:
                return
            verdict.random_eval = not distance(evaluated, call.gave or ()).rounding
        one, problem = self._run(place, call, True, 1)
        if problem:
            verdict.own, verdict.problem = True, problem.partition("\n")[0]
            return
        train, evaluation = self._flags[place.index]
        drew = self._drew
        verdict.random_train = self._is_random(place, call, one)
        differs = not distance(one, evaluated).rounding
        only_here = (
            verdict.random_train and not verdict.random_eval
        )  # though this draw changed nothing
        verdict.own = train is not evaluation and bool(differs or only_here)
        if verdict.random_train or (verdict.own and (drew or probability(place.module) == 1)):
            verdict.drop = self._drops(place, call)
        elif drew and self.draws_nothing and not verdict.own:
            verdict.idle = bool(call.given) and not any(given.numbers.any() for given in call.given)

    def differs_by_itself(self, place: Place, call: Call) -> tuple[bool | None, int]:
        """Whether a Module gives something else when only its own flag is switched, and how many runs that took."""
        if not call.can_be_made_again:
            return None, 0
        runs = 1
        evaluated: Any = call.gave
        if not self.draws_nothing:
            evaluated, problem = self._run(place, call, False, 1)
            runs = 2
            if problem:
                return None, 1
        gave, problem = self._run(place, call, True, 1)
        return (None if problem else not distance(gave, evaluated).rounding), runs

    def _is_random(self, place: Place, call: Call, one: Any) -> bool | None:
        """Whether a Module is random under `train()`; a dropout may keep all of a few units twice in a row."""
        if not self._drew and is_of_a_library(place.module):
            return False
        for seed in range(2, 2 + _TRIES):
            two, problem = self._run(place, call, True, seed)
            if problem:
                return None
            if not distance(one, two).rounding:
                return True
            if not self._drew:
                return False
        return False

    def _run(self, place: Place, call: Call, training: bool, seed: int) -> tuple[Any, str]:
        said = attempt(self._raw, place, copied(call.inputs), training, seed)
        return (None, said.problem) if said.problem else (look(said.value), "")

    def _raw(self, place: Place, inputs: Any, training: bool, seed: int) -> Any:
        own, (train, evaluation) = own_dict(place.module), self._flags[place.index]
        forward = forward_of(place.module)
        if forward is None:
            raise TypeError("no forward to run")
        flag, before = train if training else evaluation, own.get("training", ...)
        scripted = is_scripted(place.module)
        self._buffers.renew(place.index, place.end)
        seed_all(self._seed + 1000 * seed)
        states = random_states()
        try:
            if flag is not None:
                set_flag(place.module, flag)
            with gradients(True):
                return forward(place.module, *inputs[0], **inputs[1])
        finally:
            self._drew = drawn_between(states, random_states())
            if scripted:
                set_flag(place.module, bool(evaluation))
            elif before is ...:
                own.pop("training", None)
            else:
                own["training"] = before

    def _drops(self, place: Place, call: Call) -> Drop | None:
        """What a dropout makes of ones; None if it is no dropout."""
        if call.inputs is None or len(call.given) != 1 or len(call.gave or ()) != 1:
            return None
        seen: set[float] = set()
        shares: list[float] = []
        wholes = {"example", "channel"}  # what may be dropped as a whole, as far as was seen
        for seed in range(1, 1 + _TRIES):
            inputs = rebuilt(list(call.inputs), ones_like)
            said = attempt(self._raw, place, inputs, True, seed)
            found = part(said.value) if not said.problem else said
            if found.problem or found.value.shape != call.given[0].shape or not found.value.size:
                return None
            values = as_float64(np.asarray(found.value))
            seen |= set(np.unique(values)[:3].tolist())
            shares.append(float((values == values.min()).mean()) if values.min() < 1 else 0.0)
            if len(seen) > 2 or not np.isfinite(list(seen)).all():
                return None
            wholes = {whole for whole in wholes if _is_whole(values, whole)}
            if len(seen) == 2 and not wholes:
                break
        dropped, kept = (min(seen), max(seen)) if len(seen) == 2 else (0.0, max(seen))
        if len(seen) == 1 and kept:  # nothing was ever dropped: by what it says, it may have been
            p = probability(place.module)
            return (
                Drop(0.0, kept, "unit", 0.0)
                if 0 < p < 1 and abs(kept * (1 - p) - 1) < 1e-3
                else None
            )
        what = next((w for w in ("example", "channel") if w in wholes), "unit")
        return Drop(dropped, kept, what, float(np.mean(shares)))


def _is_whole(values: np.ndarray, what: str) -> bool:
    """Whether what a dropout made of ones is the same number all over each example, or each channel."""
    axes = 1 if what == "example" else 2
    groups = values.reshape(int(np.prod(values.shape[:axes])), -1)
    return values.ndim > axes and groups.shape[1] > 1 and bool((groups == groups[:, :1]).all())


def probability(module: object) -> float:
    """What a dropout says that it drops; NaN if it says nothing."""
    own = own_dict(module)
    for name in ("p", "drop_prob", "drop_p", "rate", "dropout"):
        found = own.get(name, class_attribute(module, name))
        if type(found) in (float, int) and 0 <= found <= 1:  # type: ignore[operator]
            return float(found)  # type: ignore[arg-type]
    return float("nan")


def ones_like(tensor: Any) -> Any:
    """Ones in the shape of a tensor."""
    if issubclass(type(tensor), np.ndarray):
        return np.ones_like(tensor)
    made = tensor.detach().clone()
    return made.fill_(1)
