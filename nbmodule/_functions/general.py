"""PyTorch's top-level functions: most are methods of Tensor under another roof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _dtypes
from .._errors import name_of_type
from .._methods.arithmetic import choose
from .._ops import shape as s
from .._ops.reduce import axis_of
from .._tensor import Tensor
from ._wrap import function

abs = function(Tensor.abs)
neg = function(Tensor.neg)
sign = function(Tensor.sign)
add = function(Tensor.add, Tensor.__radd__)
sub = subtract = function(Tensor.sub, Tensor.__rsub__)
mul = multiply = function(Tensor.mul, Tensor.__rmul__)
div = divide = true_divide = function(Tensor.div, Tensor.__rtruediv__)
pow = function(Tensor.pow, Tensor.__rpow__)
square = function(Tensor.square)
remainder = function(Tensor.remainder, Tensor.__rmod__)
floor_divide = function(Tensor.floor_divide, Tensor.__rfloordiv__)

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
ne = not_equal = function(Tensor.ne)
lt = less = function(Tensor.lt)
le = less_equal = function(Tensor.le)
gt = greater = function(Tensor.gt)
ge = greater_equal = function(Tensor.ge)
equal = function(Tensor.equal)
isclose = function(Tensor.isclose)
allclose = function(Tensor.allclose)
isnan = function(Tensor.isnan)
isinf = function(Tensor.isinf)
isfinite = function(Tensor.isfinite)
logical_not = function(Tensor.logical_not)
logical_and = function(Tensor.logical_and)
logical_or = function(Tensor.logical_or)
logical_xor = function(Tensor.logical_xor)
bitwise_not = function(Tensor.bitwise_not)
bitwise_and = function(Tensor.bitwise_and)
bitwise_or = function(Tensor.bitwise_or)
bitwise_xor = function(Tensor.bitwise_xor)

matmul = function(Tensor.matmul)
mm = function(Tensor.mm)
mv = function(Tensor.mv)
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
ravel = function(Tensor.ravel)
unflatten = function(Tensor.unflatten)
permute = function(Tensor.permute)
transpose = swapaxes = swapdims = function(Tensor.transpose)
broadcast_to = function(Tensor.broadcast_to)
nonzero = function(Tensor.nonzero)
t = function(Tensor.t)
squeeze = function(Tensor.squeeze)
unsqueeze = function(Tensor.unsqueeze)
flip = function(Tensor.flip)

chunk = function(Tensor.chunk)
unbind = function(Tensor.unbind)
gather = function(Tensor.gather)
index_select = function(Tensor.index_select)
select = function(Tensor.select)
narrow = function(Tensor.narrow)

clone = function(Tensor.clone)
detach = function(Tensor.detach)
numel = function(Tensor.numel)
is_floating_point = function(Tensor.is_floating_point)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Return `input` where `condition` is True, else `other`, in their common dtype.

    With `condition` alone, return where it is True: a vector of indices for each dimension.
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return choose(condition, input, other)


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:  # fmt: skip
    """Return views of so many elements each along `dim`, or of the listed sizes."""
    return tensor.split(split_size_or_sections, dim)


def result_type(tensor: Any, other: Any) -> _dtypes.dtype:
    """Return the dtype of an operation on two tensors or numbers."""
    return _dtypes.result_type(*(getattr(x, "_array", x) for x in (tensor, other)))


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return the tensors one after the other along `dim`.

    Raises:
        ValueError: there are none.
        RuntimeError: their shapes differ elsewhere than along `dim`.
    """
    tensors = _same_type(
        "cat", tensors, ValueError("nbmodule.cat(): expected a non-empty list of Tensors")
    )
    for number, x in enumerate(tensors):
        if not x.ndim:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {number}) cannot be concatenated"
            )
    tensors = [x for x in tensors if x.shape != (0,)] or tensors[
        :1
    ]  # an empty vector joins anything
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
    tensors = _same_type("stack", tensors, RuntimeError("stack expects a non-empty TensorList"))
    first = tensors[0].shape
    for number, x in enumerate(tensors):
        if x.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(x.shape)} at entry {number}"
            )
    return s.stack(*tensors, axis=axis_of(dim, len(first) + 1))


concat = concatenate = cat


def _same_type(name: str, tensors: Sequence[Tensor], empty: Exception) -> list[Tensor]:
    """Return the tensors in their common dtype."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{name_of_type(tensors)}"
        )
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


def is_tensor(obj: object) -> bool:
    """Return whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)
