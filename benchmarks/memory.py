"""Peak memory of workloads, each in a fresh process: five steps of one library.

    python benchmarks/memory.py nbmodule lenet

prints the MiB before the steps and after.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import networks
from harness import Race

STEPS = 5
ROWS = [f"{f.__name__.replace('_', ' ')}, peak" for f in networks.GOALS]
LIBRARIES = ("nbmodule", "torch", "by hand")


def peak() -> float:
    """Return the most memory that this process has had at once, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource  # not on Windows

    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def report(library: str, workload: str) -> None:
    """Do the steps, and print the peak before and after. NumPy by hand reads networks off nbmodule's."""
    t = importlib.import_module("nbmodule" if library == "by hand" else library)
    if library == "torch":
        t.set_num_threads(1)
    by_hand = importlib.import_module("by_hand.networks")
    before = peak()
    step = getattr(networks, workload)(t)
    if library == "by hand":
        step = by_hand.StepByHand(step)
    for _ in range(STEPS):
        step()
    print(before, peak())


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Print the peaks in MiB, and in brackets what the workload adds to the import."""
    if sys.platform == "win32":
        print("\nmemory: not measured on Windows")
        return {}
    found = [name for name in LIBRARIES if name != "torch" or importlib.util.find_spec(name)]
    print(f"\n{'memory, MiB':36}" + "".join(f"{name:>16}" for name in found) + f"{'ratio':>8}")
    results = {}
    for row in rows:
        workload = row.removesuffix(", peak").replace(" ", "_")
        peaks: dict[str, list[float]] = {}
        for name in found:
            command = [sys.executable, "-W", "ignore", __file__, name, workload]
            before, after = map(float, subprocess.check_output(command, text=True).split())
            peaks[name], peaks[f"{name}, added"] = [after], [after - before]
        results[row] = race = Race(peaks)
        figures = [f"{race.median(n):.0f} ({race.median(f'{n}, added'):.0f})" for n in found]
        ratio = f"{race.ratio('nbmodule', 'torch'):8.2f}" if "torch" in found else ""
        print(f"{row:36}" + "".join(f"{text:>16}" for text in figures) + ratio, flush=True)
    return results


if __name__ == "__main__":
    report(sys.argv[1], sys.argv[2])
