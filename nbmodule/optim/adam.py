"""Adam: steps in the scale of the gradients that have been seen.

Source: Kingma and Ba, https://arxiv.org/abs/1412.6980; Reddi et al., https://openreview.net/forum?id=ryQu7f-RZ
(amsgrad)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._factories import zeros_like
from .._tensor import Tensor
from ._checks import check_betas, check_options, check_rate
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
    raised,
    scalar,
    unscaled,
    with_gradient,
)
from .optimizer import Optimizer, _device_dtype_check_for_fused, _use_grad_for_differentiable

NO_TENSOR = "{} as a Tensor is not supported for capturable=False and foreach=True"

__all__ = ["Adam", "adam"]


class Adam(Optimizer):
    """``p -= lr * mean / (sqrt(mean of squares) + eps)``, of running means of the gradients.

    Both means start from 0 and are too small at first; the factors in front of them make up for that::

        g = gradient + weight_decay * p         # decoupled: p *= 1 - lr * weight_decay instead
        mean = beta1 * mean + (1 - beta1) * g
        squares = beta2 * squares + (1 - beta2) * g**2
        width = sqrt(squares / (1 - beta2**steps)) + eps
        p -= lr / (1 - beta1**steps) * mean / width

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        betas: how slowly the mean of the gradients, and that of their squares, forget.
        eps: keeps the division away from 0.
        weight_decay: adds this times the parameter to its gradient.
        amsgrad: divide by the largest mean of squares that has been met.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        differentiable: record the step, so that gradients pass through it.
        fused: divide the gradients by ``optimizer.grad_scale``, too, if there is one.
        decoupled_weight_decay: let the parameters shrink beside the step, as `AdamW` does.

    Raises:
        ValueError: an option is out of range.
        RuntimeError: `fused` is set along with `foreach` or `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0, 4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.Adam([p], lr=0.5)
        >>> (p * nbmodule.tensor([1.0, -100.0])).sum().backward()
        >>> optimizer.step()
        >>> p  # the first step is as long as lr, whatever the scale of the gradient
        tensor([3.5000, 4.5000], requires_grad=True)
        >>> optimizer.state[p]["step"], optimizer.state[p]["exp_avg"]
        (tensor(1.), tensor([  0.1000, -10.0000]))
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError(NO_TENSOR.format("lr"))
        check_rate(lr)
        check_options(eps=eps)
        check_betas(betas)
        check_options(weight_decay=weight_decay)
        betas = _of_one_kind(betas, foreach and not capturable)
        options = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad)
        options |= dict(maximize=maximize, foreach=foreach, capturable=capturable)
        options |= dict(differentiable=differentiable, fused=fused)
        super().__init__(params, options | dict(decoupled_weight_decay=decoupled_weight_decay))
        if fused:
            self._use_fused(differentiable, foreach)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(amsgrad=False, maximize=False, foreach=None, capturable=False, differentiable=False, decoupled_weight_decay=False, fused=None)  # fmt: skip

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p, group) for p in params]
            beta1, beta2 = group["betas"]
            adam(
                params,
                [p.grad for p in params],
                column(known, "exp_avg"),
                column(known, "exp_avg_sq"),
                column(known, "max_exp_avg_sq", group["amsgrad"]),
                column(known, "step"),
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
                fused=group["fused"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
                decoupled_weight_decay=group["decoupled_weight_decay"],
                amsgrad=group["amsgrad"],
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )
        return loss

    def _remembered(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            if group["fused"]:
                _device_dtype_check_for_fused(p)
            new = {"step": new_counter(fused=group["fused"])}
            new |= {"exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}
            if group["amsgrad"]:
                new["max_exp_avg_sq"] = zeros_like(p)
            state.update(new)  # all at once: an interrupt leaves no half of it
        if group["differentiable"] and state["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        if isinstance(group["lr"], Tensor) and group["foreach"] and not group["capturable"]:
            raise RuntimeError(NO_TENSOR.format("lr"))
        return state


def adam(params: list[Tensor], grads: list[Any], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], max_exp_avg_sqs: list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool = False, decoupled_weight_decay: bool = False, *, amsgrad: bool, beta1: Any, beta2: Any, lr: Any, weight_decay: Any, eps: float, maximize: bool) -> None:  # fmt: skip
    """Do one step of `Adam`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        exp_avgs: the running means of the gradients.
        exp_avg_sqs: the running means of their squares.
        max_exp_avg_sqs: the largest of these means that there were; used with `amsgrad` only.
        state_steps: how many steps there were, tensors without dimensions.
        foreach: as in `Adam`, like all options that are not explained here.
        capturable: see there.
        differentiable: see there; the caller switches the recording on.
        fused: divide the gradients by `grad_scale`, and do nothing if `found_inf` is not 0.
        grad_scale: the scale that the loss was multiplied with, one number.
        found_inf: whether a gradient is infinite, as one number.
        has_complex: no tensor here is complex.
        decoupled_weight_decay: see there.
        amsgrad: see there.
        beta1: the first of the `betas`.
        beta2: the second.
        lr: see there.
        weight_decay: see there.
        eps: see there.
        maximize: see there.

    Raises:
        RuntimeError: a count of steps is no tensor, or `lr` is one along with `foreach`.
        AssertionError: the ways to compute that were asked for exclude one another.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html

    Example:
        >>> import nbmodule
        >>> p, g, mean, squares = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1), nbmodule.zeros(1)
        >>> options = dict(amsgrad=False, beta1=0.9, beta2=0.999, weight_decay=0, eps=1e-8, maximize=False)
        >>> nbmodule.optim.adam.adam([p], [g], [mean], [squares], [], [nbmodule.tensor(0.0)], lr=0.5, **options)
        >>> p, mean, squares
        (tensor([0.5000]), tensor([0.1000]), tensor([0.0010]))
    """
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable)  # fmt: skip
    if foreach and params and isinstance(lr, Tensor):
        raise RuntimeError(NO_TENSOR.format("lr"))
    if not unscaled(grads, fused, grad_scale, found_inf):
        return
    lr, beta1, beta2 = scalar(lr), scalar(beta1), scalar(beta2)
    decay, eps, kept = numbers(weight_decay, eps, beta2)
    new, new_square = numbers(1 - beta1, 1 - beta2)
    shrinking = bool(decoupled_weight_decay and weight_decay != 0)
    shrunk = number(1 - lr * decay) if shrinking else 1.0
    for i, p in enumerate(params):
        steps: Any = following(state_steps[i])
        if differentiable:  # a tensor, of fewer digits than a number: as in PyTorch
            steps = state_steps[i] + 1
        # both sides of the fraction are multiplied with `width`, so that arrays are gone through once less
        width = number((1 - beta2**steps) ** 0.5)
        size, least = number(lr / (1 - beta1**steps)) * width, eps * width
        largest = max_exp_avg_sqs[i] if amsgrad else None
        tensors = (p, grads[i], exp_avgs[i], exp_avg_sqs[i], largest)

        def update(w: Any, g: Any, mean: Any, squares: Any, most: Any) -> None:
            if maximize:
                g = -g
            if shrinking:
                w *= shrunk
            elif decay != 0:
                g = g + decay * now(w)
            mean += (g - mean) * new
            squares *= kept
            squares += new_square * g * g
            spread = squares if most is None else raised(most, squares)
            w -= size * now(mean) / (now(spread) ** 0.5 + least)

        in_pieces(update, *tensors, writes=1 + shrinking, alike=True)
        advance(state_steps[i])


def _of_one_kind(betas: tuple[Any, Any], foreach: Any) -> tuple[Any, ...]:
    """Return two numbers, or two tensors without dimensions."""
    if not any(all(isinstance(b, kind) for b in betas) for kind in (float, Tensor)):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if isinstance(beta, Tensor) and foreach:
            raise ValueError(NO_TENSOR.format(f"betas[{i}]"))
        if isinstance(beta, Tensor) and beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")
    return tuple(map(scalar, betas))
