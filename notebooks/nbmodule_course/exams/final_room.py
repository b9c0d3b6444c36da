"""The process of the final exam: the layers on the class in a file, or for the right answers on nbmodule's own Module.

python -m nbmodule_course.exams.final_room FILE SECONDS      # the keys of the questions come in, one a line
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from ..capture import run_snippet
from .checks import questions
from .layers import rows
from .rebuilt import names_for, rebuild
from .room import Answering, classes_in, read, serve

OURS = Path("-")
"""Stands in the place of a file, and asks nbmodule's own Module."""
LONGEST = 50_000


def begun(file: Path) -> Answering:
    """Return what answers for all layers, once they stand on the class in a file."""
    known = {row.name: row for rows_of_layer in rows().values() for row in rows_of_layer}
    questions()  # while `nn` is ours: what is a layer, it says
    if file != OURS:
        rebuild(classes_in(read(file), file)["Module"])

    @cache
    def names(row: str) -> dict[str, Any]:
        return names_for(known[row])

    return lambda question, told: run_snippet(
        question.code, dict(names(question.key.partition("/")[0])), told
    )


if __name__ == "__main__":
    serve(sys.argv[1:], questions, begun, LONGEST)
