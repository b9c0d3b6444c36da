"""The random numbers of tensors on a GPU.

They are drawn by `nbmodule.default_generator` and sent to the card, so that a seed gives the same numbers on every
device. PyTorch draws others on a GPU than on the CPU, with a generator for each card. The functions here exist so
that programs which seed those run; the seed that counts is that of `nbmodule.manual_seed`.

Source: https://docs.pytorch.org/docs/stable/cuda.html#random-number-generator
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._backend import import_cupy
from .._generator import default_generator
from . import device_count


def manual_seed(seed: int) -> None:
    """Do nothing: random numbers for a GPU come from `nbmodule.default_generator` too."""


def manual_seed_all(seed: int) -> None:
    """Do nothing: random numbers for all GPUs come from `nbmodule.default_generator` too."""


def seed() -> None:
    """Do nothing; see `manual_seed`."""


def seed_all() -> None:
    """Do nothing; see `manual_seed`."""


def initial_seed() -> int:
    """Return the seed of `nbmodule.default_generator`.

    Raises:
        AssertionError: there is no GPU.
    """
    import_cupy()
    return default_generator.initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """Return the state of `nbmodule.default_generator`.

    Raises:
        AssertionError: there is no GPU.
    """
    import_cupy()
    return default_generator.get_state()


def get_rng_state_all() -> list[Any]:
    """Return the same state for every GPU."""
    return [get_rng_state(i) for i in range(device_count())]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Put `nbmodule.default_generator` into a state that `get_rng_state` returned.

    Raises:
        AssertionError: there is no GPU.
    """
    import_cupy()
    default_generator.set_state(new_state)


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Put `nbmodule.default_generator` into the state that `get_rng_state_all` returned."""
    for state in new_states:
        set_rng_state(state)
