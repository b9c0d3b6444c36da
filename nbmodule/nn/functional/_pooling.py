"""Pooling: the largest element, the mean, or a power average of each window.

`_windows` says where the windows lie, and whether there are any: once for all inputs of one shape. The rules of
`_ops/pooling.py` look through them.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, prod
from typing import Any

from ..._engine import renamed
from ..._functions._arguments import as_index
from ..._functions._out import check_out, unrecorded, write_out
from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import picking
from ..._ops import pooling as p
from ..._ops.sliding import Size, as_size
from ..._ops.windows import Windows, sliding
from ..._tensor import Tensor
from ..common_types import _size_any_t
from ._checks import repeated, top_level

# ---- the largest element


def max_pool1d(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """Return the largest element of each window of a signal.

    Args:
        input: (N, C, L) or (C, L)
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        padding: minus infinity at both ends, at most half of the window.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last window hang over the end.
        return_indices: return also where each maximum was.

    Returns:
        (N, C, ol) or (C, ol), with ``ol = floor((L + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``;
        twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]])
        >>> nbmodule.nn.functional.max_pool1d(x, 2, stride=1)
        tensor([[4., 4., 3.]])
        >>> nbmodule.nn.functional.max_pool1d(x, 2, return_indices=True)
        (tensor([[4., 3.]]), tensor([[1, 3]]))
    """
    if return_indices:
        return max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """Return the largest element of each window of an image.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of minus infinity around the image, at most half of the window.
        dilation: the distance between the pixels of a window.
        ceil_mode: let the last windows hang over the edge.
        return_indices: return also the number of each maximum in the (H, W) plane, counted row by row.

    Returns:
        (N, C, oh, ow) or (C, oh, ow), with ``oh = floor((H + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``;
        twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(16.0).reshape(1, 4, 4)
        >>> nbmodule.nn.functional.max_pool2d(x, 2, return_indices=True)
        (tensor([[[ 5.,  7.],
                 [13., 15.]]]), tensor([[[ 5,  7],
                 [13, 15]]]))
    """
    given = input, kernel_size, stride, padding, dilation, ceil_mode
    if return_indices:
        return _max_pool_with_indices("max_pool2d_with_indices", 2, given)
    return p.max_pool(input, windows=_max_windows("max_pool2d", 2, given))


def max_pool3d(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """Return the largest element of each window of a volume.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: as in `max_pool2d`, and so are the others.
        padding: minus infinity around the volume.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last windows hang over the edge.
        return_indices: return also the number of each maximum in the (D, H, W) volume.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow), twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(16.0).reshape(1, 2, 2, 4)
        >>> nbmodule.nn.functional.max_pool3d(x, 2)
        tensor([[[[13., 15.]]]])
    """
    given = input, kernel_size, stride, padding, dilation, ceil_mode
    if return_indices:
        return _max_pool_with_indices("max_pool3d_with_indices", 3, given)
    out = p.max_pool(input, windows=_max_windows("max_pool3d", 3, given))
    return renamed(out, _MAX_NODES[3])


def max_pool1d_with_indices(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    return _max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


for _both, _with_indices in (
    (max_pool1d, max_pool1d_with_indices),
    (max_pool2d, max_pool2d_with_indices),
    (max_pool3d, max_pool3d_with_indices),
):
    _with_indices.__doc__ = _both.__doc__


@top_level
def _max_pool1d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the largest element of each window of a signal, as `nbmodule.nn.functional.max_pool1d` does.

    Args:
        input: (N, C, L) or (C, L)
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        padding: minus infinity around the signal.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last window hang over the end.

    Returns:
        (N, C, ol) or (C, ol)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.max_pool1d(nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]]), 2)
        tensor([[4., 3.]])
    """
    _check_flag(ceil_mode)
    stride = () if stride is None else stride
    sizes = (as_size(n) for n in (kernel_size, stride, padding, dilation))
    windows = _signal_windows(input._array.shape, *sizes, ceil_mode)
    if input._array.dtype.kind != "f":
        raise not_implemented("max_pool1d_impl", input)
    return p.max_pool(input.unsqueeze(-2), windows=windows).squeeze(-2)


@top_level
def _max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest element of each window, and where in the signal it was.

    Args:
        input: (N, C, L) or (C, L)
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        padding: minus infinity around the signal.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last window hang over the end.

    Returns:
        (N, C, ol) or (C, ol), twice: the maxima, and their places as int64.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.max_pool1d_with_indices(nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]]), 2)
        (tensor([[4., 3.]]), tensor([[1, 3]]))
    """
    kernel, step, around, apart = _as_images(
        "max_pool1d",
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=dilation,
    )
    values, index = max_pool2d(input.unsqueeze(-2), kernel, step, around, apart, ceil_mode, True)
    return values.squeeze(-2), index.squeeze(-2)


@top_level
def _max_pool2d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the largest element of each window, as `nbmodule.nn.functional.max_pool2d` does.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows.
        stride: the distance between windows; by default their size.
        padding: minus infinity around the image.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last windows hang over the edge.

    Returns:
        (N, C, oh, ow) or (C, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.max_pool2d(nbmodule.arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


@top_level
def _max_pool3d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the largest element of each window of a volume, as `nbmodule.nn.functional.max_pool3d` does.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        kernel_size: the size of the windows.
        stride: the distance between windows; by default their size.
        padding: minus infinity around the volume.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last windows hang over the edge.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool3d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.max_pool3d(nbmodule.arange(16.0).reshape(1, 2, 2, 4), 2)
        tensor([[[[13., 15.]]]])
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


# ---- the mean


@pytorch_errors
def avg_pool1d(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t = (), padding: _size_any_t = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:  # fmt: skip
    """Return the mean of each window of a signal.

    Args:
        input: (N, C, L) or (C, L)
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        padding: zeros around the signal, at most half of the window.
        ceil_mode: let the last window hang over the end.
        count_include_pad: whether the padding counts as elements.

    Returns:
        (N, C, ol) or (C, ol)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.avg_pool1d(nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]]), 2)
        tensor([[2.5000, 2.5000]])
    """
    kernel, step, around = _as_images(
        "avg_pool1d", input, kernel_size=kernel_size, stride=stride, padding=padding
    )
    out = avg_pool2d(input.unsqueeze(-2), kernel, step, around, ceil_mode, count_include_pad)
    return out.squeeze(-2)


@pytorch_errors
def avg_pool2d(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the mean of each window of an image.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of zeros around the image, at most half of the window.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.
        divisor_override: divide the sums by this number instead.
        out: a tensor to write the result into.

    Returns:
        (N, C, oh, ow) or (C, oh, ow), with ``oh = floor((H + 2 * padding - kernel_size) / stride) + 1``.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool2d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.avg_pool2d(nbmodule.arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])
    """
    given = input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    if out is not None:
        check_out("avg_pool2d", out, (input,))
        return write_out("avg_pool2d", unrecorded(avg_pool2d, *given), out)
    windows = _mean_windows("avg_pool2d", 2, *given)
    return p.avg_pool(input, windows=windows, divisor=divisor_override)


@pytorch_errors
def avg_pool3d(input: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the mean of each window of a volume.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: as in `avg_pool2d`, and so are the others.
        padding: zeros around the volume, at most half of the window.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.
        divisor_override: divide the sums by this number instead.
        out: a tensor to write the result into.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool3d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.avg_pool3d(nbmodule.arange(16.0).reshape(1, 2, 2, 4), 2)
        tensor([[[[6.5000, 8.5000]]]])
    """
    given = input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    if out is not None:
        check_out("avg_pool3d", out, (input,))
        return write_out("avg_pool3d", unrecorded(avg_pool3d, *given), out)
    windows = _mean_windows("avg_pool3d", 3, *given)
    y = p.avg_pool(input, windows=windows, divisor=divisor_override)
    return renamed(y, "AvgPool3DBackward0")


# ---- between the mean and the largest magnitude


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: _size_any_t, stride: _size_any_t | None = None, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the power average of each window of a signal, ``(sum of x ** p) ** (1 / p)``.

    Args:
        input: (N, C, L) or (C, L)
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        ceil_mode: let the last window hang over the end.

    Returns:
        (N, C, ol) or (C, ol)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.lp_pool1d(nbmodule.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
        tensor([[ 5., 10.]])
    """
    pools = max_pool1d, avg_pool1d
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, (kernel_size,), pools)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: _size_any_t, stride: _size_any_t | None = None, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the power average of each window of an image, ``(sum of x ** p) ** (1 / p)``.

    Args:
        input: (N, C, H, W) or (C, H, W)
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Returns:
        (N, C, oh, ow) or (C, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.lp_pool2d(nbmodule.tensor([[[2.0, 4.0], [5.0, 6.0]]]), 2, 2)
        tensor([[[9.]]])
    """
    height, width = repeated(kernel_size, 2)
    pools = max_pool2d, avg_pool2d
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, (height, width), pools)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: _size_any_t, stride: _size_any_t | None = None, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the power average of each window of a volume, ``(sum of x ** p) ** (1 / p)``.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool3d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.lp_pool3d(nbmodule.ones(1, 2, 2, 1), 2, (2, 2, 1))
        tensor([[[[2.]]]])
    """
    depth, height, width = repeated(kernel_size, 3)
    pools = max_pool3d, avg_pool3d
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, (depth, height, width), pools)


def _lp_pool(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool, kernel: tuple[Any, ...], pools: Any) -> Tensor:  # fmt: skip
    """Return ``(sum of x ** p) ** (1 / p)`` over each window of the size `kernel`."""
    largest, mean = pools
    if isinstance(norm_type, (int, float)):
        if norm_type == inf:
            return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        if norm_type == -inf:
            return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    powers = input.pow(norm_type)
    if stride is not None:
        out = mean(powers, kernel_size, stride, 0, ceil_mode)
    else:
        out = mean(powers, kernel_size, padding=0, ceil_mode=ceil_mode)
    return (out.sign() * out.abs().relu()).mul(prod(kernel)).pow(1.0 / norm_type)


# ---- what they share

_MAX_NODES = {2: "MaxPool2DWithIndicesBackward0", 3: "MaxPool3DWithIndicesBackward0"}


def _max_pool_with_indices(name: str, dims: int, given: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    """Return the maxima, and their numbers in the plane or volume."""
    input, windows = given[0], _max_windows(name, dims, given)
    index = p.max_pool_places(input.detach(), windows=windows)
    return renamed(picking.pick(input, index, dims=dims), _MAX_NODES[dims]), index


def _max_windows(name: str, dims: int, given: tuple[Any, ...]) -> tuple[Windows, ...]:
    """Return the windows along each axis, of the arguments of ``max_pool2d`` or ``max_pool3d``."""
    input, kernel_size, stride, padding, dilation, ceil_mode = given
    try:
        shape, kernel = input._array.shape, as_size(kernel_size, dims)
        step = kernel if stride is None else as_size(stride, dims) or kernel
        around, apart = as_size(padding, dims), as_size(dilation, dims)
        _check_flag(ceil_mode)
        windows = _windows(f"max_pool{dims}d", shape, kernel, step, around, apart, ceil_mode)
    except Exception:  # PyTorch looks at the types of all arguments first
        bind_call(name, False, given, {})
        raise
    if input._array.dtype.kind == "b":
        raise not_implemented(f"max_pool{dims}d", input)
    return windows


def _mean_windows(function: str, dims: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: Any, count_include_pad: Any, divisor: Any) -> tuple[Windows, ...]:  # fmt: skip
    """Return the windows along each axis, of the arguments of ``avg_pool2d`` or ``avg_pool3d``."""
    _check_flag(ceil_mode)
    _check_flag(count_include_pad)
    if divisor is not None and as_index(divisor) == 0:
        raise RuntimeError("divisor must be not zero")
    kernel = as_size(kernel_size, dims)
    step = kernel if stride is None else as_size(stride, dims) or kernel
    shape, around, ones = input._array.shape, as_size(padding, dims), (1,) * dims
    if len(shape) < 3 and dims == 2:
        input.size(-3)  # which says that there is no such dimension
    windows = _windows(function, shape, kernel, step, around, ones, ceil_mode, count_include_pad)
    kind = input._array.dtype
    if (kind.kind != "f" and kind != "int64") or (dims == 3 and kind == "float16"):
        raise not_implemented("avg_pool2d" if dims == 2 else "avg_pool3d_out_frame", input)
    return windows


def _check_flag(value: Any) -> None:
    """Raise if `value` is neither True nor False: Python would take anything, PyTorch does not."""
    if value is not True and value is not False:
        raise TypeError(f"expected True or False, got {value!r}")


@lru_cache(512)
def _windows(function: str, shape: Size, kernel: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool, padded: bool = True) -> tuple[Windows, ...]:  # fmt: skip
    """Return the windows along each axis of an input of this shape.

    Raises:
        RuntimeError: the sizes do not fit; PyTorch's order and words.
    """
    is_max, dims = function[:3] == "max", int(function[-2])
    kernel, stride, padding, dilation = _spread_out(function, kernel, stride, padding, dilation)
    if (is_max or dims == 3) and len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input"
        )
    size = shape[-dims:]
    rows = list(zip(size, kernel, stride, padding, dilation, strict=True))
    counts = tuple(_count(*row, ceil_mode) for row in rows)
    _check_positive(kernel, stride, dilation)
    if dims == 2 and (len(shape) not in (3, 4) or not all(shape[-3:])):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    if dims == 3 and not all(shape[-4:]):
        kernel_function = "max_pool3d_with_indices_out_cpu_template()" if is_max else "avg_pool3d()"
        raise RuntimeError(
            f"{kernel_function}: Expected input's non-batch dimensions to have positive length, but input "
            f"has a shape of {list(shape)} and non-batch dimension 0 has length zero!"
        )
    if dims == 3 and not is_max and any(n < k for n, k in zip(size, kernel, strict=True)):
        raise RuntimeError(
            f"input image ({_by_axis('', size)}) smaller than kernel size ({_by_axis('k', kernel)})"
        )
    if min(counts) < 1:
        before, after = shape[-dims - 1 :], (shape[-dims - 1], *counts)
        raise RuntimeError(
            f"Given input size: ({'x'.join(map(str, before))}). Calculated output size: "
            f"({'x'.join(map(str, after))}). Output size is too small"
        )
    return tuple(sliding(row[0], n, *row[1:], padded) for row, n in zip(rows, counts, strict=True))


def _spread_out(function: str, *sizes: Size) -> list[Size]:
    """Return `sizes`, where one number stands for all axes, with one for each."""
    dims, single = int(function[-2]), "be a single int" if function == "avg_pool3d" else "either be a single int"  # fmt: skip
    wordings = {
        "kernel_size": single,
        "stride": single.replace("be a", "be omitted, a"),
        "padding": single,
        "dilation": "be either a single int",
    }
    for (name, wording), numbers in zip(wordings.items(), sizes, strict=True):
        if len(numbers) not in (1, dims):
            counts = {2: "two ints", 3: "three ints"}
            raise RuntimeError(f"{function}: {name} must {wording}, or a tuple of {counts[dims]}")
        if any(abs(n) >= 2**31 for n in numbers):
            raise RuntimeError("value cannot be converted to type int without overflow")
    return [numbers if len(numbers) == dims else numbers * dims for numbers in sizes]


def _count(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:  # fmt: skip
    """Return how many windows there are along an axis."""
    if stride == 0:
        raise RuntimeError("stride should not be zero")
    if padding < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
    if padding > int(((kernel - 1) * dilation + 1) / 2):
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad={padding}, "
            f"kernel_size={kernel} and dilation={dilation}"
        )
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    # the last window must begin inside the image or the padding before it
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def _check_positive(kernel: Size, stride: Size, dilation: Size) -> None:
    for what, prefix, numbers in (
        ("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation),
    ):  # fmt: skip
        if min(numbers) <= 0:
            raise RuntimeError(
                f"{what} should be greater than zero, but got {_by_axis(prefix, numbers)}"
            )


def _by_axis(prefix: str, numbers: Size) -> str:
    return " ".join(f"{prefix}{a}: {n}" for a, n in zip("THW"[-len(numbers) :], numbers, strict=True))  # fmt: skip


@lru_cache(512)
def _signal_windows(shape: Size, kernel: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool) -> tuple[Windows, ...]:  # fmt: skip
    """Return the windows of ``max_pool1d``, over a signal that lies as an image of one row."""
    if len(shape) not in (2, 3) or not all(shape[-2:]):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    for name, value, words in (
        ("kernel_size", kernel, "an int, list of ints or tuple of ints"),
        ("stride", stride or kernel, "None, an int, list of ints, or tuple of ints"),
        ("padding", padding, "an int, list of ints, or tuple of ints"),
        ("dilation", dilation, "an int, list of ints or tuple of ints"),
    ):
        if len(value) != 1:
            raise RuntimeError(
                f"max_pool1d() {name} must be {words} of size 1 but got size {len(value)}"
            )
    (k,), (s,), (pad,), (d,) = kernel, stride or kernel, padding, dilation
    for name, n in (("kernel_size", k), ("stride", s)):
        if n <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {n}")
    if pad < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
    if pad > k // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and kernel_size={k}"
        )
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    count = _count(shape[-1], k, s, pad, d, ceil_mode)
    if count < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {count}")
    return sliding(1, 1, 1, 1), sliding(shape[-1], count, k, s, pad, d)


def _as_images(function: str, input: Tensor, **sizes: Any) -> list[Size]:
    """Return the sizes of windows over a signal as those over an image of one row."""
    sizes["stride"] = () if sizes["stride"] is None else sizes["stride"]
    numbers = {name: as_size(value) for name, value in sizes.items()}
    numbers["stride"] = numbers["stride"] or numbers["kernel_size"]
    check_signal(function, input, **numbers)
    return [(0 if name == "padding" else 1, *n) for name, n in numbers.items()]


def check_signal(function: str, input: Tensor, **sizes: Size) -> None:
    """Raise if `input` is not (N, C, L) or (C, L), or one of `sizes` is not of one axis."""
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {function})"
        )
    for name, numbers in sizes.items():
        if len(numbers) != 1:
            raise RuntimeError(
                f"{function}() argument '{name}' should contain one int (got {len(numbers)})"
            )
