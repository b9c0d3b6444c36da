"""What a check looked at, and what the same names mean now: a cell that is run again makes a new class."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

# Values that many names share: that two of them are the same object says nothing.
_SHARED = (type(None), type(...), bool, int, float, complex, str, bytes, tuple, frozenset)


@dataclass(frozen=True, eq=False)
class Subject:
    """The objects that a check looked at.

    Attributes:
        objects: what it was given.
        names: what the notebook called each of them then; "" where it had no name.
        contents: what was in each of them if it is a class: the reader's class stays the same object as it grows.
    """

    objects: tuple[Any, ...]
    names: tuple[str, ...]
    contents: tuple[dict[str, Any], ...] = ()

    def again(self) -> Subject:
        """Return what the same names mean now; an object whose name is gone is still itself."""
        here, pairs = _notebook(), zip(self.names, self.objects, strict=True)
        objects = tuple(here.get(name, item) for name, item in pairs)
        return Subject(objects, self.names, _contents(objects))

    @property
    def changed(self) -> tuple[str, ...]:
        """Return the names that mean another object now."""
        again = self.again()
        then = zip(self.objects, self.contents, strict=True)
        now = zip(again.objects, again.contents, strict=True)
        return tuple(
            name
            for name, old, new in zip(self.names, then, now, strict=True)
            if not _same(old, new)
        )


def subject_of(takes: tuple[str, ...], objects: tuple[Any, ...]) -> Subject:
    """Write down what the notebook calls the objects.

    Args:
        takes: what the exercise calls them, which the reader most often does too.
        objects: what `check` was given.
    """
    return Subject(objects, tuple(map(_name_of, takes, objects)), _contents(objects))


def _contents(objects: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    return tuple(dict(vars(item)) if isinstance(item, type) else {} for item in objects)


def _same(old: tuple[Any, dict[str, Any]], new: tuple[Any, dict[str, Any]]) -> bool:
    (then, had), (now, has) = old, new
    return then is now and had.keys() == has.keys() and all(had[name] is has[name] for name in had)


def _name_of(usual: str, item: Any) -> str:
    here = _notebook()
    if here.get(usual, _notebook) is item:
        return usual
    if isinstance(item, _SHARED):
        return ""
    found = (name for name, value in here.items() if value is item and not name.startswith("_"))
    return next(found, "")


def _notebook() -> dict[str, Any]:
    """The names of the running notebook; empty where there is none. Does not import IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return dict(getattr(shell, "user_ns", {}))
