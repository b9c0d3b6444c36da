"""Losses and metrics of training and validation: from batch to batch, and at the end of each into the results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._tensor import Tensor
from ..autograd import no_grad
from .callback import Callback, Learner
from .metrics import Mean, Metric


class Metrics(Callback):
    """Puts "train_loss", "valid_loss" and the metrics, each for both phases, into ``learner.results``.

    A learner has one; it is made of the argument `metrics`. Losses are weighted by the number of samples, unless the loss
    function says ``reduction == "sum"``; then they are divided by it. Metrics see no graph.

    Args:
        metrics: a list of `Metric` objects and functions, or a dictionary with names for them.

    Raises:
        ValueError: two have the same name.

    Source: https://docs.fast.ai/learner.html#recorder (the idea)

    Example:
        >>> from nbmodule.learner import Accuracy, Metrics
        >>> [metric.name for metric in Metrics([Accuracy()]).metrics]
        ['accuracy']
    """

    order = 0

    def __init__(self, metrics: Any = ()) -> None:
        if isinstance(metrics, (Metric, str)) or callable(metrics):
            raise TypeError("metrics must be a list of metrics, or a dictionary")
        if isinstance(metrics, Mapping):
            self.metrics = [_renamed(name, metric) for name, metric in metrics.items()]
        else:
            self.metrics = [m if isinstance(m, Metric) else Mean(m) for m in metrics or ()]
        for metric in self.metrics:
            if not hasattr(metric, "_settings"):
                raise TypeError(f"{type(metric).__name__}.__init__ must call super().__init__(name)")  # fmt: skip
        names = [metric.name for metric in self.metrics]
        if len({*names, "loss"}) <= len(names):
            raise ValueError(f"metrics need names of their own, beside 'loss': {names}")
        self.total, self.count = 0.0, 0
        self._put_aside: list[dict[str, Any]] = []

    def better(self, name: str) -> str | None:
        """Return "max" or "min", what is better of the result `name`, if it is known."""
        known = {metric.name: metric.better for metric in self.metrics} | {"loss": "min"}
        return known.get(name.removeprefix("train_").removeprefix("valid_"))

    def before_train(self, learner: Learner) -> None:
        """Begin anew."""
        self._put_aside.clear()  # of a validation that an error has ended
        self._reset()

    def before_validate(self, learner: Learner) -> None:
        """Begin anew; what was counted of a training that is not at its end comes back afterwards."""
        self._put_aside.append(self.state_dict())
        self._reset()

    def after_loss(self, learner: Learner) -> None:
        """Add the batch."""
        size = learner.size or 1
        self.total += learner.loss_value * (1 if is_summed(learner.loss_fn) else size)
        self.count += size
        if self.metrics:
            with no_grad():
                prediction = detached(learner.prediction)
                for metric in self.metrics:
                    metric.update(prediction, learner.target, size)

    def after_train(self, learner: Learner) -> None:
        """Write the results of training."""
        self._report(learner, "train")

    def after_validate(self, learner: Learner) -> None:
        """Write the results of validation."""
        self._report(learner, "valid")
        self.load_state_dict(self._put_aside.pop())

    def _reset(self) -> None:
        self.total, self.count = 0.0, 0
        for metric in self.metrics:
            metric.reset()

    def _report(self, learner: Learner, phase: str) -> None:
        if self.count:
            learner.results[f"{phase}_loss"] = self.total / self.count
        for metric in self.metrics:
            if (value := metric.compute()) is not None:
                learner.results[f"{phase}_{metric.name}"] = float(value)

    def state_dict(self) -> dict[str, Any]:
        """Return what was added up so far."""
        own = {metric.name: metric.state_dict() for metric in self.metrics}
        return {"total": self.total, "count": self.count, "metrics": own}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned.

        Raises:
            ValueError: the metrics are others.
        """
        names = [metric.name for metric in self.metrics]
        if sorted(state["metrics"]) != sorted(names):
            raise ValueError(f"this learner has the metrics {names}, and the checkpoint {list(state['metrics'])}")  # fmt: skip
        self.total, self.count = state["total"], state["count"]
        for metric in self.metrics:
            metric.load_state_dict(state["metrics"][metric.name])


def is_summed(loss_fn: Any) -> bool:
    """Return whether a loss is the sum over its batch, and not the mean."""
    return getattr(loss_fn, "reduction", None) == "sum"


def monitored(monitor: str | None, learner: Learner) -> str:
    """Return the name of the result to look at: the loss, of validation if there is one, if none is given."""
    return monitor or ("train_loss" if learner.valid_loader is None else "valid_loss")


def check_monitored(monitor: str | None, learner: Learner, who: Callback) -> None:
    """Raise before the first epoch, which may be a long one, if no result will have the name.

    That is known where learner and callbacks are classes of this package: of them only `Metrics` writes results.

    Raises:
        ValueError: there will be no such result.
    """
    package = __name__.rpartition(".")[0] + "."
    if not all(type(one).__module__.startswith(package) for one in (learner, *learner.callbacks)):
        return
    measured = [["loss", *(m.name for m in c.metrics)] for c in learner.callbacks if isinstance(c, Metrics)]  # fmt: skip
    phases = ["train"] if learner.valid_loader is None else ["train", "valid"]
    names = [f"{phase}_{name}" for phase in phases for one in measured for name in one]
    if (name := monitored(monitor, learner)) not in names:
        raise ValueError(f"{type(who).__name__} monitors {name!r}, and the results will be {names}")


def detached(nest: Any) -> Any:
    """Return `nest` without its graph."""
    if isinstance(nest, Tensor):
        return nest.detach()
    if isinstance(nest, (tuple, list)) and type(nest) in (tuple, list):
        return type(nest)(detached(part) for part in nest)
    if isinstance(nest, dict):
        return {key: detached(part) for key, part in nest.items()}
    return nest


def _renamed(name: str, metric: Any) -> Metric:
    if not isinstance(metric, Metric):
        return Mean(metric, name)
    metric.name = name
    return metric
