"""The goals: nbmodule's time as a part of PyTorch's in the same run (for `import`, of NumPy's)."""

from __future__ import annotations

from typing import NamedTuple

from harness import Race


class Goal(NamedTuple):
    """A row, and the ratio that it must not exceed with one thread and with two."""

    group: str
    row: str
    one: float
    two: float | None = None
    base: str = "torch"


GOALS = [
    Goal("workloads", "tiny mlp", 0.45, 0.45),
    Goal("workloads", "mlp with adam", 0.90, 1.1),
    Goal("workloads", "lenet", 0.85, 0.75),
    Goal("workloads", "simple model", 1.0, 0.80),
    Goal("workloads", "zebra net", 0.90, 0.75),
    Goal("workloads", "transformer block", 1.4, 0.85),
    Goal("workloads", "batch norm relu dropout", 0.80, 0.60),
    Goal("workloads", "lstm", 1.5, 1.15),
    Goal("import", "import", 1.5, base="numpy"),
    Goal("modules", "module call", 0.6),
    Goal("modules", "module call, one hook", 0.6),
    Goal("modules", "get a parameter", 1.0),
    Goal("modules", "get a plain attribute", 1.0),
    Goal("modules", "set a parameter", 1.0),
    Goal("modules", "set a plain attribute", 1.0),
    Goal("modules", "build", 0.6),
    Goal("modules", "named_parameters", 1.0),
    Goal("modules", "state_dict", 0.7),
    Goal("modules", "load_state_dict", 0.2),
    Goal("modules", "apply", 0.5),
    Goal("modules", "zero_grad", 0.95),
    Goal("modules", "to", 0.9),
    Goal("engine", "small product", 1.2),
    Goal("engine", "backward of 100 small products", 0.6),
    Goal("memory", "lenet, peak", 1.0),
    Goal("memory", "zebra net, peak", 1.0),
]


def rows(threads: int) -> dict[str, list[str]]:
    """Return the rows that have a goal with so many threads, by group."""
    found: dict[str, list[str]] = {}
    for goal in GOALS:
        if threads == 1 or goal.two is not None:
            found.setdefault(goal.group, []).append(goal.row)
    return found


def show(results: dict[str, dict[str, Race]], threads: int) -> None:
    """Print the goals of the rows that have been measured."""
    lines = []
    for goal in GOALS:
        race = results.get(goal.group, {}).get(goal.row)
        limit = goal.one if threads == 1 else goal.two
        if race is not None and limit is not None and goal.base in race.seconds:
            ratio = race.ratio("nbmodule", goal.base)
            verdict = "met" if round(ratio, 2) <= limit else "missed"
            lines.append(f"{goal.row:36}{ratio:10.2f}{limit:7.2f}  {verdict}")
    if lines:
        print("\n".join([f"\n{'goals':36}{'measured':>10}{'goal':>7}", *lines]))
