"""Functions that take a function and return its derivative; they can be applied to each other.

A transform calls the function on fresh tensors of its own, differentiates with ``create_graph``, and
then cuts the results off those tensors. What a result owes to other tensors, such as the fresh tensors of
a transform around this one, stays recorded. So transforms nest.

Source: https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

from .._engine import is_grad_enabled
from .._factories import zeros_like
from .._ops.shape import stack
from .._tensor import Tensor
from ..autograd import enable_grad
from ._levels import Function, Level, Places, check_outputs, gradients, picked, replaced, split_aux
from ._trees import Spec, flatten, tree_map, unflatten

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp"]


def grad_and_value(func: Function, argnums: Places = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of `func`, and its value.

    Args:
        func: returns a tensor with a single element and no dimension.
        argnums: which of its arguments to differentiate: a place or a tuple of places. An argument
            may be a tensor, or tuples, lists and dictionaries of tensors.
        has_aux: `func` returns a pair, the value and something else, which is passed on.

    Returns:
        A function that returns ``(gradient, value)``, or ``(gradient, (value, aux))``.

    Raises:
        RuntimeError: on a call, where `func` returns something else, or `argnums` does not fit.
        ValueError: on a call, where an argument is no tensor.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.grad_and_value.html
    """
    name = "grad_and_value(f)(*args)"

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        with enable_grad():
            places, chosen = picked(args, argnums)
            xs, spec = flatten(chosen)
            xs = [level.enter(x) for x in xs]
            entered = unflatten(xs, spec)
            entered = [entered] if isinstance(argnums, int) else entered
            result = func(*replaced(args, places, entered), **kwargs)
            value, aux = split_aux(result, has_aux, name)
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    f"{name}: Expected f(*args) to return a Tensor, got {type(value)}"
                )
            if value.dim() != 0:
                raise RuntimeError(
                    f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with {value.dim()} "
                    "dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            found = map(level.leave, gradients([value], xs, None))
            gradient, value = unflatten(found, spec), level.leave(value)
            return gradient, (value, tree_map(level.leave, aux)) if has_aux else value

    return wrapper


def grad(func: Function, argnums: Places = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of `func`. See `grad_and_value`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.grad.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.func import grad
        >>> grad(nbmodule.sin)(nbmodule.tensor(0.0))
        tensor(1.)
        >>> grad(grad(lambda x: x**3))(nbmodule.tensor(2.0))
        tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return ``func(*primals)`` and a function that multiplies vectors by the Jacobian, ``v^T J``.

    Args:
        func: returns tensors of a floating point type, in any nesting.
        primals: its arguments: tensors, in any nesting.
        has_aux: `func` returns a pair, the output and something else, which is returned third.

    Returns:
        The output, and a function that takes a vector nested like it and returns a tuple of the
        products, one for each of `primals`.

    Raises:
        RuntimeError: `func` returns something else; or, on a call, the vector does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.vjp.html
    """
    return _vjp(func, primals, None, has_aux)


def _vjp(func: Function, args: tuple[Any, ...], argnums: Places | None, has_aux: bool) -> Any:
    """`vjp` with respect to the arguments at `argnums`, or to all of them."""
    level = Level()
    with enable_grad():
        places, chosen = (
            (list(range(len(args))), args) if argnums is None else picked(args, argnums)
        )
        xs, inner = flatten(chosen)
        xs = [level.enter(x) for x in xs]
        entered = unflatten(xs, inner)
        entered = [entered] if isinstance(argnums, int) else entered
        result = func(*replaced(args, places, entered))
        result, aux = split_aux(result, has_aux, "vjp(f, *primals)")
        aux = tree_map(level.leave, aux) if has_aux else None
        ys, outer = flatten(result)
        check_outputs(ys, "vjp(f, *primals)")
        for y in ys:
            if not y.is_floating_point():
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor "
                    f"with dtype {y.dtype}"
                )
        values = unflatten(map(level.leave, ys), outer)

    def multiply(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        vs, form = flatten(cotangents)
        if form != outer:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
                f"the function. cotangents: {form.pretty}, primal output: {outer.pretty}"
            )
        recording = is_grad_enabled() if create_graph is None else create_graph
        products = gradients(ys, xs, vs, create_graph=recording)
        return unflatten(map(level.leave, products), inner)

    return (values, multiply, aux) if has_aux else (values, multiply)


PRODUCT = "jvp(f, primals, tangents)"


def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:  # fmt: skip
    """Return ``func(*primals)`` and the product of its Jacobian with the vector `tangents`.

    It takes two backward passes, by the double backward trick of `autograd.functional`: there is no
    forward mode here.

    Args:
        func: returns tensors, in any nesting.
        primals: its arguments, a tuple of tensors.
        tangents: the vector, nested like `primals`.
        strict: raise where an output does not depend on the arguments, instead of returning zeros.
        has_aux: `func` returns a pair, the output and something else, which is returned third.

    Returns:
        The output and the product, nested alike.

    Raises:
        RuntimeError: `tangents` does not fit `primals`, or `func` returns something else than tensors.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.jvp.html
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{PRODUCT}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    return _jvp(func, primals, tangents, None, strict, has_aux)


def _jvp(func: Function, args: tuple[Any, ...], tangents: Any, argnums: Places | None, strict: bool, has_aux: bool) -> Any:  # fmt: skip
    """`jvp` with respect to the arguments at `argnums` (then a tuple), or to all of them."""
    level = Level()
    places, chosen = (list(range(len(args))), args) if argnums is None else picked(args, argnums)
    chosen = (chosen,) if isinstance(argnums, int) else chosen
    xs, inner = flatten(chosen)
    vs, form = flatten(tangents)
    _check_tangents(xs, inner, vs, form)
    with enable_grad():
        xs = [level.enter(x) for x in xs]
        result = func(*replaced(args, places, unflatten(xs, inner)))
        result, aux = split_aux(result, has_aux, PRODUCT)
        aux = tree_map(level.leave, aux) if has_aux else None
        ys, outer = flatten(result)
        check_outputs(ys, PRODUCT)
        if strict and not all(y.requires_grad for y in ys):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
                "This is not allowed with strict=True."
            )
        products = _double_backward(level, ys, xs, vs)
        values = unflatten(map(level.leave, ys), outer)
    found = unflatten(map(level.leave, products), outer)
    return (values, found, aux) if has_aux else (values, found)


def _double_backward(level: Level, ys: list[Tensor], xs: list[Tensor], vs: list[Tensor]) -> list[Tensor]:  # fmt: skip
    """Return ``J v`` for each of `ys`: the derivative of ``w -> w^T J`` in the direction `vs`."""
    products = [zeros_like(y) for y in ys]
    recorded = [i for i, y in enumerate(ys) if y.requires_grad]
    weights = [zeros_like(ys[i], requires_grad=True) for i in recorded]
    level.own += weights
    rows = gradients([ys[i] for i in recorded], xs, weights)
    for i, product in zip(recorded, gradients(rows, weights, vs), strict=True):
        products[i] = product
    return products


def _check_tangents(xs: list[Any], inner: Spec, vs: list[Any], form: Spec) -> None:
    """Raise a RuntimeError unless `vs` and `xs` are tensors of the same sizes, nested alike."""
    if inner != form:
        raise RuntimeError(
            f"{PRODUCT}: Expected primals and tangents to have the same python structure. For example, if "
            "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{inner} and tangents with structure {form}"
        )
    for name, tensors in (("primals", xs), ("tangents", vs)):
        if not tensors:
            raise RuntimeError(f"{PRODUCT}: Expected {name} to contain at least one Tensor.")
        for t in tensors:
            if not isinstance(t, Tensor):
                raise RuntimeError(
                    f"{PRODUCT}: Expected {name} to only contain Tensors, got {type(t)}"
                )
    for x, v in zip(xs, vs, strict=True):
        if x.shape != v.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original "
                f"Tensor, this is not supported. Tensor is of size {list(x.shape)} while the given forward "
                f"gradient is of size {list(v.shape)}."
            )


def jacrev(func: Function, argnums: Places = 0, *, has_aux: bool = False, chunk_size: int | None = None, _preallocate_and_copy: bool = False) -> Function:  # fmt: skip
    """Return a function that computes the Jacobian of `func`, row by row.

    Args:
        func: returns tensors, in any nesting.
        argnums: which of its arguments to differentiate: a place or a tuple of places.
        has_aux: `func` returns a pair, the output and something else, which is passed on.
        chunk_size: how many rows PyTorch computes at a time; here they always come one by one.

    Returns:
        A function that returns the Jacobian, in the nesting of the output; where `argnums` is a tuple, with
        a tuple for each output. Each Jacobian has the shape ``output.shape + input.shape``.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @wraps(func)
    def wrapper(*args: Any) -> Any:
        values, multiply, *aux = _vjp(func, args, argnums, has_aux)
        ys, outer = flatten(values)
        _, chosen = picked(args, argnums)
        xs, inner = flatten(chosen)
        jacobians = []
        for place, y in enumerate(ys):
            rows = [
                flatten(multiply(unflatten(_unit(ys, place, k), outer)))[0]
                for k in range(y.numel())
            ]
            columns = zip(*rows, strict=True) if rows else [()] * len(xs)
            blocks = [_block(c, y, x) for c, x in zip(columns, xs, strict=True)]
            jacobians.append(unflatten(blocks, inner))
        found = unflatten(jacobians, outer)
        return (found, aux[0]) if has_aux else found

    return wrapper


def _unit(tensors: Sequence[Tensor], place: int, element: int) -> list[Tensor]:
    """Return zeros like `tensors`, with a one at this element of the tensor at this place."""
    zeros = [t.detach().new_zeros(t.shape) for t in tensors]  # row by row, whatever order `t` has
    zeros[place].view(-1)[element] = 1
    return zeros


def _block(rows: Sequence[Tensor], y: Tensor, x: Tensor) -> Tensor:
    """Return the Jacobian of `y` with respect to `x` from its rows."""
    shape = (*y.shape, *x.shape)
    return stack(*rows, axis=0).reshape(shape) if rows else x.detach().new_zeros(shape)


def jacfwd(func: Function, argnums: Places = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:  # fmt: skip
    """Return a function that computes the Jacobian of `func`, column by column.

    Args:
        func: returns tensors, in any nesting.
        argnums: which of its arguments to differentiate: a place or a tuple of places.
        has_aux: `func` returns a pair, the output and something else, which is passed on.
        randomness: what `vmap` allows in PyTorch; here each column is a call of its own.

    Returns:
        What `jacrev` returns: the Jacobian is the same.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.jacfwd.html
    """

    @wraps(func)
    def wrapper(*args: Any) -> Any:
        _, chosen = picked(args, argnums)
        chosen = (chosen,) if isinstance(argnums, int) else chosen
        xs, inner = flatten(chosen)
        columns: list[list[list[Tensor]]] = []
        outer, aux = None, None
        for place, x in enumerate(xs):
            columns.append([])
            for k in range(x.numel()):
                unit = unflatten(_unit(xs, place, k), inner)
                _, product, *rest = _jvp(func, args, unit, argnums, False, has_aux)
                aux = rest[0] if rest else None
                parts, outer = flatten(product)
                columns[-1].append(parts)
        if outer is None:
            raise RuntimeError("jacfwd: the arguments have no elements")
        blocks = [
            [_turned(parts, x) for parts in zip(*found, strict=True)]
            for found, x in zip(columns, xs, strict=True)
        ]
        by_output = [unflatten(row, inner) for row in zip(*blocks, strict=True)]
        if isinstance(argnums, int):
            by_output = [row[0] for row in by_output]
        found = unflatten(by_output, outer)
        return (found, aux) if has_aux else found

    return wrapper


def _turned(columns: Sequence[Tensor], x: Tensor) -> Tensor:
    """Return the Jacobian with respect to `x` from its columns."""
    return stack(*columns, axis=-1).reshape((*columns[0].shape, *x.shape))


def hessian(func: Function, argnums: Places = 0) -> Function:
    """Return a function that computes the Hessian of `func`: ``jacfwd(jacrev(func))``.

    Args:
        func: returns a tensor, for a Hessian in the usual sense one with a single element.
        argnums: which of its arguments to differentiate: a place or a tuple of places.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.hessian.html
    """
    return jacfwd(jacrev(func, argnums), argnums)
