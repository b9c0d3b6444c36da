"""Random numbers: the same ones as PyTorch's for the same seed.

PyTorch on the CPU draws from the Mersenne Twister. NumPy has the same twister, so repeating PyTorch's way
from raw bits to floats gives a reader the numbers that a tutorial prints after ``manual_seed(0)``.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ._backend import device as Device
from ._engine import wrap

MASK32 = 0xFFFF_FFFF
_WORDS = 624  # the length of the twister's state


class Generator:
    """A source of random numbers with a state of its own.

    Args:
        device: only "cpu" draws numbers; tensors elsewhere are filled from here and moved.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = Device(device)
        self.manual_seed(67280421310721)  # PyTorch's default seed

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`, of which the lower 32 bits count, and return the generator.

        Raises:
            ValueError: it does not fit into 64 bits.
        """
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._made_twister = None
        self._spare_normal: float | None = None
        return self

    @property
    def _twister(self) -> Any:
        """The Mersenne Twister, made when it is first needed: `numpy.random` takes a while to load."""
        if self._made_twister is None:
            self._made_twister = np.random.RandomState(self._seed & MASK32)
        return self._made_twister

    def initial_seed(self) -> int:
        """Return the seed that the generator was last started from."""
        return self._seed

    def seed(self) -> int:
        """Start again from a seed that nobody can foresee, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def get_state(self) -> Any:
        """Return the state as a uint8 tensor, for `set_state`."""
        _, words, position, *_ = self._twister.get_state(legacy=True)
        spare = math.nan if self._spare_normal is None else self._spare_normal
        numbers = np.array([position, self._seed & MASK32, self._seed >> 32], np.uint32)
        parts = (words, numbers, np.array([spare], np.float64))
        return wrap(np.concatenate([p.view(np.uint8) for p in parts]))

    def set_state(self, state: Any) -> None:
        """Go back to a state that `get_state` returned.

        Raises:
            TypeError: it is not a uint8 tensor.
            RuntimeError: it has the wrong size.
        """
        raw = getattr(state, "_array", None)
        if raw is None or raw.dtype != np.uint8:
            found = type(state).__name__
            raise TypeError(
                f"expected a nbmodule.ByteTensor, but got {found}\nIt is what get_state() or get_rng_state() "
                "returned."
            )
        if raw.size != 4 * (_WORDS + 3) + 8:
            raise RuntimeError(f"RNG state is wrong size: {raw.size} bytes")
        words = raw[: 4 * (_WORDS + 3)].copy().view(np.uint32)
        position, low, high = (int(n) for n in words[_WORDS:])
        spare = float(raw[-8:].copy().view(np.float64)[0])
        self._seed = low | high << 32
        self._twister.set_state(("MT19937", words[:_WORDS], position))
        self._spare_normal = None if math.isnan(spare) else spare

    def _bits32(self, n: int) -> np.ndarray:
        """Return `n` raw words as uint32."""
        return self._twister.randint(0, 2**32, n, np.uint32)

    def _bits64(self, n: int) -> np.ndarray:
        """Return `n` words of 64 bits, the first of each pair of raw words on top."""
        pairs = self._bits32(2 * n).astype(np.uint64)
        return (pairs[0::2] << np.uint64(32)) | pairs[1::2]

    def _uniform(self, n: int, dtype: np.dtype) -> np.ndarray:
        """Return `n` numbers in [0, 1): 53 random bits for float64, 24 for shorter types."""
        if dtype == np.float64:
            return (self._bits64(n) & np.uint64(2**53 - 1)) * 2.0**-53
        return ((self._bits32(n) & np.uint32(2**24 - 1)) * 2.0**-24).astype(dtype)

    def _bernoulli(self, n: int, p: float) -> np.ndarray:
        """Return `n` bools, each True with probability `p`."""
        return self._uniform(n, np.dtype(np.float64)) < p

    def _normal(self, n: int, dtype: np.dtype) -> np.ndarray:
        """Return `n` numbers of mean 0 and standard deviation 1, by the method of Box and Muller.

        From 16 numbers on PyTorch turns blocks of 16 uniform ones into normal ones; if some are left
        over, the last 16 are drawn again.
        """
        if n < 16:
            return np.array([self._one_normal() for _ in range(n)], np.float64).astype(dtype)
        kind = np.dtype(np.float64 if dtype == np.float64 else np.float32)
        out = self._uniform(n, kind)
        whole = n - n % 16
        out[:whole] = _box_muller(out[:whole])
        if n % 16:
            out[-16:] = _box_muller(self._uniform(16, kind))
        return out.astype(dtype, copy=False)

    def _one_normal(self) -> float:
        if self._spare_normal is not None:
            value, self._spare_normal = self._spare_normal, None
            return value
        u1, u2 = self._uniform(2, np.dtype(np.float64)).tolist()
        radius, angle = math.sqrt(-2 * math.log1p(-u2)), 2 * math.pi * u1
        self._spare_normal = radius * math.sin(angle)
        return radius * math.cos(angle)

    def _integers(self, low: int, high: int, n: int) -> np.ndarray:
        """Return `n` int64 numbers in [low, high)."""
        span = high - low
        words = self._bits32(n).astype(np.uint64) if span < 2**32 else self._bits64(n)
        return (words % np.uint64(span)).astype(np.int64) + low

    def _permutation(self, n: int) -> np.ndarray:
        """Return 0 .. n-1 in random order, int64."""
        out = list(range(n))
        draws = self._bits32(max(n - 1, 0)).tolist()
        for i, draw in enumerate(draws):
            j = i + draw % (n - i)
            out[i], out[j] = out[j], out[i]
        return np.array(out, np.int64)


def _box_muller(u: np.ndarray) -> np.ndarray:
    """Turn blocks of 16 uniform numbers into normal ones: 8 radii, 8 angles."""
    blocks = u.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
    angle = (2 * math.pi) * blocks[:, 1]
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), 1).reshape(-1)


default_generator = Generator()
"""Draws for everything that is not given a generator of its own."""
