"""The walk of a kernel as text, as HTML without a script, and as a figure."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from nbmodule_widgets import inks
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.lesson_facts.kernel_walk import Axis, KernelWalkFacts
from nbmodule_widgets.markup import CODE, GREY, PICK, SOFT, framed, line, title

_WIDEST = 14  # columns of numbers that fit on a line
_TOLD = 5  # sources that are named


def number(value: float) -> str:
    """A number in few letters."""
    return decimal(value).replace("-", "−")


def head_words(known: KernelWalkFacts) -> str:
    """What walks where."""
    pixels = f"{known.down.size} × {known.across.size}"
    into = f"{len(known.down.places)} × {len(known.across.places)}"
    return f"filter {known.filter}, {known.settings}; {pixels} pixels into {into}"


def image_words(known: KernelWalkFacts, channel: int = 0) -> str:
    """What the picture of a channel shows."""
    return f"channel {known.channels[channel]}{' with its padding' if known.bordered else ''}"


def step_words(known: KernelWalkFacts, step: int) -> str:
    """What the kernel reads at one position, and what comes of it."""
    place = divmod(step, len(known.across.places))
    (rows, columns), total, gave = known.under(step), known.total(step), known.gave[place]
    read = f"{_range('row', rows, known.down)} and {_range('column', columns, known.across)}"
    sums = f"{known.weight.size} products{' and the bias' if known.bias else ''}, together {number(total)}"
    wrong = abs(total - gave) > 1e-3 * max(1, abs(total))
    sums += f", but the layer gives {number(gave)}" if wrong else ""
    return f"position {_place(place)}: {read}; {sums}{_copied_words(known.copied(step))}"


def _range(name: str, places: tuple[int, ...], axis: Axis) -> str:
    numbers = [number(place - axis.before) for place in places]
    return f"{name}s {', '.join(numbers)}" if len(numbers) > 1 else f"{name} {numbers[0]}"


def _copied_words(copied: Any) -> str:
    """Where the pixels beyond the border come from."""
    links = [(at, source) for at, source in copied if source is not None]
    zeros = len(copied) - len(links)
    told = [f"{_place(at)} from {_place(source)}" for at, source in links[:_TOLD]]
    if len(links) > _TOLD:
        told.append(f"{len(links) - _TOLD} more")
    if zeros:
        told.append(f"{zeros} {'zeros' if zeros > 1 else 'zero'}")
    return f"; beyond the border: {', '.join(told)}" if told else ""


def _place(at: tuple[int, int]) -> str:
    return f"({number(at[0])}, {number(at[1])})"


def shown_steps(known: KernelWalkFacts) -> list[int]:
    """The first positions and the last."""
    last = known.gave.size - 1
    return sorted({0, min(1, last), min(2, last), last})


def kernel_walk_text(known: KernelWalkFacts) -> str:
    """The image with its padding in brackets, and a few positions."""
    lines = [f"kernel walk of {visible(known.layer, 40)}: {head_words(known)}"]
    if known.padded.shape[2] <= _WIDEST:
        cells = [
            [f"[{number(value)}]" if known.beyond(i, j) else f" {number(value)} " for j, value in enumerate(row)]
            for i, row in enumerate(known.padded[0])
        ]  # fmt: skip
        wide = max(len(text) for row in cells for text in row)
        lines += ["".join(text.rjust(wide + 1) for text in row).rstrip() for row in cells]
    lines += [step_words(known, step) for step in shown_steps(known)]
    return "\n".join(lines)


def kernel_walk_html(known: KernelWalkFacts) -> str:
    """The image with its padding, the first position marked, the kernel, the output, and a few positions in words."""
    rows, columns = known.under(0)

    def border(i: int, j: int) -> str:
        ground = PICK if i in rows and j in columns else "none"
        edge = "dashed" if known.beyond(i, j) else "solid"
        return f"border:1px {edge} rgba(128,128,128,.5);background:{ground}"

    marks = "Gray: what the kernel reads first." + (" Dashed: the padding." if known.bordered else "")  # fmt: skip
    tables = (
        _table(image_words(known), known.padded[0], border),
        _table("its kernel", known.weight[0]),
        _table(f"filter {known.filter}: what comes out", known.gave),
    )
    drawn = f'<div style="display:flex;flex-wrap:wrap;gap:4px 24px">{"".join(tables)}</div>'
    seen = line(marks, style=SOFT) if tables[0] else ""
    said = [line(step_words(known, step)) for step in shown_steps(known)]
    return framed(title(visible(known.layer, 40), head_words(known)), drawn, seen, *said)


def _table(words: str, numbers: np.ndarray, look: Callable[[int, int], str] = lambda i, j: "") -> str:  # fmt: skip
    """Numbers below their name; nothing, if there are too many."""
    if numbers.shape[1] > _WIDEST:
        return ""
    rows = [
        "".join(
            f'<td style="padding:1px 6px;text-align:right;{look(i, j)}">{escape(number(value))}</td>'
            for j, value in enumerate(row)
        )
        for i, row in enumerate(numbers)
    ]
    style = f"border-collapse:separate;border-spacing:2px;margin:2px 0 6px;{CODE};background:{GREY}"
    cells = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div>{line(words, style=SOFT)}<table style="{style}">{cells}</table></div>'


@own_style
def kernel_walk_figure(known: KernelWalkFacts) -> Any:
    """The image with its padding and the first position, and what the layer made of it.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    from matplotlib.patches import Rectangle

    figure = sheet(7.5, 3.8)
    left, right = figure.subplots(1, 2)
    left.imshow(known.padded[0], cmap="Greys", alpha=0.5)
    down, across = known.down, known.across
    left.add_patch(_frame(Rectangle, across.before, down.before, across.size, down.size, "--"))
    rows, columns = known.under(0)
    for row in rows:
        for column in columns:
            left.add_patch(_frame(Rectangle, column, row, 1, 1, "-"))
    for at, source in known.copied(0):
        if source is not None:
            pairs = [(place[0] + down.before, place[1] + across.before) for place in (at, source)]
            ys, xs = zip(*pairs, strict=True)
            left.plot(xs, ys, ":", color=inks.INK, linewidth=1)
    right.imshow(known.gave, cmap="Greys", alpha=0.5)
    for axes, words in ((left, image_words(known)), (right, f"filter {known.filter}")):
        axes.set_title(words, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
    return figure


def _frame(kind: Any, x: int, y: int, wide: int, tall: int, style: str) -> Any:
    return kind((x - 0.5, y - 0.5), wide, tall, fill=False, linestyle=style, edgecolor=inks.INK)
