"""nbmodule against what was recorded from PyTorch, and PyTorch against the record."""

import importlib
import json
import math
import pkgutil
import sys
from functools import cache
from pathlib import Path

import pytest
import recorded_cases
import topics
from casebook import CASES

import nbmodule
import nbmodule.nn.functional
import nbmodule.nn.modules.module

RECORDED = Path(__file__).with_name("recorded")

for module in pkgutil.iter_modules(topics.__path__):
    importlib.import_module(f"topics.{module.name}")

each = pytest.mark.parametrize(
    ("topic", "name"), [pytest.param(*key, id="-".join(key)) for key in CASES]
)


@cache
def recorded(topic):
    return json.loads((RECORDED / f"{topic}.json").read_text(encoding="utf-8"))


def plain(x):
    """Return `x` as what JSON holds; the name of the library does not count."""
    if hasattr(x, "detach"):
        return {
            "dtype": plain(str(x.dtype)),
            "shape": list(x.shape),
            "values": plain(x.detach().tolist()),
        }
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, float):
        return x if math.isfinite(x) else repr(x)
    return x.replace("nbmodule", "torch") if isinstance(x, str) else x


def same(found, expected, path=""):
    """Assert that both are equal, floats within the reach of float32."""
    if isinstance(expected, float) and isinstance(found, float):
        assert found == pytest.approx(expected, rel=2e-5, abs=1e-6), path
    elif isinstance(expected, list) and isinstance(found, list):
        assert len(found) == len(expected), (path, found, expected)
        for i, (f, e) in enumerate(zip(found, expected, strict=True)):
            same(f, e, f"{path}[{i}]")
    elif isinstance(expected, dict) and isinstance(found, dict):
        assert found.keys() == expected.keys(), path
        for key in expected:
            same(found[key], expected[key], f"{path}.{key}")
    else:
        assert found == expected, path


@each
@pytest.mark.filterwarnings("ignore::UserWarning")  # cases that are about warnings record them
def test_nbmodule_does_what_was_recorded(topic, name):
    same(plain(CASES[topic, name](nbmodule)), recorded(topic)[name])


@each
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")  # PyTorch's own remarks
def test_torch_does_what_was_recorded(topic, name):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    same(plain(CASES[topic, name](torch)), recorded(topic)[name])


def record(*asked):
    """Write the records of the topics `asked` again, or all. Needs torch: see CONTRIBUTING.md."""
    import torch

    for topic in asked or sorted({topic for topic, _ in CASES}):
        found = {name: plain(f(torch)) for (t, name), f in CASES.items() if t == topic}
        recorded_cases.write(RECORDED / f"{topic}.json", found)


if __name__ == "__main__":
    record(*sys.argv[1:])
