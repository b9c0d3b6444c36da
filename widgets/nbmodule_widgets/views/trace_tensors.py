"""The tensors of a pass on their way to the page: each different one once, its statistics, and pictures of small ones."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmodule_widgets.facts.heat import heat_map
from nbmodule_widgets.facts.weights import colour_limit
from nbmodule_widgets.facts.words import count, shape_text, visible
from nbmodule_widgets.views.columns import Words, column
from nbmodule_widgets.views.parameters_wire import pack_heat

if TYPE_CHECKING:
    from nbmodule_widgets.facts.glance import Glance
    from nbmodule_widgets.tracing.records import TraceFacts

EXACT = 160  # tensors; of so many the statistics travel as they are, of more with three digits
WHOLE = 2048  # numbers; a kept tensor with no more is sent with the page
_IN_PAGE = 32_768  # numbers of kept tensors in all
_PICTURES = 200  # of tensors, in the page
_TILES = 4096  # cells of a picture that consists of several slices
_STEPS = 32_000  # of the scale of statistics that are not sent as they are

Referred = tuple[tuple[str, int], ...]  # tensors as names and numbers


class Tensors:
    """The different tensors of a pass, and the lists of them that events refer to.

    Args:
        found: What `record` returned.

    Attributes:
        glances: Each different tensor once, in the order in which they were met.
        given: For each event its tensors, as names and numbers.
        before: For the events that have one, the same before a hook ran: `(event, tensors)`.
    """

    def __init__(self, found: TraceFacts) -> None:
        self.glances: list[Glance] = []
        self._numbers: dict[Any, int] = {}
        self._known: dict[int, int] = {}  # most events hold an object that another one holds too
        self._lists: dict[Referred, int] = {}
        self.given: list[Referred] = []
        self.before: list[tuple[int, Referred]] = []
        groups, known = found.groups(), dict[int, Referred]({-1: ()})
        before = {event.number: event.before for event in found.at_hooks if event.before}
        for event, group in enumerate(found.columns()["group"].tolist()):
            if group not in known:
                known[group] = self._refer(groups[group])
            self.given.append(known[group])
            if event in before:
                self.before.append((event, self._refer(before[event])))

    def _refer(self, tensors: Sequence[tuple[str, Glance]]) -> Referred:
        return tuple((name, self._number(glance)) for name, glance in tensors)

    def _number(self, glance: Glance) -> int:
        known = self._known.get(id(glance))
        if known is None:
            known = self._numbers.setdefault(_identity(glance), len(self.glances))
            if known == len(self.glances):
                self.glances.append(glance)
            self._known[id(glance)] = known
        return known

    def code(self, referred: Referred) -> int:
        """How an event says it: 0 for none, n + 1 for the tensor n without a name, above these for a list."""
        if not referred:
            return 0
        if len(referred) == 1 and not referred[0][0]:
            return referred[0][1] + 1
        return len(self.glances) + 1 + self._lists.setdefault(referred, len(self._lists))

    def lists(self, words: Words) -> dict[str, Any]:
        """The lists that `code` has numbered."""
        items = [item for referred in self._lists for item in referred]
        return {
            "sizes": column([len(referred) for referred in self._lists]),
            "called": column([words.number(visible(name, 60)) for name, _ in items]),
            "listed": column([number for _, number in items]),
        }


def pack_kept(tensors: Tensors) -> dict[str, Any]:
    """The values of the tensors that were kept, as far as they go with the page.

    Args:
        tensors: Those of a pass.

    Returns:
        `here`: for each small tensor its picture, by its number; `larger`: of which tensors Python has the values.
    """
    here: dict[str, Any] = {}
    larger: list[int] = []
    used = 0
    for number, glance in enumerate(tensors.glances):
        if glance.values is None:
            continue
        if glance.numel > WHOLE or used + glance.numel > _IN_PAGE or len(here) >= _PICTURES:
            larger.append(number)
            continue
        here[str(number)] = picture(glance.values)
        used += glance.numel
    return {"here": here, "larger": larger}


def picture(values: np.ndarray) -> dict[str, Any]:
    """Kept values as a heat map for the page: the last two dimensions, and those before them as tiles.

    Args:
        values: A tensor's numbers. Of a large one as many tiles are shown as fit; if there is a batch, its first entry.
    """
    size = values.ndim
    if size < 3 or not 0 < values.shape[-1] * values.shape[-2] <= _TILES // 2:
        return pack_heat(heat_map(values))
    others = list(range(size - 2))
    first = len(others) > 1 and values.size > _TILES
    shown = values[0] if first else values
    rows, columns = values.shape[-2:]
    tiles = shown.reshape(-1, rows, columns)[: _TILES // (rows * columns)]
    across = min(len(tiles), max(1, round(math.sqrt(1.6 * len(tiles) * rows / columns))))
    down = -(-len(tiles) // across)
    cells = np.zeros((down * across, rows, columns), np.float32)
    with np.errstate(all="ignore"):
        cells[: len(tiles)] = tiles
    finite = np.abs(cells[np.isfinite(cells)].astype(np.float64))
    limit = (
        colour_limit(float(finite.max(initial=0)), math.sqrt(float(np.mean(finite**2))))
        if finite.size
        else 1.0
    )
    more = f" of {len(shown.reshape(-1, rows, columns)):,}" if tiles.size < shown.size else ""
    return {
        "shape": list(values.shape),
        "axes": [size - 2, size - 1],
        "index": [0] * size,
        "others": others[1:] if first else others,
        "rows": down * rows,
        "columns": across * columns,
        "tile": [rows, columns],
        "tiles": len(tiles),
        "used": tiles.size,
        "block": [1, 1],
        "steps": [],
        "limit": limit,
        "words": f"{count(len(tiles), 'slice') if not more else f'{len(tiles):,}{more} slices'} of {count(rows, 'row')} by {count(columns, 'column')}{', the first of the batch' if first else ''}",
        "cells": cells.reshape(down, across, rows, columns).swapaxes(1, 2).astype("<f4").tobytes(),
    }


def _identity(glance: Glance) -> Any:
    """What makes two tensors the same for the page."""
    values = glance.values
    kept: Any = None
    if values is not None:
        kept = values.tobytes() if values.size <= WHOLE else id(values)
    numbers = struct.pack("5d", glance.mean, glance.std, glance.low, glance.high, glance.zeros)
    return (
        glance.shape, glance.dtype, glance.device, numbers, glance.nans, glance.infs, glance.problem, kept,
    )  # fmt: skip


def pack_tensors(tensors: Tensors, words: Words) -> tuple[list[list[Any]], dict[str, Any]]:
    """The different tensors: what many of them share, and what each has of its own.

    Args:
        tensors: Those of a pass.
        words: Texts that events refer to; names of tensors are added.

    Returns:
        A table of forms (shape and dtype, how many numbers, zeros, what is odd, what was sampled); columns with the form and the statistics
        of each tensor and the lists of tensors.
    """
    glances = tensors.glances
    forms: dict[tuple[str, int, str, str, str], int] = {}
    # What makes a form -> its number: put into words once for many tensors.
    known: dict[Any, int] = {}
    form = []
    for g in glances:
        key = g.shape, g.dtype, g.device, g.numel, g.zeros, g.nans, g.infs, g.problem, g.every
        number = known.get(key)
        if number is None:
            said = _form(g), g.numel, _share(g.zeros), _odd(g), g.sampled
            number = known[key] = forms.setdefault(said, len(forms))
        form.append(number)
    table = np.array([[g.mean, g.std, g.low, g.high] for g in glances], dtype=np.float64)
    step = {"form": column(form), **tensors.lists(words), **statistics(table.reshape(-1, 4))}
    return [list(entry) for entry in forms], step


def statistics(table: np.ndarray) -> dict[str, Any]:
    """Statistics as float32, or, where there are many, as 16-bit steps of a logarithmic scale.

    Args:
        table: (tensors, 4) float64.

    Returns:
        `numbers`, row after row; `scale`, which is None for float32, else the binary logarithm of the least size and
        the length of a step. Codes from 1 on are sizes, with the sign in bit 15; 0 is zero, 0x7ffe infinite, 0xffff
        not a number.
    """
    if len(table) <= EXACT:
        with np.errstate(over="ignore"):
            return {"numbers": table.astype("<f4").tobytes(), "scale": None}
    with np.errstate(all="ignore"):
        logs = np.log2(np.abs(table))
        sized = logs[np.isfinite(logs)]
        low = float(sized.min()) if sized.size else 0.0
        step = max((float(sized.max()) - low) / _STEPS, 1e-6) if sized.size else 1.0
        codes = np.rint(np.nan_to_num((logs - low) / step, posinf=0, neginf=0)).clip(0, _STEPS) + 1
    codes[table == 0] = 0
    codes[np.isinf(table)] = 0x7FFE
    codes = codes.astype(np.int64) + np.where(table < 0, 0x8000, 0)
    codes[np.isnan(table)] = 0xFFFF
    return {"numbers": codes.astype("<u2").tobytes(), "scale": [low, step]}


def _form(glance: Glance) -> str:
    device = f" on {glance.device}" if glance.device not in ("cpu", "") else ""
    return visible(f"{shape_text(glance.shape)} {glance.dtype}{device}", 160)


def lines_of(glance: Glance) -> int:
    """How many lines a tensor takes in the table."""
    return 1 + bool(glance.nans or glance.infs or glance.problem) + (glance.every > 1)


def _odd(glance: Glance) -> str:
    counts = [(glance.nans, "NaN"), (glance.infs, "infinite")]
    found = [f"{number:,} {word}" for number, word in counts if number]
    found += [visible(glance.problem, 200)] if glance.problem else []
    return " · ".join(found)


def _share(zeros: float) -> str:
    """The share of zeros; no text where nothing was counted."""
    if not zeros > 0:
        return "" if math.isnan(zeros) else "0"
    return "all" if zeros >= 1 else f"{min(99, max(1, round(100 * zeros)))} %"
