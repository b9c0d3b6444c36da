"""What a diagnosis says: findings with their evidence, and what could not be examined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nbmodule_widgets.diagnosing.catalogue import CATALOGUE

CERTAIN, LIKELY = "certain", "likely"
_ORDER = (CERTAIN, LIKELY)


@dataclass(frozen=True, slots=True)
class Finding:
    """One disease of a program, and what was seen of it.

    Attributes:
        name: `"plain-list"`: a key of the catalogue, the same in every version.
        certainty: `"certain"`: nothing healthy shows this. `"likely"`: nothing healthy should.
        sentence: What is wrong, in one sentence.
        evidence: The observations, a line each.
        cure: What to do, as code.
        chapter: Where the course explains it: `"08 Containers and the plain-list trap"`; empty if nowhere.
    """

    name: str
    certainty: str
    sentence: str
    evidence: tuple[str, ...]
    cure: str
    chapter: str


@dataclass(frozen=True, slots=True)
class DiagnosisFacts:
    """What `diagnose` found.

    Attributes:
        model: The class of the model.
        found: The findings, the most certain first.
        examined: What was looked at, in a few words each.
        unexamined: What was not, and what would let it be examined, in sentences.
        seconds: How long it took.
        raised: What the program raised, in a line; empty if nothing.
        outside: What looking could not undo, in a sentence; empty if nothing.
    """

    model: str
    found: tuple[Finding, ...]
    examined: tuple[str, ...]
    unexamined: tuple[str, ...]
    seconds: float = 0.0
    raised: str = ""
    outside: tuple[str, ...] = ()


def finding(
    name: str, certainty: str, sentence: str, evidence: Iterable[str], cure: str = ""
) -> Finding:
    """A finding with the chapter, and unless it brings its own with the cure, that the catalogue has for it.

    Args:
        name: A key of the catalogue.
        certainty: One of the two.
        sentence: What is wrong.
        evidence: What was seen.
        cure: With the names of this program; the catalogue's where it is empty.
    """
    known = CATALOGUE[name]
    return Finding(name, certainty, sentence, tuple(evidence), cure or known.cure, known.chapter)


def ordered(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each disease once, the most certain first, and otherwise in the order in which they were found."""
    once: dict[str, Finding] = {}
    for each in found:
        known = once.get(each.name)
        if known is None or _ORDER.index(each.certainty) < _ORDER.index(known.certainty):
            once[each.name] = each
    hidden = {name for each in once.values() for name in CATALOGUE[each.name].explains}
    left = [each for each in once.values() if each.name not in hidden]
    return tuple(sorted(left, key=lambda each: _ORDER.index(each.certainty)))
