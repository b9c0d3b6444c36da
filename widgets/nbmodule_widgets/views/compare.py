"""TrainEvalCompare: what `train()` and `eval()` do to the same input, draw by draw."""

from __future__ import annotations

from typing import Any

import traitlets

from nbmodule_widgets.comparing import ModesFacts, compare
from nbmodule_widgets.comparing.html import modes_html
from nbmodule_widgets.comparing.text import modes_text
from nbmodule_widgets.protocol import require_module
from nbmodule_widgets.views.compare_wire import packed
from nbmodule_widgets.views.live import LiveView, refuse_unknown, script

MOST_DRAWS = 256


class TrainEvalCompare(LiveView):
    """A model on one input under `train()` and under `eval()`, live.

    It is the record of an experiment: a changed model is looked at anew when `again` is called, or the reader
    presses the button.

    Args:
        model: The model.
        *inputs: What to call it with.
        draws: How often to run it under `train()`, each time with other random numbers.
        seed: Of the first draw.
        kwargs: What to call it with, by name.
        keep_modes: Whether parts whose mode is not that of the model keep it.

    Raises:
        TypeError: If `model` is no Module, or a keyword is unknown.
        ValueError: If `draws` is out of range.

    Example:
        >>> view = compare_modes(model, x)  # doctest: +SKIP
        >>> view.facts.sentence  # doctest: +SKIP
        'Between train() and eval(), 1 of 3 modules behaves differently: ...'
    """

    _esm = script("core", "heat", "player", "compare", "compare_charts", "compare_pane")

    found = traitlets.Dict().tag(sync=True)
    path = traitlets.Unicode().tag(sync=True, from_page=True)  # of the chosen module
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the draw that is shown
    _for_readers = ("path", "step")

    def __init__(
        self, model: object, *inputs: object, draws: int = 32, seed: int = 0,
        kwargs: dict[str, Any] | None = None, keep_modes: bool = False, **unknown: Any,
    ) -> None:  # fmt: skip
        refuse_unknown("compare_modes", unknown, ("draws", "seed", "kwargs", "keep_modes"))
        require_module(model, "compare_modes")
        if kwargs is not None and not isinstance(kwargs, dict):
            raise TypeError(f"kwargs is a dict of what to call the model with, by name, not {type(kwargs).__name__}")  # fmt: skip
        _check(draws, seed)
        self._model, self._inputs, self._kwargs = model, inputs, dict(kwargs or {})
        self._wanted = draws, seed, bool(keep_modes)
        self._facts = self._experiment()
        super().__init__(found=self._packed(0))

    @property
    def facts(self) -> ModesFacts:
        """What was found out."""
        return self._facts

    @property
    def model(self) -> object:
        """The model."""
        return self._model

    def _experiment(self) -> ModesFacts:
        draws, seed, keep = self._wanted
        return compare(
            self._model, self._inputs, self._kwargs, draws=draws, seed=seed, keep_modes=keep
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
        with self._lock:
            self._wanted = draws, seed, keep
            self._facts = self._experiment()
            self.found = self._packed(self.found.get("number", 0) + 1)
        return self._facts

    def refresh(self) -> None:
        """Nothing: the record of an experiment stays as it is until `again` is called."""

    def handle(self, message: dict[str, Any]) -> None:
        """Runs the experiment again with what the reader chose in the page."""
        draws, seed = message.get("draws"), message.get("seed")
        if message["kind"] == "again" and type(draws) is int and type(seed) is int:
            keep = message.get("keep") is True
            self.again(min(MOST_DRAWS, max(2, draws)), min(2**31, max(0, seed)), keep)

    def to_html(self) -> str:
        """The comparison as HTML without a script, as a saved notebook shows it."""
        return modes_html(self._facts)

    def figure(self) -> Any:
        """The comparison as a picture: the modules, and the output under both modes.

        Returns:
            A `matplotlib.figure.Figure`.
        """
        from nbmodule_widgets.comparing.figure import modes_figure

        return modes_figure(self._facts)

    def __str__(self) -> str:
        return modes_text(self._facts)

    def _packed(self, number: int) -> dict[str, Any]:
        return {**packed(self._facts), "number": number, "asked": list(self._wanted)}


def compare_modes(
    model: object, *inputs: object, draws: int = 32, seed: int = 0,
    kwargs: dict[str, Any] | None = None, keep_modes: bool = False, **unknown: Any,
) -> TrainEvalCompare:  # fmt: skip
    """Runs a model on the same input under `eval()` and many times under `train()`, and shows what differs.

    The model is as before afterwards, bit for bit: its modes, its buffers, its gradients, the random generators.

    Args:
        model: The model.
        *inputs: What to call it with.
        draws: How often to run it under `train()`, each time with other random numbers; 2 to 256.
        seed: Of the first draw; the same seed shows the same draws.
        kwargs: What to call it with, by name.
        keep_modes: Whether parts whose mode is not that of the model itself keep it under both modes, as they do in
            your training: a batch norm that was frozen by `eval()`, a dropout that was left on. Otherwise both
            modes are set for the whole model, as `model.train()` and `model.eval()` do.
        **unknown: Nothing else; a TypeError names what there is.

    Returns:
        The view; `view.facts` holds what was found out.

    Raises:
        TypeError: If `model` is no Module, or a keyword is unknown.
        ValueError: If `draws` is out of range.
    """
    return TrainEvalCompare(
        model, *inputs, draws=draws, seed=seed, kwargs=kwargs, keep_modes=keep_modes, **unknown
    )


def _check(draws: object, seed: object) -> None:
    """Raises a ValueError for numbers that make no experiment."""
    if type(draws) is not int or not 2 <= draws <= MOST_DRAWS:
        raise ValueError(f"draws is a whole number from 2 to {MOST_DRAWS}, not {draws!r}: one pass under train() each")  # fmt: skip
    if type(seed) is not int or not 0 <= seed <= 2**31:
        raise ValueError(f"seed is a whole number from 0 to 2**31, not {seed!r}")
