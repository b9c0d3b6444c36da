"""What `gradcheck` asks of a backward pass besides the right numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._factories import randn_like, zeros_like
from .._tensor import Tensor
from ._arguments import stacked
from ._grad import grad
from ._jacobians import GradcheckError, differentiable, to_differentiate
from .function import Function


def check_product(inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], masked: bool) -> None:
    """Raise unless zeros come out where zeros go in: a backward is a product with what comes in."""
    xs = to_differentiate(inputs)
    zeros = [zeros_like(y) for y in outputs]
    for d, x in zip(grad(outputs, xs, zeros, allow_unused=True), xs, strict=True):
        if d is None:
            continue
        if not (d.abs() <= 1e-8 if masked else d.eq(0)).all():
            raise GradcheckError("backward not multiplied by grad_output")
        for what, found, expected in (
            ("type", d.dtype, x.dtype),
            ("device", d.device, x.device),
            ("size", d.size(), x.size()),
        ):
            if found != expected:
                raise GradcheckError(f"grad is incorrect {what}")


def check_batched(inputs: tuple[Any, ...], output: Tensor, number: int) -> None:
    """Raise unless a batch of gradients gives what its members give one by one."""
    xs = to_differentiate(inputs)
    options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
    directions = [randn_like(output) for _ in range(2)]
    one_by_one = zip(*(grad(output, xs, v, **options) for v in directions), strict=True)
    try:
        found: Any = grad(output, xs, stacked(directions), is_grads_batched=True, **options)
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n\n{BATCHED}"
        ) from error
    for j, (batch, members) in enumerate(zip(found, one_by_one, strict=True)):
        expected = stacked(members)
        if not batch.allclose(expected):
            raise GradcheckError(
                f"For output {number} and input {j}:\n\n{BATCHED}\n\nGot:\n{batch}\n\n"
                f"Expected:\n{expected}"
            )


class UndefinedGrad(Function):
    """Returns its input, and sends no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """Return `x`, as a tensor of its own."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> None:
        """Return nothing."""
        return


def check_undefined(func: Callable[..., Any], inputs: tuple[Any, ...], count: int) -> None:
    """Raise unless `func` can be differentiated where some of its outputs get no gradient."""
    _check_without_gradients(
        inputs, [UndefinedGrad.apply(y) for y in differentiable(func(*inputs))]
    )
    for left_out in range(count if count > 1 else 0):
        outputs = enumerate(differentiable(func(*inputs)))
        _check_without_gradients(
            inputs, [UndefinedGrad.apply(y) if i == left_out else y for i, y in outputs]
        )


def _check_without_gradients(inputs: tuple[Any, ...], outputs: list[Any]) -> None:
    zeros = [zeros_like(y) for y in outputs]
    try:
        found = grad(outputs, to_differentiate(inputs), zeros, allow_unused=True)
    except RuntimeError as error:
        warnings.warn(NEW_CHECK, stacklevel=6)
        raise GradcheckError(
            'Expected backward function to handle undefined output grads. Please look at "Notes about '
            'undefined output gradients" in "tools/autograd/derivatives.yaml"'
        ) from error
    if any(d is not None and not d.eq(0).all() for d in found):
        warnings.warn(NEW_CHECK, stacklevel=6)
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
            'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
        )


NEW_CHECK = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but "
    "it may break existing callers of this function. If this is true for you, you can call this function "
    'with "check_undefined_grad=False" to disable the feature'
)

BATCHED = """gradcheck or gradgradcheck failed while testing batched gradient computation.
Pass `check_batched_grad=False` to leave this check out."""
