"""The two columns of keys as text and as HTML, and the renaming as Python to copy."""

from __future__ import annotations

from collections import Counter
from html import escape

from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.keys import PROBLEMS, KeyFacts, KeyRow, Status
from nbmodule_widgets.lesson_facts.keys_renaming import Suggestion
from nbmodule_widgets.markup import (
    FINE,
    GREY,
    MONO,
    PROBLEM,
    SOFT,
    coded,
    framed,
    line,
    name,
    pill,
    table,
    tag,
)

WORDS: dict[Status, str] = {
    "matched": "matched",
    "shape": "shape differs",
    "value": "no tensor",
    "missing": "missing",
    "unexpected": "unexpected",
    "ignored": "ignored",
    "filled": "filled in",
    "untold": "not known",
}
MARKS: dict[Status, str] = {
    "matched": "═══",
    "shape": "═╳═",
    "value": "═╳═",
    "missing": "══ ",
    "unexpected": " ══",
    "ignored": " ··",
    "filled": "··═",
    "untold": " ··",
}
_WASHES: dict[Status, str] = {"matched": FINE, "filled": GREY, "ignored": GREY, "untold": GREY}
_ROWS = 120
_LINES = 20
_EXAMPLES = 3  # suggestions of one reason
_LEFT_OUT = (
    100  # keys that are named in code; where more do not fit, it is the state of another model
)


def counts_words(known: KeyFacts) -> str:
    """`"3 matched, 1 missing, 1 unexpected"`."""
    counts = known.counts()
    parts = [
        f"{number:,} {WORDS[status]}"
        for status, number in counts.items()
        if number or status == "matched"
    ]
    return ", ".join(parts)


def code(known: KeyFacts) -> str:
    """The renaming in Python; the empty string if nothing was renamed."""
    if not known.renames:
        return ""
    prefix = _only_prefix(known)
    if prefix:
        return f"state = {{key.removeprefix({prefix!r}): value for key, value in state.items()}}"
    lines = [f"    {old!r}: {new!r}," for old, new in known.renames]
    use = "state = {renames.get(key, key): value for key, value in state.items()}"
    return "\n".join(["renames = {", *lines, "}", use])


def _only_prefix(known: KeyFacts) -> str:
    """The prefix that all renamings take away, if no other key has it; otherwise the empty string."""
    old, new = known.renames[0]
    prefix = old.removesuffix(new)
    if not prefix or any(o != prefix + n for o, n in known.renames):
        return ""
    others = [r.original for r in known.rows if r.original is not None and not r.renamed]
    return "" if any(key.startswith(prefix) for key in others) else prefix


def remedy(known: KeyFacts) -> tuple[str, str]:
    """What to do where keys of another shape, or without a tensor, keep `load_state_dict` from it: in words, and in Python.

    Both are empty where nothing is in the way, and where hardly anything would be loaded.
    """
    wrong = [row for row in known.rows if row.status in ("shape", "value")]
    fitting = known.counts()["matched"]
    if not wrong or not fitting or len(wrong) > _LEFT_OUT:
        return "", ""
    keys = [repr(row.state_key) for row in wrong]
    lines = [f"misfits = {{{', '.join(keys)}}}"]
    if len(lines[0]) > 100:
        lines = ["misfits = {", *(f"    {key}," for key in keys), "}"]
    lines.append("state = {key: value for key, value in state.items() if key not in misfits}")
    lines.append("model.load_state_dict(state, strict=False)")
    these = "this key" if len(wrong) == 1 else f"these {len(wrong):,} keys"
    words = f"Without {these} `strict=False` loads the {count(fitting, 'key')} that fit; what {these} would fill stays as it is:"
    return words, "\n".join(lines)


def keys_text(known: KeyFacts) -> str:
    """The keys as a table: those of the model, the line between, those of the state."""
    lines = [f"{visible(known.label, 60)}: {counts_words(known)}"]
    rows = _chosen(known)
    left = min(44, max((len(_model(row)) for row in rows), default=0))
    for row in rows:
        said = WORDS[row.status] if row.status != "matched" else ""
        note = ": ".join(filter(None, (said, row.note))).replace("`", "'")
        lines.append(
            f"  {_model(row):<{left}}  {MARKS[row.status]}  {_state(row)}".rstrip()
            + (f"   ! {note}" if note else "")
        )
    lines += _more(known, len(rows))
    lines += [f"! {hint}".replace("`", "'") for hint in (*known.hints, *known.notes)]
    few = _examples(known)
    lines += [
        f"? {visible(one.old, 80)} → {visible(one.new, 80)}: {_because(one)}".replace("`", "'")
        for one in few
    ]
    if len(known.suggestions) > len(few):
        lines.append(f"… {len(known.suggestions) - len(few):,} more suggestions")
    lines += [
        f"  no key: {visible(key, 80)} ({why})".replace("`", "'")
        for key, why in known.left_out[:_LINES]
    ]
    lines += [words.replace("`", "'") for words in (known.strict_words, known.lenient_words)]
    words, python = remedy(known)
    return "\n".join([*lines, *filter(None, [code(known), words.replace("`", "'"), python])])


def _examples(known: KeyFacts) -> list[Suggestion]:
    """The first suggestions of each reason."""
    written: Counter[str] = Counter()
    few = []
    for one in known.suggestions:
        written[one.reason] += 1
        few += [one] if written[one.reason] <= _EXAMPLES else []
    return few[:_LINES]


def _because(one: Suggestion) -> str:
    return one.reason + ("" if one.fits else f", but {one.why_not}")


def _chosen(known: KeyFacts) -> list[KeyRow]:
    """The rows to write: all of a few, the problems first of many."""
    if len(known.rows) <= _ROWS:
        return list(known.rows)
    return sorted(known.rows, key=lambda row: row.status not in PROBLEMS)[:_ROWS]


def _more(known: KeyFacts, written: int) -> list[str]:
    rest = len(known.rows) - written
    return [f"… {count(rest, 'key')} more, problems first"] if rest else []


def _model(row: KeyRow) -> str:
    return (
        "" if row.model_key is None else f"{visible(row.model_key, 80)} {row.model_words}".rstrip()
    )


def _state(row: KeyRow) -> str:
    if row.original is None:
        return ""
    words = f"{visible(row.original, 80)} {row.state_words}".rstrip()
    return f"{words} (read as {visible(row.state_key, 80)})" if row.renamed else words


def keys_html(known: KeyFacts) -> str:
    """The two columns as a table without a script."""
    counts = known.counts()
    pills = "".join(
        pill(f"{number:,} {WORDS[status]}", _WASHES.get(status, PROBLEM))
        for status, number in counts.items()
        if number
    )
    rows = _chosen(known)
    parts = [
        f'<div style="margin-bottom:6px"><b>{name(known.label, 60)}</b> {pills}</div>',
        table(("the model's keys", "", "the state's keys", ""), (_cells(row) for row in rows)),
        *(line(rest, "", SOFT) for rest in _more(known, len(rows))),
        *(line(f"! {hint}") for hint in (*known.hints, *known.notes)),
    ]
    if known.suggestions:
        listed = [
            (name(one.old), "→ " + name(one.new), coded(_because(one))) for one in _examples(known)
        ]
        parts.append(table(("perhaps", "stands for", "because"), listed))
        rest = len(known.suggestions) - len(listed)
        parts += [line(f"… {rest:,} more suggestions", "", SOFT)] if rest else []
    if known.left_out:
        listed = [(name(key), coded(why)) for key, why in known.left_out[:_LINES]]
        parts.append(table(("without a key", "why"), listed))
    parts += [line(known.strict_words), line(known.lenient_words)]
    words, python = remedy(known)
    for before, lines in (("", code(known)), (words, python)):
        parts += [line(before)] if before else []
        if lines:
            parts.append(f'<pre style="{MONO};white-space:pre-wrap">{escape(lines)}</pre>')
    return framed(*parts)


def _cells(row: KeyRow) -> list[str]:
    def cell(key: str | None, words: str) -> str:
        return (
            "" if key is None else f'{name(key)} <span style="{SOFT};{MONO}">{escape(words)}</span>'
        )

    wash = _WASHES.get(row.status, PROBLEM)
    renamed = f" {tag('renamed')}" if row.renamed else ""
    return [
        cell(row.model_key, row.model_words),
        f'<span style="white-space:pre;{MONO}" aria-hidden="true">{MARKS[row.status]}</span>',
        cell(row.original, row.state_words) + renamed,
        tag(WORDS[row.status], wash) + coded(row.note),
    ]
