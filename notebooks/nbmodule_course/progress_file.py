"""What the reader has done, in one small JSON file on this computer. It is never sent anywhere.

Two notebooks may write at the same moment: every change is read, made and written under a lock, and
the new file takes the old one's place in one step.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .safely import locked, replace_file

ENVIRONMENT = "NBMODULE_PROGRESS"
_KINDS = ("checks", "hints", "predictions", "editions")


def path() -> Path:
    """Return where progress is kept: $NBMODULE_PROGRESS, or the user's data folder."""
    asked = os.environ.get(ENVIRONMENT)
    if asked:
        return Path(asked).expanduser()
    import platformdirs  # needed here only: checks in a test need no folder of the user's

    return Path(platformdirs.user_data_dir("nbmodule", appauthor=False)) / "progress.json"


def read() -> dict[str, dict[str, Any]]:
    """Return {"checks": …, "hints": …, "predictions": …, "editions": …}; a missing file means nothing was done."""
    try:
        return _parsed(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {kind: {} for kind in _KINDS}
    except (OSError, ValueError):
        return {kind: {} for kind in _KINDS}


def prepare() -> None:
    """Make sure that progress can be written.

    Raises:
        OSError: it cannot; the folder is missing or not ours to write.
    """
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    with locked(file):
        if file.exists():
            file.open("ab").close()


def record_check(exercise_id: str, status: str, edition: str = "") -> None:
    """Remember how an exercise stands; once solved it stays solved, until its check becomes stricter.

    Args:
        exercise_id: such as "02.3".
        status: "passed", "failed" or "not started".
        edition: which edition of the check said so; see `recheck`.
    """

    def change(known: dict[str, dict[str, Any]]) -> None:
        if status != "not started" and known["checks"].get(exercise_id) != "passed":
            known["checks"][exercise_id] = status
        if status == "passed" and edition:
            known["editions"][exercise_id] = edition

    _update(change)


def solved(exercise_id: str) -> bool:
    """Tell whether this exercise was ever solved."""
    return read()["checks"].get(exercise_id) == "passed"


def solved_before(editions: dict[str, str]) -> list[str]:
    """Return the solved exercises among `editions` whose check was another one when it passed."""
    known = read()
    return [
        exercise_id
        for exercise_id, edition in editions.items()
        if known["checks"].get(exercise_id) == "passed"
        and known["editions"].get(exercise_id, "") != edition
    ]


def reopen(exercise_id: str) -> None:
    """Take back that an exercise is solved: its stricter check says otherwise."""
    _update(lambda known: known["checks"].update({exercise_id: "failed"}))


def hints_opened(exercise_id: str) -> int:
    """Return how many hints of this exercise are open."""
    return int(read()["hints"].get(exercise_id, 0))


def open_hint(exercise_id: str, most: int) -> int:
    """Open one more hint, `most` at the most, and return how many are open."""
    return _update(lambda known: _count_up(known["hints"], exercise_id, most))


def record_prediction(question_id: str, chosen: str, right: bool) -> None:
    """Remember the first answer to a question; later ones don't count."""
    _update(
        lambda known: known["predictions"].setdefault(
            question_id, {"chosen": chosen, "right": right}
        )
    )


def _count_up(counts: dict[str, Any], key: str, most: int) -> int:
    counts[key] = min(int(counts.get(key, 0)) + 1, most)
    return counts[key]


def _parsed(text: str) -> dict[str, dict[str, Any]]:
    """Return the tables in `text`.

    Raises:
        ValueError: `text` is not what this module writes.
    """
    found = json.loads(text)
    if not isinstance(found, dict) or any(not isinstance(found.get(k, {}), dict) for k in _KINDS):
        raise ValueError("not a progress file")
    tables = {kind: dict(found.get(kind, {})) for kind in _KINDS}
    if any(type(count) is not int for count in tables["hints"].values()):
        raise ValueError("hint counts must be numbers")
    if any(type(answer) is not dict for answer in tables["predictions"].values()):
        raise ValueError("predictions must be tables")
    return tables


def _update(change: Callable[[dict[str, dict[str, Any]]], Any]) -> Any:
    """Read, change, write; progress that cannot be kept is said once and stops nobody."""
    file = path()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with locked(file):
            _set_corrupt_file_aside(file)
            known = read()
            answer = change(known)
            replace_file(file, json.dumps(known, indent=1, sort_keys=True) + "\n")
            return answer
    except OSError as error:
        print(f"Progress could not be kept in {file}: {error.strerror or error}")
        known = read()
        return change(known)


def _set_corrupt_file_aside(file: Path) -> None:
    """Keep a file that cannot be read as `….bak`, say so, and begin a new one."""
    try:
        _parsed(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except ValueError:
        aside = file.with_name(file.name + ".bak")
        file.replace(aside)
        print(
            f"The progress file could not be read. It was kept as {aside.name}; a new one is started."
        )
