"""Losses that PyTorch has at the top level: there a number says how they are reduced, 0 none, 1 mean, 2 sum.

Their messages call the mean the default, but what they do without a number is to reduce nothing.
"""

from __future__ import annotations

import math

from ...._backend import at_hand
from ...._functions._wrap import explained_function
from ...._methods._signatures import bind_call
from ...._ops import loss as rules
from ...._tensor import Tensor
from ..._reduction import MEAN, NONE, folded, name_of
from .._distance import pairwise_distance

EPSILON = 9.999999960041972e-13
"""1e-12 as a float32 number: what keeps PyTorch's cosine of nothing from being 0 / 0."""


def _less(number: float, t: Tensor) -> Tensor:
    """Return ``number - t`` in the dtype of `t`, which `number` is rounded to."""
    return t.new_full((), float(number)) - t


@explained_function
def kl_div(input: Tensor, target: Tensor, reduction: int = NONE, *, log_target: bool = False) -> Tensor:  # fmt: skip
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
    if log_target is not True and log_target is not False:
        bind_call("kl_div", False, (input, target, reduction), {"log_target": log_target})
    if input._array.dtype.kind != "f" or target._array.dtype.kind != "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        return folded(target.exp() * (target - input), reduction)
    return folded(target.xlogy(target) - target * input, reduction)


@explained_function
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:  # fmt: skip
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
    arguments = (input, target, log_input, full, eps, reduction)
    bind_call("poisson_nll_loss", False, arguments, {})
    expected = input.exp() if log_input else input
    losses = expected - target * (input if log_input else (input + eps).log())
    if full:
        stirling = target * target.log() - target + 0.5 * (target * (2 * math.pi)).log()
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return folded(losses, reduction)


@explained_function
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return `input` where `target` is 1, ``max(0, margin - input)`` where it is -1.

    Args:
        input: distances, of any shape.
        target: 1 for what is alike, -1 for what is not; of the same shape.
        margin: how far apart is far enough.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Example:
        >>> import nbmodule
        >>> distance, alike = nbmodule.tensor([0.3, 0.3, 2.0]), nbmodule.tensor([1, -1, -1])
        >>> nbmodule.hinge_embedding_loss(distance, alike, 1.0, 0)
        tensor([0.3000, 0.7000, 0.0000])
    """
    far = _less(margin, input).clamp_min(0)
    nothing = input.new_zeros(())
    apart = far.where(target.ne(1), nothing)
    return folded(apart + input.where(target.ne(-1), nothing), reduction)


@explained_function
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return ``max(0, -target * (input1 - input2) + margin)``.

    Args:
        input1: scores, of any shape.
        input2: scores, of the same shape.
        target: 1 where `input1` should be the larger, -1 where `input2` should.
        margin: by how much.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of the scores.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([2.0, 2.0]), nbmodule.tensor([1.0, 1.0])
        >>> nbmodule.margin_ranking_loss(a, b, nbmodule.tensor([1, -1]), 0.5, 0)
        tensor([0.0000, 1.5000])
    """
    if not all(isinstance(t, Tensor) for t in (input1, input2, target)):
        bind_call("margin_ranking_loss", False, (input1, input2, target), {})
    return folded((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@explained_function
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return ``1 - cos`` where `target` is 1, ``max(0, cos - margin)`` where it is -1.

    Args:
        input1: vectors (N, D) or (D,)
        input2: vectors in the same shape.
        target: 1 for what is alike, -1 for what is not; (N,) or ()
        margin: which cosine is small enough.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of `target`.

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([[1.0, 0.0], [1.0, 0.0]]), nbmodule.tensor([[0.0, 2.0], [2.0, 0.0]])
        >>> nbmodule.cosine_embedding_loss(a, b, nbmodule.tensor([1, -1]), 0.5, 0)
        tensor([1.0000, 0.5000])
    """
    axis = target.dim()
    if axis > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.dim() == input2.dim() == axis + 1:
        raise RuntimeError(
            f"{axis}D target tensor expects {axis + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    product = (input1 * input2).sum(axis)
    square1, square2 = ((x * x).sum(axis) + EPSILON for x in (input1, input2))
    cosine = product / (square1 * square2).sqrt()
    nothing = cosine.new_zeros(())
    alike = (1 - cosine).where(target.eq(1), nothing)
    apart = (cosine - float(margin)).clamp_min(0).where(target.eq(-1), nothing)
    return folded(alike + apart, reduction)


@explained_function
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return ``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is the p-norm of the difference.

    Args:
        anchor: (N, D) or (D,)
        positive: likewise; what should be near to the anchor.
        negative: likewise; what should be further away, by `margin`.
        margin: see there.
        p: of the norm.
        eps: added to the differences.
        swap: take ``d(positive, negative)`` if it is smaller than ``d(anchor, negative)``.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses (N,) or ()

    Raises:
        RuntimeError: the numbers of dimensions differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html

    Example:
        >>> import nbmodule
        >>> a, near, far = nbmodule.tensor([[0.0], [0.0]]), nbmodule.ones(2, 1), nbmodule.tensor([[3.0], [1.5]])
        >>> nbmodule.triplet_margin_loss(a, near, far, eps=0.0, reduction=0)
        tensor([0.0000, 0.5000])
    """
    if type(swap) is not bool:
        arguments = (anchor, positive, negative, margin, p, eps, swap, reduction)
        bind_call("triplet_margin_loss", False, arguments, {})
    dims = [t.dim() for t in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return folded((margin + near - far).clamp_min(0), reduction)


@explained_function
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = NONE) -> Tensor:  # fmt: skip
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
    if input._array.dtype.kind != "f":
        found = input.dtype.scalar_name
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{found}'")
    if target._array.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if target._array.dtype.kind != "f":
        kind, found = input.dtype.scalar_name, target.dtype.scalar_name
        raise RuntimeError(f"result type {kind} can't be cast to the desired output type {found}")
    for name, w in (("weight", weight), ("pos_weight", pos_weight)):
        if w is not None:
            _refuse_gradient("binary_cross_entropy_with_logits", name, w)
    if pos_weight is not None:
        _check_beside(pos_weight, input, weight_first=True)
    if weight is not None:
        _check_beside(weight, input, weight_first=False)
    options = {"reduction": name_of(reduction)}
    return rules.binary_cross_entropy_with_logits(input, target, weight, pos_weight, **options)


@explained_function
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = MEAN) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.binary_cross_entropy` does, with a number for the reduction."""
    if weight is not None:
        _refuse_gradient("binary_cross_entropy", "weight", weight)
    if target._array.dtype != input._array.dtype:
        names = [t.dtype.scalar_name for t in (target, input)]
        raise RuntimeError("Found dtype {} but expected {}".format(*names))
    if input._array.dtype.kind != "f":
        found = input.dtype.scalar_name
        raise NotImplementedError(f"\"binary_cross_entropy\" not implemented for '{found}'")
    for name, t in (("input", input), ("target", target)):
        if at_hand(t._array) and not ((t._array >= 0) & (t._array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    if weight is not None:
        _check_no_wider(weight._array.shape, target._array.shape)
        weight = weight.to(input.dtype)
    return rules.binary_cross_entropy(input, target, weight, reduction=name_of(reduction))


def _refuse_gradient(function: str, name: str, weight: Tensor) -> None:
    if weight.requires_grad:
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{name}'. This "
            "input cannot have requires_grad True."
        )


def _check_beside(weight: Tensor, input: Tensor, weight_first: bool) -> None:
    """Raise, in PyTorch's words, if `weight` cannot be multiplied by losses in the shape of `input`."""
    a, b = (weight, input) if weight_first else (input, weight)
    x, y = a._array.shape, b._array.shape
    for place in range(1, min(len(x), len(y)) + 1):
        if x[-place] != y[-place] and 1 not in (x[-place], y[-place]):
            raise RuntimeError(
                f"The size of tensor a ({x[-place]}) must match the size of tensor b ({y[-place]}) at "
                f"non-singleton dimension {max(len(x), len(y)) - place}"
            )
    _check_no_wider(weight._array.shape, input._array.shape)


def _check_no_wider(sizes: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Raise if something of `sizes` would broaden the losses beyond `shape`."""
    padded = (1,) * (len(sizes) - len(shape)) + shape
    wide = tuple(a if b == 1 else b for a, b in zip((1,) * (len(padded) - len(sizes)) + sizes, padded, strict=True))  # fmt: skip
    if wide != shape:
        raise RuntimeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape {list(wide)}"
        )


for _function in (
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    hinge_embedding_loss,
    kl_div,
    margin_ranking_loss,
    poisson_nll_loss,
    triplet_margin_loss,
):
    _function.__module__ = "nbmodule"
