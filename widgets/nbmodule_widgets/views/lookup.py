"""AttributeLookup: the ladder that Python climbs down for `module.name`."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.facts import facts
from nbmodule_widgets.facts.random_state import generators_kept
from nbmodule_widgets.facts.words import size, visible
from nbmodule_widgets.graphing.caller import variables_of_caller
from nbmodule_widgets.lesson_facts.flow_pictures import ladder_figure
from nbmodule_widgets.lesson_facts.following import CountedLine
from nbmodule_widgets.lesson_facts.ladder import LookupFacts
from nbmodule_widgets.lesson_facts.lookup import lookup_facts
from nbmodule_widgets.lesson_facts.lookup_twins import (
    asked,
    lookup_html,
    lookup_text,
    mark_of,
    trial_words,
    verdict,
)
from nbmodule_widgets.lesson_facts.stamp import stamp_of
from nbmodule_widgets.protocol import attempt, has_drawers
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.copying import copied
from nbmodule_widgets.views.live import LiveView, script

_LARGEST = 100_000_000  # bytes of a model that is copied to run its own code
_LARGE = 4_000_000  # bytes of a model that is copied after a cell only if something has come or gone in it


class AttributeLookup(LiveView):
    """Where Python looks for one name of one object, live.

    What can be known by reading is read. What depends on the class's own code, a property or a `__getattr__`, is
    tried on a copy; the object itself never changes.

    Args:
        module: The Module, or any object with attributes of its own.
        name: The attribute's name.

    Raises:
        TypeError: If the object has no attributes of its own, or the name is not a string.

    Example:
        >>> AttributeLookup(model, "fc").facts.ended  # doctest: +SKIP
        6
    """

    _esm = script("core", "player", "lesson", "lookup")

    ladder = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the moment that is shown
    _for_readers = ("step",)

    def __init__(self, module: object, name: str) -> None:
        self._module, self._name = module, name
        self._called = _name_of(module, variables_of_caller())
        self._large, self._seen = False, ()
        self._facts = self._read()
        super().__init__(ladder=_packed(self._facts))

    @property
    def module(self) -> object:
        """The object that is asked."""
        return self._module

    @property
    def facts(self) -> LookupFacts:
        """What was found when the view last looked."""
        return self._facts

    def look(self, name: str) -> LookupFacts:
        """Looks for another name.

        Args:
            name: The attribute's name.

        Returns:
            The ladder for it, which the view shows from now on.
        """
        with self._lock:
            before, self._name = self._name, name
            self._seen = ()
            try:
                self.refresh()
            except TypeError:
                self._name = before
                raise
            return self._facts

    def refresh(self) -> None:
        """Looks for the name again; a large model that needs a copy, only if something has come or gone in it."""
        with self._lock:
            if self._large and self._seen == self._stamp():
                return
            self._facts = self._read()
            self.ladder = _packed(self._facts)

    def handle(self, message: dict[str, Any]) -> None:
        """Looks for the name that the reader typed in the page."""
        name = message.get("name")
        if message["kind"] == "look" and isinstance(name, str) and name:
            self.look(name[:1000])

    def figure(self) -> Any:
        """The ladder, one place below the other.

        Returns:
            A `matplotlib.figure.Figure`, made without `pyplot`.
        """
        return ladder_figure(self._facts)

    def to_html(self) -> str:
        """The ladder as HTML without a script, as a saved notebook shows it."""
        return lookup_html(self._now())

    def __str__(self) -> str:
        return lookup_text(self._now())

    def _now(self) -> LookupFacts:
        if self._looks:
            self.refresh()
        return self._facts

    def _stamp(self) -> tuple[Any, ...]:
        return stamp_of(self._module, self._name, "__getattr__", "__getattribute__", "__dir__")

    def _read(self) -> LookupFacts:
        self._large = False
        if type(self._name) is str:
            self._seen = self._stamp()
        with generators_kept():
            return lookup_facts(self._module, self._name, self._copy, self._called)

    def _copy(self) -> tuple[object, str]:
        """A copy to run the reader's code on, or why there is none."""
        if has_drawers(self._module):
            needed = attempt(lambda: facts(self._module).totals.nbytes).value or 0
            self._large = needed > _LARGE
            if needed > _LARGEST:
                return None, f"a copy of {size(needed)} is too large to be made after each cell"
        made = copied(self._module)
        return made.module, made.problem and f"it could not be copied ({made.problem})"


def _name_of(module: object, variables: dict[str, Any]) -> str:
    """The reader's name for an object, `"it"` if they gave it none."""
    found = (n for n, value in variables.items() if value is module and n.isidentifier())
    return visible(next(found, "it"), 40)


@refusing
def lookup(module: object, name: str) -> AttributeLookup:
    """Shows where Python looks for `module.name`, step by step.

    Args:
        module: A Module, or any object with attributes of its own.
        name: The attribute's name, as in `nw.lessons.lookup(model, "fc")`.

    Raises:
        TypeError: If the object has no attributes of its own, or the name is no text.
    """
    return AttributeLookup(module, name)


def packed_source(source: tuple[CountedLine, ...]) -> list[list[Any]]:
    """Lines of the reader's code for the page."""
    return [[line.text, line.ran] for line in source]


def _packed(found: LookupFacts) -> dict[str, Any]:
    """The facts as one trait."""
    return {
        "label": found.label,
        "name": found.name,
        "rungs": [
            {
                "step": rung.step,
                "title": rung.title,
                "where": rung.where,
                "state": rung.state,
                "mark": mark_of(rung),
                "says": rung.says,
            }
            for rung in found.rungs
        ],
        "moments": _moments(found),
        "verdict": verdict(found),
        "failed": bool(found.error),
        "asks": [list(pair) for pair in asked(found)],
        "tried": trial_words(found),
        "doubt": found.agrees is False,
        "near": list(found.near),
        "notes": list(found.notes),
        "source": packed_source(found.source),
        "sourceOf": found.source_of,
        "names": list(found.names),
    }


def _moments(found: LookupFacts) -> list[list[Any]]:
    """The steps of the player: the rungs that the search came to, and at last the one where it ended."""
    last = max(at for at, rung in enumerate(found.rungs) if rung.looked)
    steps: list[list[Any]] = []
    for at, rung in enumerate(found.rungs):
        if at == found.ended and at < last:  # it opens drawers before it answers
            steps.append([at, f"The one {rung.where} is asked."])
        elif rung.looked and at != found.ended:
            steps.append([at, rung.says])
    return [*steps, [found.ended, found.rungs[found.ended].says]]
