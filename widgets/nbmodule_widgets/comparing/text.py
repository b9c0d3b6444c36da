"""The comparison as text: what a terminal, a screen reader, GitHub and the tests read."""

from __future__ import annotations

import math

from nbmodule_widgets.comparing.records import (
    Combination,
    MaskFacts,
    ModesFacts,
    ModuleModes,
    NormFacts,
    OutputFacts,
)
from nbmodule_widgets.facts.words import count, decimal, visible

ROWS = 60  # modules that are written; a larger model says how many more there are
_DETAILS = 8  # dropouts, and modules with running statistics, that are described
_CHANNELS = 6
_MASK = 32  # units of a mask

SIGNS = {
    "cause": "≠", "passes on": "→", "holds a cause": "⊃", "random in both": "⚂", "rounding": "≈",
    "same": "=", "not called": "·", "unknown": "?",
}  # fmt: skip
"""A sign for each role."""


def modes_text(found: ModesFacts) -> str:
    """The comparison, line by line.

    Args:
        found: What `compare` returned.
    """
    draws = f" ({count(found.draws, 'draw')})" if found.draws else ""
    lines = [f"{found.label}: the same input under train(){draws} and eval()", found.sentence, ""]
    lines += _modules(found.modules)
    lines += ["", "train/eval is one switch, gradients are another:", *_table(found.combinations)]
    later = missing(found.combinations, found.draws)
    lines += [f"  {later}"] if later else []
    for mask in found.masks[:_DETAILS]:
        lines += ["", *mask_lines(mask)]
    for norm in found.norms[:_DETAILS]:
        lines += ["", *_norm(norm)]
    left = max(0, len(found.masks) - _DETAILS) + max(0, len(found.norms) - _DETAILS)
    if left:
        lines.append(f"… {count(left, 'module')} more with masks or running statistics: see .facts")
    if found.output is not None:
        lines += ["", *_output(found)]
    if found.notes:
        lines.append("")
        lines += [f"! {visible(note, 400)}" for note in found.notes]
    return "\n".join(lines)


def _modules(modules: tuple[ModuleModes, ...]) -> list[str]:
    shown = modules[:ROWS]
    rows = [
        (
            f"{'  ' * min(m.depth, 8)}{m.name}",
            m.class_name,
            f"{SIGNS[m.role]} {m.role}",
            percent(m),
        )
        for m in shown
    ]
    widths = [max(len(row[n]) for row in rows) for n in range(3)]
    lines = []
    for row, module in zip(rows, shown, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append(f"{'  '.join(cells)}  {row[3]:>7}  {module.words}".rstrip())
    if len(modules) > ROWS:
        lines.append(f"… {count(len(modules) - ROWS, 'module')} more")
    return lines


def percent(module: ModuleModes) -> str:
    """How far the output is from that under `eval()`, as a share of its size: `"12%"`, `"0"`, `""`."""
    if math.isnan(module.relative):
        return "" if math.isnan(module.difference) or module.difference == 0 else decimal(module.difference)  # fmt: skip
    if module.relative == 0:
        return "0"
    share = 100 * module.relative
    return f"{share:.0f}%" if share >= 1 else "< 1%"


TABLE = (
    "graph recorded for backward()", "random numbers drawn", "buffers changed",
    "output, compared with the one with a graph",
)  # fmt: skip
"""What the four combinations are asked."""


def answers(one: Combination) -> tuple[str, ...]:
    """What a combination says to each question of `TABLE`."""
    if one.problem:
        return (f"raised {visible(one.problem, 80)}", "", "", "")
    graph = {True: "yes", False: "no", None: "not known"}[one.graph]
    output = one.output.partition(" (")[0] or "—"
    return graph, "yes" if one.random else "no", f"{len(one.moved)}" if one.moved else "no", output


def missing(ran: tuple[Combination, ...], draws: int) -> str:
    """What is said where the passes in `no_grad()` have not been run yet."""
    return (
        "The passes in no_grad() come with the second draw." if len(ran) < 4 and draws == 1 else ""
    )


def _table(table: tuple[Combination, ...]) -> list[str]:
    columns = [("", *TABLE), *((one.name, *answers(one)) for one in table)]
    widths = [max(len(cell) for cell in column) for column in columns]
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]


def mask_lines(mask: MaskFacts) -> list[str]:
    """A dropout in two lines and the masks of its first draws."""
    name = visible(mask.path, 60) or "the model itself"
    said = "" if math.isnan(mask.p) else f", 1 - p = {1 - mask.p:.4g}"
    scale = "" if math.isnan(mask.scale) else f"; a kept 1 becomes {mask.scale:.4g}, a dropped one {mask.dropped:.4g}"  # fmt: skip
    whole = "" if mask.what == "unit" else f" of the {mask.what}s"
    lines = [f"{name} keeps {100 * mask.kept:.1f}%{whole} over {count(len(mask.packed), 'draw')}{said}{scale}"]  # fmt: skip
    for draw in range(min(4, len(mask.packed))):
        kept = mask.mask(draw)[:_MASK]
        more = "…" if mask.of > _MASK else ""
        lines.append(f"  draw {draw + 1}: {''.join('█' if one else '·' for one in kept)}{more}")
    return lines


def _norm(norm: NormFacts) -> list[str]:
    name = visible(norm.path, 60) or "the model itself"
    lines = [
        f"{name}: {count(norm.channels, 'channel')}, {count(norm.count, 'number')} per channel in a batch"
    ]
    draws = len(norm.batch_mean)
    after = (0, 1, draws) if draws > 1 else (0, 1)
    moments = "start, 1 draw" + (f", {draws} draws" if draws > 1 else "")
    lines.append(f"  channel  batch mean  {f'running mean: {moments}':<32}  batch var   running var: the same")  # fmt: skip
    for channel in range(min(_CHANNELS, norm.batch_mean.shape[1])):
        cells = []
        for batch, running in ((norm.batch_mean, norm.running_mean), (norm.batch_var, norm.running_var)):  # fmt: skip
            moved = " → ".join(decimal(float(running[at, channel])) for at in after)
            cells.append(f"{decimal(float(batch[:, channel].mean())):>10}  {moved:<32}")
        lines.append(f"  {channel:>7}  {'  '.join(cells)}".rstrip())
    if norm.channels > _CHANNELS:
        lines.append(f"  … {norm.channels - _CHANNELS:,} more channels")
    lines.append(f"  {norm.rule}")
    return lines


def spread(output: OutputFacts, unit: int) -> float:
    """The standard deviation of a unit over the draws; 0 if it is rounding alone."""
    std = float(output.std[unit])
    return 0.0 if std <= 1e-6 * abs(float(output.mean[unit])) else std


def _output(found: ModesFacts) -> list[str]:
    output = found.output
    assert output is not None
    lines = [f"output {output.shape}{output.name and f' at {output.name}'}, {count(found.draws, 'draw')} from seed {found.seed}"]  # fmt: skip
    one = found.draws == 1
    after = f"eval() after {count(found.draws, 'draw')}" if len(output.after) else ""
    head = f"{after}  " if after else ""
    lines.append(f"  unit  eval()      {head}train(){'' if one else ': mean ± std'}")
    for unit in range(min(_CHANNELS, output.units)):
        mean, std = decimal(float(output.mean[unit])), decimal(spread(output, unit))
        then = f"{decimal(float(output.after[-1, unit])):<{len(head)}}" if after else ""
        lines.append(f"  {unit:>4}  {decimal(float(output.eval[unit])):<10}  {then}{mean}{'' if one else f' ± {std}'}")  # fmt: skip
    if output.of > _CHANNELS:
        lines.append(f"  … {output.of - _CHANNELS:,} more units")
    return lines
