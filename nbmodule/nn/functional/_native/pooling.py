"""Maxima and means of windows: the builtin functions, which `nn.functional` is made of.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...._engine import renamed
from ...._functions._out import check_out, unrecorded, write_out
from ...._functions._wrap import explained_function
from ...._ops import picking
from ...._ops import pooling as p
from ...._ops.windows import sliding
from ...._tensor import Tensor
from .._checks import as_ints
from . import pool_checks as check

_OMITTED = "either be omitted, a single int"
_EITHER = "either be a single int"
_EITHER_BE = "be either a single int"
_MAX_NODES = {2: "MaxPool2DWithIndicesBackward0", 3: "MaxPool3DWithIndicesBackward0"}


def _max_windows(function: str, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any, dims: int) -> Any:  # fmt: skip
    """Check the arguments of max pooling over `dims` axes; return the windows along each."""
    check.check_tensor(function, input)
    check.check_flag(function, "ceil_mode", 6, ceil_mode)
    plain = f"max_pool{dims}d"
    given = as_ints(kernel_size, dims), as_ints(padding, dims), as_ints(dilation, dims)
    kernel = check.spread_out(plain, "kernel_size", given[0], dims, _EITHER)
    steps = kernel
    if stride is not None and as_ints(stride, dims):
        steps = check.spread_out(plain, "stride", stride, dims, _OMITTED)
    around = check.spread_out(plain, "padding", given[1], dims, _EITHER)
    apart = check.spread_out(plain, "dilation", given[2], dims, _EITHER_BE)
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input"
        )
    if input._array.dtype.kind == "b":
        _windows(plain, tuple(input.shape), kernel, steps, around, apart, ceil_mode)
        raise check.not_implemented(plain, input)
    return _windows(plain, tuple(input.shape), kernel, steps, around, apart, ceil_mode)


@lru_cache(512)
def _windows(function: str, shape: tuple[int, ...], kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, padded: bool = True) -> Any:  # fmt: skip
    """Return the windows along each axis of an input of this shape, if there are any."""
    dims = len(kernel)
    rows = list(zip(shape[-dims:], kernel, stride, padding, dilation, strict=True))
    counts = tuple(check.count(*row, ceil_mode) for row in rows)
    check.check_positive(kernel, stride, dilation)
    if dims == 2:
        check.check_images(shape)
    elif function == "max_pool3d":
        check.check_volumes(shape, "max_pool3d_with_indices_out_cpu_template()")
    else:
        check.check_volumes(shape, "avg_pool3d()")
        _check_volume_fits(shape[-3:], kernel)
    check.check_counts(shape, counts)
    return tuple(sliding(row[0], n, *row[1:], padded) for row, n in zip(rows, counts, strict=True))


def _max_pool(input: Tensor, windows: Any) -> Tensor:
    out = p.max_pool(input, windows=windows)
    return out if len(windows) == 2 else renamed(out, _MAX_NODES[len(windows)])


def _max_pool_with_indices(input: Tensor, windows: Any) -> tuple[Tensor, Tensor]:
    index = p.max_pool_places(input.detach(), windows=windows)
    dims = len(windows)
    return renamed(picking.pick(input, index, dims=dims), _MAX_NODES[dims]), index


@explained_function
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:  # fmt: skip
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
    windows = _max_windows(
        "max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, 2
    )
    return p.max_pool(input, windows=windows)


@explained_function
def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest element of each window, and its number in the (H, W) plane."""
    name = "max_pool2d_with_indices"
    return _max_pool_with_indices(
        input, _max_windows(name, input, kernel_size, stride, padding, dilation, ceil_mode, 2)
    )


@explained_function
def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:  # fmt: skip
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
    windows = _max_windows(
        "max_pool3d", input, kernel_size, stride, padding, dilation, ceil_mode, 3
    )
    return _max_pool(input, windows)


@explained_function
def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest element of each window, and its number in the (D, H, W) volume."""
    name = "max_pool3d_with_indices"
    return _max_pool_with_indices(
        input, _max_windows(name, input, kernel_size, stride, padding, dilation, ceil_mode, 3)
    )


def _mean_windows(function: str, input: Any, kernel_size: Any, stride: Any, padding: Any, flags: tuple[Any, Any], divisor: Any, dims: int) -> Any:  # fmt: skip
    """Check the arguments of average pooling over `dims` axes; return the windows along each."""
    check.check_tensor(function, input)
    for i, (name, value) in enumerate(
        zip(("ceil_mode", "count_include_pad"), flags, strict=True), 5
    ):
        check.check_flag(function, name, i, value)
    if divisor is not None:
        divisor = as_ints(divisor, 1)[0]
    single = _EITHER if dims == 2 else "be a single int"
    omitted = _OMITTED if dims == 2 else "be omitted, a single int"
    kernel = check.spread_out(function, "kernel_size", kernel_size, dims, single)
    steps = kernel
    if stride is not None and as_ints(stride, dims):
        steps = check.spread_out(function, "stride", stride, dims, omitted)
    around = check.spread_out(function, "padding", padding, dims, single)
    if dims == 3 and input.dim() not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    input.size(-3)  # with too few dimensions there is none, which it says
    shape, ones = tuple(input.shape), (1,) * dims
    windows = _windows(function, shape, kernel, steps, around, ones, *flags)
    taken = ("float32", "float64", "int64", "float16")[: 4 if dims == 2 else 3]
    if input._array.dtype not in taken:
        raise check.not_implemented("avg_pool2d" if dims == 2 else "avg_pool3d_out_frame", input)
    return windows


def _check_volume_fits(size: tuple[int, ...], kernel: tuple[int, ...]) -> None:
    if any(n < k for n, k in zip(size, kernel, strict=True)):
        shown = [" ".join(f"{k}{a}: {n}" for a, n in zip("THW", v, strict=True)) for k, v in (("", size), ("k", kernel))]  # fmt: skip
        raise RuntimeError(f"input image ({shown[0]}) smaller than kernel size ({shown[1]})")


@explained_function
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:  # fmt: skip
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
    flags = ceil_mode, count_include_pad
    if out is not None:
        check_out("avg_pool2d", out, (input,))
        given = input, kernel_size, stride, padding, *flags, divisor_override
        return write_out("avg_pool2d", unrecorded(avg_pool2d, *given), out)
    windows = _mean_windows(
        "avg_pool2d", input, kernel_size, stride, padding, flags, divisor_override, 2
    )
    return p.avg_pool(input, windows=windows, divisor=divisor_override)


@explained_function
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:  # fmt: skip
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
    flags = ceil_mode, count_include_pad
    if out is not None:
        check_out("avg_pool3d", out, (input,))
        given = input, kernel_size, stride, padding, *flags, divisor_override
        return write_out("avg_pool3d", unrecorded(avg_pool3d, *given), out)
    windows = _mean_windows(
        "avg_pool3d", input, kernel_size, stride, padding, flags, divisor_override, 3
    )
    return renamed(
        p.avg_pool(input, windows=windows, divisor=divisor_override), "AvgPool3DBackward0"
    )


for _function in (max_pool2d, max_pool3d):
    _function.__module__ = "nbmodule"
