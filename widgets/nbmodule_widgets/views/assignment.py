"""AssignmentFlow: which way a line takes through `__setattr__`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import traitlets

from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.assignment import METHODS, flow_facts, following
from nbmodule_widgets.lesson_facts.assignment_twins import (
    doubt,
    flow_html,
    flow_text,
    removed_words,
    verdict,
)
from nbmodule_widgets.lesson_facts.flow import FlowFacts, Outcome
from nbmodule_widgets.lesson_facts.flow_pictures import flow_figure
from nbmodule_widgets.lesson_facts.stamp import stamp_of
from nbmodule_widgets.protocol import (
    article,
    class_name,
    drawer,
    require_attributes,
)
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.kernel import shell
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.lookup import packed_source
from nbmodule_widgets.views.sandbox import Sandbox

_PARTS = 2000  # Modules of which it is known where they lie


class AssignmentFlow(LiveView):
    """The way of one line through the method that Python calls for it, live.

    The line runs on a copy. For PyTorch's and nbmodule's own `Module` the questions are those of the library; for a
    class with methods of its own, the view shows that class's lines and which of them ran.

    Args:
        module: The Module, or any object with attributes of its own.
        line: Python, with `self` standing for the module: `"self.fc = Linear(2, 2)"`, `"del self.fc"`,
            `"self.register_buffer('mean', zeros(3))"`.
        namespace: Names that lines may use, besides the notebook's variables.

    Raises:
        TypeError: If the object has no attributes of its own, or the line is not a string.
        ValueError: If the line is empty.

    Example:
        >>> AssignmentFlow(model, "self.w = 5").facts.outcome.error  # doctest: +SKIP
        "TypeError: cannot assign 'int' as parameter 'w' (nbmodule.nn.Parameter or None expected)"
    """

    _esm = script("core", "player", "lesson", "assignment")

    flow = traitlets.Dict().tag(sync=True)
    stale = traitlets.Bool().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the moment that is shown
    _for_readers = ("step",)

    def __init__(
        self, module: object, line: str, *, namespace: dict[str, Any] | None = None
    ) -> None:
        require_attributes(module, "assignment")
        self._sandbox = Sandbox(module, dict(namespace or {}))
        self._number = 0
        self._facts = self._run(line)
        super().__init__(flow=self._packed())

    @property
    def module(self) -> object:
        """The module; lines run on a copy of it."""
        return self._sandbox.original

    @property
    def facts(self) -> FlowFacts:
        """What the last line did."""
        return self._facts

    def try_line(self, line: str) -> FlowFacts:
        """Runs another line, on the copy that the lines before have changed.

        Args:
            line: Python, with `self` standing for the module.
        """
        with self._lock:
            self._facts = self._run(line)
            self.flow = self._packed()
            return self._facts

    def again(self) -> FlowFacts:
        """Runs the last line on a fresh copy of the module as it is now."""
        with self._lock:
            self._sandbox.reset()
            return self.try_line(self._facts.line)

    def refresh(self) -> None:
        """Looks whether the module is another one than when the line ran. Nothing is run again unasked."""
        with self._lock:
            self.stale = stamp_of(self.module, *METHODS) != self._seen

    def handle(self, message: dict[str, Any]) -> None:
        """Runs a line that the reader sent off in the page, or the last one again."""
        line = message.get("line")
        if message["kind"] == "try" and isinstance(line, str) and line.strip():
            self.try_line(line)
        elif message["kind"] == "again":
            self.again()

    def figure(self) -> Any:
        """The questions with the way that the line takes; for a class of one's own its lines.

        Returns:
            A `matplotlib.figure.Figure`, made without `pyplot`.
        """
        return flow_figure(self._facts)

    def to_html(self) -> str:
        """The way through the questions as HTML without a script, as a saved notebook shows it."""
        return flow_html(self._facts)

    def __str__(self) -> str:
        return flow_text(self._facts)

    def _run(self, line: str) -> FlowFacts:
        """Runs a line on the copy and follows it."""
        if type(line) is not str:
            raise TypeError(f"assignment() needs a line of Python as a str, as in assignment(model, 'self.w = 5'); got {article(class_name(line))}")  # fmt: skip
        if not line.strip():
            raise ValueError("assignment() needs a line of Python, as in 'self.w = 5'; got an empty one")  # fmt: skip
        line = line.strip()[:10_000]
        running = shell()
        names = dict(running.user_ns if running is not None else vars(sys.modules["__main__"]))
        if not self._sandbox.is_copy:
            self._seen = stamp_of(self.module, *METHODS)
            made = self._sandbox.run("pass", names)  # makes the copy
            if made.error:
                outcome = Outcome(made.sentence, made.error, ())
                return flow_facts(line, self.module, {}, [], outcome)
        copy = self._sandbox.current
        paths, parts = _paths(copy)
        with following(parts, paths) as seen:
            landing = self._sandbox.run(line, names)
        moves = tuple((move.name, move.before, move.after) for move in landing.moves)
        error = landing.error.replace("\\n", " ")  # some messages have two lines
        outcome = Outcome(landing.sentence, error, moves)
        return flow_facts(line, copy, paths, seen.calls, outcome)

    def _packed(self) -> dict[str, Any]:
        """The facts as one trait."""
        found = self._facts
        self._number += 1
        return {
            "number": self._number,
            "line": visible(found.line, 2000),
            "label": describe_module(self.module),
            "call": found.call,
            "clerk": found.clerk,
            "rows": [asdict(row) for row in found.rows],
            "moments": [[moment.row, moment.part, moment.words] for moment in found.moments],
            "removed": removed_words(found),
            "verdict": verdict(found),
            "failed": bool(found.outcome.error),
            "notes": [text for text in (doubt(found), *found.notes) if text],
            "source": packed_source(found.source),
            "sourceOf": found.source_of,
        }


@refusing
def assignment(
    module: object, line: str, *, namespace: dict[str, Any] | None = None
) -> AssignmentFlow:
    """Shows which way a line takes through `__setattr__`, `__delattr__` or a method that registers.

    Args:
        module: A Module, or any object with attributes of its own. It does not change: the line runs on a copy.
        line: Python, with `self` standing for the module: `nw.lessons.assignment(model, "self.fc = Linear(2, 2)")`.
        namespace: Names that lines may use, beside the notebook's variables.

    Raises:
        TypeError: If the object has no attributes of its own, or the line is no text.
        ValueError: If the line is empty.
    """
    return AssignmentFlow(module, line, namespace=namespace)


def _paths(top: object) -> tuple[dict[int, str], list[object]]:
    """The way to each Module of a tree, as code after `self`, by identity; and the Modules."""
    paths, found, pending = {id(top): ""}, [top], [top]
    while pending and len(found) < _PARTS:
        parent = pending.pop()
        for name, child in drawer(parent, "_modules").entries:
            if id(child) not in paths and child is not None:
                shown = visible(name, 60)
                paths[id(child)] = paths[id(parent)] + (
                    f"[{shown}]" if shown.isdigit() else f".{shown}"
                )
                found.append(child)
                pending.append(child)
    return paths, found
