"""A throw-away JupyterLab on loopback, started as `nbmodule lab` starts it, and a page to drive it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

# The product's own settings stay as they are; these only make the page predictable.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none", "recordTiming": False},
    "docmanager-extension/plugin": {"autosave": False},
}


def free_port() -> int:
    """Return a port that nobody uses, below those that systems give to whoever asks, so that it stays free."""
    unseeded = random.SystemRandom()  # tests seed `random` itself, and would all ask for the same
    for port in unseeded.sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no free port")


def write(server: LabServer, cells: dict[str, str]) -> None:
    """Write `life.ipynb` for a server, with cells by their ids."""
    made = [new_code_cell(source, id=name) for name, source in cells.items()]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=made, metadata=kernel), server.root / "life.ipynb")


class LabServer:
    """`nbmodule lab` on `root`, an empty folder, with a home of its own; use it in a `with`."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.home, self.token = root, home, secrets.token_hex(24)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        folder = home / "user-settings" / "@jupyterlab"
        for name, values in SETTINGS.items():
            file = folder / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values), encoding="utf-8")
        self.environment = {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "IPYTHONDIR": str(home / "ipython"),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "user-settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "NBMODULE_PROGRESS": str(home / "progress.json"),
        }
        self.command = [
            *(sys.executable, "-m", "nbmodule_course", "lab", str(root)),
            *("--port", str(self.port), "--no-browser", "--"),
            f"--IdentityProvider.token={self.token}",
            "--LabApp.expose_app_in_browser=True",
            "--ServerApp.terminals_enabled=False",
        ]

    def __enter__(self) -> LabServer:
        self._log = (self.home / "lab.log").open("wb")
        self._process = subprocess.Popen(
            self.command, env=self.environment, stdout=self._log, stderr=subprocess.STDOUT
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if os.name == "nt":  # there the server is a child of the command
            subprocess.call(["taskkill", "/F", "/T", "/PID", str(self._process.pid)])
        self._process.terminate()  # the server ends its kernels
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _wait(self) -> None:
        """Wait until the server answers."""
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(self.url + "/api/status", headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        deadline = time.monotonic() + 240
        while True:
            with contextlib.suppress(OSError), opener.open(request, timeout=10) as answer:
                answer.read()
                return
            ended = self._process.poll() is not None
            if ended or time.monotonic() > deadline:
                log = (self.home / "lab.log").read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"JupyterLab did not start:\n{log}")
            time.sleep(0.1)


class NotebookPage:
    """A notebook, opened in JupyterLab; everything that goes wrong in the page is written down."""

    def __init__(self, page: Any, server: LabServer) -> None:
        self.page, self.server = page, server
        self.faults: list[str] = []
        here = (server.url, server.url.replace("http", "ws"), "data:", "blob:")
        page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        page.on("console", self._note_console)
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(here)
                else self.faults.append(f"call to the outside: {request.url}")
            ),
        )
        page.on(
            "response",
            lambda answer: (
                self.faults.append(f"HTTP {answer.status}: {answer.url}")
                if answer.status >= 400
                else None
            ),
        )

    def _note_console(self, message: Any) -> None:
        # JupyterLab's debugger gives up a question to a kernel that is restarted before it has answered.
        given_up = "Canceled future for debug_request" in message.text
        if message.type == "error" and not given_up:
            self.faults.append(f"console error: {message.text}")

    def open(self, name: str) -> None:
        """Open a notebook and wait for its kernel; JupyterLab is not loaded again where it is there already."""
        if not self._has_lab():
            self.page.goto(f"{self.server.url}/doc/tree/{name}?token={self.server.token}&reset")
        else:
            self.page.evaluate(
                """async (path) => {
                    const w = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
                    await w.revealed;
                    for (const other of [...jupyterapp.shell.widgets('main')])
                        if (other !== w) other.dispose();  // the launcher
                    jupyterapp.shell.activateById(w.id);
                }""",
                name,
            )
        self.wait()

    def _has_lab(self) -> bool:
        """Tell whether the page is JupyterLab, with nothing open but its launcher."""
        here = self.page.url.startswith(self.server.url)
        return here and self.page.evaluate(
            "() => Boolean(window.jupyterapp) && ![...jupyterapp.shell.widgets('main')].some((w) => w.context)"
        )

    def empty(self) -> bool:
        """End all kernels, close all notebooks unsaved, and tell whether JupyterLab is as it was at first."""
        try:
            self.page.evaluate(
                """async () => {
                    await jupyterapp.serviceManager.sessions.shutdownAll();
                    for (const w of [...jupyterapp.shell.widgets('main')]) w.dispose();
                }"""
            )
            return self._has_lab() and self.page.locator(".jp-Dialog").count() == 0
        except Exception:
            return False

    def wait(self) -> None:
        """Wait until the page has the notebook and its kernel, after a reload too."""
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.context", timeout=120_000
        )
        self.page.evaluate(
            """async () => {
                await jupyterapp.restored;
                const w = jupyterapp.shell.currentWidget;
                await w.context.ready; await w.sessionContext.ready;
                await w.sessionContext.session.kernel.info;
            }"""
        )

    def run_all(self) -> None:
        """Run every cell and return when the last one is done."""
        self.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")

    def errors(self) -> list[str]:
        """Return the exceptions in the outputs, except in cells that are tagged to raise."""
        return self.page.evaluate(
            """() => jupyterapp.shell.currentWidget.content.widgets
                .filter(c => c.model.type === 'code'
                             && !(c.model.getMetadata('tags') ?? []).includes('raises-exception'))
                .flatMap(c => c.model.outputs.toJSON()
                    .filter(o => o.output_type === 'error').map(o => o.ename + ': ' + o.evalue))"""
        )

    def set_source(self, cell_id: str, source: str) -> None:
        """Write `source` into a cell, as a reader would."""
        self.page.evaluate(
            """([id, source]) => {
                const cell = jupyterapp.shell.currentWidget.content.widgets.find(c => c.model.id === id);
                cell.model.sharedModel.setSource(source);
            }""",
            [cell_id, source],
        )

    def text_of(self, cell_id: str) -> str:
        """Return the text form of a cell's outputs."""
        return self.page.evaluate(
            """(id) => jupyterapp.shell.currentWidget.content.widgets.find(c => c.model.id === id)
                .model.outputs.toJSON()
                .map(o => [o.text ?? o.data?.['text/plain'] ?? o.ename ?? ''].flat().join('')).join('\\n')""",
            cell_id,
        )

    def output(self, cell_id: str) -> Any:
        """Return the place where a cell's outputs are drawn."""
        number = self.page.evaluate(
            """(id) => jupyterapp.shell.currentWidget.content.widgets.findIndex(c => c.model.id === id)""",
            cell_id,
        )
        return self.page.locator(".jp-Cell").nth(number).locator(".jp-Cell-outputArea")

    def python(self, code: str) -> str:
        """Run `code` in the notebook's kernel and return what it printed.

        A request that meets the end of a failed run is dropped by the kernel, with all that were queued; it is asked again.
        """
        return self.page.evaluate(
            """async (code) => {
                const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                for (;;) {
                    const asked = kernel.requestExecute({code, store_history: false});
                    let out = '';
                    asked.onIOPub = m => {
                        if (m.header.msg_type === 'stream') out += m.content.text;
                        if (m.header.msg_type === 'error') out += m.content.ename + ': ' + m.content.evalue;
                    };
                    if ((await asked.done).content.status !== 'aborted') return out.trim();
                }
            }""",
            code,
        )

    def until(self, code: str, says: str) -> None:
        """Run `code` in the kernel again and again until it prints `says`, for half a minute at most."""
        deadline = time.monotonic() + 30
        while (said := self.python(code)) != says:
            assert time.monotonic() < deadline, f"it says {said}, not {says}"
            self.page.wait_for_timeout(100)

    def described(self) -> str:
        """Return for the report of a failure what went wrong in the page, what each cell shows, and the server's words."""
        told = ["faults:", *(self.faults or ["none"]), f"address: {self.page.url}"]
        with contextlib.suppress(Exception):
            told += self.page.evaluate(
                """() => jupyterapp.shell.currentWidget.content.widgets
                    .filter((c) => c.model.type === 'code')
                    .map((c) => `cell ${c.model.id} [${c.model.executionCount ?? ' '}]: `
                        + (c.node.querySelector('.jp-Cell-outputArea')?.innerText ?? '').slice(0, 500))"""
            )
        with contextlib.suppress(OSError):
            log = (self.server.home / "lab.log").read_text(encoding="utf-8", errors="replace")
            told += ["the last words of the server:", *log.splitlines()[-15:]]
        return "\n".join(told)

    def close(self) -> None:
        """End the kernel, which is what costs memory."""
        with contextlib.suppress(Exception):
            self.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
