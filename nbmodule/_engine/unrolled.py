"""What `op` does, unrolled for one tensor, for two and for three: in half the time of its loop.

Most operations take a few NumPy arrays of one type. Everything else (a number on the left, several types, another
device, a user's class of tensors, an error) goes to the loop in `operation.py`, where the comments explain each step.
The three forms differ from that loop, and from each other, only in what they need not ask.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._backend import namespace_of
from .graph import Node, edge_of
from .state import Storage, TensorClass, be_silent, grad_mode, new, quick, rare, silence

ndarray = np.ndarray

Ingredients = tuple[Callable[..., Any], Callable[..., Any], type[Node], Callable[..., None], Callable[..., None]]  # fmt: skip
"""A rule, its operation by the loop, the class of its nodes, and `share_storage` and `look_twice`."""


def of_one(ingredients: Ingredients, floating: bool) -> Callable[..., Any]:
    """Return the operation of a rule of one array, or more that may be left out, and any options."""
    rule, loop, make_node, share_storage, look_twice = ingredients

    def apply(a: Any, /, *others: Any, **options: Any) -> Any:
        if others or type(a) not in quick:
            return loop(a, *others, **options)
        x, edge = a._array, a._node
        if type(x) is not ndarray or (floating and x.dtype.kind != "f"):
            return loop(a, **options)
        if (a._requires_grad or a._base is not None) and grad_mode.enabled:
            edge = edge_of(a)
        if not (filters := warnings.filters) or filters[0] is not silence.filter:
            be_silent()
        try:
            value_and_vjps = rule(np, x, **options)
        except Exception:  # the loop will fail again, and then says why in PyTorch's words
            return loop(a, **options)
        raw = value_and_vjps[0]
        out = raw if type(raw) is ndarray or type(raw) in namespace_of else np.asarray(raw)
        result = new(TensorClass.built)
        result._array = out
        if out.base is None:
            result._storage = Storage()
        else:
            share_storage(result, (a,))
        if (
            edge is not None
            and grad_mode.enabled
            and out.dtype.kind == "f"
            and not (rare and grad_mode.inference)
        ):
            storages = a._storage, result._storage
            result._node = make_node((edge,), value_and_vjps[1:2], out, storages, (id(x), id(raw)))
        if rare:
            look_twice(result, (a,), options)
        return result

    return apply


def of_two(ingredients: Ingredients, floating: bool) -> Callable[..., Any]:
    """Return the operation of a rule of two arrays, of which the second may be a number, without options."""
    rule, loop, make_node, share_storage, look_twice = ingredients

    def apply(a: Any, b: Any, /) -> Any:
        if type(a) not in quick:
            return loop(a, b)
        x, left = a._array, a._node
        dtype = x.dtype
        if (a._requires_grad or a._base is not None) and grad_mode.enabled:
            left = edge_of(a)
        if type(b) in quick:
            y, right, storage = b._array, b._node, b._storage
            if y.dtype is not dtype or type(y) is not ndarray:
                return loop(a, b)
            if y is x:  # only identity says which argument a vjp captured
                y = x.view()
            if (b._requires_grad or b._base is not None) and grad_mode.enabled:
                right = edge_of(b)
        elif (type(b) is float or type(b) is int) and dtype.char in "fd":
            y, right, storage = b, None, None
        else:
            return loop(a, b)
        if type(x) is not ndarray or (floating and dtype.kind != "f"):
            return loop(a, b)
        if not (filters := warnings.filters) or filters[0] is not silence.filter:
            be_silent()
        try:
            raw, to_left, to_right = rule(np, x, y)
        except Exception:
            return loop(a, b)
        out = raw if type(raw) is ndarray else np.asarray(raw)
        result = new(TensorClass.built)
        result._array = out
        if out.base is None:
            result._storage = Storage()
        else:
            share_storage(result, (a, b))
        if (
            (left is not None or right is not None)
            and grad_mode.enabled
            and out.dtype.kind == "f"
            and not (rare and grad_mode.inference)
        ):
            result._node = make_node(
                (left, right),
                (to_left if left else None, to_right if right else None),
                out,
                (a._storage, storage, result._storage),
                (id(x), id(y), id(raw)),
            )
        if rare:
            look_twice(result, (a, b), {})
        return result

    return apply


def of_three(ingredients: Ingredients, floating: bool) -> Callable[..., Any]:
    """Return the operation of a rule of three arrays without options, such as `linear`."""
    rule, loop, make_node, share_storage, look_twice = ingredients

    def apply(a: Any, b: Any, c: Any, /) -> Any:
        if type(a) not in quick or type(b) not in quick or type(c) not in quick:
            return loop(a, b, c)
        x, y, z, dtype = a._array, b._array, c._array, a._array.dtype
        if (
            not (type(x) is type(y) is type(z) is ndarray)
            or y.dtype is not dtype
            or z.dtype is not dtype
            or (x is y or y is z or x is z)  # only identity says which argument a vjp captured
            or (floating and dtype.kind != "f")
        ):
            return loop(a, b, c)
        first, second, third, enabled = a._node, b._node, c._node, grad_mode.enabled
        if (a._requires_grad or a._base is not None) and enabled:
            first = edge_of(a)
        if (b._requires_grad or b._base is not None) and enabled:
            second = edge_of(b)
        if (c._requires_grad or c._base is not None) and enabled:
            third = edge_of(c)
        if not (filters := warnings.filters) or filters[0] is not silence.filter:
            be_silent()
        try:
            raw, to_first, to_second, to_third = rule(np, x, y, z)
        except Exception:
            return loop(a, b, c)
        out = raw if type(raw) is ndarray else np.asarray(raw)
        result = new(TensorClass.built)
        result._array = out
        if out.base is None:
            result._storage = Storage()
        else:
            share_storage(result, (a, b, c))
        if (
            enabled
            and (first is not None or second is not None or third is not None)
            and out.dtype.kind == "f"
            and not (rare and grad_mode.inference)
        ):
            result._node = make_node(
                (first, second, third),
                (to_first if first else None, to_second if second else None, to_third if third else None),
                out,
                (a._storage, b._storage, c._storage, result._storage),
                (id(x), id(y), id(z), id(raw)),
            )  # fmt: skip
        if rare:
            look_twice(result, (a, b, c), {})
        return result

    return apply
