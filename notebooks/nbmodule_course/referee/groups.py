"""What an exercise asks of the referee: groups of programs, and the named wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .steps import Program
from .world import DRAWERS


@dataclass(frozen=True)
class Group:
    """Programs that are looked at together; one line of the report.

    Attributes:
        name: what they look at, in words.
        programs: all of them.
        drawers: the slots that are compared.
    """

    name: str
    programs: tuple[Program, ...]
    drawers: tuple[str, ...] = DRAWERS

    @property
    def names(self) -> tuple[str, ...]:
        """Return every attribute name that a program speaks of."""
        steps = (step for program in self.programs for step in program.steps)
        return tuple(dict.fromkeys(name for step in steps for name in step.names))


@dataclass(frozen=True)
class Case:
    """A call of a function: its text, and what makes its arguments anew each time.

    What a name in the text stands for may follow after "  # ".
    """

    text: str
    arguments: Callable[[], tuple[Any, ...]]

    @property
    def shown(self) -> str:
        """Return the text for a report: the call as code, and the note behind it in words."""
        call, _, note = self.text.partition("  # ")
        return f"`{call}` ({note})" if note else f"`{call}`"


@dataclass(frozen=True)
class Calls:
    """Calls of a function that are looked at together.

    Attributes:
        name: what they look at, in words.
        cases: all of them.
        same: tells whether a result is as good as ours; None: equal and of the same kind.
        uses: whether the arguments are functions that use what is looked at.
    """

    name: str
    cases: tuple[Case, ...]
    same: Callable[[Any, Any], bool] | None = None
    uses: bool = False


@dataclass(frozen=True)
class WrongAnswer:
    """A usual mistake: a patch of the solution, and one sentence that names it.

    Attributes:
        name: a few words.
        patch: see `solutions.patched`.
        says: the sentence, shown when the reader's code makes this very mistake.
        remove: methods that are taken out of the solution.
    """

    name: str
    patch: Mapping[str, str]
    says: str
    remove: tuple[str, ...] = ()


@dataclass
class Referee:
    """All that the referee knows about one exercise."""

    groups: list[Group | Calls] = field(default_factory=list)
    wrong: list[WrongAnswer] = field(default_factory=list)

    def add_group(self, name: str, programs: Iterable[Program], drawers: tuple[str, ...]) -> None:
        """Add programs as one line of the report.

        Raises:
            ValueError: there are none, or the name is taken.
        """
        programs = tuple(programs)
        if not programs or any(group.name == name for group in self.groups):
            raise ValueError(f"{name!r}: no programs, or another group has this name")
        self.groups.append(Group(name, programs, drawers))

    def add_calls(
        self,
        name: str,
        cases: Mapping[str, Callable[[], tuple[Any, ...]]],
        same: Callable[[Any, Any], bool] | None = None,
        uses: bool = False,
    ) -> None:
        """Add calls of a function as one line of the report."""
        these = tuple(Case(text, make) for text, make in cases.items())
        self.groups.append(Calls(name, these, same, uses))
