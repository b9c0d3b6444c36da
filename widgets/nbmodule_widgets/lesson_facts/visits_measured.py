"""What an object's own walk visits, asked of the object itself, and how that differs from what is expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from nbmodule_widgets.facts import facts
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.visits_lines import CountedWalk, Listing
from nbmodule_widgets.lesson_facts.visits_tree import MOST, VisitNode, VisitTree
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import Outcome, article, attempt, class_attribute, class_name

_GUARDED = 64_000_000  # bytes of a model that is put back after its own code has run; walks are meant to read only
_MORE = 200  # visits beyond the expected ones after which a walk counts as endless
_OWN_LINES = {
    "modules": ("named_modules", "modules"),
    "children": ("named_children", "children"),
    "named_modules(remove_duplicate=False)": ("named_modules",),
    "named_parameters": ("_named_members", "named_parameters"),
    "apply": ("apply",),
}
_METHODS = {"named_modules(remove_duplicate=False)": "named_modules"}


@dataclass(frozen=True, slots=True)
class Measured:
    """What the object did; as in `Walk`."""

    yours: tuple[str, ...] | None
    verdict: str
    same: bool | None
    lines: tuple[Listing, ...] = ()


class _Enough(BaseException):
    """Ends an `apply` that does not end by itself."""


def measured(
    how: str, model: object, tree: VisitTree, expected: Sequence[VisitNode], cut: bool
) -> Measured:
    """Asks the object.

    Args:
        how: The walk.
        model: The model. Its own code runs: call this in a block of `guarded`.
        tree: Its places.
        expected: What should be visited, in order.
        cut: Whether the expected walk was cut off, so that nothing can be compared.
    """
    method = _METHODS.get(how, how)
    if how == "train":
        return Measured(None, "Not measured on the object: `train()` would set the switch.", None)
    if class_attribute(model, method) is None:
        return Measured(
            None, f"The class has no `{method}()` yet: this is the order to aim at.", None
        )
    if cut or tree.notes:
        return Measured(None, f"Not measured on the object: more than {MOST:,} places.", None)
    most = len(expected) + _MORE
    with CountedWalk(model, _OWN_LINES[how]) as counted:
        said = attempt(lambda: _ASK[how](model, most))
    return replace(_judged(how, said, tree, expected, most), lines=counted.listings)


def _judged(
    how: str, said: Outcome, tree: VisitTree, expected: Sequence[VisitNode], most: int
) -> Measured:
    """What to say of a walk that was made."""
    method = _METHODS.get(how, how)
    if said.problem:
        return Measured(None, f"Its own `{method}()` raised {visible(said.problem, 300)}", False)
    yours, problem = said.value
    names = _names(how, yours, tree)
    wanted = [_shown(node, tree, how) for node in expected]
    if problem:
        return Measured(
            tuple(names), f"{_difference(names, wanted, method)} Then it raised {problem}", False
        )
    if len(yours) > most - 1:
        return Measured(
            tuple(names[:most]),
            f"Its own `{method}()` does not come to an end: stopped after {count(most, 'visit')}. {_difference(names, wanted, method)}",
            False,
        )
    if names == wanted:
        return Measured(
            tuple(names), f"Measured on the object: its own `{method}()` keeps this order.", True
        )
    return Measured(tuple(names), _difference(names, wanted, method), False)


def guarded(model: object, tree: VisitTree) -> AbstractContextManager[object]:
    """A block after which the model is as before, though its own code has run; without effect on a large one."""
    if tree.notes or facts(model).totals.nbytes > _GUARDED:
        return nullcontext()
    return Preserved(model, gradients=True)


def _generated(call: Callable[[Any], Iterable[Any]]) -> Callable[[Any, int], tuple[list[Any], str]]:
    """Reads a generator as far as it comes."""

    def ask(model: Any, most: int) -> tuple[list[Any], str]:
        found: list[Any] = []

        def one_by_one() -> None:
            for item in islice(call(model), most):
                found.append(item)  # noqa: PERF402 - what came before an exception is kept

        said = attempt(one_by_one)
        return found, visible(said.problem, 300)

    return ask


def _applied(model: Any, most: int) -> tuple[list[Any], str]:
    found: list[Any] = []

    def note(module: Any) -> None:
        found.append(module)
        if len(found) >= most:
            raise _Enough

    said = attempt(lambda: model.apply(note))
    ended = said.problem and not said.problem.startswith("_Enough")
    return found, visible(said.problem, 300) if ended else ""


_ASK: dict[str, Callable[[Any, int], tuple[list[Any], str]]] = {
    "modules": _generated(lambda model: model.modules()),
    "children": _generated(lambda model: model.children()),
    "named_modules(remove_duplicate=False)": _generated(
        lambda model: model.named_modules(remove_duplicate=False)
    ),
    "named_parameters": _generated(lambda model: model.named_parameters()),
    "apply": _applied,
}


def _names(how: str, found: list[Any], tree: VisitTree) -> list[str]:
    """What was visited, as it is named: a pair by its name, an object by its first place."""
    first = {id(thing): index for index, thing in reversed(list(enumerate(tree.objects)))}
    names = []
    for item in found:
        if how.startswith("named_"):
            pair = type(item) is tuple and len(item) == 2
            names.append((visible(key_text(item[0]), 80) or _TOP) if pair else f"({_odd(item)})")
        else:
            index = first.get(id(item), -1)
            names.append(
                (visible(tree.nodes[index].path, 80) or _TOP) if index >= 0 else f"({_odd(item)})"
            )
    return names


def _shown(node: VisitNode, tree: VisitTree, how: str) -> str:
    """An expected place, named as `_names` does."""
    if node.twin >= 0 and not how.startswith("named_"):
        node = tree.nodes[node.twin]
    return visible(node.path, 80) or _TOP


def _odd(item: object) -> str:
    return f"{article(visible(class_name(item), 40))} that is not in the tree"


def _difference(yours: list[str], wanted: list[str], method: str) -> str:
    """The first place in which two orders differ, in words."""
    for place, (mine, right) in enumerate(zip(yours, wanted, strict=False), 1):
        if mine != right:
            return f"Its own `{method}()` visits `{mine}` as number {place}; PyTorch's visits `{right}` there."
    if len(yours) < len(wanted):
        return f"Its own `{method}()` stops after {count(len(yours), 'visit')}; PyTorch's goes on with `{wanted[len(yours)]}`."
    if len(yours) > len(wanted):
        return (
            f"Its own `{method}()` goes on with `{yours[len(wanted)]}` where PyTorch's has ended."
        )
    return f"Its own `{method}()` keeps the order."


_TOP = "the model itself"
