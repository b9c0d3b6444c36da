"""What all schedules share: whose rates they set, how a step goes, and what may be saved of them."""

from __future__ import annotations

import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from ..._tensor import Tensor
from ..optimizer import Optimizer

HOME = "nbmodule.optim.lr_scheduler"
"""Where the schedules are public, and what pickles call their module."""

_ADVICE = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
    "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    f"{_ADVICE}"
)
_WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
    "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
    f"details at {_ADVICE}"
)
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
    "from None, the closed form is used instead of the new chainable form, where available. Please open an "
    "issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
_NO_INITIAL_LR = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


class as_it_was:
    """A context in which a schedule changes: if it is left by one of `errors`, the schedule and the rates are as before.

    An error of a step itself leaves what PyTorch leaves; Ctrl-C may not.
    """

    def __init__(self, schedule: Any, errors: type[BaseException] = KeyboardInterrupt) -> None:
        self.errors = errors
        own = schedule.__dict__
        self.before = [(own, own.copy())]
        self.tensors = []
        if "_schedulers" in own or "lr_lambdas" in own or "_scale_fn_custom" in own:
            self.before += [(d, d.copy()) for d in map(vars, _parts(schedule))]
        for group in schedule.optimizer.param_groups:
            self.before.append((group, group.copy()))
            if isinstance(group["lr"], Tensor):
                self.tensors.append((group["lr"], group["lr"].clone()))

    def __enter__(self) -> None:
        """The constructor has done everything."""

    def __exit__(self, kind: Any, *error: object) -> None:
        if kind is not None and issubclass(kind, self.errors):
            for attributes, old in self.before:
                attributes.clear()
                attributes.update(old)
            for rate, old in self.tensors:
                rate.copy_(old)


def all_or_nothing(load: Callable[[Any, dict[str, Any]], None]) -> Callable[[Any, dict[str, Any]], None]:  # fmt: skip
    """Let the method `load` of a schedule change nothing if it fails."""

    @wraps(load)
    def load_state_dict(self: Any, state_dict: dict[str, Any]) -> None:
        with as_it_was(self, BaseException):
            load(self, state_dict)

    return load_state_dict


def _parts(schedule: Any) -> Iterator[Any]:
    """Yield what a state gives attributes to: `schedule`, the schedules in it, and callable objects."""
    yield schedule
    own = vars(schedule)
    for part in own.get("_schedulers", ()):
        yield from _parts(part)
    functions = (*own.get("lr_lambdas", ()), own.get("_scale_fn_custom"))
    yield from (f for f in functions if hasattr(f, "__dict__"))


class LRScheduler:
    """Sets the learning rate of each group of an optimizer; subclasses say in `get_lr` to what.

    A new schedule sets the rates of epoch 0 at once; every `step` goes on to the next epoch. Most
    schedules work from the *current* rates, so that several may act on one optimizer; what is called
    their closed form computes the rates of any epoch from the first ones.

    Args:
        optimizer: its groups get a key "initial_lr" beside "lr".
        last_epoch: the epoch that was the last one, to go on from there; -1 to begin.

    Attributes:
        base_lrs: the rates that the schedule starts from, one for each group.
        last_epoch: the epoch whose rates are set now.

    Raises:
        TypeError: `optimizer` is none.
        KeyError: going on, but a group has no "initial_lr".

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LRScheduler.html

    Example:
        >>> import nbmodule
        >>> class Inverse(nbmodule.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [base / (1 + self.last_epoch) for base in self.base_lrs]
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = Inverse(optimizer)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr(), optimizer.param_groups[0]["initial_lr"]
        ([0.5], 1.0)
    """

    __module__ = HOME

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = _checked(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(_NO_INITIAL_LR.format(i))
        self.base_lrs = _param_groups_val_list(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the rates of the first epoch."""
        self._step_count = 0
        with _set(self, "_is_initial"):
            self.step()

    def state_dict(self) -> dict[str, Any]:
        """Return everything that this schedule knows, but for its optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    @all_or_nothing
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned; where it does not fit, nothing of it."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates of the groups, as last set; tensors are copies."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the learning rates for the epoch `last_epoch`. `step` calls this."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Begin the next epoch: set its learning rates. To be called after the optimizer's `step`.

        Args:
            epoch: an older form, for jumping to an epoch; takes the closed form where there is one.

        Warns:
            UserWarning: the optimizer made no step before, or `epoch` is given.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_WRONG_ORDER, UserWarning, stacklevel=2)
        with as_it_was(self):
            self._step_count += 1
            if epoch is not None:
                warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
            self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        """Set the rates of the next epoch, or of `epoch`."""
        with _enable_get_lr_call(self):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            rates = self.get_lr() if closed is None else closed()
        self._set_rates(rates)

    def _set_rates(self, rates: Sequence[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            _update_param_group_val(group, "lr", rate)
        self._last_lr = self._current()

    def _current(self) -> list[Any]:
        """Return copies of the learning rates of the groups."""
        return _param_groups_val_list(self.optimizer, "lr")

    def _times(self, factor: Any) -> list[Any]:
        """Return the learning rates of the groups times `factor`."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The name of `LRScheduler` in old programs."""

    __module__ = HOME


# ---- values of the groups. The names with an underscore are PyTorch's: subclasses elsewhere use them.


def _checked(optimizer: Any) -> Optimizer:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _param_groups_val_list(optimizer: Optimizer, key: str) -> list[Any]:
    """Return the option `key` of each group; tensors are copies, so that no two places share one."""
    return [_copied(group[key]) for group in optimizer.param_groups]


def _update_param_group_val(param_group: dict[str, Any], key: str, val: Any) -> None:
    """Set an option of a group; where it is a tensor, the tensor stays and its value changes."""
    if isinstance(param_group[key], Tensor):
        param_group[key].fill_(val.squeeze() if isinstance(val, Tensor) else val)
    else:
        param_group[key] = val


def _format_param(name: str, optimizer: Optimizer, param: Any) -> list[Any]:
    """Return one value for each group: the values `param`, or `param` itself for all.

    Raises:
        ValueError: there are more or fewer values than groups.
    """
    count = len(optimizer.param_groups)
    values = param if isinstance(param, (list, tuple)) else [param] * count
    if len(values) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(values)} values, param_groups has {count}."
        )
    return [_copied(value) for value in values]


# ---- what a schedule takes down during a step


class _set:
    """A context in which an attribute of a schedule is True; a step takes a third less than with a generator."""

    def __init__(self, scheduler: Any, flag: str) -> None:
        self.scheduler, self.flag = scheduler, flag

    def __enter__(self) -> None:
        setattr(self.scheduler, self.flag, True)

    def __exit__(self, *error: object) -> None:
        setattr(self.scheduler, self.flag, False)


def _enable_get_lr_call(o: LRScheduler) -> Any:
    """Return the context in which `get_lr` may be called without a warning."""
    return _set(o, "_get_lr_called_within_step")


def _warn_get_lr_called_within_step(lr_scheduler: LRScheduler, stacklevel: int = 2) -> None:
    """Warn who calls `get_lr` from outside: most rates come from the current ones, and would be a step ahead."""
    if not lr_scheduler._get_lr_called_within_step:
        warnings.warn(
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
            UserWarning,
            stacklevel=stacklevel,
        )


def _note_steps(optimizer: Optimizer) -> None:
    """Have `optimizer` note that it made a step, for the warning about the order."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    itself, step = weakref.ref(optimizer), optimizer.step.__func__  # type: ignore[attr-defined]

    @wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        alive: Any = itself()
        alive._opt_called = True
        return step(alive, *args, **kwargs)

    wrapper._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = wrapper  # type: ignore[method-assign]


# ---- functions among the attributes: code is not saved, what callable objects hold is


def attributes_of(function: Callable[..., Any] | None) -> dict[str, Any] | None:
    """Return what a state keeps of `function`: the attributes of an object, nothing of a plain function."""
    if function is None or isinstance(function, types.FunctionType):
        return None
    return function.__dict__.copy()


def restore(function: Any, attributes: dict[str, Any] | None) -> None:
    """Give `function` the attributes that were saved of one like it."""
    if attributes is not None:
        function.__dict__.update(attributes)
