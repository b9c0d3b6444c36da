"""Walks over the tree of a Module."""

import copy
import pickle

from casebook import case, error, make_net


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


@case
def names_that_are_no_strings(t):
    m = t.nn.Module()
    m._modules[3] = t.nn.Linear(1, 1)
    m._parameters[4] = t.nn.Parameter(t.ones(1))
    fine = t.nn.Linear(1, 1)
    return [
        error(lambda: [path for path, _ in m.named_modules()]),
        error(lambda: [path for path, _ in m.named_parameters()]),
        error(lambda: m.state_dict()),
        error(lambda: m.load_state_dict({})),
        error(lambda: list(fine.named_parameters(prefix=3))),
        error(lambda: list(fine.named_parameters(prefix=None))),
        error(lambda: fine.state_dict(prefix=None)),
    ]


@case
def deep_trees_are_shown(t):
    root = module = t.nn.Module()
    for _ in range(200):
        module.c = t.nn.Module()
        module = module.c
    return [len(repr(root)), len(list(root.modules()))]
