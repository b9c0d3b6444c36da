"""Every check on every row of the samples table."""

import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from samples import SAMPLES, TOPICS

import nbmodule
from nbmodule._engine import Node, captured_arrays, wrap, youngest_first

RECORDS = Path(__file__).with_name("recorded")
RECORDED = {
    key: value
    for topic in TOPICS
    if (RECORDS / f"{topic}.npz").exists()  # a new topic has not been recorded yet
    for key, value in np.load(RECORDS / f"{topic}.npz", allow_pickle=False).items()
}

each = pytest.mark.parametrize("sample", SAMPLES, ids=str)
each_differentiable = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.differentiable], ids=str
)


def leaves(sample, dtype):
    return [wrap(a).requires_grad_(sample.differentiable) for a in sample.arrays(dtype)]


def test_names_are_unique():
    names = [s.name for s in SAMPLES]
    assert len(names) == len(set(names))


@each_differentiable
def test_gradients_match_finite_differences(sample):
    xs = sample.arrays("f8")
    tensors = [nbmodule.tensor(x, requires_grad=True) for x in xs]
    out = sample.call(nbmodule, *tensors)
    weights = nbmodule.tensor(np.random.default_rng(1).standard_normal(out.shape))
    (out * weights).sum().backward()
    for i, x in enumerate(xs):
        direction, h = np.random.default_rng(2 + i).standard_normal(x.shape), 1e-6

        def at(step, i=i, direction=direction):
            moved = [
                nbmodule.tensor(y + step * direction if j == i else y) for j, y in enumerate(xs)
            ]
            return (sample.call(nbmodule, *moved) * weights).sum().item()

        expected = (at(h) - at(-h)) / (2 * h)
        grad = tensors[i].grad
        found = 0.0 if grad is None else float((grad.numpy() * direction).sum())
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-7)


@each_differentiable
def test_second_derivatives_match_finite_differences(sample):
    """Differentiate a random mix of the first derivatives, along one random direction for each input."""
    xs = sample.arrays("f8")
    mix = [np.random.default_rng(50 + i).standard_normal(x.shape) for i, x in enumerate(xs)]

    def first_derivatives(arrays, recorded=False):
        tensors = [nbmodule.tensor(x, requires_grad=True) for x in arrays]
        out = sample.call(nbmodule, *tensors)
        weights = nbmodule.tensor(np.random.default_rng(1).standard_normal(out.shape))
        grads = nbmodule.autograd.grad(
            (out * weights).sum(), tensors, create_graph=recorded, allow_unused=True
        )
        mixed = [
            (g * nbmodule.tensor(m)).sum() for g, m in zip(grads, mix, strict=True) if g is not None
        ]
        return tensors, sum(mixed[1:], mixed[0])

    tensors, total = first_derivatives(xs, recorded=True)
    seconds = [None] * len(xs)
    if total.requires_grad:
        seconds = nbmodule.autograd.grad(total, tensors, allow_unused=True)
    for i, (x, second) in enumerate(zip(xs, seconds, strict=True)):
        direction, h = np.random.default_rng(2 + i).standard_normal(x.shape), 1e-6

        def at(step, i=i, direction=direction):
            moved = [y + step * direction if j == i else y for j, y in enumerate(xs)]
            return first_derivatives(moved)[1].item()

        expected = (at(h) - at(-h)) / (2 * h)
        found = 0.0 if second is None else float((second.numpy() * direction).sum())
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)


@each_differentiable
def test_vjps_are_linear(sample):
    """Products with the Jacobian and the Hessian rest on that: both differentiate vjps by the gradient, at 0."""
    xs = [nbmodule.tensor(x, requires_grad=True) for x in sample.arrays("f8")]
    rng = np.random.default_rng(3)
    direction = [nbmodule.tensor(rng.standard_normal(x.shape)) for x in xs]
    out = sample.call(nbmodule, *xs)
    one, two = (nbmodule.tensor(rng.standard_normal(out.shape)) for _ in range(2))

    def vjp(of, g=None, create=False):
        """Return ``g^T J`` of `of`, and the product of that with the direction."""
        if not of.requires_grad:
            return [nbmodule.zeros_like(x) for x in xs], nbmodule.zeros(())
        options = {"retain_graph": True, "create_graph": create, "materialize_grads": True}
        rows = nbmodule.autograd.grad(of, xs, g, **options)
        return rows, sum((r * d).sum() for r, d in zip(rows, direction, strict=True))

    def assert_close(found, expected):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a.detach(), b.detach(), rtol=1e-8, atol=1e-8)

    mixed = [2 * a - 3 * b for a, b in zip(vjp(out, one)[0], vjp(out, two)[0], strict=True)]
    assert_close(vjp(out, 2 * one - 3 * two)[0], mixed)
    zero = nbmodule.zeros_like(out, requires_grad=True)
    rows, product = vjp(out, zero, create=True)
    assert not any(row.any() for row in rows)
    if product.requires_grad:
        (jvp,) = nbmodule.autograd.grad(product, zero, create_graph=True, materialize_grads=True)
        along = (jvp * one).sum()
        expected = vjp(out, one, create=True)[1]
        assert_close([along], [expected])
        assert_close(vjp(along)[0], vjp(expected)[0])


@each_differentiable
def test_what_is_saved_can_be_packed(sample):
    """Derivatives come from what is unpacked, those of higher order too; the graph keeps no array of its own."""

    def derivatives(context):
        xs = [nbmodule.tensor(x, requires_grad=True) for x in sample.arrays("f8")]
        with context:
            out = sample.call(nbmodule, *xs)
        weights = nbmodule.tensor(np.random.default_rng(1).standard_normal(out.shape))
        options = {"create_graph": True, "materialize_grads": True}
        first = nbmodule.autograd.grad(out, xs, weights, **options)
        total = sum((g * g).sum() for g in first)
        assert isinstance(context, nullcontext) or not any(map(large_arrays, nodes_of(out)))
        if not total.requires_grad:
            return first
        return [*first, *nbmodule.autograd.grad(total, xs, materialize_grads=True)]

    hooks = nbmodule.autograd.graph.saved_tensors_hooks(
        lambda t: t.detach().numpy().copy(), lambda array: nbmodule.from_numpy(array.copy())
    )
    for found, expected in zip(derivatives(hooks), derivatives(nullcontext()), strict=True):
        np.testing.assert_allclose(found.detach(), expected.detach(), rtol=1e-9, atol=1e-12)


def nodes_of(out):
    return [] if out.grad_fn is None else youngest_first(out._node)


def large_arrays(node):
    """Return what the vjps of `node` still hold, but for masks, indices, and sums of channels."""
    held = [a for vjp in Node.vjps.__get__(node) for a in captured_arrays(vjp)]
    assert not node.packs or {*node.ids} <= {0, *map(id, held)}  # what is freed leaves no number
    sums = (n for n in (a.size for a in held if a.dtype.kind == "f") if n > 1)
    return [] if "Norm" in node.name() else list(sums)


@each
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_types_are_kept(sample, dtype):
    tensors = leaves(sample, dtype)
    out = sample.call(nbmodule, *tensors)
    if sample.differentiable:
        assert out.numpy(force=True).dtype == dtype
        out.sum().backward()
        assert {t.grad.numpy().dtype for t in tensors if t.grad is not None} <= {np.dtype(dtype)}


@each_differentiable
def test_gradients_share_no_memory(sample):
    tensors = leaves(sample, "f4")
    out = sample.call(nbmodule, *tensors)
    out.backward(nbmodule.ones_like(out))
    held = [t._array for t in tensors] + [t._grad._array for t in tensors if t._grad is not None]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(held) for b in held[:i])


@each
def test_nothing_is_recorded_under_no_grad(sample):
    with nbmodule.no_grad():
        out = sample.call(nbmodule, *leaves(sample, "f4"))
    assert out.grad_fn is None
    if not out._is_view() and sample.name != "dropout_eval":  # it returns the leaf itself
        assert not out.requires_grad  # a view requires grad if its base does, as in PyTorch


@each
def test_values_and_gradients_are_those_recorded_from_torch(sample):
    compare(
        run(nbmodule, sample, nbmodule.tensor),
        {k: v for k, v in RECORDED.items() if k.split("/")[0] == sample.name},
    )


@each
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")  # PyTorch's own remarks
def test_the_record_is_what_torch_does(sample):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    compare(
        run(torch, sample, torch.tensor),
        {k: v for k, v in RECORDED.items() if k.split("/")[0] == sample.name},
    )


def run(library, sample, tensor):
    """Return values and gradients in float64, by name."""
    tensors = [tensor(a, requires_grad=sample.differentiable) for a in sample.arrays("f8")]
    out = sample.call(library, *tensors)
    found = {f"{sample.name}/out": out.detach().numpy()}
    if sample.differentiable:
        weights = np.random.default_rng(1).standard_normal(tuple(out.shape))
        out.backward(tensor(weights))
        found |= {
            f"{sample.name}/grad{i}": t.grad.numpy()
            for i, t in enumerate(tensors)
            if t.grad is not None
        }
    return found


def compare(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].shape == value.shape
        assert found[name].dtype == value.dtype
        np.testing.assert_allclose(found[name], value, rtol=1e-10, atol=1e-12, err_msg=name)


def record(*asked):
    """Write the records of the topics `asked` anew, or all. Needs torch: see CONTRIBUTING.md."""
    import torch

    for topic in asked or TOPICS:
        found = {}
        for sample in TOPICS[topic]:
            found |= run(torch, sample, torch.tensor)
        np.savez_compressed(RECORDS / f"{topic}.npz", **found)


if __name__ == "__main__":
    record(*sys.argv[1:])
