"""What two threads bring: the workloads with one and with two, in processes of their own, by the clock on the wall.

NumPy's linear algebra reads ``OPENBLAS_NUM_THREADS`` when it is loaded, hence the processes; while a program runs,
`nbmodule.set_num_threads` says it, which the last row tries. The figures mean nothing while other programs run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness import PAUSE, Race, duration
from networks import GOALS

SWITCHED = "a product of matrices, switched"
ROWS = [f"{f.__name__.replace('_', ' ')}, threads" for f in GOALS] + [SWITCHED]
RUN = Path(__file__).with_name("run.py")


def in_a_process(rows: list[str], threads: int, options: Any) -> dict[str, Race]:
    """Return the workloads' times with so many threads."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "times.json")
        more = [
            "--wall",
            "--no-peers",
            "--threads",
            str(threads),
            "--rounds",
            str(options.timing.rounds),
        ]
        more += ["--quick"] * options.quick
        command = [sys.executable, "-W", "ignore", str(RUN), *rows, *more, "--json", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return {row: Race(times) for row, times in json.loads(file.read_text())["workloads"].items()}  # fmt: skip


def switched(options: Any) -> Race:
    """Time a product of two large matrices in this process, with `set_num_threads` at 1 and at 2."""
    works = {}
    for name, t in options.libraries.items():
        before, x = t.get_num_threads(), t.ones(1000, 1000)
        for threads in (1, 2):

            def work(t: Any = t, threads: int = threads, before: int = before, x: Any = x) -> None:
                t.set_num_threads(threads)
                t.mm(x, x)
                t.set_num_threads(before)

            works[f"{name}, {threads}"] = work
    return replace(options.timing, clock=time.perf_counter, pause=PAUSE).race(works)


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Print the times with one and two threads, and how many times faster two are."""
    found = list(options.libraries)
    names = [row.removesuffix(", threads") for row in rows if row != SWITCHED]
    one, two = ({}, {}) if not names else (in_a_process(names, n, options) for n in (1, 2))
    print(f"\n{'threads, on the wall':36}" + "".join(f"{f'{name}: 1':>13}{'2':>11}{'gain':>7}" for name in found) + f"{'ratio: 1':>10}{'2':>7}")  # fmt: skip
    results = {}
    for row in rows:
        if row == SWITCHED:
            race = switched(options)
        else:
            name = row.removesuffix(", threads")
            times = [(n, races[name].seconds) for n, races in ((1, one), (2, two))]
            race = Race({f"{who}, {n}": of[who] for n, of in times for who in of})
        print(f"{row:36}", end="")
        for name in found:
            times = [race.median(f"{name}, {n}") for n in (1, 2)]
            print(f"{duration(times[0]):>13}{duration(times[1]):>11}{times[0] / times[1]:7.2f}", end="")  # fmt: skip
        if "torch" in found:
            ratios = [race.ratio(f"nbmodule, {n}", f"torch, {n}") for n in (1, 2)]
            print(f"{ratios[0]:10.2f}{ratios[1]:7.2f}", end="")
        print(flush=True)
        results[row] = race
    return results
