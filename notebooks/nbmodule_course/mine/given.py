"""What one cell of a session has given to the reader's classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ..numbering import order_of
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

    def answers(self, exercise_id: str, names: Iterable[str]) -> None:
        """Note that `names` of the reader's in this cell have answered an exercise, if a later one than is known."""
        for kept in (self.methods, self.functions):
            for name in set(names) & set(kept):
                origin = kept[name]
                known = order_of(origin.exercise_id) if origin.exercise_id else ("", 0)
                if origin.whose == "yours" and known < order_of(exercise_id):
                    kept[name] = replace(origin, exercise_id=exercise_id)


def text_of(source: str) -> CellText | None:
    """Return what a cell defines; None where its text is not known."""
    try:
        return read_cell(source) if source else None
    except SyntaxError:  # IPython has more words than Python
        return None
