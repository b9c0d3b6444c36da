"""The comparison as HTML without a script, for saved notebooks."""

from __future__ import annotations

from html import escape

from nbmodule_widgets.comparing.records import ModesFacts, ModuleModes, OutputFacts
from nbmodule_widgets.comparing.text import (
    ROWS,
    SIGNS,
    TABLE,
    answers,
    mask_lines,
    missing,
    percent,
    spread,
)
from nbmodule_widgets.facts.words import count, decimal, visible
from nbmodule_widgets.markup import CODE, GREY, PICK, PROBLEM, SOFT, coded, framed, table, tag

_WASH = {
    "cause": PROBLEM, "random in both": PROBLEM, "holds a cause": PICK, "passes on": PICK,
}  # fmt: skip
_UNITS = 16


def modes_html(found: ModesFacts) -> str:
    """The comparison as HTML.

    Args:
        found: What `compare` returned.
    """
    parts = [
        f'<div style="margin-bottom:6px"><b>{coded(found.sentence)}</b></div>',
        table(
            ("module", "class", "train() against eval()", "|Δ|", "how it behaves"),
            [_row(m) for m in found.modules[:ROWS]],
        ),
    ]
    if len(found.modules) > ROWS:
        rest = count(len(found.modules) - ROWS, "module")
        parts.append(f'<div style="{SOFT}">… {rest} more</div>')
    parts.append('<div style="margin-top:8px"><b>train/eval is one switch, gradients are another</b></div>')  # fmt: skip
    columns = [answers(one) for one in found.combinations]
    rows = [[escape(cell) for cell in row] for row in zip(TABLE, *columns, strict=True)]
    parts.append(table(("", *(one.name for one in found.combinations)), rows))
    parts.append(f'<div style="{SOFT}">{missing(found.combinations, found.draws)}</div>')
    parts += [_mask(mask_lines(mask)) for mask in found.masks[:8]]
    for norm in found.norms[:8]:
        after = (1, -1) if len(norm.batch_mean) > 1 else (1,)
        name = visible(norm.path, 60) or "the model itself"
        head = f"<b>{escape(name)}</b>: mean of the batch, and the running mean channel by channel"
        rows = [
            [str(c), *(escape(decimal(float(x))) for x in (norm.batch_mean[:, c].mean(), *norm.running_mean[[0, *after], c]))]
            for c in range(min(8, norm.batch_mean.shape[1]))
        ]  # fmt: skip
        titles = ("channel", "batch", "running: start", "after 1 draw", f"after {len(norm.batch_mean)}")[:3 + len(after)]  # fmt: skip
        parts.append(f'<div style="margin-top:8px">{head}{table(titles, rows)}</div>')
        parts.append(f'<div style="{SOFT}">{escape(norm.rule)}</div>')
    if found.output is not None:
        parts.append(_output(found.output, found.draws))
    parts += [f'<div style="margin-top:4px">! {coded(visible(note, 400))}</div>' for note in found.notes]  # fmt: skip
    return framed(*parts)


def _row(module: ModuleModes) -> list[str]:
    indent = f"padding-left:{min(module.depth, 10)}em"
    name = f'<code style="{CODE};{indent}"><bdi>{escape(module.name)}</bdi></code>'
    wash = _WASH.get(module.role, GREY)
    mark = tag(f"{SIGNS[module.role]} {module.role}", wash)
    words = coded(visible(module.words, 400))
    return [name, f"<bdi>{escape(module.class_name)}</bdi>", mark, percent(module), words]


def _mask(lines: list[str]) -> str:
    rest = "<br>".join(escape(line) for line in lines[1:])
    return f'<div style="margin-top:8px">{escape(lines[0])}<div style="{CODE};line-height:1.2">{rest}</div></div>'


def _output(output: OutputFacts, draws: int) -> str:
    rows = [
        [
            str(unit),
            *(escape(decimal(float(x[unit]))) for x in (output.eval, *output.after[-1:], output.mean)),
            escape(decimal(spread(output, unit))),
        ]
        for unit in range(min(_UNITS, output.units))
    ]  # fmt: skip
    more = f'<div style="{SOFT}">… {output.of - _UNITS:,} more units</div>' if output.of > _UNITS else ""  # fmt: skip
    head = f"<b>output</b> {escape(visible(str(output.shape), 80))}"
    after = (f"eval() after {count(draws, 'draw')}",) if len(output.after) else ()
    titles = ("unit", "eval()", *after, f"train(): mean of {count(draws, 'draw')}", "std")
    if draws == 1:
        titles, rows = titles[:-1], [row[:-1] for row in rows]
    return f'<div style="margin-top:8px">{head}{table(titles, rows)}{more}</div>'
