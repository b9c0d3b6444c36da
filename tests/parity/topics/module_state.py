"""State of a Module: written down and read back, with hooks and overrides."""

import copy
import pickle
import warnings
from collections import OrderedDict

from casebook import case, error


def whole(function):
    """Return "Type: all lines of the message" of what `function` raises, or what it returns."""
    try:
        return repr(function())
    except Exception as e:
        return f"{type(e).__name__}: {e}"


def warned(function):
    """Return what `function` returns, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function()
    return [value, [[w.category.__name__, str(w.message)] for w in caught]]


def net(t):
    """Two layers of known numbers."""
    nn = t.nn
    made = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    with t.no_grad():
        for i, p in enumerate(made.parameters()):
            p.fill_(i)
    return made


@case
def state_of_a_net(t):
    m = net(t)
    state = m.state_dict()
    return [
        list(state),
        type(state).__name__,
        dict(state),
        [v.requires_grad for v in state.values()],
        [v.requires_grad for v in m.state_dict(keep_vars=True).values()],
        [type(v).__name__ for v in m.state_dict(keep_vars=True).values()],
        m.state_dict(keep_vars=True)["0.weight"] is m[0].weight,
        state._metadata,
        m.state_dict(prefix="a.")._metadata,
        list(m.state_dict(prefix="a.")),
        list(m.state_dict(prefix="a")),
    ]


@case
def state_into_a_destination(t):
    m, plain = net(t), {}
    same = m.state_dict(destination=plain) is plain
    ordered = OrderedDict(first=1)
    m.state_dict(destination=ordered, prefix="p.")
    return [same, list(plain), hasattr(plain, "_metadata"), list(ordered)]


@case
def state_by_position(t):
    m = net(t)
    return [
        warned(lambda: list(m.state_dict(None, "x."))),
        warned(lambda: list(m.state_dict({}, "x.", True))),
        warned(lambda: [v.requires_grad for v in m.state_dict(None, "x.", True).values()]),
        warned(lambda: list(m.state_dict(None, "x.", prefix="y."))),
        error(lambda: m.state_dict(keep=True)),
    ]


@case
def state_shares_memory(t):
    m = net(t)
    state = m.state_dict()
    state["0.weight"].fill_(7)
    kept = copy.deepcopy(state)
    with t.no_grad():
        m[0].weight.zero_()
    return [m[0].weight, state["0.weight"], kept["0.weight"], kept._metadata]


@case
def state_is_pickled_and_copied(t):
    state = net(t).state_dict()
    again = pickle.loads(pickle.dumps(state))
    return [dict(again), again._metadata, hasattr(state.copy(), "_metadata")]


@case
def state_leaves_out(t):
    m = t.nn.Module()
    m.register_parameter("none", None)
    m.register_buffer("nothing", None)
    m.register_buffer("passing", t.ones(1), persistent=False)
    m.register_buffer("kept", t.ones(1))
    m.plain = t.ones(1)
    m.child = None
    return [list(m.state_dict()), whole(lambda: m.load_state_dict({"kept": t.zeros(1)})), m.kept]


@case
def state_of_tied_parts(t):
    nn = t.nn
    m = nn.Module()
    m.a = nn.Linear(1, 1)
    m.b = m.a
    m.w = m.a.weight
    return [list(m.state_dict()), whole(lambda: m.load_state_dict(m.state_dict()))]


@case
def load_and_what_it_returns(t):
    m = net(t)
    state = {k: v + 10 for k, v in m.state_dict().items()}
    found = m.load_state_dict(state)
    loose = m.load_state_dict({"0.weight": t.zeros(2, 2), "odd": 3}, strict=False)
    return [
        repr(found),
        str(found),
        found == ([], []),
        type(found).__name__,
        repr(loose),
        loose.missing_keys,
        loose.unexpected_keys,
        dict(m.state_dict()),
    ]


@case
def load_refuses(t):
    m = net(t)
    good = m.state_dict()
    bad = [
        {},
        {"z": 1},
        {**good, "z": 1, "0.q": 2, "9.x": 3, "1.x": 4, "0.weight.x": 5, "_extra_state": 6},
        {**good, "0.weight": t.ones(3)},
        {**good, "0.weight": t.ones(3), "2.bias": t.ones(1, 1)},
        {**good, "0.weight": None},
        {**good, "0.weight": "text", "0.bias": 5, "2.bias": [1.0]},
    ]
    return [
        [whole(lambda s=s: m.load_state_dict(s)) for s in bad],
        [whole(lambda s=s: m.load_state_dict(s, strict=False)) for s in bad],
        [whole(lambda s=s: m.load_state_dict(s)) for s in (None, 5, [], "abc", [("a", 1)])],
        error(lambda: m.load_state_dict()),
        error(lambda: m.load_state_dict({1: 2})),
    ]


@case
def load_below_names_with_dots(t):
    out = []
    for names in (["a.b"], ["a", "a.b"], ["a.b", "a"], ["", "."], ["a", "a.a", "a.a.a"]):
        for strict in (True, False):
            m = t.nn.Module()
            for name in names:
                child = t.nn.Module()
                child.p = t.nn.Parameter(t.zeros(1))
                setattr(m, name, child)
            state = {f"{name}.p": t.ones(1) for name in names}
            out.append(whole(lambda m=m, s=state, strict=strict: m.load_state_dict(s, strict)))
            if not strict:
                out += [child.p for child in m._modules.values()]
            more = state | {"a.c.p": t.ones(1), "a.b.q": t.ones(1), "_extra_state": 3}
            out.append(whole(lambda m=m, s=more, strict=strict: m.load_state_dict(s, strict)))
    return out


@case
def load_names_all_that_is_wrong(t):
    m = t.nn.Sequential(net(t), t.nn.BatchNorm1d(2), t.nn.LazyLinear(2), t.nn.Linear(1, 1))
    state = m.state_dict()
    state["0.0.weight"] = t.ones(5)
    state["1.weight"] = 3
    state["2.weight"] = t.ones(2, 4)
    m[3].weight = t.nn.Parameter(t.ones(1, 1, dtype=t.float64))
    state["3.weight"] = t.ones(1, 1, dtype=t.int64)  # no parameter can be made of it
    del state["1.bias"], state["3.bias"]
    return [
        whole(lambda: m.load_state_dict(state | {"x": 3})),
        whole(lambda: m.load_state_dict(state, strict=False)),
        whole(lambda: m.load_state_dict(state, assign=True)),
    ]


@case
def load_scalars_of_one_dimension(t):
    m = t.nn.Module()
    m.s = t.nn.Parameter(t.tensor(1.0))
    m.register_buffer("n", t.tensor(2))
    m.load_state_dict({"s": t.tensor([5.0]), "n": t.tensor([6])})
    return [
        m.s,
        m.n,
        whole(lambda: m.load_state_dict({"s": t.tensor([1.0, 2.0]), "n": t.tensor([[6]])})),
        whole(lambda: m.load_state_dict({"s": t.ones(()), "n": t.tensor(3)})),
    ]


@case
def load_casts(t):
    m = t.nn.Linear(2, 1, bias=False)
    w, out = m.weight, []
    for dtype in (t.float64, t.float16, t.int64, t.bool):
        m.load_state_dict({"weight": t.ones(1, 2, dtype=dtype)})
        out.append(m.weight)
    m.load_state_dict({"weight": t.nn.Parameter(t.ones(1, 2) * 3)})
    return [*out, m.weight, m.weight is w, w.requires_grad, w.is_leaf]


@case
def load_assign(t):
    m = t.nn.Linear(2, 1)
    m.weight.requires_grad_(False)
    w, new, p = m.weight, t.ones(1, 2, dtype=t.float64), t.nn.Parameter(t.ones(1))
    m.load_state_dict({"weight": new, "bias": p}, assign=True)
    with t.no_grad():
        new.add_(1)
    return [
        m.weight is w,
        type(m.weight).__name__,
        m.weight.requires_grad,
        m.weight,
        m.bias is p,
        whole(lambda: m.load_state_dict({"weight": t.ones(2), "bias": p}, assign=True)),
        whole(lambda: m.load_state_dict({"weight": 5, "bias": p}, assign=True)),
    ]


@case
def load_assign_integers(t):
    m = t.nn.Linear(2, 1, bias=False)
    said = whole(lambda: m.load_state_dict({"weight": t.ones(1, 2, dtype=t.int64)}, assign=True))
    return [said, str(m.weight.dtype)]


@case
def load_assign_buffers(t):
    m, b = t.nn.Module(), t.ones(2)
    m.register_buffer("b", t.zeros(2))
    m.load_state_dict({"b": b}, assign=True)
    return [m.b is b, list(m._buffers)]


@case
def load_counts_as_a_write(t):
    m = t.nn.Linear(1, 1)
    before = m.weight._version
    m.load_state_dict(m.state_dict())
    return m.weight._version - before


@case
def versions_and_overrides(t):
    nn, log = t.nn, []

    class Versioned(nn.Module):
        _version = 3

        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(t.ones(1))
            self.c = nn.Linear(1, 1)

        def _load_from_state_dict(self, state, prefix, meta, strict, missing, unexpected, errors):
            log.append([prefix, dict(meta), strict, list(state), missing, unexpected, errors])
            if meta.get("version", 1) < 3:
                state[prefix + "w"] = state.pop(prefix + "old")
            super()._load_from_state_dict(state, prefix, meta, strict, missing, unexpected, errors)

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "extra"] = t.zeros(1)

    m = nn.Sequential(Versioned())
    state = m.state_dict()
    first = whole(lambda: m.load_state_dict(state))
    del state["0.extra"]
    second = whole(lambda: m.load_state_dict(state))
    old = {"0.old": t.ones(1) * 4, "0.c.weight": t.ones(1, 1), "0.c.bias": t.ones(1)}
    third = whole(lambda: m.load_state_dict(old))
    return [list(state), state._metadata, first, second, third, m[0].w, list(old), log]


@case
def extra_state(t):
    nn = t.nn

    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 1

        def get_extra_state(self):
            return {"n": self.n}

        def set_extra_state(self, state):
            self.n = state["n"]

    class Silent(nn.Module):
        def get_extra_state(self):
            return 5

    m = nn.Sequential(Counter(), nn.Linear(1, 1))
    state = m.state_dict()
    keys = list(state)
    state["0._extra_state"] = {"n": 9}
    loaded = whole(lambda: m.load_state_dict(state))
    del state["0._extra_state"]
    missing = whole(lambda: m.load_state_dict(state))
    state["1._extra_state"] = 1
    silent = Silent()
    return [
        keys,
        loaded,
        m[0].n,
        missing,
        whole(lambda: m.load_state_dict(state)),
        dict(silent.state_dict()),
        whole(lambda: silent.load_state_dict(silent.state_dict())),
        error(lambda: nn.Module().get_extra_state()),
        error(lambda: nn.Module().set_extra_state(1)),
    ]


@case
def hooks_on_saving(t):
    nn, log = t.nn, []
    m = nn.Sequential(nn.Linear(1, 1))

    def replace(module, state, prefix, meta):
        log.append(["private", list(state), prefix])
        return {"x": 1}

    def public(module, state, prefix, meta):
        log.append(["post", list(state), prefix, dict(meta)])

    m.register_state_dict_pre_hook(lambda *args: log.append(["pre", *args[1:]]))
    m[0].register_state_dict_pre_hook(lambda *args: log.append(["pre", *args[1:]]))
    m[0].register_state_dict_post_hook(public)
    inner = m[0]._register_state_dict_hook(replace)
    first = [list(m.state_dict()), log[:]]
    outer = m._register_state_dict_hook(replace)
    second = [m.state_dict(), len(log)]
    inner.remove()
    outer.remove()
    wrong = m.register_state_dict_post_hook(lambda *args: args[1])
    said = error(m.state_dict)
    wrong.remove()
    return [
        first,
        second,
        said,
        error(lambda: m._register_state_dict_hook(public)),
        error(lambda: m.register_state_dict_post_hook(m.eval)),
        len(m._state_dict_hooks),
        len(m._state_dict_pre_hooks),
    ]


@case
def hooks_on_loading(t):
    nn, log = t.nn, []
    m = nn.Sequential(nn.Linear(1, 1))

    def public(module, state, prefix, meta, strict, missing, unexpected, errors):
        log.append(["public", list(state), prefix, dict(meta), strict, missing, unexpected, errors])

    def private(state, prefix, *rest):
        log.append(["private", list(state), prefix, len(rest)])

    def add_bias(module, state, prefix, *rest):
        state[prefix + "bias"] = t.zeros(1)
        log.append(["with module", type(module).__name__])

    m.register_load_state_dict_pre_hook(public)
    m[0]._register_load_state_dict_pre_hook(private)
    m[0]._register_load_state_dict_pre_hook(add_bias, with_module=True)
    return [
        whole(lambda: m.load_state_dict({"0.weight": t.ones(1, 1)})),
        whole(lambda: m.load_state_dict({})),
        log,
        m[0].bias,
    ]


@case
def hooks_after_loading(t):
    nn, log = t.nn, []
    m = nn.Sequential(nn.Linear(1, 1))

    def forgive(module, keys):
        log.append([type(module).__name__, list(keys.missing_keys), list(keys.unexpected_keys)])
        keys.missing_keys.clear()

    m[0].register_load_state_dict_post_hook(forgive)
    m.register_load_state_dict_post_hook(forgive)
    first = whole(lambda: m.load_state_dict({}))
    m.register_load_state_dict_post_hook(lambda module, keys: keys)
    return [first, log, error(lambda: m.load_state_dict({}))]


@case
def hooks_of_a_dead_module(t):
    m = t.nn.Module()
    m.register_load_state_dict_pre_hook(lambda *args: None)
    hook = next(iter(m._load_state_dict_pre_hooks.values()))
    twin = copy.deepcopy(m)
    follows = next(iter(twin._load_state_dict_pre_hooks.values())).module() is twin
    del m
    return [follows, hook.with_module, error(hook)]


@case
def load_into_meta(t):
    m = t.nn.Linear(1, 1, device="meta")
    state = {"weight": t.ones(1, 1), "bias": t.ones(1)}
    said = warned(lambda: repr(m.load_state_dict(state)))
    m.load_state_dict(state, assign=True)
    return [said, m.weight, m.weight.requires_grad]
