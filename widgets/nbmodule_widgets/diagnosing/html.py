"""A diagnosis as HTML without a script."""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import quote

from nbmodule_widgets.diagnosing.records import CERTAIN, DiagnosisFacts, Finding
from nbmodule_widgets.diagnosing.text import headline
from nbmodule_widgets.markup import CODE, GREY, PROBLEM, SOFT, coded, framed, line, pill, title

_CARD = "border-left:3px solid rgba(128,128,128,.5);padding:4px 0 4px 10px;margin:8px 0"


def diagnosis_html(found: DiagnosisFacts) -> str:
    """The findings with their evidence, and what was not examined."""
    parts = [title("diagnose", headline(found)), *map(_card, found.found)]
    parts.append(line(f"Examined: {', '.join(found.examined) or 'nothing'}.", style=SOFT))
    parts += [line(f"Not examined: {note}.", style=SOFT) for note in found.unexamined]
    parts += [line(f"{note}.", style=SOFT) for note in found.outside]
    return framed(*parts)


def _card(each: Finding) -> str:
    wash = PROBLEM if each.certainty == CERTAIN else GREY
    head = f"<div><b><bdi>{escape(each.name)}</bdi></b>{pill(each.certainty, wash)}</div>"
    seen = "".join(f'<li style="margin:0">{coded(text)}</li>' for text in each.evidence if text)
    cure = f'<pre style="{CODE};margin:4px 0;padding:0;white-space:pre-wrap;font-size:12px">{escape(each.cure)}</pre>'
    return (
        f'<div style="{_CARD}">{head}<div>{coded(each.sentence + ".")}</div>'
        f'<ul style="margin:2px 0;padding-left:18px;{SOFT}">{seen}</ul>{cure}{_chapter(each)}</div>'
    )


def _chapter(each: Finding) -> str:
    """The chapter, as a link where the course lies beside the notebook."""
    number, _, words = each.chapter.partition(" ")
    there = sorted(Path.cwd().glob(f"{number}_*.ipynb")) if number else []
    text = f"Chapter {escape(each.chapter)}"
    linked = f'<a href="{escape(quote(there[0].name))}">{text}</a>' if there else text
    return f'<div style="{SOFT}">{linked}</div>' if words else ""
