"""A layer that puts channels in another order.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Takes the channels of several groups in turn: the first of each group, then the second of each.

    Args:
        groups: how many groups there are.

    Shape:
        (N, C, *) -> (N, C, *)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html and Zhang et al., "ShuffleNet",
        2017, https://arxiv.org/abs/1707.01083

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.ChannelShuffle(2)(nbmodule.arange(4.0).reshape(1, 4, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its channels in another order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the number of groups."""
        return f"groups={self.groups}"
