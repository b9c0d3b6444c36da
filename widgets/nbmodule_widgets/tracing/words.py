"""One sentence for each moment of a pass, and what a hook changed in words."""

from __future__ import annotations

from nbmodule_widgets.facts.glance import Glance, tensors_text
from nbmodule_widgets.facts.words import count, decimal, shape_text
from nbmodule_widgets.tracing.looks import same_numbers
from nbmodule_widgets.tracing.records import Tensors
from nbmodule_widgets.tracing.tape import (
    BACKWARD_HOOK,
    BACKWARD_PRE,
    HOOK,
    PARAMETER,
    PRE_HOOK,
    Ran,
)

NO_CHANGE = "nothing"
_WHAT = {
    PRE_HOOK: "input",
    HOOK: "output",
    BACKWARD_PRE: "gradient of the output",
    BACKWARD_HOOK: "gradient of the input",
    PARAMETER: "gradient",
}


def changed_text(kind: int, ran: Ran, before: Tensors, after: Tensors, inputs_changed: bool) -> str:
    """What a hook changed: `"output replaced: mean 0.1 -> 0.2"`, `"nothing"`, ….

    Args:
        kind: Kind on the tape.
        ran: What was written down about it.
        before: What it was given.
        after: What it left.
        inputs_changed: Whether a forward hook wrote to the inputs.
    """
    if ran.problem:
        return f"it raised {ran.problem}"
    what = _WHAT[kind]
    same = same_tensors(before, after)
    if kind == PARAMETER and before and not after and not ran.returned:
        text = "set its .grad to None"
    elif ran.replaced and not same:
        text = f"{what} replaced: {_difference(before, after)}"
    elif ran.replaced:
        text = f"{what} replaced by another object with the same numbers"
    elif not same:
        text = f"changed the {what} in place: {_difference(before, after)}"
    elif ran.returned:
        text = f"returned the {what} as it was: nothing changed"
    else:
        text = NO_CHANGE
    if inputs_changed:
        more = "changed the input in place, after forward had used it"
        text = more if text == NO_CHANGE else f"{text}; {more}"
    if ran.wrote:
        text = ran.wrote if text == NO_CHANGE else f"{text}; {ran.wrote}"
    return text


def same_tensors(before: Tensors, after: Tensors) -> bool:
    """Whether two groups show the same numbers at the same places, as far as one can tell from them."""
    if len(before) != len(after):
        return False
    return all(
        place == other and same_numbers(seen, now)
        for (place, seen), (other, now) in zip(before, after, strict=True)
    )


def _difference(before: Tensors, after: Tensors) -> str:
    """The first thing that differs: the number of tensors, shape, type, mean, spread."""
    if len(before) != len(after):
        return f"{count(len(before), 'tensor')} -> {count(len(after), 'tensor')}"
    for (place, seen), (_, now) in zip(before, after, strict=True):
        if not same_numbers(seen, now):
            text = _one_difference(seen, now)
            return f"{place} {text}" if place else text
    return "the same numbers in other places"


def _one_difference(seen: Glance, now: Glance) -> str:
    if seen.shape != now.shape:
        return f"shape {shape_text(seen.shape)} -> {shape_text(now.shape)}"
    if seen.dtype != now.dtype:
        return f"{seen.dtype} -> {now.dtype}"
    for name, old, new in (
        ("mean", seen.mean, now.mean),
        ("std", seen.std, now.std),
        ("smallest", seen.low, now.low),
        ("largest", seen.high, now.high),
        ("NaN", seen.nans, now.nans),
        ("infinite", seen.infs, now.infs),
    ):
        if decimal(old) != decimal(new):
            return f"{name} {decimal(old)} -> {decimal(new)}"
    return "other numbers with the same mean and spread"


def sentence(kind: str, who: str, name: str, tensors: Tensors, changed: str, direct: bool) -> str:
    """What happens at a moment, for somebody who sees hooks for the first time.

    Args:
        kind: A word of `KINDS`.
        who: `"layers.0 (Linear)"`, or `"the model (Net)"`; of a hook on a parameter the latter's path.
        name: Of the hook or the parameter.
        tensors: What was seen.
        changed: What a hook changed.
        direct: Whether the call went past `__call__`.
    """
    seen = tensors_text(tensors)
    did = "changes nothing" if changed == NO_CHANGE else changed
    return {
        "call": (
            f"forward of {who} is called directly, so no hook runs, with {seen}"
            if direct
            else f"{who} is called with {seen}"
        ),
        "forward pre hook": f"The forward pre-hook {name} of {who} runs before forward: {did}",
        "forward": f"The pre-hooks are done; forward of {who} begins with {seen}",
        "result": f"forward of {who} is done: {seen}. Its forward hooks come next",
        "forward hook": f"The forward hook {name} of {who} runs after forward: {did}",
        "return": f"{who} returns {seen}",
        "loss": f"The loss is computed: {seen}. From here the walk goes back",
        "gradient in": f"The gradient of what {who} returned has arrived: {seen}",
        "backward pre hook": f"The backward pre-hook {name} of {who} sees it first: {did}",
        "backward hook": f"The backward hook {name} of {who} runs, its input's gradient is known: {did}",
        "gradient out": (
            f"The gradient of the input of {who} is done: {seen}"
            if tensors
            else f"Nothing goes on from {who}: its input does not require a gradient"
        ),
        "parameter gradient": (
            f"The hook {name} on {who} runs: {did}"
            if changed
            else f"The gradient of {name} of {who} is in its .grad: {seen}"
        ),
        "failed": f"Here it fails, in {who}: {changed}",
    }[kind] + "."
