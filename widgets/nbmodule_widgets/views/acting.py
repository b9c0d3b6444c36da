"""What a reader can do to a model from its view: turn the switch, freeze, unfreeze.

The model's own methods do the work, so what happens is what happens when the reader calls them. A class that
does not have the method is told so and left as it is.
"""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_attribute,
    class_name,
    has_drawers,
    own_dict,
)

Action = list[Any]  # label, code, message to Python


class ActionError(RuntimeError):
    """The model could not do what it was asked for. The message says why, and what has changed anyway."""


def set_training(module: object, mode: bool) -> None:
    """Calls the Module's `train()` or `eval()`.

    Args:
        module: The Module.
        mode: True for `train()`.

    Raises:
        ActionError: If it has no such method, or the method raises.
    """
    if not has_drawers(module):
        raise ActionError(
            f"{article(_name(module))} has no switch: only Modules have `train()` and `eval()`"
        )
    if not mode and _has(module, "eval"):
        return _run(lambda: module.eval(), module, "eval()")  # type: ignore[attr-defined]
    if not _has(module, "train"):
        raise ActionError(
            f"`{_name(module)}` has no method `{'train' if mode else 'eval'}()`, so nothing was changed. "
            "It would set `training` in the Module and in every child"
        )
    return _run(lambda: module.train(mode), module, f"train({mode})")  # type: ignore[attr-defined]


def set_requires_grad(thing: object, value: bool) -> None:
    """Calls `requires_grad_` of a Module or a parameter, or sets the attribute of a parameter without it.

    Args:
        thing: The Module or the parameter.
        value: Whether gradients are wanted.

    Raises:
        ActionError: If it has nothing of the kind, or the method raises.
    """
    code = f"requires_grad_({value})"
    if _has(thing, "requires_grad_"):
        return _run(lambda: thing.requires_grad_(value), thing, code)  # type: ignore[attr-defined]
    if has_drawers(thing):
        raise ActionError(
            f"`{_name(thing)}` has no method `requires_grad_()`, so nothing was changed. It would set "
            "`requires_grad` of every parameter here and below: they can be chosen one by one"
        )
    if "requires_grad" in own_dict(thing) or class_attribute(thing, "requires_grad") is not None:
        return _run(
            lambda: setattr(thing, "requires_grad", value), thing, f"requires_grad = {value}"
        )
    raise ActionError(f"{article(_name(thing))} has no `requires_grad`, so nothing was changed")


def actions(kind: str) -> list[Action]:
    """The buttons for a row.

    Args:
        kind: `"module"`, `"parameter"` or another kind of row, which has none.
    """
    grad = [
        ["freeze", "requires_grad_(False)", {"kind": "requires_grad", "value": False}],
        ["unfreeze", "requires_grad_(True)", {"kind": "requires_grad", "value": True}],
    ]
    if kind == "parameter":
        return grad
    if kind != "module":
        return []
    switch = [
        ["train()", "train()", {"kind": "training", "value": True}],
        ["eval()", "eval()", {"kind": "training", "value": False}],
    ]
    return switch + grad


def _has(obj: object, method: str) -> bool:
    return callable(class_attribute(obj, method)) and not own_dict(obj).get(method)


def _run(action: Any, obj: object, code: str) -> None:
    said = attempt(action)
    if said.problem:
        raise ActionError(visible(f"`{_name(obj)}.{code}` raised {said.problem}", 400))


def _name(obj: object) -> str:
    return visible(class_name(obj), 60)
