"""Three hints, one after the other, and then the solution."""

from __future__ import annotations

from dataclasses import dataclass

from . import progress_file
from .chapters import solved_source
from .display import Displayed, card, paragraph
from .exercise import HINTS, Exercise, find_exercise
from .highlight import highlighted
from .markers import without_markers
from .wording import indented


@dataclass(frozen=True, repr=False)
class Hint(Displayed):
    """The hints of an exercise that are open; the last of them is the new one."""

    exercise_id: str
    opened: tuple[str, ...]
    next_step: str

    def to_text(self) -> str:
        """Return the open hints as text."""
        lines = [f"{self._label(number)}: {text}" for number, text in enumerate(self.opened, 1)]
        return "\n".join([*lines, self.next_step])

    def to_html(self) -> str:
        """Return the open hints as static HTML; earlier ones are quieter."""
        *earlier, newest = self.opened
        old = [paragraph(f"{number}. {text}", quiet=True) for number, text in enumerate(earlier, 1)]
        label = self._label(len(self.opened))
        return card("info", label, *old, paragraph(newest), paragraph(self.next_step, quiet=True))

    def _label(self, number: int) -> str:
        return f"{self.exercise_id} hint {number} of {HINTS}"


@dataclass(frozen=True, repr=False)
class Solution(Displayed):
    """Our solution of an exercise, or why it is not shown yet."""

    exercise_id: str
    source: str
    note: str

    def to_text(self) -> str:
        """Return the solution, or the note, as text."""
        if not self.source:
            return self.note
        return f"{self.note}\n{indented(self.source, 4)}"

    def to_html(self) -> str:
        """Return the solution, or the note, as static HTML."""
        if not self.source:
            return card("info", f"Solution of {self.exercise_id}", paragraph(self.note))
        heading = f"Solution of {self.exercise_id}"
        return card("info", heading, paragraph(self.note), highlighted(self.source))


def hint(exercise_id: str | Exercise) -> Hint:
    """Open the next hint of an exercise; the course remembers how many are open."""
    exercise = find_exercise(exercise_id)
    opened = progress_file.open_hint(exercise.id, HINTS)
    if opened < HINTS:
        next_step = f'More help: `hint("{exercise.id}")` again opens the next one.'
    else:
        next_step = f'That was the last one. `solution("{exercise.id}")` is open now.'
    return Hint(exercise.id, exercise.hints[:opened], next_step)


def solution(exercise_id: str | Exercise) -> Solution:
    """Show our solution of an exercise that is solved, or whose three hints are open."""
    exercise = find_exercise(exercise_id)
    opened = progress_file.hints_opened(exercise.id)
    if not progress_file.solved(exercise.id) and opened < HINTS:
        return Solution(exercise.id, "", _not_yet(exercise, opened))
    source = without_markers(solved_source(exercise.id))
    if not source:
        return Solution(exercise.id, "", f"No chapter holds a solution of {exercise.id}.")
    return Solution(
        exercise.id, source, "One way to write it. Yours may differ and be just as good."
    )


def _not_yet(exercise: Exercise, opened: int) -> str:
    return (
        f"The solution opens when {exercise.id} is solved, or after its third hint; "
        f'{opened} of {HINTS} are open. `hint("{exercise.id}")` opens the next one.'
    )
