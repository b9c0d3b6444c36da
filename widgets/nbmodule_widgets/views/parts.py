"""What `show` has beside its tree, each a view of its own that is made when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets
from ipywidgets import widget_serialization

from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.views.live import LiveView
from nbmodule_widgets.views.parameters import ParameterView

if TYPE_CHECKING:
    from nbmodule_widgets.views.summary import LayerSummary

TABS = ("tree", "layers")
_SUMMARY = "nbmodule_widgets.views.summary.LayerSummary"  # loaded when a table is asked for


class Parts(LiveView):
    """A view of a model with others inside: the values of the selected tensor, and the table of layers.

    The page draws a view inside when its trait names one.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        inputs: What the model is called with for the table; nothing to read it only.
        named: The same by name.
        recorder: A Recorder that watches the model train.
    """

    path = traitlets.Unicode().tag(sync=True, from_page=True)
    tab = traitlets.Enum(TABS, TABS[0]).tag(sync=True, from_page=True)
    numbers = traitlets.Instance(ParameterView, allow_none=True).tag(
        sync=True, **widget_serialization
    )
    layers = traitlets.Instance(_SUMMARY, allow_none=True).tag(sync=True, **widget_serialization)
    calls = traitlets.Bool().tag(sync=True)  # whether the table needs a pass

    def __init__(
        self, model: object, inputs: tuple[Any, ...], named: dict[str, Any], recorder: Any, **traits: Any
    ) -> None:  # fmt: skip
        require_module(model, "show")
        self._model, self._recorder = model, recorder
        self._inputs, self._named = inputs, named
        super().__init__(calls=bool(inputs or named), **traits)

    @property
    def model(self) -> object:
        """The model that is shown."""
        return self._model

    @property
    def parameters(self) -> ParameterView:
        """Values, histogram and gradient of the selected tensor, as the page shows them below the tree."""
        with self._lock:
            if self.numbers is None:
                view = ParameterView(self._model, recorder=self._recorder)
                view._lock = self._lock  # each tells the other, so one lock for both
                view.path = self.path
                follow = lambda change: self.set_trait("path", change["new"])  # noqa: E731
                traitlets.HasTraits.observe(view, follow, "path")  # no reader's observer
                self.numbers = view
            return self.numbers

    @property
    def summary(self) -> LayerSummary:
        """The table of layers; the model runs once for it, if there are inputs."""
        from nbmodule_widgets.summarizing import summarize
        from nbmodule_widgets.views.summary import LayerSummary

        with self._lock:
            if self.layers is None:
                self.layers = LayerSummary(summarize(self._model, self._inputs, self._named))
            return self.layers

    def forget_layers(self) -> None:
        """Takes the table away: the model is no longer what it tells of."""
        if self.layers is not None:
            self.layers.close()
            self.layers = None

    def handle(self, message: dict[str, Any]) -> None:
        """Makes a view that the page has a place for."""
        if message.get("kind") == "numbers":
            self.parameters.guarded(self.parameters.refresh)
        elif message.get("kind") == "layers":
            self.summary  # noqa: B018  # made, and by that named

    def close(self) -> None:
        """Takes the view off the page, and what lies inside of it."""
        if self.numbers is not None:
            self.numbers.close()
            self.numbers = None
        self.forget_layers()
        super().close()
