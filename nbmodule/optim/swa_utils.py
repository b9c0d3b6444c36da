"""Averages of a model's weights over training: equal weights (SWA) or exponentially fading ones (EMA).

`AveragedModel` keeps the average beside the model, `SWALR` is the schedule that goes with it, and
`update_bn` counts the statistics of batch normalisation anew, for the averaged weights.

Source: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
and https://arxiv.org/abs/1803.05407
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from .._dtypes import int64
from .._factories import tensor
from .._tensor import Tensor
from ..autograd import no_grad
from ..nn.modules._state_dict import Before
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_scheduler._averaging import SWALR

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

AvgFn = Callable[[Tensor, Tensor, Any], Tensor]
MultiAvgFn = Callable[[list[Tensor], list[Tensor], Any], None]


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAvgFn:
    """Return the function that moves averages a little towards the current parameters, in place.

    ``average = decay * average + (1 - decay) * current``.

    Args:
        decay: from 0 to 1; the average reaches back over about ``1 / (1 - decay)`` steps.

    Raises:
        ValueError: `decay` is not from 0 to 1.

    Source: https://docs.pytorch.org/docs/stable/optim.html#custom-averaging-strategies

    Example:
        >>> import nbmodule
        >>> move = nbmodule.optim.swa_utils.get_ema_multi_avg_fn(0.75)
        >>> average = nbmodule.zeros(2)
        >>> move([average], [nbmodule.tensor([4.0, 8.0])], 1)
        >>> average
        tensor([1., 2.])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: list[Tensor], current_param_list: list[Tensor], _: Any) -> None:
        floating = ema_param_list[0].is_floating_point()
        for average, current in _pairs(ema_param_list, current_param_list):
            if floating:
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> MultiAvgFn:
    """Return the function that takes the current parameters into the mean of all so far, in place.

    ``average += (current - average) / (num_averaged + 1)``.

    Source: https://docs.pytorch.org/docs/stable/optim.html#custom-averaging-strategies

    Example:
        >>> import nbmodule
        >>> move = nbmodule.optim.swa_utils.get_swa_multi_avg_fn()
        >>> average = nbmodule.tensor([3.0])  # the mean of two
        >>> move([average], [nbmodule.tensor([9.0])], 2)
        >>> average
        tensor([5.])
    """

    @no_grad()
    def swa_update(averaged_param_list: list[Tensor], current_param_list: list[Tensor], num_averaged: Tensor | int) -> None:  # fmt: skip
        floating = averaged_param_list[0].is_floating_point()
        for average, current in _pairs(averaged_param_list, current_param_list):
            if floating:
                weight = 1 / (num_averaged + 1)
                average.lerp_(current, weight.item() if isinstance(weight, Tensor) else weight)
            elif isinstance(num_averaged, Tensor):
                average.addcdiv_(current - average, num_averaged + 1)
            else:
                average.add_(current - average, alpha=1.0 / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> AvgFn:
    """Return the function that computes ``decay * average + (1 - decay) * current`` of one parameter.

    Args:
        decay: from 0 to 1; the average reaches back over about ``1 / (1 - decay)`` steps.

    Raises:
        ValueError: `decay` is not from 0 to 1.

    Source: https://docs.pytorch.org/docs/stable/optim.html#custom-averaging-strategies

    Example:
        >>> import nbmodule
        >>> moved = nbmodule.optim.swa_utils.get_ema_avg_fn(0.75)
        >>> moved(nbmodule.zeros(2), nbmodule.tensor([4.0, 8.0]), 1)
        tensor([1., 2.])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> AvgFn:
    """Return the function that computes ``average + (current - average) / (num_averaged + 1)``.

    Source: https://docs.pytorch.org/docs/stable/optim.html#custom-averaging-strategies

    Example:
        >>> import nbmodule
        >>> moved = nbmodule.optim.swa_utils.get_swa_avg_fn()
        >>> moved(nbmodule.tensor([3.0]), nbmodule.tensor([9.0]), 2)
        tensor([5.])
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:  # fmt: skip
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def _pairs(averages: list[Tensor], currents: list[Tensor]) -> Iterable[tuple[Tensor, Tensor]]:
    """Return the pairs, before any average changes.

    Raises:
        RuntimeError: the lists are of different lengths.
    """
    if len(averages) != len(currents):
        raise RuntimeError(
            "Tensor lists must have the same number of tensors, "
            f"got {len(averages)} and {len(currents)}"
        )
    return zip(averages, currents, strict=True)


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """A copy of a model that holds the average of the parameters it had over training.

    The first `update_parameters` copies; each one after it averages. The averaging function is not part
    of the state; how many models were averaged is, as the buffer "n_averaged".

    Args:
        model: is copied.
        device: where the average lives; that of the model if left out.
        avg_fn: ``(average, current, num_averaged) -> new average``, of one parameter.
        multi_avg_fn: ``(averages, currents, num_averaged)``, changes lists of averages in place; is called
            once for each dtype. Without either function, the average is the mean of all.
        use_buffers: whether buffers are averaged, too; if not, they are copied from the model every time.

    Attributes:
        module: the copy.
        n_averaged: how many models were averaged, int64.

    Raises:
        AssertionError: both functions are given.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.AveragedModel.html

    Example:
        >>> import nbmodule
        >>> model = nbmodule.nn.Linear(1, 1, bias=False)
        >>> average = nbmodule.optim.swa_utils.AveragedModel(model)
        >>> for weight in [1.0, 2.0, 6.0]:
        ...     _ = nbmodule.nn.init.constant_(model.weight, weight)
        ...     average.update_parameters(model)
        >>> dict(average.state_dict())
        {'n_averaged': tensor(3), 'module.weight': tensor([[3.]])}
    """

    module: Any
    n_averaged: Tensor

    def __init__(self, model: Module, device: Any = None, avg_fn: AvgFn | None = None, multi_avg_fn: MultiAvgFn | None = None, use_buffers: bool = False) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the averaged model makes of the arguments."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the current parameters of `model` into the average, all or none of them."""
        before = Before()
        for module in self.modules():
            before.keep_all(module)
        try:
            self._update(model)
        except BaseException:
            before.put_back()
            raise

    def _update(self, model: Module) -> None:
        own = self.module.parameters() if self.use_buffers else self.parameters()
        pairs = zip(self._averaged(own, self.module), self._averaged(model.parameters(), model))  # noqa: B905
        averages, currents, count = [], [], int(self.n_averaged)
        for average, current in pairs:
            averages.append(average.detach())
            currents.append(current.detach().to(average.device))
            if count == 0:
                averages[-1].copy_(currents[-1])
        if count > 0:
            self._average(averages, currents, count)
        if not self.use_buffers:
            for copied, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                copied.detach().copy_(buffer.detach().to(copied.device))
        self.n_averaged += 1

    def _averaged(self, parameters: Iterable[Tensor], model: Module) -> Iterable[Tensor]:
        return chain(parameters, model.buffers()) if self.use_buffers else parameters

    def _average(self, averages: list[Tensor], currents: list[Tensor], count: int) -> None:
        """Bring the averages of `count` models up to date, in place."""
        if self.multi_avg_fn is not None:
            for same_kind in _by_dtype(averages, currents):
                self.multi_avg_fn(*same_kind, self.n_averaged.to(same_kind[0][0].device))
            return
        mean_of_all = get_swa_avg_fn()
        for average, current in zip(averages, currents, strict=True):
            if self.avg_fn is None:
                moved = mean_of_all(average, current, count)
            else:
                moved = self.avg_fn(average, current, self.n_averaged.to(average.device))
            average.copy_(moved)


def _by_dtype(averages: list[Tensor], currents: list[Tensor]) -> Iterable[tuple[list[Tensor], list[Tensor]]]:  # fmt: skip
    """Return the averages of each dtype and device with their partners; in PyTorch the last kind comes first."""
    groups: dict[Any, tuple[list[Tensor], list[Tensor]]] = {}
    for average, current in zip(averages, currents, strict=True):
        group = groups.setdefault((average.device, average.dtype), ([], []))
        group[0].append(average)
        group[1].append(current)
    return reversed(groups.values())


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Count the running statistics of batch normalisation anew, in one pass over the data.

    Averaged weights give other activations than those that the statistics were counted on.

    Args:
        loader: yields batches: tensors, or lists and tuples whose first element is what the model takes.
        model: whose statistics are counted; it runs in training mode, and is then as it was.
        device: where the batches are moved to first.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.update_bn.html

    Example:
        >>> import nbmodule
        >>> model = nbmodule.nn.Sequential(nbmodule.nn.BatchNorm1d(1)).eval()
        >>> batches = [nbmodule.tensor([[1.0], [3.0]]), (nbmodule.tensor([[4.0], [8.0]]), "targets")]
        >>> nbmodule.optim.swa_utils.update_bn(batches, model)
        >>> model[0].running_mean, model[0].num_batches_tracked, model.training
        (tensor([4.]), tensor(2), False)
    """
    momenta = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    try:
        for module in momenta:
            module.reset_running_stats()
            module.momentum = None  # the mean of all batches, instead of one that fades
        for batch in loader:
            x = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(x if device is None else x.to(device))
    finally:
        for module, momentum in momenta.items():
            module.momentum = momentum
        model.train(was_training)
