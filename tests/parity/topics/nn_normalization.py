"""Normalisation and distances: running statistics, dtypes, shapes that do not fit, old checkpoints."""

import copy
import math
import warnings

from casebook import case, error


def _x(t, *shape):
    n = 1
    for s in shape:
        n *= s
    return (t.arange(float(n)).reshape(shape) * 7 % 5 - 1.5).requires_grad_()


def _values(x):
    return x.detach().flatten().tolist()


def _rounded(x):
    """The values as texts, for those that are no numbers."""
    return [str(round(v, 3) + 0.0) for v in _values(x)]


def _names(x):
    """The names of the nodes behind `x`, from there to the leaves."""
    found, todo = [], [x.grad_fn]
    while todo:
        node = todo.pop(0)
        if node is not None:
            found.append(node.name())
            todo += [n for n, _ in node.next_functions]
    return found


# ---- batch normalisation


@case
def running_statistics_move(t):
    layer, found = t.nn.BatchNorm1d(2), []
    for step in range(3):
        layer(_x(t, 4, 2) + step)
        found.append(
            (
                _values(layer.running_mean),
                _values(layer.running_var),
                layer.num_batches_tracked.item(),
            )
        )
    layer.eval()
    layer(_x(t, 4, 2))
    return (
        found,
        _values(layer.running_mean),
        layer.num_batches_tracked.item(),
        layer.running_mean._version,
    )


@case
def cumulative_statistics(t):
    layer, found = t.nn.BatchNorm2d(2, momentum=None), []
    for step in range(3):
        layer(_x(t, 2, 2, 2, 3) * (step + 1))
        found.append((_values(layer.running_mean), _values(layer.running_var)))
    layer.reset_running_stats()
    return (
        found,
        _values(layer.running_mean),
        _values(layer.running_var),
        layer.num_batches_tracked.item(),
    )


@case
def untracked_statistics(t):
    layer = t.nn.BatchNorm1d(2, track_running_stats=False)
    train, layer.training = _values(layer(_x(t, 4, 2))), False
    return (
        train == _values(layer(_x(t, 4, 2))),
        list(layer.state_dict()),
        layer.running_mean,
        list(layer.buffers()),
    )


@case
def statistics_removed_by_hand(t):
    layer = t.nn.BatchNorm1d(2).eval()
    layer.running_mean = layer.running_var = None
    alone = t.nn.BatchNorm1d(2).eval()
    alone.running_var = None
    untracked = t.nn.BatchNorm1d(2)
    untracked.track_running_stats = False
    untracked(_x(t, 4, 2))
    return (
        _values(layer(_x(t, 4, 2))),
        error(lambda: alone(_x(t, 4, 2))),
        _values(untracked.running_mean),
    )


@case
def nothing_moves_where_a_call_fails(t):
    layer = t.nn.BatchNorm1d(2)
    found = [
        error(lambda: layer(_x(t, 1, 2))),
        error(lambda: layer(_x(t, 4, 3))),
        error(lambda: layer(_x(t, 4))),
    ]
    return (
        found,
        _values(layer.running_mean),
        _values(layer.running_var),
        layer.num_batches_tracked.item(),
    )


@case
def dimensions_that_layers_take(t):
    found = []
    for kind in (
        "BatchNorm1d",
        "BatchNorm2d",
        "BatchNorm3d",
        "InstanceNorm1d",
        "InstanceNorm2d",
        "InstanceNorm3d",
        "SyncBatchNorm",
    ):
        layer = getattr(t.nn, kind)(2)
        for dims in range(7):
            found += [
                (kind, dims, error(lambda layer=layer, d=dims: tuple(layer(t.ones([2] * d)).shape)))
            ]
    return found


@case
def functions_that_batch_norm_refuses(t):
    F, x = t.nn.functional, _x(t, 2, 3, 4)
    m, v = t.zeros(3), t.ones(3)
    calls = [
        lambda: F.batch_norm(x, None, None), lambda: F.batch_norm(x, m, None), lambda: F.batch_norm(x, None, v),
        lambda: F.batch_norm(x, m, None, training=True), lambda: F.batch_norm(x, t.zeros(2), v),
        lambda: F.batch_norm(x, m, t.ones(2)), lambda: F.batch_norm(x, m, v, t.ones(2)),
        lambda: F.batch_norm(x, m, v, None, t.ones(2)), lambda: F.batch_norm(x.int(), m, v),
        lambda: F.batch_norm(t.ones(4), m, v), lambda: F.batch_norm(t.ones(1, 3), None, None, training=True),
        lambda: F.batch_norm(x, m, v, training=True, eps=0), lambda: F.batch_norm(x, m, v, eps=-1),
        lambda: F.batch_norm(x, t.zeros(3, requires_grad=True), v),
        lambda: F.batch_norm(x, m, t.ones(3, requires_grad=True), training=True),
        lambda: F.batch_norm(x, 1, v), lambda: F.batch_norm(x, m, v, momentum=None),
        lambda: F.batch_norm(x, m, v, weight=[1.0, 1.0, 1.0]), lambda: F.batch_norm(x, m, v, eps="small"),
        lambda: t.batch_norm(x, None, None, m, v, False, 0.1, 1e-5),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls]


@case
def mixed_dtypes(t):
    F, found = t.nn.functional, []
    kinds = (None, t.float16, t.float32, t.float64)
    for kind in kinds[1:]:
        x = t.ones(2, 4, 3).to(kind)
        for weight in kinds:
            for bias in kinds:
                w, b = (k and t.ones(4, dtype=k) for k in (weight, bias))
                for run in (
                    lambda x=x, w=w, b=b: F.batch_norm(x, t.zeros(4), t.ones(4), w, b),
                    lambda x=x, w=w, b=b: F.batch_norm(x, None, None, w, b, True),
                    lambda x=x, w=w, b=b: F.group_norm(x, 2, w, b),
                    lambda x=x, w=w, b=b: F.layer_norm(x.transpose(1, 2), (4,), w, b),
                ):
                    found += [error(lambda run=run: str(run().dtype).rpartition(".")[2])]
    return found


@case
def gradients_in_mixed_dtypes(t):
    layer, x = t.nn.BatchNorm1d(3), _x(t, 4, 3).half().detach().requires_grad_()
    layer(x).sum().backward()
    return [str(p.grad.dtype).rpartition(".")[2] for p in (x, *layer.parameters())]


@case
def nodes(t):
    F, x, w = t.nn.functional, _x(t, 2, 4, 3), t.ones(4, requires_grad=True)
    outs = [
        F.batch_norm(x, None, None, w, w, True), F.batch_norm(x, t.zeros(4), t.ones(4)), F.group_norm(x, 2, w),
        F.instance_norm(x), F.layer_norm(x, (3,)), F.local_response_norm(x, 2), F.normalize(x),
        F.cosine_similarity(x, x), F.pairwise_distance(x, x), t.nn.InstanceNorm1d(4)(x[0]),
        F.batch_norm(x[:0], None, None, w, w, True),
    ]  # fmt: skip
    return (
        [_names(out) for out in outs],
        F.rms_norm(x, (3,)).grad_fn.name(),
        F.rms_norm(x.half(), (3,)).grad_fn.name(),
    )


@case
def nothing_to_normalise(t):
    F = t.nn.functional

    def shapes(run, shape, size):
        x, weight = t.zeros(shape, requires_grad=True), t.ones(size, requires_grad=True)
        out = run(x, weight)
        out.sum().backward()
        return tuple(out.shape), tuple(x.grad.shape), _values(weight.grad)

    runs = [
        lambda x, w: F.batch_norm(x, None, None, w, w, True), lambda x, w: F.group_norm(x, 2, w, w),
        lambda x, w: F.instance_norm(x, weight=w), lambda x, w: F.batch_norm(x, 0 * w.detach(), w.detach(), w),
    ]  # fmt: skip
    found = []
    for shape in ((0, 4, 3), (2, 0, 3), (2, 4, 0)):
        found += [error(lambda run=run, s=shape: shapes(run, s, s[1])) for run in runs]
        found.append(
            error(lambda s=shape: shapes(lambda x, w: F.layer_norm(x, w.shape, w), s, s[2]))
        )
    return found


@case
def large_means(t):
    """In float32 a mean of a thousand deviations costs three digits, not all."""
    x = 1000 + t.tensor([[0.0, 1.0, 2.0, 3.0] * 8] * 4)
    F = t.nn.functional
    outs = [
        F.batch_norm(x.reshape(4, 2, 16), None, None, training=True),
        F.layer_norm(x, (32,)),
        F.group_norm(x, 2),
    ]
    return [[round(v, 2) for v in out.flatten()[:4].tolist()] for out in outs]


@case
def not_numbers(t):
    F, nan, inf = t.nn.functional, float("nan"), float("inf")
    x = t.tensor([[1.0, nan, 3.0], [1.0, 2.0, 4.0], [0.0, inf, 1.0]])
    outs = [
        F.layer_norm(x, (3,)),
        F.batch_norm(x, None, None, training=True),
        F.rms_norm(x, (3,)),
        F.normalize(x),
    ]
    return [_rounded(out) for out in outs]


@case
def constant_channels(t):
    x = t.full((4, 2, 3), 7.0, requires_grad=True)
    outs = [
        t.nn.BatchNorm1d(2)(x),
        t.nn.LayerNorm(3)(x),
        t.nn.GroupNorm(1, 2)(x),
        t.nn.InstanceNorm1d(2)(x),
    ]
    return [(_rounded(out)[:2], _rounded(t.autograd.grad(out.sum(), x)[0])[:2]) for out in outs]


@case
def native_functions(t):
    x, none = _x(t, 2, 4, 3).detach(), (None, None)
    m, v = t.zeros(4), t.ones(4)
    outs = [
        t.native_layer_norm(x, (3,), *none, 1e-5), t.native_group_norm(x, *none, 2, 4, 3, 2, 1e-5),
        t.native_batch_norm(x, *none, m, v, True, 0.1, 1e-5), t.native_batch_norm(x, *none, m, v, False, 0.1, 1e-5),
    ]  # fmt: skip
    return [[(_values(part)[:4], tuple(part.shape)) for part in out] for out in outs], _values(m)


# ---- the others


@case
def what_instance_norm_refuses(t):
    F, x = t.nn.functional, _x(t, 2, 3, 4)
    m, v = t.zeros(3), t.ones(3)
    calls = [
        lambda: F.instance_norm(x, use_input_stats=False), lambda: F.instance_norm(x[:, :, :1]),
        lambda: F.instance_norm(x[0, 0]), lambda: F.instance_norm(x, t.zeros(2), t.ones(2)),
        lambda: F.instance_norm(x, weight=t.ones(2)), lambda: F.instance_norm(x, bias=t.ones(2)),
        lambda: F.instance_norm(x.int()), lambda: F.instance_norm(x, m), lambda: F.instance_norm(x, m, v),
        lambda: F.instance_norm(x.double(), m, v), lambda: F.instance_norm(x, weight=t.ones(3).double()),
        lambda: F.instance_norm(x, m, None, use_input_stats=False),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls], _values(m), _values(v), m._version


@case
def instance_layers_and_the_number_of_channels(t):
    found = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for affine in (False, True):
            for shape in ((2, 3, 4), (3, 4)):
                layer = t.nn.InstanceNorm1d(2, affine=affine)
                found.append(error(lambda layer=layer, s=shape: tuple(layer(t.randn(s)).shape)))
    return found, [str(w.message) for w in told]


@case
def tracked_instances(t):
    layer = t.nn.InstanceNorm1d(2, track_running_stats=True, momentum=0.5)
    x = _x(t, 2, 2, 3)
    train, mean = _values(layer(x)), _values(layer.running_mean)
    layer.eval()
    one = _values(layer(x[0]))
    return (
        train,
        mean,
        _values(layer.running_var),
        one,
        layer.num_batches_tracked.item(),
        list(layer.state_dict()),
    )


@case
def what_layer_norm_refuses(t):
    F, x = t.nn.functional, _x(t, 2, 3, 4)
    calls = [
        lambda: F.layer_norm(x, 4), lambda: F.layer_norm(x, [3]), lambda: F.layer_norm(x, []),
        lambda: F.layer_norm(x, [4], t.ones(3)), lambda: F.layer_norm(x, [4], t.ones(4), t.ones(1, 4)),
        lambda: F.layer_norm(x.int(), [4]), lambda: F.layer_norm(t.tensor(1.0), []),
        lambda: F.layer_norm(x, [2, 3, 4, 5]), lambda: F.layer_norm(None, [4]), lambda: F.layer_norm(x, None),
        lambda: F.layer_norm(x, [4], 3), lambda: F.layer_norm(x, [4], eps="a"), lambda: F.layer_norm(x, t.tensor([4])),
        lambda: F.rms_norm(x, 4), lambda: F.rms_norm(x, [3]), lambda: F.rms_norm(x, []),
        lambda: F.rms_norm(x, [4], t.ones(3)), lambda: F.rms_norm(x.int(), [4]), lambda: t.nn.LayerNorm(3)(x),
        lambda: t.layer_norm(x), lambda: F.layer_norm(x, [4], eps=-1e-3),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls]


@case
def what_group_norm_refuses(t):
    F, x = t.nn.functional, _x(t, 2, 6, 4)
    calls = [
        lambda: F.group_norm(x, 4), lambda: F.group_norm(x, 0), lambda: F.group_norm(x, -3),
        lambda: F.group_norm(x, 3, t.ones(3)), lambda: F.group_norm(x, 3, t.ones(6), t.ones(2)),
        lambda: F.group_norm(x.int(), 3), lambda: F.group_norm(x[0, 0], 1), lambda: F.group_norm(t.ones(1, 3), 3),
        lambda: F.group_norm(x, 2.0), lambda: t.group_norm(x[0, 0], 1), lambda: t.group_norm(t.ones(1, 3), 3),
        lambda: t.group_norm(x, 0), lambda: t.nn.GroupNorm(3, 4), lambda: t.nn.GroupNorm(0, 4),
        lambda: t.nn.GroupNorm(2, 4)(x),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls]


@case
def other_norms_refuse(t):
    F, x = t.nn.functional, t.ones(2, 3, 4)
    calls = [
        lambda: F.local_response_norm(x[0], 2), lambda: F.local_response_norm(x, 0),
        lambda: t.nn.CrossMapLRN2d(3)(x), lambda: F.normalize(t.ones(3)), lambda: F.normalize(x.int()),
        lambda: F.normalize(x, dim=(0, 1)), lambda: F.normalize(x, out=t.zeros(2, 3, 4)),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls]


@case
def normalize_into_out(t):
    out = t.zeros(2, 2)
    found = t.nn.functional.normalize(t.tensor([[3.0, 4.0], [0.0, 0.0]]), out=out)
    return (
        found is out,
        _values(out),
        _values(t.nn.functional.normalize(t.tensor([[3.0, -4.0]]), p=float("inf"))),
    )


@case
def distances_refuse(t):
    F, x = t.nn.functional, t.ones(3, 2)
    calls = [
        lambda: F.cosine_similarity(x.int(), x.int()), lambda: F.cosine_similarity(x.int(), x),
        lambda: F.cosine_similarity(x.double(), x), lambda: F.cosine_similarity(x, t.ones(3, 4)),
        lambda: F.cosine_similarity(x[0], x[0]), lambda: F.cosine_similarity(1, x),
        lambda: F.pairwise_distance(x, t.ones(3, 4)), lambda: F.pairwise_distance(x, x[0], keepdim=True),
        lambda: F.pairwise_distance(1, x), lambda: F.pairwise_distance(x, x, p="a"),
        lambda: F.pairwise_distance(x.int(), x.int()), lambda: F.pairwise_distance(t.tensor(3.0), t.tensor(2.0)),
        lambda: F.pdist(x[0]), lambda: F.pdist(x.int()), lambda: F.pdist(x, -1.0),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls]


@case
def distances_of_nothing(t):
    """Vectors of length 0, and equal ones."""
    F, found = t.nn.functional, []
    x = t.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    for p in (0.0, 0.5, 1.0, 2.0, 3.0, float("inf"), -1.0):
        out = F.pairwise_distance(x, x.detach(), p)
        found.append(_rounded(out))
        if p:  # PyTorch has no gradient for the number of what is not 0
            found.append(_rounded(t.autograd.grad(out.sum(), x)[0]))
    for eps in (1e-8, 1.0, 100.0):
        out = F.cosine_similarity(x, x.detach(), eps=eps)
        found.append(_values(out) + _values(t.autograd.grad(out.sum(), x)[0]))
    return found


# ---- state


@case
def checkpoints_from_before_the_count(t):
    layer, found = t.nn.BatchNorm1d(2), []
    state = layer.state_dict()
    del state["num_batches_tracked"]
    old = copy.deepcopy(state)
    old._metadata[""]["version"] = 1
    layer(_x(t, 4, 2))
    found.append(error(lambda: str(layer.load_state_dict(old))))
    found.append(
        (
            _values(layer.running_mean),
            layer.num_batches_tracked.item(),
            "num_batches_tracked" in old,
        )
    )
    found.append(error(lambda: layer.load_state_dict(state)))
    found.append(error(lambda: str(t.nn.BatchNorm1d(2).load_state_dict(dict(old)))))
    return found, layer.state_dict()._metadata[""]


@case
def checkpoints_with_statistics_that_are_not_wanted(t):
    layer = t.nn.InstanceNorm1d(2)
    state = {"running_mean": t.zeros(2), "running_var": t.ones(2)}
    try:
        layer.load_state_dict(dict(state))
    except RuntimeError as e:
        return str(e)


@case
def converted_layers(t):
    net = t.nn.Sequential(
        t.nn.Linear(2, 2),
        t.nn.Sequential(t.nn.BatchNorm1d(2, eps=0.1, affine=False)),
        t.nn.BatchNorm1d(2, bias=False),
    )
    net.eval()
    out = t.nn.SyncBatchNorm.convert_sync_batchnorm(net, process_group=3)
    layer = out[1][0]
    alone = t.nn.BatchNorm2d(2)
    sync = t.nn.SyncBatchNorm.convert_sync_batchnorm(alone)
    return (
        repr(out),
        out is net,
        layer.training,
        layer.process_group,
        sync.weight is alone.weight,
        list(sync.state_dict()),
    )


@case
def what_layers_carry(t):
    found = []
    for layer in (t.nn.BatchNorm2d(3), t.nn.InstanceNorm1d(3), t.nn.LayerNorm(3), t.nn.GroupNorm(1, 3), t.nn.RMSNorm(3),
                  t.nn.LocalResponseNorm(2), t.nn.CosineSimilarity(), t.nn.PairwiseDistance(), t.nn.LazyBatchNorm1d()):  # fmt: skip
        own = {k: v for k, v in vars(layer).items() if not k.startswith("_")}
        found.append((own, layer._version, sorted(getattr(layer, "__constants__", []))))
    return found


@case
def on_meta(t):
    layers = (t.nn.BatchNorm2d(3, device="meta"), t.nn.LayerNorm(4, device="meta"), t.nn.GroupNorm(1, 3, device="meta"),
              t.nn.InstanceNorm2d(3, affine=True, track_running_stats=True, device="meta"), t.nn.RMSNorm(4, device="meta"))  # fmt: skip
    x = t.empty(2, 3, 4, 4, device="meta", requires_grad=True)
    return [
        (tuple(out.shape), str(out.device), str(layer.weight.device), out.requires_grad)
        for layer in layers
        for out in [layer(x)]
    ]


@case
def lazy_layers(t):
    layer = t.nn.LazyBatchNorm2d(eps=0.1, affine=True, dtype=t.float64)
    before = (
        repr(layer),
        layer.num_features,
        type(layer.weight).__name__,
        layer.has_uninitialized_params(),
    )
    layer(t.randn(2, 3, 4, 4, dtype=t.float64))
    bare = t.nn.LazyInstanceNorm1d(affine=False, track_running_stats=False)
    wrong = error(lambda: t.nn.LazyBatchNorm1d()(t.ones(2, 3, 4, 5)))
    return (
        before,
        repr(layer),
        type(layer).__name__,
        layer.num_batches_tracked.item(),
        repr(bare),
        wrong,
    )


@case
def written_in_place_before_backward(t):
    found = []
    for layer in (t.nn.BatchNorm1d(2), t.nn.LayerNorm(2), t.nn.GroupNorm(1, 2)):
        x = _x(t, 4, 2) * 1
        out = layer(x)
        x.add_(1)
        found.append(error(lambda out=out: out.sum().backward()).partition("].")[0])
    return found


@case
def arguments_of_other_kinds(t):
    F, x = t.nn.functional, _x(t, 2, 4, 3)
    m, v = t.zeros(4), t.ones(4)
    calls = [
        lambda: F.batch_norm(x, m, v, training=True, momentum=t.tensor(0.5)), lambda: F.batch_norm(x, m, v, training=1),
        lambda: F.batch_norm(x, m, v, momentum=True), lambda: F.group_norm(x, t.tensor(2)),
        lambda: F.layer_norm(x, (3,), eps=t.tensor(0.5)), lambda: F.cosine_similarity(x, x, dim=(0, 1)),
        lambda: F.pairwise_distance(x, x, keepdim=1), lambda: t.nn.BatchNorm1d(4, foo=1), lambda: t.nn.BatchNorm1d(),
        lambda: t.nn.LayerNorm(), lambda: F.instance_norm(x, foo=1), lambda: t.nn.CrossMapLRN2d(3)(t.ones(1, 4, 2, 2).int()),
        lambda: t.nn.CrossMapLRN2d(0)(t.ones(1, 4, 2, 2)), lambda: F.normalize(x, out=t.zeros(0)),
    ]  # fmt: skip
    return [error(lambda c=c: tuple(c().shape)) for c in calls], _values(m), _values(v)


@case
def layouts(t):
    """Channels that lie last in memory stay there; the other layers write row by row."""
    x = t.ones(2, 3, 4, 5).contiguous(memory_format=t.channels_last)
    layers = (
        t.nn.BatchNorm2d(3),
        t.nn.BatchNorm2d(3).eval(),
        t.nn.GroupNorm(1, 3),
        t.nn.InstanceNorm2d(3),
        t.nn.LayerNorm(5),
    )
    turned = t.ones(5, 4, 3, 2).permute(3, 2, 1, 0)
    return [(layer(x).stride(), layer(turned).stride()) for layer in layers]


@case
def running_totals_keep_the_dtype_that_is_asked_for(t):
    x = t.ones(3, dtype=t.int32)
    return [
        str(y.dtype).rpartition(".")[2]
        for y in (x.cumsum(0), x.cumsum(0, dtype=t.int32), x.cumprod(0, dtype=t.int16))
    ]


@case
def norms_of_nothing_and_by_nothing(t):
    f, x, nothing = t.nn.functional, t.ones(2, 3), t.zeros(3, 0)
    calls = (
        "f.normalize(x, p=[2])", "f.normalize(x, dim=1j)", "f.normalize(x, dim=0.5)", "x.norm(2, 'a')", "f.normalize(nothing, p=-1)", "nothing.norm(math.inf, 1)", "t.zeros(0).norm(math.inf)",
        "f.normalize(nothing, p=2)", "t.norm_except_dim(x, 1.5, 0)", "t.norm_except_dim(x, 2, True)", "t.norm_except_dim(t.tensor(1.0), 2, 0)", "t.norm_except_dim(t.tensor(1.0), 2, 1)",
        "nothing.t().norm(math.inf, (-1, -2))", "t.pdist(x.half())", "f.rms_norm(x, [4, 2, 3])", "f.rms_norm(x, [4, 2, 3], weight=x)",
    )  # fmt: skip
    known = {"t": t, "f": f, "x": x, "nothing": nothing, "math": math}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = [error(lambda c=c: eval(c, known).tolist()) for c in calls]
        f.rms_norm(t.zeros(0), [0])
        x = t.ones(2, 1, requires_grad=True)
        (x * t.tensor([math.inf, -math.inf])).sum().backward()
        t.tensor([math.inf, 0.0]).prod()
    y = t.ones(2, 4, 3, requires_grad=True)
    name = t.native_group_norm(y, None, None, 2, 4, 3, 2, 1e-5)[0].grad_fn.name()
    turned = t.ones(5, 4).t()
    return found, [str(w.message) for w in said], name, f.rms_norm(turned, [5]).stride()
