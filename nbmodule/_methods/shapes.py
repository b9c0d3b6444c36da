"""Methods that change the shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from operator import index
from typing import TYPE_CHECKING, Any

from .._backend import byte_span
from .._engine import TensorBase, renamed
from .._errors import name_of_type
from .._ops import elementwise
from .._ops import shape as s
from .._ops.reduce import axes_of, axis_of

if TYPE_CHECKING:
    from .._tensor import Tensor


class Size(tuple):
    """The shape of a tensor: a tuple of ints with `numel`.

    Raises:
        TypeError: something in it is no int.
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[int] = ()) -> Size:
        """Check that everything is an int."""
        self = super().__new__(cls, sizes)
        for i, n in enumerate(self):
            if type(n) is not int and not hasattr(n, "__index__"):
                raise TypeError(
                    f"nbmodule.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')"
                )
        return self

    def numel(self) -> int:
        """Return how many elements a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"nbmodule.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self))

    def __mul__(self, times: Any) -> Any:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


Size.__module__ = "nbmodule"


def sizes(shape: tuple[Any, ...], name: str = "", argument: str = "size") -> tuple[int, ...]:
    """Return the shape that was given as ``f(2, 3)`` or as ``f((2, 3))``.

    Raises:
        TypeError: it is something else; `name` says of which function, `argument` of which argument.
    """
    if len(shape) == 1 and not hasattr(shape[0], "__index__"):
        if not isinstance(shape[0], Iterable) or isinstance(shape[0], str):
            raise TypeError(
                f"{name}(): argument '{argument}' (position 1) must be tuple of ints, not "
                f"{name_of_type(shape[0])}"
            )
        shape = tuple(shape[0])
    try:
        return tuple(map(index, shape))
    except TypeError:
        position, wrong = next((i, n) for i, n in enumerate(shape) if not hasattr(n, "__index__"))
        raise TypeError(
            f"{name}(): argument '{argument}' failed to unpack the object at pos {position + 1} with error "
            f'"type must be tuple of ints,but got {type(wrong).__name__}"'
        ) from None


def in_one_argument(name: str) -> Callable[[Any], Any]:
    """Let a method that takes sizes as ``f(2, 3)`` be called as ``f(name=(2, 3))`` too."""

    def decorate(method: Any) -> Any:
        @wraps(method)
        def call(self: Any, *sizes: Any, **named: Any) -> Any:
            if named and set(named) == {name} and not sizes:
                return method(self, named[name])
            return method(self, *sizes, **named)

        return call

    return decorate


class Shapes(TensorBase):
    """Views, and copies in another shape."""

    @in_one_argument("shape")
    def reshape(self, *shape: Any) -> Tensor:
        """Return the elements in another shape, sharing memory where possible; one size may be -1.

        Raises:
            RuntimeError: the number of elements differs.
        """
        return s.reshape(self, shape=infer(sizes(shape, "reshape", "shape"), self._array.size))

    @in_one_argument("size")
    def view(self, *shape: Any) -> Tensor:
        """Return the elements in another shape, sharing memory always; one size may be -1.

        Raises:
            RuntimeError: the number of elements differs, or the memory layout does not allow it.
        """
        if len(shape) == 1 and hasattr(shape[0], "legacy"):
            raise RuntimeError(
                "view(dtype), which reads the same bytes as another type, is not supported"
            )
        out = s.reshape(self, shape=infer(sizes(shape, "view"), self._array.size))
        if out._rewritten_at_birth is None and out._array.size:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension "
                "spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return out

    def reshape_as(self, other: Tensor) -> Tensor:
        """Return the elements in the shape of `other`."""
        return self.reshape(other.shape)

    def view_as(self, other: Tensor) -> Tensor:
        """Return the elements in the shape of `other`, sharing memory."""
        return self.view(other.shape)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Return the dimensions from `start_dim` to `end_dim` rolled into one."""
        old = self._array.shape
        start, end = axis_of(start_dim, len(old)), axis_of(end_dim, len(old))
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        if start == end and old:
            return self  # type: ignore[return-value]
        if not old:
            return self.reshape(1)
        return self.reshape(*old[:start], math.prod(old[start : end + 1]), *old[end + 1 :])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor:
        """Return `dim` unrolled into several dimensions."""
        old, axis = self._array.shape, axis_of(dim, self._array.ndim)
        known = math.prod(n for n in sizes if n != -1)
        if known != old[axis] if -1 not in sizes else not known or old[axis] % known:
            raise RuntimeError(
                f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                f"({old[axis]}) in the input tensor"
            )
        return self.view(*old[:axis], *infer(tuple(sizes), old[axis]), *old[axis + 1 :])

    def ravel(self) -> Tensor:
        """Return the elements as a vector."""
        return self.flatten()

    @in_one_argument("dims")
    def permute(self, *dims: Any) -> Tensor:
        """Return a view with the dimensions in the order `dims`."""
        order = sizes(dims)
        if len(order) != self._array.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                f"of the desired ordering of dimensions i.e. input.dim() = {self._array.ndim} is not "
                f"equal to len(dims) = {len(order)}"
            )
        axes = [axis_of(d, len(order)) for d in order]
        if len({*axes}) < len(axes):
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        return s.permute(self, dims=axes)

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Return a view with two dimensions swapped."""
        n = self._array.ndim
        first, second = axis_of(dim0, n), axis_of(dim1, n)
        return s.transpose(self, dim0=first, dim1=second) if n else self.view(())

    swapaxes = swapdims = transpose

    def t(self) -> Tensor:
        """Return the transpose of a matrix; a vector stays."""
        if self._array.ndim > 2:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D"
            )
        out = self.transpose(0, 1) if self._array.ndim == 2 else self.view(self._array.shape)
        return renamed(out, "TBackward0")

    @property
    def T(self) -> Tensor:
        """The view with all dimensions in reverse order."""
        return s.permute(self, dims=tuple(reversed(range(self._array.ndim))))

    @property
    def mT(self) -> Tensor:
        """The view with the last two dimensions swapped."""
        if self._array.ndim < 2:
            raise RuntimeError(
                "tensor.mT is only supported on matrices or batches of matrices. Got "
                f"{self._array.ndim}-D tensor."
            )
        return self.transpose(-2, -1)

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Tensor:
        """Return a view without dimensions of length 1: all of them, or those in `dim`."""
        old = self._array.shape
        axes = axes_of(dim, len(old))
        out = self.view([n for a, n in enumerate(old) if n != 1 or a not in axes])
        names = {type(None): "SqueezeBackward0", int: "SqueezeBackward1"}
        return renamed(out, names.get(type(dim), "SqueezeBackward2"))

    def unsqueeze(self, dim: int) -> Tensor:
        """Return a view with a dimension of length 1 put in at `dim`."""
        shape = list(self._array.shape)
        shape.insert(axis_of(dim, len(shape) + 1), 1)
        return renamed(self.view(shape), "UnsqueezeBackward0")

    @in_one_argument("size")
    def expand(self, *shape: Any) -> Tensor:
        """Return a view in which dimensions of length 1 are repeated; -1 keeps a size."""
        wanted, old = sizes(shape, "expand"), self._array.shape
        lead = len(wanted) - len(old)
        if lead < 0:
            name: str = self.type()  # type: ignore[attr-defined]
            raise RuntimeError(
                f"expand({name}{{{list(old)}}}, size={list(wanted)}): the number of sizes "
                f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
                f"tensor ({len(old)})"
            )
        full = tuple(old[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted))
        if -1 in full:
            raise RuntimeError(
                "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                f"{full.index(-1)}"
            )
        for i, n in enumerate(old):
            if n not in (1, full[lead + i]):
                raise RuntimeError(
                    f"The expanded size of the tensor ({full[lead + i]}) must match the existing size "
                    f"({n}) at non-singleton dimension {lead + i}.  Target sizes: {list(full)}.  Tensor "
                    f"sizes: {list(old)}"
                )
        return s.expand(self, shape=full)

    def expand_as(self, other: Tensor) -> Tensor:
        """Return `self` expanded to the shape of `other`."""
        return self.expand(other.shape)

    def broadcast_to(self, size: Sequence[int]) -> Tensor:
        """Return `self` expanded to the shape `size`."""
        return self.expand(size)

    @in_one_argument("repeats")
    def repeat(self, *repeats: Any) -> Tensor:
        """Return `self` laid side by side, ``repeats[i]`` times along dimension i."""
        times = sizes(repeats)
        if len(times) < self._array.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        shape = (1,) * (len(times) - self._array.ndim) + self._array.shape
        wide: Any = self.reshape([k for n in shape for k in (1, n)])
        wide = wide.expand([k for m, n in zip(times, shape, strict=True) for k in (m, n)])
        out = wide.reshape([m * n for m, n in zip(times, shape, strict=True)])
        return renamed(out, "RepeatBackward0")

    @in_one_argument("dims")
    def flip(self, *dims: Any) -> Tensor:
        """Return a copy with the order along `dims` reversed."""
        flipped = s.flip(self, axes=axes_of(sizes(dims, "flip", "dims"), self._array.ndim))
        return renamed(flipped.clone(), "FlipBackward0")

    def contiguous(self) -> Tensor:
        """Return `self`, or a copy in row-major order where it lies otherwise in memory."""
        return self if self.is_contiguous() else elementwise.clone(self, order="C")  # type: ignore[return-value]

    def is_contiguous(self) -> bool:
        """Return whether the elements lie in row-major order without gaps."""
        return self._array.flags.c_contiguous

    def storage_offset(self) -> int:
        """Return how many elements lie before the first one in the memory that it shares."""
        base = self._array.base
        if not isinstance(base, type(self._array)):
            return 0
        return (byte_span(self._array)[0] - byte_span(base)[0]) // self._array.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Return how many elements lie between neighbours along each dimension, or along `dim`."""
        shape = self._array.shape
        steps = tuple(n // self._array.itemsize for n in self._array.strides)
        if not self._array.size:  # NumPy gives 0s
            steps = tuple(math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))
        return steps if dim is None else steps[axis_of(dim, len(steps))]


def infer(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Return `shape` with its -1, if it has one, filled in.

    Raises:
        RuntimeError: there are several, or the sizes do not multiply to `numel`.
    """
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for n in shape:
        if n < -1:
            raise RuntimeError(
                f"invalid shape dimension {n} at index {shape.index(n)} of shape {list(shape)}"
            )
    known = math.prod(n for n in shape if n != -1)
    if -1 in shape and known and numel % known == 0:
        return tuple(numel // known if n == -1 else n for n in shape)
    if -1 in shape and not known and not numel:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if -1 in shape or known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape
