"""Who knows which parameter: the tape, the model, the optimizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from nbmodule_widgets.diagnosing.case import Case, Copy, held_by, parameters_of
from nbmodule_widgets.diagnosing.passes import (
    Pass,
    Tape,
    answered,
    behind_inputs,
    has_say,
    methods_of,
    path_of,
    run,
    shape,
    tape_of,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.mentions import mentioned
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.orphans import Search
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.protocol import attempt, class_name, read


def owners(case: Case, first: Pass) -> Iterator[Finding]:
    """Leaves of the output's tape that the model does not own, and the losses that reach nothing."""
    outs = [t for _, t in tensors_in(first.raw)]
    tape = tape_of(*outs)
    yield from _strangers(case, first, tape)
    held = {id(t) for each in case.optimizers for t in held_by(each)}
    for path, buffer in case.buffers.items():
        mine = next((k for k, p in first.copy.names.items() if p == path), None)
        if case.optimizers and mine in tape.leaves and id(buffer) not in held:
            yield finding(
                "buffer-with-gradient", CERTAIN,
                f"`{visible(path, 60)}` is a buffer that needs a gradient: it gets one, and no optimizer finds it in `parameters()`",
                ["its `requires_grad` is True, and the tape of the output leads to it"])  # fmt: skip
            break
    if first.loss is not None:
        yield from _reaching(case, first, tape)


def _strangers(case: Case, first: Pass, tape: Tape) -> Iterator[Finding]:
    copy = first.copy
    mine = set(map(id, copy.parameters.values())) | behind_inputs(copy)
    known = mine | set(case.names)
    odd = {key: leaf for key, (leaf, _) in tape.leaves.items() if key not in known}
    search = Search(copy.model)
    held, computed = [], []
    for orphan in search.found:
        inner = (
            [orphan.thing]
            if orphan.kind == "tensor"
            else list(parameters_of(orphan.thing).values())
        )
        reached = [t for t in inner if odd.pop(id(t), None) is not None]
        if reached:
            held.append((orphan, reached))
    if held:
        total = sum(math.prod(shape(t)) for _, reached in held for t in reached)
        lines = [
            f"`{visible(o.path, 100)}` ({visible(o.label, 80)}) is in {o.holder}: the tape of the output leads to "
            f"{count(len(r), 'tensor')} of it, and `parameters()` does not"
            for o, r in held[:8]
        ]
        lines.append(f"{count(total, 'number')} that need a gradient are unknown to the model")
        yield finding(
            "plain-list", CERTAIN,
            f"The model computes with parameters that it does not own: {names_of(o.path for o, _ in held)}. No optimizer gets "
            "them from `parameters()`, no `state_dict()` saves them, and no `.to()` or `train()` reaches them",
            lines,
            f"self.{visible(held[0][0].path, 60)} = nn.Parameter(tensor)" if held[0][0].kind == "tensor" and "[" not in held[0][0].path else "")  # fmt: skip
    for path, tensor in case.attributes():
        if id(tensor) not in case.computed:
            continue  # a hook wrote it there in a trial
        behind = tape_of(tensor) if read(tensor, "grad_fn").value is not None else None
        if behind is not None and not set(behind.leaves) & set(case.names):
            computed.append((path, tensor, behind))
    for path, tensor, _ in computed[:1]:
        yield finding(
            "parameter-became-tensor", CERTAIN,
            f"`{visible(path, 80)}` is no Parameter: it was computed from one (by {_made_by(tensor)}), and what it was computed "
            "from has no owner any more, so it is never trained and never saved",
            [f"`{visible(path, 80)}` has a `grad_fn` ({_made_by(tensor)}) and is in no drawer",
             "the leaf behind it is not in `parameters()`"])  # fmt: skip
    anew = _replaced(case, copy)
    if anew:
        yield finding(
            "layer-made-in-forward", CERTAIN,
            f"`forward` puts a new parameter in the place of {names_of(anew)} in each call, so nothing that it learns is kept",
            ["after each of two calls the model holds another tensor there", "the optimizer steps the one that it was given"],
            f"self.{visible(anew[0], 60)} = nn.Parameter(torch.ones(3))  # in __init__, not in forward")  # fmt: skip
    elif odd and not held and not computed:
        yield from _made_or_outside(case, first, odd, tape)


def _replaced(case: Case, copy: Copy) -> list[str]:
    """The parameters in whose place each call puts another one."""
    if all(id(t) in copy.names for t in copy.parameters.values()):
        return []
    again = case.fresh()
    if again is None:
        return []
    held = []
    for _ in range(2):  # one that is made once, by the first call, stays
        run(case, again, heard=False, loss=False)
        held.append(again.parameters)
    one, two = held
    return [p for p, t in two.items() if p in one and one[p] is not t and p in case.parameters]


def _made_or_outside(case: Case, first: Pass, odd: dict[int, Any], tape: Tape) -> Iterator[Finding]:
    """A leaf that no attribute leads to: made by the call, or outside of the model."""
    again_copy = case.fresh()
    if again_copy is None:
        return
    again = run(case, again_copy, heard=False, loss=False)
    others = tape_of(*[t for _, t in tensors_in(again.raw)])
    new = {k: t for k, t in odd.items() if k not in others.leaves and _is_parameter(case, t)}
    odd = {k: t for k, t in odd.items() if k in others.leaves}
    shapes = ", ".join(str(list(shape(t))) for t in list(new.values())[:4])
    if new:
        many = len(new)
        yield finding(
            "layer-made-in-forward", CERTAIN,
            f"`forward` creates {count(many, 'parameter')} anew in each call, so nothing that they learn is kept",
            [f"two calls have {many} different leaves each of shapes {shapes}",
             "none of them is in `parameters()`"])  # fmt: skip
    elif odd:
        shapes = ", ".join(str(list(shape(t))) for t in list(odd.values())[:4])
        yield finding(
            "layer-outside", CERTAIN,
            f"The model computes with {count(len(odd), 'parameter')} that lie outside of it, as in a global variable: its "
            "`parameters()` and `state_dict()` don't have them",
            [f"the tape of the output ends at leaves of shapes {shapes} which are in no attribute of the model"])  # fmt: skip


def _reaching(case: Case, first: Pass, tape: Tape) -> Iterator[Finding]:
    """What the loss reaches of the model."""
    copy = first.copy
    needy = {p: t for p, t in copy.parameters.items() if read(t, "requires_grad").value is True}
    if not copy.parameters:
        return
    if not needy:
        yield finding(
            "all-frozen", CERTAIN,
            "Every parameter of the model is frozen, so nothing in it can learn",
            [f"`requires_grad` is False for all of its {count(len(copy.parameters), 'parameter')}"])  # fmt: skip
        return
    ids = {id(t): p for p, t in needy.items()} | {
        id(case.parameters[p]): p for p in needy if p in case.parameters
    }
    behind = tape_of(first.loss) if is_tensor(first.loss) else Tape([], {}, 0)
    reached = {ids[key] for key in behind.leaves if key in ids}
    if reached:
        yield from _not_reached(case, first, needy, reached)
        return
    from_out = {ids[key] for key in tape.leaves if key in ids}
    what = "a plain number" if not is_tensor(first.loss) else "a tensor"
    leaf = read(first.loss, "requires_grad").value is True
    glued = " with `requires_grad=True`, which only makes it a leaf of its own" if leaf else ""
    if from_out:
        yield finding(
            "loss-off-the-tape", CERTAIN,
            "The loss is not connected to the model: the tape was cut between the output and the loss (`.item()`, `.numpy()`, "
            "`.detach()`, `.data`, `argmax`, or a new tensor made from a number)",
            [f"the output has a `grad_fn` ({_made_by(first.out)}) and leads to {count(len(from_out), 'parameter')}",
             f"the loss is {what}{glued}; it leads to none"])  # fmt: skip
        return
    with_tape = [
        c for c in first.calls if any(read(t, "grad_fn").value is not None for t in c.made)
    ]
    unrecorded = [c for c in first.calls if not c.recorded]
    if unrecorded and not with_tape:
        yield finding(
            "no-grad-in-forward", CERTAIN,
            "The model runs with recording switched off (`no_grad` or `inference_mode` in or around `forward`), so the loss can't "
            "reach a parameter",
            [f"`{path_of(unrecorded[0].path)}` ran while gradients were not recorded", "the output has no `grad_fn`"])  # fmt: skip
        return
    where = f"the last Module with a tape is `{path_of(with_tape[-1].path)}`" if with_tape else ""
    yield finding(
        "tape-cut-in-forward", CERTAIN,
        "The output is not connected to the parameters: `forward` itself cuts the tape (`.detach()`, `.data`, `.numpy()`, "
        "`argmax`, a round trip through NumPy)",
        [line for line in ("the output leads to no parameter", where) if line])  # fmt: skip


def _not_reached(
    case: Case, first: Pass, needy: dict[str, Any], reached: set[str]
) -> Iterator[Finding]:
    """Parameters that the optimizer holds and the loss does not reach."""
    held = {id(t) for each in case.optimizers for t in held_by(each)}
    left = [p for p in needy if p not in reached and id(case.parameters.get(p)) in held]
    if not left:
        return
    ran = {c.path for c in first.calls}
    whole = {p.rpartition(".")[0] for p in reached}
    silent = [p for p in left if p.rpartition(".")[0] not in ran and not _may_come(case, p)]
    cut = [p for p in left if p.rpartition(".")[0] in ran - whole]
    below = {path for path in ran for p in silent if p.startswith(f"{path}.") and path}
    if silent and len(silent) == len(left) and not _optional(first, silent, below):
        yield finding(
            "unused-layer", LIKELY,
            f"{names_of(silent)} can't learn: the optimizer holds it, and `forward` never uses it",
            [f"the tape of the loss leads to {len(reached)} of {len(needy)} parameters, and not to {names_of(silent)}",
             "its Module did not run"])  # fmt: skip
    elif past := [
        p for p in [p for p in left if p not in silent + cut][:4] if _is_cut_off(case, p)
    ]:
        yield finding(
            "tape-cut-in-forward", CERTAIN,
            f"{names_of(past)} can't learn: `forward` uses its numbers, and no gradient gets back to it (`.data`, `.detach()`, `argmax`)",
            ["with other numbers in it the model returns something else", "the tape of the loss does not lead to it, and the optimizer holds it"])  # fmt: skip
    elif cut:
        last = next((c for c in first.calls if c.path == cut[-1].rpartition(".")[0]), None)
        where = f"`{path_of(last.path)}` ran" if last else "its Module ran"
        if last is not None and has_say(case, _renumbered(last.path)) is False:
            yield finding(
                "unused-layer", LIKELY,
                f"`{path_of(last.path)}` runs and can't learn: nothing uses what it returns",
                [f"{where}, and with other weights in it the model returns the same", "the optimizer holds it, so it was meant to learn"])  # fmt: skip
        elif last is not None and any(read(t, "grad_fn").value is not None for t in last.made):
            yield finding(
                "tape-cut-in-forward", LIKELY,
                f"The gradient does not get back to {names_of(cut)}: the tape is cut behind it (`.detach()`, `.data`, `.numpy()`, "
                "`argmax`), or its result is not used",
                [f"{where} and its result has a `grad_fn`", f"the tape of the loss does not lead to {names_of(cut)}",
                 "the optimizer holds it, so it was meant to learn"])  # fmt: skip
        elif last is not None and not last.recorded:
            yield finding(
                "no-grad-in-forward", LIKELY,
                f"{names_of(cut)} runs under `no_grad`, so it can't learn although the optimizer holds it",
                [f"{where} while gradients were not recorded"])  # fmt: skip


def _renumbered(path: str) -> Callable[[Copy], None]:
    """What gives a copy other numbers in a parameter, or in those of a Module."""

    def changed(copy: Copy) -> None:
        for p, t in copy.parameters.items():
            if f"{p}.".startswith(f"{path}."):
                attempt(lambda t=t: t.data.mul_(-1.7).add_(0.3))

    return changed


def _is_cut_off(case: Case, path: str) -> bool:
    """Whether the output depends on a parameter, and its tape does not lead to it."""
    made = answered(case) if has_say(case, _renumbered(path)) else None
    outs = [] if made is None else [t for _, t in tensors_in(made.raw)]
    return made is not None and id(made.copy.parameters[path]) not in tape_of(*outs).leaves


def _may_come(case: Case, path: str) -> bool:
    """Whether the code of a class speaks of the layer, so that another call may use it."""
    owner, name = case.model, path.rpartition(".")[0]
    outer, _, last = name.rpartition(".")
    owner = case.modules.get(outer, owner)
    methods = methods_of(owner, "__init__")
    words = (
        last,
        "getattr",
        "children",
        "named_children",
        "modules",
        "_modules",
        "values",
        "items",
    )
    return not methods or any(mentioned(f, words) for f in methods)


def _is_parameter(case: Case, tensor: Any) -> bool:
    return isinstance(tensor, case.lib.nn.Parameter) if case.lib is not None else True


def _optional(first: Pass, silent: list[str], below: set[str]) -> bool:
    """Whether a library's own layer has chosen not to use them."""
    return any(
        is_a_library_s(type(c.module))
        and c.path in below
        and class_name(c.module) not in ("Sequential", "ModuleList", "ModuleDict")
        for c in first.calls
    )


def shapes_of(tensors: list[Any]) -> str:
    """The shapes of some tensors."""
    return ", ".join(str(list(shape(t))) for t in tensors[:4])


def names_of(paths: Any) -> str:
    """Some paths, in a sentence."""
    every = [f"`{visible(p, 60)}`" for p in paths]
    return ", ".join(every[:4]) + (f" and {len(every) - 4} more" if len(every) > 4 else "")


def _made_by(tensor: Any) -> str:
    return visible(class_name(read(tensor, "grad_fn").value), 40)
