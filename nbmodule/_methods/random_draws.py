"""Random choices with probabilities that a tensor holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._backend import to_numpy
from .._engine import TensorBase, op, renamed, wrap
from .._errors import name_of_type
from .._generator import Generator, default_generator
from .common import library

if TYPE_CHECKING:
    from .._engine.state import Tensor


@op
def drawn(xp, x, *, values):
    """`values`, drawn with the parameters `x`, to which no gradient goes."""
    return values, lambda g: xp.zeros_like(g)


class RandomDraws(TensorBase):
    """Methods that return draws."""

    def bernoulli(self, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
        """Return 1s, each drawn with the probability in its place in `self` (or with `p`), and 0s."""
        plain = wrap(self._array)
        own = plain.clone().bernoulli_(plain if p is None else p, generator=generator)
        return renamed(drawn(self, values=own._array), f"BernoulliBackward{int(p is not None)}")

    def multinomial(self, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
        """Return the indices of `num_samples` draws from each row of weights.

        Args:
            num_samples: how many to draw from each row of `self`, (N,) or (rows, N).
            replacement: whether an index can be drawn again.
            generator: draws them; the default one when left out.

        Raises:
            RuntimeError: a weight is negative or not finite, all are 0, or there are too few.
        """
        source = checked_generator("multinomial", generator)
        weights = to_numpy(self._array)
        _check_weights(weights, num_samples, replacement)
        rows = weights.reshape(-1, weights.shape[-1])
        draw = _race if not replacement or num_samples == 1 else _repeated
        found = draw(rows, num_samples, source).astype(np.int64)
        xp = library(self)
        return wrap(xp.asarray(found.reshape((*weights.shape[:-1], num_samples))))


def checked_generator(name: str, generator: Any) -> Generator:
    """Return `generator`, or the default one for None.

    Raises:
        TypeError: it is none; `name` was called with it.
    """
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(
            f"{name}(): argument 'generator' must be nbmodule.Generator, not {name_of_type(generator)}"
        )
    return generator


def _race(rows: np.ndarray, count: int, source: Generator) -> np.ndarray:
    """Return the indices that come first when each takes a random time, the shorter the heavier."""
    times = -np.log1p(-source._reals(rows.size)).reshape(rows.shape).astype(rows.dtype)
    speed = rows / times
    if count == 1:
        return speed.argmax(-1)[:, None]
    return np.argsort(-speed, axis=-1, kind="stable")[:, :count]


def _repeated(rows: np.ndarray, count: int, source: Generator) -> np.ndarray:
    """Return for each draw the place where the running sum of the weights passes it."""
    sums = np.cumsum(rows, axis=-1, dtype=rows.dtype)
    sums = sums / sums[:, -1:]
    draws = source._reals(len(rows) * count).reshape(len(rows), count)
    places = [np.searchsorted(s, d) for s, d in zip(sums, draws, strict=True)]
    return np.minimum(np.array(places).reshape(draws.shape), rows.shape[1] - 1)


def _check_weights(weights: np.ndarray, count: int, replacement: bool) -> None:
    if not 1 <= weights.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind != "f":
        kind = _dtypes.of_numpy[weights.dtype].scalar_name
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {kind}"
        )
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if replacement and count > 1:  # PyTorch goes another way, and names the first that is wrong
        wrong = weights[~(np.isfinite(weights) & (weights >= 0))]
        if wrong.size:
            what = "= infinity or NaN" if wrong[0] >= 0 else "< 0"
            raise RuntimeError(
                f"invalid multinomial distribution (encountering probability entry {what})"
            )
    elif not weights.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    elif not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (weights.sum(-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
