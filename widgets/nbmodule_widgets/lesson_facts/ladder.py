"""What an attribute lookup is made of: the records of AttributeLookup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbmodule_widgets.lesson_facts.following import CountedLine

State = Literal["found", "empty", "passed", "hidden", "unasked", "absent", "raised"]


@dataclass(frozen=True, slots=True)
class Rung:
    """One place where Python looks for a name, or would look.

    Attributes:
        step: `"1"` to `"4"`; `"4a"` and so on for the drawers, which only `__getattr__` opens; `"–"` for the end.
        key: `"data descriptor"`, `"__dict__"`, `"class"`, `"__getattr__"`, a drawer's name or `"AttributeError"`.
        title: What the place is, in a few words.
        where: What was searched there: names of classes, or whose `__getattr__` it is.
        state: `"found"`: the search ended here. `"empty"`: nothing there. `"passed"`: asked, and it sent the search
            on. `"hidden"`: something is there, but the search ended before. `"unasked"`: not reached. `"absent"`: there is
            no such method. `"raised"`: the search ended here with an exception.
        there: What lies in this place, in words; the empty string for nothing.
        says: A sentence for the learner.
    """

    step: str
    key: str
    title: str
    where: str
    state: State
    there: str
    says: str

    @property
    def looked(self) -> bool:
        """Whether the search came here."""
        return self.state in ("found", "empty", "passed", "absent", "raised")


@dataclass(frozen=True, slots=True)
class LookupFacts:
    """How Python looks for `object.name`.

    Attributes:
        label: The object, in words.
        name: The name.
        rungs: The places, in the order in which they are asked.
        ended: Position of the rung where the search ended.
        result: What came back or was raised, in words.
        error: `"AttributeError: …"` if it was raised, otherwise the empty string.
        predicted: Where the search should end, found by reading alone: a rung's key, or the empty string if the reader's
            own code decides.
        tried: How it was tried: `"on the object itself"`, `"on a copy"`, or why it was not.
        agrees: Whether what Python did is what reading had predicted; None where there is nothing to compare.
        hasattr: What `hasattr(object, name)` says.
        dir: What `dir(object)` says about the name.
        tab: What the Tab key offers.
        notes: What is worth knowing: shadows, a property that is blamed, a `__getattr__` that answers everything.
        source: The reader's own `__getattr__` or property, with the lines that ran.
        source_of: Whose lines they are: `"Net.__getattr__"`.
        near: Names that look like this one, if it was not found.
        names: Names that there are.
        called: The reader's own name for the object.
    """

    label: str
    name: str
    rungs: tuple[Rung, ...]
    ended: int
    result: str
    error: str
    predicted: str
    tried: str
    agrees: bool | None
    hasattr: str
    dir: str
    tab: str
    notes: tuple[str, ...] = ()
    source: tuple[CountedLine, ...] = ()
    source_of: str = ""
    near: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    called: str = "it"

    @property
    def steps(self) -> tuple[Rung, ...]:
        """The rungs that the search came to, in order: what is played."""
        return tuple(rung for rung in self.rungs if rung.looked)
