"""nbmodule against what was recorded from PyTorch, and PyTorch against the record."""

import json
import math
from pathlib import Path

import pytest
from cases import CASES

import nbmodule
import nbmodule.nn.functional
import nbmodule.nn.modules.module

RECORDED = Path(__file__).with_name("recorded.json")


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


@pytest.mark.parametrize("name", CASES)
def test_nbmodule_does_what_was_recorded(name):
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    same(plain(CASES[name](nbmodule)), recorded[name])


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")  # PyTorch's own remarks
@pytest.mark.parametrize("name", CASES)
def test_torch_does_what_was_recorded(name):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    same(plain(CASES[name](torch)), recorded[name])


def record():
    """Write `recorded.json` anew. Run with a Python that has torch: see CONTRIBUTING.md."""
    import torch

    found = {name: plain(function(torch)) for name, function in CASES.items()}
    RECORDED.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
