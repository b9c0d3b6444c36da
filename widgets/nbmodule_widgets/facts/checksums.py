"""Sums over the bytes of tensors: batch norm writes its statistics past the count of writes, and so does `.data`.

A sum that differs says that something was written; an equal one says nothing, since of most tensors few numbers are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from nbmodule_widgets.engines import array_of
from nbmodule_widgets.facts.model import Nodes, Stamp
from nbmodule_widgets.protocol import attempt

_MOST = 4000  # tensors that are summed up at a look, buffers first: each takes some microseconds
_WHOLE = 4096  # numbers of a buffer that is read to its end
_SAMPLE = 64  # numbers of anything else, from one end to the other


def with_sums(
    stamps: tuple[Stamp | None, ...], tensors: Sequence[object], nodes: Nodes
) -> tuple[Stamp | None, ...]:
    """The stamps, with a sum over the bytes where they are those of a tensor in the memory of this machine.

    Args:
        stamps: For each tensor what the library tells.
        tensors: The tensors, in the order of the rows.
        nodes: The Modules that hold them.
    """
    places: dict[str, list[int]] = {"buffer": [], "parameter": []}
    kinds = [[tensor.kind for tensor in pattern.tensors] for pattern in nodes.patterns]
    for place, kind in enumerate(
        kind for number in nodes.pattern.tolist() for kind in kinds[number]
    ):
        places[kind].append(place)
    found = list(stamps)
    for number, place in enumerate((*places["buffer"], *places["parameter"])[:_MOST]):
        stamp = found[place]
        if stamp is not None:
            whole = _WHOLE if number < len(places["buffer"]) else _SAMPLE
            found[place] = (*stamp[:2], *_sum(tensors[place], whole))
    return tuple(found)


def _sum(tensor: object, whole: int) -> tuple[int, ...]:
    """A checksum of all numbers, or of 64 where there are more than `whole`; nothing where they cannot be read."""
    array = array_of(tensor)
    if array is None:
        return ()
    # An odd step does not stay in one column of a matrix.
    step = 1 if array.size <= whole else -(-array.size // _SAMPLE) | 1
    flat = array.reshape(-1) if step == 1 or array.flags.c_contiguous else array.flat
    said = attempt(lambda: crc32(np.ascontiguousarray(flat[::step]).data))
    return () if said.problem else (said.value,)
