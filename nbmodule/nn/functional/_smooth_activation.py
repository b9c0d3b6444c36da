"""Activations that bend smoothly, at least on one side.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

from ..._functions import activations as top
from ..._tensor import Tensor
from ._native import activation as native


def sigmoid(input: Tensor) -> Tensor:
    """Return ``1 / (1 + exp(-input))`` element by element.

    Args:
        input: of any shape; whole numbers become floats.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.sigmoid.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.sigmoid(nbmodule.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311])
    """
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent element by element.

    Args:
        input: of any shape; whole numbers become floats.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.tanh.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.tanh(nbmodule.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.7616,  0.0000,  0.7616])
    """
    return input.tanh()


def tanhshrink(input: Tensor) -> Tensor:
    """Return ``input - tanh(input)`` element by element.

    Args:
        input: of any shape.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.tanhshrink.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.tanhshrink(nbmodule.tensor([-3.0, 0.1, 3.0]))
        tensor([-2.0049e+00,  3.3201e-04,  2.0049e+00])
    """
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """Return ``input / (1 + |input|)`` element by element.

    Args:
        input: of any shape.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softsign.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.softsign(nbmodule.tensor([-3.0, 0.0, 1.0]))
        tensor([-0.7500,  0.0000,  0.5000])
    """
    return input / (input.abs() + 1)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else ``alpha * (exp(input) - 1)``.

    Args:
        input: of any shape.
        alpha: large negative elements tend to ``-alpha``.
        inplace: overwrite `input`. The gradient then needs an `alpha` that is not negative.

    Returns:
        a tensor in the shape of `input`.

    Source: Clevert et al., https://arxiv.org/abs/1511.07289

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.elu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.9999, -0.6321,  2.0000])
    """
    return native.elu_(input, alpha) if inplace else native.elu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``scale * elu(input, alpha)``, with constants that keep the mean at 0 and the variance at 1.

    The constants are scale = 1.0507009873554805 and alpha = 1.6732632423543772.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.selu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.7579, -1.1113,  2.1014])
    """
    return top.selu_(input) if inplace else top.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return ``max(input, 0) + min(alpha * (exp(input / alpha) - 1), 0)``, whose slope has no jump at 0.

    Args:
        input: of any shape.
        alpha: large negative elements tend to ``-alpha``.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `alpha` is 0.

    Source: Barron, https://arxiv.org/abs/1704.07483

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.celu(nbmodule.tensor([-9.0, -1.0, 2.0]), alpha=2.0)
        tensor([-1.9778, -0.7869,  2.0000])
    """
    return top.celu_(input, alpha) if inplace else top.celu(input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``input * sigmoid(input)`` element by element; known as "swish" too.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415; Ramachandran et al.,
    https://arxiv.org/abs/1710.05941

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.silu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.1106e-03, -2.6894e-01,  1.7616e+00])
    """
    return native.silu_(input) if inplace else native.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``input * tanh(softplus(input))`` element by element.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: Misra, https://arxiv.org/abs/1908.08681

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.mish(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.1106e-03, -3.0340e-01,  1.9440e+00])
    """
    return native.mish_(input) if inplace else native.mish(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half of `input` along `dim`, times the sigmoid of the second half.

    Args:
        input: (*, 2 N, *), with 2 N at `dim`.
        dim: the dimension that is halved.

    Returns:
        a tensor (*, N, *).

    Raises:
        RuntimeError: `input` has no dimension, or the size at `dim` is odd.

    Source: Dauphin et al., https://arxiv.org/abs/1612.08083

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.glu(nbmodule.tensor([4.0, 4.0, 0.0, 9.0]))
        tensor([2.0000, 3.9995])
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return native.glu(input, dim)
