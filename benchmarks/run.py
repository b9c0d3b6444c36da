"""Time nbmodule, beside PyTorch, MyGrad, autograd and NumPy by hand where they are installed.

    python benchmarks/run.py [WORD...] [--quick] [--rounds N] [--threads N] [--wall] [--no-peers]
                             [--device cuda] [--json FILE]

A word is a group (workloads, engine, modules, optim, data, files, learner, import, memory, apart, growth, threads, cores), or
a part of rows' names. `goals` runs what has a goal and says whether it is met; `profile WORKLOAD` says where a step's time
goes. Without words all groups but `threads` and `cores` are run, and the goals are shown.

All libraries use the same number of threads. With one thread a figure is CPU time; with more, and with workers or
a GPU, it is time on the wall, which means nothing while other programs run. A ratio below 1 means that nbmodule is
faster. "ratio" is the median of the rounds' ratios, "least" the ratio of the least times, "spread" how far the middle half
of the rounds' ratios lies apart, "core" how much of a core this process had: where spread is large or core small,
the machine was disturbed; measure again.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description="Time nbmodule beside its peers.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="a group or part of rows' names")
    parser.add_argument("--quick", action="store_true", help="short turns, few rounds: rough")
    parser.add_argument("--rounds", type=int, help="how often all take turns (7)")
    parser.add_argument("--threads", type=int, default=1, help="of each library (1)")
    parser.add_argument("--wall", action="store_true", help="time on the wall with one thread, too")
    parser.add_argument("--no-peers", action="store_true", help="only nbmodule and PyTorch")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="for workloads")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all times there")
    options = parser.parse_args()
    for name in THREADS:
        os.environ[name] = str(options.threads)
    import tables  # and with it NumPy, which reads these variables once

    tables.main(options)


if __name__ == "__main__":
    main()
