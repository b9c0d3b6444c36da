"""Linear layers of few rows and a large weight, whose products are made in blocks, beside the plain products."""

from __future__ import annotations

import numpy as np
import pytest

import nbmodule as t
from nbmodule._ops import linalg


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize(("out", "features"), [(513, 512), (300, 1000), (40, 7000), (16, 16)])
@pytest.mark.parametrize("rows", [0, 1, 2, 4, 7, 8, 16, 17])
def test_products_in_blocks(rows: int, out: int, features: int, kind: str) -> None:
    random = np.random.default_rng(rows)
    x, w, b, g = (
        random.integers(-3, 4, shape).astype(kind)  # sums of such numbers are exact
        for shape in ((rows, features), (out, features), (out,), (rows, out))
    )
    tensors = [t.tensor(a, requires_grad=True) for a in (x, w, b)]
    y = t.nn.functional.linear(*tensors)
    assert np.array_equal(y.detach().numpy(), x @ w.T + b)
    y.backward(t.tensor(g))
    for a, plain in zip(tensors, (g @ w, g.T @ x, g.sum(0)), strict=True):
        assert a.grad is not None
        d = a.grad.numpy()
        assert d.dtype == plain.dtype
        assert np.array_equal(d, plain)


def test_second_derivatives_of_few_rows() -> None:
    x, w = t.randn(4, 600, requires_grad=True), t.randn(500, 600, requires_grad=True)
    assert w.numel() >= linalg.LARGE
    y = t.nn.functional.linear(x, w).square().sum()
    (dx,) = t.autograd.grad(y, x, create_graph=True)
    assert dx is not None
    (second,) = t.autograd.grad(dx.sum(), x)  # 2 w^T w, summed over its rows
    plain = 2 * (w.detach().numpy() @ np.ones(600, "f4")) @ w.detach().numpy()
    assert second is not None
    assert np.allclose(second.numpy(), np.broadcast_to(plain, (4, 600)), rtol=1e-3, atol=1e-1)
