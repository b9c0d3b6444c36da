"""Shapes, broadcasting, indexing and views, searched by hypothesis against NumPy."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule

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


# ---- programs of views and writes

SAFE = ("add_", "sub_", "copy_", "double_", "zero_")  # their derivatives need no values
RISKY = ("mul_", "exp_", "sin_", "tanh_")
SIZE = 3


class Programs:
    """A program run twice: on tensors, and on complex arrays of NumPy whose imaginary part is a derivative.

    NumPy's views and writes are the reference for ours, and an imaginary part of 1e-30 goes through
    every formula as an exact derivative (the "complex step"). What is not recorded changes real parts only.
    """

    STEP = 1e-30

    def __init__(self, leaves, direction):
        self.leaves = [nbmodule.tensor(x, requires_grad=True) for x in leaves]
        arrays = [x + 1j * self.STEP * d for x, d in zip(leaves, direction, strict=True)]
        self.tensors = [x * 1 for x in self.leaves] + [
            nbmodule.zeros(2, SIZE, dtype=nbmodule.float64)
        ]
        self.arrays = [x * 1 for x in arrays] + [np.zeros((2, SIZE), complex)]

    def view(self, draw, i):
        t, array = self.tensors[i], self.arrays[i]
        kind = draw(st.sampled_from(tuple(VIEWS)))
        if kind in NEEDS_DIMENSIONS and array.ndim < NEEDS_DIMENSIONS[kind]:
            return
        n = draw(st.integers(0, max(0, (array.shape or (1,))[0] - 1)))
        as_tensor, as_array = VIEWS[kind]
        self.tensors.append(as_tensor(t, n))
        self.arrays.append(as_array(array, n))

    def new(self, draw, i):
        other = self.arrays[draw(st.integers(0, len(self.arrays) - 1))]
        j = next(n for n, a in enumerate(self.arrays) if a is other)
        if not broadcastable(self.arrays[i].shape, other.shape):
            j = i
        kind = draw(st.sampled_from(("mul", "add", "exp", "alone", "quiet")))
        t, u, a, b = self.tensors[i], self.tensors[j], self.arrays[i], self.arrays[j]
        if kind == "mul":
            made = t * u, a * b
        elif kind == "add":
            made = t + u, a + b
        elif kind == "exp":
            made = t.sin(), np.sin(a)
        elif kind == "alone":
            made = t.detach().clone(), a.real + 0j
        else:
            with nbmodule.no_grad():
                made = t * 2, 2 * a.real + 0j
        self.tensors.append(made[0])
        self.arrays.append(np.asarray(made[1]))

    def write(self, draw, i, kinds):
        array, t = self.arrays[i], self.tensors[i]
        j = draw(st.integers(0, len(self.arrays) - 1))
        kind = draw(st.sampled_from(kinds))
        if (
            not array.flags.writeable
            or broadcastable(array.shape, self.arrays[j].shape) != array.shape
        ):
            return
        quiet = draw(st.integers(0, 9)) == 0
        try:
            with nbmodule.set_grad_enabled(not quiet):
                WRITES[kind][0](t, self.tensors[j])
        except RuntimeError as error:
            if "unsupported operation" not in str(error):  # memory that overlaps in part
                raise
            return
        value = WRITES[kind][1](array.copy(), self.arrays[j])
        if quiet:
            array.real[...] = np.asarray(value).real
        else:
            array[...] = value

    def check_values(self):
        for t, array in zip(self.tensors, self.arrays, strict=True):
            np.testing.assert_allclose(t.detach().numpy(), array.real, rtol=1e-9, atol=1e-12)

    def loss(self):
        ours = sum((t * t).sum() * (i + 1) for i, t in enumerate(self.tensors))
        theirs = sum((a * a).sum() * (i + 1) for i, a in enumerate(self.arrays))
        return ours, theirs.imag / self.STEP


VIEWS = {
    "select": (lambda t, n: t[n], lambda a, n: a[n, ...]),
    "last": (lambda t, n: t.select(-1, 0), lambda a, n: a[..., 0]),
    "slice": (lambda t, n: t[n:], lambda a, n: a[n:]),
    "step": (lambda t, n: t[::2], lambda a, n: a[::2]),
    "transpose": (lambda t, n: t.transpose(0, 1), lambda a, n: a.swapaxes(0, 1)),
    "diagonal": (lambda t, n: t.diagonal(), lambda a, n: diagonal(a)),
    "unsqueeze": (lambda t, n: t.unsqueeze(-1), lambda a, n: a[..., None]),
    "expand": (lambda t, n: t.expand(2, *t.shape), lambda a, n: np.broadcast_to(a, (2, *a.shape))),
}  # fmt: skip
NEEDS_DIMENSIONS = {"select": 1, "last": 1, "slice": 1, "step": 1, "transpose": 2, "diagonal": 2}

WRITES = {
    "add_": (lambda t, u: t.add_(u), lambda a, b: a + b),
    "sub_": (lambda t, u: t.sub_(u), lambda a, b: a - b),
    "copy_": (lambda t, u: t.copy_(u), lambda a, b: b),
    "double_": (lambda t, u: t.mul_(2), lambda a, b: a * 2),
    "zero_": (lambda t, u: t.zero_(), lambda a, b: 0),
    "mul_": (lambda t, u: t.mul_(u), lambda a, b: a * b),
    "exp_": (lambda t, u: t.mul_(0.1).exp_(), lambda a, b: np.exp(a * 0.1)),
    "sin_": (lambda t, u: t.sin_(), lambda a, b: np.sin(a)),
    "tanh_": (lambda t, u: t.tanh_(), lambda a, b: np.tanh(a)),
}


def diagonal(array):
    """NumPy's own diagonal must not be written to."""
    found = array.diagonal()
    found.flags.writeable = array.flags.writeable
    return found


def broadcastable(a, b):
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def run(data, kinds):
    """Run a random program; return it with the directions in which its leaves were changed."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    leaves = [rng.uniform(-1, 1, s) for s in ((2, SIZE), (SIZE,))]
    direction = [rng.uniform(-1, 1, x.shape) for x in leaves]
    program = Programs(leaves, direction)
    for _ in range(data.draw(st.integers(3, 12))):
        i = data.draw(st.integers(0, len(program.arrays) - 1))
        step = data.draw(st.sampled_from(("view", "new", "write", "write")))
        if step == "write":
            program.write(data.draw, i, kinds)
        else:
            getattr(program, step)(data.draw, i)
    program.check_values()
    return program, direction


def check_gradients(leaves, direction, expected):
    found = sum(float((x.grad.numpy() * d).sum()) for x, d in zip(leaves, direction, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@settings(max_examples=300)
@given(st.data())
def test_programs_whose_writes_need_no_values_have_right_gradients(data):
    program, direction = run(data, SAFE)
    ours, expected = program.loss()
    try:
        ours.backward()
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return
    check_gradients(program.leaves, direction, expected)


@settings(max_examples=300)
@given(st.data())
def test_programs_of_all_writes_have_right_gradients_or_raise(data):
    program, direction = run(data, SAFE + RISKY)
    ours, expected = program.loss()
    try:
        ours.backward()
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return
    check_gradients(program.leaves, direction, expected)


@settings(max_examples=60)
@given(st.data())
def test_recorded_walks_of_programs_give_the_same_gradients(data):
    program, direction = run(data, SAFE)
    ours, expected = program.loss()
    try:
        grads = nbmodule.autograd.grad(ours, program.leaves, create_graph=True)
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return
    found = sum(
        float((g.detach().numpy() * d).sum()) for g, d in zip(grads, direction, strict=True)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)
