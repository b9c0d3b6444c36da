"""Functions for the use of modules, under PyTorch's path."""

from __future__ import annotations

from typing import Any

from ..._functions.elementwise import mul
from ...autograd.function import Function

__all__ = ["BackwardHookFunction", "CrossMapLRN2d"]


class CrossMapLRN2d(Function):
    """The computation of the layer of this name: ``x * scale**-beta``, where `scale` sums squares of neighbours.

    The window grows and shrinks from channel to channel. As in PyTorch the first channel never leaves it, and
    `backward` takes no notice of that.
    """

    @staticmethod
    def forward(ctx: Any, input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> Any:  # fmt: skip
        """Return the normalised images (N, C, H, W)."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        share, squares, channels = alpha / size, input * input, input.size(1)
        reach = int((size - 1) / 2 + 1)
        steps = squares.new_zeros(squares.shape)  # by how much the window grows at each channel
        steps[:, 0] = squares[:, :reach].sum(1)
        if channels > reach:
            steps[:, 1 : channels - reach + 1] += squares[:, reach:]
            steps[:, reach + 1 :] -= squares[:, 1 : channels - reach]
        ctx.size, ctx.alpha, ctx.beta, ctx.k = size, alpha, beta, k
        ctx.scale = steps.cumsum(1, dtype=input.dtype).mul_(share).add_(k)
        output = ctx.scale.pow(-beta) * input
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradient for the images."""
        (grad_output,), (input, output) = grad_outputs, ctx.saved_tensors
        n, channels, h, w = input.shape
        ratio = input.new_zeros(n, channels + ctx.size - 1, h, w)
        own = ratio.narrow(1, int(ctx.size - (ctx.size - 1) / 2), channels)
        multiply: Any = mul  # with `out` it refuses to be recorded, as in PyTorch
        multiply(grad_output, output, out=own)
        own.div_(ctx.scale)
        sums = input.new_zeros(n, channels + ctx.size, h, w)
        sums[:, 1:] = ratio.cumsum(1)
        near = sums[:, ctx.size :] - sums[:, :channels]
        slope = 2 * ctx.alpha * ctx.beta / ctx.size
        return ctx.scale.pow(-ctx.beta) * grad_output - slope * input * near, None, None, None, None


class BackwardHookFunction(Function):
    """Passes tensors on as they are: one node of the graph, on which hooks see all their gradients."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Return `args`."""
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Return the gradients."""
        return args
