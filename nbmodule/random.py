"""The default generator: seeding it, saving it, putting it back.

Source: https://docs.pytorch.org/docs/stable/random.html
"""

from __future__ import annotations

from collections.abc import Generator as Steps
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from ._device import device
from ._generator import OF_THREADS, default_generator
from ._generator import Generator as Generator
from ._tensor import Tensor


def manual_seed(seed: Any) -> Generator:
    """Start the default generator again from `seed`, a number of at most 64 bits, and return it.

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.rand(3)
        tensor([0.4963, 0.7682, 0.0885])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the default generator from a seed that nobody can foresee, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator was last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default generator as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator back into a state that `get_rng_state` returned."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, _caller: str = "fork_rng", _devices_kw: str = "devices", device_type: str | None = None) -> Steps[None]:  # fmt: skip
    """Give the default generator its state back at the end of the block.

    Args:
        devices: GPUs whose generators are to be put back too; they have none of their own here.
        enabled: False leaves the state alone.
        device_type: "cuda" or "cpu".
    """
    if device_type is not None:
        device(device_type)
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator() -> Generator | None:
    """Return the generator of the data loader's worker that asks, None in any other thread.

    The default generator draws from the same numbers in that thread: ``generator=None`` is right everywhere.
    """
    return OF_THREADS.get(get_ident())
