"""Views, writes in place, versions: what they do to the history of a tensor."""

from casebook import case, error


def leaf(t, *values):
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def name(x):
    """Return what the node that made `x` is called."""
    return None if x.grad_fn is None else x.grad_fn.name()


def squares(x):
    return (x * x).sum()


# ---- writes to views and to bases


@case
def a_view_of_a_result_is_multiplied(t):
    a = leaf(t)
    x = a * 1
    v = x[0]
    v.mul_(3)
    squares(x).backward()
    return [a.grad, name(v), v, x, x._version, v._version]


@case
def a_sibling_view_sees_the_write(t):
    a = leaf(t)
    x = a * 2
    v, w = x[:2], x[1:]
    v.mul_(w[0].item())
    squares(w).backward()
    return [w, a.grad]


@case
def a_view_outlives_a_write_to_its_base(t):
    a = leaf(t)
    x = a * 2
    v = x[1]
    x.mul_(a)
    v.backward()
    return [a.grad, name(v)]


@case
def a_base_without_history_gets_one(t):
    b = leaf(t)
    x = t.zeros(3)
    v = x[0]
    x.mul_(2).add_(b)
    wants = [v.requires_grad, v.is_leaf, x.requires_grad, x.is_leaf]
    v.backward()
    return [wants, b.grad]


@case
def a_parameter_is_copied_into_a_buffer(t):
    b = leaf(t, 4.0)
    x = t.zeros(3)
    x[1:2].copy_(b)
    x.sum().backward()
    return [b.grad, x, x.is_leaf, x.requires_grad]


@case
def items_are_set(t):
    b = leaf(t, 4.0, 5.0)
    x = t.zeros(3, 2)
    x[1] = b
    x[:, 0] = b[1]
    squares(x).backward()
    return [b.grad, x]


@case
def a_row_of_the_transpose_is_filled(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    x = a * 1
    x.t()[1] = 7.0
    squares(x).backward()
    return [a.grad, x]


@case
def a_view_of_a_view_is_written(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    x = a * 1
    x[1][1:].mul_(x[0, 0] + 2)
    squares(x).backward()
    return [a.grad, x]


@case
def a_base_may_be_a_transpose(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    x = (a * 1).t()
    x[0].mul_(5)
    x[:, 1] = 0
    squares(x).backward()
    return [a.grad, x]


@case
def the_diagonal_is_written(t):
    a = t.arange(9.0).reshape(3, 3).requires_grad_()
    x = a * 1
    x.diagonal().mul_(5)
    squares(x).backward()
    return [a.grad, x]


@case
def several_views_are_written_in_turn(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    x = a * 1
    x[0].mul_(2)
    x[:, 1].add_(a[:, 0])
    x.view(6)[4:] = a[0, :2] * 3
    squares(x).backward()
    return [a.grad, x, x._version]


@case
def the_order_of_reading_and_writing_matters(t):
    a = leaf(t)
    x = a * 1
    before = x[0] * 1
    x[0] = 10.0
    after = x[0] * 1
    (before * 2 + after * 3 + x.sum()).backward()
    return [before, after, a.grad]


@case
def a_running_sum_is_kept_in_one_buffer(t):
    a = leaf(t)
    out = t.zeros(3)
    total = 0.0
    for i in range(3):
        total = total + a[i] ** 2
        out[i] = total
    (out * t.tensor([1.0, 10.0, 100.0])).sum().backward()
    return [out, a.grad]


@case
def a_write_with_a_mask(t):
    a, b = leaf(t), leaf(t, 5.0, 6.0)
    x = a * 1
    x[t.tensor([True, False, True])] = b
    squares(x).backward()
    return [x, a.grad, b.grad]


@case
def a_write_with_indices(t):
    a, b = leaf(t), leaf(t, 5.0, 6.0)
    x = a * 1
    x[t.tensor([2, 0])] = b
    squares(x).backward()
    return [x, a.grad, b.grad]


@case
def a_detached_view_is_written(t):
    a = leaf(t)
    x = a * 2
    x.detach()[0] = 100.0
    x.sum().backward()
    return [x, a.grad, x._version]


@case
def a_cleared_result_sends_nothing_back(t):
    a = leaf(t)
    b = a * 2
    b.zero_()
    wants = b.requires_grad
    b.sum().backward()
    return [wants, a.grad]


@case
def writing_a_tensor_to_itself(t):
    a = leaf(t)
    x = a * 2
    x.add_(x)
    x.sum().backward()
    return [x, a.grad]


@case
def operators_with_an_equals_sign(t):
    a = leaf(t)
    x = a * 2
    same = x
    x += a
    x *= 3
    x -= 1
    x /= 2
    x.sum().backward()
    return [same is x, x, a.grad, x._version]


# ---- what PyTorch refuses


@case
def leaves_must_not_be_written(t):
    a = leaf(t)

    def with_operator():
        b = a
        b += 1

    return [
        error(lambda: a.mul_(2)),
        error(lambda: a[0].mul_(2)),
        error(lambda: a.view(3).zero_()),
        error(lambda: a.__setitem__(0, 1.0)),
        error(lambda: a.zero_()),
        error(with_operator),
        a._version,
        a,
    ]


@case
def elements_that_share_memory_must_not_be_written(t):
    a = leaf(t, 1.0)
    return error(lambda: (a * 1).expand(3).mul_(2))


@case
def a_view_made_without_recording_must_not_be_written(t):
    a = leaf(t) * 1
    with t.no_grad():
        v = a[0]
    return error(lambda: v.mul_(2))


@case
def a_view_of_a_leaf_written_without_recording(t):
    a = leaf(t)
    with t.no_grad():
        v = a[0]
        v.mul_(2)
    return [a.detach(), a._version, error(lambda: v.mul_(2))]


@case
def one_of_several_views_must_not_be_written(t):
    a = leaf(t) * 1
    u, s, c = a.unbind(0), a.split(2), a.chunk(2)
    return [
        error(lambda: u[0].mul_(2)),
        error(lambda: s[1].mul_(2)),
        error(lambda: c[0].add_(1)),
        a._version,
    ]


@case
def one_of_several_views_of_plain_memory_may_be_written(t):
    a = t.ones(3)
    a.unbind(0)[0].mul_(2)
    a.split(2)[1].fill_(7)
    return a


@case
def a_view_cannot_be_detached_in_place(t):
    a = leaf(t)
    b = a * 2
    b.detach_()
    v = (a * 2)[0]
    return [b.requires_grad, b.grad_fn, b.is_leaf, error(lambda: v.detach_())]


@case
def the_shape_and_type_of_the_target_stay(t):
    x = t.zeros(2)
    whole = t.zeros(2, dtype=t.int64)
    return [
        error(lambda: x.add_(t.ones(3, 2))),
        error(lambda: whole.add_(1.5)),
        error(lambda: whole.mul_(t.ones(2))),
        x,
        whole,
        x._version,
        whole._version,
    ]
