"""A comm that goes nowhere and counts: what the views send, without a kernel or a page."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import comm
import ipywidgets

from nbmodule_widgets.views import live


class Wire:
    """What ipywidgets takes for a comm.

    Attributes:
        messages: How many messages were sent through all wires.
        size: Their bytes, as JSON with binary buffers beside it.
    """

    messages = 0
    size = 0

    def __init__(self, **opening: Any) -> None:
        self.comm_id = f"{id(self):x}"
        self.send(opening.get("data"), buffers=opening.get("buffers"))

    def send(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
        """Counts a message."""
        Wire.messages += 1
        Wire.size += len(json.dumps(data or {}, default=str).encode())
        Wire.size += sum(memoryview(buffer).nbytes for buffer in buffers or ())

    def on_msg(self, callback: Any) -> None:
        """Nobody answers."""

    def on_close(self, callback: Any) -> None:
        """Nobody closes."""

    def close(self, *arguments: Any, **more: Any) -> None:
        """Nothing to close."""

    @classmethod
    def reset(cls) -> None:
        """Counts from zero again."""
        cls.messages = cls.size = 0


@contextlib.contextmanager
def recorded() -> Iterator[type[Wire]]:
    """Lets all widgets made inside send through a `Wire`; closes them in the end."""
    real = comm.create_comm
    comm.create_comm = Wire
    Wire.reset()
    try:
        yield Wire
    finally:
        ipywidgets.Widget.close_all()
        comm.create_comm = real


@contextlib.contextmanager
def opened() -> Iterator[None]:
    """What is done inside makes views; each is then told what a page tells it when it shows it."""
    before = set(live._ALIVE)
    yield
    for view in set(live._ALIVE) - before:
        view._handle_custom_msg({"kind": "opened"}, [])


def answer(header: Any) -> None:
    """Says what a page says when it has drawn an update of `watch`: the next one may come."""
    number = header.status.get("number")
    if header.opened and header.waiting:
        header._handle_custom_msg({"kind": "drawn", "number": number}, [])
