"""The certificate of the final exam: which layers run on the reader's Module, as one plain HTML file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from html import escape

from ..display import inline
from ..highlight import highlighted
from .checks import CHECKS, COLUMNS
from .final_report import NAMED, Fault, FinalReport
from .page import document, mark_of, unfolding, wrong_question
from .rebuilt import SPELLINGS

_FOOT = (
    "Every layer was rebuilt on this class in a process of its own, in which nbmodule's own Module had been emptied: "
    "the layers' `__init__` and `forward`, and the tensors, are nbmodule's, and all that they inherit is yours; two private "
    "names that PyTorch's layers call were added where it lacks them, in the words of its own methods. "
    "{checks} checks on {ways} ways to make and call {layers} layers compared its answers with those that the same "
    "layers give on nbmodule's Module, numbers bit for bit."
)
_SPELLED = (
    "PyTorch's layers call two private names that no chapter asks for. Where your class doesn't have them, the exam "
    "adds them, in the words of your own methods:"
)
_HELPERS = (
    "`make()` returns the layer, `run(layer)` what it computes from fixed inputs, `backward(outputs)` fills the "
    "gradients. `bits` says what is in a tensor, to the last bit."
)


def page_of(report: FinalReport, day: date | None = None) -> str:
    """Return the page of the final exam; `day` is as in `page.document`."""
    keys = [answer.question.key for answer in report.taken.answers]
    ways = len({key.partition("/")[0] for key in keys})
    families = [(family, report.families[family]) for family in report.families]
    body = [
        _table("Family", [(_linked(f), [report.cell(names, c) for c in COLUMNS]) for f, names in families]),
        *map(_fault, report.faults),
        *(_family(report, family, names) for family, names in families),
        "<h2><span>What was asked</span></h2>",
        f"<p>{inline(_HELPERS)}</p>",
        *map(_asked, COLUMNS),
        unfolding("Two spellings", "The lines that are added", SPELLINGS, _SPELLED),
    ]  # fmt: skip
    foot = _FOOT.format(checks=len(keys), ways=ways, layers=len(report.grid))
    return document(report, body, foot, day)


def _table(title: str, rows: Iterable[tuple[str, list[tuple[str, str]]]]) -> str:
    """Return a table of six columns; a row has a name in HTML, and for each column a state and what to write."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in (title, *COLUMNS))
    body = ""
    for name, cells in rows:
        inside = "".join(f"<td>{mark_of(state) if state else ''} {escape(text)}</td>" for state, text in cells)  # fmt: skip
        body += f'<tr><th scope="row">{name}</th>{inside}</tr>'
    return f'<table class="layers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _linked(family: str) -> str:
    return f'<a href="#{_anchor(family)}">{escape(family)}</a>'


def _anchor(family: str) -> str:
    return family.lower().replace(" ", "-")


def _family(report: FinalReport, family: str, names: tuple[str, ...]) -> str:
    rows = []
    for name in names:
        states = [report.grid[name].get(column, "") for column in COLUMNS]
        rows.append((f"<code>{escape(name)}</code>", [(s, "" if s else "–") for s in states]))
    whole = sum(set(report.grid[name].values()) == {"right"} for name in names)
    count = f'<span class="count">{whole} of {len(names)}</span>'
    heading = f'<h2 id="{_anchor(family)}"><span>{escape(family)}</span>{count}</h2>'
    return f'<section class="family">{heading}{_table("Layer", rows)}</section>'


def _fault(fault: Fault) -> str:
    names = ", ".join(f"<code>{escape(name)}</code>" for name in fault.layers)
    every = f'<p class="note">On {names}.</p>' if len(fault.layers) > NAMED else ""
    return wrong_question(fault.first, f"{mark_of('wrong')}{inline(fault.title)}") + every


def _asked(column: str) -> str:
    checks = [check for check in CHECKS if check.column == column]
    return "".join(
        f'<details class="question"><summary><strong>{escape(column)}</strong>: {inline(check.title)}</summary>'
        f"{highlighted(check.code)}</details>"
        for check in checks
    )
