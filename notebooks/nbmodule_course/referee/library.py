"""Which library an answer is written for: ours, or PyTorch, where a reader solves the hook chapters on its Module."""

from __future__ import annotations

import sys
from typing import Any

import nbmodule


def library_of(item: Any) -> Any:
    """Return torch if a class stands on its Module, or if a function speaks of it; else nbmodule."""
    torch = sys.modules.get("torch")
    parts = item.__mro__ if isinstance(item, type) else (item,)
    rooms = {_room(part) for part in parts} | set(map(_room, _spoken_of(item)))
    return torch if torch is not None and "torch" in rooms else nbmodule


def stands_on_pytorch(item: Any) -> bool:
    """Tell whether a class inherits from PyTorch's Module itself, and from none of its layers."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(item, type):
        return False
    theirs = [base for base in item.__mro__[1:-1] if _room(base) == "torch"]
    return theirs == [torch.nn.Module]


def _spoken_of(item: Any) -> list[Any]:
    """Return the modules and functions that a function's code names."""
    known, codes, found = getattr(item, "__globals__", {}), [getattr(item, "__code__", None)], []
    while codes:
        code = codes.pop()
        found += [known[name] for name in getattr(code, "co_names", ()) if name in known]
        codes += [part for part in getattr(code, "co_consts", ()) if hasattr(part, "co_names")]
    return found


def _room(part: Any) -> str:
    """Return the package that something comes from, by its name."""
    name = getattr(part, "__module__", None) or getattr(part, "__name__", "")
    return str(name).partition(".")[0]
