"""Time `import` of each library in fresh processes, which take turns."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import Any

from harness import Race

ROWS = ["import"]


def seconds(library: str) -> float:
    """Return the CPU time of the import. The process may keep compiled modules, as users' processes do."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    code = f"import time; t = time.process_time(); import {library}; print(time.process_time() - t)"
    command = [sys.executable, "-W", "ignore", "-c", code]
    return float(subprocess.check_output(command, text=True, env=environment))


def measure(rows: list[str], options: Any) -> dict[str, Race]:
    """Import all libraries in turns, and print the times beside NumPy's."""
    names = ("numpy", "nbmodule", "torch", "mygrad", "autograd")
    found = [name for name in names if importlib.util.find_spec(name)]
    for name in found:
        seconds(name)  # may have to compile
    race = Race({name: [] for name in found})
    for _ in range(options.timing.rounds):
        for name in found:
            race.seconds[name].append(seconds(name))
    print(f"\n{'import, CPU time':36}{'median':>11}{'to NumPy':>11}{'least':>7}")
    for name in found:
        ratios = f"{race.ratio(name, 'numpy'):11.2f}{race.ratio_of_least(name, 'numpy'):7.2f}"
        print(f"{name:36}{race.median(name) * 1000:8.0f} ms{ratios}")
    return {"import": race}
