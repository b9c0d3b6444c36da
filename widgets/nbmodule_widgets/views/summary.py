"""LayerSummary: a model as a table, live."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.summarizing import SummaryFacts, summarize
from nbmodule_widgets.summarizing.columns import columns, frame
from nbmodule_widgets.summarizing.figure import summary_figure
from nbmodule_widgets.summarizing.html import summary_html
from nbmodule_widgets.summarizing.text import summary_text
from nbmodule_widgets.summarizing.wire import packed
from nbmodule_widgets.views.live import LiveView, script


class LayerSummary(LiveView):
    """A model as a table of its layers.

    It is the record of one pass, or of the model as it was. Ask `summary` again for another one.

    Args:
        facts: What `nbmodule_widgets.summarizing.summarize` returned.

    Example:
        >>> view = summary(model, x)  # doctest: +SKIP
        >>> view.facts.totals.multiply_adds  # doctest: +SKIP
        1814073344
    """

    _esm = script("core", "summary")

    table = traitlets.Dict().tag(sync=True)

    def __init__(self, facts: SummaryFacts) -> None:
        self._facts = facts
        super().__init__(table=packed(facts))

    @property
    def facts(self) -> SummaryFacts:
        """What was found."""
        return self._facts

    @property
    def columns(self) -> dict[str, Any]:
        """Every row in plain columns: lists of texts and shapes, NumPy arrays of numbers."""
        return columns(self._facts)

    def frame(self) -> Any:
        """The columns as a `pandas.DataFrame`.

        Raises:
            ImportError: If pandas is not there; the message says what to do.
        """
        return frame(self._facts)

    def text(self, fold: bool = True, depth: int | None = None) -> str:
        """The table as text.

        Args:
            fold: Whether neighbours that differ in their number alone are one row.
            depth: How many levels below the model; None for all.
        """
        return summary_text(self._facts, fold, depth)

    def to_html(self) -> str:
        """The table as HTML without a script, as a saved notebook shows it."""
        return summary_html(self._facts)

    def figure(self) -> Any:
        """Parameters and multiply-adds of the layers as bars: a `matplotlib.figure.Figure`."""
        return summary_figure(self._facts)

    def refresh(self) -> None:
        """Changes nothing: what is shown is a pass that is over."""

    def handle(self, message: dict[str, Any]) -> None:
        """Shows every row, or equal neighbours as one."""
        if message["kind"] == "fold" and type(message.get("fold")) is bool:
            self.table = packed(self._facts, message["fold"])

    def __str__(self) -> str:
        return self.text()


@refusing
def summary(model: object, *inputs: Any, **named: Any) -> LayerSummary:
    """A table of a model's layers: shapes, parameters, multiply-adds, memory.

    With inputs the model runs once, in its current mode and without gradients, and is bit for bit as before
    afterwards. Without inputs the table has no shapes and no multiply-adds.

    Args:
        model: A Module of any library.
        *inputs: What `forward` takes.
        **named: Inputs by name: `summary(model, input_ids=ids)`.

    Returns:
        The view; `str(view)`, `view.facts`, `view.columns` and `view.frame()` have the numbers.

    Raises:
        TypeError: If the model is nothing like a Module, or its `forward` does not take a name.
        ValueError: If the model is lazy and cannot be copied.
    """
    require_module(model, "summary")
    return LayerSummary(summarize(model, inputs, keyword_inputs(summary, model, named)))
