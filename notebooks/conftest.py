"""For nbval: a chapter runs for a reader who has solved the chapters before it, as when it was built.

Each prediction is asked where it stands, with the names that there are by then: exactly one of its options is true.
What is revealed there changes no output of a later cell, or nbval says so.
"""

import os
import tempfile
from pathlib import Path

import pytest

from nbmodule_course.chapters import cells_of, lone_prediction
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """After a prediction has run: reveal it in its kernel."""
    yield
    (cell,) = cells_of({"cells": [item.cell]}) if item.path.suffix == ".ipynb" else (None,)
    if cell and (question := lone_prediction(cell)):
        said = _said(item.parent.kernel, f"({cell.source.strip()}\n).reveal()")
        assert said == "''", f"prediction {question}: {said}"


def _said(kernel, reveal):
    """Return what a kernel finds wrong with a prediction, as it is written in Python."""
    asked = {"fault": f"{reveal}.fault"}
    answer = kernel.kc.execute("", silent=True, user_expressions=asked, reply=True, timeout=300)
    found = answer["content"]["user_expressions"]["fault"]
    return found["data"]["text/plain"] if found["status"] == "ok" else found["evalue"]
