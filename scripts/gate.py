"""The gate for authors: changes every solution mechanically, and lists the changes that no check notices.

    python3 dev.py gate            all chapters
    python3 dev.py gate 02         one chapter
    python3 dev.py gate 02.3       one exercise

A mutant that survives is a hole in the checks, or it makes no difference to anybody. Then its reason stands in
tests/notebooks/survivors.toml; a reason whose mutant has died is reported as well.
"""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SURVIVORS = ROOT / "tests" / "notebooks" / "survivors.toml"
sys.path[:0] = [str(ROOT), str(ROOT / "widgets"), str(ROOT / "notebooks"), str(ROOT / "scripts")]

from mutants import Mutant, mutants  # noqa: E402

from nbmodule_course.check import examine  # noqa: E402
from nbmodule_course.exercise import Exercise, all_exercises  # noqa: E402
from nbmodule_course.referee.groups import Calls, Group  # noqa: E402
from nbmodule_course.referee.solutions import solution_source  # noqa: E402
from nbmodule_course.referee.verdict import findings  # noqa: E402
from nbmodule_course.referee.wrong_answers import item_of  # noqa: E402


def main(arguments: list[str]) -> int:
    """Look at the exercises that the arguments name; return how many survivors have no reason, at most 1."""
    os.environ["NBMODULE_PROGRESS"] = str(Path(tempfile.mkdtemp(), "progress.json"))
    wanted = arguments[0] if arguments else ""
    known = {id_: e for id_, e in all_exercises().items() if _chosen(id_, wanted)}
    known = {id_: e for id_, e in known.items() if e.defined_in.startswith("nbmodule_course.")}
    if not known:
        print(f"There is no exercise {wanted!r}. Write: python3 dev.py gate 02, or 02.3.")
        return 2
    faults = 0
    with ProcessPoolExecutor(min(len(known), os.cpu_count() or 1)) as pool:
        for lines in pool.map(looked_at, known):
            print("\n".join(lines), flush=True)
            faults += len(lines) - 1
    return min(faults, 1)


def looked_at(exercise_id: str) -> list[str]:
    """Return the report on an exercise by its id: what another process is asked."""
    reasons = read_reasons().get(exercise_id, {})
    return report(exercise_id, all_exercises()[exercise_id], reasons)


def _chosen(exercise_id: str, wanted: str) -> bool:
    return not wanted or exercise_id == wanted or exercise_id.partition(".")[0] == wanted


def read_reasons() -> dict[str, dict[str, str]]:
    """Return for each exercise the survivors that have a reason: change -> reason."""
    if not SURVIVORS.is_file():
        return {}
    found = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    return {exercise: dict(changes) for exercise, changes in found.items()}


def report(exercise_id: str, exercise: Exercise, reasons: dict[str, str]) -> list[str]:
    """Return a line on the mutants of one exercise, and one for each that is at fault."""
    made, deadly = mutants(solution_source(exercise_id)), []
    alive = [mutant for mutant in made if survives(exercise, mutant, deadly)]
    excused = [mutant for mutant in alive if mutant.change in reasons]
    open_ = [mutant for mutant in alive if mutant.change not in reasons]
    stale = [change for change in reasons if change not in {mutant.change for mutant in alive}]
    line = f"{exercise_id}: {len(made) - len(alive)} of {len(made)} mutants found"
    return [
        f"{line}, {len(excused)} with a reason, {len(open_)} survive",
        *(f"    survives: {mutant.change}" for mutant in open_),
        *(f"    has a reason and does not survive: {change}" for change in stale),
    ]


def survives(exercise: Exercise, mutant: Mutant, deadly: list[Group | Calls]) -> bool:
    """Tell whether the checks take a mutant for a right answer.

    Args:
        exercise: what is asked.
        mutant: the changed solution.
        deadly: the parts of the checks that have found earlier mutants, the last one first; it grows. Most mutants
            are found by one of a few programs.
    """
    try:
        item = item_of(exercise, mutant.source)
    except Exception:  # it does not even run
        return False
    for finding in findings(exercise, item, explain=False, first=tuple(deadly)):
        if not finding.passed:
            if finding.by is not None:
                deadly[:] = [finding.by, *(part for part in deadly if part != finding.by)]
            return False
    return examine(exercise, (item,)).status == "passed" if exercise.subs else True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
