"""Jacobians for `gradcheck`: by finite differences, and by backward passes.

Here a Jacobian is a matrix with one row for each element of the input and one column for each element
of the output. The fast mode multiplies it from both sides by random vectors, ``u^T J v``, which takes
two calls of the function and one backward pass however large it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from .._tensor import Tensor
from ._grad import grad

Function = Callable[..., Any]


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` when a check fails."""


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return a tuple or a list as a tuple, and anything else as a tuple of one."""
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return (value,)


def to_differentiate(inputs: Any) -> list[Tensor]:
    """Return the tensors among `inputs` that require gradients."""
    return [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]


def differentiable(outputs: Any) -> tuple[Tensor, ...]:
    """Return those of `outputs`, a tensor or several, that require gradients."""
    return tuple(y for y in as_tuple(outputs) if y.requires_grad)


def difference_quotient(func: Function, inputs: tuple[Any, ...], entry: Tensor, step: Any, eps: float, index: tuple[int, ...] | None = None) -> tuple[Tensor, ...]:  # fmt: skip
    """Return ``(func(inputs + step) - func(inputs - step)) / (2 * eps)``, flat, for each output.

    Args:
        func: the function to check.
        inputs: its arguments.
        entry: what is moved by `step`, in place: memory of one of the arguments.
        step: a number or a tensor like `entry`.
        eps: the length of the step.
        index: of the entry, for the message.

    Raises:
        AssertionError: the function returns another shape or type when its argument moves.
    """
    before = entry.clone()
    entry.copy_(before - step)
    low = [y.clone() for y in as_tuple(func(*inputs))]
    entry.copy_(before + step)
    high = [y.clone() for y in as_tuple(func(*inputs))]
    entry.copy_(before)
    for a, b in zip(low, high, strict=True):
        _refuse_changed_form(a, b, eps, index)
    return tuple(((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(low, high, strict=True))


def _refuse_changed_form(a: Tensor, b: Tensor, eps: float, index: tuple[int, ...] | None) -> None:
    where = "" if index is None else f"on index {index} "
    for what, first, second in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if first != second:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed "
                f"{where}by {eps}, but got: {what}s {first} and {second}."
            )


def numerical_jacobians(func: Function, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], eps: float) -> list[list[Tensor]]:  # fmt: skip
    """Return the Jacobians by finite differences: a list for each input, with one for each output."""
    return [_numerical_jacobian(func, inputs, x, outputs, eps) for x in to_differentiate(inputs)]


def _numerical_jacobian(func: Function, inputs: tuple[Any, ...], x: Tensor, outputs: tuple[Tensor, ...], eps: float) -> list[Tensor]:  # fmt: skip
    kinds = [y.dtype if y.is_floating_point() else x.dtype for y in outputs]
    found = [
        x.detach().new_zeros((x.numel(), y.numel()), dtype=kind)
        for y, kind in zip(outputs, kinds, strict=True)
    ]
    memory = x.data  # written to behind the back of the version check
    for row, index in enumerate(product(*map(range, x.shape))):
        columns = difference_quotient(func, inputs, memory[index], eps, eps, index)
        for jacobian, column in zip(found, columns, strict=True):
            jacobian[row] = column
    return found


def numerical_products(func: Function, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], us: Sequence[Tensor], eps: float) -> list[list[Tensor]]:  # fmt: skip
    """Return ``u^T J`` by finite differences: a list for each input, with one for each output."""
    found = []
    for x, u in zip(to_differentiate(inputs), us, strict=True):
        step = u.reshape(x.shape) * eps
        found.append(list(difference_quotient(func, inputs, x.data, step, eps)))
        if len(found[-1]) != len(outputs):
            raise AssertionError(
                "Expected all_Ju and func_out to have the same length, but got "
                f"{len(found[-1])} and {len(outputs)}"
            )
    return found


def analytical_jacobians(inputs: tuple[Any, ...], output: Tensor, nondet_tol: float, check_grad_dtypes: bool, v: Tensor | None = None) -> list[Tensor]:  # fmt: skip
    """Return the Jacobians of `output` by backward passes, one for each input.

    Everything is computed twice, to see whether a backward pass gives the same both times.

    Args:
        inputs: the arguments of the function.
        output: one of its results.
        nondet_tol: how much the two computations may differ.
        check_grad_dtypes: raise where a gradient has another type than its input.
        v: a vector to multiply the Jacobians by, instead of computing them in full.

    Raises:
        GradcheckError: a gradient has the wrong shape or type, or is not the same twice.
    """
    xs = to_differentiate(inputs)
    first, second = (_assembled(xs, list(_columns(xs, output, v))) for _ in range(2))
    jacobians, right_types, right_sizes = first
    if not right_types and check_grad_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not right_sizes:
        raise GradcheckError("Analytical gradient has incorrect size")
    for a, b in zip(jacobians, second[0], strict=True):
        if a.numel() != 0 and (a - b).abs().max() > nondet_tol:
            raise GradcheckError(NOT_THE_SAME_TWICE.format(nondet_tol))
    return jacobians


def _columns(xs: list[Tensor], output: Tensor, v: Tensor | None) -> Iterator[tuple[Any, ...]]:
    """Yield the gradients of each element of `output`, or of its product with `v`."""
    if v is not None:
        yield _gradients(xs, output, v.reshape(output.shape))
        return
    for index in product(*map(range, output.shape)):
        unit = output.detach().new_zeros(output.shape)
        unit[index] = 1.0
        yield _gradients(xs, output, unit)


def _gradients(xs: list[Tensor], output: Tensor, direction: Tensor) -> tuple[Any, ...]:
    found = grad(output, xs, direction, retain_graph=True, allow_unused=True)
    return tuple(d if d is None else d.clone() for d in found)


def _assembled(xs: list[Tensor], columns: list[tuple[Any, ...]]) -> tuple[list[Tensor], bool, bool]:
    """Return the Jacobians with these columns, whether their types are right, and their sizes."""
    jacobians, right_types, right_sizes = [], True, True
    for place, x in enumerate(xs):
        jacobian = x.detach().new_zeros((x.numel(), len(columns)))
        for j, found in enumerate(columns):
            d = found[place]
            if d is None:
                continue
            if d.size() != x.size():
                right_sizes = False
            elif d.dtype != x.dtype:
                right_types = False
            if d.numel() != x.numel():
                raise AssertionError(
                    f"Expected out_jacobian column to have {d.numel()} elements, but got {x.numel()}"
                )
            jacobian[:, j] = d.reshape(-1)
        jacobians.append(jacobian)
    return jacobians, right_types, right_sizes


NOT_THE_SAME_TWICE = """Backward is not reentrant, i.e., running backward with \
same input and grad_output multiple times gives different values, \
although analytical gradient matches numerical gradient.\
The tolerance for nondeterminism was {}.

Where that is expected, allow for it: pass `nondet_tol=` to gradcheck or gradgradcheck."""
