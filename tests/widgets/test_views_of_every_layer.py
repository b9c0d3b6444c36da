"""The tree shows every layer of nbmodule as it shows PyTorch's."""

import pytest

import nbmodule
from nbmodule_course.exams.module_rows import TOPICS
from nbmodule_widgets import text

ROWS = [row for rows in TOPICS.values() for row in rows]


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
