"""`autograd.graph` and `utils.checkpoint`."""

import warnings
from importlib import import_module

from casebook import case, error


def checkpoint_of(t):
    return import_module(f"{t.__name__}.utils.checkpoint")


@case
def edges(t):
    g = t.autograd.graph
    x = t.ones(2, requires_grad=True)
    first, second = x.unbind()
    edge = g.get_gradient_edge(second)
    return [
        edge.node.name(),
        edge.output_nr,
        edge.node is first.grad_fn,
        isinstance((x * 2).grad_fn, g.Node),
        isinstance(None, g.Node),
        error(lambda: g.get_gradient_edge(t.ones(1))),
    ]


@case
def versions(t):
    g = t.autograd.graph
    x = t.ones(2, requires_grad=True)
    y = x * x
    g.increment_version([x, x])
    return [x._version, error(y.sum().backward), error(lambda: g.increment_version(3)), error(lambda: g.increment_version([3]))]  # fmt: skip


@case
def hooks_on_several(t):
    a, b = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    c, d, told = a * b, a * b, []
    register = t.autograd.graph.register_multi_grad_hook
    handle = register((a, b, c, d), lambda grads: told.append([x is not None for x in grads]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c + d).sum().backward(retain_graph=True)
    handle.remove()
    c.sum().backward(retain_graph=True)
    register((a, c), lambda g: told.append(g.tolist()), mode="any")
    c.sum().backward(retain_graph=True)
    return [told, error(lambda: register((a,), print, mode="no")), error(lambda: register((t.ones(1),), print))]  # fmt: skip


@case
def checkpoints(t):
    c = checkpoint_of(t)
    out = []
    for reentrant in (True, False):
        t.manual_seed(0)
        a = t.ones(2, requires_grad=True)
        net = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Dropout(), t.nn.Tanh(), t.nn.Linear(3, 2))
        y = c.checkpoint(net, a * 3, use_reentrant=reentrant)
        y.sum().backward()
        out += [y.grad_fn.name(), a.grad, *[p.grad for p in net.parameters()], t.rand(1)]
        out.append(error(y.sum().backward))
        out.append(c.checkpoint_sequential(net, 2, a, use_reentrant=reentrant).detach())
    return out


@case
def checkpoint_again(t):
    c = checkpoint_of(t)
    a, calls = t.tensor([1.0, 2.0], requires_grad=True), []

    def write(x):
        calls.append(len(calls))
        y = x * 2
        y.mul_(x)
        y[0] = x[1]
        return y.exp()

    y = c.checkpoint(write, a * 1, use_reentrant=False)
    (g,) = t.autograd.grad(y.sum(), a, create_graph=True)
    return [g.detach(), t.autograd.grad(g.sum(), a)[0], calls[0]]


@case
def checkpoint_errors(t):
    c = checkpoint_of(t)
    a, calls = t.ones(2, requires_grad=True), []

    def other(x):
        calls.append(1)
        return (x * x).sin() if len(calls) % 2 else x * x

    def smaller(x):
        calls.append(1)
        return (x * x).sin() if len(calls) % 2 else (x[:1] * x[:1]).sin()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        c.checkpoint(t.sin, a)
        c.checkpoint_sequential([t.sin, t.cos], 2, a)
        c.checkpoint(t.sin, t.ones(2), use_reentrant=True)
    x = a * 1
    written = c.checkpoint(lambda x: x.exp() * x, x, use_reentrant=False)
    x.mul_(2)
    y = c.checkpoint(t.sin, a, use_reentrant=True).sum()
    return [
        [str(w.message).replace("nbmodule", "torch") for w in seen],
        error(lambda: t.autograd.grad(y, a)),
        error(written.sum().backward),
        error(lambda: c.checkpoint(other, a, use_reentrant=False).sum().backward()),
        error(lambda: calls.append(1) or c.checkpoint(smaller, a, use_reentrant=False).sum().backward()),
        error(lambda: c.checkpoint(t.sin, a, use_reentrant=True, foo=1)),
        error(lambda: c.checkpoint(t.sin, a, use_reentrant=True, debug=True)),
        error(lambda: c.checkpoint(t.sin, a, use_reentrant=False, determinism_check="no")),
        error(lambda: c.detach_variable([1])),
    ]  # fmt: skip


@case
def a_number_over_a_tensor(t):
    """PyTorch multiplies by the reciprocal: there are two nodes, and the result is rounded twice."""
    x = t.arange(1.0, 41.0, requires_grad=True)
    y = 0.3 / x
    behind = [type(node).__name__ for node, _ in y.grad_fn.next_functions if node is not None]
    return [y.grad_fn.name(), behind, [v.hex() for v in y.tolist()], 2.0 / t.tensor([1e-40, 0.0])]
