"""What the views ask of a library that computes: one adapter for nbmodule, one for PyTorch, one for readers' own.

Only here does anything know how a library keeps its tensors and its graph. Nothing is imported: an adapter is made when its
library has been loaded by somebody else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from nbmodule_widgets.engines.dialects import PARENTS, Dialect, Edge, ParentsDialect
from nbmodule_widgets.engines.engine import (
    DETACHING,
    PACKED,
    RETAINS,
    Engine,
    Heard,
    Memories,
    Memory,
)
from nbmodule_widgets.engines.ours import NbmoduleEngine
from nbmodule_widgets.engines.torch import TorchEngine
from nbmodule_widgets.protocol import LIBRARIES, class_attribute, of_a_library, own_dict, read

__all__ = [
    "DETACHING",
    "PACKED",
    "RETAINS",
    "Dialect",
    "Edge",
    "Engine",
    "Heard",
    "Memories",
    "Memory",
    "ParentsDialect",
    "array_of",
    "dialect_of",
    "engine_of",
    "engines",
    "is_a_library_s",
    "recording",
    "stamps_of",
]

_ADAPTERS: dict[str, type[Engine]] = {"nbmodule": NbmoduleEngine, "torch": TorchEngine}
_made: dict[str, tuple[Any, Engine]] = {}  # by name: the library, and its adapter
_loaded: tuple[tuple[Any, ...], tuple[Engine, ...]] = (
    (),
    (),
)  # all libraries at one time, and the adapters then


def engines() -> tuple[Engine, ...]:
    """The adapters of the libraries that are loaded."""
    global _loaded
    libraries = tuple(map(sys.modules.get, _ADAPTERS))
    if libraries == _loaded[0]:  # asked for each tensor of a model: to go on takes longer
        return _loaded[1]
    found, whole = [], True
    for (name, adapter), library in zip(_ADAPTERS.items(), libraries, strict=True):
        known = _made.get(name)
        if library is None:
            continue
        if known is None or known[0] is not library:
            if not isinstance(own_dict(library).get("Tensor"), type):
                whole = False
                continue  # not loaded, or only half
            known = _made[name] = library, adapter(library)
        found.append(known[1])
    if whole:
        _loaded = libraries, tuple(found)
    return tuple(found)


def engine_of(tensor: object) -> Engine | None:
    """The adapter of the library whose tensor this is; None for anything else."""
    for engine in engines():  # `next` of a generator takes longer
        if engine.is_tensor(tensor):
            return engine
    return None


def dialect_of(tensor: object) -> Dialect | None:
    """How to ask the graph of this tensor; None if the object has none."""
    engine = engine_of(tensor)
    if engine is not None:
        return engine
    own = own_dict(tensor)
    if "grad_fn" in own or class_attribute(tensor, "grad_fn") is not None:
        return Dialect()
    for name in PARENTS:
        if name in own or class_attribute(tensor, name) is not None:
            value = read(tensor, name).value
            if issubclass(type(value), (tuple, list, set, frozenset)):
                return ParentsDialect(name)
    return None


def is_a_library_s(made: Any) -> bool:
    """Whether a class or a function was written by the authors of a library, going by what it says of its home."""
    if isinstance(made, type):
        return of_a_library(made)
    said = getattr(made, "__module__", "")
    return type(said) is str and said.partition(".")[0] in LIBRARIES


def array_of(tensor: Any) -> np.ndarray | None:
    """The memory of an ordinary tensor on the CPU as an array, read without running a reader's code.

    Args:
        tensor: Anything.

    Returns:
        An array that shares the tensor's memory; None where one has to look more carefully.
    """
    kind = type(tensor)
    if kind is np.ndarray:
        return tensor
    for engine in engines():
        if kind in engine.plain:
            return engine.array(tensor)
    return None


def stamps_of(tensors: Iterable[object]) -> tuple[tuple[int, int] | None, ...]:
    """For each tensor what tells that it was written to, read without running a reader's code.

    Args:
        tensors: Anything; what is no ordinary tensor of a library that is loaded gets None.
    """
    asks = {id(kind): engine.stamp for engine in engines() for kind in engine.plain}
    return tuple([ask(t) if (ask := asks.get(id(type(t)))) else None for t in tensors])


@contextmanager
def recording(listener: Callable[[Heard], Any]) -> Iterator[Callable[[list[Any]], dict[int, Any]]]:
    """Tells of every operation of every loaded library that runs in the block.

    Args:
        listener: Called with each operation when it is done or has failed. What it returns is kept for the node that was
            recorded, the first time only.

    Yields:
        A function from live nodes to what was kept of them, by their `id`.
    """
    with ExitStack() as stack:
        recordings = [stack.enter_context(engine.recording(listener)) for engine in engines()]
        yield lambda nodes: {key: note for r in recordings for key, note in r.notes(nodes).items()}
