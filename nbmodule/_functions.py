"""PyTorch's top-level functions: most are methods of Tensor under another roof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from . import _dtypes
from ._methods.arithmetic import choose
from ._ops import shape as s
from ._ops.reduce import axis_of
from ._tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def function(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Turn a method of Tensor into a function that says so when it is given something else."""

    @wraps(method)
    def call(input: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        if not isinstance(input, Tensor):
            raise TypeError(
                f"{method.__name__}(): argument 'input' (position 1) must be Tensor, not "
                f"{type(input).__name__}"
            )
        return method(input, *args, **kwargs)

    return call


abs = function(Tensor.abs)
neg = function(Tensor.neg)
sign = function(Tensor.sign)
add = function(Tensor.add)
sub = function(Tensor.sub)
mul = function(Tensor.mul)
div = function(Tensor.div)
pow = function(Tensor.pow)
square = function(Tensor.square)
remainder = function(Tensor.remainder)

sqrt = function(Tensor.sqrt)
rsqrt = function(Tensor.rsqrt)
reciprocal = function(Tensor.reciprocal)
exp = function(Tensor.exp)
log = function(Tensor.log)
log1p = function(Tensor.log1p)
sin = function(Tensor.sin)
cos = function(Tensor.cos)
floor = function(Tensor.floor)
ceil = function(Tensor.ceil)
round = function(Tensor.round)

relu = function(Tensor.relu)
tanh = function(Tensor.tanh)
sigmoid = function(Tensor.sigmoid)
softmax = function(Tensor.softmax)
log_softmax = function(Tensor.log_softmax)

clamp = function(Tensor.clamp)
clip = function(Tensor.clip)
masked_fill = function(Tensor.masked_fill)
maximum = function(Tensor.maximum)
minimum = function(Tensor.minimum)

eq = function(Tensor.eq)
ne = function(Tensor.ne)
lt = function(Tensor.lt)
le = function(Tensor.le)
gt = function(Tensor.gt)
ge = function(Tensor.ge)
isnan = function(Tensor.isnan)
isinf = function(Tensor.isinf)
isfinite = function(Tensor.isfinite)
logical_not = function(Tensor.logical_not)

matmul = function(Tensor.matmul)
mm = function(Tensor.mm)
bmm = function(Tensor.bmm)
dot = function(Tensor.dot)

sum = function(Tensor.sum)
mean = function(Tensor.mean)
prod = function(Tensor.prod)
var = function(Tensor.var)
std = function(Tensor.std)
norm = function(Tensor.norm)
logsumexp = function(Tensor.logsumexp)
cumsum = function(Tensor.cumsum)

amax = function(Tensor.amax)
amin = function(Tensor.amin)
max = function(Tensor.max)
min = function(Tensor.min)
argmax = function(Tensor.argmax)
argmin = function(Tensor.argmin)
all = function(Tensor.all)
any = function(Tensor.any)

reshape = function(Tensor.reshape)
flatten = function(Tensor.flatten)
permute = function(Tensor.permute)
transpose = function(Tensor.transpose)
t = function(Tensor.t)
squeeze = function(Tensor.squeeze)
unsqueeze = function(Tensor.unsqueeze)
flip = function(Tensor.flip)

split = function(Tensor.split)
chunk = function(Tensor.chunk)
unbind = function(Tensor.unbind)
gather = function(Tensor.gather)
index_select = function(Tensor.index_select)
select = function(Tensor.select)
narrow = function(Tensor.narrow)

clone = function(Tensor.clone)
detach = function(Tensor.detach)
numel = function(Tensor.numel)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """Return `input` where `condition` is True, else `other`, in their common dtype."""
    return choose(condition, input, other)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return the tensors one after the other along `dim`.

    Raises:
        ValueError: there are none.
        RuntimeError: their shapes differ elsewhere than along `dim`.
    """
    tensors = _same_type(
        tensors, ValueError("nbmodule.cat(): expected a non-empty list of Tensors")
    )
    axis = axis_of(dim, tensors[0].ndim)
    first = tensors[0].shape
    for number, x in enumerate(tensors):
        if x.ndim != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {x.ndim}"
            )
        for a, (m, n) in enumerate(zip(first, x.shape, strict=True)):
            if a != axis and m != n:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {m} but got "
                    f"size {n} for tensor number {number} in the list."
                )
    return s.cat(*tensors, axis=axis)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return the tensors, all of one shape, along a new dimension `dim`.

    Raises:
        RuntimeError: there are none, or their shapes differ.
    """
    tensors = _same_type(tensors, RuntimeError("stack expects a non-empty TensorList"))
    first = tensors[0].shape
    for number, x in enumerate(tensors):
        if x.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(x.shape)} at entry {number}"
            )
    return s.stack(*tensors, axis=axis_of(dim, len(first) + 1))


def _same_type(tensors: Sequence[Tensor], empty: Exception) -> list[Tensor]:
    """Return the tensors in their common dtype."""
    tensors = list(tensors)
    if not tensors:
        raise empty
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}"
            )
    common = _dtypes.result_type(*(x._array for x in tensors))
    return [x.to(common) for x in tensors]


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether both have the same shape and the same elements."""
    return input.shape == other.shape and bool((input == other).all())


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:  # fmt: skip
    """Return for each element whether ``|input - other| <= atol + rtol * |other|``."""
    close = (input == other) | (
        (input - other).abs() <= atol + rtol * other.abs()
    ) & other.isfinite()
    return close | (input.isnan() & other.isnan()) if equal_nan else close


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:  # fmt: skip
    """Return whether all elements are close."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


def is_tensor(obj: object) -> bool:
    """Return whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)
