"""Losses of predicted probabilities, counts and distributions, as functions.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math
import warnings

from ..._functions.reductions import any as any_of
from ..._functions.shapes import broadcast_shapes
from ..._tensor import Tensor
from ...autograd import no_grad
from .._reduction import folded, legacy_get_string, number_of
from ._native import losses as native


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
    number = number_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(broadcast_shapes(target.size(), weight.size()))
    return native.binary_cross_entropy(input, target, weight, number)


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
    return native.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


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
    reduced = native.kl_div(input, target, number, log_target=log_target)
    return reduced / input.size(0) if reduction == "batchmean" and input.dim() else reduced


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
    return native.poisson_nll_loss(input, target, log_input, full, eps, number_of(reduction))


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
    size, found = input.size(), var.size()
    if found == size:
        return var
    if size[:-1] == found:
        return var.unsqueeze(-1)
    if len(size) == len(found) and sum(n for m, n in zip(size, found, strict=True) if m != n) == 1:
        return var
    raise ValueError(
        f"var is of incorrect size\nIt has size {list(found)}, the input {list(size)}."
    )
