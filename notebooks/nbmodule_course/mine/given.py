"""What one cell of a session has given to the reader's classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .cells import CellText, read_cell
from .loading import Origin


@dataclass
class Given:
    """What one cell has given.

    Attributes:
        exercise_id: the exercise that it belongs to, or ''.
        methods: by name; those of a layer are called "MyLinear.forward".
        functions: by name.
        text: the definitions of the cell with their text; None where the text is not known.
        names: the names of the notebook.
    """

    exercise_id: str
    methods: dict[str, Origin] = field(default_factory=dict)
    functions: dict[str, Origin] = field(default_factory=dict)
    text: CellText | None = None
    names: dict[str, Any] = field(default_factory=dict)


def text_of(source: str) -> CellText | None:
    """Return what a cell defines; None where its text is not known."""
    try:
        return read_cell(source) if source else None
    except SyntaxError:  # IPython has more words than Python
        return None
