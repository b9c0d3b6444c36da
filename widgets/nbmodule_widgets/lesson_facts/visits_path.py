"""Where a dotted path leads in a model: name by name through the drawers, and what the object's own methods return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import joined, visible
from nbmodule_widgets.lesson_facts.visits_tree import VisitTree
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_attribute,
    class_name,
    drawer,
    has_drawers,
    own_dict,
)

LONGEST = 1000  # characters of a path
_STEPS = 60
_HOMES = ("_modules", "_parameters", "_buffers")
_FINDERS = {"get_submodule": "_modules", "get_parameter": "_parameters", "get_buffer": "_buffers"}
_MISSING = object()


@dataclass(frozen=True, slots=True)
class PathStep:
    """One name of a path.

    Attributes:
        name: The name; of the first step, the model itself, the empty string.
        what: What is there, as `"Linear"`; empty if there is nothing.
        where: Which drawer holds it, or `"an ordinary attribute"`; empty for the model and for nothing.
        node: Index of the place in the tree, or -1.
        found: Whether something is there.
    """

    name: str
    what: str
    where: str
    node: int
    found: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What one of the object's own methods says to the path.

    Attributes:
        call: `"get_submodule('body.0')"`.
        says: `"gives the Linear at the end of the path"`.
        same: Whether PyTorch's does the same; None if the class has no such method.
    """

    call: str
    says: str
    same: bool | None


@dataclass(frozen=True, slots=True)
class PathFacts:
    """Where a path leads.

    Attributes:
        path: The path.
        steps: Its names, the model itself first, as far as they lead.
        words: Where it ends, in a sentence.
        answers: What the object's own methods say.
    """

    path: str
    steps: tuple[PathStep, ...]
    words: str
    answers: tuple[Answer, ...]

    @property
    def found(self) -> bool:
        """Whether the path leads to something."""
        return self.steps[-1].found


def path_facts(model: object, tree: VisitTree, path: str) -> PathFacts:
    """Follows a path. The object's own methods run: call this in a block of `guarded`."""
    path = path[:LONGEST]
    steps, end, home = _followed(model, tree, path)
    answers = tuple(_answer(model, method, path, end, home) for method in _FINDERS)
    return PathFacts(path, tuple(steps), _words(steps, path), answers)


def _followed(model: object, tree: VisitTree, path: str) -> tuple[list[PathStep], Any, str]:
    """The steps, what is at their end (`_MISSING` if they lead nowhere), and which drawer holds that."""
    index = {node.path: at for at, node in reversed(list(enumerate(tree.nodes)))}
    steps = [PathStep("", visible(class_name(model), 60), "", 0, True)]
    here, home, way = model, "_modules", ""
    for name in path.split(".")[:_STEPS] if path else []:
        held, home = _entry(here, name) if has_drawers(here) else (_MISSING, "")
        way = joined(way, name)
        what = "None" if held is None else visible(class_name(held), 60)
        where = f"in `{home}`" if home in _HOMES else home
        found = held is not _MISSING
        shown = visible(name, 60) or "(an empty name)"
        steps.append(
            PathStep(
                shown, what if found else "", where, index.get(way, -1) if found else -1, found
            )
        )
        here = held
        if not found:
            break
    return steps, here, home


def _entry(module: object, name: str) -> tuple[Any, str]:
    """What a Module has under a name, found without running its code, and where."""
    own = own_dict(module)
    if name in own and name not in _HOMES:
        return own[name], "an ordinary attribute"
    held = class_attribute(module, name, _MISSING)
    if held is not _MISSING:
        return held, "an attribute of the class"
    for home in _HOMES:
        for key, value in drawer(module, home).entries:
            if key_text(key) == name:
                return value, home
    return _MISSING, ""


def _words(steps: list[PathStep], path: str) -> str:
    last, before = steps[-1], steps[-2] if len(steps) > 1 else steps[-1]
    if len(steps) == 1:
        return "The empty path is the model itself."
    if last.found:
        return f"`{visible(path, 200)}` leads to {article(last.what)}, {last.where}."
    holder = article(before.what)
    return f"{holder[0].upper()}{holder[1:]} has nothing called `{last.name}`: the path ends there."


def _answer(model: object, method: str, path: str, end: Any, home: str) -> Answer:
    call = f'{method}("{visible(path, 100)}")'
    if class_attribute(model, method) is None:
        return Answer(call, f"the class has no `{method}` yet", None)
    said = attempt(lambda: getattr(model, method)(path))
    fits = _fits(method, path, end, home)
    if said.problem:
        right = not fits and said.problem.startswith("AttributeError")
        return Answer(call, f"raises {visible(said.problem, 300)}", right)
    if fits and said.value is end:
        return Answer(call, f"gives that {visible(class_name(end), 60)}", True)
    given = "None" if said.value is None else f"another {visible(class_name(said.value), 60)}"
    if said.value is end and end is not None:
        given = f"that {visible(class_name(end), 60)}"
    real = "PyTorch's gives what is there" if fits else "PyTorch's raises AttributeError"
    return Answer(call, f"gives {given}; {real}", False)


def _fits(method: str, path: str, end: Any, home: str) -> bool:
    """Whether PyTorch's method gives what is at the end of the path."""
    if end is _MISSING:
        return False
    if method == "get_submodule":
        return end is not None and has_drawers(end)
    return bool(path) and home == _FINDERS[method] and (end is not None or method == "get_buffer")
