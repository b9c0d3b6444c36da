"""Functions for the use of modules, under PyTorch's path."""

from __future__ import annotations

from typing import Any

from ...autograd.function import Function

__all__ = ["BackwardHookFunction"]


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
