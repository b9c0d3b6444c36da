"""Utilities under PyTorch's path: each is loaded when it is first asked for, and no other with it."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name in {"checkpoint", "data", "serialization"}:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
