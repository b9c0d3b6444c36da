"""Anatomy: the `__dict__` of a Module as drawers, and a line to try out what lands where."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import traitlets

from nbmodule_widgets.facts import SlotFacts, StateFacts, state_facts
from nbmodule_widgets.html import state_html
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.text import state_text
from nbmodule_widgets.views.kernel import shell
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.sandbox import Landing, Sandbox

_ENTRIES = 200  # of one drawer that travel to the page


class Anatomy(LiveView):
    """The `__dict__` of one Module, live.

    Args:
        module: The Module, or any object with attributes of its own.
        namespace: Names that a tried line may use, besides the notebook's variables.

    Example:
        >>> view = Anatomy(model)  # doctest: +SKIP
        >>> view.try_line("self.w = 5").after  # doctest: +SKIP
        '__dict__'
    """

    _esm = script("core", "anatomy")

    state = traitlets.Dict().tag(sync=True)
    landing = traitlets.Dict().tag(sync=True)

    def __init__(self, module: object, *, namespace: dict[str, Any] | None = None) -> None:
        self._sandbox = Sandbox(module, dict(namespace or {}))
        super().__init__(state=_packed(state_facts(module), False))

    @property
    def module(self) -> object:
        """The module that is shown; lines are tried on a copy of it."""
        return self._sandbox.original

    def refresh(self) -> None:
        """Looks at the module again."""
        with self._lock:
            self.state = _packed(state_facts(self._sandbox.current), self._sandbox.is_copy)

    def try_line(self, line: str) -> Landing:
        """Runs a line on a copy of the module and says where things landed.

        Later lines go on with the same copy until `reset`. The original never changes.

        Args:
            line: Python, with `self` standing for the module: `"self.fc = Linear(2, 2)"`.
        """
        running = shell()
        names = running.user_ns if running is not None else vars(sys.modules["__main__"])
        with self._lock:
            landing = self._sandbox.run(line, dict(names))
            with self.hold_sync():
                self.refresh()
                self.landing = {**asdict(landing), "number": self.landing.get("number", 0) + 1}
        return landing

    def reset(self) -> None:
        """Throws the copy away and shows the original again."""
        with self._lock:
            self._sandbox.reset()
            with self.hold_sync():
                self.refresh()
                self.landing = {}

    def handle(self, message: dict[str, Any]) -> None:
        """Runs a line that the reader sent off in the page, or resets."""
        line = message.get("line")
        if message["kind"] == "try" and isinstance(line, str) and line.strip():
            self.try_line(line)
        elif message["kind"] == "reset":
            self.reset()

    def to_html(self) -> str:
        """The drawers as HTML without a script, as a saved notebook shows them."""
        return state_html(state_facts(self.module))

    def figure(self) -> Any:
        """The drawers as a picture for a paper: a `matplotlib.figure.Figure`.

        Raises:
            ImportError: If matplotlib is not installed.
        """
        from nbmodule_widgets.state_figure import state_figure  # matplotlib takes half a second

        return state_figure(state_facts(self.module))

    def __str__(self) -> str:
        return state_text(state_facts(self.module))


@refusing
def anatomy(module: object, *, namespace: dict[str, Any] | None = None) -> Anatomy:
    """A live view of what is in a module's `__dict__`.

    Args:
        module: The Module, or any object with attributes of its own.
        namespace: Names that a tried line may use, beside the notebook's variables.

    Raises:
        TypeError: If the object has no attributes of its own.
    """
    return Anatomy(module, namespace=namespace)


def _packed(state: StateFacts, is_copy: bool) -> dict[str, Any]:
    """The facts as one trait."""
    return {
        "label": state.label,
        "copy": is_copy,
        "untouched": state.untouched,
        "drawers": [_slot(slot) for slot in state.group("drawer")],
        "switches": [_slot(slot) for slot in state.group("switch")],
        "hooks": [_slot(slot) for slot in state.group("hooks")],
        "hooksSummary": state.hooks_summary,
        "plain": _entries(state.plain),
        "plainCount": len(state.plain),
        "plainNote": state.plain_summary,
    }


def _slot(slot: SlotFacts) -> dict[str, Any]:
    packed = asdict(slot)
    packed["count"] = len(slot.entries)
    packed["entries"] = _entries(slot.entries)
    return packed


def _entries(entries: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [asdict(entry) for entry in entries[:_ENTRIES]]
