"""How work is timed: in rounds in which all contestants take turns, so that a disturbance meets all of them.

A turn repeats the work until it has lasted long enough for the clock. What is compared is not two times that were taken
minutes apart, but the ratio within each round; the table shows the median of these ratios, the ratio of the least
times, how far the middle half of the rounds' ratios lies apart, and how much of a core this process had: what
is missing to 100 % on one thread, other programs have taken.
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Work = Callable[[], Any]
Prepare = Callable[[ModuleType], Work]
Rows = dict[str, Prepare]

PATIENCE = 0.5
"""Seconds: work that lasts longer is repeated in a few rounds only, unless it is the base's or ours."""

PAUSE = 0.06
"""Seconds between turns with several threads."""


def named(functions: list[Callable[[ModuleType], Any]]) -> Rows:
    """Return rows that are called as their functions are."""
    return {f.__name__.replace("_", " "): f for f in functions}


@dataclass(frozen=True)
class Timing:
    """How to time: `rounds` turns of about `turn` seconds each, and the clock that is looked at.

    `pause` seconds lie between turns: threads of linear algebra go on spinning for a while after their work, on
    the cores that the next library wants.
    """

    rounds: int = 7
    turn: float = 0.05
    clock: Callable[[], float] = time.process_time
    pause: float = 0.0

    def race(self, works: dict[str, Work], finish: Work | None = None) -> Race:
        """Time the works in turns. The first two are run in all rounds.

        Args:
            works: the work of each contestant.
            finish: what waits at the end of a turn, where work goes on elsewhere (on a GPU).
        """
        gc.collect()
        gc.freeze()  # the collector does not look through what one library has imported while another works
        counts = {who: self.repetitions(work, finish) for who, work in works.items()}
        seconds: dict[str, list[float]] = {who: [] for who in works}
        patient = list(works)[:2]
        busy, start = time.process_time(), time.perf_counter()
        for turn in range(self.rounds):
            for who, work in works.items():
                if turn < 3 or who in patient or seconds[who][0] < PATIENCE:
                    if self.pause:
                        time.sleep(self.pause)
                        work()  # a core that has slept takes a while until it is fast
                    seconds[who].append(self.spent(work, counts[who], finish))
        busy, wall = time.process_time() - busy, time.perf_counter() - start
        gc.unfreeze()
        return Race(seconds, busy / wall)

    def spent(self, work: Work, times: int, finish: Work | None) -> float:
        """Return the seconds of one repetition. The garbage collector works as it does for users."""

        def turns() -> None:
            for _ in range(times):
                work()
            if finish:
                finish()

        if finish:
            return timeit.timeit(turns, gc.enable, self.clock, 1) / times
        return timeit.timeit(work, gc.enable, self.clock, times) / times

    def repetitions(self, work: Work, finish: Work | None) -> int:
        """Return how often `work` fits into a turn; running it meanwhile warms it up."""
        work()
        times, took = 1, self.spent(work, 1, finish)
        while took * times < self.turn / 5 and times < 1_000_000:
            times *= 4
            took = self.spent(work, times, finish)
        return max(1, round(self.turn / max(took, 1e-9)))


@dataclass(frozen=True)
class Race:
    """The seconds of each contestant, round by round; and how much of a core this process had meanwhile."""

    seconds: dict[str, list[float]]
    core: float = 1.0

    def median(self, who: str) -> float:
        return statistics.median(self.seconds[who])

    def ratios(self, who: str, base: str) -> list[float]:
        pairs = zip(self.seconds[who], self.seconds[base], strict=False)
        return [ours / theirs for ours, theirs in pairs]

    def ratio(self, who: str, base: str) -> float:
        """Return the median of the rounds' ratios."""
        return statistics.median(self.ratios(who, base))

    def ratio_of_least(self, who: str, base: str) -> float:
        return min(self.seconds[who]) / min(self.seconds[base])

    def spread(self, who: str, base: str) -> float:
        """Return how far the middle half of the ratios lies apart, as a part of their median."""
        ratios = sorted(self.ratios(who, base))
        quarter = len(ratios) // 4
        return (ratios[-1 - quarter] - ratios[quarter]) / statistics.median(ratios)


def duration(seconds: float) -> str:
    """Return it with a unit, for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def load() -> str:
    """Return how many processes have wanted a core in the last minute: above 1 or 2, distrust the times."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def surroundings(libraries: list[ModuleType], threads: int) -> str:
    """Return what the figures were measured on."""
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    versions = [f"{library.__name__} {library.__version__}" for library in libraries]
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__} ({blas['name']} {blas['version']}), "
        f"{', '.join(versions)}; {threads} thread{'s' * (threads > 1)}; load {load()}"
    )
