"""ParameterLedger: which tensors of a model are learned, which remembered, and which neither."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import traitlets

from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.ledger import LISTS, LedgerFacts, LedgerRow, ledger_facts
from nbmodule_widgets.lesson_facts.ledger_memory import (
    Memory,
    memory_html,
    memory_lines,
    memory_of,
    packed_memory,
    place_of,
)
from nbmodule_widgets.lesson_facts.ledger_words import (
    KINDS,
    ledger_html,
    ledger_text,
    moved_words,
    shape_words,
    trial_words,
)
from nbmodule_widgets.protocol import DRAWERS, class_attribute, own_dict, require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.coded import coded_names
from nbmodule_widgets.views.columns import column
from nbmodule_widgets.views.copying import modules_below
from nbmodule_widgets.views.ledger_trial import tried_on_a_copy
from nbmodule_widgets.views.live import LiveView, script

_ROWS = 10_000  # of them travel to the page
_METHODS = (*LISTS, "_named_members", "named_modules", "state_dict", "double", "float", "_apply")


@refusing
def ledger(model: object, *, memory: bool = False) -> ParameterLedger:
    """Shows for every tensor of a model whether it is learned, remembered, or neither, and whether `.to()` moves it.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`, or a class that is still being written.
        memory: Whether dtypes and devices are colored, with the memory that they take, now and at first.

    Raises:
        TypeError: If the object is nothing like a Module.

    Example:
        >>> print(ledger(model))  # doctest: +SKIP
    """
    return ParameterLedger(model, memory=memory)


class ParameterLedger(LiveView):
    """Every tensor of a model in a row, live.

    What the rules of a Module say is read; that the model keeps to them is tried on a copy, if it is small.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`, or on its way there.
        memory: Whether dtypes and devices are colored, with the memory that they take.
    """

    _esm = script("core", "lines", "ledger")

    ledger = traitlets.Dict().tag(sync=True)

    def __init__(self, model: object, *, memory: bool = False) -> None:
        require_module(model, "ledger")
        self._model = model
        self._tried: tuple[Any, LedgerFacts] | None = None
        self._known = self._read()
        self._first = memory_of(self._known.rows) if memory else None
        super().__init__(ledger=_packed(self._known, self._first))

    @property
    def model(self) -> object:
        """The model that is shown."""
        return self._model

    @property
    def facts(self) -> LedgerFacts:
        """The ledger as it is now."""
        with self._lock:
            if self._looks:
                self._known = self._read()
            return self._known

    def refresh(self) -> None:
        """Looks at the model again."""
        with self._lock:
            self._known = self._read()
            self.ledger = _packed(self._known, self._first)

    def to_html(self) -> str:
        """The ledger as HTML without a script, as a saved notebook shows it."""
        known = self.facts
        if self._first is None:
            return ledger_html(known)
        top = memory_html(memory_of(known.rows), self._first)
        return ledger_html(known, _placed_words, top)

    def figure(self) -> Any:
        """The rows with their marks as a `matplotlib.figure.Figure`."""
        from nbmodule_widgets.lesson_facts.pictures import ledger_figure

        return ledger_figure(self.facts)

    def __str__(self) -> str:
        known = self.facts
        if self._first is None:
            return ledger_text(known)
        lines = memory_lines(memory_of(known.rows), self._first)
        return "\n".join([ledger_text(known, _placed_words), *lines])

    def _read(self) -> LedgerFacts:
        """The facts; a copy is asked again only if something has changed."""
        plain = ledger_facts(self._model)
        seen = (plain, _methods(self._model))
        if self._tried is None or self._tried[0] != seen:
            trial = tried_on_a_copy(self._model, plain)
            tried = (
                replace(plain, trial=trial) if trial.problem else ledger_facts(self._model, trial)
            )
            self._tried = (seen, tried)
        return self._tried[1]


def _methods(model: object) -> tuple[int, ...]:
    """Identities of the methods that a trial asks, and of the slots; a cell may have written another one."""
    classes = {id(type(module)): module for module in modules_below(model)}
    found = [id(class_attribute(m, name)) for m in classes.values() for name in _METHODS]
    return (*found, *(id(own_dict(model).get(slot)) for slot in DRAWERS))


def _placed_words(row: LedgerRow) -> str:
    """`"(4, 3) float32 on cpu"`."""
    return shape_words(row) if row.empty else f"{shape_words(row)} {place_of(row)}".strip()


def _packed(known: LedgerFacts, first: Memory | None = None) -> dict[str, Any]:
    """The facts as one trait; with the memory that was taken at first, if that is shown."""
    rows = known.rows[:_ROWS]
    patterns: dict[tuple[Any, ...], int] = {}
    placed = first is not None
    numbers = [patterns.setdefault(_key(row, placed), len(patterns)) for row in rows]
    totals = known.totals()
    notes = [*known.notes, *(known.trial.notes if known.trial else ())]
    if len(known.rows) > _ROWS:
        notes.append(
            f"{len(known.rows) - _ROWS:,} more rows are not shown here; `.facts` has them."
        )
    return {
        "label": visible(known.label, 80),
        "summary": known.summary,
        "names": coded_names(visible(row.path, 400) for row in rows),
        "pattern": column(numbers),
        "twin": column([row.twin + 1 for row in rows]),
        "patterns": [dict(zip(_FIELDS, key, strict=True)) for key in patterns],
        "totals": {g: [t, n, count(n, "number")] for g, (t, n) in totals.items()},
        "trial": trial_words(known),
        "notes": notes,
        **({} if first is None else {"memory": packed_memory(memory_of(known.rows), first)}),
    }


_FIELDS = (
    "owner", "kind", "place", "words", "group", "learned", "remembered", "moved", "gradient", "empty", "verdict", "tried", "at",
)  # fmt: skip


def _key(row: LedgerRow, placed: bool) -> tuple[Any, ...]:
    """What the page says of a row, its name apart, in the order of _FIELDS."""
    words = shape_words(row) if row.empty else f"{shape_words(row)} {row.dtype}".strip()
    if placed and not row.empty:  # what is colored comes first: a narrow column cuts off the shape
        words = f"{place_of(row)} {shape_words(row)}".strip()
    frozen = "frozen" if row.kind == "parameter" and row.wants is False else row.gradient
    return (
        row.owner, row.kind, KINDS[row.kind], words, row.group, row.learned, row.remembered, moved_words(row), frozen,
        row.empty, row.verdict, row.tried, place_of(row) if placed else "",
    )  # fmt: skip
