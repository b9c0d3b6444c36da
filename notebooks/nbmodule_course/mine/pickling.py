"""How pickle writes the classes that are made here: by a name that finds them again on the class of the moment."""

from __future__ import annotations

import copyreg
from typing import Any

from .carried import carried_layers, current
from .completed import Growing


def _reduced(cls: type) -> Any:
    """Say how pickle writes a class: a carried layer is known by its place in nbmodule, the reader's own by its name."""
    tape = getattr(cls, "_tape", None)
    if tape is not None and tape.layers.get(cls.__name__) is cls:
        return _on_tape, (cls.__name__,)
    if cls.__dict__.get("_readers_own") in carried_layers:
        return _own_layer, (cls.__name__,)
    if not cls.__module__.startswith("nbmodule."):
        return cls.__qualname__
    return _layer, (cls.__module__, cls.__qualname__)


def _layer(place: str, name: str) -> type:
    """Return the layer with this name that stands on the reader's class now."""
    return current().layer(place, name)


def _own_layer(name: str) -> type:
    """Return the reader's own layer of this name, as it stands now."""
    return getattr(current(), name)


def _on_tape(name: str) -> type:
    """Return the reader's own class of this name on their tape, as it stands now."""
    return getattr(current().on_my_tape(), name)


copyreg.pickle(Growing, _reduced)  # type: ignore[arg-type]
