"""Methods that repeat the elements, or put them in another place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._backend import meet
from .._engine import TensorBase, renamed
from .._engine.signature import shown_as
from .._ops import shape as s
from .._ops.reduce import axes_of, axis_of
from .common import library, not_implemented
from .layout import fresh, tidy
from .pytorch_errors import pytorch_errors_in_methods
from .sizes import in_one_argument, sizes

if TYPE_CHECKING:
    from .._engine.state import Tensor


@pytorch_errors_in_methods
class Arrange(TensorBase):
    """Repeating, flipping, rolling."""

    @in_one_argument("repeats")
    def repeat(self, *repeats: Any) -> Tensor:
        """Return `self` laid side by side, ``repeats[i]`` times along dimension i."""
        times = sizes(repeats, "repeat", "repeats")
        if len(times) < self._array.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        shape = (1,) * (len(times) - self._array.ndim) + self._array.shape
        full = [m * n for m, n in zip(times, shape, strict=True)]
        if min(times, default=0) < 0:
            wrong = next(n for n in full if n < 0)
            raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {full}")
        return s.repeat(self, times=times)

    @shown_as("self, dims")  # as PyTorch documents it
    @in_one_argument("dims")
    def tile(self, *dims: Any) -> Tensor:
        """Return `self` laid side by side; missing counts at the front are 1."""
        times = sizes(dims, "tile", "dims")
        return self.repeat((1,) * (self._array.ndim - len(times)) + times)

    def repeat_interleave(self, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:  # fmt: skip
        """Return each slice along `dim` so many times in a row; without `dim`, each element.

        Args:
            repeats: how often, or a vector with a number for each slice.
            dim: which dimension; None flattens first.
            output_size: the sum of `repeats`, where it is known; it is checked.

        Raises:
            RuntimeError: a number is negative, or there are not as many as slices.
        """
        t: Any = self.flatten() if dim is None else self  # type: ignore[attr-defined]
        axis, xp = axis_of(0 if dim is None else dim, t._array.ndim), library(self)
        if not t._array.ndim:
            t = t.reshape(1)
        n = t._array.shape[axis]
        times = repeats._array if isinstance(repeats, TensorBase) else xp.full((1,), repeats, "i8")
        meet(t._array, times)
        if times.dtype not in ("i4", "i8"):
            raise not_implemented("repeat_interleave_cpu", repeats)
        if times.ndim > 1:
            raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
        if times.size != 1 and times.size != n:
            raise RuntimeError(
                "repeats must have the same size as input along dim, but got repeats.size(0) = "
                f"{times.size} and input.size({axis}) = {n}"
            )
        if times.size and times.min() < 0:
            plain = not isinstance(repeats, TensorBase)
            raise RuntimeError(
                "Repeats must be non-negative" if plain else "repeats can not be negative"
            )
        if float(times.sum(dtype="f8")) * (n if times.size == 1 else 1) >= 2**60:
            raise RuntimeError("numel: integer multiplication overflow")  # NumPy would crash
        if (
            type(repeats) is int and output_size is None
        ):  # its gradient is a sum, which does not drift
            shape = (*t._array.shape[: axis + 1], repeats, *t._array.shape[axis + 1 :])
            return t.unsqueeze(axis + 1).expand(shape).clone().flatten(axis, axis + 1)
        index = xp.repeat(xp.arange(n), xp.broadcast_to(times.reshape(-1), (n,)))
        if output_size is not None and output_size != index.size:
            raise RuntimeError("allocated size does not match required size")
        picked = s.index(t, key=(slice(None),) * axis + (index,))
        return renamed(
            tidy(picked),
            "IndexSelectBackward0" if isinstance(repeats, TensorBase) else "ViewBackward0",
        )

    @shown_as("self, dims")  # as PyTorch documents it
    @in_one_argument("dims")
    def flip(self, *dims: Any) -> Tensor:
        """Return a copy with the order along `dims` reversed."""
        named = sizes(dims, "flip", "dims")
        axes = axes_of(named, self._array.ndim) if named else ()
        flipped: Any = s.flip(self, axes=axes) if axes else self
        return renamed(flipped.clone(), "FlipBackward0")

    def __reversed__(self) -> Tensor:
        return self.flip(0) if self._array.ndim else self  # type: ignore[return-value]

    def fliplr(self) -> Tensor:
        """Return a copy with the columns (dimension 1) in reverse order."""
        if self._array.ndim < 2:
            raise RuntimeError("Input must be >= 2-d.")
        return self.flip(1)

    def flipud(self) -> Tensor:
        """Return a copy with the rows (dimension 0) in reverse order."""
        if self._array.ndim < 1:
            raise RuntimeError("Input must be >= 1-d.")
        return self.flip(0)

    def roll(self, shifts: Any, dims: Any = ()) -> Tensor:
        """Return a copy moved by `shifts` along `dims`; what leaves at the end comes in at the front."""
        steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
        axes = (dims,) if isinstance(dims, int) else tuple(dims)
        if not steps:
            raise RuntimeError("`shifts` required")
        t: Any = self
        if not axes and len(steps) == 1:
            moved = t.flatten().roll(steps, 0).reshape(t._array.shape)
            return renamed(fresh(moved), "RollBackward0")
        if len(steps) != len(axes):
            raise RuntimeError(
                f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}"
            )
        xp = library(self)
        if axes and not t._array.ndim:
            raise IndexError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
        for step, dim in zip(steps, axes, strict=True):
            axis = axis_of(dim, t._array.ndim)
            n = t._array.shape[axis]
            if n:
                index = (xp.arange(n) - step) % n
                t = tidy(s.index(t, key=(slice(None),) * axis + (index,)))
        return renamed(t.clone() if t is self else t, "RollBackward0")

    def rot90(self, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
        """Return a copy turned `k` times by 90 degrees in the plane of `dims`, from the first to the second."""
        n = self._array.ndim
        if len(dims) != 2:
            raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
        if n < 2:
            raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
        if dims[0] == dims[1] or abs(dims[0] - dims[1]) == n:
            raise RuntimeError(
                f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
            )
        first, second = (axis_of(d, n) for d in dims)
        turns = k % 4
        if turns == 0:
            return renamed(self.clone(), "Rot90Backward0")  # type: ignore[attr-defined]
        if turns == 2:
            return renamed(self.flip(first, second), "Rot90Backward0")
        flipped: Any = self.flip(second if turns == 1 else first)
        return renamed(fresh(flipped.transpose(first, second)), "Rot90Backward0")
