"""DescentView: optimizers walk down a loss of two numbers, in step, with the parts of each step as arrows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.descent import DescentFacts, Point, Trail, descent_facts
from nbmodule_widgets.lesson_facts.descent_words import (
    MARKS,
    descent_figure,
    descent_html,
    descent_text,
    lowest_words,
    moment_words,
)
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.live import LiveView, script

WIDE, TALL = 640, 380  # of the picture, in its own units


@refusing
def descent(
    loss: Callable[[Any], Any],
    optimizers: Mapping[str, Callable[[list[Any]], Any]],
    start: Any,
    steps: int = 40,
) -> DescentView:
    """Lets optimizers walk down a loss of two numbers, and plays their trails in step.

    The start is copied for each of them, and nothing that was handed in is changed. The optimizers may be of any
    library or your own: they are made of a list with one parameter, and asked for `step()`; the learning rate and the
    weight decay are read from the first of their `param_groups`.

    Args:
        loss: Takes a tensor of two numbers and gives the loss.
        optimizers: By name, functions that make an optimizer of a list of parameters.
        start: A parameter with two numbers.
        steps: How many, up to 1,000.

    Raises:
        TypeError: There are no optimizers, or the start has not two numbers.
        ValueError: That many steps cannot be shown.

    Example:
        >>> descent(loss, {"SGD": lambda params: SGD(params, lr=0.1)}, start)  # doctest: +SKIP
    """
    return DescentView(descent_facts(loss, optimizers, start, steps))


class DescentView(LiveView):
    """The trails of optimizers on one loss, played in the page. Made by `descent`.

    Args:
        facts: The trails.
    """

    _esm = script("core", "player", "descent")

    descent = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the step that is shown
    _for_readers = ("step",)

    def __init__(self, facts: DescentFacts) -> None:
        self._facts = facts
        super().__init__(descent=_packed(facts))

    @property
    def facts(self) -> DescentFacts:
        """The trails."""
        return self._facts

    def refresh(self) -> None:
        """Changes nothing: the walks are over. Call `descent` again for new ones."""

    def figure(self) -> Any:
        """The trails on the contour lines of the loss, as a `matplotlib.figure.Figure`."""
        return descent_figure(self._facts)

    def to_html(self) -> str:
        """The trails as a table, without a script, as a saved notebook shows them."""
        return descent_html(self._facts)

    def __str__(self) -> str:
        return descent_text(self._facts)


def _packed(known: DescentFacts) -> dict[str, Any]:
    """The facts as one trait, in the units of the picture."""
    left, right, bottom, top = known.box
    across, up = WIDE / (right - left), TALL / (top - bottom)

    def place(point: Point) -> list[float]:
        return [round((point[0] - left) * across, 1), round((top - point[1]) * up, 1)]

    def way(point: Point) -> list[float]:
        return [round(point[0] * across, 2), round(-point[1] * up, 2)]

    def packed(trail: Trail, number: int) -> dict[str, Any]:
        return {
            "name": visible(trail.name, 40),
            "mark": MARKS[number % len(MARKS)],
            "points": [place(moment.at) for moment in trail.moments],
            "parts": [[way(m.gradient), way(m.decay), way(m.rest)] for m in trail.moments],
            "words": [moment_words(trail, step) for step in range(len(trail.moments))],
        }

    lines = [
        "".join("M{} {}L{} {}".format(*place(a), *place(b)) for a, b in pieces)
        for _, pieces in known.contours
    ]
    return {
        "size": [WIDE, TALL],
        "origin": place((0.0, 0.0)),
        "lowest": place(known.lowest[0]) if known.lowest else [],
        "lowestWords": lowest_words(known),
        "lines": lines,
        "trails": [packed(trail, number) for number, trail in enumerate(known.trails)],
        "steps": known.steps,
    }
