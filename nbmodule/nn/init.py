"""How the numbers in a fresh layer are chosen.

All functions here overwrite their tensor and return it; nothing is recorded. For the same seed they draw the
same numbers as PyTorch's, but for the last digits of 16 and more normal ones.

Source: https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from .._generator import Generator
from .._methods.random_fills import fill_few_evenly
from .._tensor import Tensor
from ..autograd import no_grad
from ._gains import _calculate_correct_fan, _calculate_fan_in_and_fan_out, calculate_gain
from ._patterns import dirac_, eye_, orthogonal_, sparse_, trunc_normal_
from .parameter import PLAIN

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

for _function in (calculate_gain, dirac_, eye_, orthogonal_, sparse_, trunc_normal_):
    _function.__module__ = __name__


# ---- one number, one distribution


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` with numbers drawn evenly from [a, b).

    Args:
        tensor: of any shape.
        a: the lower bound.
        b: the upper bound.
        generator: draws them; the default one when left out.

    Returns:
        `tensor`.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.init.uniform_(nbmodule.empty(3), 2.0, 4.0)
        tensor([2.9925, 3.5364, 2.1770])
    """
    if type(tensor) in PLAIN and fill_few_evenly(tensor, a, b, generator):
        return tensor
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` with normally distributed numbers.

    Args:
        tensor: of any shape.
        mean: of the distribution.
        std: its standard deviation.
        generator: as in `uniform_`.

    Returns:
        `tensor`.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.init.normal_(nbmodule.empty(3), 10.0, 0.1)
        tensor([10.1541,  9.9707,  9.7821])
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill `tensor` with `val`.

    Args:
        tensor: of any shape.
        val: the number.

    Returns:
        `tensor`.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.init.constant_(nbmodule.empty(2), 0.3)
        tensor([0.3000, 0.3000])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 1.

    Args:
        tensor: of any shape.

    Returns:
        `tensor`.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.init.ones_(nbmodule.empty(2))
        tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 0.

    Args:
        tensor: of any shape.

    Returns:
        `tensor`.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.init.zeros_(nbmodule.ones(2))
        tensor([0., 0.])
    """
    with no_grad():
        return tensor.zero_()


# Names that are not public, and used all the same.
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_


# ---- keeping the variance from layer to layer


def _is_empty(tensor: Tensor) -> bool:
    """Return whether there is nothing to fill, and warn if so."""
    if 0 not in tensor.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return True


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` evenly from [-a, a], with ``a = gain * sqrt(6 / (fan_in + fan_out))``.

    The variance is a mean of what the way in and the way out would keep.

    Args:
        tensor: a weight (out, in, *).
        gain: a factor, see `calculate_gain`.
        generator: as in `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has less than 2 dimensions.

    Source: Glorot and Bengio, https://proceedings.mlr.press/v9/glorot10a.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> w = nbmodule.nn.init.xavier_uniform_(nbmodule.empty(30, 20))
        >>> round(w.abs().max().item(), 2), round((6 / 50) ** 0.5, 2)
        (0.35, 0.35)
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` normally, with the deviation ``gain * sqrt(2 / (fan_in + fan_out))``.

    Args:
        tensor: a weight (out, in, *).
        gain: a factor, see `calculate_gain`.
        generator: as in `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has less than 2 dimensions.

    Source: Glorot and Bengio, https://proceedings.mlr.press/v9/glorot10a.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> w = nbmodule.nn.init.xavier_normal_(nbmodule.empty(300, 200))
        >>> round(w.std().item(), 3), round((2 / 500) ** 0.5, 3)
        (0.063, 0.063)
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` evenly from [-b, b], with ``b = gain * sqrt(3 / fan)``: layers of ReLUs keep the variance.

    Args:
        tensor: a weight (out, in, *).
        a: the slope of the "leaky_relu" that follows.
        mode: "fan_in" keeps it on the way forward, "fan_out" on the way back.
        nonlinearity: what follows, see `calculate_gain`.
        generator: as in `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has less than 2 dimensions, or `mode` or `nonlinearity` is unknown.

    Source: He et al., https://arxiv.org/abs/1502.01852

    Example:
        >>> import nbmodule
        >>> w = nbmodule.nn.init.kaiming_uniform_(nbmodule.empty(300, 50), nonlinearity="relu")
        >>> round(w.abs().max().item(), 2), round((6 / 50) ** 0.5, 2)
        (0.35, 0.35)
    """
    if _is_empty(tensor):
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` normally, with the deviation ``gain / sqrt(fan)``.

    Args:
        tensor: a weight (out, in, *).
        a: as in `kaiming_uniform_`.
        mode: as in `kaiming_uniform_`.
        nonlinearity: as in `kaiming_uniform_`.
        generator: as in `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: as in `kaiming_uniform_`.

    Source: He et al., https://arxiv.org/abs/1502.01852

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> w = nbmodule.nn.init.kaiming_normal_(nbmodule.empty(300, 200), mode="fan_out")
        >>> round(w.std().item(), 3), round((2 / 300) ** 0.5, 3)
        (0.082, 0.082)
    """
    if _is_empty(tensor):
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


# ---- older names


def _make_deprecate(meth: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return `meth` under its name of before, without the underscore, which warns."""
    old = meth.__name__[:-1]

    @wraps(meth)
    def deprecated_init(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{meth.__name__}`.",
            FutureWarning,
            stacklevel=2,
        )
        return meth(*args, **kwargs)

    deprecated_init.__name__ = deprecated_init.__qualname__ = old
    rest = (meth.__doc__ or "").partition("\n\n")[2]
    deprecated_init.__doc__ = f"An older name of `{meth.__name__}`, which warns.\n\n{rest}"
    return deprecated_init


uniform, normal = _make_deprecate(uniform_), _make_deprecate(normal_)
constant, eye, dirac = _make_deprecate(constant_), _make_deprecate(eye_), _make_deprecate(dirac_)
xavier_uniform, xavier_normal = _make_deprecate(xavier_uniform_), _make_deprecate(xavier_normal_)
kaiming_uniform = _make_deprecate(kaiming_uniform_)
kaiming_normal = _make_deprecate(kaiming_normal_)
orthogonal, sparse = _make_deprecate(orthogonal_), _make_deprecate(sparse_)
