"""Where the time of a workload's step goes: by function, and by room of the library.

The time of a function is its own and that of the built-in functions and NumPy's that it calls.
"""

from __future__ import annotations

import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nbmodule

LIBRARY, NUMPY = Path(nbmodule.__file__).parent, Path(np.__file__).parent
SECONDS = 2.0
LINES = 20

Place = tuple[str, int, str]
"""File, line and name of a function, as `pstats` has them."""


def profiled(step: Callable[[], Any]) -> tuple[int, dict[Place, float]]:
    """Run steps for a while; return how many, and the seconds of each Python function."""
    for _ in range(3):
        step()
    profile, steps, start = cProfile.Profile(), 0, time.perf_counter()
    while steps < 3 or time.perf_counter() - start < SECONDS:
        profile.runcall(step)
        steps += 1
    entries: dict[Place, Any] = vars(pstats.Stats(profile))["stats"]
    spent: defaultdict[Place, float] = defaultdict(float)
    for place, (_, _, own, _, callers) in entries.items():
        if not is_numpy(place) and place[0] != "~":
            spent[place] += own
            continue
        for caller, (_, _, for_caller, with_calls) in callers.items():
            if not is_numpy(caller):
                spent[caller] += with_calls if is_numpy(place) else for_caller
    return steps, spent


def is_numpy(place: Place) -> bool:
    """Return whether it is one of NumPy's functions, in Python or (file "~") in C."""
    file, _, name = place
    return Path(file).is_relative_to(NUMPY) or (file == "~" and "numpy" in name)


def room(file: str) -> str:
    """Return the file under `nbmodule/`, which for a rule says what kind of layer it belongs to."""
    path = Path(file)
    return str(path.relative_to(LIBRARY)) if path.is_relative_to(LIBRARY) else path.name


def show(name: str, prepare: Callable[[Any], Callable[[], Any]]) -> None:
    """Print the two tables."""
    nbmodule.manual_seed(0)
    steps, spent = profiled(prepare(nbmodule))
    total = sum(spent.values())
    rooms: defaultdict[str, float] = defaultdict(float)
    for (file, _, _), seconds in spent.items():
        rooms[room(file)] += seconds
    print(
        f"\n{name}: {total / steps * 1000:.2f} ms a step, profiled (which makes small functions dearer)"
    )
    for file, seconds in most(rooms)[: LINES // 2]:
        print(f"{seconds / total:7.1%}  {file}")
    print()
    for (file, line, function), seconds in most(spent)[:LINES]:
        print(f"{seconds / total:7.1%}  {function:32} {room(file)}:{line}")


def most(spent: dict[Any, float]) -> list[tuple[Any, float]]:
    return sorted(spent.items(), key=lambda item: -item[1])
