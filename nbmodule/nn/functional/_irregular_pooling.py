"""Fractional max pooling, whose windows lie at random places, and max unpooling.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..._backend import device_of, move, namespace_of
from ..._device import CPU
from ..._engine import renamed, wrap
from ..._factories import rand
from ..._methods._signatures import bind_call
from ..._methods.common import kind_of, not_implemented
from ..._ops import picking
from ..._ops import pooling as p
from ..._ops.sliding import Size, as_size
from ..._tensor import Tensor
from ..common_types import _ratio_any_t, _size_any_t
from ._checks import repeated

# ---- windows at random places


def fractional_max_pool2d(input: Tensor, kernel_size: _size_any_t, output_size: _size_any_t | None = None, output_ratio: Sequence[float] | None = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:  # fmt: skip
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
        if len(output_ratio) > 2:  # type: ignore[arg-type]
            raise ValueError(
                "fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints."
            )
        output_size = _sizes_by_ratio(input, repeated(output_ratio, 2), 2)
    if _random_samples is None:
        _random_samples = _drawn(input, 2)
    places = kernel_size, output_size, _random_samples
    maxima = _fractional("fractional_max_pool2d", 2, input, *places)
    return maxima if return_indices else maxima[0]


def fractional_max_pool3d(input: Tensor, kernel_size: _size_any_t, output_size: _size_any_t | None = None, output_ratio: _ratio_any_t | None = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:  # fmt: skip
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
        output_size = _sizes_by_ratio(input, repeated(output_ratio, 3), 3)
    if _random_samples is None:
        _random_samples = _drawn(input, 3)
    places = kernel_size, output_size, _random_samples
    maxima = _fractional("fractional_max_pool3d", 3, input, *places)
    return maxima if return_indices else maxima[0]


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: _size_any_t, output_size: _size_any_t | None = None, output_ratio: Sequence[float] | None = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    given = kernel_size, output_size, output_ratio
    return fractional_max_pool2d(input, *given, True, _random_samples)


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: _size_any_t, output_size: _size_any_t | None = None, output_ratio: _ratio_any_t | None = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    given = kernel_size, output_size, output_ratio
    return fractional_max_pool3d(input, *given, True, _random_samples)


fractional_max_pool2d_with_indices.__doc__ = fractional_max_pool2d.__doc__
fractional_max_pool3d_with_indices.__doc__ = fractional_max_pool3d.__doc__


def _sizes_by_ratio(input: Tensor, ratio: tuple, dims: int) -> list[int]:
    """Return the sizes of `input`, times `ratio`."""
    return [int(input.size(axis - dims) * ratio[axis]) for axis in range(dims)]


def _drawn(input: Tensor, dims: int) -> Tensor:
    """Draw the places of windows, for each plane of `input`."""
    batch = 1 if input.dim() == dims + 1 else input.size(0)
    return rand(batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)


_AXES = {2: ("height", "width"), 3: ("time", "height", "width")}


def _fractional(name: str, dims: int, input: Tensor, kernel_size: Any, output_size: Any, samples: Tensor) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the maxima of windows whose places `samples`, (N, C, dims), say, and their numbers."""
    kernel, out = _sizes_of(name, dims, (input, kernel_size, output_size, samples))
    kind = "tuple of Ints" if dims == 2 else "tuple of three Ints"
    for what, numbers in (("kernel_size", kernel), ("output_size", out)):
        if len(numbers) != dims:
            raise RuntimeError(f"{name}: {what} must either be a single Int or {kind}")
    shown = f"{name}()" if dims == 2 else f"{name}_out()"
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{shown}: Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}"
        )
    for place in range(1, input.dim()):
        if not input.shape[place]:
            raise RuntimeError(
                f"{shown}: Expected input to have non-zero size for non-batch dimensions, but "
                f"got{list(input.shape)} with dimension {place} being empty."
            )
    size = input.shape[-dims:]
    slack = 1 if dims == 2 else 0  # PyTorch asks for one more element in three dimensions
    order = range(dims) if dims == 2 else (0, 2, 1)
    for axis in order:
        if out[axis] + kernel[axis] - 1 >= size[axis] + slack:
            word = _AXES[dims][axis]
            raise RuntimeError(
                f"{shown}: pool {word} {kernel[axis]} too large relative to input {word} {size[axis]}"
            )
    _check_samples(input, samples, dims)
    if min(out) < 0:
        negative = next(n for n in out if n < 0)
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {negative}: {[*input.shape[:-dims], *out]}"
        )
    starts = _starts(input, samples, kernel, out)
    index = p.fractional_places(input.detach(), starts, kernel=kernel)
    values = picking.pick(input, index, dims=dims)
    return renamed(values, f"FractionalMaxPool{dims}DBackward0"), index


def _sizes_of(name: str, dims: int, given: tuple[Any, ...]) -> tuple[Size, Size]:
    """Return the size of the windows and that of the result."""
    try:
        *_, kernel_size, output_size, samples = given
        if not isinstance(samples, Tensor):
            raise TypeError("random_samples must be Tensor")
        sizes = (
            n if isinstance(n, (tuple, list)) else (n,) * dims for n in (kernel_size, output_size)
        )
        kernel, out = map(as_size, sizes)
    except TypeError:
        bind_call(name, False, given, {})
        raise
    return kernel, out


def _check_samples(input: Tensor, samples: Tensor, dims: int) -> None:
    """Raise if `samples` are not (N, C, dims)."""
    if samples._array.dtype != input._array.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.dim() != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.dim()}")
    batch = 1 if input.dim() == dims + 1 else input.shape[0]
    if samples.shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != input.shape[-dims - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != dims:
        raise RuntimeError(
            f"Expect _random_samples.size(2) equals to {dims}; got {samples.shape[2]}."
        )


def _starts(input: Tensor, samples: Tensor, kernel: Size, out: Size) -> Tensor:  # fmt: skip
    """Return the number of the first element of each window: int64 in the shape of the result.

    Along an axis the windows begin at ``floor((i + u) * step) - floor(u * step)``, where u is the sample and `step`
    leads from the first window to the last, which ends where the input does.
    """
    xp = namespace_of[type(input._array)]
    dims, size = len(out), input.shape[-len(out) :]
    planes = input.shape[: input.dim() - dims]
    drawn = samples._array[: planes[0] if len(planes) == 2 else 1].reshape(*planes, dims)
    numbers: Any = xp.zeros((1,) * (len(planes) + dims), "int64")
    row = 1
    for axis in reversed(range(dims)):
        # PyTorch's samples go (width, height) for images, and (time, height, width) for volumes
        u = drawn[..., 1 - axis if dims == 2 else axis][..., None]
        last, many = size[axis] - kernel[axis], out[axis]
        along = xp.full((*planes, many), last, "int64")
        if many > 1:
            step = u.dtype.type(last) / u.dtype.type(many - 1)
            i = xp.arange(many - 1, dtype=u.dtype)
            along[..., :-1] = ((i + u) * step).astype("int64") - (u * step).astype("int64")
        shape = (*planes, *(many if a == axis else 1 for a in range(dims)))
        numbers = numbers + along.reshape(shape) * row
        row *= size[axis]
    return wrap(xp.broadcast_to(numbers, (*planes, *out)).copy())


# ---- the inverse of max pooling


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, output_size: _size_any_t | None = None) -> Tensor:  # fmt: skip
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
    return _unpool(
        "max_unpool2d", 2, input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]
    ).squeeze(-1)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, output_size: _size_any_t | None = None) -> Tensor:  # fmt: skip
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
    return _unpool("max_unpool2d", 2, input, indices, size)


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, output_size: _size_any_t | None = None) -> Tensor:  # fmt: skip
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
    return _unpool("max_unpool3d", 3, input, indices, size, steps, around)


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


def _unpool(name: str, dims: int, input: Tensor, indices: Tensor, output_size: Any, stride: Any = None, padding: Any = None) -> Tensor:  # fmt: skip
    """Return zeros with each element of `input` where `indices` say: (..., *output_size)."""
    try:
        size = as_size(output_size)
        steps = size if stride is None else as_size(stride)
        _check_unpool(name.replace("pool", "pooling"), dims, input, indices, size)
    except (TypeError, AttributeError):
        given = (input, indices, output_size) + (() if stride is None else (stride, padding))
        bind_call(name, False, given, {})
        raise
    if stride is not None and min(steps) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(steps)}")
    if math.prod(size) and input.shape[0]:
        _check_places(name, input, indices, size)
    out = picking.max_unpool(input, indices.detach(), size=size)
    return out if dims == 2 else renamed(out, "MaxUnpool3DBackward0")


def _check_unpool(name: str, dims: int, input: Tensor, indices: Tensor, size: Size) -> None:
    if indices._array.dtype != "int64":
        tail = f" but got: {kind_of(indices)}" if dims == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{tail}")
    if dims == 2 and len(size) != 2:
        raise RuntimeError(
            f"There should be exactly two elements (height, width) in output_size, but got {len(size)} elements."
        )
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Input to {name} should be a {dims + 1}d or {dims + 2}d Tensor, but got a tensor with "
            f"{input.dim()} dimensions."
        )
    if dims == 3 and len(size) != 3:
        raise RuntimeError(
            "There should be exactly three elements (depth, height, width) in output_size, but got "
            f"{len(size)} elements."
        )
    if input.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got "
            f"indices tensor with shape: {list(indices.shape)}"
        )
    for place in range(1, input.dim()):
        if not input.shape[place]:
            raise RuntimeError(
                f"{name}_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got "
                f"{list(input.shape)} with dimension {place} being empty."
            )


def _check_places(name: str, input: Tensor, indices: Tensor, size: Size) -> None:
    """Raise if PyTorch does not unpool such numbers, or an index does not lie in its plane."""
    if input._array.dtype.kind != "f":
        raise not_implemented(name, input)
    limit = math.prod(size)
    wrong = (indices._array < 0) | (indices._array >= limit)
    if indices._array.size and device_of(indices._array).type != "meta" and bool(wrong.any()):
        last = move(indices._array[wrong][-1:], CPU)
        raise RuntimeError(
            f"Found an invalid max index: {int(last[0])} (output volumes are of size {'x'.join(map(str, size))})"
        )
