"""From an experiment to its facts."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.comparing.buffers import by_module
from nbmodule_widgets.comparing.comparison import Experiment
from nbmodule_widgets.comparing.judging import judged, role_of
from nbmodule_widgets.comparing.norms import keeps_running
from nbmodule_widgets.comparing.outputs import output_facts
from nbmodule_widgets.comparing.records import ModesFacts
from nbmodule_widgets.comparing.summary import sentence
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.hooks import readers_hooks
from nbmodule_widgets.facts.words import outside_words, visible
from nbmodule_widgets.protocol import class_name


def compare(
    model: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *,
    draws: int = 1, seed: int = 0, keep_modes: bool = False,
) -> ModesFacts:  # fmt: skip
    """What an `Experiment` with these arguments finds out."""
    return assembled(Experiment(model, inputs, kwargs, draws=draws, seed=seed, keep_modes=keep_modes))  # fmt: skip


def assembled(it: Experiment) -> ModesFacts:
    """Everything that an experiment has found out by all its draws up to now."""
    evaluated, trained = it.under_eval, it.under_train
    assert trained is not None, "the first draw comes with the experiment"
    problem = ""
    if evaluated.problem:
        problem = f"the pass under eval() raised {evaluated.problem}"
    elif trained.problem:
        problem = f"the pass under train() raised {trained.problem}"
    for place in reversed(it.places):  # from below: those above know of the reasons inside
        role_of(
            it.verdicts[place.index], it.verdicts[place.index + 1 : place.end],
            evaluated.counts.get(place.index, 0),
        )  # fmt: skip
    ran = it.runner.combinations
    moved = tuple(
        by_module(ran[mode, True].moved if (mode, True) in ran else ()) for mode in (True, False)
    )
    modules = tuple(
        judged(
            place, it.places, it.verdicts, it.flags[place.index], it.before[place.index],
            (evaluated.counts.get(place.index, 0), trained.counts.get(place.index, 0)),
            it.gaps[place.index], evaluated.calls.get(place.index, []),
            it.spreads[place.index], (it.random[place.index], it.random_in_eval[place.index]),
            keeps_running(place), moved[0].get(place.path, ()), place.index in it.kept,
        )
        for place in it.places
    )  # fmt: skip
    notes = [
        *it.notes,
        *_outside(it),
        *it.problems,
    ]
    if it.left:
        notes.append(
            f"only the first {len(it.places):,} modules were recorded; {it.left:,} were not"
        )
    return ModesFacts(
        model=it.model_facts,
        label=visible(class_name(it.model), 60),
        modules=modules,
        masks=tuple(each.facts() for each in it.dropping.values() if each.masks),
        norms=tuple(f for each in it.norms.values() if (f := each.facts()) is not None),
        output=output_facts(evaluated.output, it.outputs, it.evaluated),
        combinations=tuple(ran[key] for key in sorted(ran, reverse=True)),
        seed=it.seed,
        draws=len(it.outputs),
        passes=it.runner.passes,
        notes=tuple(notes),
        problem=problem,
        sentence=sentence(modules, problem, moved, bool(it.kept), _undone(it)),
        odd=len(it.odd),
        keep_modes=bool(it.kept),
    )


def _undone(it: Experiment) -> int:
    """How many Modules with a mode of their own had another one here, under `train()` or under `eval()`."""
    return sum(it.flags[index] != (flag, flag) for index, flag in it.odd.items())


def _outside(it: Experiment) -> list[str]:
    """What cannot be heard, and what cannot be undone."""
    programs = [is_scripted(place.module) for place in it.places]
    scripted = [
        p.path
        for p in it.places
        if programs[p.index] and not (p.parent >= 0 and programs[p.parent])
    ]
    names = [f"`{visible(path, 80)}`" if path else "the model" for path in scripted]
    notes = [
        f"{name} is a TorchScript program: nothing inside it can be recorded" for name in names
    ]
    hooks = readers_hooks(place.module for place in it.places)
    return [*notes, *outside_words(hooks)]
