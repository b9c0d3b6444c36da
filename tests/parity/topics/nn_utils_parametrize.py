"""Parametrizations: classes, properties, states, copies, and what is refused."""

import copy
import pickle

from casebook import case, error


def tools(t):
    import importlib

    return importlib.import_module(f"{t.__name__}.nn.utils.parametrize")


def linear(t, features=4, outputs=3):
    """Return a layer of known numbers."""
    t.manual_seed(0)
    return t.nn.Linear(features, outputs)


def shown(module):
    """Return the names and values that a module holds."""
    return [
        {k: [v, v.requires_grad] for k, v in module.named_parameters()},
        dict(module.named_buffers()),
        type(module).__name__,
        [c.__name__ for c in type(module).__mro__][:3],
        repr(module),
        module.weight,
    ]


def kinds(t):
    """Return classes of parametrizations."""
    nn = t.nn

    class Symmetric(nn.Module):
        def forward(self, X):
            return X.triu() + X.triu(1).mT

        def right_inverse(self, A):
            return A.triu()

    class Double(nn.Module):
        def forward(self, X):
            return 2 * X

    class Sum(nn.Module):
        def forward(self, X, Y):
            return X + Y

        def right_inverse(self, Z):
            return Z, t.zeros_like(Z)

    class Resize(nn.Module):
        def __init__(self, rows=None, dtype=None):
            super().__init__()
            self.rows, self.dtype = rows, dtype

        def forward(self, X):
            return X[: self.rows].to(self.dtype or X.dtype)

    class Returns(nn.Module):
        def __init__(self, there, back):
            super().__init__()
            self.there, self.back = there, back

        def forward(self, *X):
            return self.there(*X)

        def right_inverse(self, X):
            return self.back(X)

    return Symmetric, Double, Sum, Resize, Returns


@case
def one(t):
    Symmetric, Double, *_ = kinds(t)
    p, m = tools(t), linear(t, 3, 3)
    weight = m.weight
    found = [p.register_parametrization(m, "weight", Symmetric()) is m, shown(m)]
    found += [m.parametrizations.weight.original is weight, m(t.ones(3)), list(m.state_dict())]
    m.weight = m.weight + 1
    found += [shown(m), m.parametrizations.weight.original is weight]
    p.register_parametrization(m, "weight", Double())
    found += [shown(m), len(m.parametrizations.weight)]
    p.register_parametrization(m, "bias", Double())
    found += [shown(m), p.is_parametrized(m), p.is_parametrized(m, "x")]
    p.remove_parametrizations(m, "bias", leave_parametrized=False)
    found += [shown(m), p.is_parametrized(m, "bias")]
    p.remove_parametrizations(m, "weight")
    return [*found, shown(m), m.weight is weight, type(m) is t.nn.Linear]


@case
def several_tensors(t):
    Sum, p, m = kinds(t)[2], tools(t), linear(t)
    p.register_parametrization(m, "weight", Sum())
    found = [shown(m), m.parametrizations.weight.ntensors, m.parametrizations.weight.is_tensor]
    m.weight = t.ones(3, 4)
    found += [shown(m), list(m.state_dict())]
    m(t.ones(4)).sum().backward()
    found += [{k: v.grad for k, v in m.named_parameters()}]
    found += [error(lambda: p.remove_parametrizations(m, "weight", leave_parametrized=False))]
    p.remove_parametrizations(m, "weight")
    return [*found, shown(m)]


@case
def buffers(t):
    Double = kinds(t)[1]
    p, m = tools(t), t.nn.Module()
    m.register_buffer("weight", t.arange(9.0).view(3, 3))
    p.register_parametrization(m, "weight", Double())
    found = [shown(m), error(lambda: setattr(m, "weight", t.ones(3, 3)))]
    p.remove_parametrizations(m, "weight")
    return [*found, shown(m)]


@case
def a_frozen_parameter(t):
    Symmetric, Double, Sum, *_ = kinds(t)
    p, found = tools(t), []
    for made in (Double(), Sum(), Symmetric()):
        m = linear(t, 3, 3).requires_grad_(False)
        p.register_parametrization(m, "weight", made)
        found.append(shown(m))
        p.remove_parametrizations(m, "weight")
        found.append(shown(m))
    return found


@case
def a_cache(t):
    Double, p, m = kinds(t)[1], tools(t), linear(t)
    p.register_parametrization(m, "weight", Double())
    count = []
    m.parametrizations.weight[0].register_forward_hook(lambda *a: count.append(1))
    first = m.weight is m.weight
    with p.cached():
        second = m.weight is m.weight
        with p.cached():
            inner = m.weight
        still = inner is m.weight
        with t.no_grad():
            m.parametrizations.weight.original.zero_()
        old = m.weight.abs().sum().item() > 0
    return [first, second, still, old, m.weight, len(count)]


@case
def copies_and_pickles(t):
    Symmetric, p, m = kinds(t)[0], tools(t), linear(t, 3, 3)
    p.register_parametrization(m, "weight", Symmetric())
    copied = copy.deepcopy(m)
    with t.no_grad():
        m.parametrizations.weight.original.zero_()
    return [
        shown(copied),
        copied.weight,
        type(copied) is type(m),
        error(lambda: pickle.dumps(m)),
        p.type_before_parametrizations(copied).__name__,
        p.type_before_parametrizations(t.nn.ReLU()).__name__,
        copied.load_state_dict(m.state_dict()).missing_keys,
        copied.weight,
    ]


@case
def tied_weights(t):
    Symmetric, p = kinds(t)[0], tools(t)
    net = t.nn.Sequential(linear(t, 3, 3), linear(t, 3, 3))
    net[1].weight = net[0].weight
    p.register_parametrization(net[0], "weight", Symmetric())
    same = net[1].weight is net[0].parametrizations.weight.original
    return [
        same,
        list(net.state_dict()),
        len(list(net.parameters())),
        net(t.ones(3)),
        shown(net[0]),
    ]


@case
def moved_over(t):
    Symmetric, Double, Sum, *_ = kinds(t)
    p, found = tools(t), []
    for made in (Symmetric(), Sum()):
        m = p.register_parametrization(linear(t, 3, 3), "weight", made)
        p.register_parametrization(m, "bias", Double())
        t.manual_seed(3)
        other = p.transfer_parametrizations_and_params(m, t.nn.Linear(3, 3))
        only = p.transfer_parametrizations_and_params(m, t.nn.Linear(3, 3, bias=False), "weight")
        found += [shown(other), other.bias, shown(only), m.weight]
    plain = t.nn.ReLU()
    return [*found, p.transfer_parametrizations_and_params(t.nn.ReLU(), plain) is plain]


def whole(function):
    """Return "Type: all lines of the message" of what `function` raises."""
    try:
        return repr(function())
    except Exception as e:
        return f"{type(e).__name__}: {e}"


@case
def refused(t):
    Symmetric, Double, _, Resize, Returns = kinds(t)
    p, found = tools(t), []

    def attempt(made, name="weight", layer=None, **more):
        m = layer or linear(t, 3, 3)
        found.append(whole(lambda: p.register_parametrization(m, name, made, **more)))
        found.append([type(m).__name__, dict(m.named_parameters())])

    def same(x):
        return x

    def again():
        return p.register_parametrization(linear(t, 3, 3), "weight", Symmetric())

    attempt(Double(), "nothing")
    attempt(Resize(2))
    attempt(Resize(dtype=t.float64))
    attempt(Returns(lambda x: 1, same))
    attempt(Returns(same, lambda x: 1))
    attempt(Returns(same, lambda x: x.double()))
    attempt(Returns(same, lambda x: (x, 1)))
    attempt(Resize(2), unsafe=True)
    attempt(Resize(2), layer=again())
    attempt(Resize(dtype=t.float64), layer=again())
    attempt(Returns(lambda x: 1, same), layer=again())
    attempt(Returns(same, lambda x: 1), layer=again())
    attempt(Returns(same, lambda x: x.double()), layer=again())
    attempt(Returns(same, lambda x: x[:1]), layer=again())
    attempt(Double(), layer=again())
    found.append(whole(lambda: p.remove_parametrizations(linear(t), "weight")))
    found.append(whole(lambda: p.ParametrizationList([], t.ones(1))))
    return [str(f).replace("nbmodule", "torch") if isinstance(f, str) else f for f in found]


@case
def refused_assignments(t):
    Symmetric, Double, Sum, _, Returns = kinds(t)
    p, found = tools(t), []

    def attempt(made, value):
        m = p.register_parametrization(linear(t, 3, 3), "weight", made)
        found.append(whole(lambda: setattr(m, "weight", value)))
        found.append([m.weight, m.weight.requires_grad])

    attempt(Double(), t.ones(3, 3))
    attempt(Symmetric(), t.ones(3, 3).double())
    attempt(Symmetric(), t.ones(2, 2))
    attempt(Sum(), t.ones(3, 3).double())
    attempt(Symmetric(), t.nn.Parameter(t.ones(3, 3)))
    for first, later in (("pair", [1]), ("pair", (t.ones(1),)), ("pair", "xy"), ("one", 3)):
        made = Returns(lambda *x: x[0], lambda x, first=first: (x, x) if first == "pair" else x)
        m = p.register_parametrization(linear(t, 3, 3), "weight", made)
        made.back = lambda x, later=later: later
        found.append(whole(lambda m=m: setattr(m, "weight", t.ones(3, 3))))
    return [f.replace("nbmodule", "torch") if isinstance(f, str) else f for f in found]


@case
def unsafe_changes(t):
    Resize, p, found = kinds(t)[3], tools(t), []
    for made in (Resize(2), Resize(dtype=t.float64)):
        m = linear(t, 3, 3)
        p.register_parametrization(m, "weight", made, unsafe=True)
        found += [
            shown(m),
            whole(lambda m=m: p.remove_parametrizations(m, "weight")).split("\n")[0],
        ]
        if p.is_parametrized(m):
            found += [
                whole(lambda m=m: p.remove_parametrizations(m, "weight", False)).split("\n")[0]
            ]
        found += [shown(m)]
    return found


@case
def with_an_optimizer(t):
    Symmetric, p, m = kinds(t)[0], tools(t), linear(t, 3, 3)
    p.register_parametrization(m, "weight", Symmetric())
    optimizer = t.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    for _ in range(3):
        optimizer.zero_grad()
        (m(t.ones(2, 3)) ** 2).sum().backward()
        optimizer.step()
    found = [shown(m)]
    p.remove_parametrizations(m, "weight")
    optimizer.step()
    return [*found, shown(m), m.weight is optimizer.param_groups[0]["params"][1]]


@case
def training_and_types(t):
    Symmetric, p, m = kinds(t)[0], tools(t), linear(t, 3, 3).eval()
    made = Symmetric()
    p.register_parametrization(m, "weight", made)
    found = [made.training, m.train() is m, made.training]
    m.double()
    return [*found, shown(m), m(t.ones(3).double()), repr(t.nn.Sequential(m))]
