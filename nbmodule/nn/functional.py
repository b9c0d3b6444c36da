"""Functions of networks without state, by PyTorch's signatures. They check shapes; the rules compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .. import _dtypes, _factories
from .._engine import renamed, wrap
from .._errors import not_a_tensor
from .._generator import default_generator
from .._ops import conv as c
from .._ops import elementwise as e
from .._ops import linalg
from .._ops import loss as losses
from .._ops import shape as s
from .._tensor import Tensor

IntOrPair = int | Sequence[int]


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
    if not (isinstance(input, Tensor) and isinstance(weight, Tensor)):
        raise _first_not_a_tensor("linear", input=input, weight=weight)
    _same_dtype("mat1", input, "mat2", weight)
    if weight.dim() == 1 and input.dim() and bias is None:
        return input.matmul(weight)
    if input.dim() == 0 or weight.dim() != 2 or input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(_linear_text(input, weight))
    if bias is None:
        out = linalg.linear_without_bias(input, weight)
        return out if input.dim() == 2 else renamed(out, "UnsafeViewBackward0")
    if bias.dim() > 1 or (bias.dim() and bias.shape[0] not in (1, weight.shape[0])):
        raise RuntimeError(
            f"The expanded size of the tensor ({weight.shape[0]}) must match the existing size "
            f"({bias.shape[0]}) at non-singleton dimension 1.  Target sizes: "
            f"{[math.prod(input.shape[:-1]), weight.shape[0]]}.  Tensor sizes: {list(bias.shape)}"
        )
    out = linalg.linear(input, weight, bias)
    return out if input.dim() == 2 else renamed(out, "ViewBackward0")


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


def _same_dtype(first: str, a: Tensor, second: str, b: Tensor) -> None:
    if a._array.dtype != b._array.dtype:
        kinds = (x.dtype.scalar_name for x in (a, b))
        raise RuntimeError("{} and {} must have the same dtype, but got {} and {}".format(first, second, *kinds))  # fmt: skip


# ---- convolution and pooling


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


def max_pool2d(input: Tensor, kernel_size: IntOrPair, stride: IntOrPair | None = None, padding: IntOrPair = 0, dilation: IntOrPair = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """Return the largest element of each window.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of minus infinity around the image, at most half of the window.
        dilation: the distance between the pixels of a window.
        ceil_mode: let the last windows hang over the edge.
        return_indices: return also where in the (H, W) plane each maximum was.

    Returns:
        (N, C, oh, ow) or (C, oh, ow), twice where indices are asked for.

    Raises:
        RuntimeError: the shapes do not fit.
    """
    if input.dim() not in (3, 4):
        raise RuntimeError(
            "non-empty 3D or 4D (batch mode) tensor expected for input\n"
            f"Got one of size {list(input.shape)}."
        )
    if input.dim() == 3:
        found = max_pool2d(
            input[None], kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
        return (found[0][0], found[1][0]) if return_indices else found[0]
    kernel = pair(kernel_size, "kernel_size")
    steps = kernel if stride is None or stride == [] else pair(stride, "stride")
    around, dilations = pair(padding, "padding"), pair(dilation, "dilation")
    extra = _check_pool(input, kernel, steps, around, dilations, ceil_mode)
    options = dict(kernel=kernel, stride=steps, padding=around, dilation=dilations, extra=extra)
    out = c.max_pool2d(input, **options)
    return (out, c.max_pool2d_indices(input.detach(), **options)) if return_indices else out


def _check_pool(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple[int, int]:  # fmt: skip
    """Return how many rows and columns the last windows hang over."""
    if min(stride) <= 0:
        raise RuntimeError("stride should not be zero")
    if min(kernel) <= 0:
        raise RuntimeError("kernel size should be greater than zero")
    if min(dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero")
    if min(padding) < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    if any(2 * p > d * (k - 1) + 1 for p, k, d in zip(padding, kernel, dilation, strict=True)):
        raise RuntimeError(
            "pad should be at most half of effective kernel size, but got pad="
            f"{max(padding)}, kernel_size={max(kernel)} and dilation={max(dilation)}"
        )
    counts, extra = [], []
    for n, k, s_, p, d in zip(input.shape[2:], kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (math.ceil(room / s_) if ceil_mode else room // s_) + 1
        if ceil_mode and (count - 1) * s_ >= n + p:
            count -= 1  # the last window must begin inside the image
        counts.append(count)
        extra.append(max(0, (count - 1) * s_ - room))
    if min(counts) < 1:
        channels, height, width = input.shape[1:]
        raise RuntimeError(
            f"Given input size: ({channels}x{height}x{width}). Calculated output size: "
            f"({channels}x{counts[0]}x{counts[1]}). Output size is too small"
        )
    return extra[0], extra[1]


def pair(value: Any, name: str) -> tuple[int, int]:
    """Return (vertical, horizontal) of one number or two.

    Raises:
        TypeError: `value` is neither.
    """
    if isinstance(value, int):
        return value, value
    try:
        numbers = tuple(int(v) for v in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) != 2:
        raise TypeError(f"{name} must be an int or two of them, got {value!r}")
    return numbers[0], numbers[1]


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


# ---- losses


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean (or "sum", or "none") of the squared differences.

    Args:
        input: of any shape.
        target: of the same shape.
        reduction: "mean", "sum" or "none".
    """
    _check_reduction(reduction)
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This "
            "will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=2,
        )
    squares = (input - target).square()
    if not squares.is_floating_point():
        found = squares.dtype.scalar_name
        raise NotImplementedError(f"\"mse_cpu\" not implemented for '{found}'")
    if reduction == "none":
        return renamed(squares, "MseLossBackward0")
    return renamed(squares.mean() if reduction == "mean" else squares.sum(), "MseLossBackward0")


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return the negative log-likelihood of the classes in `target`.

    Args:
        input: log-probabilities (N, C), (C,) or (N, C, d1, ...)
        target: class indices (N,), () or (N, d1, ...), int64
        weight: (C,) how much each class counts.
        ignore_index: a target that does not count.
        reduction: "mean" (by the weights that counted), "sum" or "none".

    Raises:
        ValueError: the batch sizes differ, or `reduction` is unknown.
        RuntimeError: other shapes or dtypes do not fit.
        IndexError: a target is no class.
    """
    if not (isinstance(input, Tensor) and isinstance(target, Tensor)):
        raise _first_not_a_tensor("nll_loss_nd", input=input, target=target)
    if input.dim() == 1 and target.numel() == 1:
        out = nll_loss(input[None], target.reshape(1), weight, ignore_index, reduction)
        return out.reshape(())
    _check_classes(input, target, weight, ignore_index, reduction)
    return losses.nll_loss(input, weight, **_loss_options(target, ignore_index, reduction))


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:  # fmt: skip
    """Return ``nll_loss(log_softmax(input))``: how surprised the model is by the targets, in nats.

    Args:
        input: scores (N, C), (C,) or (N, C, d1, ...)
        target: class indices (N,), () or (N, d1, ...), int64; or probabilities in the shape of `input`.
        weight: (C,) how much each class counts.
        ignore_index: a target that does not count.
        reduction: "mean" (by the weights that counted), "sum" or "none".
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.

    Raises:
        ValueError: the batch sizes differ, or `reduction` is unknown.
        RuntimeError: other shapes or dtypes do not fit.
        IndexError: a target is no class.
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if not (isinstance(input, Tensor) and isinstance(target, Tensor)):
        raise _first_not_a_tensor("cross_entropy_loss", input=input, target=target)
    if not input.is_floating_point():
        found = input.dtype.scalar_name
        raise NotImplementedError(
            f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{found}'"
        )
    if (target.is_floating_point() and target.shape == input.shape) or label_smoothing:
        return _soft_cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    if input.dim() == 1 and target.numel() == 1:
        out = cross_entropy(input[None], target.reshape(1), weight, ignore_index, reduction)
        return out.reshape(())
    _check_classes(input, target, weight, ignore_index, reduction)
    return losses.cross_entropy(input, weight, **_loss_options(target, ignore_index, reduction))


def _soft_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float) -> Tensor:  # fmt: skip
    """Cross entropy against probabilities, or against classes of which a part is smoothed away."""
    _check_reduction(reduction)
    axis = 0 if input.dim() == 1 else 1
    classes = input.shape[axis]
    logp = input.log_softmax(axis)
    column = [1] * input.dim()
    column[axis] = classes
    if weight is not None:
        logp = logp * weight.reshape(column)
    if target.is_floating_point():
        if target.shape != input.shape:
            raise RuntimeError(
                f"Expected floating point target with class probabilities to have the same shape as input: "
                f"got {list(target.shape)} and {list(input.shape)}"
            )
        soft = target * (1 - smoothing) + smoothing / classes
        rows = -(logp * soft).sum(axis)
        count = input.numel() // classes
        return (
            rows
            if reduction == "none"
            else rows.sum() / count
            if reduction == "mean"
            else rows.sum()
        )
    hard = nll_loss(input.log_softmax(axis), target, weight, ignore_index, reduction)
    kept = target.ne(ignore_index)
    spread = -logp.sum(axis) * kept
    if reduction != "none":
        counts = kept.to(input.dtype)
        if weight is not None:
            counts = counts * weight[e.where(kept, target, target * 0)]
        spread = spread.sum() / counts.sum() if reduction == "mean" else spread.sum()
    return hard * (1 - smoothing) + spread * (smoothing / classes)


def _check_reduction(reduction: str) -> None:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"{reduction} is not a valid value for reduction\nIt is one of mean, sum and none."
        )


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str) -> None:  # fmt: skip
    _check_reduction(reduction)
    if input.dim() < 1:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.dim() == 1:
        raise ValueError(
            "For 1D input, 1D target must have size 1, but got target size: "
            f"{target.shape[0] if target.dim() else 1}"
        )
    if input.dim() == 2 and target.dim() > 1 and input.shape[0] == target.shape[0]:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported\n"
            f"The input has size {list(input.shape)}, the target {list(target.shape)}."
        )
    if target.dim() and input.shape[0] != target.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    if (input.shape[0], *input.shape[2:]) != tuple(target.shape):
        raise RuntimeError(
            f"Expected target size {[input.shape[0], *input.shape[2:]]}, got {list(target.shape)}"
        )
    if target._array.dtype.kind not in "iu" or target._array.dtype.itemsize not in (8, 1):
        found = target.dtype.scalar_name
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {found}")
    if weight is not None and tuple(weight.shape) != (input.shape[1],):
        raise RuntimeError(
            f"weight tensor should be defined either for all {input.shape[1]} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    found = target._array[(target._array < 0) | (target._array >= input.shape[1])]
    bad = found[found != ignore_index]
    if bad.size:
        raise IndexError(
            f"Target {int(bad[0])} is out of bounds.\nThere are {input.shape[1]} classes, 0 to "
            f"{input.shape[1] - 1}."
        )


def _loss_options(target: Tensor, ignore_index: int, reduction: str) -> dict[str, Any]:  # fmt: skip
    raw = target._array.astype("int64", copy=False)
    return dict(target=raw, ignore_index=ignore_index, reduction=reduction)


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
