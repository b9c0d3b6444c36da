"""What one test could leave behind for the next: the settings that every later operation of the process obeys."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

BEFORE = pytest.StashKey[dict[str, Any]]()


def settings_of_the_process() -> dict[str, Any]:
    """Return them by name; nothing of ours is imported for it."""
    found = {"folder": os.getcwd(), "SIGINT": signal.getsignal(signal.SIGINT)}
    nbmodule: Any = sys.modules.get("nbmodule")
    # A test may hold a copy of its own in `sys.modules` for a while, which has not been imported entirely.
    if nbmodule is None or "nbmodule.nn" not in sys.modules:
        return found
    for name, holder in (
        ("modes", nbmodule._engine.grad_mode),
        ("devices", nbmodule._device.chosen),
        ("switches", nbmodule._settings.settings),
        ("print options", nbmodule._tensor_str.options),
    ):
        defaults = {n: v for n, v in vars(type(holder)).items() if not n.startswith("__")}
        found[name] = defaults | vars(holder)
    locks = nbmodule._generator.drawing, nbmodule._engine.graph.accumulating
    found["locks that this thread holds"] = [lock for lock in locks if lock._is_owned()]
    if nbmodule._engine.rare:
        gc.collect()  # an exception may have held a tensor of inference mode
    found["what operations look twice for"] = len(nbmodule._engine.rare)
    found["default dtype"] = nbmodule.get_default_dtype()
    for name, hooks in vars(nbmodule.nn.modules.module).items():
        if name.startswith("_global_"):
            found[name] = dict(hooks) if hooks else None
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Look before the first fixture of a test."""
    item.stash[BEFORE] = settings_of_the_process()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Look again after the last fixture; the test that left something fails, not one that meets it later."""
    result = yield
    before, now = item.stash[BEFORE], settings_of_the_process()
    left = {name: (before[name], now[name]) for name in before.keys() & now.keys() if before[name] != now[name]}  # fmt: skip
    assert not left, f"left behind, as (before, now): {left}"
    return result
