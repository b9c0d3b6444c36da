"""The graph: nodes for recorded operations, the places where gradients arrive, and hooks."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _errors
from .._backend import Array, namespace_of
from .._forks import lock_of_process
from .arrays import captured_arrays, captured_beside, captures_array, fitted, laid_out_like, sum_to
from .observing import Event, heard, tell
from .state import (
    Since,
    Storage,
    TensorBase,
    clock,
    grad_mode,
    note_write,
    rare,
    wrap,
    writes,
    written_since,
)

if TYPE_CHECKING:
    from .state import Tensor

Vjp = Callable[[Array], Array]

SAVES = {
    "AsStridedBackward0": False, "CopySlices": False, "DiagonalBackward0": False, "DivBackward0": True,
    "LerpBackward0": False, "MulBackward0": True, "RollBackward0": False, "TrilBackward0": False,
    "TriuBackward0": False, "UnfoldBackward0": False,
}  # fmt: skip
"""Whether PyTorch's operation saves something for backward, where ours does otherwise: a second walk over it raises."""

TENSORS_ONLY = {
    "ClampBackward0", "ClampBackward1", "FillBackward2", "IndexFillBackward0", "LerpBackward0",
    "MaskedFillBackward0", "NllLossBackward0", "PowBackward0", "PowBackward2", "RsubBackward1", "ZeroBackward0",
}  # fmt: skip
"""The nodes in whose `next_functions` PyTorch leaves out arguments that are numbers."""

accumulating = lock_of_process()
"""Held while a gradient is added to ``.grad``: of two threads that share a parameter, neither may be lost."""

SAVED_PLACES = {"self": 0, "other": 1, "exponent": 1, "mat2": 1, "weight": 1, "result": -1}
"""Which argument PyTorch means by a name: ``_saved_self`` is the first, ``_saved_result`` the result."""

SPENT: Any = ("freed",)
"""Stands in the place of the vjps once a walk has freed what they captured."""


class Node:
    """One recorded operation: its vjps, and where the result of each is sent.

    Every operation has a subclass of its own, called as PyTorch prints it, such as "MulBackward0".

    Attributes:
        edges: for each argument the node that made it, the accumulator of a leaf, or None.
        vjps: for each argument its vjp, or None; `SPENT` once the walk has freed what they captured.
        birth: larger than the birth of every node that it can reach.
        ids: of the arrays of the arguments, and of the result: they tell which of them a vjp captured; empty where
            no vjp captures arrays.
        storages: of the arguments (None for a number), and of the result.
        notes: the hooks, and what else belongs to this node alone; None as long as there is nothing.
    """

    __slots__ = (
        "__weakref__", "birth", "dtype", "edges", "ids", "notes", "shape", "storages",
        "vjps",
    )  # fmt: skip

    saves: bool | None = None
    """Whether PyTorch's operation keeps something for backward; None: as ours does."""

    packs = False
    """Whether what it saved is packed: see `packing.py`."""

    holds: tuple[str, ...] = ("vjps",)
    """The attributes that hold what it saved."""

    index: int = 0
    """Which output of the operation it stands for; only a `Port` stands for another than the first."""

    def __init__(
        self,
        edges: Sequence[Node | None],
        vjps: Sequence[Vjp | None],
        out: Array,
        storages: Sequence[Storage | Since | None],
        ids: Sequence[int] = (),
    ) -> None:
        self.edges = edges
        self.vjps = vjps
        self.storages = storages
        self.ids = ids
        self.shape, self.dtype, self.notes = out.shape, out.dtype, None
        self.birth: float = clock()

    def name(self) -> str:
        """Return what PyTorch calls the operation, such as "MulBackward0"."""
        own = type(self).__name__
        return (
            f"nbmodule::autograd::{own}"
            if own in ("AccumulateGrad", "CopyBackwards", "CopySlices")
            else own
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    @property
    def shown(self) -> Node:
        """What ``tensor.grad_fn`` shows of this node: itself, but for a `Port`."""
        return self

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that this one sends gradients to, each with the number of the output meant."""
        edges = self.edges
        if type(self).__name__ in TENSORS_ONLY:
            edges = [e for e, s in zip(edges, self.storages, strict=False) if s is not None]
        return tuple((e and e.shown, 0 if e is None else e.index) for e in edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for whoever wants to note something on this node."""
        return self.own_notes().metadata

    def own_notes(self) -> Notes:
        """Return the notes of this node, made if there are none yet."""
        if self.notes is None:
            self.notes = Notes()
        return self.notes

    def register_hook(self, fn: Callable[..., Any]) -> Any:
        """Call ``fn(grad_inputs, grad_outputs)`` after each visit; what it returns replaces `grad_inputs`.

        Returns:
            a handle whose ``remove()`` takes the hook away.
        """
        return register(self.own_notes().after, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> Any:
        """Call ``fn(grad_outputs)`` before each visit; what it returns replaces `grad_outputs`."""
        return register(self.own_notes().before, fn)

    # ---- the walk

    def send(self, g: Any, walk: Any) -> None:
        """Pass the gradient `g` that has arrived on to the inputs, through the vjps."""
        if self.vjps is SPENT:
            raise RuntimeError(_errors.SECOND_BACKWARD)
        if writes.last > self.birth:  # something was written since, perhaps what a vjp needs
            self.refuse_overwritten()
        notes = self.notes
        if notes is not None and notes.before:
            g = walk.replaced_outputs(self, g)
        if walk.careful or g is None or (notes is not None and notes.after):
            walk.send_with_care(self, g)
        else:
            vjps, arrived = self.vjps, walk.arrived
            for i, edge in enumerate(self.edges):
                if edge is None:
                    continue
                vjp = vjps[i]
                if vjp is None:
                    raise RuntimeError(_errors.no_derivative(self.name()))
                d = vjp(g)
                if type(d) not in namespace_of:  # NumPy turns 0-d results into scalars
                    d = np.asarray(d)
                fresh = d is not g and d.base is None  # nobody else holds this array
                if d.shape != edge.shape:
                    d, fresh = sum_to(d, edge.shape), True
                if d.dtype is not edge.dtype and d.dtype != edge.dtype:
                    d, fresh = d.astype(edge.dtype), True
                known = arrived.get(edge)
                if known is None:
                    arrived[edge] = d, fresh
                elif known[1]:  # what waits there is fresh: add in place, without a new array
                    held = known[0]
                    held += d
                else:
                    walk.receive(edge, d, fresh)
        # Free what was captured, as PyTorch does: a second walk raises, unless nothing was captured.
        kept = self.saves
        if not walk.retain and (kept or (kept is None and any(map(captures_array, self.vjps)))):
            self.vjps = SPENT

    def __getattr__(self, name: str) -> Any:
        """Return what was saved for backward by PyTorch's names, such as ``_saved_result``."""
        place = SAVED_PLACES.get(name.removeprefix("_saved_"))
        if not name.startswith("_saved_") or place is None or place >= len(self.edges):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if self.vjps is SPENT:
            raise RuntimeError(_errors.SECOND_BACKWARD)
        for array in (a for vjp in self.vjps for a in captured_arrays(vjp)):
            if id(array) in self.ids and self.ids.index(id(array)) == place % (len(self.edges) + 1):
                return self.unpacked(array, place)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def unpacked(self, array: Array, place: int) -> Any:
        """Return a captured array as a tensor: the leaf that it belongs to, or one with its history."""
        edge = self if place < 0 else self.edges[place]
        if isinstance(edge, AccumulateGrad) and edge.variable is not None:
            return edge.variable
        t = wrap(np.asarray(array) if isinstance(array, np.generic) else array)
        t._node = edge
        return t

    def __call__(self, *grads: Any) -> Any:
        """Return what a walk would send on for these gradients of the outputs: a tensor, or a tuple of several."""
        create = grad_mode.enabled and any(map(wants_grad, grads))
        walk = WalkClass.built(True, create, None, set())
        given = [g if walk.create else g._array for g in grads]
        gradients = self.derivatives(given if isinstance(self, Shared) else given[0], walk)
        out = tuple(None if d is None else as_tensor(d) for d in gradients)
        return out[0] if len(out) == 1 else out

    def derivatives(self, g: Any, walk: Any) -> list[Any]:
        """Return the gradient for each edge that `walk` wants, None for the others; nothing is sent.

        They are arrays, or tensors where the walk itself is recorded.
        """
        wanted = [e if walk.wants(e) else None for e in self.edges]
        for edge, vjp in zip(wanted, self.vjps, strict=True):
            if edge is not None and vjp is None:
                raise RuntimeError(_errors.no_derivative(self.name()))
        if walk.create:
            return walk.recorded_derivatives(self, g, wanted)
        grads = []
        for edge, vjp in zip(wanted, self.vjps, strict=True):
            d: Any = None
            if edge is not None and vjp is not None:
                d = vjp(g)
                d = d if type(d) in namespace_of else np.asarray(d)
                d = fitted(d, edge)
            grads.append(d)
        return grads

    def outputs(self, g: Any) -> tuple[Any, ...]:
        """Return the gradients that have arrived, as hooks get them: tensors, one for each output."""
        return (as_tensor(g),)

    def with_outputs(self, grads: Sequence[Any], g: Any) -> Any:
        """Return what has arrived in the form of `g`, replaced by the tensors `grads`."""
        d = grads[0]
        return d if d is None or isinstance(g, TensorBase) else d._array

    def refuse_overwritten(self) -> None:
        """Raise if an array that a vjp captured was written in place since it was captured."""
        birth = self.birth
        changed = [s is not None and s.written > birth for s in self.storages]
        if True not in changed and writes.last_seen <= birth:
            return
        known = self.ids if True not in changed else ()
        for array in (a for vjp in self.vjps for a in captured_beside(vjp, known)):
            if id(array) in self.ids:
                place = self.ids.index(id(array))
                if not changed[place]:
                    continue
                storage, maker = self.storages[place], self.maker_of(array, place)
            else:  # an index, a mask, a view of something
                storage, maker = written_since(array, birth), None
                if storage is None:
                    continue
            if self.is_unread(storage):
                continue
            raise _errors.overwritten(saved_text(array, storage, birth, maker), grad_mode.anomaly)

    def is_unread(self, storage: Any) -> bool:
        """Return whether no gradient that is wanted reads what was captured of that `storage`."""
        return False

    def maker_of(self, array: Array, place: int) -> type[Node] | None:
        """Return the class of the node that made the argument at `place`, or the result; `array` is its array."""
        maker: Any = self if place == len(self.edges) else self.edges[place]
        kind = None if isinstance(maker, AccumulateGrad) else maker and type(maker.shown)
        newest = self.storages[place].maker  # type: ignore[union-attr]
        if place == len(self.edges) or newest is None:
            return kind
        is_view = getattr(array.base, "shape", array.shape) != array.shape
        return node_class("AsStridedBackward0") if is_view else newest

    @staticmethod
    def class_called(name: str) -> type[Node]:
        """Return the class of such nodes that are called `name`."""
        return node_class(name)


def saved_text(array: Array, storage: Any, birth: float, maker: type[Node] | None) -> str:
    """Say what the captured `array` is, and which version its `storage` has and had at the time `birth`."""
    which = "" if maker is None else _errors.output_text(maker)
    return (
        f"[{_errors.typed_name(array)} {list(array.shape)}]{which} is at version {storage.version}; "
        f"expected version {storage.version_at(birth)} instead"
    )


@cache
def node_class(name: str) -> type[Node]:
    """Return the class of the nodes that are called `name`."""
    own = {"__slots__": (), "__module__": Node.__module__, "saves": SAVES.get(name)}
    return type(name, (Node,), own)


def renamed(t: Any, name: str) -> Any:
    """Return `t`, after renaming its node to `name`: where PyTorch has several names, we have one rule."""
    node = t._node
    if type(node) is Port:
        node.shown.__class__ = shared_class(name)
    elif node is not None:
        node.__class__ = node.class_called(name)
    return t


class AccumulateGrad(Node):
    """Where the gradients for a leaf arrive; adds them to its ``.grad``."""

    __slots__ = ("_leaf",)

    def __init__(self, leaf: Tensor) -> None:
        super().__init__((), (), leaf._array, ())
        if leaf._grad_dtype is not ... and leaf._grad_dtype is not None:
            self.dtype = leaf._grad_dtype.numpy
        self._leaf = weakref.ref(leaf)  # the leaf holds us: holding it too would be a cycle

    @property
    def variable(self) -> Tensor | None:
        """The leaf."""
        return self._leaf()

    def send(self, g: Any, walk: Any) -> None:
        """Add the gradient `g` that has arrived to the ``.grad`` of the leaf."""
        leaf: Any = self._leaf()
        if leaf is None or not leaf._requires_grad:  # switched off since
            return
        notes = self.notes
        if notes is not None and notes.before:
            g = walk.replaced_outputs(self, g)
            if g is None:
                return
        with accumulating:
            if walk.create:
                fresh = g if g._base is None else g.clone()  # a gradient has memory of its own
                leaf._grad = fresh if leaf._grad is None else leaf._grad + g
            elif leaf._grad is None:
                if not walk.owned or g.strides != leaf._array.strides:
                    g = laid_out_like(leaf._array, g, walk.owned)
                leaf._grad = wrap(g)
            else:
                try:
                    leaf._grad._array += g
                except ValueError:  # the data was replaced by that of another shape
                    shapes = leaf._grad._array.shape, g.shape
                    raise RuntimeError(_errors.broadcast_text(shapes)) from None
                note_write(leaf._grad._storage)
        if rare and heard():
            tell(Event("accumulate", type(self).__name__, (as_tensor(g),), None, leaf, node=self))
        if notes is not None:
            for hook in tuple(notes.after.values()):
                hook((), (as_tensor(g),))
            for hook in tuple(notes.accumulated.values()):
                hook(leaf)


class Shared(Node):
    """A node with several outputs. Each output is a tensor whose node is a `Port` of this one."""

    __slots__ = ()

    sees_nothing = False
    """Whether the node is to be visited also where no gradient has reached any of its outputs."""

    def count_of_outputs(self) -> int:
        """Return how many outputs there are, where `sees_nothing`."""
        raise NotImplementedError

    def outputs(self, g: Any) -> tuple[Any, ...]:
        """Return the gradients that have arrived; None for outputs that nobody used."""
        return tuple(None if d is None else as_tensor(d) for d in g)

    def with_outputs(self, grads: Sequence[Any], g: Any) -> Any:
        """Return the tensors `grads` in the form in which `send` takes them."""
        recorded = any(isinstance(d, TensorBase) for d in g)
        return [d if d is None or recorded else d._array for d in grads]


@cache
def shared_class(name: str) -> type[Shared]:
    """Return the class of the nodes with several outputs that are called `name`."""
    return type(name, (Shared,), {"__slots__": (), "__module__": Node.__module__})


class Port(Node):
    """One of several outputs of an operation: passes its gradient on to the node of them all."""

    __slots__ = ("count", "index")

    def __init__(self, shared: Shared, index: int, count: int, out: Array) -> None:
        super().__init__((shared,), (None,), out, ())
        self.index, self.count = index, count

    @property
    def shown(self) -> Node:
        """The node of all outputs, which is what users see."""
        assert self.edges[0] is not None
        return self.edges[0]

    def send(self, g: Any, walk: Any) -> None:
        """Hand `g` over."""
        shared: Any = self.edges[0]
        walk.receive_at(shared, self.index, self.count, g)


class Notes:
    """The hooks of a node in the order in which they run, and what else belongs to it alone."""

    def __init__(self) -> None:
        self.arrived: OrderedDict[int, Any] = OrderedDict()  # a tensor's hooks
        self.retained: Any = None  # a weak reference to the tensor that keeps its gradient
        self.before: OrderedDict[int, Any] = OrderedDict()  # the node's pre-hooks
        self.after: OrderedDict[int, Any] = OrderedDict()  # the node's hooks
        self.accumulated: OrderedDict[int, Any] = OrderedDict()  # a leaf's, once ``.grad`` is right
        self.metadata: dict[str, Any] = {}
        self.line: str = ""  # in anomaly mode: where the operation was called


class HandleClass:
    """What registering a hook returns: set by a layer above."""

    built: Any = None


class WalkClass:
    """The class of walks: set by `walk.py`, which imports this file."""

    built: Any = None


def register(hooks: OrderedDict[int, Any], fn: Callable[..., Any]) -> Any:
    """Put `fn` at the end of `hooks`, and return the handle that takes it out again."""
    handle = HandleClass.built(hooks)
    hooks[handle.id] = fn
    return handle


def as_tensor(g: Any) -> Any:
    """Return `g`, an array or a tensor, as a tensor."""
    return g if isinstance(g, TensorBase) else wrap(g)


class Refresh:
    """How a view gets a new history after a recorded write: set by `in_place.py`."""

    view: Callable[[Any], None] = staticmethod(lambda t: None)


def wants_grad(t: TensorBase) -> bool:
    """Return whether operations on `t` are recorded: it, or the base that it shows, requires grad."""
    if t._requires_grad or t._node is not None:
        return True
    base = t._base
    return base is not None and wants_grad(base) and t._array.dtype.kind == "f"


def edge_of(t: TensorBase) -> Node | None:
    """Return where gradients for `t` go: its node, its accumulator for a leaf, None if it wants none."""
    node, base = t._node, t._base
    if base is not None:
        if node is None and not (t._requires_grad or base._requires_grad or base._node):
            return None
        if t._seen != t._storage.version:  # its memory was written since: part of its history
            Refresh.view(t)
            node = t._node
    if node is not None:
        return node
    if not t._requires_grad:  # a view of what requires grad is recorded, and keeps no gradient
        return AccumulateGrad(t) if wants_grad(t) else None  # type: ignore[arg-type]
    known, array = t._accumulator, t._array  # `.data` may have got another shape or type since
    if known is not None and known.shape == array.shape and known.dtype is array.dtype:
        return known
    if (
        known is None
        or known.shape != array.shape
        or (known.dtype != array.dtype and t._grad_dtype is ...)
    ):
        t._accumulator = AccumulateGrad(t)  # type: ignore[arg-type]
        if known is not None:
            t._accumulator.notes = known.notes
    return t._accumulator
