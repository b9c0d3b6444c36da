"""The page to keep: the result of an exam as one plain HTML file, without a script and without a server.

`page_of` writes that of the first exam; `document` and what stands below it are shared with the final one.
"""

from __future__ import annotations

from datetime import date
from html import escape
from pathlib import Path

import nbmodule

from ..display import inline
from ..highlight import highlighted
from ..mine import kept_file
from .questions import BEFORE
from .report import MARKS, ExamReport, Part, exercise_name, exercise_of_answer, link_to, told, why
from .suite import questions
from .taking import Answer

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_FOOT = (
    "Every question ran on your class alone, with nothing of nbmodule's standing in for what it lacks. "
    "PyTorch's answers were recorded on PyTorch 2.13, and are the same on nbmodule."
)


def page_of(report: ExamReport, day: date | None = None) -> str:
    """Return the page of the first exam; `day` is as in `document`."""
    body = [
        _chapters(report.parts),
        '<p class="from screen">Select a question to see its lines and the answer.</p>',
        *map(_section, report.parts),
        unfolding("Before every question", "These lines run first", BEFORE),
    ]
    return document(report, body, _FOOT, day)


def document(report: ExamReport, inside: list[str], foot: str, day: date | None) -> str:
    """Return a whole page.

    Args:
        report: the result.
        inside: what stands between the result and the reader's file, as HTML.
        foot: the last lines, as text.
        day: when the exam was taken; None means today.
    """
    day = day or date.today()
    title = escape(report.taken.exam.title)
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    made = f"{day:%B} {day.day}, {day.year}, with nbmodule {nbmodule.__version__}"
    body = [
        f"<h1>{title}</h1>",
        f'<p class="from">The class <code>Module</code> in {escape(report.taken.file.name)}, on {escape(made)}</p>',
        _result(report),
        *inside,
        _own(report.taken.file),
        f"<footer>{inline(foot)}</footer>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}: {escape(report.heading)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, body))
        + "\n</body>\n</html>\n"
    )


def _result(report: ExamReport) -> str:
    right, total = report.score
    number = f'<div class="number">{right} <small>of {total}</small></div>' if total else ""
    advice, first = inline(report.advice), report.begin_with
    if first is not None:
        advice = f'<a href="#{escape(first.question.key)}">{advice}</a>'
    said = f"<p><strong>{escape(report.heading)}.</strong></p><p>{advice}</p>"
    return f'<div class="result {report.tone}">{number}<div>{said}</div></div>'


def _chapters(parts: list[Part]) -> str:
    rows = [
        f'<tr><td>{mark_of(part.state)} <a href="#chapter-{part.number}">{escape(f"{part.number} {part.title}")}</a></td>'
        f"<td>{part.right} of {len(part.answers)}</td></tr>"
        for part in parts
    ]
    return f'<table class="chapters"><tbody>{"".join(rows)}</tbody></table>' if rows else ""


def _section(part: Part) -> str:
    name = escape(f"{part.number} {part.title}")
    link = f'<a href="{escape(part.file)}">{name}</a>' if part.file else name
    count = f'<span class="count">{part.right} of {len(part.answers)}</span>'
    heading = f'<h2 id="chapter-{part.number}"><span>{link}</span>{count}</h2>'
    return "\n".join([heading, *map(_question, part.answers)])


def _question(answer: Answer) -> str:
    question = answer.question
    note = why(answer, {each.key: each.title for each in questions()})
    note = f' <span class="note">({inline(note)})</span>' if note else ""
    title = f"{mark_of(answer.state)}{inline(question.title)}{note}"
    code = highlighted(question.code)
    if answer.state != "wrong":
        said = _pairs([("PyTorch", question.torch)])
        if answer.state == "right":
            said = _pairs([("PyTorch and yours", question.torch)])
        return f'<details class="question {answer.state}"><summary>{title}</summary>{code}{said}</details>'
    return wrong_question(answer, title)


def wrong_question(answer: Answer, title: str) -> str:
    """Return a question whose answer is wrong, below a title in HTML."""
    question = answer.question
    pairs = [(label, text) for label, text in told(answer) if label != "see"]
    href = escape(link_to(exercise_of_answer(answer)))
    link = f'<a href="{href}">{inline(exercise_name(answer))}</a>'
    return (
        f'<div class="question wrong" id="{escape(question.key)}"><div class="title">{title}</div>{highlighted(question.code)}'
        f"{_pairs(pairs)}<p>See {link} (in JupyterLab).</p></div>"
    )


def _pairs(pairs: list[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in pairs)
    return f"<dl>{rows}</dl>"


def _own(file: Path) -> str:
    """Return the reader's file as it was when the exam was taken."""
    try:
        text = kept_file.read(file)
    except (OSError, UnicodeDecodeError):
        return ""
    return unfolding(file.name, "The file that took the exam", text)


def unfolding(title: str, summary: str, code: str, sentence: str = "") -> str:
    """Return lines of code that a click shows, below a heading and perhaps a sentence."""
    before = f"<p>{inline(sentence)}</p>" if sentence else ""
    return (
        f'<div class="own"><h2><span>{escape(title)}</span></h2>{before}<details class="question">'
        f"<summary>▸ {escape(summary)}</summary>{highlighted(code)}</details></div>"
    )


def mark_of(state: str) -> str:
    """Return the mark of a state."""
    said = {"right": "right", "wrong": "wrong"}.get(state, "open")
    return f'<span class="mark {state}" role="img" aria-label="{said}">{MARKS[state][1]}</span>'
