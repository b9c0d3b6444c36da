"""From facts back to the Python objects they were read from."""

from __future__ import annotations

from nbmodule_widgets.facts.records import ModuleFacts, TensorFacts
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.protocol import attempt, drawer, own_dict

_SLOT = {"parameter": "_parameters", "buffer": "_buffers"}


def resolve(model: object, known: ModuleFacts, row: int) -> object:
    """The live object of a row, or None if it is no longer there.

    Args:
        model: The model itself.
        known: What was read from it.
        row: The row of a Module, a tensor, or a note (which stands for its Module).
    """
    node, item = known.at(row)
    names = []
    while node.parent >= 0:
        names.append(node.name)
        node = known.nodes[node.parent]
    found: object = model
    for name in reversed(names):
        found = _entry(found, "_modules", name)
    return _entry(found, _SLOT[item.kind], item.name) if isinstance(item, TensorFacts) else found


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
            slot = own.get(_SLOT[tensor.kind])
            places.append((slot if isinstance(slot, dict) else {}, tensor.name))
    return places


def _entry(module: object, slot: str, name: str) -> object:
    """What lies in a drawer under a name as the facts tell it."""
    own = own_dict(module).get(slot)
    if type(own) is dict:
        found = attempt(
            own.get, name
        ).value  # guarded: keys of other types may refuse to be compared
        if found is not None:
            return found
    for key, value in drawer(module, slot).entries:
        if key_text(key) == name:
            return value
    return None
