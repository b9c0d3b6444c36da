"""CPU time, so that a busy machine spoils little: the least of several rounds, variants taking turns."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's names for them


def cpu_ms(work: Callable[[], object], rounds: int) -> float:
    """The least CPU time of `work` in milliseconds; what it returns dies between rounds."""
    return min(_seconds(work) for _ in range(rounds)) * 1e3


@dataclass(frozen=True)
class Ratio:
    """How much longer one kind of step takes than another.

    Attributes:
        value: Their ratio: of the least times, phase by phase, summed up over a period.
        spread: The same from each half of the measurement alone.
        total: The ratio of all time spent, noise of a busy machine included.
        steps: How many steps of each kind there were.
        plain_ms: The least time of a plain step, in milliseconds.
    """

    value: float
    spread: tuple[float, float]
    total: float
    steps: int
    plain_ms: float

    def words(self) -> str:
        """The ratio's detail, for the table."""
        low, high = sorted(self.spread)
        return (
            f"halves {low:.3f} and {high:.3f}, all time {self.total:.3f}, {self.steps} steps each, "
            f"a plain one {self.plain_ms:.2f} ms"
        )


def keep_memory() -> None:
    """Has the C library keep freed memory, where it is glibc.

    Given back and asked for again, large arrays cost page faults or not by an accident of what lies behind them in
    memory: a tenth of a convolution's time, for the watched model as for the plain one.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
            library.mallopt(option, 2**30)


Pairs = list[tuple[float, float]]


def ratio(halves: tuple[Pairs, Pairs], period: int) -> Ratio:
    """A ratio from (plain, other) seconds of steps that took turns.

    What `other` does may depend on the step's number modulo `period`, as when only every tenth is looked at. So
    the least time is taken for each phase, of which there are many steps; that keeps rare work and drops noise.
    """
    both = halves[0] + halves[1]
    return Ratio(
        value=_by_phase(both, period),
        spread=(_by_phase(halves[0], period), _by_phase(halves[1], period)),
        total=sum(other for _, other in both) / sum(plain for plain, _ in both),
        steps=len(both),
        plain_ms=min(plain for plain, _ in both) * 1e3,
    )


def _by_phase(pairs: Pairs, period: int) -> float:
    plain, other = (
        sum(min(kind[phase::period]) for phase in range(period))
        for kind in zip(*pairs, strict=True)
    )
    return other / plain


def take_turns(
    plain: Callable[[], object], other: Callable[[], object], steps: int, period: int = 1
) -> Pairs:
    """Times so many steps of each, taking turns at going first in each phase; CPU seconds (plain, other)."""
    pairs: Pairs = []
    for number in range(steps):
        cycle, phase = divmod(number, period)
        if (cycle + phase) % 2:
            second, first = _seconds(other), _seconds(plain)
        else:
            first, second = _seconds(plain), _seconds(other)
        pairs.append((first, second))
    return pairs


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
