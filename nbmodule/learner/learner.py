"""What a training script needs around the loop: validating, predicting, learning rates, saving and going on.

Source: https://docs.fast.ai/learner.html (the idea; the code is our own)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._functions.joining import cat
from .._tensor import Tensor
from ..autograd import no_grad
from ..nn.parameter import is_lazy
from . import state
from .batches import batches_in
from .callback import Callback
from .checking import loader_for, no_batches
from .finder import LRFinderResult, find_learning_rate
from .history import History
from .loop import Loop
from .schedules import OneCycle


class Learner(Loop):
    """Trains a model: the loop over epochs and batches, with callbacks in its events.

    What ``fit`` does with a batch, with the events left out::

        prediction = model(*inputs)
        loss = loss_fn(prediction, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    Args:
        model: a Module.
        loss_fn: takes prediction and target, returns one number.
        optimizer: one for this model, or what makes one of parameters: ``SGD``, ``partial(SGD, lr=0.1)``.
        train_loader: yields batches, anew for each epoch: a DataLoader, a list. See `split_batch` for what a batch is.
        valid_loader: the same for validation after each epoch, if there is any.
        metrics: a list of `Metric` objects and functions of prediction and target that return a number, or a
            dictionary with names for them. They are computed for training and validation.
        callbacks: a list of `Callback` objects.

    Attributes:
        epoch, step, step_in_epoch: how many epochs and training batches are complete, overall and in this epoch.
        epochs: how many epochs will be complete at the end of the fit.
        training: whether a training batch is at work, not one of validation.
        batch, prediction, target, size, loss, loss_value: what belongs to the batch at work.
        results: numbers of this epoch by their names, as "valid_loss". Callbacks may add their own, before `after_epoch`.
        history: the results of all epochs: a `History`.

    Raises:
        TypeError: an argument is not what it should be.
        ValueError: the model has no parameters, or the optimizer holds none of them.

    Source: https://docs.fast.ai/learner.html (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import Learner
        >>> _ = nbmodule.manual_seed(0)
        >>> x = nbmodule.randn(8, 3)
        >>> batches = [(x, x.sum(1, keepdim=True))]
        >>> learner = Learner(nn.Linear(3, 1), nn.MSELoss(), optim.Adam, batches)
        >>> learner.fit(2)
        epoch  train_loss     lr
            1       6.084  0.001
            2       6.072  0.001
    """

    def __repr__(self) -> str:
        count = sum(p.numel() for p in self.model.parameters() if not is_lazy(p))
        loss = getattr(self.loss_fn, "__name__", type(self.loss_fn).__name__)
        rates = ", ".join(f"{float(group['lr']):g}" for group in self.optimizer.param_groups)
        loaders = [("train", self.train_loader), ("valid", self.valid_loader)]
        sizes = [f"{name} {batches_in(loader) or '?'} batches" for name, loader in loaders if loader is not None]  # fmt: skip
        return (
            f"Learner({type(self.model).__name__} of {count:,} parameters, {loss}, {type(self.optimizer).__name__} lr {rates}, "
            f"{', '.join(sizes)}; {self.epoch} epochs, {self.step} steps)"
        )

    # ---- without training

    def validate(self, loader: Iterable[Any] | None = None) -> dict[str, float]:
        """Return loss and metrics over a loader, in eval mode and without gradients.

        Args:
            loader: `valid_loader`, if none is given.

        Returns:
            "loss" and the metrics by their names.
        """
        loader = self.valid_loader if loader is None else loader
        if loader is None:
            raise ValueError("this learner has no valid_loader: give validate a loader")
        loader_for("the loader", loader)
        kept = {name: getattr(self, name) for name in state.OF_BATCH}
        results, self.results = self.results, {}
        try:
            with self._modes_kept():
                self._validate(loader, "the loader")
            return {name.removeprefix("valid_"): value for name, value in self.results.items()}
        finally:
            self.results = results
            vars(self).update(kept)

    evaluate = validate

    def predict(self, data: Any) -> Any:
        """Return what the model predicts, in eval mode and without gradients.

        Args:
            data: a tensor, dictionary, tuple or list of tensors: one batch, as a DataLoader yields it. Or a loader, whose
                targets are left alone.

        Returns:
            The prediction; of a loader those of all batches in one, along the first dimension.
        """
        one = isinstance(data, (Tensor, tuple, dict))
        if not one:
            loader_for("the loader", data)
            one = isinstance(data, list) and bool(data) and isinstance(data[0], Tensor)
        with self._modes_kept(), no_grad():
            self.model.eval()
            if one:
                return self._prediction(data)
            parts = [self._prediction(batch) for batch in data]
        if not parts:
            raise no_batches("the loader", data, 0)
        if isinstance(parts[0], (tuple, list)):
            return type(parts[0])(cat(list(column)) for column in zip(*parts, strict=True))
        return cat(parts)

    def _prediction(self, batch: Any) -> Any:
        inputs, named, *_ = self.split_batch(batch)
        return self.model(*inputs, **named)

    # ---- learning rates

    def fit_one_cycle(self, epochs: int, max_lr: Any, **options: Any) -> History:
        """Train while the learning rate rises to `max_lr` and falls again: `OneCycle` for one fit.

        Args:
            epochs: how many.
            max_lr: the highest learning rate, or a list with one for each group of parameters.
            options: those of `optim.lr_scheduler.OneCycleLR`.
        """
        return self.fit(epochs, [OneCycle(max_lr, **options)])

    def lr_find(self, start_lr: float = 1e-7, end_lr: float = 10.0, num_it: int = 100, stop_div: bool = True) -> LRFinderResult:  # fmt: skip
        """Train some steps with a growing learning rate to see which is good, and put everything back.

        The callbacks of the learner have no part in it: they would write down what is undone.

        Args:
            start_lr: the first rate.
            end_lr: the last rate; in between they grow by the same factor.
            num_it: how many steps at most.
            stop_div: whether to stop when the loss is four times its least.

        Returns:
            Rates, losses and a suggestion. Model, optimizer, random numbers and loaders are as before.
        """
        return find_learning_rate(self, start_lr, end_lr, num_it, stop_div)

    # ---- keeping and going on

    def state_dict(self) -> dict[str, Any]:
        """Return everything that the rest of the training depends on: what a checkpoint holds."""
        return state.of(self)

    def load_state_dict(self, found: dict[str, Any]) -> None:
        """Take over what `state_dict` returned, all of it or, if it does not fit, nothing."""
        state.put_or_leave(self, found)

    def save(self, path: Any) -> None:
        """Write the `state_dict` to a file, with `nbmodule.save`: its ending chooses the format."""
        state.write(self, path)

    def load(self, path: Any) -> None:
        """Take over the state from a file; the next ``fit`` begins a new epoch.

        Args:
            path: a file that `save` or `Checkpoint` wrote, or a folder of them, whose newest is taken.
        """
        self._take_over(path, ())
        self.give_up_fit()

    def resume(self, path: Any, callbacks: Iterable[Callback] = ()) -> History:
        """Take over the state from a file, and finish the fit in which it was written, bit for bit.

        Args:
            path: a file that `save` or `Checkpoint` wrote, or a folder of them, whose newest is taken.
            callbacks: those that the fit was given. That of `fit_one_cycle` is added by itself.
        """
        return self._fit(self._take_over(path, callbacks))

    def _take_over(self, path: Any, callbacks: Iterable[Callback]) -> dict[str, Any]:
        """Load the state in a file, with the callbacks of the fit in which it was written, and return it."""
        found = state.read(path)
        self.give_up_fit()
        own = list(self.callbacks)
        self._invite([*callbacks, *OneCycle.from_state(found, [*own, *callbacks])])
        try:
            self.load_state_dict(found)
        except BaseException:
            self.callbacks, self._guests = own, []  # they leave as if they had not been here
            self.add()
            raise
        return found
