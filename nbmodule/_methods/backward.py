"""`backward`: the walk from outside, and what it and `autograd.grad` ask of their arguments.

Source: https://docs.pytorch.org/docs/stable/autograd.html
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._backend import device_of, mixed_devices, namespace_of
from .._engine import TensorBase, edge_of, run_backward, wrap
from .._ops import elementwise

if TYPE_CHECKING:
    from .._engine.state import Tensor

NO_HISTORY = "element {} of tensors does not require grad and does not have a grad_fn"


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add to the ``.grad`` of each leaf the derivative of the sum of `tensors` by it.

    Args:
        tensors: one or several.
        grad_tensors: for each its gradient, in its shape; None for single numbers, and is then 1.
        retain_graph: keep the graph, so that it can be walked again; by default what `create_graph` is.
        create_graph: record the walk itself, so that the gradients can be differentiated.
        grad_variables: the old name of `grad_tensors`.
        inputs: only to the ``.grad`` of these; by default to that of all leaves.

    Raises:
        RuntimeError: a tensor does not require grad; a gradient is missing or has another shape; the graph
            was freed by an earlier walk; an array that it needs was written in place.
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please "
                "only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, TensorBase) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    outputs = tensors_given(tensors)
    given = gradients_given(grad_tensors, len(outputs))
    starts = first_gradients(outputs, given, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    edges = edges_of(outputs)
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and "
            "its gradient which can cause a memory leak. We recommend using autograd.grad when creating the "
            "graph to avoid this. If you have to use this function, make sure to reset the .grad fields of "
            "your parameters to None after use to break the cycle and avoid the leak.",
            stacklevel=2,
        )
    if inputs is None:
        run_backward(edges, starts, retain=retain, create=create_graph)
        return
    wanted = tensors_given(inputs)
    refuse_others(wanted)
    targets = targets_of(wanted, "can't retain_grad on Tensor that has requires_grad=False")
    for t in wanted:
        t.retain_grad()  # for a leaf this does nothing
    found = run_backward(edges, starts, retain=retain, create=create_graph, targets=targets)
    for t, target in {id(t): (t, e) for t, e in zip(wanted, targets, strict=True)}.values():
        if target in found and t._node is None:
            _accumulate(t, found[target], create_graph)


def _accumulate(t: Any, g: Any, create: bool) -> None:
    """Add the gradient `g` that a walk has found to the ``.grad`` of `t`."""
    d = g if create else wrap(g)
    t._grad = d if t._grad is None else t._grad + d if create else wrap(t._grad._array + g)
    notes = edge_of(t).notes  # type: ignore[union-attr]
    for hook in tuple(notes.accumulated.values()) if notes is not None else ():
        hook(t)


def tensors_given(tensors: Any) -> tuple[Any, ...]:
    """Return one or several tensors as a tuple; a `GradientEdge` becomes a tensor that ends there."""
    if isinstance(tensors, TensorBase):
        return (tensors,)
    if hasattr(tensors, "ownership_token"):
        tensors = (tensors,)
    return tuple(_end_of(t) if hasattr(t, "ownership_token") else t for t in tensors)


def _end_of(edge: Any) -> Any:
    """Return the leaf, or a tensor without memory, whose gradient arrives along `edge`."""
    node = edge.ownership_token or edge.node
    leaf = getattr(node, "variable", None)
    if leaf is not None:
        return leaf
    t = wrap(np.broadcast_to(np.zeros((), node.dtype), node.shape))
    t._node = node
    return t


def gradients_given(given: Any, n: int) -> tuple[Any, ...]:
    if given is None:
        return (None,) * n
    return tensors_given(given)


def edges_of(outputs: Sequence[Any]) -> list[Any]:
    edges = []
    for number, t in enumerate(outputs):
        edge = edge_of(t)
        if edge is None:
            raise RuntimeError(NO_HISTORY.format(number))
        edges.append(edge)
    return edges


def refuse_others(inputs: Sequence[Any]) -> None:
    for t in inputs:
        if not isinstance(t, TensorBase):
            raise RuntimeError(
                f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}"
            )


def targets_of(inputs: Sequence[Any], otherwise: str) -> list[Any]:
    targets = [_target(t) for t in inputs]
    if None in targets:
        raise RuntimeError(otherwise)
    return targets


def _target(t: Any) -> Any:
    """Return where gradients for `t` go; for a leaf whose data was replaced, where they go in older graphs."""
    known = t._accumulator
    if t._node is None and known is not None and known.dtype == t._array.dtype:
        return known
    return edge_of(t)


def _size(t: TensorBase) -> str:
    return f"nbmodule.Size({list(t._array.shape)})"


def first_gradients(outputs: Sequence[Any], given: Sequence[Any], create: bool) -> list[Any]:
    """Return with what gradient each output starts: arrays, or tensors if the walk is recorded."""
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    starts: list[Any] = []
    each: Any = zip(outputs, given, strict=True)
    for number, (out, given_gradient) in enumerate(each):
        g: Any = given_gradient
        if g is not None and not isinstance(g, TensorBase):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
        if g is None:
            if edge_of(out) is not None and out._array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            xp = namespace_of[type(out._array)]
            one = xp.ones((1,) * out._array.ndim, out._array.dtype)
            starts.append(wrap(one) if create else one)
            continue
        if g._array.shape != out._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{number}] has a shape of {_size(g)} and output[{number}] has a "
                f"shape of {_size(out)}."
            )
        elif mixed_devices((out._array, g._array)):
            raise RuntimeError(
                f"invalid gradient at index {number} - expected device {device_of(out._array)} but got "
                f"{device_of(g._array)}"
            )
        if not create:
            g = g._array.astype(out._array.dtype, copy=False)
        elif g._array.dtype != out._array.dtype:
            g = elementwise.cast(g, dtype=out._array.dtype)
        starts.append(g)
    return starts
