"""The live form of a prediction: radio buttons, one button, and the place for the reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets
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
.nbmodule-predict button:focus-visible, .nbmodule-predict input:focus-visible,
.nbmodule-predict-answer:focus-visible {
  outline: 2px solid var(--jp-brand-color1, #2387b5); outline-offset: 2px;
}
</style>"""


class KeyGuard(AnyWidget):
    """Nothing to see: gives a prediction what ipywidgets has no way to say.

    JupyterLab takes a letter typed while a radio button has the focus for a command ("x" cuts the cell): keys stay in
    the question. The radio buttons become one group with a name, so that Tab enters it once and the arrows choose. What
    the code did is announced, and takes the focus that the button loses when it is switched off.
    """

    _esm = (
        script("keys")
        + """
function render({ el, model }) {
  let release = () => {};
  const waiting = requestAnimationFrame(() => {
    const question = el.closest(".nbmodule-predict");
    if (!question) return;
    const undo = [keepKeys(question, question), grouped(question, model.get("label"))];
    release = () => undo.forEach((each) => each());
  });
  return () => (cancelAnimationFrame(waiting), release());
}

function grouped(question, label) {
  const box = question.querySelector(".widget-radio-box"), button = question.querySelector("button");
  const answer = question.querySelector(".nbmodule-predict-answer");
  if (!box || !button || !answer) return () => {};
  const name = "prediction" + Math.random(); // of this view alone
  const nameAll = () => box.querySelectorAll("input").forEach((input) => (input.name = name));
  box.setAttribute("role", "radiogroup");
  box.setAttribute("aria-label", label);
  answer.setAttribute("role", "status");
  answer.tabIndex = -1;
  nameAll();
  let last = null;
  const remember = (event) => (last = event.target);
  question.addEventListener("focusin", remember);
  const watcher = new MutationObserver(() => {
    nameAll();
    const lost = document.activeElement === document.body || document.activeElement?.disabled || document.activeElement === button;
    if (button.disabled && last === button && lost) {
      last = null;
      answer.focus({ preventScroll: true });
    }
  });
  watcher.observe(question, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
  return () => {
    watcher.disconnect();
    question.removeEventListener("focusin", remember);
  };
}

export default { render };
"""
    )
    label = traitlets.Unicode().tag(sync=True)


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
        self._answer.add_class("nbmodule-predict-answer")
        question = ipywidgets.HTML(_STYLE + prediction.heading_html())
        guard = KeyGuard(label=f"Your prediction for {prediction.id}", layout={"display": "none"})
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
