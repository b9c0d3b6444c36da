"""`doctor()`: is everything here that the course needs? Each fault comes with its remedy."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import nbmodule

from . import chromium, folders, launch, progress_file
from .chapters import chapters
from .display import Displayed, card, inline, symbol
from .wording import UsageError, counted

OLDEST_PYTHON = (3, 11)
LEAST_FREE = 50 << 20  # bytes: room for notebooks with pictures
INSTALL = 'python -m pip install --upgrade "nbmodule[lab]"'
_REMEDY_INSTALL = f"run `{INSTALL}`"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what it is, and what is wrong with it, if anything."""

    name: str
    fault: str = ""
    remedy: str = ""

    @property
    def well(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.fault

    def __str__(self) -> str:
        """Return one line, with fault and remedy below it."""
        if self.well:
            return f"✓ {self.name}"
        return f"✗ {self.name}\n    problem: {self.fault}\n    try: {self.remedy}"


@dataclass(frozen=True, repr=False)
class Diagnosis(Displayed):
    """All findings. The text holds no versions and no paths while all is well."""

    findings: tuple[Finding, ...]

    @property
    def well(self) -> bool:
        """Tell whether nothing is wrong anywhere."""
        return all(finding.well for finding in self.findings)

    @property
    def summary(self) -> str:
        """Return one line."""
        faults = sum(not finding.well for finding in self.findings)
        return "Everything is in order." if not faults else f"{counted(faults, 'problem')} found."

    def to_text(self) -> str:
        """Return the findings, one a line, each fault with its remedy below."""
        return "\n".join([*map(str, self.findings), self.summary])

    def to_html(self) -> str:
        """Return the findings as static HTML."""
        tone = "good" if self.well else "bad"
        return card(tone, inline(self.summary), *(_row(finding) for finding in self.findings))


def doctor() -> Diagnosis:
    """Look at the installation and say what is wrong and how to mend it."""
    return diagnose(_everywhere())


def doctor_outside(tell: Callable[[object], object]) -> Diagnosis:
    """Look at what only matters outside of JupyterLab, too: the reader's folder, a browser, and one for the tests."""
    outside = [_chromium] if importlib.util.find_spec("playwright") else []
    return diagnose([*_everywhere(), _yours, _browser, *outside], tell)


def _everywhere() -> list[Callable[[], Finding]]:
    parts = [_python, _numpy, _threads, _lab, _views, _extensions, _chapters]
    return [*parts, _home, _progress, _disk, _kernel]


def diagnose(
    looks: Iterable[Callable[[], Finding]], tell: Callable[[object], object] | None = None
) -> Diagnosis:
    """Run every look and tell what it finds; one that fails itself is a fault and does not stop the others."""
    findings = []
    for look in looks:
        findings.append(_guarded(look))
        if tell:
            tell(findings[-1])
    return Diagnosis(tuple(findings))


def _guarded(look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except Exception as error:
        name = look.__name__.strip("_")
        return Finding(name, f"{type(error).__name__}: {error}", _REMEDY_INSTALL)


def _python() -> Finding:
    name = "Python is new enough"
    if sys.version_info >= OLDEST_PYTHON:
        return Finding(name)
    found, needed = (".".join(map(str, v)) for v in (sys.version_info[:3], OLDEST_PYTHON))
    return Finding(name, f"this is Python {found}", f"install Python {needed} or newer")


def _numpy() -> Finding:
    return _installed("NumPy computes", ["numpy"])


def _threads() -> Finding:
    """More threads than one gain nothing with small models, and the last digits depend on how many there are."""
    chosen = {os.environ.get(name) for name in launch.THREADS}
    number = 1 if chosen == {"1"} else nbmodule.get_num_threads()
    if number == 1:
        return Finding("linear algebra uses one thread (set OMP_NUM_THREADS for more)")
    name = f"large operations use {number} threads"
    if chosen != {None}:
        return Finding(f"{name}, as the environment asks (OMP_NUM_THREADS, OPENBLAS_NUM_THREADS)")
    return Finding(
        name,
        "this kernel was not started by `nbmodule lab`, which sets one thread; with more, the last digits can differ from those in the text",
        "run `nbmodule.set_num_threads(1)` here, or set OMP_NUM_THREADS=1 before Python starts",
    )


def _lab() -> Finding:
    return _installed(
        "JupyterLab is installed", ["jupyterlab", "ipykernel", "nbformat", "platformdirs"]
    )


def _views() -> Finding:
    return _installed("the live views are installed", ["ipywidgets", "anywidget"])


def _installed(name: str, packages: list[str]) -> Finding:
    """Import each package: one that is there but broken is a fault as well."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            return Finding(name, f"{package} is not installed", _REMEDY_INSTALL)
        importlib.import_module(package)
    return Finding(name)


def _extensions() -> Finding:
    """JupyterLab draws live views only with the two extensions it finds in its own folders."""
    from jupyter_core.paths import jupyter_path

    name = "JupyterLab can draw the live views"
    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    for extension in ("@jupyter-widgets/jupyterlab-manager", "anywidget"):
        if not any((folder / extension / "package.json").is_file() for folder in folders):
            fault = f"JupyterLab does not see the extension {extension}"
            return Finding(name, fault, f"{_REMEDY_INSTALL} in the environment of JupyterLab")
    return Finding(name)


def _chapters() -> Finding:
    name = "the chapters are readable"
    found = chapters()
    if not found:
        return Finding(name, "no chapters are installed", _REMEDY_INSTALL)
    for chapter in found:
        if not chapter.cells:
            return Finding(name, f"{chapter.path.name} is empty", _REMEDY_INSTALL)
    return Finding(name)


def _progress() -> Finding:
    name = "your progress can be kept"
    file = progress_file.path()
    remedy = f"make {file.parent} writable, or set {progress_file.ENVIRONMENT} to another file"
    try:
        progress_file.prepare()
    except OSError as error:
        return Finding(name, f"{file}: {error.strerror or error}", remedy)
    return Finding(name)


def _home() -> Finding:
    """JupyterLab keeps settings, and how its kernels are reached, in the reader's home."""
    fault = unwritable_home()
    remedy = "make it writable, or set HOME to a folder that is"
    return Finding("JupyterLab can keep its files", fault, remedy if fault else "")


def unwritable_home() -> str:
    """Return which of Jupyter's folders cannot be written, and why; '' if all can."""
    from jupyter_core import paths

    folders = (paths.jupyter_config_dir(), paths.jupyter_data_dir(), paths.jupyter_runtime_dir())
    for folder in folders:
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(b"0")
        except OSError as error:
            return f"{folder} cannot be written ({error.strerror})"
    return ""


def _disk() -> Finding:
    """Notebooks, progress and settings are written; so are the files of a moment."""
    name = "there is space on the disk"
    for folder in (Path(), Path.home(), progress_file.path().parent, Path(tempfile.gettempdir())):
        if folder.is_dir() and (free := shutil.disk_usage(folder).free) < LEAST_FREE:
            fault = f"only {free >> 20} MB are free where {folder.resolve()} is"
            return Finding(name, fault, "free some space there")
    return Finding(name)


def _kernel() -> Finding:
    """Inside a notebook a kernel runs already; elsewhere look that Jupyter would find ours."""
    name = "a Python kernel starts"
    if "ipykernel.kernelapp" in sys.modules:
        return Finding(name)
    try:
        answer = _ask_a_kernel("import nbmodule_course")
    except RuntimeError as error:
        fault = str(error)[:1].lower() + str(error)[1:]
        return Finding(
            name, fault, f"fix what is listed above; if nothing is listed, {_REMEDY_INSTALL}"
        )
    if answer["content"]["status"] == "ok":
        return Finding(name)
    said = f"{answer['content'].get('ename')}: {answer['content'].get('evalue')}"
    return Finding(name, f"the kernel cannot import the course ({said})", _REMEDY_INSTALL)


def _ask_a_kernel(code: str) -> dict:
    """Start a kernel, run `code` in it, and return its answer."""
    from jupyter_client.manager import KernelManager

    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")
    manager = KernelManager(kernel_name="python3", transport_encryption="auto")
    manager.start_kernel(stderr=subprocess.DEVNULL)  # what it says of itself is told by the others
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=30)
        return client.execute_interactive(code, timeout=30, silent=True)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _yours() -> Finding:
    """The reader's own notebooks; before the first `nbmodule lab` there are none."""
    from .editions import read_reader_notebook

    folder = folders.anywhere()
    if folder is None:
        return Finding("`nbmodule lab` will write your chapters")
    name = f"your chapters in {folder.name} can be read and written"
    if not os.access(folder, os.W_OK):
        return Finding(name, f"{folder} cannot be written", "make it writable")
    try:
        for chapter in chapters():
            if (folder / chapter.path.name).is_file():
                read_reader_notebook(folder / chapter.path.name)
    except UsageError as error:
        fault, _, remedy = str(error).partition(". ")
        return Finding(name, fault, remedy)
    return Finding(name)


def _browser() -> Finding:
    name = "there is a browser to show JupyterLab"
    if missing_browser():
        remedy = "start with `nbmodule lab --no-browser`, and open the address that it prints"
        return Finding(name, "Python finds no browser", remedy)
    return Finding(name)


def missing_browser() -> bool:
    """Tell whether Python finds no browser to open."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return True
    return False


def _chromium() -> Finding:
    """The tests drive one; where they are not installed, nobody needs it."""
    name = "there is a Chromium for the browser tests"
    if chromium.find_chromium() is None:
        fault = "neither Chromium nor Chrome nor Edge was found, so these tests are skipped"
        return Finding(name, fault, chromium.REMEDY)
    return Finding(name)


def _row(finding: Finding) -> str:
    mark = symbol("good", "✓") if finding.well else symbol("bad", "✗")
    below = ""
    if not finding.well:
        below = (
            f'<div style="margin-left: 1.6em">problem: {inline(finding.fault)}<br>'
            f"try: {inline(finding.remedy)}</div>"
        )
    return f"<div>{mark} {inline(finding.name)}{below}</div>"
