"""Functions of networks without state, by PyTorch's signatures. They check shapes; the rules compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from .. import _dtypes, _factories
from .._engine import renamed, wrap
from .._errors import not_a_tensor
from .._generator import default_generator
from .._ops import conv as c
from .._ops import elementwise as e
from .._ops import linalg
from .._ops import shape as s
from .._tensor import Tensor
from ._class_losses import cross_entropy, nll_loss  # noqa: F401
from ._losses import (  # noqa: F401
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    huber_loss,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from ._pooling import (  # noqa: F401
    IntOrPair,
    adaptive_avg_pool2d,
    avg_pool2d,
    max_pool2d,
    pair,
)

# ---- dense layers


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``input @ weight.T + bias``.

    Args:
        input: (..., in_features)
        weight: (out_features, in_features)
        bias: (out_features,) or None

    Returns:
        (..., out_features)

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.
    """
    added = weight if bias is None else bias
    try:
        one_dtype = input._array.dtype == weight._array.dtype == added._array.dtype
    except AttributeError:
        raise _first_not_a_tensor("linear", input=input, weight=weight, bias=added) from None
    if not one_dtype:
        raise RuntimeError(_mixed_dtypes(input, weight, bias))
    rows, filters = input._array.shape, weight._array.shape
    if len(filters) == 1 and rows and bias is None:
        return input.matmul(weight)
    if not rows or len(filters) != 2 or rows[-1] != filters[-1]:
        raise RuntimeError(_linear_text(input, weight))
    if bias is None:
        out = linalg.linear_without_bias(input, weight)
        return out if len(rows) == 2 else renamed(out, "UnsafeViewBackward0")
    if bias._array.shape not in (filters[:1], (1,)):
        return _linear_with_odd_bias(input, weight, bias)
    out = linalg.linear(bias, input, weight)
    return out if len(rows) == 2 else renamed(out, "ViewBackward0")


def _linear_with_odd_bias(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Return ``input @ weight.T + bias`` for a bias of any shape that can be broadcast."""
    *outer, in_features = input.shape
    if len(outer) != 1 and bias.dim() != 1 and bias.squeeze().dim() != 1:
        return input.matmul(weight.T).add_(bias)
    bias = bias.expand(math.prod(outer), len(weight))  # it refuses what does not fit
    if len(outer) == 1:
        return linalg.linear(bias, input, weight)
    out = linalg.linear(bias, input.reshape(-1, in_features), weight)
    return renamed(out.reshape(*outer, len(weight)), "ViewBackward0")


def _linear_text(input: Tensor, weight: Tensor) -> str:
    if input.dim() == 0 or weight.dim() != 2:
        return (
            f"both arguments to linear need to be at least 1D, but they are {input.dim()}D and "
            f"{weight.dim()}D"
        )
    rows, columns = math.prod(input.shape[:-1]), input.shape[-1]
    out_features, in_features = weight.shape
    return (
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{columns} and {in_features}x{out_features})\n"
        f"The layer takes {in_features} input features and got {columns}: was it meant to be "
        f"Linear({columns}, {out_features})?"
    )


def _first_not_a_tensor(function: str, **arguments: Any) -> TypeError:
    """Return the error for the first of `arguments` that is no tensor."""
    return next(
        not_a_tensor(function, name, position + 1, value)
        for position, (name, value) in enumerate(arguments.items())
        if not isinstance(value, Tensor)
    )


def _mixed_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> str:
    """Return what is wrong with the dtypes of the arguments of `linear`."""
    if bias is None:
        return (
            "expected m1 and m2 to have the same dtype, but got: "
            f"{input.dtype.c_name} != {weight.dtype.c_name}"
        )
    name, t = ("mat1", input) if bias.dtype == weight.dtype else ("self", bias)
    return (
        f"{name} and mat2 must have the same dtype, but got {t.dtype.scalar_name} and "
        f"{weight.dtype.scalar_name}"
    )


# ---- convolution


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: IntOrPair = 1, padding: IntOrPair | str = 0, dilation: IntOrPair = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Slide the filters of `weight` over images.

    Args:
        input: (N, C, H, W) or (C, H, W)
        weight: (F, C / groups, kh, kw)
        bias: (F,) or None
        stride: how far the filters move, one number or (vertical, horizontal).
        padding: zeros around the image, likewise; or "valid" for none, "same" for an output of the
            size of the input.
        dilation: the distance between the pixels that a filter sees.
        groups: in how many parts the channels are split; filters see only theirs.

    Returns:
        (N, F, oh, ow) or (F, oh, ow)

    Raises:
        RuntimeError: the shapes do not fit, or the filter is larger than the image.
    """
    if not (isinstance(input, Tensor) and isinstance(weight, Tensor)):
        raise _first_not_a_tensor("conv2d", input=input, weight=weight)
    if input.dim() == 3:
        return conv2d(input[None], weight, bias, stride, padding, dilation, groups)[0]
    strides, dilations = pair(stride, "stride"), pair(dilation, "dilation")
    _check_conv(input, weight, bias, strides, dilations, groups)
    if padding == "same":
        input, padding = _pad_same(input, weight, strides, dilations)
    elif isinstance(padding, str) and padding != "valid":
        raise RuntimeError(f"Invalid padding string: '{padding}'\nIt is one of 'valid' and 'same'.")
    around = (0, 0) if padding == "valid" else pair(padding, "padding")  # type: ignore[arg-type]
    _check_fits(input, weight, around, dilations)
    arrays = (input, weight, bias)
    return c.conv2d(*arrays, stride=strides, padding=around, dilation=dilations, groups=groups)


def _check_conv(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, dilation: Any, groups: int) -> None:  # fmt: skip
    if input.dim() != 4:
        raise RuntimeError(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: "
            f"{list(input.shape)}"
        )
    if weight.dim() != 4:
        raise RuntimeError(f"weight should have four dimensions, got {list(weight.shape)}")
    for name, other in (("bias", bias), ("weight", weight)):
        if other is not None and input._array.dtype != other._array.dtype:
            raise RuntimeError(
                f"Input type ({input.dtype.c_name}) and {name} type ({other.dtype.c_name}) should be the same"
            )
    filters, per_group = weight.shape[:2]
    if groups <= 0 or filters % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
            f"weight of size [{list(weight.shape)}] instead"
        )
    if input.shape[1] != per_group * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected "
            f"input{list(input.shape)} to have {per_group * groups} channels, but got "
            f"{input.shape[1]} channels instead"
        )
    if bias is not None and tuple(bias.shape) != (filters,):
        raise RuntimeError(
            f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {filters} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(
            f"dilation should be greater than zero, but got [{dilation[0]}, {dilation[1]}]"
        )


def _check_fits(input: Tensor, weight: Tensor, padding: tuple[int, int], dilation: tuple[int, int]) -> None:  # fmt: skip
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    room = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if any(n < k for n, k in zip(room, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({room[0]} x {room[1]}). Kernel size: "
            f"({reach[0]} x {reach[1]}). Kernel size can't be greater than actual input size"
        )


def _pad_same(input: Tensor, weight: Tensor, stride: Any, dilation: Any) -> tuple[Tensor, int]:
    """Pad so that the output has the size of the input; an odd total goes below and to the right."""
    if max(stride) > 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation, strict=True)]
    widths = [(0, 0), (0, 0), *((n // 2, n - n // 2) for n in totals)]
    return s.pad(input, widths=widths), 0


# ---- activations and dropout


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``max(input, 0)`` element by element."""
    if not isinstance(input, Tensor):
        raise _first_not_a_tensor("relu", input=input)
    return input.relu_() if inplace else e.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """Return ``1 / (1 + exp(-input))``."""
    return e.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    return e.tanh(input)


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return exponentials that sum to 1 along `dim`."""
    return input.softmax(_implicit_dim("softmax", input, dim, _stacklevel), dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:  # fmt: skip
    """Return the logarithm of `softmax`, computed without taking it."""
    return input.log_softmax(_implicit_dim("log_softmax", input, dim, _stacklevel), dtype)


def _implicit_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    """Return `dim`; where it was left out, the one that PyTorch has always taken."""
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
        "argument.",
        stacklevel=stacklevel,
    )
    return 0 if input.dim() in (0, 1, 3) else 1


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set each element to 0 with probability `p`, and scale the others by ``1 / (1 - p)``.

    Args:
        input: of any shape.
        p: in [0, 1].
        training: False returns `input` itself. The default is True whatever mode a model is in.
        inplace: overwrite `input`.

    Raises:
        ValueError: `p` is not a probability.

    Source: Srivastava et al., https://jmlr.org/papers/v15/srivastava14a.html
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    if not input.is_floating_point():
        found = input.dtype.scalar_name
        raise RuntimeError(f"result type Float can't be cast to the desired output type {found}")
    kept = default_generator._bernoulli(input.numel(), 1 - p).reshape(input.shape)
    factor = (kept * (1 / (1 - p))).astype(input._array.dtype)
    mask = wrap(factor).to(input.device)
    return input.mul_(mask) if inplace else e.mul(input, mask)


# ---- classes as vectors


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 vectors with a single 1, at the place that each element of `tensor` names.

    Args:
        tensor: class indices of any shape, int64.
        num_classes: the length of the vectors; by default the largest class plus one.
    """
    if tensor.dtype is not _dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not tensor.numel() and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if tensor.numel() and int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    classes = int(tensor.max()) + 1 if num_classes == -1 else num_classes
    if tensor.numel() and int(tensor.max()) >= classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return tensor.unsqueeze(-1).eq(_factories.arange(classes)).long()
