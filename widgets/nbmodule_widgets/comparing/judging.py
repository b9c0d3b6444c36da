"""From what was measured to what is said of a Module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbmodule_widgets.comparing.causes import Drop, Verdict, probability
from nbmodule_widgets.comparing.listening import CALLS, Call
from nbmodule_widgets.comparing.norms import NAN_STAYS, holds_nan
from nbmodule_widgets.comparing.reading import distance
from nbmodule_widgets.comparing.records import ROLES, ModuleModes, Role
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.tensors import as_float64
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import class_name, own_dict

Flags = tuple[bool | None, bool | None]

ONLY_ZEROS = "it draws random numbers in train(), but its input is all zeros"
_WHOLE = {"unit": "each unit", "channel": "whole channels", "example": "whole examples"}
HOOKED = ("_forward_pre_hooks", "_forward_hooks")  # what runs beside `forward` itself


def judged(
    place: Place, places: list[Place], verdicts: list[Verdict], flags: Flags,
    before: bool | None, calls: tuple[int, int], gaps: list[float], under_eval: list[Call],
    spreads: list[tuple[float, float]], random: tuple[bool | None, bool | None],
    keeps_running: bool, moves: tuple[str, ...], kept: bool,
) -> ModuleModes:  # fmt: skip
    """What is said of a Module.

    Args:
        place: The Module.
        places: All of them.
        verdicts: What was found out, in the same order.
        flags: Its flag under `train()` and under `eval()`.
        before: Its flag before.
        calls: How often it ran in one pass under `eval()` and under `train()`.
        gaps: How far it was from `eval()` in each draw.
        under_eval: Its calls under `eval()`.
        spreads: Mean and standard deviation of its output in each draw.
        random: Whether its output varies under `train()` and under `eval()`.
        keeps_running: Whether it has running statistics.
        moves: Names of its buffers that a pass under `train()` changes.
        kept: Whether its flag was kept as it was.
    """
    verdict = verdicts[place.index]
    inside = [verdicts[n] for n in range(place.index + 1, place.end)]
    role = role_of(verdict, inside, max(calls))
    kind = ""
    if role in ("cause", "random in both"):
        kind = "dropout" if verdict.drop is not None else "norm" if keeps_running else ""
    sizes = [
        float(np.abs(as_float64(one.numbers)).mean())
        for call in under_eval
        for one in call.gave or ()
        if one.numbers.size
    ]
    gap, size = mean_of(gaps), mean_of(sizes)
    mean, std = (mean_of([spread[which] for spread in spreads]) for which in (0, 1))
    mean_eval, std_eval = spread_of(under_eval)
    return ModuleModes(
        path=place.path, label=place.label, class_name=visible(class_name(place.module), 60),
        depth=place.depth, role=role, words=_words(place, verdict, role, kind, flags, under_eval, calls, moves, kept),
        kind=kind, flag=before, flag_train=flags[0], flag_eval=flags[1], reached=place.reached,
        calls=calls[0] or calls[1], difference=gap,
        relative=gap / size if size else (0.0 if gap == 0 else math.nan),
        mean_eval=mean_eval, std_eval=std_eval, mean_train=mean, std_train=std,
        random_train=random[0], random_eval=random[1],
    )  # fmt: skip


def spread_of(calls: list[Call]) -> tuple[float, float]:
    """Mean and standard deviation of what some calls gave; NaN if there are no numbers."""
    parts = [as_float64(one.numbers) for call in calls for one in call.gave or ()]
    numbers = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)
    if not numbers.size:
        return math.nan, math.nan
    with np.errstate(all="ignore"):  # as `mean()` and `std()` do it, without their checks
        mean = np.add.reduce(numbers) / numbers.size
        apart = numbers - mean
        return float(mean), float(np.sqrt(np.add.reduce(apart * apart) / numbers.size))


def mean_of(numbers: list[float]) -> float:
    """The mean; NaN of nothing. Of one number, as most lists here hold, NumPy would take longer to say it."""
    if len(numbers) == 1:
        return numbers[0]
    return float(np.mean(numbers)) if numbers else math.nan


def role_of(verdict: Verdict, inside: list[Verdict], calls: int) -> Role:
    """The role of a Module; writes into the verdict if it turns out to be a reason.

    Args:
        verdict: What was found out about it.
        inside: And about those inside it.
        calls: How often it ran.
    """
    reason_inside = any(each.own or each.source or (each.random_eval and each.ran) for each in inside)  # fmt: skip
    if verdict.own:
        return "cause"
    if verdict.source or (verdict.random_eval and not reason_inside):
        return "random in both"
    if not verdict.ran:
        return "not called" if not calls else "unknown"
    if verdict.gave.equal:
        return "same"
    if verdict.gave.rounding:
        return "rounding"
    if reason_inside:
        return "holds a cause"
    if (
        verdict.given.equal
    ):  # even if its own flag alone changed nothing: it may be kept elsewhere, as in TorchScript
        verdict.own = True
        return "cause"
    return "unknown" if verdict.untried and verdict.own is None else "passes on"


def _words(
    place: Place, verdict: Verdict, role: Role, kind: str, flags: Flags, under_eval: list[Call],
    calls: tuple[int, int], moves: tuple[str, ...], kept: bool,
) -> str:  # fmt: skip
    """How a Module behaves, in a sentence."""
    train, evaluation = flags
    if role == "cause":
        said = _reason(place, verdict, kind, under_eval)
    elif role == "random in both":
        said = _random_in_eval(place, evaluation, kept)
    elif role == "same" and own_dict(place.module).get("track_running_stats") is False:
        said = "takes the batch's statistics in both modes (track_running_stats=False)"
    elif verdict.idle:
        said = f"{ROLES['same']}: {ONLY_ZEROS}"
    elif role == "rounding" and not verdict.given.equal:
        said = "computes the same: its input differs by rounding"
    elif role == "not called" and not place.is_leaf:
        said = "its forward did not run: it only holds other modules, or its parent did its work"
    elif role == "not called":
        said = "its forward did not run; its parent may use its parameters itself"
    elif role == "unknown":
        ran = {(True, False): "ran under eval() only", (False, True): "ran under train() only"}
        other = ROLES[role] if verdict.ran else "did not finish in both modes"
        said = ran.get((calls[0] > 0, calls[1] > 0), other)
    else:
        said = ROLES[role]
    step = max((one.step for call in under_eval for one in call.gave or ()), default=1)
    if step > 1 and verdict.ran:
        said += f" (every n-th number compared, n = {step})"
    if calls[0] > CALLS and verdict.ran:
        said += f" (the first {CALLS} of {calls[0]:,} calls compared)"
    if moves and kind != "norm":
        said += f"; a pass in train() changes its {_named('buffer', moves)}"
    if train is False and place.reached:
        said += "; kept in eval mode" if kept else "; train() leaves it in eval mode"
    if evaluation is True and place.reached:
        said += "; kept in train mode" if kept else "; eval() leaves it in train mode"
    return said


def _named(what: str, names: tuple[str, ...]) -> str:
    """A few names: "buffers `a` and `b`"."""
    shown = ", ".join(f"`{visible(name, 60)}`" for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{what}{'s' if len(names) > 1 else ''} {shown}{more}"


def _reason(place: Place, verdict: Verdict, kind: str, under_eval: list[Call]) -> str:
    if verdict.problem:
        return f"raises in train(), and works in eval(): {visible(verdict.problem, 200)}"
    if kind == "dropout" and verdict.drop is not None:
        return _dropout(place, verdict.drop, all(_passed_through(call) for call in under_eval))
    if kind == "norm":
        extra = "" if not verdict.random_train else ", and is random"
        nan = f"; these {NAN_STAYS}" if holds_nan(place) else ""
        return f"the statistics of its own input in train(), the running ones in eval(){extra}{nan}"
    if is_scripted(place.module) and not verdict.forms:
        random = verdict.random_train and not verdict.random_eval
        said = "random in train(), not in eval()" if random else "does something else in train()"
        return f"{said}: a TorchScript program, whose parts cannot be told apart"
    if verdict.random_train and not verdict.random_eval:
        says = _says(place)
        where = "" if place.is_leaf or says else ", in its own forward: a functional such as `F.dropout(x, training=self.training)`"  # fmt: skip
        return f"random in train(){says or where}, not in eval()"
    again = "; and it is random under eval() too" if verdict.source or verdict.random_eval else ""
    if verdict.forms:
        return f"gives something else in train(): {verdict.forms}{again}"
    if not place.is_leaf:
        return (
            f"its own forward does something else in train(){_says(place)}, apart from the modules in it: a functional "
            f"such as `F.dropout(x, training=self.training)`, or an `if self.training:`{again}"
        )
    hooks = tuple(name for name in HOOKED if own_dict(place.module).get(name))
    hint = (
        f" (it has a hook in its {_named('drawer', hooks)}, which may be the reason)"
        if hooks
        else ""
    )
    return f"computes something else in train() than in eval(), on the same input{hint}{again}"


def _dropout(place: Place, drop: Drop, through: bool) -> str:
    """What a dropout does."""
    rest = "changes nothing in eval()" if through else "drops nothing in eval()"
    p = probability(place.module)
    if drop.kept == drop.dropped:
        return f"drops everything in train(): p = 1; {rest}"
    measured = math.isnan(p)
    if measured and drop.kept and abs(1 - 1 / drop.kept - drop.share) < 0.15:
        p, measured = 1 - 1 / drop.kept, False  # by the usual rule
    share = f"p ≈ {drop.share:.2g}" if measured else f"p = {p:.4g}"
    if drop.dropped:
        return (
            f"random in train(): {share}, replaces a part by one value and shifts the rest; {rest}"
        )
    if not measured and abs(drop.kept * (1 - p) - 1) < 1e-3:
        rule = f"{drop.kept:.4g} = 1/(1 - p)"
    elif abs(drop.kept - 1) < 1e-3:
        rule = "1 only: nothing makes up for what is dropped, as 1/(1 - p) would"
    else:
        rule = f"{drop.kept:.4g} (not 1/(1 - p))"
    each = _WHOLE[drop.what] if drop.share else "a part"  # nothing was dropped where it was tried
    return f"random in train(): drops {each} with {share}, multiplies the rest by {rule}; {rest}"


def _says(place: Place) -> str:
    """What a layer with a dropout inside says of it: " (`dropout = 0.3`)"."""
    found: Any = own_dict(place.module).get("dropout")
    if type(found) not in (int, float) or not 0 < found < 1:
        return ""
    return f" (`dropout = {found:.4g}`)"


def _passed_through(call: Call) -> bool:
    """Whether a call gave back what it was given."""
    if len(call.given) != 1 or call.gave is None or len(call.gave) != 1:
        return False
    return distance((call.given[0]._replace(name=""),), (call.gave[0]._replace(name=""),)).equal


def _random_in_eval(place: Place, evaluation: bool | None, kept: bool) -> str:
    if not place.reached:
        return "random under eval() too: it is in a plain attribute, where eval() does not reach it, so its flag stays True"  # fmt: skip
    if evaluation is True and kept:
        return "random under eval() too, as its flag is True there"
    if evaluation is True:
        return "random under eval() too: eval() did not switch its flag off"
    name = visible(place.path, 60) or "the model"
    return (
        f"random under eval() too: the output of `{name}` differs between two passes on the same "
        "input. A functional dropout without `training=self.training`?"
    )
