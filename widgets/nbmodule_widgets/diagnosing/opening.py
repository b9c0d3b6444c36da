"""What lies in a file, read without running anything in it."""

from __future__ import annotations

import io
import os
import pickletools
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_name, has_drawers

_LARGEST = 2_000_000_000
_PARTS = ("torch.nn.modules", "nbmodule.nn.modules")


class Opened(NamedTuple):
    """A file that was looked at.

    Attributes:
        state: The dictionary in it; None if there is none.
        pickled: The classes of Modules in its pickle; empty if it is no whole model.
        problem: Why it could not be read.
    """

    state: dict[str, Any] | None
    pickled: tuple[str, ...] = ()
    problem: str = ""


def opened(case: Case) -> Opened:
    """Reads what was given as `file`."""
    given = case.file
    if isinstance(given, dict):
        whole = next((v for v in given.values() if has_drawers(v)), None)
        return Opened(given, (class_name(whole),) if whole is not None else ())
    if has_drawers(given):
        return Opened(None, (class_name(given),))
    if isinstance(given, (str, os.PathLike)):
        path = Path(given)
        if not path.is_file():
            return Opened(None, (), f"there is no file `{visible(path, 120)}`")
        if path.stat().st_size > _LARGEST:
            return Opened(None, (), "it has more than 2 GB and was not read")
        return _read(case, path.read_bytes())
    place = given.tell()
    try:
        given.seek(0)
        return _read(case, given.read())
    finally:
        given.seek(place)


def _read(case: Case, data: bytes) -> Opened:
    if not data:
        return Opened(None, (), "it is empty")
    modules = tuple(n for n in globals_in(data) if is_module_class(n))
    if modules:
        return Opened(None, modules)
    lib = case.lib
    said = attempt(lambda: lib.load(io.BytesIO(data), map_location="cpu", weights_only=True))
    if said.problem and lib.__name__ != "torch":  # older ones would run what is in it
        said = attempt(lambda: lib.load(io.BytesIO(data)))
    if isinstance(said.value, dict):
        return Opened(said.value)
    return Opened(None, (), f"it could not be read as a state dict: {visible(said.problem, 160)}")


def globals_in(data: bytes) -> list[str]:
    """The names of what a pickle would import, `"module name"` each; the file may be a zip around it."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inner = [n for n in archive.namelist() if n.endswith("data.pkl")]
            data = archive.read(inner[0]) if inner else b""
    found: list[str] = []
    strings: list[str] = []
    try:
        for operation, argument, _ in pickletools.genops(data):
            if operation.name == "GLOBAL":
                found.append(str(argument))
            elif operation.name == "STACK_GLOBAL":
                found.append(" ".join(strings[-2:]))
            elif isinstance(argument, str):
                strings.append(argument)
    except Exception:  # no pickle, or a broken one: what was met so far is true
        return found
    return found


def is_module_class(name: str) -> bool:
    """Whether a global of a pickle is, or may well be, the class of a Module."""
    home, _, cls = name.partition(" ")
    if any(home.startswith(part) for part in _PARTS):
        return True
    return home == "__main__" and cls[:1].isupper()
