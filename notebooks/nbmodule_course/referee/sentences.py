"""A difference in plain English: what was run, what came of it, and what the real one does."""

from __future__ import annotations

import re
from typing import Any

from ..diagnosis import what_it_said
from ..wording import first_lines, listing
from .compare import Difference, Outcome, message_of
from .steps import Program, Step
from .values import Making, value_named
from .world import DRAWERS, OF_THE_SUBJECT, STORED, Words


def described(found: Difference, name: str = "Module") -> tuple[str, str]:
    """Return two sentences for a report: what the reader's class did, and what the real one does.

    Args:
        found: where the two differ.
        name: what the exercise calls the class.
    """
    call = str(found.program.made) if isinstance(found.program.made, Making) else f"{name}()"
    if not found.program.steps and found.aspect == "state":
        did, real = _states(found)
        return f"after `m = {call}`, {did}{_legend(found.program, did + real)}", real
    if not found.program.steps:
        made = "an empty object" if found.program.made == "blank" else f"`{call}`"
        legend = _legend(found.program, "")
        return f"{made} {_came(found.theirs)}{legend}", f"it {_came(found.ours)}"
    if found.aspect == "outcome":
        did, real = _outcomes(found)
    elif found.aspect == "words":
        did, real = _words(found)
    elif found.aspect == "values":
        did, real = _values(found)
    else:
        did, real = _states(found)
    first = "" if name == "Module" or found.program.made == "blank" else f"m = {call}"
    return f"{_after(found, first)}{did}{_legend(found.program, did + real)}", real


def _after(found: Difference, first: str) -> str:
    """Return "after `m.w = P; m.w = None`, " and how the object was made."""
    program, said = found.program, []
    if program.made == "blank":
        said.append("on an object whose `__init__` never ran")
    steps = program.steps if found.aspect in ("state", "values") else program.steps[:-1]
    if first or steps:
        said.append(f"after `{'; '.join(filter(None, [first, *(step.text for step in steps)]))}`")
    sentence = ", ".join(said)
    return f"{sentence}, " if sentence else ""


def _legend(program: Program, said: str) -> str:
    """Return " (`P` and `Q` are Parameters)", or ''."""
    made = program.made.uses if isinstance(program.made, Making) else ()
    names = dict.fromkeys([*made, *(name for step in program.steps for name in step.values)])
    kinds: dict[str, list[str]] = {}
    for name in names:
        noun = _ARTICLE.sub("", value_named(name).words)
        if noun:
            kinds.setdefault(noun, []).append(f"`{name}`")
    words = [
        f"{listing(those)} are {noun}s"
        if len(those) > 1
        else f"{those[0]} is {_article(noun)} {noun}"
        for noun, those in kinds.items()
    ]
    if "Zebra" in said:
        words.append("`Zebra` is a subclass of yours")
    named = {name for step in program.steps for name in step.names}
    words += [what for name, what in OF_THE_SUBJECT.items() if name in named]
    return f" ({listing(words)})" if words else ""


_ARTICLE = re.compile("^(another|an|a) ")


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def _came(outcome: Outcome) -> str:
    if outcome.error is not None:
        return f"raises `{first_lines(what_it_said(outcome.error), 2)}`"
    return "works"


def _outcomes(found: Difference) -> tuple[str, str]:
    step = found.program.steps[-1]
    ours, theirs = found.ours, found.theirs
    if _is_listing(ours.value) and _is_listing(theirs.value):
        return _difference_of_dicts(step.text, ours.value, theirs.value)
    did = f"`{step.text}` {_result(theirs, step)}"
    if not step.gives and ours.error is theirs.error is None:
        return did, "it returns None"
    return did, f"it {_result(ours, step)}"


def _result(outcome: Outcome, step: Step) -> str:
    """Return "raises `TypeError: …`", "gives `None`" or, of a statement, "is accepted"."""
    if outcome.error is not None:
        return f"raises `{first_lines(what_it_said(outcome.error), 2)}`"
    if isinstance(outcome.value, BaseException):
        return f"returns {outcome.gave} and raises nothing"
    if isinstance(outcome.value, Words):
        return str(outcome.value)
    if not step.gives and outcome.value is None:
        return "is accepted"
    return "gives the names" if _is_listing(outcome.value) else f"gives `{outcome.gave}`"


def _is_listing(value: Any) -> bool:
    """Tell whether it is the result of the step `dir(m)`."""
    return isinstance(value, dict) and value.keys() == {"names", "more than once"}


def _difference_of_dicts(text: str, ours: dict, theirs: Any) -> tuple[str, str]:
    """Compare two results of `dir(m)`."""
    missing = [name for name in ours["names"] if name not in theirs["names"]]
    extra = [name for name in theirs["names"] if name not in ours["names"]]
    if missing and extra:
        did = f"`{text}` leaves out {_quoted(missing)}, and lists {_quoted(extra)}"
        return did, f"it lists {_quoted(missing)}, and not {_quoted(extra)}"
    if missing:
        return f"`{text}` leaves out {_quoted(missing)}", f"it lists {_them(missing)}"
    if extra:
        return f"`{text}` lists {_quoted(extra)}", f"it leaves {_them(extra)} out"
    return (
        f"`{text}` lists {_quoted(theirs['more than once'])} more than once",
        "each name is listed once",
    )


def _them(names: list) -> str:
    return "them" if len(names) > 1 else "it"


def _quoted(names: list) -> str:
    short = [f"`{first_lines(str(name), 1, 40)}`" for name in names[:6]]
    return listing(short) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _words(found: Difference) -> tuple[str, str]:
    step, error = found.program.steps[-1], found.theirs.error
    assert error is not None
    kinds = {"Zebra": "the object's class", "__init__": "what to do: call `super().__init__()`"}
    wanted = listing([kinds.get(word, f"the attribute, `{word}`") for word in found.detail])
    said = first_lines(message_of(error), 2)
    did = f"`{step.text}` raises {type(error).__name__} with the message `{said}`"
    ours = found.ours.error
    return did, f"the message also names {wanted}, as in `{message_of(ours) if ours else ''}`"


def _values(found: Difference) -> tuple[str, str]:
    return listing(found.detail), "all of that stays as it was"


def _states(found: Difference) -> tuple[str, str]:
    """Name the first thing that lies elsewhere: places first, then order, then identity."""
    ours, theirs = found.ours.state, found.theirs.state
    names = dict.fromkeys(_names_in(ours) + _names_in(theirs))
    for name in names:
        here, there = _places(ours, name), _places(theirs, name)
        if here != there and name == STORED:
            return (
                "the setter of the property `heat` hasn't run",
                "the setter runs, as it does for any object",
            )
        if here != there:
            return f"`{name}` is {_in(there)}", f"it is {_in(here, only=len(there) > len(here))}"
    for part in found.detail:
        if part in (*DRAWERS, "__dict__") or part.startswith("_"):
            told = _entries_differ(part, ours.get(part), theirs.get(part))
            if told:
                return told
    if "same drawers" in found.detail:
        lost = [name for name in ours["same drawers"] if name not in theirs["same drawers"]]
        drawers = listing([f"`{name}`" for name in lost]) or "a drawer"
        new = "are new dictionaries" if len(lost) > 1 else "is a new dictionary"
        return f"{drawers} {new}", "the drawers that `__init__` made are kept"
    if "twin" in found.detail:
        return "another object of the class has changed too", "each object has its own drawers"
    if "training" in found.detail:
        return f"`training` is {theirs['training']}", f"it is {ours['training']}"
    parts = listing([f"`{part}`" for part in found.detail])
    return f"{parts} is not as it should be", "it stays as it was"


def _entries_differ(part: str, ours: Any, theirs: Any) -> tuple[str, str] | None:
    if isinstance(theirs, str):
        return f"`{part}` is {theirs}", "it is a dictionary"
    if not isinstance(ours, list) or not isinstance(theirs, list):
        have, real = ("has", "it has none") if ours is None else ("has no", "it has one")
        return f"the object {have} `{part}`", real
    one, other = [name for name, _ in ours], [name for name, _ in theirs]
    if one != other:
        return f"`{part}` lists {other}", f"it lists {one}"
    for (name, right), (_, got) in zip(ours, theirs, strict=True):
        if right != got:
            return f"`{name}` in `{part}` is `{got}`", f"it is `{right}`"
    return None


def _names_in(state: dict[str, Any]) -> list[str]:
    lists = [state.get(part) for part in (*DRAWERS, "__dict__")]
    return [entry[0] for some in lists if isinstance(some, list) for entry in some]


def _places(state: dict[str, Any], name: str) -> list[str]:
    found = []
    for part in (*DRAWERS, "__dict__"):
        entries = state.get(part)
        if isinstance(entries, list) and any(entry[0] == name for entry in entries):
            found.append(part)
    return found


def _in(places: list[str], only: bool = False) -> str:
    if not places:
        return "nowhere"
    return ("only " if only else "") + "in " + listing([f"`{place}`" for place in places])
