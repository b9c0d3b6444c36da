"""How a view calls a model: `view(model, *inputs, option=…, **named)`.

A name that is an option of the view is the view's; every other name is an input of the model, so that models are called
as their users call them: `trace(model, input_ids=ids, attention_mask=mask)`. An input whose name is an option too goes
into `kwargs`: `trace(model, x, kwargs={"loss": weights})`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_attribute,
    class_name,
    own_dict,
    read,
)

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_LISTED = 24  # names of an error's list


def keyword_inputs(
    view: Callable[..., Any],
    model: object,
    named: dict[str, Any],
    kwargs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What the model is called with by name.

    Args:
        view: The function that was called; its options are its keyword-only parameters.
        model: What it was called with.
        named: The names that are no option.
        kwargs: Inputs by name that were given as a dict, since their names are options too.

    Returns:
        Both as one dict.

    Raises:
        TypeError: If `kwargs` is no dict, if a name is given twice, or if the model's `forward` surely does not
            take it.
    """
    asked, options = view.__name__, _listed(_options(view))
    if kwargs is not None and not isinstance(kwargs, dict):
        raise TypeError(
            f"{asked}() needs kwargs= to be a dict of inputs by name, for inputs named like an option ({options}); "
            f"got {article(class_name(kwargs))}"
        )
    apart = dict(kwargs or {})
    if twice := [name for name in named if name in apart]:
        raise TypeError(f"{asked}() got {_listed(twice)} twice: by name and in kwargs=")
    takes = names_taken(model) if named else None
    wrong = [name for name in named if takes is not None and name not in takes]
    if wrong:
        raise TypeError(
            f"{asked}() got {_listed(wrong)}: neither one of its options ({options}) nor a named input of "
            f"{visible(class_name(model), 60)}.forward ({_listed(takes or [])}){_instead(asked, wrong, named)}"
        )
    return {**named, **apart}


def _instead(asked: str, wrong: list[str], named: dict[str, Any]) -> str:
    """What to write in place of the names that others use, as torchinfo does."""
    if "input_size" in wrong:
        size = named["input_size"]
        plain = type(size) in (tuple, list) and size and all(type(n) is int for n in size)
        numbers = ", ".join(map(str, size)) if plain and len(size) < 9 else "1, 3, 224, 224"
        return f"; give a tensor: {asked}(model, torch.zeros({numbers}))"
    if "input_data" in wrong:
        return f"; give the inputs as they are: {asked}(model, x)"
    return ""


def names_taken(model: object) -> list[str] | None:
    """The names by which a model takes inputs; None if they can't be known, as where it takes any name.

    Args:
        model: Any object; none of its code runs.
    """
    if own_dict(model).get("_forward_pre_hooks_with_kwargs"):  # such a hook may take names out
        return None
    calls = class_attribute(model, "__call__")
    own = calls is not None and not is_a_library_s(calls)
    return _names(model, "__call__" if own else "forward")


def _names(model: object, method: str) -> list[str] | None:
    """The names in a method's signature, as it is called: what a decorator takes counts, not what it wraps."""
    own = own_dict(model).get(method) if method != "__call__" else None
    found = own if own is not None else class_attribute(model, method)
    first = 1 if own is None and type(found) is FunctionType else 0
    if own is None and type(found) in (staticmethod, classmethod):
        found = read(model, method).value
    if not callable(found):
        return None
    said = attempt(lambda: list(inspect.signature(found, follow_wrapped=False).parameters.values()))
    parameters = said.value
    if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return [p.name for p in parameters[first:] if p.kind in _NAMED]


def _options(view: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(view).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def _listed(names: list[str]) -> str:
    """`"loss=, keep="`."""
    shown = ", ".join(f"{visible(name, 40)}=" for name in names[:_LISTED])
    return (shown or "none") + (", …" if len(names) > _LISTED else "")
