"""What all views share: assembling the page's script, the three renderings, and refreshing after a cell."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.locks import lock_of_object
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views import outputs
from nbmodule_widgets.views.keeper import keep_with_notebook
from nbmodule_widgets.views.kernel import shell, where_cells_run
from nbmodule_widgets.views.pictures import picture
from nbmodule_widgets.views.script import script as script  # every view asks for it here

_ALIVE: weakref.WeakSet[LiveView] = weakref.WeakSet()
_WIDGET_MIME = "application/vnd.jupyter.widget-view+json"


class LiveView(anywidget.AnyWidget):
    """A view of a live Python object.

    A view in a notebook looks at its object again after each cell, as long as somebody sees it. What goes
    wrong then is shown in the view itself, since nobody called anything that could raise.
    """

    problem = traitlets.Unicode().tag(sync=True)
    pictures = traitlets.Bool().tag(sync=True)  # whether the page offers to save `figure()`

    def __init__(self, **traits: Any) -> None:
        self._lock = lock_of_object()  # messages from the page may arrive on another thread
        self._seen_by = 0
        self._looks = True  # whether the twins look at the object again
        super().__init__(pictures=callable(getattr(self, "figure", None)), **traits)
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
            self.problem = visible(attempt(action).problem, 1000)

    def handle(self, message: dict[str, Any]) -> None:
        """Does what the page asked for."""

    def _on_page_message(self, widget: object, message: Any, buffers: object) -> None:
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "opened":
            self._seen_by += 1
            keep_with_notebook()
            self.guarded(self.refresh)
        elif kind == "closed":
            self._seen_by = max(0, self._seen_by - 1)
        elif kind == "picture":
            where_cells_run(lambda: self._send_picture(message))
        elif kind:
            where_cells_run(lambda: self.guarded(lambda: self.handle(message)))

    def _send_picture(self, message: dict[str, Any]) -> None:
        with self._lock:
            self.send(*picture(self, message))

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes from the page what is marked `from_page`; all else is what Python says, and stays."""
        taken = {
            name: value
            for name, value in sync_data.items()
            if self.has_trait(name) and self.trait_metadata(name, "from_page")
        }
        with self._lock:
            said = attempt(super().set_state, taken) if taken else None
            if said is not None and said.problem:
                self.problem = visible(said.problem, 1000)

    @staticmethod
    def _trait_to_json(x: Any, self: Any) -> Any:
        """What ipywidgets sends of a trait, which is `x`."""
        return sendable(x)

    def __repr__(self) -> str:
        return str(self)

    def close(self) -> None:
        """Takes the view off the page and lets go of its model there; displayed again, it comes back."""
        super().close()
        self._seen_by = 0
        vars(self).pop("_repr_mimebundle_", None)  # ipywidgets hides the method for good
        if "layout" in self._trait_values:
            self.layout.close()  # a widget of its own, which ipywidgets forgets

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self.guarded(self.refresh)
        return self.bundle(**kwargs)

    def bundle(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The three renderings, of what was seen when the view last looked."""
        with self._lock:
            if self.comm is None:  # it was closed
                self.layout.open()
                self.open()
            outputs.shown(self)
            self._looks = False
            try:
                bundle, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
                twins = {"text/plain": str(self), "text/html": static_twin(self.to_html())}
            finally:
                self._looks = True
        return without_script({**bundle, **twins}), metadata


def sendable(value: Any) -> Any:
    """The value with no half of a surrogate pair in its texts: a name may hold one, UTF-8 cannot."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if type(value) is dict:
        return {key: sendable(item) for key, item in value.items()}
    return [sendable(item) for item in value] if type(value) in (list, tuple) else value


def static_twin(html: str) -> str:
    """HTML as it is stored beside a live view; our exports know it by its class."""
    return f'<div class="nbmodule-static">{html}</div>'


def without_script(bundle: dict[str, Any]) -> dict[str, Any]:
    """The renderings that are wanted: `NBMODULE_WIDGETS=static` leaves out the live one."""
    if outputs.static_only():
        return {mime: data for mime, data in bundle.items() if mime != _WIDGET_MIME}
    return bundle


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


def refresh_views(but: LiveView | None = None) -> None:
    """Lets every view that somebody sees look again.

    Args:
        but: A view that knows already, because it made the change.
    """
    for view in list(_ALIVE):
        if view is not but and view._seen_by and view.comm is not None:  # a closed view has no comm
            view.guarded(view.refresh)


def _after_cell(result: object = None) -> None:
    outputs.cell_has_run(result)
    refresh_views()
