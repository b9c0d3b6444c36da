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
