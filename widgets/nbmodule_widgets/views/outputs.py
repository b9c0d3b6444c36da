"""Which cell shows which view: an output that is written anew, and views whose cell has been run again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Protocol

import ipywidgets
from ipywidgets.widgets import widget as base

from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views import kernel

Bundle = tuple[dict[str, Any], dict[str, Any]]


WIDGET_MIME = "application/vnd.jupyter.widget-view+json"


class Closable(Protocol):
    """Something on the page that can be let go."""

    @property
    def is_seen(self) -> bool:
        """Whether a page shows it."""
        ...

    def close(self) -> None:
        """Takes it off the page."""


class Outlet:
    """One output of a running cell, which can be written anew.

    A notebook stores what was displayed. When a loop has ended, the picture from before its first step would be
    stored; written anew, the stored text and HTML say how it ended.

    Args:
        bundle: Makes the renderings by MIME type, and their metadata.
    """

    def __init__(self, bundle: Callable[[], Bundle]) -> None:
        self._bundle = bundle
        self._key = ""  # what the front end knows this output by; it is never stored
        self._last: dict[str, Any] | None = None

    def show(self) -> None:
        """Displays it below the running cell; where nothing is live, only when it is shown again.

        Does nothing outside of IPython.
        """
        self._key = os.urandom(16).hex()  # drawn from the system: the reader's random numbers stay
        self._last = None
        if not static_only():
            self._publish()

    def show_again(self) -> None:
        """Writes the output anew, if it has been shown and now says something else."""
        if self._key:
            self._publish()

    def _publish(self) -> None:
        running = kernel.shell()
        if running is None:
            return
        data, metadata = self._bundle()
        if data != self._last:
            running.display_pub.publish(
                data=data,
                metadata=metadata,
                transient={"display_id": self._key},
                update=self._last is not None,
            )
        self._last = data


def static_twin(html: str) -> str:
    """HTML as it is stored beside a live view; our exports know it by its class."""
    return f'<div class="nbmodule-static">{html}</div>'


def without_script(bundle: dict[str, Any]) -> dict[str, Any]:
    """The renderings that are wanted: `NBMODULE_WIDGETS=static` leaves out the live one."""
    if static_only():
        return {mime: data for mime, data in bundle.items() if mime != WIDGET_MIME}
    return bundle


def static_only() -> bool:
    """Whether the reader wants no live form: `NBMODULE_WIDGETS=static` in the environment."""
    return os.environ.get("NBMODULE_WIDGETS", "auto").lower() == "static"


_ON_ITS_WAY = (
    3.0  # seconds; anywidget reports an error if it is told to close what it is still opening
)

_Shown = tuple[float, Closable]  # when, and what
_by_cell: dict[str, list[_Shown]] = {}
_now: list[_Shown] = []
_replaced: list[_Shown] = []
_captured: dict[str, Captured] = {}  # by the id of the Output widget


class Captured:
    """The views that an `Output` widget shows, as `interact` does, which draws one after the other.

    Args:
        output: The Output widget; the page tells in its trait `outputs` what it shows.
    """

    def __init__(self, output: ipywidgets.Output) -> None:
        self.output = output
        self.shown: list[tuple[_Shown, str]] = []  # and the id that it is shown by
        self._arrived: set[str] = set()
        output.observe(_output_changed, "outputs")

    @property
    def is_seen(self) -> bool:
        """Whether a page shows one of its views."""
        return any(view.is_seen for (_, view), _ in self.shown)

    def sort_out(self) -> None:
        """Lets go of the views that the page had there, or was sent before one that it has, and has no more."""
        there = {
            output.get("data", {}).get(WIDGET_MIME, {}).get("model_id")
            for output in self.output.outputs
        }
        here = [number for number, (_, key) in enumerate(self.shown) if key in there]
        first = here[-1] if here else 0
        gone = [
            key not in there and (number < first or key in self._arrived)
            for number, (_, key) in enumerate(self.shown)
        ]
        _replaced.extend(
            entry for (entry, _), is_gone in zip(self.shown, gone, strict=True) if is_gone
        )
        kept = [entry for entry, is_gone in zip(self.shown, gone, strict=True) if not is_gone]
        self._arrived = {key for _, key in kept if key in there}
        self.shown = kept

    def close(self) -> None:
        """Lets go of all of its views, unless a page shows one: the cell ran again, and the widget is a new one."""
        if not self.is_seen:
            _captured.pop(self.output.model_id or "", None)
            self.output.unobserve(_output_changed, "outputs")
            shown, self.shown = self.shown, []
            for (_, view), _ in shown:
                attempt(view.close)


def _output_changed(change: Any) -> None:
    captured = _captured.get(change.owner.model_id)
    if captured is not None:
        captured.sort_out()


def views_shown_in(output: ipywidgets.Output) -> list[Closable]:
    """The views that an Output widget shows."""
    captured = _captured.get(output.model_id or "")
    return [view for (_, view), _ in captured.shown] if captured is not None else []


def shown(view: Closable, key: str = "") -> None:
    """Remembers that the running cell, or an Output widget, displays a view, if there are cells.

    Args:
        view: What is displayed.
        key: The id of the widget that the page is sent.
    """
    if kernel.shell() is None:
        return
    entry: _Shown = (time.monotonic(), view)
    output = _capturing()
    if output is None:
        _now.append(entry)
        return
    captured = _captured.get(output.model_id) or Captured(output)
    _captured[output.model_id] = captured
    captured.shown.append((entry, key))
    if kernel.in_cell():
        _now.append((entry[0], captured))


def _capturing() -> Any:
    """The Output widget that catches what is displayed now, the last one opened if there are several, or None."""
    widgets = [
        w for w in list(base._instances.values()) if isinstance(w, ipywidgets.Output) and w.msg_id
    ]
    return widgets[-1] if widgets else None


def cell_has_run(result: object) -> None:
    """Closes the views that the last run of this cell displayed, unless they are displayed still.

    ipywidgets holds on to every widget there ever was, and a view holds on to its model: a cell that is run
    twenty times would keep twenty models alive, in Python and in the saved notebook.

    Args:
        result: What IPython tells after a cell; front ends name the cell in `result.info.cell_id`.
    """
    cell = getattr(getattr(result, "info", None), "cell_id", None)
    if cell is not None:
        _replaced.extend(_by_cell.pop(cell, ()))
        _by_cell[cell] = list(_now)
    _now.clear()
    close_what_is_gone()


def close_what_is_gone() -> None:
    """Closes what was replaced some seconds ago and is displayed nowhere else."""
    displayed = {view for views in _by_cell.values() for _, view in views}
    displayed |= {view for captured in _captured.values() for (_, view), _ in captured.shown}
    past = time.monotonic() - _ON_ITS_WAY
    left = [(since, view) for since, view in _replaced if view not in displayed]
    _replaced[:] = [(since, view) for since, view in left if since > past]
    for since, view in left:
        if since <= past:
            attempt(view.close)
    loop = getattr(kernel.kernel(), "io_loop", None)
    if _replaced and loop is not None:
        loop.call_later(_ON_ITS_WAY, _close_the_rest)


def _close_the_rest() -> None:
    if _replaced:
        close_what_is_gone()
