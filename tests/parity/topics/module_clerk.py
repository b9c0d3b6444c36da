"""Construction of a Module, and where it puts what is assigned to it."""

import copy

from casebook import case, error, make_net


@case
def module_slots(t):
    return [list(vars(t.nn.Module())), {k: repr(v) for k, v in vars(t.nn.Module()).items()}]


@case
def module_where_things_go(t):
    net = make_net(t)
    return [
        sorted(net._parameters),
        sorted(net._buffers),
        sorted(net._modules),
        "w" in vars(net),
        "plain" in vars(net),
    ]


@case
def module_stray_arguments(t):
    class M(t.nn.Module):
        pass

    return [
        error(lambda: M(1)),
        error(lambda: M(1, 2)),
        error(lambda: M(a=1)),
        error(lambda: t.nn.Module(1, a=2)),
    ]


@case
def module_call_super_init(t):
    seen = []

    class Other:
        def __init__(self, *args, **kwargs):
            seen.append((args, kwargs))

    class M(t.nn.Module, Other):
        call_super_init = True

    M(1, a=2)
    return seen


@case
def assign_over_parameter(t):
    net = make_net(t)
    return [
        error(lambda: setattr(net, "w", 5)),
        error(lambda: setattr(net, "w", t.ones(2))),
        error(lambda: setattr(net, "w", "x")),
    ]


@case
def assign_none_keeps_the_place(t):
    net = make_net(t)
    net.w = None
    net.b = None
    net.l = None
    return [
        net.w,
        list(net._parameters),
        list(net._buffers),
        list(net._modules),
        [n for n, _ in net.named_parameters()],
        repr(net),
    ]


@case
def assign_over_child(t):
    net = make_net(t)
    return [error(lambda: setattr(net, "l", 5)), error(lambda: setattr(net, "l", t.ones(1)))]


@case
def assign_over_buffer(t):
    net = make_net(t)
    before = error(lambda: setattr(net, "b", 5))
    net.b = t.ones(3)
    return [before, net.b, list(net._buffers), "b" in vars(net)]


@case
def kinds_replace_each_other(t):
    nn, out = t.nn, []
    values = {
        "parameter": lambda: nn.Parameter(t.ones(1)),
        "module": lambda: nn.ReLU(),
        "buffer": lambda: nn.Buffer(t.ones(1)),
        "number": lambda: 5,
        "none": lambda: None,
        "tensor": lambda: t.ones(1),
    }
    for first in values:
        for second in values:
            m = nn.Module()
            m.x = values[first]()
            said = error(lambda m=m, second=second: setattr(m, "x", values[second]()))
            homes = [d for d in ("_parameters", "_buffers", "_modules") if "x" in vars(m)[d]]
            out.append(
                [
                    first,
                    second,
                    said,
                    homes + ["__dict__"] * ("x" in vars(m)),
                    sorted(m._non_persistent_buffers_set),
                ]
            )
    return out


@case
def buffer_persistence(t):
    m = t.nn.Module()
    m.register_buffer("a", t.ones(1), persistent=False)
    m.b = t.nn.Buffer(t.ones(1), persistent=False)
    first = sorted(m._non_persistent_buffers_set)
    m.a = t.zeros(1)
    second = sorted(m._non_persistent_buffers_set)
    m.a = t.nn.Buffer(t.ones(1))
    third = sorted(m._non_persistent_buffers_set)
    del m.b
    return [
        first,
        second,
        third,
        sorted(m._non_persistent_buffers_set),
        isinstance(m.a, t.nn.Buffer),
    ]


@case
def before_init(t):
    nn = t.nn

    def make(value):
        class M(nn.Module):
            def __init__(self):
                self.x = value()

        return M

    return [
        error(make(lambda: nn.Linear(1, 1))),
        error(make(lambda: nn.Parameter(t.ones(1)))),
        error(make(lambda: nn.Buffer(t.ones(1)))),
        make(lambda: 3)().x,
        error(lambda: list(make(lambda: 3)().parameters())),
        error(lambda: make(lambda: 3)()(1))[:46],
    ]


@case
def register_names(t):
    nn, m = t.nn, t.nn.Module()
    m.taken = 1
    p, b, c = nn.Parameter(t.ones(1)), t.ones(1), nn.ReLU()
    bad = ["", "a.b", 5, "taken", "forward"]
    return [
        [error(lambda n=n: m.register_parameter(n, p)) for n in bad],
        [error(lambda n=n: m.register_buffer(n, b)) for n in bad],
        [error(lambda n=n: m.add_module(n, c)) for n in bad],
        [error(lambda n=n: m.register_module(n, c)) for n in bad],
        sorted(vars(m)["_parameters"]) + sorted(vars(m)["_buffers"]) + sorted(vars(m)["_modules"]),
    ]


@case
def register_values(t):
    m = t.nn.Module()
    made = t.nn.Parameter(t.ones(1)) * 2
    return [
        error(lambda: m.register_parameter("p", 5)),
        error(lambda: m.register_parameter("p", t.ones(1))),
        error(lambda: m.register_buffer("b", 5)),
        error(lambda: m.add_module("c", 5)),
        error(lambda: m.register_parameter("n", None)),
        error(lambda: m.register_buffer("o", None)),
        error(lambda: m.add_module("q", None)),
        type(made).__name__,
        list(m._parameters) + list(m._buffers) + list(m._modules),
    ]


@case
def missing_attribute(t):
    net = make_net(t)

    class P(t.nn.Module):
        @property
        def p(self):
            return self.inner_missing

    return [
        error(lambda: net.nope),
        hasattr(net, "nope"),
        error(lambda: P().p),
        error(lambda: net.w.nope),
    ]


@case
def delete(t):
    net = make_net(t)
    for name in ("w", "b", "l", "plain"):
        delattr(net, name)
    return [
        list(net._parameters),
        list(net._buffers),
        list(net._modules),
        "plain" in vars(net),
        error(lambda: delattr(net, "nope")),
    ]


@case
def directory(t):
    net = make_net(t)
    s = t.nn.Sequential(t.nn.ReLU())
    return [
        [n in dir(net) for n in ("w", "b", "l", "plain", "forward", "training")],
        "0" in dir(s),
        repr(getattr(s, "0")),
        dir(net) == sorted(dir(net)),
    ]


@case
def parameter_basics(t):
    P = t.nn.Parameter
    base = t.zeros(2)
    p = P(base)
    with t.no_grad():
        base.add_(1)
    return [
        repr(p),
        p.requires_grad,
        P(base, requires_grad=False).requires_grad,
        error(lambda: P(t.tensor([1]))),
        P(t.tensor([1]), requires_grad=False),
        isinstance(p, t.Tensor),
        type(p * 2) is t.Tensor,
        type(p.detach()) is t.Tensor,
        type(p.data) is t.Tensor,
        type(copy.deepcopy(p)) is P,
    ]
