"""Checks of gradients against finite differences.

Source: https://docs.pytorch.org/docs/stable/autograd.html#numerical-gradient-checking
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .._dtypes import float64, promote_types
from .._factories import rand
from .._generator import Generator
from .._tensor import Tensor
from ._backward_checks import check_batched, check_product, check_undefined
from ._grad import grad
from ._jacobians import (
    GradcheckError,
    analytical_jacobians,
    as_tuple,
    differentiable,
    numerical_jacobians,
    numerical_products,
    to_differentiate,
)

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

GradcheckError.__module__ = __name__


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Return whether the gradients of `func` agree with finite differences.

    Args:
        func: takes the inputs, returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple; checked are those that require gradients. Use float64: the
            differences of smaller types are too rough for these tolerances.
        eps: how far each element is moved.
        atol: the absolute tolerance.
        rtol: the relative tolerance.
        raise_exception: raise where a check fails, instead of returning False.
        nondet_tol: how much the gradients of two backward passes may differ.
        check_undefined_grad: check that gradients of outputs that nobody used count as zeros.
        check_grad_dtypes: check that each gradient has the type of its input.
        check_batched_grad: check that ``autograd.grad(is_grads_batched=True)`` gives the same.
        check_batched_forward_grad: needs `check_forward_ad`.
        check_forward_ad: must be False: there is no forward mode here.
        check_backward_ad: must be True, for the same reason.
        fast_mode: compare one random projection of the Jacobian instead of every element.
        masked: compare the gradient for zeros with a tolerance. (It is for sparse tensors.)

    Raises:
        GradcheckError: a check failed; says which, and shows both Jacobians.
        ValueError: no input requires gradients.
        RuntimeError: an input is an expanded view, whose elements cannot be moved one by one.
        NotImplementedError: `check_forward_ad` is set.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([1.0, 2.0], dtype=nbmodule.float64, requires_grad=True)
        >>> nbmodule.autograd.gradcheck(nbmodule.sin, x)
        True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True"
        )
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )
    if check_forward_ad:
        raise NotImplementedError(
            "check_forward_ad=True: nbmodule differentiates backwards only, there is no forward mode to check"
        )
    check = _Check(func, eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        return check.run(as_tuple(inputs), fast_mode, check_batched_grad, bool(masked), check_undefined_grad)  # fmt: skip
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Return whether the gradients of the gradients of `func` agree with finite differences.

    Checked is the function that takes `inputs` and `grad_outputs` and returns the gradients.

    Args:
        func: takes the inputs, returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple, best of float64.
        grad_outputs: the gradients of the outputs; random ones by default.
        eps: how far each element is moved.
        atol: the absolute tolerance.
        rtol: the relative tolerance.
        gen_non_contig_grad_outputs: make the random `grad_outputs` views with gaps.
        raise_exception: raise where a check fails, instead of returning False.
        nondet_tol: how much the gradients of two backward passes may differ.
        check_undefined_grad: as in `gradcheck`.
        check_grad_dtypes: as in `gradcheck`.
        check_batched_grad: as in `gradcheck`.
        check_fwd_over_rev: must be False: there is no forward mode here.
        check_rev_over_rev: must be True, for the same reason.
        fast_mode: as in `gradcheck`.
        masked: as in `gradcheck`.

    Raises:
        GradcheckError: a check failed; says which, and shows both Jacobians.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError(
            "Setting check_undefined_grad=True requires check_rev_over_rev to be True"
        )
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_rev_over_rev to be True"
        )
    given = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable(func(*given))
        weights = tuple(_random_like(y, gen_non_contig_grad_outputs) for y in outputs)
    else:
        weights = as_tuple(grad_outputs)
    return gradcheck(
        _gradient_function(func, given, weights),
        given + weights,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def _random_like(y: Tensor, with_gaps: bool) -> Tensor:
    """Return random numbers from -1 to 1 in the shape and type of `y`, which require gradients."""
    kind = y.dtype if y.is_floating_point() else float64
    if with_gaps and y.numel() > 1:
        drawn = (rand((*y.shape[:-1], 2 * y.shape[-1]), dtype=kind) * 2 - 1)[..., ::2]
    else:
        drawn = rand(y.shape, dtype=kind) * 2 - 1
    return drawn.requires_grad_()


def _gradient_function(func: Callable[..., Any], inputs: Any, weights: Any) -> Callable[..., Any]:
    """Return the function from the inputs of `func` and `weights` to the gradients of the inputs."""
    wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    weighted = {i for i, w in enumerate(weights) if w.requires_grad}

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        xs, ws = args[: -len(weights)], args[-len(weights) :]
        xs = tuple(x.requires_grad_() if i in wanted else x for i, x in enumerate(xs))
        outputs = differentiable(func(*xs))
        ws = tuple(w.requires_grad_() if i in weighted else w for i, w in enumerate(ws))
        found = grad(outputs, [xs[i] for i in wanted], ws, create_graph=True, allow_unused=True)
        return tuple(d for d in found if d is not None)

    return gradients


class _Check:
    """The checks of one function, with the tolerances that they share."""

    def __init__(self, func: Callable[..., Any], eps: float, atol: float, rtol: float, nondet_tol: float, check_grad_dtypes: bool) -> None:  # fmt: skip
        self.func, self.eps, self.atol, self.rtol = func, eps, atol, rtol
        self.nondet_tol, self.check_grad_dtypes = nondet_tol, check_grad_dtypes

    def run(self, inputs: tuple[Any, ...], fast: bool, batched: bool, masked: bool, undefined: bool) -> bool:  # fmt: skip
        """Run all checks, in PyTorch's order. Raises where one fails."""
        _check_inputs(inputs)
        results = as_tuple(self.func(*inputs))
        outputs = differentiable(results)
        if fast:
            self.compare_projections(inputs, results, outputs)
        elif outputs:
            self.compare_jacobians(inputs, results, outputs)
        else:
            self.expect_no_slope(numerical_jacobians(self.func, inputs, results, self.eps), 0)
        for i, y in enumerate(outputs if batched else ()):
            check_batched(inputs, y, i)
        check_product(inputs, outputs, masked)
        if undefined:
            check_undefined(self.func, inputs, len(outputs))
        return True

    def compare_jacobians(self, inputs: Any, results: Any, outputs: Any) -> None:
        """Compare every element of every Jacobian."""
        numerical = numerical_jacobians(self.func, inputs, results, self.eps)
        recorded = [i for i, y in enumerate(results) if y.requires_grad]
        for i, y in enumerate(outputs):
            for j, a in enumerate(self.backwards(inputs, y)):
                n = numerical[j][recorded[i]]
                if not _close(a, n, self.rtol, self.atol):
                    raise GradcheckError(_mismatch(a, n, i, j))

    def compare_projections(self, inputs: Any, results: Any, outputs: Any) -> None:
        """Compare ``u^T J v`` for random vectors `u` and `v`, for each input and output."""
        source = Generator()  # our own: a check does not disturb the user's random numbers
        us = [_unit_vector(x, source) for x in to_differentiate(inputs)]
        vs = [_unit_vector(y, source) for y in outputs]
        slopes = numerical_products(self.func, inputs, results, us, self.eps)
        if not outputs:
            self.expect_no_slope(slopes, self.nondet_tol)
        recorded = [i for i, y in enumerate(results) if y.requires_grad]
        rows = [self.backwards(inputs, y, v) for y, v in zip(outputs, vs, strict=True)]
        for j, u in enumerate(us):
            for i, v in enumerate(vs):
                a = rows[i][j].T.squeeze(0).dot(u)
                n = (v * slopes[j][recorded[i]]).sum()
                room = self.atol * float(u.sum()) * float(v.sum())
                if not _close(a, n, self.rtol, room):
                    both = self.recompute(inputs, results, outputs, i, j, recorded[i])
                    raise GradcheckError(_mismatch(a, n, i, j) + both)

    def backwards(self, inputs: Any, y: Tensor, v: Tensor | None = None) -> list[Tensor]:
        """Return the Jacobians of `y` by backward passes, or their products with `v`."""
        return analytical_jacobians(inputs, y, self.nondet_tol, self.check_grad_dtypes, v)

    def recompute(self, inputs: Any, results: Any, outputs: Any, i: int, j: int, place: int) -> str:
        """Return both Jacobians of output `i` and input `j` in full, for the message."""
        n = numerical_jacobians(self.func, inputs, results, self.eps)[j][place]
        a = analytical_jacobians(inputs, outputs[i], float("inf"), False)[j]
        text = SLOW_MODE.format(n, a, (n - a).abs().max())
        return text + SLOW_IS_FINE if _close(a, n, self.rtol, self.atol) else text

    def expect_no_slope(self, slopes: Sequence[Sequence[Tensor]], tolerance: float) -> None:
        """Raise unless all numerical derivatives are zero, as there is nothing to differentiate."""
        for slope in (s for row in slopes for s in row):
            if slope.numel() and slope.abs().max() > tolerance:
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    """Raise, or warn, where the inputs cannot be checked or will probably fail."""
    for index, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue
        if x.dtype != float64:
            warnings.warn(
                f"Input #{index} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double precision "
                "floating point or complex. ",
                stacklevel=4,
            )
        if any(step <= 0 and n > 1 for step, n in zip(x.stride(), x.size(), strict=True)):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that "
                "are non-overlapping to be able to compute the numerical gradients correctly. You should "
                "call .contiguous on the input before passing it to gradcheck."
            )
    if not to_differentiate(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )


def _close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    """Return whether the two agree, in the wider of their types."""
    common = promote_types(a.dtype, b.dtype)
    return a.to(common).allclose(b.to(common), rtol, atol)


def _unit_vector(t: Tensor, source: Generator) -> Tensor:
    """Return a random vector of length 1, with as many elements as `t` and of its type."""
    drawn = rand(t.numel(), generator=source).to(dtype=t.dtype)
    return drawn / drawn.norm()


def _mismatch(a: Tensor, n: Tensor, output: int, input: int) -> str:
    return (
        f"Jacobian mismatch for output {output} with respect to input {input},\n"
        f"numerical:{n}\nanalytical:{a}\n"
    )


SLOW_MODE = """
The above quantities relating the numerical and analytical jacobians are computed
in fast mode, as projections on random vectors. Below, we recompute numerical and analytical
jacobians in slow mode:

Numerical:
 {}
Analytical:
{}

The max per-element difference (slow mode) is: {}.
"""

SLOW_IS_FINE = """Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode: pass `fast_mode=False`."""
