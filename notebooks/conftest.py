"""For nbval: each chapter runs for a reader who has solved the chapters before it, as when it was built."""

import os
import tempfile
from pathlib import Path

import pytest

from nbmodule_course.mine.solved import as_solved_before

_folder = tempfile.TemporaryDirectory()
_running = [Path()]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Before the first cell of a notebook, and with it its kernel: put the reader's class into place."""
    if item.path.suffix == ".ipynb" and item.path != _running[0]:
        _running[0] = item.path
        place = Path(_folder.name, item.path.stem)
        place.mkdir()
        os.environ |= as_solved_before(item.path, place)
