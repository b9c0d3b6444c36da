"""Suspects: Modules whose code mentions their mode or random numbers, and which are therefore run by themselves."""

from __future__ import annotations

import inspect
from functools import lru_cache
from types import FunctionType

from nbmodule_widgets.facts.mentions import Mention, mentions
from nbmodule_widgets.protocol import (
    HOOK_SLOTS,
    attempt,
    class_attribute,
    drawer,
    mro_of,
    namespace_of,
    own_dict,
)

_TELLING = ("training", "drop", "rand", "bernoulli", "noise", "normal_")
_LIBRARY_BASES = ("torch.nn.modules.module", "nbmodule.nn.modules.module")
_LIBRARIES = ("torch.nn.modules.", "nbmodule.nn.modules.")


def looks_at_its_mode(module: object) -> bool:
    """Whether the code of a Module's class mentions its mode or random numbers; True if it cannot be read.

    That it calls its child `self.dropout` says nothing about its own code.
    """
    return attempt(_looks, module).value is not False


def is_of_a_library(module: object) -> bool:
    """Whether a Module is one of PyTorch's or nbmodule's own layers, with nothing of the reader's in it.

    What the code of such a layer does not mention, it does not do.
    """
    own = own_dict(module)
    home = namespace_of(type(module)).get("__module__")
    plain = type(home) is str and home.startswith(_LIBRARIES) and "forward" not in own
    return plain and not any(own.get(name) for name in HOOK_SLOTS)


def _looks(module: object) -> bool:
    children = {key for key, _ in drawer(module, "_modules").entries if type(key) is str}
    for cls in mro_of(type(module)):
        namespace = namespace_of(cls)
        if cls is object or namespace.get("__module__") in _LIBRARY_BASES:
            continue
        for value in namespace.values():
            if isinstance(value, FunctionType) and _tells(value, children):
                return True
    forward = own_dict(module).get("forward") or class_attribute(module, "forward")
    return not isinstance(forward, FunctionType)


def _tells(function: FunctionType, children: set[str]) -> bool:
    telling = _telling(inspect.unwrap(function))
    return any(not (of_self and name in children) for name, of_self in telling)


@lru_cache(maxsize=2048)
def _telling(function: FunctionType) -> tuple[Mention, ...]:
    """The names in a function's code that have to do with modes or random numbers."""
    found = mentions(function)
    return tuple(one for one in found if any(part in one.name for part in _TELLING))
