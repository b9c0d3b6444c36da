"""How the values of a sample are copied out of tensors, for each kind of tensor.

Nothing here keeps a view of somebody else's memory: each value is copied, and the model may write to its tensors,
resize them or give them back at once. For PyTorch's tensors the copy is PyTorch's own, into a buffer of ours. That is
faster than `tensor.numpy()`, works for every device and dtype, and leaves no trace: `numpy()` forbids for ever
that the tensor's memory is resized.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.facts.tensors import TensorReader, refuse_freed, values
from nbmodule_widgets.protocol import attempt, class_attribute, read, said_as_text
from nbmodule_widgets.watching.sample import NO_GRADIENT, UNREADABLE
from nbmodule_widgets.watching.strips import Strips

_LARGEST = 2**48  # values
_WRITTEN_OUT = 2**20  # values of a sparse gradient, at most


class Place(NamedTuple):
    """Where the sample of a tensor goes, and where it comes from.

    Attributes:
        which: The parameter, by its number.
        plan: Which values are taken.
        target: What takes them, as the hand wants it.
        numel: Values in the tensor.
        size: `(runs, width)` of the strips; None if the tensor is read entirely.
        steps: Distances in memory between the strips, and between values.
    """

    which: int
    plan: Strips
    target: Any
    numel: int
    size: tuple[int, int] | None
    steps: tuple[int, int]


class OtherSizeError(ValueError):
    """The tensor has another number of values than when the sample was planned."""


class Hand:
    """For every tensor that no other hand is made for: complex, quantised, somebody's own. Slow, and may fail."""

    def place(self, index: int, shape: tuple[int, ...], plan: Strips, flat: np.ndarray) -> Place:
        """The place for a parameter of this shape in the buffer `flat`, of which this is the part for it."""
        size = (plan.runs, plan.width)
        steps = (plan.step, 1)
        target = self._target(flat, shape if plan.runs == 1 else size)
        return Place(index, plan, target, plan.numel, None if plan.runs == 1 else size, steps)

    def read(
        self,
        places: Iterable[Place],
        tensors: Sequence[Any],
        codes: dict[int, float],
        gradients: bool,
    ) -> bool:
        """Copies samples of tensors, or of their gradients.

        Args:
            places: Of which parameters, and where to.
            tensors: All parameters.
            codes: Takes down for which there was nothing to read: `NO_GRADIENT` or `UNREADABLE`.
            gradients: Whether to read the gradients.

        Returns:
            Whether one had another size than planned.
        """
        stale = False
        for place in places:
            try:
                tensor = tensors[place.which]
                tensor = self.gradient(tensor) if gradients else tensor
                if tensor is None:
                    codes[place.which] = NO_GRADIENT
                    continue
                self._copy(tensor, place)
                codes.pop(place.which, None)
            except Exception as error:
                stale = stale or type(error) is OtherSizeError
                codes[place.which] = UNREADABLE
        return stale

    def gradient(self, tensor: Any) -> Any:
        """The tensor's gradient, or None."""
        return None if read(tensor, "is_leaf").value is False else read(tensor, "grad").value

    def whole(self, tensor: Any) -> tuple[float, float, float]:
        """Euclidean norm, largest size and share of zeros of all values; may raise."""
        raise TypeError("a tensor of this kind is judged by its sample")

    def _target(self, flat: np.ndarray, shape: tuple[int, ...]) -> Any:
        return flat.reshape(shape)

    def _copy(self, tensor: Any, place: Place) -> None:
        """Takes values at even distances."""
        if prod(known_shape(tensor)) != place.numel:
            raise OtherSizeError
        count = place.plan.size
        said, _ = values(tensor, 2 * max(1, count))
        if said.problem:
            raise ValueError(said.problem)
        found = np.abs(said.value) if np.iscomplexobj(said.value) else said.value
        if found.size != count:
            found = found[np.linspace(0, found.size - 1, count).astype(np.int64)]
        place.target[...] = found.reshape(place.target.shape)


class ArrayHand(Hand):
    """For tensors that show their memory to NumPy: ours, and arrays."""

    def whole(self, tensor: Any) -> tuple[float, float, float]:
        """Euclidean norm, largest size and share of zeros of all values."""
        flat = _array(tensor).reshape(-1)
        largest = max(-float(flat.min()), float(flat.max()))
        norm = float(np.sqrt(np.square(flat, dtype=np.float64).sum()))
        return norm, largest, 1 - np.count_nonzero(flat) / flat.size

    def _copy(self, tensor: Any, place: Place) -> None:
        """Reads the memory strip by strip, whatever the shape of the tensor."""
        array = _array(tensor)
        if array.size != place.numel:
            raise OtherSizeError
        if place.size is not None:
            if not array.flags.c_contiguous:
                order = np.argsort([-step for step in array.strides], kind="stable")
                array = array.transpose(order)
            flat = array.reshape(-1)
            steps = [step * flat.itemsize for step in place.steps]
            array = np.ndarray(place.size, flat.dtype, flat, 0, steps)
        place.target[...] = np.abs(array) if array.dtype.kind == "c" else array


class TorchHand(Hand):
    """For the tensors and parameters of PyTorch, on any device. To be used under `no_grad`."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def read(
        self,
        places: Iterable[Place],
        tensors: Sequence[Any],
        codes: dict[int, float],
        gradients: bool,
    ) -> bool:
        """As for the others, but all are copied with one call: a call for each would double the time."""
        strided, stale = self._torch.as_strided, False
        indices, targets, sources = [], [], []
        for index, _, target, numel, size, steps in places:
            try:
                tensor = tensors[index].grad if gradients else tensors[index]
                if tensor is None:
                    codes[index] = NO_GRADIENT
                    continue
                if tensor.numel() != numel:
                    raise OtherSizeError
                if tensor.is_sparse and numel > _WRITTEN_OUT:
                    # So large a one is nearly all zeros, and read with `whole`.
                    tensor, size = self._torch.zeros(()), None
                elif tensor.is_sparse:
                    tensor = tensor.to_dense()
                elif numel and not tensor.untyped_storage().nbytes():
                    raise ValueError("its memory was freed, as FSDP does: reading it would crash")
                if size is not None:
                    if not tensor.is_contiguous():
                        tensor = _in_memory_order(tensor)
                    tensor = strided(tensor, size, steps)
                indices.append(index)
                targets.append(target)
                sources.append(tensor)
            except Exception as error:
                stale = stale or type(error) is OtherSizeError
                codes[index] = UNREADABLE
        failed = self._copy_all(targets, sources)
        if codes:
            for index in indices:
                codes.pop(index, None)
        codes.update((indices[place], UNREADABLE) for place in failed)
        return stale

    def gradient(self, tensor: Any) -> Any:
        """Its `.grad`: these tensors are leaves."""
        return tensor.grad

    def whole(self, tensor: Any) -> tuple[float, float, float]:
        """Euclidean norm, largest size and share of zeros of all values."""
        refuse_freed(tensor)
        given = tensor.coalesce().values() if tensor.is_sparse else tensor
        if not given.numel():
            return 0.0, 0.0, 1.0
        low, high = (float(end) for end in self._torch.aminmax(given))
        norm = float(self._torch.linalg.vector_norm(given, dtype=self._torch.float32))
        nonzero = int(self._torch.count_nonzero(given))
        return norm, max(-low, high), 1 - nonzero / tensor.numel()

    def _copy_all(self, targets: list[Any], sources: list[Any]) -> list[int]:
        """Copies, and returns the places at which that failed."""
        together = getattr(self._torch, "_foreach_copy_", None)  # what PyTorch's own optimizers use
        if not targets or (together and not attempt(together, targets, sources).problem):
            return []
        pairs = enumerate(zip(targets, sources, strict=True))
        return [place for place, (to, of) in pairs if attempt(to.copy_, of).problem]

    def _target(self, flat: np.ndarray, shape: tuple[int, ...]) -> Any:
        return self._torch.from_numpy(flat).view(shape)


def known_shape(tensor: object) -> tuple[int, ...]:
    """The sizes of a tensor; `(0,)` where it has none yet, or none that memory could hold."""
    shape = TensorReader().describe(tensor).shape
    return (0,) if shape is None or prod(shape) > _LARGEST or min(shape, default=0) < 0 else shape


def hand_for(tensor: object) -> type[Hand]:
    """The class of the hand for this tensor."""
    torch = sys.modules.get("torch")
    kind = type(tensor)
    if torch is not None and (kind is torch.Tensor or kind is torch.nn.Parameter):
        known: Any = tensor
        simple = known.is_leaf and known.layout is torch.strided and not known.is_complex()
        return TorchHand if simple else Hand
    plain = issubclass(kind, np.ndarray) or (
        said_as_text(kind, "__module__").split(".")[0] == "nbmodule"
        and "cpu" in said_as_text(tensor, "device")
        and class_attribute(tensor, "numpy") is not None
    )
    return ArrayHand if plain else Hand


def make_hand(kind: type[Hand]) -> Hand:
    """A hand of this class; PyTorch is there if there are tensors of it."""
    return kind(sys.modules["torch"]) if issubclass(kind, TorchHand) else kind()


def _array(tensor: Any) -> np.ndarray:
    return tensor if issubclass(type(tensor), np.ndarray) else tensor.detach().numpy()


def _in_memory_order(tensor: Any) -> Any:
    """The same values as they lie in memory, so that a channels-last weight need not be copied."""
    steps = tensor.stride()
    ordered = tensor.permute(sorted(range(tensor.dim()), key=lambda axis: -steps[axis]))
    return ordered if ordered.is_contiguous() else ordered.contiguous()
