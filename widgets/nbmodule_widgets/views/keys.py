"""KeyMatcher: the keys of a state_dict beside those of a model, to be tied together by hand."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.keys import STATUSES, KeyFacts, KeyRow, key_facts, shown
from nbmodule_widgets.lesson_facts.keys_given import items_of, state_of
from nbmodule_widgets.lesson_facts.keys_words import WORDS, code, keys_html, keys_text, remedy
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.coded import coded_names
from nbmodule_widgets.views.columns import column, worded
from nbmodule_widgets.views.live import LiveView, script

_ROWS = 20_000  # keys that travel to the page
_LINES = 60  # of the error, and of what has no key
_CODE = 20_000  # characters


@refusing
def match_keys(model: object, state: object) -> KeyMatcher:
    """Compares the keys of a state dict with those of a model, and says what `load_state_dict` would do with them.

    Nothing is loaded. Keys can be renamed in the view or with `rename`; `renamed()` is the state under the new keys.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        state: A dictionary of tensors, or another Module, whose `state_dict()` is taken: once, with the hooks and methods
            of its own that this runs. Of `model` nothing of the kind is run.

    Raises:
        TypeError: If the model is nothing like a Module, or the state is not a dictionary.

    Example:
        >>> view = match_keys(model, state)  # doctest: +SKIP
        >>> model.load_state_dict(view.accept().renamed())  # doctest: +SKIP
    """
    return KeyMatcher(model, state)


class KeyMatcher(LiveView):
    """Two columns of keys and the lines between them, live.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        state: A dictionary of tensors, or another Module.
    """

    _esm = script("core", "lines", "keymatcher")

    matched = traitlets.Dict().tag(sync=True)
    answer = traitlets.List().tag(sync=True)  # [how often, what the last act came to]

    def __init__(self, model: object, state: object) -> None:
        require_module(model, "match_keys")
        self._model, self._state = model, state_of(state)
        self._renames: dict[str, str] = {}
        self._known = key_facts(model, self._state)
        super().__init__(matched=_packed(self._known), answer=[0, ""])

    @property
    def model(self) -> object:
        """The model whose keys stand on the left."""
        return self._model

    @property
    def facts(self) -> KeyFacts:
        """What `load_state_dict` would find now."""
        with self._lock:
            if self._looks:
                self._known = key_facts(self._model, self._state, self._renames)
            return self._known

    @property
    def renames(self) -> dict[str, str]:
        """The mapping so far: the state's own key -> the new one."""
        return dict(self._renames)

    @property
    def code(self) -> str:
        """The mapping as Python to copy; the empty string if there is none."""
        return code(self.facts)

    @property
    def remedy(self) -> str:
        """Python that loads what fits where other keys are in the way; the empty string if none is.

        It takes the `state` that has been renamed, and the `model`.
        """
        return remedy(self.facts)[1]

    def renamed(self) -> dict[Any, Any]:
        """The state under its new keys: another dictionary, the same tensors."""
        return {
            self._renames.get(key_text(key), key): value for key, value in items_of(self._state)
        }

    def rename(self, old: str, new: str) -> KeyMatcher:
        """Reads a key of the state under another name.

        Args:
            old: The state's own key, or the one that it was renamed to before.
            new: The new key.

        Raises:
            KeyError: If the state has no such key.
            ValueError: If another one has the new name already.
        """
        with self._lock:
            known = self.facts
            row = next(
                (
                    r
                    for r in known.rows
                    if r.original is not None and old in (r.original, r.state_key)
                ),
                None,
            )
            if row is None:
                raise KeyError(f"the state has no key {old!r}")
            taken = next(
                (r for r in known.rows if r.state_key == new and r.original != row.original), None
            )
            if taken is not None:
                raise ValueError(
                    f"{shown(new)} is taken by {shown(taken.original)}: rename that key first"
                )
            self._note(str(row.original), new)
            self.refresh()
        return self

    def accept(self, old: str | None = None) -> KeyMatcher:
        """Renames as suggested.

        Args:
            old: The key of the state whose suggestion is meant; None for all suggestions with a fitting shape.

        Raises:
            KeyError: If there is no such suggestion.
        """
        with self._lock:
            found = [s for s in self.facts.suggestions if (s.fits if old is None else s.old == old)]
            if old is not None and not found:
                raise KeyError(f"there is no suggestion for {old!r}")
            for one in found:
                self._note(one.old, one.new)
            self.refresh()
        return self

    def undo(self, old: str | None = None) -> KeyMatcher:
        """Takes one renaming back, or all of them.

        Args:
            old: The state's own key; None for all.
        """
        with self._lock:
            if old is None:
                self._renames.clear()
            elif old in self._renames:
                taken = next(
                    (r for r in self.facts.rows if r.state_key == old and r.original != old), None
                )
                if taken is not None:
                    raise ValueError(
                        f"{shown(old)} is taken by {shown(taken.original)} now; take that one back first"
                    )
                del self._renames[old]
            self.refresh()
        return self

    def refresh(self) -> None:
        """Looks at the model and at the state again."""
        with self._lock:
            self._known = key_facts(self._model, self._state, self._renames)
            self.matched = _packed(self._known)

    def handle(self, message: dict[str, Any]) -> None:
        """Renames, accepts or takes back what the reader asked for in the page, and says what came of it."""
        kind, old, new = message["kind"], message.get("row"), message.get("to")
        rows = self._known.rows
        pick = rows[old] if type(old) is int and 0 <= old < len(rows) else None
        try:
            if kind == "rename" and pick is not None and type(new) is int and 0 <= new < len(rows):
                said = self._tie(pick, rows[new])
            elif kind == "accept":
                before = len(self._renames)
                self.accept(None if pick is None else pick.original)
                said = f"{len(self._renames) - before:,} renamed."
            elif kind == "undo":
                self.undo(None if pick is None else pick.original)
                said = "Taken back."
            else:
                return
        except (KeyError, ValueError) as refusal:
            said = visible(refusal.args[0], 400)
        self.answer = [self.answer[0] + 1, said]

    def _tie(self, pick: KeyRow, place: KeyRow) -> str:
        """Ties the state's key in one row to the model's key in another."""
        if pick.original is None or place.model_key is None:
            return "A key of the state goes to a key of the model."
        self.rename(pick.original, place.model_key)
        return f"{shown(pick.original)} is read as {shown(place.model_key)} now."

    def _note(self, old: str, new: str) -> None:
        if old == new:
            self._renames.pop(old, None)
        else:
            self._renames[old] = new

    def to_html(self) -> str:
        """The two columns as HTML without a script, as a saved notebook shows them."""
        return keys_html(self.facts)

    def figure(self) -> Any:
        """The two columns and the lines between them as a `matplotlib.figure.Figure`."""
        from nbmodule_widgets.lesson_facts.pictures import keys_figure

        return keys_figure(self.facts)

    def __str__(self) -> str:
        return keys_text(self.facts)


def _packed(known: KeyFacts) -> dict[str, Any]:
    """The facts as one trait."""
    rows = known.rows[:_ROWS]
    notes = list(known.notes)
    if len(known.rows) > _ROWS:
        notes.append(
            f"{len(known.rows) - _ROWS:,} more keys are not shown here; `.facts` has them."
        )
    place = {row.model_key: index for index, row in enumerate(rows) if row.model_key is not None}
    origin = {row.original: index for index, row in enumerate(rows) if row.original is not None}
    hints = [
        (origin[s.old], place[s.new], s)
        for s in known.suggestions
        if s.old in origin and s.new in place
    ]
    return {
        "label": visible(known.label, 80),
        "model": _side(rows, lambda row: row.model_key, lambda row: row.model_words),
        "state": _side(
            rows, lambda row: row.original, lambda row: row.state_words, lambda row: row.model_key
        ),
        "status": column([STATUSES.index(row.status) for row in rows]),
        "renamed": column([int(row.renamed) for row in rows]),
        "notes": worded(row.note for row in rows),
        "statuses": [[WORDS[status], known.counts()[status]] for status in STATUSES],
        "from": column([old for old, _, _ in hints]),
        "to": column([new for _, new, _ in hints]),
        "fits": column([int(s.fits) for _, _, s in hints]),
        "reasons": worded(s.reason for _, _, s in hints),
        "hints": list(known.hints),
        "remarks": notes,
        "leftOut": [[visible(key, 200), why] for key, why in known.left_out[:_LINES]],
        "leftOutCount": len(known.left_out),
        "strict": known.strict_words,
        "lenient": known.lenient_words,
        "lenientFails": bool(known.lenient_errors),
        "errors": [visible(line, 600) for line in known.errors[:_LINES]],
        "code": code(known)[:_CODE],
        "remedy": list(remedy(known)),
    }


def _side(
    rows: tuple[KeyRow, ...], key: Any, words: Any, beside: Any = lambda row: None
) -> dict[str, Any]:
    """One column of keys.

    Args:
        rows: The rows.
        key: From a row to its key in this column, or None.
        words: From a row to what lies under the key.
        beside: From a row to its key in the column before; a key that is the same is not sent again.
    """
    names = [key(row) for row in rows]
    same = [name is not None and name == beside(row) for name, row in zip(names, rows, strict=True)]
    return {
        "names": coded_names(
            "" if again else visible(name or "", 400)
            for name, again in zip(names, same, strict=True)
        ),
        "there": column(
            [2 if again else int(name is not None) for name, again in zip(names, same, strict=True)]
        ),
        "words": worded(words(row) for row in rows),
    }
