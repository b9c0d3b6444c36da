"""Small helpers of the layers: sizes that are given once or for each dimension, prefixes of names.

Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/modules/utils.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..functional import _checks

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that makes a tuple of what is iterable, and repeats anything else `n` times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return _checks.repeated(x, n)

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """Return the elements of `t` from the last to the first, each `n` times: the order of `functional.pad`."""
    return tuple(x for x in reversed(t) for _ in range(n))


_list_with_default = _checks.filled_in


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix away from the names of a state, in place, where a name has it.

    A model that was saved from within a wrapper has names such as "module.weight".

    Args:
        state_dict: what `Module.state_dict` returned; its metadata is renamed too.
        prefix: such as "module.".

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/modules/utils.py

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.modules.utils import consume_prefix_in_state_dict_if_present
        >>> state = nn.Sequential(nn.Linear(2, 2)).state_dict(prefix="module.")
        >>> consume_prefix_in_state_dict_if_present(state, "module.")
        >>> list(state)
        ['0.weight', '0.bias']
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for key in list(metadata):  # "" is the wrapper itself, "module" what it holds
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
