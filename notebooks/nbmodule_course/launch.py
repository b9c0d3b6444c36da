"""How every process of the course begins: one thread for linear algebra, and Ctrl-C without a traceback.

    python -P launch.py MODULE [ARGUMENTS]      # runs MODULE as `python -m` does

It is run by its path and needs the standard library alone: `dev.py` reads it before anything is installed, and
Ctrl-C must be quiet before the first slow import.
"""

from __future__ import annotations

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until `main` runs, Ctrl-C ends without words

import os
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path

# The models of the course are small: threads gain them nothing, and those of PyTorch cost minutes on a busy machine. With
# one, the numbers of a chapter are the same everywhere. nbmodule listens to the first three names.
THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def one_thread(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables that ask for one thread; those in `environment` win, and OMP_NUM_THREADS for all."""
    general = environment.get("OMP_NUM_THREADS") or "1"
    return {name: environment.get(name) or general for name in THREADS}


def command(module: str, *arguments: str, python: str = sys.executable) -> list[str]:
    """Return the command that runs `module` quietly."""
    return [python, "-P", str(Path(__file__).resolve()), module, *arguments]


def main(arguments: list[str]) -> None:
    """Run the module that `arguments` begin with; it may handle Ctrl-C in its own way, later on."""
    os.environ.update(one_thread())
    sys.argv = arguments
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("\nStopped. Run the same command again to go on.", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main(sys.argv[1:])
