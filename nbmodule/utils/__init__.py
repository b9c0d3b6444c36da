"""Utilities under PyTorch's path: each is loaded when it is first asked for, and no other with it."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

if TYPE_CHECKING:
    from . import checkpoint, data, serialization

_LATER = {"checkpoint", "data", "serialization"}


if not TYPE_CHECKING:  # checkers know all names, and so see a misspelt one

    def __getattr__(name: str) -> _Any:
        if name in _LATER:
            return _import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
