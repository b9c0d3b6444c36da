"""What asks PyTorch is left out where it isn't installed, is counted, and runs where it is."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest
import without_torch


@pytest.fixture
def items() -> list[Any]:
    marks = (None, "torch", None, "torch")
    return [SimpleNamespace(get_closest_marker=(mark or "none").__eq__) for mark in marks]


@pytest.fixture
def config() -> Any:
    told: list[Any] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: told.extend(items))
    return SimpleNamespace(stash=pytest.Stash(), hook=hook, told=told, workeroutput={})


@pytest.mark.parametrize("installed", [True, False])
def test_marked_tests_are_left_out_at_once(monkeypatch, capsys, items, config, installed):
    found = SimpleNamespace() if installed else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    every = list(items)
    without_torch.pytest_collection_modifyitems(config, items)
    assert items == (every if installed else every[::2])
    assert config.told == ([] if installed else every[1::2])
    session: Any = SimpleNamespace(config=config, exitstatus=pytest.ExitCode.NO_TESTS_COLLECTED)
    next(without_torch.pytest_sessionfinish(session))
    assert session.exitstatus == (5 if installed else 0)
    printing = SimpleNamespace(stash=pytest.Stash())  # the process that has workers
    without_torch.pytest_testnodedown(
        SimpleNamespace(workeroutput=config.workeroutput, config=printing), None
    )
    printer = SimpleNamespace(write_line=print)
    without_torch.pytest_terminal_summary(printer, printing)
    said = "2 x Left out: they ask PyTorch, which isn't installed here\n"
    assert capsys.readouterr().out == ("" if installed else said)
