"""Padding: a number, the mirror image, the edge or the other end around a tensor.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._data import fill_number
from ..._engine import renamed
from ..._errors import OVERLAP
from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import padding as p
from ..._ops import shape as s
from ..._ops.sliding import as_size
from ..._tensor import Tensor

Widths = list[tuple[int, int]]
"""(before, after) for each of the last dimensions, the outermost first."""


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:  # fmt: skip
    """Put something around a tensor.

    Args:
        input: (*); for modes other than "constant" (N, C, *size) or (C, *size).
        pad: (before, after) for the last dimension, then for the one before it, and so on; negative ones crop.
            The modes other than "constant" pad exactly one, two or three dimensions, behind N and C.
        mode: "constant" puts `value` there, "reflect" the mirror image without its edge, "replicate" the edge,
            "circular" what lies at the other end.
        value: for "constant" only; 0 when left out.

    Returns:
        (*, padded sizes)

    Raises:
        RuntimeError: the widths do not fit the shape.
        NotImplementedError: an unknown mode, or another number of dimensions than the mode pads.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html

    Example:
        >>> import nbmodule
        >>> x, pad = nbmodule.tensor([[1.0, 2.0, 3.0]]), nbmodule.nn.functional.pad
        >>> for mode in ("constant", "reflect", "replicate", "circular"):
        ...     print(pad(x, (2, 1), mode).tolist())
        [[0.0, 0.0, 1.0, 2.0, 3.0, 0.0]]
        [[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]]
        [[1.0, 1.0, 1.0, 2.0, 3.0, 3.0]]
        [[2.0, 3.0, 1.0, 2.0, 3.0, 1.0]]
    """
    try:
        return _padded(input, pad, mode, value)
    except Exception:  # PyTorch looks at the types of all arguments first
        bind_call("pad", False, (input, pad, mode, value), {})
        raise


@pytorch_errors
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Put a number around a tensor: `nbmodule.nn.functional.pad` without its other modes.

    Args:
        input: of any shape.
        pad: (before, after) for the last dimension, then for the one before it, and so on; negative ones crop.
        value: what to put there.

    Returns:
        a new tensor

    Raises:
        RuntimeError: an odd number of widths, more than there are dimensions, or nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html

    Example:
        >>> import nbmodule
        >>> nbmodule.constant_pad_nd(nbmodule.ones(2, 2), (1, 0, 0, 1), 7)
        tensor([[7., 1., 1.],
                [7., 1., 1.],
                [7., 7., 7.]])
    """
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {input.dim()}dimensions."
        )
    return constant_pad(input, as_size(pad), value)


constant_pad_nd.__module__ = "nbmodule"


def _padded(input: Tensor, pad: Sequence[int], mode: str, value: float | None) -> Tensor:
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(
            f"Unrecognised padding mode {mode}\nIt is one of 'constant', 'reflect', 'replicate' and 'circular'."
        )
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {input.dim()}"
        )
    amounts = as_size(pad)
    if mode == "constant":
        return constant_pad(input, amounts, 0.0 if value is None else float(value))
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if input.dim() not in {2: (2, 3), 4: (3, 4), 6: (4, 5)}.get(len(amounts), ()):
        raise NotImplementedError(
            f"Padding size {len(amounts)} is not supported for {input.dim()}D input tensor.\n{_COMBINATIONS}"
        )
    return edge_pad(input, amounts, mode)


_COMBINATIONS = """Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


def constant_pad(input: Tensor, pad: Sequence[int], value: Any) -> Tensor:
    """Put the number `value` around `input`."""
    widths = _outermost_first(pad)
    if any(n + min(a, 0) + min(b, 0) < 0 for n, (a, b) in zip(input.shape[input.dim() - len(widths) :], widths, strict=True)):  # fmt: skip
        raise RuntimeError(
            "narrow(): length must be non-negative.\nThe negative widths take more away than there is: "
            f"{list(pad)} of {list(input.shape)}."
        )
    if all(
        n <= 0 for n in pad
    ):  # nothing is put anywhere: whatever `value` is, and as it lies in memory
        value = 0
        if not any(pad):
            return renamed(input.clone(), "ConstantPadNdBackward0")
    filler = fill_number(value, input.dtype)
    others = [(0, 0)] * (input.dim() - len(widths))
    return s.pad(input, widths=[*others, *widths], value=filler)


def edge_pad(input: Tensor, pad: Sequence[int], mode: str) -> Tensor:
    """Put what `input` itself holds around its last dimensions."""
    widths = _outermost_first(pad)
    axes = len(widths)
    old = input.shape[-axes:]
    size = tuple(n + a + b for n, (a, b) in zip(old, widths, strict=True))
    if mode == "circular":
        _check_circular(old, widths)
    else:
        _check_edges(input, size, widths, mode)
    runs = tuple(p.runs_along(n, a, b, mode) for n, (a, b) in zip(old, widths, strict=True))
    names = {"reflect": "ReflectionPad", "replicate": "ReplicationPad"}
    name = f"{names[mode]}{axes}DBackward0" if mode in names else "CopySlices"
    return renamed(p.edge_pad(input, runs=runs, size=size), name)


def _outermost_first(pad: Sequence[int]) -> Widths:
    pairs = list(zip(pad[::2], pad[1::2], strict=True))
    return pairs[::-1]


def _check_circular(old: Sequence[int], widths: Widths) -> None:
    for n, (a, b) in zip(old, widths, strict=True):
        if a > n or b > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if n + a + b < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    for n, (a, b) in zip(old, widths, strict=True):
        left = n + min(a, 0) + min(b, 0)  # one end may be cropped away that the other one asks for
        if max(a, b) > left:
            raise RuntimeError(OVERLAP)


def _check_edges(input: Tensor, size: Sequence[int], widths: Widths, mode: str) -> None:
    axes, dims, shape = len(size), input.dim(), list(input.shape)
    if not all(shape[1:]) or (dims == axes + 1 and not shape[0]):
        raise RuntimeError(
            f"Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {shape}"
        )
    if mode == "reflect":
        for place in range(1, axes + 1):  # the last dimension is looked at first
            n, (a, b) = shape[-place], widths[-place]
            if a >= n or b >= n:
                raise RuntimeError(
                    f"Argument #{2 * place + 2}: Padding size should be less than the corresponding input "
                    f"dimension, but got: padding ({a}, {b}) at dimension {dims - place} of input {shape}"
                )
    names = ("D", "H", "W")[-axes:]
    if max(size) < 1:
        given = ", ".join(f"{x}: {n}" for x, n in zip(names, shape[-axes:], strict=True))
        given = given.replace(", H", " H")  # PyTorch's commas and blanks
        given += " " if (mode, axes) == ("replicate", 2) else ""
        after = " ".join(f"{x}: {n}" for x, n in zip(names, size, strict=True))
        raise RuntimeError(f"input ({given}) is too small. Calculated output {after}")
    if min(size) < 0:
        full = [*shape[:-axes], *size]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {full}")
    if input._array.dtype.kind == "b":
        kernel = {"reflect": "reflection", "replicate": "replication"}[mode]
        raise not_implemented(f"{kernel}_pad{axes}d", input)
