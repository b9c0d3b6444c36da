"""Functions that make tensors of random numbers: the same ones as PyTorch's for the same seed.

Of 16 and more normal ones the last digits may differ (decision 4). All functions take a `generator`, and the options of `zeros`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import namespace_of, to_numpy
from ._creation import empty_like, filled
from ._engine import TensorBase, renamed
from ._engine.signature import shown_as
from ._errors import invalid_call, name_of_type, not_a_tensor
from ._generator import Generator, default_generator
from ._methods._signatures import bind_call
from ._methods.new_tensors import OPTIONS
from ._methods.random_draws import checked_generator, drawn
from ._tensor import Tensor


def _blank(name: str, size: tuple[Any, ...], options: dict[str, Any]) -> tuple[Tensor, bool]:
    """Return a tensor to be filled, and whether it is to be recorded afterwards."""
    generator = options.pop("generator", None)
    if not size and "size" not in options:
        raise invalid_call(name, size, options)
    _check_generator(name, size, generator, options)
    recorded = options.pop("requires_grad", False)
    try:
        t = filled(name, size, None, options)
        _refuse_recording(t, recorded)
        return t, recorded
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise invalid_call(name, size, options) from None
        raise


def _check_generator(name: str, args: tuple[Any, ...], generator: Any, options: dict[str, Any]) -> None:  # fmt: skip
    """Raise for the call of `name` if `generator` is none."""
    if generator is not None and not isinstance(generator, Generator):
        raise invalid_call(name, args, {**options, "generator": generator})


def _as_new(t: Tensor, recorded: bool, options: dict[str, Any]) -> Tensor:
    """Return `t` as made with its numbers: unless it is the caller's own ``out``, nobody wrote to it."""
    if options.get("out") is None:
        t._storage.version, t._storage.written, t._storage.log = 0, 0, None
    return t.requires_grad_() if recorded else t


@shown_as(f"*size, generator=None, out=None, {OPTIONS}")
def rand(*size: Any, generator: Generator | None = None, **options: Any) -> Tensor:
    """Return numbers drawn evenly from [0, 1).

    Args:
        *size: ints, or one sequence of them.
        generator: draws them; the default one when left out.
        **options: see `zeros`.

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.rand(3)
        tensor([0.4963, 0.7682, 0.0885])
    """
    t, recorded = _blank("rand", size, {**options, "generator": generator})
    t.uniform_(generator=generator)
    return _as_new(t, recorded, options)


@shown_as(f"*size, generator=None, out=None, {OPTIONS}")
def randn(*size: Any, generator: Generator | None = None, **options: Any) -> Tensor:
    """Return numbers drawn from the normal distribution of mean 0 and standard deviation 1; see `rand`."""
    t, recorded = _blank("randn", size, {**options, "generator": generator})
    t.normal_(generator=generator)
    return _as_new(t, recorded, options)


@shown_as(f"low=0, high=None, size=None, *, generator=None, out=None, {OPTIONS}")
def randint(*args: Any, generator: Generator | None = None, **options: Any) -> Tensor:
    """Return whole numbers drawn evenly from [low, high); ``randint(high, size)`` starts at 0.

    Args:
        *args: ``low, high, size`` or ``high, size``; they can also be given by name.
        generator: draws them; the default one when left out.
        **options: see `zeros`; the dtype is int64 when left out.

    Raises:
        TypeError: the arguments are none of these.
        RuntimeError: there is no such number, or the dtype does not hold them.
    """
    given = dict(options)
    _check_generator("randint", args, generator, options)
    names = ("high", "size") if len(args) + sum(n in options for n in ("low", "high", "size")) == 2 else ("low", "high", "size")  # fmt: skip
    found = dict(zip((n for n in names if n not in options), args, strict=False))
    for name in names:
        if name in options:
            found[name] = options.pop(name)
    if len(found) < len(names) or len(args) > len(names) or _one_size_of_three(found):
        raise invalid_call("randint", args, given)
    bounds = [found[n] for n in names[:-1]]
    _check_bounds(names, bounds, found["size"])
    if options.get("dtype") is None and options.get("out") is None:
        options["dtype"] = _dtypes.int64
    t, recorded = _blank("randint", (found["size"],), {**options, "generator": generator})
    low, high = (0, *bounds) if len(bounds) == 1 else bounds
    t.random_(int(low), int(high), generator=generator)
    return _as_new(t, recorded, options)


def _one_size_of_three(found: dict[str, Any]) -> bool:
    return len(found) == 3 and isinstance(found["size"], int)


def _check_bounds(names: Sequence[str], bounds: Sequence[Any], size: Any) -> None:
    for i, (name, bound) in enumerate(zip(names, bounds, strict=False)):
        whole = hasattr(bound, "__index__") and not isinstance(bound, bool)
        if not whole:
            raise TypeError(
                f"randint(): argument '{name}' (position {i + 1}) must be int, not {name_of_type(bound)}"
            )
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            f"randint(): argument 'size' (position {len(names)}) must be tuple of ints, not "
            f"{name_of_type(size)}"
        )


@shown_as(f"n, *, generator=None, out=None, {OPTIONS}")
def randperm(n: int, *, generator: Generator | None = None, **options: Any) -> Tensor:
    """Return 0 .. n-1 in random order, int64 unless the options ask for another dtype; see `rand`."""
    _check_generator("randperm", (n,), generator, options)
    if not hasattr(n, "__index__") or isinstance(n, bool):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {name_of_type(n)}")
    if options.get("dtype") is None and options.get("out") is None:
        options["dtype"] = _dtypes.int64
    t, recorded = _blank("randperm", (n,), {**options, "generator": generator})
    _check_permutation(t, n)
    values = (generator or default_generator)._permutation(int(n))
    t._array[...] = namespace_of[type(t._array)].asarray(values.astype(t._array.dtype))
    return t.requires_grad_() if recorded else t


def _check_permutation(t: Tensor, n: int) -> None:
    """Raise if the dtype of `t` has no room for the numbers below `n`."""
    kind = t._array.dtype
    name = t.dtype.scalar_name
    if kind.kind == "b":
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    if kind.kind == "f" and n > 2 ** (np.finfo(kind).nmant + 1) + 1:
        limit = 2 ** (np.finfo(kind).nmant + 1) + 1
        raise RuntimeError(f"n cannot be greater than {limit} for {name} type.")
    if kind.kind in "iu" and n - 1 > np.iinfo(kind).max:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")


@shown_as(f"input, *, generator=None, {OPTIONS}, memory_format=None")
def rand_like(input: Tensor, *, generator: Generator | None = None, **options: Any) -> Tensor:
    """Return numbers drawn evenly from [0, 1), in the shape, dtype and place of `input`; see `rand`."""
    t, recorded = _blank_like("rand_like", input, options)
    t.uniform_(generator=generator)
    return _as_new(t, recorded, options)


@shown_as(f"input, *, generator=None, {OPTIONS}, memory_format=None")
def randn_like(input: Tensor, *, generator: Generator | None = None, **options: Any) -> Tensor:
    """Return normally distributed numbers in the shape, dtype and place of `input`; see `rand`."""
    t, recorded = _blank_like("randn_like", input, options)
    t.normal_(generator=generator)
    return _as_new(t, recorded, options)


@shown_as(f"input, low=0, high=None, *, generator=None, {OPTIONS}, memory_format=None")
def randint_like(input: Tensor, *bounds: Any, generator: Generator | None = None, **options: Any) -> Tensor:  # fmt: skip
    """Return whole numbers from [low, high), in the shape, dtype and place of `input`.

    Args:
        input: the pattern.
        *bounds: ``low, high``, or ``high`` alone; they can also be given by name.
        generator: draws them; the default one when left out.
        **options: see `zeros`.
    """
    found = [*bounds, *(options.pop(n) for n in ("low", "high") if n in options)]
    found = [b.item() if isinstance(b, TensorBase) else b for b in found]  # type: ignore[attr-defined]
    if len(found) not in (1, 2):
        raise invalid_call("randint_like", (input, *bounds), options)
    t, recorded = _blank_like("randint_like", input, options)
    low, high = (0, *found) if len(found) == 1 else found
    t.random_(int(low), int(high), generator=generator)
    return _as_new(t, recorded, options)


def _blank_like(name: str, input: Any, options: dict[str, Any]) -> tuple[Tensor, bool]:
    if not isinstance(input, TensorBase):
        raise not_a_tensor(name, "input", 1, input)
    recorded = options.pop("requires_grad", False)
    t = empty_like(input, **options)  # type: ignore[arg-type]
    _refuse_recording(t, recorded)
    return t, recorded


def _refuse_recording(t: Tensor, recorded: bool) -> None:
    if recorded and not t.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")


# ---- from tensors of parameters


def _drawn(parameter: Any, values: np.ndarray, node: str) -> Tensor:
    """Return `values` in the dtype and place of the tensor `parameter`."""
    xp = namespace_of[type(parameter._array)]
    array = xp.asarray(values.reshape(parameter.shape).astype(parameter._array.dtype))
    return renamed(drawn(parameter, values=array), node)


@shown_as(f"mean=0.0, std=1.0, size=None, *, generator=None, out=None, {OPTIONS}")
def normal(mean: Any = None, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None, out: Tensor | None = None, **options: Any) -> Tensor:  # fmt: skip
    """Return normally distributed numbers.

    Args:
        mean: a number, or a tensor.
        std: a number, or a tensor; the two broadcast.
        size: the shape where both are numbers.
        generator: draws them; the default one when left out.
        out: where to put them.
        **options: see `zeros`, where both are numbers.

    Raises:
        RuntimeError: `std` is negative.
        TypeError: the arguments do not fit together.
    """
    tensors = [x for x in (mean, std) if isinstance(x, TensorBase)]
    _check_normal(mean, std, size, tensors)
    if not tensors:
        found: Any = {} if out is None else {"out": out}
        t, recorded = _blank("normal", (size,), {**options, **found, "generator": generator})
        t.normal_(float(mean), float(std), generator=generator)
        return _as_new(t, recorded, found)
    t = _normal_like(tensors, mean, std, generator)
    return t if out is None else out.resize_(t.shape).copy_(t)  # type: ignore[attr-defined]


def _check_normal(mean: Any, std: Any, size: Any, tensors: Sequence[Any]) -> None:
    if mean is None:
        raise TypeError('normal() missing 1 required positional arguments: "mean"')
    numbers = [x for x in (mean, std) if isinstance(x, (int, float))]
    if tensors and isinstance(mean, (int, float, TensorBase)) and size is None:
        if len(numbers) + len(tensors) == 2:
            return
    elif not tensors and isinstance(size, (tuple, list)) and len(numbers) == 2:
        return
    elif not isinstance(mean, (int, float, TensorBase)):
        raise not_a_tensor("normal", "mean", 1, mean)
    given = (mean, std) if size is None else (mean, std, size)
    raise invalid_call("normal", given, {})


def _normal_like(tensors: Sequence[Any], mean: Any, std: Any, generator: Any) -> Tensor:
    """Return the numbers in the dtype of the first tensor, in the shape in which both meet."""
    if not isinstance(std, TensorBase) and not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if isinstance(std, TensorBase) and std._array.size and not bool((std._array >= 0).all()):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    plain: Any = [x.detach() if isinstance(x, Tensor) else x for x in (mean, std)]
    shape = (tensors[0].detach() + tensors[-1].detach()).shape
    own = tensors[0].new_empty(shape).normal_(generator=generator)
    values = (own * plain[1] + plain[0]).to(own.dtype)
    number = f"NormalBackward{1 if len(tensors) == 2 or tensors[0] is mean else 2}"
    node = "NormalBackward3" if len(tensors) == 2 else number
    whole = tensors[0].expand(shape)
    return renamed(drawn(whole, values=values._array), node)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return 1s, each drawn with the probability in its place in `input` (or with `p`), and 0s.

    Args:
        input: probabilities, or with `p` the pattern for the result.
        p: one probability for all.
        generator: draws the numbers; the default one when left out.
        out: where to put the result.
    """
    if not isinstance(input, Tensor):
        raise not_a_tensor("bernoulli", "input", 1, input)
    if out is None:
        return input.bernoulli(p, generator=generator)
    own = input.detach().bernoulli(p, generator=generator)
    return out.resize_(own.shape).copy_(own)


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return for each rate in `input` a number drawn from Poisson's distribution.

    Raises:
        RuntimeError: a rate is negative.
    """
    if not isinstance(input, TensorBase):
        raise not_a_tensor("poisson", "input", 1, input)
    if input._array.dtype.kind != "f":
        kind = _dtypes.of_numpy[input._array.dtype].scalar_name
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{kind}'")
    source = checked_generator("poisson", generator)
    rates = to_numpy(input._array).reshape(-1)
    if not (rates >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    values = source._poisson(rates)
    return _drawn(input, values, "PoissonBackward0")


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the indices of `num_samples` draws from each row of `input`; see `Tensor.multinomial`.

    Args:
        input: weights (N,) or (rows, N): how likely each index is, up to a factor.
        num_samples: how many to draw from each row.
        replacement: whether an index can be drawn again.
        generator: draws them; the default one when left out.
        out: where to put them.
    """
    bind_call("multinomial", False, (input, num_samples, replacement), {})
    result = input.multinomial(num_samples, replacement, generator=generator)
    if out is None:
        return result
    if out.dtype is not _dtypes.int64:
        kind = out.dtype.scalar_name
        raise RuntimeError(f"multinomial expects Long tensor out, got: {kind}")
    return out.resize_(result.shape).copy_(result)
