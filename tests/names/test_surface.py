"""What users can see of the library stays as it is, unless it is changed on purpose.

Recorded is what every public object is (its kind, the path by which it is pickled, its signature and its docstring) and what
every sample of an operation calls its ``grad_fn``. Who changes one of them says so: ``python tests/names/test_surface.py`` writes
the record again, and the difference shows it.
"""

import hashlib
import inspect
import json
import pickle
import re
import sys
from functools import cache
from pathlib import Path

import pytest
import recorded_cases
from samples import SAMPLES
from test_names import OURS, PATHS, find, own_names

RECORD = Path(__file__).with_name("surface.json")
AREAS = sorted(
    {
        *PATHS,
        "linalg",
        "cuda",
        "accelerator",
        "ao.quantization",
        "ao.nn.quantized.dynamic",
        "backends",
        "datasets",
        "onnx",
        "learner",  # ours: PyTorch has no such part
        "observer",  # ours: its dispatch modes stand in the place of operations, where a listener only looks on
        "storage",
        "return_types",
    }
)


def surface():
    """What can be seen, by name."""
    import nbmodule

    found = {}
    for path in AREAS:
        owner = find(nbmodule, path)
        package = inspect.isclass(owner) or hasattr(owner, "__path__")
        names = dir(owner) if package else own_names(owner)
        for name in sorted(n for n in {*names} - OURS if n[0] != "_"):
            value = (
                inspect.getattr_static(owner, name)
                if inspect.isclass(owner)
                else getattr(owner, name)
            )
            made_by_a_call = path == "return_types" and name.endswith("_out")
            if not inspect.ismodule(value) and not made_by_a_call:
                found[f"{path}.{name}".lstrip(".")] = seen(value)
    for row in SAMPLES:
        found[f"grad_fn of {row.name}"] = grad_fn(row)
    return found


def seen(value):
    """What `value` is, its path for pickle, its signature, and the first line and a short digest of its docstring."""
    if not (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
        return [type(value).__name__, None, None, None]
    doc = inspect.getdoc(value) or ""
    digest = hashlib.sha256(doc.encode()).hexdigest()[:8] if doc else ""
    return [
        type(value).__name__,
        pickled(value),
        signature(value),
        f"{doc.partition(chr(10))[0]} {digest}".strip(),
    ]


def pickled(value):
    """The module and the name by which pickle finds `value` again; None where it does not."""
    try:
        if pickle.loads(pickle.dumps(value)) is value:
            return f"{value.__module__}.{value.__qualname__}"
    except Exception:
        return None
    return None


def signature(value):
    """The signature without annotations, as text."""
    value = getattr(value, "__func__", value)
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=found.empty))
    # Where an object or a file lies differs from machine to machine.
    return re.sub(r" at 0x[0-9a-f]+|(?<=') from '[^']+'(?=>)", "", text)


def grad_fn(row):
    """The names of the nodes of what the sample returns."""
    import nbmodule

    nbmodule.manual_seed(0)
    inputs = [nbmodule.tensor(a).requires_grad_() for a in row.arrays("f4")]
    result = row.call(nbmodule, *inputs)
    results = result if isinstance(result, (tuple, list)) else [result]
    nodes = [getattr(r, "grad_fn", None) for r in results]
    return [n and n.name() for n in nodes]


@cache
def both():
    return json.loads(RECORD.read_text(encoding="utf-8")), surface()


def test_nothing_comes_or_goes():
    then, now = both()
    assert now.keys() ^ then.keys() == set()


@pytest.mark.parametrize("area", AREAS)
def test_public_objects_are_as_recorded(area):
    then, now = both()
    names = [n for n in then if n.rpartition(".")[0] == area and " " not in n]
    assert {n: now.get(n) for n in names} == {n: then[n] for n in names}


def test_nodes_have_the_recorded_names():
    then, now = both()
    names = [n for n in then if " " in n]
    assert {n: now.get(n) for n in names} == {n: then[n] for n in names}


if __name__ == "__main__":
    sys.exit(recorded_cases.write(RECORD, surface()))
