"""The walk of a kernel as text, as HTML without a script, and as a figure."""

from __future__ import annotations

from html import escape
from typing import Any

from nbmodule_widgets import inks
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.lesson_facts.kernel_walk import Axis, KernelWalkFacts
from nbmodule_widgets.markup import CODE, GREY, PICK, framed, line, title

_WIDEST = 14  # columns of numbers that fit on a line
_TOLD = 4  # sources that are named


def number(value: float) -> str:
    """A number in few letters."""
    return f"{value:.3g}".replace("-", "−")


def head_words(known: KernelWalkFacts) -> str:
    """What walks where."""
    down, across = known.down, known.across
    padded_at_all = any(len(axis.sources) > axis.size for axis in (down, across))
    said = f"filter {known.filter}, {known.settings}"
    if padded_at_all:
        said += f", padding {down.before} × {across.before} ({known.mode})"
    into = f"{len(down.places)} × {len(across.places)}"
    return f"{said}; {down.size} × {across.size} pixels into {into}"


def step_words(known: KernelWalkFacts, step: int) -> str:
    """What the kernel reads at one position, and what comes of it."""
    row, column = known.position(step)
    reading = known.readings[step]
    rows, columns = known.down.places[row], known.across.places[column]
    products = len(rows) * len(columns) * len(known.channels)
    said = f"position ({row}, {column}): {_range('row', rows, known.down)} and {_range('column', columns, known.across)}, {products} products"
    said += " and the bias" if known.bias else ""
    said += f", together {number(reading.total)}"
    if abs(reading.total - reading.gave) > 1e-3 * max(1, abs(reading.total)):
        said += f", but the layer gives {number(reading.gave)}"
    return f"{said}{_copied_words(reading.copied)}"


def _range(name: str, places: tuple[int, ...], axis: Axis) -> str:
    numbers = [number(place - axis.before) for place in places]
    return f"{name}s {', '.join(numbers)}" if len(numbers) > 1 else f"{name} {numbers[0]}"


def _copied_words(copied: Any) -> str:
    """Where the pixels beyond the border come from."""
    if not copied:
        return ""
    zeros = sum(source is None for _, source in copied)
    links = [(at, source) for at, source in copied if source is not None]
    told = [f"{_place(at)} from {_place(source)}" for at, source in links[:_TOLD]]
    if len(links) > _TOLD:
        told.append(f"{len(links) - _TOLD} more")
    if zeros:
        told.append(f"{zeros} {'zeros' if zeros > 1 else 'zero'}")
    return f"; beyond the border: {', '.join(told)}"


def _place(at: tuple[int, int]) -> str:
    return f"({number(at[0])}, {number(at[1])})"


def padded(known: KernelWalkFacts, channel: int = 0) -> list[list[tuple[float, bool]]]:
    """The numbers of a channel with its padding, and whether each of them belongs to the padding."""
    grid = known.image[channel]

    def cell(row: int, column: int) -> tuple[float, bool]:
        y, x = known.down.sources[row], known.across.sources[column]
        beyond = not (known.down.holds(row) and known.across.holds(column))
        return (grid[y][x] if y >= 0 and x >= 0 else 0.0), beyond

    wide = range(len(known.across.sources))
    return [[cell(row, column) for column in wide] for row in range(len(known.down.sources))]


def shown_steps(known: KernelWalkFacts) -> list[int]:
    """The first positions and the last."""
    last = len(known.readings) - 1
    return sorted({0, min(1, last), min(2, last), last})


def kernel_walk_text(known: KernelWalkFacts) -> str:
    """The image with its padding in brackets, and a few positions."""
    lines = [f"kernel walk of {visible(known.layer, 40)}: {head_words(known)}"]
    if len(known.across.sources) <= _WIDEST:
        cells = [
            [f"[{number(value)}]" if beyond else f" {number(value)} " for value, beyond in row]
            for row in padded(known)
        ]
        wide = max(len(text) for row in cells for text in row)
        lines += ["".join(text.rjust(wide + 1) for text in row).rstrip() for row in cells]
    lines += [step_words(known, step) for step in shown_steps(known)]
    return "\n".join(lines)


def kernel_walk_html(known: KernelWalkFacts) -> str:
    """The image with its padding, the first position marked, and a few positions in words."""
    said = [line(step_words(known, step)) for step in shown_steps(known)]
    return framed(title(visible(known.layer, 40), head_words(known)), _image_html(known), *said)


def _image_html(known: KernelWalkFacts) -> str:
    if len(known.across.sources) > _WIDEST:
        return ""
    under = set(known.down.places[0]), set(known.across.places[0])
    rows = []
    for i, row in enumerate(padded(known)):
        cells = []
        for j, (value, beyond) in enumerate(row):
            ground = PICK if i in under[0] and j in under[1] else "none"
            edge = f"1px {'dashed' if beyond else 'solid'} rgba(128,128,128,.5)"
            style = f"border:{edge};background:{ground};padding:1px 6px;text-align:right"
            cells.append(f'<td style="{style}">{escape(number(value))}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    style = f"border-collapse:separate;border-spacing:2px;margin:6px 0;{CODE};background:{GREY}"
    return f'<table style="{style}">{"".join(rows)}</table>'


@own_style
def kernel_walk_figure(known: KernelWalkFacts) -> Any:
    """The image with its padding and the first position, and what the layer made of it.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    from matplotlib.patches import Rectangle

    figure = sheet(7.5, 3.8)
    left, right = figure.subplots(1, 2)
    left.imshow([[value for value, _ in row] for row in padded(known)], cmap="Greys", alpha=0.5)
    down, across = known.down, known.across
    left.add_patch(_frame(Rectangle, across.before, down.before, across.size, down.size, "--"))
    for row in down.places[0]:
        for column in across.places[0]:
            left.add_patch(_frame(Rectangle, column, row, 1, 1, "-"))
    for at, source in known.readings[0].copied:
        if source is not None:
            pairs = [(place[0] + down.before, place[1] + across.before) for place in (at, source)]
            ys, xs = zip(*pairs, strict=True)
            left.plot(xs, ys, ":", color=inks.INK, linewidth=1)
    wide = len(across.places)
    gave = [reading.gave for reading in known.readings]
    right.imshow([gave[n : n + wide] for n in range(0, len(gave), wide)], cmap="Greys", alpha=0.5)
    for axes, words in ((left, f"channel {known.channels[0]}, padded"), (right, f"filter {known.filter}")):  # fmt: skip
        axes.set_title(words, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
    return figure


def _frame(kind: Any, x: int, y: int, wide: int, tall: int, style: str) -> Any:
    return kind((x - 0.5, y - 0.5), wide, tall, fill=False, linestyle=style, edgecolor=inks.INK)
