"""NAdam, RAdam, Rprop, ASGD, Adafactor, Muon and SparseAdam."""

import copy
import importlib
import inspect
import pickle
from functools import partial

from casebook import case, error

VARIANTS = {
    "NAdam": [
        {},
        {"lr": 0.1, "betas": (0.5, 0.8), "eps": 0.1},
        {"lr": 0.1, "weight_decay": 0.3, "momentum_decay": 0.1},
        {"lr": 0.1, "weight_decay": 0.3, "decoupled_weight_decay": True, "maximize": True},
    ],
    "RAdam": [
        {},
        {"lr": 0.1, "betas": (0.5, 0.8), "eps": 0.1},
        {"lr": 0.1, "weight_decay": 0.3, "betas": (0.9, 0.99)},
        {"lr": 0.1, "weight_decay": 0.3, "decoupled_weight_decay": True, "maximize": True},
    ],
    "Rprop": [
        {},
        {"lr": 0.3, "etas": (0.3, 1.9), "step_sizes": (0.1, 0.5)},
        {"lr": 0.1, "maximize": True},
        {"lr": 0.1, "step_sizes": (0.5, 0.2)},
    ],
    "ASGD": [
        {},
        {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2},
        {"lr": 0.1, "weight_decay": 0.3, "maximize": True},
        {"lr": 0.1, "t0": 0},
    ],
    "Adafactor": [
        {},
        {"lr": 0.1, "beta2_decay": -0.5, "eps": (1e-3, 0.1), "d": 1.5},
        {"lr": 0.1, "weight_decay": 0.3, "maximize": True},
    ],
    "Muon": [
        {},
        {"lr": 0.1, "weight_decay": 0.0, "momentum": 0.5, "nesterov": False},
        {"lr": 0.1, "adjust_lr_fn": "match_rms_adamw", "ns_steps": 2},
        {"lr": 0.1, "adjust_lr_fn": "original", "eps": 1e3, "ns_coefficients": (2.0, -1.5, 0.5)},
    ],
}


def module_of(t, kind):
    home = {"Adafactor": "_adafactor", "Muon": "_muon"}.get(kind, kind.lower())
    return importlib.import_module(f"{t.__name__}.optim.{home}")


def parameters(t, kind, dtype=None):
    matrix = t.tensor([[3.0, -0.25, 1.0], [0.0, 2.0, -4.0]], dtype=dtype, requires_grad=True)
    tall = t.tensor([[1.0], [-2.0], [0.5]], dtype=dtype, requires_grad=True)
    if kind == "Muon":
        return [matrix, tall]
    vector = t.tensor([1.0, -2.0, 0.5], dtype=dtype, requires_grad=True)
    return [vector, matrix, t.tensor(-1.5, dtype=dtype, requires_grad=True)]


def trained(optimizer, params, steps, start=0):
    """Do steps whose gradients change their signs now and then."""
    for i in range(start, start + steps):
        for p in params:
            p.grad = p.detach() * (1.5 - i % 3) + 0.25 * i - 0.5
        optimizer.step()


def results(t, kind, options, dtype=None, steps=7):
    params = parameters(t, kind, dtype)
    optimizer = getattr(t.optim, kind)(params, **options)
    trained(optimizer, params, steps)
    state = [[[k, v] for k, v in optimizer.state[p].items()] for p in params[:2]]
    return [params, [p._version for p in params], state]


def in_all_variants(t, kind):
    variants = VARIANTS[kind]
    found = [results(t, kind, options) for options in variants]
    found += [results(t, kind, options, t.float64) for options in variants[1:]]
    found += [
        results(t, kind, {"lr": t.tensor(0.125)}),
        results(t, kind, {"lr": t.tensor([0.125])}),
    ]
    return found


@case
def nadam(t):
    return in_all_variants(t, "NAdam")


@case
def radam(t):
    return in_all_variants(t, "RAdam")


@case
def rprop(t):
    return in_all_variants(t, "Rprop")


@case
def asgd(t):
    return in_all_variants(t, "ASGD")


@case
def adafactor(t):
    return in_all_variants(t, "Adafactor")


@case
def muon(t):
    return in_all_variants(t, "Muon")


@case
def ways_to_compute(t):
    """Lists at a time and one at a time; a recorded step."""
    found = []
    for kind in ("NAdam", "RAdam", "Rprop", "ASGD", "Adafactor"):
        found += [results(t, kind, {"foreach": way, "lr": 0.1})[::2] for way in (True, False)]
        if kind != "Adafactor":
            p = t.ones(2, requires_grad=True)
            p.grad = t.ones(2)
            both = getattr(t.optim, kind)([p], foreach=True, differentiable=True)
            ways = [{"capturable": True}, {"capturable": True, "foreach": True}]
            captured = [getattr(t.optim, kind)([p], **way) for way in ways]
            found += [error(o.step).replace("privateuseone", "x") for o in (both, *captured)]
            found += [p, list(both.state[p]), captured[0].state[p]["step"]]
    return found


@case
def gradients_pass_through_steps(t):
    found = []
    for kind, options in (
        ("NAdam", {"weight_decay": 0.1}),
        ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
        ("RAdam", {"betas": (0.5, 0.8), "weight_decay": 0.1}),
        ("ASGD", {"weight_decay": 0.1, "t0": 0}),
    ):
        start = t.tensor([1.0, -2.0], dtype=t.float64, requires_grad=True)
        slope = t.tensor([0.5, 1.5], dtype=t.float64, requires_grad=True)
        p = start.clone()
        optimizer = getattr(t.optim, kind)([p], lr=0.1, differentiable=True, **options)
        p.grad = slope * 1
        optimizer.step()
        p.sum().backward()
        found += [p, start.grad, slope.grad, p.grad_fn is not None]
    return found


@case
def unusual_parameters(t):
    found = []
    for kind in ("NAdam", "RAdam", "Rprop", "ASGD", "Adafactor", "Muon"):
        p = t.arange(6.0).reshape(2, 3).T.requires_grad_()
        q, empty = t.ones(1, 1, requires_grad=True), t.ones(0, 2, requires_grad=True)
        waiting = t.ones(2, 2, requires_grad=True)
        optimizer = getattr(t.optim, kind)([p, q, waiting], lr=0.5)
        p.grad, q.grad = t.tensor([[1.0, -1.0], [0.0, 2.0], [3.0, -4.0]]), t.zeros(1, 1)
        optimizer.step()
        found += [p, q, waiting, p.is_contiguous(), len(optimizer.state), optimizer.step()]
        if kind != "Muon":
            q.grad = t.full((1, 1), float("nan"))
            p.grad[0, 0] = float("inf")
            optimizer.step(lambda: 5)
            found += [p, q]
            empty.grad = t.ones(0, 2)
            found += [error(getattr(t.optim, kind)([empty]).step)]
    return found


@case
def half_precision(t):
    found = []
    for kind in ("NAdam", "RAdam", "Rprop", "ASGD", "Adafactor"):
        p = t.tensor([[1.0, -2.0], [4.0, 0.5]], dtype=t.float16, requires_grad=True)
        optimizer = getattr(t.optim, kind)([p], lr=0.5)
        p.grad = t.tensor([[2.0, 1.0], [-3.0, 0.25]], dtype=t.float16)
        optimizer.step()
        state = {k: str(v.dtype) for k, v in optimizer.state[p].items()}
        found += [(p * 16).round(), state]
    return found


@case
def options_out_of_range(t):
    p = t.ones(2, 2, requires_grad=True)
    two = t.tensor([1.0, 2.0])
    given = {
        "NAdam": [{"lr": -1.0}, {"eps": -1}, {"betas": (1.0, 0.5)}, {"betas": (0, -0.1)}, {"weight_decay": -1}, {"momentum_decay": -0.5}],
        "RAdam": [{"lr": -1.0}, {"eps": -1}, {"betas": (1.0, 0.5)}, {"betas": (0, 1)}, {"weight_decay": -1}],
        "Rprop": [{"lr": -1.0}, {"etas": (1.0, 1.2)}, {"etas": (0.5, 0.9)}, {"etas": (0, 2)}],
        "ASGD": [{"lr": -1.0}, {"weight_decay": -1}, {"lambd": -1}],
        "Adafactor": [{"lr": -1.0}, {"beta2_decay": 0.5}, {"eps": (-1, 1e-3)}, {"eps": (None, -1)}, {"d": 0.5}, {"weight_decay": -1}],
        "Muon": [{"lr": -1.0}, {"momentum": -1}, {"weight_decay": -1}, {"adjust_lr_fn": "other"}],
        "SparseAdam": [{"lr": 0.0}, {"eps": 0.0}, {"betas": (1.0, 0.5)}, {"betas": (0.5, -1)}],
    }  # fmt: skip
    found = []
    for kind, variants in given.items():
        for options in [*variants, {"lr": two}, {"lr": float("nan")}, {"lr": "a"}]:
            make = partial(getattr(t.optim, kind), [p], **options)
            found += [error(lambda: make() and None)]  # noqa: B023
    return [
        *found,
        error(lambda: t.optim.Muon([p, t.ones(3, requires_grad=True)])),
        error(lambda: t.optim.Muon([t.ones(1, 2, 3, requires_grad=True)])),
        error(lambda: t.optim.NAdam([p], 0.1, (0.9, 0.99), 1e-8, 0, 4e-3, False, True)),
        error(lambda: t.optim.Rprop([p], 0.1, (0.5, 1.2), (1e-6, 50), False)),
        error(lambda: t.optim.ASGD([p], 0.1, 1e-4, 0.75, 1e6, 0, None, True).defaults["maximize"]),
    ]


@case
def signatures(t):
    found = []
    for kind in ("NAdam", "RAdam", "Rprop", "ASGD", "Adafactor", "Muon", "SparseAdam", "LBFGS"):
        of = inspect.signature(getattr(t.optim, kind).__init__).parameters.values()
        found.append([kind, [[p.name, p.kind.name, repr(p.default)] for p in of]])
        if kind not in ("SparseAdam", "LBFGS"):
            of = inspect.signature(getattr(module_of(t, kind), kind.lower())).parameters.values()
            found.append([[p.name, p.kind.name, repr(p.default)] for p in of])
    return found


@case
def groups_and_reprs(t):
    found = []
    for kind in VARIANTS:
        params = parameters(t, kind)
        groups = [{"params": params[:1], "lr": 0.5}, {"params": params[1:]}]
        optimizer = getattr(t.optim, kind)(groups, lr=0.25)
        trained(optimizer, params, 2)
        optimizer.param_groups[1]["lr"] = 1.0
        trained(optimizer, params, 1, 2)
        found += [repr(optimizer), params, optimizer.defaults, type(optimizer).__module__]
    return found


@case
def stopped_and_resumed(t):
    """The state of three steps, taken over by another optimizer, also by way of a pickle and of float64."""
    found = []
    for kind in VARIANTS:
        params = parameters(t, kind)
        optimizer = getattr(t.optim, kind)(params, lr=0.1)
        trained(optimizer, params, 3)
        saved = copy.deepcopy(optimizer.state_dict())
        others = [p.detach().clone().requires_grad_() for p in params]
        resumed = getattr(t.optim, kind)(others, lr=0.7)
        resumed.load_state_dict(saved)
        trained(optimizer, params, 3, 3)
        trained(resumed, others, 3, 3)
        wide = getattr(t.optim, kind)(parameters(t, kind, t.float64))
        wide.load_state_dict(saved)
        kinds = {k: str(v.dtype) for k, v in wide.state_dict()["state"][0].items()}
        again = pickle.loads(pickle.dumps(optimizer))
        found += [
            [bool((p == q).all()) for p, q in zip(params, others, strict=True)],
            list(saved["state"][0]),
            list(saved["param_groups"][0]),
            kinds,
            repr(again) == repr(optimizer),
            sorted(vars(again)) == sorted(vars(copy.deepcopy(optimizer))),
        ]
    return found


@case
def states_of_old_versions(t):
    """Options that did not exist, and numbers that are tensors now."""
    found = []
    for kind in ("NAdam", "RAdam", "Rprop", "ASGD", "Adafactor"):
        params = parameters(t, kind)
        optimizer = getattr(t.optim, kind)(params, lr=0.1)
        trained(optimizer, params, 2)
        state = optimizer.__getstate__()
        for group in state["param_groups"]:
            for name in (
                "foreach",
                "maximize",
                "capturable",
                "differentiable",
                "decoupled_weight_decay",
            ):
                if (kind, name) != ("Adafactor", "maximize"):
                    group.pop(name, None)
        for known in state["state"].values():
            for name in ("step", "mu_product", "eta", "mu"):
                if name in known:
                    known[name] = known[name].item()
        optimizer.__setstate__(state)
        trained(optimizer, params, 1, 2)
        found += [repr(optimizer), params, [[k, v] for k, v in optimizer.state[params[0]].items()]]
    return found


@case
def functional_forms(t):
    def new(*values):
        return [t.tensor([v, -v]) for v in values]

    def count(value):
        return [t.tensor(value)]

    p, q, r, s, u = ([x] for x in new(1.0, 2.0, 3.0, 4.0, 5.0))
    rate = {"lr": 0.1, "weight_decay": 0.1}
    a, b = new(0.5, 0.25)
    steps = count(3.0)
    f = module_of(t, "NAdam").nadam
    more = {"beta1": 0.9, "beta2": 0.99, "eps": 1e-8}
    f(p, [a], new(0.1), new(0.0), count(0.4), steps, momentum_decay=4e-3, **more, **rate)
    g = module_of(t, "RAdam").radam
    g(q, [a], new(0.1), new(0.0), steps, decoupled_weight_decay=True, **more, **rate)
    h = module_of(t, "Rprop").rprop
    h(r, [a], [b], new(0.1), steps, step_size_min=0.0, step_size_max=1, etaminus=0.5, etaplus=1.2)
    k = module_of(t, "ASGD").asgd
    k(s, [a], new(0.1), count(0.5), count(0.25), steps, lambd=1e-4, t0=1, alpha=0.75, **rate)
    m = module_of(t, "Adafactor").adafactor
    factors = {"d": 1.0, "beta2_decay": -0.8, "eps1": None, "eps2": 1e-3, "maximize": False, **rate}
    m(u, [a], [None], [None], new(0.0), steps, **factors)
    return [
        [p, q, r, s, u, [steps[0].clone()]],
        error(
            lambda: f(p, [a], new(0.1), new(0.0), [0.4], steps, momentum_decay=0, **more, **rate)
        ),
        error(lambda: f(p, [a], [], [], [], [3], momentum_decay=0, **more, **rate)),
        error(lambda: g(q, [a], [], [], [3], **more, **rate)),
        error(
            lambda: h(r, [a], [], [], [3], step_size_min=0, step_size_max=1, etaminus=1, etaplus=1)
        ),
        error(lambda: m(u, [a], [None], [None], new(0.0), [3], **factors)),
        error(lambda: m(u, [a], [None], [None], [None], steps, **factors)),
        error(lambda: m([t.ones(1, 1)], [t.ones(1, 1)], [None], [None], [None], steps, **factors)),
        error(lambda: m(u, [a], [None], [None], new(0.0), steps, grad_scale=a, **factors)),
        error(lambda: f(p, [a], steps)),
    ]


@case
def orthogonalized(t):
    home = module_of(t, "Muon")
    f, usual = home._zeropower_via_newtonschulz, (3.4445, -4.7750, 2.0315)
    x = t.tensor([[3.0, -0.25, 1.0], [0.0, 2.0, -4.0]])
    shape = t.nn.Linear(3, 12).weight.shape
    options = {"lr": 0.1, "weight_decay": 0, "momentum": 0.9, "nesterov": False, "eps": 1e-7}
    options |= {"ns_coefficients": usual, "ns_steps": 5, "adjust_lr_fn": None, "has_complex": False}
    return [
        [f(y, usual, n, 1e-7).float() for y in (x, x.T, x.double(), x * 0) for n in (0, 1, 5)],
        [home._adjust_lr(0.5, way, shape) for way in (None, "original", "match_rms_adamw", "x")],
        error(lambda: f(x, usual, 100, 1e-7)),
        error(lambda: f(x[0], usual, 5, 1e-7)),
        error(lambda: f(x, (1.0, 2.0), 5, 1e-7)),
        error(lambda: home.muon([x], [x[0]], [x], **options)),
        error(lambda: home.muon([x], [x], [x], foreach=True, **options)),
        error(lambda: home.muon([x], [x], [x], **options | {"has_complex": True})),
        [home.EPS, home.DEFAULT_A, home.DEFAULT_B, home.DEFAULT_C, home.DEFAULT_NS_STEPS],
    ]


@case
def dense_gradients_are_refused(t):
    p = t.ones(2, requires_grad=True)
    optimizer = t.optim.SparseAdam([p], maximize=True)
    nothing = optimizer.step(lambda: 3)
    p.sum().backward()
    return [nothing, error(optimizer.step), p, len(optimizer.state), repr(optimizer)]


@case
def swapped_in(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    optimizer = t.optim.SGD([w], lr=0.1, momentum=0.9)
    swap = t.optim.swap_in_optimizer_params_and_state
    w.grad = t.ones(2)

    def swapped(parameters, state):
        with swap(optimizer, parameters, state):
            optimizer.step()

    early = error(lambda: swapped({}, {}))
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 1.0
    other = t.tensor([5.0, 6.0])
    other.grad = t.tensor([2.0, 0.0])
    own = optimizer.param_groups[0]["params"]
    swapped({"any": other}, state)
    found = [other, state, w, optimizer.state[w], optimizer.param_groups[0]["params"] is own]
    group = state["param_groups"][0]

    def failing():
        with swap(optimizer, {"w": other}, state):
            optimizer.param_groups[0]["lr"] = 7.0
            raise KeyError("stop")

    return [
        early,
        found,
        error(failing),
        repr(optimizer),
        error(lambda: swapped({}, state)),
        error(lambda: swapped({"w": other}, 5)),
        error(lambda: swapped({"w": other}, {"state": [], "param_groups": []})),
        error(lambda: swapped({"w": other}, {"state": {w: {}}, "param_groups": []})),
        error(lambda: swapped({"w": other}, {"state": {0: 5}, "param_groups": []})),
        error(lambda: swapped({"w": other}, {"state": {}, "param_groups": 5})),
        error(lambda: swapped({"w": other}, {"state": {}, "param_groups": []})),
        error(lambda: swapped({"w": other}, {"state": {}, "param_groups": [5]})),
        error(lambda: swapped({"w": other}, {"state": {}, "param_groups": [{"params": ["a"]}]})),
        error(lambda: swapped({"w": other}, {"state": {}, "param_groups": [{"params": [0, 1]}]})),
        error(
            lambda: swapped({"w": other}, {"state": {}, "param_groups": [{"params": [0], "x": 1}]})
        ),
        error(lambda: swapped({"w": other}, {"state": {3: {}}, "param_groups": [group]})),
    ]


@case
def alpha_times_a_narrower_type(t):
    """``x.add(y, alpha=a)`` multiplies in the type of the result."""
    wide, narrow = t.ones(3, dtype=t.float64), t.tensor([0.1, 0.2, 0.3])
    small, whole = t.tensor([100, 2, 3], dtype=t.int8), t.tensor([1, 2, 3])
    exact = [
        wide.add(narrow, alpha=0.1),
        wide.sub(whole, alpha=0.1),
        wide.clone().add_(narrow, alpha=0.1),
    ]
    return [
        [(x * 2**40).round() for x in exact],
        [whole.add(small, alpha=20), whole.sub(small, alpha=20), t.rsub(whole, small, alpha=3)],
        small.add(t.tensor(3), alpha=2),
    ]
