"""The tree of a model as a matplotlib figure, for papers and slides: its Modules, and bars for their parameters."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts import ModuleFacts
from nbmodule_widgets.facts.folding import Place, folded
from nbmodule_widgets.facts.words import count
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import FAINT, INK, SOFT, ink, literal
from nbmodule_widgets.text import totals_text

_TALLEST = 60  # rows of Modules
_DEEPEST = 16  # levels that are indented
_TALL, _STEP, _LETTER, _BARS = 0.19, 0.17, 0.068, 3.4  # inches: a row, a level, a letter, the bars


@own_style
def tree_figure(known: ModuleFacts) -> Any:
    """The Modules in order, each with a bar for the parameters in it and below it.

    Equal neighbours are one row. Of a tree that is still too tall the upper levels are drawn; the figure says so.

    Args:
        known: What `facts` returned.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    everything = folded(known.nodes)
    places = _upper(known, everything)
    more = len(everything) - len(places)
    labels = [_label(known, place) for place in places]
    starts = [min(known.nodes.depth[place.index], _DEEPEST) * _STEP for place in places]
    wide = max(1.5, *(x + len(label) * _LETTER for x, label in zip(starts, labels, strict=True)))
    figure = sheet(wide + _BARS, 0.75 + _TALL * len(places) + (0.2 if more else 0))
    names, bars = figure.subplots(1, 2, sharey=True, width_ratios=(wide, _BARS))
    for y, (x, label) in enumerate(zip(starts, labels, strict=True)):
        if x:
            names.plot([x - 0.13, x - 0.04], [y, y], color=FAINT, linewidth=0.8)
        names.text(x, y, label, fontsize=8, va="center", color=INK)
    _draw_bars(bars, known, places)
    names.set_xlim(0, wide)
    names.set_ylim(len(places) - 0.4, -0.6)
    names.set_axis_off()
    figure.suptitle(
        literal(totals_text(known.totals), 100), fontsize=6.5, color=SOFT
    )  # a line has room
    if more:
        said = f"cut: {count(more, 'row')} more of Modules are not drawn"
        figure.supxlabel(said, fontsize=8, color=ink("problem"))
    return figure


def _upper(known: ModuleFacts, places: list[Place]) -> list[Place]:
    """As many rows as can be read, the upper levels first; no row without the one above it."""
    depth = known.nodes.depth
    upper = sorted(range(len(places)), key=lambda i: depth[places[i].index])[:_TALLEST]
    return [places[i] for i in sorted(upper)]


def _label(known: ModuleFacts, place: Place) -> str:
    """`"fc1: Linear"`."""
    pattern = known.nodes.of(place.index)
    name = f"{literal(place.name, 40)}: " if place.name else ""
    times = f" × {place.times}" if place.times > 1 else ""
    return f"{name}{literal(pattern.class_name, 40)}{times}{' (shared)' if pattern.twin >= 0 else ''}"  # fmt: skip


def _draw_bars(axes: Any, known: ModuleFacts, places: list[Place]) -> None:
    """The parameters of each row; of a row inside one that stands for several Modules, those of each."""
    nodes, inside = known.nodes, 0
    numel = [int(nodes.numel[place.index]) * place.times for place in places]
    most = max(1, *numel)
    axes.barh(range(len(places)), [n / most for n in numel], height=0.62, color=ink("parameter"))
    for y, (place, number) in enumerate(zip(places, numel, strict=True)):
        each = " each" if place.index < inside else ""
        inside = max(inside, nodes.end[place.index]) if place.times > 1 else inside
        if number:
            axes.text(number / most + 0.02, y, f"{number:,}{each}", fontsize=7, va="center", color=SOFT)  # fmt: skip
    axes.set_xlim(0, 1.5)
    axes.set_axis_off()
