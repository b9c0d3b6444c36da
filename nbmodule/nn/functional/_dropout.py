"""Dropout: while a model trains, random elements or whole channels become 0.

``nbmodule.dropout``, which has no ``inplace``, is `_dropout` here. The draws are PyTorch's for the same seed: a number for each element, or for each channel, in the order of memory.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#dropout-functions
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._backend import namespace_of
from ..._engine import renamed, wrap
from ..._functions._arguments import as_double
from ..._generator import default_generator
from ..._methods.common import kind_of
from ..._methods.random_fills import in_memory_order
from ..._ops import dropping, hashing
from ..._ops import elementwise as e
from ..._tensor import Tensor
from ._checks import top_level


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set each element to 0 with probability `p`, and scale the others by ``1 / (1 - p)``.

    Args:
        input: of any shape.
        p: in [0, 1].
        training: False returns `input` itself. The default is True whatever mode a model is in.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: `p` is not a probability.

    Source: Srivastava et al., https://jmlr.org/papers/v15/srivastava14a.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.dropout(nbmodule.ones(6))
        tensor([0., 0., 2., 0., 0., 0.])
    """
    _check_probability(p)
    return (_dropout_ if inplace else _dropout)(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:  # fmt: skip
    """Set each element to the lowest value of `selu` with probability `p`, then scale and move all of them.

    If `input` has mean 0 and variance 1, the result has too: ``a * (kept x, else -1.7581) + b``.

    Args:
        input: of any shape.
        p: in [0, 1].
        training: False returns `input` itself.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: `p` is not a probability.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.alpha_dropout(nbmodule.zeros(5), 0.25, training=True)
        tensor([-1.1435,  0.3812,  0.3812, -1.1435,  0.3812])
    """
    _check_probability(p)
    return (_alpha_dropout_ if inplace else _alpha_dropout)(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:  # fmt: skip
    """Drop whole channels in the way of `alpha_dropout`.

    Args:
        input: (N, C, *)
        p: in [0, 1].
        training: False returns `input` itself.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: `p` is not a probability.
        RuntimeError: `input` has less than 2 dimensions.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.feature_alpha_dropout(nbmodule.zeros(1, 3, 2), training=True)
        tensor([[[-0.7792, -0.7792],
                 [-0.7792, -0.7792],
                 [ 0.7792,  0.7792]]])
    """
    _check_probability(p)
    function = _feature_alpha_dropout_ if inplace else _feature_alpha_dropout
    return function(input, p, training)


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """Drop channels of (N, C, *), or of (C, *) where that is not `batched`."""
    if batched:
        return (_feature_dropout_ if inplace else _feature_dropout)(input, p, training)
    if not inplace:
        return _feature_dropout(input.unsqueeze(0), p, training).squeeze(0)
    input.unsqueeze_(0)
    try:
        _feature_dropout_(input, p, training)
    finally:
        input.squeeze_(0)
    return input


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:  # fmt: skip
    """Set whole channels of signals to 0 with probability `p`, and scale the others by ``1 / (1 - p)``.

    Args:
        input: (N, C, L) or (C, L).
        p: in [0, 1].
        training: False leaves the numbers as they are.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: `p` is not a probability.
        RuntimeError: `input` has another number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout1d.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.dropout1d(nbmodule.ones(3, 4))
        tensor([[0., 0., 0., 0.],
                [0., 0., 0., 0.],
                [2., 2., 2., 2.]])
    """
    _check_probability(p)
    n = input.dim()
    if n not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {n}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
            "optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, n == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:  # fmt: skip
    """Set whole channels of images to 0 with probability `p`, and scale the others by ``1 / (1 - p)``.

    Args:
        input: (N, C, H, W); (N, C, L) and others are taken with a warning.
        p: in [0, 1].
        training: False returns `input` itself.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: `p` is not a probability.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout2d.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.dropout2d(nbmodule.ones(1, 4, 2, 2)).sum((2, 3))
        tensor([[0., 0., 8., 0.]])
    """
    _check_probability(p)
    n = input.dim()
    if n not in (3, 4):
        warnings.warn(_unexpected("dropout2d", n, "2 spatial", "3D or 4D"), stacklevel=2)
    if n == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
            "change in a future release to interpret the input as one without a batch dimension, i.e. shape "
            "(C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d "
            "instead.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:  # fmt: skip
    """Set whole channels of volumes to 0 with probability `p`, and scale the others by ``1 / (1 - p)``.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W); others are taken as the latter, with a warning.
        p: in [0, 1].
        training: False leaves the numbers as they are.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: `p` is not a probability.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout3d.html

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.dropout3d(nbmodule.ones(1, 4, 2, 2, 2)).sum((2, 3, 4))
        tensor([[ 0.,  0., 16.,  0.]])
    """
    _check_probability(p)
    n = input.dim()
    if n not in (4, 5):
        warnings.warn(_unexpected("dropout3d", n, "3 spatial", "4D or 5D"), stacklevel=2)
    return _drop_channels(input, p, training, inplace, n == 5)


def _unexpected(name: str, dims: int, kinds: str, usual: str) -> str:
    """Return PyTorch's warning for an input with another number of dimensions."""
    return (
        f"{name}: Received a {dims}-D input to {name}, which is deprecated and will result in an error in a "
        "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {kinds} dimensions, a channel "
        f"dimension, and an optional batch dimension (i.e. {usual} inputs)."
    )


# ---- what draws and drops, and the forms at the top level

SELU_LIMIT = 1.7580993408473766
"""What `selu` tends to for large negative numbers, without its sign: scale times alpha."""


def drop(input: Tensor, p: Any, train: Any, *, channels: bool = False, alpha: bool = False, inplace: bool = False) -> Tensor:  # fmt: skip
    """Return `input` with a part of it dropped.

    Args:
        input: of any shape; (N, C, *) for `channels`.
        p: the probability of each element, or channel.
        train: False returns `input` itself.
        channels: drop (n, c) as a whole.
        alpha: keep the mean 0 and the variance 1 of what `selu` has made, see `_keep_moments`.
        inplace: overwrite `input`.
    """
    p, array = as_double(p), input._array
    if train is not True and train is not False:
        raise TypeError("expected True or False")
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not array.size:
        return input
    if p == 1:
        nothing = False if array.dtype.kind == "b" else 0
        return input.mul_(nothing) if inplace else e.mul(input, nothing)
    if channels and array.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    shape = (*array.shape[:2], *(1,) * (array.ndim - 2)) if channels else None
    kept = _draw(array, 1 - p, shape)
    if array.dtype.kind != "f":
        _refuse_type(input, alpha)
    if alpha:
        return _keep_moments(input, kept, p, inplace)
    scale = _rounded_quotient(1 - p, array.dtype)
    if inplace:
        return input.mul_(_scaled(kept, scale))
    return dropping.drop(input, wrap(kept), scale=scale.item())


def _draw(array: Any, p: float, shape: tuple[int, ...] | None) -> Any:
    """Return bools that are True with probability `p`, for each element of `array`, or in another `shape`.

    A GPU draws them itself, by another method: see `hashing`.
    """
    xp = namespace_of[type(array)]
    if xp.__name__ == "cupy":
        form = shape or array.shape
        key = int(default_generator._bits64(1)[0])
        return hashing.chosen(xp, key, math.prod(form), p).reshape(form)
    if shape is None:
        flat = default_generator._bernoulli(array.size, p)
        return xp.asarray(in_memory_order(flat, array))
    return xp.asarray(default_generator._bernoulli(math.prod(shape), p).reshape(shape))


def _scaled(kept: Any, scale: Any, shift: Any = None) -> Tensor:
    """Return ``scale * kept + shift`` as a tensor."""
    xp = namespace_of[type(kept)]
    scaled = kept * scale
    return wrap(xp.asarray(scaled if shift is None else scaled + shift))


def _refuse_type(input: Tensor, alpha: bool) -> None:
    kind = "Long" if alpha and input._array.dtype.kind == "b" else kind_of(input)
    raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")


def _rounded_quotient(p: float, dtype: np.dtype) -> Any:
    """Return 1 / p as it comes out in `dtype`; float16 divides in float32, as PyTorch does."""
    kind = np.float64 if dtype == np.float64 else np.float32
    return dtype.type(kind(1) / kind(p))


def _keep_moments(input: Tensor, kept: Any, p: float, inplace: bool) -> Tensor:
    """Return ``a * x + b`` where `x` is what is kept of the input, and the lowest value of `selu` elsewhere.

    If the input has mean 0 and variance 1, the result has too.
    """
    a = 1 / math.sqrt((SELU_LIMIT * SELU_LIMIT * p + 1) * (1 - p))
    dtype = input._array.dtype
    factor = _scaled(kept, dtype.type(a))
    moved = _scaled(kept, dtype.type(SELU_LIMIT * a), dtype.type(SELU_LIMIT * a * (p - 1)))
    return input.mul_(factor).add_(moved) if inplace else e.add(e.mul(input, factor), moved)


def _described(does: str, where: str = "of any shape") -> Callable[..., Any]:
    """Return a decorator that gives one of PyTorch's names for `drop` its docstring."""

    def decorate(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        name = function.__name__.removeprefix("_")
        function.__doc__ = f"""{does}.

    Args:
        input: {where}
        p: the probability of each, in [0, 1].
        train: False returns `input` itself.

    Returns:
        a tensor in the shape of `input`{", which is `input`" if name.endswith("_") else ""}.

    Raises:
        RuntimeError: `p` is not a probability, or `input` does not hold floating point numbers.

    Source: https://docs.pytorch.org/docs/stable/nn.functional.html#dropout-functions

    Example:
        >>> import nbmodule
        >>> nbmodule.{name}(nbmodule.ones(2, 3), 0.5, train=False)
        tensor([[1., 1., 1.],
                [1., 1., 1.]])
    """
        return top_level(function)

    return decorate


@_described("Set elements to 0, and scale the others by ``1 / (1 - p)``")
def _dropout(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train)


@_described("Do what `dropout` does, in place")
def _dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, inplace=True)


@_described("Set whole channels to 0, and scale the others by ``1 / (1 - p)``", "(N, C, *)")
def _feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, channels=True)


@_described("Do what `feature_dropout` does, in place", "(N, C, *)")
def _feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, channels=True, inplace=True)


@_described("Drop elements so that what `selu` has made keeps its mean and variance")
def _alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, alpha=True)


@_described("Do what `alpha_dropout` does, in place")
def _alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, alpha=True, inplace=True)


@_described("Drop whole channels in the way of `alpha_dropout`", "(N, C, *)")
def _feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, channels=True, alpha=True)


@_described("Do what `feature_alpha_dropout` does, in place", "(N, C, *)")
def _feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    return drop(input, p, train, channels=True, alpha=True, inplace=True)


@top_level
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Return what `dropout` does, and a mask that is True where elements were kept.

    Args:
        input: of any shape.
        p: the probability of each element, in [0, 1].
        train: False keeps all; None stands for True.

    Returns:
        two tensors in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/nn.functional.html#dropout-functions

    Example:
        >>> import nbmodule
        >>> nbmodule.native_dropout(nbmodule.ones(2), 0.5, False)
        (tensor([1., 1.]), tensor([True, True]))
    """
    if train is not None and type(train) is not bool:
        raise TypeError("train must be a bool or None")
    p, array = as_double(p), input._array
    xp = namespace_of[type(array)]
    if train is False or not array.size:
        return renamed(e.clone(input), "NativeDropoutBackward0"), wrap(xp.ones(array.shape, bool))
    if not 0 <= 1 - p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={1 - p:g}")
    kept = _draw(array, 1 - p, None)
    if array.dtype.kind != "f":
        _refuse_type(input, False)
    scale = array.dtype.type(0 if p == 1 else 1 / (1 - p))
    return renamed(e.mul(input, _scaled(kept, scale)), "NativeDropoutBackward0"), wrap(kept)
