"""Maxima and means of windows over signals: the builtin functions, which `nn.functional` is made of.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from typing import Any

from ...._engine import is_grad_enabled
from ...._functions._wrap import explained_function
from ...._ops import pooling as p
from ...._ops.windows import sliding
from ...._tensor import Tensor
from .._checks import as_ints
from . import pool_checks as check
from .pooling import avg_pool2d, max_pool2d_with_indices


@explained_function
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:  # fmt: skip
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
    check.check_tensor("max_pool1d", input)
    check.check_flag("max_pool1d", "ceil_mode", 6, ceil_mode)
    if input.dim() not in (2, 3) or not all(input.shape[input.dim() - 2 :]):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.shape)}"
        )
    stride = kernel_size if stride is None else stride
    kernel, step, around, apart = _signal_sizes(kernel_size, stride, padding, dilation)
    counted = check.count(input.shape[-1], kernel, step, around, apart, ceil_mode)
    if counted < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {counted}")
    if not (input.requires_grad and is_grad_enabled()) and input._array.dtype.kind != "f":
        raise check.not_implemented("max_pool1d_impl", input)
    windows = (
        sliding(1, 1, 1, 1),
        sliding(input.shape[-1], counted, kernel, step, around, apart),
    )
    return p.max_pool(input.unsqueeze(-2), windows=windows).squeeze(-2)


def _signal_sizes(kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[int, ...]:
    """Return the four arguments of `max_pool1d` as numbers."""
    found = {}
    for name, value, words in (
        ("kernel_size", kernel_size, "an int, list of ints or tuple of ints"),
        ("stride", stride, "None, an int, list of ints, or tuple of ints"),
        ("padding", padding, "an int, list of ints, or tuple of ints"),
        ("dilation", dilation, "an int, list of ints or tuple of ints"),
    ):
        numbers = as_ints(value, 1)
        if not numbers and name == "stride":
            numbers = (found["kernel_size"],)
        if len(numbers) != 1:
            raise RuntimeError(
                f"max_pool1d() {name} must be {words} of size 1 but got size {len(numbers)}"
            )
        found[name] = numbers[0]
    for name in ("kernel_size", "stride"):
        if found[name] <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {found[name]}")  # fmt: skip
    kernel, pad = found["kernel_size"], found["padding"]
    if pad < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
    if pad > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and "
            f"kernel_size={kernel}"
        )
    if found["dilation"] <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {found['dilation']}")  # fmt: skip
    return tuple(found.values())


@explained_function
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
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
    check.check_tensor("max_pool1d_with_indices", input)
    stride = stride if stride is not None and as_ints(stride, 1) else kernel_size
    check.check_range("max_pool1d", input)
    check.check_single("max_pool1d", kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)  # fmt: skip
    kernel, step, around, apart = (
        as_ints(v, 1)[0] for v in (kernel_size, stride, padding, dilation)
    )
    found = max_pool2d_with_indices(
        input.unsqueeze(-2), (1, kernel), (1, step), (0, around), (1, apart), ceil_mode
    )
    return found[0].squeeze(-2), found[1].squeeze(-2)


@explained_function
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:  # fmt: skip
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
    check.check_tensor("avg_pool1d", input)
    stride = stride if stride is not None and as_ints(stride, 1) else kernel_size
    check.check_flag("avg_pool1d", "ceil_mode", 5, ceil_mode)
    check.check_flag("avg_pool1d", "count_include_pad", 6, count_include_pad)
    numbers = [as_ints(v, 1) for v in (kernel_size, stride, padding)]
    check.check_range("avg_pool1d", input)
    check.check_single("avg_pool1d", kernel_size=kernel_size, stride=stride, padding=padding)
    (kernel,), (step,), (around,) = numbers
    out = avg_pool2d(
        input.unsqueeze(-2), (1, kernel), (1, step), (0, around), ceil_mode, count_include_pad
    )
    return out.squeeze(-2)


for _function in (max_pool1d, max_pool1d_with_indices):
    _function.__module__ = "nbmodule"
