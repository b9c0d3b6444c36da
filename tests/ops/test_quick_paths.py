"""Short ways through the library give what the long ones give: indices, gradients that add up, rows, poolings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbmodule as t
import nbmodule.nn.functional as F
from nbmodule._engine.arrays import repeated_axes, sum_to

# ---- parts of tensors

NUMBERS = st.integers(-4, 4)
SLICES = st.builds(slice, st.none() | NUMBERS, st.none() | NUMBERS)
KEYS = NUMBERS | SLICES | st.lists(NUMBERS, max_size=4).map(tuple)


def outcome(action):
    """Return what `action` returns, or the error that it raises."""
    try:
        return action()
    except IndexError as error:
        return str(error)


@given(st.sampled_from([(), (0,), (3,), (2, 3), (2, 3, 2)]), KEYS)
def test_a_part_is_a_view_as_of_a_tensor_that_is_recorded(shape, key):
    x = t.arange(float(np.prod(shape))).reshape(shape).clone()
    found = outcome(lambda: x[key])
    wanted = outcome(lambda: x.clone().requires_grad_()[key].detach())
    if isinstance(wanted, str):
        assert found == wanted
        return
    assert (found.tolist(), found.stride()) == (wanted.tolist(), wanted.stride())
    assert found._base is x
    assert not found.numel() or found.data_ptr() == x.data_ptr() + 4 * found.storage_offset()
    found += 1.0
    assert x._version == 1
    assert x[key].tolist() == found.tolist()


@given(
    st.sampled_from([(), (3,), (2, 3)]),
    KEYS,
    st.sampled_from([0.5, -0.0, 7e4, 1e30, float("nan"), float("-inf")]),
    st.sampled_from([t.float16, t.float32, t.float64, t.int64]),
)
def test_a_number_is_written_as_a_tensor_is(shape, key, value, dtype):
    quick, plain = (t.zeros(shape, dtype=dtype) for _ in range(2))

    def write(x, v):
        try:
            x[key] = v
        except (IndexError, RuntimeError, OverflowError) as error:
            return type(error)

    if dtype is t.int64 and not abs(value) < 1e9:
        return
    refused = write(quick, value), write(plain, t.tensor(value, dtype=t.float64).to(dtype))
    assert refused[0] is refused[1]
    np.testing.assert_array_equal(quick.numpy(), plain.numpy())
    assert quick._version == plain._version


def test_a_number_that_is_written_is_a_write_for_what_was_saved():
    x = t.ones(3, requires_grad=True)
    y = x.exp()
    z = y * y
    y.detach()[1] = 0.5
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_a_number_that_is_written_to_a_recorded_view_takes_its_gradient_away():
    x = t.ones(2, 2, requires_grad=True)
    y = x * 3
    row = y[0]
    row[1] = 0.5
    y[1, 0] = 2.0
    y.sum().backward()
    assert x.grad.tolist() == [[3.0, 0.0], [0.0, 3.0]]


def test_a_tensor_that_repeats_its_elements_takes_no_number_in_one_of_them():
    x = t.zeros(1).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x[0:2] = 1.0


@pytest.mark.parametrize("key", [0, slice(1, 2), (1,)])
def test_a_number_that_float32_lacks_is_refused(key):
    x = t.zeros(3)
    with pytest.raises(RuntimeError, match="without overflow"):
        x[key] = 1e39
    assert x.tolist() == [0.0] * 3


def test_wholes_take_no_floats_in_place():
    x = t.arange(3)
    with pytest.raises(RuntimeError, match="Float can't be cast to the desired output type Long"):
        x.mul_(0.5)
    assert t.ones(2).mul_(2).dtype is t.float32


def test_even_numbers_of_float16_are_those_of_float32_rounded():
    t.manual_seed(0)
    plain = t.empty(70_000).uniform_(1, 2).numpy().astype("float16")
    assert (plain == 2).any()
    t.manual_seed(0)
    found = t.empty(70_000, dtype=t.float16).uniform_(1, 2)
    np.testing.assert_array_equal(found, np.where(plain == 2, 1, plain))


# ---- gradients


@given(st.lists(st.integers(1, 3), max_size=4), st.data())
def test_broadcasting_is_undone(long, data):
    kept = data.draw(st.lists(st.booleans(), min_size=len(long), max_size=len(long)))
    short = tuple(n if keep else 1 for n, keep in zip(long, kept, strict=True))
    short = short[data.draw(st.integers(0, len(long))) :]
    g = np.random.default_rng(0).normal(size=long)
    plain = g
    while plain.ndim > len(short):
        plain = plain.sum(0)
    for axis, n in enumerate(short):
        if plain.shape[axis] != n:
            plain = plain.sum(axis, keepdims=True)
    found = sum_to(g, short)
    assert found.shape == short
    np.testing.assert_allclose(found, plain)
    lead = len(long) - len(short)
    assert repeated_axes(tuple(long), short) == tuple(
        i for i, n in enumerate(long) if i < lead or n != short[i - lead]
    )


def test_a_gradient_that_arrives_as_a_view_is_not_added_to():
    w, x = (t.ones(6, requires_grad=True) for _ in range(2))
    older, y = w * 1, (x * 1).view(2, 3)
    other = y * 2  # its gradient is added to what `part` sends, which shows the gradient of the sum
    part = y.view(6)
    (part + older).sum().add(other.sum()).backward()
    assert w.grad.tolist() == [1.0] * 6
    assert x.grad.tolist() == [3.0] * 6


def test_a_leaf_read_by_young_and_old_gets_all_before_its_hook_runs():
    w = t.ones(2, requires_grad=True)
    x = t.ones(2, requires_grad=True)
    found = []
    w.register_hook(lambda g: found.append(g.tolist()))
    y = x * w  # the oldest reader of w
    for _ in range(3):
        y = y * w
    (y + w).sum().backward()
    assert found == [[5.0, 5.0]]


@pytest.mark.parametrize("operation", [lambda a, b: a * b, lambda a, b: a @ b])
def test_the_same_memory_twice_among_two_arguments(operation):
    found = []
    for apart in (lambda a: a.detach(), lambda a: a.detach().clone()):
        x = t.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
        y = operation(x, apart(x)).pow(2).sum()
        (g,) = t.autograd.grad(y, x, create_graph=True)
        g.pow(2).sum().backward()
        found.append(x.grad.tolist())
    assert found[0] == found[1]


class Marked(t.Tensor):
    """A class of a user."""


def test_rare_modes_hold_for_operations_of_two_tensors():
    x = t.ones(2, requires_grad=True)
    with t.inference_mode(), t.enable_grad():
        y = x * 2
    assert not y.requires_grad
    assert y.is_inference()
    assert type(t.ones(2).as_subclass(Marked) * 2) is Marked
    assert type(t.ones(2) + t.ones(2).as_subclass(Marked)) is Marked


def test_squeeze_is_called_by_what_it_was_given():
    x = t.ones(1, 2, 1, requires_grad=True)
    names = [type(x.squeeze(*dim).grad_fn).__name__ for dim in ((), (0,), ((0, 2),))]
    assert names == ["SqueezeBackward0", "SqueezeBackward1", "SqueezeBackward2"]


def test_the_same_memory_twice_among_three_arguments():
    for apart in (lambda a: a.detach(), lambda a: a.detach().clone()):
        x = t.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
        b = t.zeros(2, requires_grad=True)
        y = F.linear(x, apart(x), b).pow(2).sum()
        (g,) = t.autograd.grad(y, x, create_graph=True)
        g.pow(2).sum().backward()
        if apart(x).data_ptr() == x.data_ptr():
            first = x.grad
        else:
            np.testing.assert_allclose(first, x.grad)


def test_a_version_is_told_after_one_write():
    x = t.ones(2, requires_grad=True)
    y = x.exp()
    y.detach().add_(1)
    z = y * y
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="is at version 2; expected version 1 instead"):
        z.sum().backward()
    y = x.exp()
    z = y * y
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        z.sum().backward()


def test_dropout_has_every_derivative():
    t.manual_seed(0)
    x = t.ones(50, dtype=t.float64, requires_grad=True)
    y = F.dropout(x, 0.5)
    kept = y.detach() / 2
    (g,) = t.autograd.grad((y**3).sum(), x, create_graph=True)
    assert g.tolist() == (24 * kept).tolist()
    g.sum().backward()
    assert x.grad.tolist() == (48 * kept).tolist()


def test_cross_entropy_of_one_sample_has_a_gradient():
    x = t.zeros(4, requires_grad=True)
    F.cross_entropy(x, t.tensor(1)).backward()
    assert x.grad.tolist() == [0.25, -0.75, 0.25, 0.25]


# ---- rows that are added up, places of maxima


@pytest.mark.parametrize("times", [1, 2, 3, 5, 16, 17, 40])
def test_rows_of_a_large_table_are_added_up_however_often_they_are_named(times):
    index = np.concatenate([np.repeat(7, times), np.arange(300), np.repeat(9, 3)])
    index = np.random.default_rng(0).permutation(index)
    w = t.zeros(400, 128, dtype=t.float64, requires_grad=True)
    g = np.random.default_rng(1).normal(size=(len(index), 128))
    F.embedding(t.tensor(index), w).backward(t.tensor(g))
    plain = np.zeros((400, 128))
    np.add.at(plain, index, g)
    np.testing.assert_allclose(w.grad, plain, atol=1e-12)


@pytest.mark.parametrize("width", [60, 63, 64, 65, 127, 128, 129, 200, 16383, 16400, 33000, 66000])
def test_places_of_maxima_in_wide_planes(width):
    x = t.tensor(np.random.default_rng(width).permutation(3 * width).reshape(1, 1, 3, width) * 1.0)
    y, places = F.max_pool2d(x, (3, 2), stride=1, return_indices=True)
    assert x.reshape(-1)[places.reshape(-1)].tolist() == y.reshape(-1).tolist()


def test_a_large_weight_seen_by_small_images():
    numbers = np.random.default_rng(0).normal
    x, g = t.tensor(numbers(size=(8, 128, 7, 7))), t.tensor(numbers(size=(8, 128, 5, 5)))
    w = t.zeros(128, 128, 3, 3, dtype=t.float64, requires_grad=True)
    F.conv2d(x, w).backward(g)
    seen = np.lib.stride_tricks.sliding_window_view(x.numpy(), (5, 5), (2, 3))
    plain = np.tensordot(g.numpy(), seen, ((0, 2, 3), (0, 4, 5)))
    np.testing.assert_allclose(w.grad, plain, atol=1e-10)
