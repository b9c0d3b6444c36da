"""What a decision of `__setattr__` is made of: the records of AssignmentFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbmodule_widgets.lesson_facts.following import CountedLine

Kind = Literal["stored", "kept", "deleted", "refused", "plain"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the method asks.

    Attributes:
        text: `"Is the value a Parameter?"`
        answer: What came out; None if it was not asked.
        because: The values that decided, in words.
    """

    text: str
    answer: bool | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a way through the questions ends.

    Attributes:
        text: What is done there.
        kind: `"stored"` in a drawer, `"kept"`: the key stays and holds None, `"deleted"`, `"refused"` with an exception,
            or `"plain"`: as for any object.
        lit: Whether this line ended here.
    """

    text: str
    kind: Kind
    lit: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A question with the way that branches off from it.

    Attributes:
        question: The question; None in the last row, where only one way is left.
        leaves: The answer with which one leaves the column of questions; with the other one goes on to the next row.
        check: A second question on the way out; with yes it leads to the first ending, with no to the second.
        endings: One ending without a check, two with one.
    """

    question: Question | None
    leaves: bool
    check: Question | None
    endings: tuple[Ending, ...]

    @property
    def lit(self) -> bool:
        """Whether the line ended in this row."""
        return any(ending.lit for ending in self.endings)


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of the player.

    Attributes:
        row: Position of the row; for a line of the class's own method its number; else -1.
        part: `"call"`, `"line"`, `"question"`, `"check"`, `"ending"` or `"result"`.
        words: The step in a sentence.
    """

    row: int
    part: str
    words: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running the line on a copy did.

    Attributes:
        sentence: What moved, in words.
        error: What was raised, or the empty string.
        moves: For each name that changed its place: name, place before and place after; None for nowhere.
    """

    sentence: str
    error: str
    moves: tuple[tuple[str, str | None, str | None], ...]


@dataclass(frozen=True, slots=True)
class FlowFacts:
    """Which way one line takes through the method that Python calls for it.

    Attributes:
        line: The line.
        label: The module, in words.
        method: `"__setattr__"`, `"__delattr__"`, `"register_buffer"`, …; the empty string if no such method ran.
        call: The call that Python makes of the line: `"Module.__setattr__(self, 'fc', Linear(2, 2))"`.
        clerk: Whose method it is, in a sentence.
        library: `"nbmodule"` or `"torch"` if the rows are this library's rules, otherwise the empty string.
        name: The attribute's name.
        value: The value in words; the empty string for none.
        rows: The questions; empty if only the reader's own code knows them.
        removed: Places that the name was taken out of, because it may have one home only.
        outcome: What the line did to the copy.
        agrees: Whether the way that the rules predict is what happened; None where there are no rules to compare.
        moments: What the player shows.
        notes: Remarks.
        source: The reader's own method, with the lines that ran.
        source_of: Whose method that is.
    """

    line: str
    label: str
    method: str
    call: str
    clerk: str
    library: str
    name: str
    value: str
    rows: tuple[Row, ...]
    removed: tuple[str, ...]
    outcome: Outcome
    agrees: bool | None
    moments: tuple[Moment, ...]
    notes: tuple[str, ...] = ()
    source: tuple[CountedLine, ...] = ()
    source_of: str = ""
