"""A lookup as text and as HTML without a script."""

from __future__ import annotations

from html import escape

from nbmodule_widgets.lesson_facts.ladder import LookupFacts, Rung
from nbmodule_widgets.lesson_facts.listing import listing_html, listing_text
from nbmodule_widgets.markup import (
    CODE,
    FINE,
    GREY,
    PICK,
    PROBLEM,
    SOFT,
    coded,
    framed,
    line,
    pill,
    table,
    title,
)

_MARKS = {
    "found": "● found", "empty": "○ nothing", "passed": "↓ goes on", "hidden": "! hidden",
    "unasked": "· not asked", "absent": "– none", "raised": "✗ raised",
}  # fmt: skip
_WASHES = {"found": FINE, "hidden": PROBLEM, "raised": PROBLEM, "passed": PICK}


def mark_of(rung: Rung) -> str:
    """What became of a rung, as a sign and a word or two."""
    return _MARKS[rung.state]


def verdict(found: LookupFacts) -> str:
    """The end of the search in a sentence."""
    end = found.rungs[found.ended]
    if found.error:
        return found.error if end.step == "–" else f"ended at rung {end.step}: {found.error}"
    what = f": {found.result}" if found.tried.startswith("on ") else ""
    return f"found at rung {end.step}, {end.title}{what}"


def asked(found: LookupFacts) -> tuple[tuple[str, str], ...]:
    """What `hasattr`, `dir` and the Tab key say."""
    return (
        (f'hasattr({found.called}, "{found.name}")', found.hasattr),
        (f"dir({found.called})", found.dir),
        ("Tab", found.tab),
    )


def trial_words(found: LookupFacts) -> str:
    """Whether what is shown was tried, and whether it came out as predicted."""
    if not found.tried.startswith("on "):
        return f"Predicted by reading; {found.tried}."
    said = {True: ", and it came out as reading predicted", False: ", and it did NOT come out as reading predicted", None: "; only running your code could tell"}  # fmt: skip
    return f"Tried {found.tried}{said[found.agrees]}."


def lookup_text(found: LookupFacts) -> str:
    """The ladder as a compact table."""
    lines = [f"{found.label}: where Python looks for `{found.name}`"]
    width = max(len(rung.title) for rung in found.rungs)
    for rung in found.rungs:
        step = f"  {rung.step}" if len(rung.step) > 1 else rung.step
        head = f"  {step:<5}{rung.title:<{width}}  {mark_of(rung):<12}"
        lines.append(f"{head}  {rung.says}".rstrip())
    lines.append(f"→ {verdict(found)}")
    lines.append("  " + " · ".join(f"{what}: {says}" for what, says in asked(found)))
    lines.append(f"  {trial_words(found)}")
    if found.near:
        lines.append("  Did you mean " + " or ".join(f"`{name}`" for name in found.near) + "?")
    lines += [f"! {note}" for note in found.notes]
    return "\n".join([*lines, *listing_text(found.source, found.source_of)])


def lookup_html(found: LookupFacts) -> str:
    """The ladder as a table."""
    rows, styles = [], []
    for rung in found.rungs:
        deep = "padding-left:1.2em;" if len(rung.step) > 1 else ""
        name = f'<span style="{deep}white-space:nowrap">{escape(rung.step)} <b>{escape(rung.title)}</b></span>'
        mark = pill(mark_of(rung), _WASHES.get(rung.state, GREY))
        rows.append((name, mark, coded(rung.says)))
        styles.append("" if rung.looked or rung.state == "hidden" else SOFT)
    said = "".join(
        f'<span style="margin-right:1.2em"><code style="{CODE}">{escape(what)}</code> <b>{escape(says)}</b></span>'
        for what, says in asked(found)
    )
    near = " or ".join(f"`{name}`" for name in found.near)
    return framed(
        title(f"{found.called}.{found.name}", f"where Python looks for it in {found.label}"),
        table(("rung", "what became of it", ""), rows, styles),
        line(
            f"→ {verdict(found)}",
            PROBLEM if found.error else FINE,
            "font-weight:600;margin-bottom:4px",
        ),
        f"<div>{said}</div>",
        line(trial_words(found), "", SOFT),
        line(f"Did you mean {near}?") if near else "",
        *(line(f"! {note}", PROBLEM, "margin-top:4px") for note in found.notes),
        listing_html(found.source, found.source_of),
    )
