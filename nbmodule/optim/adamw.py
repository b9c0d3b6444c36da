"""AdamW: Adam whose parameters shrink beside the step.

Source: Loshchilov and Hutter, https://arxiv.org/abs/1711.05101
"""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .adam import Adam, adam

__all__ = ["AdamW", "adamw"]


class AdamW(Adam):
    """`Adam` whose parameters shrink by ``lr * weight_decay`` beside the step, out of sight of the means.

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        betas: how slowly the mean of the gradients, and that of their squares, forget.
        eps: keeps the division away from 0.
        weight_decay: how fast the parameters shrink, as a part of the learning rate.
        amsgrad: divide by the largest mean of squares that has been met.
        maximize: climb instead.
        foreach: as in `Adam`, like all that follow.
        capturable: see there.
        differentiable: see there.
        fused: see there.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.tensor([4.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.AdamW([p], lr=0.5, weight_decay=0.5)
        >>> p.sum().backward()
        >>> optimizer.step()
        >>> p  # 4 * (1 - 0.5 * 0.5) - 0.5
        tensor([2.5000], requires_grad=True)
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        ways = dict(foreach=foreach, capturable=capturable, fused=fused)
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, differentiable=differentiable, decoupled_weight_decay=True, **ways)  # type: ignore[arg-type] # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


def adamw(params: list[Tensor], grads: list[Any], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], max_exp_avg_sqs: list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool = False, *, amsgrad: bool, beta1: Any, beta2: Any, lr: Any, weight_decay: Any, eps: float, maximize: bool) -> None:  # fmt: skip
    """Do one step of `AdamW`, on lists of tensors that belong together: `adam` with a decay of its own.

    Args:
        params: as in `nbmodule.optim.adam.adam`, like all that follow.
        grads: see there.
        exp_avgs: see there.
        exp_avg_sqs: see there.
        max_exp_avg_sqs: see there.
        state_steps: see there.
        foreach: see there.
        capturable: see there.
        differentiable: see there.
        fused: see there.
        grad_scale: see there.
        found_inf: see there.
        has_complex: see there.
        amsgrad: see there.
        beta1: see there.
        beta2: see there.
        lr: see there.
        weight_decay: see there.
        eps: see there.
        maximize: see there.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html

    Example:
        >>> import nbmodule
        >>> p, g, mean, squares = nbmodule.ones(1), nbmodule.ones(1), nbmodule.zeros(1), nbmodule.zeros(1)
        >>> options = dict(amsgrad=False, beta1=0.9, beta2=0.999, weight_decay=0.2, eps=1e-8, maximize=False)
        >>> step = nbmodule.tensor(0.0)
        >>> nbmodule.optim.adamw.adamw([p], [g], [mean], [squares], [], [step], lr=0.5, **options)
        >>> p, step
        (tensor([0.4000]), tensor(1.))
    """
    given = (params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps)
    ways = dict(foreach=foreach, capturable=capturable, differentiable=differentiable, fused=fused)
    options = dict(beta1=beta1, beta2=beta2, lr=lr, weight_decay=weight_decay, eps=eps)
    adam(*given, **ways, grad_scale=grad_scale, found_inf=found_inf, has_complex=has_complex, decoupled_weight_decay=True, amsgrad=amsgrad, maximize=maximize, **options)  # type: ignore[arg-type] # fmt: skip
