"""The HTML twin of a pass: a picture of who ran when, each moment equally wide, and the log as nested `<details>`.

Inline styles only and no script, as front ends leave it of untrusted outputs; washes that read in light and in dark.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.inks import WHITE, either
from nbmodule_widgets.markup import PROBLEM, SOFT, coded, drawing, framed
from nbmodule_widgets.tracing.boxes import Box, boxes, lane_name, name_of, turning_point
from nbmodule_widgets.tracing.summary import hints, hook_lines, remarks, totals
from nbmodule_widgets.tracing.text import moment_text, summary_text

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import TraceFacts

_MOMENTS = 400  # written into a saved notebook; longer passes say how many more there are
_BOXES = 600  # drawn
_DEEPEST = 40  # nested <details>; browsers give up at some 500
_WIDE, _LANE, _NAMES = 960, 18, 80


def trace_html(found: TraceFacts, limit: int = _MOMENTS) -> str:
    """The pass as HTML without a script.

    Args:
        found: What `record` returned.
        limit: Most moments to write.
    """
    label = f"<b><bdi>{escape(visible(found.model.root.label, 120))}</bdi></b>"
    head = f'<div>{label} <span style="{SOFT}">one pass · {escape(totals(found))}</span></div>'
    notes = "".join(
        f'<div><span style="background:{PROBLEM};border-radius:9px;padding:1px 8px">! {escape(note)}</span></div>'
        for note in remarks(found)
    )
    ends = "".join(f"<div><bdi>{escape(line)}</bdi></div>" for line in summary_text(found))
    ends += "".join(f'<div style="{SOFT}">{coded(hint)}</div>' for hint in hints(found))
    log = f'<div style="font-family:monospace">{_log(found, limit)}</div>'
    more = len(found.events) - limit
    rest = f'<div style="{SOFT}">… {more:,} more moments</div>' if more > 0 else ""
    fold = f"<details><summary>moment by moment</summary>{log}{rest}</details>"
    return framed(head, notes, _picture(found), ends, fold)


def _log(found: TraceFacts, limit: int) -> str:
    """The moments; a call opens a fold and its return closes it, and so do the gradients of its output and input."""
    parts: list[str] = []
    open_calls: list[tuple[int, str]] = []  # call and the kind of moment that closes its fold
    for event in found.events[:limit]:
        text = f"<bdi>{escape(moment_text(found, event))}</bdi>"
        closes = {"call": "return", "gradient in": "gradient out"}.get(event.kind)
        if event.kind in ("loss", "gradient in") and any(end == "return" for _, end in open_calls):
            parts.append("</div></details>" * len(open_calls))  # a pass that never returned
            open_calls.clear()
        if (event.call, event.kind) in open_calls:
            while open_calls.pop() != (event.call, event.kind):
                parts.append("</div></details>")
            parts.append(f"<div>{text}</div></div></details>")
        elif closes and len(open_calls) < _DEEPEST and _comes(found, event.call, closes):
            opened = " open" if len(open_calls) < 2 else ""
            parts.append(
                f'<details{opened}><summary>{text.replace("▶ ", "", 1)}</summary><div style="margin-left:1.3em">'
            )
            open_calls.append((event.call, closes))
        else:
            parts.append(f"<div>{text}</div>")
    return "".join(parts) + "</div></details>" * len(open_calls)


def _comes(found: TraceFacts, call: int, closes: str) -> bool:
    """Whether the moment that closes a fold will come; gradients of inputs that ask for none do not."""
    if not 0 <= call < len(found.calls):
        return False
    return closes == "return" or found.calls[call].backward_us >= 0


def _picture(found: TraceFacts) -> str:
    """Who ran when, as SVG: a lane for each depth, forward solid, backward dashed, hooks as numbers."""
    drawn = boxes(found)
    shown = drawn[:_BOXES]
    if not shown:
        return ""
    size = max(1, len(found.events))
    lanes = min(1 + max(box.depth for box in shown), 14)
    each = _WIDE / size
    follows = _next_ones(shown, size)
    parts = [
        _rectangle(box, name_of(found, box), each, next_one)
        for box, next_one in zip(shown, follows, strict=True)
        if box.depth < lanes
    ]
    number = 0
    for line in hook_lines(found):
        number += not line.left_out
        for event in line.events[:50]:
            depth = found.events[event].depth
            if not line.left_out and depth < lanes:
                parts.append(_number(number, (event + 0.5) * each, depth))
    if found.failed >= 0:
        x, lane = (found.failed + 0.25) * each, min(found.events[found.failed].depth, lanes - 1)
        anchor, at = ("start", x + 5) if x < _WIDE - 80 else ("end", x - 5)
        parts.append(
            f'<path d="M{x:.1f} 16V{lanes * _LANE + 16}" stroke="{either("problem")}" stroke-width="2"/>'
            f'<text x="{at:.1f}" y="{29 + lane * _LANE}" text-anchor="{anchor}">⚠ failed</text>'
        )
    turn = turning_point(found)
    if turn < size:
        x = turn * each
        parts.append(
            f'<path d="M{x:.1f} 0V{lanes * _LANE + 16}" stroke="currentColor" opacity=".5"/>'
        )
        parts.append(f'<text x="{x + 4:.1f}" y="11">◀ backward</text>')
    parts.append('<text x="2" y="11">forward ▶</text>')
    parts += [
        f'<text x="-6" y="{28 + depth * _LANE}" text-anchor="end" opacity=".7">{lane_name(depth)}</text>'
        for depth in range(lanes)
    ]
    tall = lanes * _LANE + 18
    hidden = f"; {len(drawn) - len(shown):,} more calls not drawn" if len(drawn) > _BOXES else ""
    label = f"who ran when: {len(found.calls):,} calls, {size:,} moments from left to right{hidden}"
    return drawing(
        f'<svg viewBox="{-_NAMES} 0 {_WIDE + _NAMES} {tall}" width="100%" role="img" aria-label="{label}" '
        f'style="display:block;margin:6px 0;font:11px monospace" fill="currentColor">{"".join(parts)}</svg>'
    )


def _next_ones(shown: list[Box], size: int) -> list[int]:
    """For each box the event where the next one of its lane begins: gradients of several calls may overlap."""
    follows = [size] * len(shown)
    lanes: dict[int, int] = {}
    for number in sorted(range(len(shown)), key=lambda n: shown[n].first, reverse=True):
        follows[number] = lanes.get(shown[number].depth, size)
        lanes[shown[number].depth] = shown[number].first
    return follows


def _rectangle(box: Box, named: str, each: float, follows: int) -> str:
    x, width = box.first * each, max(1.0, (box.last + 1 - box.first) * each - 1)
    y = 16 + box.depth * _LANE
    colour, dash = (
        (either("backward"), ' stroke-dasharray="3 2"') if box.backward else (either("forward"), "")
    )
    parts = [
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_LANE - 2}" fill="{colour}" '
        f'fill-opacity=".2" stroke="{colour}"{dash}/>'
    ]
    room = int(min(width, (follows - box.first) * each) / 6.7) - 3
    if room > 0:
        name = named if len(named) <= room else named[: max(0, room - 1)] + "…"
        sign = "◀" if box.backward else "▶"
        parts.append(f'<text x="{x + 4:.1f}" y="{y + 12}">{sign} {escape(name)}</text>')
    return "".join(parts)


def _number(number: int, x: float, depth: int) -> str:
    y = 16 + depth * _LANE + _LANE // 2 - 1
    return (
        f'<circle cx="{x:.1f}" cy="{y}" r="7" fill="{either("hook")}"/>'
        f'<text x="{x:.1f}" y="{y + 4}" text-anchor="middle" fill="{WHITE}">{number}</text>'
    )
