"""Work that is done in small slices between the cells of a kernel, while the reader looks at what is there already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views.kernel import interruptible, kernel, outputs_of, shell, this_request

_GAP = 0.01  # seconds between two slices, in which the kernel hears what has arrived


class BetweenCells:
    """Slices of work, on the thread that runs the cells, while none of them runs.

    What the work prints goes to the cell in which it was made.

    Args:
        work: Does one slice; returns whether there is more to do.
        stopped: Called when the reader pressed "interrupt" during a slice.
    """

    def __init__(self, work: Callable[[], bool], stopped: Callable[[], object]) -> None:
        self._work, self._stopped = work, stopped
        self._request = this_request()
        self._cell_runs = _is_cell(self._request[0])
        self._wanted = self._scheduled = False

    @property
    def possible(self) -> bool:
        """Whether there is a kernel that could do it."""
        return getattr(kernel(), "io_loop", None) is not None and shell() is not None

    @property
    def goes_on(self) -> bool:
        """Whether there will be another slice."""
        return self._wanted

    def start(self) -> bool:
        """Begins, or goes on; may be called on any thread.

        Returns:
            False where it is not possible.
        """
        if self.possible and not self._wanted:
            self._wanted = True
            kernel().io_loop.add_callback(self._begin)
        return self._wanted

    def stop(self) -> None:
        """Ends it after the slice that runs now; may be called on any thread."""
        self._wanted = False
        if self.possible:
            kernel().io_loop.add_callback(self._settle)

    def _begin(self) -> None:
        for event, action in (
            ("pre_execute", self._cell_begins),
            ("post_execute", self._cell_ends),
        ):
            _forget(event, action)
            shell().events.register(event, action)
        self._settle()

    def _cell_begins(self) -> None:
        self._cell_runs = True

    def _cell_ends(self) -> None:
        self._cell_runs = False
        self._settle()

    def _settle(self) -> None:
        """Sees to the next slice, or leaves nothing behind."""
        if not self._wanted:
            _forget("pre_execute", self._cell_begins)
            _forget("post_execute", self._cell_ends)
        elif not self._scheduled:
            self._scheduled = True
            kernel().io_loop.call_later(_GAP, self._slice)

    def _slice(self) -> None:
        self._scheduled = False
        if self._wanted and self._cell_runs:  # one that awaits; its end schedules the next slice
            return
        if self._wanted and not interruptible(self._work_once):
            self._wanted = False
            self._stopped()
        self._settle()

    def _work_once(self) -> None:
        with outputs_of(*self._request):
            self._wanted = self._work() and self._wanted


def _is_cell(request: Any) -> bool:
    """Whether a request runs a cell, and is no click on a button."""
    header = request.get("header") if isinstance(request, dict) else None
    return isinstance(header, dict) and header.get("msg_type") == "execute_request"


def _forget(event: str, action: Callable[[], object]) -> None:
    attempt(lambda: shell().events.unregister(event, action))
