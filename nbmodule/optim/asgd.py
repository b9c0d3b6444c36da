"""Averaged stochastic gradient descent.

Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging, 1992
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _factories
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
    number,
    plain,
    scalar,
    with_gradient,
)
from .optimizer import Optimizer, _use_grad_for_differentiable

__all__ = ["ASGD", "asgd"]


class ASGD(Optimizer):
    """`SGD` with a falling learning rate, which also keeps the mean of the parameters over the steps.

    With t the number of the step and g the gradient::

        p = (1 - lambd * eta) * p - eta * g
        ax += mu * (p - ax)                      # the mean, in optimizer.state[p]["ax"]
        eta = lr / (1 + lambd * lr * t) ** alpha
        mu = 1 / max(1, t - t0)

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        lambd: how fast the parameters shrink, and the learning rate falls.
        alpha: the power by which the learning rate falls.
        t0: the step from which on the mean is taken; before it `ax` is the parameter itself.
        weight_decay: adds this times the parameter to its gradient.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        differentiable: record the step, so that gradients pass through it.
        capturable: for graphs of GPU work, which are not made here: a step raises.

    Raises:
        ValueError: `lr` or `weight_decay` is negative.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([0.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.ASGD([p], lr=1.0, lambd=0.0, t0=0)
        >>> for gradient in (-1.0, 1.0, -1.0, 1.0):
        ...     p.grad = nbmodule.tensor([gradient])
        ...     optimizer.step()
        ...     print(p.item(), round(optimizer.state[p]["ax"].item(), 3))
        1.0 1.0
        0.0 0.0
        1.0 0.5
        0.0 0.333
    """

    _numbers = ("eta", "mu")

    def __init__(self, params: Any, lr: float | Tensor = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6, weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        check_options(weight_decay=weight_decay)
        options = dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay)
        options |= dict(foreach=foreach, maximize=maximize, differentiable=differentiable)
        super().__init__(params, options | dict(capturable=capturable))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, capturable=False)

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p, group["lr"]) for p in params]
            asgd(
                params,
                [p.grad for p in params],
                column(known, "ax"),
                column(known, "mu"),
                column(known, "eta"),
                column(known, "step"),
                lambd=group["lambd"],
                lr=group["lr"],
                t0=group["t0"],
                alpha=group["alpha"],
                weight_decay=group["weight_decay"],
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss

    def _remembered(self, p: Tensor, lr: Any) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and the learning rate to start from."""
        state = self.state[p]
        if not state:
            new = {"step": new_counter(), "eta": new_counter(plain(lr)), "mu": new_counter(1.0)}
            state.update(new, ax=_factories.zeros_like(p))
        return state


def asgd(params: list[Tensor], grads: list[Any], axs: list[Tensor], mus: list[Tensor], etas: list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *, lambd: float, lr: Any, t0: float, alpha: float, weight_decay: float) -> None:  # fmt: skip
    """Do one step of `ASGD`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        axs: the means of the parameters.
        mus: how much the parameter counts in its mean, each one number.
        etas: the learning rates, each one number.
        state_steps: the counts of steps, each one number.
        foreach: as in `ASGD`, like all options that are not explained here.
        maximize: see there.
        differentiable: see there.
        capturable: see there.
        has_complex: no tensor here is complex.
        lambd: see there.
        lr: see there.
        t0: see there.
        alpha: see there.
        weight_decay: see there.

    Raises:
        RuntimeError: a count of steps is no tensor.
        AssertionError: `capturable` is set, or `foreach` along with `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.asgd import asgd
        >>> p, g, ax = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1)
        >>> mu, eta, count = nbmodule.tensor(1.0), nbmodule.tensor(0.5), nbmodule.tensor(0.0)
        >>> options = dict(lr=0.5, lambd=0.0, t0=1e6, alpha=0.75, weight_decay=0)
        >>> asgd([p], [g], [ax], [mu], [eta], [count], **options)
        >>> p, ax, eta
        (tensor([0.5000]), tensor([0.5000]), tensor(0.5000))
    """
    names = "params, mus, etas, and state_steps"
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable, names=names)  # fmt: skip
    lr, (lambd, t0, alpha, weight_decay) = scalar(lr), map(number, (lambd, t0, alpha, weight_decay))
    for i, p in enumerate(params):
        t = following(state_steps[i])
        mu, eta = mus[i].item(), etas[i].item()

        def update(w: Any, g: Any, mean: Any) -> None:
            if maximize:
                g = -g
            if weight_decay != 0:
                g = g + weight_decay * w
            w *= 1 - lambd * eta
            w -= eta * g
            if mu == 1:
                mean[...] = w
            else:
                mean += (w - mean) * mu

        in_pieces(update, p, grads[i], axs[i], writes=2)
        etas[i].copy_(_factories.as_tensor(lr / (1 + lambd * lr * t) ** alpha))
        mus[i].copy_(_factories.as_tensor(1 / max(1, t - t0)))
        advance(state_steps[i])
