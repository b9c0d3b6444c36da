"""Asking a copy of a model what its own methods say of its tensors: what they yield, save and cast."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from types import FunctionType
from typing import Any

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.hooks import callable_name
from nbmodule_widgets.facts.tensors import TensorReader, key_text
from nbmodule_widgets.facts.words import count, size, visible
from nbmodule_widgets.lesson_facts.ledger import LISTS, LedgerFacts, Trial
from nbmodule_widgets.lesson_facts.ledger_places import tensors_of
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import Outcome, attempt, class_attribute, drawer, own_dict
from nbmodule_widgets.views.copying import copied, modules_below

_LARGEST = 32_000_000  # bytes of a model that is copied to try something
_MOST = 3000  # tensors


def tried_on_a_copy(model: object, known: LedgerFacts) -> Trial:
    """What a copy of the model does; the model itself and the random states stay as they are.

    Args:
        model: The model.
        known: What was read from it.
    """
    nbytes = sum(row.numel * 8 for row in known.rows if row.twin < 0)
    if nbytes > _LARGEST or len(known.rows) > _MOST:
        return Trial(
            problem=f"{count(len(known.rows), 'tensor')} of some {size(nbytes)} are too much to copy."
        )
    with Preserved(model, gradients=True):
        made = copied(model)
        if made.problem:
            return Trial(problem=f"no copy could be made ({visible(made.problem, 200)}).")
        return _asked(made.module, known)


def _asked(copy: object, known: LedgerFacts) -> Trial:
    notes: list[str] = []
    most = 2 * len(known.rows) + 100

    def ask(method: str, action: Callable[[], Iterable[tuple[Any, Any]]]) -> frozenset[str] | None:
        """The names that a method gives; what it gives under several names is noted."""
        if class_attribute(copy, method) is None:
            notes.append(f"There is no `{method}()` yet.")
            return None
        said: Outcome = attempt(
            lambda: [(key_text(key), value) for key, value in islice(action(), most + 1)]
        )
        if said.problem:
            notes.append(f"Its `{method}()` raised {visible(said.problem, 200)}")
            return None
        if len(said.value) > most:
            notes.append(
                f"Its `{method}()` does not come to an end: stopped after {most:,} entries."
            )
        elif method != "state_dict":
            notes.extend(_twice(method, said.value))
        return frozenset(name for name, _ in said.value)

    subject: Any = copy
    reached = [ask(method, lambda method=method: getattr(subject, method)()) for method in LISTS]
    hook = _hook_of_the_reader(copy)
    if hook:
        notes.append(
            f"Its `state_dict()` was not called: that would run a hook of yours, `{hook}`."
        )
    saved = None if hook else ask("state_dict", lambda: subject.state_dict().items())
    if saved is not None:
        notes += _beside(saved, known)
    parameters, buffers = (
        None if names is None else _by_every_name(names, known) for names in reached
    )
    cast, dtypes = _cast(copy, known, notes)
    return Trial(parameters, buffers, saved, dtypes, cast, notes=tuple(notes))


def _twice(method: str, pairs: list[tuple[str, Any]]) -> list[str]:
    """What to say of a tensor that is listed under several names: an optimizer would update it several times."""
    names: dict[int, list[str]] = {}
    for name, value in pairs:
        names.setdefault(id(value), []).append(f"`{visible(name, 60)}`")
    return [
        f"Its `{method}()` lists one tensor {len(same)} times: {', '.join(same[:3])}{', …' if len(same) > 3 else ''}."
        for same in names.values()
        if len(same) > 1
    ]


def _hook_of_the_reader(copy: object) -> str:
    """The first hook of `state_dict()` that is not a library's: its effects may lie outside of the copy."""
    for module in modules_below(copy):
        for slot in ("_state_dict_pre_hooks", "_state_dict_hooks"):
            for _, hook in drawer(module, slot).entries:
                made = own_dict(hook).get("hook", hook)
                if not is_a_library_s(made if type(made) is FunctionType else type(made)):
                    return callable_name(made)
    return ""


def _beside(saved: frozenset[str], known: LedgerFacts) -> list[str]:
    """What to say of keys that no row stands for."""
    rows = {row.path.partition("[")[0] for row in known.rows if row.kind == "own"}
    rest = sorted(saved - rows - {row.path for row in known.rows})
    if not rest:
        return []
    named = ", ".join(f"`{visible(key, 60)}`" for key in rest[:3]) + (
        ", …" if len(rest) > 3 else ""
    )
    return [f"Its `state_dict()` has {count(len(rest), 'key')} beside these rows: {named}."]


def _by_every_name(names: frozenset[str], known: LedgerFacts) -> frozenset[str]:
    """The names of shared tensors added: one name is enough to reach the object."""
    first = {
        i if row.twin < 0 else row.twin for i, row in enumerate(known.rows) if row.path in names
    }
    reached = {row.path for i, row in enumerate(known.rows) if i in first or row.twin in first}
    return frozenset(reached | names)


def _cast(copy: object, known: LedgerFacts, notes: list[str]) -> tuple[str, dict[str, str] | None]:
    """Casts the copy and reads the dtypes again; to the single kind if everything is double already."""
    kinds = {row.dtype for row in known.rows if row.cast}
    method = "float" if kinds == {"float64"} else "double"
    if class_attribute(copy, method) is None:
        notes.append(f"There is no `{method}()` yet.")
        return f"{method}()", None
    said = attempt(lambda: getattr(copy, method)())
    if said.problem:
        notes.append(f"Its `{method}()` raised {visible(said.problem, 200)}")
        return f"{method}()", None
    reader = TensorReader()
    found, _ = tensors_of(copy)
    return f"{method}()", {
        f.path: reader.describe(f.tensor).dtype for f in found if f.tensor is not None
    }
