"""The kernel that the views live in: IPython's shell, its cells, and its main thread."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any


def shell() -> Any:
    """The running IPython, or None; does not import it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def where_cells_run(action: Callable[[], object]) -> None:
    """Runs an action on the thread that runs the cells, between two cells.

    JupyterLab may deliver what a page says on another thread. The reader's code must not run there: the button
    "interrupt" would not reach it, and it would print, and draw random numbers, in the midst of a cell.
    """
    loop = getattr(getattr(shell(), "kernel", None), "io_loop", None)
    if loop is None or threading.current_thread() is threading.main_thread():
        action()
    else:
        loop.add_callback(_interruptible, action)


def _interruptible(action: Callable[[], object]) -> None:
    """Runs an action so that the button "interrupt" stops it; the kernel listens in cells only."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        action()
    except KeyboardInterrupt:
        pass  # stopped, as the reader wished
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
