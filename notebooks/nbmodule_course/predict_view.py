"""The live form of a prediction: one card with an option on each button, and what the code did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets

from nbmodule_widgets.views.live import LiveView, refresh_views

from . import progress_file
from .highlight import tokens
from .page_scripts import page_script
from .wording import UsageError

if TYPE_CHECKING:
    from .predict import Predict, Reveal


class PredictView(LiveView):
    """Shows a `Predict` and passes the reader's choice to it.

    A question that was answered before, in this notebook or in an earlier one, shows the answer that counts: the code
    is run again, and says what is right now.

    Args:
        prediction: the question.
    """

    _esm = page_script("predict", "code")

    card = traitlets.Dict().tag(sync=True)

    def __init__(self, prediction: Predict) -> None:
        self._prediction = prediction
        self._reveal: Reveal | None = None
        self._said, self._answers = "", 0  # the latter so that the page sees the same words again
        kept = progress_file.read()["predictions"].get(prediction.id, {}).get("chosen")
        if kept in [option.letter for option in prediction.options]:
            self._choose(kept)
        super().__init__(card=self._packed())

    @property
    def facts(self) -> Reveal | None:
        """What the code did, once somebody has answered."""
        return self._reveal

    def refresh(self) -> None:
        """Show the card as it is; a question does not change."""
        self.card = self._packed()

    def handle(self, message: dict[str, Any]) -> None:
        """Commit to an option; the first one counts."""
        if message["kind"] == "answer" and self._reveal is None:
            self._choose(message.get("letter"))
            self._answers += 1
            self.card = self._packed()
            refresh_views(but=self)  # the map of progress is one of them

    def to_html(self) -> str:
        """Return the question as static HTML, without the answer."""
        return self._prediction.to_html()

    def __str__(self) -> str:
        return self._prediction.to_text()

    def _choose(self, letter: Any) -> None:
        """Answer; whatever goes wrong is said in the card and not in the browser's console."""
        self._said = ""
        try:
            self._reveal = self._prediction.answer(letter)
        except UsageError as error:
            self._said = str(error)
        except Exception as error:
            self._said = f"The code could not be run: {type(error).__name__}: {error}"

    def _packed(self) -> dict[str, Any]:
        """The question, and what came of it, as one trait."""
        asked, reveal = self._prediction, self._reveal
        packed = {
            "name": asked.id,
            "question": asked.question,
            "code": tokens(asked.code),
            "options": [[option.letter, option.label] for option in asked.options],
            # what a program prints looks like it
            "outputs": all(option.label == option.result for option in asked.options),
            "chosen": "",
            "tone": "open",
            "said": self._said,
            "answers": self._answers,
        }
        if reveal is None or reveal.chosen is None:
            return packed
        tone, mark, sentence = reveal.verdict
        return {
            **packed,
            "chosen": reveal.chosen.letter,
            "truth": "" if reveal.fault else reveal.truth[0].letter,
            "tone": tone,
            "verdict": f"{mark} {sentence}",
            "output": reveal.outcome.to_text() or "(nothing)",
            "why": reveal.why,
        }


def live_bundle(prediction: Predict) -> dict[str, Any]:
    """Return the MIME bundle of a fresh live view."""
    return PredictView(prediction)._repr_mimebundle_()[0]
