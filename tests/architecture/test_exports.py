"""What users write after `import nbmodule as torch` is known to their type checker and completed by their editor.

A package with `py.typed` shows of what it imports only ``y as y``, assignments, and what wildcards bring.
"""

import ast
from pathlib import Path

import pytest

import nbmodule

PACKAGE = Path(nbmodule.__file__).parent
SHOWING = ["__init__", "functional", "func/__init__", "nn/__init__", "nn/functional/__init__"]


def imported(tree):
    """The public names that relative imports bring, with the name that they get."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            yield from ((a.name, a.asname) for a in node.names if a.name != "*")


@pytest.mark.parametrize("name", SHOWING)
def test_what_is_imported_is_shown(name):
    tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
    names = list(imported(tree))
    assert names
    hidden = [n for n, shown in names if shown != n and not (shown or n).startswith("_")]
    assert hidden == [], "write `from .x import y as y`"
