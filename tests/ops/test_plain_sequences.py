"""Fast forms of look-ups, draws and dropout, beside the plain form of each."""

import math

import numpy as np
import pytest

import nbmodule
from nbmodule.nn import functional as F

SIZES = [(0, 3, 2), (7, 3, 1), (80, 50, 16), (900, 1000, 40), (3000, 30, 20), (4096, 7, 9)]
"""Rows, rows of the table, and columns: added one by one, in rounds, and some of them as a sum."""


@pytest.mark.parametrize(("count", "rows", "columns"), SIZES)
def test_gradients_of_embeddings_are_added_row_by_row(count, rows, columns):
    random = np.random.default_rng(0)
    words = random.integers(rows, size=count)
    g = random.standard_normal((count, columns))
    table = nbmodule.zeros(rows, columns, dtype=nbmodule.float64, requires_grad=True)
    F.embedding(nbmodule.tensor(words), table).backward(nbmodule.tensor(g))

    expected = np.zeros((rows, columns))
    for word, row in zip(words, g, strict=True):
        expected[word] += row
    np.testing.assert_allclose(table.grad.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize(("n", "c", "h", "w"), [(1, 1, 2, 2), (2, 3, 4, 5), (3, 20, 5, 3)])
def test_grid_sample_reads_four_pixels_for_each_place(n, c, h, w):
    random = np.random.default_rng(0)
    image, grid = random.standard_normal((n, c, h, w)), random.uniform(-1.3, 1.3, (n, 6, 7, 2))
    x, at = (nbmodule.tensor(a, requires_grad=True) for a in (image, grid))
    y = F.grid_sample(x, at, align_corners=True)
    g = random.standard_normal((n, c, 6, 7))
    y.backward(nbmodule.tensor(g))

    expected, d = np.zeros((n, c, 6, 7)), np.zeros((n, c, h, w))
    for sample, i, j in np.ndindex(n, 6, 7):
        column, row = (grid[sample, i, j] + 1) / 2 * (w - 1, h - 1)
        for a, b in np.ndindex(2, 2):
            p, q = math.floor(row) + a, math.floor(column) + b
            if 0 <= p < h and 0 <= q < w:
                weight = (1 - abs(row - p)) * (1 - abs(column - q))
                expected[sample, :, i, j] += weight * image[sample, :, p, q]
                d[sample, :, p, q] += weight * g[sample, :, i, j]
    np.testing.assert_allclose(y.detach().numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(x.grad.numpy(), d, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 63, 1000])
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.3, 0.5, 1 - 2.0**-53, 1.0])
def test_a_draw_of_bools_compares_numbers_between_0_and_1(n, p):
    source, plain = nbmodule.Generator().manual_seed(3), nbmodule.Generator().manual_seed(3)
    drawn = source._bernoulli(n, p)
    np.testing.assert_array_equal(drawn, plain._uniform(n, np.dtype(np.float64)) < p)
    assert source._bits32(1) == plain._bits32(1)


def test_words_of_64_bits_are_pairs_of_raw_words():
    twister = np.random.RandomState(5)  # draws as PyTorch does
    source = nbmodule.Generator().manual_seed(5)
    for n in (1, 8, 400):
        first, second = twister.randint(0, 2**32, (n, 2), np.uint32).astype(np.uint64).T
        np.testing.assert_array_equal(source._bits64(n), (first << np.uint64(32)) | second)
        np.testing.assert_array_equal(
            source._bits32(2 * n), twister.randint(0, 2**32, 2 * n, np.uint32)
        )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dropout_multiplies_with_0_or_a_factor(dtype):
    kind = getattr(nbmodule, dtype)
    x = nbmodule.tensor([[1.0, -2.0, 0.0], [math.inf, -math.inf, math.nan]] * 20, dtype=kind)
    x.requires_grad_()
    nbmodule.manual_seed(0)
    y = F.dropout(x, 0.3)
    y.backward(nbmodule.full(y.shape, 2.0, dtype=kind))

    kept = nbmodule.Generator().manual_seed(0)._bernoulli(x.numel(), 0.7).reshape(x.shape)
    factor = kept * (np.float32(1) / np.float32(0.7) if dtype != "float64" else 1 / 0.7)
    factor = factor.astype(dtype)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(y.detach().numpy(), x.detach().numpy() * factor)
    np.testing.assert_array_equal(x.grad.numpy(), 2 * factor)
