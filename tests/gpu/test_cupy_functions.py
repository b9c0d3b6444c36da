"""Functions that we make of CuPy's, beside NumPy's own."""

import numpy as np
import pytest

import nbmodule


@pytest.mark.parametrize("kind", "?bBhiqQefd")
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
def test_at(gpu, name, kind):
    """Places that are named twice get both values; NaN stays, and float64 is not rounded."""
    xp = nbmodule._backend.namespace_of[gpu.ndarray]
    draw = np.random.default_rng(0)
    target, values = draw.uniform(-4, 4, (3, 2)), draw.uniform(-4, 4, 40)
    if kind in "efd" and name in ("maximum", "minimum"):
        target[0, 0], values[[3, 9, 20]] = np.nan, (np.nan, np.inf, -0.0)
    with np.errstate(invalid="ignore"):  # negative numbers in unsigned types
        target, values = target.astype(kind), values.astype(kind)
    key = (draw.integers(0, 3, 40), draw.integers(0, 2, 40))
    found = gpu.asarray(target)
    getattr(xp, name).at(found, tuple(map(gpu.asarray, key)), gpu.asarray(values))
    with np.errstate(all="ignore"):
        getattr(np, name).at(target, key, values)
    np.testing.assert_allclose(found.get(), target, 1e-2 if kind == "e" else 1e-5)
    if name in ("maximum", "minimum"):
        np.testing.assert_array_equal(found.get(), target)
