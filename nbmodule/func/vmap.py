"""A function of one example, applied to each example of a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, NoReturn

from .._generator import default_generator
from .._ops.shape import stack
from .._tensor import Tensor
from ._trees import Spec, flatten, is_container, members, spread, unflatten

__all__ = ["vmap"]


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None) -> Callable[..., Any]:  # fmt: skip
    """Return a function that applies `func` to each slice of its arguments, and stacks the results.

    This is a loop over the slices, so it gives what PyTorch's gives, but is no faster than a loop.

    Args:
        func: takes and returns tensors, in any nesting.
        in_dims: which dimension of the arguments to slice: a number for all of them, or a number for
            each; None for an argument that is passed as it is.
        out_dims: where the new dimension of the results goes; None for one that is the same for all.
        randomness: "error": random numbers may not be drawn in `func`; "different": each call draws its
            own; "same": each call draws the same.
        chunk_size: how many slices PyTorch works on at a time; here it is always one.

    Raises:
        ValueError: on a call, where `in_dims` or `out_dims` does not fit.
        RuntimeError: on a call, where random numbers are drawn against `randomness`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.ones(2, 3), nbmodule.ones(2, 3)
        >>> nbmodule.func.vmap(nbmodule.dot)(a, b)
        tensor([3., 3.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        name = _name(func)
        _check_out_dims(out_dims, name)
        leaves, dims, spec = _sliced_along(in_dims, args, name)
        size = _batch_size(leaves, dims)
        count = max(size, 1)  # an empty batch: one call on zeros, for the shapes
        state = default_generator.get_state()
        results = []
        for i in range(count):
            if randomness == "same":
                default_generator.set_state(state)
            slices = [
                x if d is None else (x.select(d, i) if size else x.detach().sum(d))
                for x, d in zip(leaves, dims, strict=True)
            ]
            results.append(func(*unflatten(slices, spec), **kwargs))
            if randomness == "error" and not default_generator.get_state().equal(state):
                raise RuntimeError(
                    "vmap: called random operation while in randomness error mode. Please either use the "
                    "'same' or 'different' randomness flags on vmap or perform the randomness operation "
                    "out of vmap"
                )
        return _stacked(results, size, out_dims, name)

    return wrapper


def _name(func: Any) -> str:
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


def _check_out_dims(out_dims: Any, name: str) -> None:
    if is_container(out_dims):
        for member in members(out_dims):
            _check_out_dims(member, name)
    elif not (isinstance(out_dims, int) or out_dims is None):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should appear."
        )


def _sliced_along(
    in_dims: Any, args: tuple[Any, ...], name: str
) -> tuple[list[Any], list[Any], Spec]:
    """Return the tensors in `args`, the dimension to slice each along, and how they were nested."""
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{start}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
            f"inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
            "vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = flatten(args)
    dims = spread(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{start}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    return leaves, [_checked_dim(x, d, start) for x, d in zip(leaves, dims, strict=True)], spec


def _checked_dim(x: Any, dim: Any, start: str) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(x, Tensor):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -x.dim() <= dim < x.dim():
        raise ValueError(
            f"{start}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {x.dim()} "
            f"so expected in_dim to satisfy -{x.dim()} <= in_dim < {x.dim()}."
        )
    return dim % x.dim()


def _batch_size(leaves: list[Any], dims: list[int | None]) -> int:
    sizes = [x.size(d) for x, d in zip(leaves, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]


def _stacked(results: list[Any], size: int, out_dims: Any, name: str) -> Any:
    """Return the results of all calls as one, with the new dimensions where `out_dims` says."""
    flat = [flatten(result) for result in results]
    spec = flat[0][1]
    dims = spread(out_dims, spec)
    if spec.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        dims = list(out_dims)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has "
            f"structure {spec}."
        )
    columns = zip(*(leaves for leaves, _ in flat), strict=True)
    joined = [_joined(column, d, size, name) for column, d in zip(columns, dims, strict=True)]
    return unflatten(joined, spec)


def _joined(column: tuple[Any, ...], dim: int | None, size: int, name: str) -> Any:
    if dim is None:
        first = column[0]
        if isinstance(first, Tensor) and any(y is not first for y in column):
            _refuse_batched(name)
        return first
    for y in column:
        if not isinstance(y, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(y)}. Did you mean to "
                "set out_dims= to None for output?"
            )
    whole = column[0].ndim + 1
    if not -whole <= dim < whole:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{whole}, {whole - 1}], but got {dim})"
        )
    found = stack(*column, axis=dim % whole)
    return found if size else found.narrow(dim % whole, 0, 0)


def _refuse_batched(name: str) -> NoReturn:
    raise ValueError(
        f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
    )
