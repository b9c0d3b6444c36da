"""A real kernel without a browser: what a page would hear of it, and what a page would say."""

from __future__ import annotations

import queue
import sys
import time
from contextlib import suppress
from typing import Any

import pytest

jupyter_client = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")

_PATIENCE = 120


class Page:
    """What a front end knows of a kernel: its messages, sorted by the request that they answer.

    Args:
        client: Of the kernel.
        trait: A trait that the view has which is talked to.
    """

    def __init__(self, client: Any, trait: str = "control") -> None:
        self.client, self.trait = client, trait
        self.subshell: str | None = None
        self.printed: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.idle: list[str] = []
        self.states: dict[str, dict[str, Any]] = {}

    def run(self, code: str) -> str:
        return self.client.execute(code)

    def listen(self, until: Any) -> Any:
        """Reads messages until there is what is asked for."""
        end = time.monotonic() + _PATIENCE
        while not (found := until()):
            assert time.monotonic() < end, (
                self.printed,
                self.errors,
                {name: value for name, value in self.header().items() if name != "_esm"},
            )
            with suppress(queue.Empty):
                self._note(self.client.get_iopub_msg(timeout=0.05))
        return found

    def _note(self, message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        parent = message["parent_header"].get("msg_id", "")
        if kind == "stream":
            self.printed[parent] = self.printed.get(parent, "") + content["text"]
        elif kind == "error":
            self.errors[parent] = content["ename"]
        elif kind == "status" and content["execution_state"] == "idle":
            self.idle.append(parent)
        elif kind in ("comm_open", "comm_msg"):
            self.states.setdefault(content["comm_id"], {}).update(content["data"].get("state", {}))

    def comm(self) -> str:
        """The newest view with that trait."""
        ids = [comm for comm, state in self.states.items() if self.trait in state]
        return ids[-1] if ids else ""

    def header(self) -> dict[str, Any]:
        return self.states.get(self.comm(), {})

    def phase(self) -> str:
        return self.header().get("status", {}).get("phase", "")

    def steps(self) -> int:
        return int(self.header()["status"]["counters"].split()[0].replace(",", ""))

    def says(self, **content: Any) -> str:
        """Sends what a click sends; returns the message's id."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": self.comm(), "data": data})
        if self.subshell:
            message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def done(self, request: str) -> None:
        self.listen(lambda: request in self.idle)


def started() -> Any:
    """Returns a kernel that answers, or None where another process took one of the ports chosen for it."""
    manager = jupyter_client.KernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = sys.executable  # this Python, whichever is registered
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
    except RuntimeError:
        manager.shutdown_kernel(now=True)
        return None
    finally:
        client.stop_channels()
    return manager
