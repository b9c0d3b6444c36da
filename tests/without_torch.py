"""Where PyTorch isn't installed, the tests that ask it are left out when they are collected, all at once.

Skipping them one by one would take the time of their fixtures; the last lines say how many they were.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out what is marked `torch`; `widgets/conftest.py` has marked what asks for the fixture by now."""
    if importlib.util.find_spec("torch") is not None:
        return
    asking = [item for item in items if item.get_closest_marker("torch")]
    config.stash[LEFT_OUT] = len(asking)
    if asking:
        config.hook.pytest_deselected(items=asking)
        items[:] = [item for item in items if not item.get_closest_marker("torch")]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Tell the process that prints, where this is a worker's; nothing but such tests is no failure."""
    left_out = session.config.stash.get(LEFT_OUT, 0)
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["left out"] = left_out
    if left_out and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker has counted; each has counted all."""
    told = getattr(node, "workeroutput", {})
    node.config.stash[LEFT_OUT] = told.get("left out", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many were left out."""
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{left_out} x Left out: they ask PyTorch, which isn't installed here"
        )
