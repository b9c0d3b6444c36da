"""Saved tensors that were packed by hooks: unpacking them runs somebody's code, so a look leaves them alone.

PyTorch's checkpointing packs what a stretch of the forward pass saved, and runs that stretch again when it is unpacked.
"""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.graphing.records import GraphFacts
from nbmodule_widgets.protocol import attempt

_RAW = "_raw_saved_"
_NAMES: dict[type, tuple[str, ...]] = {}  # the classes of the library's nodes, a few dozen


def is_packed(node: Any) -> bool:
    """Whether a hook would run if what a live node saved were read; the hook itself does not run here."""
    kind = type(node)
    if kind not in _NAMES:
        listed = attempt(dir, kind).value or ()
        _NAMES[kind] = tuple(name for name in listed if name.startswith(_RAW))
    return any(_has_hook(node, name) for name in _NAMES[kind])


def any_packed(graph: GraphFacts) -> bool:
    """Whether that holds for any node of the graph."""
    if graph.library != "torch":
        return False
    return any(is_packed(node) for node in graph.live.nodes if node is not None)


def _has_hook(node: Any, name: str) -> bool:
    saved = attempt(getattr, node, name).value  # one, or those of a list of tensors
    each = saved if type(saved) in (tuple, list) else (saved,)
    return any(attempt(getattr, one, "unpack_hook", None).value is not None for one in each)
