"""`several`: operations with several results, whose gradients come out of one pass backwards.

A recurrent layer returns its outputs and its last state, and one walk back through time finds the gradients of
its input, its first state and its weights together. Written with a vjp for each argument, that walk would be
made once for each. So such a rule returns ``(results, backward)``, and ``backward(grads, wanted)`` returns one
gradient for each argument.

What `backward` computes is clever, and has no history. Therefore the operation comes with a *formula*: the same
function, written as operations on tensors. A walk that is recorded runs the formula, and differentiates that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from .. import _errors
from .._backend import MetaArray, at_hand, mixed_devices, namespace_of, on_one_device
from .._engine import (
    Event,
    Node,
    Port,
    Shared,
    TensorBase,
    Walk,
    be_silent,
    calling_line,
    edge_of,
    grad_mode,
    heard,
    keep_class,
    pack_saved,
    rare,
    run_backward,
    saved_text,
    told_as_one,
    wants_grad,
    wrap,
)
from .elementwise import clone

Reads = Mapping[int, Sequence[int]]


class Together(Shared):
    """The node of such an operation.

    Attributes:
        arrays: the arguments, for the formula.
        formula: the operation once more, on tensors.
    """

    __slots__ = ("arrays", "formula")

    holds = ("vjps", "arrays")
    reads: Reads = {}
    added: Sequence[int] = ()
    arrays: list[Any]
    formula: Callable[..., tuple[Any, ...]]

    def send(self, g: Any, walk: Walk) -> None:
        """Pass on the gradients `g` of the results, None for those that nobody used, to the arguments."""
        if self.vjps == ():
            raise RuntimeError(_errors.SECOND_BACKWARD)
        self.refuse_overwritten()
        if self.notes is not None or walk.careful:
            walk.send_with_care(self, walk.replaced_outputs(self, g))
        else:
            for edge, d in zip(self.edges, self.derivatives(g, walk), strict=True):
                if edge is not None:
                    walk.receive(edge, d, True)
        if not walk.retain:
            self.vjps, self.arrays = (), []

    def derivatives(self, g: Any, walk: Walk) -> list[Any]:
        """Return the gradient for each argument that `walk` wants, None for the others."""
        if walk.create:
            return self.recorded_derivatives(g, walk)
        wanted = [walk.wants(edge) for edge in self.edges]
        vjps: Any = self.vjps
        grads: Any = zip(vjps[0](g, wanted), self.edges, wanted, strict=True)
        return [d.astype(edge.dtype, copy=False) if asked else None for d, edge, asked in grads]

    def recorded_derivatives(self, g: Any, walk: Walk) -> list[Any]:
        """Return the gradients as tensors with a history, which come from differentiating the formula."""
        self.refuse_overwritten_arguments()
        stand_ins = [self.stand_in(*pair) for pair in zip(self.arrays, self.edges, strict=True)]
        results = zip(self.formula(*stand_ins), g, strict=True)
        used = [(edge_of(out), d) for out, d in results if d is not None]
        starts, grads = zip(*((edge, d) for edge, d in used if edge is not None), strict=True)
        asked: list[Any] = [
            edge_of(t) if walk.wants(edge) else None
            for t, edge in zip(stand_ins, self.edges, strict=True)
        ]
        targets = [node for node in asked if node is not None]
        found = run_backward(starts, grads, retain=True, create=True, targets=targets)
        return [found.get(node) for node in asked]

    def is_unread(self, storage: Any) -> bool:
        """Return whether only gradients that nobody wants would read the arguments of that `storage`."""
        places = [i for i, s in enumerate(self.storages) if s is storage]
        wanted = {i for i, edge in enumerate(self.edges) if edge is not None}
        return bool(places) and all(wanted.isdisjoint(self.reads.get(i, wanted)) for i in places)

    def refuse_overwritten_arguments(self) -> None:
        """Raise if an argument was written in place: the formula starts from their values once more."""
        for place, (array, storage) in enumerate(zip(self.arrays, self.storages, strict=False)):
            if storage is None or storage.written <= self.birth or place in self.added:
                continue
            if id(array) in self.ids:  # else a hook keeps it
                text = saved_text(array, storage, self.birth, self.maker_of(array, place))
                raise _errors.overwritten(text, grad_mode.anomaly)

    @staticmethod
    def stand_in(array: Any, edge: Node | None) -> Any:
        """Return a tensor with the history of an argument, in a place of its own in the graph."""
        if array is None or edge is None:
            return array if array is None else wrap(array)
        t = wrap(array)
        t._node = edge
        return clone(t)


def _node_class(name: str, reads: Reads, added: Sequence[int]) -> type[Together]:
    body = {"__slots__": (), "__module__": Node.__module__, "reads": reads, "added": added}
    return type(name, (Together,), body)


def several(formula: Callable[..., tuple[Any, ...]], reads: Reads | None = None, added: Sequence[int] = ()) -> Callable[[Callable[..., Any]], Callable[..., tuple[Any, ...]]]:  # fmt: skip
    """Turn ``rule(xp, *arrays, **options) -> (results, backward)`` into a function of tensors.

    The function takes `name`, of the node, as an option. Rules 4 and 5 of the contract hold; `backward`
    may capture what it likes, and returns None for the gradient of an argument that is not wanted.

    Args:
        formula: called as ``formula(*tensors, **options)``; returns the same results.
        reads: for the places of arguments that not every gradient reads: of which arguments those are that do.
        added: the places of arguments that are only added, so that no gradient reads them.
    """
    node_class = cache(lambda name: _node_class(name, reads or {}, added))

    def turn(rule: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
        def apply(*args: Any, name: str, **options: Any) -> tuple[Any, ...]:
            if rare and heard():
                event = Event("operation", rule.__name__.strip("_"), args, options, operation=apply)
                return told_as_one(event, apply, *args, name=name, **options)
            if type(args[0]._array) is MetaArray:
                return formula(*args, **options)
            arrays = [a._array if isinstance(a, TensorBase) else a for a in args]
            be_silent()
            if not at_hand(arrays[0]):
                on_one_device((*arrays, *options.values()))
            try:
                outs, backward = rule(namespace_of[type(arrays[0])], *arrays, **options)
            except TypeError as error:
                raise mixed_devices((*arrays, *options.values())) or error from None
            results = tuple(map(wrap, outs))
            recorded = grad_mode.enabled and not (rare and grad_mode.inference)
            if recorded and any(a is not None and wants_grad(a) for a in args):
                storages = [None if a is None else a._storage for a in args]
                edges = [None if a is None else edge_of(a) for a in args]
                node = node_class(name)(edges, (backward,), outs[0], storages, [*map(id, arrays)])
                node.arrays, node.formula = arrays, partial(formula, **options)
                for number, out in enumerate(results):
                    out._node = Port(node, number, len(results), out._array)
                if grad_mode.anomaly:
                    node.own_notes().line = calling_line()
                if grad_mode.packing:
                    pack_saved(node, args)
            if any(isinstance(a, TensorBase) and a._keeps_class for a in args):
                for out in results:
                    keep_class(out, args)
            return results

        apply.__name__ = apply.__qualname__ = rule.__name__
        apply.__doc__, apply.__module__ = rule.__doc__, rule.__module__
        return apply

    return turn
