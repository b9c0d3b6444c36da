"""A recorded pass as it travels to the page: columns of numbers for the events, tables for what repeats.

A step of a 12-layer transformer is some six hundred events. Most of them say what another one says too: the output of
one module is the input of the next, and a gradient that leaves one arrives at another. So each different tensor is
sent once, and an event is a kind, a call, a time and a number in that table, five bytes in all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmodule_widgets.facts.heat import heat_map
from nbmodule_widgets.facts.weights import colour_limit
from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.tracing.boxes import turning_point
from nbmodule_widgets.tracing.summary import (
    HookLine,
    change_words,
    dropped_words,
    hook_lines,
    hook_name,
    never_lines,
    never_sentence,
    totals,
)
from nbmodule_widgets.views.parameters_wire import pack_heat
from nbmodule_widgets.views.trace_words import page_words

if TYPE_CHECKING:
    from nbmodule_widgets.facts.glance import Glance
    from nbmodule_widgets.tracing.records import TraceFacts

EXACT = 160  # tensors; of so many the statistics travel as they are, of more with three digits
WHOLE = 2048  # numbers; a kept tensor with no more is sent with the page
_IN_PAGE = 32_768  # numbers of kept tensors in all
_TILES = 4096  # cells of a picture that consists of several slices
_STEPS = 32_000  # of the scale of statistics that are not sent as they are
_LINES, _NOTES = 200, 50
_IN_SIGHT = 60  # rows of the tree

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
        for event in found.events:
            self.given.append(self._refer(event.tensors))
            if event.before:
                self.before.append((event.number, self._refer(event.before)))

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


class Words:
    """Texts that repeat, numbered."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        """The number of a text; 0 is the empty one."""
        return self._numbers.setdefault(text, len(self._numbers))

    def table(self) -> list[str]:
        """The texts in order."""
        return list(self._numbers)


def pack_trace(found: TraceFacts, tensors: Tensors) -> dict[str, Any]:
    """A pass as one trait.

    Args:
        found: What `record` returned.
        tensors: Its tensors.

    Returns:
        `step` (events and statistics) and `tree`, `words`, … (names and texts): JSON with bytes in it.
    """
    words = Words()
    step, what = _events(found, tensors)
    forms, numbers = _tensors(tensors, words)
    return {
        "tree": {**_tree(found), "reasons": _reasons(found)},
        "step": {**step, **numbers, **_calls(found)},
        "what": what,
        "forms": forms,
        **_odd_calls(found),
        "hooks": _lines(found),
        "totals": totals(found),
        "back": turning_point(found),
        "deepest": max((call.depth for call in found.calls), default=0),
        "span": _span(found),
        "failed": found.failed,
        "problem": quiet(found.problem, 2000),
        "notes": [visible(note, 300) for note in (dropped_words(found), *found.notes[:_NOTES]) if note],
        "words": words.table(),
        "unfold": _levels(found),
        **page_words(),
    }


def _levels(found: TraceFacts) -> int:
    """How many levels of the tree are unfolded at first: as many as can be looked over."""
    rows = np.cumsum(np.bincount(found.model.nodes.depth))
    return max(1, int(np.searchsorted(rows, _IN_SIGHT, "right")) - 1)


def _lines(found: TraceFacts) -> list[list[Any]]:
    """The lines below the timeline: a mark, a sentence, and the moment where it leads.

    A hook is marked by its number; `None` leads to the next moment where it runs, -1 nowhere.
    """
    lines: list[list[Any]] = []
    for number, line in enumerate(_ran(found), start=1):
        lines.append([number, line.sentence, None if line.events else -1])
    skipped = [line for line in hook_lines(found) if line.left_out]
    lines += [["✕", line.sentence, next(iter(line.events), -1)] for line in skipped[:_LINES]]
    if not lines:
        lines.append(["–", "no hooks of yours ran", -1])
    lines += [["–", never_sentence(line), -1] for line in never_lines(found)[:_LINES]]
    return lines


def _ran(found: TraceFacts) -> list[HookLine]:
    return [line for line in hook_lines(found) if not line.left_out][:_LINES]


def _reasons(found: TraceFacts) -> list[list[Any]]:
    """Why modules were never called: the reason, and their rows."""
    return [
        [visible(line.why, 300), column([never.node for never in line.modules if never.node >= 0])]
        for line in never_lines(found)[:_LINES]
    ]


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
        if glance.numel > WHOLE or used + glance.numel > _IN_PAGE:
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
    limit = colour_limit(float(finite.max(initial=0)), math.sqrt(float(np.mean(finite**2)))) if finite.size else 1.0
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
        "words": f"{len(tiles):,}{more} slices of {rows:,} rows by {columns:,} columns{', the first of the batch' if first else ''}",
        "cells": cells.reshape(down, across, rows, columns).swapaxes(1, 2).astype("<f4").tobytes(),
    }


def column(numbers: Sequence[int] | np.ndarray) -> dict[str, Any]:
    """Whole numbers from 0 as bytes, one, two or four for each, whichever is enough."""
    array = np.asarray(numbers, dtype=np.int64)
    highest = int(array.max()) if array.size else 0
    kind = "B" if highest < 2**8 else "H" if highest < 2**16 else "I"
    return {
        "kind": kind,
        "bytes": array.astype({"B": "u1", "H": "<u2", "I": "<u4"}[kind]).tobytes(),
    }


def _identity(glance: Glance) -> Any:
    """What makes two tensors the same for the page."""
    values = glance.values
    kept: Any = None
    if values is not None:
        kept = values.tobytes() if values.size <= WHOLE else id(values)
    numbers = (glance.mean, glance.std, glance.low, glance.high, glance.zeros)
    return (
        glance.shape, glance.dtype, glance.device, *map(repr, numbers), glance.nans, glance.infs,
        glance.problem, kept,
    )  # fmt: skip


def _tree(found: TraceFacts) -> dict[str, Any]:
    nodes = found.model.nodes
    names, classes = Words(), Words()
    kinds = [quiet(nodes.of(index).class_name, 60) for index in range(len(nodes))]
    called = [kinds[0], *(quiet(name, 80) for name in nodes.names[1:])]
    twins = {}
    rows = {row: index for index, row in enumerate(nodes.row)}
    for index in range(len(nodes)):
        pattern = nodes.of(index)
        if pattern.twin >= 0:
            twins[index] = rows.get(pattern.twin, 0)
    return {
        "name": column([names.number(name) for name in called]),
        "class": column([classes.number(kind) for kind in kinds]),
        "depth": column(nodes.depth),
        "names": names.table(),
        "classes": classes.table(),
        "twins": list(twins.items()),
    }  # fmt: skip


def _events(found: TraceFacts, tensors: Tensors) -> tuple[dict[str, Any], list[list[Any]]]:
    """Some five bytes for an event, and the table of what events are: kind, name, change, mark."""
    marks: dict[int, int] = {}
    for mark, line in enumerate(_ran(found), start=1):
        marks |= dict.fromkeys(line.events, mark)
    table: dict[tuple[str, str, str, int], int] = {}
    what, calls = [], []
    for event in found.events:
        said = (event.kind, event.name, event.changed, marks.get(event.number, 0))
        what.append(table.setdefault(said, len(table)))
        stranger = event.node + 1 + len(found.calls) if event.node >= 0 else 0
        calls.append(event.call + 1 if event.call >= 0 else stranger)
    times = np.array([event.at_us for event in found.events])
    ticks = np.rint(times * (65535 / _span(found))).clip(0, 65535).astype(int)
    before = [0] * len(what)
    for number, referred in tensors.before:
        before[number] = tensors.code(referred)
    step = {
        "what": column(what),
        "call": column(calls),
        "at": small(np.diff(ticks, prepend=0).clip(0).tolist()),
        "tensor": small(_near([tensors.code(given) for given in tensors.given], tensors)),
        "before": column(before if any(before) else ()),
    }
    kinds = [
        [kind, quiet(hook_name(name), 80), quiet(change_words(change), 300), mark] for kind, name, change, mark in table
    ]
    return step, kinds


def quiet(text: str, limit: int) -> str:
    """A visible text without backticks, with which the page sets off code."""
    return visible(text, limit).replace("`", "ˋ")


def small(numbers: Sequence[int]) -> bytes:
    """Whole numbers below 2**24 that are mostly below 255, as one byte each; 255 says that three more follow."""
    found = bytearray()
    for number in numbers:
        if number < 255:
            found.append(number)
        else:
            found += b"\xff" + number.to_bytes(3, "little")
    return bytes(found)


def _near(codes: Sequence[int], tensors: Tensors) -> list[int]:
    """Tensors as steps from the newest one so far, which are small: an event mostly has it, or one of the last ones.

    0 is none; otherwise 1 is added to twice the step forward, or to twice the step back less 1.
    """
    newest, found = 0, []
    for code in codes:
        step = code - newest
        found.append(0 if not code else 1 + (2 * step if step >= 0 else -2 * step - 1))
        if code <= len(tensors.glances):
            newest = max(newest, code)
    return found


def _span(found: TraceFacts) -> float:
    """Microseconds from the first event to the last one."""
    return max((event.at_us for event in found.events), default=0.0) or 1.0


def _calls(found: TraceFacts) -> dict[str, Any]:
    return {
        "node": column([call.node + 1 for call in found.calls]),
        "parent": column([call.parent + 1 for call in found.calls]),
    }


def _odd_calls(found: TraceFacts) -> dict[str, Any]:
    """The calls of Modules that the tree does not have, with path and class; and those that went another way."""
    strangers = [
        [call.number, [quiet(call.path, 120), quiet(call.class_name, 60)]]
        for call in found.calls
        if call.node < 0
    ]
    marks = [[c.number, "direct" if c.direct else "fused"] for c in found.calls if c.direct or c.fused]
    return {"strangers": strangers, "marks": marks}


def _tensors(tensors: Tensors, words: Words) -> tuple[list[list[Any]], dict[str, Any]]:
    """The forms of the different tensors (shape, how many numbers, zeros, what is odd), and their statistics."""
    glances = tensors.glances
    forms: dict[tuple[str, int, str, str], int] = {}
    form = [
        forms.setdefault((_form(g), g.numel, _share(g.zeros), _odd(g)), len(forms)) for g in glances
    ]
    table = np.array([[g.mean, g.std, g.low, g.high] for g in glances], dtype=np.float64)
    step = {"form": column(form), **tensors.lists(words), **statistics(table.reshape(-1, 4))}
    return [list(entry) for entry in forms], step


def _form(glance: Glance) -> str:
    device = f" on {glance.device}" if glance.device not in ("cpu", "") else ""
    return visible(f"{shape_text(glance.shape)} {glance.dtype}{device}", 160)


def _odd(glance: Glance) -> str:
    counts = [(glance.nans, "NaN"), (glance.infs, "infinite")]
    found = [f"{number:,} {word}" for number, word in counts if number]
    found += [f"every {glance.every:,}th number read"] if glance.every > 1 else []
    found += [visible(glance.problem, 200)] if glance.problem else []
    return " · ".join(found)


def _share(zeros: float) -> str:
    """The share of zeros; no text where nothing was counted."""
    if not zeros > 0:
        return "" if math.isnan(zeros) else "0"
    return "all" if zeros >= 1 else f"{min(99, max(1, round(100 * zeros)))} %"


def statistics(table: np.ndarray) -> dict[str, Any]:
    """Statistics as float32, or, where there are many, as 16-bit steps of a logarithmic scale.

    Args:
        table: (tensors, 4) float64.

    Returns:
        `numbers`, row after row; `scale`, which is None for float32, else the binary logarithm of the least size and
        the length of a step. Codes from 1 on are sizes, with the sign in bit 15; 0 is zero, 0x7fff infinite, 0xffff
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
    codes[np.isinf(table)] = 0x7FFF
    codes = codes.astype(np.int64) + np.where(table < 0, 0x8000, 0)
    codes[np.isnan(table)] = 0xFFFF
    return {"numbers": codes.astype("<u2").tobytes(), "scale": [low, step]}
