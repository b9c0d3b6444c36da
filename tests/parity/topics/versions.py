"""Versions and flags: what was saved for backward, which tensors share memory, who requires grad."""

import numpy as np
from casebook import case, error

from .history import leaf, name, squares

# ---- what was saved for backward


@case
def a_saved_result_is_overwritten(t):
    a = leaf(t)
    y = a.exp()
    y.mul_(2)
    return error(lambda: y.sum().backward())


@case
def a_saved_argument_is_overwritten(t):
    a = leaf(t)
    b = a * 1
    y = b * b
    b.add_(1)
    return error(lambda: y.sum().backward())


@case
def a_saved_leaf_is_overwritten(t):
    a = leaf(t)
    y = a * a
    with t.no_grad():
        a.add_(1)
    return error(lambda: y.sum().backward())


@case
def a_saved_tensor_is_overwritten_through_detach(t):
    a = leaf(t)
    b = a * 1
    y = b * b
    b.detach().zero_()
    return error(lambda: y.sum().backward())


@case
def nobody_notices_a_write_through_data(t):
    a = leaf(t)
    b = a * 1
    y = b * b
    b.data.zero_()
    y.sum().backward()
    return [a.grad, b._version]


@case
def what_is_not_saved_may_be_overwritten(t):
    a = leaf(t)
    b = a * 1
    y = b + b
    b.zero_()
    y.sum().backward()
    return a.grad


@case
def a_chain_in_place_keeps_what_it_needs(t):
    a = leaf(t)
    b = a * 1
    b.add_(1).mul_(2).sub_(3)
    b.sigmoid_()
    b.sum().backward()
    return a.grad


@case
def a_chain_in_place_spoils_what_it_needs(t):
    a = leaf(t)
    b = a * 1
    b.exp_()
    b.mul_(2)
    return error(lambda: b.sum().backward())


@case
def only_the_operand_that_wants_a_gradient_is_needed(t):
    a = leaf(t)
    w = t.ones(3)
    y = a * w
    with t.no_grad():
        a.add_(1)
    y.sum().backward()
    return a.grad


@case
def clone_protects(t):
    a = leaf(t)
    y = a.exp()
    z = y.clone()
    z.mul_(2)
    (y.sum() + z.sum()).backward()
    return a.grad


# ---- names, versions, flags


@case
def versions_are_shared_by_views_and_detach(t):
    x = t.zeros(4)
    v, d, c, p = x[:2], x.detach(), x.clone(), x.data
    x.add_(1)
    v.add_(1)
    d.add_(1)
    c.add_(1)
    p.add_(1)
    return [i._version for i in (x, v, d, c, p)] + [x]


@case
def which_operations_make_views(t):
    x = t.zeros(2, 3)
    made = [
        x.view(6), x.t(), x[0], x[:, 1:], x.unsqueeze(0), x.expand(4, 2, 3), x.reshape(3, 2), x[[0]], x + 0,
        x.clone(), x.contiguous(), x.flatten(), x.t().flatten(), x.squeeze(), x.transpose(0, 1), x[x == 0],
    ]  # fmt: skip
    return [[v._is_view(), v._base is x] for v in made]


@case
def the_base_of_a_view_of_a_view(t):
    x = t.zeros(2, 3)
    v = x[0][1:]
    return [v._base is x, v._is_view(), x._base, x._is_view()]


@case
def a_view_takes_its_history_anew(t):
    a = leaf(t)
    x = a * 1
    v = x.view(3, 1)
    first = name(v)
    x.add_(1)
    return [first, name(v), v._base is x, v._is_view()]


@case
def detach_and_data(t):
    a = leaf(t)
    x = a * 2
    d, p = x.detach(), x.data
    d[0] = 50.0
    p[1] = 60.0
    return [
        d.requires_grad,
        p.requires_grad,
        d.is_leaf,
        p.is_leaf,
        d.grad_fn,
        x.detach(),
        x._version,
    ]


@case
def data_is_replaced(t):
    a = leaf(t)
    a.data = t.tensor([7.0, 8.0])
    (a * a).sum().backward()
    x = t.ones(2)
    return [
        a.grad,
        a.requires_grad,
        a.is_leaf,
        error(lambda: setattr(a, "data", 5)),
        error(lambda: setattr(x, "data", None)),
    ]


@case
def detach_in_place_makes_a_leaf(t):
    a = leaf(t)
    x = a * 2
    same = x.detach_()
    x.requires_grad_()
    squares(x).backward()
    return [same is x, x.grad, a.grad, x.is_leaf]


@case
def requires_grad_rules(t):
    a = leaf(t)
    x = a * 2
    plain = t.ones(2)
    whole = t.ones(2, dtype=t.int64)

    def switch_off_result():
        x.requires_grad = False

    def switch_on_whole():
        whole.requires_grad = True

    def set_to_number():
        plain.requires_grad = 1

    return [
        (plain * 2).requires_grad,
        (plain * a[:2]).requires_grad,
        (a > 1).requires_grad,
        a.argmax().requires_grad,
        a.detach().requires_grad_() is a,
        x.requires_grad_().is_leaf,
        error(switch_off_result)[:60],
        error(switch_on_whole),
        error(set_to_number),
        error(lambda: whole.requires_grad_()),
        a.requires_grad_(False).requires_grad,
        plain.requires_grad_().requires_grad,
    ]


@case
def the_hooks_of_the_old_history_stay_there(t):
    log = []
    a = leaf(t)
    b = a * 2
    b.register_hook(lambda g: log.append(["old", g]))
    b.mul_(3)
    b.register_hook(lambda g: log.append(["new", g]))
    squares(b).backward()
    return log


@case
def a_retained_gradient_moves_to_the_new_history(t):
    a = leaf(t)
    b = a * 2
    b.retain_grad()
    b.mul_(3)
    squares(b).backward()
    return [b.grad, a.grad]


@case
def second_derivatives_go_through_writes(t):
    a = leaf(t)
    x = a * 1
    x[0] = a[1] * a[2]
    x[1:].mul_(a[:2])
    (g,) = t.autograd.grad((x**3).sum(), a, create_graph=True)
    (h,) = t.autograd.grad((g * g).sum(), a)
    return [g, h]


@case
def names_of_writes(t):
    a = leaf(t)
    names = []
    for write in ("exp_", "neg_", "sqrt_", "sigmoid_", "tanh_", "relu_", "abs_", "sin_", "zero_"):
        x = a * 1
        getattr(x, write)()
        names.append(name(x))
    for write in ("add_", "sub_", "mul_", "div_", "pow_"):
        x = a * 1
        getattr(x, write)(2)
        names.append(name(x))
    return names


# ---- views that the writes of others have reached


@case
def a_view_made_without_recording_is_left_behind(t):
    a = leaf(t)
    base = t.zeros(3)
    with t.no_grad():
        v = base[2:]
    base[0] = a.sum()
    return [v.detach(), error(lambda: v.grad_fn), error(lambda: v * 2)]


@case
def one_of_several_views_is_left_behind(t):
    x = leaf(t) * 1
    first, second = x.split(2)
    x.mul_(2)
    return [first.detach(), error(lambda: first * 2), error(lambda: second.grad_fn)]


@case
def a_view_after_a_write_that_was_not_recorded(t):
    a = leaf(t)
    x = a * 1
    v = x[:2]
    with t.no_grad():
        x.mul_(10)
    squares(v).backward()
    return [name(v), v, a.grad]


@case
def a_leaf_is_refused_by_all_ways_of_writing(t):
    a = leaf(t)
    views = [a[...], a[:], a.view(3), a.detach(), a.data]

    def fill(x):
        x[...] = 5.0

    def fill_first(x):
        x[0] = 5.0

    found = [error(lambda: fill(a)), error(lambda: fill_first(a))]
    found += [[error(lambda v=v: fill(v)), error(lambda v=v: v.add_(1))] for v in views]
    return [found, a.detach(), a._version]


@case
def expanded_memory_and_writes(t):
    def wide(n=2):
        return t.ones(3).expand(n, 3)

    def assign(key, value):
        x = wide()
        x[key] = value
        return x

    return [
        error(lambda: wide().exp_()),
        error(lambda: wide().mul_(2)),
        error(lambda: wide().copy_(t.ones(3))),
        error(lambda: wide().add_(t.ones(3))),
        wide().zero_(),
        wide().fill_(3),
        wide(1).mul_(2),
        assign(0, 5.0),
    ]


@case
def writes_from_overlapping_memory(t):
    found = []
    for target, source in (
        (slice(0, 3), slice(1, 4)),
        (slice(0, 2), slice(2, 4)),
        (slice(0, 4), slice(0, 4)),
        (slice(0, 4, 2), slice(1, 4, 2)),
    ):
        x = t.arange(4.0)
        found.append([error(lambda x=x, a=target, b=source: x[a].add_(x[b])), x])
    return found


@case
def a_saved_single_number_is_overwritten(t):
    a = t.tensor(1.0, requires_grad=True)
    y, z = a.exp(), (a * 2).relu()
    y.mul_(3)
    z.mul_(3)
    return [error(lambda: y.backward()), error(lambda: z.backward())]


# ---- integers and booleans that were saved


@case
def saved_integers_are_overwritten(t):
    x, y = leaf(t), t.tensor([2, 0])
    picked = x[y]
    y.zero_()
    found = [error(lambda: picked.sum().backward())]
    values, indices = (leaf(t) * 2).sort()
    indices[:1] += 1
    indices[1:] += 1
    return [*found, error(lambda: values.sum().backward())]


@case
def saved_weights_of_classes_are_overwritten(t):
    w = t.ones(3)
    loss = t.nn.functional.cross_entropy(leaf(t)[None], t.tensor([1]), w)
    w.detach().add_(1)
    return error(loss.backward)


@case
def a_number_for_another_index_may_be_overwritten(t):
    x, other = leaf(t), t.tensor([2, 0])
    y = x[t.tensor([2, 0])]
    other.zero_()
    y.sum().backward()
    return x.grad


@case
def another_part_of_an_array_may_be_overwritten(t):
    labels = np.array([0, 1, 2, 0])
    x, mine, other = leaf(t), t.from_numpy(labels[:2]), t.from_numpy(labels[2:])
    y = x[mine]
    other.zero_()
    y.sum().backward(retain_graph=True)
    mine.zero_()
    return [x.grad, error(y.sum().backward)]


@case
def the_other_side_of_a_product_is_not_saved(t):
    w, v = leaf(t), t.ones(3)
    y = w @ v
    with t.no_grad():
        w.add_(1)
    y.backward()
    return w.grad


# ---- other data, another layout


@case
def data_of_another_shape_between_forward_and_backward(t):
    p = leaf(t)
    y = p * 2
    p.data = t.ones(2)
    found = t.autograd.grad(y.sum(), p, retain_graph=True)[0]
    y.sum().backward()
    return [found, p.grad, p]


@case
def data_of_another_rank_between_forward_and_backward(t):
    p, q = leaf(t), leaf(t)
    loss, other = (p * 2).sum(), (q * 2).sum()
    p.data = t.ones(2, 2)
    with t.no_grad():
        q.unsqueeze_(0)
    other.backward()
    return [error(loss.backward), q.grad]


@case
def gradients_of_two_shapes_do_not_add(t):
    p = leaf(t)
    p.grad = t.ones(3)
    p.data = t.ones(2)
    return error(lambda: (p * 2).sum().backward())


@case
def turned_in_no_grad(t):
    found = []
    for turn in ("t_", "squeeze_", "unsqueeze_", "transpose_", "swapaxes_", "swapdims_"):
        a = t.arange(9.0).reshape(3, 3).requires_grad_()
        x = a * 2
        with t.no_grad():
            getattr(x, turn)(*{"t_": (), "squeeze_": (), "unsqueeze_": (0,)}.get(turn, (0, 1)))
        x.square().sum().backward()
        found.append([turn, list(x.shape), x._version, name(x), a.grad])
    return found


@case
def what_a_loss_has_copied_may_be_written(t):
    found = []
    for call in (t.nn.functional.cross_entropy, t.nn.functional.l1_loss):
        x = leaf(t, [0.5, 2.0], [1.0, -1.0])
        z, y = x * 2, t.tensor([1, 0]) if "cross" in call.__name__ else t.ones(2, 2)
        loss = call(z, y)
        with t.no_grad():
            z.zero_()
        loss.backward()
        found.append(x.grad)
    return found


@case
def a_product_with_a_count_that_counts_on(t):
    layer, x = t.nn.BatchNorm1d(2), t.ones(3, 2, requires_grad=True)
    y = (x * layer.num_batches_tracked).sum()
    layer(x.detach())
    return ["modified by an inplace operation" in str(error(y.backward)), layer.num_batches_tracked]
