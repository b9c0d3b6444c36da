"""The text twins: what a screen reader, a terminal, GitHub and the tests read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nbmodule_widgets.facts import (
    EntryFacts,
    ModuleFacts,
    NodeFacts,
    Note,
    SlotFacts,
    StateFacts,
    TensorFacts,
    Totals,
)
from nbmodule_widgets.facts.folding import Place, folded
from nbmodule_widgets.facts.model import Nodes
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.words import count, hooks_text, mode_text, size, visible

_ROWS = 300  # lines of a tree; a larger model says how many more there are
_DEEPEST = 30  # levels that are indented; further down the depth is said as a number
_FAR = "… "  # stands where no branch was drawn
_ENTRIES = 30  # lines of one drawer


def totals_text(totals: Totals) -> str:
    """`"4 modules · 7,850 parameters (all trainable) · 31.4 kB"`."""
    if totals.frozen == 0:
        split = " (all trainable)" if totals.parameters else ""
    elif totals.trainable == 0:
        split = " (all frozen)"
    else:
        split = f" ({totals.trainable:,} trainable, {totals.frozen:,} frozen)"
    parts = [count(totals.modules, "module"), count(totals.parameters, "parameter") + split]
    if totals.buffers:
        parts.append(f"{count(totals.buffers, 'number')} in buffers")
    return " · ".join([*parts, size(totals.nbytes), *totals.beside])


def tensor_marks(tensor: TensorFacts) -> list[str]:
    """What is special about a tensor: buffer, frozen, not saved."""
    marks = ["buffer"] if tensor.kind == "buffer" else []
    if not tensor.persistent:
        marks.append("not in state_dict")
    return marks


def tree_text(model: ModuleFacts, limit: int = _ROWS, fold: bool = True) -> str:
    """The model as an indented tree, one row a line.

    Args:
        model: What `facts` returned.
        limit: Most rows to write.
        fold: Whether neighbours that differ in their number alone are written once, as `0 … 11: Block x 12`.
    """
    nodes = model.nodes
    lines = [f"{_node_line(model, nodes[0])} · {mode_text(model.root.training)}"]
    lines.append(totals_text(model.totals))
    shown = folded(nodes, fold)
    rows = sum(nodes.of(spot.index).lines for spot in shown) - 1
    written = 0
    for spot, stem, inside in branches(nodes, shown):
        node = nodes[spot.index]
        if spot.index:
            lines.append(stem + _node_line(model, node, spot))
            written += 1
        items = (*node.tensors, *node.notes)
        ends = nodes.end[spot.index] == spot.index + 1
        for number, item in enumerate(items[: max(0, limit - written)], start=1):
            line = f"! {item.text}" if isinstance(item, Note) else _tensor_line(model, item)
            lines.append(branch(inside, node.depth - 1, ends and number == len(items)) + line)
            written += 1
        if written >= limit and rows > written:
            lines.append(f"… {rows - written:,} more rows")
            break
    return "\n".join(lines)


def branches(nodes: Nodes, shown: Iterable[Place]) -> Iterator[tuple[Place, str, str]]:
    """For each row the box drawing before it, and that before what lies in it.

    Args:
        nodes: The Modules.
        shown: The rows.
    """
    stems: list[str] = [""]  # for each depth what stands before the branches
    for spot in shown:
        depth = nodes.depth[spot.index]
        if depth == 0:
            yield spot, "", ""
            continue
        del stems[depth:]
        stem = stems[-1]
        far = depth > _DEEPEST
        stems.append(stem if far else stem + ("   " if spot.last else "│  "))
        yield spot, branch(stem, depth - 1, spot.last), stems[-1]


def branch(stem: str, depth: int, last: bool) -> str:
    """The box drawing before a line in a Module.

    Args:
        stem: What stands before the branches in it.
        depth: How deep the Module is.
        last: Whether nothing follows.
    """
    return stem + (_FAR if depth + 1 > _DEEPEST else "└─ " if last else "├─ ")


def _node_line(model: ModuleFacts, node: NodeFacts, spot: Place | None = None) -> str:
    name = f"{spot.name}: " if spot is not None else ""
    label = f"{visible(node.class_name, 60)}({node.extra})"
    times = spot.times if spot is not None else 1
    if times > 1:
        label += f" x {times:,}"
    if node.twin >= 0:
        kind = "cycle back to" if node.cycle else "same object as"
        return f"{name}{label} ⇄ {kind} {place(model, node.twin)}"
    parts = [name + label]
    if node.row and node.numel:
        parts.append(f"{node.numel:,}" + (" each" if times > 1 else ""))
    if node.row and node.training is not model.root.training:
        parts.append(mode_text(node.training))
    if node.lazy:
        parts.append("lazy")
    if node.hooks:
        parts.append(hooks_text(node.hook_kinds))
    return " · ".join(parts)


def _tensor_line(model: ModuleFacts, tensor: TensorFacts) -> str:
    parts = [f"{visible(tensor.name, 60)} {tensor_words(tensor)}", *tensor_marks(tensor)]
    if tensor.twin >= 0:
        parts.append(f"⇄ same object as {place(model, tensor.twin)}")
    return " · ".join(parts)


def place(model: ModuleFacts, row: int) -> str:
    """The path of a row as it is shown to people."""
    steps = model.steps(row)
    if len(steps) > 12:  # deep chains: the beginning and the end are enough to recognise it
        steps = [*steps[:6], "…", *steps[-5:]]
    return ".".join(visible(step, 40) for step in steps) or "the model itself"


def state_text(state: StateFacts) -> str:
    """The `__dict__` of a Module as a compact table."""
    lines = [f"{state.label}: what lies in its __dict__"]
    if state.untouched:
        lines.append("! no drawer is there: was `super().__init__()` called?")
    for slot in state.group("drawer"):
        lines += _slot_lines(slot)
    for slot in state.group("switch"):
        if slot.name == "training" or slot.entries or not slot.present:
            lines += _slot_lines(slot)
    hooks = state.group("hooks")
    lines.append(f"  {'hooks':<13} {state.hooks_summary}")
    lines += [line for slot in hooks if slot.entries for line in _slot_lines(slot)]
    if state.plain:
        lines.append(f"plain attributes, {state.plain_summary}")
        width = _width(state.plain)
        lines += [_entry_line(item, width) for item in state.plain[:_ENTRIES]]
        lines += _more(len(state.plain))
    else:
        lines.append("plain attributes: none")
    return "\n".join(lines)


def _slot_lines(slot: SlotFacts) -> list[str]:
    lines = [f"  {slot.name:<13} {slot.summary}"]
    if slot.problem:
        lines.append(f"    ! {slot.problem}")
    width = _width(slot.entries)
    lines += [_entry_line(item, width) for item in slot.entries[:_ENTRIES]]
    return lines + _more(len(slot.entries))


def _entry_line(item: EntryFacts, width: int) -> str:
    note = f"   ! {item.note}" if item.note else ""
    return f"    {visible(item.name, 60):<{width}}  {item.summary}".rstrip() + note


def _width(entries: tuple[EntryFacts, ...]) -> int:
    return min(24, max((len(item.name) for item in entries[:_ENTRIES]), default=0))


def _more(entries: int) -> list[str]:
    return [f"    … {entries - _ENTRIES:,} more"] if entries > _ENTRIES else []
