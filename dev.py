#!/usr/bin/env python3
"""From a fresh clone to a running course, with nothing but Python 3.11 or newer.

    python3 dev.py lab [DIR]               opens JupyterLab on the learner's chapters (default: my-chapters)
    python3 dev.py nbmodule [ARGUMENTS]    runs the command `nbmodule`: check all, reset 02.3, doctor
    python3 dev.py test [PYTEST ARGS]      runs all tests; with arguments, those that they choose
    python3 dev.py check                   runs formatter, linter, import contracts and type checkers
    python3 dev.py notebooks [--check]     executes the chapters and stores their outputs
    python3 dev.py gate [02 | 02.3]        changes solutions mechanically: which changes does no check notice?

The first call makes .venv and installs the project into it, with uv where that is present. It may be stopped at any
moment: the next call goes on. On Windows write `py dev.py` instead. `lab --help` lists what else `lab` takes.
NBMODULE_VENV=DIR puts the environment elsewhere, NBMODULE_WHEELS=DIR installs from a folder of wheels,
without the network.
"""

from __future__ import annotations

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until `quietly` runs, Ctrl-C ends without words

import contextlib
import hashlib
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("NBMODULE_VENV") or ROOT / ".venv").expanduser().absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST_PYTHON = (3, 11)
# What says how far the environment is. All are kept in it.
LOCK = VENV / ".nbmodule-lock"  # held while somebody writes into it
PLACE = VENV / ".nbmodule-place"  # where this script made it, and so may empty it; '' at first
INSTALLED = VENV / ".nbmodule-installed"  # the extra and what it asked for; gone meanwhile
PARTS = {"bin", "scripts", "lib", "lib64", "include", "share", "etc", "man", "pyvenv.cfg"}
PARTS |= {".gitignore", ".lock", "cachedir.tag"}
UNREAD = 69  # what scripts/check_scripts.py returns where it has no TypeScript
STOPPING = [getattr(signal, f"SIG{name}", signal.SIGINT) for name in ("INT", "TERM", "HUP")]
NEEDED = {"lab": ["nbmodule_course", "numpy", "matplotlib", "nbformat", "jupyterlab", "ipykernel"]}
NEEDED["lab"] += ["anywidget"]
NEEDED["test"] = [
    *NEEDED["lab"],
    "onnxruntime",
    "pytest",
    "xdist",
    "hypothesis",
    "nbval",
    "nbclient",
]
QUESTION = """
import importlib.metadata, importlib.util, json, sys
def half(package):
    files = package.files or []
    lost = [file for file in files if file.suffix != ".pyc" and not file.locate().exists()]
    return lost or "INSTALLER" not in {file.name for file in files}  # written as the last but one
def name(package):
    try: return str(package.name)
    except Exception: return "one without a name"
deep, *names = sys.argv[1:]
print(json.dumps({
    "version": sys.version_info[:2],
    "missing": [name for name in names if importlib.util.find_spec(name) is None],
    "half": [name(p) for p in importlib.metadata.distributions() if half(p)] if deep else [],
}))
"""
NBVAL = [
    "notebooks",
    "--nbval",
    "--nbval-current-env",
    "--nbval-cell-timeout=300",  # a limit for loaded machines: chapter 00 trains in two seconds
    f"--nbval-sanitize-with={ROOT / 'notebooks' / 'nbval_sanitize.cfg'}",
    "--numprocesses=2",
    "--dist=loadscope",  # all cells of a notebook share one kernel, so one worker
    *("-p", "no:cacheprovider", "--randomly-dont-reorganize"),
]


def main(arguments: list[str]) -> int:
    """Run one of the commands."""
    commands = {work.__name__: work for work in (lab, nbmodule, test, check, notebooks, gate)}
    if not arguments or arguments[0] not in commands:
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    return commands[arguments[0]](arguments[1:])


def lab(arguments: list[str]) -> int:
    """Open JupyterLab on the learner's edition of the chapters."""
    prepare("lab")
    if not arguments or arguments[0].startswith("-"):
        os.chdir(ROOT)  # where the course looks for my-chapters, or makes it
    return become("nbmodule_course", "lab", *arguments)


def nbmodule(arguments: list[str]) -> int:
    """Run the command `nbmodule`, which needs no activated environment then."""
    prepare("lab")
    return become("nbmodule_course", *(arguments or ["--help"]))


def test(arguments: list[str]) -> int:
    """Run the tests and then every chapter, whose outputs must be the stored ones."""
    prepare("test")
    if arguments:
        return verdict({"tests": pytest(arguments)})
    return verdict(
        {
            "tests": pytest(["tests", "--numprocesses=2", "--dist=loadfile"]),
            "chapters": pytest(NBVAL),
        }
    )


def check(arguments: list[str]) -> int:
    """Run what looks at the code without running it."""
    prepare("test")
    results = {
        "ruff": run(["-m", "ruff", "check", "."]),
        "format": run(["-m", "ruff", "format", "--check", "."]),
        "imports": call([str(script("lint-imports"))], cwd=ROOT),
        "chapters": run(["scripts/build_notebooks.py", "--check"]),
    }
    if not script("pyright").exists():
        remedy = f'{PYTHON} -m pip install --editable "{ROOT}[types]"'
        return verdict(
            results, f"Not looked at: types, scripts, for want of pyright. Remedy: {remedy}"
        )
    results |= {"types": run(["-m", "pyright"]), "scripts": run(["scripts/check_scripts.py"])}
    if results["scripts"] != UNREAD:
        return verdict(results)
    del results["scripts"]
    return verdict(results, "Not looked at: scripts, for want of TypeScript, which comes from npm.")


def notebooks(arguments: list[str]) -> int:
    """Execute the chapters and store their outputs."""
    prepare("test")
    return run(["scripts/build_notebooks.py", *arguments])


def gate(arguments: list[str]) -> int:
    """Change the solutions mechanically and list the changes that no check notices."""
    prepare("test")
    return run(["scripts/gate.py", *arguments])


def pytest(arguments: list[str]) -> int:
    """Run pytest with one thread for linear algebra and progress that is not the developer's."""
    with tempfile.TemporaryDirectory() as fresh:
        environment = {
            **course("launch")["one_thread"](),
            "NBMODULE_PROGRESS": str(Path(fresh, "progress.json")),
            "NBMODULE_REFEREE": "recorded",
            "JUPYTER_PREFER_ENV_PATH": "1",
        }
        # Without notebooks to run, the plugin for them is a second and a half of every process.
        spared = [] if "--nbval" in arguments else ["-p", "no:nbval"]
        return run(["-m", "pytest", "-q", *spared, *arguments], environment)


def run(arguments: list[str], environment: dict[str, str] | None = None) -> int:
    """Run Python of the environment in the project's folder."""
    return call([str(PYTHON), *arguments], cwd=ROOT, env={**os.environ, **(environment or {})})


def become(module: str, *arguments: str) -> int:
    """Run a module of the environment in the place of this process, or below it on Windows."""
    command = course("launch")["command"](module, *arguments, python=str(PYTHON))
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(command[0], command)  # so that Ctrl-C and signals reach JupyterLab itself
    return call(command)


def course(name: str) -> dict[str, Any]:
    """Return what a file of the course defines; it is not installed yet, so it is read."""
    return runpy.run_path(str(ROOT / "notebooks" / "nbmodule_course" / f"{name}.py"))


def call(command: list[str], **options: Any) -> int:
    """Run a command that handles Ctrl-C itself, and wait until it has; then this script ends, too."""
    with subprocess.Popen(command, **options) as process:
        try:
            return process.wait()
        except KeyboardInterrupt as stop:
            if stop.args != (signal.SIGINT,):  # Ctrl-C reached the command, too; SIGTERM did not
                process.terminate()
            process.wait()
            raise


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
    if ready(extra):
        return
    refuse_foreign_folder()
    with alone():
        if ready(extra):  # another call has done it meanwhile
            return
        began = time.monotonic()
        mend()
        install(extra)
        print(f"Ready after {clock(time.monotonic() - began)}.", flush=True)


def ready(extra: str) -> bool:
    """Tell whether everything was installed that `pyproject.toml` asks for, and is still there."""
    known = INSTALLED.read_text(encoding="utf-8") if INSTALLED.exists() else ""
    if known not in (state(extra), state("test")):
        return False
    answer = ask(NEEDED[extra])
    return usable(answer) and not outdated(answer["version"])


def outdated(version: list[int]) -> bool:
    """Tell whether an environment that was made here has an older Python than the one that runs this."""
    return PLACE.exists() and tuple(version) < sys.version_info[:2]


def usable(answer: dict[str, Any]) -> bool:
    """Tell whether the environment has answered that it lacks nothing, whatever its versions are."""
    return bool(answer) and not answer["missing"] and not answer["half"]


def ask(names: Iterable[str] = (), deep: bool = False) -> dict[str, Any]:
    """Ask the environment for its version, for missing modules and half installed packages; {} if it is mute."""
    command = [str(PYTHON), "-I", "-c", QUESTION, "deep" if deep else "", *names]
    try:  # in a session of its own: Ctrl-C must not look like an environment that does not answer
        done = subprocess.run(command, capture_output=True, check=True, start_new_session=True)
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return {}


def refuse_foreign_folder() -> None:
    """End, unless the environment's folder is new, or holds an environment."""
    if VENV.exists() and not VENV.is_dir():
        sys.exit(f"{VENV} is a file. Remedy: set NBMODULE_VENV to a folder that may be made.")
    if ours() or (VENV / "pyvenv.cfg").exists():
        return
    sys.exit(
        f"{VENV} holds something else than an environment, and stays as it is. Remedy: move it away, or set "
        "NBMODULE_VENV to a folder that may be made."
    )


def ours() -> bool:
    """Tell whether the folder may be emptied: it is new, was made here, or is .venv and only an environment."""
    present = contents()
    only_parts = all(path.name.lower() in PARTS for path in present)
    return not present or PLACE.exists() or (VENV == ROOT / ".venv" and only_parts)


def contents() -> list[Path]:
    """Return what lies in the environment's folder, but for the notes of this script."""
    present = VENV.iterdir() if VENV.is_dir() else ()
    return [path for path in present if not path.name.startswith(".nbmodule-")]


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Hold the lock, so that no two calls write at once. The system opens it, however the holder ends.

    The commands that are run inherit it: an installation that goes on without this script is waited for.
    """
    VENV.mkdir(parents=True, exist_ok=True)
    take, told = course("locking")["take"], False
    with LOCK.open("a+b") as lock:
        os.set_inheritable(lock.fileno(), True)
        while not take(lock.fileno()):
            if not told:
                print(f"Another call is at work in {VENV}: waiting for it.", flush=True)
                told = True
            time.sleep(0.2)
        yield


def mend() -> None:
    """Make the environment, if it is missing; name what is wrong with it, and make it again."""
    fault = what_is_wrong()
    if fault and not ours():
        sys.exit(
            f"The environment {VENV} {fault}. It was made elsewhere, and stays as it is. Remedy: make it again, or "
            "set NBMODULE_VENV to a folder that may be made."
        )
    if fault:
        print(f"The environment {VENV} {fault}. It is made again.", flush=True)
    if fault or not contents():
        make_environment()


def clear() -> None:
    """Empty the environment's folder; the notes go first, so that what remains of it counts as half made."""
    PLACE.write_text("", encoding="utf-8")
    INSTALLED.unlink(missing_ok=True)
    for path in contents():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def what_is_wrong() -> str:
    """Return why the environment cannot be used, or ''."""
    if not contents():
        return ""
    answer = ask(deep=ours())
    if not answer:
        return "has no Python that runs: it is half made, or its Python is gone"
    version, made_with = tuple(answer["version"]), configured_version()
    if version < OLDEST_PYTHON:
        return f"is one of Python {dotted(version)}, which is too old"
    if made_with and made_with != version:
        return f"was made with Python {dotted(made_with)}, which is {dotted(version)} now"
    if PLACE.exists() and not PLACE.read_text(encoding="utf-8"):
        return "is half made"
    if was_moved():
        return "was moved here from elsewhere"
    if answer["half"]:
        return f"is half installed: {', '.join(answer['half'][:3])}"
    if outdated(answer["version"]) and reachable():
        return f"has Python {dotted(version)}; this is {dotted(sys.version_info[:2])}"
    return ""


def configured_version() -> tuple[int, ...]:
    """Return the version in pyvenv.cfg; its packages lie in a folder of that name."""
    with contextlib.suppress(OSError):
        told = (VENV / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^version(?:_info)? *= *(\d+)\.(\d+)", told, re.MULTILINE)
        return tuple(map(int, found.groups())) if found else ()
    return ()


def was_moved() -> bool:
    """Tell whether the commands in it look for their Python in another place."""
    if PLACE.exists():
        return not same(Path(PLACE.read_text(encoding="utf-8")), VENV)
    for command in filter(Path.exists, (script("pip"), script("jupyter"))):  # nobody noted it
        first = command.read_bytes().partition(b"\n")[0].decode(errors="replace")
        return first.startswith("#!") and "python" in first and not same(Path(first[2:]), PYTHON)
    return False


def same(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to the same place."""
    return one == other or (one.exists() and one.parent.samefile(other.parent))


def reachable() -> bool:
    """Tell whether packages can be had: an environment that works is not given up for nothing."""
    with tempfile.TemporaryDirectory() as folder:
        command = pip(
            "download", *source(), "--retries=0", "--no-deps", f"--dest={folder}", "hatchling"
        )
        return follow(command, "Looking for the network")[0] == 0


def make_environment() -> None:
    """Make the virtual environment, with uv where that is present and works."""
    base = getattr(sys, "_base_executable", None) or sys.executable  # not one that lies in VENV
    ways = {f"Making the environment {VENV}": [base, "-m", "venv", str(VENV)]}
    uv = shutil.which("uv")
    if uv and not os.environ.get("NBMODULE_WHEELS"):  # --seed asks the network for pip
        made_by_uv = [uv, "venv", "--seed", "--allow-existing", "--python", base, str(VENV)]
        ways = {"Making the environment with uv": made_by_uv, **ways}
    said = ""
    for doing, command in ways.items():
        clear()
        code, said = follow(command, doing)
        if code == 0:
            PLACE.write_text(str(VENV), encoding="utf-8")
            return
    give_up("The environment could not be made", said)


def install(extra: str) -> None:
    """Install the project into the environment, editable; where that fails, go on with what works."""
    INSTALLED.unlink(missing_ok=True)
    code, said = install_project(extra)
    if code and not usable(ask(NEEDED[extra], deep=ours())):
        give_up(f"The installation into {VENV} failed", said)
    if code:
        print(
            "The installation failed, and what is there works: going on with it. The next call tries again.\n"
            f"  {remedy(said)}",
            flush=True,
        )
        return
    # pip compiles wheels, but not what it installs in place: do it once, or the first import pays.
    packages = ["nbmodule", "widgets/nbmodule_widgets", "notebooks/nbmodule_course"]
    follow([str(PYTHON), "-m", "compileall", "-q", *packages], "Compiling nbmodule")
    INSTALLED.write_text(state(extra), encoding="utf-8")


def install_project(extra: str) -> tuple[int, str]:
    """Let uv install, or else pip; return the exit code and what was said."""
    project = [*source(), "--editable", f".[{extra}]"]
    uv = shutil.which("uv")
    if uv:
        command = [uv, "pip", "install", "--python", str(PYTHON), *project]
        code, said = follow(command, f"Installing nbmodule[{extra}] with uv")
        if code == 0:
            return code, said
        print(*said.splitlines()[-1:], "uv could not do it; pip tries.", sep="\n", flush=True)
    if "pip" in ask(["pip"]).get("missing", ()):
        follow([str(PYTHON), "-m", "ensurepip", "--upgrade"], "Installing pip")
    doing = f"Installing nbmodule[{extra}] with pip, which takes minutes"
    return follow(pip("install", *project), doing)


def pip(command: str, *arguments: str) -> list[str]:
    """Return a call of the environment's pip."""
    quiet = ["--progress-bar=off", "--disable-pip-version-check"]
    return [str(PYTHON), "-m", "pip", command, *quiet, *arguments]


def source() -> list[str]:
    """Return where packages come from, for pip and uv: the network, or a folder of wheels."""
    wheels = os.environ.get("NBMODULE_WHEELS")
    if not wheels:
        return []
    return ["--no-index", "--find-links", str(Path(wheels).expanduser().absolute())]


def follow(command: list[str], doing: str) -> tuple[int, str]:
    """Run a command while its last line and the time are shown; return its exit code and what it said.

    It has a process group of its own, and ends with this script: see `end`.
    """
    said: list[str] = []
    print(f"{doing} ...", flush=True)
    process = None
    try:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            close_fds=False,  # the lock is inherited
            start_new_session=os.name == "posix",
        )
        reader = threading.Thread(target=listen, args=(process.stdout, said), daemon=True)
        reader.start()
        show_progress(process, said)
        reader.join(timeout=5)
    except BaseException:
        if process:
            end(process)
        raise
    return process.returncode, "\n".join(said)


def listen(stream: Any, said: list[str]) -> None:
    """Keep the lines that a command prints."""
    for line in stream:
        said.append(line.decode("utf-8", "replace").strip())  # noqa: PERF401 (somebody reads along)


def show_progress(process: subprocess.Popen[bytes], said: list[str]) -> None:
    """Show the time and the last line: on a terminal in one line, else as a line every ten seconds."""
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    began, width = time.monotonic(), shutil.get_terminal_size().columns - 1
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2 if terminal else 10)
            break
        last = said[-1] if said else ""
        line = f"  {clock(time.monotonic() - began)}  {last}"[:width]
        print(f"\r{line.ljust(width)}" if terminal else f"{line}\n", end="", flush=True)
    if terminal:
        print("\r".ljust(width + 1), end="\r", flush=True)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and what it has started: kindly, so that it tidies up, and then by force."""
    if os.name != "posix":
        process.kill()
        process.wait()
        return
    for number, patience in ((signal.SIGINT, 5), (signal.SIGKILL, 5)):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)


def give_up(what: str, said: str) -> NoReturn:
    """End with the last that a command said, and what to do about it."""
    last = [line[:200] for line in said.splitlines()[-10:]]
    sys.exit("\n".join([*last, "", f"{what}. {remedy(said)}"]))


def remedy(said: str) -> str:
    """Return what to do about a failure that was described so."""
    if re.search("No space left|Errno 28|disk quota", said, re.IGNORECASE):
        return f"The disk is full. Remedy: free 2 GB where {VENV} and {tempfile.gettempdir()} are."
    if re.search("Permission denied|Read-only file system", said, re.IGNORECASE):
        return "A folder cannot be written. Remedy: set NBMODULE_VENV, and HOME, to folders that you may write."
    if re.search("ensurepip is not available|No module named '?(venv|ensurepip)", said):
        return "This Python lacks its venv module. Remedy on Debian and Ubuntu: apt install python3-venv"
    if os.environ.get("NBMODULE_WHEELS"):
        return f"Remedy: NBMODULE_WHEELS={os.environ['NBMODULE_WHEELS']} must hold all wheels, those of hatchling and editables too."
    return (
        "Remedy: look for the network and try again. Without one, set NBMODULE_WHEELS to a folder that "
        "holds the wheels (made elsewhere with: pip download hatchling editables .[test])."
    )


def state(extra: str) -> str:
    """Change with the extra, whenever the project's requirements change, and if it lies elsewhere."""
    import tomllib  # not before Python is known to be new enough

    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [told["build-system"], told["project"], told.get("tool", {}).get("hatch")]
    asked += [extra, str(ROOT), str(VENV)]
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()


def dotted(version: tuple[int, ...] | list[int]) -> str:
    """Return "3.11"."""
    return ".".join(map(str, version))


def clock(seconds: float) -> str:
    """Return "1:05"."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def quietly(work: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run `work`; a signal that ends it, or a disk that does not take what is written, is said in one line."""

    def stop(number: int, _frame: Any) -> NoReturn:
        for known in STOPPING:
            signal.signal(known, signal.SIG_IGN)  # impatience would keep it from tidying up
        raise KeyboardInterrupt(number)

    for stream in (sys.stdout, sys.stderr):  # a console that lacks a sign shows a question mark
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    again = f"{'py' if os.name == 'nt' else 'python3'} dev.py {' '.join(arguments)}"
    try:
        return work(arguments)
    except KeyboardInterrupt as ended:
        print(f"\nStopped. This goes on where it was: {again}", file=sys.stderr)
        return 128 + ended.args[0]
    except OSError as error:
        print(f"{error.filename or VENV}: {error.strerror}. {remedy(str(error))}", file=sys.stderr)
        return 1
    finally:
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)  # nothing is left to stop


if __name__ == "__main__":
    sys.exit(quietly(main, sys.argv[1:]))
