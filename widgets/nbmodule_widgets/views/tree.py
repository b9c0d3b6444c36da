"""ModuleTree: a model as a tree that one can unfold, search, select in, and watch while it trains."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import traitlets

from nbmodule_widgets.facts import ModuleFacts, facts
from nbmodule_widgets.facts.live import live_tensors, resolve
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.html import tree_html
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.text import tree_text
from nbmodule_widgets.views.detail import row_detail
from nbmodule_widgets.views.live import LiveView, refuse_unknown, script
from nbmodule_widgets.views.pulse import Pulse
from nbmodule_widgets.views.wire import pack

_NOTHING = -1


class ModuleTree(LiveView):
    """The `_modules` tree of a model, live.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        hz: How often `tick` may tell the page, at most.

    Example:
        >>> view = ModuleTree(model)  # doctest: +SKIP
        >>> view.select("fc1.weight")  # doctest: +SKIP
        >>> view.selected.shape  # doctest: +SKIP
        (128, 784)
    """

    _esm = script("core", "unpack", "rows", "tree")

    tree = traitlets.Dict().tag(sync=True)
    selection = traitlets.List().tag(sync=True)  # [version of the tree, row]
    detail = traitlets.Dict().tag(sync=True)
    live = traitlets.Dict().tag(sync=True)

    def __init__(self, model: object, *, hz: float = 5.0, **unknown: Any) -> None:
        refuse_unknown("ModuleTree", unknown, ("hz",))
        require_module(model, "show")
        if not hz > 0:
            raise ValueError(
                f"hz says how often to look in a second and must be positive; got {hz}"
            )
        self._model = model
        self._facts = facts(model)
        self._version = 1
        self._pulse = Pulse(float(hz))
        self._places: list[Any] | None = None
        super().__init__(tree=pack(self._facts, self._version), selection=[self._version, _NOTHING])

    @property
    def model(self) -> object:
        """The model that is shown."""
        return self._model

    @property
    def selected(self) -> object:
        """The selected object itself: a Module, a parameter or a buffer; None if nothing is selected."""
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
            row = self._facts.find(path)
            if row < 0:
                self.refresh()
                row = self._facts.find(path)
            if row < 0:
                raise KeyError(_unknown_path(self._facts, path))
            self.selection = [self._version, row]
        return self

    def refresh(self) -> None:
        """Looks at the model again; what is unfolded and selected stays so."""
        with self._lock:
            now = facts(self._model)
            if now != self._facts:
                self._replace(now)
            if self._pulse.waiting:
                self._show_pulse()
            self._show_detail()

    def tick(self, **values: Any) -> None:
        """Tells the view that a training step is done.

        Called in every step, it costs next to nothing except when the page is due for news (`hz` times a
        second); then the norms are read and the newest values shown. The last ones are shown by `refresh()`,
        or when the cell ends.

        Args:
            **values: What to write into the status line: `view.tick(step=12, loss=0.83)`.
        """
        if self._pulse.record(values):
            self.guarded(self._show_pulse)

    def to_html(self) -> str:
        """The tree as HTML without a script, as a saved notebook shows it."""
        return tree_html(self._known())

    def __str__(self) -> str:
        return tree_text(self._known())

    def _known(self) -> ModuleFacts:
        """What there is to say in the twins."""
        return facts(self._model) if self._looks else self._facts

    def _row(self) -> int:
        """The selected row in the tree that Python knows, or -1."""
        match self.selection:
            case [version, int(row)] if version == self._version and 0 <= row < self._facts.rows:
                return row
        return _NOTHING

    def _replace(self, now: ModuleFacts) -> None:
        """Sends a new tree, and moves the selection to the same path or to what is left of it."""
        row = self._row()
        steps = self._facts.steps(row) if row >= 0 else []
        self._facts, self._places = now, None
        self._version += 1
        found = _NOTHING if row < 0 else now.find(".".join(steps))
        while found < 0 <= row and steps:
            steps.pop()
            found = now.find(".".join(steps))
        with self.hold_sync():
            self.tree = pack(now, self._version)
            self.selection = [self._version, found]

    def _show_pulse(self) -> None:
        if self._places is None:
            self._places = live_tensors(self._model, self._facts)
        self.live = self._pulse.look(self._places)

    @traitlets.observe("selection")
    def _selection_changed(self, change: object) -> None:
        with self._lock:
            self._show_detail()

    def _show_detail(self) -> None:
        row = self._row()
        shown = {} if row < 0 else row_detail(self._facts, row, self.selected)
        self.detail = {**shown, "version": self._version} if shown else {}


def _unknown_path(known: ModuleFacts, path: str) -> str:
    """Says how far the path leads, and what there is instead."""
    steps = path.split(".") if isinstance(path, str) else []
    reached = ""
    for end in range(1, len(steps)):
        if known.find(".".join(steps[:end])) >= 0:
            reached = ".".join(steps[:end])
    node, _ = known.at(known.find(reached))
    index = known.index(node)
    names = [tensor.name for tensor in node.tensors]
    names += [known.nodes[child].name for child in known.children().get(index, ())]
    rest = path[len(reached) :].lstrip(".") if isinstance(path, str) else repr(path)
    close = get_close_matches(rest, names, n=1)
    hint = f" Did you mean {visible(close[0])!r}?" if close else ""
    listed = ", ".join(repr(visible(name, 60)) for name in names[:20]) or "nothing"
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return (
        f"no {visible(rest)!r} in {visible(reached) or 'the model'}: there is {listed}{more}.{hint}"
    )
