"""Methods that write to places given by index tensors or masks, or read from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._backend import meet
from .._engine import TensorBase, renamed, wants_grad
from .._errors import not_a_tensor
from .._ops import scatter as sc
from .._ops import shape as s
from .._ops.reduce import axis_of
from ._signatures import bind_call
from .common import element_of, kind_of, library
from .explained import explained_methods
from .from_rules import in_place
from .index_expressions import are_places, beside, index_array, refuse_picked
from .indexing import put_at, refuse_other_type
from .layout import fresh
from .scatter_helpers import (
    broadcast_pair,
    check_bounds,
    check_kind,
    check_reach,
    fold,
    like,
    with_dimension,
)

if TYPE_CHECKING:
    from .._engine.state import Tensor

_INTO = {None: s.put, "add": sc.accumulate, "multiply": sc.multiply_into}
_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


@explained_methods
class Scatter(TensorBase):
    """Scattering, and the operations on whole slices that an index vector names."""

    # ---- element by element along a dimension

    def scatter(self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:  # fmt: skip
        """Return a copy with ``out[index[i][j]][j] = src[i][j]`` for dim 0, and so on.

        Args:
            dim: the dimension that `index` counts along.
            index: integers, of as many dimensions as `self`.
            src: the values, at least as large as `index`, or one number for all.
            value: another name for `src` where it is a number.
            reduce: "add" or "multiply" the values into `self` instead.
        """
        source = value if src is None else src
        if source is None:
            bind_call("scatter", True, (dim, index), {})
        if isinstance(source, TensorBase) and src is None:
            source = source._array.item()
        key, values = self._scatter_key("scatter", dim, index, source)
        into: Any = _INTO.get(reduce)
        if into is None:
            raise RuntimeError("reduce argument must be either add or multiply.")
        name = "ScatterBackward0" if isinstance(values, TensorBase) else "ScatterBackward1"
        return like(self, into(with_dimension(self), values, key=key), name)

    def scatter_add(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """Return a copy with the elements of `src` added at ``index`` along `dim`; repeats add up."""
        if not isinstance(src, TensorBase):
            raise not_a_tensor("scatter_add", "src", 3, src)
        key, values = self._scatter_key("scatter", dim, index, src)
        out = sc.accumulate(with_dimension(self), values, key=key)
        return like(self, out, "ScatterAddBackward0")

    def scatter_reduce(self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:  # fmt: skip
        """Return a copy in which all elements of `src` that go to one place are folded into one.

        Args:
            dim: the dimension that `index` counts along.
            index: integers, of as many dimensions as `self`.
            src: the values, at least as large as `index`.
            reduce: "sum", "prod", "mean", "amax" or "amin".
            include_self: fold the element of `self` in too.
        """
        if reduce not in _REDUCTIONS:
            raise RuntimeError(
                "reduce argument must be either sum, prod, mean, amax or amin, got " + reduce
            )
        key, values = self._scatter_key("scatter", dim, index, src)
        if reduce == "mean" and self._array.dtype.kind == "b":
            raise NotImplementedError(
                "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'"
            )
        out = fold(with_dimension(self), values, key, reduce, include_self)
        return like(self, out, "ScatterReduceBackward0")

    def _scatter_key(self, name: str, dim: int, index: Any, source: Any) -> tuple[Any, Any]:
        """Return the raw key of all places in `with_dimension` of `self`, and the part of `source` that goes there."""
        values: Any = source
        if not isinstance(index, TensorBase):
            raise not_a_tensor(name, "index", 2, index)
        axis, raw = axis_of(dim, self._array.ndim), index._array
        is_tensor = isinstance(source, TensorBase)
        if raw.size:
            check_kind(raw, name)
        if is_tensor and source._array.dtype != self._array.dtype:
            raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
        if not raw.size:
            nowhere = library(self).zeros((0,), "i8")
            key = (nowhere,) * max(self._array.ndim, 1)
            return key, source.reshape(-1)[:0] if is_tensor else 0  # type: ignore[attr-defined]
        own = self._array.shape or (1,)
        places = raw.reshape(raw.shape or (1,))
        if places.ndim != len(own):
            raise RuntimeError(
                "Index tensor must have the same number of dimensions as self tensor"
            )
        given = (source._array.shape or (1,)) if is_tensor else places.shape
        if len(given) != len(own):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        fits = all(
            n <= m for a, (n, m) in enumerate(zip(places.shape, own, strict=True)) if a != axis
        )
        if not fits or any(n > m for n, m in zip(places.shape, given, strict=True)):
            text = f"Expected index {list(raw.shape)} to be no larger than self {list(self._array.shape)}"
            text += f" apart from dimension {axis}"
            if is_tensor:
                text += f" and to be no larger size than src {list(source._array.shape)}"
            raise RuntimeError(text)
        check_bounds(raw, own[axis], axis)
        values = with_dimension(values) if is_tensor else element_of(self, values)
        if is_tensor and given != places.shape:
            values = values[tuple(slice(n) for n in places.shape)]
        return sc.along(library(self), axis, places), values

    # ---- whole slices along a dimension

    def index_add(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
        """Return a copy with ``alpha * source`` added to the slices along `dim` that `index` names."""
        axis, places = _check_added_slices("index_add_()", self, dim, index, source)
        wrong = (places < 0) | (places >= (self._array.shape or (1,))[axis])
        if self._array.ndim < 2 and wrong.any():
            raise IndexError("index out of range in self")
        check_bounds(places, (self._array.shape or (1,))[axis], axis)
        alpha = element_of(self, alpha)
        added: Any = with_dimension(source if alpha == 1 else source * alpha)
        key = (slice(None),) * axis + (places.reshape(-1),)
        return like(self, sc.accumulate(with_dimension(self), added, key=key), "IndexAddBackward0")

    def index_copy(self, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """Return a copy with the slices along `dim` that `index` names replaced by those of `source`."""
        axis, places = axis_of(dim, self._array.ndim), index._array
        _check_copied_slices(self, axis, index, source)
        key = (slice(None),) * axis + (places.reshape(-1),)
        return like(self, s.put(with_dimension(self), source, key=key), "IndexCopyBackward0")

    def index_fill(self, dim: int, index: Tensor, value: Any) -> Tensor:
        """Return a copy with the slices along `dim` that `index` names full of `value`."""
        axis, places = axis_of(dim, self._array.ndim), index._array
        if isinstance(value, TensorBase) and value._array.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        if places.dtype != "i8":
            raise IndexError("index_fill_(): Expected dtype int64 for index.")
        if places.ndim > 1:
            raise RuntimeError("Index has to be a vector/scalar")
        n = (self._array.shape or (1,))[axis]
        wrong = places[(places < -n) | (places >= n)]
        if wrong.size:
            raise IndexError(
                f"index {int(wrong.reshape(-1)[0])} is out of bounds for dimension {axis} with size {n}"
            )
        value = element_of(self, value)
        if isinstance(value, TensorBase) and self._array.ndim and wants_grad(value):
            places = library(self).unique(places % n)  # a place named twice is filled once
        key = (slice(None),) * axis + (places.reshape(-1),)
        name = "IndexFillBackward1" if isinstance(value, TensorBase) else "IndexFillBackward0"
        out = s.put(with_dimension(self), value, key=key)
        return like(self, out, name)

    def index_reduce(self, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:  # fmt: skip
        """Return a copy with the slices of `source` folded into those along `dim` that `index` names.

        `reduce` is "prod", "mean", "amax" or "amin"; `include_self` folds the slice of `self` in too.
        """
        if reduce not in _REDUCTIONS[1:]:
            raise RuntimeError(
                f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
            )
        axis, places = _check_added_slices("index_reduce_()", self, dim, index, source)
        if ((places < 0) | (places >= (self._array.shape or (1,))[axis])).any():
            raise IndexError("index out of range in self")
        if self._array.dtype.kind == "b":
            _refuse_booleans(self._array.ndim, reduce, include_self)
        key = (slice(None),) * axis + (places.reshape(-1),)
        out = fold(with_dimension(self), with_dimension(source), key, reduce, include_self)
        return like(self, out, "IndexReduceBackward0")

    # ---- anywhere

    def index_put(self, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with ``copy[indices] = values``, or ``+=`` to `accumulate`."""
        if isinstance(indices, TensorBase):
            raise TypeError(
                "index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not Tensor"
            )
        for position, k in enumerate(indices):
            if not isinstance(k, TensorBase):
                raise TypeError(
                    f"expected Tensor as element {position} in argument 0, but got {type(k).__name__}"
                )
        if len(indices) > self._array.ndim:
            raise IndexError(
                f"too many indices for tensor of dimension {self._array.ndim} (got {len(indices)})"
            )
        key: Any = tuple([beside(self._array, index_array(k._array)) for k in indices])
        if not any(k.ndim for k in key):
            key = (*key, ...)  # a place that NumPy can write an array to, not a number
        if not accumulate:
            return put_at(self, key, values, indices)
        refuse_other_type(self, key, values)
        try:
            return renamed(sc.accumulate(self, values, key=key), "IndexPutBackward0")
        except (IndexError, RuntimeError):
            s.put(self.detach(), values.detach(), key=refuse_picked(self._array.shape, key))  # type: ignore[attr-defined]
            raise

    def put(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with `source` at the places `index` of the flattened tensor."""
        if index._array.dtype != "i8":
            raise RuntimeError(
                f"put_(): Expected a long tensor for index, but got {kind_of(index)}"
            )
        if source._array.dtype != self._array.dtype:
            raise RuntimeError(
                "put_(): self and source expected to have the same dtype, but got self.dtype = "
                f"{kind_of(self)} and source.dtype = {kind_of(source)}"
            )
        if index._array.size != source._array.size:
            raise IndexError(
                "put_(): Expected source and index to have the same number of elements, but got "
                f"source.numel() = {source._array.size}, index.numel() = {index._array.size}"
            )
        if index._array.size and not self._array.size:
            raise IndexError("put_(): Tried to put elements into an empty tensor")
        check_reach(index._array, self._array.size)
        flat: Any = self.reshape(-1)  # type: ignore[attr-defined]
        rule = sc.accumulate if accumulate else s.put
        out: Any = rule(flat, source.reshape(-1), key=(index._array.reshape(-1),))
        return renamed(fresh(out.reshape(self._array.shape)), "PutBackward0")

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """Return a copy with the elements of `source`, in order, where `mask` is True."""
        if source._array.dtype != self._array.dtype:
            raise RuntimeError(
                "masked_scatter: expected self and source to have same dtypes but got"
                f"{kind_of(self)} and {kind_of(source)}"
            )
        if mask._array.dtype.kind != "b":
            raise RuntimeError(
                "masked_scatter_ only supports boolean masks, but got mask with dtype "
                + kind_of(mask)
            )
        meet(self._array, mask._array, source._array)
        own, wanted = broadcast_pair(self, mask)
        chosen = wanted._array
        count = int(chosen.sum())
        if count > source._array.size:
            raise RuntimeError("Number of elements of source < number of ones in mask")
        values: Any = source.reshape(-1)[:count]
        key = library(self).nonzero(with_dimension(wanted)._array)
        return like(own, s.put(with_dimension(own), values, key=key), "MaskedScatterBackward0")

    def masked_select(self, mask: Tensor) -> Tensor:
        """Return the elements where `mask` is True, as a vector."""
        if mask._array.dtype.kind != "b":
            raise RuntimeError("masked_select: expected BoolTensor for mask")
        wanted, own = broadcast_pair(mask, self)
        if not own._array.ndim:
            own, wanted = own.reshape(1), wanted.reshape(1)
        return renamed(own[wanted], "MaskedSelectBackward0")

    scatter_ = in_place(scatter, "dim", "index", "src", promotes=False)
    scatter_add_ = in_place(scatter_add, "dim", "index", "src", promotes=False)
    scatter_reduce_ = in_place(scatter_reduce, "dim", "index", "src", "reduce", promotes=False)
    index_add_ = in_place(index_add, "dim", "index", "source", promotes=False)
    index_copy_ = in_place(index_copy, "dim", "index", "source", promotes=False)
    index_fill_ = in_place(index_fill, "dim", "index", "value", promotes=False)
    index_reduce_ = in_place(index_reduce, "dim", "index", "source", "reduce", promotes=False)
    index_put_ = in_place(index_put, "indices", "values", "accumulate", promotes=False)
    put_ = in_place(put, "index", "source", "accumulate", promotes=False)
    masked_scatter_ = in_place(masked_scatter, "mask", "source", promotes=False)


def _refuse_booleans(ndim: int, reduce: str, include_self: bool) -> None:
    """Raise where PyTorch cannot fold slices of booleans."""
    kernel = "index_func_" if ndim < 2 else "div_floor_cpu" if reduce == "mean" else ""
    if not include_self:
        kernel = "index_reduce_func_exclude_input_init"
    if kernel:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _check_added_slices(name: str, t: TensorBase, dim: int, index: TensorBase, source: TensorBase) -> tuple[int, Any]:  # fmt: skip
    """Return the dimension and the places, unless `source` does not hold a slice of `t` for each place."""
    axis, places = axis_of(dim, t._array.ndim), index._array
    own, other = list(t._array.shape), list(source._array.shape)
    if places.ndim > 1:
        raise IndexError(
            f"{name}: Index is supposed to be a vector, but got dim: {places.ndim} with type: "
            f"{kind_of(index)} and size: {list(places.shape)}"
        )
    if not are_places(places):
        raise RuntimeError(
            f"{name}: Expected dtype int32/int64 for index but got: {kind_of(index)}"
        )
    if source._array.dtype != t._array.dtype:
        raise RuntimeError(
            f"{name}: self ({kind_of(t)}) and source ({kind_of(source)}) must have the same scalar type"
        )
    if axis and axis >= len(other):
        raise RuntimeError(
            f"{name}: Indexing dim {axis} is out of bounds of the source tensor with dim {len(other)}"
        )
    if not other and places.size != 1:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    length = other[axis] if other else 1
    if places.size != length:
        raise RuntimeError(
            f"{name}: Number of indices ({places.size}) should be equal to source.size(dim): ({length}), "
            f"for dim: {axis}"
        )
    rest = [n[:axis] + n[axis + 1 :] if own and other else n for n in (own, other)]
    if rest[0] != rest[1]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {own} source.shape = {other}"
        )
    return axis, places


def _check_copied_slices(t: TensorBase, axis: int, index: TensorBase, source: TensorBase) -> None:
    """Raise if `source` does not hold a slice of `t` along `axis` for each number of `index`."""
    places, name = index._array, "index_copy_()"
    if places.ndim > 1:
        raise IndexError(f"{name}: Index should have dimension 1 or 0 (got {places.ndim})")
    own, other = list(t._array.shape), list(source._array.shape)
    if not other and places.size != 1:
        raise IndexError(
            f"{name}: When source is scalar, index should have one element (got {places.size})"
        )
    if places.dtype != "i8":
        raise RuntimeError(f"{name}: Expected a long tensor for index, but got {kind_of(index)}")
    if source._array.dtype != t._array.dtype:
        raise RuntimeError(
            f"{name}: self and source expected to have the same dtype, but got (self) "
            f"{kind_of(t)} and (source) {kind_of(source)}"
        )
    if own and other and len(own) != len(other):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({len(other)}), destination dimensionality ({len(own)})"
        )
    rest, theirs = own[:axis] + own[axis + 1 :], other[:axis] + other[axis + 1 :]
    if rest != theirs:
        raise RuntimeError(
            f"{name}: Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, rest))} at dimension {axis} and source slice shape: "
            f"{' '.join(map(str, theirs))} at dimension 0."
        )
    length = other[axis] if other else 1
    if places.size != length:
        raise IndexError(
            f"{name}: Number of indices ({places.size}) should be equal to source.size(dim) ({length})"
        )
    n = (t._array.shape or (1,))[axis]
    wrong = places[(places < 0) | (places >= n)]
    if wrong.size:
        raise IndexError(
            f"{name}: index {int(wrong.reshape(-1)[0])} is out of bounds for dimension {axis} with size {n}"
        )
