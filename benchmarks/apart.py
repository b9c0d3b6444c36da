"""The workloads with each library in a process of its own, as users run it.

    python benchmarks/apart.py nbmodule lenet

prints the seconds of a step. In one process the libraries share an allocator: what one of them frees can spare the other
the fetching of memory from the system, which is a good part of the time where arrays are large.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from typing import Any

import networks
from harness import Race, Timing, duration

ROWS = [f"{f.__name__.replace('_', ' ')}, apart" for f in networks.GOALS]
TIMING = Timing(rounds=3, turn=0.1)
MOST_ROUNDS = 5


def report(library: str, workload: str) -> None:
    """Print the least time of a step."""
    t = importlib.import_module(library)
    if library == "torch":
        t.set_num_threads(1)
    race = TIMING.race({library: getattr(networks, workload)(t)})
    print(min(race.seconds[library]))


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Print the times, for which the libraries' processes take turns."""
    found = list(options.libraries)
    rounds = min(options.timing.rounds, MOST_ROUNDS)
    print(f"\n{'apart, CPU time':36}" + "".join(f"{name:>11}" for name in found) + f"{'ratio':>7}")
    results = {}
    for row in rows:
        workload = row.removesuffix(", apart").replace(" ", "_")
        race = Race({name: [] for name in found})
        for _ in range(rounds):
            for name in found:
                command = [sys.executable, "-W", "ignore", __file__, name, workload]
                race.seconds[name].append(float(subprocess.check_output(command, text=True)))
        times = "".join(f"{duration(race.median(name)):>11}" for name in found)
        ratio = f"{race.ratio('nbmodule', 'torch'):7.2f}" if "torch" in found else ""
        print(f"{row:36}{times}{ratio}", flush=True)
        results[row] = race
    return results


if __name__ == "__main__":
    report(sys.argv[1], sys.argv[2])
