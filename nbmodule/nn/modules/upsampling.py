"""Layers that resize signals, images and volumes.

Source: https://docs.pytorch.org/docs/stable/nn.html#vision-layers
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _ratio_2_t, _ratio_any_t, _size_2_t, _size_any_t
from .module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Resizes signals, images or volumes, as `nbmodule.nn.functional.interpolate` does.

    Args:
        size: of the result, one number or one for each axis.
        scale_factor: in its place, how much longer the axes get.
        mode: "nearest", "linear", "bilinear", "bicubic" or "trilinear".
        align_corners: whether the centres of the first and the last elements stay where they are.
        recompute_scale_factor: compute the scale from the rounded size of the result.

    Shape:
        (N, C, L), (N, C, H, W) or (N, C, D, H, W) -> (N, C, *size), where a size n becomes
        ``floor(n * scale_factor)`` unless given.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Upsample.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Upsample(scale_factor=2, mode="bilinear")(nbmodule.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1.0000, 1.2500, 1.7500, 2.0000],
                  [1.0000, 1.2500, 1.7500, 2.0000]]]])
    """

    __constants__ = [
        "size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor",
    ]  # fmt: skip
    name: str
    size: _size_any_t | None
    scale_factor: _ratio_any_t | None
    mode: str
    align_corners: bool | None
    recompute_scale_factor: bool | None

    def __init__(self, size: _size_any_t | None = None, scale_factor: _ratio_any_t | None = None, mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> None:  # fmt: skip
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None  # type: ignore[arg-type]
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the resized input."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, recompute_scale_factor=self.recompute_scale_factor)  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "recompute_scale_factor" not in state:
            state["recompute_scale_factor"] = True  # as it was before the argument existed
        super().__setstate__(state)

    def extra_repr(self) -> str:
        """Return the scale, or else the size, and the mode."""
        given = (
            f"scale_factor={self.scale_factor!r}"
            if self.scale_factor is not None
            else f"size={self.size!r}"
        )
        return f"{given}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Makes images larger by repeating pixels; `Upsample` with the mode "nearest".

    Args:
        size: of the result, one number or (height, width).
        scale_factor: in its place, how much higher and wider the image gets.

    Shape:
        (N, C, H, W) -> (N, C, height, width)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.UpsamplingNearest2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.UpsamplingNearest2d(scale_factor=2)(nbmodule.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1., 1., 2., 2.],
                  [1., 1., 2., 2.]]]])
    """

    def __init__(self, size: _size_2_t | None = None, scale_factor: _ratio_2_t | None = None) -> None:  # fmt: skip
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Makes images larger by mixing neighbours; `Upsample` with "bilinear" and `align_corners`.

    Args:
        size: of the result, one number or (height, width).
        scale_factor: in its place, how much higher and wider the image gets.

    Shape:
        (N, C, H, W) -> (N, C, height, width)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.UpsamplingBilinear2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.UpsamplingBilinear2d(size=(1, 3))(nbmodule.tensor([[[[0.0, 2.0]]]]))
        tensor([[[[0., 1., 2.]]]])
    """

    def __init__(self, size: _size_2_t | None = None, scale_factor: _ratio_2_t | None = None) -> None:  # fmt: skip
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
