"""What is said about a lookup: a sentence for each rung, and remarks on what is worth knowing."""

from __future__ import annotations

from collections.abc import Iterable

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.ladder import Rung, State
from nbmodule_widgets.lesson_facts.lookup_trial import Trial
from nbmodule_widgets.protocol import DRAWERS

_BLAMED = (
    "{there}: its getter raised {inner}. Python drops that message and goes on to `__getattr__`."
)
_RAISED = "{there}: its getter raised {error}, and that ends the search."
# By rung and what became of it; "drawer" stands for each of the three.
_SAYS: dict[tuple[str, State], str] = {
    ("data descriptor", "found"): "{there}: it stands above everything, so its getter answers.",
    ("data descriptor", "empty"): "No property or other data descriptor {name} in {where}.",
    ("data descriptor", "passed"): _BLAMED,
    ("data descriptor", "raised"): _RAISED,
    ("__dict__", "found"): "It lies right on the object: {there}.",
    ("__dict__", "empty"): "`{where}` has no {name}.",
    ("class", "found"): "The class has it: {there}{bound}.",
    ("class", "empty"): "No {name} in {where}.",
    ("class", "passed"): _BLAMED,
    ("class", "raised"): _RAISED,
    ("__getattr__", "found"): "It is asked last, and answers for itself: {result}.",
    ("__getattr__", "passed"): "The ordinary places have failed, so the one {where} is asked.",
    ("__getattr__", "absent"): "Neither {own} nor a parent has a `__getattr__`: nobody opens the drawers.",
    ("__getattr__", "raised"): 'It is asked, and raises {error}. Only an AttributeError would mean "no such name".',
    ("__getattr__", "unasked"): "Not asked: the name was found before.",
    ("drawer", "found"): "Here it is: {there}.",
    ("drawer", "empty"): "No {name} in `{key}`.",
    ("drawer", "passed"): "{name} is here ({there}), but `__getattr__` did not return it.",
    ("AttributeError", "raised"): "Nothing is left: {error}",
    ("AttributeError", "unasked"): "Not needed.",
}  # fmt: skip
_ALWAYS: dict[State, str] = {
    "passed": "{there} is here, but the search went on.",
    "hidden": "{name} is here too ({there}), but the search ended before it came here.",
    "unasked": "The search did not come here.",
}


def says(key: str, state: State, name: str, there: str, where: str, trial: Trial, own: str) -> str:
    """A sentence about one rung.

    Args:
        key: Which rung it is.
        state: What became of it.
        name: The name between backquotes.
        there: What lies there, in words.
        where: What was searched.
        trial: What came of trying.
        own: The object's class.
    """
    kind = "drawer" if key in DRAWERS else key
    template = _SAYS.get((kind, state)) or _ALWAYS[state]
    bound = ": bound to the object, it comes back as a method"
    return template.format(
        key=key,
        name=name,
        there=there,
        where=where,
        own=own,
        bound=bound if there.startswith("function ") else "",
        inner=trial.inner or "an AttributeError",
        error=trial.error or "AttributeError",
        result=trial.words or "its own answer",
    )


def shadows(name: str, rungs: Iterable[Rung], end: Rung) -> list[str]:
    """What lies further down the ladder and is never reached.

    Args:
        name: The name, fit to be shown.
        rungs: The ladder.
        end: Where the search ended.
    """
    notes = []
    for rung in rungs:
        if rung.state != "hidden":
            continue
        if rung.key in DRAWERS:
            notes.append(
                f"Shadow: `{name}` is registered in `{rung.key}` ({rung.there}), but `self.{name}` never "
                f"reaches it: rung {end.step} answers first."
            )
        else:
            notes.append(f"Shadow: rung {end.step} hides what rung {rung.step} has ({rung.there}).")
    return notes


def remarks(name: str, kind: str, end: Rung, trial: Trial, library: bool) -> list[str]:
    """What goes wrong with properties and with a `__getattr__` of one's own.

    Args:
        name: The name, fit to be shown.
        kind: Class of what the object's class has under the name: `"property"`.
        end: Where the search ended.
        trial: What came of trying.
        library: Whether the `__getattr__` is a library's.
    """
    notes = []
    if trial.inner and trial.fell_through:
        notes.append(
            f"Blame: the {visible(kind, 40)} `{name}` exists. What is missing is said by the error inside it, "
            f"`{trial.inner}`, which Python threw away."
        )
    if end.key == "__getattr__" and end.state == "found" and not library:
        notes.append(
            "This `__getattr__` answers for a name that is in no drawer: `hasattr` says True to it, and a typo "
            "would go unnoticed."
        )
    if end.key == "__getattr__" and end.state == "raised":
        notes.append(
            "`hasattr`, `copy.deepcopy` and `getattr` with a default expect an AttributeError for a missing name; "
            "any other exception goes through them."
        )
    if trial.repeated:
        notes.append(
            "Looking for a name that is missing, this `__getattr__` asks itself, again and again. "
            "Open the drawers through `self.__dict__`, which never asks `__getattr__`."
        )
    if "." in name:
        notes.append(
            f"A name has no dots: `module.{name}` is several lookups, the first of them for `{name.split('.')[0]}`."
        )
    return notes
