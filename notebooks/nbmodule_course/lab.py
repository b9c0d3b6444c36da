"""`nbmodule lab`: opens JupyterLab on the learner's edition, without pop-ups and without calling out."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from . import launch
from .doctor import unwritable_home
from .editions import EditionReport, newest_work, write_edition
from .wording import UsageError

START = "00_start_here.ipynb"
_SETTINGS = Path(__file__).resolve().parent / "lab_settings"
_CONFIG = Path(__file__).resolve().parent / "jupyter_config"


def prepare(folder: Path, port: int | None) -> EditionReport:
    """Make everything ready, so that what can go wrong is said before JupyterLab starts.

    Raises:
        UsageError: JupyterLab is missing, the port is taken, or the folder holds something else.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise UsageError('JupyterLab is not installed here. Try: pip install "nbmodule[lab]"')
    if port is not None:
        _refuse_busy_port(port)
    return write_edition(folder)


def command(
    folder: Path, port: int | None = None, browser: bool = True, more: Sequence[str] = ()
) -> list[str]:
    """Return the command that starts JupyterLab; `more` are arguments of its own."""
    opened = newest_work(folder) or START  # whoever comes back lands where they stopped
    start = f"/lab/tree/{quote(opened)}" if (folder / opened).exists() else "/lab"
    arguments = [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url={start}",
        f"--LabApp.app_settings_dir={_SETTINGS}",
        # No news, no update check, no extension catalogue, no search for language servers: offline stays offline.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--LanguageServerManager.autodetect=False",
        "--ServerApp.answer_yes=True",  # Ctrl-C ends it, as was said: no question that runs out after five seconds
        # ipykernel warns about plain TCP between server and kernel; this encrypts it.
        "--KernelManager.transport_encryption=auto",
    ]
    if port is not None:
        arguments += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if not browser:
        arguments.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")  # root in a container is the reader's own choice
    return launch.command("jupyterlab", *arguments, *more)


def start(argv: list[str], folder: Path) -> int:
    """Run JupyterLab in the place of this process, or below it on Windows."""
    environment = {**surroundings(), **substitutes()}
    sys.stdout.flush()
    if os.name == "posix":
        os.chdir(folder)
        os.execve(argv[0], argv, environment)  # so that a signal reaches JupyterLab itself
    with subprocess.Popen(argv, env=environment, cwd=folder) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # it reaches JupyterLab, too, which ends its kernels first
                continue


def surroundings() -> dict[str, str]:
    """Return the environment in which `nbmodule` and this Python's kernel are found, in a terminal too."""
    scripts = sysconfig.get_path("scripts")
    return {
        **os.environ,
        **launch.one_thread(),
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")]),
        # The kernel must be this Python's, not one that another installation registered for the user.
        "JUPYTER_PREFER_ENV_PATH": "1",
        # What exporting needs, for this server and what is run in it; no file of the environment changes.
        "JUPYTER_CONFIG_PATH": _before(_CONFIG, "JUPYTER_CONFIG_PATH"),
    }


def _before(folder: Path, variable: str) -> str:
    """Return the list of paths in `variable`, with `folder` first."""
    return os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


def substitutes() -> dict[str, str]:
    """Return other folders for what Jupyter keeps in a home that cannot be written, after saying so."""
    fault = unwritable_home()
    if not fault:
        return {}
    instead = _temporary_home()
    print(
        f"{fault}. JupyterLab keeps its settings in {instead} instead, and your progress may not be kept. "
        "Try: make it writable, or set HOME to a folder that is."
    )
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    return {name: os.path.join(instead, name.lower()) for name in names}


def _temporary_home() -> str:
    """Return a folder of the reader's own among the temporary ones: the same one at every start."""
    # on Windows everybody has a temporary folder of their own anyway
    reader = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir(), f"nbmodule-home-{reader}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    trusted = stat.S_ISDIR(found.st_mode) and found.st_uid == reader
    return str(folder) if trusted else tempfile.mkdtemp(prefix="nbmodule-home-")


def _refuse_busy_port(port: int) -> None:
    if not 1 <= port <= 65535:
        raise UsageError(f"There is no port {port}; ports go from 1 to 65535.")
    with socket.socket() as probe:
        if os.name == "posix":  # a port that was closed a moment ago is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageError(
                f"Port {port} cannot be used ({error.strerror}). Choose another one with --port, or leave "
                "--port out to get a free one."
            ) from None
