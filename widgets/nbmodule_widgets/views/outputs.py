"""Which cell shows which view: an output that is written anew, and views whose cell has been run again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Protocol

from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views import kernel

Bundle = tuple[dict[str, Any], dict[str, Any]]


class Closable(Protocol):
    """Something on the page that can be let go."""

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


def shown(view: Closable) -> None:
    """Remembers that the running cell displays a view, if there are cells."""
    if kernel.shell() is not None:
        _now.append((time.monotonic(), view))


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
    displayed = {id(view) for views in _by_cell.values() for _, view in views}
    past = time.monotonic() - _ON_ITS_WAY
    left = [(since, view) for since, view in _replaced if id(view) not in displayed]
    _replaced[:] = [(since, view) for since, view in left if since > past]
    for since, view in left:
        if since <= past:
            attempt(view.close)
