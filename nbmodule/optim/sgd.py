"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._engine import wrap
from .._tensor import Tensor
from ._pieces import pieces
from .optimizer import Optimizer, check_ways, loss_of, number, recorded, with_gradient, written


class SGD(Optimizer):
    """``p -= lr * gradient``, with momentum and weight decay where asked for.

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        momentum: how much of the last step goes into the next.
        dampening: how much less of a new gradient goes into the momentum.
        weight_decay: adds this times the parameter to its gradient.
        nesterov: look ahead along the momentum; needs momentum and no dampening.
        maximize: climb instead.
        foreach: stays without effect, as does `fused`: they choose between ways to compute that PyTorch
            has several of.
        differentiable: record the step, so that gradients pass through it.

    Raises:
        ValueError: an option is negative, or `nesterov` cannot be.
        RuntimeError: `fused` is set along with `foreach` or `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float | Tensor = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
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
        check_ways(differentiable, foreach, fused)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        later = dict(
            nesterov=False, maximize=False, foreach=None, differentiable=False, fused=False
        )
        for group in self.param_groups:
            for option, default in later.items():
                group.setdefault(option, default)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss anew and returns it.

        Returns:
            What `closure` returned, or None.
        """
        loss = loss_of(closure)
        for group in self.param_groups:
            differentiable = self.defaults["differentiable"]
            options = [group["lr"], group["weight_decay"]]
            if not differentiable:
                options = [number(value) for value in options]
            for p in with_gradient(group["params"]):
                if differentiable:
                    with recorded(self):
                        self._step_one(p, p, p.grad, group, *options)
                else:
                    self._step_one(p, p._array, p._grad._array, group, *options)  # type: ignore[union-attr]
                    written(p)
        return loss

    def _step_one(self, p: Tensor, w: Any, g: Any, group: dict[str, Any], lr: Any, decay: Any) -> None:  # fmt: skip
        """Work on raw arrays `w` and `g`; on tensors, where the step is to be recorded."""
        if group["maximize"]:
            g = -g
        if decay != 0:
            g = g + decay * w
        if group["momentum"] != 0:
            g = self._with_momentum(p, g, group)
        for part, slope in pieces(w, g):
            part -= lr * slope

    def _with_momentum(self, p: Tensor, g: Any, group: dict[str, Any]) -> Any:
        state, momentum = self.state[p], group["momentum"]
        on_tensors = isinstance(g, Tensor)
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = g.detach().clone() if on_tensors else wrap(g.copy())
            v = state["momentum_buffer"] if on_tensors else state["momentum_buffer"]._array
        else:
            v = state["momentum_buffer"] if on_tensors else state["momentum_buffer"]._array
            for part, slope in pieces(v, g):
                part *= momentum
                part += (1 - group["dampening"]) * slope
        return g + momentum * v if group["nesterov"] else v
