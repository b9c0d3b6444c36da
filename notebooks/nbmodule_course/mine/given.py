"""What one cell of a session has given to the reader's classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from ..numbering import order_of
from ..stubs import is_stub
from ..wording import UsageError
from .cells import CellText, owner_of, qualified, read_cell
from .home import at_home
from .loading import Origin
from .solutions import solution_of


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

    def take(
        self, definition: Any, home: type, owner: str, ours: Callable[[str], dict[str, Any]]
    ) -> None:
        """Note what a definition gives, our solution in the place of what is a stub.

        Of a class, what the stub leaves out comes too; a function stands alone.

        Args:
            definition: what stands below `@mine.extend`.
            home: the class that takes its methods.
            owner: the name of that class; '' for Module.
            ours: gives our solution of an exercise.

        Raises:
            UsageError: it is neither a class nor a function.
        """
        is_class = isinstance(definition, type)
        if not is_class and not isinstance(definition, FunctionType):
            raise UsageError(
                "`@mine.extend` belongs above `class Module:` or above a function. Here it is above "
                f"an object of class {type(definition).__name__}."
            )
        own = body_of(definition) if is_class else {definition.__name__: definition}
        written = {
            qualified(owner, name) if is_class else name: value for name, value in own.items()
        }
        kept, solution = self.methods if is_class else self.functions, solution_of(self.exercise_id)
        stubs = {
            name
            for name, value in written.items()
            if name in solution.names and is_stub(self.exercise_id, value)
        }
        if owner and not written:  # the whole class is still to be written
            stubs = {name for name in solution.names if owner_of(name) == owner}
        for name, value in written.items():
            if name not in stubs:
                kept[name] = Origin(at_home(value, home), "yours", self.exercise_id)
        functions = {item.name for item in solution.functions}
        for name, value in ours(self.exercise_id).items() if stubs else ():
            besides = is_class and name not in written and owner_of(name) == owner
            if name in stubs or besides:
                home_of_it = self.functions if name in functions else self.methods
                home_of_it[name] = Origin(value, "ours", self.exercise_id)

    def renew(self, ours: Callable[[str], dict[str, Any]], home: Callable[[str], type]) -> None:
        """Bring what it gave to the classes of now: the reader's methods move, and our solution is made again."""
        for name, origin in self.methods.items():
            self.methods[name] = replace(origin, value=at_home(origin.value, home(name)))
        kept = (self.methods, self.functions)
        if not any(origin.whose == "ours" for some in kept for origin in some.values()):
            return
        made = ours(self.exercise_id)
        for some in kept:
            for name, origin in some.items():
                if origin.whose == "ours" and name in made:
                    some[name] = replace(origin, value=made[name])

    def answers(self, exercise_id: str, names: Iterable[str]) -> None:
        """Note that `names` of the reader's in this cell have answered an exercise, if a later one than is known."""
        for kept in (self.methods, self.functions):
            for name in set(names) & set(kept):
                origin = kept[name]
                known = order_of(origin.exercise_id) if origin.exercise_id else ("", 0)
                if origin.whose == "yours" and known < order_of(exercise_id):
                    kept[name] = replace(origin, exercise_id=exercise_id)


def body_of(definition: type) -> dict[str, Any]:
    """Return what the reader has written in the body of a class."""
    return {name: value for name, value in vars(definition).items() if name not in _NOT_WRITTEN}


_NOT_WRITTEN = {"__module__", "__qualname__", "__dict__", "__weakref__", "__doc__", "__annotations__"} | {
    "__static_attributes__", "__firstlineno__", "__annotate_func__", "__annotations_cache__"}  # of newer Pythons  # fmt: skip


def text_of(source: str) -> CellText | None:
    """Return what a cell defines; None where its text is not known."""
    try:
        return read_cell(source) if source else None
    except SyntaxError:  # IPython has more words than Python
        return None
