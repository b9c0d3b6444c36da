"""Writing in place, and what it does to the history of a tensor, of its base and of its views.

A recorded write gives the tensor a new node. A write to a view changes its base: the base gets a node
that sends the gradient of the part to what was written, and that of the rest to its old history. All
other views of the same memory get their history anew from the base when they are next used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from .. import _dtypes, _errors
from .._backend import Array, MetaArray, library_of, mixed_devices, namespace_of
from .arrays import is_dense
from .graph import Node, Port, Refresh, Vjp, edge_of, node_class, shared_class, wants_grad
from .observing import Event, heard, tell_of, told_as_one
from .operation import become_view, keep_class, op
from .state import Since, TensorBase, be_silent, grad_mode, note_write, rare, wrap

ndarray = np.ndarray


def write(
    target: TensorBase,
    function: Callable[..., TensorBase],
    *args: Any,
    directly: Callable[[Array], None] | None = None,
    filling: bool = False,
    **options: Any,
) -> Any:
    """Replace the value of `target`, in place, by ``function(target, *args, **options)``.

    Args:
        target: the tensor to write to.
        function: an operation on it.
        args: further arguments of `function`.
        directly: does the same to a raw array, in place; for writes that are not recorded.
        filling: every element gets the same value, so it does not matter if some share memory.
        options: of `function`.

    Raises:
        RuntimeError: `target` is a leaf that requires grad, a view that must not be written to, or made
            in inference mode; or the result has another shape, or a type that does not fit.
    """
    if rare and heard():
        event = Event("write", written_name(function), (target, *args), options)
        return told_as_one(event, write, target, function, *args, directly=directly, filling=filling, **options)  # fmt: skip
    if target._storage.is_inference and not grad_mode.inference:
        raise RuntimeError(_errors.INFERENCE_WRITTEN)
    given = (target, *args, *options.values())
    recorded = False
    if grad_mode.enabled:
        for a in given:
            recorded = recorded or (isinstance(a, TensorBase) and wants_grad(a))
        refuse_recorded_write(target, recorded)
        recorded = recorded and target._array.dtype.kind == "f"  # an integer has no derivative
    if not getattr(target._array.flags, "writeable", True):  # CuPy has no such flag
        unlock(target._array, filling)
        try:
            return write(target, function, *args, directly=directly, filling=filling, **options)
        finally:
            target._array.flags.writeable = False
    if type(target._array) is not np.ndarray:
        library_of(target._array)  # a GPU's card becomes the current one
        if not filling and elements_repeat(target._array):
            raise RuntimeError(_errors.NOT_WRITABLE)
    refuse_overlap(target, given)
    if directly is not None and not recorded:
        try:
            be_silent()
            directly(target._array)
            note_write(target._storage, target._array)
        except Exception as error:
            arrays = [getattr(a, "_array", a) for a in (target, *args)]
            mixed = mixed_devices(arrays)
            raise mixed or _errors.explain(function.__name__.strip("_"), error, arrays) from None
        except BaseException:  # Ctrl-C: something may have been written
            note_write(target._storage, target._array)
            raise
        return target
    old = wrap(target._array.copy() if recorded else target._array)
    if recorded:
        old._node = edge_of(target)
    result = function(old, *args, **options)
    array = target._array
    if result._array.shape != array.shape:
        raise RuntimeError(
            f"output with shape {list(array.shape)} doesn't match the broadcast shape "
            f"{list(result._array.shape)}"
        )
    if result._array.dtype is not array.dtype:
        refuse_dtype(result._array, array)
    # The note comes first: whoever is stopped in between has noted too much, not too little.
    note_write(target._storage, array)
    try:
        array[...] = result._array
        if recorded:
            give_new_history(target, result)
    except KeyboardInterrupt:  # as `to_the_end` does it, at no cost
        array[...] = result._array
        if recorded:
            give_new_history(target, result)
        raise
    return target


def written_name(function: Callable[..., Any]) -> str:
    """Return PyTorch's name for a write of what `function` computes, such as "add_"."""
    name = function.__name__.strip("_").removesuffix("_in_place")
    return WRITTEN.get(name, f"{name}_")


WRITTEN = {
    "copied": "copy_", "filled": "fill_", "put": "index_put_", "with_diagonal": "fill_diagonal_", "zeroed": "zero_",
}  # fmt: skip
"""What writes are called whose functions have other names than the operations."""


def to_the_end(change: Callable[..., None], *args: Any) -> None:
    """Do `change`, which may be done twice; Ctrl-C has to wait until it is done."""
    try:
        change(*args)
    except KeyboardInterrupt:
        change(*args)
        raise


def count_up(count: TensorBase) -> None:
    """Add 1 to a count of steps or batches.

    No node looks through what it captured for this write: only an argument could be such a count.
    """
    if count._storage.is_inference and not grad_mode.inference:
        raise RuntimeError(_errors.INFERENCE_WRITTEN)
    count._array += 1
    note_write(count._storage)


def refuse_dtype(result: Array, array: Array) -> None:
    """Raise if numbers of the kind of `result` cannot be written to `array`, such as floats to integers."""
    found, own = _dtypes.of_numpy[result.dtype], _dtypes.of_numpy[array.dtype]
    if found.category > own.category:
        raise RuntimeError(
            f"result type {found.scalar_name} can't be cast to the desired output type {own.scalar_name}"
        )


def refuse_overlap(target: TensorBase, given: Sequence[Any]) -> None:
    """Raise if one of the tensors `given` shows some of the elements of `target`, but not the same ones."""
    if isinstance(target._array, MetaArray):
        return
    for t in given:
        if not isinstance(t, TensorBase) or t is target or t._storage is not target._storage:
            continue
        a, b = t._array, target._array
        if a.size and b.size and is_dense(a) and is_dense(b):
            start, other, room, there = address(a), address(b), a.nbytes, b.nbytes
            same = start == other and room == there and steps(a) == steps(b)
            if not same and start < other + there and other < start + room:
                raise RuntimeError(_errors.OVERLAP)


def steps(array: Array) -> list[tuple[int, int]]:
    """Return the lengths and strides of `array`, but for dimensions of length 1, along which nobody walks."""
    return [(n, s) for n, s in zip(array.shape, array.strides, strict=True) if n > 1]


def unlock(array: Array, filling: bool) -> None:
    """Let `array`, a part of an expanded view, be written to, unless elements share memory.

    Raises:
        RuntimeError: they do, and are not all to get one value; or NumPy forbids to write to the memory.
    """
    if elements_repeat(array) and not filling:
        raise RuntimeError(_errors.NOT_WRITABLE)
    try:
        array.flags.writeable = True
    except ValueError:
        raise RuntimeError(_errors.NOT_WRITABLE) from None


def elements_repeat(array: Array) -> bool:
    """Return whether elements of `array` lie in one place, as in an expanded view."""
    return array.size > 1 and any(
        not s and n > 1 for s, n in zip(array.strides, array.shape, strict=True)
    )


def divided(whole: Any, arrays: Sequence[Array], axis: int, name: str, vjp: Vjp) -> tuple[Any, ...]:
    """Return `arrays`, parts of the memory of `whole`, as views that one node has made.

    They are marked: PyTorch refuses recorded writes to one of several views.

    Args:
        whole: a tensor.
        arrays: views of its array.
        axis: along which they follow each other.
        name: of the node.
        vjp: from the list of the gradients of all parts, None for those that nobody used, to that of `whole`.
    """
    parts = [wrap(array, whole._storage) for array in arrays]
    for number, part in enumerate(parts):
        become_view(part, whole)
        keep_class(part, (whole,))
        part._output = number
        if grad_mode.enabled:
            part._view_kind = "multi"
    if grad_mode.enabled and wants_grad(whole) and whole._array.dtype.kind == "f":
        edges, storages = (edge_of(whole),), (None, whole._storage)
        node = shared_class(name)(edges, (vjp,), whole._array, storages)
        for number, part in enumerate(parts):
            part._node = Port(node, number, len(parts), part._array)
    if rare:
        tell_of(name.removesuffix("Backward0").lower(), (whole,), tuple(parts), axis=axis)
    return tuple(parts)


def refuse_recorded_write(target: TensorBase, recorded: bool) -> None:
    """Raise if PyTorch refuses a write to `target` while operations are recorded."""
    base = target._base
    if base is None:
        if target._requires_grad and target._node is None:
            raise RuntimeError(_errors.LEAF_WRITTEN)
        return
    if target._view_kind and (recorded or wants_grad(base)):
        raise RuntimeError(
            _errors.view_written(target._view_kind, target._node, target._output, direct=True)
        )
    if base._node is None and (base._requires_grad or wants_grad(target)):
        raise RuntimeError(_errors.VIEW_OF_LEAF_WRITTEN)
    if target._requires_grad and target._node is None:
        raise RuntimeError(_errors.LEAF_WRITTEN)


def give_new_history(target: TensorBase, result: TensorBase) -> None:
    """Make the node of `result`, whose values were just written to `target`, that of `target`."""
    storage, node, retained = target._storage, result._node, None
    if node is not None:
        node.storages = (*node.storages[:-1], Since(storage))  # it saved what was written just now
    if target._node is not None and target._node.notes is not None:
        notes = target._node.notes
        retained, notes.retained = notes.retained, None
    storage.maker = None if node is None else type(node) if target._base is None else copy_slices
    if target._base is None:
        target._node, target._requires_grad = node, False
    else:
        graft(target._base, target, node)
    edge = edge_of(target)
    if retained is not None and edge is not None:
        edge.own_notes().retained = retained


# ---- views


class Window:
    """Which elements of a base a view shows: offset and strides, counted in elements.

    `base_strides` are None for a base whose elements lie one after the other.
    """

    __slots__ = ("base_shape", "base_strides", "offset", "shape", "strides")

    def __init__(
        self,
        base_shape: tuple[int, ...],
        base_strides: tuple[int, ...] | None,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
    ) -> None:
        self.base_shape, self.base_strides = base_shape, base_strides
        self.shape, self.strides, self.offset = shape, strides, offset

    def on(self, xp: Any, flat: Array) -> Array:
        """Return the view of `flat`, the memory of a base."""
        size = flat.itemsize
        strides = [s * size for s in self.strides]
        if type(flat) is ndarray and flat.size:  # as `as_strided`, in a tenth of its time
            return ndarray(self.shape, flat.dtype, flat, self.offset * size, strides)
        return xp.lib.stride_tricks.as_strided(flat[self.offset :], self.shape, strides)

    def memory(self, xp: Any, x: Array) -> Array:
        """Return a copy of `x`, which has the shape of the base, as memory laid out like the base's."""
        flat = xp.zeros(self.room(), x.dtype)
        self.whole(xp, flat)[...] = x
        return flat

    def room(self) -> int:
        """Return how many elements the memory of the base spans."""
        if 0 in self.base_shape:
            return 0
        if self.base_strides is None:
            return prod(self.base_shape)
        return 1 + sum((n - 1) * s for n, s in zip(self.base_shape, self.base_strides, strict=True))

    def whole(self, xp: Any, flat: Array) -> Array:
        """Return `flat`, memory laid out like the base's, in the shape of the base."""
        if self.base_strides is None:
            return flat.reshape(self.base_shape)
        strides = [s * flat.itemsize for s in self.base_strides]
        return xp.lib.stride_tricks.as_strided(flat, self.base_shape, strides)


def window_on(base: Array, view: Array) -> Window:
    """Return which elements of `base` the array `view` on the same memory shows."""
    size, start = base.itemsize, address(view) - address(base)
    strides = None if base.flags.c_contiguous else tuple([s // size for s in base.strides])
    own = tuple([s // size for s in view.strides])
    return Window(base.shape, strides, view.shape, own, start // size)


def address(array: Array) -> int:
    """Return the address of the first element of `array`."""
    found = getattr(array, "__array_interface__", None)
    return found["data"][0] if found else array.data.ptr


@op(name="AsStridedBackward0")
def look(xp, x, *, window: Window):
    """What `window` shows of `x`."""
    return window.on(xp, window.memory(xp, x)), lambda g: embed.inside(xp, g, window=window)


@op
def embed(xp, part, *, window: Window):
    """Zeros in the shape of the base, with `part` where `window` looks; elements seen twice get the sum."""
    flat = xp.zeros(window.room(), part.dtype)
    places = window.on(xp, xp.arange(window.room()))
    xp.add.at(flat, places.reshape(-1), part.reshape(-1))
    return window.whole(xp, flat), lambda g: look.inside(xp, g, window=window)


@op
def erase(xp, x, *, window: Window):
    """`x` with zeros where `window` looks."""
    flat = window.memory(xp, x)
    window.on(xp, flat)[...] = 0
    return window.whole(xp, flat), lambda g: erase.inside(xp, g, window=window)


copy_slices, as_strided_backward = node_class("CopySlices"), node_class("AsStridedBackward0")


def graft(base: TensorBase, view: TensorBase, written: Node | None) -> None:
    """Give `base` the history that follows from a write to `view`, whose new values `written` made."""
    window = window_on(base._array, view._array)
    xp = namespace_of[type(base._array)]
    vjps = (
        lambda g: erase.inside(xp, g, window=window),
        lambda g: look.inside(xp, g, window=window),
    )
    old = base._node
    base._node = copy_slices((old, written), vjps, base._array, (None, None, base._storage))
    if old is not None and old.notes is not None and old.notes.retained is not None:
        base._node.own_notes().retained, old.notes.retained = old.notes.retained, None
    base._requires_grad = False


def refresh(view: TensorBase) -> None:
    """Take the history of `view` anew from its base, which a recorded write has changed."""
    base: Any = view._base
    if view._requires_grad or (view._node is None and not wants_grad(base)):
        view._seen = view._storage.version
        return
    if view._view_kind:
        raise RuntimeError(
            _errors.view_written(view._view_kind, view._node, view._output, direct=False)
        )
    view._seen = view._storage.version
    edge = edge_of(base)
    if edge is None:
        view._node = None
        return
    window, xp = window_on(base._array, view._array), namespace_of[type(base._array)]
    vjps = (lambda g: embed.inside(xp, g, window=window),)
    old = view._node
    view._node = as_strided_backward((edge,), vjps, view._array, (None, view._storage))
    if old is not None and old.notes is not None and old.notes.retained is not None:
        view._node.own_notes().retained, old.notes.retained = old.notes.retained, None


Refresh.view = staticmethod(refresh)
