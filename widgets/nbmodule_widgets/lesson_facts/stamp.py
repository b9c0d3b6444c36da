"""Whether a Module is still what it was: a cheap mark of what lies where, without looking into any value."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.protocol import DRAWERS, drawer, mro_of, namespace_of, own_dict


def stamp_of(module: object, *names: str) -> tuple[Any, ...]:
    """A mark that changes when an entry of the object or of its class comes, goes or is replaced.

    Args:
        module: Any object.
        names: Attributes of the class, and of those that it inherits from, that count as well.
    """
    drawers = [
        (slot, id(key), id(item)) for slot in DRAWERS for key, item in drawer(module, slot).entries
    ]
    plain = [(id(key), id(item)) for key, item in list(own_dict(module).items())]
    spaces = [namespace_of(c) for c in mro_of(type(module))]
    of_class = [id(space.get(name)) for space in spaces for name in names]
    return id(type(module)), tuple(drawers), tuple(plain), tuple(of_class)
