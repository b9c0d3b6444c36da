"""What lies behind a tensor that was computed before: its graph belongs to the reader, and leads to their leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbmodule_widgets.protocol import read

_MOST = 100_000  # nodes


def has_history(tensor: Any) -> bool:
    """Whether a backward pass would go on from this tensor into operations that made it."""
    return read(tensor, "grad_fn").value is not None


def leaves_behind(tensors: Iterable[Any]) -> list[Any]:
    """The leaves that a backward pass through these tensors would give a gradient to, each once.

    Args:
        tensors: Tensors of any library; those without a history lead nowhere.
    """
    pending = [node for t in tensors if (node := read(t, "grad_fn").value) is not None]
    seen = set(map(id, pending))
    leaves, held = [], list(pending)  # a node of PyTorch is an object only while somebody holds it
    while pending and len(held) < _MOST:
        node = pending.pop()
        leaf = read(node, "variable").value
        leaves += [] if leaf is None else [leaf]
        for entry in read(node, "next_functions").value or ():
            further = entry[0]
            if further is not None and id(further) not in seen:
                seen.add(id(further))
                held.append(further)
                pending.append(further)
    return leaves
