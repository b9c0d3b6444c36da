"""Shapes, broadcasting, indexing and views, searched by hypothesis against NumPy."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule

settings.register_profile(
    "nbmodule", deadline=None, max_examples=60, derandomize=True, database=None
)
settings.load_profile("nbmodule")

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbered(shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float64).reshape(shape)


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4))
def test_broadcasting_and_its_undoing(found):
    a, b = (nbmodule.tensor(numbered(s) + 1, requires_grad=True) for s in found.input_shapes)
    out = a * b
    assert out.shape == found.result_shape
    out.sum().backward()
    for x, other in ((a, b), (b, a)):
        spread = np.broadcast_to(other.detach().numpy(), found.result_shape)
        lead = len(found.result_shape) - x.ndim
        axes = tuple(
            i for i, n in enumerate(found.result_shape) if i < lead or (n != x.shape[i - lead])
        )
        expected = spread.sum(axes, keepdims=True).reshape(x.shape)
        np.testing.assert_allclose(x.grad.numpy(), expected)


@given(st.data(), shapes)
def test_reading_any_index(data, shape):
    array = numbered(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    key = _forwards(key)
    x = nbmodule.tensor(array, requires_grad=True)
    out = x[key]
    np.testing.assert_array_equal(out.detach().numpy(), array[key])
    out.sum().backward()
    expected = np.zeros(shape)
    expected[key] = 1
    np.testing.assert_array_equal(x.grad.numpy(), expected)


def _forwards(key):
    """Slices that step backwards are refused, as in PyTorch."""
    parts = key if isinstance(key, tuple) else (key,)
    parts = tuple(
        slice(k.start, k.stop, abs(k.step)) if isinstance(k, slice) and k.step else k for k in parts
    )
    return parts if isinstance(key, tuple) else parts[0]


@given(st.data(), hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
def test_writing_through_any_view_is_seen_by_its_base(data, shape):
    key = _forwards(data.draw(hnp.basic_indices(shape, allow_newaxis=True)))
    array, x = numbered(shape), nbmodule.tensor(numbered(shape))
    view = x[key]
    array[key] = -1.0
    view.fill_(-1.0)
    np.testing.assert_array_equal(x.numpy(), array)
    assert x._version == view._version == 1


@given(st.data(), shapes)
def test_any_permutation_comes_back(data, shape):
    order = data.draw(st.permutations(range(len(shape))))
    x = nbmodule.tensor(numbered(shape), requires_grad=True)
    y = x.permute(*order) if order else x.permute(())
    weights = numbered(y.shape)
    (y * nbmodule.tensor(weights)).sum().backward()
    np.testing.assert_array_equal(
        x.grad.numpy(), weights.transpose(np.argsort(order)) if order else weights
    )


@given(
    hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=5), elements=st.floats(-50, 50)),
    st.data(),
)
def test_softmax_is_a_distribution(array, data):
    dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
    y = nbmodule.softmax(nbmodule.tensor(array), dim)
    np.testing.assert_allclose(y.sum(dim).numpy(), 1, rtol=1e-12)
    np.testing.assert_allclose(
        y.log().numpy(), nbmodule.log_softmax(nbmodule.tensor(array), dim).numpy(), atol=1e-9
    )


@given(
    st.integers(1, 2), st.integers(1, 3), st.integers(1, 7), st.integers(1, 7), st.integers(1, 3), st.integers(1, 3),
    st.integers(1, 3), st.integers(0, 2), st.integers(1, 2),
)  # fmt: skip
def test_conv2d_is_a_sum_over_windows(n, c, h, w, kh, kw, stride, padding, dilation):
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((n, c, h, w)), rng.standard_normal((2, c, kh, kw))
    reach = (dilation * (kh - 1) + 1, dilation * (kw - 1) + 1)
    if h + 2 * padding < reach[0] or w + 2 * padding < reach[1]:
        return
    out = nbmodule.nn.functional.conv2d(
        nbmodule.tensor(x), nbmodule.tensor(weight), None, stride, padding, dilation
    )
    framed = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(framed, reach, (2, 3))
    windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
    np.testing.assert_allclose(
        out.numpy(), np.einsum("ncijkl,fckl->nfij", windows, weight), atol=1e-12
    )
