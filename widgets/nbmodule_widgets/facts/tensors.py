"""What can be said about a tensor without knowing which library made it."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np

from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import Outcome, attempt, class_name, drawer, own_dict, read

_EXACT = 2**24  # values; larger tensors are described from an evenly spaced sample
_BINS = 24


class TensorReader:
    """Reads the tensors of many modules, and remembers what is the same for all of them."""

    def __init__(self) -> None:
        self.first_rows: dict[int, int] = {}  # identity of a tensor -> row of its first place
        self._dtypes: dict[int, tuple[object, str, int]] = {}

    def read(self, module: object) -> tuple[list[tuple[TensorFacts, object]], list[str]]:
        """The `(facts, object)` pairs of a module's parameters and buffers, and what was wrong."""
        pairs: list[tuple[TensorFacts, object]] = []
        problems: list[str] = []
        unsaved = own_dict(module).get("_non_persistent_buffers_set")
        unsaved = unsaved if issubclass(type(unsaved), set) else set()
        kinds: tuple[tuple[Literal["parameter", "buffer"], str], ...] = (
            ("parameter", "_parameters"),
            ("buffer", "_buffers"),
        )
        for kind, slot in kinds:
            opened = drawer(module, slot)
            if opened.problem:
                problems.append(opened.problem)
            for key, tensor in opened.entries:
                persistent = kind == "parameter" or key not in unsaved
                name = key if type(key) is str else visible(key)
                pairs.append((self._facts(name, kind, tensor, persistent), tensor))
        return pairs, problems

    def describe(self, tensor: object) -> TensorFacts:
        """The facts of a tensor that lies in no drawer."""
        return self._facts("", "buffer", tensor, True)

    def _facts(
        self, name: str, kind: Literal["parameter", "buffer"], tensor: object, persistent: bool
    ) -> TensorFacts:
        if tensor is None:
            return TensorFacts(name, kind, "NoneType", None, "", "", None, persistent, 0, 0)
        shape, problem = _shape(tensor)
        dtype, itemsize = self._dtype(tensor)
        wants = read(tensor, "requires_grad").value
        device = read(tensor, "device")
        numel = prod(shape) if shape is not None else 0
        return TensorFacts(
            name=name,
            kind=kind,
            class_name=class_name(tensor),
            shape=shape,
            dtype=dtype,
            device="" if device.problem else visible(attempt(str, device.value).value or "", 40),
            requires_grad=wants if type(wants) is bool else None,
            persistent=persistent,
            numel=numel,
            nbytes=numel * itemsize,
            problem=problem,
        )

    def _dtype(self, tensor: object) -> tuple[str, int]:
        """`("float32", 4)`; asking once for each dtype, since `str(dtype)` is slow."""
        said = read(tensor, "dtype")
        if said.problem or said.value is None:
            return "", 0
        known = self._dtypes.get(id(said.value))
        if known is None:
            name = visible(attempt(str, said.value).value or "", 40).rpartition(".")[2]
            itemsize = read(said.value, "itemsize").value
            if type(itemsize) is not int:
                itemsize = attempt(lambda: np.dtype(name).itemsize).value or 0
            # The dtype itself is kept, so that its id cannot be given to another one.
            known = self._dtypes[id(said.value)] = (said.value, name, itemsize)
        return known[1], known[2]


def _shape(tensor: object) -> tuple[tuple[int, ...] | None, str]:
    said = read(tensor, "shape")
    if said.problem:
        return None, visible(f"{class_name(tensor)} has no readable shape: {said.problem}")
    if issubclass(type(said.value), tuple) and all(type(n) is int for n in said.value):
        return tuple(said.value), ""
    shape = attempt(lambda: tuple(int(n) for n in said.value))
    return shape.value, visible(
        f"its shape is no tuple of numbers: {shape.problem}" if shape.problem else ""
    )


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
        histogram: How many fall into each of 24 bins from minimum to maximum.
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
    if said.problem:
        return None, visible(said.problem)
    numbers = attempt(lambda: np.abs(said.value) if np.iscomplexobj(said.value) else said.value)
    numbers = attempt(lambda: numbers.value.astype(np.float64))
    if numbers.problem:
        return None, visible(numbers.problem)
    flat = numbers.value
    finite = flat[np.isfinite(flat)]
    if finite.size == 0:
        return None, "it holds no finite number" if flat.size else "it holds no numbers"
    bins, _ = np.histogram(finite, bins=_BINS)
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
        histogram=tuple(int(n) for n in bins),
        sampled=step,
    ), ""


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
    size = attempt(lambda: prod(int(n) for n in tensor.shape))  # type: ignore[attr-defined]
    step = max(1, -(-(size.value or 0) // limit))
    return attempt(_numbers, tensor, step), step


def _numbers(tensor: Any, step: int) -> np.ndarray:
    if isinstance(tensor, np.ndarray):
        return tensor.reshape(-1)[::step]
    source = tensor.detach() if _can(tensor, "detach") else tensor
    if "cpu" not in str(getattr(source, "device", "cpu")).lower() and _can(source, "cpu"):
        if step > 1:  # thin out there, so that little has to travel
            source, step = source.reshape(-1)[::step], 1
        source = source.cpu()
    if "bfloat16" in str(source.dtype) and _can(source, "float"):
        source = source.float()  # NumPy has no such type
    array = source.numpy() if _can(source, "numpy") else np.asarray(source)
    return np.asarray(array).reshape(-1)[::step]


def _can(obj: object, method: str) -> bool:
    """Whether the object really has the method (a `__getattr__` may answer to any name)."""
    return hasattr(type(obj), method)
