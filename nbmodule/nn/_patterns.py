"""Initialisers whose numbers depend on where they stand, or on each other; `nn.init` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math
import warnings

from .._creation import empty_like
from .._drawing import randperm
from .._functions.indexing import where
from .._generator import Generator
from .._tensor import Tensor
from ..autograd import no_grad


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` with normally distributed numbers, drawn again as long as they are outside of [a, b].

    Args:
        tensor: of any shape.
        mean: of the distribution before it is cut.
        std: its standard deviation.
        a: the smallest number.
        b: the largest number.
        generator: draws them; the default one when left out.

    Returns:
        `tensor`.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> w = nbmodule.nn.init.trunc_normal_(nbmodule.empty(1000), a=-1.0, b=2.0)
        >>> round(w.min().item(), 2), round(w.max().item(), 2)
        (-1.0, 2.0)
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    inside = _normal_below((b - mean) / std) - _normal_below((a - mean) / std)
    with no_grad():
        if inside > 0.3:
            return _drawn_until_inside(tensor, mean, std, a, b, generator)
        return _drawn_under_curve(tensor, mean, std, a, b, generator)


def _normal_below(x: float) -> float:
    """Return the probability that a normal variable is below `x`."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _drawn_until_inside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> Tensor:  # fmt: skip
    """Draw normally, and again for all elements; those outside take the new number."""
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        again = empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(where(outside, again, tensor))
    return tensor


def _drawn_under_curve(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> Tensor:  # fmt: skip
    """Draw evenly from [a, b], and keep a number as often as the density there says.

    Where [a, b] is far from the middle, a normal draw would hardly ever hit it.
    """
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def rejected() -> Tensor:
        log_density = drawn.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return empty_like(tensor).uniform_(generator=generator).log_().gt(log_density)

    drawn = tensor.uniform_(a, b, generator=generator).clone()
    pending = rejected()
    while pending.any():
        drawn.uniform_(a, b, generator=generator)
        tensor.copy_(where(pending, drawn, tensor))
        pending = pending & rejected()
    return tensor


def eye_(tensor: Tensor) -> Tensor:
    """Fill the matrix `tensor` with 1 on the diagonal and 0 elsewhere: a layer that changes nothing.

    Args:
        tensor: (n, m).

    Returns:
        `tensor`.

    Raises:
        ValueError: it is no matrix.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.init.eye_(nbmodule.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_().fill_diagonal_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes its channels on: 1 in the middle of filter i of channel i.

    Args:
        tensor: (out, in / groups, L), or with 2 or 3 sizes in the place of L.
        groups: each group of filters passes on the channels that it sees.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has another number of dimensions, or `groups` does not divide the first of them.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.init.dirac_(nbmodule.empty(2, 2, 3))[:, :, 1]
        tensor([[1., 0.],
                [0., 1.]])
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    each = tensor.size(0) // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, tensor.size(1))):
                tensor[(group * each + channel, channel, *middle)] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` so that its rows, or its columns where there are fewer, are orthogonal and of length `gain`.

    A matrix of normal numbers is decomposed into ``Q R``; Q remains, with the signs of the diagonal of R.

    Args:
        tensor: (out, *); all dimensions but the first count as one.
        gain: a factor.
        generator: draws the numbers; the default one when left out.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has less than 2 dimensions.

    Source: Saxe et al., https://arxiv.org/abs/1312.6120

    Example:
        >>> import nbmodule
        >>> w = nbmodule.nn.init.orthogonal_(nbmodule.empty(2, 5))
        >>> (w @ w.T).round(decimals=4).abs()
        tensor([[1., 0.],
                [0., 1.]])
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    from ..linalg import qr  # loaded when it is first needed

    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q, r = qr(drawn.t() if rows < columns else drawn)
        q *= r.diagonal().sign()
        if rows < columns:
            q = q.t()
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill the matrix `tensor` normally around 0, with a part of each column set to 0.

    Args:
        tensor: (n, m).
        sparsity: the part, from 0 to 1.
        std: the deviation of the other elements.
        generator: draws them; what is set to 0 is drawn by the default one, as in PyTorch.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` is no matrix.

    Source: Martens, https://www.cs.toronto.edu/~jmartens/docs/Deep_HessianFree.pdf

    Example:
        >>> import nbmodule
        >>> (nbmodule.nn.init.sparse_(nbmodule.empty(10, 4), 0.3) == 0).sum(0)
        tensor([3, 3, 3, 3])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[randperm(rows)[:zeros], column] = 0
    return tensor
