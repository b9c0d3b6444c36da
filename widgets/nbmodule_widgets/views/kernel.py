"""The kernel that the views live in: IPython's shell, its cells, its main thread, and its letter box."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbmodule_widgets.protocol import attempt

_STREAM = ("socket", "flush", "on_recv", "_recv_callback")
_KERNEL = ("io_loop", "session", "comm_manager", "get_parent", "_parent_ident", "_publish_status")


def shell() -> Any:
    """The running IPython, or None; does not import it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def kernel() -> Any:
    """The kernel that runs the cells, or None in a terminal and in plain Python."""
    return getattr(shell(), "kernel", None)


def cell() -> str:
    """What the front end calls the cell that runs; empty where it does not say."""
    parent = attempt(lambda: kernel().get_parent("shell")).value
    metadata = parent.get("metadata") if isinstance(parent, dict) else None
    found = metadata.get("cellId") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def in_cell() -> bool:
    """Whether a cell runs now, as far as one can know; otherwise a widget's message is being handled."""
    parent = attempt(lambda: kernel().get_parent("shell")).value
    header = parent.get("header") if isinstance(parent, dict) else None
    return (
        not isinstance(header, dict)
        or header.get("msg_type", "execute_request") == "execute_request"
    )


def where_cells_run(action: Callable[[], object]) -> None:
    """Runs an action on the thread that runs the cells, between two cells.

    JupyterLab may deliver what a page says on another thread. The reader's code must not run there: the button
    "interrupt" would not reach it, and it would print, and draw random numbers, in the midst of a cell.
    """
    loop = getattr(kernel(), "io_loop", None)
    if loop is None or threading.current_thread() is threading.main_thread():
        action()
    else:
        loop.add_callback(interruptible, action)


def interruptible(action: Callable[[], object]) -> bool:
    """Runs an action so that the button "interrupt" stops it; the kernel listens in cells only.

    Returns:
        False if it was stopped.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        action()
    except KeyboardInterrupt:
        return False  # stopped, as the reader wished
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    return True


def this_request() -> tuple[Any, bytes]:
    """The request that the kernel works on now, and who sent it; `(None, b"")` where there is no kernel."""
    running = kernel()
    said = attempt(lambda: (running.get_parent("shell"), running._parent_ident["shell"]))
    return said.value or (None, b"")


@contextmanager
def outputs_of(parent: Any, ident: Any) -> Iterator[None]:
    """What is printed and displayed inside goes to the cell of another request, if there is a kernel.

    Args:
        parent: The request, from `kernel().get_parent("shell")`.
        ident: Who sent it.
    """
    running = kernel()
    if running is None or not parent:
        yield
        return
    now = running.get_parent("shell"), running._parent_ident["shell"]
    running.set_parent(ident, parent, channel="shell")
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # what is left in it belongs to that cell as well
        running.set_parent(now[1], now[0], channel="shell")


class Mailbox:
    """Messages from the page that arrive while a cell runs.

    The kernel reads its messages between two cells, so a click on "pause" would be noticed when there is nothing
    left to pause. A loop in a cell can look itself: messages to certain views are handled at once, all others go
    to the kernel unopened and in their order, and are handled when the cell is done, as ever.

    Use `Mailbox.here()`; there is none in a terminal, in a thread, or in a kernel that we do not know.
    """

    def __init__(self, running: Any, stream: Any) -> None:
        self._kernel, self._stream = running, stream
        self._ours: deque[Any] = deque()
        self._rearmed = False

    @classmethod
    def here(cls) -> Mailbox | None:
        """The mailbox of this kernel, or None if there is none that could be opened."""
        if threading.current_thread() is not threading.main_thread():
            return None
        running = kernel()
        stream: Any = None if running is None else attempt(_main_stream, running).value
        if not all(hasattr(running, name) for name in _KERNEL):
            return None
        if not all(getattr(stream, name, None) is not None for name in _STREAM):
            return None
        return cls(running, stream)

    def collect(self, is_ours: Callable[[str], bool], wait: float = 0.0) -> None:
        """Handles what has arrived for our views; in another thread than the main one it only waits.

        Args:
            is_ours: Whether the comm with this id belongs to a view whose messages are handled now.
            wait: How long to wait for a message if there is none, in seconds.

        Raises:
            KeyboardInterrupt: If the reader interrupts.
        """
        if threading.current_thread() is not threading.main_thread():
            time.sleep(wait)
            return
        if not self._rearmed:
            self._rearmed = True  # reading may use up the signal that wakes the kernel's own loop
            self._kernel.io_loop.add_callback(self._rearm)
        if not self._stream.socket.poll(int(1000 * wait)):
            return
        try:
            with _uninterrupted():
                self._sort(is_ours)
            while self._ours:
                self._handle(self._ours.popleft())
        finally:
            while self._ours:  # interrupted: the kernel handles the rest
                self._deliver(self._ours.popleft())

    def _rearm(self) -> None:
        self._rearmed = False
        self._stream.flush()

    def _sort(self, is_ours: Callable[[str], bool]) -> None:
        """Takes every message that is waiting; what is not ours goes on to the kernel."""
        waiting: list[Any] = []
        deliver = self._stream._recv_callback
        self._stream.on_recv(waiting.append, copy=False)
        try:
            self._stream.flush()
        finally:
            self._stream.on_recv(deliver, copy=False)
        for message in waiting:
            if attempt(self._is_for, message, is_ours).value is True:
                self._ours.append(message)
            else:
                self._deliver(message)

    def _deliver(self, message: Any) -> None:
        """Passes a message on to the kernel, which handles it when the cell is done."""
        self._kernel.io_loop.add_callback(self._stream._recv_callback, message)

    def _is_for(self, message: Any, is_ours: Callable[[str], bool]) -> bool:
        """Looks at the address only: a message that was unpacked whole may not be unpacked again."""
        _, frames = self._kernel.session.feed_identities(message, copy=False)
        peeked = self._kernel.session.deserialize(frames, content=False, copy=False)
        if peeked["header"]["msg_type"] != "comm_msg":
            return False
        return is_ours(self._kernel.session.unpack(peeked["content"])["comm_id"])

    def _handle(self, message: Any) -> None:
        """Handles one message as the kernel would, and is back in the running cell afterwards.

        Only the kernel's own idea of the parent changes, which widgets reply to; what the loop prints stays
        with its cell.
        """
        running = self._kernel
        set_parent = sys.modules["ipykernel.kernelbase"].Kernel.set_parent
        parent, ident = running.get_parent("shell"), running._parent_ident["shell"]
        sender, frames = running.session.feed_identities(message, copy=False)
        opened = running.session.deserialize(frames, content=True, copy=False)
        set_parent(running, sender, opened, channel="shell")
        try:
            running._publish_status("busy", "shell", opened)
            running.comm_manager.comm_msg(None, sender, opened)
        finally:
            running._publish_status("idle", "shell", opened)  # the page waits for it
            set_parent(running, ident, parent, channel="shell")
            running._publish_status("busy", "shell", parent)  # the cell still runs


def _main_stream(running: Any) -> Any:
    """Where the messages for the main thread arrive: the one place that knows ipykernel from inside."""
    thread = getattr(running, "shell_channel_thread", None)
    if thread is None:  # ipykernel 6, and what is built on it
        return getattr(running, "shell_stream", None)
    return (
        thread.manager._shell_channel_to_main.to_stream
    )  # ipykernel 7 reads on a thread of its own


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Holds the button "interrupt" back for a moment, in which no message may get lost."""
    pressed: list[object] = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if pressed:
        raise KeyboardInterrupt
