"""From facts back to the Python objects they were read from."""

from __future__ import annotations

from nbmodule_widgets.facts.records import ModuleFacts
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import drawer, own_dict


def resolve(model: object, steps: list[str]) -> object:
    """The live object at the end of a path, or None if it is no longer there.

    Args:
        model: The model itself.
        steps: The names on the way: `["features", "0", "weight"]`.
    """
    found: object = model
    for position, name in enumerate(steps):
        child = _entry(found, "_modules", name)
        if child is None and position == len(steps) - 1:
            child = _entry(found, "_parameters", name)
            child = _entry(found, "_buffers", name) if child is None else child
        if child is None:
            return None
        found = child
    return found


def live_tensors(model: object, known: ModuleFacts) -> list[tuple[dict[str, object], str]]:
    """For each tensor row the drawer and the key under which the tensor lies at any later time."""
    modules: list[object] = []
    places: list[tuple[dict[str, object], str]] = []
    for node in known.nodes:
        parent = modules[node.parent] if node.parent >= 0 else None
        module = model if node.parent < 0 else _entry(parent, "_modules", node.name)
        modules.append(module)
        own = own_dict(module)
        for tensor in node.tensors:
            slot = own.get("_parameters" if tensor.kind == "parameter" else "_buffers")
            places.append((slot if isinstance(slot, dict) else {}, tensor.name))
    return places


def _entry(module: object, slot: str, name: str) -> object:
    """What lies in a drawer under a name as the facts tell it."""
    own = own_dict(module).get(slot)
    if isinstance(own, dict) and name in own:
        return own[name]
    for key, value in drawer(module, slot).entries:
        if type(key) is not str and visible(key) == name:
            return value
    return None
