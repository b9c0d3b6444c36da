"""Adam and AdamW: steps in the scale of the gradients that have been seen.

Source: Kingma and Ba, https://arxiv.org/abs/1412.6980; Reddi et al., https://openreview.net/forum?id=ryQu7f-RZ
(amsgrad); Loshchilov and Hutter, https://arxiv.org/abs/1711.05101 (AdamW).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _dtypes, _factories
from .._backend import namespace_of
from .._tensor import Tensor
from ._pieces import pieces
from .optimizer import Optimizer, check_ways, loss_of, number, recorded, with_gradient, written


class Adam(Optimizer):
    """``p -= lr * mean / (sqrt(mean of squares) + eps)``, of running means of the gradients.

    Args:
        params: tensors, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        betas: how slowly the mean of the gradients, and that of their squares, forget.
        eps: keeps the division away from 0.
        weight_decay: adds this times the parameter to its gradient.
        amsgrad: divide by the largest mean of squares that has been met.
        foreach: stays without effect, as does `fused`: they choose between ways to compute that PyTorch
            has several of.
        maximize: climb instead.
        capturable: for graphs of GPU work, which are not made here: a step raises.
        differentiable: record the step, so that gradients pass through it.
        decoupled_weight_decay: let the parameters shrink beside the step, as `AdamW` does.

    Raises:
        ValueError: an option is out of range.
        RuntimeError: `fused` is set along with `foreach` or `differentiable`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False) -> None:  # fmt: skip
        _check_lr(lr, foreach and not capturable)
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        betas = _checked_betas(betas, foreach and not capturable)
        options = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad)
        options |= dict(maximize=maximize, foreach=foreach, capturable=capturable)
        options |= dict(differentiable=differentiable, fused=fused)
        super().__init__(params, options | dict(decoupled_weight_decay=decoupled_weight_decay))
        check_ways(differentiable, foreach, fused)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        later = dict(amsgrad=False, maximize=False, foreach=None, capturable=False)
        later |= dict(differentiable=False, decoupled_weight_decay=False, fused=None)
        for group in self.param_groups:
            for option, default in later.items():
                group.setdefault(option, default)
            for p in group["params"]:
                known = self.state.get(p)
                if known and not isinstance(known["step"], Tensor):
                    known["step"] = _counter(group, float(known["step"]))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss anew and returns it.

        Returns:
            What `closure` returned, or None.
        """
        loss = loss_of(closure)
        with recorded(self):
            for group in self.param_groups:
                for p in with_gradient(group["params"]):
                    self._step_one(p, self._remembered(p, group), group)
        return loss

    def _remembered(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of `p`: at first that there were no steps, and means of 0."""
        state = self.state[p]
        if not state:
            state["step"] = _counter(group, 0.0)
            state["exp_avg"] = _factories.zeros_like(p)
            state["exp_avg_sq"] = _factories.zeros_like(p)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = _factories.zeros_like(p)
        if isinstance(group["lr"], Tensor) and group["foreach"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")  # fmt: skip
        if group["capturable"]:
            raise AssertionError(
                "If capturable=True, params and state_steps must be on supported devices: "
                "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
            )
        return state

    def _step_one(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Work on raw arrays; on tensors, where the step is to be recorded."""
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
        count = state["step"]
        count += 1
        tensors: list[Any] = [p, p.grad, *(state.get(name) for name in names)]
        lr, options = group["lr"], [*group["betas"], group["weight_decay"]]
        if not group["differentiable"]:
            written(p)
            tensors = [None if t is None else t._array for t in tensors]
            lr, options = number(lr), [number(o) for o in options]
        w, g, *kept = tensors
        beta1, beta2, decay = options
        if group["maximize"]:
            g = -g
        if decay != 0 and group["decoupled_weight_decay"]:
            w *= 1 - lr * decay
            if w is not p:
                written(p)
        elif decay != 0:
            g = g + decay * w
        steps = count.item()
        for part, slope, mean, squares, largest in pieces(w, g, *kept):
            mean += (slope - mean) * (1 - beta1)
            squares *= beta2
            squares += (1 - beta2) * slope * slope
            if largest is not None and group["amsgrad"]:
                squares = _raised(largest, squares)
            # early means are too close to 0, by these factors
            width = squares**0.5 / (1 - beta2**steps) ** 0.5 + group["eps"]
            part -= lr / (1 - beta1**steps) * mean / width


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

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
    """

    def __init__(self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        ways = dict(foreach=foreach, capturable=capturable, fused=fused)
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, differentiable=differentiable, decoupled_weight_decay=True, **ways)  # type: ignore[arg-type] # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


def _check_lr(lr: Any, foreach: Any) -> None:
    if isinstance(lr, Tensor) and foreach:
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not lr >= 0.0:
        raise ValueError(f"Invalid learning rate: {lr}")


def _checked_betas(betas: tuple[Any, Any], foreach: Any) -> tuple[Any, Any]:
    """Return two numbers, or two tensors without dimensions."""
    kinds = {type(b) if isinstance(b, float) else isinstance(b, Tensor) and Tensor for b in betas}
    if kinds not in ({float}, {Tensor}):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if isinstance(beta, Tensor) and foreach:
            raise ValueError(
                f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
            )
        if isinstance(beta, Tensor) and beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")
    first, second = (b.squeeze() if isinstance(b, Tensor) else b for b in betas)
    return first, second


def _counter(group: dict[str, Any], value: float) -> Tensor:
    """Return a count of steps: a tensor of the default type, so that it is saved as the others are."""
    double = _dtypes.get_default_dtype() is _dtypes.float64 and not group["fused"]
    return _factories.tensor(value, dtype=_dtypes.float64 if double else _dtypes.float32)


def _raised(largest: Any, squares: Any) -> Any:
    """Raise `largest`, in place, to `squares` where that is larger; return it."""
    if isinstance(largest, Tensor):
        return largest.copy_(largest.clone().maximum(squares))
    return namespace_of[type(largest)].maximum(largest, squares, out=largest)
