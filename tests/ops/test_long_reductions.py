"""Reductions of many numbers lose no more digits than PyTorch's: each is compared with itself in float64.

`ERRORS` holds the largest error that PyTorch makes in a row, in units of the last place: over all shapes and samples, results and gradients.
``python tests/ops/test_long_reductions.py`` measures them again, where PyTorch is installed.
"""

import functools
import math
import warnings

import numpy as np
import pytest

import nbmodule

EPSILON = {"float32": 2.0**-23, "float16": 2.0**-10}

PLACES = [((10**5,), 0), ((30000, 3), 0), ((3, 12000, 3), 1), ((300, 7, 5, 5), (0, 2, 3))]
"""Shapes, and the dimensions that are folded away."""

SAMPLES = {
    "equal": lambda rng, shape: np.full(shape, 0.1),
    "positive": lambda rng, shape: rng.random(shape),
    "far": lambda rng, shape: 1000 + rng.standard_normal(shape),
    "huge": lambda rng, shape: 1e18 * (1 + rng.random(shape)),
    "tiny": lambda rng, shape: 1e-24 * (1 + rng.random(shape)),
}


def along(name, **options):
    return lambda t, x, dim: getattr(t, name)(x, dim=dim, **options)


def p_norm(p):
    return lambda t, x, dim: t.linalg.vector_norm(x, p, dim)


SUMS, SPREADS = ("sum", "mean", "nansum", "nanmean"), ("std", "var", "std_mean", "var_mean")
SEVERAL = {
    **{name: along(name) for name in (*SUMS, "std", "var", "logsumexp")},
    "std_mean": lambda t, x, dim: t.stack(t.std_mean(x, dim)),
    "var_mean": lambda t, x, dim: t.stack(t.var_mean(x, dim)),
    **{f"norm {p}": p_norm(p) for p in (1, 2, 3, math.inf)},
    "norm": lambda t, x, dim: t.norm(x, 2, dim),
}  # fmt: skip
ONE = {name: along(name) for name in ("softmax", "log_softmax", "cumsum", "logcumsumexp", "trapezoid", "cumulative_trapezoid")}  # fmt: skip
PRODUCTS = {name: along(name) for name in ("prod", "cumprod")}


def of_matrix(function):
    """Return a row that is computed of a tall matrix alone."""
    return lambda t, x, dim: function(t, x, t.nn.functional, t.arange(len(x)) % 5)


MATRIX = {
    "batch_norm": lambda t, x, F, five: F.batch_norm(x, None, None, training=True),
    "layer_norm": lambda t, x, F, five: F.layer_norm(x.mT, (len(x),)),
    "group_norm": lambda t, x, F, five: F.group_norm(x.mT.unsqueeze(0), 1),
    "mse_loss": lambda t, x, F, five: F.mse_loss(x, x.detach() * 0.5),
    "l1_loss": lambda t, x, F, five: F.l1_loss(x, x.detach() * 0.5),
    "cross_entropy": lambda t, x, F, five: F.cross_entropy(x, five % 3),
    "cross_entropy of shares": lambda t, x, F, five: F.cross_entropy(x, x.detach()),
    "index_add": lambda t, x, F, five: t.zeros(5, 3, dtype=x.dtype).index_add(0, five, x),
    "scatter_add": lambda t, x, F, five: t.zeros(5, 3, dtype=x.dtype).scatter_add(0, five.unsqueeze(1).expand(-1, 3), x),
    "embedding": lambda t, x, F, five: F.embedding(five, x[:5]),
    "gather": lambda t, x, F, five: x[:5].gather(0, five.unsqueeze(1).expand(-1, 3)),
    "bias": lambda t, x, F, five: F.linear(x.detach(), x.detach()[:3], x[0]),
    "factor": lambda t, x, F, five: x.detach() * x[0],
    "repeat": lambda t, x, F, five: x[:2].repeat(len(x) // 2, 1),
    "repeat_interleave": lambda t, x, F, five: x[:2].repeat_interleave(len(x) // 2, 0) * x.detach(),
    "rms_norm": lambda t, x, F, five: F.rms_norm(x.mT, (len(x),)),
    "normalize": lambda t, x, F, five: F.normalize(x, dim=0),
    "einsum": lambda t, x, F, five: t.einsum("ij->j", x),
}  # fmt: skip

ROWS = {**SEVERAL, **ONE, **PRODUCTS, **{name: of_matrix(row) for name, row in MATRIX.items()}}


def places(name):
    """Return the shapes that a row is tried with."""
    if name in MATRIX:
        return PLACES[1:2]
    return PLACES if name in SEVERAL else [p for p in PLACES if isinstance(p[1], int)]


FLOOR, CEILING = 8, 500
"""So many units are forgiven; from so many on, PyTorch's error is no measure."""

ERRORS = {
    "sum": (3.6, 0.34), "mean": (3.7, 0.46), "nansum": (3.6, 2), "nanmean": (3.7, 2.3), "std": (3, 0.88),
    "var": (3.1, 0.74), "logsumexp": (9.1, 500), "std_mean": (2, 1.2), "var_mean": (1.7, 1.2), "norm 1": (500, 0.34),
    "norm 2": (2.8e+02, 0.94), "norm 3": (500, 1.2), "norm inf": (0, 0.37), "norm": (2.8e+02, 0.94), "softmax": (88, 0.71),
    "log_softmax": (46, 500), "cumsum": (0.41, 1.2), "logcumsumexp": (1, 1.3), "trapezoid": (1, 0.46), "cumulative_trapezoid": (0.41, 1.2),
    "prod": (67, 500), "cumprod": (0.92, 0.74), "batch_norm": (1.9e+02, 1.8), "layer_norm": (31, 1.8), "group_norm": (16, 0.55),
    "mse_loss": (0.89, 0.52), "l1_loss": (0.22, 0.26), "cross_entropy": (1.1, 0.68), "cross_entropy of shares": (4.5, 1.2), "index_add": (25, 0.33),
    "scatter_add": (25, 0.33), "embedding": (0, 3.3e+02), "gather": (0, 0.34), "bias": (0.78, 0.38), "factor": (0.48, 0.26),
    "repeat": (0, 0.2), "normalize": (92, 1.2), "einsum": (0.14, 0.2), "repeat_interleave": (0.61, 0.26), "rms_norm": (5.3, 0.38),
}  # fmt: skip


def results(t, row, x):
    """Return what `row` makes of `x`, and the gradient of `x`."""
    x = t.tensor(x).requires_grad_()
    y = row(t, x)
    weights = np.random.default_rng(2).integers(1, 4, tuple(y.shape)) / 64
    y.backward(t.tensor(weights, dtype=y.dtype))
    return [np.asarray(a.detach().numpy(), "f8") for a in (y, x.grad)]


def error(found, expected, dtype):
    """Return by how many units in the last place `found` is off; it has to overflow where `expected` does not fit."""
    with np.errstate(over="ignore", invalid="ignore"):
        expected = np.where(np.isfinite(expected.astype(dtype)), expected, expected.astype(dtype))
        largest = np.abs(expected).max(
            where=np.isfinite(expected), initial=np.finfo(dtype).smallest_normal
        )
        off = np.where(found == expected, 0, np.abs(found - expected) / largest / EPSILON[dtype])
    return float(np.nan_to_num(off, nan=np.inf).max())


def samples_of(name, dtype):
    """Return the names of the samples that suit a row; float16 has no room for the later ones."""
    if name in MATRIX or name in PRODUCTS:
        return ["positive"]
    kinds = (
        list(SAMPLES) if name in SUMS + SPREADS and dtype == "float32" else ["equal", "positive"]
    )
    # what is equal has no spread: its rounding is all there is
    return kinds[1:] if name in SPREADS else kinds


def tries(name, dtype):
    """Return samples, and the dimensions that are folded away."""
    for number, (shape, dim) in enumerate(places(name)):
        kinds = samples_of(name, dtype)
        for kind in kinds if number < 2 else kinds[:2]:
            rng = np.random.default_rng(1)
            x = SAMPLES[kind](rng, shape) if name not in PRODUCTS else 1 + 1e-3 * rng.standard_normal(shape)  # fmt: skip
            yield kind, x.astype(dtype), dim


def largest_error(t, name, dtype):
    """Return the largest error of `t` in the row `name`; gradients are looked at where they are well defined."""
    worst = 0.0
    for kind, x, dim in tries(name, dtype):
        row = functools.partial(ROWS[name], dim=dim)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs = zip(results(t, row, x), results(t, row, x.astype("f8")), strict=True)
        errors = [error(a, b, dtype) for a, b in pairs]
        worst = max(worst, *(errors if kind == "positive" else errors[:1]))
    return worst


@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("name", ROWS)
def test_no_more_digits_are_lost_than_in_pytorch(name, dtype):
    known = ERRORS[name][dtype == "float16"]
    allowed = 4 * known if known < CEILING else FLOOR  # PyTorch's own may overflow
    assert largest_error(nbmodule, name, dtype) <= max(allowed, FLOOR)


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    for name in ROWS:
        errors = (min(largest_error(torch, name, dtype), CEILING) for dtype in EPSILON)
        print(f'    "{name}": ({", ".join(f"{e:.2g}" for e in errors)}),')
