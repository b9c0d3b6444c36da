"""Stochastic gradient descent.

Source: Sutskever et al., http://proceedings.mlr.press/v28/sutskever13.html (Nesterov's momentum)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._factories import zeros_like
from .._tensor import Tensor
from ._steps import in_pieces, loss_of, now, numbers, unscaled, with_gradient
from .optimizer import Optimizer, _device_dtype_check_for_fused, _use_grad_for_differentiable

__all__ = ["SGD", "sgd"]


class SGD(Optimizer):
    """``p -= lr * gradient``, with momentum and weight decay where asked for.

    With momentum the step goes along a running sum of the gradients, which starts as the first of them::

        g = gradient + weight_decay * p
        v = momentum * v + (1 - dampening) * g
        p -= lr * v                     # nesterov: lr * (g + momentum * v)

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        momentum: how much of the last step goes into the next.
        dampening: how much less of a new gradient goes into the momentum.
        weight_decay: adds this times the parameter to its gradient.
        nesterov: look ahead along the momentum; needs momentum and no dampening.
        maximize: climb instead.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        differentiable: record the step, so that gradients pass through it.
        fused: divide the gradients by ``optimizer.grad_scale``, too, if there is one.

    Raises:
        ValueError: an option is negative, or `nesterov` cannot be.
        RuntimeError: `fused` is set along with `foreach` or `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.SGD([p], lr=0.25)
        >>> (p**2).sum().backward()
        >>> optimizer.step()
        >>> p
        tensor([2.], requires_grad=True)
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
        if fused:
            self._use_fused(differentiable, foreach)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(counted=False, nesterov=False, maximize=False, foreach=None, differentiable=False, fused=False)  # fmt: skip

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            if group["fused"]:
                for p in params:
                    _device_dtype_check_for_fused(p)
            moving = params if group["momentum"] != 0 else []
            buffers = [self.state[p].get("momentum_buffer") for p in moving]
            try:
                sgd(
                    params,
                    [p._grad for p in params],
                    buffers,
                    weight_decay=group["weight_decay"],
                    momentum=group["momentum"],
                    lr=group["lr"],
                    dampening=group["dampening"],
                    nesterov=group["nesterov"],
                    maximize=group["maximize"],
                    foreach=group["foreach"],
                    fused=group["fused"],
                    grad_scale=getattr(self, "grad_scale", None),
                    found_inf=getattr(self, "found_inf", None),
                )
            finally:  # an interrupt comes between two parameters: those that moved have a sum from now on
                for p, v in zip(moving, buffers, strict=True):
                    if v is not None:
                        self.state[p]["momentum_buffer"] = v
        return loss


def sgd(params: list[Tensor], d_p_list: list[Any], momentum_buffer_list: list[Tensor | None], has_sparse_grad: bool = False, foreach: bool | None = None, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, *, weight_decay: Any, momentum: float, lr: Any, dampening: float, nesterov: bool, maximize: bool) -> None:  # fmt: skip
    """Do one step of `SGD`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        d_p_list: the gradients.
        momentum_buffer_list: the running sums; None, where there is none yet, is replaced.
        has_sparse_grad: no gradient here is sparse.
        foreach: as in `SGD`, like all other options.
        fused: divide the gradients by `grad_scale`, and do nothing if `found_inf` is not 0.
        grad_scale: the scale that the loss was multiplied with, one number.
        found_inf: whether a gradient is infinite, as one number.
        weight_decay: as in `SGD`, like all that follow.
        momentum: see there.
        lr: see there.
        dampening: see there.
        nesterov: see there.
        maximize: see there.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html

    Example:
        >>> import nbmodule
        >>> p, g = nbmodule.ones(2), nbmodule.tensor([1.0, 2.0])
        >>> options = dict(weight_decay=0, momentum=0.9, dampening=0, nesterov=False, maximize=False)
        >>> nbmodule.optim.sgd.sgd([p], [g], [None], lr=0.5, **options)
        >>> p
        tensor([0.5000, 0.0000])
    """
    if not unscaled(d_p_list, fused, grad_scale, found_inf):
        return
    lr, decay, momentum, dampening = numbers(lr, weight_decay, momentum, dampening)
    if momentum == 0 and decay == 0 and not maximize:

        def descend(w: Any, g: Any) -> None:
            w -= lr * g

        for i, p in enumerate(params):
            in_pieces(descend, p, d_p_list[i])
        return
    for i, p in enumerate(params):
        first = momentum != 0 and momentum_buffer_list[i] is None
        if first:
            momentum_buffer_list[i] = zeros_like(d_p_list[i])

        def update(w: Any, g: Any, v: Any) -> None:
            if maximize:
                g = -g
            if decay != 0:
                g = g + decay * now(w)
            if first:
                v[...] = g.detach() if isinstance(g, Tensor) else g
            elif v is not None:
                v *= momentum
                v += (1 - dampening) * g if dampening != 0 else g
            if v is not None:
                g = g + momentum * v if nesterov else now(v)
            w -= lr * g

        in_pieces(update, p, d_p_list[i], momentum_buffer_list[i] if momentum != 0 else None)
