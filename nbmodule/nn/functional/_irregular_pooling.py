"""Pooling over windows at random places, and the inverse of max pooling.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from typing import Any

from ..._factories import rand
from ..._tensor import Tensor
from ._checks import repeated
from ._native import irregular_pooling as native
from ._pooling import either

# ---- windows at random places


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest elements of windows whose distances are random.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        output_size: (height, width) of the result, or one number for both.
        output_ratio: in its place, the size of the result as a part of that of the image: two numbers in (0, 1).
        return_indices: return also the number of each maximum in the (H, W) plane.
        _random_samples: (N, C, 2), where the windows lie; by default drawn from [0, 1).

    Returns:
        (N, C, height, width) or (C, height, width), twice where indices are asked for.

    Raises:
        ValueError: neither `output_size` nor `output_ratio` is given.
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fractional_max_pool2d.html and
        Graham, "Fractional Max-Pooling", 2014, https://arxiv.org/abs/1412.6071

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(25.0).reshape(1, 5, 5)
        >>> u = nbmodule.tensor([[[0.5, 0.5]]])
        >>> nbmodule.nn.functional.fractional_max_pool2d(x, 2, output_size=3, _random_samples=u)
        tensor([[[ 6.,  8.,  9.],
                 [16., 18., 19.],
                 [21., 23., 24.]]])
    """
    if output_size is None and output_ratio is None:
        raise ValueError(
            "fractional_max_pool2d requires specifying either an output_size or an output_ratio"
        )
    if output_size is None:
        if len(output_ratio) > 2:
            raise ValueError(
                "fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints."
            )
        output_size = _parts(input, repeated(output_ratio, 2), 2)
    if _random_samples is None:
        _random_samples = _drawn(input, 2)
    return native.fractional_max_pool2d(input, kernel_size, output_size, _random_samples)


def _parts(input: Tensor, ratio: tuple, dims: int) -> list[int]:
    """Return the sizes of `input`, times `ratio`."""
    return [int(input.size(axis - dims) * ratio[axis]) for axis in range(dims)]


def _drawn(input: Tensor, dims: int) -> Tensor:
    """Draw the places of windows, for each plane of `input`."""
    batch = 1 if input.dim() == dims + 1 else input.size(0)
    return rand(batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)


def _fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Tensor:  # fmt: skip
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest elements of windows over a volume, whose distances are random.

    Args:
        input: (N, C, T, H, W) or (C, T, H, W)
        kernel_size: the size of the windows, one number or (time, height, width).
        output_size: the size of the result, one number or three.
        output_ratio: in its place, the size of the result as a part of that of the input.
        return_indices: return also the number of each maximum in the (T, H, W) volume.
        _random_samples: (N, C, 3), where the windows lie; by default drawn from [0, 1).

    Returns:
        (N, C, ot, oh, ow) or (C, ot, oh, ow), twice where indices are asked for.

    Raises:
        ValueError: neither `output_size` nor `output_ratio` is given.
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fractional_max_pool3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.zeros(2, 8, 8, 8)
        >>> nbmodule.nn.functional.fractional_max_pool3d(x, 2, output_ratio=0.5).shape
        nbmodule.Size([2, 4, 4, 4])
    """
    if output_size is None and output_ratio is None:
        raise ValueError(
            "fractional_max_pool3d requires specifying either an output_size or an output_ratio"
        )
    if output_size is None:
        output_size = _parts(input, repeated(output_ratio, 3), 3)
    if _random_samples is None:
        _random_samples = _drawn(input, 3)
    return native.fractional_max_pool3d(input, kernel_size, output_size, _random_samples)


def _fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Tensor:  # fmt: skip
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


fractional_max_pool2d = either(fractional_max_pool2d_with_indices, _fractional_max_pool2d, 4)
fractional_max_pool3d = either(fractional_max_pool3d_with_indices, _fractional_max_pool3d, 4)


# ---- the inverse of max pooling


def _check_unpool_output_size(output_size: Any, dim: int) -> None:
    if output_size[dim] < 0:
        raise ValueError(
            "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
            f"output_size[{dim}]={output_size[dim]}"
        )


def _unpool_output_size(input: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any) -> Any:  # fmt: skip
    """Return the size that max pooling made `input` from, or `output_size` if it may have been that."""
    sizes, dims = input.size(), len(kernel_size)
    usual = [
        (sizes[d - dims] - 1) * stride[d] + kernel_size[d] - 2 * padding[d] for d in range(dims)
    ]
    if output_size is None:
        output_size = usual
    else:
        if len(output_size) == dims + 2:
            output_size = output_size[2:]
        if len(output_size) != dims:
            raise ValueError(
                f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length "
                f"of '{len(output_size)}'"
            )
        for d in range(dims):
            low, high = usual[d] - stride[d], usual[d] + stride[d]
            if not low < output_size[d] < high:
                raise ValueError(
                    f'invalid output_size "{output_size}" (dim {d} must be between {low} and {high})'
                )
    for d in range(dims):
        _check_unpool_output_size(output_size, d)
    return output_size


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:  # fmt: skip
    """Put maxima back to where `max_pool1d` found them, and zeros elsewhere.

    Args:
        input: (N, C, L) or (C, L), maxima.
        indices: their places, of the same shape.
        kernel_size: of the pooling.
        stride: of the pooling; by default `kernel_size`.
        padding: of the pooling.
        output_size: the length before the pooling, where several are possible.

    Returns:
        (N, C, ol) or (C, ol), with ``ol = (L - 1) * stride + kernel_size - 2 * padding`` unless `output_size` says it.

    Raises:
        ValueError: `output_size` is not possible.
        RuntimeError: an index lies outside.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool1d.html

    Example:
        >>> import nbmodule
        >>> maxima, places = nbmodule.max_pool1d_with_indices(nbmodule.tensor([[1.0, 4.0, 3.0, 2.0]]), 2)
        >>> nbmodule.nn.functional.max_unpool1d(maxima, places, 2)
        tensor([[0., 4., 3., 0.]])
    """
    kernel_size = repeated(kernel_size, 1)
    steps = kernel_size if stride is None else repeated(stride, 1)
    size = _unpool_output_size(input, kernel_size, steps, repeated(padding, 1), output_size)
    return native.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:  # fmt: skip
    """Put maxima back to where `max_pool2d` found them, and zeros elsewhere.

    Args:
        input: (N, C, H, W) or (C, H, W), maxima.
        indices: their numbers in the plane, of the same shape.
        kernel_size: of the pooling, one number or (height, width).
        stride: of the pooling; by default `kernel_size`.
        padding: of the pooling.
        output_size: the size before the pooling, where several are possible.

    Returns:
        (N, C, oh, ow) or (C, oh, ow), with ``oh = (H - 1) * stride + kernel_size - 2 * padding`` unless `output_size` says it.

    Raises:
        ValueError: `output_size` is not possible.
        RuntimeError: an index lies outside.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool2d.html

    Example:
        >>> import nbmodule
        >>> F = nbmodule.nn.functional
        >>> maxima, places = F.max_pool2d(nbmodule.arange(4.0).reshape(1, 2, 2), 2, return_indices=True)
        >>> F.max_unpool2d(maxima, places, 2)
        tensor([[[0., 0.],
                 [0., 3.]]])
    """
    kernel_size = repeated(kernel_size, 2)
    steps = kernel_size if stride is None else repeated(stride, 2)
    size = _unpool_output_size(input, kernel_size, steps, repeated(padding, 2), output_size)
    return native.max_unpool2d(input, indices, size)


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:  # fmt: skip
    """Put maxima back to where `max_pool3d` found them, and zeros elsewhere.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W), maxima.
        indices: their numbers in the volume, of the same shape.
        kernel_size: of the pooling, and so are the others; see `max_unpool2d`.
        stride: by default `kernel_size`.
        padding: of the pooling.
        output_size: the size before the pooling, where several are possible.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow)

    Raises:
        ValueError: `output_size` is not possible.
        RuntimeError: an index lies outside.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool3d.html

    Example:
        >>> import nbmodule
        >>> F = nbmodule.nn.functional
        >>> maxima, places = F.max_pool3d(nbmodule.arange(8.0).reshape(1, 2, 2, 2), 2, return_indices=True)
        >>> F.max_unpool3d(maxima, places, 2).sum()
        tensor(7.)
    """
    kernel_size = repeated(kernel_size, 3)
    steps = kernel_size if stride is None else repeated(stride, 3)
    around = repeated(padding, 3)
    size = _unpool_output_size(input, kernel_size, steps, around, output_size)
    return native.max_unpool3d(input, indices, size, steps, around)
