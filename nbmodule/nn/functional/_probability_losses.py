"""Losses of predicted probabilities, counts and distributions.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math
import warnings

from ..._backend import at_hand
from ..._functions._arguments import as_double
from ..._functions.reductions import any as any_of
from ..._functions.shapes import broadcast_shapes
from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._ops import loss as rules
from ..._tensor import Tensor
from ...autograd import no_grad
from .._reduction import NONE, folded, get_enum, legacy_get_string, name_of, number_of, reduction_of
from ._checks import check_flag, top_level


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return ``-target * log(input) - (1 - target) * log(1 - input)``: the surprise at yes or no.

    Args:
        input: probabilities, of any shape.
        target: likewise, of the same shape.
        weight: how much each element counts; broadcast to the shape of `target`.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `input`. No logarithm goes below -100.

    Raises:
        ValueError: the shapes differ, or `reduction` is unknown.
        RuntimeError: an element is no probability, or the dtypes differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> F.binary_cross_entropy(nbmodule.tensor([0.5, 0.0]), nbmodule.ones(2), reduction="none")
        tensor([  0.6931, 100.0000])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(broadcast_shapes(target.size(), weight.size()))
    try:
        _check_probabilities(input, target, weight)
        weight = None if weight is None else weight.to(input.dtype)
        return rules.binary_cross_entropy(input, target, weight, reduction=reduction)
    except Exception:  # PyTorch looks at the types of the arguments before anything else
        number = get_enum(reduction)
        bind_call("binary_cross_entropy", False, (input, target, weight, number), {})
        raise


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return ``binary_cross_entropy(sigmoid(input), target)``, computed without overflow.

    Args:
        input: scores, of any shape.
        target: probabilities, of the same shape.
        weight: how much each element counts; broadcast to the shape of `target`.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        pos_weight: how much more a yes counts than a no; broadcast likewise.

    Returns:
        A number, or for "none" the losses in the shape of `input`.

    Raises:
        ValueError: the shapes differ, or `reduction` is unknown.
        RuntimeError: the weights do not fit, or require gradients.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> scores, yes = nbmodule.tensor([-1000.0, 0.0]), nbmodule.ones(2)
        >>> F.binary_cross_entropy_with_logits(scores, yes, reduction="none")
        tensor([1.0000e+03, 6.9315e-01])
    """
    number = number_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return _binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


@top_level
def _binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return the surprise of ``sigmoid(input)`` at yes (1) or no (0), computed without overflow.

    Args:
        input: scores, of any shape.
        target: probabilities, of the same shape.
        weight: how much each element counts; broadcast to the shape of `target`.
        pos_weight: how much more a yes counts than a no; broadcast likewise.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of `input`.

    Raises:
        RuntimeError: the weights do not fit, or require gradients.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html

    Example:
        >>> import nbmodule
        >>> sure = nbmodule.tensor([-1000.0, 1000.0, 0.0])
        >>> nbmodule.binary_cross_entropy_with_logits(sure, nbmodule.ones(3), reduction=0)
        tensor([1.0000e+03, 0.0000e+00, 6.9315e-01])
    """
    _check_scores(input, target, weight, pos_weight)
    how = name_of(reduction)
    return rules.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction=how)


def kl_div(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", log_target: bool = False) -> Tensor:  # fmt: skip
    """Return ``target * (log(target) - input)``: the Kullback-Leibler divergence, element by element.

    Args:
        input: log-probabilities, of any shape.
        target: probabilities, of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "batchmean" (the sum, divided by the batch size: the divergence), "sum", "none"; or "mean", which
            divides by the number of elements.
        log_target: whether `target` holds log-probabilities too.

    Returns:
        A number, or for "none" the losses in the shape of `input`.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: the arguments hold integers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> p, q = nbmodule.tensor([[0.5, 0.5]]), nbmodule.tensor([[0.25, 0.75]])
        >>> F.kl_div(p.log(), q, reduction="batchmean")
        tensor(0.1308)
    """
    if size_average is not None or reduce is not None:
        number = number_of(legacy_get_string(size_average, reduce))
    elif reduction == "batchmean":
        number = number_of("sum")
    else:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size."
                "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                stacklevel=2,
            )
        number = number_of(reduction)
    reduced = _kl_div(input, target, number, log_target=log_target)
    return reduced / input.size(0) if reduction == "batchmean" and input.dim() else reduced


@top_level
def _kl_div(input: Tensor, target: Tensor, reduction: int = NONE, *, log_target: bool = False) -> Tensor:  # fmt: skip
    """Return ``target * (log(target) - input)``; see `nbmodule.nn.functional.kl_div`.

    Args:
        input: log-probabilities, of any shape.
        target: probabilities, of the same shape.
        reduction: 0 for none, 1 for the mean, 2 for the sum.
        log_target: whether `target` holds log-probabilities too.

    Returns:
        A number, or for 0 the losses in the shape of `input`.

    Raises:
        RuntimeError: the arguments hold integers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html

    Example:
        >>> import nbmodule
        >>> p, q = nbmodule.tensor([0.5, 0.5]), nbmodule.tensor([0.25, 0.75])
        >>> nbmodule.kl_div(p.log(), q, 2)
        tensor(0.1308)
    """
    check_flag(log_target)
    if input._array.dtype.kind != "f" or target._array.dtype.kind != "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        return folded(target.exp() * (target - input), reduction)
    return folded(target.xlogy(target) - target * input, reduction)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return the negative log-likelihood of counts in a Poisson distribution.

    ``exp(input) - target * input``, or ``input - target * log(input + eps)`` where `input` is the count itself.

    Args:
        input: the expected counts, or their logarithms; of any shape.
        target: counts, of the same shape.
        log_input: whether `input` holds logarithms.
        full: add Stirling's approximation of ``log(target!)`` where `target` is above 1.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        eps: keeps the logarithm of an expected count of 0 finite.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `input`.

    Raises:
        ValueError: `reduction` is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> expected, seen = nbmodule.tensor([1.0, 4.0]), nbmodule.tensor([1.0, 1.0])
        >>> F.poisson_nll_loss(expected, seen, log_input=False, reduction="none")
        tensor([1.0000, 2.6137])
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    return _poisson_nll_loss(input, target, log_input, full, eps, number_of(reduction))


@top_level
def _poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:  # fmt: skip
    """Return the loss of a Poisson distribution; see `nbmodule.nn.functional.poisson_nll_loss`.

    Args:
        input: the expected counts, or their logarithms; of any shape.
        target: counts, of the same shape.
        log_input: whether `input` holds logarithms.
        full: add Stirling's approximation of ``log(target!)``.
        eps: keeps the logarithm of an expected count of 0 finite.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html

    Example:
        >>> import nbmodule
        >>> nbmodule.poisson_nll_loss(nbmodule.zeros(2), nbmodule.tensor([1.0, 3.0]), True, False, 1e-8, 0)
        tensor([1., 1.])
    """
    check_flag(log_input)
    check_flag(full)
    eps = as_double(eps)
    if not isinstance(target, Tensor):  # a number would do
        raise TypeError("expected a tensor")
    expected = input.exp() if log_input else input
    losses = expected - target * (input if log_input else (input + eps).log())
    if full:
        stirling = target * target.log() - target + 0.5 * (target * (2 * math.pi)).log()
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return folded(losses, reduction)


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return the negative log-likelihood of numbers in normal distributions.

    ``(log(var) + (input - target)**2 / var) / 2``, with a variance of at least `eps`, which the gradient does not see.

    Args:
        input: expected numbers, (N, *) or (*)
        target: numbers that were found, in the same shape or one that is broadcast to it.
        var: their variances, in the same shape; or without the last dimension, or with one of size 1; or a float.
        full: add ``log(2 * pi) / 2``.
        eps: the least variance.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `input`.

    Raises:
        ValueError: a variance is negative, the shapes do not fit, or `reduction` is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> expected, found = nbmodule.zeros(2), nbmodule.tensor([1.0, 1.0])
        >>> F.gaussian_nll_loss(expected, found, nbmodule.tensor([1.0, 4.0]), reduction="none")
        tensor([0.5000, 0.8181])
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * input.new_ones(input.size())
    elif any_of(var < 0):
        raise ValueError("var has negative entry/entries")
    var = _fitting_variance(var, input)  # type: ignore[arg-type]
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return folded(losses, number_of(reduction))


def _fitting_variance(var: Tensor, input: Tensor) -> Tensor:
    """Return `var` in a shape that is broadcast to that of `input`."""
    size, given = input.size(), var.size()
    if given == size:
        return var
    if size[:-1] == given:
        return var.unsqueeze(-1)
    if len(size) == len(given) and sum(n for m, n in zip(size, given, strict=True) if m != n) == 1:
        return var
    raise ValueError(
        f"var is of incorrect size\nIt has size {list(given)}, the input {list(size)}."
    )


# ---- what does not fit, in PyTorch's order and words


def _check_probabilities(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    if weight is not None:
        _refuse_gradient("binary_cross_entropy", "weight", weight)
    if target._array.dtype != input._array.dtype:
        names = [t.dtype.scalar_name for t in (target, input)]
        raise RuntimeError("Found dtype {} but expected {}".format(*names))
    if input._array.dtype.kind != "f":
        raise not_implemented("binary_cross_entropy", input)
    for name, t in (("input", input), ("target", target)):
        if at_hand(t._array) and not ((t._array >= 0) & (t._array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    if weight is not None:
        _check_beside(weight, target, first=False)


def _check_scores(input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None) -> None:  # fmt: skip
    if input._array.dtype.kind != "f":
        raise not_implemented("log_sigmoid_cpu", input)
    if target._array.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if target._array.dtype.kind != "f":
        names = (input.dtype.scalar_name, target.dtype.scalar_name)
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*names))  # fmt: skip
    for name, w in (("weight", weight), ("pos_weight", pos_weight)):
        if w is not None:
            _refuse_gradient("binary_cross_entropy_with_logits", name, w)
    if pos_weight is not None:
        _check_beside(pos_weight, input, first=True)
    if weight is not None:
        _check_beside(weight, input, first=False)


def _refuse_gradient(function: str, name: str, weight: Tensor) -> None:
    if weight.requires_grad:
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{name}'. This "
            "input cannot have requires_grad True."
        )


def _check_beside(weight: Tensor, input: Tensor, *, first: bool) -> None:
    """Raise, in PyTorch's words, if losses in the shape of `input` cannot be multiplied by `weight` in place."""
    size, shape = weight._array.shape, input._array.shape
    fits = all(m in (1, n) for m, n in zip(size[::-1], shape[::-1], strict=False))
    if fits and len(size) <= len(shape):
        return
    a, b = (weight, input) if first else (input, weight)
    wide = (a.detach() * b.detach()).shape  # or the error that says what does not fit
    raise RuntimeError(
        f"output with shape {list(shape)} doesn't match the broadcast shape {list(wide)}"
    )
