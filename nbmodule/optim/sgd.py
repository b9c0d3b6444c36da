"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._engine import wrap
from .._tensor import Tensor
from ..autograd import enable_grad
from .optimizer import Optimizer, with_gradient, written


class SGD(Optimizer):
    """``p -= lr * gradient``, with momentum and weight decay where asked for.

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate.
        momentum: how much of the last step goes into the next.
        dampening: how much less of a new gradient goes into the momentum.
        weight_decay: adds this times the parameter to its gradient.
        nesterov: look ahead along the momentum; needs momentum and no dampening.
        maximize: climb instead.
        foreach: stays without effect, as do `differentiable` and `fused`: they choose between ways to
            compute that PyTorch has several of.

    Raises:
        ValueError: an option is negative, or `nesterov` cannot be.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
    """

    def __init__(self, params: Any, lr: float = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay)
        options |= dict(nesterov=nesterov, maximize=maximize, foreach=foreach)
        super().__init__(params, options | dict(differentiable=differentiable, fused=fused))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss anew and returns it.

        Returns:
            What `closure` returned, or None.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in with_gradient(group["params"]):
                self._step_one(p, group)
        return loss

    def _step_one(self, p: Tensor, group: dict[str, Any]) -> None:
        """Work on raw arrays: what a step does is never recorded."""
        w, g = p._array, p._grad._array  # type: ignore[union-attr]
        if group["maximize"]:
            g = -g
        if group["weight_decay"]:
            g = g + group["weight_decay"] * w
        if group["momentum"]:
            g = self._with_momentum(p, g, group)
        w -= group["lr"] * g
        written(p)

    def _with_momentum(self, p: Tensor, g: Any, group: dict[str, Any]) -> Any:
        state, momentum = self.state[p], group["momentum"]
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = wrap(g.copy())
            v = state["momentum_buffer"]._array
        else:
            v = state["momentum_buffer"]._array
            v *= momentum
            v += (1 - group["dampening"]) * g
        return g + momentum * v if group["nesterov"] else v
