"""The gradient of a bias is computed as a product with ones: here beside the plain sum."""

import numpy as np
import pytest

from nbmodule._engine import sum_of_rows


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(1, 1), (0, 3), (3, 0), (32, 10), (300, 7), (5, 4, 3), (9,)])
@pytest.mark.parametrize("turned", [False, True])
def test_sum_of_rows_is_the_sum_along_the_first_axis(dtype, shape, turned):
    rng = np.random.default_rng(0)
    g = rng.integers(-9, 9, shape).astype(
        dtype
    )  # whole numbers: every order of adding gives the same
    g = g.T if turned else g
    found = sum_of_rows(g)
    np.testing.assert_array_equal(found, np.add.reduce(g, 0))
    assert np.shape(found) == g.shape[1:]
    assert found.dtype == g.dtype


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_sum_of_rows_passes_on_what_is_not_finite(value):
    g = np.ones((4, 3), "float32")
    g[2, 1] = value
    np.testing.assert_array_equal(sum_of_rows(g), g.sum(0))
