"""Two processes that send each other messages by MPI: the engines of ipyparallel.

    with_mpi("print(comm.Get_rank(), comm.Get_size())", recorded="…")

Nobody needs MPI for the course. Where it is missing, the recorded output is shown, with the line that installs it; a test
compares every recorded output with a real one. ``NBMODULE_REFEREE=recorded`` shows the recorded outputs in any case.

`two_engines` starts a cluster of its own, in a temporary folder. ipyparallel uses free ports that only this machine reaches.
How MPI connects the engines is its own business: MPICH on Linux uses shared memory, but its `mpiexec` listens on a port that
other machines reach. The cluster ends with the block, whatever happens there, and if the process that started it is killed,
it ends by itself.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

from .capture import tidy
from .launch import one_thread
from .mine.kept_file import ENVIRONMENT, place
from .referee.torch_says import Ruling
from .wording import UsageError, indented

SIZE = 2
START = 60
"""How many seconds the engines may take to start, on a busy machine."""
INSTALL = 'python -m pip install "nbmodule[mpi]"'

_FIRST = """
import numpy as np
from mpi4py.MPI import COMM_WORLD as comm
import nbmodule
from nbmodule import nn, tensor
from nbmodule.nn import functional as F
from nbmodule_course import carried, fashion
mine = carried(chapter="C")
"""


class Engines(Ruling):
    """What the engines did with some lines; the output is theirs, engine by engine."""

    title = "Two processes"

    @property
    def source(self) -> str:
        """Return in words where the output comes from."""
        if self.live:
            return f"{SIZE} processes ran these lines just now and sent each other messages by MPI."
        return f"This is the recorded output of {SIZE} processes. To run them here: `{INSTALL}`."


def with_mpi(code: str, *, recorded: str, seconds: float = 60) -> Engines:
    """Run `code` in two processes, or show the `recorded` output.

    Args:
        code: lines that need no names of the notebook. At hand are `mine`, with what is in your `my_module.py`, mpi4py's
            `MPI.COMM_WORLD` as `comm`, and `np`, `nbmodule`, `nn`, `tensor`, `F` and `fashion`.
        recorded: what they print, engine by engine.
        seconds: how long they may take once they have started.

    Raises:
        UsageError: they did not start or finish in time, or one of them raised an exception.
    """
    code = dedent(code).strip("\n")
    if os.environ.get("NBMODULE_REFEREE") == "recorded" or missing():
        return Engines(code, tidy(dedent(recorded)), live=False)
    return Engines(code, ask_engines(code, seconds), live=True)


def missing() -> str:
    """Name what isn't installed here of what the engines need; '' if all of it is."""
    modules = [name for name in ("ipyparallel", "mpi4py") if not importlib.util.find_spec(name)]
    return ", ".join(modules if mpiexec() else [*modules, "mpiexec"])


def mpiexec() -> str:
    """Return the path of the program that starts processes of MPI, beside this Python or elsewhere; or ''."""
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which("mpiexec", path=beside) or ""


def ask_engines(code: str, seconds: float = 60) -> str:
    """Return what two new engines print for `code`."""
    with two_engines() as view:
        return ask(view, code, seconds)


def ask(view: Any, code: str, seconds: float = 60) -> str:
    """Return what the engines of `two_engines` print for `code`.

    Raises:
        UsageError: they did not finish in time, or one of them raised an exception.
    """
    printed = _printed(view, f"{_FIRST}\n{code}", seconds)
    return "\n".join(
        f"engine {rank}\n{indented(tidy(text), 2)}" for rank, text in enumerate(printed)
    )


def _printed(view: Any, code: str, seconds: float) -> list[str]:
    """Return what each engine prints, in the order of their ranks."""
    from concurrent.futures import FIRST_EXCEPTION

    from ipyparallel.error import CompositeError, RemoteError
    from ipyparallel.error import TimeoutError as TookTooLong

    running = view.execute(code, block=False)
    try:
        running.get(timeout=seconds, return_when=FIRST_EXCEPTION)
        running.wait_for_output(timeout=seconds)
    except TookTooLong:
        raise UsageError(
            f"The engines haven't finished after {seconds:g} s, and have been stopped. "
            "Does one of them wait for a message that the other doesn't send?"
        ) from None
    except (CompositeError, RemoteError) as error:
        raise UsageError(f"An engine raised an exception. {_first_of(error)}") from None
    return list(running.stdout)


def _first_of(error: Any) -> str:
    kind, said = error.elist[0][:2] if hasattr(error, "elist") else (error.ename, error.evalue)
    return f"{kind}: {said}"


@contextmanager
def two_engines() -> Iterator[Any]:
    """Start two engines that MPI connects, for a block, and give ipyparallel's view of both, in the order of their ranks.

    Raises:
        UsageError: something that they need isn't installed, or they did not start.
    """
    if missing():
        raise UsageError(f"Not installed here: {missing()}. Run {INSTALL} in a terminal, then restart this notebook.")  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="nbmodule-engines-") as folder,
        _cluster(folder) as cluster,
        _started(cluster) as client,
    ):
        here = str(Path.cwd()), sys.path, {ENVIRONMENT: str(place()), **one_thread()}
        ranks = client[:].apply_sync(_settle, *here, os.getpid(), cluster.controller.pid, folder)
        if sorted(ranks) != list(range(SIZE)):
            raise UsageError(f"mpi4py and {mpiexec()} belong to different installations of MPI, so the engines don't find each other.")  # fmt: skip
        yield client[sorted(range(SIZE), key=ranks.__getitem__)]


@contextmanager
def _started(cluster: Any) -> Iterator[Any]:
    """Start a cluster and give a client of it."""
    from ipyparallel.error import EngineError
    from ipyparallel.error import TimeoutError as TookTooLong

    cluster.start_cluster_sync()
    with cluster.connect_client_sync() as client:
        try:
            client.wait_for_engines(SIZE, timeout=START, interactive=False)
        except (EngineError, TookTooLong) as error:
            raise UsageError(f"The engines did not start. Does `{mpiexec()} -n {SIZE} echo hello` work in a terminal?") from error  # fmt: skip
        yield client


@contextmanager
def _cluster(folder: str) -> Iterator[Any]:
    """Give a cluster that hasn't been started yet, and stop whatever was started of it."""
    from ipyparallel import Cluster
    from traitlets.config import Config

    # No nanny: it would be one more process for each engine, and outlive it for a moment.
    engines = {
        "mpi_cmd": [mpiexec()],
        "engine_args": ["--IPEngine.enable_nanny=False"],
        "environment": {"UCX_TLS": "self,sm"},  # MPICH would also listen to other machines
    }
    cluster: Any = Cluster(
        engines="mpi",
        n=SIZE,
        profile_dir=folder,
        controller_ip="127.0.0.1",
        # An engine is known from its first heartbeat on, and the default is one every three seconds.
        controller_args=["--HeartMonitor.period=200"],
        delay=0,
        log_level=logging.CRITICAL,
        config=Config({"MPIEngineSetLauncher": engines}),
    )
    try:
        yield cluster
    finally:
        cluster.stop_cluster_sync()


def _settle(folder: str, path: list[str], environment: dict[str, str], parent: int, controller: int, files: str) -> int:  # fmt: skip
    """Run in an engine: work where the notebook does, and end when it ends. Return the rank."""
    import os
    import shutil
    import sys
    import threading
    import time

    import psutil
    from mpi4py import MPI

    def watch() -> None:
        while psutil.pid_exists(parent):
            time.sleep(1)
        psutil.Process(controller).terminate()
        shutil.rmtree(files, ignore_errors=True)
        os._exit(1)

    os.chdir(folder)
    os.environ.update(environment)
    sys.path[:] = path
    threading.Thread(target=watch, daemon=True).start()
    return MPI.COMM_WORLD.Get_rank()
