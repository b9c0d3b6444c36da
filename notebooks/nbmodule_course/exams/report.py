"""The result of an exam: question by question, what PyTorch answers and what the reader's class answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from ..chapters import Chapter, chapters
from ..display import Displayed, card, inline, paragraph, preformatted, symbol
from ..exercise import find_exercise
from ..numbering import chapter_of_id
from ..wording import indented
from .taking import Answer, State, Taken

_ROW = "margin-top: 0.25em; padding-left: 1.3em; text-indent: -1.3em"  # a second line stands below the words
_LONG = 600
_WORST_FIRST: tuple[State, ...] = ("wrong", "waits", "unasked", "later")
MARKS = {
    "right": ("good", "✓"),
    "wrong": ("bad", "✗"),
    "waits": ("open", "○"),
    "later": ("open", "○"),
    "unasked": ("open", "○"),
}


@dataclass(frozen=True)
class Part:
    """The questions about one chapter.

    Attributes:
        number: of the chapter.
        title: of the chapter.
        file: the name of its notebook.
        answers: in the order of the exam.
    """

    number: str
    title: str
    file: str
    answers: tuple[Answer, ...]

    @property
    def right(self) -> int:
        """Return how many answers are right."""
        return sum(answer.state == "right" for answer in self.answers)

    @property
    def state(self) -> str:
        """Return the state that stands for all: the worst one."""
        return worst({answer.state for answer in self.answers})


@dataclass(frozen=True, repr=False)
class ExamReport(Displayed):
    """The answers to an exam.

    Attributes:
        taken: what was asked and answered.
        page: the file that was written, as a reader may open it; None if there is none.
        problem: why there is none.
    """

    taken: Taken
    page: Path | None = None
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Tell whether everything that comes before the exam is right."""
        if not self.taken.answers:
            return False
        last = self.taken.exam.last
        states = {answer.state for answer in self.taken.answers if _chapter(answer) <= last}
        return states == {"right"} and self.begin_with is None

    @property
    def right(self) -> int:
        """Return how many answers are right."""
        return sum(answer.state == "right" for answer in self.taken.answers)

    @property
    def score(self) -> tuple[int, int]:
        """Return how much is right, of how much."""
        return self.right, len(self.taken.answers)

    @property
    def begin_with(self) -> Answer | None:
        """Return the first wrong answer, which others may wait for."""
        return next((answer for answer in self.taken.answers if answer.state == "wrong"), None)

    @property
    def heading(self) -> str:
        """Return one line: how many answers are right."""
        if self.taken.unfit:
            return "The exam can't be taken"
        right, total = self.score
        return f"{right} of {total} answers are the same as PyTorch's"

    @property
    def advice(self) -> str:
        """Return what to do now."""
        if self.taken.unfit:
            return self.taken.unfit
        first = self.begin_with
        if first is not None:
            return f"Begin with {exercise_name(first)}: {first.question.title}."
        later = sorted({_chapter(a) for a in self.taken.answers if a.state == "later"})
        if later and later[0] <= self.taken.exam.last:
            return f"Everything that you've solved is right. Chapter {later[0]} is next."
        if later:
            return (
                f"Passed. The other questions are about chapter {later[0]}, which is still to come."
            )
        if self.right < len(self.taken.answers):
            return "The time was over before every question was asked."
        return f"Passed. {self.taken.exam.passed}"

    @property
    def tone(self) -> str:
        """Return the color that stands for the result."""
        if self.passed:
            return "good"
        return "bad" if self.begin_with or self.taken.unfit else "open"

    @property
    def parts(self) -> list[Part]:
        """Return the answers by chapter."""
        known = {chapter.number: chapter for chapter in chapters()}
        grouped = groupby(self.taken.answers, key=lambda answer: answer.question.chapter)
        return [_part(number, known.get(number), tuple(answers)) for number, answers in grouped]

    def to_text(self) -> str:
        """Return the result as text: a line a chapter, and the answers that aren't right."""
        return "\n".join([self._first_line, *self._lines(), self.advice, *self._where])

    @property
    def _first_line(self) -> str:
        return f"{'✓' if self.passed else '✗'} {self.heading}"

    def _lines(self) -> Iterator[str]:
        parts = self.parts
        width = max((len(part.title) for part in parts), default=0)
        for part in parts:
            mark, count = MARKS[part.state][1], f"{part.right} of {len(part.answers)}"
            yield f"  {mark} {part.number} {part.title:{width}}  {count}{_open_note(part)}"
            for answer in _to_show(part):
                yield from wrong_lines(answer, answer.question.title)

    def to_html(self) -> str:
        """Return the result as static HTML."""
        where = paragraph(self.problem) if self.problem else ""
        if self.page is not None:
            name = escape(self.page.name)
            where = f'<p style="margin: 0.3em 0">The page to keep: <a href="{name}">{name}</a></p>'
        return card(self.tone, inline(self.heading), self._inside(), paragraph(self.advice), where)

    def _inside(self) -> str:
        return "".join(_row(part) for part in self.parts)

    @property
    def _where(self) -> list[str]:
        page = [f"The page to keep: {self.page.name}"] if self.page else []
        return [*page, *filter(None, [self.problem])]


def worst(states: Collection[State]) -> State:
    """Return the state that stands for several."""
    for state in _WORST_FIRST:
        if state in states:
            return state
    return "right"


def wrong_lines(answer: Answer, title: str) -> Iterator[str]:
    """Yield an answer that isn't right as text."""
    yield f"      {MARKS[answer.state][1]} {title}"
    for label, text in told(answer):
        yield indented(f"{label}: {text}", 8)


def wrong_card(answer: Answer, title: str) -> str:
    """Return an answer that isn't right as HTML, with a link to its exercise."""
    href = escape(link_to(exercise_of_answer(answer)))
    link = f'<a href="{href}">{inline(exercise_name(answer))}</a>'
    pairs = [pair for pair in told(answer) if pair[0] != "see"]
    width = max(len(label) for label, _ in pairs) + 2
    both = "\n".join(f"{label + ':':{width}}{text}" for label, text in pairs)
    return (
        f'<div style="margin-left: 1.6em">{symbol(*MARKS[answer.state])} {inline(title)} ({link})'
        f"{preformatted(escape(both))}</div>"
    )


def answers_of(answer: Answer) -> list[tuple[str, str]]:
    """Return the right answer and the reader's, each with whose it is; of long ones, where they begin to differ."""
    question = answer.question
    right, theirs = question.torch, answer.said
    if max(len(right), len(theirs)) > _LONG:
        pairs = enumerate(zip(right, theirs, strict=False))
        at = next((i for i, (a, b) in pairs if a != b), min(len(right), len(theirs)))
        right, theirs = (_around(text, at) for text in (right, theirs))
    return [(question.referee, right), ("yours", theirs)]


def _around(text: str, at: int) -> str:
    first, last = max(0, at - _LONG // 3), at + _LONG // 3
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


def told(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield what there is to say about an answer that isn't right, each with a label."""
    if answer.state == "wrong":
        yield from answers_of(answer)
        if answer.printed:
            yield "it printed", answer.printed
        if answer.where:
            yield "in", answer.where.replace("`", "")
        yield "see", exercise_name(answer)


def why(answer: Answer, titles: dict[str, str]) -> str:
    """Say in a few words why a question is open; '' if it isn't.

    Args:
        answer: the answer.
        titles: the titles of all questions by their keys.
    """
    return {
        "waits": f"first: {titles.get(answer.waits_for, '')}",
        "later": "still to come",
        "unasked": "not asked, because the time was over",
    }.get(answer.state, "")


def _chapter(answer: Answer) -> str:
    """Return the chapter without which an answer can't be right."""
    return chapter_of_id(max(answer.question.mends, answer.mends))


def exercise_of_answer(answer: Answer) -> str:
    """Return the id of the exercise to go back to."""
    return answer.mends or answer.question.mends


def exercise_name(answer: Answer) -> str:
    """Return "02.3 All six rows"."""
    mends = exercise_of_answer(answer)
    return f"{mends} {find_exercise(mends).title}"


def link_to(mends: str) -> str:
    """Return where an exercise is: the notebook and the heading, as a relative link; '' if it isn't known."""
    from ..path import anchor_of  # it needs nbformat, and a chapter doesn't

    number = mends.partition(".")[0]
    chapter = next((c for c in chapters() if c.number == number), None)
    if chapter is None:
        return ""
    for cell in chapter.cells:
        for line in cell.source.split("\n") if cell.kind == "markdown" else ():
            if line.startswith("#") and f"Exercise {mends}:" in line:
                return f"{chapter.path.name}#{anchor_of(line.lstrip('# '))}"
    return chapter.path.name


def _part(number: str, chapter: Chapter | None, answers: tuple[Answer, ...]) -> Part:
    if chapter is None:
        return Part(number, "", "", answers)
    return Part(number, chapter.title.replace("`", ""), chapter.path.name, answers)


def _to_show(part: Part) -> list[Answer]:
    return [answer for answer in part.answers if answer.state == "wrong"]


def _open_note(part: Part) -> str:
    """Say what is open in a chapter."""
    counts = {
        state: sum(answer.state == state for answer in part.answers)
        for state in ("waits", "later", "unasked")
    }
    said = {
        "waits": f"{counts['waits']} can't be right before something above is",
        "later": "still to come",
        "unasked": "the time was over",
    }
    notes = [said[state] for state, count in counts.items() if count]
    return f" ({', '.join(notes)})" if notes else ""


def _row(part: Part) -> str:
    mark = symbol(*MARKS[part.state])
    name = f"{part.number} {part.title}"
    link = f'<a href="{escape(part.file)}">{escape(name)}</a>' if part.file else escape(name)
    quiet = (
        f'<span style="opacity: 0.75">{part.right} of {len(part.answers)}{_open_note(part)}</span>'
    )
    shown = "".join(wrong_card(answer, answer.question.title) for answer in _to_show(part))
    return f'<div style="{_ROW}">{mark} {link} {quiet}</div>{shown}'
