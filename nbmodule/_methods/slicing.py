"""Methods that cut a tensor along a dimension: slices and splits, which are views."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as whole
from typing import TYPE_CHECKING, Any

from .._engine import TensorBase, divided, renamed
from .._ops.reduce import axis_of
from .common import library
from .pytorch_errors import pytorch_errors_in_methods

if TYPE_CHECKING:
    from .._engine.state import Tensor


@pytorch_errors_in_methods
class Slicing(TensorBase):
    """Slices and splits."""

    def select(self, dim: int, index: int) -> Tensor:
        """Return the slice at `index` along `dim`, without that dimension."""
        if not self._array.ndim:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        axis, shape = axis_of(dim, self._array.ndim), self._array.shape
        if not -shape[axis] <= index < shape[axis]:
            raise IndexError(
                f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {axis}"
            )
        return self[(slice(None),) * axis + (index,)]  # type: ignore[index]

    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        """Return a view of `length` elements along `dim`, from `start` on."""
        if not self._array.ndim:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        axis = axis_of(dim, self._array.ndim)
        n = self._array.shape[axis]
        if length < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        if not -n <= start <= n:
            raise IndexError(
                f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
            )
        start += n if start < 0 else 0
        if start + length > n:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        return self[(slice(None),) * axis + (slice(start, start + length),)]  # type: ignore[index]

    def split(self, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        """Return views of `split_size` elements each along `dim`, or of the listed sizes."""
        axis = axis_of(dim, self._array.ndim)
        if not self._array.ndim:
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        if isinstance(split_size, int):
            lengths = _equal_lengths(split_size, self._array.shape[axis])
        else:
            lengths = _checked_lengths(list(split_size), self._array.shape[axis], dim)
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        before = (slice(None),) * axis
        arrays = [
            self._array[(*before, slice(a, a + k))] for a, k in zip(starts, lengths, strict=True)
        ]
        name = "SplitBackward0" if isinstance(split_size, int) else "SplitWithSizesBackward0"
        xp, kind, shapes = library(self), self._array.dtype, [a.shape for a in arrays]
        return divided(
            self, arrays, axis, name, lambda g: xp.concatenate(_all_of(xp, g, shapes, kind), axis)
        )

    def split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        """Return views of the listed sizes along `dim`."""
        return self.split(list(split_sizes), dim)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Return at most `chunks` views of equal size along `dim`; the last may be smaller."""
        if whole(chunks) <= 0:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        if not self._array.ndim:
            raise RuntimeError("chunk expects at least a 1-dimensional tensor")
        n = self._array.shape[axis_of(dim, self._array.ndim)]
        if not n:
            return self.split([0] * chunks, dim)
        return self.split(max(1, -(-n // chunks)), dim)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """Return the slices along `dim`, without that dimension."""
        if not self._array.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        axis = axis_of(dim, self._array.ndim)
        before = (slice(None),) * axis
        arrays = [self._array[(*before, i, ...)] for i in range(self._array.shape[axis])]
        xp, kind, shapes = library(self), self._array.dtype, [a.shape for a in arrays]
        return divided(
            self,
            arrays,
            axis,
            "UnbindBackward0",
            lambda g: xp.stack(_all_of(xp, g, shapes, kind), axis),
        )

    def unsafe_split(self, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Return what `split` does."""
        return tuple(
            _on_its_own(part, "UnsafeSplitBackward0") for part in self.split(split_size, dim)
        )

    def unsafe_split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:  # fmt: skip
        """Return what `split_with_sizes` does."""
        return tuple(
            _on_its_own(p, "UnsafeSplitWithSizesBackward0") for p in self.split(split_sizes, dim)
        )

    def unsafe_chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Return what `chunk` does."""
        return tuple(_on_its_own(part, "UnsafeSplitBackward0") for part in self.chunk(chunks, dim))

    def tensor_split(self, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
        """Return views along `dim`: so many of nearly equal size, or those between the listed places."""
        axis, given = axis_of(dim, self._array.ndim), indices_or_sections
        if not self._array.ndim:
            raise RuntimeError(
                "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
            )
        if isinstance(given, TensorBase):
            given = given.tolist()  # type: ignore[attr-defined]
        n = self._array.shape[axis]
        if isinstance(given, int):
            if given <= 0:
                raise RuntimeError(f"number of sections must be larger than 0, got {given}")
            small, extra = divmod(n, given)
            ends = [(i + 1) * small + min(i + 1, extra) for i in range(given)]
            starts = [0, *ends[:-1]]
        else:
            starts, ends = [0, *given], [*given, n]
        lead = (slice(None),) * axis
        cuts = zip(starts, ends, strict=True)
        return tuple(renamed(self[(*lead, slice(a, b))], "SliceBackward0") for a, b in cuts)  # type: ignore[index]

    def hsplit(self, *split_size_or_sections: Any, **named: Any) -> tuple[Tensor, ...]:
        """Return views along dimension 1, or 0 of a vector: so many equal ones, or between the places."""
        return self._even_split(
            "hsplit", 1, 0 if self._array.ndim == 1 else 1, split_size_or_sections, named
        )

    def vsplit(self, *split_size_or_sections: Any, **named: Any) -> tuple[Tensor, ...]:
        """Return views along dimension 0: so many equal ones, or between the listed places."""
        return self._even_split("vsplit", 2, 0, split_size_or_sections, named)

    def dsplit(self, *split_size_or_sections: Any, **named: Any) -> tuple[Tensor, ...]:
        """Return views along dimension 2: so many equal ones, or between the listed places."""
        return self._even_split("dsplit", 3, 2, split_size_or_sections, named)

    def _even_split(self, name: str, least: int, axis: int, given: Any, named: Any) -> Any:
        if self._array.ndim < least:
            raise RuntimeError(
                f"nbmodule.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                f"{self._array.ndim} dimensions!"
            )
        given = next(iter(named.values())) if named else given[0] if len(given) == 1 else given
        n = self._array.shape[axis]
        if isinstance(given, int) and (given <= 0 or n % given):
            raise RuntimeError(
                f"nbmodule.{name} attempted to split along dimension {axis}, but the size of the dimension "
                f"{n} is not divisible by the split_size {given}!"
            )
        return self.tensor_split(given, axis)

    def narrow_copy(self, dim: int, start: int, length: int) -> Tensor:
        """Return a copy of `length` elements along `dim`, from `start` on."""
        return renamed(self.narrow(dim, start, length).clone(), "NarrowCopyBackward0")


def _equal_lengths(split_size: int, n: int) -> list[int]:
    """Return the lengths of parts of `split_size` that make up `n`; the last may be smaller."""
    if split_size < 0:
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={split_size}"
        )
    if split_size == 0 and n:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
        )
    return [min(split_size, n - i) for i in range(0, n, split_size or 1)] or [0]


def _checked_lengths(lengths: list[int], n: int, dim: int) -> list[int]:
    """Return `lengths`, which must make up `n`, the size of dimension `dim`."""
    if min(lengths, default=0) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={lengths}"
        )
    if sum(lengths) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={lengths}"
        )
    return lengths


def _all_of(
    xp: Any, grads: Sequence[Any], shapes: Sequence[tuple[int, ...]], kind: Any
) -> list[Any]:
    """Return the gradients of all parts: zeros for those that nobody used."""
    return [
        xp.zeros(shape, kind) if g is None else g for g, shape in zip(grads, shapes, strict=True)
    ]


def _on_its_own(part: Any, name: str) -> Any:
    """Return `part` as no view of what it shows: PyTorch trusts that only one of them is written to."""
    part._base = None
    return renamed(part, name)
