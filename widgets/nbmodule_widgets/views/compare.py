"""TrainEvalCompare: what `train()` and `eval()` do to the same input, draw by draw."""

from __future__ import annotations

import time
from typing import Any

import traitlets

from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.comparing import Experiment, ModesFacts, assembled
from nbmodule_widgets.comparing.html import modes_html
from nbmodule_widgets.comparing.text import modes_text
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.facts.words import count
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.between import BetweenCells
from nbmodule_widgets.views.compare_wire import packed
from nbmodule_widgets.views.live import LiveView, script

MOST_DRAWS = 256
WHILE_ONE_LOOKS = 32  # draws in all, of which the later ones run between the cells
_SLICE = 0.1  # seconds after which a slice of draws begins no other one
_NEWS = 0.5  # seconds between two pictures of the draws so far


class TrainEvalCompare(LiveView):
    """A model on one input under `train()` and under `eval()`, live.

    It is the record of an experiment: a changed model is looked at again when `again` is called, or the reader
    presses the button. If no number of draws was asked for, a page that shows the view lets more of them run between
    the cells, with a bar and a button to stop. They end when the model changes, and are never mixed with those before.

    Args:
        model: The model.
        *inputs: What to call it with.
        draws: How often to run it under `train()` now, each time with other random numbers; None for once.
        seed: Of the first draw.
        keep_modes: Whether parts whose mode is not that of the model keep it.
        named: What to call it with by name.

    Raises:
        TypeError: If `model` is no Module.
        ValueError: If `draws` is out of range, or a tensor of the model has no shape yet.

    Example:
        >>> view = compare_modes(model, x)  # doctest: +SKIP
        >>> view.facts.sentence  # doctest: +SKIP
        'Between train() and eval(), 1 of 3 modules behaves differently: ...'
    """

    _esm = script("core", "heat", "player", "compare", "compare_charts", "compare_pane")

    found = traitlets.Dict().tag(sync=True)
    progress = traitlets.Dict().tag(sync=True)
    path = traitlets.Unicode().tag(sync=True, from_page=True)  # of the chosen module
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the draw that is shown
    _for_readers = ("path", "step")

    def __init__(
        self, model: object, *inputs: object, draws: int | None = None, seed: int = 0,
        keep_modes: bool = False, named: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        require_module(model, "compare_modes")
        _check(draws, seed)
        self._model, self._inputs, self._named = model, inputs, dict(named or {})
        self._wanted: tuple[int | None, int, bool] = draws, seed, bool(keep_modes)
        self._goal, self._said, self._told = draws or WHILE_ONE_LOOKS, "", 0.0
        self._experiment: Experiment | None = self._run()
        self._facts = assembled(self._experiment)
        self._idle = BetweenCells(self._slice, lambda: self._end("stopped by interrupt"))
        super().__init__(found=self._packed(0), progress=self._progress())

    @property
    def facts(self) -> ModesFacts:
        """What was found out by all draws that there were."""
        if self._experiment is not None and self._facts.draws != len(self._experiment.outputs):
            self._facts = assembled(self._experiment)
        return self._facts

    @property
    def model(self) -> object:
        """The model."""
        return self._model

    def _run(self) -> Experiment:
        draws, seed, keep = self._wanted
        return Experiment(
            self._model, self._inputs, self._named, draws=draws or 1, seed=seed, keep_modes=keep
        )

    def again(
        self, draws: int | None = None, seed: int | None = None, keep_modes: bool | None = None
    ) -> ModesFacts:
        """Runs the experiment again, on the model as it is now.

        Args:
            draws: How often to run under `train()`; as before if not given.
            seed: Of the first draw; as before if not given.
            keep_modes: Whether parts whose mode is not that of the model keep it; as before if not given.

        Raises:
            ValueError: If `draws` is out of range.
        """
        draws = self._wanted[0] if draws is None else draws
        seed = self._wanted[1] if seed is None else seed
        keep = self._wanted[2] if keep_modes is None else bool(keep_modes)
        _check(draws, seed)
        self._goal = draws or self._goal
        self._from_the_start(draws, seed, keep)
        return self.facts

    def _from_the_start(self, draws: int | None, seed: int, keep: bool) -> None:
        """A new experiment, from the beginning."""
        with self._lock:
            self._idle.stop()
            self._wanted, self._said = (draws, seed, keep), ""
            self._experiment = self._run()
            self._facts = assembled(self._experiment)
            with self.hold_sync():
                self.found = self._packed(self.found.get("number", 0) + 1)
                self.progress = self._progress()
        if self._seen_by and draws is None:
            self._go_on()

    def draw(self, number: int = 1) -> ModesFacts:
        """Runs the model under `train()` some more times, and adds what they gave to what is known.

        Args:
            number: How often; there are at most 256 draws in all.

        Raises:
            RuntimeError: If the model has been changed since the first draw, or the view was closed.
            ValueError: If `number` is no number of draws.
        """
        if type(number) is not int or number < 1:
            raise ValueError(f"draw() takes how many draws to add, a whole number from 1; got {number!r}")  # fmt: skip
        with self._lock:
            if self._experiment is None:
                raise RuntimeError("no further draws: the view was closed. again() compares the model as it is now")  # fmt: skip
            if changed := self._experiment.changed():
                raise RuntimeError(f"no further draws: {changed} since the first one. again() compares the model as it is now")  # fmt: skip
            self._experiment.draw(min(number, MOST_DRAWS - len(self._experiment.outputs)))
            self._goal = max(self._goal, len(self._experiment.outputs))
            self._show()
        return self.facts

    # ------------------------------------------------------------------------------------ while one looks

    def _slice(self) -> bool:
        """Some draws between two cells; returns whether there is more to do."""
        self.guarded(self._some_draws)
        return not self.problem and self._draws_on()

    def _some_draws(self) -> None:
        end = time.perf_counter() + _SLICE
        if self._experiment is not None and (changed := self._experiment.changed()):
            return self._end(f'stopped: {changed}. "Run again" compares the model as it is now')
        while self._draws_on() and self._experiment is not None:
            self._experiment.draw(1)
            if time.perf_counter() > end:
                break
        if self._draws_on() and time.perf_counter() - self._told < _NEWS:
            self.progress = self._progress()
        else:
            self._show()

    def _draws_on(self) -> bool:
        it = self._experiment
        return it is not None and not it.ended and not self._said and len(it.outputs) < self._goal

    def _end(self, why: str) -> None:
        """Ends the draws between the cells, and says why."""
        self._said = why
        self._show()

    def _show(self) -> None:
        """Sends all that is known now."""
        self._told = time.perf_counter()
        with self.hold_sync():
            self.found = self._packed(self.found["number"])
            self.progress = self._progress()

    def _progress(self) -> dict[str, Any]:
        """How far the draws are."""
        it, done = self._experiment, self._facts.draws
        done = done if it is None else len(it.outputs)
        runs = self._draws_on() and self._idle_runs()
        words = f"{count(done, 'draw')} of {self._goal}" if runs else count(done, "draw")
        said = f"{words}, {self._said}" if self._said else words
        return {
            "done": done, "goal": self._goal, "runs": runs, "words": said,
            "more": it is not None and not it.ended and done < self._goal,
        }  # fmt: skip

    def _idle_runs(self) -> bool:
        return "_idle" in vars(self) and self._idle.goes_on

    def _go_on(self) -> None:
        """Lets the draws run on between the cells, if there is a kernel."""
        if self._draws_on() and self._idle.start():
            self.progress = self._progress()

    def _on_page_message(self, widget: object, message: Any, buffers: object) -> None:
        """Stop counts at once, on whatever thread the click arrives; a page that opens lets the draws begin."""
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "stop":
            self._said = "stopped"
            self._idle.stop()
        super()._on_page_message(widget, message, buffers)
        if kind == "opened" and self._wanted[0] is None:
            self._go_on()
        elif kind == "closed" and not self._seen_by:
            self._idle.stop()
            self.guarded(self._show)

    def refresh(self) -> None:
        """Nothing: the record of an experiment stays as it is until `again` is called."""

    def handle(self, message: dict[str, Any]) -> None:
        """Does what the reader chose in the page."""
        kind, draws, seed = message["kind"], message.get("draws"), message.get("seed")
        if kind == "stop":
            self._show()
        elif kind == "on":
            self._said = ""
            self._go_on()
        elif kind == "again" and type(draws) is int and type(seed) is int:
            draws, seed = min(MOST_DRAWS, max(1, draws)), min(2**31, max(0, seed))
            self._goal = draws
            self._from_the_start(
                None if self._idle.possible else draws, seed, message.get("keep") is True
            )

    def close(self) -> None:
        """Takes the view off the page; what it found out stays, and no more draws are run."""
        if "_idle" in vars(self):  # ipywidgets closes what was not even made to its end
            self._idle.stop()
            self._facts = self.facts
            self._experiment = None
        super().close()

    # ------------------------------------------------------------------------------------ how it is shown

    def to_html(self) -> str:
        """The comparison as HTML without a script, as a saved notebook shows it."""
        return modes_html(self.facts)

    def figure(self) -> Any:
        """The comparison as a picture: the modules, and the output under both modes.

        Returns:
            A `matplotlib.figure.Figure`.
        """
        from nbmodule_widgets.comparing.figure import modes_figure

        return modes_figure(self.facts)

    def __str__(self) -> str:
        return modes_text(self.facts)

    def _packed(self, number: int) -> dict[str, Any]:
        _, seed, keep = self._wanted
        return {**packed(self.facts), "number": number, "asked": [self._goal, seed, keep]}


@refusing
def compare_modes(
    model: object, *inputs: object, draws: int | None = None, seed: int = 0, keep_modes: bool = False,
    kwargs: dict[str, Any] | None = None, **named: Any,
) -> TrainEvalCompare:  # fmt: skip
    """Runs a model on the same input under `eval()` and under `train()`, and shows what differs and why.

    The answer takes two passes, and a few more where `eval()` draws random numbers too or the model's own code looks at its
    mode. The model is as before afterwards: its weights, modes, buffers and gradients, and the
    random generators. What your hooks do outside the model, such as filling a list, is not undone.

    Args:
        model: The model.
        *inputs: What to call it with.
        draws: How often to run it under `train()` before this returns, each time with other random numbers; 1 to 256.
            If not given, once; where a page shows the view, more follow between cells while you look, up to 32 in all.
            `view.draw(n)` runs n more.
        seed: The seed of the first draw; the same seed shows the same draws.
        keep_modes: Whether parts whose mode is not that of the model itself keep it under both modes, as they do in
            your training: a batch norm that was frozen by `eval()`, a dropout that was left on. Otherwise both
            modes are set for the whole model, as `model.train()` and `model.eval()` do.
        kwargs: Inputs by name, for names that are options too: `kwargs={"seed": 3}`.
        **named: The other inputs by name: `compare_modes(model, input_ids=ids)`.

    Returns:
        The view; `view.facts` holds the results and the number of draws.

    Raises:
        TypeError: If `model` is not a Module, or a name is neither an option nor an input of it.
        ValueError: If `draws` is out of range, or a tensor of the model has no shape yet.
    """
    require_module(model, "compare_modes")
    by_name = keyword_inputs(compare_modes, model, named, kwargs)
    with full_searches_put_off():
        return TrainEvalCompare(
            model, *inputs, draws=draws, seed=seed, keep_modes=keep_modes, named=by_name
        )


def _check(draws: object, seed: object) -> None:
    """Raises a ValueError for numbers that make no experiment."""
    if draws is not None and (type(draws) is not int or not 1 <= draws <= MOST_DRAWS):
        raise ValueError(f"draws must be a whole number from 1 to {MOST_DRAWS}, the number of passes under train(); got {draws!r}")  # fmt: skip
    if type(seed) is not int or not 0 <= seed <= 2**31:
        raise ValueError(f"seed must be a whole number from 0 to 2**31; got {seed!r}")
