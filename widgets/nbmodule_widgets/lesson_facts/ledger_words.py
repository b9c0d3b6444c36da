"""What a row of the ledger means, in a sentence; and the ledger as text and as HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nbmodule_widgets.facts import standing
from nbmodule_widgets.facts.words import count, shape_text, visible
from nbmodule_widgets.markup import (
    BUFFER,
    PARAMETER,
    PROBLEM,
    SOFT,
    coded,
    framed,
    line,
    name,
    pill,
    table,
    tag,
    unbroken,
)

if TYPE_CHECKING:
    from nbmodule_widgets.lesson_facts.ledger import LedgerFacts, LedgerRow

KINDS = {
    "parameter": "parameter",
    "buffer": "buffer",
    "own": "state of its own",
    "plain": "plain attribute",
    "listed": "in a list or dict",
    "hidden": "in a hidden Module",
    "class": "class attribute",
}
_WASHES = {"parameter": PARAMETER, "buffer": BUFFER, "own": BUFFER}
_ROWS = 200
_NEITHER = "not saved, not moved, not learned"


def verdict(row: LedgerRow, others: Sequence[str] = (), number: int = 0, home: str = "") -> str:
    """What the Module knows of a tensor.

    Args:
        row: The row.
        others: Paths of other places of the same object, at most three.
        number: How many other places there are.
        home: `"parameter"` or `"buffer"` if one of them lies in that drawer and this one in none; otherwise empty.
    """
    named = ", ".join(f"`{visible(path, 80)}`" for path in others)
    named += f" and {number - len(others):,} more" if number > len(others) else ""
    if home == "parameter":
        return f"Another name for {named}, where the Module finds it: the same object, so it moves along."
    if home:
        return (
            f"Another name for the buffer {named}, for now: `.to()` puts a new tensor into the drawer, and this name "
            "keeps the old one."
        )
    return _alone(row) + (f" The same object as {named}: counted once." if named else "")


def _alone(row: LedgerRow) -> str:
    if row.empty:
        return "Registered, but None: a place that is kept free, with nothing to learn or to save."
    if row.kind in ("parameter", "buffer"):
        return _registered(row)
    if row.kind == "own":
        return (
            "State of its own, outside the drawers, as `state_dict()` gives it: saved, but neither `parameters()` nor "
            "`.to()` knows of it."
        )
    what = "array" if row.what == "ndarray" else "tensor"
    if row.computed:
        return (
            f"A {what} that was computed from others, kept in a plain attribute: {_NEITHER}. What keeps it there, such as "
            "a hook or `forward`, has to recompute it after a change."
        )
    gradient = " It gets a gradient, but no optimizer is given it." if row.wants else ""
    if row.kind == "hidden":
        return (
            f"In a Module that no drawer holds: {_NEITHER}. Put that Module into `nn.ModuleList` or `nn.ModuleDict`, "
            "or assign it to an attribute of its own."
        )
    if row.kind == "class":
        return f"A {what} of the class, one for all its instances: {_NEITHER}."
    if row.kind == "listed":
        remedy = (
            "`nn.ParameterList`" if row.wants else "`register_buffer`, each under a name of its own"
        )
        return f"A {what} in a plain list or dict: {_NEITHER}. Use {remedy}.{gradient}"
    remedy = "`nn.Parameter(...)`" if row.wants else "`register_buffer`"
    return f"A plain {what}: {_NEITHER}. If it belongs to the model, use {remedy}.{gradient}"


def _registered(row: LedgerRow) -> str:
    whole = (
        " Its dtype stays: `.double()` casts floating point only."
        if row.dtype and not row.cast
        else ""
    )
    if row.kind == "parameter" and row.learned:
        return f"A parameter: learned, saved and moved.{whole}"
    if row.kind == "parameter":
        return f"A frozen parameter: saved and moved, but it takes no gradient, so it is not learned.{whole}"
    odd = " It requires a gradient, but no optimizer is given it." if row.wants else ""
    if row.remembered:
        return f"A buffer: remembered (saved and moved), never learned.{whole}{odd}"
    return f"A buffer with `persistent=False`: moved, but not saved and not learned.{whole}{odd}"


def moved_words(row: LedgerRow) -> str:
    """The column `moved`: `"yes"`, `"yes, stays int64"`, `"left behind"`."""
    if row.kind == "own" and row.after in ("", row.dtype):
        return "stays as it is"
    return "–" if row.empty else standing.moved_words(row.dtype, row.moved, row.cast, row.after)


def shape_words(row: LedgerRow) -> str:
    """`"(4, 3)"`, or why there is none."""
    return "None" if row.empty else "no shape yet" if row.shape is None else shape_text(row.shape)


def trial_words(known: LedgerFacts) -> str:
    """Whether the rules were tried on a copy, and what came of it."""
    trial = known.trial
    if trial is None:
        return "Read by the rules; not tried."
    if trial.problem:
        return f"Read by the rules; not tried on a copy: {trial.problem}"
    odd = sum(bool(row.tried) for row in known.rows)
    asked = ["`named_parameters()`"] if trial.reached is not None else []
    asked += ["`named_buffers()`"] if trial.kept is not None else []
    asked += ["`state_dict()`"] if trial.saved is not None else []
    asked += [f"`{trial.cast}`"] if trial.dtypes is not None else []
    if not asked:
        return "Read by the rules; the class has no method yet that could be tried."
    said = " and ".join(filter(None, (", ".join(asked[:-1]), asked[-1])))
    if odd:
        return f"Tried on a copy with {said}: {count(odd, 'row')} came out differently."
    if any(note.startswith("Its ") for note in trial.notes):
        return f"Tried on a copy with {said}: the rows came out as predicted; see also the notes."
    return f"Tried on a copy with {said}: all came out as predicted."


def ledger_text(known: LedgerFacts, words: Callable[[LedgerRow], str] = shape_words) -> str:
    """The ledger as a table in plain text.

    Args:
        known: The facts.
        words: What is written of a tensor, beside its name.
    """
    lines = [f"{visible(known.label, 60)}: {known.summary}"]
    rows = known.rows[:_ROWS]
    width = min(40, max((len(visible(row.path, 60)) for row in rows), default=0))
    shapes = min(40, max((len(words(row)) for row in rows), default=0))
    kinds = max((len(KINDS[row.kind]) for row in rows), default=0)
    if rows:
        head = f"  {'':<{width}}  {'':<{shapes}}  {'':<{kinds}}  learned  saved  moved by .double()"
        lines.append(head)
    for row in rows:
        mark = "⇄ " if row.twin >= 0 else "  "
        yes = ("✓" if row.learned else "–", "✓" if row.remembered else "–")
        place = (
            f"{visible(row.path, 60):<{width}}  {words(row):<{shapes}}  {KINDS[row.kind]:<{kinds}}"
        )
        lines.append(f"{mark}{place}  {yes[0]:<7}  {yes[1]:<5}  {moved_words(row)}".rstrip())
    if len(known.rows) > _ROWS:
        lines.append(f"… {len(known.rows) - _ROWS:,} more rows")
    named = [row for row in rows if row.verdict.startswith("Another name") and row.moved]
    special = [
        row
        for row in rows
        if (row.twin >= 0 or (row.group == "neither" and not row.empty)) and row not in named[2:]
    ]
    lines += [f"! {visible(row.path, 60)}: {row.verdict.replace('`', '')}" for row in special[:20]]
    if len(named) > 2:
        lines.append(f"! and {len(named) - 2:,} more such names of parameters, each marked with ⇄")
    odd = [row for row in rows if row.tried]
    lines += [
        f"! {visible(row.path, 60)}: on a copy, {row.tried}".replace("`", "") for row in odd[:20]
    ]
    lines += [f"! {note}" for note in (*known.notes, *(known.trial.notes if known.trial else ()))]
    return "\n".join([*lines, trial_words(known)])


def ledger_html(
    known: LedgerFacts, words: Callable[[LedgerRow], str] = shape_words, top: str = ""
) -> str:
    """The ledger as a table without a script.

    Args:
        known: The facts.
        words: What is written of a tensor, beside its name.
        top: HTML above the table.
    """
    washes = {"learned": PARAMETER, "remembered": BUFFER, "neither": PROBLEM}
    pills = "".join(
        pill(f"{tensors:,} {group}: {count(numbers, 'number')}", washes[group])
        for group, (tensors, numbers) in known.totals().items()
    )
    heads = ("", "shape", "where it is", "learned", "saved", "moved by .double()", "verdict")
    parts = [
        f'<div style="margin-bottom:6px"><b>{name(known.label, 60)}</b> {pills}</div>',
        top,
        table(heads, (_cells(row, words) for row in known.rows[:_ROWS])),
    ]
    if len(known.rows) > _ROWS:
        parts.append(line(f"… {len(known.rows) - _ROWS:,} more rows", "", SOFT))
    notes = (*known.notes, *(known.trial.notes if known.trial else ()))
    parts += [line(f"! {note}") for note in notes]
    return framed(*parts, line(trial_words(known), "", SOFT))


def _cells(row: LedgerRow, shape: Callable[[LedgerRow], str]) -> list[str]:
    twin = "⇄ " if row.twin >= 0 else ""
    known = row.learned or (row.kind == "buffer" and row.remembered)  # the marks say it all
    words = "" if known and row.cast and row.twin < 0 else row.verdict
    tried = f" On a copy: {row.tried}." if row.tried else ""
    return [
        twin + name(row.path),
        unbroken(shape(row)),
        tag(KINDS[row.kind], _WASHES.get(row.kind, PROBLEM)),
        unbroken("✓ learned" if row.learned else "–"),
        unbroken("✓ saved" if row.remembered else "–"),
        unbroken(moved_words(row)),
        coded(words + tried),
    ]
