#!/usr/bin/env python3
"""From a fresh clone to a running course, with nothing but Python 3.11 or newer.

    python3 dev.py lab [DIR]               opens JupyterLab on the learner's chapters (default: my-chapters)
    python3 dev.py test [PYTEST ARGS]      runs all tests; with arguments, those that they choose
    python3 dev.py check                   runs formatter, linter, import contracts and type checker
    python3 dev.py notebooks [--check]     executes the chapters and stores their outputs

The first call makes .venv and installs the project into it. On Windows write `py dev.py` instead.
NBMODULE_VENV=DIR puts the environment elsewhere, NBMODULE_WHEELS=DIR installs from a folder of wheels,
without the network.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("NBMODULE_VENV") or ROOT / ".venv").expanduser().absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST_PYTHON = (3, 11)
NBVAL = [
    "notebooks",
    "--nbval",
    "--nbval-current-env",
    "--nbval-cell-timeout=300",  # a limit for loaded machines: chapter 00 trains in two seconds
    f"--nbval-sanitize-with={ROOT / 'notebooks' / 'nbval_sanitize.cfg'}",
    "--numprocesses=2",
    "--dist=loadscope",  # all cells of a notebook share one kernel, so one worker
    "-p",
    "no:cacheprovider",
    "-p",
    "no:randomly",
]


def main(arguments: list[str]) -> int:
    """Run one of the commands."""
    commands = {"lab": lab, "test": test, "check": check, "notebooks": notebooks}
    if not arguments or arguments[0] not in commands:
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    return commands[arguments[0]](arguments[1:])


def lab(arguments: list[str]) -> int:
    """Open JupyterLab on the learner's edition of the chapters."""
    prepare("lab")
    if not arguments or arguments[0].startswith("-"):
        arguments = [str(ROOT / "my-chapters"), *arguments]
    command = [str(PYTHON), "-m", "nbmodule_course", "lab", *arguments]
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)  # so that Ctrl-C and signals reach JupyterLab itself
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 0


def test(arguments: list[str]) -> int:
    """Run the tests and then every chapter, whose outputs must be the stored ones."""
    prepare("test")
    if arguments:
        return verdict({"tests": pytest(arguments)})
    return verdict(
        {
            "tests": pytest(["tests", "--numprocesses=2", "--dist=loadgroup"]),
            "chapters": pytest(NBVAL) if has_chapters() else 0,
        }
    )


def check(arguments: list[str]) -> int:
    """Run what looks at the code without running it."""
    prepare("test")
    results = {
        "ruff": run(["-m", "ruff", "check", "."]),
        "format": run(["-m", "ruff", "format", "--check", "."]),
        "imports": subprocess.call([str(script("lint-imports"))], cwd=ROOT),
        "chapters": run(["scripts/build_notebooks.py", "--check"]) if has_chapters() else 0,
    }
    if not script("pyright").exists():
        remedy = f'{PYTHON} -m pip install --editable "{ROOT}[types]"'
        return verdict(results, f"Not looked at: types, for want of pyright. Remedy: {remedy}")
    return verdict({**results, "types": run(["-m", "pyright"])})


def notebooks(arguments: list[str]) -> int:
    """Execute the chapters and store their outputs."""
    prepare("test")
    return run(["scripts/build_notebooks.py", *arguments])


def has_chapters() -> bool:
    """Tell whether there is any chapter yet: pytest counts "nothing to run" as a failure."""
    return any((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def pytest(arguments: list[str]) -> int:
    """Run pytest with one thread for linear algebra and progress that is not the developer's."""
    with tempfile.TemporaryDirectory() as fresh:
        environment = {
            "OPENBLAS_NUM_THREADS": "1",
            "NBMODULE_PROGRESS": str(Path(fresh, "progress.json")),
            "NBMODULE_REFEREE": "recorded",
            "JUPYTER_PREFER_ENV_PATH": "1",
        }
        return run(["-m", "pytest", "-q", *arguments], environment)


def run(arguments: list[str], environment: dict[str, str] | None = None) -> int:
    """Run Python of the environment in the project's folder."""
    return subprocess.call(
        [str(PYTHON), *arguments], cwd=ROOT, env={**os.environ, **(environment or {})}
    )


def script(name: str) -> Path:
    """Return a command of the environment."""
    return BIN / (f"{name}.exe" if os.name == "nt" else name)


def verdict(results: dict[str, int], missing: str = "") -> int:
    """Print what was not looked at, and one clear last line; return 0 only if everything went well."""
    failed = [name for name, code in results.items() if code]
    said = f"FAILED: {', '.join(failed)}" if failed else f"All well: {', '.join(results)}"
    print("", *filter(None, [missing, said]), sep="\n")
    return 1 if failed else 0


def prepare(extra: str) -> None:
    """Make the environment and install the project with `extra`, unless that was done."""
    if sys.version_info < OLDEST_PYTHON:
        needed, found = dotted(OLDEST_PYTHON), dotted(sys.version_info[:3])
        sys.exit(f"Python {needed} or newer is needed; this is {found} at {sys.executable}.")
    stamp = VENV / f".nbmodule-{extra}"
    if PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint():
        return
    if not PYTHON.exists():
        make_environment()
    install(extra)
    stamp.write_text(fingerprint(), encoding="utf-8")


def make_environment() -> None:
    """Make the virtual environment."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        sys.exit(
            "This Python cannot make a virtual environment: its venv module is missing.\n"
            "Remedy on Debian and Ubuntu: apt install python3-venv"
        )
    print(f"Making {VENV}", flush=True)
    if subprocess.call([sys.executable, "-m", "venv", str(VENV)]):
        sys.exit(f"{VENV} could not be made. Remove it if it is half made, then try again.")


def install(extra: str) -> None:
    """Install the project into the environment, editable."""
    print(f"Installing nbmodule[{extra}] into {VENV}; the first time takes minutes", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wheels = os.environ.get("NBMODULE_WHEELS")
    source = ["--no-index", "--find-links", wheels] if wheels else []
    if subprocess.call([*pip, *source, "--editable", f"{ROOT}[{extra}]"]):
        sys.exit(
            "The installation failed; the reason is above. Without a network, set NBMODULE_WHEELS to a folder "
            "that holds the wheels (made elsewhere with: pip download hatchling editables .[test])."
        )
    # pip compiles wheels, but not what it installs in place: do it once, or the first import pays.
    packages = ["nbmodule", "widgets/nbmodule_widgets", "notebooks/nbmodule_course"]
    run(["-m", "compileall", "-q", *packages])


def fingerprint() -> str:
    """Change whenever the project's requirements or Python change."""
    told = (ROOT / "pyproject.toml").read_bytes() + sys.version.encode()
    return hashlib.sha256(told).hexdigest()


def dotted(version: tuple[int, ...]) -> str:
    """Return "3.11"."""
    return ".".join(map(str, version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
