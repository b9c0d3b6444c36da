"""Hooks on what nodes save: `saved_tensors_hooks` of `autograd.graph`.

What the vjps of a node captured lies in their closures. Inside such a context each of them is copied, with what
the pack hook made of an array in the place of the array. When the node is asked for a gradient it makes a second
node of itself, whose vjps have the unpacked arrays, lets that one answer, and forgets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from .. import _errors
from .._backend import namespace_of
from .arrays import Copier
from .graph import SAVED_PLACES, SPENT, AccumulateGrad, Node, node_class
from .state import TensorBase, grad_mode, wrap

# ---- which hooks are in force


def push_hooks(pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
    """Let `pack` see what is saved from now on, until `pop_hooks`."""
    if grad_mode.packing_refused is not None:
        raise RuntimeError(grad_mode.packing_refused)
    grad_mode.switch(packing=(*grad_mode.packing, (pack, unpack)))


def pop_hooks() -> None:
    """Put the hooks back in force that were so before the last `push_hooks`."""
    grad_mode.switch(packing=grad_mode.packing[:-1])


@contextmanager
def without_hooks() -> Iterator[None]:
    """Inside, arrays are saved as they are, whatever context stands around."""
    before, grad_mode.packing = grad_mode.packing, ()
    try:
        yield
    finally:
        grad_mode.packing = before


# ---- packing


class Packed:
    """What a pack hook made of a tensor, and the hook that makes a tensor of that again.

    Attributes:
        place: which argument of the node it was, or its result; None if neither.
    """

    __slots__ = ("content", "dtype", "place", "shape", "unpack")

    def __init__(self, t: Any, place: int | None = None) -> None:
        pack, self.unpack = grad_mode.packing[-1]
        version, enabled = t._storage.version, grad_mode.enabled
        grad_mode.enabled = False
        try:
            self.content = pack(t)
        finally:
            grad_mode.enabled = enabled
        if t._storage.version != version:
            raise RuntimeError(_errors.PACK_HOOK_WROTE)
        self.place, self.shape, self.dtype = place, t._array.shape, t._array.dtype

    def tensor(self) -> Any:
        """Return what the unpack hook makes of it."""
        t = self.unpack(self.content)
        if not isinstance(t, TensorBase):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                + _errors.name_of_type(t)
            )
        return t

    def array(self) -> Any:
        """Return the array of that in the type and the shape of the one that was saved."""
        array = self.tensor()._array
        if array.shape != self.shape:
            try:
                array = namespace_of[type(array)].broadcast_to(array, self.shape)
            except ValueError:
                raise RuntimeError(_errors.broadcast_text([self.shape, array.shape])) from None
        return array.astype(self.dtype, copy=False)


def pack_saved(node: Node, args: Sequence[Any]) -> None:
    """Pack what the vjps of `node`, just made of the arguments `args`, have captured."""
    packer = _Packer(node, args)
    held = {name: packer.replaced(getattr(node, name)) for name in node.holds}
    node.ids = [0] * len(node.ids)  # other arrays may get the numbers of those that are freed now
    for name, value in held.items():
        setattr(node, name, value)
    if packer.known:
        node.__class__ = _packing(type(node))


class _Packer(Copier):
    """Puts packed arrays in the place of floating point ones, and copies in that of masks and indices.

    Which of these are the user's, whom a write to them must not harm, nobody knows; hooks do not see them.
    """

    def __init__(self, node: Node, args: Sequence[Any]) -> None:
        super().__init__()
        self.node, self.args = node, args
        self.known: dict[int, Packed] = {}
        self.copied: dict[int, Any] = {}

    def stand_in(self, value: Any) -> Any:
        known = id(value) in self.node.ids
        if not (type(value) in namespace_of or (known and isinstance(value, np.generic))):
            return value
        if value.dtype.kind != "f":
            return self.copied.setdefault(id(value), value.copy())
        if id(value) not in self.known:
            place = self.node.ids.index(id(value)) if known else None
            self.known[id(value)] = Packed(self.tensor(value, place), place)
        return self.known[id(value)]

    def tensor(self, value: Any, place: int | None) -> Any:
        """Return `value` as the tensor that the pack hook is to see: the argument itself, if it is one."""
        node, edges = self.node, self.node.edges
        if place is not None and place < len(edges):
            given = self.args[place]._array
            if given.dtype == value.dtype and given.shape == value.shape:
                return self.args[place]
        t = wrap(np.asarray(value) if isinstance(value, np.generic) else value)
        if place is None:
            return t
        return with_history(t, node if place == len(edges) else edges[place])


def with_history(t: Any, edge: Node | None) -> Any:
    """Return a tensor on the array of `t` whose gradient goes along `edge`; `t` itself if there is none."""
    if edge is None:
        return t
    out = wrap(t._array, t._storage)
    if isinstance(edge, AccumulateGrad):
        out._requires_grad, out._accumulator = True, edge
    else:
        out._node = edge
    return out


# ---- a node that holds packed arrays


class Packing(Node):
    """What a node becomes when its arrays are packed: one that unpacks them for every visit."""

    __slots__ = ()

    packs = True
    plain: type[Node]
    """The class that the node would have without hooks."""

    @staticmethod
    def class_called(name: str) -> type[Node]:
        """Return the class of the nodes that hold packed arrays and are called `name`."""
        return _packing(node_class(name))

    def opened(self) -> Any:
        """Return this node with its arrays unpacked."""
        if _vjps.__get__(self) is SPENT:
            raise RuntimeError(_errors.SECOND_BACKWARD)
        real: Any = object.__new__(_opened(self.plain))
        opener = _Opener()
        for name, slot in _slots(self.plain):
            value = slot.__get__(self)
            setattr(real, name, opener.replaced(value) if name in self.holds else value)
        ids, storages = list(self.ids), list(self.storages)
        for packed, array in opener.known.items():
            if packed.place is not None:
                ids[packed.place] = id(array)
                storages[packed.place] = None  # what was packed cannot have been written since
        real.ids, real.storages, real.origin = ids, storages, self
        return real

    @property
    def vjps(self) -> Any:
        """The vjps on the unpacked arrays."""
        held = _vjps.__get__(self)
        return self.opened().vjps if held else held

    @vjps.setter
    def vjps(self, value: Any) -> None:
        _vjps.__set__(self, value)

    def send(self, g: Any, walk: Any) -> None:
        """Unpack, pass on the gradient `g`, and free what is packed if nobody will need it again."""
        real = self.opened()
        real.send(g, walk)
        if real.vjps is SPENT or not real.vjps:
            for name in self.holds:
                setattr(self, name, getattr(real, name))

    def derivatives(self, g: Any, walk: Any) -> list[Any]:
        """Return the gradient for each edge that `walk` wants, None for the others."""
        return self.opened().derivatives(g, walk)

    def __getattr__(self, name: str) -> Any:
        """Find what was packed under PyTorch's names, and unpack it."""
        place = SAVED_PLACES.get(name.removeprefix("_saved_"))
        held = _vjps.__get__(self)
        if not name.startswith("_saved_") or place is None or held is SPENT:
            return super().__getattr__(name)
        if place >= len(self.edges):
            return super().__getattr__(name)
        finder = _Finder()
        finder.replaced(held)
        for packed in finder.found:
            if packed.place == place % (len(self.edges) + 1):
                return with_history(packed.tensor(), self if place < 0 else self.edges[place])
        return getattr(self.opened(), name)


class _Opener(Copier):
    """Puts unpacked arrays in the place of packed ones."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[Packed, Any] = {}

    def stand_in(self, value: Any) -> Any:
        if type(value) is not Packed:
            return value
        if value not in self.known:
            self.known[value] = value.array()
        return self.known[value]


class _Finder(Copier):
    """Collects what is packed."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Packed] = []

    def stand_in(self, value: Any) -> Any:
        if type(value) is Packed:
            self.found.append(value)
        return value


_vjps: Any = Node.__dict__["vjps"]  # the slot itself, which the property of `Packing` hides


@cache
def _slots(kind: type[Node]) -> list[tuple[str, Any]]:
    """Return the slots of `kind`, with their names, but that for weak references."""
    names = [(name, c) for c in kind.__mro__ for name in c.__dict__.get("__slots__", ())]
    return [(name, c.__dict__[name]) for name, c in names if name != "__weakref__"]


@cache
def _packing(kind: type[Node]) -> type[Node]:
    """Return the class for nodes of the class `kind` that hold packed arrays."""
    body = {"__slots__": (), "__module__": kind.__module__, "plain": kind}
    return type(kind.__name__, (Packing, kind), body)


@cache
def _opened(kind: type[Node]) -> type[Node]:
    """Return the class for what stands for a node of the class `kind` during a visit."""
    shown = property(lambda self: self.origin)
    body = {"__slots__": ("origin",), "__module__": kind.__module__, "shown": shown}
    return type(kind.__name__, (kind,), body)
