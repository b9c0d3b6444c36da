"""Muon: momentum whose update is made orthogonal, for the matrices of hidden layers.

A gradient matrix G = U S V' tends to have a few large singular values. Muon steps along U V' instead, in which
all directions count alike. U V' is approached without a decomposition, by the Newton-Schulz iteration

    X <- a X + b (X X') X + c (X X')^2 X

which moves every singular value towards 1.

Source: Jordan, https://kellerjordan.github.io/posts/muon/; Liu et al., https://arxiv.org/abs/2502.16982
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _factories
from .._backend import Array, library_of, namespace_of
from .._engine import wrap
from .._tensor import Tensor
from ..autograd import no_grad
from ._checks import check_rate, check_reaches
from ._steps import column, loss_of, plain, scalar, with_gradient
from .optimizer import Optimizer

__all__ = ["Muon"]

EPS = 1e-7
DEFAULT_A = 3.4445
DEFAULT_B = -4.7750
DEFAULT_C = 2.0315
DEFAULT_NS_STEPS = 5


class Muon(Optimizer):
    """``p -= lr * orthogonal(momentum)`` for matrices.

    The mean of the gradients is B = momentum * B + (1 - momentum) * gradient, the update the matrix nearest to
    B that is orthogonal, and p shrinks by ``lr * weight_decay`` beside the step. Vectors, biases and embeddings
    are better left to `AdamW`.

    The iteration runs in bfloat16 in PyTorch. Here each of its results is rounded to the 8 bits of bfloat16 by
    hand, so that the steps agree with PyTorch's.

    Args:
        params: tensors of two dimensions, or groups of them (see `Optimizer`).
        lr: the learning rate, a number or a tensor of one element.
        weight_decay: how fast the parameters shrink, as a part of the learning rate.
        momentum: how slowly the mean of the gradients forgets.
        nesterov: look ahead along the momentum.
        ns_coefficients: a, b and c of the iteration.
        eps: keeps the division of the gradient by its norm away from 0.
        ns_steps: how often the iteration is repeated, less than 100.
        adjust_lr_fn: how the learning rate depends on the shape (A, B): "original", also for None, multiplies
            it by ``sqrt(max(1, A / B))``; "match_rms_adamw" by ``0.2 * sqrt(max(A, B))``, so that a learning
            rate found for AdamW can be used.

    Raises:
        ValueError: an option is negative, `adjust_lr_fn` is unknown, or a parameter is not a matrix.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Muon.html

    Example:
        >>> import nbmodule
        >>> w = nbmodule.zeros(2, 2, requires_grad=True)
        >>> optimizer = nbmodule.optim.Muon([w], lr=0.1)
        >>> w.grad = nbmodule.tensor([[100.0, 0.0], [0.0, 1.0]])  # one direction far stronger
        >>> optimizer.step()
        >>> w.detach()  # both count
        tensor([[-0.0688,  0.0000],
                [ 0.0000, -0.0691]])
    """

    __module__ = "nbmodule.optim"

    def __init__(self, params: Any, lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (DEFAULT_A, DEFAULT_B, DEFAULT_C), eps: float = EPS, ns_steps: int = DEFAULT_NS_STEPS, adjust_lr_fn: str | None = None) -> None:  # fmt: skip
        check_rate(lr, "Learning rate should be >= 0 but is: {}")
        check_reaches(0.0, momentum, "momentum should be >= 0 but is: {}")
        check_reaches(0.0, weight_decay, "weight decay should be >= 0 but is: {}")
        if adjust_lr_fn is not None and adjust_lr_fn not in ("original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        options = dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov)
        options |= dict(ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps)
        super().__init__(params, options | dict(adjust_lr_fn=adjust_lr_fn))
        for p in (p for group in self.param_groups for p in group["params"]):
            if p.ndim != 2:
                raise ValueError(
                    "Muon only supports 2D parameters whereas we found a parameter with size: "
                    f"{p.size()}"
                )

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = loss_of(closure)
        for group in self.param_groups:
            params = with_gradient(group["params"])
            for p in params:
                if "momentum_buffer" not in self.state[p]:
                    self.state[p]["momentum_buffer"] = _factories.zeros_like(p)
            muon(
                params,
                [p.grad for p in params],
                column([self.state[p] for p in params], "momentum_buffer"),
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                nesterov=group["nesterov"],
                ns_coefficients=group["ns_coefficients"],
                eps=group["eps"],
                ns_steps=group["ns_steps"],
                adjust_lr_fn=group["adjust_lr_fn"],
                has_complex=False,
            )
        return loss


def muon(params: list[Tensor], grads: list[Any], muon_momentum_bufs: list[Tensor], *, foreach: bool | None = None, lr: float | Tensor, weight_decay: float, momentum: float, nesterov: bool, ns_coefficients: tuple[float, float, float], ns_steps: int, eps: float, adjust_lr_fn: str | None, has_complex: bool) -> None:  # fmt: skip
    """Do the step of `Muon` on lists of tensors, in place.

    Args:
        params: the parameters.
        grads: their gradients.
        muon_momentum_bufs: the means of their gradients.
        foreach: must not be True.
        lr: as in `Muon`, like all options that are not explained here.
        weight_decay: see there.
        momentum: see there.
        nesterov: see there.
        ns_coefficients: see there.
        ns_steps: see there.
        eps: see there.
        adjust_lr_fn: see there.
        has_complex: must be False.

    Raises:
        RuntimeError: `foreach` is set.
        ValueError: a gradient is no matrix.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Muon.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim._muon import muon
        >>> p, g, mean = nbmodule.zeros(2, 2), nbmodule.eye(2) * 50, nbmodule.zeros(2, 2)
        >>> options = dict(weight_decay=0.1, momentum=0.9, nesterov=False, ns_steps=5, eps=1e-7)
        >>> coefficients = (3.4445, -4.7750, 2.0315)
        >>> muon([p], [g], [mean], lr=1.0, ns_coefficients=coefficients, adjust_lr_fn=None, has_complex=False, **options)
        >>> p
        tensor([[-1.1250,  0.0000],
                [ 0.0000, -1.1250]])
    """
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    if has_complex:
        raise ValueError("Complex parameters are not supported")
    lr = scalar(lr)
    for p, grad, mean in zip(params, grads, muon_momentum_bufs, strict=True):
        if grad.ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        new = _between(mean, grad, 1 - plain(momentum))
        update = _between(grad, new, plain(momentum)) if nesterov else new
        update = _zeropower_via_newtonschulz(update, ns_coefficients, ns_steps, eps)
        mean.copy_(new)
        p.mul_(1 - lr * weight_decay)
        p.add_(update, alpha=-_adjust_lr(lr, adjust_lr_fn, p.shape))


def _between(start: Tensor, end: Tensor, weight: float) -> Tensor:
    """Return ``start + weight * (end - start)``, of which only the difference and the result are rounded.

    So do the processors that PyTorch runs on (fused multiply-add). Here it counts: what is rounded to bfloat16
    afterwards would make a visible difference of a last digit.
    """
    x, y = start._array, end._array
    library_of(x)  # a GPU's card becomes the current one
    weight = float(x.dtype.type(weight))
    near, part = (x, weight) if abs(weight) < 0.5 else (y, weight - 1)
    return wrap(_plus(part, y - x, near).astype(x.dtype))


def _zeropower_via_newtonschulz(grad: Tensor, ns_coefficients: tuple[float, float, float], ns_steps: int, eps: float) -> Tensor:  # fmt: skip
    """Return a matrix with the singular vectors of `grad`, and singular values between about 0.7 and 1.2.

    The coefficients are chosen for speed: they push small singular values up at once, and give up that
    all of them reach 1.

    Args:
        grad: (n, m).
        ns_coefficients: a, b and c.
        ns_steps: how often.
        eps: the smallest norm that `grad` is divided by.

    Returns:
        (n, m), float32 with values that bfloat16 has.

    Raises:
        ValueError: there are 100 steps or more, no matrix, or not three coefficients.
    """
    if ns_steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if grad.ndim != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(ns_coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = ns_coefficients
    x = _rounded(grad._array)
    tall = x.shape[0] > x.shape[1]
    if tall:  # x x' is the smaller product then
        x = x.T
    xp = namespace_of[type(x)]
    norm = _rounded((x * x).sum(keepdims=True) ** 0.5)
    x = _rounded(x / xp.maximum(norm, _rounded(xp.full_like(norm, eps))))
    for _ in range(ns_steps):
        gram = _rounded(x @ x.T)
        change = _rounded(_plus(b, gram, c * (gram @ gram)))
        x = _rounded(_plus(a, x, change @ x))
    return wrap(xp.ascontiguousarray(x.T) if tall else x)


def _plus(factor: float, x: Array, term: Array) -> Array:
    """Return ``factor * x + term`` in double precision, of which the result alone is rounded, as there."""
    factor = float(x.dtype.type(factor))
    return x.astype("float64") * factor + term


def _rounded(x: Array) -> Array:
    """Return `x` rounded to the nearest number of bfloat16: the upper 16 bits of a float32."""
    xp = namespace_of[type(x)]
    x = xp.ascontiguousarray(x, dtype=xp.float32)
    bits = x.view(xp.uint32)
    nearest = bits + 0x7FFF + ((bits >> 16) & 1)  # a tie goes to the neighbour whose last bit is 0
    return (nearest & 0xFFFF0000).view(xp.float32)


def _adjust_lr(lr: Any, adjust_lr_fn: str | None, param_shape: Any) -> Any:
    """Return the learning rate for a matrix of a given shape."""
    rows, columns = param_shape[:2]
    if adjust_lr_fn is None or adjust_lr_fn == "original":
        return lr * math.sqrt(max(1, rows / columns))
    if adjust_lr_fn == "match_rms_adamw":
        return lr * (0.2 * math.sqrt(max(rows, columns)))
    return lr * 1.0
