"""Between backward and step: gradients that are kept small, and gradients of several batches in one step."""

from __future__ import annotations

from .._tensor import Tensor
from ..nn.utils import clip_grad_norm_, clip_grad_value_
from .callback import Callback, CancelStep, Learner
from .measuring import is_summed


class GradientClipping(Callback):
    """Keeps gradients small before each step.

    Args:
        max_norm: all gradients together, as one vector, are scaled down to this norm.
        norm_type: p of this norm.
        max_value: each number is cut off at plus and minus this value.

    Attributes:
        norm: the norm before clipping at the last step, a tensor; None before, or without `max_norm`.

    Raises:
        ValueError: neither, or both, of `max_norm` and `max_value` are given.

    Source: https://docs.fast.ai/callback.training.html#gradientclip (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import GradientClipping, Learner
        >>> clip = GradientClipping(max_norm=0.5)
        >>> model = nn.Linear(2, 1, bias=False)
        >>> learner = Learner(model, lambda x, y: x.sum() * 3, optim.SGD, [nbmodule.ones(1, 2)], callbacks=[clip])
        >>> _ = learner.fit(1)
        >>> clip.norm, model.weight.grad
        (tensor(4.2426), tensor([[0.3536, 0.3536]]))
    """

    order = 20

    def __init__(self, max_norm: float | None = None, norm_type: float = 2.0, max_value: float | None = None) -> None:  # fmt: skip
        if (max_norm is None) == (max_value is None):
            raise ValueError("give GradientClipping one of max_norm and max_value")
        self.max_norm, self.norm_type, self.max_value = max_norm, norm_type, max_value
        self.norm: Tensor | None = None

    def before_step(self, learner: Learner) -> None:
        """Clip."""
        parameters = [p for group in learner.optimizer.param_groups for p in group["params"]]
        if self.max_norm is not None:
            self.norm = clip_grad_norm_(parameters, self.max_norm, self.norm_type)
        elif self.max_value is not None:
            clip_grad_value_(parameters, self.max_value)


class GradientAccumulation(Callback):
    """Makes one step of several batches, as if they were one: memory for a small batch, steps of a large one.

    Each gradient is weighted by the number of samples of its batch, so that uneven batches come out right; the last batches
    of an epoch make a step, even if they are fewer.

    Args:
        batches: how many to a step.

    Raises:
        ValueError: `batches` is less than 1.

    Source: https://docs.fast.ai/callback.training.html#gradientaccumulation (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import GradientAccumulation, Learner
        >>> model = nn.Linear(1, 1, bias=False)
        >>> batches = [(nbmodule.tensor([[2.0], [2.0], [2.0]]), 0), (nbmodule.tensor([[6.0]]), 0)]
        >>> both = GradientAccumulation(2)
        >>> learner = Learner(model, lambda x, y: x.mean(), optim.SGD, batches, callbacks=[both])
        >>> _ = learner.fit(1)
        >>> model.weight.grad
        tensor([[3.]])
    """

    order = -10
    remembers = ("samples", "waiting")

    def __init__(self, batches: int) -> None:
        if batches < 1:
            raise ValueError(f"a step needs at least one batch, not {batches}")
        self.batches, self.samples, self.waiting = batches, 0, 0
        self._closing = False

    def before_fit(self, learner: Learner) -> None:
        """Say how many batches make a step: schedules that count steps ask for it."""
        learner.batches_per_step = self.batches

    def removed(self, learner: Learner) -> None:
        """Say that each batch makes a step."""
        learner.batches_per_step = 1

    def before_train(self, learner: Learner) -> None:
        """Begin anew, also after an epoch that was cancelled."""
        self.samples = self.waiting = 0
        learner.accumulating = False

    def after_loss(self, learner: Learner) -> None:
        """Make the mean over a batch a sum, so that batches can be added up."""
        if learner.training and not is_summed(learner.loss_fn):
            learner.loss = learner.loss * (learner.size or 1)

    def before_step(self, learner: Learner) -> None:
        """Wait until there are enough batches; then make the sum of gradients a mean over all samples."""
        if not self._closing:
            self.samples += learner.size or 1
            self.waiting += 1
            if self.waiting < self.batches:
                raise CancelStep
        if not is_summed(learner.loss_fn):
            for group in learner.optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad /= self.samples
        self.samples = self.waiting = 0

    def after_train(self, learner: Learner) -> None:
        """Make a step of the batches that are left."""
        if self.waiting:
            self._closing = True
            try:
                learner.take_step()
            finally:
                self._closing = False
