"""`diagnose` names the diseases that programs have, is silent on healthy ones, and changes nothing."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from fingerprints import everything
from programs import DISEASES, HEALTHY

import nbmodule_widgets as nw


@pytest.mark.parametrize("name", DISEASES)
def test_a_disease_is_named_and_its_cure_is_healthy(lib: Any, name: str) -> None:
    lib.manual_seed(0)
    program = DISEASES[name](lib)
    found = nw.diagnose(**program.given)
    assert found.names == [name]
    for each in found:
        assert each.sentence
        assert each.evidence
        assert each.cure
    lib.manual_seed(0)
    assert nw.diagnose(**DISEASES[name](lib, cured=True).given).names == []


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_has_no_finding(lib: Any, name: str) -> None:
    lib.manual_seed(0)
    assert nw.diagnose(**HEALTHY[name](lib).given).names == []


@pytest.mark.parametrize("name", [*DISEASES, *HEALTHY])
def test_nothing_is_changed(lib: Any, name: str) -> None:
    lib.manual_seed(0)
    given = {**DISEASES, **HEALTHY}[name](lib).given
    things = [given.get(key) for key in ("x", "y", "optimizer", "loss_fn")]
    state = copy.copy(vars(given.get("optimizer") or object.__new__(type("No", (), {}))))
    before = everything(lib, given["model"], *things, state)
    nw.diagnose(**given)
    assert everything(lib, given["model"], *things, state) == before
