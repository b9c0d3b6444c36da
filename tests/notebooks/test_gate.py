"""The gate for authors: mechanical mutants, and the list of those that may survive."""

from __future__ import annotations

import sys

import pytest
from course_chapters import ROOT, course_exercises, load

sys.path.insert(0, str(ROOT / "scripts"))
gate = load(ROOT / "scripts" / "gate.py")
mutants = sys.modules["mutants"].mutants

CELL = """
class Module:
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers):
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"no {name}")
"""


@pytest.mark.parametrize(
    "change",
    [
        "drop `raise AttributeError(f'no {name}')`",
        "forget `self._buffers`",
        "never: if name in drawer:",
        "the opposite: name in drawer",
        "only the first",
        "return None: return drawer[name]",
        "another exception",
        "no message",
        "`_modules` instead: self._buffers",
    ],
)
def test_the_usual_changes_are_tried(change):
    assert [mutant for mutant in mutants(CELL) if change in mutant.change]


def test_every_mutant_is_another_program_under_a_name_of_its_own():
    made = mutants(CELL)
    assert len({mutant.source for mutant in made}) == len({m.change for m in made}) == len(made)


def test_a_check_that_sees_nothing_lets_mutants_through(monkeypatch):
    exercise = gate.all_exercises()["02.1"]
    monkeypatch.setattr(gate, "findings", lambda *given, **named: [])
    monkeypatch.setattr(exercise, "subs", [])
    _, *faults = gate.report("02.1", exercise, {})
    assert len(faults) > 10
    assert "    survives: __setattr__: never: if isinstance(value, Parameter):" in faults


def test_a_reason_without_a_survivor_is_a_fault():
    reasons = {**gate.read_reasons()["02.1"], "no such change": "because"}
    _, *faults = gate.report("02.1", gate.all_exercises()["02.1"], reasons)
    assert faults == ["    has a reason and does not survive: no such change"]


def test_reasons_belong_to_exercises_and_are_sentences():
    for exercise_id, reasons in gate.read_reasons().items():
        assert exercise_id in course_exercises()
        assert all(len(reason.split()) > 3 for reason in reasons.values())
