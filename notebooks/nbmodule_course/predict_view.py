"""The live form of a prediction: radio buttons, one button, and the place for the reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
from anywidget import AnyWidget

from nbmodule_widgets.views.script import script

from .display import card, paragraph

if TYPE_CHECKING:
    from .predict import Option, Predict

# ipywidgets gives a radio label one line of fixed height; long options need to wrap.
_STYLE = """<style>
.nbmodule-predict .widget-radio-box label {
  display: flex; align-items: flex-start; gap: 6px; padding: 0;
  height: auto; line-height: 1.5; white-space: normal; max-width: 56em; margin: 2px 0;
}
.nbmodule-predict-outputs .widget-radio-box label {
  font-family: var(--jp-code-font-family, monospace);
}
.nbmodule-predict .widget-radio-box input {
  order: -1; flex: none; position: static; float: none; margin: 3px 0 0;
}
.nbmodule-predict .widget-radio { width: auto; }
.nbmodule-predict, .nbmodule-predict > * { min-width: 0; max-width: 100%; }
.nbmodule-predict .widget-html-content { min-width: 0; max-width: 100%; overflow-x: auto; }
.nbmodule-predict .widget-radio-box { height: auto; }
.nbmodule-predict button:focus-visible, .nbmodule-predict input:focus-visible {
  outline: 2px solid var(--jp-brand-color1, #2387b5); outline-offset: 2px;
}
</style>"""


class KeyGuard(AnyWidget):
    """Nothing to see: keeps the keys pressed in a prediction from the notebook.

    JupyterLab takes a letter typed while a radio button has the focus for a command: "x" cuts the cell. ipywidgets
    has no way to say that a key is taken.
    """

    _esm = (
        script("keys")
        + """
function render({ el }) {
  let release = () => {};
  const waiting = requestAnimationFrame(() => {
    const question = el.closest(".nbmodule-predict");
    if (question) release = keepKeys(question, question);
  });
  return () => (cancelAnimationFrame(waiting), release());
}
export default { render };
"""
    )


class PredictView(ipywidgets.VBox):
    """Shows a `Predict` and passes the reader's choice to it."""

    def __init__(self, prediction: Predict) -> None:
        self._prediction = prediction
        self._choice = ipywidgets.RadioButtons(
            options=[(_plain(option), option.letter) for option in prediction.options],
            value=None,
            layout={"width": "auto", "margin": "0 0 0 1em"},
        )
        self._choice.tooltip = f"Your prediction for {prediction.id}"
        self._button = ipywidgets.Button(
            description="Run it and see",
            button_style="primary",
            tooltip=f"Commit to your prediction for {prediction.id} and run the code",
            layout={
                "width": "max-content",
                "align_self": "flex-start",
                "margin": "0.3em 0 0.3em 1em",
            },
        )
        self._button.on_click(self._commit)
        self._answer = ipywidgets.HTML()
        question = ipywidgets.HTML(_STYLE + prediction.heading_html())
        guard = KeyGuard(layout={"display": "none"})
        super().__init__([question, self._choice, self._button, self._answer, guard])
        self.add_class("nbmodule-predict")
        if all(option.label == option.result for option in prediction.options):
            self.add_class("nbmodule-predict-outputs")  # what a program prints looks like it

    def _commit(self, _button: ipywidgets.Button) -> None:
        """Show the reveal; whatever goes wrong is said here and not in the browser's console."""
        letter = self._choice.value
        if letter is None:
            self._answer.value = card("open", "Choose one first.")
            return
        try:
            reveal = self._prediction.answer(letter)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            self._answer.value = card("bad", "The code could not be run", paragraph(said))
            return
        self._choice.disabled = self._button.disabled = True
        self._answer.value = reveal.to_html()


def _plain(option: Option) -> str:
    """A radio button's label cannot show code as code, so the backticks go."""
    return f"{option.letter})  {option.label.replace('`', '')}"


def live_bundle(prediction: Predict) -> dict[str, Any]:
    """Return the MIME bundle of a fresh live view."""
    bundle: Any = PredictView(prediction)._repr_mimebundle_()
    data, _ = bundle if isinstance(bundle, tuple) else (bundle, {})
    return dict(data or {})
