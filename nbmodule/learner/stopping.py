"""Ending a fit before its time: because nothing gets better, or because the loss is no number."""

from __future__ import annotations

import copy
import math
from typing import Any

from .._tensor import Tensor
from .callback import Callback, Learner
from .measuring import Metrics, check_monitored, monitored


class Best:
    """The best value so far of one of the results."""

    def __init__(self, monitor: str | None, mode: str | None, min_delta: float = 0.0) -> None:
        if mode not in ("min", "max", None):
            raise ValueError(f"mode must be 'min' or 'max', not {mode!r}")
        if not min_delta >= 0:
            raise ValueError(f"min_delta must not be negative, and is {min_delta}")
        self.monitor, self.mode, self.min_delta = monitor, mode, min_delta
        self.value: float | None = None
        self.epoch: int | None = None

    def improved(self, learner: Learner, who: str) -> bool:
        """Look at the results of this epoch: return whether they are the best, and keep them if so.

        Raises:
            ValueError: there is no such result, or it is not known what is better.
        """
        name = monitored(self.monitor, learner)
        if name not in learner.results:
            raise ValueError(f"{who} monitors {name!r}, and the results of epoch {learner.epoch} are {list(learner.results)}")  # fmt: skip
        value, mode = learner.results[name], self.mode or _better(learner, name)
        if mode is None:
            raise ValueError(f"{who}: is less of {name!r} better, or more? Give mode='min' or mode='max'")  # fmt: skip
        if math.isnan(value):
            return False
        gain = math.inf if self.value is None else self.value - value
        if mode == "max" and self.value is not None:
            gain = -gain
        if gain <= self.min_delta:
            return False
        self.value, self.epoch = value, learner.epoch
        return True


def _better(learner: Learner, name: str) -> str | None:
    known = [c.better(name) for c in learner.callbacks if isinstance(c, Metrics)]
    return next((mode for mode in known if mode), None)


class EarlyStopping(Callback):
    """Ends the fit when a result has not become better for some epochs.

    Args:
        monitor: the name of a result; "valid_loss", or "train_loss" for a learner that doesn't validate.
        patience: after how many epochs in a row that are not better.
        min_delta: how much better counts.
        mode: "min" or "max"; may be left out for losses and for metrics that know it.
        restore_best: whether the model gets the weights of the best epoch at the end of the fit.

    Attributes:
        best: with `value` and `epoch` of the best result so far.
        waited: epochs since then.

    Raises:
        ValueError: `mode` or `patience` cannot be.

    Source: https://keras.io/api/callbacks/early_stopping/ (the arguments)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import EarlyStopping, Learner
        >>> stop = EarlyStopping(patience=2)
        >>> learner = Learner(nn.Linear(1, 1), nn.MSELoss(), lambda p: optim.SGD(p, lr=0.0), [nbmodule.ones(2, 1)], callbacks=[stop])
        >>> len(learner.fit(10)), stop.best.epoch
        (3, 1)
    """

    order = 30

    def __init__(self, monitor: str | None = None, patience: int = 3, min_delta: float = 0.0, mode: str | None = None, restore_best: bool = False) -> None:  # fmt: skip
        if patience < 1:
            raise ValueError(f"patience must be at least 1, and is {patience}")
        self.best, self.patience, self.restore_best = Best(monitor, mode, min_delta), patience, restore_best  # fmt: skip
        self.waited, self.weights = 0, None

    def before_fit(self, learner: Learner) -> None:
        """Begin to wait anew; the best value stays."""
        check_monitored(self.best.monitor, learner, self)
        self.waited = 0

    def after_epoch(self, learner: Learner) -> None:
        """Compare."""
        if self.best.improved(learner, type(self).__name__):
            self.waited = 0
            if self.restore_best:
                self.weights = copy.deepcopy(learner.model.state_dict())
            return
        self.waited += 1
        if self.waited >= self.patience:
            learner.stop()

    def after_fit(self, learner: Learner) -> None:
        """Give the model its best weights back."""
        if self.weights is not None:
            learner.model.load_state_dict(self.weights)

    def state_dict(self) -> dict[str, Any]:
        """Return the best value, the epochs since, and the best weights."""
        return {"value": self.best.value, "epoch": self.best.epoch, "waited": self.waited, "weights": self.weights}  # fmt: skip

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.best.value, self.best.epoch = state["value"], state["epoch"]
        self.waited, self.weights = state["waited"], state["weights"]


class NonFiniteLossError(ArithmeticError):
    """The loss is nan or infinite: raised by `TerminateOnNaN`, before the weights are changed by it.

    Source: https://keras.io/api/callbacks/terminate_on_nan/ (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import Learner, NonFiniteLossError
        >>> learner = Learner(nn.Linear(1, 1), nn.MSELoss(), optim.SGD, [nbmodule.tensor([[float("nan")]])])
        >>> try:
        ...     learner.fit(1)
        ... except NonFiniteLossError as error:
        ...     print(str(error).splitlines()[0])
        the loss is nan in epoch 1, at step 1
    """


class TerminateOnNaN(Callback):
    """Ends training with an explanation when the loss is nan or infinite, before the weights are spoiled.

    A learner has one; ``learner.remove(TerminateOnNaN)`` takes it away.

    Raises:
        NonFiniteLossError: with the losses before, and where the first number is that is not finite.

    Source: https://keras.io/api/callbacks/terminate_on_nan/ (the idea)

    Example:
        >>> from nbmodule.learner import TerminateOnNaN
        >>> TerminateOnNaN().order
        20
    """

    order = 20

    def after_loss(self, learner: Learner) -> None:
        """Look at the loss of a training batch."""
        if learner.training and not math.isfinite(learner.loss_value):
            raise NonFiniteLossError(explained(learner))


def explained(learner: Learner) -> str:
    """Say what the loss is, what came before, and where the first number is that is not finite."""
    losses = learner.history.losses[-6:-1]
    before = ", ".join(f"{loss:.4g}" for loss in losses) or "none"
    rates = ", ".join(f"{float(group['lr']):g}" for group in learner.optimizer.param_groups)
    return (
        f"the loss is {learner.loss_value} in epoch {learner.epoch + 1}, at step {learner.step + 1}\n"
        f"losses before it: {before}; learning rate: {rates}; the weights are those before this batch\n"
        f"{_source(learner, losses)}"
    )


def _source(learner: Learner, losses: list[float]) -> str:
    remedy = (
        "the last steps were too large. A smaller learning rate (lr_find), or GradientClipping?"
    )
    if bad := [name for name, p in learner.model.named_parameters() if not _finite(p)]:
        return f"{bad[0]} holds numbers that are not finite: {remedy}"
    if not _finite(learner.batch):
        return "the batch holds numbers that are not finite: look at the data"
    if losses and abs(losses[-1]) > 1e3 * (1 + min(map(abs, losses))):
        return f"the losses before it were growing: {remedy}"
    if not _finite(learner.prediction):
        return "weights and batch are finite, the prediction is not: a division by 0, a log of 0, an overflow in the model?"  # fmt: skip
    return "weights, batch and prediction are finite: a log of 0, a division by 0 or an overflow in the loss?"  # fmt: skip


def _finite(nest: Any) -> bool:
    if isinstance(nest, Tensor):
        return bool(nest.detach().isfinite().all())
    if isinstance(nest, dict):
        nest = list(nest.values())
    return all(map(_finite, nest)) if isinstance(nest, (tuple, list)) else True
