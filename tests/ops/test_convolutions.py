"""The three products of a convolution against their formula, at sizes that take each of their ways."""

import math
from itertools import product

import numpy as np
import pytest

from nbmodule._ops.conv import conv, conv_input, conv_weight

CASES = {
    "one_image": ((1, 2, 7, 6), (3, 2, 3, 2), {}),
    "many_small": ((16, 3, 9, 8), (4, 3, 3, 2), {}),
    "many_small_padded": ((9, 3, 6, 7), (4, 3, 3, 4), {"padding": (1, 2)}),
    "many_small_strided": ((20, 2, 9, 9), (3, 2, 2, 3), {"stride": (2, 3)}),
    "many_small_strided_across": ((20, 2, 9, 9), (3, 2, 2, 3), {"stride": (1, 2)}),
    "many_small_dilated_across": ((20, 2, 6, 9), (3, 2, 2, 3), {"dilation": (1, 2)}),
    "many_small_dilated": ((20, 2, 9, 6), (3, 2, 2, 3), {"dilation": (3, 1)}),
    "many_small_groups": ((20, 4, 6, 6), (6, 2, 3, 3), {"groups": 2}),
    "many_small_volumes": ((12, 2, 4, 5, 4), (3, 2, 2, 3, 2), {}),
    "many_signals": ((40, 3, 20), (4, 3, 5), {"padding": (2,)}),
    "several_pieces": ((40, 32, 12, 11), (20, 32, 3, 3), {}),
    "few_channels": ((2, 1, 30, 29), (3, 1, 5, 5), {"padding": (2, 2)}),
    "few_channels_strided": ((2, 3, 40, 41), (4, 3, 7, 5), {"stride": (3, 2)}),
    "few_channels_dilated": ((2, 2, 40, 30), (4, 2, 3, 3), {"dilation": (4, 2)}),
    "shared_rows": ((2, 8, 24, 23), (6, 8, 3, 3), {"padding": (1, 0)}),
    "shared_rows_dilated": ((2, 8, 24, 23), (6, 8, 3, 3), {"dilation": (2, 1)}),
    "long_rows": ((1, 2, 9, 150), (3, 2, 3, 3), {}),
    "by_channel": ((3, 6, 18, 17), (6, 1, 3, 3), {"padding": (1, 1), "groups": 6}),
    "several_blocks": ((2, 16, 70, 71), (4, 16, 3, 3), {"stride": (2, 1)}),
    "pointwise": ((3, 5, 8, 8), (4, 5, 1, 1), {}),
    "volumes": ((1, 3, 9, 10, 9), (4, 3, 2, 3, 3), {"stride": (1, 2, 1)}),
}  # fmt: skip


def plain(x, w, stride, padding, dilation, groups):
    """Return ``y[n, f, p] = sum over c, k of w[f, c, k] * x[n, c, stride * p + dilation * k - padding]``."""
    x = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    out = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation, strict=True)
    ]
    y = np.zeros((len(x), groups, len(w) // groups, math.prod(out)))
    filters = w.reshape(groups, -1, *w.shape[1:])
    for k in product(*map(range, w.shape[2:])):
        seen = [
            slice(d * i, d * i + s * (n - 1) + 1, s)
            for i, n, s, d in zip(k, out, stride, dilation, strict=True)
        ]
        here = x[(..., *seen)].reshape(len(x), groups, -1, math.prod(out))
        y += np.einsum("gfc,ngcp->ngfp", filters[(..., *k)], here)
    return y.reshape(len(x), len(w), *out)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_three_products_are_the_formula_and_its_adjoints(name, dtype):
    size, filters, given = CASES[name]
    axes = len(size) - 2
    where = {"stride": (1,) * axes, "padding": (0,) * axes, "dilation": (1,) * axes, "groups": 1}
    where |= given
    draw = np.random.default_rng(0).standard_normal
    x, w, v = draw(size), draw(filters), draw(filters)
    y = plain(x, w, **where)
    g, b = draw(y.shape), draw(len(w))
    narrow = [a.astype(dtype) for a in (x, w, g, b)]
    close = {"float64": 1e-11, "float32": 2e-4}[dtype]

    found = conv.inside(np, narrow[0], narrow[1], narrow[3], **where)
    shape = (-1, *(1,) * axes)
    np.testing.assert_allclose(found, y + b.reshape(shape), close, close * 10)

    # <g, conv(x, w)> = <conv_input(g, w), x> = <conv_weight(x, g), w>, in one direction after another
    to_input = conv_input.inside(np, narrow[2], narrow[1], None, size=size[2:], **where)
    to_weight = conv_weight.inside(np, narrow[0], narrow[2], kernel=filters[2:], **where)
    assert (to_input.shape, to_weight.shape) == (x.shape, w.shape)
    for other in (x, np.flip(x, 2), draw(x.shape)):
        expected = (g * plain(other, w, **where)).sum()
        np.testing.assert_allclose((to_input * other).sum(dtype="f8"), expected, close, close * 1e3)
    for other in (w, v, np.flip(w, 2)):
        expected = (g * plain(x, other, **where)).sum()
        np.testing.assert_allclose(
            (to_weight * other).sum(dtype="f8"), expected, close, close * 1e3
        )
