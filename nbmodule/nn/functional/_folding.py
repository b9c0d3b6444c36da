"""Windows of images as columns, and columns as images.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#vision-functions
"""

from __future__ import annotations

import math
from typing import Any

from ..._methods.common import not_implemented
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import folding as f
from ..._ops.sliding import as_size, output_size
from ..._tensor import Tensor
from ..common_types import _size_any_t
from ._checks import repeated


def unfold(input: Tensor, kernel_size: _size_any_t, dilation: _size_any_t = 1, padding: _size_any_t = 0, stride: _size_any_t = 1) -> Tensor:  # fmt: skip
    """Lay out what each window of an image sees as a column (im2col).

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        dilation: the distance between the pixels of a window.
        padding: zeros around the image.
        stride: the distance between windows.

    Returns:
        (N, C * kh * kw, L) or (C * kh * kw, L), where L is the number of windows.

    Raises:
        RuntimeError: no window fits, or a size is not positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.unfold.html

    Example:
        >>> import nbmodule
        >>> image = nbmodule.arange(6.0).reshape(1, 2, 3)
        >>> nbmodule.nn.functional.unfold(image, (2, 2))  # the first column holds 0, 1, 3, 4
        tensor([[0., 1.],
                [1., 2.],
                [3., 4.],
                [4., 5.]])
    """
    return im2col(input, *(repeated(n, 2) for n in (kernel_size, dilation, padding, stride)))


def fold(input: Tensor, output_size: _size_any_t, kernel_size: _size_any_t, dilation: _size_any_t = 1, padding: _size_any_t = 0, stride: _size_any_t = 1) -> Tensor:  # fmt: skip
    """Put columns back to where `unfold` took them from, and add up where windows overlap (col2im).

    Args:
        input: (N, C * kh * kw, L) or (C * kh * kw, L), where L is the number of windows.
        output_size: the size of the image, one number or (height, width).
        kernel_size: the size of the windows, likewise.
        dilation: as for `unfold`; likewise the next two.
        padding: zeros that were around the image.
        stride: the distance between windows.

    Returns:
        (N, C, height, width) or (C, height, width)

    Raises:
        RuntimeError: the number of columns or of their elements does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fold.html

    Example:
        >>> import nbmodule
        >>> F = nbmodule.nn.functional
        >>> F.fold(F.unfold(nbmodule.ones(1, 3, 3), 2), 3, 2)  # how many windows see each pixel
        tensor([[[1., 2., 1.],
                 [2., 4., 2.],
                 [1., 2., 1.]]])
    """
    sizes = (output_size, kernel_size, dilation, padding, stride)
    return col2im(input, *(repeated(n, 2) for n in sizes))


@pytorch_errors
def im2col(input: Tensor, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """Return windows as columns; every size is a pair."""
    where = _sizes(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    kernel, steps, around, strides = where
    _check_positive(kernel, steps, around, strides)
    if input.dim() < 3:
        reach = max(input.dim(), 1)
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{reach}, {reach - 1}], but got {input.dim()})"
        )
    if input.dim() > 4 or not all(input.shape[1:]) or (input.dim() == 3 and not input.shape[0]):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(input.shape)}"
        )
    size = tuple(input.shape[-2:])
    blocks = _blocks(size, kernel, steps, around, strides)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {size}, kernel_size={kernel}, dilation={steps}, padding={around}, "
            f"calculated shape of the array of sliding blocks as {blocks}, but its components must be at least "
            "one."
        )
    if input._array.dtype.kind in "iu":
        raise not_implemented("im2col_out_cpu", input)
    return f.im2col(input, kernel=kernel, stride=strides, padding=around, dilation=steps)


@pytorch_errors
def col2im(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:  # fmt: skip
    """Return columns as an image; every size is a pair."""
    size, kernel, steps, around, strides = _sizes(
        output_size=output_size,
        kernel_size=kernel_size,
        dilation=dilation,
        padding=padding,
        stride=stride,
    )
    _check_positive(kernel, steps, around, strides)
    shape = list(input.shape)
    if len(shape) not in (2, 3) or not all(shape[-2:]):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
            f"for input, but got: {shape}"
        )
    if math.prod(kernel) >= 2**63:
        raise RuntimeError(
            f"Given kernel_width = {kernel[1]} and kernel_height = {kernel[0]} the product of kernel_width and "
            "kernel_height overflowed."
        )
    if shape[-2] % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={kernel}."
        )
    rows, columns = _blocks(size, kernel, steps, around, strides)
    if shape[-1] != rows * columns:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={steps}, padding={around}, "
            f"stride={strides}, expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {rows} * {columns} = {rows * columns}, but got input.size(2)={shape[-1]}."
        )
    if min(rows, columns) < 1:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={steps}, padding={around}, "
            f"stride={strides}, calculated shape of the array of sliding blocks as {(rows, columns)}, which is too "
            "small (non-positive)"
        )
    if min(size) < 1:
        raise RuntimeError(
            "Expected output spatial size to be positive, but got: output_size=" + str(size)
        )
    if input._array.dtype.kind in "iu":
        raise not_implemented("col2im_out_cpu", input)
    where = {"stride": strides, "padding": around, "dilation": steps}
    return f.col2im(input, size=size, kernel=kernel, **where)


def _sizes(**given: Any) -> list[tuple[int, int]]:
    pairs = []
    for name, value in given.items():
        pair = as_size(value)
        if len(pair) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
        pairs.append((pair[0], pair[1]))
    return pairs


def _blocks(size: tuple[int, ...], kernel: tuple[int, int], dilation: tuple[int, int], padding: tuple[int, int], stride: tuple[int, int]) -> tuple[int, int]:  # fmt: skip
    room = (size[0] + 2 * padding[0], size[1] + 2 * padding[1])
    rows, columns = output_size(room, kernel, stride, dilation)
    return rows, columns


def _check_positive(kernel: tuple[int, int], dilation: tuple[int, int], padding: tuple[int, int], stride: tuple[int, int]) -> None:  # fmt: skip
    for name, short, pair in (
        ("kernel size", "kernel", kernel),
        ("dilation", "dilation", dilation),
        ("padding", "pad", padding),
        ("stride", "stride", stride),
    ):
        least, wish = (0, "non-negative") if short == "pad" else (1, "greater than zero")
        if min(pair) < least:
            raise RuntimeError(
                f"{name} should be {wish}, but got {short}_height: {pair[0]} {short}_width: {pair[1]}"
            )
