"""Replicas in one process, and two processes that MPI connects: they answer, and nothing of them is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from course_chapters import course_chapters, literal_calls

from nbmodule_course import UsageError, engines
from nbmodule_course.capture import tidy
from nbmodule_course.worlds import run_replicas

with_real_mpi = pytest.mark.skipif(
    bool(engines.missing()) and os.environ.get("NBMODULE_REQUIRE_MPI") != "1",
    reason=f"MPI is not installed: {engines.missing()}",
)

# ---- replicas in one process


def test_replicas_add_up_what_they_send_and_take_turns():
    said = []

    def work(world):
        said.append(world.rank)
        total = world.allreduce(np.array([1.0, world.rank]))
        said.append(world.rank)
        first = world.broadcast(np.float32(world.rank))
        return total.tolist(), float(first), first.dtype, world.messages

    assert run_replicas(3, work) == [([3.0, 3.0], 0.0, np.float32, 2)] * 3
    assert said == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("work", "kind", "words"),
    [
        (lambda w: w.rank or w.allreduce(np.ones(2)), RuntimeError, "replica 1 has finished"),
        (lambda w: w.rank and w.allreduce(np.ones(2)), RuntimeError, "replica 0 has finished"),
        (lambda w: w.allreduce(np.ones(1 + w.rank)), RuntimeError, r"float64\[1\].*float64\[2\]"),
        (lambda w: (w.broadcast if w.rank else w.allreduce)(np.ones(1)), RuntimeError, "broadcast"),
        (lambda w: w.allreduce(np.ones(1)) / (1 - w.rank) if not w.rank else 1 / 0, ZeroDivisionError, "zero"),
    ],
)  # fmt: skip
def test_replicas_that_would_wait_for_ever_are_an_error(work, kind, words):
    with pytest.raises(kind, match=words):
        run_replicas(2, work)


@pytest.mark.parametrize("given", [(0, print), (65, print), (True, print), (2, "work")])
def test_what_cannot_be_replicas_is_refused(given):
    with pytest.raises(UsageError):
        run_replicas(*given)


# ---- what is shown where there is no MPI


def test_without_mpi_the_recorded_output_is_shown_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.delenv("NBMODULE_REFEREE", raising=False)
    monkeypatch.setattr(engines, "missing", lambda: "mpi4py")
    shown = engines.with_mpi("print(1 < 2)", recorded="\n    engine 0\n      True\n    ")
    assert not shown.live
    assert repr(shown).endswith("    print(1 < 2)\noutput:\n    engine 0\n      True")
    assert engines.INSTALL in repr(shown)
    assert "1 &lt; 2" in shown.to_html() or "&lt;" in shown.to_html()
    with pytest.raises(UsageError, match=r"mpi4py.*nbmodule\[mpi\]"), engines.two_engines():
        pass


# ---- the real thing


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """Both engines, for all tests; at last, they wait until the reader interrupts them, and nothing is left over."""
    children, folder = [], tmp_path_factory.mktemp("engines")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        with pytest.raises(KeyboardInterrupt), engines.two_engines() as both:  # noqa: PT012
            children = children_of(os.getpid())
            assert len(children) >= engines.SIZE + 1
            yield both
            reader = threading.main_thread().ident
            threading.Timer(0.3, signal.pthread_kill, (reader, signal.SIGINT)).start()
            engines.ask(both, WAITS, seconds=60)
    assert nothing_left(children, folder)


def recorded_answers():
    for chapter in course_chapters():
        for code, keywords in literal_calls(chapter, "with_mpi"):
            yield pytest.param(
                dedent(code).strip("\n"), tidy(dedent(keywords["recorded"])), id=chapter.number
            )


@with_real_mpi
@pytest.mark.parametrize(("code", "recorded"), [*recorded_answers()])
def test_recorded_answers_are_what_two_processes_say(code, recorded, view):
    assert engines.ask(view, code) == recorded


@with_real_mpi
def test_an_exception_in_an_engine_is_told_and_the_engines_go_on(view):
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        engines.ask(view, "1 / 0")
    assert engines.ask(view, "print(comm.rank)") == "engine 0\n  0\nengine 1\n  1"


WAITS = "comm.Barrier() if comm.rank else None"

_PROGRAM = f"""
from nbmodule_course import UsageError, engines
with engines.two_engines() as view:
    try:
        engines.ask(view, {WAITS!r}, seconds=0.5)
    except UsageError as error:
        print(error, flush=True)
    engines.ask(view, "", seconds=600)
"""


@with_real_mpi
def test_engines_that_wait_for_ever_are_told_and_end_when_the_notebook_is_killed(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "a message that the other doesn't send" in process.stdout.readline()
        children = children_of(process.pid)
        assert len(children) >= engines.SIZE + 1
        process.kill()
    assert nothing_left(children, tmp_path)


def children_of(pid):
    import psutil

    return psutil.Process(pid).children(recursive=True)


def nothing_left(processes, folder):
    """Wait until the processes have ended and their folder is gone; tell whether it came to that."""
    until = time.monotonic() + 30
    while left := [*filter(runs, processes), *Path(folder).glob("nbmodule-engines-*")]:
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return not left


def runs(process):
    import psutil

    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
