"""Modules and tensors that a model holds where `parameters()` cannot find them."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np

from nbmodule_widgets.facts.arrays import shape_of
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.outside import saves_itself
from nbmodule_widgets.facts.within import Looking, holder_words
from nbmodule_widgets.facts.words import count, shape_text, visible
from nbmodule_widgets.protocol import (
    SLOTS,
    STAND_IN,
    article,
    class_name,
    definers,
    has_drawers,
    is_exactly,
    of_a_library,
    own_dict,
    read,
)

_SLOTS = frozenset((*SLOTS, STAND_IN))
_REMEDY = {"list": "nn.ModuleList", "tuple": "nn.ModuleList", "dict": "nn.ModuleDict"}


def hidden_modules(
    module: object,
    reached: Container[int],
    which: Callable[[object], bool] | None = None,
    looking: Looking | None = None,
) -> list[str]:
    """One sentence for each plain attribute that holds Modules which the tree does not reach.

    Args:
        module: The Module whose plain attributes are searched.
        reached: Identities of the Modules that are in the tree anyway.
        which: Only attributes with such a Module are told; all of them if it is None.
        looking: A search that goes on: what it has opened already is not opened again.
    """
    sentences, looking = [], looking or Looking()
    for name, value in plain_attributes(module):
        found = [m for m in modules_in(value, looking) if id(m) not in reached]
        if found and (which is None or any(map(which, found))):
            sentences.append(
                f"{_place(name, value, found)}: invisible to `parameters()`. {advice(value)}"
            )
    return sentences


def plain_tensors(module: object, held: Container[int]) -> list[str]:
    """One sentence for each plain attribute with tensors that lie in no drawer of the model.

    Args:
        module: The Module whose plain attributes are searched.
        held: Identities of the parameters and buffers.
    """
    sentences = []
    for name, value in plain_attributes(module):
        found = [t for t in _tensors_in(value) if id(t) not in held]
        if found:
            sentences.append(f"{_tensors(name, value, found)}: {_unseen(module)}")
    return sentences


def _tensors(name: object, value: object, found: list[object]) -> str:
    shown, kind = visible(name), visible(class_name(found[0]), 40)
    if found[0] is not value:
        kinds = count(len(found), "tensor" if kind in ("Tensor", "Parameter") else kind)
        return f"`{shown}` is a plain {class_name(value)} with {kinds}"
    computed = ", computed from others" if read(value, "grad_fn").value is not None else ""
    shape = shape_text(shape_of(value))
    return f"`{shown}` is {article(kind)} of shape {shape} in a plain attribute{computed}"


def _unseen(module: object) -> str:
    """Who does not see it: methods of the Module's own may."""
    blind = [f"`{name}`" for name in unseen_by(type(module))[1:]]
    verb = "do" if len(blind) > 1 else "does"
    return "no parameter and no buffer" + (
        f", so {' and '.join(blind)} {verb} not see it" if blind else ""
    )


def unseen_by(cls: type) -> tuple[str, ...]:
    """The methods to which the plain attributes of an instance are invisible; one of the class's own may see them."""
    moves = [
        c for name in ("_apply", "to") for c in definers(cls, name)[:-1] if not of_a_library(c)
    ]
    blind = ["parameters()"]
    blind += [] if saves_itself(cls) else ["state_dict()"]
    return tuple(blind if moves else [*blind, ".to()"])


def _is_tensor(value: object) -> bool:
    """Whether it is a tensor or an array; a single number of NumPy's is none."""
    return is_tensor(value) and not issubclass(type(value), np.generic)


def plain_attributes(module: object) -> list[tuple[Any, Any]]:
    """The plain attributes of a Module in which something can hide; those of a program of `torch.jit` are its parts."""
    return (
        []
        if is_scripted(module)
        else [
            (name, value)
            for name, value in list(own_dict(module).items())
            if not (type(name) is str and name in _SLOTS)
            and not is_exactly(value, int, float, bool, str, type(None))
        ]
    )


def modules_in(value: object, looking: Looking | None = None) -> list[object]:
    """The Modules in a plain value: the value itself, or those in its containers, its objects and its functions.

    Args:
        value: The value.
        looking: A search that goes on: what it has opened already is not opened again.
    """
    return [inside.thing for inside in (looking or Looking()).look(value, has_drawers)]


def _tensors_in(value: object) -> list[object]:
    """The tensors in a plain value: the value itself, or those in its containers."""
    return [inside.thing for inside in Looking(objects=0).look(value, _is_tensor)]


def _place(name: object, value: object, found: list[object]) -> str:
    kinds = ", ".join(dict.fromkeys(visible(class_name(module), 40) for module in found))
    if len(found) == 1 and found[0] is value:
        return f"`{visible(name)}` is a Module ({kinds}) in a plain attribute"
    noun = "Module" if len(found) == 1 else "Modules"
    return f"`{visible(name)}` is {holder_words(value)} with {len(found)} {noun} ({kinds})"


def advice(value: object, single: bool = False) -> str:
    """What to do about a Module in a plain value.

    Args:
        value: What lies in the attribute.
        single: Whether it is the Module itself.
    """
    remedy = _REMEDY.get(class_name(value))
    if remedy:
        return f"Use `{remedy}`"
    if single or has_drawers(value):
        return "It belongs in `_modules`, and putting it there is the job of `__setattr__`"
    if issubclass(type(value), (set, frozenset)):
        return "Use `nn.ModuleList`"
    return "Assign it to an attribute of the Module too"
