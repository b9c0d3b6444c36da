"""VisitPlayer: the order in which the walks of a Module visit its tree, one by one."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.visits import VisitFacts, Walk, visit_facts
from nbmodule_widgets.lesson_facts.visits_path import LONGEST, PathFacts
from nbmodule_widgets.lesson_facts.visits_tree import VisitNode
from nbmodule_widgets.lesson_facts.visits_words import (
    marked,
    step_words,
    summary,
    visits_html,
    visits_text,
)
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.columns import column
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.lookup import packed_source

_KINDS = ("visit", "down", "skip", "cut")


@refusing
def visits(
    model: object, how: str = "modules", path: str | None = None, beside: str | None = None
) -> VisitPlayer:
    """Plays the order in which a walk visits the tree of a model, beside another walk, and follows paths.

    Args:
        model: Any object with `_modules`.
        how: The walk to begin with: `"modules"`, `"apply"`, `"children"`, `"named_modules(remove_duplicate=False)"`,
            `"named_parameters"` or `"train"`. The view has them all.
        path: A dotted path such as `"body.0.weight"` that is followed name by name.
        beside: The walk to show beside it.

    Raises:
        TypeError: If the object is nothing like a Module, or the path is no string.
        ValueError: If there is no such walk.

    Example:
        >>> print(visits(model, "apply"))  # doctest: +SKIP
    """
    return VisitPlayer(model, how, path, beside)


class VisitPlayer(LiveView):
    """The order of visits, played in the page.

    Args:
        model: Any object with `_modules`.
        how: The walk to begin with.
        path: A dotted path to follow.
        beside: The walk to show beside it.
    """

    _esm = script("core", "player", "lesson", "visits")

    visits = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the moment that is shown
    _for_readers = ("step",)

    def __init__(
        self,
        model: object,
        how: str = "modules",
        path: str | None = None,
        beside: str | None = None,
    ) -> None:
        self._model, self._how, self._path, self._beside = model, how, path, beside
        self._known = self._look()
        super().__init__(visits=_packed(self._known))

    @property
    def model(self) -> object:
        """The model that is shown."""
        return self._model

    @property
    def facts(self) -> VisitFacts:
        """The orders as they are now."""
        with self._lock:
            if self._looks:
                self._known = self._look()
            return self._known

    def refresh(self) -> None:
        """Looks at the model again."""
        with self._lock:
            self._known = self._look()
            self.visits = _packed(self._known)

    def _look(self) -> VisitFacts:
        return visit_facts(self._model, self._how, self._path, self._beside)

    def follow(self, path: str) -> PathFacts:
        """Follows another path.

        Args:
            path: A dotted path; the empty one is the model itself.

        Returns:
            Where it leads, which the view shows from now on.
        """
        with self._lock:
            before, self._path = self._path, path
            try:
                self.refresh()
            except TypeError:
                self._path = before
                raise
            found = self._known.path
            assert found is not None  # a path was asked for
            return found

    def handle(self, message: dict[str, Any]) -> None:
        """Follows the path that the reader typed in the page."""
        path = message.get("path")
        if message["kind"] == "follow" and isinstance(path, str):
            self.follow(path[:LONGEST])

    def to_html(self) -> str:
        """The numbered tree as HTML without a script, as a saved notebook shows it."""
        return visits_html(self.facts)

    def figure(self) -> Any:
        """The numbered tree, twice, as a `matplotlib.figure.Figure`."""
        from nbmodule_widgets.lesson_facts.pictures import visits_figure

        return visits_figure(self.facts)

    def __str__(self) -> str:
        return visits_text(self.facts)


def _packed(known: VisitFacts) -> dict[str, Any]:
    """The facts as one trait."""
    return {
        "label": visible(known.label, 80),
        "how": known.how,
        "beside": known.beside,
        "nodes": [_node(node) for node in known.nodes],
        "walks": {how: _walk(walk) for how, walk in known.walks.items()},
        "notes": list(known.notes),
        "path": _path(known.path),
    }


def _path(found: PathFacts | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "path": visible(found.path, 1000),
        "steps": [[step_words(step), step.node, step.found, step.where] for step in found.steps],
        "words": found.words,
        "answers": [[marked(a.same), a.call, a.says, a.same is False] for a in found.answers],
    }


def _node(node: VisitNode) -> list[Any]:
    """A place: name, class, depth, parent, first place of the same object, whether a cycle, whether a parameter."""
    name = visible(node.name, 120) if node.parent >= 0 else ""
    return [
        name, node.class_name, node.depth, node.parent, node.twin, node.cycle, node.kind == "parameter",
        visible(node.path, 200),
    ]  # fmt: skip


def _walk(walk: Walk) -> dict[str, Any]:
    return {
        "call": walk.call,
        "order": walk.order,
        "kind": column([_KINDS.index(step.kind) for step in walk.steps]),
        "node": column([step.node for step in walk.steps]),
        "memo": column([step.memo + 1 for step in walk.steps]),
        "words": [step.words for step in walk.steps],
        "summary": summary(walk),
        "verdict": walk.verdict,
        "same": walk.same,
        "yours": list(walk.yours or ())[:500],
        "lines": [[whose, packed_source(source)] for whose, source in walk.lines],
    }
