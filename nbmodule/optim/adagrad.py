"""Adagrad: the more a number of a parameter has been moved, the smaller its steps become.

Source: Duchi et al., https://jmlr.org/papers/v12/duchi11a.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._factories import full_like
from .._tensor import Tensor
from ._checks import check_options, check_rate
from ._steps import (
    advance,
    check_lists,
    column,
    following,
    in_pieces,
    loss_of,
    new_counter,
    now,
    number,
    numbers,
    scalar,
    unscaled,
    with_gradient,
)
from .optimizer import Optimizer, _device_dtype_check_for_fused, _use_grad_for_differentiable

__all__ = ["Adagrad", "adagrad"]


class Adagrad(Optimizer):
    """``p -= lr * gradient / (sqrt(sum of squares) + eps)``, of all gradients that there were.

    ::

        g = gradient + weight_decay * p
        sum = sum + g**2
        p -= lr / (1 + lr_decay * steps before) * g / (sqrt(sum) + eps)

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        lr_decay: how fast the learning rate falls with the number of steps.
        weight_decay: adds this times the parameter to its gradient.
        initial_accumulator_value: what the sums start from.
        eps: keeps the division away from 0.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        differentiable: record the step, so that gradients pass through it.
        fused: divide the gradients by ``optimizer.grad_scale``, too, if there is one.

    Raises:
        ValueError: an option is negative.
        RuntimeError: `fused` is set along with `foreach` or `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([1.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.Adagrad([p], lr=0.5)
        >>> for _ in range(4):
        ...     p.grad = nbmodule.ones(1)
        ...     before = p.item()
        ...     optimizer.step()
        ...     print(round(before - p.item(), 4))  # 0.5 / sqrt(steps)
        0.5
        0.3536
        0.2887
        0.25
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        check_rate(lr)
        check_options(lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, eps=eps)  # fmt: skip
        options = dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay)
        options |= dict(initial_accumulator_value=initial_accumulator_value, foreach=foreach)
        options |= dict(maximize=maximize, differentiable=differentiable, fused=fused)
        super().__init__(params, options)
        if fused:
            self._use_fused(differentiable, foreach)
        for group in self.param_groups:
            for p in group["params"]:
                self._start(p, group, initial_accumulator_value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, fused=None)

    def share_memory(self) -> None:
        """Call ``Tensor.share_memory_`` on the sums: it says that memory is not shared between processes here."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p, group) for p in params]
            adagrad(
                params,
                [p.grad for p in params],
                column(known, "sum"),
                column(known, "step"),
                fused=group["fused"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
                foreach=group["foreach"],
                differentiable=group["differentiable"],
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                lr_decay=group["lr_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )
        return loss

    def _remembered(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of `p`; of one that was added later, what the others started from."""
        if group["fused"]:
            _device_dtype_check_for_fused(p)
        if not self.state[p]:
            self._start(p, group, self.defaults["initial_accumulator_value"])
        return self.state[p]

    def _start(self, p: Tensor, group: dict[str, Any], value: float) -> None:
        self.state[p].update(step=new_counter(fused=group["fused"]), sum=full_like(p, value))


def adagrad(params: list[Tensor], grads: list[Any], state_sums: list[Tensor], state_steps: list[Tensor], fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_sparse_grad: bool = False, foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *, lr: Any, weight_decay: float, lr_decay: float, eps: float, maximize: bool) -> None:  # fmt: skip
    """Do one step of `Adagrad`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        state_sums: the sums of the squared gradients.
        state_steps: how many steps there were, tensors without dimensions.
        fused: divide the gradients by `grad_scale`, and do nothing if `found_inf` is not 0.
        grad_scale: the scale that the loss was multiplied with, one number.
        found_inf: whether a gradient is infinite, as one number.
        has_sparse_grad: no gradient here is sparse.
        foreach: as in `Adagrad`, like all options that are not explained here.
        differentiable: see there; the caller switches the recording on.
        has_complex: no tensor here is complex.
        lr: see there.
        weight_decay: see there.
        lr_decay: see there.
        eps: see there.
        maximize: see there.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: the ways to compute that were asked for exclude one another.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html

    Example:
        >>> import nbmodule
        >>> p, g, total = nbmodule.ones(1), nbmodule.full((1,), 3.0), nbmodule.full((1,), 16.0)
        >>> options = dict(weight_decay=0, lr_decay=0, eps=0, maximize=False)
        >>> nbmodule.optim.adagrad.adagrad([p], [g], [total], [nbmodule.tensor(0.0)], lr=0.5, **options)
        >>> p, total  # 1 - 0.5 * 3 / sqrt(25)
        (tensor([0.7000]), tensor([25.]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=False)  # fmt: skip
    if not unscaled(grads, fused, grad_scale, found_inf):
        return
    decay, eps = numbers(weight_decay, eps)
    for i, p in enumerate(params):
        steps = following(state_steps[i])
        size = number(scalar(lr) / (1 + (steps - 1) * lr_decay))

        def update(w: Any, g: Any, total: Any) -> None:
            if maximize:
                g = -g
            if decay != 0:
                g = g + decay * now(w)
            total += g * g
            w -= size * g / (now(total) ** 0.5 + eps)

        in_pieces(update, p, grads[i], state_sums[i])
        advance(state_steps[i])
