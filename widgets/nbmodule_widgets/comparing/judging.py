"""From what was measured to what is said of a Module."""

from __future__ import annotations

import math

import numpy as np

from nbmodule_widgets.comparing.causes import Verdict
from nbmodule_widgets.comparing.listening import CALLS, Call
from nbmodule_widgets.comparing.masks import probability
from nbmodule_widgets.comparing.reading import distance
from nbmodule_widgets.comparing.records import ROLES, ModuleModes, Role
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.tensors import as_float64
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.protocol import class_name, own_dict

Flags = tuple[bool | None, bool | None]


def judged(
    place: Place, places: list[Place], verdicts: list[Verdict], flags: Flags,
    before: bool | None, calls: tuple[int, int], gaps: list[float], under_eval: list[Call],
    spreads: list[tuple[float, float]], random: tuple[bool | None, bool | None],
    keeps_running: bool,
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
    """
    verdict = verdicts[place.index]
    inside = [verdicts[n] for n in range(place.index + 1, place.end)]
    role = role_of(verdict, inside, max(calls))
    kind = ""
    if role in ("cause", "random in both"):
        kind = "dropout" if verdict.ones is not None else "norm" if keeps_running else ""
    sizes = [np.abs(as_float64(one.numbers)).mean() for c in under_eval for one in c.gave or () if one.numbers.size]  # fmt: skip
    gap = float(np.mean(gaps)) if gaps else math.nan
    mean, std = np.mean(spreads, 0) if spreads else (math.nan, math.nan)
    mean_eval, std_eval = spread_of(under_eval)
    size = float(np.mean(sizes)) if sizes else math.nan
    return ModuleModes(
        path=place.path, label=place.label, class_name=visible(class_name(place.module), 60),
        depth=place.depth, role=role, words=_words(place, verdict, role, kind, flags, under_eval, calls),
        kind=kind, flag=before, flag_train=flags[0], flag_eval=flags[1], reached=place.reached,
        calls=calls[0] or calls[1], difference=gap,
        relative=gap / size if size else (0.0 if gap == 0 else math.nan),
        mean_eval=mean_eval, std_eval=std_eval, mean_train=float(mean), std_train=float(std),
        random_train=random[0], random_eval=random[1],
    )  # fmt: skip


def spread_of(calls: list[Call]) -> tuple[float, float]:
    """Mean and standard deviation of what some calls gave; NaN if there are no numbers."""
    parts = [as_float64(one.numbers) for call in calls for one in call.gave or ()]
    numbers = np.concatenate(parts) if parts else np.empty(0)
    if not numbers.size:
        return math.nan, math.nan
    with np.errstate(all="ignore"):
        return float(numbers.mean()), float(numbers.std())


def role_of(verdict: Verdict, inside: list[Verdict], calls: int) -> Role:
    """The role of a Module.

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
    if verdict.given.equal and verdict.own is None:
        verdict.own = True
        return "cause"
    return "passes on"


def _words(
    place: Place, verdict: Verdict, role: Role, kind: str, flags: Flags, under_eval: list[Call],
    calls: tuple[int, int],
) -> str:  # fmt: skip
    """How a Module behaves, in a sentence."""
    train, evaluation = flags
    if role == "cause":
        said = _reason(place, verdict, kind, under_eval)
    elif role == "random in both":
        said = _random_in_eval(place, verdict, evaluation)
    elif role == "same" and own_dict(place.module).get("track_running_stats") is False:
        said = "takes the batch's statistics in both modes (track_running_stats=False)"
    elif role == "not called" and not place.is_leaf:
        said = (
            "its forward did not run: it only holds others, or its parent did the work in its place"
        )
    elif role == "not called":
        said = "its forward did not run; its parent may use its parameters itself"
    elif role == "unknown":
        ran = {(True, False): "ran under eval() only", (False, True): "ran under train() only"}
        said = ran.get((calls[0] > 0, calls[1] > 0), "did not come to its end in both modes")
    else:
        said = ROLES[role]
    step = max((one.step for call in under_eval for one in call.gave or ()), default=1)
    if step > 1 and verdict.ran:
        said += f" (every n-th number compared, n = {step})"
    if calls[0] > CALLS and verdict.ran:
        said += f" (the first {CALLS} of {calls[0]:,} calls compared)"
    if train is False and place.reached:
        said += "; train() leaves it in eval mode"
    if evaluation is True and place.reached:
        said += "; eval() leaves it in train mode"
    return said


def _reason(place: Place, verdict: Verdict, kind: str, under_eval: list[Call]) -> str:
    if verdict.problem:
        return f"raises in train(), and works in eval(): {visible(verdict.problem, 200)}"
    if kind == "dropout" and verdict.ones is not None:
        dropped, scale = verdict.ones
        p = probability(place.module)
        share = f"{p:.4g}" if not math.isnan(p) else f"{1 - 1 / scale:.3g}" if scale else "a part"
        through = all(_passed_through(call) for call in under_eval)
        rest = "changes nothing in eval()" if through else "drops nothing in eval()"
        if dropped:
            return f"random in train(): p = {share}, replaces a part by one value and shifts the rest; {rest}"
        rule = "1/(1 - p)" if math.isnan(p) or abs(scale * (1 - p) - 1) < 1e-3 else "(not 1/(1 - p))"  # fmt: skip
        return f"random in train(): drops each unit with p = {share}, multiplies the rest by {scale:.4g} = {rule}; {rest}".replace("= (", "(")  # fmt: skip
    if kind == "norm":
        extra = "" if not verdict.random_train else ", and is random"
        return f"the statistics of its own input in train(), the running ones in eval(){extra}"
    if verdict.random_train and not verdict.random_eval:
        return "random in train(), always the same in eval()"
    again = "; and it is random under eval() too" if verdict.source or verdict.random_eval else ""
    if not place.is_leaf:
        return (
            "its own forward does something else in train(), beside the modules in it: a functional "
            f"such as `F.dropout(x, training=self.training)`, or an `if self.training:`{again}"
        )
    return f"computes something else in train() than in eval(), on the same input{again}"


def _passed_through(call: Call) -> bool:
    """Whether a call gave back what it was given."""
    if len(call.given) != 1 or call.gave is None or len(call.gave) != 1:
        return False
    return distance((call.given[0]._replace(name=""),), (call.gave[0]._replace(name=""),)).equal


def _random_in_eval(place: Place, verdict: Verdict, evaluation: bool | None) -> str:
    if not place.reached:
        return "random under eval() too: it lies in a plain attribute, where eval() does not reach it, so its flag stays True"  # fmt: skip
    if evaluation is True:
        return "random under eval() too: eval() did not switch its flag off"
    name = visible(place.path, 60) or "the model"
    return (
        f"random under eval() too: the output of `{name}` differs between two passes on the same "
        "input. A functional dropout without `training=self.training`?"
    )


def flag_notes(places: list[Place], before: list[bool | None], flags: list[Flags]) -> list[str]:
    """What is to be said of the flags themselves.

    Args:
        places: The Modules.
        before: Their flags before anything was done.
        flags: And under `train()` and `eval()`.
    """
    notes = []
    reached = [place for place in places if place.reached]
    root = before[0]
    other = [p for p in reached[1:] if before[p.index] is not None and before[p.index] is not root]
    if root is not None and other:
        mode = "train" if root else "eval"
        notes.append(
            f"before, the model was in {mode} mode and {_some(other)} not: `training` was set there by "
            "assignment, or train() or eval() was called on a part. Here both modes were set for the whole model"
        )
    hidden = [place for place in places if not place.reached]
    if hidden:
        notes.append(
            f"out of reach of train() and eval(): {_some(hidden)}, in plain attributes "
            "instead of `_modules`"
        )
    for n, (mode, wanted) in enumerate((("train", True), ("eval", False))):
        stayed = [p for p in reached if flags[p.index][n] is (not wanted)]
        if stayed:
            notes.append(f"{mode}() leaves `training={not wanted}` in {_some(stayed)}")
    return notes


def sentence(modules: tuple[ModuleModes, ...], problem: str) -> str:
    """What exactly changes, in one sentence or two.

    Args:
        modules: What was found out about each.
        problem: Why nothing could be compared, or the empty string.
    """
    causes = [module for module in modules if module.role == "cause"]
    counted = [module for module in modules if module.path or module.role == "cause"]
    total = max(len(counted), 1)
    if causes:
        behave = "behaves" if len(causes) == 1 else "behave"
        said = (
            f"Between train() and eval(), {len(causes):,} of {count(total, 'module')} {behave} "
            f"differently: {_listed(causes)}."
        )
    elif problem:
        return f"The two modes could not be compared: {problem}."
    else:
        said = "train() and eval() make no difference to any module, on this input."
    if problem:
        said += f" And {problem}."
    random = [module for module in modules if module.role == "random in both"]
    if random:
        verb = "is" if len(random) == 1 else "are"
        names = ", ".join(f"`{module.name}`" for module in random[:3])
        more = f" and {count(len(random) - 3, 'other')}" if len(random) > 3 else ""
        said += f" {names}{more} {verb} random under eval() too."
    return said


def _listed(causes: list[ModuleModes]) -> str:
    """The reasons, those of a kind together; only how many they are where there are many."""
    groups: dict[tuple[str, str], list[str]] = {}
    for module in causes:
        groups.setdefault((module.class_name, _brief(module)), []).append(
            f"`{module.name}`" if module.path else f"{module.name},"
        )
    parts = []
    for (name, brief), names in list(groups.items())[:6]:
        many = f"{len(names):,}" if len(names) > 4 else _and(names)
        parts.append(f"{many} {name} ({brief})")
    parts += [f"{len(groups) - 6:,} other kinds"] if len(groups) > 6 else []
    return _and(parts)


def _and(parts: list[str]) -> str:
    """`"a, b and c"`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _brief(module: ModuleModes) -> str:
    """Half a sentence about a reason."""
    if "raises in train()" in module.words:
        return "raises in train()"
    if module.kind == "dropout":
        return "random, scales what it keeps by 1/(1 - p)" if "1/(1 - p)" in module.words else "random"  # fmt: skip
    if module.kind == "norm":
        return "batch statistics / running statistics"
    if module.words.startswith("its own forward"):
        return "in its own forward"
    return "random" if module.words.startswith("random") else "another computation"


def _some(places: list[Place]) -> str:
    names = ", ".join(f"`{visible(place.path, 60) or 'the model itself'}`" for place in places[:3])
    return names if len(places) <= 3 else f"{names} and {count(len(places) - 3, 'other')}"
