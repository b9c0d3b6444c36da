"""Replicas in one process, and two processes that MPI connects: they answer, and nothing of them is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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
def view():
    with engines.two_engines() as both:
        yield both


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


_PROGRAM = """
import psutil
from nbmodule_course import UsageError, engines
with engines.two_engines() as view:
    print(*[child.pid for child in psutil.Process().children(recursive=True)], flush=True)
    try:
        engines.ask(view, "comm.Barrier() if comm.rank else None", seconds=1)
    except UsageError as error:
        print(error, flush=True)
    engines.ask(view, "", seconds=600)
"""


@with_real_mpi
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_engines_that_wait_for_ever_end_with_their_block(number, tmp_path):
    """The waiting ends in time; then the reader interrupts the next one, or the notebook's process is killed."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        children = [int(pid) for pid in process.stdout.readline().split()]
        assert len(children) >= engines.SIZE + 1
        assert "a message that the other doesn't send" in process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert ("KeyboardInterrupt" in said) == (number == signal.SIGINT)
    until = time.monotonic() + 30
    while (alive := [pid for pid in children if _runs(pid)]) and time.monotonic() < until:
        time.sleep(0.1)
    assert not alive
    assert not list(Path(tmp_path).glob("nbmodule-engines-*"))


def _runs(pid):
    import psutil

    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
