"""Pooling over windows at random places, and the inverse of max pooling: the builtin functions.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

import math
from typing import Any

from ...._backend import device_of, move, namespace_of
from ...._device import CPU
from ...._engine import renamed, wrap
from ...._functions._wrap import explained_function
from ...._ops import picking
from ...._ops import pooling as p
from ...._tensor import Tensor
from .._checks import as_ints
from . import pool_checks as check

_AXES = {2: ("height", "width"), 3: ("time", "height", "width")}


@explained_function
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any, random_samples: Tensor) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the maxima of windows whose places `random_samples`, (N, C, 2), say, and their numbers."""
    return _fractional("fractional_max_pool2d", input, kernel_size, output_size, random_samples, 2)


@explained_function
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any, random_samples: Tensor) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the maxima of windows whose places `random_samples`, (N, C, 3), say, and their numbers."""
    return _fractional("fractional_max_pool3d", input, kernel_size, output_size, random_samples, 3)


def _fractional(name: str, input: Any, kernel_size: Any, output_size: Any, samples: Any, dims: int) -> tuple[Tensor, Tensor]:  # fmt: skip
    check.check_tensor(name, input)
    kernel, out = as_ints(kernel_size, dims), as_ints(output_size, dims)
    if not isinstance(samples, Tensor):
        raise TypeError("random_samples must be Tensor")
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
        found = next(n for n in out if n < 0)
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {found}: {[*input.shape[:-dims], *out]}"
        )
    starts = _starts(input, samples, kernel, out)
    index = p.fractional_places(input.detach(), starts, kernel=kernel)
    values = picking.pick(input, index, dims=dims)
    return renamed(values, f"FractionalMaxPool{dims}DBackward0"), index


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


def _starts(input: Tensor, samples: Tensor, kernel: tuple[int, ...], out: tuple[int, ...]) -> Tensor:  # fmt: skip
    """Return the number of the first element of each window: int64 in the shape of the result.

    Along an axis the windows begin at ``floor((i + u) * step) - floor(u * step)``, where u is the sample and `step`
    leads from the first window to the last, which ends where the input does.
    """
    xp = namespace_of[type(input._array)]
    dims, size = len(out), input.shape[-len(out) :]
    planes = input.shape[: input.dim() - dims]
    drawn = samples._array[: planes[0] if len(planes) == 2 else 1].reshape(*planes, dims)
    found: Any = xp.zeros((1,) * (len(planes) + dims), "int64")
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
        found = found + along.reshape(shape) * row
        row *= size[axis]
    return wrap(xp.broadcast_to(found, (*planes, *out)).copy())


@explained_function
def max_unpool2d(input: Tensor, indices: Tensor, output_size: Any) -> Tensor:
    """Return images of zeros with each element of `input` where `indices` say: (..., *output_size)."""
    return _unpool("max_unpool2d", "max_unpooling2d", input, indices, as_ints(output_size, 2))


@explained_function
def max_unpool3d(input: Tensor, indices: Tensor, output_size: Any, stride: Any, padding: Any) -> Tensor:  # fmt: skip
    """Return volumes of zeros with each element of `input` where `indices` say: (..., *output_size)."""
    size = as_ints(output_size, 3)
    steps = as_ints(stride, 3)
    if len(size) == len(steps) == 3 and min(steps) <= 0:
        _check_unpool("max_unpooling3d", input, indices, size)
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(steps)}")
    return _unpool("max_unpool3d", "max_unpooling3d", input, indices, size)


def _check_unpool(name: str, input: Any, indices: Any, size: tuple[int, ...]) -> None:
    check.check_tensor(name.replace("unpooling", "unpool"), input)
    if not isinstance(indices, Tensor):
        raise TypeError("indices must be Tensor")
    dims = 2 if name.endswith("2d") else 3
    found = indices.dtype
    if found.scalar_name != "Long":
        tail = f" but got: {found.scalar_name}" if dims == 2 else ""
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


def _unpool(name: str, shown: str, input: Tensor, indices: Tensor, size: tuple[int, ...]) -> Tensor:
    _check_unpool(shown, input, indices, size)
    if math.prod(size) and input.shape[0]:
        _check_places(name, input, indices, size)
    out = picking.max_unpool(input, indices.detach(), size=size)
    return out if len(size) == 2 else renamed(out, "MaxUnpool3DBackward0")


def _check_places(name: str, input: Tensor, indices: Tensor, size: tuple[int, ...]) -> None:
    """Raise if PyTorch does not unpool such numbers, or an index does not lie in its plane."""
    if input._array.dtype.kind != "f":
        raise check.not_implemented(name, input)
    limit = math.prod(size)
    wrong = (indices._array < 0) | (indices._array >= limit)
    if indices._array.size and device_of(indices._array).type != "meta" and bool(wrong.any()):
        last = move(indices._array[wrong][-1:], CPU)
        raise RuntimeError(
            f"Found an invalid max index: {int(last[0])} (output volumes are of size {'x'.join(map(str, size))})"
        )
