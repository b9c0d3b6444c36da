"""Recording, the walk, and writes in place."""

import copy
import pickle

from casebook import case, error


@case
def leaves_and_results(t):
    x = t.ones(2, requires_grad=True)
    y = x * 2
    return [
        x.is_leaf,
        y.is_leaf,
        x.grad_fn,
        y.grad_fn.name(),
        y.requires_grad,
        x.grad,
        y.detach().requires_grad,
    ]


@case
def diamond(t):
    x = t.tensor(2.0, requires_grad=True)
    y = x * x
    (y * y + y).backward()
    return x.grad


@case
def accumulation(t):
    x = t.ones(2, requires_grad=True)
    for _ in range(3):
        (x * 2).sum().backward()
    return x.grad


@case
def second_backward(t):
    x = t.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    first = error(lambda: y.backward())
    z = (x * x).sum()
    z.backward(retain_graph=True)
    z.backward()
    s = (x + 1).sum()
    s.backward()
    again = error(lambda: s.backward())
    return [first, x.grad, again]


@case
def backward_errors(t):
    x = t.ones(2, requires_grad=True)
    return [
        error(lambda: t.ones(1).backward()),
        error(lambda: (x * 2).backward()),
        error(lambda: (x * 2).backward(t.ones(3)))[:42],
        error(lambda: t.tensor([1], requires_grad=True)),
        error(lambda: t.tensor([1]).requires_grad_()),
        error(lambda: (x * 2).requires_grad_(False))[:70],
        error(lambda: setattr(x, "grad", 5))[:30],
        error(lambda: setattr(x, "grad", t.ones(3)))[:56],
        error(lambda: x.numpy()),
    ]


@case
def in_place_rules(t):
    x = t.ones(2, requires_grad=True)
    w = x * 3
    u = w * w
    w.add_(1)
    v = x * 1
    v.add_(5)
    (v * 2).sum().backward()
    return [
        error(lambda: x.add_(1)),
        error(lambda: x[0].add_(1))[:60],
        error(lambda: u.sum().backward())[:90],
        x.grad,
    ]


@case
def grad_modes(t):
    x = t.ones(1, requires_grad=True)
    out = []
    with t.no_grad():
        out.append((x * 2).requires_grad)
        with t.enable_grad():
            out.append((x * 2).requires_grad)
        out.append(t.is_grad_enabled())
    with t.set_grad_enabled(False):
        out.append((x * 2).requires_grad)
    t.set_grad_enabled(False)
    out.append(t.is_grad_enabled())
    t.set_grad_enabled(True)

    @t.no_grad()
    def f():
        return x * 2

    @t.no_grad
    def g():
        return x * 2

    with t.inference_mode():
        out.append((x * 2).requires_grad)
    return [*out, f().requires_grad, g().requires_grad, t.is_grad_enabled()]


@case
def mixed_types_in_backward(t):
    x = t.ones(2, requires_grad=True)
    w = t.ones(2, dtype=t.float64, requires_grad=True)
    (x * w).sum().backward()
    return [str(x.grad.dtype), str(w.grad.dtype)]


@case
def unused_branch(t):
    x, y = t.ones(1, requires_grad=True), t.ones(1, requires_grad=True)
    z = y * 2
    (x * 3).sum().backward()
    return [x.grad, y.grad, z.grad_fn is not None]


@case
def copies_of_tensors(t):
    x = t.ones(2, requires_grad=True)
    x.sum().backward()
    c, p = copy.deepcopy(x), pickle.loads(pickle.dumps(x))
    return [c, c.grad, p, error(lambda: copy.deepcopy(x * 2))[:60]]


@case
def nan_and_infinity(t):
    x = t.tensor([0.0, -1.0, float("inf"), float("nan"), 1e30])
    return [
        x.log(),
        x.sqrt(),
        1 / x,
        x.exp(),
        x * x,
        x.softmax(0),
        t.tensor([1000.0, 0.0]).log_softmax(0),
        x.relu(),
        x.max(),
        x.clamp(0, 1),
        t.zeros(0).mean(),
        t.ones(1).var(),
        x.sigmoid(),
        x.tanh(),
    ]


# ---- autograd.grad


def leaf(t, *values):
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def name(x):
    """Return what the node that made `x` is called."""
    return None if x.grad_fn is None else x.grad_fn.name()


@case
def gradients_of_leaves(t):
    a, b = leaf(t), leaf(t, 4.0, 5.0, 6.0)
    found = t.autograd.grad((a * b).sum(), [a, b])
    one = t.autograd.grad((a * b).sum(), b)
    return [found, one, a.grad, b.grad, found[0].requires_grad]


@case
def gradients_of_results(t):
    a = leaf(t)
    b = a * 2
    c = b * b
    both = t.autograd.grad(c.sum(), [b, a], retain_graph=True)
    root = t.autograd.grad(c.sum(), c, retain_graph=True)
    return [both, root, t.autograd.grad(c.sum(), b)]


@case
def the_same_input_twice(t):
    a = leaf(t)
    return t.autograd.grad((a * a).sum(), [a, a])


@case
def the_same_output_twice(t):
    a = leaf(t)
    y = (a * a).sum()
    return t.autograd.grad([y, y], a)


@case
def an_output_is_an_input(t):
    a = leaf(t, 3.0)
    return [t.autograd.grad(a, a), t.autograd.grad(a.sum(), a)]


@case
def inputs_that_are_not_reached(t):
    a, b = leaf(t), leaf(t)
    y = (a * 2).sum()
    return [
        error(lambda: t.autograd.grad(y, b, retain_graph=True)),
        error(lambda: t.autograd.grad(y, [a, b], retain_graph=True)),
        t.autograd.grad(y, [a, b], allow_unused=True, retain_graph=True),
        t.autograd.grad(y, [a, b], materialize_grads=True, retain_graph=True),
        error(lambda: t.autograd.grad(y, a, allow_unused=False, materialize_grads=True)),
    ]


@case
def outputs_and_their_gradients(t):
    a = leaf(t)
    return [
        t.autograd.grad([a * 2, a.sum()], a, [t.ones(3), None]),
        t.autograd.grad([a * 2, a * a], [a], grad_outputs=(t.ones(3), t.tensor([1.0, 0.0, 2.0]))),
        t.autograd.grad(a[:1] * 2, a),
        error(lambda: t.autograd.grad(a * 2, a)),
        error(lambda: t.autograd.grad(a * 2, a, t.ones(2))),
        error(lambda: t.autograd.grad(a * 2, a, t.ones(3, 1))),
        error(lambda: t.autograd.grad(a * 2, a, [t.ones(3), t.ones(3)])),
        error(lambda: t.autograd.grad(a * 2, a, 3.0)),
        error(lambda: t.autograd.grad(a * 2, a, [3.0])),
    ]


@case
def what_grad_refuses(t):
    a = leaf(t)
    y = (a * 2).sum()
    return [
        error(lambda: t.autograd.grad(t.ones(1), a)),
        error(lambda: t.autograd.grad(y, t.ones(1))),
        error(lambda: t.autograd.grad(y, [])),
        error(lambda: t.autograd.grad(y, "a")),
        error(lambda: t.autograd.grad(y, [a, 3])),
        error(lambda: t.autograd.grad(a.argmax(), a)),
        a.grad,
    ]


@case
def a_batch_of_gradients(t):
    a = leaf(t)
    return t.autograd.grad(a * a, a, t.eye(3), is_grads_batched=True)


# ---- create_graph


@case
def third_derivatives(t):
    a = leaf(t)
    (g,) = t.autograd.grad((a**3).sum(), a, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), a, create_graph=True)
    (k,) = t.autograd.grad(h.sum(), a)
    return [g, h, k, g.requires_grad, k.requires_grad]


@case
def backward_with_create_graph(t):
    a = leaf(t)
    (a**3).sum().backward(create_graph=True)
    first = a.grad
    a.grad = None
    first.sum().backward()
    return [first, first.requires_grad, a.grad]


@case
def accumulation_after_create_graph(t):
    a = leaf(t)
    (a**2).sum().backward(create_graph=True)
    first = a.grad
    wants = first.requires_grad
    (a**2).sum().backward()
    return [wants, a.grad]


@case
def derivatives_by_the_given_gradient(t):
    a = leaf(t)
    v = t.ones(3, requires_grad=True)
    (g,) = t.autograd.grad(a * a, a, v, create_graph=True)
    return t.autograd.grad(g.sum(), [v, a])


@case
def a_penalty_on_the_gradient(t):
    w = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    x = t.tensor([[0.5, -1.0]], requires_grad=True)
    out = (x @ w).tanh().sum()
    (g,) = t.autograd.grad(out, x, create_graph=True)
    (out + (g.norm() - 1) ** 2).backward()
    return [g, w.grad, x.grad]


@case
def a_linear_graph_has_no_second_derivative(t):
    a = leaf(t)
    (g,) = t.autograd.grad((a * 3).sum(), a, create_graph=True)
    return [g, g.requires_grad, error(lambda: t.autograd.grad(g.sum(), a))]


@case
def a_row_of_the_hessian(t):
    x = leaf(t)
    y = x[0] * x[1] ** 2 + x[2].exp() * x[0]
    (g,) = t.autograd.grad(y, x, create_graph=True)
    rows = [t.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(3)]
    return rows


# ---- backward


@case
def backward_with_inputs(t):
    a, b = leaf(t), leaf(t)
    c = a * b
    (c * c).sum().backward(inputs=[a])
    d = a * 2
    (d * d).sum().backward(inputs=d)
    return [a.grad, b.grad, c.grad, d.grad, error(lambda: (a * b).sum().backward(inputs=[]))]


@case
def several_roots(t):
    a = leaf(t)
    y, z = a * 2, a * 3
    t.autograd.backward([y.sum(), z], [None, t.ones(3)])
    again = error(lambda: t.autograd.backward((y.sum(), z.sum())))
    return [again, a.grad]


@case
def a_root_inside_the_graph_of_another(t):
    a = leaf(t)
    b = a * 2
    c = b.exp()
    t.autograd.backward([c.sum(), b], [None, t.ones(3)])
    return a.grad


@case
def what_backward_refuses(t):
    a = leaf(t)
    plain = t.ones(1)
    return [
        error(lambda: (a * 2).backward(3)),
        error(lambda: (a * 2).backward(t.ones(2))),
        error(lambda: plain.backward(t.ones(1))),
        error(lambda: t.autograd.backward([a.sum(), plain])),
        error(lambda: t.autograd.backward([a.sum(), a.sum()], [None])),
        error(lambda: t.autograd.backward(a.sum(), inputs=[plain])),
        a.grad,
    ]


@case
def a_leaf_is_its_own_root(t):
    a, s = leaf(t), t.tensor(2.0, requires_grad=True)
    a.backward(t.ones(3))
    a.backward(t.ones(3))
    s.backward()
    return [a.grad, s.grad]


@case
def gradients_of_another_type_are_cast(t):
    a = leaf(t)
    (a * 2).backward(t.ones(3, dtype=t.float64))
    return a.grad


@case
def what_grad_may_be(t):
    a = leaf(t)

    def assign(value):
        a.grad = value

    given = t.tensor([10.0, 10.0, 10.0])
    a.grad = given
    a.sum().backward()
    found = [
        a.grad is given,
        given,
        error(lambda: assign(5)),
        error(lambda: assign([1.0])),
        error(lambda: assign(t.ones(2))),
        error(lambda: assign(t.ones(3, dtype=t.float64))),
        error(lambda: assign(t.ones(3, 1))),
        error(lambda: assign(a)),
    ]
    del a.grad
    return [*found, a.grad]
