"""What can be wrong with what a Learner is given, and what to do about it: here, so that the loop stays readable."""

from __future__ import annotations

import inspect
import operator
from typing import Any

from .._tensor import Tensor
from ..optim import Optimizer
from ..utils.data import Dataset, IterableDataset


def optimizer_for(given: Any, model: Any) -> Optimizer:
    """Return the optimizer: `given` itself, or what it makes of the parameters of `model`.

    Raises:
        TypeError: it is neither an optimizer nor a function that returns one, or needs a closure.
        ValueError: it changes no parameter of `model`, or there are none.
    """
    if isinstance(model, type):
        raise TypeError(f"model must be a Module, not a class: give {model.__name__}(...)")
    for name in ("parameters", "train", "eval", "state_dict"):
        if not callable(getattr(model, name, None)):
            raise TypeError(f"model must be a Module, and {type(model).__name__} has no {name}()")
    parameters = list(model.parameters())
    if not parameters:
        raise ValueError(
            f"{type(model).__name__} has no parameters: there is nothing to train. Are its layers attributes of it, "
            "or in a ModuleList (a plain list hides them)?"
        )
    optimizer = given(parameters) if callable(given) else given
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"optimizer must be an Optimizer, or make one of parameters, as SGD or partial(SGD, lr=0.1), not {optimizer!r}"
        )
    own = {id(p) for p in parameters}
    if not any(id(p) in own for group in optimizer.param_groups for p in group["params"]):
        raise ValueError(
            f"this {type(optimizer).__name__} holds no parameter of the model: it was made for another one, or before the "
            "model's parameters were replaced. Give a function in its place, as partial(SGD, lr=0.1)"
        )
    closure = inspect.signature(optimizer.step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        raise TypeError(
            f"{type(optimizer).__name__} asks for the loss several times in a step: it needs a loop of its own"
        )
    return optimizer


def loss_for(given: Any) -> Any:
    """Return the loss function.

    Raises:
        TypeError: it is a class, or cannot be called.
    """
    if isinstance(given, type):
        kind = given.__name__
        hint = (
            "the order is model, loss_fn, optimizer"
            if issubclass(given, Optimizer)
            else f"give {kind}()"
        )
        raise TypeError(
            f"loss_fn must be called with prediction and target, and {kind} is a class: {hint}"
        )
    if not callable(given):
        raise TypeError(f"loss_fn must be callable, and {type(given).__name__} is not")
    return given


def loader_for(name: str, loader: Any) -> Any:
    """Return `loader`.

    Raises:
        TypeError: it yields no batches, but samples, or nothing at all.
    """
    if isinstance(loader, (Dataset, Tensor)) and not isinstance(loader, IterableDataset):
        kind = type(loader).__name__
        raise TypeError(
            f"{name} must yield batches, and a {kind} holds samples: give DataLoader({'dataset' if kind != 'Tensor' else 'TensorDataset(x, y)'}, batch_size=32)"
        )
    if (
        isinstance(loader, tuple)
        and len(loader) > 1
        and all(isinstance(part, Tensor) for part in loader)
    ):
        raise TypeError(
            f"{name} must yield batches, and a tuple of tensors is one batch: give [(x, y)], or a DataLoader"
        )
    if not (hasattr(loader, "__iter__") or hasattr(loader, "__getitem__")):
        raise TypeError(f"{name} must yield batches, and {type(loader).__name__} is not iterable")
    return loader


def scalar(loss: Any) -> float:
    """Return the loss as a float.

    Raises:
        TypeError: it is no tensor.
        ValueError: it holds several numbers.
    """
    if not isinstance(loss, Tensor):
        raise TypeError(
            f"loss_fn must return a tensor, and returned {type(loss).__name__}: nothing leads back from it"
        )
    if loss.numel() != 1:
        raise ValueError(
            f"loss_fn must return one number, and returned the shape {tuple(loss.shape)}: "
            "reduction='mean', or .mean() at its end?"
        )
    return loss.item()


def untrainable(loss: Tensor, model: Any) -> RuntimeError:
    """Return the error for a loss from which no gradients come."""
    frozen = not any(p.requires_grad for p in model.parameters())
    why = (
        "all parameters of the model are frozen (requires_grad is False)"
        if frozen
        else "it was computed without the model's parameters, or under no_grad, or went through detach(), item() or NumPy"
    )
    return RuntimeError(f"no gradient comes from this loss: {why}")


def no_batches(name: str, loader: Any, epoch: int) -> ValueError:
    """Return the error for a loader that yielded nothing."""
    if iter(loader) is loader and epoch:
        why = "an iterator can be run through only once: give a DataLoader or a list"
    elif getattr(loader, "drop_last", False):
        why = "with drop_last=True, fewer samples than batch_size make no batch"
    else:
        why = "is its dataset empty?"
    return ValueError(f"{name} yielded no batches in epoch {epoch + 1}: {why}")


def count_of(epochs: Any) -> int:
    """Return `epochs` as an int, if it is a number of epochs.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is negative.
    """
    if isinstance(epochs, bool) or not hasattr(epochs, "__index__"):
        raise TypeError(f"epochs must be a whole number, not {epochs!r}")
    if epochs < 0:
        raise ValueError(f"epochs must not be negative, and is {epochs}")
    return operator.index(epochs)
