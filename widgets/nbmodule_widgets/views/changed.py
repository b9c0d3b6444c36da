"""Who changed: the difference between two looks, as one line and as marks on the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbmodule_widgets.facts.changes import Change
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.views.columns import column

_GROUPS, _NAMED = 3, 4  # kinds of changes that the line tells of, and paths that it names of each
_MARKED = 20_000  # rows that are marked
_THINGS = {"training": "module", "requires_grad": "parameter"}
_VALUES = "values"  # the mark on a row whose numbers were written
_SAY_IT_ALL = ("training", "requires_grad", "hooks")  # their values need no label


def story(what: str, changes: Sequence[Change]) -> str:
    """`"model.eval(): 3 modules train → eval: features, features.0 and 1 more"`.

    Args:
        what: What brought the changes about.
        changes: The changes that were found.
    """
    if not changes:
        return f"{what}: no mode, flag or part changed"
    groups: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        alike = groups.setdefault((_THINGS.get(change.what, ""), _words(change)), [])
        alike.append(visible(change.path, 60) or "the model")
    told = [_group(thing, words, paths) for (thing, words), paths in list(groups.items())[:_GROUPS]]
    rest = sum(len(paths) for paths in list(groups.values())[_GROUPS:])
    others = f" · {count(rest, 'other change')}" if rest else ""
    return f"{what}: {' · '.join(told)}{others}"


def _group(thing: str, words: str, paths: list[str]) -> str:
    """`"3 modules train → eval: features, features.0 and 1 more"`."""
    number = f"{count(len(paths), thing)} " if thing else ""
    if words == _VALUES:
        number, words = (
            "",
            f"values of {count(len(paths), 'tensor')} written, as far as tensors tell",
        )
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return f"{number}{words}: {', '.join(paths[:_NAMED])}{more}"


def marks(changes: Sequence[Change]) -> dict[str, Any]:
    """Rows and the words on them, as they travel to the page."""
    rows: dict[int, str] = {}
    for change in changes[:_MARKED]:
        if change.row >= 0:
            said = rows.get(change.row)
            rows[change.row] = f"{said}, {_words(change)}" if said else _words(change)
    words = list(dict.fromkeys(rows.values()))
    numbers = {word: number for number, word in enumerate(words)}
    return {
        "rows": column(list(rows)),
        "word": column([numbers[word] for word in rows.values()]),
        "words": words,
    }


def _words(change: Change) -> str:
    if change.what in ("added", "removed"):
        return f"{change.what} {change.after or change.before}".strip()
    if change.what == "values":
        return _VALUES
    label = "" if change.what in _SAY_IT_ALL else f"{change.what} "
    return visible(f"{label}{change.before} → {change.after}", 80)
