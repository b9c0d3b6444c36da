"""NAdam: Adam with Nesterov's look ahead along the momentum.

Source: Dozat, https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _factories
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
    number,
    scalar,
    with_gradient,
)
from .optimizer import Optimizer, _use_grad_for_differentiable

__all__ = ["NAdam", "nadam"]


class NAdam(Optimizer):
    """`Adam` whose step mixes the mean of the gradients, as it will be, with the gradient itself.

    With t the number of the step and g the gradient::

        mu(t) = beta1 * (1 - 0.96 ** (t * momentum_decay) / 2)      # warms up towards beta1
        mean = beta1 * mean + (1 - beta1) * g
        squares = beta2 * squares + (1 - beta2) * g * g
        m = mu(t + 1) * mean / (1 - mu(1) ... mu(t + 1)) + (1 - mu(t)) * g / (1 - mu(1) ... mu(t))
        p -= lr * m / (sqrt(squares / (1 - beta2 ** t)) + eps)

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        betas: how slowly the mean of the gradients, and that of their squares, forget.
        eps: keeps the division away from 0.
        weight_decay: adds this times the parameter to its gradient.
        momentum_decay: how fast the momentum warms up.
        decoupled_weight_decay: let the parameters shrink by ``lr * weight_decay`` beside the step instead.
        foreach: stays without effect: it chooses between ways to compute that PyTorch has several of.
        maximize: climb instead.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        differentiable: record the step, so that gradients pass through it.

    Raises:
        ValueError: an option is out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.NAdam([p], lr=0.5)
        >>> (p**2).sum().backward()
        >>> optimizer.step()
        >>> p
        tensor([3.4718], requires_grad=True)
    """

    _numbers = ("mu_product",)

    def __init__(self, params: Any, lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False) -> None:  # fmt: skip
        check_rate(lr)
        check_options(eps=eps)
        check_betas(betas)
        check_options(weight_decay=weight_decay, momentum_decay=momentum_decay)
        options = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        options |= dict(momentum_decay=momentum_decay)
        options |= dict(decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)
        options |= dict(foreach=foreach, capturable=capturable, differentiable=differentiable)
        super().__init__(params, options)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._complete(maximize=False, foreach=None, capturable=False, differentiable=False, decoupled_weight_decay=False)  # fmt: skip

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            known = [self._remembered(p) for p in params]
            beta1, beta2 = group["betas"]
            nadam(
                params,
                [p.grad for p in params],
                column(known, "exp_avg"),
                column(known, "exp_avg_sq"),
                column(known, "mu_product"),
                column(known, "step"),
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                momentum_decay=group["momentum_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
                decoupled_weight_decay=group["decoupled_weight_decay"],
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
            )
        return loss

    def _remembered(self, p: Tensor) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            new = {"step": new_counter(), "mu_product": new_counter(1.0)}
            means = {name: _factories.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
            state.update(new | means)
        return state


def nadam(params: list[Tensor], grads: list[Any], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], mu_products: list[Tensor], state_steps: list[Tensor], decoupled_weight_decay: bool = False, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: Any, weight_decay: float, momentum_decay: float, eps: float) -> None:  # fmt: skip
    """Do one step of `NAdam`, on lists of tensors that belong together.

    Args:
        params: what is changed.
        grads: the gradients.
        exp_avgs: the means of the gradients.
        exp_avg_sqs: the means of their squares.
        mu_products: the products of all momenta so far, each one number.
        state_steps: the counts of steps, each one number.
        decoupled_weight_decay: as in `NAdam`, like all options that are not explained here.
        foreach: see there.
        capturable: see there.
        differentiable: see there.
        has_complex: no tensor here is complex.
        maximize: see there.
        lr: see there.
        weight_decay: see there.
        momentum_decay: see there.
        eps: see there.
        beta1: the first of the `betas`.
        beta2: the second.

    Raises:
        RuntimeError: a count of steps or a product of momenta is no tensor.
        AssertionError: `capturable` is set, or `foreach` along with `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.nadam import nadam
        >>> p, g, mean, squares = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1), nbmodule.zeros(1)
        >>> product, count = nbmodule.tensor(1.0), nbmodule.tensor(0.0)
        >>> options = dict(lr=0.1, weight_decay=0, momentum_decay=4e-3, eps=1e-8)
        >>> nadam([p], [g], [mean], [squares], [product], [count], beta1=0.9, beta2=0.99, **options)
        >>> p, mean, product
        (tensor([0.8944]), tensor([0.1000]), tensor(0.4501))
    """
    comma = "," if foreach else ""
    names = f"params, mu_products{comma} and state_steps"
    check_lists(params, state_steps, foreach=foreach, differentiable=differentiable, capturable=capturable, names=names)  # fmt: skip
    if not all(isinstance(product, Tensor) for product in mu_products):
        raise RuntimeError("API has changed, `mu_products` argument must contain a list of singleton tensors")  # fmt: skip
    beta1, beta2, eps, lr = number(beta1), number(beta2), number(eps), scalar(lr)
    weight_decay, momentum_decay = number(weight_decay), number(momentum_decay)
    shrinking = bool(decoupled_weight_decay and weight_decay != 0)
    shrunk = number(1 - lr * weight_decay) if shrinking else 1.0
    for i, p in enumerate(params):
        t = following(state_steps[i])
        mu, mu_next = (beta1 * (1.0 - 0.5 * 0.96 ** (n * momentum_decay)) for n in (t, t + 1))
        product = mu_products[i] * mu
        product = product if differentiable else product.item()
        direct = number(lr * (1.0 - mu) / (1.0 - product))
        ahead = number(lr * mu_next / (1.0 - product * mu_next))
        tensors = (p, grads[i], exp_avgs[i], exp_avg_sqs[i])

        def update(w: Any, g: Any, mean: Any, squares: Any) -> None:
            if maximize:
                g = -g
            if shrinking:
                w *= shrunk
            elif weight_decay != 0:
                g = g + weight_decay * w
            mean += (g - mean) * (1 - beta1)
            squares *= beta2
            squares += (1 - beta2) * g * g
            # early means of squares are too close to 0, by this factor
            width = (squares / (1 - beta2**t)) ** 0.5 + eps
            w -= (direct * g + ahead * mean) / width

        in_pieces(update, *tensors, writes=2 + shrinking, alike=True)
        mu_products[i] *= mu
        advance(state_steps[i])
