"""The loop: for each epoch, for each batch - predict, loss, backward, step - and the events in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .._random_states import RandomStates
from ..autograd import no_grad
from . import state
from .batches import Parts, split
from .callback import (
    Callback,
    Cancel,
    CancelBatch,
    CancelEpoch,
    CancelFit,
    CancelStep,
    check_events,
    listed,
    listeners,
)
from .checking import (
    count_of,
    loader_for,
    loss_for,
    no_batches,
    optimizer_for,
    scalar,
    untrainable,
)
from .history import History
from .measuring import Metrics
from .stopping import TerminateOnNaN


class Loop:
    """What a `Learner` does when it trains and validates, step by step."""

    def __init__(self, model: Any, loss_fn: Any, optimizer: Any, train_loader: Iterable[Any], valid_loader: Iterable[Any] | None = None, metrics: Any = (), callbacks: Iterable[Callback] = ()) -> None:  # fmt: skip
        self.model, self.loss_fn = model, loss_for(loss_fn)
        self.optimizer = optimizer_for(optimizer, model)
        self.train_loader = loader_for("train_loader", train_loader)
        self.valid_loader = (
            None if valid_loader is None else loader_for("valid_loader", valid_loader)
        )
        self.epoch = self.epochs = self.step = self.step_in_epoch = 0
        self.batches_per_step = 1
        self.training = self.stopping = self.accumulating = False
        self.batch: Any = None
        self.prediction: Any = None
        self.target: Any = None
        self.loss: Any = None
        self.size, self.loss_value = 0, 0.0
        self.results: dict[str, float] = {}
        self.history = History()
        self.callbacks: list[Callback] = []
        self._guests: list[Callback] = []  # callbacks of one fit only
        self._fitting = False
        self.resuming: dict[str, Any] | None = None
        self.random_at_epoch: RandomStates | None = None
        self.awaits_rest = False  # the loader stands in the middle of an epoch
        self.add(Metrics(metrics), self.history, TerminateOnNaN(), *listed(callbacks))

    # ---- the loop

    def fit(self, epochs: int, callbacks: Iterable[Callback] = ()) -> History:
        """Train for `epochs` more epochs, and validate after each.

        Args:
            epochs: how many.
            callbacks: more of them, for this fit only.

        Returns:
            The history, which prints as a table.
        """
        more = count_of(epochs)
        self._invite(callbacks)
        self.epochs, self.stopping = self.epoch + more, False
        return self._fit(None)

    def _fit(self, found: dict[str, Any] | None) -> History:
        """Train until `epochs` epochs are complete; `found` is the state of an interrupted fit to go on from."""
        self.resuming = found
        with self._in_fit(), self._modes_kept():
            with suppress(CancelFit):
                self.event("before_fit")
                if found is not None:  # into what the events before have set up
                    state.put(self, found)
                while self.epoch < self.epochs and not self.stopping:
                    self._one_epoch()
            self.event("after_fit")
        self.epochs = self.epoch  # nothing is left to resume
        self.prediction = self.loss = None
        self.give_up_fit()
        return self.history

    def _one_epoch(self) -> None:
        with suppress(CancelEpoch):
            self.results = {}
            self.event("before_epoch")
            self._train()
            if self.valid_loader is not None:
                self._validate(self.valid_loader, "valid_loader")
        self.epoch, self.step_in_epoch = self.epoch + 1, 0
        self.event("after_epoch")

    def _train(self) -> None:
        self.training = True
        self.model.train()
        self.event("before_train")
        for batch in state.batches_of_epoch(self):
            self._train_on(batch)
        if not self.step_in_epoch:
            raise no_batches("train_loader", self.train_loader, self.epoch)
        self.event("after_train")

    def _train_on(self, batch: Any) -> None:
        try:  # half a microsecond less than suppress
            self._predict_and_compare(batch)
            self._descend()
        except CancelBatch:
            pass
        self.step, self.step_in_epoch = self.step + 1, self.step_in_epoch + 1
        self.event("after_batch")
        self.prediction = self.loss = None  # they hold the graph, and with it memory

    def _predict_and_compare(self, batch: Any) -> None:
        self.batch = batch
        self.event("before_batch")
        inputs, named, self.target, self.size = self.split_batch(self.batch)
        self.prediction = self.model(*inputs, **named)
        self.event("after_predict")
        self.loss = self.loss_fn(self.prediction, self.target)
        self.loss_value = scalar(self.loss)
        self.event("after_loss")

    def _descend(self) -> None:
        if not self.loss.requires_grad:
            raise untrainable(self.loss, self.model)
        if not self.accumulating:
            self.optimizer.zero_grad()
        self.loss.backward()
        self.take_step()

    def take_step(self) -> None:
        """Change the parameters by the gradients that are there, unless a callback wants to wait for more."""
        try:
            self.event("before_step")
        except CancelStep:
            self.accumulating = True
            return
        self.optimizer.step()
        self.accumulating = False
        self.event("after_step")

    def _validate(self, loader: Iterable[Any], name: str) -> None:
        self.training, count = False, 0
        with no_grad():
            self.model.eval()
            self.event("before_validate")
            for count, batch in enumerate(loader, 1):  # noqa: B007 - it is asked afterwards
                with suppress(CancelBatch):
                    self._predict_and_compare(batch)
                self.event("after_batch")
            if not count:
                raise no_batches(name, loader, self.epoch)
            self.event("after_validate")

    def stop(self) -> None:
        """End the fit after this epoch; ``raise CancelFit`` ends it at once."""
        self.stopping = True

    def split_batch(self, batch: Any) -> Parts:
        """Return inputs by place, inputs by name, target and size of a batch; for a subclass to change.

        A tuple is ``(x, ..., y)``; a tensor is its own target; of a dictionary one of "target", "targets", "label", "labels"
        and "y" is the target, and the others are given to the model by name. For anything else::

            class Autoencoder(Learner):
                def split_batch(self, batch):
                    x, _ = batch  # its label is not asked for
                    return (x,), {}, x, len(x)
        """
        return split(batch)

    # ---- events, and who stands in them

    def add(self, *callbacks: Callback) -> None:
        """Add callbacks, for all fits that follow."""
        for callback in callbacks:
            check_events(callback)
        self.callbacks += callbacks
        self._listeners = listeners(self.callbacks)

    def remove(self, *callbacks: Callback | type[Callback]) -> None:
        """Take callbacks out again: objects, or classes, of which all go."""
        for one in callbacks:
            going = [c for c in self.callbacks if c is one or (isinstance(one, type) and isinstance(c, one))]  # fmt: skip
            if not going:
                names = ", ".join(type(callback).__name__ for callback in self.callbacks)
                raise ValueError(f"{one!r} is no callback of this learner, which has {names}")
            for callback in going:
                self.callbacks.remove(callback)
                callback.removed(self)
        self._listeners = listeners(self.callbacks)

    def event(self, name: str, *more: Any) -> None:
        """Run the methods that stand in the event `name`, in the order of their callbacks."""
        for call in self._listeners[name]:
            try:
                call(self, *more)
            except Cancel:
                raise
            except Exception as error:
                owner = type(getattr(call, "__self__", call)).__name__
                error.add_note(f"raised in {owner}.{name}, {self._where()}")
                raise

    def _where(self) -> str:
        return f"after {self.epoch} complete epochs and {self.step} training batches"

    def _invite(self, callbacks: Iterable[Callback]) -> None:
        """Add callbacks for one fit; those of a fit that was interrupted go."""
        self.give_up_fit()
        guests = listed(callbacks)
        self.add(*guests)
        self._guests = guests

    def give_up_fit(self) -> None:
        """Take out what belongs to a fit that is over, or was interrupted: an epoch in its middle is not gone on with.

        Raises:
            RuntimeError: a fit is at work.
        """
        if self._fitting:
            raise RuntimeError("this learner is in the middle of a fit: end it first, with stop()")
        self.step_in_epoch, self.accumulating = 0, False
        state.forget_rest(self)
        guests, self._guests = self._guests, []
        self.remove(*guests)

    @contextmanager
    def _in_fit(self) -> Iterator[None]:
        """Tell the callbacks if the block ends in an exception, Ctrl-C among them."""
        self._fitting = True
        try:
            yield
        except BaseException as error:
            if not isinstance(error, Exception):  # an event's exceptions have their note
                error.add_note(f"stopped {self._where()}; the learner can fit on, or save")
            if isinstance(error, Cancel):
                error.add_note("it was raised in an event that is no part of what it leaves out")
            self.event("on_exception", error)
            raise
        finally:
            self._fitting = False

    @contextmanager
    def _modes_kept(self) -> Iterator[None]:
        """Give every module its own train or eval mode back."""
        modes = [(module, module.training) for module in self.model.modules()]
        try:
            yield
        finally:
            for module, mode in modes:
                module.training = mode
