"""Let the weights of convolutions lie in memory in another order."""

from __future__ import annotations

from typing import Any, TypeVar

from ..modules import conv
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

M = TypeVar("M", bound=Module)


def convert_conv2d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Bring the weights of all Conv2d and ConvTranspose2d layers in `module` into a memory format.

    The values stay; only their order in memory changes.

    Args:
        module: is changed, and returned.
        memory_format: such as ``nbmodule.channels_last``.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.convert_conv2d_weight_memory_format.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Conv2d(8, 4, 3)
        >>> layer = nbmodule.nn.utils.convert_conv2d_weight_memory_format(layer, nbmodule.channels_last)
        >>> layer.weight.shape, layer.weight.stride()
        (nbmodule.Size([4, 8, 3, 3]), (72, 1, 24, 8))
    """
    return _convert(module, memory_format, (conv.Conv2d, conv.ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Bring the weights of all Conv3d and ConvTranspose3d layers in `module` into a memory format.

    Args:
        module: is changed, and returned.
        memory_format: such as ``nbmodule.channels_last_3d``.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.convert_conv3d_weight_memory_format.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Conv3d(8, 4, 3)
        >>> layer = nbmodule.nn.utils.convert_conv3d_weight_memory_format(layer, nbmodule.channels_last_3d)
        >>> layer.weight.shape, layer.weight.stride()
        (nbmodule.Size([4, 8, 3, 3, 3]), (216, 1, 72, 24, 8))
    """
    return _convert(module, memory_format, (conv.Conv3d, conv.ConvTranspose3d))


def _convert(module: Any, memory_format: Any, kinds: tuple[type[Module], ...]) -> Any:
    if isinstance(module, kinds):
        weight: Any = module.weight
        copied = weight.detach().clone(memory_format=memory_format)
        weight.data = copied.resize_(copied.size(), memory_format=memory_format)
    for child in module.children():
        _convert(child, memory_format, kinds)
    return module
