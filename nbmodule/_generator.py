"""Random numbers: the same ones as PyTorch's for the same seed.

PyTorch on the CPU draws from the Mersenne Twister. NumPy has the same twister, so repeating PyTorch's way
from raw bits to floats gives a reader the numbers that a tutorial prints after ``manual_seed(0)``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Generator as Steps
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np

from ._ahead import LARGE, Ahead, twister_in
from ._backend import device as Device
from ._engine import wrap
from ._forks import at_fork, lock_of_process

MASK32 = 0xFFFF_FFFF
_WORDS = 624  # the length of the twister's state
_WIDE = 2**28
"""From this range on whole numbers are made of 64 bits, as in PyTorch."""
FEW = 4096
"""Below so many words `random_raw` is quicker than `integers`, which looks at its arguments for longer."""
_BLOCK = 2**16
_LOW_24, _LOW_53 = np.array(2**24 - 1, np.uint32), np.uint64(2**53 - 1)
_DOUBLE = np.dtype(np.float64)

drawing = lock_of_process()
"""Held during a whole draw, so that no two threads get the same numbers."""


def new_twister(seed: int) -> Any:
    """Return NumPy's Mersenne Twister, started from `seed` in the way of its authors, as PyTorch does."""
    bits = np.random.MT19937(0)
    np.random.RandomState(bits).seed(seed)
    return np.random.Generator(bits)


def twister_at(words: np.ndarray, position: int) -> Any:
    """Return a twister that goes on from what `Stream.words` returned."""
    return twister_in({"bit_generator": "MT19937", "state": {"key": words, "pos": position}})


def _below(twister: Any, n: int, limit: Any, out: np.ndarray | None = None) -> np.ndarray:
    """Return `n` bools, True where the lower 53 bits of two words of the twister are below `limit`, an uint64."""
    words = twister.integers(0, 2**64, n, np.uint64)
    words &= _LOW_53
    return np.less(words, limit, out=out)


def _bools(twister: Any, draw: tuple[int, Any]) -> np.ndarray:
    """Return what `_below` returns for `draw`, made block by block: the words of a block stay in the cache."""
    n, limit = draw
    found = np.empty(n, np.bool_)
    for start in range(0, n, _BLOCK):
        part = found[start : start + _BLOCK]
        _below(twister, part.size, limit, part)
    return found


_STATE = np.dtype([
    ("seed", np.uint64), ("left", np.int32), ("seeded", np.int32), ("next", np.uint64),
    ("words", np.uint64, _WORDS), ("normal_x", np.float64), ("normal_y", np.float64),
    ("normal_rho", np.float64), ("spare_valid", np.int32), ("gap", np.int32),
    ("float_spare", np.float32), ("float_spare_valid", np.int32),
])  # fmt: skip
"""The layout of a state in PyTorch."""


class Stream:
    """Where a generator stands: its seed, the twister, and a normal number left over from a pair.

    `drawn` counts the words since the seed or the state was set, and `settings` how often that was: who wants to know
    whether the stream was used need not compare states.
    """

    __slots__ = ("ahead", "drawn", "seed", "settings", "spare_normal", "twister")

    def __init__(self, seed: int) -> None:
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Start again from `seed`. The twister is made when it is first needed: `numpy.random` takes a while to load."""
        self.__setstate__((seed, None, None))

    def __getstate__(self) -> tuple[Any, ...]:
        """Return where the stream stands; the twister as the words and the position in them, None if it is untouched."""
        with drawing:
            words = None if self.twister is None else self.words()
            return self.seed, words, self.spare_normal

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        seed, words, spare_normal = state
        twister: Any = None if words is None else twister_at(*words)
        settings = getattr(self, "settings", 0) + 1
        with drawing:
            if settings > 1:
                self.ahead.forget()
            # in one line, so that no signal finds half of it
            self.seed, self.twister, self.spare_normal, self.settings, self.drawn, self.ahead = seed, twister, spare_normal, settings, 0, Ahead(_bools)  # fmt: skip

    def words(self) -> tuple[np.ndarray, int]:
        """Return the words of the twister, and how many of them were drawn."""
        with drawing:
            state = self.started().bit_generator.state["state"]
            return state["key"], state["pos"]

    def started(self) -> Any:
        """Return the twister, made if there is none yet."""
        with drawing:
            if self.twister is None:
                self.twister = new_twister(self.seed & MASK32)
            return self.twister


class Generator:
    """A source of random numbers with a state of its own.

    Args:
        device: only "cpu" draws numbers; tensors elsewhere are filled from here and moved.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
    """

    __module__ = "nbmodule"

    def __init__(self, device: Any = "cpu") -> None:
        self.device = Device(device)
        self._stream = Stream(67280421310721)  # PyTorch's default seed

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by seed and state, as PyTorch does: a copy goes on apart from this one."""
        return Generator, (self.device,), (self.initial_seed(), None, self.get_state())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.set_state(state[2])

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`, of which the lower 32 bits count, and return the generator.

        Raises:
            RuntimeError: it is no int.
            ValueError: it does not fit into 64 bits.
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        return self._restart(int(seed) % 2**64)

    def _restart(self, seed: int) -> Generator:
        self._stream.restart(seed)
        return self

    def initial_seed(self) -> int:
        """Return the seed that the generator was last started from."""
        return self._stream.seed

    def seed(self) -> int:
        """Start again from a seed that nobody can foresee, and return it."""
        return self._restart(int.from_bytes(os.urandom(8), "little")).initial_seed()

    def get_state(self) -> Any:
        """Return the state as a uint8 tensor, for `set_state`: byte by byte as PyTorch lays it out."""
        stream = self._stream
        stream.started()
        seed, (words, position), spare_normal = stream.__getstate__()
        record = np.zeros((), _STATE)
        record["seed"], record["seeded"], record["words"] = seed, 1, words
        record["left"] = _WORDS + 1 - position
        record["next"] = 0 if _untouched(seed, words, position) else position
        if spare_normal is not None:
            record["normal_y"], record["spare_valid"] = spare_normal, 1
        return wrap(np.frombuffer(record.tobytes(), np.uint8).copy())

    def set_state(self, new_state: Any) -> Generator:
        """Go back to a state that `get_state` returned, here or in PyTorch; return this generator.

        Raises:
            TypeError: it is not a uint8 tensor.
            RuntimeError: it has the wrong size.
        """
        raw = getattr(new_state, "_array", None)
        if raw is None:
            raise TypeError(f"expected a nbmodule.ByteTensor, but got {type(new_state).__name__}")
        if raw.dtype != np.uint8:
            raise TypeError("RNG state must be a nbmodule.ByteTensor")
        if raw.size != _STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but found the input RNG "
                f"state size to be {raw.size}"
            )
        record = np.frombuffer(raw.tobytes(), _STATE)[0]
        words = record["words"].astype(np.uint32), _WORDS + 1 - int(record["left"])
        spare_normal = float(record["normal_y"]) if record["spare_valid"] else None
        self._stream.__setstate__((int(record["seed"]), words, spare_normal))
        return self

    def clone_state(self) -> Generator:
        """Return a generator that goes on as this one does, and apart from it."""
        return Generator(self.device).set_state(self.get_state())

    def graphsafe_get_state(self) -> Generator:
        """Raise: only generators on a GPU can do this."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator) -> None:
        """Raise: only generators on a GPU can do this."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def get_offset(self) -> int:
        """Raise: only generators on a GPU count what they have drawn."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        """Raise: only generators on a GPU count what they have drawn."""
        raise RuntimeError("CPU Generator does not use offset")

    def _words(self, n: int) -> np.ndarray:
        """Return `n` raw words of 32 bits; a few come as uint64."""
        stream = self._stream
        with drawing:
            stream.drawn += n
            twister = stream.twister or stream.started()
            if n < FEW:
                return twister.bit_generator.random_raw(n)
            return twister.integers(0, 2**32, n, np.uint32)

    def _bits32(self, n: int) -> np.ndarray:
        """Return `n` raw words as uint32."""
        return self._words(n).astype(np.uint32, copy=False)

    def _bits64(self, n: int) -> np.ndarray:
        """Return `n` words of 64 bits, the first of each pair of raw words on top."""
        stream = self._stream
        with drawing:
            stream.drawn += 2 * n
            twister = stream.twister or stream.started()
            return twister.integers(0, 2**64, n, np.uint64)

    def _uniform(self, n: int, dtype: np.dtype) -> np.ndarray:
        """Return `n` numbers in [0, 1): 53 random bits for float64, 24 for shorter types."""
        whole, unit = self._whole(n, dtype)
        return (whole * unit).astype(dtype, copy=False)

    def _whole(self, n: int, dtype: np.dtype) -> tuple[np.ndarray, float]:
        """Return `n` whole numbers, and the unit, of which they make numbers in [0, 1) for `dtype`."""
        if dtype == _DOUBLE:
            return self._bits64(n) & _LOW_53, 2.0**-53
        words = self._words(n)
        words &= _LOW_24
        return words, 2.0**-24

    def _reals(self, n: int) -> np.ndarray:
        """Return `n` numbers in [0, 1) as float64."""
        return self._uniform(n, np.dtype(np.float64))

    def _bernoulli(self, n: int, p: float) -> np.ndarray:
        """Return `n` bools, each True with probability `p`: where a number drawn from [0, 1) is below it.

        The comparison is made in whole numbers of 53 bits.
        """
        stream, limit = self._stream, np.uint64(math.ceil(p * 2.0**53))
        with drawing:
            if n >= LARGE:
                return stream.ahead.draw(stream, (n, limit))
            stream.drawn += 2 * n
            return _below(stream.twister or stream.started(), n, limit)

    def _normal(self, n: int, dtype: np.dtype) -> np.ndarray:
        """Return `n` >= 16 numbers of mean 0 and standard deviation 1, by the method of Box and Muller.

        They are float64, or float32 for shorter types. PyTorch turns blocks of 16 uniform ones into normal ones; if some are left
        over, the last 16 are drawn again.
        """
        kind = np.dtype(np.float64 if dtype == np.float64 else np.float32)
        out, whole = np.empty(n, kind), n - n % 16
        with drawing:
            for start in range(0, whole, _BLOCK):  # so many at a time stay in the cache
                stop = min(start + _BLOCK, whole)
                out[start:stop] = _box_muller(self._uniform(stop - start, kind))
            if n % 16:
                if dtype != np.float16:
                    self._uniform(n - whole, kind)  # which PyTorch draws, and does not use
                out[-16:] = _box_muller(self._uniform(16, kind))
        return out

    def _few_normal(self, n: int) -> np.ndarray:
        """Return `n` normal numbers, drawn one after the other, float64."""
        stream, values = self._stream, []
        with drawing:
            if n and stream.spare_normal is not None:
                values, stream.spare_normal = [stream.spare_normal], None
            draws = self._reals((n - len(values) + 1) // 2 * 2).tolist()
            for u1, u2 in zip(draws[0::2], draws[1::2], strict=True):  # each pair makes a pair
                radius, angle = math.sqrt(-2 * math.log1p(-u2)), 2 * math.pi * u1
                values += [radius * math.cos(angle), radius * math.sin(angle)]
            if len(values) > n:
                stream.spare_normal = values[n]
        return np.array(values[:n], np.float64)

    def _integers(self, low: int, high: int, n: int) -> np.ndarray:
        """Return `n` int64 numbers in [low, high)."""
        span = high - low
        words = self._bits32(n).astype(np.uint64) if span < _WIDE else self._bits64(n)
        if span < 2**64:
            words = words % np.uint64(span)
        return words.view(np.int64) + low

    def _any_integers(self, n: int, dtype: np.dtype) -> np.ndarray:
        """Return `n` numbers from 0 to the largest that `dtype` holds, or holds all whole numbers up to."""
        if dtype.kind == "f":
            count = 2 ** (np.finfo(dtype).nmant + 1) + 1
        else:
            count = 2 if dtype.kind == "b" else np.iinfo(dtype).max + 1
        words = self._bits64(n) if dtype.itemsize == 8 else self._bits32(n).astype(np.uint64)
        return (words % np.uint64(count)).astype(dtype)

    def _poisson(self, rates: np.ndarray) -> np.ndarray:
        """Return for each rate a number drawn from Poisson's distribution, float64."""
        with drawing:
            return np.array([self._one_poisson(rate) for rate in rates.tolist()], np.float64)

    def _one_poisson(self, rate: float) -> float:
        if rate >= 10:
            return self._large_poisson(rate)
        if rate == 0:
            return 0.0
        limit, product, count = math.exp(-rate), 1.0, 0.0
        while True:
            product *= self._reals(1).item()
            if product <= limit:
                return count
            count += 1

    def _large_poisson(self, rate: float) -> float:
        """Return a draw by the transformed rejection of W. Hoermann (1993)."""
        root, log_rate = math.sqrt(rate), math.log(rate)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        inside = 0.9277 - 3.6224 / (b - 2)
        while True:
            u, v = self._reals(2).tolist()
            u -= 0.5
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
            if us >= 0.07 and v <= inside:
                return float(k)
            if k < 0 or (us < 0.013 and v > us):
                continue
            density = -rate + k * log_rate - math.lgamma(k + 1)
            if (
                not v
                or math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= density
            ):
                return float(k)

    def _permutation(self, n: int) -> np.ndarray:
        """Return 0 .. n-1 in random order, int64."""
        out = list(range(n))
        places = np.arange(max(n - 1, 0))
        partners = places + self._bits32(len(places)) % (n - places)
        for i, j in enumerate(partners.tolist()):
            out[i], out[j] = out[j], out[i]
        return np.array(out, np.int64)


def _untouched(seed: int, words: np.ndarray, position: int) -> bool:
    """Return whether nothing was drawn since the seed was set."""
    if position != _WORDS:
        return False
    fresh, _ = Stream(seed).words()
    return bool((fresh == words).all())


def _box_muller(u: np.ndarray) -> np.ndarray:
    """Turn blocks of 16 uniform numbers into normal ones: 8 radii, 8 angles."""
    blocks = u.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
    angle = (2 * math.pi) * blocks[:, 1]
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), 1).reshape(-1)


class _DefaultGenerator(Generator):
    """Draws from one stream for the whole program, in a worker of a data loader from the worker's own."""

    def __init__(self) -> None:
        self.device = Device("cpu")
        self._common = Stream(67280421310721)

    @property
    def _stream(self) -> Stream:  # pyright: ignore[reportIncompatibleVariableOverride]
        own = OF_THREADS.get(get_ident()) if OF_THREADS else None
        return self._common if own is None else own._stream


OF_THREADS: dict[int, Generator] = {}
"""The generators of the threads that have their own, by the number of the thread."""


def _keep_own() -> None:
    """Forget, in the child of a fork, the threads that do not exist there: a new one may get the number of one of them."""
    own = OF_THREADS.get(get_ident())
    OF_THREADS.clear()
    if own is not None:
        OF_THREADS[get_ident()] = own


at_fork(after_in_child=_keep_own)

default_generator: Generator = _DefaultGenerator()
"""Draws for everything that is not given a generator of its own."""


@contextmanager
def draws_from(generator: Generator) -> Steps[None]:
    """Let the default generator draw what `generator` draws in this thread, to the end of the block."""
    OF_THREADS[get_ident()] = generator
    try:
        yield
    finally:
        del OF_THREADS[get_ident()]
