"""What a worker gets for its own: a copy of the dataset, as if its process had been forked.

PyTorch's workers are processes: each changes its own dataset, and nobody sees it. Workers that are threads would
write into one another's. So every worker gets a copy, which is made without running code of the dataset's class:
objects, containers and generators of random numbers are new, whatever is large or belongs to the system is shared.
An array that is an attribute and not large is new, too: it may be a buffer that `__getitem__` writes into.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import deque
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...._generator import Generator
from ...._tensor import Tensor

_ATOMS = frozenset(
    {int, float, bool, str, bytes, complex, type(None), type, FunctionType, ModuleType}
)
_LARGE = 2**20
"""Arrays of more bytes are data, which a dataset reads and does not write."""
_CONTAINERS = (dict, list, set, deque, bytearray)


def private(thing: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of `thing` for one worker; what occurs twice in it occurs twice in the copy.

    Shared are tensors and arrays, if they are large or in a container, and whatever Python's own library or a compiled one
    made: open files, locks, queues, generators.

    Args:
        thing: a dataset, a function that collates, anything within them.
        memo: the copies made so far, by the `id` of the original.
    """
    kind = type(thing)
    if kind in _ATOMS or (kind is tuple and _ATOMS.issuperset(map(type, thing))):
        return thing  # most of what long lists hold
    if isinstance(thing, (Tensor, np.ndarray)):
        return thing
    if id(thing) in memo:
        return memo[id(thing)]
    if kind is tuple:
        items = tuple(private(item, memo) for item in thing)
        new = items if any(a is not b for a, b in zip(items, thing, strict=True)) else thing
    elif kind is MethodType:
        new = MethodType(thing.__func__, private(thing.__self__, memo))
    elif kind is Generator or isinstance(thing, random.Random) or _draws_for_numpy(thing):
        new = copy.deepcopy(thing)
    elif isinstance(thing, _CONTAINERS):
        return _container(thing, memo)
    elif _is_of_the_system(kind):
        new = thing
    else:
        return _object(thing, memo)
    memo[id(thing)] = new
    return new


def _draws_for_numpy(thing: Any) -> bool:
    drawing = sys.modules.get("numpy.random")
    return drawing is not None and isinstance(thing, (drawing.Generator, drawing.RandomState))


def _is_of_the_system(kind: type) -> bool:
    """Return whether a class comes from Python's own library, or from a compiled one."""
    written_in_python = any({"__dict__", "__slots__"} & vars(base).keys() for base in kind.__mro__)
    return not written_in_python or kind.__module__.partition(".")[0] in sys.stdlib_module_names


def _container(thing: Any, memo: dict[int, Any]) -> Any:
    """Copy a dict, list or set, or what is derived from them."""
    new = memo[id(thing)] = copy.copy(thing)
    if isinstance(thing, list) and not _ATOMS.issuperset(map(type, thing)):
        list.__setitem__(new, slice(None), [private(item, memo) for item in thing])
    elif isinstance(thing, dict):
        for key, value in thing.items():
            dict.__setitem__(new, key, private(value, memo))
    if hasattr(new, "__dict__"):
        vars(new).update({name: private(value, memo) for name, value in vars(thing).items()})
    return new


def _attribute(value: Any, memo: dict[int, Any]) -> Any:
    """Copy the value of an attribute."""
    is_leaf = value.is_leaf if isinstance(value, Tensor) else type(value) is np.ndarray
    if is_leaf and id(value) not in memo and value.nbytes <= _LARGE:
        return copy.deepcopy(value, memo)
    return memo.get(id(value), value) if is_leaf else private(value, memo)


def _object(thing: Any, memo: dict[int, Any]) -> Any:
    """Copy an object by its attributes; one that Python cannot make that way is shared."""
    try:
        new = object.__new__(type(thing))
    except TypeError:
        memo[id(thing)] = thing
        return thing
    memo[id(thing)] = new
    if hasattr(thing, "__dict__"):
        vars(new).update({name: _attribute(value, memo) for name, value in vars(thing).items()})
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                object.__setattr__(new, name, _attribute(getattr(thing, name), memo))
    return new
