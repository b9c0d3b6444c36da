"""How the model is built: its methods, its hooks, and layers that are one object."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import kind_of, path_of
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.hooks import repeated
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.facts.words import joined, visible
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


def building(case: Case) -> Iterator[Finding]:
    """What can be seen without a call."""
    yield from _methods(case)
    yield from _names(case)
    lazy = [p for p, t in case.parameters.items() if "Uninitialized" in class_name(t)]
    if lazy and case.optimizers:
        yield finding(
            "lazy-not-initialized", CERTAIN,
            "The model is lazy and was not called yet: its optimizer was made over parameters that have no numbers",
            [f"`{path_of(lazy[0])}` is an {class_name(case.parameters[lazy[0]])}"])  # fmt: skip
    yield from _modes_by_hand(case)
    for path, module in case.modules.items():
        for slot, hook, times in repeated(module):
            yield finding(
                "stacked-hooks", CERTAIN,
                f"The same hook is on `{path_of(path)}` {times} times, so it runs {times} times in each pass: it was registered again "
                "and never removed",
                [f"`{visible(hook, 60)}` stands {times} times in `{slot}`"])  # fmt: skip
            break
        yield from _repeated_layers(path, module)
        yield from _defaults(case, path, module)


def _methods(case: Case) -> Iterator[Finding]:
    """Methods whose names are not what Python or the library calls."""
    cls = type(case.model)
    own = [c for c in mro_of(cls) if not is_a_library_s(c) and c is not object]
    defined = [n for c in own for n in namespace_of(c)]
    typo = difflib.get_close_matches(
        "__init__", [n for n in defined if n != "__init_subclass__"], 1, 0.8
    )
    if typo and "__init__" not in defined and callable(getattr(cls, typo[0], None)):
        yield finding(
            "init-misspelled", CERTAIN, f"`{class_name(case.model)}` has no `__init__`: `{visible(typo[0], 40)}` is misspelled, so nobody calls it and no layer is made",
            [f"the class defines `{visible(typo[0], 40)}`, and the model has {len(case.parameters)} parameters"])  # fmt: skip
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
            [f"`{class_name(case.model)}` defines {', '.join(f'`{visible(n, 40)}`' for n in defined if not n.startswith('__'))}"])  # fmt: skip
    elif call:
        yield finding(
            "call-overridden", CERTAIN,
            "The class defines `__call__` in place of `forward`, so hooks do not run",
            [f"`{class_name(case.model)}.__call__` stands in front of the library's own, and there is no `forward`"])  # fmt: skip


def _names(case: Case) -> Iterator[Finding]:
    """Names that do nothing, or stand in front of something else."""
    for path, tensor in case.parameters.items():
        typo = difflib.get_close_matches("requires_grad", _own_names(tensor), 1, 0.85)
        if typo:
            yield finding(
                "freeze-without-effect", CERTAIN,
                f"`{visible(typo[0], 40)}` was set on `{path_of(path)}`: the name is misspelled, so nothing was frozen or thawed",
                [f"`{path_of(path)}.{visible(typo[0], 40)}` is {own_dict(tensor)[typo[0]]!r:.20}, and its `requires_grad` is {tensor.requires_grad}"])  # fmt: skip
            break
    for path, module in case.modules.items():
        own = own_dict(module)
        library = (
            is_a_library_s(type(module)) or namespace_of(type(module)).get("requires_grad") is None
        )
        if type(own.get("requires_grad")) is bool and library:
            yield finding(
                "freeze-without-effect", CERTAIN,
                f"`requires_grad` was set on the Module `{path_of(path)}`, where it means nothing: a Module has `requires_grad_()`, its "
                "parameters have `requires_grad`",
                [f"`{path_of(path)}` has a plain attribute `requires_grad` = {own['requires_grad']}; its parameters are as before"])  # fmt: skip
        for slot in ("_modules", "_parameters", "_buffers"):
            for name, held in drawer(module, slot).entries:
                there = class_attribute(module, name) if isinstance(name, str) else None
                if there is not None and held is not None and callable(there):
                    yield finding(
                        "name-shadowed", CERTAIN,
                        f"`{visible(name, 40)}` is a method of Module, so `self.{visible(name, 40)}` gives the method and not what was assigned",
                        [f"`{path_of(path)}` has `{visible(name, 40)}` in `{slot}`, and its class has a method of that name"])  # fmt: skip


def _own_names(tensor: Any) -> list[str]:
    """The names that a reader has put on a tensor."""
    return [
        n
        for n in own_dict(tensor)
        if isinstance(n, str) and not n.startswith("_") and n != "requires_grad"
    ]


def _modes_by_hand(case: Case) -> Iterator[Finding]:
    """`model.train = False`, and an `eval()` that does not do what it should."""
    for name in (
        "train",
        "eval",
        "parameters",
        "modules",
        "children",
        "state_dict",
        "forward",
        "to",
    ):
        if name in own_dict(case.model) and not callable(own_dict(case.model)[name]):
            kind = visible(class_name(own_dict(case.model)[name]), 40)
            mode = name in ("train", "eval")
            yield finding(
                "mode-method-overwritten" if mode else "name-shadowed", CERTAIN,
                f"`model.{name}` was assigned to: it is a method, and now it is a {kind} that {'switches nothing' if mode else 'nobody can call'}",
                [f"`{name}` is in the model's `__dict__`"])  # fmt: skip
            return
    copy = case.fresh()
    if copy is None or class_attribute(copy.model, "eval") is None:
        return
    said = attempt(copy.model.eval)
    left = [
        p
        for p, m in tree_of(copy.model)
        if p and own_dict(m).get("training") is True and kind_of(m, "Dropout", "BatchNorm")
    ]
    own = [n for n in ("train", "eval") if not is_a_library_s(class_attribute(case.model, n))]
    if own and (said.problem or left):
        yield finding(
            "mode-method-overwritten", LIKELY,
            f"`{class_name(case.model)}` defines its own `{own[0]}`, which hides the switch of that name: `eval()` does not reach the layers",
            [f"`eval()` on a copy raised {visible(said.problem, 120)}" if said.problem else f"after `eval()` on a copy `{path_of(left[0])}` still trains"])  # fmt: skip


def _repeated_layers(path: str, module: Any) -> Iterator[Finding]:
    if class_name(module) not in ("ModuleList", "Sequential", "ModuleDict"):
        return
    inside = [(str(n), m) for n, m in drawer(module, "_modules").entries if m is not None]
    learning = [(n, m) for n, m in inside if any(drawer(m, "_parameters").entries) or _deep(m)]
    whole = len({id(m) for _, m in learning}) == 1 and class_name(module) == "ModuleList"
    for _, run in groupby(learning, key=lambda pair: id(pair[1])):
        same = [n for n, _ in run]
        if len(same) >= (2 if whole else 3):
            yield finding(
                "same-layer-repeated", LIKELY,
                f"{len(same)} layers of `{path_of(path)}` are one and the same object: they share one set of weights (as `[layer] * n` makes it)",
                [f"`{joined(path, same[0])}` is `{joined(path, same[-1])}`"])  # fmt: skip
            return


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
                    [f"`{path_of(path)}` uses a Module of `{visible(cls.__name__, 40)}.__init__.__defaults__`"])  # fmt: skip
                return
