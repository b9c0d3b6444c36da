"""`color_strip`: how the numbers of each layer spread, call by call, as a strip of color."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from nbmodule_widgets.facts.words import count, decimal, visible
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import INK, either, ink, literal
from nbmodule_widgets.markup import SOFT, drawing, framed, line, name, title
from nbmodule_widgets.refusing import refusing

_MOST = 200  # columns that are drawn; of more calls, neighbors are added up
_LAYERS = 24
_SHADES = " .:-=+*#%@"
_WIDTH, _HEIGHT = 480, 128  # of a strip, in pixels
_WIDEST = 24  # of a cell


@dataclass(frozen=True, slots=True, eq=False)
class ColorStrip:
    """Histograms side by side: a column for each call, a row for each interval of values.

    Attributes:
        layers: For each name its counts, (bins, calls): the lowest interval comes first.
        low: Where the lowest interval begins.
        high: Where the highest one ends.
    """

    layers: dict[str, np.ndarray]
    low: float
    high: float

    def shades(self, layer: str) -> np.ndarray:
        """How strong the color of each cell is, from 0 to 1: the logarithm of its count, so that few numbers can be seen too."""
        drawn = self._drawn(layer)
        return np.log1p(drawn) / (np.log1p(drawn.max(initial=0)) or 1)

    def words(self, layer: str) -> str:
        """What a strip shows: how many calls and intervals, and what its strongest color stands for."""
        (bins, calls), drawn = self.layers[layer].shape, self._drawn(layer)
        spread = f"from {decimal(self.low)} at the bottom to {decimal(self.high)} at the top"
        said = f"{count(calls, 'call')}, {count(bins, 'interval')} {spread}"
        if drawn.size:
            said += f", at most {count(int(drawn.max()), 'number')} in one"
        each = _each(calls)
        return said + (f"; a column for every {each} calls" if each > 1 else "")

    def _drawn(self, layer: str) -> np.ndarray:
        return _merged(np.nan_to_num(np.maximum(self.layers[layer], 0), posinf=0))

    @property
    def _shown(self) -> list[str]:
        return list(self.layers)[:_LAYERS]

    @property
    def _more(self) -> str:
        rest = len(self.layers) - _LAYERS
        return f"… {count(rest, 'more layer')}" if rest > 0 else ""

    def __str__(self) -> str:
        lines = []
        for layer in self._shown:
            lines.append(f"{visible(layer, 60)}: {self.words(layer)}")
            shades = self.shades(layer)
            edges = [decimal(edge) for edge in np.linspace(self.low, self.high, len(shades) + 1)]
            width = max(map(len, edges))
            for edge, row in list(zip(edges, shades, strict=False))[::-1]:
                cells = "".join(_SHADES[_level(shade)] for shade in row)
                lines.append(f"  {edge:>{width}} |{cells}|")
        return "\n".join([*lines, *filter(None, [self._more])]) or "nothing was recorded"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """The same as HTML without a script."""
        about = (
            "the stronger the color, the more numbers of that call are in the interval (log scale)"
        )
        about += "; dashed: 0" if self.low < 0 < self.high else ""
        parts = [f"<div>{name(at, 60)}{self._drawing(at)}</div>" for at in self._shown]
        parts += [line(self._more, style=SOFT)] if self._more else []
        return framed(title("color_strip", about), *(parts or [line("nothing was recorded")]))

    def _drawing(self, layer: str) -> str:
        shades = self.shades(layer)
        bins, calls = shades.shape
        wide = min(_WIDEST, max(2, _WIDTH // max(1, calls)))
        tall = max(3, _HEIGHT // max(1, bins))
        paths: dict[int, list[str]] = {}
        for row, column in np.argwhere(shades > 0).tolist():
            x, y = column * wide, (bins - 1 - row) * tall
            level = _level(shades[row, column])
            paths.setdefault(level, []).append(f"M{x} {y}h{wide}v{tall}h-{wide}z")
        filled = "".join(
            f'<path d="{"".join(cells)}" fill="{either("value")}" fill-opacity="{level / 9:.2f}"/>'
            for level, cells in sorted(paths.items())
        )
        if self.low < 0 < self.high:  # where 0 is
            at = round(bins * tall * self.high / (self.high - self.low))
            filled += (
                f'<path d="M0 {at}h{calls * wide}" stroke="currentColor" stroke-dasharray="3 3"/>'
            )
        words = escape(self.words(layer))
        size = f'width="{calls * wide}" height="{bins * tall}"'
        style = "display:block;max-width:100%;border:1px solid rgba(128,128,128,.4)"
        small, spread = f"{SOFT};font-size:12px", "display:flex;justify-content:space-between"
        last = f"call {self.layers[layer].shape[1]:,}" if calls * wide > 120 else ""
        picture = (
            f'<svg viewBox="0 0 {calls * wide} {bins * tall}" {size} role="img" aria-label="{words}" '
            f'style="{style}">{filled}</svg>'
        )
        return (
            f'<div style="display:grid;grid-template-columns:auto minmax(0,auto);justify-content:start;gap:0 6px;max-width:100%">'
            f'<div style="{small};{spread};flex-direction:column;text-align:right;line-height:1">'
            f"<span>{decimal(self.high)}</span><span>{decimal(self.low)}</span></div>"
            f"{drawing(picture)}"
            f'<div></div><div style="{small};{spread}"><span>call 1</span><span>{last}</span></div></div>'
            f'<div style="{small};margin-bottom:6px">{words}</div>'
        )

    @own_style
    def figure(self) -> Any:
        """The strips, one below the other, as a matplotlib figure."""
        drawn = sheet(6, 0.6 + 1.4 * len(self._shown))
        axes = drawn.subplots(max(1, len(self._shown)), squeeze=False)[:, 0]
        for ax, layer in zip(axes, self._shown, strict=False):
            shades = self.shades(layer)
            ax.set_title(literal(layer), loc="left", fontsize=9)
            if not shades.size:
                continue
            box = (0, self.layers[layer].shape[1], self.low, self.high)
            ax.imshow(np.ones_like(shades), alpha=shades, cmap=_one_ink(), extent=box, aspect="auto", origin="lower")  # fmt: skip
            ax.set_xlabel("call")
            if self.low < 0 < self.high:
                ax.axhline(0, color=INK, linewidth=0.8, linestyle="--")
        return drawn


@refusing
def color_strip(
    histograms: Mapping[str, Sequence[Sequence[float]]], low: float = -4.0, high: float = 4.0
) -> ColorStrip:
    """How the numbers of each layer spread, call by call.

    Args:
        histograms: For each name a list with one histogram a call, the lowest interval first.
        low: Where the lowest interval begins.
        high: Where the highest one ends.

    Raises:
        ValueError: If the histograms of a layer differ in length, or `low` isn't below `high`.
    """
    if not float(low) < float(high):
        raise ValueError(f"color_strip() needs low < high; got {low} and {high}")
    layers = {str(at): _table(at, rows) for at, rows in dict(histograms).items()}
    return ColorStrip(layers, float(low), float(high))


def _table(layer: str, rows: Sequence[Sequence[float]]) -> np.ndarray:
    """The histograms of one layer as (bins, calls)."""
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        words = f"{lengths[0]} and {lengths[-1]}"
        raise ValueError(
            f"the histograms of {visible(layer, 60)!r} differ in length: {words} intervals"
        )
    return np.array([list(map(float, row)) for row in rows]).reshape(len(rows), *(lengths or [0])).T


def _merged(table: np.ndarray) -> np.ndarray:
    """At most so many columns as are drawn: neighbors added up."""
    each = _each(table.shape[1])
    return np.add.reduceat(table, range(0, table.shape[1], each), axis=1) if each > 1 else table


def _each(calls: int) -> int:
    """How many calls are added up in a column."""
    return -(-calls // _MOST) or 1


def _level(shade: float) -> int:
    """From 0 for an empty cell to 9; a cell that isn't empty has at least 1."""
    return max(1, round(9 * float(shade))) if shade > 0 else 0


def _one_ink() -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap([ink("value")])
