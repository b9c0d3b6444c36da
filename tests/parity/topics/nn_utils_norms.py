"""Weight and spectral normalisation, old and new, and orthogonal weights."""

import copy
import pickle
import warnings

from casebook import case, error


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def made(t, kind="Linear", *args, **kwargs):
    t.manual_seed(0)
    return getattr(t.nn, kind)(
        *(args or (4, 3)), **kwargs
    ).double()  # float32 drifts apart in training


def ones(t, *shape):
    return t.ones(*shape, dtype=t.float64)


def shown(m):
    return [
        {k: [v, v.requires_grad] for k, v in m.named_parameters()},
        dict(m.named_buffers()),
        {k: [v, v.requires_grad, name(v)] for k, v in vars(m).items() if hasattr(v, "detach")},
        [type(h).__name__ for h in m._forward_pre_hooks.values()],
        repr(m),
    ]


def name(x):
    return x.grad_fn.name() if x.grad_fn else None


def trained(t, m, x, steps=2):
    """Return outputs and gradients of some steps."""
    found = []
    optimizer = t.optim.SGD(m.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        y = m(x)
        (y**2).sum().backward()
        found += [y, {k: p.grad for k, p in m.named_parameters()}]
        optimizer.step()
    return found


@case
def older_weight_norm(t):
    u, found = t.nn.utils, []
    for dim in (0, 1, None, -1, -2):
        m = made(t)
        quiet(u.weight_norm, m, dim=dim)
        found += [shown(m), trained(t, m, ones(t, 2, 4)), name(m.weight)]
        u.remove_weight_norm(m)
        found += [shown(m), m(ones(t, 4))]
    for dim in (0, 1, 2):
        m = made(t, "Conv1d", 2, 3, 2)
        quiet(u.weight_norm, m, "weight", dim)
        found += [
            shown(m),
            trained(t, m, t.arange(12.0).view(1, 2, 6).double() / 5),
            name(m.weight),
        ]
    return found


@case
def older_weight_norm_warns(t):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.nn.utils.weight_norm(made(t))
    return [[w.category.__name__, str(w.message)] for w in seen]


@case
def older_weight_norm_refuses(t):
    u, m = t.nn.utils, made(t)
    quiet(u.weight_norm, m)
    return [
        error(lambda: quiet(u.weight_norm, m)),
        error(lambda: u.remove_weight_norm(m, "bias")),
        error(lambda: quiet(u.weight_norm, m, "nothing")),
        error(lambda: quiet(u.weight_norm, made(t), dim=5)),
        error(lambda: u.remove_weight_norm(made(t))),
    ]


@case
def older_weight_norm_copies(t):
    m = quiet(t.nn.utils.weight_norm, made(t))
    refused = error(lambda: copy.deepcopy(m)).split("(")[0][:30]
    with t.no_grad():
        m(ones(t, 4))
    copied, pickled = copy.deepcopy(m), pickle.loads(pickle.dumps(m))
    return [refused, shown(copied), shown(pickled), copied(ones(t, 4)), pickled(ones(t, 4))]


@case
def older_spectral_norm(t):
    u, found = t.nn.utils, []
    for layer, x, more in (
        (("Linear",), ones(t, 2, 4), {}),
        (("Linear",), ones(t, 2, 4), {"n_power_iterations": 3, "eps": 0.1, "dim": 1}),
        (("Conv1d", 2, 3, 2), ones(t, 1, 2, 5), {}),
        (("ConvTranspose1d", 2, 3, 2), ones(t, 1, 2, 5), {}),
    ):
        m = made(t, *layer)
        u.spectral_norm(m, **more)
        found += [shown(m), trained(t, m, x), shown(m)]
        m.eval()
        found += [trained(t, m, x), m.state_dict()._metadata, list(m.state_dict())]
        u.remove_spectral_norm(m)
        found += [shown(m), m(x), m.state_dict()._metadata]
    return found


@case
def older_spectral_norm_refuses(t):
    u, m = t.nn.utils, made(t, "Linear", 4, 3, bias=False)
    u.spectral_norm(m)
    return [
        error(lambda: u.spectral_norm(m)),
        error(lambda: u.spectral_norm(made(t), n_power_iterations=0)),
        error(lambda: u.spectral_norm(made(t, "Linear", 4, 3, bias=False), "bias")),
        error(lambda: u.spectral_norm(made(t), "nothing")),
        error(lambda: u.remove_spectral_norm(m, "bias")),
        error(lambda: u.remove_spectral_norm(made(t))),
    ]


@case
def states_of_older_spectral_norm(t):
    u, found = t.nn.utils, []
    source = u.spectral_norm(made(t, "Linear", 3, 4))
    source(ones(t, 3))
    whole = source.state_dict()
    for drop, keep_version in (
        ((), True),
        ((), False),
        (("weight_v",), False),
        (("weight_u",), True),
    ):
        state = whole.copy()
        state._metadata = copy.deepcopy(whole._metadata)
        if not keep_version:
            del state._metadata[""]["spectral_norm"]
        if "weight_v" in drop:
            state["weight"] = source.weight.detach()
        for key in drop:
            del state[key]
        m = u.spectral_norm(t.nn.Linear(3, 4).double())
        found.append(error(lambda m=m, state=state: m.load_state_dict(state)))
        found.append(error(lambda m=m, state=state: m.load_state_dict(state, strict=False)))
        m.eval()
        found += [shown(m), m(ones(t, 3)), list(state)]
    return found


@case
def spectral_norm_in_training_and_not(t):
    m = t.nn.utils.spectral_norm(made(t))
    x, found = ones(t, 2, 4), []
    for training in (True, False, True):
        m.train(training)
        found += [m(x), m.weight_u, m.weight_v, m(x)]
    m.train()
    first, second = m(x), m(2 * x)
    (first.sum() * second.sum()).backward()
    return [*found, m.weight_orig.grad]


def pz(t):
    return t.nn.utils.parametrizations


@case
def weight_norm(t):
    found = []
    for dim in (0, 1, None, -1):
        m = made(t)
        same = pz(t).weight_norm(m, dim=dim) is m
        found += [
            same,
            shown(m),
            trained(t, m, ones(t, 2, 4)),
            name(m.weight),
            list(m.state_dict()),
        ]
        m.weight = ones(t, 3, 4)
        found += [shown(m), m.weight]
        t.nn.utils.parametrize.remove_parametrizations(m, "weight")
        found += [shown(m)]
    return [*found, error(lambda: pz(t).weight_norm(made(t), "nothing")).split("\n")[0]]


@case
def weight_norm_reads_the_older_form(t):
    older = quiet(t.nn.utils.weight_norm, made(t))
    t.manual_seed(5)
    m = pz(t).weight_norm(t.nn.Linear(4, 3).double())
    net, nest = t.nn.Sequential(m), t.nn.Sequential(older)
    return [repr(net.load_state_dict(nest.state_dict())), m(ones(t, 4)), older(ones(t, 4))]


@case
def spectral_norm(t):
    found = []
    for layer, x, more in (
        (("Linear",), ones(t, 2, 4), {}),
        (("Linear",), ones(t, 2, 4), {"n_power_iterations": 3, "eps": 0.1, "dim": -1}),
        (("Conv1d", 2, 3, 2), ones(t, 1, 2, 5), {}),
        (("ConvTranspose1d", 2, 3, 2), ones(t, 1, 2, 5), {}),
        (("Linear",), ones(t, 2, 4), {"name": "bias"}),
    ):
        m = made(t, *layer)
        found += [pz(t).spectral_norm(m, **more) is m, shown(m), trained(t, m, x), shown(m)]
        m.eval()
        found += [trained(t, m, x), list(m.state_dict()), m.weight, name(m.weight)]
        which = more.get("name", "weight")
        t.nn.utils.parametrize.remove_parametrizations(m, which)
        found += [shown(m), m(x)]
    return found


@case
def spectral_norm_refuses(t):
    return [
        error(lambda: pz(t).spectral_norm(made(t), "nothing")),
        error(lambda: pz(t).spectral_norm(made(t), n_power_iterations=0)),
        error(lambda: pz(t).spectral_norm(made(t), dim=2)),
        error(lambda: pz(t).spectral_norm(made(t), dim=-3)),
    ]


@case
def orthogonal(t):
    found = []
    for shape in ((3, 3), (4, 2), (1, 3)):
        for way in (None, "matrix_exp", "cayley", "householder"):
            for base in (True, False):
                m = made(t, "Linear", *shape)
                pz(t).orthogonal(m, orthogonal_map=way, use_trivialization=base)
                w = m.weight
                small = w if w.size(0) < w.size(1) else w.mT
                found += [small @ small.mT, repr(m), list(m.state_dict()), name(w)]
                found += [tuple(w.shape), m.parametrizations.weight[0].orthogonal_map.name]
                if base or way == "householder" or (way is None and shape != (3, 3)):
                    found += [w, m.parametrizations.weight.original]
                found += (
                    trained(t, m, ones(t, 2, shape[0]), 1) if way != "matrix_exp" or base else []
                )
    return found


@case
def orthogonal_values_that_are_assigned(t):
    found = []
    for shape in ((3, 3), (5, 3), (3, 5)):
        for way in (None, "cayley", "householder", "matrix_exp"):
            for base in (True, False):
                m = pz(t).orthogonal(
                    made(t, "Linear", *shape), "weight", way, use_trivialization=base
                )
                value = t.nn.init.orthogonal_(ones(t, shape[1], shape[0]))
                found.append(error(lambda m=m, value=value: setattr(m, "weight", value)))
                if base or way == "householder":
                    found.append((m.weight - value).abs().max().item() < 1e-5)
                    found.append((m.weight.mT.mean() - value.mean()).item() < 9)
    return found


@case
def orthogonal_refuses(t):
    m = pz(t).orthogonal(made(t))
    return [
        error(lambda: pz(t).orthogonal(made(t), "bias")),
        error(lambda: pz(t).orthogonal(made(t), "nothing")),
        error(lambda: pz(t).orthogonal(made(t), orthogonal_map="qr")),
        error(lambda: setattr(m, "weight", ones(t, 2, 2))),
    ]


@case
def orthogonal_batches_and_copies(t):
    m = t.nn.Module()
    t.manual_seed(0)
    m.weight = t.nn.Parameter(t.randn(2, 4, 3, dtype=t.float64))
    pz(t).orthogonal(m)
    copied = copy.deepcopy(m)
    other = t.nn.Module()
    other.weight = t.nn.Parameter(t.randn(2, 4, 3, dtype=t.float64))
    pz(t).orthogonal(other)
    loaded = repr(other.load_state_dict(m.state_dict()))
    return [m.weight, m.weight.mT @ m.weight, copied.weight, loaded, other.weight]


@case
def the_functions_below(t):
    t.manual_seed(0)
    v, found = t.randn(2, 3, 4), []
    for dim in (0, 1, 2, -1, -2, -3, 3, -4):
        shape = error(lambda dim=dim: tuple(t.norm_except_dim(v, 2, dim).shape)).split("\n")[0]
        found += [shape, t.norm_except_dim(v, 2, dim) if shape.startswith("no error") else None]
    for dim in (0, 1, 2, -1):
        x = v.clone().requires_grad_()
        g = (t.norm_except_dim(v, 2, dim) * 2).requires_grad_()
        y = t._weight_norm(x, g, dim)
        (y**3).sum().backward()
        found += [y, name(y), name(t.norm_except_dim(x, 2, dim)), x.grad, g.grad]
    return [
        *found,
        t.norm_except_dim(v, pow=1),
        str(t.norm_except_dim(v.half(), 2, 0).dtype),
        error(lambda: t.norm_except_dim(v.long())),
        error(lambda: t.norm_except_dim(3)),
        error(lambda: t._weight_norm(v, t.ones(2, 1, 1).double())),
    ]
