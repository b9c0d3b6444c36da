"""Methods about where elements lie in memory, and those that change a tensor's own layout in place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .. import _dtypes, _formats
from .._backend import byte_span
from .._engine import (
    TensorBase,
    grad_mode,
    note_write,
    refuse_recorded_write,
    renamed,
    wants_grad,
    wrap,
)
from .._engine.operation import become_view
from .._ops import elementwise, strides
from .._ops.reduce import axis_of
from .common import kind_of, library
from .explained import explained_methods
from .sizes import in_one_argument, sizes

if TYPE_CHECKING:
    from .._engine.state import Tensor

NO_ORDER = "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."


def tidy(t: Any) -> Any:
    """Return `t`, a fresh result, with its elements in row-major order as PyTorch leaves them."""
    if not t._array.flags.c_contiguous or min(t._array.strides, default=0) < 0:
        t._array = t._array.copy(order="C")
    return t


def fresh(t: Any, by_columns: bool = False) -> Any:
    """Return `t`, the result of several steps, as the owner of its memory: no view of a step between.

    Args:
        t: a tensor on memory that nobody else has.
        by_columns: lay matrices out column by column, as LAPACK leaves them.
    """
    array = t._array
    if by_columns and array.ndim > 1:
        t._array = array.swapaxes(-1, -2).copy("C").swapaxes(-1, -2)
    elif t._base is not None and t._base._array.size != array.size:
        t._array = array.copy("C")
    t._base = None
    return t


def turning(method: Any, later: int = 1) -> Any:
    """Return the form of `method`, which gives a view, that lays its own tensor out that way.

    PyTorch numbers the nodes of a method; those of this form come `later`.
    """

    def call(self: Any, *args: Any, **named: Any) -> Any:
        if grad_mode.enabled:
            refuse_recorded_write(self, wants_grad(self))
        before = wrap(self._array, self._storage)
        before._node = self._node
        after = method(before, *args, **named)
        self._array = after._array
        if after._node is not None:  # in `no_grad` the old history stays, as in PyTorch
            stem, number = after._node.name()[:-1], int(after._node.name()[-1])
            self._node = renamed(after, f"{stem}{number + later}")._node
        note_write(self._storage, self._array)
        return self

    call.__name__ = call.__qualname__ = f"{method.__name__}_"
    call.__doc__ = f"Do what `{method.__name__}` does, in place, and return `self`."
    return call


def _view_of(t: TensorBase, result: Any) -> Any:
    """Return `result`, which shows the memory of `t`: an array that CuPy makes from strides does not say so."""
    if result._storage is not t._storage:
        become_view(result, t)
    return result


@explained_methods
class Layout(TensorBase):
    """Strides, and the memory under them."""

    def contiguous(self, *, memory_format: Any = None) -> Tensor:
        """Return `self`, or a copy in row-major order where it lies otherwise in memory."""
        _formats.checked_format("contiguous", memory_format)
        if _last_channels(memory_format):
            return _channels_behind(self)
        return self if self.is_contiguous() else elementwise.clone(self, order="C")  # type: ignore[return-value]

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """Return whether the elements lie in row-major order without gaps."""
        _formats.checked_format("is_contiguous", memory_format)
        if _last_channels(memory_format):
            n = self._array.ndim
            if n != _formats.RANKS[memory_format]:
                return False
            return self._array.transpose((0, *range(2, n), 1)).flags.c_contiguous
        return self._array.flags.c_contiguous

    def storage_offset(self) -> int:
        """Return how many elements lie before the first one in the memory that it shares."""
        base = self._array.base
        if not isinstance(base, type(self._array)):
            return 0
        return (byte_span(self._array)[0] - byte_span(base)[0]) // self._array.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Return how many elements lie between neighbours along each dimension, or along `dim`."""
        shape, item = self._array.shape, self._array.itemsize
        steps = [n // item for n in self._array.strides]
        if not self._array.size:  # NumPy gives 0s
            steps = [math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape))]
        for i in range(len(shape) - 1, -1, -1):
            if shape[i] == 1 and steps[i] == 0:  # NumPy's for a new dimension
                steps[i] = steps[i + 1] * shape[i + 1] if i + 1 < len(shape) else 1
        return tuple(steps) if dim is None else steps[axis_of(dim, len(steps))]

    def dim_order(self, *, ambiguity_check: bool | Sequence[Any] = False) -> tuple[int, ...]:
        """Return the dimensions in the order in which they lie in memory, the outermost first.

        Args:
            ambiguity_check: whether to raise where dimensions of size 1 or equal strides leave a choice; or
                memory formats, of which exactly one has to fit then.

        Raises:
            TypeError: `ambiguity_check` is something else.
            RuntimeError: there is a choice.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dim_order.html
        """
        t: Any = self
        formats = ambiguity_check if isinstance(ambiguity_check, list) else []
        known = all(isinstance(f, _formats.memory_format) for f in formats)
        if not (isinstance(ambiguity_check, bool) or (formats is ambiguity_check and known)):
            raise TypeError(
                "The ambiguity_check argument must be a bool or a list of memory formats."
            )
        steps = t.stride()
        equal = any(a == b for a, b in pairwise(steps))
        choice = ambiguity_check is not False and (equal or 1 in self._array.shape)
        if choice and sum(t.is_contiguous(memory_format=f) for f in formats) != 1:
            raise RuntimeError(NO_ORDER)
        if t.is_contiguous():
            return tuple(range(t.dim()))
        return _from_outside_in(self._array.shape, steps)

    def as_strided(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """Return a view of the memory under `self`: element `i` lies at ``offset + sum(i * stride)``.

        Args:
            size: the shape of the view.
            stride: how many elements lie between neighbours along each dimension.
            storage_offset: how many elements lie before the first one; by default as many as for `self`.

        Raises:
            RuntimeError: the view would reach beyond the memory.
        """
        shape, steps = tuple(size), tuple(stride)
        start = Layout.storage_offset(self) if storage_offset is None else storage_offset
        if len(shape) != len(steps):
            raise RuntimeError("mismatch in length of strides and shape")
        if any(n < 0 for n in steps):
            raise RuntimeError(
                "as_strided: Negative strides are not supported at the moment, got strides: "
                f"{list(steps)}"
            )
        if any(n < 0 for n in shape):
            raise RuntimeError(
                f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}"
            )
        if start < 0:
            raise RuntimeError(f"Tensor: invalid storage offset {start}")
        held = self._storage_numel()
        reach = start + 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
        if 0 not in shape and reach > held:
            item = self._array.itemsize
            raise RuntimeError(
                f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {start}, and "
                f"itemsize {item} requiring a storage size of {reach * item} are out of bounds for storage "
                f"of size {held * item}"
            )
        result = strides.as_strided(
            self, shape=shape, strides=steps, start=start, numel=held,
            own_strides=Layout.stride(self), own_start=Layout.storage_offset(self),
        )  # fmt: skip
        return _view_of(self, result)

    def _storage_numel(self) -> int:
        base = self._array.base
        if not isinstance(base, type(self._array)) or base.dtype != self._array.dtype:
            base = self._array
        return base.size

    def unfold(self, dimension: int, size: int, step: int) -> Tensor:
        """Return a view of windows along `dimension`, each `size` long, `step` apart, in a new last one."""
        axis = axis_of(dimension, self._array.ndim)
        n = self._array.shape[axis] if self._array.ndim else 1
        if size < 0:
            raise RuntimeError(f"size is {size} but must be >= 0")
        if size > n:
            raise RuntimeError(
                f"maximum size for tensor at dimension {axis} is {n} but size is {size}"
            )
        if step <= 0:
            raise RuntimeError(f"step is {step} but must be > 0")
        if not self._array.ndim:
            out: Any = self.reshape(1)  # type: ignore[attr-defined]
            return renamed(out.narrow(0, 0, size), "UnfoldBackward0")
        return _view_of(self, strides.unfold(self, axis=axis, size=size, step=step))

    @in_one_argument("size")
    def resize_(self, *size: Any, memory_format: Any = None) -> Tensor:
        """Give `self` another shape, and more memory where it needs it; what is new means nothing.

        Raises:
            RuntimeError: it requires grad.
        """
        if wants_grad(self):
            raise RuntimeError("cannot resize variables that require grad")
        shape = sizes(size, "resize_")
        if shape == self._array.shape:
            return self  # type: ignore[return-value]
        need, start, xp = math.prod(shape), Layout.storage_offset(self), library(self)
        if any(n < 0 for n in shape):
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
            )
        held = self._storage_numel()
        root = strides.lay_out(xp, self._array, (held,), (1,), 0)
        if start + need > held:
            grown = xp.zeros((start + need,), self._array.dtype)
            grown[:held] = root
            root = grown
        self._array = root[start : start + need].reshape(shape)
        return self  # type: ignore[return-value]

    def resize_as_(self, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
        """Give `self` the shape of `the_template`, as `resize_` does."""
        return self.resize_(the_template._array.shape)

    as_strided_ = turning(as_strided)


def _from_outside_in(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Sort dimensions by stride, the largest first, and equal strides by size.

    An insertion sort as in PyTorch: a stride of 0 fits anywhere, so that no other sort gives its answer.
    """
    inside_out: list[int] = list(reversed(range(len(shape))))
    for end in range(1, len(shape)):
        place = end
        for before in reversed(range(end)):
            a, b = inside_out[before], inside_out[place]
            if not (strides[a] and strides[b]):
                continue
            if (strides[a], shape[a]) > (strides[b], shape[b]):
                inside_out[before], inside_out[place] = b, a
                place = before
            elif strides[a] < strides[b]:
                break
    return tuple(reversed(inside_out))


def read_as(t: Any, dtype: _dtypes.dtype) -> Any:
    """Return the bytes of `t` read as another type.

    Raises:
        RuntimeError: the last dimension cannot be cut into elements of that type.
    """
    array, kind = t._array, dtype.numpy
    old, new = array.itemsize, kind.itemsize
    names = f"view {kind_of(t)} as {dtype.scalar_name} (different element sizes)"
    if old != new:
        if not array.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 to {names}")
        step = Layout.stride(t)[-1]
        if step != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to {names}, but got {step}")
        if new > old and array.shape[-1] % (new // old):
            raise RuntimeError(
                f"self.size(-1) must be divisible by {new // old} to {names}, but got {array.shape[-1]}"
            )
    return wrap(array.view(kind), t._storage)


def _last_channels(memory_format: Any) -> bool:
    return memory_format is not None and "channels_last" in str(memory_format)


def _channels_behind(t: Any) -> Any:
    """Return `t` with its channels, dimension 1, next to each other in memory."""
    n = t._array.ndim
    if n not in (4, 5):
        raise RuntimeError(f"required rank {4} tensor to use channels_last format")
    if t.is_contiguous(memory_format=_formats.channels_last):
        return t
    behind = t.permute(0, *range(2, n), 1).contiguous()
    return behind.permute(0, n - 1, *range(1, n - 1))
