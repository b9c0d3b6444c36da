"""Random numbers in checks: each program draws the same ones, and a check leaves the reader's generators as they were."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator

import numpy as np

import nbmodule


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Put the generators back afterwards, so that a notebook draws the same numbers with a check and without it."""
    libraries = [nbmodule, *filter(None, [sys.modules.get("torch")])]
    ours = [(library, library.get_rng_state()) for library in libraries]
    pythons, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        for library, state in ours:
            library.set_rng_state(state)
        random.setstate(pythons)
        np.random.set_state(numpys)  # noqa: NPY002


def begin_again() -> None:
    """Let the next program draw the same random numbers as the one before it."""
    nbmodule.manual_seed(0)
