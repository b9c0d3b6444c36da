"""A comparison on its way to the page: one trait, a few numbers for each draw, 32 kB for an ordinary net."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbmodule_widgets.comparing import (
    ROLES,
    Combination,
    MaskFacts,
    ModesFacts,
    NormFacts,
    OutputFacts,
)
from nbmodule_widgets.comparing.text import SIGNS, TABLE, answers, missing
from nbmodule_widgets.facts.words import count, shape_text, size, visible

_MODULES = 400  # that travel; the page says how many more there are
_MASKS = 5_500  # bytes for all masks
_NORMS = _UNITS = 6_000  # bytes for all running statistics, and for the output
_ROLES = list(ROLES)


def packed(found: ModesFacts) -> dict[str, Any]:
    """The facts as one trait.

    Args:
        found: What `compare` returned.
    """
    shown = found.modules[:_MODULES]
    says: dict[str, int] = {}
    labels: dict[str, int] = {}
    paths = {module.path: n for n, module in enumerate(shown)}
    masks = [mask for mask in found.masks if mask.path in paths]
    norms = [norm for norm in found.norms if norm.path in paths]
    return {
        "label": found.label,
        "sentence": found.sentence,
        "problem": visible(found.problem, 400),
        "draws": found.draws,
        "seed": found.seed,
        "passes": found.passes,
        "notes": [visible(note, 400) for note in found.notes],
        "modules": [
            [
                module.name, _place(labels, visible(module.label, 120)), module.depth, _ROLES.index(module.role),
                _place(says, module.words), _flags(module), module.calls,
                *map(_short, (
                    module.difference, module.relative, module.mean_eval, module.std_eval,
                    module.mean_train, module.std_train,
                )),
            ]
            for module in shown
        ],
        "more": len(found.modules) - len(shown),
        "says": list(says),
        "labels": list(labels),
        "odd": f"keep the modes of the parts ({count(found.odd, 'module')})" * bool(found.odd),
        "roles": [[role, SIGNS[role], ROLES[role]] for role in _ROLES],
        "masks": [
            _mask(mask, paths[mask.path], shown[paths[mask.path]].role == "random in both", _MASKS // len(masks))
            for mask in masks
        ],
        "norms": [_norm(norm, paths[norm.path], _NORMS // len(norms)) for norm in norms],
        "output": _output(found.output) if found.output is not None else {},
        "table": _table(found.combinations) | {"later": missing(found.combinations, found.draws)},
    }  # fmt: skip


def _table(ran: tuple[Combination, ...]) -> dict[str, Any]:
    """The four combinations as a table of words."""
    names = [_words_of_buffers(one) for one in ran]
    cells = [list(answers(one)) for one in ran]
    for answered, moved in zip(cells, names, strict=True):
        answered[2] += moved
    for answered, one in zip(cells, ran, strict=True):
        answered[3] = one.output or answered[3]
    rows = [[title, *row] for title, row in zip(TABLE, zip(*cells, strict=True), strict=True)]
    if any(one.kept_bytes is not None for one in ran):
        kept = ["not known" if c.kept_bytes is None else size(c.kept_bytes) for c in ran]
        rows.append(["kept in memory for backward()", *kept])
    return {"columns": [[one.name, one.training] for one in ran], "rows": rows}


def _words_of_buffers(one: Combination) -> str:
    names = ", ".join(visible(name, 60) for name in one.moved[:3])
    more = " …" if len(one.moved) > 3 else ""
    return f": {names}{more}" if names and not one.problem else ""


def _flags(module: Any) -> int:
    """Three flags, each 0 (none), 1 (False) or 2 (True): before, under `train()`, under `eval()`; 27 if out of reach."""
    codes = [
        0 if flag is None else 1 + flag
        for flag in (module.flag, module.flag_train, module.flag_eval)
    ]
    return codes[0] + 3 * codes[1] + 9 * codes[2] + (0 if module.reached else 27)


def _short(number: float) -> float | None:
    """Four digits, as the page shows it; JSON knows no NaN."""
    return float(f"{number:.4g}") if math.isfinite(number) else None


def _mask(mask: MaskFacts, place: int, always: bool, room: int) -> dict[str, Any]:
    """So many units of each draw as there is room for, in whole bytes."""
    draws = max(1, len(mask.packed))
    units = min(mask.units, 8 * max(1, room // draws))
    rows = mask.rows if units == mask.units and mask.rows > 1 else 0
    return {
        "module": place, "units": units, "rows": rows,
        "words": _words_of_mask(mask, units), "noun": mask.what, "always": always, "scale": _short(mask.scale), "dropped": _short(mask.dropped),
        "bits": np.ascontiguousarray(mask.packed[:, : -(-units // 8)]).tobytes(),
    }  # fmt: skip


def _words_of_mask(mask: MaskFacts, units: int) -> str:
    said = "" if math.isnan(mask.p) else f" (1 - p = {1 - mask.p:.4g})"
    nouns = f"{mask.what}s"
    some = f"the first {units:,} of {mask.of:,} {nouns}" if units < mask.of else f"all {nouns}"
    where = "" if mask.what == "example" else " of the first example"
    return (
        f"Filled: kept; empty: dropped. {100 * mask.kept:.1f}% kept over all draws{said}. Given "
        f"{shape_text(mask.shape)}; shown: {some}{where}."
    )


def _place(known: dict[str, int], words: str) -> int:
    """Where words stand in a list that holds each text once."""
    return known.setdefault(words, len(known))


def _norm(norm: NormFacts, place: int, room: int) -> dict[str, Any]:
    """The first channels: batch statistics averaged over the draws, running ones after each draw."""
    moments = len(norm.running_mean)
    channels = min(norm.channels, norm.batch_mean.shape[1], 64, max(1, room // (8 * moments + 8)))
    some = f"; the first {channels} of {norm.channels:,} channels" if channels < norm.channels else ""  # fmt: skip
    return {
        "module": place, "channels": channels,
        "words": f"{norm.rule}. {count(norm.count, 'number')} per channel in a batch{some}.",
        "batch": _floats(np.stack([norm.batch_mean.mean(0), norm.batch_var.mean(0)])[:, :channels]),
        "running": _floats(np.stack([norm.running_mean, norm.running_var])[:, :, :channels]),
    }  # fmt: skip


def _output(output: OutputFacts) -> dict[str, Any]:
    """The units, for the first of them each draw, and the histograms."""
    draws = max(1, len(output.draws))
    units = max(1, min(output.units, _UNITS // (4 * (draws + len(output.after)))))
    some = f", the first {units} of {output.of:,}" if units < output.of else ""
    return {
        "title": f"output {output.name}{shape_text(output.shape)}: how often each value occurs",
        "unitsTitle": f"each number of the output{some}", "units": units,
        "eval": _floats(output.eval[:units]), "mean": _floats(output.mean[:units]),
        "std": _floats(output.std[:units]), "draws": _floats(output.draws[:, :units]),
        "low": float(output.edges[0]), "high": float(output.edges[-1]),
        "counts": _counts(output.eval_counts), "drawCounts": _counts(output.train_counts),
        "after": _floats(output.after[:, :units]), "afterCounts": _counts(output.after_counts),
    }  # fmt: skip


def _floats(array: np.ndarray) -> bytes:
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, np.float32).tobytes()


def _counts(array: np.ndarray) -> bytes:
    """Counts of at most 65,536 numbers, which fit into 16 bits but for the last."""
    return np.ascontiguousarray(np.minimum(array, 65_535), np.uint16).tobytes()
