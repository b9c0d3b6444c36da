"""ParameterView: the numbers of one tensor, its gradient, their past, and the gradients around it."""

from __future__ import annotations

import time
from typing import Any

import traitlets

from nbmodule_widgets.facts import facts
from nbmodule_widgets.facts.flow import flow_within
from nbmodule_widgets.facts.moments import Comparison
from nbmodule_widgets.facts.parameters import (
    ParameterFacts,
    Slice,
    TensorLook,
    chosen_slice,
    look_at,
)
from nbmodule_widgets.facts.places import Place, Places
from nbmodule_widgets.facts.remembered import Remembered
from nbmodule_widgets.parameters_html import parameters_html
from nbmodule_widgets.parameters_text import parameters_text
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.parameters_wire import (
    pack_flow,
    pack_history,
    pack_index,
    pack_look,
    pack_moments,
    pack_news,
)
from nbmodule_widgets.views.ties import Live

TABS = ("values", "histogram", "time", "flow", "moments")
_ROWS = 1000  # parameters in the gradient flow, and of which the page knows the norms over time
_QUICK = 2**14  # numbers of one tensor that are read while a loop runs
_SHARE = 40  # of the time of a running loop, looking at the tensor may take one part in so many


class ParameterView(LiveView):
    """Weights and gradients of any tensor in a model.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        path: Dotted path of a parameter, a buffer or a module; the first parameter if not given. Of a
            module the first parameter is shown, and the flow of the gradients inside it.
        recorder: A Recorder that watches the model train; from it come the norms over time.

    Attributes:
        path: What is shown. It can be set, observed and linked, as `tab` can.
        selected: The tensor itself that is shown, or None if the model has none. It can be observed.
        tab: Which tab is open: `"values"`, `"histogram"`, `"time"`, `"flow"` or `"moments"`.

    Example:
        >>> view = ParameterView(model, "fc1.weight")  # doctest: +SKIP
        >>> view.facts.weight.norm  # doctest: +SKIP
        6.532
        >>> view.remember("before")  # doctest: +SKIP
    """

    _esm = script("core", "charts", "heat", "slices", "parameters")

    path = traitlets.Unicode().tag(sync=True, from_page=True)
    index = traitlets.Dict().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    flow = traitlets.Dict().tag(sync=True)
    past = traitlets.Dict().tag(sync=True)
    news = traitlets.Dict().tag(sync=True)
    moments = traitlets.Dict().tag(sync=True)
    tab = traitlets.Enum(TABS, "values").tag(sync=True, from_page=True)
    selected = Live(
        lambda view: view._live_tensor(), "the tensor that is shown, or None if the model has none"
    )
    _for_readers = ("path", "selected", "tab")

    def __init__(self, model: object, path: str = "", *, recorder: Any = None) -> None:
        require_module(model, "parameters")
        self._model = model
        self._recorder = recorder
        self._wanted = Slice()
        self._moments = Remembered()
        self._due = 0.0
        self._facts = facts(model)
        self._places = Places(model, self._facts)
        if path:
            self._places.require(path)
        super().__init__(path=path, index=pack_index(self._places.all))
        self._look()
        ParameterView.selected.tell(self)

    # ------------------------------------------------------------------ from Python

    @property
    def model(self) -> object:
        """The model that is shown."""
        return self._model

    def _live_tensor(self) -> object:
        place = self._chosen()
        return None if place is None else self._places.live(place)

    @property
    def facts(self) -> ParameterFacts:
        """Everything that is shown, as it is now."""
        with self._lock:
            if self._looks:
                self._reread()
                self._look()
            return self._found

    def select(self, path: str) -> ParameterView:
        """Shows another tensor, or the gradients of another module.

        Args:
            path: Dotted path of a parameter, a buffer or a module; empty for the whole model.

        Raises:
            KeyError: If there is no such path. The message says what there is.
        """
        with self._lock:
            self._reread()
            self._places.require(path)
            self.path = path
        return self

    def slice(
        self,
        *,
        of: str = "weight",
        axes: tuple[int, int] | None = None,
        index: tuple[int, ...] = (),
        how: str = "mean",
    ) -> ParameterView:
        """Chooses what the heat map shows.

        Args:
            of: `"weight"` or `"gradient"`.
            axes: The dimensions that run down and across; the last two if not given.
            index: Where the other dimensions are held: one number for each dimension, of which those of
                `axes` do not matter. Without `axes` and `index` a tensor of four dimensions is a mosaic of
                its slices.
            how: What a cell shows that covers several numbers: `"mean"` or `"extreme"`, the value
                farthest from zero.

        Raises:
            ValueError: If `of` or `how` is none of these words.
        """
        self._wanted = chosen_slice(of, axes or (), index, how, not (axes or index))
        self.refresh()
        return self

    def remember(self, name: str = "before", state: object = None) -> None:
        """Remembers the model as it is now, to compare with later.

        Of a large tensor every n-th row and column is remembered, 32,768 numbers at most.

        Args:
            name: What to call this moment; one of the same name is replaced.
            state: A `state_dict` to remember instead, for instance one that was loaded from a file.

        Raises:
            TypeError: If `state` is no dictionary.
            ValueError: If the name is empty or `"now"`.
        """
        with self._lock:
            self._reread()
            self._moments.add(name, self._places, state)
            self._show_all()

    def compare(self, before: str = "", after: str = "") -> Comparison:
        """How far every tensor moved between two moments.

        Args:
            before: Name of the first; the one before last if not given.
            after: Name of the second; the last one remembered, or `"now"`.

        Raises:
            KeyError: If no moment of that name was remembered.
        """
        with self._lock:
            self._moments.choose(before, after)
            self._show_all()
            found = self._found.comparison
        assert found is not None
        return found

    def figure(self, kind: str = "histogram") -> Any:
        """A matplotlib figure of what is shown, for a paper.

        Args:
            kind: `"values"`, `"histogram"`, `"time"`, `"flow"` or `"compare"`.

        Raises:
            ValueError: If there is no such kind, or nothing to draw; the message says what is missing.
        """
        from nbmodule_widgets.parameters_figure import (
            parameter_figure,  # matplotlib takes half a second
        )

        return parameter_figure(self.facts, kind)

    def refresh(self) -> None:
        """Looks at the model again; what is selected stays so."""
        with self._lock:
            self._reread()
            self._show_all()

    def advance(self) -> None:
        """Shows the newest look of the Recorder, in less than 25 kB; called while a loop runs.

        The norms are shown each time, the selected tensor as often as its size allows.
        """
        sample = None if self._recorder is None else self._recorder.latest
        if sample is None:
            return
        with self._lock, self.hold_sync():
            if not self.past:
                self._show_past()
                return  # it is large enough for one update
            self.news = pack_news(sample, self._watched()[0])
            start = time.perf_counter()
            if start >= self._due:
                self._tensor = self.selected
                self._send_look(look_at(self._tensor, self._wanted, _QUICK))
                end = time.perf_counter()
                self._due = end + _SHARE * (end - start)

    def to_html(self) -> str:
        """What is shown as HTML without a script, as a saved notebook shows it."""
        return parameters_html(self.facts)

    def __str__(self) -> str:
        return parameters_text(self.facts)

    # ------------------------------------------------------------------ from the page

    def handle(self, message: dict[str, Any]) -> None:
        """Does what the page asked for: another slice, a moment, a comparison."""
        match message:
            case {"kind": "slice", "of": of, "axes": axes, "index": index, "how": how, **more}:
                self._wanted = chosen_slice(of, axes, index, how, more.get("tiles") is not False)
                self._show_tensor()
            case {"kind": "remember"}:
                self.remember(self._moments.new_name())
            case {"kind": "compare", "before": str(before), "after": str(after)}:
                self.compare(before, after)

    @traitlets.observe("path")
    def _path_changed(self, change: object) -> None:
        if hasattr(self, "_found"):  # not while the view is being made
            self._wanted = Slice(self._wanted.of, how=self._wanted.how)
            self.guarded(lambda: self._show_all(known=self._found))

    # ------------------------------------------------------------------ looking

    def _reread(self) -> None:
        """Notices when parameters have come, gone or changed their shape."""
        now = facts(self._model)
        if now != self._facts:
            self._facts, self._places = now, Places(self._model, now)
            self.index = pack_index(self._places.all)

    def _chosen(self) -> Place | None:
        """The tensor that is shown; if the path leads nowhere any more, the first of what is left."""
        path = self.path if self._places.exists(self.path) else ""
        return self._places.chosen(path)

    def _scope(self) -> str:
        """The module whose gradients are shown: the selected one, or the whole model for a tensor."""
        path = self._places.first(self.path)
        return path if path not in self._places.by_path and self._places.below(path) else ""

    def _look(self, known: ParameterFacts | None = None) -> None:
        """Gathers the facts; the gradients of a scope that is known already are not read again."""
        place, scope = self._chosen(), self._scope()
        tensor = None if place is None else self._places.live(place)
        look = look_at(tensor, self._wanted)
        history = None if self._recorder is None else self._recorder.history()
        path = place.path if place else ""
        comparison, moved, overlay = self._moments.compared(self._places, path, self._wanted)
        self._tensor, self._tensor_look = tensor, look
        self._found = ParameterFacts(
            place, scope, look.weight, look.gradient, look.shared, look.heat, self._wanted,
            known.flow if known and known.scope == scope else flow_within(self._places, scope, self._recorder, _ROWS), history, comparison, moved, overlay,
        )  # fmt: skip

    # ------------------------------------------------------------------ showing

    def _show_all(self, known: ParameterFacts | None = None) -> None:
        self._look(known)
        with self.hold_sync():
            self._send_look(self._tensor_look)
            inside = self._places.below(self._found.scope)
            total = sum(place.tensor.kind == "parameter" for place in inside)
            self.flow = pack_flow(self._found.flow, self._found.scope, total, self._listed())
            self._show_past()
            self._show_moments()

    def _show_tensor(self) -> None:
        """Only the tensor, for a reader who moves a slider."""
        if self._moments.names:  # the picture of the difference follows the slider as well
            self._show_all()
            return
        place = self._chosen()
        self._tensor = None if place is None else self._places.live(place)
        self._send_look(look_at(self._tensor, self._wanted))

    def _send_look(self, look: TensorLook) -> None:
        self.shown = pack_look(self.path, self._chosen(), self._tensor, look, self._wanted)
        ParameterView.selected.tell(self)

    def _show_past(self) -> None:
        if self._recorder is not None:
            columns, rows = self._watched()
            self.past = pack_history(self._recorder.history(), columns, rows)

    def _watched(self) -> tuple[list[int], list[int]]:
        """The Recorder's parameters of which the page knows the norms, and their rows in its list."""
        rows = self._listed()
        pairs = [(n, rows[path]) for n, path in enumerate(self._recorder.paths) if path in rows]
        return [n for n, _ in pairs[:_ROWS]], [row for _, row in pairs[:_ROWS]]

    def _listed(self) -> dict[str, int]:
        """Where each tensor stands in the page's list."""
        return {path: row for row, path in enumerate(self.index["paths"])}

    def _show_moments(self) -> None:
        self.moments = pack_moments(self._found, self._moments, _ROWS)


@refusing
def parameters(model: object, path: str = "", *, recorder: Any = None) -> ParameterView:
    """A live view of the weights and gradients of a model; `show` displays it below its tree.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        path: Dotted path of a parameter, a buffer or a module; the first parameter if not given.
        recorder: A Recorder that watches the model train; it has the norms over time.

    Raises:
        TypeError: If the object is nothing like a Module.
        KeyError: If there is no such path.
    """
    return ParameterView(model, path, recorder=recorder)
