"""HookTimeline: one pass through a model, moment by moment: calls, hooks, gradients, and the tensors as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.facts.collector import collector_resting, full_searches_put_off
from nbmodule_widgets.protocol import article, class_name, require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.tracing import TraceFacts, record
from nbmodule_widgets.tracing.figure import trace_figure
from nbmodule_widgets.tracing.html import trace_html
from nbmodule_widgets.tracing.text import trace_text
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.trace_tensors import Tensors, pack_kept, picture
from nbmodule_widgets.views.trace_wire import pack_trace


class HookTimeline(LiveView):
    """One recorded pass, to be played, stepped through and scrubbed.

    All of it lies in the page, so it works without a kernel too; Python is asked only for the values of larger
    tensors that were kept.

    Args:
        facts: What `nbmodule_widgets.tracing.record` returned.

    Example:
        >>> view = trace(model, x, loss=lambda y: y.sum())  # doctest: +SKIP
        >>> [event.kind for event in view.facts.events]  # doctest: +SKIP
        ['call', 'return', 'loss', 'gradient in', 'gradient out']
    """

    _esm = script("core", "player", "heat", "trace_data", "trace_lanes", "trace_tree", "trace")

    moments = traitlets.Dict().tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)
    opened = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the moment that is shown
    _for_readers = ("step",)

    def __init__(self, facts: TraceFacts) -> None:
        self._facts = facts
        with collector_resting():
            self._tensors = Tensors(facts)
            moments = pack_trace(facts, self._tensors)
        super().__init__(
            moments=moments,
            kept=pack_kept(self._tensors),
            step=max(0, facts.failed),
        )

    @property
    def facts(self) -> TraceFacts:
        """What was recorded."""
        return self._facts

    def refresh(self) -> None:
        """Changes nothing: what is shown is a pass that is over. Call `trace` again for another one."""

    def handle(self, message: dict[str, Any]) -> None:
        """Sends the picture of a tensor that is too large to lie in the page."""
        number = message.get("tensor")
        glances = self._tensors.glances
        if message["kind"] != "open" or type(number) is not int or not 0 <= number < len(glances):
            return
        values = glances[number].values
        if values is not None:
            with self._lock:
                self.opened = {"tensor": number, **picture(values)}

    def figure(self) -> Any:
        """The pass as a `matplotlib.figure.Figure`: who ran when, with the durations that were measured."""
        return trace_figure(self._facts)

    def to_html(self) -> str:
        """The pass as HTML without a script, as a saved notebook shows it."""
        return trace_html(self._facts)

    def __str__(self) -> str:
        return trace_text(self._facts)


@refusing
def trace(
    model: object,
    *inputs: Any,
    loss: Callable[[Any], Any] | None = None,
    keep: str | int = "small",
    kwargs: dict[str, Any] | None = None,
    **named: Any,
) -> HookTimeline:
    """Runs one pass and shows it moment by moment; the model, its gradients and the random state stay as they were.

    Args:
        model: A Module of any library.
        inputs: What `forward` takes.
        loss: A function from the output to a scalar tensor, such as `lambda y: y.sum()`; with it the backward pass is
            recorded too.
        keep: Which tensors keep their values, besides the statistics of all tensors: `"none"`, `"small"` (tensors up to 64 kB), `"all"`,
            or the largest size in bytes.
        kwargs: Inputs by name, for names that are options too: `kwargs={"loss": weights}`.
        **named: The other inputs by name: `trace(model, input_ids=ids)`.

    Raises:
        TypeError: If the model is nothing like a Module, or a name is neither an option nor an input of it.
    """
    require_module(model, "trace")
    by_name = keyword_inputs(trace, model, named, kwargs)
    if loss is not None and not callable(loss):
        raise TypeError(
            "trace() needs a function from the output to a scalar as loss=, such as "
            f"loss=lambda y: y.sum(); got {article(class_name(loss))}. Pass an input of this name in kwargs="
        )
    with full_searches_put_off():
        return HookTimeline(record(model, inputs, by_name, loss=loss, keep=keep))
