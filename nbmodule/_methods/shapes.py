"""Methods that change the shape, take parts, and write to parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._backend import namespace_of
from .._engine import TensorBase, write
from .._ops import shape as s
from .._ops.reduce import axes_of, axis_of

if TYPE_CHECKING:
    from .._tensor import Tensor


class Size(tuple):
    """The shape of a tensor: a tuple of ints with `numel`."""

    __slots__ = ()

    def numel(self) -> int:
        """Return how many elements a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"nbmodule.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found


def sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape that was given as ``f(2, 3)`` or as ``f((2, 3))``."""
    if len(shape) == 1 and not hasattr(shape[0], "__index__"):
        shape = tuple(shape[0])
    return tuple(map(int, shape))


class Shapes(TensorBase):
    """Views, indexing, joining, and their in-place counterparts."""

    def reshape(self, *shape: Any) -> Tensor:
        """Return the elements in another shape, sharing memory where possible; one size may be -1.

        Raises:
            RuntimeError: the number of elements differs.
        """
        return s.reshape(self, shape=infer(sizes(shape), self._array.size))

    def view(self, *shape: Any) -> Tensor:
        """Return the elements in another shape, sharing memory always; one size may be -1.

        Raises:
            RuntimeError: the number of elements differs, or the memory layout does not allow it.
        """
        if len(shape) == 1 and hasattr(shape[0], "legacy"):
            raise RuntimeError(
                "view(dtype), which reads the same bytes as another type, is not supported"
            )
        out = self.reshape(*shape)
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
        if not old:
            return self.reshape(1)
        return self.reshape(*old[:start], math.prod(old[start : end + 1]), *old[end + 1 :])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor:
        """Return `dim` unrolled into several dimensions."""
        old, axis = self._array.shape, axis_of(dim, self._array.ndim)
        return self.reshape(*old[:axis], *infer(tuple(sizes), old[axis]), *old[axis + 1 :])

    def permute(self, *dims: Any) -> Tensor:
        """Return a view with the dimensions in the order `dims`."""
        order = sizes(dims)
        if len(order) != self._array.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                f"of the desired ordering of dimensions i.e. input.dim() = {self._array.ndim} is not "
                f"equal to len(dims) = {len(order)}"
            )
        return s.permute(self, dims=axes_of(order, len(order)))

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Return a view with two dimensions swapped."""
        n = self._array.ndim
        first, second = axis_of(dim0, n), axis_of(dim1, n)
        return s.transpose(self, dim0=first, dim1=second) if n else self.view(())

    def t(self) -> Tensor:
        """Return the transpose of a matrix; a vector stays."""
        if self._array.ndim > 2:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D"
            )
        return self.transpose(0, 1) if self._array.ndim == 2 else self.view(self._array.shape)

    @property
    def T(self) -> Tensor:
        """The view with all dimensions in reverse order."""
        return s.permute(self, dims=tuple(reversed(range(self._array.ndim))))

    @property
    def mT(self) -> Tensor:
        """The view with the last two dimensions swapped."""
        return self.transpose(-2, -1)

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Tensor:
        """Return a view without dimensions of length 1: all of them, or those in `dim`."""
        old = self._array.shape
        axes = axes_of(dim, len(old))
        return self.view([n for a, n in enumerate(old) if n != 1 or a not in axes])

    def unsqueeze(self, dim: int) -> Tensor:
        """Return a view with a dimension of length 1 put in at `dim`."""
        shape = list(self._array.shape)
        shape.insert(axis_of(dim, len(shape) + 1), 1)
        return self.view(shape)

    def expand(self, *shape: Any) -> Tensor:
        """Return a view in which dimensions of length 1 are repeated; -1 keeps a size."""
        wanted, old = sizes(shape), self._array.shape
        lead = len(wanted) - len(old)
        if lead < 0:
            raise RuntimeError(
                f"expand({type_name(self)}{{{list(old)}}}, size={list(wanted)}): the number of sizes "
                f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
                f"tensor ({len(old)})"
            )
        full = tuple(old[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted))
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
        return wide.reshape([m * n for m, n in zip(times, shape, strict=True)])

    def flip(self, *dims: Any) -> Tensor:
        """Return a copy with the order along `dims` reversed."""
        return s.flip(self, axes=axes_of(sizes(dims), self._array.ndim)).clone()

    def select(self, dim: int, index: int) -> Tensor:
        """Return the slice at `index` along `dim`, without that dimension."""
        if not self._array.ndim:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        return self[(slice(None),) * axis_of(dim, self._array.ndim) + (index,)]

    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        """Return a view of `length` elements along `dim`, from `start` on."""
        axis = axis_of(dim, self._array.ndim)
        if start + length > self._array.shape[axis]:
            raise RuntimeError(
                f"start ({start}) + length ({length}) exceeds dimension size ({self._array.shape[axis]})."
            )
        return self[(slice(None),) * axis + (slice(start, start + length),)]

    def split(self, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        """Return views of `split_size` elements each along `dim`, or of the listed sizes."""
        n = self._array.shape[axis_of(dim, self._array.ndim)]
        if isinstance(split_size, int):
            lengths = [min(split_size, n - i) for i in range(0, n, split_size)] or [0]
        else:
            lengths = list(split_size)
            if sum(lengths) != n:
                raise RuntimeError(
                    "split_with_sizes expects split_sizes to sum exactly to "
                    f"{n} (input tensor's size at dimension {dim}), but got split_sizes={lengths}"
                )
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        return tuple(self.narrow(dim, a, k) for a, k in zip(starts, lengths, strict=True))

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Return at most `chunks` views of equal size along `dim`; the last may be smaller."""
        n = self._array.shape[axis_of(dim, self._array.ndim)]
        return self.split(max(1, -(-n // chunks)), dim)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """Return the slices along `dim`, without that dimension."""
        return tuple(
            self.select(dim, i) for i in range(self._array.shape[axis_of(dim, self._array.ndim)])
        )

    def gather(self, dim: int, index: Tensor) -> Tensor:
        """Return ``out[i][j] = self[index[i][j]][j]`` for dim 0, and so on."""
        if index._array.dtype.kind != "i":
            raise RuntimeError("gather(): Expected dtype int32/int64 for index")
        return s.gather(self, axis=axis_of(dim, self._array.ndim), index=index._array)

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """Return the slices that the vector `index` names along `dim`."""
        return self[(slice(None),) * axis_of(dim, self._array.ndim) + (index,)]

    def contiguous(self) -> Tensor:
        """Return `self`, or a copy in row-major order where it lies otherwise in memory."""
        return self if self.is_contiguous() else self.clone()  # type: ignore[attr-defined,return-value]

    def is_contiguous(self) -> bool:
        """Return whether the elements lie in row-major order without gaps."""
        return self._array.flags.c_contiguous

    def stride(self, dim: int | None = None) -> Any:
        """Return how many elements lie between neighbours along each dimension, or along `dim`."""
        steps = tuple(n // self._array.itemsize for n in self._array.strides)
        return steps if dim is None else steps[axis_of(dim, len(steps))]

    # ---- indexing

    def __getitem__(self, key: Any) -> Tensor:
        raw = raw_key(self, key)
        if isinstance(raw, int) and not isinstance(raw, bool):
            raw = (raw, ...)  # NumPy returns a view then, where it would return a number
        elif isinstance(raw, tuple) and all(isinstance(k, int) for k in raw):
            raw = (*raw, ...)
        return s.index(self, key=raw)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(value, TensorBase):
            value = self.new_tensor(value)  # type: ignore[attr-defined]
        write(self, s.put, value.to(self.dtype), key=raw_key(self, key))  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, (TensorBase, int, float)):
            raise RuntimeError(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                f"{type(element)}."
            )
        equal: Any = self == element
        return bool(equal.any())


def raw_key(t: TensorBase, key: Any) -> Any:
    """Return an index with arrays in place of tensors and lists.

    Raises:
        ValueError: a slice steps backwards.
    """
    if isinstance(key, tuple):
        return tuple(raw_key(t, k) for k in key)
    if isinstance(key, TensorBase):
        array = key._array
        return int(array) if array.ndim == 0 and array.dtype.kind in "iu" else array
    if isinstance(key, list):
        return namespace_of[type(t._array)].asarray(np.asarray(key, None if key else np.int64))
    if isinstance(key, slice):
        parts: Any = (key.start, key.stop, key.step)
        parts = [int(k._array) if isinstance(k, TensorBase) else k for k in parts]
        if parts[2] is not None and parts[2] <= 0:
            raise ValueError("step must be greater than zero")
        return slice(*parts)
    return key


def infer(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Return `shape` with its -1, if it has one, filled in.

    Raises:
        RuntimeError: there are several, or the sizes do not multiply to `numel`.
    """
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for n in shape:
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n}")
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


def type_name(t: TensorBase) -> str:
    """Return the name of the type as PyTorch's older messages write it."""
    return t.type().removeprefix("nbmodule.")  # type: ignore[attr-defined]
