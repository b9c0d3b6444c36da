"""When views look again: after a cell, and after a control of the page has called something between two cells."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from nbmodule_widgets.views import kernel

_SHARE = 4  # of the time between two cells, looking may take one part in so many
_LEAST = 0.03  # seconds in which several messages are answered by one look


class Lookout:
    """Calls `look` when something may have changed, once for all that happened in a moment.

    IPython tells of each cell, and of each message of a widget that was handled, on whatever thread.

    Args:
        look: Looks at everything that somebody sees.
    """

    def __init__(self, look: Callable[[], object]) -> None:
        self._look = look
        self._waiting = False
        self._pause = _LEAST
        self._own = threading.local()  # `message`: what is being handled is nobody's reason to look
        self._untold = False  # whether a message is being handled on the main thread

    def cell_has_run(self) -> None:
        """Looks at once."""
        self._waiting = False
        began = time.perf_counter()
        self._look()
        self._pause = max(_LEAST, (_SHARE - 1) * (time.perf_counter() - began))

    def message_begins(self) -> None:
        """Sees to it that a message is noticed whose handling the reader interrupts: IPython does not tell of its end."""
        self._own.message = False
        loop = getattr(kernel.kernel(), "io_loop", None)
        is_main = threading.current_thread() is threading.main_thread()
        if loop is not None and is_main and not kernel.in_cell():
            self._untold = True
            loop.add_callback(
                self._is_over
            )  # which that loop calls when it has handled the message

    def _is_over(self) -> None:
        if self._untold:
            self._untold = False
            self.soon()

    def own_message(self) -> None:
        """A view has heard its page: that alone changes no model."""
        self._own.message = True

    def message_was_handled(self) -> None:
        """Looks a moment later, on the thread that runs the cells."""
        own, self._own.message = getattr(self._own, "message", False), False
        if threading.current_thread() is threading.main_thread():
            self._untold = False
        if not own:
            self.soon()

    def soon(self) -> None:
        """Looks a moment later, unless a cell or another message comes first."""
        loop = getattr(kernel.kernel(), "io_loop", None)
        if loop is not None and not self._waiting:
            self._waiting = True
            loop.add_callback(loop.call_later, self._pause, self._due)

    def _due(self) -> None:
        if self._waiting:
            self.cell_has_run()
