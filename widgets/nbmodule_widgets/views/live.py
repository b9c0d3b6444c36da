"""What all views share: assembling the page's script, the three renderings, and refreshing after a cell."""

from __future__ import annotations

import json
import os
import threading
import weakref
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views.kernel import shell, where_cells_run

_STATIC = Path(__file__).parent.parent / "static"
_ALIVE: weakref.WeakSet[LiveView] = weakref.WeakSet()
_WIDGET_MIME = "application/vnd.jupyter.widget-view+json"


def script(*names: str) -> str:
    """The view's ES module: its styles as a constant, then the parts one after the other.

    One text, because a module that was loaded from text cannot import its neighbours.
    """
    sheets = [_STATIC / f"{name}.css" for name in names]
    styles = "\n".join(s.read_text(encoding="utf-8") for s in sheets if s.exists())
    parts = [(_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names]
    return "\n".join([f"const STYLES = {json.dumps(styles)};", *parts])


def column(numbers: list[int]) -> dict[str, Any]:
    """A column of whole numbers as bytes, one, two or four for each, whichever is enough."""
    highest = max(numbers, default=0)
    kind = "B" if highest < 2**8 else "H" if highest < 2**16 else "I"
    return {"kind": kind, "bytes": array(kind, numbers).tobytes()}


class LiveView(anywidget.AnyWidget):
    """A view of a live Python object.

    A view in a notebook looks at its object again after each cell, as long as somebody sees it. What goes
    wrong then is shown in the view itself, since nobody called anything that could raise.
    """

    problem = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self._lock = threading.RLock()  # messages from the page may arrive on another thread
        self._seen_by = 0
        self._looks = True  # whether the twins look at the object again
        super().__init__(**traits)
        self.on_msg(self._on_page_message)
        _ALIVE.add(self)
        watch_cells()

    def refresh(self) -> None:
        """Looks at the object again and shows what changed."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The static twin: HTML without a script."""
        raise NotImplementedError

    def guarded(self, action: Callable[[], object]) -> None:
        """Does something that the reader did not ask for, and shows in the view what it raised."""
        with self._lock:
            self.problem = attempt(action).problem

    def handle(self, message: dict[str, Any]) -> None:
        """Does what the page asked for."""

    def _on_page_message(self, widget: object, message: Any, buffers: object) -> None:
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "opened":
            self._seen_by += 1
            self.guarded(self.refresh)
        elif kind == "closed":
            self._seen_by = max(0, self._seen_by - 1)
        elif kind:
            where_cells_run(lambda: self.guarded(lambda: self.handle(message)))

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self.guarded(self.refresh)
        return self.bundle(**kwargs)

    def bundle(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The three renderings, of what was seen when the view last looked."""
        with self._lock:
            self._looks = False
            try:
                bundle, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
                data = {**bundle, "text/plain": str(self), "text/html": self.to_html()}
            finally:
                self._looks = True
        if os.environ.get("NBMODULE_WIDGETS", "auto").lower() == "static":
            data.pop(_WIDGET_MIME, None)
        return data, metadata


def refuse_unknown(function: str, given: dict[str, Any], known: tuple[str, ...]) -> None:
    """Raises a TypeError that names the keyword arguments there are."""
    if given:
        wrong = ", ".join(f"{name}=" for name in given)
        names = ", ".join(f"{name}=" for name in known) or "no keyword arguments"
        raise TypeError(f"{function}() got {wrong} but knows {names}")


def watch_cells() -> None:
    """Asks IPython to tell us when a cell has run."""
    running = shell()
    if running is not None and _after_cell not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", _after_cell)


def unwatch_cells() -> None:
    """Takes that back."""
    running = shell()
    if running is not None and _after_cell in running.events.callbacks["post_run_cell"]:
        running.events.unregister("post_run_cell", _after_cell)


def _after_cell(result: object = None) -> None:
    for view in list(_ALIVE):
        if view._seen_by and view.comm is not None:  # a closed view has no comm any more
            view.guarded(view.refresh)
