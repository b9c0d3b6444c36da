"""Rows brought to mean 0 and variance 1: what layer normalisation computes.

With ``t = x - mean`` and ``r = 1 / sqrt(var + eps)`` of each row::

    y = t * (r ⊗ weight) + bias
    dx = dy * (r ⊗ weight) - r * mean(dy * weight) - t * r**3 * mean(dy * weight * t)

The outer product of a block comes from a matrix product, which is faster than to multiply by rows and columns in turn.
"""

import math
from typing import Any

from .._backend import at_hand
from .._engine import wide
from .normalization_sums import column_sums, in_blocks, row_products, row_sums, sum_of_blocks

LARGE = 100
"""A mean of so many variances, squared: from there on its rounding is made good."""


def centred(xp, x):
    """Return ``x - mean`` of the rows of `x` (b, n), then for each row the mean, the variance and what was left.

    A mean that is large beside the spread has been rounded by more than the spread can bear: the mean of what
    is left is then taken away too. Otherwise nothing is left.
    """
    n = x.shape[1]
    mean = (row_sums(xp, x) / n).astype(x.dtype)
    t = x - mean[:, None]
    var = row_products(xp, t, t) / n
    if at_hand(x) and not (mean * mean > LARGE * var).any():
        return t, mean, var, 0
    left = (row_sums(xp, t) / n).astype(x.dtype)
    t -= left[:, None]
    return t, mean, row_products(xp, t, t) / n, left


def outer(xp, column, row):
    """Return the products of each number of `column` with each of `row`; BLAS wants two of both."""
    pairs = xp.zeros((len(column), 2), row.dtype)
    pairs[:, 0] = column
    rows = xp.zeros((2, len(row)), row.dtype)
    rows[0] = row
    return pairs @ rows


def standardised(xp, x, weight, bias, *, size: int, eps: float):
    """Return `x`, seen as rows of `size` elements, normalised, and `backward`."""
    seen = x.size // size if size else math.prod(x.shape[:-1]), size
    rows = wide(x).reshape(seen)
    own = rows.dtype

    def laid_out(parameter):
        return parameter.astype(own, copy=False).reshape(-1)

    def scale():
        return xp.ones(size, own) if weight is None else laid_out(weight)

    y = xp.empty(seen, own)
    spread, means, left = xp.empty(seen[0]), xp.empty(seen[0], own), xp.empty(seen[0], own)
    factor, term = scale(), 0 if bias is None else laid_out(bias)

    def forward(block: slice) -> None:
        t, means[block], var, left[block] = centred(xp, rows[block])
        spread[block] = 1 / xp.sqrt(var + eps)
        xp.multiply(t, outer(xp, spread[block], factor), out=y[block])
        if bias is not None:
            y[block] += term

    in_blocks(xp, forward, *seen)

    def backward(grads, wanted):
        g, rows, factor = wide(grads[0]).reshape(seen), wide(x).reshape(seen), scale()
        dx: Any = xp.empty(seen, own) if wanted[0] else None
        large = not at_hand(left) or left.any()

        def back(block: slice) -> Any:
            part, r = g[block], spread[block]
            t = rows[block] - means[block, None]
            if large:
                t -= left[block, None]
            p = part * t
            sums = xp.stack((r.astype(own) @ p, column_sums(xp, part)))
            if dx is not None:
                mean = (r / size * (part @ factor)).astype(own)
                slope = (r * r * r / size * (p @ factor)).astype(own)
                t *= slope[:, None]
                t += mean[:, None]
                d = outer(xp, r, factor)
                d *= part
                xp.subtract(d, t, out=dx[block])
            return sums

        sums = sum_of_blocks(xp, back, *seen, lambda: xp.zeros((2, size)))
        found: Any = zip((dx, *map(xp.copy, sums)), (x, weight, bias), wanted, strict=True)
        return [d.reshape(of.shape) if asked else None for d, of, asked in found]

    return (y.reshape(x.shape).astype(x.dtype, copy=False),), backward
