"""Classes of the reader's own: layers such as `MyLinear`, which stand on the reader's Module, and those of the tape.

    @mine.extend
    class MyLinear(Module):
        def __init__(self, in_features, out_features): ...

Such a class stays one object for the whole session and grows, as Module does. `mine.MyLinear` is the same class,
completed: its objects also have what nbmodule lends to Module. A class of the tape, such as `Tensor`, stands on
nothing, and is completed by nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..wording import UsageError
from .completed import Growing

FINISHED = ("nbmodule", "torch")
"""Where classes live that have done the work already."""


def is_layer(definition: type) -> bool:
    """Tell whether a definition below `@mine.extend` is a class of its own, not methods of Module."""
    return definition.__name__ != "Module" and definition.__bases__ != (object,)


def home_of(
    definition: type,
    Module: type,
    layers: Mapping[str, type],
    is_module: Callable[[type], bool],
    of_tape: bool = False,
) -> type:
    """Return the class that takes the methods of `definition`: the one of that name, or else itself.

    Args:
        definition: what stands below `@mine.extend`.
        Module: the reader's class.
        layers: the reader's own layers by name.
        is_module: tells of a class whether it is a reader's Module, perhaps of an earlier `carried()`.
        of_tape: whether it may stand on nothing, or on a class of Python's.

    Raises:
        UsageError: it stands on something else than the reader's Module.
    """
    name, base = definition.__name__, definition.__bases__[0]
    known = layers.get(base.__name__)
    if is_module(base):
        base = Module
    elif known is not None and name != base.__name__:
        base = known
    elif not of_tape or base.__module__.partition(".")[0] in FINISHED:
        raise UsageError(_wrong_base(name, base, of_tape))
    if len(definition.__bases__) > 1 and not of_tape:
        raise UsageError(
            f"`{name}` has {len(definition.__bases__)} parents. It stands on your Module alone: "
            f"write `class {name}(Module):`."
        )
    found = layers.get(name)
    bases = (base, *definition.__bases__[1:])
    if found is not None and found.__bases__ == bases:
        return found
    return definition if definition.__bases__ == bases else new_layer(name, base, definition.__doc__)  # fmt: skip


def _wrong_base(name: str, base: type, of_tape: bool) -> str:
    if of_tape:
        place = (
            "nn" if base.__module__.startswith("nbmodule.nn") else base.__module__.partition(".")[0]
        )
        return f"`{name}` inherits from `{place}.{base.__name__}`, the finished one. Yours has no parent: write `class {name}:`."  # fmt: skip
    right = f"write `class {name}(Module):`."
    if base.__dict__.get("_readers_own") is not None:
        return f"`{name}` stands on `mine.{base.__name__}`, which also has what later chapters write. Here, {right}"
    if base.__module__.partition(".")[0] in FINISHED:
        place = "mine" if isinstance(base, Growing) else "nn"
        return f"`{name}` inherits from `{place}.{base.__name__}`, the finished one. It stands on your own Module: {right}"  # fmt: skip
    return f"`{name}` inherits from `{base.__qualname__}`. It stands on your own Module: {right}"


def refuse_without_base(definition: type) -> None:
    """Raise for a class that has another name than Module and stands on nothing.

    Raises:
        UsageError: it does; the message says both things that it may have been meant for.
    """
    name = definition.__name__
    raise UsageError(
        f"`class {name}:` has no parent. Write `class {name}(Module):` for a layer that stands on your Module, "
        "or `class Module:` to give your Module more methods."
    )


def new_layer(name: str, base: type, doc: str | None) -> type:
    """Return an empty class that stands on `base`."""
    return type(name, (base,), {"__module__": "__main__", "__doc__": doc})


def completed_layer(layer: type, Module: type) -> type:
    """Return a layer with what nbmodule lends to Module.

    Args:
        layer: the reader's class.
        Module: the reader's Module, completed.
    """
    named: dict[str, Any] = {
        "__module__": layer.__module__,
        "__doc__": layer.__doc__,
        "_readers_own": layer,
    }
    return Growing(layer.__name__, (layer, Module), named)
