"""`python -m nbmodule`: the version, or the command `nbmodule` with its arguments."""

from __future__ import annotations

import importlib
import importlib.util
import sys

from .version import __version__

NEEDED = ("nbmodule_course", "nbformat", "jupyterlab")  # what the command needs beyond NumPy


def main(arguments: list[str]) -> int:
    """Hand over to the course, where it is installed; else say what there is, and what to install."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if arguments and "nbmodule_course" not in missing:
        return importlib.import_module("nbmodule_course.__main__").main(arguments)
    print(f"nbmodule {__version__} on Python {sys.version.partition(' ')[0]}")
    if arguments in (["--version"], ["-V"]):
        return 0
    print("A library to read: import nbmodule as torch")
    if missing:
        print(
            f'The chapters need {", ".join(missing)}, too. Try: pip install "nbmodule[lab]"',
            file=sys.stderr if arguments else sys.stdout,
        )
    else:
        print("The chapters: python -m nbmodule lab; what else there is: python -m nbmodule --help")
    return 2 if arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
