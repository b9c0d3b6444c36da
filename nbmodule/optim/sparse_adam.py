"""SparseAdam: Adam for gradients that are stored sparsely, which there are none of here.

Source: Kingma and Ba, https://arxiv.org/abs/1412.6980
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd import no_grad
from ._checks import check_betas
from ._steps import loss_of, with_gradient
from .optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """`Adam` that changes only the rows to which a sparse gradient has come; it refuses dense ones.

    All gradients of nbmodule are dense, those of ``nn.Embedding(sparse=True)``, too. The class is here so that
    a program says what PyTorch says to dense gradients. `Adam` does the work.

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element; more than 0.
        betas: how slowly the mean of the gradients, and that of their squares, forget.
        eps: keeps the division away from 0; more than 0.
        maximize: climb instead.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.SparseAdam.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.ones(2, requires_grad=True)
        >>> optimizer = nbmodule.optim.SparseAdam([p])
        >>> p.sum().backward()
        >>> optimizer.step()
        Traceback (most recent call last):
        RuntimeError: SparseAdam does not support dense gradients, please consider Adam instead
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, maximize: bool = False) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:  # noqa: SIM300 - PyTorch's order: the error of a wrong type names it
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:  # noqa: SIM300
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Refuse the dense gradients, if there are any.

        Args:
            closure: computes the loss again and returns it.

        Returns:
            What `closure` returned, or None.

        Raises:
            RuntimeError: a parameter has a gradient.
        """
        loss = loss_of(closure)
        if any(with_gradient(group["params"]) for group in self.param_groups):
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )
        return loss
