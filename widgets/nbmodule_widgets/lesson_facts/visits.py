"""In which order the walks of a Module visit its tree: as PyTorch does it, and as this object does it.

The expected order is worked out from the drawers alone. What the object's own methods do is measured where that is
harmless: its generators are read, and `apply` is given a function that only notes. `train` is not called, since it sets
the switch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from nbmodule_widgets.lesson_facts.visits_expected import EXPECTED
from nbmodule_widgets.lesson_facts.visits_lines import Listing
from nbmodule_widgets.lesson_facts.visits_measured import guarded, measured
from nbmodule_widgets.lesson_facts.visits_path import PathFacts, path_facts
from nbmodule_widgets.lesson_facts.visits_tree import VisitNode, VisitTree, visit_tree
from nbmodule_widgets.protocol import article, class_name, require_module

Kind = Literal["visit", "down", "skip", "cut"]

HOWS = tuple(EXPECTED)
BESIDE = {"modules": "apply", "apply": "modules", "train": "apply"}  # pre-order beside post-order


@dataclass(frozen=True, slots=True)
class Step:
    """One moment of a walk.

    Attributes:
        kind: `"visit"`: it is that one's turn. `"down"`: the walk goes into a Module whose turn comes later.
            `"skip"`: it is left out. `"cut"`: here the walk would not end.
        node: Index of the Module in `VisitFacts.nodes`; of a parameter, its index there.
        number: The how-manieth visit it is, from 1; 0 for the other kinds.
        words: What happens, in a sentence.
        memo: Index of the node that goes into the memo now, or -1.
    """

    kind: Kind
    node: int
    number: int
    words: str
    memo: int = -1


@dataclass(frozen=True, slots=True)
class Walk:
    """One way to visit the tree.

    Attributes:
        how: `"modules"`.
        call: How it is written: `"modules()"`.
        order: The order in words.
        steps: What happens, moment by moment, as PyTorch does it.
        cut: Whether the walk was cut off.
        yours: What the object itself visited, as labels; None if that was not measured.
        verdict: Whether the two are the same, and the first difference if not.
        same: Whether they are; None if that is not known.
        lines: The reader's own methods that ran, with the lines of each.
    """

    how: str
    call: str
    order: str
    steps: tuple[Step, ...]
    cut: bool = False
    yours: tuple[str, ...] | None = None
    verdict: str = ""
    same: bool | None = None
    lines: tuple[Listing, ...] = ()

    @property
    def visits(self) -> tuple[Step, ...]:
        """The visits alone, in order."""
        return tuple(step for step in self.steps if step.kind == "visit")


@dataclass(frozen=True, slots=True)
class VisitFacts:
    """The walks over one model.

    Attributes:
        label: Class of the model.
        nodes: The places in the tree: Modules, and their parameters.
        how: The walk that was asked for.
        walks: All of them by name.
        notes: What was left out.
        path: Where the path leads that was asked for, or None.
        beside: The walk that is shown beside it.
    """

    label: str
    nodes: tuple[VisitNode, ...]
    how: str
    walks: dict[str, Walk] = field(hash=False)
    notes: tuple[str, ...] = ()
    path: PathFacts | None = None
    beside: str = "modules"

    @property
    def walk(self) -> Walk:
        """The walk that was asked for."""
        return self.walks[self.how]

    @property
    def other(self) -> Walk:
        """The walk that is shown beside it."""
        return self.walks[self.beside]


def visit_facts(
    model: object, how: str = "modules", path: str | None = None, beside: str | None = None
) -> VisitFacts:
    """Works out in which order the tree of a model is visited.

    Args:
        model: Any object with `_modules`. It is read; `apply` is called with a function that only notes.
        how: One of HOWS.
        path: A dotted path to follow, or None.
        beside: One of HOWS, to be compared with it; None chooses one.

    Raises:
        TypeError: If the object is nothing like a Module, or the path is no string.
        ValueError: If there is no such walk.
    """
    require_module(model, "visits")
    how = _known("how", how)
    beside = BESIDE.get(how, "modules") if beside is None else _known("beside", beside)
    if path is not None and not isinstance(path, str):
        raise TypeError(
            f"visits() follows a path such as 'body.0', not {article(class_name(path))}"
        )
    tree = visit_tree(model)
    with guarded(model, tree):
        walks = {name: _walk(name, model, tree) for name in HOWS}
        followed = None if path is None else path_facts(model, tree, path)
    label = class_name(model)
    return VisitFacts(label, tree.nodes, how, walks, tree.notes, followed, beside)


def _known(name: str, how: str) -> str:
    how = how.removesuffix("()") if isinstance(how, str) else how
    if how not in EXPECTED:
        known = ", ".join(repr(each) for each in HOWS)
        raise ValueError(f"visits() got {name}={how!r} but knows {known}")
    return how


def _walk(how: str, model: object, tree: VisitTree) -> Walk:
    plan = EXPECTED[how]
    moments, cut = plan.steps(tree)
    steps, number = [], 0
    for moment in moments:
        number += moment.kind == "visit"
        turn = number if moment.kind == "visit" else 0
        steps.append(Step(moment.kind, moment.node, turn, moment.words, moment.memo))
    expected = [tree.nodes[step.node] for step in steps if step.kind == "visit"]
    if cut and plan.endless:
        return Walk(how, plan.call, plan.order, tuple(steps), True, None, plan.endless, None)
    found = measured(how, model, tree, expected, cut)
    return Walk(
        how, plan.call, plan.order, tuple(steps), cut,
        found.yours, found.verdict, found.same, found.lines,
    )  # fmt: skip
