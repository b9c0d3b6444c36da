"""The order of visits as text and as HTML: the tree with the number of each visit beside its place."""

from __future__ import annotations

from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.listing import listing_html, listing_text
from nbmodule_widgets.lesson_facts.visits import VisitFacts, Walk
from nbmodule_widgets.lesson_facts.visits_path import PathStep
from nbmodule_widgets.lesson_facts.visits_tree import VisitNode
from nbmodule_widgets.markup import GREY, MODULE, SOFT, coded, framed, line, name, pill, table, tag

_LINES = 120


def turns(walk: Walk) -> dict[int, str]:
    """For each place the numbers of its visits: `"3"`, `"2, 5"`."""
    found: dict[int, list[str]] = {}
    for step in walk.visits:
        found.setdefault(step.node, []).append(str(step.number))
    skipped = {step.node: "skipped" for step in walk.steps if step.kind == "skip"}
    ends = {step.node: "RecursionError" for step in walk.steps if step.kind == "cut"}
    return {**skipped, **ends, **{node: ", ".join(numbers) for node, numbers in found.items()}}


def with_parameters(known: VisitFacts, how: str) -> list[int]:
    """The places to show for a walk; parameters only where they are visited."""
    wanted = ("module", "parameter") if how == "named_parameters" else ("module",)
    return [index for index, node in enumerate(known.nodes) if node.kind in wanted]


def name_of(node: VisitNode) -> str:
    """`"fc1: Linear"`."""
    name = f"{visible(node.name, 60)}: " if node.parent >= 0 else ""
    return name + node.class_name


def twin_words(known: VisitFacts, node: VisitNode) -> str:
    """`"⇄ same object as fc1"`, or the empty string."""
    if node.twin < 0:
        return ""
    place = visible(known.nodes[node.twin].path, 80) or "the model itself"
    return f"⇄ {'cycle back to' if node.cycle else 'same object as'} {place}"


def summary(walk: Walk) -> str:
    """`"5 visits, 1 skipped"`."""
    skipped = sum(step.kind == "skip" for step in walk.steps)
    parts = [count(len(walk.visits), "visit")]
    parts += [f"{skipped} skipped"] if skipped else []
    parts += ["then RecursionError"] if _raises(walk) else []
    return ", ".join(parts)


def _raises(walk: Walk) -> bool:
    """Whether the walk ends with a RecursionError; a large tree may be cut off as well."""
    return any(step.kind == "cut" for step in walk.steps)


def visits_text(known: VisitFacts) -> str:
    """The tree with two columns of numbers, and what the object does itself."""
    walk, other = known.walk, known.other
    mine, theirs = turns(walk), turns(other)
    indices = with_parameters(known, known.how)
    first, second = (_width(column, w.call) for column, w in ((mine, walk), (theirs, other)))
    lines = [f"{visible(known.label, 60)}, {walk.call}: {walk.order}"]
    lines.append(f"  {walk.call:>{first}}  {other.call:>{second}}")
    for index in indices[:_LINES]:
        node = known.nodes[index]
        row = f"  {mine.get(index, ''):>{first}}  {theirs.get(index, ''):>{second}}  "
        lines.append(
            row + " ".join(filter(None, (_indent(node) + name_of(node), twin_words(known, node))))
        )
    if len(indices) > _LINES:
        lines.append(f"… {len(indices) - _LINES:,} more places")
    lines.append(f"{walk.call}: {summary(walk)}. {walk.verdict}".replace("`", ""))
    lines.append(f"{other.call}: {summary(other)}. {other.verdict}".replace("`", ""))
    lines += [
        f"! {step.words}".replace("`", "") for step in walk.steps if step.kind in ("skip", "cut")
    ][:20]
    lines += _path_lines(known)
    lines += [text for whose, source in walk.lines for text in listing_text(source, whose)]
    return "\n".join([*lines, *(f"! {note}" for note in known.notes)])


def _path_lines(known: VisitFacts) -> list[str]:
    """Where the path leads, and what the object's own methods say to it."""
    if known.path is None:
        return []
    chain = " → ".join(step_words(step) for step in known.path.steps)
    answers = [f"  {marked(a.same)} {a.call} {a.says}" for a in known.path.answers]
    return [line.replace("`", "") for line in (f"path: {chain}", known.path.words, *answers)]


def step_words(step: PathStep) -> str:
    """`"fc1: Linear"`; of a name that leads nowhere, `"fc9: nothing"`."""
    name = f"{step.name}: " if step.name else ""
    return f"{name}{step.what or 'nothing'}"


def marked(same: bool | None) -> str:
    """`"✓"`, `"✗"` or, where nothing could be compared, `"○"`."""
    return {True: "✓", False: "✗", None: "○"}[same]


def _width(column: dict[int, str], call: str) -> int:
    return min(40, max(len(call), *(len(text) for text in (*column.values(), ""))))


def _indent(node: VisitNode) -> str:
    return "  " * min(node.depth, 20)


def visits_html(known: VisitFacts) -> str:
    """The same as a table without a script."""
    walk, other = known.walk, known.other
    mine, theirs = turns(walk), turns(other)
    indices = with_parameters(known, known.how)
    rows = [_row(known, index, mine, theirs) for index in indices[:_LINES]]
    parts = [
        f"<div><b>{name(known.label, 60)}</b> {pill(walk.call, MODULE)}{coded(walk.order)}</div>",
        table((walk.call, other.call, "tree"), rows),
    ]
    if len(indices) > _LINES:
        parts.append(line(f"… {len(indices) - _LINES:,} more places", "", SOFT))
    parts += [line(f"`{w.call}`: {summary(w)}. {w.verdict}") for w in (walk, other)]
    skipped = [step.words for step in walk.steps if step.kind in ("skip", "cut")]
    parts += [line(f"! {words}", "", SOFT) for words in (*skipped[:20], *known.notes)]
    if known.path is not None:
        chain = " → ".join(name(step_words(step), 130) for step in known.path.steps)
        parts.append(f"<div><b>path</b> {chain}</div>")
        parts.append(line(known.path.words))
        parts += [line(f"{marked(a.same)} `{a.call}` {a.says}") for a in known.path.answers]
    parts += [listing_html(source, whose) for whose, source in walk.lines]
    return framed(*parts)


def _row(known: VisitFacts, index: int, mine: dict[int, str], theirs: dict[int, str]) -> list[str]:
    node = known.nodes[index]
    marks = [_mark(column.get(index, "")) for column in (mine, theirs)]
    twin = twin_words(known, node)
    inside = name(name_of(node), 130) + (f" {pill(twin)}" if twin else "")
    return [*marks, f'<div style="margin-left:{1.2 * min(node.depth, 30):.1f}em">{inside}</div>']


def _mark(text: str) -> str:
    if not text:
        return ""
    return tag(text, MODULE if text[0].isdigit() else GREY)
