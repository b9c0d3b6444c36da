"""A way through `__setattr__` as text and as HTML without a script."""

from __future__ import annotations

from html import escape

from nbmodule_widgets.lessons.flow import Ending, FlowFacts, Question, Row
from nbmodule_widgets.lessons.listing import listing_html, listing_text
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

_ANSWERS = {True: "yes", False: "no", None: "not asked"}


def verdict(found: FlowFacts) -> str:
    """What came of the line, in a sentence or two."""
    return f"{found.outcome.sentence} {found.outcome.error}".strip()


def doubt(found: FlowFacts) -> str:
    """A warning if the rules had predicted something else than what happened, otherwise the empty string."""
    if found.agrees is not False:
        return ""
    return "What happened is not what these rules predict: something else has a hand in it."


def removed_words(found: FlowFacts) -> str:
    """`"`fc` leaves `__dict__`"`: one name has one home; the empty string if it left no place."""
    if not found.removed:
        return ""
    places = " and ".join(f"`{place}`" for place in found.removed)
    return f"One name, one home: `{found.name}` leaves {places}."


def flow_text(found: FlowFacts) -> str:
    """The questions as a compact table."""
    lines = [f">>> {found.line}", found.clerk]
    if found.call:
        lines.insert(1, f"Python calls {found.call}")
    width = max((len(_text(row)) for row in found.rows), default=0)
    for at, row in enumerate(found.rows, 1):
        lines.append(f"  {at} {_text(row):<{width}}  {_asked(row.question)}".rstrip())
        if row.question is None or row.question.answer is row.leaves:
            if row.check is not None:
                lines.append(f"      {row.check.text}  {_asked(row.check)}")
            lines += [f"      → {ending.text}" for ending in row.endings if ending.lit]
    lines += [text for text in (removed_words(found),) if text]
    lines.append(f"On a copy: {verdict(found)}")
    lines += [f"! {text}" for text in (doubt(found), *found.notes) if text]
    return "\n".join([*lines, *listing_text(found.source, found.source_of)])


def _text(row: Row) -> str:
    return row.question.text if row.question is not None else "Otherwise"


def _asked(question: Question | None) -> str:
    if question is None:
        return ""
    because = f": {question.because}" if question.answer is not None and question.because else ""
    return f"{_ANSWERS[question.answer]}{because}"


def flow_html(found: FlowFacts) -> str:
    """The questions as a table, the way that was taken washed in colour."""
    rows, styles = [], []
    for at, row in enumerate(found.rows, 1):
        answer = row.question.answer if row.question is not None else row.lit
        reached = answer is not None and (row.question is not None or row.lit)
        ends = "".join(_ending(ending) for ending in row.endings)
        check = _question(row.check) if row.check is not None else ""
        question = _question(row.question) if row.question is not None else "<b>Otherwise</b>"
        rows.append((f"{at}", question, check + ends))
        styles.append("" if reached else SOFT)
    call = f'<div style="{SOFT}">Python calls <code style="{CODE}"><bdi>{escape(found.call)}</bdi></code></div>'
    wash = PROBLEM if found.outcome.error else FINE
    return framed(
        title(found.line, "which way the line takes"),
        call if found.call else "",
        line(found.clerk, "", "margin-bottom:6px"),
        table(("", "question", "where it leads"), rows, styles) if rows else "",
        line(removed_words(found)) if found.removed else "",
        line(f"On a copy: {verdict(found)}", wash, "font-weight:600"),
        *(line(f"! {text}", PROBLEM, "margin-top:4px") for text in (doubt(found), *found.notes) if text),
        listing_html(found.source, found.source_of),
    )  # fmt: skip


def _question(question: Question) -> str:
    wash = PICK if question.answer is not None else GREY
    because = f" {coded(question.because)}" if question.answer is not None else ""
    return f"<div>{coded(question.text)}{pill(_ANSWERS[question.answer], wash)}{because}</div>"


def _ending(ending: Ending) -> str:
    wash = "none" if not ending.lit else PROBLEM if ending.kind == "refused" else FINE
    weight = ";font-weight:600" if ending.lit else ""
    mark = "→ " if ending.lit else "✗ " if ending.kind == "refused" else "● "
    return f'<div style="background:{wash};border-radius:5px;padding:0 6px{weight}">{mark}{coded(ending.text)}</div>'
