"""What the engine asks of raw arrays: which ones a vjp captured, and gradients in the right shape."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._backend import Array, namespace_of

if TYPE_CHECKING:
    from .graph import Node


def captured_arrays(function: Any) -> list[Array]:
    """Return the arrays in the closure of `function`, also inside tuples, lists and inner functions."""
    found, todo = [], [function]
    while todo:
        x = todo.pop()
        if type(x) in namespace_of or isinstance(x, np.generic):
            found.append(x)
        elif isinstance(x, (tuple, list)):
            todo.extend(x)
        elif isinstance(x, FunctionType):
            todo.extend(cell.cell_contents for cell in x.__closure__ or ())
    return found


def captures_array(function: Any) -> bool:
    """Return whether `captured_arrays` would find any; every node of a walk is asked."""
    for cell in getattr(function, "__closure__", None) or ():
        x = cell.cell_contents
        if type(x) in namespace_of or (
            isinstance(x, (tuple, list, FunctionType, np.generic)) and captured_arrays(x)
        ):
            return True
    return False


def fitted(d: Array, edge: Node) -> Array:
    """Return the gradient `d` in the shape and type of what `edge` stands for."""
    if d.shape != edge.shape:
        d = sum_to(d, edge.shape)
    return d if d.dtype == edge.dtype else d.astype(edge.dtype)


def sum_to(g: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: sum `g` over the axes along which `shape` was repeated."""
    axes = repeated_axes(g.shape, shape)
    return g.sum(axes, keepdims=True).reshape(shape)


def repeated_axes(long: tuple[int, ...], short: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes along which an array of shape `short` is repeated to give it shape `long`."""
    lead = len(long) - len(short)
    return tuple(i for i, n in enumerate(long) if i < lead or n != short[i - lead])


def laid_out_like(leaf: Array, g: Array, owned: bool) -> Array:
    """Return `g`, or a copy if somebody else owns it, with its elements in the order of those of `leaf`."""
    if g.strides == leaf.strides or not leaf.size:
        return g if owned else g.copy("K")
    laid = namespace_of[type(leaf)].empty_like(leaf, dtype=g.dtype)
    laid[...] = g
    return laid
