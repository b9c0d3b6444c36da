"""`Predict`: say what will happen, then run it and see.

The right answer is nowhere written down: the reveal runs the code, and the option that says what
came out is right. So a prediction cannot go stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from string import ascii_lowercase
from textwrap import dedent
from typing import Any

from . import progress_file
from .capture import Outcome, run_snippet, tidy
from .display import Displayed, card, inline, paragraph, preformatted, symbol
from .highlight import highlighted
from .numbering import QUESTION_ID
from .referee.chance import undisturbed
from .wording import UsageError, indented, listing

_NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


@dataclass(frozen=True)
class Option:
    """One answer: its letter, what the reader reads, and the output that makes it true."""

    letter: str
    label: str
    result: str


@dataclass(frozen=True, repr=False)
class Reveal(Displayed):
    """What the code really did, and what that says about the prediction."""

    question_id: str
    code: str
    outcome: Outcome
    truth: tuple[Option, ...]
    chosen: Option | None
    why: str

    @property
    def right(self) -> bool | None:
        """Tell whether the prediction came true; None when nobody predicted."""
        return None if self.chosen is None else (self.chosen,) == self.truth

    @property
    def fault(self) -> str:
        """Return what is wrong with the question itself, or ''."""
        if len(self.truth) == 1:
            return ""
        said = "no option matches" if not self.truth else "more than one option matches"
        return (
            f"There's a mistake in this question: {said} what came out. Your answer doesn't count."
        )

    @property
    def verdict(self) -> tuple[str, str, str]:
        """Return tone, mark and sentence."""
        if self.fault:
            return "open", "!", self.fault
        answer = f"{self.truth[0].letter}) {self.truth[0].label}"
        if self.chosen is None:
            return "info", "→", f"It is {answer}"
        if self.right:
            return "good", "✓", f"As you predicted: {answer}"
        predicted = f"You'll remember this one. You predicted {self.chosen.letter})"
        return "info", "★", f"{predicted}, and it is {answer}"

    def to_text(self) -> str:
        """Return code, output, verdict and reason as text."""
        _, mark, sentence = self.verdict
        output = self.outcome.to_text() or "(nothing)"
        lines = [f"{mark} {self.question_id} {sentence}"]
        lines += ["the code:", indented(self.code, 4), "what came out:", indented(output, 4)]
        return "\n".join([*lines, self.why] if self.why else lines)

    def to_html(self) -> str:
        """Return the output, the verdict and the reason; the code stands above, in the question."""
        tone, mark, sentence = self.verdict
        output = preformatted(escape(self.outcome.to_text() or "(nothing)"))
        reason = [paragraph(self.why)] if self.why else []
        heading = f"{symbol(tone, mark)} {inline(sentence)}"
        return card(tone, heading, paragraph("What came out:", quiet=True), output, *reason)


class Predict(Displayed):
    """A question about code that has not run yet; as a cell's last line it displays itself.

    Args:
        question_id: chapter and letter, such as "01.a".
        question: one sentence.
        options: the answers. Each is the text that the code would print or show; an exception is
            written "TypeError" or "TypeError: its message". A mapping gives every label its own output.
        code: what will be run, in a copy of the notebook's names.
        why: the reason, shown after the reveal.
    """

    def __init__(
        self,
        question_id: str,
        question: str,
        *,
        options: Sequence[str] | Mapping[str, str],
        code: str,
        why: str = "",
    ) -> None:
        if not QUESTION_ID.fullmatch(question_id):
            raise ValueError(f'question ids look like "01.a", got {question_id!r}')
        self.id, self.question, self.why = question_id, question, why
        self.code = dedent(code).strip("\n")
        self.options = _options(options)
        self._names = sys._getframe(1).f_globals
        self._chosen: Option | None = None

    @property
    def answered(self) -> bool:
        """Tell whether the reader has committed to an option."""
        return self._chosen is not None

    def answer(self, letter: str) -> Reveal:
        """Commit to an option from Python: `.answer("b")`; the first answer is the one that counts.

        Raises:
            UsageError: there is no such option, or a cell that defines a name of the code was not run yet.
        """
        chosen = {option.letter: option for option in self.options}.get(str(letter).strip().lower())
        if chosen is None:
            letters = listing(option.letter for option in self.options)
            raise UsageError(f"Prediction {self.id} has the options {letters}; got {letter!r}.")
        counts = self._chosen or chosen
        reveal = replace(self.reveal(), chosen=counts)
        if reveal.fault and (needed := _NOT_DEFINED.fullmatch(reveal.outcome.error_text)):
            raise UsageError(
                f"Run the cells above first: they define `{needed[1]}`, which this code uses. "
                "Then make your prediction."
            )
        self._chosen = counts
        if not reveal.fault:
            progress_file.record_prediction(self.id, counts.letter, bool(reveal.right))
        return reveal

    def reveal(self) -> Reveal:
        """Run the code in a copy of the notebook's names and show what happens."""
        with undisturbed():  # what the notebook draws next doesn't depend on who predicts
            outcome = run_snippet(self.code, dict(self._names))
        readings = outcome.readings()
        truth = tuple(option for option in self.options if option.result in readings)
        return Reveal(self.id, self.code, outcome, truth, self._chosen, self.why)

    def to_text(self) -> str:
        """Return the question, without the answer."""
        lines = [f"Predict {self.id}: {self.question}", indented(self.code, 4)]
        lines += [indented(f"{option.letter}) {option.label}", 2) for option in self.options]
        return "\n".join(
            [*lines, 'Run this cell in JupyterLab to choose, or add .answer("a") to it.']
        )

    def to_html(self) -> str:
        """Return the question, without the answer, as static HTML."""
        options = "".join(
            f'<div style="margin-left: 1em">{option.letter}) {inline(option.label)}</div>'
            for option in self.options
        )
        return self.heading_html() + options

    def heading_html(self) -> str:
        """Return the question and its code."""
        return card("info", f"Predict {self.id}", paragraph(self.question), highlighted(self.code))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return the live question where ipywidgets is installed, and always its two static forms."""
        html = f'<div class="nbmodule-static">{self.to_html()}</div>'  # see exporting.py
        static = {"text/plain": self.to_text(), "text/html": html}
        try:
            from .predict_view import live_bundle
        except ImportError:
            return static
        return {**live_bundle(self), **static}


def _options(given: Sequence[str] | Mapping[str, str]) -> tuple[Option, ...]:
    pairs = list(given.items()) if isinstance(given, Mapping) else [(text, text) for text in given]
    if not 2 <= len(pairs) <= len(ascii_lowercase):
        raise ValueError(f"a prediction needs at least two options, got {len(pairs)}")
    if len({label for label, _ in pairs}) != len(pairs):
        raise ValueError("two options read the same")
    return tuple(
        Option(letter, label, tidy(result))
        for letter, (label, result) in zip(ascii_lowercase, pairs, strict=False)
    )
