"""The engine: how an operation is written, recorded, and walked backwards. Our ``torch._C``.

**One way to write a differentiable operation.** A rule is a plain function on raw arrays. It returns the
result first, then one *vjp* (vector-Jacobian product) for each array argument: a function from the
gradient of the result to the gradient of that argument. It reads as a line in a table of derivatives::

    @op
    def tanh(xp, x):
        y = xp.tanh(x)
        return y, lambda g: g * (1 - y * y)

The contract of a rule:

1. `xp` (the array library) comes first, arrays are positional, options are keyword-only. Return
   ``(out, *vjps)``; None stands for an argument that has no derivative.
2. A vjp returns `g` itself, a view, or a fresh array, never an array that it captured; it does not
   write into `g`.
3. A vjp may return the broadcast shape. The engine sums it down, once, for every rule.
4. Operators, array methods and `xp.` functions only, never ``np.``: the same lines run on a GPU.
5. Python or `math` numbers, never NumPy's: ``float32_array * np.sqrt(2)`` would be float64.

**The tape.** A recorded operation is a `Node`. Its edges point to the nodes of its inputs, never to its
output, so there are no reference cycles and a graph is freed the moment its last tensor is. Each node
has a birth number, and the inputs of an operation are older than itself: visiting nodes from the youngest
to the oldest is therefore a topological order, without any recursion.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, overload

import numpy as np

from . import _dtypes, _errors
from ._backend import Array, byte_span, namespace_of

if TYPE_CHECKING:
    from ._tensor import Tensor

P = ParamSpec("P")
Rule = Callable[Concatenate[Any, P], tuple[Any, ...]]
Vjp = Callable[[Array], Array]

# Infinities and NaNs pass in silence, as in PyTorch. A filter costs nothing until one of our own lines
# would warn, where `np.errstate` around every operation would double the price of a small one.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"nbmodule\.")

clock = count(1).__next__
"""Ticks for births of nodes and for writes in place, so that the two can be put in order."""

walking = threading.RLock()
"""Held during a walk: gradients of parameters that threads share must not be lost."""


class GradMode(threading.local):
    """Whether operations are recorded, for each thread on its own."""

    enabled = True


grad_mode = GradMode()


def is_grad_enabled() -> bool:
    """Return whether operations are being recorded in this thread."""
    return grad_mode.enabled


class Storage:
    """What tensors that share memory know together: how often, and when, it was written in place."""

    version = 0  # what `tensor._version` shows
    written = 0  # the clock at the last write
    rewritten = 0  # how many of the writes were recorded, and so changed the history of views
    span: tuple[int, int] = (0, 0)  # the addresses that were written


_last_write = 0
"""The clock at the last write to any storage: in the common case one comparison clears a node."""


def note_write(storage: Storage, array: Array) -> None:
    """Take down that the memory of `array`, which belongs to `storage`, was changed in place."""
    global _last_write
    storage.version += 1
    storage.written = _last_write = clock()
    storage.span = byte_span(array)


class TensorBase:
    """An array with a place in the graph. `nbmodule.Tensor` adds PyTorch's methods.

    The defaults live on the class: a fresh tensor sets only what differs.
    """

    _array: Array
    _storage: Storage
    _grad: Tensor | None = None
    _node: Node | None = None  # the operation that made this tensor, if it was recorded
    _requires_grad = False  # for leaves; a tensor with a node requires grad anyway
    _accumulator: AccumulateGrad | None = None  # where gradients for this leaf arrive
    _rewritten_at_birth: int | None = None  # for views: their base's `rewritten` at that time


_tensor_class: type = TensorBase


def build_tensors_as(cls: type) -> None:
    """Tell the engine which class the results of operations have (`_tensor.py` calls this once)."""
    global _tensor_class
    _tensor_class = cls


new = object.__new__


def wrap(array: Array, storage: Storage | None = None) -> Any:
    """Return a tensor around `array` that requires no gradient.

    Args:
        array: an array of a known library.
        storage: the storage of a tensor whose memory it shares; by default it has its own.
    """
    t = new(_tensor_class)
    t._array = array
    t._storage = Storage() if storage is None else storage
    return t


class Node:
    """One recorded operation: its vjps, and where the result of each travels.

    Every operation has a subclass of its own, called as PyTorch prints it, such as "MulBackward0".

    Attributes:
        edges: for each argument the node that made it, the accumulator of a leaf, or None.
        vjps: for each argument its vjp, or None; `SPENT` once the walk has freed what they captured.
        birth: larger than the birth of every node that it can reach.
    """

    __slots__ = (
        "__weakref__", "birth", "dtype", "edges", "owned", "pending", "shape", "storages", "vjps",
    )  # fmt: skip

    def __init__(
        self,
        edges: Sequence[Node | None],
        vjps: Sequence[Vjp | None],
        out: Array,
        storages: Sequence[Storage],
    ) -> None:
        self.edges, self.vjps, self.storages = edges, vjps, storages
        self.shape, self.dtype, self.pending = out.shape, out.dtype, None
        self.birth: float = clock()

    def name(self) -> str:
        """Return what PyTorch calls the operation, such as "MulBackward0"."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()}>"

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that this one sends gradients to, as PyTorch shows them."""
        return tuple((edge, 0) for edge in self.edges)

    def receive(self, d: Array, fresh: bool) -> None:
        """Add the gradient `d` to what has arrived. `fresh`: nobody else holds it."""
        if self.pending is None:
            self.pending, self.owned = d, fresh
        elif self.owned:
            self.pending += d
        else:
            self.pending, self.owned = self.pending + d, True

    def send(self, retain: bool) -> None:
        """Pass on the gradient that has arrived, through the vjps, to the inputs."""
        g, self.pending = self.pending, None
        if self.vjps is SPENT:
            raise RuntimeError(_errors.SECOND_BACKWARD)
        if _last_write > self.birth:
            self.refuse_overwritten()
        for edge, vjp in zip(self.edges, self.vjps, strict=True):
            if edge is None:
                continue
            if vjp is None:
                raise RuntimeError(_errors.no_derivative(self.name()))
            d = vjp(g)
            if type(d) not in namespace_of:  # NumPy turns 0-d results into scalars
                d = np.asarray(d)
            fresh = d is not g and d.base is None
            if d.shape != edge.shape:
                d, fresh = sum_to(d, edge.shape), True
            if d.dtype != edge.dtype:
                d, fresh = d.astype(edge.dtype), True
            edge.receive(d, fresh)
        if not retain and any(map(captured_arrays, self.vjps)):
            self.vjps = SPENT

    def refuse_overwritten(self) -> None:
        """Raise if an array that a vjp captured was written in place since it was captured."""
        for storage in self.storages:
            if storage.written > self.birth:
                low, high = storage.span
                for array in (a for vjp in self.vjps for a in captured_arrays(vjp)):
                    start, end = byte_span(array)
                    if start < high and low < end:
                        raise _errors.overwritten(self.name())


SPENT: Any = ("freed",)


@cache
def node_class(name: str) -> type[Node]:
    """Return the class of the nodes that are called `name`."""
    return type(name, (Node,), {"__slots__": (), "__module__": Node.__module__})


def renamed(t: Any, name: str) -> Any:
    """Return `t`, with the node that made it called `name`: several of PyTorch's names share a rule."""
    if t._node is not None:
        t._node.__class__ = node_class(name)
    return t


class AccumulateGrad(Node):
    """Where the gradients for a leaf arrive; adds them to its ``.grad``."""

    __slots__ = ("_leaf",)

    def __init__(self, leaf: Tensor) -> None:
        super().__init__((), (), leaf._array, ())
        self._leaf = weakref.ref(leaf)  # the leaf holds us: holding it too would be a cycle

    @property
    def variable(self) -> Tensor | None:
        """The leaf."""
        return self._leaf()

    def send(self, retain: bool) -> None:
        """Add the gradient that has arrived to the ``.grad`` of the leaf."""
        d: Any = self.pending
        self.pending, leaf = None, self._leaf()
        if leaf is None:
            return
        if leaf._grad is None:
            leaf._grad = wrap(d if self.owned else d.copy())
        else:
            leaf._grad._array += d
            note_write(leaf._grad._storage, leaf._grad._array)


def captured_arrays(function: Any) -> list[Array]:
    """Return the arrays in the closure of `function`, also inside tuples, lists and inner functions."""
    found, todo = [], [function]
    while todo:
        x = todo.pop()
        if type(x) in namespace_of:
            found.append(x)
        elif isinstance(x, (tuple, list)):
            todo.extend(x)
        elif getattr(x, "__closure__", None):
            todo.extend(cell.cell_contents for cell in x.__closure__)
    return found


def sum_to(g: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: sum `g` over the axes along which `shape` was repeated."""
    lead = g.ndim - len(shape)
    axes = [i for i, n in enumerate(g.shape) if i < lead or n != shape[i - lead]]
    return g.sum(tuple(axes), keepdims=True).reshape(shape)


def edge_of(t: TensorBase) -> Node | None:
    """Return where gradients for `t` go: its node, its accumulator for a leaf, None if it wants none."""
    if t._node is not None:
        seen = t._rewritten_at_birth
        if seen is not None and seen != t._storage.rewritten:
            raise RuntimeError(_errors.STALE_VIEW)
        return t._node
    if not t._requires_grad:
        return None
    if (
        t._accumulator is None
        or t._accumulator.shape != t._array.shape
        or t._accumulator.dtype != t._array.dtype
    ):
        t._accumulator = AccumulateGrad(t)  # type: ignore[arg-type]
    return t._accumulator


@overload
def op(rule: Rule[P]) -> Callable[P, Tensor]: ...
@overload
def op(*, name: str | None = None, promote: bool = False, floating: bool = False) -> Callable[[Rule[P]], Callable[P, Tensor]]: ...  # fmt: skip
def op(rule: Any = None, *, name: str | None = None, promote: bool = False, floating: bool = False) -> Any:  # fmt: skip
    """Turn ``rule(xp, *arrays, **options) -> (out, *vjps)`` into a function of tensors.

    Args:
        rule: see the contract at the top of this file.
        name: of the node; by default made of the rule's: "MulBackward0" for ``mul``.
        promote: bring operands of different types to their common one first, by PyTorch's rules.
        floating: as `promote`, and integers become the default floating point type.
    """
    if rule is None:
        again: Any = op
        return lambda r: again(r, name=name, promote=promote, floating=floating)
    called = rule.__name__.strip("_")
    make_node = node_class(name or "".join(map(str.title, called.split("_"))) + "Backward0")
    harmonise = promote or floating

    def apply(*args: Any, **options: Any) -> Any:
        xp, arrays, edges, storages = np, [], [], []
        dtype: Any = None
        record, mixed = False, floating
        for a in args:
            edge = None
            if isinstance(a, TensorBase):
                if a._node is not None or a._requires_grad:
                    edge, record = edge_of(a), True
                storages.append(a._storage)
                a = a._array
                xp = namespace_of[type(a)]
                if a.dtype is not dtype:
                    mixed, dtype = mixed or dtype is not None, a.dtype
            else:  # a Python number stays one: it must not widen the type
                mixed = True
            arrays.append(a)
            edges.append(edge)
        try:
            if mixed and harmonise:
                arrays = to_common_type(arrays, dtype, floating)
            out, *vjps = rule(xp, *arrays, **options)
        except Exception as error:
            raise _errors.explain(called, error, arrays) from None
        if type(out) not in namespace_of:  # NumPy turns 0-d results into scalars
            out = xp.asarray(out)
        result = new(_tensor_class)
        result._array, result._storage = out, Storage()
        if out.base is not None:
            share_storage(result, args)
        if record and grad_mode.enabled and out.dtype.kind == "f":  # a mask has no derivative
            if None in edges:  # keep nothing for a gradient that nobody wants
                vjps = [vjp if edge else None for edge, vjp in zip(edges, vjps, strict=True)]
            storages.append(result._storage)
            result._node = make_node(edges, vjps, out, storages)
        return result

    apply.__name__ = apply.__qualname__ = called
    apply.__doc__, apply.__module__ = rule.__doc__, rule.__module__
    return apply


def to_common_type(arrays: list[Any], dtype: np.dtype, floating: bool) -> list[Any]:
    """Cast `arrays` (Python numbers among them stay) to the type that PyTorch would compute in.

    `dtype` is the type of the last array: where nothing else is met, nothing is to be done.
    """
    is_float = dtype.kind == "f"
    if is_float or not floating:
        for a in arrays:
            kind = type(a)
            if (
                (kind is not int and kind is not float)
                if kind not in namespace_of
                else a.dtype != dtype
            ):
                break
            if not is_float and (kind is float or (kind is int and dtype.itemsize < 8)):
                break
        else:
            return arrays
    arrays = [a.item() if isinstance(a, np.generic) else a for a in arrays]
    common = _dtypes.result_type(*arrays)
    if floating and not common.is_floating_point:
        common = _dtypes.get_default_dtype()
    target = common.numpy
    return [
        a.astype(target, copy=False) if hasattr(a, "dtype") else number(a, target) for a in arrays
    ]


def number(value: Any, target: np.dtype) -> Any:
    """Return the Python number `value` in the kind of `target`, so that NumPy keeps the type.

    A whole number that does not fit wraps around, as in PyTorch.
    """
    if target.kind == "b":
        return bool(value)
    if target.kind == "f":
        return value
    if value.bit_length() > 63:
        raise OverflowError(_errors.TOO_BIG)
    room = 1 << 8 * target.itemsize
    wrapped = value % room
    return wrapped - room if target.kind == "i" and wrapped >= room // 2 else wrapped


def share_storage(result: TensorBase, args: Iterable[Any]) -> None:
    """Make `result` a view of the argument whose memory its array shows, if there is one."""
    base = result._array.base
    for a in args:
        if isinstance(a, TensorBase) and (base is a._array or base is a._array.base):
            result._storage = a._storage
            result._rewritten_at_birth = a._storage.rewritten
            return


def write(
    target: TensorBase, function: Callable[..., TensorBase], *args: Any, **options: Any
) -> Any:
    """Replace the value of `target`, in place, by ``function(target, *args, **options)``.

    Raises:
        RuntimeError: `target` is a leaf that requires grad, or a view whose base would need a new
            history, or an expanded view; or the result has another shape, or a type that does not fit.
    """
    requires_grad = target._node is not None or target._requires_grad
    if not target._array.flags.writeable:
        raise RuntimeError(_errors.NOT_WRITABLE)
    recorded = grad_mode.enabled and (
        requires_grad or any(isinstance(a, TensorBase) and edge_of(a) is not None for a in args)
    )
    if recorded:
        refuse_recorded_write(target)
    old = wrap(target._array.copy() if recorded else target._array)
    old._node = target._node
    result = function(old, *args, **options)
    array = target._array
    if result._array.shape != array.shape:
        raise RuntimeError(
            f"output with shape {list(array.shape)} doesn't match the broadcast shape "
            f"{list(result._array.shape)}"
        )
    if _dtypes.of_numpy[result._array.dtype].category > _dtypes.of_numpy[array.dtype].category:
        kinds = (
            _dtypes.of_numpy[a.dtype].legacy.removesuffix("Tensor") for a in (result._array, array)
        )
        raise RuntimeError(
            "result type {} can't be cast to the desired output type {}".format(*kinds)
        )
    array[...] = result._array
    note_write(target._storage, array)
    if recorded:
        target._node = result._node
        target._storage.rewritten += 1
    return target


def refuse_recorded_write(target: TensorBase) -> None:
    """Raise if PyTorch refuses a recorded write to `target`, or if we cannot keep its history right."""
    is_view = target._rewritten_at_birth is not None
    if target._requires_grad and target._node is None:
        raise RuntimeError(_errors.LEAF_WRITTEN)
    if is_view and target._node is not None:
        edges = [e for e in target._node.edges if e is not None]
        on_leaf = bool(edges) and all(isinstance(e, AccumulateGrad) for e in edges)
        raise RuntimeError(_errors.VIEW_OF_LEAF_WRITTEN if on_leaf else _errors.VIEW_WRITTEN)
    if is_view:
        raise RuntimeError(_errors.VIEW_WRITTEN)


def run_backward(root: TensorBase, gradient: Array, retain: bool = False) -> None:
    """Walk the graph of `root`, adding to the ``.grad`` of every leaf that it reaches.

    Args:
        root: a tensor that requires grad.
        gradient: of the final quantity with respect to `root`, in its shape.
        retain: keep what the vjps captured, so that the graph can be walked again.

    Raises:
        RuntimeError: a part of the graph was walked and freed before, or an array that it needs was
            written in place.
    """
    start = edge_of(root)
    assert start is not None, "checked by Tensor.backward"
    with walking:
        nodes = youngest_first(start)
        start.receive(gradient, False)
        try:
            for node in nodes:
                if node.pending is not None:
                    node.send(retain)
        finally:
            for node in nodes:  # after an error: no gradient may wait for the next walk
                node.pending = None


def youngest_first(start: Node) -> list[Node]:
    """Return `start` and all that it reaches, from the youngest to the oldest.

    The accumulator of a leaf comes right after the oldest operation that reads the leaf, so gradients
    are ready as early as in PyTorch.
    """
    found, stack = {start}, [start]
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if edge not in found:
                found.add(edge)
                if type(edge) is AccumulateGrad:
                    edge.birth = node.birth - 0.5
                else:
                    stack.append(edge)
            elif type(edge) is AccumulateGrad and node.birth < edge.birth:
                edge.birth = node.birth - 0.5
    return sorted(found, key=attrgetter("birth"), reverse=True)
