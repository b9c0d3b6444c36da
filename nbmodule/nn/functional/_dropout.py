"""What forgets a part of its input while a model trains.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#dropout-functions
"""

from __future__ import annotations

import warnings

from ..._tensor import Tensor
from ._native import dropout as native


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
    return (native.dropout_ if inplace else native.dropout)(input, p, training)


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
    return (native.alpha_dropout_ if inplace else native.alpha_dropout)(input, p, training)


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
    function = native.feature_alpha_dropout_ if inplace else native.feature_alpha_dropout
    return function(input, p, training)


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """Drop channels of (N, C, *), or of (C, *) where that is not `batched`."""
    if batched:
        return (native.feature_dropout_ if inplace else native.feature_dropout)(input, p, training)
    if not inplace:
        return native.feature_dropout(input.unsqueeze(0), p, training).squeeze(0)
    input.unsqueeze_(0)
    try:
        native.feature_dropout_(input, p, training)
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


def _unexpected(name: str, found: int, kinds: str, usual: str) -> str:
    """Return PyTorch's warning for an input with another number of dimensions."""
    return (
        f"{name}: Received a {found}-D input to {name}, which is deprecated and will result in an error in a "
        "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {kinds} dimensions, a channel "
        f"dimension, and an optional batch dimension (i.e. {usual} inputs)."
    )
