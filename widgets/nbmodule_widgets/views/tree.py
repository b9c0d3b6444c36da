"""ModuleTree: a model as a tree that one can unfold, search, select in, act on, and colour while it trains."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from nbmodule_widgets.facts import ModuleFacts, facts
from nbmodule_widgets.facts.live import resolve
from nbmodule_widgets.html import tree_html
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.text import tree_text
from nbmodule_widgets.views import acting
from nbmodule_widgets.views.changing import ChangingTree
from nbmodule_widgets.views.detail import row_detail
from nbmodule_widgets.views.live import script
from nbmodule_widgets.views.painting import Painting
from nbmodule_widgets.views.ties import Live
from nbmodule_widgets.views.unknown_path import unknown_path
from nbmodule_widgets.views.wire import pack

COLUMNS = ("size", "ledger")
_NOTHING = -1
_LONGEST_PATH = 10_000  # characters; that of a module in a chain of 100,000 stays here


class ModuleTree(ChangingTree):
    """The `_modules` tree of a model, live.

    Attributes:
        path: Dotted path of the selected row; empty for the model, or for no selection. It can be set, and
            observed, and linked to another widget.
        selected: The selected object itself: a Module, a parameter or a buffer; None if nothing is selected. It can be
            observed.
        metric: Name of the painted column that colours the rows. It can be set too.
        columns: What stands beside the names: `"size"` (parameters, memory, state) or `"ledger"` (what is learned,
            saved and moved).
        tab: What is open: `"tree"` or `"layers"`, the table of layers.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        *inputs: What the model is called with for the table of layers.
        named: The same by name.
        recorder: A Recorder that watches the model train.

    Example:
        >>> view = ModuleTree(model)  # doctest: +SKIP
        >>> view.select("fc1.weight")  # doctest: +SKIP
        >>> view.selected.shape  # doctest: +SKIP
        (128, 784)
    """

    _esm = script("core", "unpack", "rows", "folds", "paint", "pane", "inset", "tree_inner", "tree")

    tree = traitlets.Dict().tag(sync=True)
    selection = traitlets.List().tag(sync=True, from_page=True)  # [version of the tree, row]
    detail = traitlets.Dict().tag(sync=True)
    unfold = traitlets.List().tag(sync=True)  # [how often asked for, depth]
    watched = traitlets.Dict().tag(sync=True)  # which rows the numbers belong to
    live = traitlets.Dict().tag(sync=True)
    metric = traitlets.Unicode().tag(sync=True, from_page=True)
    selected = Live(
        lambda view: view._live_object(),
        "the selected Module, parameter or buffer; None if nothing is selected",
    )
    columns = traitlets.Enum(COLUMNS, COLUMNS[0]).tag(sync=True, from_page=True)
    _for_readers = ("path", "selected", "tab", "columns", "metric")

    def __init__(
        self,
        model: object,
        *inputs: Any,
        named: dict[str, Any] | None = None,
        recorder: Any = None,
    ) -> None:
        require_module(model, "show")
        self._facts = facts(model)
        self._version = 1
        self._key = secrets.token_hex(8)  # by it the page knows a view that it has drawn before
        self._painting = Painting()
        start = {"tree": self._packed(), "selection": [self._version, _NOTHING]}
        super().__init__(model, inputs, dict(named or {}), recorder, **start)

    @property
    def facts(self) -> ModuleFacts:
        """What there is to know about the model now."""
        return facts(self._model) if self._looks else self._facts

    def _live_object(self) -> Any:
        row = self._row()
        return None if row < 0 else resolve(self._model, self._facts, row)

    @property
    def selected_path(self) -> str:
        """The path of the selected row, such as `"fc1.weight"`; empty for the model, or for no selection."""
        row = self._row()
        return "" if row < 0 else self._facts.path(row)

    def select(self, path: str) -> ModuleTree:
        """Selects a row from Python.

        Args:
            path: Dotted path of a Module, parameter or buffer; the empty string is the model itself.

        Raises:
            KeyError: If there is no such path. The message says what is possible.
        """
        with self._lock:
            self.selection = [self._version, self._find(path)]
        return self

    def expand(self, depth: int | None = None) -> ModuleTree:
        """Unfolds the tree on the page.

        Args:
            depth: How many levels below the model to show; 0 is the model alone, None is everything.

        Raises:
            TypeError: If the depth is no whole number.
            ValueError: If it is negative.
        """
        if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool)):
            raise TypeError(
                f"expand() needs a whole number of levels, or None for all; got {depth!r}"
            )
        if depth is not None and depth < 0:
            raise ValueError(f"expand() needs 0 or more levels, or None for all; got {depth}")
        asked = self.unfold[0] + 1 if self.unfold else 1
        self.unfold = [asked, -1 if depth is None else depth]
        return self

    def paint(self, columns: Mapping[str, Any], paths: Sequence[str]) -> None:
        """Shows numbers beside the rows, as bars and colours; may be called many times a second.

        Args:
            columns: For each metric, such as `"gradient norm"`, one number a path. -1 means that there is no
                gradient, -2 that nothing could be read. A Module shows the norm of what lies in it; for a ratio,
                which has a "/" in its name, that of the norms, if there is a column `"weight norm"`.
            paths: Dotted paths of the parameters, each object once. Pass the same tuple as long as it is the same.

        Raises:
            ValueError: If a column does not have one number for each path.
        """
        with self._lock:
            self._painting.take(columns, paths, self._facts)
            self._show_painting()

    def refresh(self) -> None:
        """Looks at the model again; what is unfolded and selected stays so."""
        with self._lock:
            now = facts(self._model)
            if now != self._facts:
                self._replace(now)
            elif now.stamps != self._facts.stamps:
                self._take(now)
            if not self._painting.complete:
                self._show_painting(whole=True)
            self._show_detail()

    def refresh_details(self) -> None:
        """Looks at the selected row again, and at nothing else."""
        with self._lock:
            self._show_detail()

    def handle(self, message: dict[str, Any]) -> None:
        """Does what a button on the page asks for; what cannot be done is said on the page."""
        kind, value = message.get("kind"), message.get("value")
        if kind == "forget":
            return self.clear_changes()
        if kind in ("numbers", "layers"):
            return super().handle(message)
        self.selection = asked = message.get("selection", self.selection)
        if self._row() < 0 or self.selection != asked:
            self.changed = {"line": "The tree has changed: choose the row again.", "failed": True}
            return None
        if not isinstance(value, bool):
            return None
        path = self.selected_path
        try:
            if kind == "training":
                self.set_training(path, value)
            elif kind == "requires_grad":
                self.set_requires_grad(path, value)
        except (acting.ActionError, KeyError):
            pass  # the view says so
        return None

    def to_html(self) -> str:
        """What is open, as HTML without a script, as a saved notebook shows it."""
        return self.summary.to_html() if self.tab == "layers" else tree_html(self.facts)

    def figure(self) -> Any:
        """What is open, as a picture for a paper: a `matplotlib.figure.Figure`.

        Of the tree its Modules with bars for their parameters; of a large one as many levels as can be read.

        Raises:
            ImportError: If matplotlib is not installed.
        """
        if self.tab == "layers":
            return self.summary.figure()
        from nbmodule_widgets.tree_figure import tree_figure  # matplotlib takes half a second

        return tree_figure(self.facts)

    def __str__(self) -> str:
        return str(self.summary) if self.tab == "layers" else tree_text(self.facts)

    def _packed(self) -> dict[str, Any]:
        return {**pack(self._facts, self._version), "view": self._key}

    def _row(self) -> int:
        """The selected row in the tree that Python knows, or -1."""
        match self.selection:
            case [version, int(row)] if version == self._version and 0 <= row < self._facts.rows:
                return row
        return _NOTHING

    def _find(self, path: str) -> int:
        row = self._facts.find(path) if isinstance(path, str) else _NOTHING
        if row < 0:
            self.refresh()
            row = self._facts.find(path) if isinstance(path, str) else _NOTHING
        if row < 0:
            raise KeyError(unknown_path(self._facts, path))
        return row

    def _replace(self, now: ModuleFacts) -> None:
        """Sends a new tree, and moves the selection to the same path or to what is left of it."""
        row = self._row()
        steps = self._facts.steps(row) if row >= 0 else []
        self._version += 1
        found = _NOTHING if row < 0 else now.find(".".join(steps))
        while found < 0 <= row and steps:
            steps.pop()
            found = now.find(".".join(steps))
        with self.hold_sync():
            self._take(now)
            self.forget_layers()
            self.tree = self._packed()
            self.selection = [self._version, found]
            if self._painting.names:
                self._painting.move(now)
                self._show_painting(whole=True)

    def _show_painting(self, whole: bool = False) -> None:
        with self.hold_sync():
            self.watched = self._painting.watched
            self.live = {"version": self._version, **self._painting.update(self.metric, whole)}

    @traitlets.observe("metric")
    def _metric_changed(self, change: object) -> None:
        with self._lock:
            if self._painting.names:
                self._show_painting()

    @traitlets.observe("selection")
    def _selection_changed(self, change: object) -> None:
        with self._lock:
            match self.selection:
                case [version, int(row)] if version != self._version and row > 0:
                    # The page chose it before it heard of the tree as it is now: its path came along.
                    row = self._facts.find(self.path)
                    if row > 0:
                        self.selection = [self._version, row]
                        return
            path = self.selected_path
            self.path = path if len(path) <= _LONGEST_PATH else ""
            if self.numbers is not None:
                self.numbers.path = self.path
            self._show_detail()

    @traitlets.observe("path")
    def _path_changed(self, change: object) -> None:
        """Follows a path that was set in Python or by another view; one that leads nowhere changes nothing."""
        with self._lock:
            row = self._facts.find(self.path)
            if row >= 0 and self.path != self.selected_path:
                self.selection = [self._version, row]

    def _show_detail(self) -> None:
        row = self._row()
        shown = {} if row < 0 else row_detail(self._facts, row, self.selected)
        self.detail = {**shown, "version": self._version} if shown else {}
        ModuleTree.selected.tell(self)
