"""All instruments, one after the other, and what they could not see."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nbmodule_widgets.diagnosing.alive import alive
from nbmodule_widgets.diagnosing.attributes import attributes
from nbmodule_widgets.diagnosing.building import building
from nbmodule_widgets.diagnosing.calls import calling, hooked
from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.embeddings import embeddings
from nbmodule_widgets.diagnosing.errors import errors
from nbmodule_widgets.diagnosing.files import files
from nbmodule_widgets.diagnosing.flow import flow, given_values
from nbmodule_widgets.diagnosing.groups import optimizers, uncovered
from nbmodule_widgets.diagnosing.layout import layout
from nbmodule_widgets.diagnosing.losses import losses
from nbmodule_widgets.diagnosing.mixing import mixing
from nbmodule_widgets.diagnosing.modes import modes
from nbmodule_widgets.diagnosing.ownership import owners
from nbmodule_widgets.diagnosing.passes import Pass, run
from nbmodule_widgets.diagnosing.records import DiagnosisFacts, Finding, ordered
from nbmodule_widgets.diagnosing.sequences import sequences
from nbmodule_widgets.diagnosing.stepping import gradients, gradients_of
from nbmodule_widgets.diagnosing.surroundings import Surroundings
from nbmodule_widgets.diagnosing.trials import trials
from nbmodule_widgets.diagnosing.updates import updates
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.hooks import readers_hooks
from nbmodule_widgets.facts.words import outside_words, visible
from nbmodule_widgets.protocol import attempt, class_name, error_text

_MISSING = (
    ("x", "without `x` nothing was run: modes, the tape and the values of the layers"),
    ("y", "without `y` and `loss_fn` nothing was said about the loss and about what its gradient reaches"),
    ("loss_fn", "without `loss_fn` nothing was said about the loss and about what its gradient reaches"),
    ("optimizer", "without `optimizer` nothing was said about its parameters and its steps"),
    ("file", "without `file` nothing was said about loading"))  # fmt: skip

_STAGES = {
    "forward": "the model",
    "loss": "`loss_fn(model(x), y)`",
    "backward": "the backward pass",
}


def examine(case: Case) -> DiagnosisFacts:
    """Looks at a program with every instrument that has what it needs."""
    began = time.monotonic()
    found: list[Finding] = []
    examined: list[str] = []
    around = Surroundings(case)
    with case.quiet(), around.kept():
        first = _first(case)
        for name, ready, look in _instruments(case, first):
            case.looking = name
            around.put_back()
            if ready and not case.over:
                found += _guarded(case, name, look)
                examined.append(name)
    if case.short:
        case.notes.append(
            f"there was no time for all of this: {', '.join(case.short)}; `seconds=` gives more"
        )
    error = case.error or (first.error if first is not None else None)
    return DiagnosisFacts(
        model=visible(class_name(case.model), 60),
        found=ordered(found),
        examined=tuple(examined),
        unexamined=tuple(dict.fromkeys([*_blind(case, first), *case.notes])),
        seconds=time.monotonic() - began,
        outside=tuple(outside_words(readers_hooks(case.modules.values()), len(case.ran))),
        raised="" if error is None else visible(error_text(error).partition("\n")[0], 200),
    )


def _instruments(
    case: Case, first: Pass | None
) -> Iterator[tuple[str, bool, Callable[[], Iterable[Finding]]]]:
    ran = first is not None and first.error is None
    own = (
        gradients_of(case, first) if ran and first is not None and first.loss is not None else None
    )
    if own is not None and own.error is not None and first is not None:
        first = first._replace(error=own.error, stage="backward")
        ran = False
    yield "the exception", True, lambda: errors(case, first)
    yield "how it is built", True, lambda: building(case)
    yield "the values", True, lambda: given_values(case)
    yield "the file", case.file is not None, lambda: files(case)
    yield "the optimizer's groups", bool(case.optimizers), lambda: optimizers(case)
    if first is not None:
        out = ran or first.stage in ("loss", "backward")
        yield "the tape", out, lambda: owners(case, first)
        yield "the hooks", True, lambda: hooked(case, first)
        yield "the call", out, lambda: calling(case, first)
        yield "plain attributes", out, lambda: attributes(case)
        yield "embeddings", out, lambda: embeddings(case, first)
        yield "the modes", True, lambda: modes(case, first)
        yield "the loss", ran and first.loss is not None, lambda: losses(case, first)
        yield "the sequence", ran and first.loss is not None, lambda: sequences(case, first)
        yield "the flow of values", out, lambda: flow(case, first, own)
        yield "the batch", ran, lambda: mixing(case, first)
        yield "the layers in a row", ran, lambda: layout(case, first)
        if own is not None and ran:
            yield "the gradients", True, lambda: gradients(case, first, own)
            yield "what steps left behind", True, lambda: updates(case, first, own)
            yield (
                "the optimizer's parameters",
                True,
                lambda: uncovered(case, first, set(own.values)),
            )
            yield "steps on a copy", True, lambda: trials(case, first, own)
    yield "what stays alive", True, lambda: alive(case, first)


def _first(case: Case) -> Pass | None:
    """A pass in the model's own modes."""
    if is_scripted(case.model):
        case.notes.append(
            "TorchScript hides what runs in the model, so it was not run: hand over the Module it was made from"
        )
        return None
    copy = case.fresh() if case.has_inputs else None
    return None if copy is None else run(case, copy)


def _guarded(case: Case, name: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What an instrument finds; one that fails says so, and the others go on."""
    found: list[Finding] = []
    said = attempt(lambda: found.extend(look()))
    if said.problem:
        case.notes.append(f"{name} could not be examined to the end: {visible(said.problem, 160)}")
    return found


def _blind(case: Case, first: Pass | None) -> Iterator[str]:
    """What was not handed over, and where a trial stopped."""
    given: dict[str, Any] = {
        "x": case.x, "y": case.y, "loss_fn": case.loss_fn, "file": case.file,
        "optimizer": case.optimizers or None,
    }  # fmt: skip
    absent = [name for name, value in given.items() if value is None]
    if "loss_fn" in absent and "y" in absent:
        absent.remove("loss_fn")
    yield from (text for name, text in _MISSING if name in absent)
    if first is not None and first.error is not None:
        what = _STAGES[first.stage]
        yield f"{what} raised {visible(error_text(first.error).partition(chr(10))[0], 200)}: what comes after was not examined"
