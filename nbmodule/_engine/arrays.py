"""What the engine asks of raw arrays: which ones a vjp captured, and gradients in the right shape.

A vjp is a lambda inside a rule, and Python keeps the values that a lambda reads in its *closure*. So nobody has to say
what is saved for backward; but to tell whether it was written since, and to free it, the engine looks in there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .._backend import Array, namespace_of
from .._cores import are_cut, in_parts
from .._errors import broadcast_text
from .sums import added_up, sum_of_rows


def captured_arrays(function: Any) -> list[Array]:
    """Return the arrays in the closure of `function`, also inside tuples, lists, dicts and inner functions."""
    arrays, todo = [], [function]
    seen: set[FunctionType] = set()  # a function may lie in its own closure
    while todo:
        x = todo.pop()
        if x is None or type(x) is int:  # most of what sizes and windows hold
            continue
        if type(x) in namespace_of or isinstance(x, np.generic):
            arrays.append(x)
        elif isinstance(x, (tuple, list)):
            todo.extend(x)
        elif isinstance(x, dict):
            todo.extend(x.values())
        elif isinstance(x, FunctionType) and x not in seen:
            seen.add(x)
            todo.extend([cell.cell_contents for cell in x.__closure__ or ()])
    return arrays


def captured_beside(function: Any, known: Collection[int]) -> list[Array]:
    """Return `captured_arrays`, at least those whose ids are not `known`, without a walk through every value."""
    arrays = []
    for cell in getattr(function, "__closure__", None) or ():
        x = cell.cell_contents
        if type(x) not in NO_ARRAYS and id(x) not in known:
            arrays += [x] if type(x) in namespace_of else captured_arrays(x)
    return arrays


NO_ARRAYS = {int, float, bool, str, type(None), ModuleType}
"""The types of nearly everything that closures hold beside arrays and functions."""


def captures_array(function: Any) -> bool:
    """Return whether `captured_arrays` would find any; every node of a walk is asked."""
    cells = getattr(function, "__closure__", None) or ()
    for cell in cells:  # what can be told at a glance first
        if type(cell.cell_contents) in namespace_of:
            return True
    for cell in cells:
        x = cell.cell_contents
        if isinstance(x, (tuple, list, dict, FunctionType, np.generic)) and captured_arrays(x):
            return True
    return False


class Copier:
    """Copies functions, replacing what they captured: `stand_in` says with what.

    So a walk that is recorded gets the same formulas, working on recorded arrays.
    """

    def __init__(self) -> None:
        self.copies: dict[FunctionType, FunctionType] = {}

    def stand_in(self, value: Any) -> Any:
        """Return what stands for `value`, which is no sequence, no dict, and no function with a closure."""
        raise NotImplementedError

    def replaced(self, value: Any) -> Any:
        """Return what stands for the captured `value`."""
        if type(value) in (tuple, list):
            return type(value)(self.replaced(v) for v in value)
        if type(value) is dict:
            return {key: self.replaced(v) for key, v in value.items()}
        is_operation = hasattr(value, "inside")  # which captured no arrays
        if isinstance(value, FunctionType) and value.__closure__ and not is_operation:
            return self.rebuilt(value)
        return self.stand_in(value)

    def rebuilt(self, function: Any) -> Any:
        """Return a copy of `function` that has captured what stands for its captured values."""
        if function not in self.copies:
            code, names = function.__code__, function.__globals__
            cells = tuple(CellType() for _ in function.__closure__ or ())
            copy = FunctionType(code, names, function.__name__, None, cells)
            self.copies[function] = copy  # before we look into it: it may lie in its own closure
            copy.__defaults__ = self.replaced(function.__defaults__)
            for cell, old in zip(cells, function.__closure__ or (), strict=True):
                cell.cell_contents = self.replaced(old.cell_contents)
        return self.copies[function]


BLOCK = 1 << 16
"""How many elements are worked on at a time: half a megabyte of float64."""

STEPS = 4
"""How many times the time of one addition `by_blocks` takes for an element, at least."""


def by_blocks(steps: Callable[..., Array], *arrays: Array) -> Array:
    """Return ``steps(*arrays)``, for steps that treat each element by itself.

    Large arrays are worked on block by block: the intermediate results stay in the processor's cache, and need no
    new memory from the system. That pays for ten steps, not for five; several threads pay for fewer. Arrays that are
    recorded, on another device, of different shapes or not in row-major order are passed whole.
    """
    x = arrays[0]
    if (
        type(x) is not np.ndarray
        or x.size < 2 * BLOCK
        or any(
            type(a) is not np.ndarray or a.shape != x.shape or not a.flags.c_contiguous
            for a in arrays
        )
    ):
        return steps(*arrays)
    lines = [a.reshape(-1) for a in arrays]
    # Of two threads each has to wait for Python's lock at times, the less often the longer a call takes.
    block = 2 * BLOCK if are_cut(STEPS * x.size) else BLOCK
    first = steps(*(a[:block] for a in lines))
    out = np.empty(x.size, first.dtype)
    out[:block] = first

    def work(blocks: slice) -> None:
        for i in range(blocks.start + 1, blocks.stop + 1):
            here = slice(i * block, (i + 1) * block)
            out[here] = steps(*(a[here] for a in lines))

    in_parts(np, work, (x.size - 1) // block, STEPS * x.size)
    return out.reshape(x.shape)


def fitted(d: Array, edge: Any) -> Array:
    """Return the gradient `d` in the shape and type of what `edge` stands for."""
    if d.shape != edge.shape:
        d = sum_to(d, edge.shape)
    return d if d.dtype == edge.dtype else d.astype(edge.dtype)


def sum_to(g: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: sum `g` over the axes along which `shape` was repeated."""
    if shape and g.shape[1:] == shape:  # a bias: by far the most frequent case
        return sum_of_rows(g)
    axes = repeated_axes(g.shape, shape)
    ones_stay = len(axes) + len(shape) != g.ndim or not shape
    total = added_up(g, axes, ones_stay)
    if not ones_stay:
        return total
    try:
        return total.reshape(shape)
    except ValueError:
        raise RuntimeError(
            f"a function returned an invalid gradient - got {list(g.shape)} but expected shape compatible "
            f"with {list(shape)}"
        ) from None


def repeated_axes(long: tuple[int, ...], short: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes along which an array of shape `short` is repeated to give it shape `long`."""
    lead = len(long) - len(short)
    if long[lead:] == short:
        return tuple(range(lead))
    return tuple(i for i, n in enumerate(long) if i < lead or n != short[i - lead])


def laid_out_like(leaf: Array, g: Array, owned: bool) -> Array:
    """Return `g`, or a copy if somebody else owns it, with its elements in the order of those of `leaf`.

    Where those have gaps between them, it is row-major. If the leaf has another shape by now, the gradient is
    broadcast to it, as in PyTorch.

    Raises:
        RuntimeError: that cannot be done.
    """
    if g.strides == leaf.strides or not leaf.size:
        return g if owned else g.copy("K")
    xp = namespace_of[type(leaf)]
    laid = xp.empty_like(leaf, dtype=g.dtype, order="K" if is_dense(leaf) else "C")
    try:
        laid[...] = g
    except ValueError:
        raise RuntimeError(broadcast_text((leaf.shape, g.shape))) from None
    return laid


def is_dense(array: Array) -> bool:
    """Return whether the elements of `array` fill a piece of memory without gaps, in whatever order."""
    if array.flags.c_contiguous:
        return True
    expected = array.itemsize
    for stride, n in sorted(
        (s, n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1
    ):
        if stride != expected:
            return False
        expected *= n
    return True
