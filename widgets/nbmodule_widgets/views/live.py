"""What all views share: assembling the page's script, the three renderings, and refreshing after a cell."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import anywidget
import ipywidgets
import traitlets

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.locks import lock_of_object
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views import composed, outputs, ties
from nbmodule_widgets.views.held import held, instead_of_script
from nbmodule_widgets.views.keeper import keep_with_notebook
from nbmodule_widgets.views.kernel import shell, where_cells_run
from nbmodule_widgets.views.looking import Lookout
from nbmodule_widgets.views.pictures import picture
from nbmodule_widgets.views.script import script as script  # every view asks for it here

_ALIVE: weakref.WeakSet[LiveView] = weakref.WeakSet()


class LiveView(anywidget.AnyWidget):
    """A view of a live Python object.

    A view in a notebook looks at its object again after each cell and after what a control of the page has called,
    as long as somebody sees it. What goes wrong then is shown in the view itself, since nobody called anything that
    could raise.

    It is an ipywidget like any other: it can be put into boxes, tabs and grids, where it takes all the width that there
    is unless its `layout` says otherwise, and its traits can be observed and linked.
    """

    problem = traitlets.Unicode().tag(sync=True)
    _esm: Any  # the script, which each view has
    _for_readers: tuple[str, ...] = ()  # the traits that a reader may observe and link
    pictures = traitlets.Bool().tag(sync=True)  # whether the page offers to save `figure()`

    def __init__(self, **traits: Any) -> None:
        self._lock = lock_of_object()  # messages from the page may arrive on another thread
        self._seen_by = 0
        self._observed = False  # whether somebody else's code runs when a trait changes
        self._looks = True  # whether the twins look at the object again
        self._text: str | None = None  # while it is displayed: ipywidgets asks for it a second time
        self._script = str(type(self)._esm)
        code = held(self._script)
        if code is not None:
            self.add_traits(**instead_of_script())
            traits["_code"] = code
        super().__init__(pictures=callable(getattr(self, "figure", None)), **traits)
        self.on_msg(self._on_page_message)
        _ALIVE.add(self)
        watch_cells()

    @traitlets.default("layout")
    def _full_width(self) -> ipywidgets.Layout:
        """Without a width of its own, a view would be as narrow as can be wherever its box asks how wide it is."""
        return ipywidgets.Layout(width="100%", min_width="min(100%, 320px)")

    @property
    def is_seen(self) -> bool:
        """Whether a page shows it."""
        return self._seen_by > 0

    def observe(
        self, handler: Callable[..., Any], names: Any = traitlets.All, type: Any = "change"
    ) -> None:
        """Calls `handler` when a trait changes, as every ipywidget does.

        Raises:
            AttributeError: If there is no such trait. The message names those there are.
        """
        if not isinstance(handler, traitlets.EventHandler):  # one of the class's own
            ties.require_traits(self, names, self._for_readers)
            self._observed = True
        super().observe(handler, names, type)

    def refresh(self) -> None:
        """Looks at the object again and shows what changed."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The static twin: HTML without a script."""
        raise NotImplementedError

    def guarded(self, action: Callable[[], object]) -> None:
        """Does something that the reader did not ask for, and shows in the view what it raised."""
        with self._lock:
            self.problem = visible(attempt(action).problem, 1000)

    def handle(self, message: dict[str, Any]) -> None:
        """Does what the page asked for."""

    def _handle_msg(self, msg: Any) -> None:
        super()._handle_msg(msg)
        if not self._observed:
            _LOOKOUT.own_message()

    def _on_page_message(self, widget: object, message: Any, buffers: object) -> None:
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "opened":
            self._seen_by += 1
            keep_with_notebook(self)
            self.guarded(self.refresh)
        elif kind == "closed":
            self._seen_by = max(0, self._seen_by - 1)
        elif kind == "script":
            self.send({"kind": "script", "text": self._script})
        elif kind == "picture":
            where_cells_run(lambda: self._send_picture(message))
        elif kind:
            where_cells_run(lambda: self.guarded(lambda: self.handle(message)))

    def _send_picture(self, message: dict[str, Any]) -> None:
        with self._lock:
            self.send(*picture(self, message))

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes from the page what is marked `from_page`; all else is what Python says, and stays."""
        taken = {
            name: value
            for name, value in sync_data.items()
            if self.has_trait(name) and self.trait_metadata(name, "from_page")
        }
        with self._lock:
            said = attempt(super().set_state, taken) if taken else None
            if said is not None and said.problem:
                self.problem = visible(said.problem, 1000)

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        """All that the page needs; what `ipywidgets.embed` takes for known is in fact known to Python only."""
        return super().get_state(key)

    @staticmethod
    def _trait_to_json(x: Any, self: Any) -> Any:
        """What ipywidgets sends of a trait, which is `x`."""
        return sendable(x)

    def __repr__(self) -> str:
        return str(self) if self._text is None else self._text

    def close(self) -> None:
        """Takes the view off the page, with its links; displayed again, it comes back without them.

        ipywidgets keeps every widget that is open: who closes a view and has no name for it has let go of its model.
        """
        ties.cut(self)
        super().close()
        self._seen_by = 0
        vars(self).pop("_repr_mimebundle_", None)  # ipywidgets hides the method for good
        if "layout" in self._trait_values:
            self.layout.close()  # a widget of its own, which ipywidgets forgets

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self.guarded(self.refresh)
        return self.bundle(**kwargs)

    def bundle(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The three renderings, of what was seen when the view last looked."""
        with self._lock:
            self.reopen()
            outputs.shown(self, self.model_id)
            self._looks = False
            try:
                self._text = str(self)
                bundle, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
                html = outputs.static_twin(self.to_html())
                twins = {"text/plain": self._text, "text/html": html}
            finally:
                self._looks, self._text = True, None
        return outputs.without_script({**bundle, **twins}), metadata

    def reopen(self) -> None:
        """Opens the view again if it was closed."""
        if self.comm is None:
            self.layout.open()
            if self.has_trait("_code"):
                self._code = held(self._script)
            self.open()


def sendable(value: Any) -> Any:
    """The value with no half of a surrogate pair in its texts: a name may hold one, UTF-8 cannot."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if type(value) is dict:
        return {key: sendable(item) for key, item in value.items()}
    return [sendable(item) for item in value] if type(value) in (list, tuple) else value


def watch_cells() -> None:
    """Asks IPython to tell us when a cell has run, and when a message of a widget has been handled."""
    running = shell()
    if running is None:
        return
    for event, handler in _EVENTS.items():
        if handler not in running.events.callbacks[event]:
            running.events.register(event, handler)
    composed.install(running)


def unwatch_cells() -> None:
    """Takes that back."""
    running = shell()
    if running is None:
        return
    for event, handler in _EVENTS.items():
        if handler in running.events.callbacks[event]:
            running.events.unregister(event, handler)
    composed.uninstall(running)


def refresh_views(but: LiveView | None = None) -> None:
    """Lets every view that somebody sees look again.

    Args:
        but: A view that knows already, because it made the change.
    """
    for view in list(_ALIVE):
        if view is not but and view.is_seen and view.comm is not None:  # a closed view has no comm
            view.guarded(view.refresh)


def _look() -> None:
    outputs.close_what_is_gone()
    refresh_views()


_LOOKOUT = Lookout(_look)


def _after_cell(result: object = None) -> None:
    outputs.cell_has_run(result)
    _LOOKOUT.cell_has_run()


_EVENTS = {
    "pre_execute": _LOOKOUT.message_begins,
    "post_run_cell": _after_cell,
    "post_execute": _LOOKOUT.message_was_handled,
}
