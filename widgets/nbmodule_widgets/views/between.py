"""Work that is done in small slices between the cells of a kernel, while the reader looks at what is there already."""

from __future__ import annotations

from collections.abc import Callable

from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views.kernel import interruptible, kernel, outputs_of, shell, this_request

_GAP = 0.01  # seconds between two slices, in which the kernel hears what has arrived
_PATIENCE = 0.1  # seconds until a cell that awaits something is asked again whether it is done


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
        self._wanted = self._scheduled = False
        if self.possible:
            _CELL.watch()

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
            kernel().io_loop.add_callback(self._schedule)
        return self._wanted

    def stop(self) -> None:
        """Ends it after the slice that runs now; may be called on any thread."""
        self._wanted = False

    def _schedule(self, wait: float = _GAP) -> None:
        if self._wanted and not self._scheduled:
            self._scheduled = True
            kernel().io_loop.call_later(wait, self._slice)

    def _slice(self) -> None:
        self._scheduled = False
        if self._wanted and _CELL.runs:  # one that awaits: all others keep the thread to themselves
            return self._schedule(_PATIENCE)
        if self._wanted and not interruptible(self._work_once):
            self._wanted = False
            self._stopped()
        self._schedule()

    def _work_once(self) -> None:
        with outputs_of(*self._request):
            more = self._work()
        if not more:  # a "stop" that came on another thread in the meantime stays
            self._wanted = False


class _Cell:
    """Whether a cell runs, as IPython tells it; what a widget says while one awaits is no cell."""

    runs = False

    def watch(self) -> None:
        """Begins to listen, if it does not yet."""
        events = shell().events
        if self._begins not in events.callbacks["pre_run_cell"]:
            request = this_request()[0]
            header = request.get("header") if isinstance(request, dict) else None
            self.runs = attempt(lambda: header["msg_type"]).value == "execute_request"  # type: ignore[index]
            events.register("pre_run_cell", self._begins)
            events.register("post_run_cell", self._ends)

    def _begins(self, info: object) -> None:
        self.runs = True

    def _ends(self, result: object) -> None:
        self.runs = False


_CELL = _Cell()
