"""`progress()`: the map of the course, with what is done and what is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import progress_file
from .chapters import Chapter, chapters
from .display import Displayed, card, inline, symbol
from .wording import counted

_MARKS = {"passed": ("good", "✓"), "failed": ("bad", "✗"), "open": ("open", "○")}


@dataclass(frozen=True)
class ChapterProgress:
    """How one chapter stands.

    Attributes:
        number: "02".
        title: the chapter's title.
        exercises: (id, "passed" | "failed" | "open") for each exercise.
        questions: how many predictions the chapter asks for.
        right: how many came true.
        answered: how many were made.
    """

    number: str
    title: str
    exercises: tuple[tuple[str, str], ...]
    questions: int
    right: int
    answered: int

    @property
    def solved(self) -> int:
        """Return how many exercises are solved."""
        return sum(status == "passed" for _, status in self.exercises)

    @property
    def begun(self) -> bool:
        """Tell whether an exercise was tried or a prediction made."""
        return self.answered > 0 or any(status != "open" for _, status in self.exercises)

    @property
    def summary(self) -> str:
        """Return one line in words."""
        parts = []
        if self.exercises:
            parts.append(f"{self.solved} of {counted(len(self.exercises), 'exercise')} solved")
        if self.questions:
            parts.append(
                f"{self.answered} of {counted(self.questions, 'prediction')} made, {self.right} right"
            )
        return "; ".join(parts) or "nothing to solve"


@dataclass(frozen=True, repr=False)
class ProgressMap(Displayed):
    """The chapters in order, each with its exercises and predictions."""

    chapters: tuple[ChapterProgress, ...]

    def to_text(self) -> str:
        """Return the map as text."""
        if not self.chapters:
            return "No chapters are installed."
        lines = []
        for chapter in self.chapters:
            lines.append(f"{chapter.number}  {chapter.title}: {chapter.summary}")
            marks = [f"{_MARKS[status][1]} {name}" for name, status in chapter.exercises]
            lines += ["    " + "  ".join(marks)] if marks else []
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return the map as static HTML."""
        if not self.chapters:
            return card("open", "No chapters are installed.")
        return card("info", "Your progress", *(_row(chapter) for chapter in self.chapters))

    @property
    def next_step(self) -> str:
        """Return in words what is open first; '' if all is solved. An optional chapter (00b) may be passed over."""
        for position, chapter in enumerate(self.chapters):
            later = self.chapters[position + 1 :]
            if not chapter.number.isdigit() and not chapter.begun and any(c.begun for c in later):
                continue
            for name, status in chapter.exercises:
                if status != "passed":
                    return f"Next: exercise {name} in chapter {chapter.number}"
        return ""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return the live map where the views are installed, and always its two static forms."""
        try:
            from .progress_view import live_bundle
        except ImportError:
            return {"text/plain": self.to_text(), "text/html": self.to_html()}
        return live_bundle()


def progress() -> ProgressMap:
    """Show the chapters, which exercises are solved, and which predictions came true.

    Progress is one file on this computer; nothing is sent anywhere.
    """
    return progress_of(chapters())


def progress_of(known: list[Chapter]) -> ProgressMap:
    """Return how these chapters stand now.

    Args:
        known: the chapters; they remember what they have read of their notebooks.
    """
    done = progress_file.read()
    return ProgressMap(tuple(_of_chapter(chapter, done) for chapter in known))


def _of_chapter(chapter, known) -> ChapterProgress:
    answers = [known["predictions"].get(name) for name in chapter.question_ids]
    made = [answer for answer in answers if answer is not None]
    return ChapterProgress(
        number=chapter.number,
        title=chapter.title,
        exercises=tuple((name, _status(known["checks"], name)) for name in chapter.exercise_ids),
        questions=len(answers),
        right=sum(bool(answer.get("right")) for answer in made),
        answered=len(made),
    )


def _status(checks, exercise_id: str) -> str:
    status = checks.get(exercise_id, "open")
    return status if status in _MARKS else "open"


def _row(chapter: ChapterProgress) -> str:
    marks = " ".join(
        f"{symbol(*_MARKS[status])} {inline(name)}" for name, status in chapter.exercises
    )
    title = f"<strong>{inline(chapter.number)}</strong> {inline(chapter.title)}"
    quiet = f'<span style="opacity: 0.75">{inline(chapter.summary)}</span>'
    below = f'<div style="margin-left: 2em">{marks}</div>' if marks else ""
    return f'<div style="margin: 0.35em 0">{title}: {quiet}{below}</div>'
