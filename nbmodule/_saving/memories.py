"""Which tensors of a nest share memory, so that each piece of memory is stored once and shared again.

Writing: every tensor gets a name from where it lies; then the tensors whose memory overlaps are found.
One of them holds all of that memory and is stored, or else the memory itself is, as a row of bytes. The
nodes of the others say in ``of`` where they lie: the array, and shape, strides and offset in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._backend import byte_span, to_numpy
from .._dtypes import named
from .._engine import wrap
from ..storage import bytes_of, root_of

LONGEST_NAME = 1000
"""Letters of a tensor's name in a file; names in a zip archive have two bytes for their length."""


class Misfit(ValueError):
    """The structure of a file does not fit its arrays, or is none."""


class _Entry(NamedTuple):
    """A tensor or array on its way into a file."""

    name: str
    array: np.ndarray
    node: dict
    owner: Any  # what holds the array; kept so that no other object gets its id


class Memories:
    """The tensors of a nest that is being written."""

    def __init__(self) -> None:
        self._nodes: dict[int, dict] = {}
        self._names = {"__metadata__"}  # what safetensors keeps for itself
        self._entries: list[_Entry] = []

    def add(self, tag: str, owner: Any, array: Any, path: tuple, marks: dict) -> dict:
        """Return the node of `owner`, the same for the same object; `settle` will complete it."""
        found = self._nodes.get(id(owner))
        if found is None:
            name = self._unused(".".join(str(key) for key in path) if path else "obj")
            found = self._nodes[id(owner)] = {tag: name, **marks}
            self._entries.append(_Entry(name, to_numpy(array), found, owner))
        return found

    def _unused(self, wanted: str) -> str:
        wanted = wanted.encode("utf-8", "backslashreplace").decode()  # halves of surrogate pairs
        wanted = name = wanted[:LONGEST_NAME]
        count = 1
        while name in self._names:
            count += 1
            name = f"{wanted}~{count}"
        self._names.add(name)
        return name

    def settle(self) -> dict[str, np.ndarray]:
        """Return the arrays to be stored, by name, and complete the nodes."""
        arrays: dict[str, np.ndarray] = {}
        for group in _overlapping(self._entries):
            low = min(byte_span(e.array)[0] for e in group)
            high = max(byte_span(e.array)[1] for e in group)
            home = next((e for e in group if _holds(e.array, low, high)), None)
            expanded = high - low < group[0].array.nbytes  # many elements in one place
            if home is None and (len(group) > 1 or expanded):
                self._store_bytes(arrays, group, low, high)
                continue
            home = home or group[0]
            arrays[home.name] = _contiguous(home)
            for e in group:
                if e is not home:
                    same = _same_place(e.array, home.array)
                    e.node.update({"of": home.name} | ({} if same else _where(e.array, low)))
        return arrays

    def _store_bytes(self, arrays: dict, group: list[_Entry], low: int, high: int) -> None:
        root = root_of(group[0].array)
        start = low - byte_span(root)[0]
        name = self._unused(f"{group[0].name}~memory")
        arrays[name] = np.ascontiguousarray(bytes_of(root)[start : start + high - low])
        for e in group:
            e.node.update({"of": name} | _where(e.array, low))


def _overlapping(entries: list[_Entry]) -> list[list[_Entry]]:
    """Return the entries in groups: those of one array whose spans of memory overlap, in a chain."""
    roots: dict[int, list[_Entry]] = {}
    groups: list[list[_Entry]] = []
    for e in entries:
        if e.array.size:
            roots.setdefault(id(root_of(e.array)), []).append(e)
        else:
            groups.append([e])
    for same in roots.values():
        end = -1
        for e in sorted(same, key=lambda e: byte_span(e.array)):
            low, high = byte_span(e.array)
            if low >= end:
                groups.append([])
            groups[-1].append(e)
            end = max(end, high)
    return groups


def _holds(array: np.ndarray, low: int, high: int) -> bool:
    return array.flags.c_contiguous and byte_span(array) == (low, high)


def _same_place(a: np.ndarray, b: np.ndarray) -> bool:
    same = (a.shape, a.strides, a.dtype) == (b.shape, b.strides, b.dtype)
    return same and byte_span(a) == byte_span(b)


def _where(array: np.ndarray, low: int) -> dict:
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "strides": list(array.strides),
        "offset": byte_span(array)[0] - low,
    }


def _contiguous(entry: _Entry) -> np.ndarray:
    """Return the array in the order of C; the node notes another order, such as that of a transpose."""
    array = entry.array
    if array.flags.c_contiguous:
        return array
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    if array.transpose(order).flags.c_contiguous:
        entry.node["order"] = order
    return np.ascontiguousarray(array)


class Places:
    """The arrays of a file that is being read, and the tensors made of them."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._arrays = arrays
        self._storages: dict[str, Any] = {}
        self._made: dict[str, Any] = {}
        self._used: set[str] = set()

    def once(self, name: str, node: dict, build: Callable[[Any, dict], Any]) -> Any:
        """Return the tensor of `node`, the same object for the same name."""
        if name not in self._made:
            home = node.get("of", name)
            t = wrap(self.array(name, node), self._storages.get(home))
            self._storages[home] = t._storage
            self._made[name] = build(t, node)
        return self._made[name]

    def array(self, name: str, node: dict) -> np.ndarray:
        """Return the array of `node`, on the memory that it shares.

        Raises:
            Misfit: there is no such array, or it is too small for what the node says.
        """
        home = node.get("of", name)
        if home not in self._arrays:
            raise Misfit(f"the tensor {home!r} is missing")
        self._used.add(home)
        array = self._arrays[home]
        if "order" in node:
            return _reordered(array, node["order"])
        if "shape" not in node:
            return array
        shape, strides, offset = node["shape"], node["strides"], node["offset"]
        if any(type(n) is not int or n < 0 for n in (offset, *shape, *strides)):
            raise Misfit(f"the place of the tensor {name!r} is no row of whole numbers from 0 on")
        row, dtype = array.reshape(-1).view(np.uint8), named(node["dtype"]).numpy
        # NumPy's own check takes products in 64 bits, where those of huge strides begin again at 0.
        last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        if 0 not in shape and offset + last + dtype.itemsize > row.size:
            raise Misfit(f"the tensor {name!r} lies outside of {home!r}")
        return np.ndarray(shape, dtype, row, offset, strides)

    def names(self) -> list[str]:
        """Return the names of the arrays."""
        return list(self._arrays)

    def tensors(self) -> list[Any]:
        """Return the tensors that were made."""
        return list(self._made.values())

    def check_all_used(self) -> None:
        """Refuse a file that holds more than its structure says.

        Raises:
            Misfit: an array is left over.
        """
        left = [name for name in self._arrays if name not in self._used]
        if left:
            raise Misfit(f"its structure does not mention the tensors {left[:5]}")


def _reordered(array: np.ndarray, order: list[int]) -> np.ndarray:
    """Return `array` with its memory in the order of its dimensions that `order` says."""
    stored = np.ascontiguousarray(array.transpose(order))
    return stored.transpose(np.argsort(order))
