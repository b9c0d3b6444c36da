"""The tree shows every layer of nbmodule as it shows PyTorch's."""

import importlib
import pkgutil

import module_rows
import pytest

import nbmodule
from nbmodule_widgets import text

ROWS = [
    row
    for topic in pkgutil.iter_modules(module_rows.__path__)
    for row in importlib.import_module(f"module_rows.{topic.name}").ROWS
]


def shown(library, row):
    """Return the text of the tree of a fresh module."""
    library.manual_seed(0)
    return str(text(row.make(library))).replace("nbmodule", "torch")


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_layer_looks_like_pytorchs(row):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    assert shown(nbmodule, row) == shown(torch, row)
