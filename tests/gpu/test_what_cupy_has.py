"""No rule names a function of NumPy's that CuPy lacks, also where no sample comes by."""

import json
import re
from pathlib import Path

import pytest

import nbmodule
from nbmodule._cupy_functions import CuPyFunctions

ROOT = Path(nbmodule.__file__).parent
RECORD = json.loads((Path(__file__).parents[1] / "names" / "cupy_names.json").read_text())


def known_functions():
    functions = {
        f"{place}.{name}".lstrip(".")
        for place, names in RECORD["functions"].items()
        for name in names
    }
    ours = {name for name in vars(CuPyFunctions) if not name.startswith("_")}
    methods = {
        f"{name}.{m}"
        for name in ("add", "multiply", "maximum", "minimum")
        for m in ("at", "reduce")
    }
    return functions | ours | methods | {*RECORD["ufuncs"], *RECORD["values"], "ogrid", "__name__"}


def names_used():
    """Yield each ``xp.name`` in the library, with the place."""
    for path in sorted(ROOT.rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for found in re.finditer(r"\bxp((\.\w+)+)", line):
                yield whole_name(found[1][1:]), f"{path.relative_to(ROOT)}:{number}"


def whole_name(name):
    """Return the function in `name`: what follows it is done to its result."""
    parts = name.split(".")
    if parts[0] in ("lib", "linalg") or parts[1:2] in (["at"], ["reduce"]):
        return name
    return parts[0]


def test_every_name_is_cupys_too():
    known = {*known_functions(), "call"}  # `Recording.call` is ours
    assert [(name, place) for name, place in names_used() if name not in known] == []


def test_the_record_is_what_cupy_has():
    cupy = pytest.importorskip("cupy", reason="tells what it has: pip install cupy-cuda12x")
    if cupy.__version__ != RECORD["version"]:
        pytest.skip(f"the record is of CuPy {RECORD['version']}")
    assert set(RECORD["ufuncs"]) == {
        n for n in dir(cupy) if isinstance(getattr(cupy, n), cupy.ufunc)
    }
    xp = CuPyFunctions(cupy, pytest.importorskip("cupyx"))
    for name in {name for name, _ in names_used()} - {"call"}:
        found = xp
        for part in name.split("."):
            found = getattr(found, part)
