"""The walk: from the outputs back to the leaves, the youngest operation first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .. import _errors
from .._backend import Array, compute_beside, namespace_of, several_cards
from .graph import AccumulateGrad, Node, Shared, WalkClass, as_tensor
from .observing import Event, heard, tell
from .state import TensorBase, be_silent, grad_mode, rare, wrap


class Walks(threading.local):
    """The walks of this thread: the one that is going on, and before it those that it interrupts."""

    def __init__(self) -> None:
        self.now: list[Walk] = []


walks = Walks()


def current_walk() -> Walk:
    """Return the walk that calls the hook which asks."""
    assert walks.now, "expected this hook to be called inside a backward call"
    return walks.now[-1]


class Recorder:
    """How derivatives are computed so that they are recorded themselves: set by a layer above."""

    derivatives: Callable[..., list[Any]]


class Walk:
    """One walk over a graph: what has arrived where, and what is asked for.

    The gradients that wait lie here and not in the nodes, so that walks may interrupt each other, and threads
    may walk over the same nodes.

    Args:
        retain: keep what the vjps captured, so that the graph can be walked again.
        create: record the walk itself: the gradients are tensors with a history.
        targets: the nodes whose gradients are asked for; None stands for all leaves.
        path: with `targets`, the nodes that lead to them.
        nodes: all that the walk could visit.
    """

    __slots__ = (
        "__weakref__", "arrived", "careful", "create", "nodes", "owned", "path", "reached", "retain",
        "targets",
    )  # fmt: skip

    def __init__(
        self, retain: bool, create: bool, targets: set[Node] | None, path: set[Node],
        nodes: Sequence[Node] = (),
    ) -> None:  # fmt: skip
        self.retain, self.create, self.targets, self.path = retain, create, targets, path
        self.nodes = nodes
        # For each node its gradient, and whether nobody else holds it.
        self.arrived: dict[Node, Any] = {}
        self.reached: set[Node] = set()  # nodes that were to get a gradient, and got None
        self.owned = False  # whether nobody else holds the gradient that is being sent on
        # Whether each node needs `send_with_care`; a plain `backward()` does not.
        self.careful = create or targets is not None or grad_mode.anomaly or (rare and heard())

    def wants(self, edge: Node | None) -> bool:
        """Return whether a gradient is to be sent along `edge`."""
        return edge is not None and (
            self.targets is None or edge in self.path or edge in self.targets
        )

    def runs(self, node: Node | None) -> bool:
        """Return whether a gradient is computed for `node` in this walk."""
        return node in self.nodes and self.wants(node)

    def receive(self, node: Node, d: Array, fresh: bool) -> None:
        """Add the gradient `d` to what has arrived for `node`. `fresh`: nobody else holds it."""
        known = self.arrived.get(node)
        if known is None:
            self.arrived[node] = d, fresh
        elif known[1]:
            held = known[0]
            held += d
        else:  # somebody else holds the first: a sum in place would change their numbers
            total = known[0] + d
            if type(total) not in namespace_of:  # NumPy turns 0-d results into scalars
                total = np.asarray(total)
            self.arrived[node] = total, True

    def receive_recorded(self, node: Node, d: Any) -> None:
        """Add the gradient `d`, a tensor with a history of its own, to what has arrived for `node`."""
        known = self.arrived.get(node)
        self.arrived[node] = (d if known is None else known[0] + d), False

    def receive_at(self, node: Node, index: int, count: int, d: Any) -> None:
        """Record the gradient `d` for output number `index` of `count` of `node`."""
        if node not in self.arrived:
            self.arrived[node] = [None] * count, False
        grads = self.arrived[node][0]
        grads[index] = d if grads[index] is None else grads[index] + d

    def visit(self, node: Node, grads: dict[Node, Any]) -> None:
        """Run the hooks of `node`, keep its gradient if it is asked for, and send it on."""
        g, self.owned = self.arrived.pop(node)
        goes_on = self.targets is None or node in self.path
        asked = self.targets is not None and node in self.targets
        if asked and goes_on:  # PyTorch takes it before the hooks run, else after them
            grads[node] = g if self.create else own_copy(g)
        if node.notes is not None and (node.notes.arrived or node.notes.retained):
            g = self.arrive(node, g)
        if asked and not goes_on:
            grads[node] = g if self.owned or self.create else own_copy(g)
        if goes_on:
            node.send(g, self)

    def arrive(self, node: Node, g: Any) -> Any:
        """Run the hooks of the tensor that `node` made; return the gradient as they leave it."""
        notes: Any = node.notes
        t = as_tensor(g)
        for hook in tuple(notes.arrived.values()):
            changed = hook(t)
            if changed is not None:
                t = checked_gradient(changed, t, hook)
                self.owned = False
        if notes.retained is not None:
            keeper = notes.retained()
            if keeper is not None:
                held = t if self.create else wrap(own_copy(t._array))
                if keeper._grad is not None and self.create:
                    held = keeper._grad + held
                elif keeper._grad is not None:
                    held = wrap(keeper._grad._array + held._array)
                keeper._grad = held
        return t if self.create else t._array

    def replaced_outputs(self, node: Node, g: Any) -> Any:
        """Run the pre-hooks of `node`; return what has arrived as they leave it, None for nothing."""
        if node.notes is None or not node.notes.before:
            return g
        grads = node.outputs(g)
        for hook in tuple(node.notes.before.values()):
            changed = hook(grads)
            if changed is not None:
                grads = checked_gradients(changed, grads, hook)
        return node.with_outputs(grads, g)

    def send_with_care(self, node: Node, g: Any) -> None:
        """Do what `Node.send` does where there are hooks, targets, or a record of the walk.

        The pre-hooks have run; `g` is None if they left nothing.
        """
        if g is None:
            self.pass_on_nothing(node)
            return
        notes, listening = node.notes, rare and heard()
        outputs = node.outputs(g) if listening or (notes is not None and notes.after) else ()
        try:
            grads = node.derivatives(g, self)
        except Exception as error:
            tell(Event("backward", type(node).__name__, outputs, error=error, node=node.shown))
            raise
        if grad_mode.anomaly and grad_mode.check_nan:
            refuse_nan(node, grads)
        if notes is not None and notes.after:
            inputs = tuple(None if d is None else as_tensor(d) for d in grads)
            for hook in tuple(notes.after.values()):
                changed = hook(inputs, outputs)
                if changed is not None:
                    inputs = checked_gradients(changed, inputs, hook)
            grads = [d if d is None or self.create else d._array for d in inputs]
        if listening:
            sent = tuple(None if d is None else as_tensor(d) for d in grads)
            tell(Event("backward", type(node).__name__, outputs, None, sent, node=node.shown))
        for edge, d in zip(node.edges, grads, strict=True):
            if edge is None or not self.wants(edge):
                continue
            if d is None:
                self.reached.add(edge)
                continue
            if self.create:
                self.receive_recorded(edge, d)
            else:
                self.receive(edge, d, False)

    def pass_on_nothing(self, node: Node) -> None:
        """Visit a node that no gradient has reached, because a Function or a hook returned None.

        As in PyTorch, operations pass on the absence, and a Function further on may see zeros.
        """
        if isinstance(node, Shared) and node.sees_nothing:
            node.send([None] * node.count_of_outputs(), self)
        else:
            self.reached.update(e for e in node.edges if e is not None and self.wants(e))

    def recorded_derivatives(self, node: Node, g: Any, wanted: list[Node | None]) -> list[Any]:
        """Return the gradients for the edges `wanted` as tensors that are recorded."""
        return Recorder.derivatives(node, g, wanted)


WalkClass.built = Walk


def own_copy(g: Any) -> Any:
    """Return a copy of a gradient, with its dimensions in the same order in memory where it has one."""
    kept = not g.flags.c_contiguous and 0 not in g.strides
    return g.copy("K" if kept else "C")


def checked_gradient(changed: Any, t: Any, hook: Any = None) -> Any:
    """Return what a hook returned in place of the gradient `t`, if it can stand there."""
    if not isinstance(changed, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(changed).__name__}'")
    if changed._array.shape != t._array.shape:
        raise RuntimeError(f"{_hook_name(hook)} has changed the size of value")
    if changed._array.dtype != t._array.dtype:
        raise RuntimeError(
            f"{_hook_name(hook)} has changed the type of value (was "
            f"{_errors.typed_name(t._array)} got {_errors.typed_name(changed._array)})"
        )
    return changed


def _hook_name(hook: Any) -> str:
    name = getattr(hook, "__name__", None)
    return "hook" if name is None else f"hook '{name}'"


def checked_gradients(changed: Any, old: Sequence[Any], hook: Any) -> tuple[Any, ...]:
    """Return what `hook` of a node returned in place of the gradients `old`, as a tuple of as many."""
    if isinstance(changed, TensorBase) and len(old) == 1:
        changed = (changed,)
    if not isinstance(changed, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(changed).__name__}'")
    if len(changed) != len(old):
        raise RuntimeError(
            f"{_hook_name(hook)} has returned an incorrect number of values (got {len(changed)}, but "
            f"expected {len(old)})"
        )
    for c, o in zip(changed, old, strict=True):
        if o is None and c is not None:
            raise RuntimeError("can't replace a None gradient with a non-None value")
    return tuple(
        c if c is None else checked_gradient(c, o, hook) for c, o in zip(changed, old, strict=True)
    )


def refuse_nan(node: Node, grads: Sequence[Any]) -> None:
    """Raise if one of the gradients that `node` computed holds a NaN."""
    for number, d in enumerate(grads):
        if d is not None and (as_tensor(d)._array != as_tensor(d)._array).any():
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {number}th output."
            )


def run_backward(
    starts: Sequence[Node],
    gradients: Sequence[Any],
    *,
    retain: bool = False,
    create: bool = False,
    targets: Iterable[Node] | None = None,
) -> dict[Node, Any]:
    """Walk back from `starts`, adding to the ``.grad`` of every leaf, or finding gradients at `targets`.

    Args:
        starts: the edges of the outputs.
        gradients: of the final quantity with respect to each output: arrays, or tensors with `create`.
        retain: keep what the vjps captured, so that the graph can be walked again.
        create: record the walk itself.
        targets: where gradients are asked for; then no leaf is touched.

    Returns:
        for each of the `targets` that was reached its gradient, an array or (with `create`) a tensor.

    Raises:
        RuntimeError: a part of the graph was walked and freed before, or an array that it needs was
            written in place.
    """
    asked = None if targets is None else set(targets)
    grads: dict[Node, Any] = {}
    nodes = youngest_first(starts)
    path = set() if asked is None else leading_to(asked, nodes)
    walk = Walk(retain, create, asked, path, nodes)
    enabled, depth, node = grad_mode.enabled, len(walks.now), None
    try:
        grad_mode.enabled = create
        walks.now.append(walk)
        for start, g in zip(starts, gradients, strict=True):
            if create:
                walk.receive_recorded(start, g)
            else:
                walk.receive(start, g, False)
        arrived = walk.arrived
        be_silent()
        following = several_cards()  # several GPUs: compute where the gradient lies
        for node in nodes:
            if node not in arrived:
                if node in walk.reached:
                    walk.pass_on_nothing(node)
                continue
            if following:
                compute_beside(arrived[node])
            if asked is None and node.notes is None:  # all that `visit` does for most nodes
                g, walk.owned = arrived.pop(node)
                node.send(g, walk)
            else:
                walk.visit(node, grads)
    except Exception:
        if grad_mode.anomaly and node is not None:
            tell_line(node)
        raise
    finally:
        grad_mode.enabled = enabled
        del walks.now[depth:]
    return grads


def tell_line(node: Node) -> None:
    """Warn with the line of the forward pass that made `node`, on which the walk has failed."""
    import warnings

    line = "" if node.notes is None else node.notes.line
    if not line:
        text = (
            f"Error detected in {node.name()}. No forward pass information available. Enable detect "
            "anomaly during forward pass for more information."
        )
    else:
        text = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{line}"
    warnings.warn(text, stacklevel=4)


def leading_to(targets: set[Node], nodes: Sequence[Node]) -> set[Node]:
    """Return those of `nodes`, which come youngest first, from which a walk reaches one of `targets`."""
    path: set[Node] = set()
    for node in reversed(nodes):
        if any(e is not None and (e in targets or e in path) for e in node.edges):
            path.add(node)
    return path


def youngest_first(starts: Node | Sequence[Node]) -> list[Node]:
    """Return `starts` and all that they reach, from the youngest to the oldest.

    The accumulator of a leaf comes right after the oldest operation that reads the leaf, so gradients
    are ready as early as in PyTorch.
    """
    births = {node: node.birth for node in ([starts] if isinstance(starts, Node) else starts)}
    nodes = list(births)
    for node in nodes:  # which grows meanwhile; no recursion, because graphs are deep
        for edge in node.edges:
            if edge is None:
                continue
            if type(edge) is AccumulateGrad:
                known = births.get(edge)
                if known is None or known > node.birth:
                    births[edge] = node.birth - 0.5
            elif edge not in births:
                births[edge] = edge.birth
                nodes.append(edge)
    return sorted(births, key=births.__getitem__, reverse=True)
