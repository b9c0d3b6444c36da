"""What can be said about a tensor without knowing which library made it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any, Literal

import numpy as np

from nbmodule_widgets.engines import array_of
from nbmodule_widgets.facts.kinds import TensorKind
from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.words import number_text, visible
from nbmodule_widgets.protocol import (
    Outcome,
    as_text,
    attempt,
    class_attribute,
    class_name,
    drawer,
    own_dict,
    plain_text,
    read,
    set_entries,
)

_EXACT = 2**24  # values; larger tensors are described from an evenly spaced sample
_BINS = 24
_NOT_IN_NUMPY = ("bfloat16", "float8")  # types of numbers that become float32 on the way
_MOST_ALIKE = 10_000
_NO_SHAPE_YET = "no shape yet: the first forward() gives it one"
_MOST_DIMENSIONS = 64  # NumPy's limit; an endless iterator is not read to its end


# Class, shape, dtype, device, requires_grad, numel, nbytes, problem.
_Look = tuple[str, tuple[int, ...] | None, str, str, bool | None, int, int, str]


class TensorReader:
    """Reads the tensors of many modules, and remembers what is the same for all of them."""

    def __init__(self) -> None:
        self._dtypes: dict[int, tuple[object, str, int]] = {}
        self._kinds: dict[int, TensorKind | None] = {}
        self._alike: dict[tuple[Any, ...], tuple[_Look, Any, Any]] = {}

    def read(self, module: object) -> tuple[list[tuple[TensorFacts, object]], list[str]]:
        """The `(facts, object)` pairs of a module's parameters and buffers, and what was wrong."""
        pairs: list[tuple[TensorFacts, object]] = []
        problems: list[str] = []
        unsaved = _unsaved(module)
        kinds: tuple[tuple[Literal["parameter", "buffer"], str], ...] = (
            ("parameter", "_parameters"),
            ("buffer", "_buffers"),
        )
        for kind, slot in kinds:
            opened = drawer(module, slot)
            if opened.problem:
                problems.append(opened.problem)
            for key, tensor in opened.entries:
                name = key if type(key) is str else key_text(key)
                persistent = kind == "parameter" or name not in unsaved
                pairs.append((self.entry(name, kind, tensor, persistent), tensor))
        return pairs, problems

    def describe(self, tensor: object) -> TensorFacts:
        """The facts of a tensor that lies in no drawer."""
        return self.entry("", "buffer", tensor, True)

    def entry(
        self, name: str, kind: Literal["parameter", "buffer"], tensor: object, persistent: bool
    ) -> TensorFacts:
        """The facts of what lies in a drawer.

        Args:
            name: Its key.
            kind: Which drawer that is.
            tensor: The object.
            persistent: Whether `state_dict()` would save it.
        """
        if tensor is None:
            return empty_place(name, kind, persistent)
        own, shape, dtype, device, wants, numel, nbytes, problem = self._looked(tensor)
        lazy = problem == _NO_SHAPE_YET
        return TensorFacts(
            name, kind, own, shape, dtype, device, wants, persistent, numel, nbytes, -1, problem, lazy
        )  # fmt: skip

    def _looked(self, tensor: Any) -> _Look:
        """What a tensor answers; of those that answer alike only the first is described."""
        cls = type(tensor)
        if id(cls) not in self._kinds:
            self._kinds[id(cls)] = attempt(TensorKind, tensor).value
        kind = self._kinds[id(cls)]
        if kind is None:
            return self._described(tensor)
        said = attempt(kind.look, tensor)
        if said.problem:
            return self._described(tensor)
        shape, dtype, wants, device = said.value
        odd = type(shape) is not kind.shape or type(device) is not kind.device_class
        if odd or type(wants) is not bool:
            return self._described(tensor)
        both = (dtype, device) if kind.compares else (id(dtype), id(device))
        key = (id(cls), shape, wants, *both)
        known = self._alike.get(key)
        if known is None:
            if len(self._alike) >= _MOST_ALIKE:
                self._alike.clear()
            # The answers are kept, so that their ids cannot be given to others.
            known = self._alike[key] = self._described(tensor), dtype, device
        return known[0]

    def _described(self, tensor: object) -> _Look:
        """The same, asked one by one."""
        shape, problem = _shape(tensor)
        dtype, itemsize = self._dtype(tensor)
        wants = read(tensor, "requires_grad").value
        device = read(tensor, "device")
        numel = prod(shape) if shape is not None else 0
        return (
            class_name(tensor),
            shape,
            dtype,
            "" if device.problem else visible(as_text(device.value), 40),
            wants if type(wants) is bool else None,
            numel,
            numel * itemsize,
            problem,
        )

    def _dtype(self, tensor: object) -> tuple[str, int]:
        """`("float32", 4)`; asking once for each dtype, since `str(dtype)` is slow."""
        said = read(tensor, "dtype")
        if said.problem or said.value is None:
            return "", 0
        known = self._dtypes.get(id(said.value))
        if known is None:
            name = visible(as_text(said.value), 40).rpartition(".")[2]
            itemsize = read(said.value, "itemsize").value
            if type(itemsize) is not int:
                itemsize = attempt(lambda: np.dtype(name).itemsize).value or 0
            # The dtype itself is kept, so that its id cannot be given to another one.
            known = self._dtypes[id(said.value)] = (said.value, name, itemsize)
        return known[1], known[2]


def empty_place(name: str, kind: Literal["parameter", "buffer"], persistent: bool) -> TensorFacts:
    """The facts of a place that is registered but holds None, such as `bias=None`."""
    return TensorFacts(name, kind, "NoneType", None, "", "", None, persistent, 0, 0)


def key_text(key: object) -> str:
    """A key of a drawer as text: a `str` as it is, anything else as it can be shown."""
    return plain_text(key) if issubclass(type(key), str) else visible(key)


def _unsaved(module: object) -> set[str]:
    """The names of the buffers that `state_dict()` leaves out."""
    found = own_dict(module).get("_non_persistent_buffers_set")
    return {key_text(key) for key in set_entries(found)}


def _shape(tensor: object) -> tuple[tuple[int, ...] | None, str]:
    said = read(tensor, "shape")
    if said.problem and class_name(tensor).startswith("Uninitialized"):  # PyTorch's lazy Modules
        return None, _NO_SHAPE_YET
    if said.problem:
        return None, visible(f"{class_name(tensor)} has no readable shape: {said.problem}")
    shape = attempt(lambda: tuple(int(n) for n in islice(said.value, _MOST_DIMENSIONS + 1)))
    if shape.problem:
        return None, visible(f"its shape is no tuple of numbers: {shape.problem}")
    if len(shape.value) > _MOST_DIMENSIONS:
        return None, f"its shape has more than {_MOST_DIMENSIONS} dimensions"
    if not is_possible(shape.value):
        sizes = ", ".join(map(number_text, shape.value))
        return None, visible(f"its shape ({sizes}) is impossible")
    return shape.value, ""


def is_possible(shape: tuple[int, ...]) -> bool:
    """Whether a tensor can have this shape: no size is negative, and its numbers can be counted."""
    return min(shape, default=0) >= 0 and max(shape, default=0) < 2**63 and prod(shape) < 2**63


@dataclass(frozen=True, slots=True)
class TensorStatistics:
    """The numbers in a tensor, summed up. NaN and infinite values are counted and otherwise left out.

    Attributes:
        mean: Their mean.
        std: Their standard deviation (divided by n, as `numpy.std`).
        minimum: The smallest.
        maximum: The largest.
        norm: The square root of the sum of squares.
        zeros: How many are exactly zero.
        nans: How many are NaN.
        infinities: How many are infinite.
        histogram: How many fall into each of 24 bins from minimum to maximum; empty if these are too
            far apart for bins.
        sampled: `n` if only every n-th value was read, otherwise 1.
    """

    mean: float
    std: float
    minimum: float
    maximum: float
    norm: float
    zeros: int
    nans: int
    infinities: int
    histogram: tuple[int, ...]
    sampled: int


def statistics(tensor: object) -> tuple[TensorStatistics | None, str]:
    """Statistics of a tensor's values, or the reason why there are none."""
    said, step = values(tensor, _EXACT)
    numbers = attempt(as_float64, said.value)
    if said.problem or numbers.problem:
        return None, visible(said.problem or numbers.problem)
    flat = numbers.value
    finite = flat[np.isfinite(flat)]
    if finite.size == 0:
        return None, "it holds no finite number" if flat.size else "it holds no numbers"
    with np.errstate(all="ignore"):  # what overflows is said to be infinite
        return _summary(flat, finite, step), ""


def as_float64(numbers: np.ndarray) -> np.ndarray:
    """The numbers as float64, complex ones by their size."""
    return (np.abs(numbers) if np.iscomplexobj(numbers) else numbers).astype(np.float64)


def _summary(flat: np.ndarray, finite: np.ndarray, step: int) -> TensorStatistics:
    bins = attempt(lambda: [int(n) for n in np.histogram(finite, bins=_BINS)[0]])
    nans = int(np.isnan(flat).sum())
    return TensorStatistics(
        mean=float(finite.mean()),
        std=float(finite.std()),
        minimum=float(finite.min()),
        maximum=float(finite.max()),
        norm=float(np.sqrt(np.square(finite).sum() * step)),
        zeros=int((finite == 0).sum()),
        nans=nans,
        infinities=flat.size - finite.size - nans,
        histogram=tuple(bins.value or ()),
        sampled=step,
    )


def gradient(tensor: object) -> object:
    """The tensor's `.grad`, or None. Asked of leaves only: PyTorch warns about the others."""
    if read(tensor, "is_leaf").value is False:
        return None
    return read(tensor, "grad").value


def values(tensor: object, limit: int) -> tuple[Outcome, int]:
    """The numbers of a tensor as a flat NumPy array, at most about `limit` of them.

    Args:
        tensor: A tensor of any library, on any device.
        limit: If it holds more numbers, every n-th is taken.

    Returns:
        The array (or why it could not be read), and n.
    """
    array = attempt(array_of, tensor).value
    size = array.size if array is not None else prod(_shape(tensor)[0] or ())
    step = max(1, -(-size // limit))
    if array is not None:
        return Outcome(_thinned(array, step), ""), step
    return attempt(_numbers, tensor, step), step


def _numbers(tensor: Any, step: int) -> np.ndarray:
    if issubclass(type(tensor), np.ndarray):
        return _thinned(tensor, step)
    source = tensor.detach() if _can(tensor, "detach") else tensor
    refuse_freed(source)
    away = "cpu" not in str(getattr(source, "device", "cpu")).lower() and _can(source, "cpu")
    foreign = _can(source, "float") and any(kind in str(source.dtype) for kind in _NOT_IN_NUMPY)
    if step > 1 and (away or foreign):  # thin out there, so that little has to travel
        source, step = source.reshape(-1)[::step], 1
    source = source.cpu() if away else source
    source = source.float() if foreign else source
    return _thinned(_as_array(source), step)


def refuse_freed(tensor: Any) -> None:
    """Raises a ValueError for a tensor of PyTorch whose memory was given back, as FSDP does: to read it is a crash."""
    if _can(tensor, "untyped_storage"):
        held = attempt(lambda: tensor.untyped_storage().nbytes()).value
        if held == 0 and tensor.numel():
            raise ValueError("its memory was freed, so there are no numbers")


def _as_array(source: Any) -> np.ndarray:
    """The tensor's own memory as an array.

    Not by `numpy()` where it can be helped: PyTorch forbids a storage to be resized once it was seen that way.
    """
    if _can(source, "is_neg") and source.is_neg():  # a minus that is only noted is not passed on
        source = source.resolve_neg()
    shared = attempt(np.from_dlpack, source) if _can(source, "__dlpack__") else Outcome(None, "no")
    if not shared.problem:
        return shared.value
    return np.asarray(source.numpy() if _can(source, "numpy") else source)


def _thinned(array: np.ndarray, step: int) -> np.ndarray:
    """Every n-th number. An expanded array, whose rows are all the same memory, is not written out."""
    return array.reshape(-1)[::step] if array.flags.c_contiguous else array.flat[::step]


def _can(obj: object, method: str) -> bool:
    """Whether the object really has the method (a `__getattr__` may answer to any name)."""
    return class_attribute(obj, method) is not None
