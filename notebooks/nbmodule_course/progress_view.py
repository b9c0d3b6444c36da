"""The live form of the map: it follows the checks and predictions in every open notebook, cell by cell."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.views.live import LiveView

from .chapters import chapters
from .page_scripts import page_script
from .progress import ProgressMap, progress_of

_WORDS = {"passed": ("✓", "solved"), "failed": ("✗", "tried"), "open": ("○", "open")}


class ProgressView(LiveView):
    """The chapters with their exercises and predictions, kept up to date after each cell."""

    _esm = page_script("progress")

    map = traitlets.Dict().tag(sync=True)

    def __init__(self) -> None:
        self._chapters = chapters()
        self._facts = progress_of(self._chapters)
        super().__init__(map=_packed(self._facts))

    @property
    def facts(self) -> ProgressMap:
        """How the chapters stand now."""
        if self._looks:
            self._facts = progress_of(self._chapters)
        return self._facts

    def refresh(self) -> None:
        """Read the progress file again."""
        with self._lock:
            self._facts = progress_of(self._chapters)
            self.map = _packed(self._facts)

    def to_html(self) -> str:
        """Return the map as static HTML."""
        return self.facts.to_html()

    def __str__(self) -> str:
        return self.facts.to_text()


def live_bundle() -> dict[str, Any]:
    """Return the MIME bundle of a fresh live map."""
    return ProgressView()._repr_mimebundle_()[0]


def _packed(known: ProgressMap) -> dict[str, Any]:
    """The map as one trait."""
    return {
        "next": known.next_step,
        "chapters": [
            {
                "number": chapter.number,
                "title": chapter.title,
                "summary": chapter.summary,
                "solved": chapter.solved,
                "right": chapter.right,
                "answered": chapter.answered,
                "questions": chapter.questions,
                "exercises": [
                    [name, status, *_WORDS[status]] for name, status in chapter.exercises
                ],
            }
            for chapter in known.chapters
        ],
    }
