"""How far a fit is: a bar by tqdm, and a line for each epoch that stays.

Source: https://tqdm.github.io
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from .batches import batches_in
from .callback import Callback, Learner
from .history import shown

_REFRESH = 0.1
"""Seconds between two looks at the clock that change the bar: eyes don't follow more."""


class ProgressBar(Callback):
    """Shows a bar over all batches of a fit, and prints a line after each epoch.

    The bar is drawn by tqdm, in a terminal on stderr and in a notebook as a widget. The lines go to stdout and hold no times:
    a notebook that is run again stores the same.

    Args:
        bar: None draws one in a notebook or on a terminal, if tqdm is installed; True draws it everywhere, also into a log;
            False prints the lines only.

    Raises:
        ImportError: `bar` is True, and tqdm is not there.

    Source: https://docs.fast.ai/callback.progress.html (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import Learner, ProgressBar
        >>> _ = nbmodule.manual_seed(0)
        >>> learner = Learner(nn.Linear(1, 1), nn.MSELoss(), optim.SGD, [nbmodule.ones(2, 1)], callbacks=[ProgressBar(bar=False)])
        >>> _ = learner.fit(2)
        epoch 1/2  train_loss 0.2219
        epoch 2/2  train_loss 0.2201
    """

    order = 40

    def __init__(self, bar: bool | None = None) -> None:
        if bar and find_spec("tqdm") is None:
            raise ImportError("ProgressBar(bar=True) needs tqdm: pip install 'nbmodule[learner]'")
        self.bar = find_spec("tqdm") is not None if bar is None else bar
        self._off = False if bar else None  # None: where stderr is no terminal, as in a log
        self._tqdm: Any = None
        self._keep: Callable[[int], None] | None = None
        self._next = 0.0
        self._unseen = 0

    def before_fit(self, learner: Learner) -> None:
        """Draw the bar, empty."""
        self._close()
        if self.bar and learner.epoch < learner.epochs:
            done = learner.step_in_epoch  # more than 0 if a fit is resumed within an epoch
            options = {"unit": "batch", "dynamic_ncols": True, "disable": self._off}
            self._tqdm, self._keep = _drawn(_total(learner), initial=done, **options)

    def before_train(self, learner: Learner) -> None:
        """Write the epoch in front of the bar."""
        if self._tqdm is not None:
            self._tqdm.set_description_str(f"epoch {learner.epoch + 1}/{learner.epochs}")

    def after_batch(self, learner: Learner) -> None:
        """Move the bar, ten times a second."""
        if self._tqdm is None or not learner.training:
            return
        self._unseen += 1
        if (now := time.monotonic()) >= self._next:
            self._next = now + _REFRESH
            self._move(f"loss {shown(learner.loss_value)}")

    def after_epoch(self, learner: Learner) -> None:
        """Print the results."""
        if self._tqdm is not None:
            self._move(f"loss {shown(learner.loss_value)}")
        words = "".join(f"  {name} {shown(v):6}" for name, v in learner.results.items())
        line = f"epoch {learner.epoch}/{learner.epochs}{words}".rstrip()
        (print if self._tqdm is None else self._tqdm.write)(line)
        sys.stdout.flush()  # who follows a log wants to see the epoch now

    def after_fit(self, learner: Learner) -> None:
        """Leave the bar where it is: a fit that a callback has ended is complete, too."""
        if self._tqdm is not None:
            # a notebook's bar is red if there is more to come
            self._tqdm.total = self._tqdm.n + self._unseen
        self._close()

    def on_exception(self, learner: Learner, error: BaseException) -> None:
        """Leave the bar where it is."""
        self._close()

    def _move(self, text: str) -> None:
        self._tqdm.set_postfix_str(text, refresh=False)
        self._tqdm.update(self._unseen)
        self._unseen = 0

    def _close(self) -> None:
        if self._tqdm is not None:
            self._tqdm.update(self._unseen)
            self._tqdm.close()
            if self._keep is not None:
                self._keep(self._tqdm.n)
        self._tqdm = self._keep = None
        self._unseen, self._next = 0, 0.0


def _drawn(total: int | None, **options: Any) -> tuple[Any, Callable[[int], None] | None]:
    """Return tqdm's bar for this place, and in a notebook what writes at the end how many batches there were.

    What a notebook stores beside the widget, for GitHub and for an export, is a text without times, and from the beginning the
    one of the end: a notebook that is run again stores the same.
    """
    from tqdm.auto import tqdm

    notebook = sys.modules.get("tqdm.notebook")  # there if this is a notebook that can show widgets
    if notebook is None or not issubclass(tqdm, notebook.tqdm_notebook):
        return tqdm(total=total, **options), None
    bar: Any = tqdm(total=total, display=False, **options)

    def stored(batches: Any) -> dict[str, Any]:
        shown: dict[str, Any] = bar.container._repr_mimebundle_()
        return {**shown, "text/plain": f"{batches} batches"}

    output = notebook.display(stored("?" if total is None else total), raw=True, display_id=True)
    return bar, lambda done: None if done == total else output.update(stored(done), raw=True)


def _total(learner: Learner) -> int | None:
    """Return how many batches the fit has, or None if the loader doesn't say."""
    batches = batches_in(learner.train_loader)
    return None if batches is None else batches * (learner.epochs - learner.epoch)
