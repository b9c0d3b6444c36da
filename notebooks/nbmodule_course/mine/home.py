"""A function of one class that moves to another: what its `super()` means moves along."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

World = Callable[[dict[str, Any]], dict[str, Any]]


def _the_same(names: dict[str, Any]) -> dict[str, Any]:
    return names


def at_home(value: Any, owner: type, world: World = _the_same) -> Any:
    """Return a function, or what wraps one, whose `super()` means the parents of `owner`; it may share the old one.

    Args:
        value: anything out of the body of a class.
        owner: the class that it is to be put into.
        world: is given the names around a function, and returns those that it is to see; the same ones if left out.
    """
    if isinstance(value, staticmethod | classmethod):
        return type(value)(at_home(value.__func__, owner, world))
    if isinstance(value, property):
        fget, fset, fdel = (
            at_home(part, owner, world) for part in (value.fget, value.fset, value.fdel)
        )
        return type(value)(fget, fset, fdel, value.__doc__)
    if not isinstance(value, FunctionType):
        return value
    inner = getattr(value, "__wrapped__", None)
    cells = value.__closure__ or ()
    moved = [
        CellType(owner)
        if name == "__class__"
        else CellType(at_home(inner, owner, world))
        if inner is not None and _holds(cell, inner)
        else cell
        for name, cell in zip(value.__code__.co_freevars, cells, strict=True)
    ]
    names = world(value.__globals__)
    if names is value.__globals__ and all(map(operator.is_, moved, cells)):
        return value
    again = FunctionType(value.__code__, names, value.__name__, value.__defaults__, tuple(moved))
    again.__kwdefaults__ = value.__kwdefaults__
    again.__dict__.update(value.__dict__)
    again.__doc__, again.__qualname__ = value.__doc__, value.__qualname__
    again.__module__, again.__annotations__ = value.__module__, value.__annotations__
    return again


def _holds(cell: CellType, value: Any) -> bool:
    try:
        return cell.cell_contents is value
    except ValueError:  # nothing in it yet
        return False
