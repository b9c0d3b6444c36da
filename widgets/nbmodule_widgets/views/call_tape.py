"""CallTape: what `model(x)` runs, side by side with what `model.forward(x)` runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.lesson_facts.call_tape import tape_facts
from nbmodule_widgets.lesson_facts.call_tape_twins import (
    mark_of,
    tape_figure,
    tape_html,
    tape_text,
    verdict,
)
from nbmodule_widgets.lesson_facts.own_call import own_call
from nbmodule_widgets.lesson_facts.tape import TapeFacts, TapeRow
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.tracing import record
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.lookup import packed_source

_EVENTS = 4000  # of one pass; some hundred are shown


class CallTape(LiveView):
    """Two recorded passes of a model on the same inputs: one through `__call__`, one past it. Made by `call_tape`.

    Args:
        facts: The two passes.
    """

    _esm = script("core", "player", "lesson", "tape")

    tape = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the moment that is shown
    _for_readers = ("step",)

    def __init__(self, facts: TapeFacts) -> None:
        self._facts = facts
        super().__init__(tape=_packed(facts))

    @property
    def facts(self) -> TapeFacts:
        """The two passes."""
        return self._facts

    def refresh(self) -> None:
        """Changes nothing: what is shown are two passes that are over. Call `call_tape` again for new ones."""

    def figure(self) -> Any:
        """Both passes as two columns of boxes.

        Returns:
            A `matplotlib.figure.Figure`, made without `pyplot`.
        """
        return tape_figure(self._facts)

    def to_html(self) -> str:
        """Both passes as HTML without a script, as a saved notebook shows them."""
        return tape_html(self._facts)

    def __str__(self) -> str:
        return tape_text(self._facts)


@refusing
def call_tape(
    model: object, *inputs: Any, kwargs: dict[str, Any] | None = None, **named: Any
) -> CallTape:
    """Runs `model(x)` and `model.forward(x)` and shows what the second one skips.

    The model, its gradients and the random state are the same afterwards, and both passes start from the same state.

    Args:
        model: A Module of any library, or of a class of your own.
        inputs: What `forward` takes.
        kwargs: Inputs by name, as a dict; needed for an input that is called `kwargs`.
        **named: Inputs by name: `call_tape(model, input_ids=ids)`.

    Raises:
        TypeError: If the model is nothing like a Module, or a name is not an input of it.
    """
    require_module(model, "call_tape")
    by_name = keyword_inputs(call_tape, model, named, kwargs)
    with full_searches_put_off():
        with Preserved(model, inputs, by_name) as kept:
            called = record(model, inputs, by_name, limit=_EVENTS, kept=kept)
            direct = record(model, inputs, by_name, limit=_EVENTS, kept=kept, called=called)
        return CallTape(tape_facts(model, called, direct, own_call(model, inputs, by_name)))


def _packed(found: TapeFacts) -> dict[str, Any]:
    """The facts as one trait: each text is sent once, and a row is a list of places among them."""
    texts: dict[str, int] = {"": 0}
    stacks = list(dict.fromkeys(row.stack for row in found.rows))

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    rows = [_row(row, stacks, place) for row in found.rows]
    return {
        "label": found.label,
        "rows": rows,
        "texts": list(texts),
        "stacks": [list(stack[-12:]) for stack in stacks],
        "verdict": verdict(found),
        "same": found.same,
        "more": found.left_out,
        "notes": list(found.notes),
        "source": packed_source(found.source),
        "sourceOf": found.source_of,
    }


def _row(row: TapeRow, stacks: list[tuple[str, ...]], place: Callable[[str], int]) -> list[int]:
    """A row as `static/tape.js` takes it apart."""
    detail = row.changed or row.shapes
    other = row.direct if row.direct != row.called else ""
    texts = (row.kind, row.side, mark_of(row), row.title, detail, row.words, row.called, other)
    return [*map(place, texts), row.depth, int(row.differs), stacks.index(row.stack)]
