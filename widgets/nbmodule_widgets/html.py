"""The static twins: HTML without a script, for saved notebooks, GitHub and e-mail.

Inline styles only, because front ends cut style sheets out of untrusted outputs; and colours that are
transparent washes over whatever the page has, so that they read in light and in dark.
"""

from __future__ import annotations

from html import escape

from nbmodule_widgets.facts import (
    EntryFacts,
    ModuleFacts,
    NodeFacts,
    Note,
    SlotFacts,
    StateFacts,
    TensorFacts,
)
from nbmodule_widgets.facts.folding import Place, folded
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.words import count, hooks_text, size, visible
from nbmodule_widgets.markup import (
    BOX,
    BUFFER,
    CODE,
    FRAME,
    GREY,
    MODULE,
    PARAMETER,
    PROBLEM,
    SOFT,
    pill,
)

_NODES = 300  # modules written into a saved notebook; larger models say how many more there are
_ITEMS = 100  # parameters, buffers and notes of one module
_DEEPEST = 40  # nested <details>; browsers give up at some 500
_ENTRIES = 60

_WASH = {"_parameters": PARAMETER, "_buffers": BUFFER, "_modules": MODULE}


def tree_html(model: ModuleFacts, limit: int = _NODES, fold: bool = True) -> str:
    """The model as nested `<details>`.

    Args:
        model: What `facts` returned.
        limit: Most modules to write.
        fold: Whether neighbours that differ in their number alone are written once, as `0 … 11: Block x 12`.
    """
    totals = model.totals
    pills = [
        pill(count(totals.modules, "module"), MODULE),
        pill(count(totals.parameters, "parameter"), PARAMETER),
        pill(f"{totals.trainable:,} trainable", GREY),
        pill(f"{totals.frozen:,} frozen", GREY) if totals.frozen else "",
        pill(f"{count(totals.buffers, 'number')} in buffers", BUFFER) if totals.buffers else "",
        pill(size(totals.nbytes), GREY),
        *(pill(words, GREY) for words in totals.beside),
    ]
    head = f'<div style="margin-bottom:6px">{"".join(pills)}</div>'
    tree = f'<div style="font-family:monospace">{_branches(model, limit, fold)}</div>'
    return f'<div style="{FRAME}">{head}{tree}</div>'


def _branches(model: ModuleFacts, limit: int, fold: bool) -> str:
    """The nested part, written front to back with a list of the tags still open."""
    parts: list[str] = []
    open_at: list[int] = []  # depth of each <details> that is open
    shown = folded(model.nodes, fold)
    for place in shown[:limit]:
        index, node = place.index, model.nodes[place.index]
        line = _node_line(model, node, place)
        while open_at and open_at[-1] >= node.depth:
            parts.append("</div></details>")
            open_at.pop()
        inside = node.tensors or node.notes or model.nodes.end[index] > index + 1
        if not inside:
            parts.append(f'<div style="margin-left:1.1em">{line}</div>')
        elif node.depth > _DEEPEST:
            deep = f'<span style="{SOFT}">level {node.depth:,}</span> '
            parts.append(f"<div>{deep}{line}</div>")
        else:
            opened = " open" if node.depth < 2 else ""
            parts.append(f"<details{opened}><summary>{line}</summary>")
            parts.append('<div style="margin-left:1.3em">')
            items = (*node.tensors, *node.notes)
            parts += [_item_line(model, item) for item in items[:_ITEMS]]
            if len(items) > _ITEMS:
                parts.append(f'<div style="{SOFT}">… {len(items) - _ITEMS:,} more rows</div>')
            open_at.append(node.depth)
    parts.append("</div></details>" * len(open_at))
    if len(shown) > limit:
        rest = count(sum(place.times for place in shown[limit:]), "module")
        parts.append(f'<div style="{SOFT}">… {rest} more</div>')
    return "".join(parts)


def _node_line(model: ModuleFacts, node: NodeFacts, place: Place) -> str:
    name = f"<b>{escape(place.name)}</b>: " if node.row else ""
    extra = f'<span style="{SOFT}">({escape(node.extra)})</span>'
    parts = [f"<bdi>{name}{_safe(node.class_name, 60)}{extra}</bdi>"]
    each = ""
    if place.times > 1:
        parts.append(f" <b>x {place.times:,}</b>")
        each = " each"
    if node.twin >= 0:
        kind = "cycle back to" if node.cycle else "same object as"
        parts.append(pill(f"⇄ {kind} {_place(model, node.twin)}", GREY))
        return "".join(parts)
    if node.numel:
        parts.append(pill(f"{node.numel:,}{each}", PARAMETER))
    mode = {True: "● train", False: "○ eval", None: "no training flag"}[node.training]
    if not node.row or node.training is not model.root.training:
        parts.append(pill(mode, GREY))
    if node.lazy:
        parts.append(pill("lazy", GREY))
    if node.hooks:
        parts.append(pill(hooks_text(node.hook_kinds), GREY))
    return "".join(parts)


def _item_line(model: ModuleFacts, item: TensorFacts | Note) -> str:
    if isinstance(item, Note):
        wash = PROBLEM if item.kind in ("problem", "hidden") else GREY
        return f"<div>{pill('! ' + item.text, wash)}</div>"
    words = f'<span style="{SOFT}">{escape(tensor_words(item))}</span>'
    parts = [
        f"<bdi>{_safe(item.name, 60)} {words}</bdi>",
        pill("buffer", BUFFER) if item.kind == "buffer" else "",
        "" if item.persistent else pill("not in state_dict", GREY),
        pill(f"⇄ same object as {_place(model, item.twin)}", GREY) if item.twin >= 0 else "",
    ]
    return f'<div style="margin-left:1.1em">{"".join(parts)}</div>'


def _place(model: ModuleFacts, row: int) -> str:
    return visible(".".join(model.steps(row)[-8:]), 80) or "the model itself"


def state_html(state: StateFacts) -> str:
    """The `__dict__` of a Module as drawers."""
    title = f'<code style="{CODE};font-weight:600">{_safe(state.label, 120)}</code>'
    head = f'<div style="margin-bottom:8px"><bdi>{title}</bdi> <span style="{SOFT}">what lies in its <code style="{CODE}">__dict__</code></span></div>'
    if state.untouched:
        head += (
            f"<div>{pill('! no drawer is there: was super().__init__() called?', PROBLEM)}</div>"
        )
    drawers = "".join(_drawer(slot) for slot in state.group("drawer"))
    switches = "".join(_switch(slot) for slot in state.group("switch"))
    hooks = state.group("hooks")
    listed = "".join(_switch(slot) for slot in hooks)
    folded = f'<details style="margin-top:6px"><summary>{escape(state.hooks_summary)}</summary>{listed}</details>'
    return f'<div style="{FRAME}">{head}{drawers}{switches}{folded}{_plain(state)}</div>'


def _drawer(slot: SlotFacts) -> str:
    border = "solid" if slot.present else "dashed"
    style = f"{BOX};border-style:{border};background:{_WASH[slot.name]};margin-bottom:6px"
    heading = (
        f'<div><code style="{CODE};font-weight:600">{slot.name}</code> '
        f'<span style="{SOFT}">{escape(slot.meaning)}: {escape(slot.summary)}</span></div>'
    )
    problem = f"<div>{pill('! ' + slot.problem, PROBLEM)}</div>" if slot.problem else ""
    return f'<div style="{style}">{heading}{problem}{_entries(slot.entries)}</div>'


def _switch(slot: SlotFacts) -> str:
    meaning = f' <span style="{SOFT}">{escape(slot.meaning)}</span>' if slot.meaning else ""
    line = f'<code style="{CODE}">{slot.name} = {escape(slot.summary)}</code>{meaning}'
    problem = pill("! " + slot.problem, PROBLEM) if slot.problem else ""
    return f'<div style="margin-left:.8em">{line}{problem}{_entries(slot.entries)}</div>'


def _plain(state: StateFacts) -> str:
    style = f"{BOX};border-style:dotted;margin-top:8px"
    note = state.plain_summary
    inside = _entries(state.plain) or f'<div style="{SOFT};margin-left:1em">none</div>'
    return f'<div style="{style}"><b>plain attributes</b> <span style="{SOFT}">{note}</span>{inside}</div>'


def _entries(entries: tuple[EntryFacts, ...]) -> str:
    lines = [_entry(item) for item in entries[:_ENTRIES]]
    if len(entries) > _ENTRIES:
        lines.append(
            f'<div style="{SOFT};margin-left:1em">… {len(entries) - _ENTRIES:,} more</div>'
        )
    return "".join(lines)


def _entry(item: EntryFacts) -> str:
    note = pill("! " + item.note, PROBLEM) if item.note else ""
    text = f"<b><bdi>{_safe(item.name, 60)}</bdi></b> <bdi>{escape(item.summary)}</bdi>"
    return f'<div style="margin-left:1em"><code style="{CODE}">{text}</code>{note}</div>'


def _safe(text: str, limit: int) -> str:
    return escape(visible(text, limit))
