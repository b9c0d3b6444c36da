"""What type checkers and editors know of nbmodule: as much as of PyTorch, and nothing that is not there."""

import ast
import importlib
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from samples import SAMPLES

import nbmodule

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("users_script.py")
REMEDY = 'python -m pip install --editable ".[types]"'
STUBS = {
    "nbmodule": "__init__.pyi",
    "nbmodule.linalg": "linalg.pyi",
    "nbmodule.special": "special.pyi",
    "nbmodule.return_types": "return_types.pyi",
    "nbmodule.nn.functional": "nn/functional/__init__.pyi",
}


def run(checker, *arguments):
    """What a type checker prints. Where NBMODULE_REQUIRE_TYPES=1, one that is not installed is a failure."""
    if importlib.util.find_spec(checker) is None:
        if os.environ.get("NBMODULE_REQUIRE_TYPES") == "1":
            pytest.fail(f"no {checker}: {REMEDY}")
        pytest.skip(f"no {checker}: {REMEDY}")
    command = [sys.executable, "-m", checker, *arguments, str(SCRIPT)]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def pyright_errors():
    told = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable))
    errors = [d for d in told["generalDiagnostics"] if d["severity"] == "error"]
    return {d["range"]["start"]["line"] + 1: d["message"] for d in errors}


def mypy_errors(cache):
    told = run("mypy", "--config-file=", "--follow-imports=silent", f"--cache-dir={cache}")
    lines = re.findall(r"users_script\.py:(\d+): error: (.*)", told)
    return {int(number): message for number, message in lines}


@pytest.mark.parametrize("checker", ["pyright", "mypy"])
def test_a_users_script(checker, tmp_path):
    errors = pyright_errors() if checker == "pyright" else mypy_errors(tmp_path)
    lines = enumerate(SCRIPT.read_text(encoding="utf-8").splitlines(), 1)
    wrong = {number for number, line in lines if line.endswith("# E")}
    assert {n: message for n, message in errors.items() if n not in wrong} == {}
    assert wrong - {*errors} == set()


def test_the_stubs_are_as_the_script_makes_them():
    """In a process of its own: what other tests put in the place of a method is no part of a stub."""
    command = [sys.executable, str(ROOT / "scripts" / "make_stubs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"remedy: python scripts/make_stubs.py\n{done.stdout}{done.stderr}"


# ---- names


def tree_of(module):
    return ast.parse((ROOT / "nbmodule" / STUBS[module]).read_text(encoding="utf-8")).body


def names_of(nodes):
    """The names that a stub, or a class in it, shows: an import does with `as` alone."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)
        elif isinstance(node, ast.ImportFrom):
            yield from (a.asname for a in node.names if a.asname and a.asname[0] != "_")


@pytest.mark.parametrize("module", STUBS)
def test_checkers_know_the_public_names_and_no_others(module):
    home = importlib.import_module(module)
    own = {*getattr(home, "__all__", dir(home))} - {"TYPE_CHECKING"}
    if module == "nbmodule.return_types":  # others have come by calls with `out`
        own = {n for n in own if hasattr(getattr(home, n), "_names")} | {"results"}
        own = {n for n in own if not n.endswith("_out")}
    shown = {*names_of(tree_of(module))}
    assert {n for n in shown ^ own if n[0] != "_"} == set()


def tensor_body():
    nodes = ast.parse((ROOT / "nbmodule" / "_tensor.pyi").read_text(encoding="utf-8")).body
    return next(n for n in nodes if isinstance(n, ast.ClassDef) and n.name == "Tensor").body


def test_checkers_know_every_attribute_of_a_tensor_and_no_other():
    shown = {*names_of(tensor_body())}
    own = {n for n in dir(nbmodule.Tensor) if n[0] != "_"}
    assert {n for n in shown if n[0] != "_"} ^ own == set()
    assert [n for n in shown if not hasattr(nbmodule.Tensor, n)] == []


# ---- results


KINDS = {"Tensor": "Tensor", "Self": "Tensor", "_bool": "bool", "_int": "int", "Number": "number"}


def results_of(nodes):
    """The kinds of results that a stub says, by the name of the function."""
    known = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            said = ast.unparse(node.returns)
            known.setdefault(node.name, set()).add(KINDS.get(said, said.partition("[")[0]))
    return known


def kind_of(value):
    if isinstance(value, nbmodule.Tensor):
        return "Tensor"
    if isinstance(value, nbmodule.Generator):
        return "Generator"
    if type(value).__module__ == "nbmodule.return_types":
        return f"return_types.{type(value).__name__}"
    return type(value).__name__


class Spy:
    """The library, as a row of the samples gets it; it notes the kind of each result."""

    def __init__(self, module, noted):
        self.module, self.noted = module, noted

    def __getattr__(self, name):
        found = getattr(self.module, name)
        if inspect.ismodule(found):
            return Spy(found, self.noted)
        if not inspect.isfunction(found):
            return found
        return noting(found, self.noted, (self.module.__name__, name))


def noting(function, noted, key):
    def call(*args, **named):
        value = function(*args, **named)
        noted.setdefault(key, set()).add(kind_of(value))
        return value

    return call


def test_results_have_the_types_that_the_stubs_say(monkeypatch):
    noted = {}
    for module in STUBS:
        importlib.import_module(module)  # one that loads now would keep what is put in below
    for name in dir(nbmodule.Tensor):
        method = inspect.getattr_static(nbmodule.Tensor, name)
        if inspect.isfunction(method) and name[0] != "_":
            monkeypatch.setattr(nbmodule.Tensor, name, noting(method, noted, ("Tensor", name)))
    for row in SAMPLES:
        row.call(Spy(nbmodule, noted), *map(nbmodule.tensor, row.arrays(np.float32)))
    known = {module: results_of(tree_of(module)) for module in STUBS}
    known["Tensor"] = results_of(tensor_body())
    wrong = []
    for (home, name), kinds in noted.items():
        said = known.get(home, {}).get(name)
        if said and not said & {"Any", "number"} and not kinds <= said:
            wrong.append(f"{home}.{name}: {kinds}, the stub says {said}")
    assert wrong == []
    assert len(noted) > 400


# ---- PyTorch's own stubs


def kinds_in(path, holder=None):
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    if holder:
        nodes = next(n for n in nodes if isinstance(n, ast.ClassDef) and n.name == holder).body
    known = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            said = ast.unparse(node.returns) if node.returns else ""
            said = re.sub(r"torch\.|\b_(?=[a-z])|numpy\.|np\.", "", said)
            said = "tuple" if said.startswith(("tuple", "list")) else said
            known.setdefault(node.name, set()).add("Tensor" if said == "Self" else said)
    return known


LOOSER = {"as_subclass", "item", "split", "storage_offset", "tolist"}
"""Methods of which PyTorch's stubs say the same in other words, or less than is true."""


@pytest.mark.torch
@pytest.mark.parametrize(
    ("own", "theirs", "holders"),
    [
        ("__init__.pyi", "_C/_VariableFunctions.pyi", (None, None)),
        ("_tensor.pyi", "_C/__init__.pyi", ("Tensor", "TensorBase")),
    ],
)
def test_pytorchs_stubs_say_the_same_of_results(own, theirs, holders):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    ours = kinds_in(ROOT / "nbmodule" / own, holders[0])
    others = kinds_in(Path(torch.__file__).parent / theirs, holders[1])
    shared = {n for n in ours if n in others and not n.endswith("_copy")} - LOOSER
    assert {n: (ours[n], others[n]) for n in shared if ours[n] != others[n]} == {}
    assert len(shared) > 300
