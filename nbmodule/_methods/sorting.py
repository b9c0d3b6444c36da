"""Methods that order what lies along a dimension, or look for places in an order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import return_types as results
from .._backend import meet
from .._engine import TensorBase, renamed, wrap
from .._errors import name_of_type
from .._ops import ranking
from .._ops import shape as s
from .._ops.reduce import axis_of
from .common import library, nonempty_axes, not_implemented
from .layout import fresh, tidy
from .pytorch_errors import pytorch_errors_in_methods

if TYPE_CHECKING:
    from .._engine.state import Tensor


def order(xp: Any, array: Any, axis: int, descending: bool = False) -> Any:
    """Return the indices that sort `array` along `axis`; equals keep their order, NaN is largest."""
    if not descending:
        return array.argsort(axis, kind="stable")
    backwards = xp.flip(array, axis).argsort(axis, kind="stable")
    return xp.flip(array.shape[axis] - 1 - backwards, axis)


def picked(t: Any, axis: int, index: Any, name: str) -> Tensor:
    """Return the elements of `t` that the array `index` names along `axis`, from a node `name`."""
    return renamed(tidy(s.gather(t, axis=axis, index=index)), name)


def laid_out_like(t: Any, out: Any) -> Any:
    """Return `out`, a fresh result, with its elements in the order in memory that those of `t` have."""
    if out._array.strides != tuple(
        n // t._array.itemsize * out._array.itemsize for n in t._array.strides
    ):
        array = library(t).empty_like(t._array, out._array.dtype)
        array[...] = out._array
        out._array = array
    return out


@pytorch_errors_in_methods
class Sorting(TensorBase):
    """Sorting, the k-th element, the most frequent one, the different ones."""

    def sort(self, dim: Any = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
        """Return ``(values, indices)`` in order along `dim`; NaN counts as the largest.

        Args:
            dim: which dimension.
            descending: begin with the largest.
            stable: without effect: equals always keep their order.
        """
        axis = axis_of(dim, self._array.ndim)
        name = "SortBackward0" if stable is None else "SortBackward1"
        if not self._array.ndim:
            return self._alone("sort", name)
        index = order(library(self), self._array, axis, descending)
        values = picked(self, axis, index, name)
        return results.sort((laid_out_like(self, values), laid_out_like(self, wrap(index))))

    def _alone(self, name: str, node: str) -> Any:
        """Return ``(values, indices)`` of the only element."""
        values = renamed(self.clone(), node)  # type: ignore[attr-defined]
        return getattr(results, name)((values, self._zero_index()))

    def _zero_index(self) -> Tensor:
        return wrap(library(self).zeros((), "i8"))

    def argsort(self, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
        """Return the indices that sort `self` along `dim`."""
        axis = axis_of(dim, self._array.ndim)
        if not self._array.ndim:
            return self._zero_index()
        return laid_out_like(self, wrap(order(library(self), self._array, axis, descending)))

    def msort(self) -> Tensor:
        """Return the elements in order along the first dimension."""
        return self.sort(0).values

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
        """Return ``(values, indices)`` of the `k` largest (or smallest) elements along `dim`, in order.

        Raises:
            RuntimeError: there are fewer than `k`.
        """
        axis = axis_of(dim, self._array.ndim)
        if not 0 <= k <= (self._array.shape[axis] if self._array.ndim else 1):
            raise RuntimeError("selected index k out of range")
        if self._array.dtype.kind == "b":
            raise RuntimeError("topk does not support bool dtypes on CPU")
        if not self._array.ndim:  # the one element, even where `k` is 0, as in PyTorch
            return self._alone("topk", "TopkBackward0")
        index = order(library(self), self._array, axis, largest)
        index = index[(slice(None),) * axis + (slice(k),)]
        return results.topk((picked(self, axis, index, "TopkBackward0"), tidy(wrap(index))))

    def _one_in_order(self, name: str, axis: int, place: Any, keepdim: bool) -> Any:
        """Return ``(values, indices)`` of the element at `place` of the order along `axis`.

        `place` is a number, or an array of one for each slice, with length 1 along `axis`.
        """
        cls = getattr(results, name)
        node = f"{name.title()}Backward{int('median' in name)}"
        xp = library(self)
        index = order(xp, self._array, axis)
        if isinstance(place, int):
            index = index[(slice(None),) * axis + (slice(place, place + 1),)]
        else:
            index = xp.take_along_axis(index, place, axis)
        values = picked(self, axis, index, node)
        if not keepdim:
            values, index = renamed(fresh(values.squeeze(axis)), node), index.squeeze(axis)
        return cls((values, tidy(wrap(index))))

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> Any:
        """Return ``(values, indices)`` of the `k`-th smallest element along `dim`, counted from 1.

        Raises:
            RuntimeError: there are fewer than `k`.
        """
        (axis,) = nonempty_axes("kthvalue", axis_of(dim, self._array.ndim), self) or (0,)
        if not 1 <= k <= (self._array.shape[axis] if self._array.ndim else 1):
            raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
        if not self._array.ndim:
            return self._alone("kthvalue", "KthvalueBackward0")
        return self._one_in_order("kthvalue", axis, k - 1, keepdim)

    def mode(self, dim: int = -1, keepdim: bool = False) -> Any:
        """Return ``(values, indices)`` of the most frequent element along `dim`, the smallest of several."""
        (axis,) = nonempty_axes("mode", axis_of(dim, self._array.ndim), self) or (0,)
        if not self._array.ndim:
            return self._alone("mode", "ModeBackward0")
        xp = library(self)
        index = order(xp, self._array, axis)
        ranked = xp.moveaxis(xp.take_along_axis(self._array, index, axis), axis, -1)
        n = ranked.shape[-1]
        same_as_next = ranked[..., 1:] == ranked[..., :-1]
        run = xp.zeros(ranked.shape, "i8")
        for i in range(1, n):  # how many equals lie before this place
            run[..., i] = xp.where(same_as_next[..., i - 1], run[..., i - 1] + 1, 0)
        place = xp.expand_dims(xp.moveaxis(run, -1, axis).argmax(axis), axis)
        return self._one_in_order("mode", axis, place, keepdim)

    # ---- the different ones

    def unique(self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:  # fmt: skip
        """Return each different element (or slice along `dim`) once, in order.

        Args:
            sorted: without effect: the result always is.
            return_inverse: also return where each element went.
            return_counts: also return how often each occurs.
            dim: compare slices along this dimension; None compares elements.
        """
        if not isinstance(sorted, bool):
            name = "_unique2" if dim is None else "unique_dim"
            raise TypeError(f"{name}(): argument 'sorted' must be bool, not {name_of_type(sorted)}")
        return self._unique(True, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:  # fmt: skip
        """Return the elements (or slices along `dim`) that differ from the one before them."""
        return self._unique(False, return_inverse, return_counts, dim)

    def _unique(self, ordered: bool, inverse: bool, counts: bool, dim: int | None) -> Any:
        xp, array = library(self), self._array
        axis = None if dim is None else axis_of(dim, array.ndim)
        if axis is not None and not array.size and array.ndim:
            if array.shape[axis]:
                raise RuntimeError(
                    "unique_dim: There are 0 sized dimensions, and they aren't selected by `dim`, so unique "
                    "cannot be applied"
                )
            nothing = [wrap(xp.zeros((0,), "i8")) for wanted in (inverse, counts) if wanted]
            return (self.clone(), *nothing) if nothing else self.clone()  # type: ignore[attr-defined]
        rows = _rows(xp, array, axis)
        n = len(rows)
        index = _lexical_order(xp, rows) if ordered else xp.arange(n)
        ranked = rows[index]
        first = xp.ones((n,), bool)
        first[1:] = (ranked[1:] != ranked[:-1]).any(1)
        found = ranked[first]
        if axis is not None and array.ndim:
            rest = (*array.shape[:axis], *array.shape[axis + 1 :])
            found = xp.moveaxis(found.reshape((len(found), *rest)), 0, axis)
        else:
            found = found.reshape(-1)
        group = xp.zeros((n,), "i8")
        group[index] = first.cumsum() - 1
        starts = first.nonzero()[0]
        ends = xp.concatenate([starts[1:], xp.full((min(n, 1),), n, "i8")])
        name = UNIQUE_NAMES[axis is not None, ordered]
        node = "".join(map(str.title, name.split("_"))) + "Backward0"
        out: list[Any] = [renamed(ranking.distinct(self, value=found, name=name), node)]
        if inverse:
            out.append(wrap(group.reshape(array.shape) if axis is None else group))
        if counts:
            out.append(wrap(ends - starts))
        return tuple(out) if len(out) > 1 else out[0]

    # ---- places in an order

    def bincount(self, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
        """Return how often each number from 0 on occurs, or the sum of its `weights`.

        Raises:
            RuntimeError: `self` is no vector of numbers that are not negative; `weights` has another
                length; `minlength` is negative.
        """
        array = self._array
        if minlength < 0:
            raise RuntimeError("minlength should be >= 0")
        if array.dtype.kind == "f" or array.dtype.kind == "b":
            raise not_implemented("bincount_cpu", self)
        if array.ndim != 1 or (array.size and array.min() < 0):
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        if weights is not None and weights._array.shape != array.shape:
            raise RuntimeError("weights should be 1-d and have the same length as input")
        xp = library(self)
        n = max(minlength, int(array.max()) + 1 if array.size else 0)
        if weights is None:
            total = xp.zeros((n,), "i8")
            xp.add.at(total, array, 1)
        else:
            meet(array, weights._array)
            kind = weights._array.dtype if weights._array.dtype == "f4" else "f8"
            total = xp.zeros((n,), kind)
            xp.add.at(total, array, weights._array.astype(kind))
        return wrap(total)


def search(xp: Any, ordered: Any, values: Any, side: str) -> Any:
    """Return where `values` would go in `ordered`, row by row where both have several."""
    if ordered.ndim == 1:
        return xp.searchsorted(ordered, values, side=side)
    if not values.size:
        return xp.zeros(values.shape, "i8")
    rows = math.prod(ordered.shape[:-1])
    flat, wanted = ordered.reshape(rows, -1), values.reshape(rows, -1)
    found = [xp.searchsorted(a, v, side=side) for a, v in zip(flat, wanted, strict=True)]
    return xp.stack(found).reshape(values.shape) if found else xp.zeros(values.shape, "i8")


UNIQUE_NAMES = {
    (False, True): "_unique2", (False, False): "unique_consecutive",
    (True, True): "unique_dim", (True, False): "unique_dim_consecutive",
}  # fmt: skip
"""What PyTorch calls the kinds of `unique`: along a dimension, and with the elements put in order."""


def _rows(xp: Any, array: Any, axis: int | None) -> Any:
    """Return the slices along `axis` as rows of a matrix; without an axis each element is a row."""
    if axis is None:
        return array.reshape(-1, 1)
    return xp.moveaxis(array, axis, 0).reshape(array.shape[axis] if array.ndim else 1, -1)


def _lexical_order(xp: Any, rows: Any) -> Any:
    """Return the indices that put the rows of a matrix in order, the first column first."""
    index = xp.arange(len(rows))
    for column in range(rows.shape[1] - 1, -1, -1):
        index = index[rows[index, column].argsort(kind="stable")]
    return index
