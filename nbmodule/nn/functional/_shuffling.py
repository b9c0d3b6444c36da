"""Pixel shuffling: channels become pixels and back; and channels in another order.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#vision-functions
"""

from __future__ import annotations

from typing import Any

from ..._engine import renamed
from ..._formats import RANKS, contiguous_format
from ..._functions._arguments import as_index
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops.shape import native_channel_shuffle as native
from ..._tensor import Tensor


@pytorch_errors
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Make blocks of r by r pixels of r * r channels.

    Args:
        input: (*, C * r * r, H, W)
        upscale_factor: r

    Returns:
        (*, C, H * r, W * r)

    Raises:
        RuntimeError: the channels cannot be divided by r * r.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pixel_shuffle.html and Shi et al., 2016,
        https://arxiv.org/abs/1609.05158

    Example:
        >>> import nbmodule
        >>> nbmodule.pixel_shuffle(nbmodule.arange(4.0).reshape(4, 1, 1), 2)
        tensor([[[0., 1.],
                 [2., 3.]]])
    """
    r = as_index(upscale_factor)
    if input.dim() < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    if r * r >= 2**63:
        raise ValueError(
            f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={r}"
        )
    if c % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={c} is not divisible by {r * r}"
        )
    n = len(lead)
    blocks = input.reshape(*lead, c // (r * r), r, r, h, w)
    order = (*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    out = blocks.permute(order).reshape(*lead, c // (r * r), h * r, w * r)
    return renamed(_own(out, input), "PixelShuffleBackward0")


@pytorch_errors
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Make r * r channels of blocks of r by r pixels: the inverse of `pixel_shuffle`.

    Args:
        input: (*, C, H * r, W * r)
        downscale_factor: r

    Returns:
        (*, C * r * r, H, W)

    Raises:
        RuntimeError: the height or the width cannot be divided by r.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pixel_unshuffle.html

    Example:
        >>> import nbmodule
        >>> nbmodule.pixel_unshuffle(nbmodule.arange(4.0).reshape(1, 2, 2), 2).flatten(1)
        tensor([[0.],
                [1.],
                [2.],
                [3.]])
    """
    r = as_index(downscale_factor)
    if input.dim() < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    for name, place, size in (("height", -2, h), ("width", -1, w)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({place})={size} "
                f"is not divisible by {r}"
            )
    if not input.numel():  # PyTorch leaves its shape as it is
        return renamed(input.clone(), "PixelUnshuffleBackward0")
    n = len(lead)
    blocks = input.reshape(*lead, c, h // r, r, w // r, r)
    order = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    out = blocks.permute(order).reshape(*lead, c * r * r, h // r, w // r)
    return renamed(_own(out, input), "PixelUnshuffleBackward0")


def _own(out: Tensor, input: Tensor) -> Tensor:
    """Return `out`, copied if it shows the memory of `input`; with its channels last in memory, if they are so there."""
    if not input.is_contiguous():
        for last in RANKS:
            if input.is_contiguous(memory_format=last):
                return out.clone(memory_format=last)
    return out.clone(memory_format=contiguous_format) if out._storage is input._storage else out


@pytorch_errors
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Take the channels of several groups in turn: the first of each group, then the second of each.

    Args:
        input: (N, C, *)
        groups: how many there are.

    Returns:
        (N, C, *)

    Raises:
        RuntimeError: the channels cannot be divided by `groups`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html

    Example:
        >>> import nbmodule
        >>> nbmodule.channel_shuffle(nbmodule.arange(4.0).reshape(1, 4, 1), 2).flatten()
        tensor([0., 2., 1., 3.])
    """
    return _shuffled(input, groups)


@pytorch_errors
def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Do what `channel_shuffle` does.

    Args:
        input: (N, C, *)
        groups: how many there are.

    Returns:
        (N, C, *)

    Raises:
        RuntimeError: the channels cannot be divided by `groups`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html

    Example:
        >>> import nbmodule
        >>> nbmodule.native_channel_shuffle(nbmodule.arange(6.0).reshape(1, 6, 1), 3).flatten()
        tensor([0., 2., 4., 1., 3., 5.])
    """
    return native(_shuffled(input, groups))


def _shuffled(input: Tensor, groups: Any) -> Tensor:
    g = as_index(groups)
    if input.dim() <= 2:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}"
        )
    if g <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{g}")  # fmt: skip
    n, c, *rest = input.shape
    if c % g:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {g} groups.")  # fmt: skip
    apart = input.reshape(n, g, c // g, *rest)
    out = _own(apart.transpose(1, 2).reshape(n, c, *rest), input)
    return renamed(out, "ChannelShuffleBackward0")
