"""What shows in a call: hooks that change the output or never run, inputs written to, samples that mix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.building import tree
from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Pass, numbers, path_of, run, shape
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, LOOK, Finding, finding
from nbmodule_widgets.facts.hooks import hook_name, is_readers
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    attempt,
    class_name,
    drawer,
    own_dict,
    read,
)

_CONTAINERS = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict")


def calling(case: Case, first: Pass) -> Iterator[Finding]:
    """What can be seen in a call: hooks that change the output or never run, inputs that are written to.

    Args:
        case: The program.
        first: A pass.
    """
    if first.raw is None:
        yield finding(
            "none-returned", CERTAIN if case.loss_fn is not None else LIKELY,
            "`forward` returns None: it has no `return`, or none on this path",
            ["the call raised nothing, and what it returned is None"],
        )  # fmt: skip
    yield from _hooks_that_change(case, first)
    yield from _never_run(case, first)
    for mine, theirs in zip(case.inputs, first.copy.inputs, strict=False):
        before, after = (numbers(t) if is_tensor(t) else None for t in (mine, theirs))
        if before is not None and after is not None and not _equal(before, after):
            yield finding(
                "input-changed", CERTAIN,
                "`forward` writes into its input (`x += …`, `x[…] = …`, an in-place operation), so the caller's data change with each call",
                [f"after one call {int((before != after).sum()) if before.shape == after.shape else before.size} of {before.size} values of a copy of `x` were different"],
            )  # fmt: skip


def _hooks_that_change(case: Case, first: Pass) -> Iterator[Finding]:
    out = numbers(first.out)
    for path, module in case.modules.items():
        hooks = [h for _, h in drawer(module, "_forward_hooks").entries if is_readers(h)]
        if not hooks or out is None:
            continue
        with case.quiet():
            copies = [case.fresh(), case.fresh()]
            if None in copies or not case.in_time:
                return
            outs = []
            for number_, copy in enumerate(copies):
                copy.model.eval()  # type: ignore[union-attr]
                if number_:
                    inner = next(m for p, m in tree(copy) if p == path)
                    own_dict(inner)["_forward_hooks"].clear()
                with case.quiet():
                    outs.append(numbers(run(case, copy, heard=False, loss=False).out))  # type: ignore[arg-type]
        if outs[0] is not None and outs[1] is not None and not _equal(*outs):
            yield finding(
                "hook-changes-output", LOOK,
                f"A hook on `{path_of(path)}` changes what the model returns: what a forward hook returns takes the place of the output",
                [f"without {', '.join(f'`{visible(hook_name(h), 50)}`' for h in hooks[:3])} the output is another one"],
            )  # fmt: skip
            return


def _never_run(case: Case, first: Pass) -> Iterator[Finding]:
    ran = {call.path for call in first.calls}
    for path, module in case.modules.items():
        hooks = [h for _, h in drawer(module, "_forward_hooks").entries if is_readers(h)]
        if hooks and path not in ran:
            yield finding(
                "hook-never-runs", LIKELY,
                f"A hook on `{path_of(path)}` never runs: the Module is not called as a function (`self.layer.forward(x)`, or its weights are "
                "used without it), or not at all",
                [f"`{visible(hook_name(hooks[0]), 60)}` is registered, and no hook of `{path_of(path)}` ran in a pass"],
            )  # fmt: skip
            return


def mixing(case: Case, first: Pass) -> Iterator[Finding]:
    """Whether a sample's answer depends on its neighbors, in eval mode.

    Args:
        case: The program.
        first: A pass.
    """
    x, y, out = case.x, case.y, numbers(first.out)
    if not is_tensor(x) or not is_tensor(y) or out is None or out.ndim < 2:
        return
    size = shape(x)
    if (
        len(size) < 2
        or size[0] < 2
        or not shape(y)
        or shape(y)[0] != size[0]
        or len(out) != size[0]
    ):
        return
    whole = "int" in str(read(x, "dtype").value)
    if (len(size) > 2 or whole) and shape(y)[:2] == size[:2] and len(shape(y)) > 1:
        return  # a sequence for a sequence: which dimension is the batch is not known
    outs = []
    for changed in (False, True):
        copy = case.fresh()
        if copy is None:
            return
        attempt(copy.model.eval)
        tensor = copy.inputs[0].detach()
        if changed:
            tensor = tensor.clone()
            tensor[:-1] = tensor[-1:]
        copy.inputs = (tensor,)
        with case.quiet():
            made = run(case, copy, loss=False)
        outs.append((numbers(made.out), made))
    (one, before), (two, after) = outs
    if one is None or two is None or one.shape != two.shape or before.error or after.error:
        return
    both = np.isfinite(one[-1]).all() and np.isfinite(two[-1]).all()
    if not both or np.allclose(one[-1], two[-1], rtol=1e-3, atol=1e-5):
        return
    turned = [
        c for c in before.calls
        if any(word in class_name(c.module) for word in ("LSTM", "GRU", "RNN", "MultiheadAttention", "Transformer"))
        and own_dict(c.module).get("batch_first") is False
        and c.given and len(shape(c.given[0])) == 3 and shape(c.given[0])[0] == size[0]
    ]  # fmt: skip
    told = "with all other samples replaced, the last sample's answer is another one, in eval mode"
    if turned:
        path = turned[0].path
        yield finding(
            "batch-first", CERTAIN,
            f"`{path_of(path)}` takes the batch for the time: it was made without `batch_first=True` and is given "
            f"{list(shape(turned[0].given[0]))}, so it reads one sample after the other as one sequence",
            [told, f"`batch_first` of `{path_of(path)}` is False, and dimension 0 of its input is the batch of {size[0]}"],
        )  # fmt: skip
        return
    sizes = [shape(t) for t in [*case.buffers.values(), *(t for _, t in case.attributes())]]
    if any(own_dict(c.module).get("track_running_stats") is False for c in before.calls):
        return  # a norm that was told to use each batch's own statistics
    if any(size[0] in each for each in sizes) or size[0] in shape(first.out)[1:]:
        return  # a graph over the samples, or each compared with each: meant so
    yield finding(
        "samples-mixed", LOOK,
        "The answer for one sample depends on the other samples of the batch, also in eval mode: a softmax, mean, reshape or "
        "attention runs across the batch",
        [told],
    )  # fmt: skip


def _equal(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())
