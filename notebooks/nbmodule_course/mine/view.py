"""The class as it has grown: each method, whose it is, which exercise it came with, and its source."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from textwrap import dedent
from typing import Any

from ..display import Displayed, card, inline, paragraph, preformatted, symbol
from ..highlight import highlighted
from ..markers import without_markers
from ..numbering import chapter_of_id, order_of
from ..wording import counted
from .cells import owner_of
from .course_map import beside_by_chapter, methods_by_chapter
from .loading import Origin
from .solutions import beside_module
from .together import functions_in

_MARKS = {"yours": ("good", "✓"), "ours": ("open", "○")}


@dataclass(frozen=True)
class Row:
    """One method or function.

    Attributes:
        name: what it is called.
        whose: "yours" or "ours".
        exercise_id: where it was written; '' for what was added by hand.
        source: its text; '' if it is not known.
    """

    name: str
    whose: str
    exercise_id: str
    source: str

    @property
    def chapter(self) -> str:
        """Return the number of the chapter that it came with; '' if it was added by hand."""
        return chapter_of_id(self.exercise_id)

    @property
    def note(self) -> str:
        """Return whose it is, in words."""
        if self.whose == "ours":
            return f"ours: exercise {self.exercise_id} is still open"
        return f"yours, exercise {self.exercise_id}" if self.exercise_id else "yours"


@dataclass(frozen=True, repr=False)
class GrowingClass(Displayed):
    """The reader's class.

    Attributes:
        methods: those that it has, in the order of the course.
        functions: those beside it.
        missing: for each later chapter what the reader writes there; nbmodule lends the methods and layers until then.
        layers: the reader's own layers, each with its methods.
        tape: the same of the classes in `my_tape.py`; its functions stand under ''.
    """

    methods: tuple[Row, ...]
    functions: tuple[Row, ...]
    missing: tuple[tuple[str, tuple[str, ...]], ...]
    layers: tuple[tuple[str, tuple[Row, ...]], ...] = ()
    tape: tuple[tuple[str, tuple[Row, ...]], ...] = ()

    @property
    def heading(self) -> str:
        """Return one line: how much of it is the reader's."""
        yours = sum(row.whose == "yours" for row in self.methods)
        ours = len(self.methods) - yours
        verb = "is" if yours == 1 else "are"
        parts = [f"{counted(yours, 'method')} {verb} yours"]
        if ours:
            parts.append("1 is ours" if ours == 1 else f"{ours} are ours")
        beside = {name for names in beside_by_chapter().values() for name in names}
        lent = sum(name not in beside for _, names in self.missing for name in names)
        parts += [f"{lent} are still to come"] if lent else []
        return f"Your Module: {', '.join(parts)}"

    def to_text(self) -> str:
        """Return the class as text."""
        lines = [self.heading]
        groups = [("", self.methods)]
        groups += [(f"{title}:", rows) for title, rows in self._beside("")]
        width = max((len(row.name) for _, rows in groups for row in rows), default=0)
        for title, group in groups:
            lines += [title] if title and group else []
            lines += [f"  {_MARKS[row.whose][1]} {row.name:{width}}  {row.note}" for row in group]
        if self.missing:
            lines.append("to come (until you write them, nbmodule lends what it has of these):")
            lines += [f"  {chapter}  {', '.join(names)}" for chapter, names in self.missing]
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return the class as static HTML; a row unfolds to its source."""
        groups = [("Your `Module`", self.methods), *self._beside("`")]
        newest = max((row.chapter for _, rows in groups for row in rows), default="")
        parts = []
        for title, rows in groups:
            title = f"{title[0].upper()}{title[1:]}"
            if len(groups) > 1 and all(row.chapter < newest for row in rows):
                parts.append(_folded(title, rows, newest))  # so that the newest part is in sight
                continue
            parts += [paragraph(f"{title}:", quiet=True)] if rows is not self.methods else []
            parts += [_unfolding(row, newest) for row in rows]
        if self.missing:
            lines = [
                f"<div>{inline(chapter)} &nbsp;{inline(', '.join(f'`{name}`' for name in names))}</div>"
                for chapter, names in self.missing
            ]
            summary = "<summary>To come; until you write them, nbmodule lends what it has of these</summary>"
            style = "margin: 0.3em 0; opacity: 0.75"
            parts.append(f'<details style="{style}">{summary}{"".join(lines)}</details>')
        return card("info", inline(self.heading), *parts)

    def _beside(self, mark: str) -> list[tuple[str, tuple[Row, ...]]]:
        """Return what stands beside Module, each with its title; `mark` stands around a name."""
        kinds = dict.fromkeys(beside_module().classes, "class")
        found = [
            (f"your {kinds.get(name, 'layer')} {mark}{name}{mark}", rows)
            for name, rows in self.layers
        ]
        found += [("outside the class", self.functions)] if self.functions else []
        for name, rows in self.tape:
            found.append(
                (f"your tape, {f'class {mark}{name}{mark}' if name else 'functions'}", rows)
            )
        return found


def _folded(title: str, rows: Iterable[Row], newest: str) -> str:
    """Return a group of rows below a line that unfolds it."""
    inside = [_unfolding(row, newest) for row in rows]
    style = "cursor: pointer; margin: 0.3em 0"
    summary = f'<summary style="{style}">{inline(title)} ({len(inside)})</summary>'
    return f"<details>{summary}{''.join(inside)}</details>"


def growing_class(
    methods: dict[str, Origin],
    functions: dict[str, Origin],
    lent: Iterable[str],
    tape: Iterable[str] = (),
) -> GrowingClass:
    """Return how a class stands.

    Args:
        methods: its own and those of the reader's layers, with whose they are.
        functions: those of the exercises.
        lent: the names of nbmodule's methods that stand in.
        tape: which of these methods' classes and of these functions belong to the tape.
    """
    tape = set(tape)
    owners = dict.fromkeys(filter(None, map(owner_of, methods)))
    lent, beside = set(lent), beside_by_chapter()
    lent |= {name for names in beside.values() for name in names} - {*owners, *functions}
    of_tape = {name: origin for name, origin in functions.items() if name in tape}
    by_chapter = methods_by_chapter()
    missing = [
        (
            chapter,
            tuple(
                name
                for name in (*by_chapter.get(chapter, ()), *beside.get(chapter, ()))
                if name in lent
            ),
        )
        for chapter in sorted({*by_chapter, *beside})  # some chapters write layers alone
    ]
    return GrowingClass(
        _rows({name: origin for name, origin in methods.items() if not owner_of(name)}),
        _rows({name: origin for name, origin in functions.items() if name not in tape}),
        tuple(entry for entry in missing if entry[1]),
        tuple((o, _rows(_of_layer(o, methods))) for o in owners if o not in tape),
        tuple((o, _rows(_of_layer(o, methods))) for o in owners if o in tape)
        + ((("", _rows(of_tape)),) if of_tape else ()),
    )


def _of_layer(owner: str, methods: dict[str, Origin]) -> dict[str, Origin]:
    """Return the methods of a layer by their own names."""
    return {n.rpartition(".")[2]: origin for n, origin in methods.items() if owner_of(n) == owner}


def _rows(origins: dict[str, Origin]) -> tuple[Row, ...]:
    rows = [
        Row(name, origin.whose, origin.exercise_id, _source(origin))
        for name, origin in origins.items()
    ]
    return tuple(sorted(rows, key=lambda row: order_of(row.exercise_id) if row.exercise_id else ("", 0)))  # fmt: skip


def _source(origin: Origin) -> str:
    value: Any = origin.value.fget if isinstance(origin.value, property) else origin.value
    known = origin.source if functions_in(value) else ""
    try:
        return without_markers(dedent(known or inspect.getsource(value))).rstrip()
    except (TypeError, OSError):
        return ""


def _unfolding(row: Row, newest: str) -> str:
    """Return a row above its source, in color for the newest chapter: a saved notebook holds the whole file, and colors are nine tenths of it."""
    source = highlighted(row.source) if row.chapter == newest else preformatted(escape(row.source))
    mark = symbol(*_MARKS[row.whose])
    note = f'<span style="opacity: 0.75">{inline(row.note)}</span>'
    line = f"{mark} {inline(f'`{row.name}`')} {note}"
    if not row.source:
        return f'<div style="margin: 0.15em 0 0.15em 1em">{line}</div>'
    style = "margin: 0.15em 0"
    return f'<details style="{style}"><summary>{line}</summary>{source}</details>'
