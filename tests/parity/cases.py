"""What PyTorch does, as small functions of the library: each returns something that can be compared.

`test_parity.py` runs them on nbmodule against `recorded.json`, and on PyTorch where it is installed.
"""

import copy
import pickle
import warnings
from collections import OrderedDict

CASES = {}


def case(function):
    assert function.__name__ not in CASES, function.__name__
    CASES[function.__name__] = function
    return function


def error(function):
    """Return "Type: first line of the message" of what `function` raises, or that it does not."""
    try:
        value = function()
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
    return f"no error, {value!r}"


# ---- Module: construction and the clerk


def make_net(t):
    nn = t.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(t.ones(2))
            self.register_buffer("b", t.zeros(2))
            self.l = nn.Linear(2, 2)
            self.plain = t.zeros(1)

        def forward(self, x, scale=1):
            return self.l(x) * scale

    return Net()


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


# ---- Module: calling and hooks


@case
def forward_missing(t):
    return [error(lambda: t.nn.Module()(1)), error(lambda: t.nn.Module().forward(1))]


@case
def call_passes_arguments(t):
    net = make_net(t)
    with t.no_grad():
        for p in net.parameters():
            p.fill_(1.0)
    return [net(t.ones(1, 2)), net(t.ones(1, 2), scale=2), net(x=t.ones(1, 2), scale=3)]


@case
def hook_order_and_replacement(t):
    log, m = [], t.nn.Identity()
    m.register_forward_pre_hook(lambda m, args: log.append("pre0"))
    m.register_forward_pre_hook(lambda m, args: log.append("pre1") or args[0] + 1)
    m.register_forward_pre_hook(lambda m, args: log.append("first"), prepend=True)
    m.register_forward_hook(lambda m, args, out: log.append(("fwd", args[0].tolist())) or out * 10)
    m.register_forward_hook(lambda m, args, out: log.append("prepended"), prepend=True)
    return [m(t.ones(1)), log, m.forward(t.ones(1)), len(log)]


@case
def hooks_with_kwargs(t):
    net = make_net(t)
    seen = []
    net.register_forward_pre_hook(lambda m, a, k: (a, {**k, "scale": 0}), with_kwargs=True)
    net.register_forward_hook(lambda m, a, k, out: seen.append(sorted(k)), with_kwargs=True)
    out = net(t.ones(1, 2), scale=5)
    bad = make_net(t)
    bad.register_forward_pre_hook(lambda m, a, k: 5, with_kwargs=True)
    return [out, seen, error(lambda: bad(t.ones(1, 2)))]


@case
def hook_handles(t):
    m, log = t.nn.Identity(), []
    h = m.register_forward_hook(lambda *_: log.append(1))
    with m.register_forward_pre_hook(lambda *_: log.append(2)) as inner:
        m(1)
    m(1)
    h.remove()
    h.remove()
    m(1)
    return [log, len(m._forward_hooks), len(m._forward_pre_hooks), type(inner).__name__]


@case
def always_called(t):
    class Bad(t.nn.Module):
        def forward(self, x):
            raise ValueError("boom")

    log, m = [], Bad()
    m.register_forward_hook(lambda m, a, out: log.append(("plain", out)))
    m.register_forward_hook(lambda m, a, out: log.append(("always", out)), always_call=True)
    return [error(lambda: m(1)), log]


@case
def global_hooks(t):
    log = []
    mod = t.nn.modules.module
    a = mod.register_module_forward_hook(lambda m, i, o: log.append("global"))
    b = mod.register_module_forward_pre_hook(lambda m, i: log.append("global pre"))
    m = t.nn.Identity()
    m.register_forward_hook(lambda *_: log.append("local"))
    m.register_forward_pre_hook(lambda *_: log.append("local pre"))
    m(1)
    a.remove()
    b.remove()
    m(1)
    return log


@case
def global_hooks_with_options(t):
    class Bad(t.nn.Module):
        def forward(self, x, k=1):
            raise ValueError("boom")

    log = []

    def loud(m, args, out):
        raise KeyError("hook")

    register = t.nn.modules.module.register_module_forward_hook
    handles = [
        register(lambda m, a, k, out: log.append(sorted(k)), with_kwargs=True),
        register(lambda m, a, out: log.append(("always", out)), always_call=True),
        register(loud, always_call=True),
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = error(lambda: Bad()(1, k=2))
    handles.pop().remove()
    t.nn.Identity()(1)
    for handle in handles:
        handle.remove()
    return [said, log, [str(w.message) for w in caught]]


@case
def registration_hooks(t):
    log, nn, where = [], t.nn, t.nn.modules.module
    other = nn.Tanh()
    handles = [
        where.register_module_parameter_registration_hook(
            lambda m, n, p: log.append(("parameter", n))
        ),
        where.register_module_buffer_registration_hook(
            lambda m, n, b: log.append(("buffer", n)) or t.ones(2)
        ),
        where.register_module_module_registration_hook(
            lambda m, n, c: log.append(("module", n)) or other
        ),
    ]
    m = nn.Module()
    m.p = nn.Parameter(t.ones(1))
    m.register_parameter("none", None)
    m.b = nn.Buffer(t.zeros(1))
    m.c = nn.ReLU()
    m.add_module("d", nn.ReLU())
    m.c = None
    for handle in handles:
        handle.remove()
    return [log, m.b, m.c is other, m.d is other, list(m._modules)]


# ---- Module: the tree


def make_tree(t):
    nn = t.nn
    shared = nn.Linear(1, 1)
    net = nn.Module()
    net.a = nn.Sequential(shared, nn.ReLU(), shared)
    net.b = nn.Module()
    net.b.c = shared
    net.b.d = nn.Dropout(0.1)
    net.b.register_buffer("r", t.zeros(1))
    net.b.tied = shared.weight
    net.none = None
    return net


@case
def traversal(t):
    net = make_tree(t)
    return [
        [n for n, _ in net.named_modules()],
        [n for n, _ in net.named_modules(remove_duplicate=False)],
        [n for n, _ in net.named_modules(prefix="p")],
        [type(m).__name__ for m in net.modules()],
        [n for n, _ in net.named_children()],
        [n for n, _ in net.a.named_children()],
        [n for n, _ in net.named_parameters()],
        [n for n, _ in net.named_parameters(remove_duplicate=False)],
        [n for n, _ in net.named_parameters("p", recurse=False)],
        [n for n, _ in net.b.named_parameters(recurse=False)],
        [n for n, _ in net.named_buffers()],
        len(list(net.parameters())),
        len(list(net.buffers(recurse=False))),
    ]


@case
def apply_order(t):
    seen = []
    net = make_tree(t)
    same = net.apply(lambda m: seen.append(type(m).__name__)) is net
    return [seen, same]


@case
def get_by_path(t):
    net = make_tree(t)
    return [
        repr(net.get_submodule("a.1")),
        net.get_submodule("") is net,
        error(lambda: net.get_submodule("a.9")),
        error(lambda: net.get_submodule("zzz")),
        error(lambda: net.get_submodule("a.0.weight")),
        tuple(net.get_parameter("a.0.weight").shape),
        error(lambda: net.get_parameter("b.r")),
        error(lambda: net.get_parameter("b.zzz")),
        net.get_buffer("b.r"),
        error(lambda: net.get_buffer("a.0.weight")),
    ]


@case
def modes(t):
    net = make_tree(t)

    def flags():
        return [m.training for m in net.modules()]

    out = [flags(), net.eval() is net, flags(), net.b.train() is net.b, flags()]
    return [*out, error(lambda: net.train(1)), error(lambda: net.train("x"))]


@case
def zero_grad(t):
    layer = t.nn.Linear(2, 1)
    layer(t.ones(1, 2)).sum().backward()
    first = layer.weight.grad
    layer.zero_grad(set_to_none=False)
    second = layer.weight.grad is first and layer.weight.grad.tolist()
    layer.zero_grad()
    return [second, layer.weight.grad, layer.bias.grad]


@case
def freezing(t):
    layer = t.nn.Linear(2, 1)
    same = layer.requires_grad_(False) is layer
    return [same, [p.requires_grad for p in layer.parameters()], layer(t.ones(1, 2)).requires_grad]


@case
def casting(t):
    net = make_net(t)
    w, plain = net.w, net.plain
    net.register_buffer("count", t.tensor(1))
    net.double()
    return [
        net.w is w,
        str(net.w.dtype),
        str(net.b.dtype),
        str(net.count.dtype),
        str(net.plain.dtype),
        net.plain is plain,
        str(net.half().l.weight.dtype),
        str(net.to(t.float64).w.dtype),
        str(net.float().w.dtype),
        error(lambda: net.to(t.int64)),
    ]


@case
def casting_moves_gradients(t):
    layer = t.nn.Linear(2, 1)
    layer(t.ones(1, 2)).sum().backward()
    layer.double()
    return [str(layer.weight.grad.dtype), layer.weight.grad]


@case
def cycle(t):
    m = t.nn.Module()
    m.me = m
    return [len(list(m.modules())), error(lambda: m.train())[:14], error(lambda: repr(m))[:14]]


@case
def module_copies(t):
    net = make_tree(t)
    twin = copy.deepcopy(net)
    again = pickle.loads(pickle.dumps(t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Dropout(0.3))))
    return [
        twin.a[0].weight is twin.b.tied,
        twin.a[0] is twin.b.c,
        twin.a[0] is net.a[0],
        repr(again),
    ]


# ---- layers


@case
def reprs(t):
    nn = t.nn
    made = [
        nn.Linear(2, 3),
        nn.Linear(2, 3, bias=False),
        nn.Conv2d(1, 20, 5),
        nn.Conv2d(4, 8, (3, 2), stride=(2, 1), padding=1, dilation=2, groups=2, bias=False),
        nn.Conv2d(1, 1, 3, padding="same"),
        nn.ReLU(),
        nn.ReLU(True),
        nn.MaxPool2d(2),
        nn.MaxPool2d((3, 2), stride=2, padding=1, ceil_mode=True),
        nn.Flatten(),
        nn.Dropout(),
        nn.Sigmoid(),
        nn.Tanh(),
        nn.Softmax(dim=1),
        nn.LogSoftmax(-1),
        nn.Identity(5, a=3),
        nn.CrossEntropyLoss(),
        nn.MSELoss(),
        nn.NLLLoss(),
        nn.Sequential(),
        nn.Sequential(OrderedDict(a=nn.Linear(1, 1), b=nn.Sequential(nn.ReLU(), nn.Flatten()))),
    ]
    return [repr(m) for m in made]


@case
def repr_of_own_classes(t):
    class Two(t.nn.Module):
        def extra_repr(self):
            return "line one\nline two"

    class One(Two):
        def extra_repr(self):
            return "one line"

    with_child = One()
    with_child.child = Two()
    return [repr(Two()), repr(One()), repr(with_child)]


@case
def linear_initialisation(t):
    t.manual_seed(3)
    layer = t.nn.Linear(3, 2)
    return [layer.weight, layer.bias, t.nn.Linear(2, 2, bias=False).bias]


@case
def conv_initialisation(t):
    t.manual_seed(3)
    c = t.nn.Conv2d(2, 2, 3)
    return [c.weight, c.bias, c.kernel_size, c.stride, c.padding, c.dilation, c.groups]


@case
def layer_argument_errors(t):
    nn = t.nn
    return [
        error(lambda: nn.Conv2d(3, 4, 3, groups=2)),
        error(lambda: nn.Conv2d(4, 3, 3, groups=2)),
        error(lambda: nn.Conv2d(4, 4, 3, groups=0)),
        error(lambda: nn.Conv2d(4, 4, 3, padding="same", stride=2)),
        error(lambda: nn.Dropout(1.5)),
        error(lambda: nn.Sequential(nn.ReLU(), 5)),
        error(lambda: nn.Sequential(lambda x: x))[:9],
    ]


@case
def sequential_as_a_list(t):
    nn = t.nn
    s = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
    part = s[1:]
    out = [
        len(s),
        repr(s[0]),
        repr(s[-1]),
        repr(part),
        part[1] is s[2],
        error(lambda: s[3]),
        error(lambda: s[-4]),
    ]
    del s[0]
    out.append(repr(s))
    s.append(nn.Tanh())
    s.insert(0, nn.Flatten())
    s[1] = nn.Sigmoid()
    popped = s.pop(-1)
    return [
        *out,
        repr(s),
        repr(popped),
        repr(s + nn.Sequential(nn.ReLU())),
        [type(m).__name__ for m in s],
    ]


@case
def module_list(t):
    nn = t.nn
    one = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Sequential(nn.ReLU())])
    out = [
        repr(one),
        len(one),
        repr(one[:2]),
        repr(nn.ModuleList()),
        repr(one + [nn.Tanh()]),
        error(lambda: one[5]),
    ]
    one.append(nn.ReLU())
    one.insert(0, nn.Flatten())
    one += [nn.Tanh()]
    one[1] = nn.Sigmoid()
    del one[2]
    names = [n for n, _ in one.named_parameters()]
    popped = one.pop(0)
    bad = [
        error(lambda: one.append(5)),
        error(lambda: one.extend(5)),
        error(lambda: one(1)),
        error(lambda: nn.ModuleList([5])),
    ]
    return [
        *out,
        repr(one),
        names,
        repr(popped),
        [type(m).__name__ for m in one],
        list(one._modules),
        bad,
    ]


@case
def dropout_modes(t):
    d = t.nn.Dropout(0.5)
    x = t.ones(1000)
    values = sorted(set(d(x).tolist()))
    d.eval()
    return [
        values,
        d(x) is x,
        t.nn.functional.dropout(x, 1.0).sum(),
        error(lambda: t.nn.functional.dropout(x, 2.0)),
    ]


@case
def flatten_and_pool_shapes(t):
    x = t.arange(32.0).reshape(2, 1, 4, 4)
    pooled, places = t.nn.MaxPool2d(2, return_indices=True)(x)
    return [tuple(t.nn.Flatten()(x).shape), tuple(t.nn.Flatten(0, -2)(x).shape), pooled, places]


@case
def shape_errors(t):
    F, z = t.nn.functional, t.zeros
    return [
        error(lambda: z(2, 3) + z(2, 4)),
        error(lambda: z(2, 3) @ z(2, 3)),
        error(lambda: z(3) @ z(4)),
        error(lambda: z(2, 3) @ z(4)),
        error(lambda: z(2, 2, 3) @ z(2, 2, 3)),
        error(lambda: t.nn.Linear(3, 2)(z(5, 4))),
        error(lambda: F.conv2d(z(1, 3, 4, 4), z(2, 2, 3, 3))),
        error(lambda: F.conv2d(z(4, 4), z(2, 1, 3, 3))),
        error(lambda: F.conv2d(z(1, 1, 2, 2), z(1, 1, 3, 3))),
        error(lambda: F.max_pool2d(z(4, 4), 2))[:12],
        error(lambda: F.max_pool2d(z(1, 1, 4, 4), 2, padding=2)),
        error(lambda: z(2, 3).reshape(4)),
        error(lambda: z(2, 3).view(-1, 4)),
        error(lambda: z(2, 3).reshape(-1, -1)),
        error(lambda: z(2, 3).t().view(6)),
        error(lambda: z(2, 3).expand(3, 3)),
        error(lambda: z(2, 3).sum(2)),
        error(lambda: z(2, 3).sum((0, 0))),
        error(lambda: z(2, 3).transpose(0, 3)),
        error(lambda: z(2)[5]),
        error(lambda: z(2)[::-1]),
        error(lambda: t.cat([z(2, 3), z(2, 4)])),
        error(lambda: t.cat([])),
        error(lambda: t.stack([z(2), z(3)])),
        error(lambda: z(2).split([1, 2])),
        error(lambda: z(2).narrow(0, 1, 2)),
        error(lambda: z(2, 2, 2).t()),
        error(lambda: z(2, 3).permute(0)),
        error(lambda: t.ones(2, -1)),
    ]


@case
def loss_errors(t):
    F, z = t.nn.functional, t.zeros
    return [
        error(lambda: F.cross_entropy(z(3, 2), t.tensor([0, 1]))),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([0, 5]))),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([[0, 1]]))),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([0, 1]), reduction="nope")),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([0, 1], dtype=t.int32))),
        error(lambda: F.nll_loss(z(3, 2), t.tensor([0, 1]))),
    ]


# ---- Tensor


@case
def printing(t):
    tensors = [
        t.tensor(1.0),
        t.tensor(1),
        t.tensor(True),
        t.tensor([]),
        t.zeros(0, 3),
        t.tensor([1.0, 2.0]),
        t.tensor([1.5, -2.25]),
        t.tensor([1e-5, 1.0]),
        t.tensor([1e10, 1.0]),
        t.tensor([1e5, 1.0]),
        t.tensor([0.0001, 0.0002]),
        t.tensor([float("nan"), float("inf"), 1.0]),
        t.tensor([float("nan"), float("inf")]),
        t.tensor([[1, 200], [-3, 4]]),
        t.tensor([True, False]),
        t.tensor([1, 2], dtype=t.uint8),
        t.tensor([1.0], dtype=t.float64),
        t.tensor([1.0], requires_grad=True),
        t.tensor([1.0], requires_grad=True) * 2,
        t.arange(2000),
        t.arange(2000.0).reshape(40, 50) / 7,
        t.arange(24.0).reshape(2, 3, 4),
        t.arange(60.0) * 100.5,
        t.zeros(3, 0, dtype=t.int64),
        t.arange(30, dtype=t.float64, requires_grad=True),
        t.tensor([-0.0, 0.0]),
        t.zeros(2, 2),
        t.arange(1200.0).reshape(10, 10, 12),
    ]
    return [repr(x) for x in tensors]


@case
def types_of_data(t):
    made = [1, 1.0, True, [1, 2], [1, 2.0], [True, 2], [[1.0]], [], [t.tensor(1.0), 2]]
    out = [[str(t.tensor(d).dtype), tuple(t.tensor(d).shape)] for d in made]
    return [
        *out,
        error(lambda: t.tensor([[1], [2, 3]]))[:10],
        error(lambda: t.tensor("x")),
        error(lambda: t.tensor(["x"])),
    ]


@case
def promotion(t):
    kinds = [t.bool, t.uint8, t.int8, t.int32, t.int64, t.float16, t.float32, t.float64]
    two = [[str((t.ones(2, dtype=a) + t.ones(2, dtype=b)).dtype) for b in kinds] for a in kinds]
    zero_dim = [
        [str((t.ones(2, dtype=a) * t.tensor(1, dtype=b)).dtype) for b in kinds] for a in kinds
    ]
    numbers = [[str((t.ones(2, dtype=a) * n).dtype) for n in (True, 2, 2.5)] for a in kinds]
    divided = [[str((t.ones(2, dtype=a) / t.ones(2, dtype=b)).dtype) for b in kinds] for a in kinds]
    functions = [
        [str(f(t.ones(2, dtype=a)).dtype) for f in (t.exp, t.sqrt, t.sum, t.sigmoid)]
        for a in kinds[1:]
    ]
    return [
        two,
        zero_dim,
        numbers,
        divided,
        functions,
        [str(t.promote_types(a, b)) for a in kinds for b in kinds],
    ]


@case
def integer_results(t):
    x = t.tensor([7, -7, 2])
    return [
        x // 2,
        x % 3,
        x / 2,
        x * 1.5,
        -x,
        x.abs(),
        x.sum(),
        x.clamp(0, 3),
        x**2,
        x > 0,
        error(lambda: x.mean()),
        t.tensor([True, True]).sum(),
    ]


@case
def boolean_results(t):
    a, b = t.tensor([True, False]), t.tensor([True, True])
    return [a & b, a | b, a ^ b, ~a, a + b, error(lambda: a - b), a.any(), a.all(), a == b]


@case
def factories(t):
    return [
        t.zeros(2, 1), t.ones((2,)), t.full((2,), 3), t.full((1,), 2.5), t.eye(2), t.eye(2, 3), t.arange(3), t.arange(1, 2, 0.25),
        t.arange(5, 0, -2), t.linspace(0, 1, 5), t.zeros_like(t.ones(2, dtype=t.int64)), t.full_like(t.ones(1), 4), t.tensor(3.5).new_ones(2),
        error(lambda: t.arange(0, 5, -1)), error(lambda: t.arange(0, 5, 0)), error(lambda: t.randint(3, 3, (1,))),
    ]  # fmt: skip


@case
def random_numbers(t):
    t.manual_seed(0)
    out = [
        t.rand(3),
        t.randn(3),
        t.randn(17),
        t.rand(2, dtype=t.float64),
        t.randn(20, dtype=t.float64),
        t.randint(10, (4,)),
        t.randint(-5, 5, (3,)),
        t.randperm(7),
    ]
    state = t.get_rng_state()
    a = t.randn(3)
    t.set_rng_state(state)
    g = t.Generator().manual_seed(5)
    return [
        *out,
        (t.randn(3) == a).all(),
        t.rand(2, generator=g),
        t.empty(2).uniform_(-1, 1),
        t.empty(3).normal_(5, 0.1),
        g.initial_seed(),
    ]


@case
def scalars(t):
    x = t.tensor([1.0, 2.0])
    return [
        t.tensor(2.5).item(), t.tensor([[3]]).item(), error(lambda: x.item()), bool(t.tensor(0.0)), error(lambda: bool(x)), error(lambda: bool(t.tensor([]))),
        float(t.tensor(1.5)), int(t.tensor(2)), [1, 2, 3][t.tensor(1)], error(lambda: len(t.tensor(1))), len(x), error(lambda: list(t.tensor(1))),
        f"{t.tensor(1.23456):.2f}", x.tolist(), 2.0 in x, x.tolist() == [v.item() for v in x],
    ]  # fmt: skip


@case
def shape_queries(t):
    x = t.zeros(2, 3, 4)
    return [
        tuple(x.shape),
        x.size(1),
        x.size(-1),
        error(lambda: x.size(3)),
        x.dim(),
        x.ndim,
        x.numel(),
        x.shape.numel(),
        x.stride(),
        x.is_contiguous(),
        x.transpose(0, 1).is_contiguous(),
        x.element_size(),
        x.type(),
    ]


@case
def views_share_memory(t):
    x = t.zeros(2, 3)
    for view in (
        x.view(6),
        x.t(),
        x[0],
        x[:, 1],
        x.reshape(3, 2),
        x.unsqueeze(0),
        x.expand(1, 2, 3),
        x.detach(),
        x.data,
        x.permute(1, 0),
    ):
        before = x.sum().item()
        x.view(-1)[0] += 1
        assert view.sum().item() != before or view.shape == (2,)
    return [x, x._version]


@case
def writing(t):
    x = t.zeros(3, 3)
    x[0] = 1
    x[:, 2] = t.tensor([7.0, 8.0, 9.0])
    x[x > 7.5] = -1
    x[1, 1] = t.tensor(5)
    x[[0, 2], [0, 0]] = t.tensor([3.0, 4.0])
    y = t.arange(4)
    y[1:3] = 9
    y += 1
    return [
        x,
        y,
        error(lambda: y.add_(0.5)),
        error(lambda: t.zeros(2).add_(t.zeros(3, 2))),
        t.zeros(2).fill_(3),
        t.zeros(2).copy_(t.ones(1)),
    ]


@case
def writing_where_memory_is_shared(t):
    return [
        error(lambda: t.zeros(1).expand(3).add_(1)),
        error(lambda: t.zeros(3, 1).expand(3, 2).mul_(2)),
    ]


@case
def losses_that_broadcast(t):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loss = t.nn.functional.mse_loss(t.ones(3, 2), t.zeros(2))
    return [loss, [str(w.message) for w in caught], caught[0].category.__name__]


@case
def versions(t):
    x = t.zeros(2)
    v = x.view(2)
    d = x.detach()
    seen = [x._version]
    x.add_(1)
    seen.append([x._version, v._version, d._version])
    v.mul_(2)
    seen.append([x._version, v._version, d._version])
    x.data.add_(1)
    seen.append(x._version)
    x[0] = 5
    return [*seen, x._version]


@case
def comparisons_with_others(t):
    x = t.ones(2)
    return [(x == None), (x != None), x == 1, hash(x) == hash(x), x is x]  # noqa: E711


# ---- autograd


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


# ---- optimisation


def trained(t, **options):
    p, q = t.tensor([1.0, -2.0], requires_grad=True), t.tensor([3.0], requires_grad=True)
    optimizer = t.optim.SGD([p, q], **options)
    for _ in range(4):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    return [p, q, p._version]


@case
def sgd(t):
    return [
        trained(t, lr=0.1),
        trained(t, lr=0.1, momentum=0.9),
        trained(t, lr=0.1, momentum=0.9, nesterov=True),
        trained(t, lr=0.1, momentum=0.9, dampening=0.5),
        trained(t, lr=0.1, weight_decay=0.5),
        trained(t, lr=0.1, maximize=True),
        trained(t)[:2],
    ]


@case
def sgd_groups(t):
    p, q = t.tensor([1.0], requires_grad=True), t.tensor([1.0], requires_grad=True)
    o = t.optim.SGD([{"params": [p], "lr": 1.0}, {"params": q}], lr=0.1, momentum=0.5)
    (p + q).sum().backward()
    loss = o.step(lambda: 42)
    keys = ("dampening", "lr", "momentum", "nesterov", "weight_decay", "maximize")
    return [
        p,
        q,
        loss,
        [[g[k] for k in keys] for g in o.param_groups],
        len(o.state),
        list(o.state[p]),
    ]


@case
def optimizer_errors(t):
    p = t.ones(1, requires_grad=True)
    SGD = t.optim.SGD
    return [
        error(lambda: SGD([], lr=0.1)),
        error(lambda: SGD(p, lr=0.1)),
        error(lambda: SGD([5], lr=0.1)),
        error(lambda: SGD([p * 2], lr=0.1)),
        error(lambda: SGD([p], lr=-1)),
        error(lambda: SGD([p], lr=0.1, momentum=-1)),
        error(lambda: SGD([p], lr=0.1, nesterov=True)),
        error(lambda: SGD([{"params": [p]}, {"params": [p]}], lr=0.1)),
        error(lambda: SGD(t.nn.Linear(1, 1).parameters(), lr=0.1) and None),
    ]


@case
def training_a_small_net(t):
    t.manual_seed(1)
    net = t.nn.Sequential(
        t.nn.Conv2d(1, 4, 3), t.nn.ReLU(), t.nn.MaxPool2d(2), t.nn.Flatten(), t.nn.Linear(36, 3)
    )
    x, y = t.randn(8, 1, 8, 8), t.randint(3, (8,))
    optimizer = t.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(5):
        loss = t.nn.functional.cross_entropy(net(x), y)
        net.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return [losses, net[0].bias]


# ---- what PyTorch's users also write


class Friendly:
    """Knows how to meet a tensor on its left, as a tensor does not know how to meet it."""

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __gt__(self, other):
        return "gt"


@case
def operators_with_strangers(t):
    x, f = t.ones(2), Friendly()

    def in_place():
        y = t.ones(2)
        y += None

    return [
        x + f, x @ f, x < f, error(lambda: x + None), error(lambda: None - x), error(lambda: x * "a"), error(lambda: x < "a"), error(lambda: [1] - x),
        error(in_place), error(lambda: t.mul(x, None)), error(lambda: x.matmul(5)), x == None, x == "a", x.__add__(None) is NotImplemented,  # noqa: E711
    ]  # fmt: skip


@case
def numpy_numbers_are_numbers(t):
    import numpy as np

    i = t.arange(2)
    return [
        i * np.float64(2.5), np.float64(2.5) * i, i + np.int64(2), t.ones(2) * np.float32(2), t.ones(2) + np.ones(2), np.sqrt(t.ones(2)), np.maximum(t.zeros(2), 1),
        t.tensor([np.float64(1.5)]), t.tensor([np.int32(1)]), t.tensor([np.int64(1), 2.5]), t.arange(np.int64(2)), t.full((1,), np.int64(3)), t.ones(2, 3).sum(np.int64(1)),
    ]  # fmt: skip


@case
def small_integers_wrap_around(t):
    x = t.tensor([200], dtype=t.uint8)
    return [
        x + 300,
        x * 2,
        x > -1,
        t.tensor([5], dtype=t.int8) * 1000,
        error(lambda: t.tensor([1]) + 2**70),
    ]


@case
def refused_arithmetic(t):
    mask, n = t.tensor([True, False]), t.arange(3)
    return [
        error(lambda: mask - 1), error(lambda: 1 - mask), error(lambda: t.ones(2) - True), error(lambda: -mask), error(lambda: ~t.ones(1)), error(lambda: t.ones(1) & 1),
        error(lambda: n % 0), error(lambda: n // t.tensor([1, 0, 1])), error(lambda: n**-1), t.ones(1) // 0, t.ones(1) % 0, error(lambda: mask.relu()),
        error(lambda: t.add(n, n, alpha=0.5)), error(lambda: n.clamp()), error(lambda: t.ones(2).dot(t.ones(2, dtype=t.float64))), error(lambda: t.ones(2, 3).bmm(t.ones(3, 2))),
    ]  # fmt: skip


@case
def operators_in_place_keep_the_object(t):
    x, mask = t.tensor([5, 7]), t.tensor([True, False])
    before, mask_before = x, mask
    x //= 2
    x %= 2
    x &= 1
    mask ^= True
    return [
        x is before,
        mask is mask_before,
        x,
        mask,
        x._version,
        t.tensor([4]) << 1,
        t.tensor([4]) >> 1,
    ]


@case
def other_call_forms(t):
    x = t.arange(6.0).reshape(2, 3)
    return [
        x.sum(axis=1), x.mean(axis=0, keepdims=True), x.reshape(shape=(3, 2)), x.view(size=(6,)), x.permute(dims=(1, 0)), x.flip(dims=[0]), x.expand(size=(1, 2, 3)),
        t.zeros(size=(2,)), t.rand(size=(0,)), t.zeros(1, dtype=int), t.ones(1, dtype=float), t.arange(end=2), t.randint(high=1, size=(2,)), t.add(2, x), t.pow(2, x), x.eq(other=1.0),
        t.max(x, other=t.ones(3)), x.var(1, False), x.prod(dtype=t.float64), x.cumsum(0, dtype=t.float64), t.split(x, split_size_or_sections=1), x.clamp(t.ones(3), t.full((3,), 3.0)),
        x.round(decimals=-1), t.div(x, 2, rounding_mode="trunc"), t.where(x > 4), x.nonzero(), t.cat([t.zeros(0), x]), t.nn.functional.relu(input=x), t.Tensor(2, 0), t.full_like(x, 2, dtype=t.int64),
    ]  # fmt: skip


@case
def extremes_read_as_in_pytorch(t):
    found = t.tensor([3.0, 1.0]).max(0)
    values, indices = found
    return [repr(found), repr(t.ones(2, 2).min(0)), type(found).__name__, values, indices]


@case
def nothing_to_reduce(t):
    empty = t.zeros(0, 3)
    return [
        error(lambda: empty.max()), error(lambda: empty.max(0)), error(lambda: empty.argmax()), error(lambda: empty.amax(0)), error(lambda: t.tensor([True]).argmax()),
        error(lambda: t.arange(3).var()), error(lambda: t.arange(3).norm()), empty.softmax(0), empty.sum(0), t.tensor(1.0).cumsum(0), error(lambda: empty.sum("a")),
    ]  # fmt: skip


@case
def byte_tensors(t):
    b = t.tensor([0, 1, 1], dtype=t.uint8)
    return [b.all(), b.any(), b.prod(), t.arange(3)[b], t.where(b, 1, 0), t.tensor([300.0]).byte()]


@case
def norms(t):
    x = t.arange(4.0).reshape(2, 2)
    return [x.norm(p) for p in (0, 1, 2, 3, float("inf"), float("-inf"), "fro")] + [
        x.norm(dim=1),
        x.norm(2, 0, True),
    ]


@case
def numbers_before_arrays_in_an_index(t):
    x = t.arange(24).reshape(2, 3, 4)
    return [
        x[0, :, [1, 2]],
        x[[0, 1], :, 0],
        x[None, 0, :, [0, 1]],
        x[0, [0, 1]],
        x[[[0, 1], [1, 1]]],
        x[..., None].shape[-1],
        x[[True, False]].shape[0],
    ]


@case
def index_errors(t):
    x, m = t.arange(5), t.arange(6).reshape(2, 3)
    return [
        error(lambda: x[1, 2]), error(lambda: x[1.0]), error(lambda: x["a"]), error(lambda: x[t.tensor([1.0])]), error(lambda: x[t.tensor([True, False])]), error(lambda: t.tensor(1)[0]),
        error(lambda: m[[0, 1], [0, 1, 2]]), error(lambda: x[0:2:0]), error(lambda: m.select(1, 5)), error(lambda: x.narrow(0, 0, -1)), error(lambda: x.gather(0, t.tensor([-1]))),
        error(lambda: x.index_select(0, t.tensor([9]))), error(lambda: x.split(0)), error(lambda: x.chunk(0)), error(lambda: m.__setitem__(m > 2, t.tensor([1, 2]))), error(lambda: m.__delitem__(0)),
        error(lambda: m.__setitem__(0, None)), error(lambda: t.tensor(1).unbind()), error(lambda: x.mT), error(lambda: m.permute(0, 0)), error(lambda: x.expand(-1, 5)),
    ]  # fmt: skip


@case
def sizes_stay_sizes(t):
    s = t.zeros(2, 3).shape
    return [
        repr(s + (4,)),
        repr((4,) + s),
        repr(s * 2),
        repr(s[1:]),
        error(lambda: t.Size([1.5])),
        type(copy.deepcopy(s)).__name__,
    ]


@case
def data_errors(t):
    return [
        error(lambda: t.tensor(None)), error(lambda: t.tensor({})), error(lambda: t.tensor([[1, 2], [3]])), error(lambda: t.tensor([[1], 2])), error(lambda: t.tensor(2**63)), error(lambda: t.tensor([1], dtype="float32")),
        error(lambda: t.zeros(1.5)), error(lambda: t.zeros("a")), error(lambda: t.zeros(2, "a")), error(lambda: t.full(2, 3)), error(lambda: t.eye(-1)), error(lambda: t.zeros_like(5)),
        error(lambda: t.arange(3).uniform_()), error(lambda: t.ones(1).uniform_(3, 2)), error(lambda: t.ones(2).fill_(t.ones(2))), error(lambda: float(t.ones(2))), error(lambda: t.manual_seed(2**64)),
    ]  # fmt: skip


@case
def dropped_at_random(t):
    t.manual_seed(3)
    F = t.nn.functional
    return [
        F.dropout(t.ones(12)), F.dropout(t.ones(3, 4), 0.2), t.nn.Dropout(0.7)(t.ones(10, dtype=t.float64)), t.empty(8).bernoulli_(0.3), t.bernoulli(t.full((8,), 0.5)), t.rand(3), t.rand(2, dtype=t.float16),
        t.normal(0.0, 1.0, (3,)), error(lambda: F.dropout(t.arange(3))),
    ]  # fmt: skip


@case
def names_of_nodes(t):
    x, m = t.ones(2, requires_grad=True), t.ones(2, 2, requires_grad=True)
    F = t.nn.functional
    made = [
        x + 1, 1 - x, 2 / x, x**2, x**x, 2**x, x.sum(), x.sum(0), x.mean(0), x.max(), x.max(0).values, m.t(), m @ m, m @ x, x @ x, m[0], m[:, 0], m[0:1], m[[0]], m[m > 0], x[None],
        m.squeeze(), m.unsqueeze(0), m.reshape(4), m.flip(0), m.repeat(1, 2), m.split(1)[0], m.unbind()[0], x.norm(), x.std(), x.clamp(0, 1), F.mse_loss(x, x), F.linear(m, m, x), F.linear(x, m, x), x.masked_fill(x > 0, 1),
    ]  # fmt: skip
    node = (x * 2).grad_fn
    return [y.grad_fn.name() for y in made] + [
        type(node).__name__,
        type(node.next_functions[0][0]).__name__,
    ]


@case
def gradients_at_the_edges(t):
    def grads(f, *values):
        leaves = [t.tensor(v, requires_grad=True) for v in values]
        f(*leaves).sum().backward()
        return [leaf.grad for leaf in leaves]

    nan = float("nan")
    return [
        grads(lambda x: x.norm(), [0.0, 0.0]), grads(lambda x: x.std(), [2.0, 2.0]), grads(lambda x: x.var(), [2.0]), grads(lambda x: x.relu(), [0.0, nan]), grads(lambda x: x.max(), [nan, 1.0]),
        grads(lambda x: x.amax(), [nan, 1.0]), grads(t.maximum, [1.0, nan], [1.0, 2.0]), grads(lambda x: x.div(2, rounding_mode="floor"), [3.0]),
    ]  # fmt: skip


@case
def switches_as_decorators(t):
    @t.set_grad_enabled(False)
    def off():
        return t.is_grad_enabled()

    @t.no_grad()
    def echo():
        got = None
        while True:
            try:
                got = yield got, t.is_grad_enabled()
            except KeyError:
                got = "caught"

    after, g = t.is_grad_enabled(), echo()
    return [
        after,
        off(),
        next(g),
        g.send(5),
        g.throw(KeyError()),
        t.is_grad_enabled(),
        g.close(),
        error(lambda: t.set_grad_enabled("x")),
    ]


@case
def layers_called_wrongly(t):
    nn, F = t.nn, t.nn.functional
    return [
        error(lambda: nn.Linear(2, 2)(None)), error(lambda: nn.Linear(2, 2)([1.0, 2.0])), error(lambda: nn.ReLU()(5)), error(lambda: F.cross_entropy(t.zeros(2, 3), [0])), error(lambda: nn.Linear(2, 2)(t.tensor(1.0))),
        error(lambda: nn.Conv2d(1, 1, 1)(t.ones(1, 1, 2, 2, dtype=t.float64))), error(lambda: nn.MaxPool2d(2)(t.ones(1, 1, 1, 1))), error(lambda: F.cross_entropy(t.zeros(4), t.tensor([1, 2]))), error(lambda: F.nll_loss(t.zeros(2, 3), t.zeros(2, 3, dtype=t.int64))),
        error(lambda: F.cross_entropy(t.arange(6).reshape(2, 3), t.tensor([0, 1]))), error(lambda: F.mse_loss(t.arange(2), t.arange(2))), error(lambda: F.one_hot(t.tensor([-1]))), error(lambda: F.one_hot(t.tensor([2]), 2)), error(lambda: nn.Sequential(nn.ReLU)),
        error(lambda: setattr(nn.Linear(1, 1), "weight", nn.Linear)), F.linear(t.ones(2), t.ones(2)), F.cross_entropy(t.zeros(3), t.tensor([1])), repr(nn.Softmax()), isinstance(nn.CrossEntropyLoss(), nn.NLLLoss),
    ]  # fmt: skip


@case
def sequential_arithmetic(t):
    nn = t.nn
    s = nn.Sequential(nn.ReLU())
    doubled, added = s * 2, nn.Sequential(nn.Tanh())
    added += s
    added *= 2
    return [
        repr(doubled),
        repr(2 * s),
        repr(added),
        error(lambda: s * 0),
        error(lambda: s * 1.5),
        error(lambda: s["0"]),
        error(lambda: s.insert(0, 5)),
    ]


@case
def optimizers_look_alike(t):
    SGD, p = t.optim.SGD, t.nn.Parameter(t.ones(1))
    two = SGD(
        [{"params": [p]}, {"params": [t.nn.Parameter(t.ones(1))], "lr": 1.0}], lr=0.1, foreach=False
    )
    named = SGD(t.nn.Linear(1, 1).named_parameters(), lr=0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SGD([p, p])
    return [
        repr(two),
        list(named.param_groups[0]),
        named.param_groups[0]["param_names"],
        list(two.param_groups[1]),
        list(two.defaults),
        [str(w.message) for w in caught],
    ]


@case
def register_module_goes_through_add_module(t):
    log = []

    class M(t.nn.Module):
        def add_module(self, name, module):
            log.append(name)
            super().add_module(name, module)

    M().register_module("child", t.nn.ReLU())
    return log


@case
def copies_of_results(t):
    y = t.ones(2, requires_grad=True) * 2
    c, p = copy.copy(y), pickle.loads(pickle.dumps(y))
    turned = t.arange(6.0).reshape(2, 3).t()
    return [
        c,
        c.is_leaf,
        c.requires_grad,
        p.requires_grad,
        copy.deepcopy(turned).stride(),
        turned.clone().stride(),
        turned.contiguous().stride(),
    ]


@case
def parameters_in_text(t):
    p = t.nn.Parameter(t.tensor(1.0))
    return [f"{p}", f"{p.detach()}", f"{p * 1:.1f}"]
