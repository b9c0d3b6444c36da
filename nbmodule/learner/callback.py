"""What can stand in the events of a Learner, and the exceptions with which it changes the course of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, TypeAlias

Learner: TypeAlias = Any
"""The `Learner` that a callback stands in; its class lies above."""

EVENTS = (
    "before_fit", "before_epoch", "before_train", "before_batch", "after_predict", "after_loss",
    "before_step", "after_step", "after_batch", "after_train", "before_validate", "after_validate",
    "after_epoch", "after_fit", "on_exception",
)  # fmt: skip
"""The names of the events, in the order in which they come."""


class Cancel(Exception):
    """What a callback raises to leave out a part of the fit: one of the four classes below.

    Source: https://docs.fast.ai/callback.core.html (the idea)

    Example:
        >>> from nbmodule.learner import Cancel, CancelBatch, CancelFit
        >>> issubclass(CancelFit, Cancel), issubclass(CancelBatch, CancelFit)
        (True, False)
    """


class CancelStep(Cancel):
    """Raised in `before_step`: no step now; the gradients stay, and those of the next batch are added to them.

    Source: https://docs.fast.ai/callback.core.html (the idea)

    Example:
        >>> from nbmodule.learner import Callback, CancelStep
        >>> class EverySecond(Callback):
        ...     def before_step(self, learner):
        ...         if learner.step % 2 == 0:
        ...             raise CancelStep
    """


class CancelBatch(Cancel):
    """Leave the rest of this batch out, and go on with `after_batch`.

    Source: https://docs.fast.ai/callback.core.html (the idea)

    Example:
        >>> from nbmodule.learner import Callback, CancelBatch
        >>> class SkipSmall(Callback):
        ...     def before_batch(self, learner):
        ...         if len(learner.batch[0]) < 8:
        ...             raise CancelBatch
    """


class CancelEpoch(Cancel):
    """Leave the rest of this epoch out, validation too, and go on with `after_epoch`.

    Source: https://docs.fast.ai/callback.core.html (the idea)

    Example:
        >>> from nbmodule.learner import Callback, CancelEpoch
        >>> class ShortEpochs(Callback):
        ...     def after_batch(self, learner):
        ...         if learner.training and learner.step_in_epoch == 10:
        ...             raise CancelEpoch
    """


class CancelFit(Cancel):
    """Leave the rest of the fit out, and go on with `after_fit`.

    Source: https://docs.fast.ai/callback.core.html (the idea)

    Example:
        >>> from nbmodule.learner import Callback, CancelFit
        >>> class TenSteps(Callback):
        ...     def after_batch(self, learner):
        ...         if learner.step == 10:
        ...             raise CancelFit
    """


class Callback:
    """Something that happens during training: a method for each event in which it has a part.

    The events of ``fit``, in their order, with what is new in the learner::

        before_fit                      epochs: how many are to be complete at the end
          before_epoch                  epoch: how many are complete; results: emptied
            before_train                training is True; the model is in train mode
              before_batch              batch: as the loader gave it, may be replaced
              after_predict             prediction, target, size; may be replaced
              after_loss                loss; loss_value, as a float
              before_step               the gradients; may be changed
              after_step                the parameters are changed
              after_batch               step and step_in_epoch count this batch
            after_train                 results: "train_loss", and so on
            before_validate             training is False; eval mode, no gradients
              before_batch, after_predict, after_loss, after_batch
            after_validate              results: "valid_loss", and so on
          after_epoch                   epoch counts this epoch; history has its row
        after_fit                       or on_exception(learner, error), if one ended the fit

    Attributes:
        order: callbacks run from the smallest to the greatest, equal ones as they were added. 0 to 10 collect numbers,
            20 to 40 act on them, 100 saves what all others have done.
        remembers: names of the attributes that belong into a checkpoint: plain values and tensors.

    Source: https://docs.fast.ai/callback.core.html (the idea)

    Example:
        >>> from nbmodule.learner import Callback
        >>> class Lengths(Callback):
        ...     remembers = ("longest",)
        ...     longest = 0
        ...     def after_predict(self, learner):
        ...         self.longest = max(self.longest, learner.size)
        >>> Lengths().state_dict()
        {'longest': 0}
    """

    order: int = 30
    remembers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def before_fit(self, learner: Learner) -> None:
        """Run before the first epoch of a fit."""

    def before_epoch(self, learner: Learner) -> None:
        """Run before training and validation of an epoch."""

    def before_train(self, learner: Learner) -> None:
        """Run before the training batches of an epoch, after ``model.train()``."""

    def before_batch(self, learner: Learner) -> None:
        """Run before a batch, in training and in validation."""

    def after_predict(self, learner: Learner) -> None:
        """Run after the model was called."""

    def after_loss(self, learner: Learner) -> None:
        """Run after the loss was computed."""

    def before_step(self, learner: Learner) -> None:
        """Run after ``loss.backward()`` and before ``optimizer.step()``."""

    def after_step(self, learner: Learner) -> None:
        """Run after ``optimizer.step()``."""

    def after_batch(self, learner: Learner) -> None:
        """Run after a batch, in training and in validation, also if it was cancelled."""

    def after_train(self, learner: Learner) -> None:
        """Run after the last training batch of an epoch."""

    def before_validate(self, learner: Learner) -> None:
        """Run before validation, after ``model.eval()``."""

    def after_validate(self, learner: Learner) -> None:
        """Run after the last batch of validation."""

    def after_epoch(self, learner: Learner) -> None:
        """Run after training and validation of an epoch, also if it was cancelled."""

    def after_fit(self, learner: Learner) -> None:
        """Run at the end of a fit, also if it was cancelled."""

    def on_exception(self, learner: Learner, error: BaseException) -> None:
        """Run in place of `after_fit` when `error` ends a fit; it goes on its way afterwards."""

    def removed(self, learner: Any) -> None:
        """Run when the callback is taken out of the learner."""

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes that it `remembers`."""
        return {name: getattr(self, name) for name in self.remembers}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned.

        Raises:
            ValueError: `state` has other keys than this class `remembers`.
        """
        if not isinstance(state, dict) or set(state) != set(self.remembers):
            given = sorted(state) if isinstance(state, dict) else type(state).__name__
            raise ValueError(
                f"{type(self).__name__} remembers {sorted(self.remembers)}, and the checkpoint has {given} for it"
            )
        vars(self).update(state)


def check_events(callback: Any) -> None:
    """Raise if `callback` is none, or has a method that is named like an event and is none.

    Raises:
        TypeError: it is no `Callback`, often a class in place of an object; or its `remembers` is a text.
        ValueError: it has a misspelled event.
    """
    if isinstance(callback, type):
        raise TypeError(f"{callback.__name__} is a class: give {callback.__name__}()")
    if not isinstance(callback, Callback):
        hint = "it must be an object of a subclass of Callback"
        if hasattr(callback, "compute"):
            hint = "give it to the Learner as metrics=[...]"
        elif hasattr(callback, "get_last_lr"):
            hint = "give Scheduler(...) of it"
        raise TypeError(f"a {type(callback).__name__} is no callback: {hint}")
    if isinstance(callback.remembers, str):
        raise TypeError(f"{type(callback).__name__}.remembers must be a tuple: ({callback.remembers!r},)")  # fmt: skip
    for name in dir(type(callback)):
        if name.startswith(("before_", "after_", "on_")) and name not in EVENTS:
            close = get_close_matches(name, EVENTS, 1)
            hint = f"{close[0]!r} was meant? " if close else ""
            raise ValueError(
                f"{type(callback).__name__}.{name} would never run: {hint}The events are {', '.join(EVENTS)}"
            )


def listed(callbacks: Any) -> list[Callback]:
    """Return the callbacks as a list; None stands for no callback.

    Raises:
        TypeError: they are none, as one that stands alone.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback) or not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks must be a list of them, not {type(callbacks).__name__}")
    return list(callbacks)


def listeners(callbacks: Iterable[Callback]) -> dict[str, list[Callable[..., None]]]:
    """Return for each event the methods that stand in it: a fit doesn't ask those that do nothing."""
    ordered = sorted(callbacks, key=lambda callback: callback.order)
    return {
        event: [
            getattr(callback, event)
            for callback in ordered
            if getattr(type(callback), event) is not getattr(Callback, event)
        ]
        for event in EVENTS
    }
