"""Measure the views of `nbmodule_widgets` against their budgets.

    python benchmarks/widgets [--quick] [--no-browser] [--only WORD] [--json FILE]

Times in Python are CPU times on one thread, the least of several rounds, or the median ratio of two variants
that take turns in one process; times in the page are wall times, so leave the machine alone meanwhile. The
torch parts run where PyTorch is installed. The full run takes some fifteen minutes, most of them for the
transformer of 124 million numbers; `--quick` takes a small one and fewer rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# This checkout is measured, whatever is installed, here and in the kernels that we start.
FOLDERS = [str(path) for path in (ROOT, ROOT / "widgets", ROOT / "notebooks", ROOT / "tests", HERE)]


def main() -> None:
    """Run the sections and print the table."""
    parser = argparse.ArgumentParser(
        "benchmarks/widgets", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="a small transformer and few rounds")
    parser.add_argument("--no-browser", action="store_true", help="leave JupyterLab out")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="sections whose title has this word"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    asked = parser.parse_args()

    import lab
    import passes
    import showing
    import training
    from rows import CannotRun, Row, heading

    sections = {
        "show, in Python": showing.show,
        "show, in JupyterLab": lab.show,
        "text and static HTML": showing.twins,
        "cost of watch: ratio to the plain training step": training.cost,
        "weights under watch": training.same_bits,
        "nothing left after watch": training.nothing_left,
        "live updates, in JupyterLab": lab.live,
        "events of one pass: ratio to the plain pass": passes.events,
        "views of 10,101 modules": passes.large,
        "trace: what is sent": passes.messages,
        "train() against eval()": passes.modes,
        "graph, in Python": passes.graphs,
        "graph, in JupyterLab": lab.graph,
        "after trace, compare_modes and graph": passes.as_before,
        "script of each view": showing.scripts,
    }
    found: dict[str, list[Row]] = {}
    print(
        f"{os.cpu_count()} cores, load {_load()}: above 1 trust CPU times and ratios, not wall times"
    )
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed here: its models are left out")
    print(heading())
    for title, section in sections.items():
        if asked.only.lower() not in title.lower():
            continue
        if asked.no_browser and section.__module__ == "lab":
            continue
        print(f"\n{title}", flush=True)
        found[title] = []
        try:
            for row in section(asked.quick):
                found[title].append(row)
                print(row.line(), flush=True)
        except CannotRun as reason:
            print(f"  not measured: {reason}")
    rows = [row for section in found.values() for row in section]
    missed = [row.what for row in rows if row.met is False]
    print(f"\n{sum(row.met is True for row in rows)} targets met, {len(missed)} missed")
    if asked.json:
        records = {title: [row.record() for row in section] for title, section in found.items()}
        asked.json.write_text(json.dumps(records, indent=1), encoding="utf-8")


def _load() -> str:
    """How many processes wanted a core in the last minute, where the system says so."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    sys.path[:0] = FOLDERS
    os.environ["PYTHONPATH"] = os.pathsep.join([*FOLDERS, os.environ.get("PYTHONPATH", "")])
    main()
