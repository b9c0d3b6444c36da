"""Which worker of pytest-xdist runs which test: a file stays on one, and what takes longest begins first.

A file makes its fixtures once then. All tests in JupyterLab share one server, so they are one piece of work. The marks
of xdist's own `loadgroup` say nothing any more under pytest 9.2: it drops them from the names of the tests.
"""

from __future__ import annotations

from typing import Any

import pytest

SLOW = ("browser", "notebooks", "widgets", "nn", "ops", "benchmarks", "gpu")
"""Folders by the time that they take; a long one that began last would leave the other workers without work."""


def piece_of(nodeid: str) -> str:
    """Return the name of the piece of work that a test belongs to: its file, or the folder `tests/browser`."""
    file = nodeid.partition("::")[0]
    return "tests/browser" if file.startswith("tests/browser/") else file


def _rank(item: pytest.Item) -> int:
    folder = item.nodeid.split("/")[1]
    return SLOW.index(folder) if folder in SLOW else len(SLOW)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the slow folders first in a worker; within a folder the order stays that of pytest-randomly."""
    if hasattr(config, "workerinput"):
        items.sort(key=_rank)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Take the place of xdist's `--dist=loadfile`."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Pieces(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return piece_of(nodeid)

    config.option.loadscopereorder = False  # not by the number of tests
    return Pieces(config, log)
