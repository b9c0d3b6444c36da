"""Smooth activations, such as GELU; some are smooth on one side only.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

from typing import Any

from ..._engine import renamed, write
from ..._functions._arguments import as_number, in_place, refuse_whole
from ..._functions._out import FOUND
from ..._functions._wrap import function
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import smooth_activations as smooth
from ..._ops.reduce import axis_of
from ..._tensor import Tensor
from ._activation import activation_errors
from ._checks import top_level

_elu_in_place = in_place(smooth.elu, "EluBackward1")
_celu_in_place = in_place(smooth.elu, "CeluBackward1")

_SELU: dict[str, Any] = {
    "alpha": 1.6732632423543772,
    "scale": 1.0507009873554805,
    "input_scale": 1.0,
}


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


@activation_errors
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
    if inplace:
        return elu_(input, alpha)
    return smooth.elu(input, **_elu_options(input, alpha, 1, 1))


@pytorch_errors
def elu_(input: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """Bend what is negative towards ``-alpha``, in place: see `elu`.

    Args:
        input: of any shape.
        alpha: how far down; the gradient needs one that is not negative.
        scale: a factor for the result.
        input_scale: a factor for what is negative, before the exponential.

    Returns:
        `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.elu_.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.elu_(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.9999, -0.6321,  2.0000])
    """
    return write(input, _elu_in_place, **_elu_options(input, alpha, scale, input_scale))


def _elu_options(input: Tensor, alpha: Any, scale: Any, input_scale: Any) -> dict[str, Any]:
    numbers = as_number(alpha), as_number(scale), as_number(input_scale)
    refuse_whole(input, "elu_cpu")
    return dict(zip(("alpha", "scale", "input_scale"), numbers, strict=True))


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
    return selu_(input) if inplace else _selu(input)


@top_level
def _selu(input: Tensor) -> Tensor:
    """Return a scaled exponential unit, which keeps the mean at 0 and the variance at 1.

    Args:
        input: of any shape.

    Returns:
        a tensor in the shape of `input`.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> nbmodule.selu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.7579, -1.1113,  2.1014])
    """
    refuse_whole(input, "elu_cpu")
    return smooth.elu(input, **_SELU)


@pytorch_errors
def selu_(input: Tensor) -> Tensor:
    """Do what `selu` does, in place.

    Args:
        input: of any shape.

    Returns:
        `input`.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> nbmodule.selu_(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.7579, -1.1113,  2.1014])
    """
    refuse_whole(input, "elu_cpu")
    return write(input, _elu_in_place, **_SELU)


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
    return celu_(input, alpha) if inplace else _celu(input, alpha)


@top_level
def _celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return `input` where it is positive, else ``alpha * (exp(input / alpha) - 1)``.

    Args:
        input: of any shape.
        alpha: large negative elements tend to ``-alpha``; not 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `alpha` is 0.

    Source: Barron, https://arxiv.org/abs/1704.07483

    Example:
        >>> import nbmodule
        >>> nbmodule.celu(nbmodule.tensor([-9.0, -1.0, 2.0]), 2.0)
        tensor([-1.9778, -0.7869,  2.0000])
    """
    return renamed(smooth.elu(input, **_celu_options(input, alpha)), "CeluBackward0")


@pytorch_errors
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Do what `celu` does, in place.

    Args:
        input: of any shape.
        alpha: large negative elements tend to ``-alpha``; not 0.

    Returns:
        `input`.

    Raises:
        RuntimeError: `alpha` is 0.

    Source: Barron, https://arxiv.org/abs/1704.07483

    Example:
        >>> import nbmodule
        >>> nbmodule.celu_(nbmodule.tensor([-9.0, -1.0, 2.0]), 2.0)
        tensor([-1.9778, -0.7869,  2.0000])
    """
    return write(input, _celu_in_place, **_celu_options(input, alpha))


def _celu_options(input: Tensor, alpha: float) -> dict[str, Any]:
    """Return what makes `celu` of the rule of `elu`, after the checks."""
    alpha = float(as_number(alpha))
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    refuse_whole(input, "elu_cpu")
    return {"alpha": alpha, "scale": 1.0, "input_scale": 1 / alpha}


@activation_errors
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
    refuse_whole(input, "silu_cpu")
    return write(input, smooth.silu) if inplace else smooth.silu(input)


@activation_errors
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
    refuse_whole(input, "mish_cpu")
    return write(input, smooth.mish) if inplace else smooth.mish(input)


def _gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Return `input` times the probability that a normal variable is below it: ``x * (1 + erf(x / sqrt(2))) / 2``.

    Args:
        input: of any shape.
        approximate: "none", or "tanh" for ``x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2``.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `approximate` is neither of the two.

    Source: Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.gelu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.0000, -0.1587,  1.9545])
    """
    if not isinstance(approximate, str):
        raise TypeError("expected a string")
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            "approximate argument must be either none or tanh.\n" + f"It is {approximate!r}."
        )
    refuse_whole(input, "GeluKernelImpl")
    return smooth.gelu(input) if approximate == "none" else smooth.gelu_tanh(input)


def _softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Return ``log(1 + exp(beta * input)) / beta``, a smooth `relu`.

    Args:
        input: of any shape.
        beta: how close it is to `relu`.
        threshold: where ``beta * input`` is above it, `input` itself is returned.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.softplus(nbmodule.tensor([-9.0, 0.0, 30.0]))
        tensor([1.2340e-04, 6.9315e-01, 3.0000e+01])
    """
    numbers = {"beta": as_number(beta), "threshold": as_number(threshold)}
    refuse_whole(input, "softplus_cpu")
    return smooth.softplus(input, **numbers)


def _log_sigmoid(input: Tensor) -> Tensor:
    """Return ``log(1 / (1 + exp(-input)))``, also where the sigmoid is too small for the type.

    Args:
        input: of any shape.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.logsigmoid.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.logsigmoid(nbmodule.tensor([-1000.0, 0.0, 2.0]))
        tensor([-1.0000e+03, -6.9315e-01, -1.2693e-01])
    """
    refuse_whole(input, "log_sigmoid_cpu")
    return smooth.log_sigmoid(input)


@activation_errors
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
    if not input.dim():
        raise RuntimeError("glu does not support scalars because halving size must be even")
    if not hasattr(dim, "__index__"):
        raise TypeError("expected a whole number")
    axis = axis_of(int(dim), input._array.ndim)
    size = input._array.shape[axis]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {size}")
    refuse_whole(input, "glu_cpu")
    return smooth.glu(input, axis=axis)


gelu = function(_gelu, name="gelu", exact=FOUND)
softplus = function(_softplus, name="softplus", exact=FOUND)
logsigmoid = function(_log_sigmoid, name="log_sigmoid", exact=FOUND)
logsigmoid.__module__ = "nbmodule.nn.functional"
logsigmoid.__qualname__ = (
    "logsigmoid"  # where pickle finds it, though PyTorch's name of it is `log_sigmoid`
)
