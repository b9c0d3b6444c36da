"""Softmax and its relatives: scores become probabilities.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import warnings
from typing import Any

from ..._creation import empty_like, zeros_like
from ..._formats import contiguous_format
from ..._tensor import Tensor


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """Return the dimension that PyTorch takes where none is given, and warn."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
        "argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:  # fmt: skip
    """Return ``exp(input) / sum(exp(input))``: positive numbers that sum to 1 along `dim`.

    The largest element is subtracted first, so that nothing overflows.

    Args:
        input: of any shape.
        dim: the dimension. Without it one is guessed, with a warning.
        _stacklevel: how many calls above this one the warning points at.
        dtype: cast `input` to it first.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.softmax(nbmodule.tensor([[1.0, 2.0], [1000.0, 1000.0]]), dim=1)
        tensor([[0.2689, 0.7311],
                [0.5000, 0.5000]])
    """
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:  # fmt: skip
    """Return ``softmax(-input)``: the smallest element gets the largest share.

    Args:
        input: of any shape.
        dim: the dimension. Without it one is guessed, with a warning.
        _stacklevel: how many calls above this one the warning points at.
        dtype: cast to it before the exponentials are taken.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmin.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.softmin(nbmodule.tensor([1.0, 2.0, 3.0]), dim=0)
        tensor([0.6652, 0.2447, 0.0900])
    """
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:  # fmt: skip
    """Return ``input - log(sum(exp(input)))``: the logarithm of `softmax`, computed without taking it.

    Args:
        input: of any shape.
        dim: the dimension. Without it one is guessed, with a warning.
        _stacklevel: how many calls above this one the warning points at.
        dtype: cast `input` to it first.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.log_softmax(nbmodule.tensor([1.0, 2.0, 1000.0]), dim=0)
        tensor([-999., -998.,    0.])
    """
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:  # fmt: skip
    """Return ``softmax((logits + noise) / tau)``, a draw from classes that gradients can pass through.

    The noise has Gumbel's distribution, so that the largest element is each class with the probability
    that `logits` gives it.

    Args:
        logits: (*, C), the logarithms of probabilities, up to a constant.
        tau: the temperature: the closer to 0, the closer to one class alone.
        hard: return 1 for the drawn class and 0 for the others; the gradient is that of the soft draw.
        eps: of no effect any more.
        dim: the dimension of the classes.

    Returns:
        a tensor in the shape of `logits` that sums to 1 along `dim`.

    Source: Jang et al., https://arxiv.org/abs/1611.01144

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.gumbel_softmax(nbmodule.zeros(2, 3), hard=True)
        tensor([[0., 0., 1.],
                [0., 1., 0.]])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    chosen = zeros_like(logits, memory_format=contiguous_format).scatter_(dim, index, 1.0)
    return chosen - soft.detach() + soft  # the number of the first, the gradient of the last
