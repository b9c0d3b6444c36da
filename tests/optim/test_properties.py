"""What is true of an optimizer whatever the numbers are."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optimizer_rows import ROWS, made, train

import nbmodule
from nbmodule.optim._muon import _zeropower_via_newtonschulz

seeds = st.integers(0, 10**6)
quick = settings(max_examples=20, deadline=None)
EACH = [pytest.param(kind, o, id=f"{kind}-{i}") for kind in ROWS for i, o in enumerate(ROWS[kind])]


def random(seed, *shape):
    generator = nbmodule.Generator().manual_seed(seed)
    return nbmodule.randn(*shape, generator=generator, dtype=nbmodule.float64)


@pytest.mark.parametrize(("kind", "options"), [e for e in EACH if "betas" not in e.values[1]])
def test_options_may_be_tensors(kind, options):
    """PyTorch takes a tensor of one element for most of them; it must never be ignored.

    Not so for betas: they are both floats or both tensors.
    """
    tensors = {
        name: nbmodule.tensor(value, dtype=nbmodule.float64) if type(value) is float else value
        for name, value in options.items()
    }
    numbers = train(nbmodule, made(nbmodule, kind, options, nbmodule.float64))
    for p, q in zip(
        numbers, train(nbmodule, made(nbmodule, kind, tensors, nbmodule.float64)), strict=True
    ):
        assert nbmodule.allclose(p, q, rtol=1e-9, atol=1e-12)


@quick
@given(seeds, st.integers(1, 6), st.sampled_from([None, "strong_wolfe"]))
def test_lbfgs_finds_the_minimum_of_a_bowl(seed, size, search):
    root = random(seed, size, size)
    steep = root @ root.T / size + nbmodule.eye(size, dtype=nbmodule.float64)
    lowest = random(seed + 1, size)
    x = nbmodule.zeros(size, dtype=nbmodule.float64, requires_grad=True)
    options = {"lr": 1.0 if search else 0.5, "max_iter": 200, "tolerance_change": 0}
    optimizer = nbmodule.optim.LBFGS([x], line_search_fn=search, **options)
    calls = []

    def closure():
        calls.append(1)
        optimizer.zero_grad()
        loss = ((x - lowest) @ steep @ (x - lowest)) / 2
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    assert nbmodule.allclose(x, lowest, atol=1e-5)
    assert len(calls) == optimizer.state[x]["func_evals"] <= 3 * 251


@quick
@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_muon_makes_all_directions_count_alike(seed, rows, columns):
    update = _zeropower_via_newtonschulz(
        random(seed, rows, columns), (3.4445, -4.775, 2.0315), 12, 1e-7
    )
    sizes = nbmodule.linalg.svdvals(update)
    assert 0.6 < sizes.min().item() <= sizes.max().item() < 1.3


@quick
@given(seeds, st.floats(1e-6, 1e6))
def test_rprop_sees_signs_only(seed, scale):
    def go(factor):
        p = nbmodule.zeros(4, dtype=nbmodule.float64)
        optimizer = nbmodule.optim.Rprop([p.requires_grad_()])
        for i in range(5):
            p.grad = random(seed + i, 4) * factor
            optimizer.step()
        return p.tolist()

    assert go(1.0) == go(scale)


@quick
@given(seeds, st.integers(0, 3))
def test_asgd_keeps_the_mean_of_the_last_parameters(seed, start):
    p = nbmodule.zeros(3, dtype=nbmodule.float64, requires_grad=True)
    optimizer = nbmodule.optim.ASGD([p], lr=0.1, t0=start)
    seen = []
    for i in range(start + 5):
        p.grad = random(seed + i, 3)
        optimizer.step()
        seen.append(p.detach().clone())
    mean = nbmodule.stack(seen[start + 1 :]).mean(0)
    assert nbmodule.allclose(optimizer.state[p]["ax"], mean, rtol=1e-5, atol=1e-7)


@quick
@given(seeds, st.integers(2, 6), st.integers(2, 6))
def test_adafactor_remembers_a_row_and_a_column(seed, rows, columns):
    """Squares that are a product of a row and a column are remembered without loss: like a vector's."""
    sizes = random(seed, rows, 1).exp() * random(seed + 1, 1, columns).exp()
    matrix = nbmodule.ones(rows, columns, dtype=nbmodule.float64, requires_grad=True)
    vector = nbmodule.ones(rows * columns, dtype=nbmodule.float64, requires_grad=True)
    for p in (matrix, vector):
        p.grad = sizes.reshape(p.shape)
        nbmodule.optim.Adafactor([p], lr=0.1).step()
    assert nbmodule.allclose(matrix.flatten(), vector)


@quick
@given(seeds)
def test_radam_starts_as_plain_momentum(seed):
    """While too few gradients were seen, a step is the unbiased mean of them times the learning rate."""
    p = nbmodule.zeros(3, dtype=nbmodule.float64, requires_grad=True)
    optimizer = nbmodule.optim.RAdam([p], lr=0.1)
    expected, weights = nbmodule.zeros(3, dtype=nbmodule.float64), 0.0
    mean = nbmodule.zeros(3, dtype=nbmodule.float64)
    for i in range(5):
        p.grad = random(seed + i, 3)
        optimizer.step()
        mean, weights = 0.9 * mean + p.grad, 0.9 * weights + 1
        expected -= 0.1 * mean / weights
    assert nbmodule.allclose(p, expected)
    assert math.isclose(optimizer.state[p]["step"].item(), 5)
