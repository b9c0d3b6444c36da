"""Taking a batch apart: what the model is called with, what its prediction is compared with, and how much it weighs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._tensor import Tensor

TARGETS = ("target", "targets", "label", "labels", "y")
"""The keys of a dictionary that are not given to the model."""

Parts = tuple[tuple[Any, ...], dict[str, Any], Any, int]


def split(batch: Any) -> Parts:
    """Return the inputs by place and by name, the target and the number of samples of a batch.

    =====================  ==============================  ====================
    batch                  call                            target
    =====================  ==============================  ====================
    ``(x, ..., y)``        ``model(x, ...)``               ``y``
    ``(x,)`` or ``x``      ``model(x)``                    ``x``: an autoencoder
    ``{"a": a, "y": y}``   ``model(a=a)``                  ``y``, see `TARGETS`
    =====================  ==============================  ====================

    Raises:
        TypeError: the batch is something else, or an empty tuple.
        ValueError: a dictionary has none, or several, of the `TARGETS`.
    """
    if isinstance(batch, (tuple, list)) and batch:
        *inputs, target = batch
        return tuple(inputs) or (target,), {}, target, size_of(target) or size_of(batch)
    if isinstance(batch, Tensor):
        return (batch,), {}, batch, size_of(batch)
    if isinstance(batch, Mapping):
        found = [key for key in TARGETS if key in batch]
        if len(found) != 1:
            raise ValueError(
                f"a batch with the keys {list(batch)} has {len(found) or 'no'} targets: one key of "
                f"{TARGETS} is needed, or a Learner with a split_batch of its own"
            )
        named = {key: value for key, value in batch.items() if key != found[0]}
        target = batch[found[0]]
        return (), named, target, size_of(target) or size_of(named)
    raise TypeError(
        f"a batch is a tensor, a tuple (inputs, target) or a dictionary, and the loader gave {type(batch).__name__}"
        f"{' without anything in it' if isinstance(batch, (tuple, list)) else ''}"
    )


def size_of(nest: Any) -> int:
    """Return the length of the first tensor found in `nest`, the number of samples; 0 if there is none."""
    if isinstance(nest, Tensor):
        return nest.shape[0] if nest.ndim else 1
    if isinstance(nest, Mapping):
        nest = list(nest.values())
    if isinstance(nest, (tuple, list)):
        return next((size for part in nest if (size := size_of(part))), 0)
    return 0


def batches_in(loader: Any) -> int | None:
    """Return how many batches `loader` yields, or None if it doesn't say."""
    try:
        return len(loader)
    except TypeError:
        return None
