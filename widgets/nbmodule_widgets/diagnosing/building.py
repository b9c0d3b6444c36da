"""How the model is built: its methods, its hooks, and layers that are one object."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Pass, kind_of, numbers, run, shape
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, LOOK, Finding, finding
from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.hooks import hook_name, is_readers, repeated
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    class_name,
    drawer,
    has_drawers,
    mro_of,
    namespace_of,
    own_dict,
)

_CONTAINERS = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict")


def building(case: Case) -> Iterator[Finding]:
    """What can be seen without a call.

    Args:
        case: The program.
    """
    yield from _methods(case)
    yield from _names(case)
    lazy = [p for p, t in case.parameters.items() if "Uninitialized" in class_name(t)]
    if lazy and case.optimizers:
        yield finding(
            "lazy-not-initialized", CERTAIN,
            "The model is lazy and was not called yet: its optimizer was made over parameters that have no numbers",
            [f"`{_path(lazy[0])}` is an {class_name(case.parameters[lazy[0]])}"],
        )  # fmt: skip
    yield from _modes_by_hand(case)
    for path, module in case.modules.items():
        for slot, hook, times in repeated(module):
            yield finding(
                "stacked-hooks", CERTAIN,
                f"The same hook is on `{_path(path)}` {times} times, so it runs {times} times in each pass: it was registered again "
                "and never removed",
                [f"`{visible(hook, 60)}` stands {times} times in `{slot}`"],
            )  # fmt: skip
            break
        yield from _repeated_layers(path, module)
        yield from _defaults(case, path, module)


def _methods(case: Case) -> Iterator[Finding]:
    cls = type(case.model)
    own = [c for c in mro_of(cls) if not is_a_library_s(c) and c is not object]
    defined = [n for c in own for n in namespace_of(c)]
    has = "forward" in defined or "forward" in own_dict(case.model)
    library = next((c for c in mro_of(cls) if is_a_library_s(c)), None)
    if has or library is None or library.__name__ != "Module" or not own:
        return
    close = difflib.get_close_matches(
        "forward", [n for n in defined if callable(getattr(cls, n, None))], 1, 0.7
    )
    call = "__call__" in defined
    if close and not call:
        yield finding(
            "forward-missing", CERTAIN,
            f"The Module has no `forward`: there is a method `{visible(close[0], 60)}`, whose name is misspelled, so calling the model fails",
            [f"`{class_name(case.model)}` defines {', '.join(f'`{visible(n, 40)}`' for n in defined if not n.startswith('__'))}"],
        )  # fmt: skip
    elif call:
        yield finding(
            "call-overridden", CERTAIN,
            "The class defines `__call__` in place of `forward`, so hooks do not run",
            [f"`{class_name(case.model)}.__call__` stands in front of the library's own, and there is no `forward`"],
        )  # fmt: skip


def _names(case: Case) -> Iterator[Finding]:
    """Names that do nothing, or stand in front of something else."""
    for path, tensor in case.parameters.items():
        typo = difflib.get_close_matches("requires_grad", _own_names(tensor), 1, 0.85)
        if typo:
            yield finding(
                "freeze-without-effect", CERTAIN,
                f"`{visible(typo[0], 40)}` was set on `{_path(path)}`: the name is misspelled, so nothing was frozen or thawed",
                [f"`{_path(path)}.{visible(typo[0], 40)}` is {own_dict(tensor)[typo[0]]!r:.20}, and its `requires_grad` is {tensor.requires_grad}"],
            )  # fmt: skip
            break
    for path, module in case.modules.items():
        own = own_dict(module)
        library = (
            is_a_library_s(type(module)) or namespace_of(type(module)).get("requires_grad") is None
        )
        if type(own.get("requires_grad")) is bool and library:
            yield finding(
                "freeze-without-effect", CERTAIN,
                f"`requires_grad` was set on the Module `{_path(path)}`, where it means nothing: a Module has `requires_grad_()`, its "
                "parameters have `requires_grad`",
                [f"`{_path(path)}` has a plain attribute `requires_grad` = {own['requires_grad']}; its parameters are as before"],
            )  # fmt: skip
        for slot in ("_modules", "_parameters", "_buffers"):
            for name, held in drawer(module, slot).entries:
                there = class_attribute(module, name) if isinstance(name, str) else None
                if there is not None and held is not None and callable(there):
                    yield finding(
                        "name-shadowed", CERTAIN,
                        f"`{visible(name, 40)}` is a method of Module, so `self.{visible(name, 40)}` gives the method and not what was assigned",
                        [f"`{_path(path)}` has `{visible(name, 40)}` in `{slot}`, and its class has a method of that name"],
                    )  # fmt: skip


def _own_names(tensor: Any) -> list[str]:
    """The names that a reader has put on a tensor."""
    return [
        n
        for n in own_dict(tensor)
        if isinstance(n, str) and not n.startswith("_") and n != "requires_grad"
    ]


def _modes_by_hand(case: Case) -> Iterator[Finding]:
    """`model.train = False`, and an `eval()` that does not do what it should."""
    for name in ("train", "eval"):
        if name in own_dict(case.model) and not callable(own_dict(case.model)[name]):
            yield finding(
                "mode-method-overwritten", CERTAIN,
                f"`model.{name}` was assigned to: it is a method, and now it is a {type(own_dict(case.model)[name]).__name__} that switches nothing",
                [f"`{name}` is in the model's `__dict__`"],
            )  # fmt: skip
            return
    copy = case.fresh()
    if copy is None or class_attribute(copy.model, "eval") is None:
        return
    said = attempt(copy.model.eval)
    left = [
        p
        for p, m in _tree(copy)
        if p and own_dict(m).get("training") is True and kind_of(m, "Dropout", "BatchNorm")
    ]
    own = [n for n in ("train", "eval") if not is_a_library_s(class_attribute(case.model, n))]
    if own and (said.problem or left):
        yield finding(
            "mode-method-overwritten", LIKELY,
            f"`{class_name(case.model)}` defines its own `{own[0]}`, which hides the switch of that name: `eval()` does not reach the layers",
            [f"`eval()` on a copy raised {visible(said.problem, 120)}" if said.problem else f"after `eval()` on a copy `{_path(left[0])}` still trains"],
        )  # fmt: skip


def _repeated_layers(path: str, module: Any) -> Iterator[Finding]:
    if class_name(module) not in ("ModuleList", "Sequential", "ModuleDict"):
        return
    inside = [(n, m) for n, m in drawer(module, "_modules").entries if m is not None]
    learning = [(n, m) for n, m in inside if any(drawer(m, "_parameters").entries) or _deep(m)]
    same = {id(m) for _, m in learning}
    least = 2 if class_name(module) == "ModuleList" else 3
    if len(learning) >= least and len(same) == 1:
        yield finding(
            "same-layer-repeated", LIKELY,
            f"The {len(learning)} layers of `{_path(path)}` are one and the same object: they share one set of weights (as `[layer] * n` makes it)",
            [f"`{_path(path)}.{learning[0][0]}` is `{_path(path)}.{learning[-1][0]}`"],
        )  # fmt: skip


def _deep(module: Any) -> bool:
    return any(
        has_drawers(m) and drawer(m, "_parameters").entries
        for _, m in drawer(module, "_modules").entries
    )


def _defaults(case: Case, path: str, module: Any) -> Iterator[Finding]:
    """A Module in the default value of a parameter of `__init__`."""
    for cls in mro_of(type(module)):
        method = namespace_of(cls).get("__init__")
        if is_a_library_s(cls) or method is None:
            continue
        given = [
            *(getattr(method, "__defaults__", None) or ()),
            *(getattr(method, "__kwdefaults__", None) or {}).values(),
        ]
        for value in given:
            inside = (
                value
                if type(value) in (list, tuple)
                else value.values()
                if type(value) is dict
                else [value]
            )
            if any(has_drawers(m) and any(m is o for o in case.modules.values()) for m in inside):
                yield finding(
                    "mutable-default", LIKELY,
                    f"A default value of `{visible(cls.__name__, 40)}.__init__` holds layers of this model: it is created once, so all "
                    "instances share them",
                    [f"`{_path(path)}` uses a Module of `{visible(cls.__name__, 40)}.__init__.__defaults__`"],
                )  # fmt: skip
                return


def calling(case: Case, first: Pass) -> Iterator[Finding]:
    """What can be seen in a call: hooks that change the output or never run, inputs that are written to.

    Args:
        case: The program.
        first: A pass.
    """
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
                    inner = next(m for p, m in _tree(copy) if p == path)
                    own_dict(inner)["_forward_hooks"].clear()
                with case.quiet():
                    outs.append(numbers(run(case, copy, heard=False, loss=False).out))  # type: ignore[arg-type]
        if outs[0] is not None and outs[1] is not None and not _equal(*outs):
            yield finding(
                "hook-changes-output", LOOK,
                f"A hook on `{_path(path)}` changes what the model returns: what a forward hook returns takes the place of the output",
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
                f"A hook on `{_path(path)}` never runs: the Module is not called as a function (`self.layer.forward(x)`, or its weights are "
                "used without it), or not at all",
                [f"`{visible(hook_name(hooks[0]), 60)}` is registered, and no hook of `{_path(path)}` ran in a pass"],
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
    if len(size) > 2 and shape(y)[:2] == size[:2] and len(shape(y)) > 1:
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
            f"`{_path(path)}` takes the batch for the time: it was made without `batch_first=True` and is given "
            f"{list(shape(turned[0].given[0]))}, so it reads one sample after the other as one sequence",
            [told, f"`batch_first` of `{_path(path)}` is False, and dimension 0 of its input is the batch of {size[0]}"],
        )  # fmt: skip
        return
    sizes = [shape(t) for t in [*case.buffers.values(), *(t for _, t in case.attributes())]]
    if any(size[0] in each for each in sizes) or size[0] in shape(first.out)[1:]:
        return  # a graph over the samples, or each compared with each: meant so
    yield finding(
        "samples-mixed", LOOK,
        "The answer for one sample depends on the other samples of the batch, also in eval mode: a softmax, mean, reshape or "
        "attention runs across the batch",
        [told],
    )  # fmt: skip


def _tree(copy: Any) -> Any:
    return list(tree_of(copy.model))


def _equal(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _path(path: str) -> str:
    return visible(path, 80) or "the model"
