"""A block within which the switches of a module stand otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def switched(module: ModuleType, **values: Any) -> Iterator[None]:
    """Set attributes of `module`, and put them back at the end."""
    before = {name: getattr(module, name) for name in values}
    vars(module).update(values)
    try:
        yield
    finally:
        vars(module).update(before)
