"""Reads the samples of all parameters into flat buffers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from nbmodule_widgets.protocol import said_as_text
from nbmodule_widgets.watching.hands import Hand, Place, hand_for, known_shape, make_hand
from nbmodule_widgets.watching.sample import MOSTLY_ZEROS, UNREADABLE
from nbmodule_widgets.watching.strips import Strips, most_strips, strips


class Buffer:
    """Samples of all parameters, one behind the other.

    Attributes:
        flat: The values.
        codes: `NO_GRADIENT` or `UNREADABLE` for those parameters whose values are not there.
        places: The place of each parameter in it, sorted by the hands that read them.
    """

    def __init__(self, sampler: Sampler, flat: np.ndarray) -> None:
        self.flat = flat
        self.codes: dict[int, float] = dict.fromkeys(sampler.everything, UNREADABLE)
        self.places: list[tuple[Hand, list[Place]]] = []
        for hand, indices in sampler.hands:
            found = []
            for i in indices:
                start, plan = sampler.starts[i], sampler.plan[i]
                found.append(
                    hand.place(i, sampler.shapes[i], plan, flat[start : start + plan.size])
                )
            self.places.append((hand, found))

    def take(self, other: Buffer) -> None:
        """Copies what another buffer holds."""
        self.flat[...] = other.flat
        self.codes = dict(other.codes)


class Sampler:
    """Knows where the samples of some tensors lie, and reads them.

    Args:
        tensors: The parameters.

    Attributes:
        shapes: The size of each; `(0,)` where it is unknown.
        plan: The sample of each.
        hands: What reads them, and the indices of those that it reads.
        starts: Where each begins in a `Buffer`.
        sizes: How many values it has there, at least 1.
        share: How many values of the tensor each of them stands for; 0.0 for an empty tensor.
        dtype: Of a `Buffer`: float64 if a tensor is.
        everything: The indices of all tensors.
        stale: Whether a tensor has another size than when the plan was made.
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        self._tensors = tensors
        most = most_strips(len(tensors))
        self.everything = range(len(tensors))
        self.shapes = [known_shape(tensor) for tensor in tensors]
        self.plan: list[Strips] = [strips(shape, most) for shape in self.shapes]
        kinds = [hand_for(tensor) for tensor in tensors]
        self.hands = [
            (make_hand(kind), [i for i in self.everything if kinds[i] is kind])
            for kind in dict.fromkeys(kinds)
        ]
        sizes = [max(1, s.size) for s in self.plan]  # an empty tensor has a place too: a zero
        self.starts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)[: len(sizes)]
        self.sizes = np.array(sizes, np.float64)
        self.share = np.array([s.numel for s in self.plan]) / self.sizes
        self._suspects = set(np.flatnonzero(self.share > 1).tolist())
        wide = any("float64" in said_as_text(tensor, "dtype") for tensor in tensors)
        self.dtype = np.float64 if wide else np.float32
        self.stale = False

    def read_weights(self, into: Buffer, which: Sequence[int]) -> None:
        """Copies samples of the tensors with these indices."""
        self._read(into, which, gradients=False)

    def read_gradients(self, into: Buffer, which: Sequence[int]) -> dict[int, tuple[float, ...]]:
        """Copies samples of their gradients. A large one that may be almost all zeros is read entirely.

        Such is the gradient of an embedding, of which a batch uses a few rows: a sample would miss them.

        Returns:
            Norm, largest size and share of zeros of those that were read entirely.
        """
        self._read(into, which, gradients=True)
        return self._read_entirely(which) if self._suspects else {}

    def suspect(self, zeros: np.ndarray) -> None:
        """Decides which gradients are to be read entirely from now on.

        Args:
            zeros: The share of zeros in the newest one of each parameter.
        """
        self._suspects = set(np.flatnonzero((zeros > MOSTLY_ZEROS) & (self.share > 1)).tolist())

    def _read(self, into: Buffer, which: Sequence[int], gradients: bool) -> None:
        wanted = None if which is self.everything else set(which)
        with _no_graph():
            for hand, places in into.places:
                some = places if wanted is None else [p for p in places if p.which in wanted]
                if hand.read(some, self._tensors, into.codes, gradients):
                    self.stale = True

    def _read_entirely(self, which: Sequence[int]) -> dict[int, tuple[float, ...]]:
        found: dict[int, tuple[float, ...]] = {}
        with _no_graph():
            for hand, indices in self.hands:
                for i in self._suspects.intersection(indices, which):
                    try:
                        gradient = hand.gradient(self._tensors[i])
                        if gradient is not None:
                            found[i] = hand.whole(gradient)
                    except Exception:  # the sample has to do
                        continue
        return found


def _no_graph() -> AbstractContextManager[Any]:
    """PyTorch records nothing inside; ours never records what NumPy copies."""
    torch = sys.modules.get("torch")
    return torch.no_grad() if torch is not None else nullcontext()
