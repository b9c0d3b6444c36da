"""What pooling asks of its arguments, in the order and the words of PyTorch.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from typing import Any

from ...._errors import not_a_tensor
from ...._tensor import Tensor
from .._checks import as_ints

COUNTS = {1: "one int", 2: "two ints", 3: "three ints"}
_LETTERS = {2: "HW", 3: "THW"}


def spread_out(function: str, name: str, value: Any, dims: int, wording: str) -> tuple[int, ...]:
    """Return `value` as one number for each axis; `wording` says what is taken."""
    numbers = as_ints(value, dims)
    if len(numbers) not in (1, dims):
        raise RuntimeError(f"{function}: {name} must {wording}, or a tuple of {COUNTS[dims]}")
    if any(abs(n) >= 2**31 for n in numbers):
        raise RuntimeError("value cannot be converted to type int without overflow")
    if len(numbers) == dims:
        return numbers
    return numbers * dims


def check_tensor(function: str, input: Any) -> None:
    """Raise if `input` is no tensor."""
    if not isinstance(input, Tensor):
        raise not_a_tensor(function, "input", 1, input)


def check_flag(function: str, name: str, position: int, value: Any) -> None:
    """Raise if `value` is neither True nor False."""
    if value is not True and value is not False:
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be bool, not {type(value).__name__}"
        )


def check_range(function: str, input: Tensor) -> None:
    """Raise if `input` is not (N, C, L) or (C, L)."""
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {function})"
        )


def check_single(function: str, **arguments: Any) -> None:
    """Raise if one of `arguments` has another number of elements than one."""
    for name, value in arguments.items():
        numbers = as_ints(value, 1)
        if len(numbers) != 1:
            raise RuntimeError(
                f"{function}() argument '{name}' should contain one int (got {len(numbers)})"
            )


def count(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
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
    found = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    # the last window must begin inside the image or the padding before it
    return found - 1 if ceil_mode and (found - 1) * stride >= size + padding else found


def check_positive(kernel: Any, stride: Any, dilation: Any) -> None:
    """Raise if a number for an axis is not positive."""
    letters = _LETTERS[len(kernel)]
    for what, prefix, numbers in (
        ("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation),
    ):  # fmt: skip
        if min(numbers) <= 0:
            shown = " ".join(f"{prefix}{a}: {n}" for a, n in zip(letters, numbers, strict=True))
            raise RuntimeError(f"{what} should be greater than zero, but got {shown}")


def check_images(shape: tuple[int, ...]) -> None:
    """Raise if `shape` is not (N, C, H, W) or (C, H, W), where only N may be 0."""
    if len(shape) not in (3, 4) or not all(shape[len(shape) - 3 :]):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )


def check_volumes(shape: tuple[int, ...], kernel_function: str) -> None:
    """Raise if a size in `shape`, (N, C, T, H, W) or (C, T, H, W), is 0; N may be."""
    if not all(shape[len(shape) - 4 :]):
        raise RuntimeError(
            f"{kernel_function}: Expected input's non-batch dimensions to have positive length, but input "
            f"has a shape of {list(shape)} and non-batch dimension 0 has length zero!"
        )


def check_counts(shape: tuple[int, ...], counts: tuple[int, ...]) -> None:
    """Raise if there is no window along an axis."""
    if min(counts) < 1:
        before = shape[len(shape) - len(counts) - 1 :]
        after = (before[0], *counts)
        raise RuntimeError(
            f"Given input size: ({'x'.join(map(str, before))}). Calculated output size: "
            f"({'x'.join(map(str, after))}). Output size is too small"
        )


def not_implemented(kernel_function: str, input: Tensor) -> NotImplementedError:
    """Return the error for a type of numbers that PyTorch's function on the CPU does not take."""
    return NotImplementedError(
        f"\"{kernel_function}\" not implemented for '{input.dtype.scalar_name}'"
    )
