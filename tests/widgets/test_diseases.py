"""The broken programs are broken, the cured ones and their healthy neighbors are not, on both libraries."""

from __future__ import annotations

from typing import Any

import pytest
from programs import DISEASES, HEALTHY, Program

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("broken", DISEASES.values(), ids=DISEASES)
def test_a_disease_shows_itself_and_its_cure_ends_it(lib: Any, broken: Program) -> None:
    lib.manual_seed(0)
    assert broken(lib).shows
    lib.manual_seed(0)
    assert not broken(lib, cured=True).shows


@pytest.mark.parametrize("program", HEALTHY.values(), ids=HEALTHY)
def test_a_healthy_neighbor_does_what_it_should(lib: Any, program: Program) -> None:
    lib.manual_seed(0)
    assert program(lib).shows
