"""Derivatives of functions: products with a vector, whole Jacobians and Hessians.

With J the Jacobian of ``y = f(x)``, one backward pass computes a row combination ``v^T J`` (`vjp`). A
column combination ``J u`` (`jvp`) comes out of two: ``v -> v^T J`` is linear in `v`, so differentiating
it with respect to `v`, in the direction `u`, gives ``J u`` for whatever `v` was. This is the "double
backward trick". A Hessian is the Jacobian of a gradient, and so on.

Source: https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._engine import is_grad_enabled
from .._factories import zeros_like
from .._tensor import Tensor
from ._arguments import (
    Tensors,
    check_vector,
    fill_in_zeros,
    finished,
    fresh,
    gradients,
    only_a_scalar,
    refuse_constant,
    same_nesting,
    single_scalar,
    stacked,
    tupled,
)
from .grad_mode import enable_grad, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]


def vjp(func: Function, inputs: Tensors | Tensor, v: Tensors | Tensor | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:  # fmt: skip
    """Return ``func(*inputs)`` and the product of the vector `v` with its Jacobian, ``v^T J``.

    Args:
        func: takes tensors, returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: shaped like the result of `func`; may be left out where that has a single element.
        create_graph: record the computation, so that the product can be differentiated again.
        strict: raise where the result does not depend on an input, instead of returning zeros.

    Returns:
        The result of `func`, and the product in the shape and nesting of `inputs`.

    Raises:
        TypeError: `inputs`, `v` or the result of `func` holds something else than tensors.
        RuntimeError: `v` does not fit, or with `strict` an input is not used.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.vjp.html
    """
    with enable_grad():
        many_inputs, xs = fresh(inputs, "inputs", "vjp", create_graph)
        many_outputs, ys = tupled(func(*xs), "outputs of the user-provided function", "vjp")
        refuse_constant(ys, "outputs", strict)
        if v is not None:
            _, vs = fresh(v, "v", "vjp", create_graph, need_graph=False)
            check_vector(vs, ys, many_outputs)
        else:
            vs = None
            if len(ys) != 1 or ys[0].nelement() != 1:
                raise RuntimeError(
                    "The vector v can only be None if the user-provided function returns a single "
                    "Tensor with a single element."
                )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(ys, xs, vs, create_graph=create_graph)
        product = fill_in_zeros(found, xs, strict, create_graph, "back")
    return (
        same_nesting(finished(ys, create_graph), many_outputs),
        same_nesting(finished(product, create_graph), many_inputs),
    )


def jvp(func: Function, inputs: Tensors | Tensor, v: Tensors | Tensor | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:  # fmt: skip
    """Return ``func(*inputs)`` and the product of its Jacobian with the vector `v`, ``J v``.

    Computed by the double backward trick (see the top of this file).

    Args:
        func: takes tensors, returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: shaped like `inputs`; may be left out where `inputs` has a single element.
        create_graph: record the computation, so that the product can be differentiated again.
        strict: raise where the result does not depend on an input, instead of returning zeros.

    Returns:
        The result of `func`, and the product in the shape and nesting of that result.

    Raises:
        TypeError: `inputs`, `v` or the result of `func` holds something else than tensors.
        RuntimeError: `v` does not fit, or with `strict` an input is not used.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.jvp.html
    """
    with enable_grad():
        many_inputs, xs = fresh(inputs, "inputs", "jvp", create_graph)
        if v is not None:
            _, vs = fresh(v, "v", "jvp", create_graph, need_graph=False)
            check_vector(vs, xs, many_inputs)
        else:
            vs = None
            if not single_scalar(xs):
                raise RuntimeError(
                    "The vector v can only be None if the input to the user-provided function is a "
                    "single Tensor with a single element."
                )
        many_outputs, ys = tupled(func(*xs), "outputs of the user-provided function", "jvp")
        refuse_constant(ys, "outputs", strict)
        weights = tuple(zeros_like(y, requires_grad=True) for y in ys)  # any value would do
        rows = gradients(ys, xs, weights, create_graph=True)
        refuse_constant(rows, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(rows, weights, vs, create_graph=create_graph)
        product = fill_in_zeros(found, ys, strict, create_graph, "back_trick")
    return (
        same_nesting(finished(ys, create_graph), many_outputs),
        same_nesting(finished(product, create_graph), many_outputs),
    )


def jacobian(func: Function, inputs: Tensors | Tensor, create_graph: bool = False, strict: bool = False, vectorize: bool = False, strategy: str = "reverse-mode") -> Any:  # fmt: skip
    """Return the Jacobian of `func` at `inputs`.

    Args:
        func: takes tensors, returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        create_graph: record the computation, so that the Jacobian can be differentiated again.
        strict: raise where an output does not depend on an input, instead of returning zeros.
        vectorize: ask for all rows in one call of `autograd.grad`, with ``is_grads_batched``.
        strategy: "reverse-mode": row by row. "forward-mode", column by column, needs `vectorize`;
            the columns come from the double backward trick, as there are no dual numbers here.

    Returns:
        For one output and one input a tensor of shape ``output.shape + input.shape``. Where the
        outputs or the inputs are a tuple, a tuple; where both are, ``jacobian[output][input]``.

    Raises:
        TypeError: `inputs` or the result of `func` holds something else than tensors.
        RuntimeError: with `strict`, an output does not depend on an input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.jacobian.html

    Example:
        >>> import nbmodule
        >>> nbmodule.autograd.functional.jacobian(lambda x: x * x, nbmodule.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function '
            'has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
            'prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _column_by_column(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        many_inputs, xs = fresh(inputs, "inputs", "jacobian", create_graph)
        many_outputs, ys = tupled(func(*xs), "outputs of the user-provided function", "jacobian")
        refuse_constant(ys, "outputs", strict)
        if vectorize:
            if strict:
                raise RuntimeError(
                    "nbmodule.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                    "supported together. Please either set `strict=False` or `vectorize=False`."
                )
            found = tuple(_rows_at_once(y, xs, create_graph) for y in ys)
        else:
            found = tuple(_row_by_row(i, y, xs, create_graph, strict) for i, y in enumerate(ys))
        found = tuple(finished(row, create_graph) for row in found)
    return same_nesting(found, (many_outputs, many_inputs))


def _row_by_row(number: int, y: Tensor, xs: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """Return the Jacobians of the output `y`, the one of this number, with respect to each of `xs`."""
    rows: list[list[Tensor]] = [[] for _ in xs]
    for element in range(y.nelement()):
        picked = (y.reshape(-1)[element],)
        found = gradients(picked, xs, retain_graph=True, create_graph=create_graph)
        for place, (row, x, d) in enumerate(zip(rows, xs, found, strict=True)):
            if d is None and strict:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {place}. "
                    "This is not allowed in strict mode."
                )
            if d is not None and strict and create_graph and not d.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. "
                    "This is not allowed in strict mode when create_graph=True."
                )
            row.append(zeros_like(x) if d is None else d)
    return tuple(stacked(row).view(y.size() + x.size()) for row, x in zip(rows, xs, strict=True))


def _rows_at_once(y: Tensor, xs: Tensors, create_graph: bool) -> Tensors:
    """Return the Jacobians of the output `y` with respect to each of `xs`, by one batched call."""
    size = y.numel()
    basis = _identity_like(y).reshape(size, size)
    options = {"create_graph": create_graph, "retain_graph": True, "is_grads_batched": True}
    found = gradients((y.reshape(-1),), xs, (basis,), **options)
    shapes = [y.shape + x.shape for x in xs]
    return tuple(
        x.new_zeros(shape) if d is None else d.view(shape)
        for x, d, shape in zip(xs, found, shapes, strict=True)
    )


def _identity_like(t: Tensor) -> Tensor:
    """Return the standard basis of the space of `t`: ``(numel,) + t.shape``."""
    size = t.numel()
    basis = t.detach().new_zeros((size, size))
    for i in range(size):
        basis[i, i] = 1
    return basis.view((size, *t.shape))


def _column_by_column(func: Function, inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:  # fmt: skip
    """Return the Jacobian of `func` as `jacobian` does, made of products with unit vectors."""
    name = "nbmodule.autograd.functional.jacobian"
    if create_graph:
        raise NotImplementedError(
            f'{name}: `create_graph=True` and `strategy="forward-mode"` are not supported together '
            '(yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            f'{name}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). '
            'Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    many_inputs, xs = tupled(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
            "only implemented for `vectorize=True`."
        )
    if not xs:
        raise AssertionError("Expected at least one tensor")
    recorded = is_grad_enabled() and any(x.requires_grad for x in xs)
    many_outputs = False
    by_input: list[list[Tensor]] = []
    for place, x in enumerate(xs):
        columns = []
        for unit in _identity_like(x):
            direction = tuple(unit if i == place else zeros_like(o) for i, o in enumerate(xs))
            ys, product = jvp(func, xs, direction, create_graph=recorded)
            many_outputs = isinstance(ys, tuple)
            columns.append(product if many_outputs else (product,))
        by_input.append(
            [
                stacked(parts, -1).reshape(parts[0].shape + x.shape)
                for parts in zip(*columns, strict=True)
            ]
        )
    found = [list(row) for row in zip(*by_input, strict=True)]
    return same_nesting(found, (many_outputs, many_inputs))  # lists where the others give tuples


def hessian(func: Function, inputs: Tensors | Tensor, create_graph: bool = False, strict: bool = False, vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:  # fmt: skip
    """Return the Hessian of the scalar function `func` at `inputs`.

    Args:
        func: takes tensors, returns a tensor with a single element.
        inputs: a tensor or a tuple of tensors.
        create_graph: record the computation, so that the Hessian can be differentiated again.
        strict: raise where the result or its gradient does not depend on an input.
        vectorize: as in `jacobian`, for the outer of the two Jacobians.
        outer_jacobian_strategy: as `strategy` in `jacobian`, for the outer one.

    Returns:
        For one input a tensor of shape ``input.shape + input.shape``, for a tuple of inputs the
        tuples ``hessian[i][j]``.

    Raises:
        TypeError: `inputs` or the result of `func` holds something else than tensors.
        RuntimeError: the result of `func` is not a single number; or what `strict` forbids.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.hessian.html

    Example:
        >>> import nbmodule
        >>> nbmodule.autograd.functional.hessian(lambda x: (x**3).sum(), nbmodule.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    many, xs = tupled(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*args: Tensor) -> Tensor:
        result = func(*args)
        is_tuple, ys = tupled(result, "outputs of the user-provided function", "hessian")
        refuse_constant(ys, "outputs", strict)
        return only_a_scalar(is_tuple, ys, "hessian").squeeze()

    def gradient(*args: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(x.requires_grad_(True) for x in args)
        found = jacobian(scalar, args, create_graph=True)
        refuse_constant(found, "jacobian", strict)
        return found

    options = {"create_graph": create_graph, "strict": strict, "vectorize": vectorize}
    found = jacobian(gradient, xs, **options, strategy=outer_jacobian_strategy)
    return same_nesting(found, (many, many))


def vhp(func: Function, inputs: Tensors | Tensor, v: Tensors | Tensor | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:  # fmt: skip
    """Return ``func(*inputs)`` and the product of the vector `v` with its Hessian, ``v^T H``.

    Args:
        func: takes tensors, returns a tensor with a single element.
        inputs: a tensor or a tuple of tensors.
        v: shaped like `inputs`; may be left out where `inputs` has a single element.
        create_graph: record the computation, so that the product can be differentiated again.
        strict: raise where the result or its gradient does not depend on an input.

    Returns:
        The result of `func`, and the product in the shape and nesting of `inputs`.

    Raises:
        TypeError: `inputs`, `v` or the result of `func` holds something else than tensors.
        RuntimeError: `v` does not fit, the result is not a single number; or what `strict` forbids.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.vhp.html
    """
    many, xs, vs, y, slope = _gradient_of_scalar("vhp", func, inputs, v, create_graph, strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(slope, xs, vs, create_graph=create_graph)
        product = fill_in_zeros(found, xs, strict, create_graph, "double_back")
    return (
        same_nesting(finished((y,), create_graph), False),
        same_nesting(finished(product, create_graph), many),
    )


def hvp(func: Function, inputs: Tensors | Tensor, v: Tensors | Tensor | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:  # fmt: skip
    """Return ``func(*inputs)`` and the product of its Hessian with the vector `v`, ``H v``.

    The Hessian of a twice continuously differentiable function is symmetric: then `vhp` gives the same
    and is faster, as it does without the double backward trick.

    Args:
        func: takes tensors, returns a tensor with a single element.
        inputs: a tensor or a tuple of tensors.
        v: shaped like `inputs`; may be left out where `inputs` has a single element.
        create_graph: record the computation, so that the product can be differentiated again.
        strict: raise where the result or its gradient does not depend on an input.

    Returns:
        The result of `func`, and the product in the shape and nesting of `inputs`.

    Raises:
        TypeError: `inputs`, `v` or the result of `func` holds something else than tensors.
        RuntimeError: `v` does not fit, the result is not a single number; or what `strict` forbids.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.hvp.html
    """
    many, xs, vs, y, slope = _gradient_of_scalar("hvp", func, inputs, v, create_graph, strict)
    with enable_grad():
        weights = tuple(zeros_like(x, requires_grad=True) for x in xs)
        rows = gradients(slope, xs, weights, create_graph=True)
        refuse_constant(slope, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(rows, weights, vs, create_graph=create_graph)
        product = fill_in_zeros(found, xs, strict, create_graph, "double_back_trick")
    return (
        same_nesting(finished((y,), create_graph), False),
        same_nesting(finished(product, create_graph), many),
    )


def _gradient_of_scalar(name: str, func: Function, inputs: Any, v: Any, create_graph: bool, strict: bool) -> Any:  # fmt: skip
    """Return whether `inputs` is a tuple, the inputs, the vectors, the result and its gradients."""
    with enable_grad():
        many, xs = fresh(inputs, "inputs", name, create_graph)
        if v is not None:
            _, vs = fresh(v, "v", name, create_graph, need_graph=False)
            check_vector(vs, xs, many)
        else:
            vs = None
            if not single_scalar(xs):
                raise RuntimeError(
                    "The vector v can only be None if the input to the user-provided function is a "
                    "single Tensor with a single element."
                )
        is_tuple, ys = tupled(func(*xs), "outputs of the user-provided function", name)
        refuse_constant(ys, "outputs", strict)
        y = only_a_scalar(is_tuple, ys, name)
        slope = gradients(ys, xs, create_graph=True)
        refuse_constant(slope, "jacobian", strict)
    return many, xs, vs, y, slope
