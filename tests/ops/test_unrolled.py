"""What `_engine/unrolled.py` writes out is what the loop of `op` does: the same values, graph and gradients."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbmodule
from nbmodule._engine import op
from nbmodule._ops import elementwise, linalg, loss, reduce, shape


def leaf(*size, dtype=nbmodule.float32, grad=True):
    x = nbmodule.rand(*size).add(0.5).to(dtype)
    return x.requires_grad_() if grad and dtype.is_floating_point else x


def facts(t):
    """Return what can be told of a result and of its place in the graph."""
    node = t._node
    found = [t._array.dtype, t._array.shape, t._array.tobytes(), type(t), t._base is None]
    if node is None:
        return found
    edges = [edge and type(edge).__name__ for edge in node.edges]
    places = [number in node.ids[:-1] for number in node.ids]
    wanted = [vjp is None for vjp in node.vjps]
    return [*found, type(node), edges, wanted, places, len(node.storages), node.shape, node.dtype]


def gradients(operation, args, options):
    out = operation(*args, **options)
    leaves = [a for a in args if isinstance(a, nbmodule.Tensor) and a.requires_grad]
    if not out.requires_grad:
        return []
    found = nbmodule.autograd.grad(out, leaves, nbmodule.ones_like(out), allow_unused=True)
    return [g if g is None else g.numpy().tobytes() for g in found]


def agree(operation, *args, **options):
    assert operation is not operation.loop
    assert facts(operation(*args, **options)) == facts(operation.loop(*args, **options))
    assert gradients(operation, args, options) == gradients(operation.loop, args, options)


DTYPES = st.sampled_from([getattr(nbmodule, n) for n in ("float16", "float32", "float64", "int64", "uint8", "bool")])  # fmt: skip


@given(DTYPES, st.booleans())
def test_one_tensor(dtype, grad):
    x = leaf(2, 3, dtype=dtype, grad=grad)
    agree(elementwise.sqrt, x)
    agree(elementwise.exp, x)
    agree(reduce.sum, x, axes=(0,))
    agree(reduce.sum, x, axes=(0, 1))
    agree(shape.reshape, x, shape=(3, 2))
    agree(shape.reshape, x.T, shape=(6,))
    agree(shape.index, x, key=(1, ...))
    agree(elementwise.isnan, x)


@given(DTYPES, DTYPES, st.booleans(), st.booleans())
def test_two_tensors(first, second, grad, other_grad):
    x, y = leaf(2, 3, dtype=first, grad=grad), leaf(3, dtype=second, grad=other_grad)
    for operation in (elementwise.add, elementwise.mul, elementwise.div, elementwise.lt):
        agree(operation, x, y)
        agree(operation, x, x)
        agree(operation, x[0], x[1])
        agree(operation, x, x.detach())
        agree(operation, x, 2)
        agree(operation, x, 0.5)
        agree(operation, x, True)
        agree(operation, 3, x)
        agree(operation, 0.5, x)


@given(st.lists(st.booleans(), min_size=3, max_size=3))
def test_three_tensors(grads):
    b, x, w = (leaf(*s, grad=g) for s, g in zip(((4,), (2, 3), (4, 3)), grads, strict=True))
    agree(linalg.linear, b, x, w)
    agree(linalg.linear, b.double(), x.double(), w.double())
    square = leaf(2, 2)
    agree(linalg.linear, b[:2], square, square)


def test_what_may_be_left_out():
    scores, target = leaf(3, 4), np.array([0, 3, 1])
    options = {"target": target, "ignore_index": None, "reduction": "mean"}
    agree(loss.cross_entropy, scores, **options)
    agree(loss.cross_entropy, scores, leaf(4, grad=False), **options)
    without = loss.cross_entropy(scores, **options)
    assert without.item() == loss.cross_entropy(scores, None, **options).item()


@pytest.mark.parametrize("mode", [nbmodule.no_grad, nbmodule.inference_mode])
def test_where_nothing_is_recorded(mode):
    x = leaf(2, 2)
    with mode():
        for operation in (elementwise.exp, elementwise.neg):
            assert facts(operation(x)) == facts(operation.loop(x))
            assert operation(x)._storage.is_inference is operation.loop(x)._storage.is_inference
        assert facts(elementwise.mul(x, x)) == facts(elementwise.mul.loop(x, x))
        assert facts(linalg.linear(x[0], x, x)) == facts(linalg.linear.loop(x[0], x, x))


@pytest.mark.parametrize("arguments", [(leaf(2), leaf(3)), (leaf(2), "a"), (leaf(2), None)])
def test_errors(arguments):
    with pytest.raises((RuntimeError, TypeError)) as quick:
        elementwise.add(*arguments)
    with pytest.raises((RuntimeError, TypeError)) as plain:
        elementwise.add.loop(*arguments)
    assert (type(quick.value), str(quick.value)) == (type(plain.value), str(plain.value))
    assert quick.value.__suppress_context__


def test_a_filter_of_somebody_else_is_put_behind_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert elementwise.log(nbmodule.zeros(2)).tolist() == [-float("inf")] * 2
        assert elementwise.div(nbmodule.ones(1), nbmodule.zeros(1)).item() == float("inf")


def test_a_rule_with_options_of_any_name_takes_the_loop_if_it_has_two_arrays():
    @op
    def scaled_sum(xp, a, b, **options):
        return (a + b) * options["times"], lambda g: g * options["times"], lambda g: g

    assert scaled_sum is scaled_sum.loop
    assert scaled_sum(nbmodule.ones(1), nbmodule.ones(1), times=3).item() == 6.0
