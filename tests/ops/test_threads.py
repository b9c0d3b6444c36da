"""How many threads the linear algebra under NumPy uses."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nbmodule
from nbmodule import _settings


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    asked_for, before = _settings.settings.threads, nbmodule.get_num_threads()
    yield
    if _settings._blas_function(_settings.SETTERS) is not None:
        nbmodule.set_num_threads(before)
    _settings.settings.threads = asked_for


def told(count: int) -> bool:
    """Return whether the linear algebra can be told, and was."""
    if _settings._blas_function(_settings.SETTERS) is None:
        with pytest.warns(UserWarning, match="cannot be told how many threads"):
            nbmodule.set_num_threads(count)
        return False
    nbmodule.set_num_threads(count)
    return True


def test_threads_are_those_that_were_asked_for() -> None:
    for count in (2, 1):
        told(count)
        assert nbmodule.get_num_threads() == count


def test_the_wheels_own_library_can_be_told() -> None:
    """NumPy's wheels for Linux, Windows and most of macOS bring OpenBLAS along."""
    blas: Any = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    if "openblas" in blas["name"]:
        assert told(1)


def test_a_program_can_start_with_one_thread_and_take_two() -> None:
    code = (
        "import nbmodule as n; n.set_num_threads(2); x = n.ones(300, 300); "
        "print(n.get_num_threads(), (x @ x).sum().item())"
    )
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    started = {**os.environ, **one, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.check_output([sys.executable, "-c", code], text=True, env=started)
    assert said.split() == ["2", "27000000.0"]


@pytest.mark.parametrize(
    ("setter", "getter"), [*zip(_settings.SETTERS, _settings.GETTERS, strict=True)]
)
def test_every_name_of_the_functions(
    monkeypatch: pytest.MonkeyPatch, setter: str, getter: str
) -> None:
    """One library has these two functions; another, which is asked before, has none."""
    kept: list[int] = []

    def keep(count: Any) -> None:
        kept.append(count.value)

    library = SimpleNamespace(**{setter: keep, getter: lambda: kept[-1]})
    monkeypatch.setattr(_settings, "_blas_libraries", lambda: iter([SimpleNamespace(), library]))
    nbmodule.set_num_threads(3)
    assert kept == [3]
    assert nbmodule.get_num_threads() == 3


def test_where_nothing_can_be_told_a_warning_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_settings, "_blas_libraries", lambda: iter([SimpleNamespace()]))
    with pytest.warns(UserWarning, match="set OMP_NUM_THREADS before Python starts"):
        nbmodule.set_num_threads(3)
    assert nbmodule.get_num_threads() == 3
