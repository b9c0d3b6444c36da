"""Which rows there are, and the tables that they are printed in."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import apart
import cores
import goals
import growth
import imports
import learner
import memory
import peers
import profiles
import threads
from data import DATA, WORKERS
from engine import ENGINE
from files import FILES, do_not_wait_for_the_disk
from harness import PAUSE, Prepare, Race, Rows, Timing, duration, load, named, surroundings
from modules import MODULES
from networks import NETWORKS
from optimizers import OPTIMIZERS

TABLES: dict[str, Rows] = {
    "workloads": named(NETWORKS),
    "engine": ENGINE,
    "modules": MODULES,
    "optim": OPTIMIZERS,
    "data": DATA | WORKERS,
    "files": FILES,
}
"""Groups of rows in which nbmodule and PyTorch do the same work."""

OTHERS: dict[str, tuple[list[str], Callable[[list[str], Any], dict[str, Race]]]] = {
    "learner": (learner.ROWS, learner.measure),
    "import": (imports.ROWS, imports.measure),
    "memory": (memory.ROWS, memory.measure),
    "apart": (apart.ROWS, apart.measure),
    "growth": (growth.ROWS, growth.measure),
    "threads": (threads.ROWS, threads.measure),
    "cores": (cores.ROWS, cores.measure),
}
"""Groups with a table of their own: the rows, and the function (rows, options) that measures and prints them."""

QUICK = Timing(rounds=3, turn=0.005)
Results = dict[str, dict[str, Race]]


def chosen(words: list[str], threads: int) -> dict[str, list[str]]:
    """Return the rows that the words ask for, by group. A row's whole name comes before parts of names."""
    rows = {group: list(table) for group, table in TABLES.items()}
    rows |= {group: names for group, (names, _) in OTHERS.items()}
    if not words:
        return {group: names for group, names in rows.items() if group not in ("threads", "cores")}
    found: dict[str, list[str]] = {}
    for word in words:
        word = {"networks": "workloads"}.get(word, word)
        if word == "goals":
            picked = goals.rows(threads)
        elif word in rows:
            picked = {word: rows[word]}
        else:
            picked = {g: [n for n in names if n == word] for g, names in rows.items()}
            if not any(picked.values()):
                picked = {g: [n for n in rows[g] if word in n] for g in TABLES}
        for group, names in picked.items():
            found[group] = list(dict.fromkeys(found.get(group, []) + names))
    if not any(found.values()):
        sys.exit(f"no group and no row is called {' '.join(words)!r}; groups: {', '.join(rows)}")
    return {group: names for group, names in found.items() if names}


def libraries(threads: int) -> dict[str, ModuleType]:
    """Return nbmodule, and PyTorch if it is installed."""
    found = {"nbmodule": importlib.import_module("nbmodule")}
    if importlib.util.find_spec("torch"):
        found["torch"] = torch = importlib.import_module("torch")
        torch.set_num_threads(threads)
    return found


def compared(
    group: str, rows: list[str], found: dict[str, ModuleType], options: argparse.Namespace
) -> dict[str, Race]:
    """Time the rows for each library, print a table, and return the times."""
    with_peers = group == "workloads" and options.device == "cpu" and not options.no_peers
    columns = peers.NAMES if with_peers and "torch" in found else []
    print(
        f"\n{group:36}{'nbmodule':>11}{'torch':>11}{'ratio':>7}{'least':>7}{'spread':>8}{'core':>6}",
        end="",
    )
    print("".join(f"{name:>10}" for name in columns) + ("   to torch" if columns else ""))
    results = {}
    for row in rows:
        works, finish = contestants(TABLES[group][row], found, options.device)
        if with_peers:
            peers.check_that_losses_agree(TABLES[group][row], list(found.values()))
            works |= peers.works(TABLES[group][row])
        timing = options.timing
        if row in WORKERS or options.device != "cpu":
            timing = replace(timing, clock=time.perf_counter)
        results[row] = race = timing.race(works, finish)
        print(f"{row:36}{table_row(race)}", end="")
        print("".join(f"{against_torch(name, race):>10}" for name in columns), flush=True)
    return results


def contestants(
    prepare: Prepare, found: dict[str, ModuleType], device: str
) -> tuple[dict[str, Any], Any]:
    """Return the work of each library, and what waits for the device."""
    works = {}
    for name, library in found.items():
        if device != "cpu":
            library.set_default_device(device)
        library.manual_seed(0)
        works[name] = prepare(library)
        if device != "cpu":
            library.set_default_device(None)

    def finish() -> None:
        for library in found.values():
            library.cuda.synchronize()

    return works, None if device == "cpu" else finish


def table_row(race: Race) -> str:
    ours = f"{duration(race.median('nbmodule')):>11}"
    if "torch" not in race.seconds:
        return ours
    pair = ("nbmodule", "torch")
    theirs = f"{duration(race.median('torch')):>11}"
    return f"{ours}{theirs}{race.ratio(*pair):7.2f}{race.ratio_of_least(*pair):7.2f}{race.spread(*pair):8.0%}{race.core:6.0%}"


def against_torch(name: str, race: Race) -> str:
    return f"{race.ratio(name, 'torch'):.2f}" if name in race.seconds else "-"


def main(options: argparse.Namespace) -> None:
    """Run what `options` ask for."""
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    if options.words[:1] == ["profile"]:
        for name in chosen(options.words[1:] or ["workloads"], options.threads)["workloads"]:
            profiles.show(name, TABLES["workloads"][name])
        return
    found = options.libraries = libraries(options.threads)
    pace = QUICK if options.quick else Timing()
    wall = options.wall or options.threads > 1
    clock = time.perf_counter if wall else time.process_time
    pause = PAUSE if options.threads > 1 else 0
    options.timing = Timing(options.rounds or pace.rounds, pace.turn, clock, pause)
    if options.device != "cpu":
        reason = missing_device(found)
        if reason:
            print(reason)
            return
        options.words = options.words or ["workloads"]
    wanted = chosen(options.words, options.threads)
    do_not_wait_for_the_disk()
    print(surroundings([*found.values(), *peers.installed()], options.threads))
    for line in peers.missing():
        print(line)
    results: Results = {}
    for group, rows in wanted.items():
        if group in TABLES:
            results[group] = compared(group, rows, found, options)
        else:
            results[group] = OTHERS[group][1](rows, options)
    goals.show(results, options.threads)
    print(f"\n{time.perf_counter() - start:.0f} s; load {load()}")
    if options.json:
        everything = {g: {r: race.seconds for r, race in rows.items()} for g, rows in results.items()}  # fmt: skip
        options.json.write_text(json.dumps(everything, indent=1))


def missing_device(found: dict[str, ModuleType]) -> str:
    """Return why there is nothing to time on a GPU; nothing if there is."""
    without = [name for name, library in found.items() if not library.cuda.is_available()]
    return f"no GPU that {' and '.join(without)} can use" if without else ""
