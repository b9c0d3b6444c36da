"""Numbers that say how good predictions are, over all batches of an epoch: samples count the same, batches need not.

Source: https://lightning.ai/docs/torchmetrics/stable/ (reset, update, compute)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from .callback import Callback


class Metric:
    """A number over several batches; subclasses say what `update` adds up and what `compute` makes of it.

    Args:
        name: under which it is shown.
        better: "max" or "min", for callbacks that look for the best value.

    Source: https://lightning.ai/docs/torchmetrics/stable/pages/implement.html (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule.learner import Metric
        >>> class LargestError(Metric):
        ...     def reset(self):
        ...         self.largest = 0.0
        ...     def update(self, prediction, target, size):
        ...         self.largest = max(self.largest, (prediction - target).abs().max().item())
        ...     def compute(self):
        ...         return self.largest
        >>> worst = LargestError("worst", better="min")
        >>> worst.update(nbmodule.tensor([1.0, 2.0]), nbmodule.tensor([1.5, 2.0]), 2)
        >>> worst.compute()
        0.5
    """

    def __init__(self, name: str, better: str | None = None) -> None:
        if better not in ("min", "max", None):
            raise ValueError(f"better must be 'min' or 'max', not {better!r}")
        self.name, self.better = name, better
        self._settings = set(vars(self)) | {"_settings"}
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        raise NotImplementedError(f"{type(self).__name__} has no reset")

    def update(self, prediction: Any, target: Any, size: int) -> None:
        """Take a batch of `size` samples into account."""
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def compute(self) -> float | None:
        """Return the number over all batches, or None if there were none."""
        raise NotImplementedError(f"{type(self).__name__} has no compute")

    def state_dict(self) -> dict[str, Any]:
        """Return what `reset` and `update` have set."""
        return {key: value for key, value in vars(self).items() if key not in self._settings}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        if set(state) != set(self.state_dict()):
            raise ValueError(
                f"{type(self).__name__} has {sorted(self.state_dict())}, and the checkpoint {sorted(state)}"
            )
        vars(self).update(state)


class Mean(Metric):
    """The mean over all samples of what a function of prediction and target returns for a batch.

    With n samples in a batch: ``sum(n * f(prediction, target)) / sum(n)``. A last batch of fewer samples weighs less.

    Args:
        function: returns a number, the mean over the batch.
        name: under which it is shown; that of the function, if none is given.
        better: "max" or "min".

    Raises:
        ValueError: the function has no name of its own, or returns several numbers.

    Source: https://docs.fast.ai/learner.html#avgmetric (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule.learner import Mean
        >>> error = Mean(lambda x, y: (x - y).abs().mean(), name="error")
        >>> error.update(nbmodule.tensor([1.0, 1.0, 1.0]), nbmodule.zeros(3), 3)
        >>> error.update(nbmodule.tensor([5.0]), nbmodule.zeros(1), 1)
        >>> error.compute()
        2.0
    """

    def __init__(self, function: Callable[[Any, Any], Any], name: str | None = None, better: str | None = None) -> None:  # fmt: skip
        if isinstance(function, Callback):
            raise TypeError(f"{type(function).__name__} is a callback: give it to the Learner as callbacks=[...]")  # fmt: skip
        if not callable(function):
            raise TypeError(f"a metric is a Metric or a function of prediction and target, not {function!r}")  # fmt: skip
        if isinstance(function, type) and issubclass(function, Metric):
            raise TypeError(f"{function.__name__} is a class: give {function.__name__}()")
        name = name or str(getattr(function, "__name__", type(function).__name__))
        if name == "<lambda>":
            raise ValueError("a lambda has no name: give the metrics as a dictionary, {'error': lambda ...}")  # fmt: skip
        self.function = function
        super().__init__(name, better)

    def reset(self) -> None:
        """Forget all batches."""
        self.total, self.count = 0.0, 0

    def update(self, prediction: Any, target: Any, size: int) -> None:
        """Add ``size * function(prediction, target)``."""
        value = self.function(prediction, target)
        if isinstance(value, Tensor):
            if value.numel() != 1:
                raise ValueError(f"the metric {self.name!r} must return one number, and returned the shape {tuple(value.shape)}")  # fmt: skip
            value = value.item()
        try:
            self.total += float(value) * size
        except (TypeError, ValueError):
            raise ValueError(f"the metric {self.name!r} must return one number, and returned {value!r}") from None  # fmt: skip
        self.count += size

    def compute(self) -> float | None:
        """Return the mean, or None if there were no samples."""
        return self.total / self.count if self.count else None


class Accuracy(Metric):
    """The share of predictions that are right.

    Args:
        threshold: None for classes: predictions of shape (N, C, ...) are scores, of which the largest counts, and targets
            of shape (N, ...) numbers of classes. A number for yes or no: predictions above it mean 1; 0.0 for logits, 0.5 for
            probabilities.
        name: under which it is shown.

    Raises:
        ValueError: the shapes do not go together.

    Source: https://lightning.ai/docs/torchmetrics/stable/classification/accuracy.html (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule.learner import Accuracy
        >>> accuracy = Accuracy()
        >>> scores = nbmodule.tensor([[2.0, 1.0], [0.0, 3.0], [5.0, 4.0], [1.0, 0.0]])
        >>> accuracy.update(scores, nbmodule.tensor([0, 1, 1, 0]), 4)
        >>> accuracy.compute()
        0.75
    """

    def __init__(self, threshold: float | None = None, name: str = "accuracy") -> None:
        self.threshold = threshold
        super().__init__(name, "max")

    def reset(self) -> None:
        """Forget all batches."""
        self.right = self.count = 0

    def update(self, prediction: Any, target: Any, size: int) -> None:
        """Count the predictions that are right."""
        _check_tensors(self, prediction, target)
        if self.threshold is not None:
            chosen, target = prediction > self.threshold, target > 0.5
        elif prediction.ndim == target.ndim + 1:
            chosen = prediction.argmax(1)
        else:
            chosen = prediction
        if chosen.shape != target.shape or (self.threshold is None and chosen is prediction):
            needed = (
                "scores (N, C, ...) with classes (N, ...)"
                if self.threshold is None
                else "as many numbers"
            )
            hint = (
                "" if self.threshold is not None else "; for yes or no give Accuracy(threshold=0.0)"
            )
            if hint and prediction.shape == target.shape and target.shape[1:] > (1,):
                hint += ", for probabilities of classes a function that takes y.argmax(1)"
            raise ValueError(
                f"accuracy compares {needed}, and got the shapes {tuple(prediction.shape)} "
                f"and {tuple(target.shape)}{hint}"
            )
        self.right += int((chosen == target).sum().item())
        self.count += target.numel()

    def compute(self) -> float | None:
        """Return the share, or None if there were no predictions."""
        return self.right / self.count if self.count else None


class TopKAccuracy(Metric):
    """The share of samples whose class is among the k of the largest scores.

    Args:
        k: how many; the model knows at least as many classes.
        name: under which it is shown; "top5_accuracy" for k = 5.

    Source: https://docs.fast.ai/metrics.html#top_k_accuracy (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule.learner import TopKAccuracy
        >>> top2 = TopKAccuracy(k=2)
        >>> top2.update(nbmodule.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]), nbmodule.tensor([1, 2]), 2)
        >>> top2.name, top2.compute()
        ('top2_accuracy', 0.5)
    """

    def __init__(self, k: int = 5, name: str | None = None) -> None:
        self.k = k
        super().__init__(name or f"top{k}_accuracy", "max")

    def reset(self) -> None:
        """Forget all batches."""
        self.right = self.count = 0

    def update(self, prediction: Any, target: Any, size: int) -> None:
        """Count the targets that are among the k best."""
        _check_tensors(self, prediction, target)
        if prediction.ndim != 2 or target.shape != prediction.shape[:1]:
            raise ValueError(
                f"top-k accuracy compares scores (N, C) with classes (N,), and got the shapes {tuple(prediction.shape)} "
                f"and {tuple(target.shape)}"
            )
        if prediction.shape[1] < self.k:
            raise ValueError(f"the {self.k} largest of {prediction.shape[1]} scores: give TopKAccuracy a smaller k")  # fmt: skip
        best = prediction.topk(self.k, 1).indices
        self.right += int((best == target.unsqueeze(1)).any(1).sum().item())
        self.count += len(target)

    def compute(self) -> float | None:
        """Return the share, or None if there were no samples."""
        return self.right / self.count if self.count else None


def _check_tensors(metric: Metric, prediction: Any, target: Any) -> None:
    """Raise if prediction or target are several things, of which one should be compared."""
    for what, given in (("prediction", prediction), ("target", target)):
        if not isinstance(given, Tensor):
            raise TypeError(
                f"{metric.name} needs a tensor as {what}, and got {type(given).__name__}: give a function of prediction and "
                f"target in its place, as {{{metric.name!r}: lambda p, y: (p[0].argmax(1) == y).float().mean()}}"
            )
