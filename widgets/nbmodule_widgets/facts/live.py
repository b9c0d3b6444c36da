"""From facts back to the Python objects they were read from."""

from __future__ import annotations

from nbmodule_widgets.facts.model import ModuleFacts
from nbmodule_widgets.facts.records import TensorFacts
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
    steps = known.steps(node.row)
    found: object = model
    for name in steps:
        found = _entry(found, "_modules", name)
    return _entry(found, _SLOT[item.kind], item.name) if isinstance(item, TensorFacts) else found


def _entry(module: object, slot: str, name: str) -> object:
    """What lies in a drawer under a name as the facts tell it."""
    own = own_dict(module).get(slot)
    if type(own) is dict:
        found = attempt(own.get, name).value  # keys of other types may refuse to be compared
        if found is not None:
            return found
    for key, value in drawer(module, slot).entries:
        if key_text(key) == name:
            return value
    return None
