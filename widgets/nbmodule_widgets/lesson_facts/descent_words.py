"""The trails of optimizers as text, as HTML without a script, and as a figure."""

from __future__ import annotations

from html import escape
from typing import Any

from nbmodule_widgets import inks
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.lesson_facts.descent import DescentFacts, Moment, Point, Trail
from nbmodule_widgets.markup import CODE, framed, line, table, title

MARKS = "●■▲◆▼★"
_MARKERS = "os^Dv*"
_STYLES = ("-", "--", "-.", ":")
_PARTS = (
    ("−lr · gradient", "gradient"),
    ("−lr · weight decay · weight", "decay"),
    ("momentum and scaling", "rest"),
)


def pair(point: Point) -> str:
    """Two numbers in parentheses."""
    return f"({point[0]:.3g}, {point[1]:.3g})"


def moment_words(trail: Trail, step: int) -> str:
    """The place after a step, and what the next step is made of."""
    at = min(step, len(trail.moments) - 1)
    moment = trail.moments[at]
    said = f"after {at} steps at {pair(moment.at)}, loss {moment.loss:.4g}"
    parts = part_words(moment)
    if parts:
        said += f". The next step: {', '.join(parts)}"
    return said + (f"; {trail.ended}" if trail.ended and at == len(trail.moments) - 1 else "")


def part_words(moment: Moment) -> list[str]:
    """What a step is made of: the parts that are not zero."""
    size = max(abs(n) for _, name in _PARTS for n in getattr(moment, name))
    return [
        f"{words} {pair(getattr(moment, name))}"
        for words, name in _PARTS
        if max(map(abs, getattr(moment, name))) > 1e-5 * size
    ]


def lowest_words(known: DescentFacts) -> str:
    """`"lowest loss found: (2, -0.5), loss 0"`; the empty string if none was found."""
    if known.lowest is None:
        return ""
    (x, y), value = known.lowest
    x, y, value = (0.0 if abs(number) < 1e-9 else number for number in (x, y, value))
    return f"lowest loss found: {pair((x, y))}, loss {value:.3g}"


def shown_steps(known: DescentFacts) -> list[int]:
    """A few steps: the first ones, then ever more apart, and the last."""
    chosen = [0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500]
    return [step for step in chosen if step < known.steps] + [known.steps]


def _cell(trail: Trail, step: int) -> str:
    if step >= len(trail.moments):
        return "–"
    moment = trail.moments[step]
    return f"({moment.at[0]:+.2f}, {moment.at[1]:+.2f}) {moment.loss:.3g}"


def _name(trail: Trail) -> str:
    return visible(trail.name, 40)


def descent_text(known: DescentFacts) -> str:
    """A table: for a few steps where each optimizer is, and its loss."""
    heads = ["step", *(_name(trail) for trail in known.trails)]
    rows = [
        [str(step), *(_cell(trail, step) for trail in known.trails)] for step in shown_steps(known)
    ]
    wide = [max(len(row[n]) for row in [heads, *rows]) for n in range(len(heads))]
    lines = [f"descent: {len(known.trails)} optimizers, {known.steps} steps; each at (x, y), loss"]
    lines += [
        "  ".join(text.ljust(width) for text, width in zip(row, wide, strict=True))
        for row in [heads, *rows]
    ]
    lines += [
        f"{_name(trail)}, first step: {', '.join(part_words(trail.moments[0])) or 'nothing moves'}"
        for trail in known.trails
    ]
    lines += [lowest_words(known)] if known.lowest else []
    return "\n".join(text.rstrip() for text in lines)


def descent_html(known: DescentFacts) -> str:
    """The picture and the table."""
    rows = [
        [
            str(step),
            *(f'<code style="{CODE}">{escape(_cell(t, step))}</code>' for t in known.trails),
        ]
        for step in shown_steps(known)
    ]
    heads = [
        "step",
        *(f"{MARKS[n % len(MARKS)]} {_name(trail)}" for n, trail in enumerate(known.trails)),
    ]
    first = [
        line(f"{_name(t)}, first step: {', '.join(part_words(t.moments[0])) or 'nothing moves'}")
        for t in known.trails
    ]
    said = f"{len(known.trails)} optimizers, {known.steps} steps; each at (x, y), loss"
    return framed(title("descent", said), table(heads, rows), *first, line(lowest_words(known)))


@own_style
def descent_figure(known: DescentFacts) -> Any:
    """The loss as contour lines, and all trails.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    from matplotlib.collections import LineCollection

    figure = sheet(7.5, 4.6)
    axes = figure.subplots()
    for _, pieces in known.contours:
        axes.add_collection(LineCollection(list(pieces), colors=inks.FAINT, linewidths=0.8))
    for n, trail in enumerate(known.trails):
        xs, ys = zip(*(moment.at for moment in trail.moments), strict=True)
        axes.plot(
            xs, ys, _STYLES[n % 4], marker=_MARKERS[n % 6], markersize=3, linewidth=1,
            color=(inks.INK, inks.SOFT, inks.GREY)[n % 3], label=inks.in_legend(_name(trail), 40),
        )  # fmt: skip
    if known.lowest is not None:
        axes.plot(*known.lowest[0], "x", color=inks.INK, markersize=7, label="lowest loss found")
    axes.set_xlim(known.box[0], known.box[1])
    axes.set_ylim(known.box[2], known.box[3])
    axes.legend(fontsize=8)
    return figure
