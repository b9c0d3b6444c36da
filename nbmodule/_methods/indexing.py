"""Square brackets: reading and writing parts of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._backend import device_of, namespace_of
from .._data import fill_number
from .._engine import (
    TensorBase,
    be_silent,
    is_grad_enabled,
    note_write,
    rare,
    refuse_recorded_write,
    renamed,
    wants_grad,
    wrap,
    write,
)
from .._engine.operation import become_view
from .._errors import OVERLAP, name_of_type
from .._ops import shape as s
from .common import element_of, kind_of
from .index_expressions import (
    ALL,
    NO_DIMENSION,
    TOO_LONG,
    in_two_steps,
    is_mask,
    outside,
    parts_picked,
    refuse_picked,
    refuse_shapes,
)
from .layout import tidy

if TYPE_CHECKING:
    from .._engine.state import Tensor


class Indexing(TensorBase):
    """Reading and writing by square brackets."""

    def __getitem__(self, key: Any) -> Tensor:
        part = _unrecorded_part(self, key)
        if part is not None:
            return part
        if type(key) is int and self._array.ndim:  # of ``key, ...`` NumPy returns a view
            return renamed(s.index(self, key=(key, ...)), "SelectBackward0")
        if type(key) is slice and self._array.ndim and _place(key) is not None:
            return renamed(s.index(self, key=key), "SliceBackward0")
        _refuse_without_dimensions(self, key)
        view, picked = in_two_steps(self, key)
        if picked is None:  # a slice by itself is one, even of everything
            return _shown(self, view or (ALL,) if type(key) is slice else view)
        return _picked(_shown(self, view) if view else self, picked)

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(value) is float and -6e4 < value < 6e4 and _fill_part(self, key, value):
            return
        if not isinstance(value, TensorBase):
            value = _assignable(self, value)
        if key is False:  # PyTorch does not even look at the shape
            return
        whole = key is ... or (type(key) in (slice, tuple) and key in (ALL, ()))
        if whole or _place(key) is not None:
            _copy_to(self if whole else self[key], value)
            return
        _refuse_without_dimensions(self, key)
        view, picked = in_two_steps(self, None if key is True else key)
        shown = _shown(self, view) if view else self
        if picked is None:
            _copy_to(shown, value)
        else:
            _put(shown, picked, value, key)

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))  # type: ignore[attr-defined]

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


def _shown(t: TensorBase, view: tuple[Any, ...]) -> Any:
    """Return what the numbers, slices and Nones of `view` show of `t`; its node is called after the last of them."""
    if not (rare or t._keeps_class or wants_grad(t)):
        return _unrecorded(t, (*view, ...))
    if not view:
        return renamed(s.index(t, key=...), "AliasBackward0")
    last = next((k for k in reversed(view) if k != ALL), ALL)
    name = "Unsqueeze" if last is None else "Select" if type(last) is int else "Slice"
    return renamed(s.index(t, key=(*view, ...)), f"{name}Backward0")


def _picked(t: TensorBase, key: Any) -> Any:
    """Return the elements of `t` that the arrays and masks of `key` name."""
    try:
        out = s.index(t, key=key)
    except IndexError:
        out = s.index(t, key=refuse_picked(t._array.shape, key))
    return renamed(tidy(out), "IndexBackward0")


def _copy_to(shown: Any, value: Any) -> None:
    """Write `value` to all of the view `shown`, in its type."""
    shape = shown._array.shape
    if value._array.ndim and value._array.shape != shape:
        value = without_leading_ones(value)
        if not _is_leaf(shown._base):
            value.detach().expand(shape)  # PyTorch's error where it cannot be done
    shown.copy_(value)


def _put(t: TensorBase, key: Any, value: Any, given: Any) -> None:
    """Write `value` to the elements of `t` that the arrays and masks of `key` name; `given` is what it was made from."""
    recorded = is_grad_enabled() and (wants_grad(t) or wants_grad(value))
    if is_grad_enabled():
        refuse_recorded_write(t, recorded)
    value = _suitable(t, key, without_leading_ones(value), given)
    if value._array.ndim > 1 and is_mask(key):  # of which NumPy says something else
        key = key.nonzero()

    def directly(array: Any) -> None:
        array[key] = value._array

    try:  # PyTorch lets elements that repeat be written so, and the last one counts
        write(t, s.put, value, key=key, directly=directly, filling=not recorded)
    except IndexError:
        key = refuse_picked(t._array.shape, key)
        write(t, s.put, value, key=key, directly=directly, filling=not recorded)


def put_at(t: TensorBase, key: Any, value: Any, given: Any) -> Any:
    """Return a copy of `t` in which `_put` has written."""
    value = _suitable(t, key, value, given)
    try:
        return s.put(t, value, key=key)
    except IndexError:
        return s.put(t, value, key=refuse_picked(t._array.shape, key))


def _suitable(t: TensorBase, key: Any, value: Any, given: Any) -> Any:
    """Return `value` as it can be written to the elements of `t` that the arrays and masks of `key` name.

    Raises:
        RuntimeError: it has another type than `t`, or is `t`; a single number has to fit, where there is a mask.
    """
    if value._array.size == 1 and _is_one_mask(key):
        value = _filling(t, key, value, given)
    elif value is t or key is t._array:
        raise RuntimeError(OVERLAP)
    refuse_other_type(t, key, value)
    if not value._array.ndim and type(value._array) is not type(t._array):
        value = value.to(device_of(t._array))
    return value


def refuse_other_type(t: Any, key: Any, value: Any) -> None:
    """Raise unless `value` has the type of `t`, to which it shall be written at `key`."""
    own = t._array.dtype
    if value._array.dtype != own:
        zeros = refuse_shapes(t._array.shape, key)  # shapes that do not fit come first
        s.put(t.detach(), value.detach().to(_dtypes.of_numpy[own]), key=zeros)
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{kind_of(t)} for the destination and {kind_of(value)} for the source."
        )


def _is_one_mask(key: Any) -> bool:
    arrays = [k for k in parts_picked(key) if k is not ALL]
    return len(arrays) == 1 and is_mask(arrays[0])


def _filling(t: Any, key: Any, value: Any, given: Any) -> Any:
    """Return `value`, one number to be written where a mask says, in the type of `t`: so `masked_fill` takes it.

    Raises:
        RuntimeError: the number does not fit, or the mask in `given`, which `key` was made from, holds bytes.
    """
    for part in given if isinstance(given, (tuple, list)) else (given,):
        array = part._array if isinstance(part, TensorBase) else part
        if getattr(array, "ndim", 0) and array.dtype == "uint8":
            refuse_shapes(t._array.shape, key)
            raise RuntimeError(
                "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
            )
    return element_of(t, value)


def _is_leaf(t: TensorBase | None) -> bool:
    return t is not None and t._requires_grad and t._node is None


def _refuse_without_dimensions(t: TensorBase, key: Any) -> None:
    """Raise if `t` has no dimension that the number or slice `key` could stand for."""
    if t._array.ndim:
        return
    if type(key) is slice:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if type(key) is int:
        raise IndexError(outside(key, 0, 0) if key else NO_DIMENSION)


def without_leading_ones(value: Any) -> Any:
    """Return `value` without the leading dimensions of length 1."""
    shape = value._array.shape
    ones = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return value.reshape(shape[ones:]) if ones else value


def _assignable(t: Any, value: Any) -> Any:
    """Return `value`, a number or an array, as a tensor that can be written to parts of `t`."""
    array = t._array
    if isinstance(value, (bool, int, float, np.integer)):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(TOO_LONG)
        half = array.dtype.char == "e"  # which alone takes what is too large, as an infinity
        number = value if half else fill_number(value, _dtypes.of_numpy[array.dtype])
        xp = np if type(array) is np.ndarray else namespace_of[type(array)]
        return wrap(xp.asarray(number, dtype=array.dtype))
    raise TypeError(f"can't assign a {name_of_type(value)} to a {t.type()}")


def _unrecorded_part(t: TensorBase, key: Any) -> Any:
    """Return ``t[key]`` for a number, several or a slice where no gradient can go through it, else None.

    A data set is read so, row by row, and written: this takes a third of the time of the operation.
    """
    place = _place(key)
    if place is None or rare or t._keeps_class or wants_grad(t):
        return None
    try:
        return _unrecorded(t, place)
    except IndexError:
        return None


def _unrecorded(t: TensorBase, place: Any) -> Any:
    """Return what NumPy's index `place` shows of `t`, as a view through which no gradient goes."""
    part = wrap(t._array[place], t._storage)
    become_view(part, t)
    return part


def _place(key: Any) -> Any:
    """Return an index with which NumPy gives a view, never a number; None for what needs a closer look."""
    if type(key) is int:
        return key, ...
    if type(key) is slice:
        plain = key.step is None and type(key.start) in _BOUNDS and type(key.stop) in _BOUNDS
        return key if plain else None
    if type(key) is not tuple:
        return None
    for k in key:
        if type(k) is not int:
            return None
    return *key, ...


_BOUNDS = (int, type(None))


def _fill_part(t: TensorBase, key: Any, value: float) -> bool:
    """Write a number that every floating type holds to a part, where nothing is recorded; return whether that was done."""
    array, place = t._array, _place(key)
    if (
        place is None
        or rare
        or type(array) is not np.ndarray
        or array.dtype.kind != "f"
        or not array.flags.writeable
        or wants_grad(t)
    ):
        return False
    be_silent()
    try:
        array[place] = value
        note_write(t._storage, t._array)
    except IndexError:
        return False
    except KeyboardInterrupt:  # it may have been written
        note_write(t._storage, t._array)
        raise
    return True
