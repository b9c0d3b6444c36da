"""The default generator: seeding it, saving it, putting it back.

Source: https://docs.pytorch.org/docs/stable/random.html
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ._generator import Generator as Generator
from ._generator import default_generator
from ._tensor import Tensor


def manual_seed(seed: int) -> Generator:
    """Start the default generator again from `seed` and return it.

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.rand(3)
        tensor([0.4963, 0.7682, 0.0885])
    """
    return default_generator.manual_seed(seed)


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
def fork_rng(enabled: bool = True) -> Iterator[None]:
    """Give the default generator its state back at the end of the block."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
