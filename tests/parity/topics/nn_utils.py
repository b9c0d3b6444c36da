"""Clipping, parameters as a vector, fusing, empty modules, memory formats, members by name."""

import math

from casebook import case, error, told


def parameters(t):
    """Return parameters with gradients of known numbers, one of them without."""
    found = [t.zeros(2, 3, requires_grad=True), t.zeros(2, requires_grad=True)]
    found.append(t.zeros(1, requires_grad=True))
    found[0].grad = t.arange(6.0).view(2, 3) - 2
    found[1].grad = t.tensor([3.0, -1.0])
    return found


@case
def clip_by_norm(t):
    u, found = t.nn.utils, []
    for p in (2.0, 1, 0.5, 3, float("inf"), -1.0, "inf", "2"):
        for largest in (1.0, 100, 0, "0.5"):
            for more in ({}, {"foreach": True}, {"foreach": False}):
                ps = parameters(t)
                norm = u.clip_grad_norm_(ps, largest, p, **more)
                found += [norm, norm.requires_grad, [q.grad for q in ps]]
    return found


@case
def clip_by_norm_of_odd_things(t):
    u = t.nn.utils
    nan, huge = t.zeros(2, requires_grad=True), t.zeros(2, requires_grad=True)
    nan.grad, huge.grad = t.tensor([1.0, float("nan")]), t.tensor([1.0, float("inf")])
    one = parameters(t)[0]
    mixed = [*parameters(t), t.zeros(2, dtype=t.float64, requires_grad=True)]
    mixed[-1].grad = t.ones(2, dtype=t.float64)
    half = t.zeros(3, dtype=t.float16, requires_grad=True)
    half.grad = t.tensor([3.0, 4.0, 0.0]).half()
    found = [
        error(lambda: u.clip_grad_norm_([nan], 1.0, error_if_nonfinite=True)),
        error(lambda: u.clip_grad_norm_(huge, 1.0, math.inf, True)),
        nan.grad,
        huge.grad,
        u.clip_grad_norm_([nan], 1.0),
        u.clip_grad_norm_([huge], 1.0),
        nan.grad,
        huge.grad,
        u.clip_grad_norm_([], 1.0),
        u.clip_grad_norm_(t.nn.Linear(2, 2).parameters(), 1.0),
        u.clip_grad_norm_(one, 1.0),
        one.grad,
        u.clip_grad_norm_(mixed, 1.0),
        [p.grad for p in mixed],
        u.clip_grad_norm_(half, 1.0),
        half.grad,
        told(lambda: u.clip_grad_norm_((p for p in []), 1.0).item()),
        told(lambda: u.clip_grad_norm_((p for p in parameters(t)), 1.0).item()),
        told(lambda: u.clip_grad_norm([], 1.0).item()),
        error(lambda: u.clip_grad_norm_([half], "much")),
        error(lambda: u.clip_grad_norm_([half], 1.0, "fro")),
        error(lambda: u.clip_grad_norm_(3, 1.0)),
        error(lambda: u.clip_grad_norm_([3], 1.0)),
    ]
    return found


@case
def norms_in_total(t):
    u = t.nn.utils
    xs = [t.ones(2, 2), t.tensor(3.0, requires_grad=True)]
    ps = parameters(t)
    found = [u.get_total_norm(xs), u.get_total_norm(xs[0], 1), u.get_total_norm([], 2)]
    found += [u.get_total_norm(xs).requires_grad, u.get_total_norm((x for x in xs), math.inf)]
    found += [error(lambda: u.get_total_norm([t.ones(2).long()]))]
    found += [error(lambda: u.get_total_norm([t.tensor([math.nan])], error_if_nonfinite=True))]
    found += [u.clip_grads_with_norm_(ps, 1.0, t.tensor(8.0)), [p.grad for p in ps]]
    found += [u.clip_grads_with_norm_(ps[0], 1.0, t.tensor(0.5)), ps[0].grad]
    return found


@case
def clip_by_value(t):
    u, found = t.nn.utils, []
    for value in (1.0, 2, 0, "0.5", 0.1):
        for foreach in (None, True, False):
            ps = parameters(t)
            found += [u.clip_grad_value_(ps, value, foreach), [p.grad for p in ps]]
    one = parameters(t)[0]
    u.clip_grad_value_(one, clip_value=1)
    alone = parameters(t)
    u.clip_grad_value_((p for p in alone), 1)
    bad = [error(lambda: u.clip_grad_value_(one, "much")), error(lambda: u.clip_grad_value_(3, 1))]
    return [*found, one.grad, alone[0].grad, alone[1].grad, *bad]


@case
def parameters_as_a_vector(t):
    u = t.nn.utils
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Linear(3, 1))
    vector = u.parameters_to_vector(net.parameters())
    weights = list(net.parameters())
    values = t.arange(float(len(vector)))
    u.vector_to_parameters(values, net.parameters())
    shared = weights[0].data_ptr() == values.data_ptr()
    found = [vector, vector.requires_grad, vector.grad_fn.name(), weights, shared]
    vector.sum().backward()
    return [
        *found,
        weights[0].grad,
        all(a is b for a, b in zip(weights, net.parameters(), strict=True)),
        error(lambda: u.vector_to_parameters([1.0], net.parameters())),
        error(lambda: u.vector_to_parameters(t.ones(3), net.parameters())),
        error(lambda: u.parameters_to_vector([])),
        error(lambda: u.parameters_to_vector([t.ones(2, 3).t()])),
        u.parameters_to_vector([t.ones(2), t.ones(1).double(), t.ones(1, 1).long()]),
    ]


@case
def fused(t):
    u, found = t.nn.utils, []
    t.manual_seed(0)
    for layer, bn, x, more in (
        (t.nn.Conv1d(2, 3, 2), t.nn.BatchNorm1d(3), t.randn(2, 2, 4), ()),
        (t.nn.Conv2d(2, 3, 2, bias=False), t.nn.BatchNorm2d(3), t.randn(2, 2, 4, 4), ()),
        (t.nn.Conv2d(2, 3, 2), t.nn.BatchNorm2d(3, affine=False), t.randn(2, 2, 4, 4), ()),
        (t.nn.ConvTranspose2d(2, 3, 2), t.nn.BatchNorm2d(3), t.randn(2, 2, 3, 3), (True,)),
        (t.nn.Linear(4, 3), t.nn.BatchNorm1d(3), t.randn(5, 4), None),
        (t.nn.Linear(4, 3, bias=False), t.nn.BatchNorm1d(3), t.randn(5, 4), None),
    ):
        net = t.nn.Sequential(layer, bn)
        with t.no_grad():
            for p in bn.parameters():
                p.copy_(t.rand(3))
            net(3 * x + 1)
        net.eval()
        made = u.fuse_linear_bn_eval(*net) if more is None else u.fuse_conv_bn_eval(*net, *more)
        found += [repr(made), made(x), net(x), made.weight.requires_grad, made.bias.requires_grad]
        found += [made.weight is layer.weight, type(made.weight).__name__]
    return found


@case
def not_fused(t):
    u = t.nn.utils
    conv, bn = t.nn.Conv2d(2, 3, 2), t.nn.BatchNorm2d(3)
    linear = t.nn.Linear(2, 4).eval()
    return [
        error(lambda: u.fuse_conv_bn_eval(conv, bn)),
        error(lambda: u.fuse_conv_bn_eval(conv.eval(), bn)),
        error(lambda: u.fuse_linear_bn_eval(linear, t.nn.BatchNorm1d(3).eval())),
        error(lambda: u.fuse_linear_bn_eval(linear, t.nn.BatchNorm1d(4))),
        error(
            lambda: u.fuse_conv_bn_eval(conv, t.nn.BatchNorm2d(3, track_running_stats=False).eval())
        ),
        u.fuse_linear_bn_eval(linear, t.nn.BatchNorm1d(1).eval()).weight.shape == (4, 2),
    ]


@case
def fused_weights(t):
    u, h = t.nn.utils, t.float16
    w, b = t.ones(2, 3, dtype=h), t.zeros(2, dtype=h)
    stats = (t.tensor([1.0, 2.0]), t.tensor([0.25, 4.0]), 0.0)
    w.requires_grad_()
    found = []
    for made in (
        u.fuse_linear_bn_weights(w, b, *stats, t.ones(2), t.ones(2)),
        u.fuse_linear_bn_weights(w, None, *stats, t.ones(2), t.ones(2)),
        u.fuse_conv_bn_weights(w[:, :, None], None, *stats, None, None),
        u.fuse_conv_bn_weights(w.mT[..., None], b, *stats, t.ones(2), None, transpose=True),
    ):
        found += [[type(p).__name__, p, p.requires_grad] for p in made]
    return found


@case
def nothing_drawn(t):
    u = t.nn.utils
    t.manual_seed(0)
    layers = [
        u.skip_init(t.nn.Linear, 5, 1),
        u.skip_init(t.nn.Linear, 5, out_features=2, bias=False),
    ]
    wide = u.skip_init(t.nn.Linear, 2, 2, dtype=t.float64, device="cpu")

    class NoDevice(t.nn.Module):
        pass

    return [
        [repr(m) for m in layers],
        [p.device.type for m in layers for p in m.parameters()],
        str(wide.weight.dtype),
        t.rand(1),
        u.skip_init(t.nn.Linear, 2, 2, device="meta").weight.device.type,
        error(lambda: u.skip_init(NoDevice)),
        error(lambda: u.skip_init(dict)),
        error(lambda: u.skip_init(3)),
    ]


@case
def memory_formats(t):
    u, found = t.nn.utils, []
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Conv2d(2, 3, 2), t.nn.ConvTranspose2d(3, 2, 2), t.nn.Linear(2, 2))
    net.append(t.nn.Conv3d(2, 3, 2))
    before = [p.clone() for p in net.parameters()]
    found.append(u.convert_conv2d_weight_memory_format(net, t.channels_last) is net)
    found += [[list(p.stride()) for p in net.parameters()]]
    u.convert_conv3d_weight_memory_format(net, t.channels_last_3d)
    found += [[list(p.stride()) for p in net.parameters()]]
    u.convert_conv2d_weight_memory_format(net, t.contiguous_format)
    found += [[list(p.stride()) for p in net.parameters()]]
    found += [all((a == b).all() for a, b in zip(before, net.parameters(), strict=True))]
    return found


def accessor(t, module):
    import importlib

    lib = importlib.import_module(f"{t.__name__}.nn.utils._named_member_accessor")
    return lib.NamedMemberAccessor(module), lib


def tree(t):
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Module())
    net[1].register_buffer("b", t.ones(1))
    net[1].plain = t.zeros(1)
    net[1].number = 3
    net[1].tied = net[0].weight
    return net


@case
def members_by_name(t):
    net = tree(t)
    a, _ = accessor(t, net)
    old = a.swap_tensor("0.weight", t.zeros(2, 2))
    found = [old, a.get_tensor("0.weight"), a.get_tensor("1.plain"), a.get_submodule("0") is net[0]]
    found += [a.get_submodule("") is net, a.get_tensors(["0.bias", "1.b"])]
    a.set_tensor("1.b", t.full((1,), 5.0))
    a.set_tensors(["1.plain", "0.bias"], [t.ones(1), t.ones(2)])
    a.set_tensors_dict({"1.new": t.ones(3)})
    found += [a.get_tensors(["1.b", "1.plain", "0.bias", "1.new"]), list(net[1]._buffers)]
    a.del_tensor("1.new")
    a.del_tensors(["1.plain"])
    found += [hasattr(net[1], "new"), hasattr(net[1], "plain")]
    found += [a.swap_tensors(["0.bias"], [None]), a.get_tensor("0.bias")]
    found += [a.swap_tensors_dict({"0.weight": old, "1.b": t.zeros(1)}), a.check_keys(["1.b", "x"])]
    found += [a.swap_tensors_dict({"1.more": old}, allow_missing=True)[1], net[1].more]
    found += [[n for n, _ in f()] for f in (a.named_parameters, a.named_buffers, a.named_tensors)]
    found += [
        [n for n, _ in a.named_tensors(remove_duplicate=False)],
        [n for n, _ in a.named_modules()],
    ]
    other = t.nn.ReLU()
    found += [type(a.swap_submodule("0", other)).__name__, net[0] is other]
    return found


@case
def members_that_are_not_there(t):
    net = tree(t)
    a, lib = accessor(t, net)
    one = t.ones(1)
    found = [
        error(lambda: a.get_submodule("2")),
        error(lambda: a.get_submodule("1.number")),
        error(lambda: a.get_tensor("1.nothing")),
        error(lambda: a.get_tensor("1.number")),
        error(lambda: a.set_tensor("1.b", 3)),
        error(lambda: a.set_tensor("1.", one)),
        error(lambda: a.del_tensor("1.nothing")),
        error(lambda: a.swap_tensor("1.nothing", one)),
        error(lambda: a.swap_tensor("1.number", one)),
        error(lambda: a.swap_tensors_dict({"1.b": one, "1.nothing": one})),
        error(lambda: a.set_tensors(["1.b"], [])),
        error(lambda: a.swap_tensors(["1.b"], [])),
        error(lambda: a.swap_submodule("3", t.nn.ReLU())),
        error(lambda: a.swap_submodule("0", one)).split(" is")[0][:8],
        error(lambda: lib.set_tensor(net, "a.b", one)),
        error(lambda: lib.set_tensor(net, "", one)),
        error(lambda: lib.set_tensor(3, "b", one)),
        error(lambda: lib.swap_tensor(3, "b", one)),
        error(lambda: lib.swap_tensor(net, "a.b", one)),
        error(lambda: lib.swap_submodule(3, "b", net)),
        error(lambda: lib.swap_submodule(net, "a.b", net)),
        error(lambda: lib.swap_submodule(net, "", net)),
    ]
    return [*found, net[1].b, hasattr(net[1], "nothing")]
