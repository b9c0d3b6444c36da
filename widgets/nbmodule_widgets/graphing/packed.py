"""Saved tensors that were packed by hooks: unpacking them runs somebody's code, so a look leaves them alone.

PyTorch's checkpointing packs what a stretch of the forward pass saved, and runs that stretch again when it is unpacked.
"""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.protocol import attempt

PACKED = "packed by a saved-tensor hook, as checkpoint does; unpacking would run code, so it stays packed"
"""What is said of such a value."""

_RAW = "_raw_saved_"
_NAMES: dict[type, tuple[str, ...]] = {}  # the classes of the library's nodes, a few dozen


def is_packed(node: Any) -> bool:
    """Whether a hook would run if what a live node saved were read; the hook itself does not run here."""
    kind = type(node)
    if kind not in _NAMES:
        listed = attempt(dir, kind).value or ()
        _NAMES[kind] = tuple(name for name in listed if name.startswith(_RAW))
    return any(has_unpack_hook(node, name) for name in _NAMES[kind])


def has_unpack_hook(node: Any, name: str) -> bool:
    """Whether reading one of the values that a node saved would run a hook.

    Args:
        node: A node of PyTorch's.
        name: The attribute that gives the value as it is kept, such as `"_raw_saved_self"`.
    """
    saved = attempt(getattr, node, name, None).value  # one, or those of a list of tensors
    each = saved if type(saved) in (tuple, list) else (saved,)
    return any(attempt(getattr, one, "unpack_hook", None).value is not None for one in each)
