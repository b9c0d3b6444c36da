"""L-BFGS: where it goes, how often it asks for the loss, and what it remembers."""

import copy
import importlib
import pickle

from casebook import case, error


def home(t):
    return importlib.import_module(f"{t.__name__}.optim.lbfgs")


def parameters(t, dtype=None):
    return [
        t.tensor([-1.0, 1.5], dtype=dtype, requires_grad=True),
        t.tensor([[0.25], [-0.75]], dtype=dtype, requires_grad=True),
        t.ones(2, dtype=dtype, requires_grad=True),  # which never gets a gradient
    ]


def valley(p, q, _):
    """Rosenbrock's function, and a bowl."""
    return (1 - p[0]) ** 2 + 10 * (p[1] - p[0] ** 2) ** 2 + ((q + 1) ** 2).sum() + q[0, 0] * p[1]


def bowl(p, q, _):
    return (p**2).sum() + 3 * ((q - 1) ** 2).sum()


def waves(p, q, _):
    return p.sin().sum() + (q * p).cos().sum()


def run(t, loss_of, options, steps=2, dtype="float64"):
    """Return what can be seen of a run, in double precision: single would be lost in the valley."""
    params = parameters(t, getattr(t, dtype))
    optimizer = t.optim.LBFGS(params, **options)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = loss_of(*params)
        loss.backward()
        calls.append(t.is_grad_enabled())
        return loss

    losses = [optimizer.step(closure) for _ in range(steps)]
    state = optimizer.state[params[0]]
    old = [state.get(name) for name in ("old_dirs", "old_stps", "ro")]
    return [
        losses,
        params,
        len(calls),
        all(calls),
        [[k, type(v).__name__] for k, v in state.items()],
        [state.get(name) for name in ("func_evals", "n_iter", "d", "t", "H_diag", "prev_loss")],
        [None if kept is None else len(kept) for kept in old],
    ]


@case
def fixed_steps(t):
    return [
        run(t, valley, {"lr": 0.01}),
        run(t, valley, {"lr": 0.01, "max_iter": 3, "history_size": 1}, steps=3),
        run(t, bowl, {}),
        run(t, bowl, {"lr": t.tensor(0.5), "max_iter": 4}),
        run(t, bowl, {"lr": t.tensor([0.5]), "max_iter": 2}, steps=3),
        run(t, waves, {"lr": 0.1, "max_iter": 5}, steps=3),
        run(t, bowl, {"max_iter": 4, "lr": 0.5}, dtype="float32", steps=1),
    ]


@case
def searched_steps(t):
    wolfe = {"line_search_fn": "strong_wolfe"}
    return [
        run(t, valley, wolfe, steps=1),
        run(t, valley, wolfe | {"max_iter": 4, "history_size": 2}),
        run(t, valley, wolfe | {"lr": 10.0, "max_iter": 3}),
        run(t, bowl, wolfe | {"max_iter": 2}, steps=1),
        run(t, waves, wolfe | {"lr": 0.01, "max_iter": 4}),
        run(t, waves, wolfe | {"lr": t.tensor(3.0), "max_iter": 3}),
    ]


@case
def reasons_to_stop(t):
    found = []
    for options in (
        {"max_iter": 0},
        {"max_iter": 1},
        {"max_eval": 1},
        {"max_eval": 3},
        {"max_iter": 50, "max_eval": 2},
        {"tolerance_grad": 100.0},
        {"tolerance_grad": 3.0},
        {"tolerance_change": 0.5},
        {"lr": 0},
    ):
        fixed, searched = (
            {"lr": 0.1, "line_search_fn": f} | options for f in (None, "strong_wolfe")
        )
        found += [run(t, bowl, fixed), run(t, bowl, searched, steps=1)]
    return found


@case
def the_search(t):
    cubic, wolfe = home(t)._cubic_interpolate, home(t)._strong_wolfe

    def n(value):
        return t.tensor(value, dtype=t.float64)

    places = [
        cubic(0.0, 1.0, n(-1.0), 1.0, 0.5, n(2.0)),
        cubic(1.0, 0.5, n(2.0), 0.0, 1.0, n(-1.0)),
        cubic(0.0, 1.0, n(-1.0), 1.0, 0.9, n(-0.5), bounds=(1.01, 10)),
        cubic(0.0, 1.0, n(1.0), 1.0, -5.0, n(1.0), bounds=(0.5, 2.0)),
        cubic(0, 1.0, n(-1.0), n(2.0), 3.0, n(4.0)),
    ]
    found = []
    for f, slope, first, options in (
        (lambda x: (x - 2) ** 2, lambda x: 2 * (x - 2), 0.1, {}),
        (lambda x: (x - 2) ** 2, lambda x: 2 * (x - 2), 1.0, {}),
        (lambda x: (x - 2) ** 2, lambda x: 2 * (x - 2), 100.0, {"max_ls": 3}),
        (lambda x: (x - 2) ** 2, lambda x: 2 * (x - 2), 9.0, {"max_ls": 0}),
        (lambda x: x**4 - x, lambda x: 4 * x**3 - 1, 5.0, {"c2": 0.01}),
        (lambda x: x.cos(), lambda x: -x.sin() - 0.1, 3.0, {"max_ls": 5}),
        (lambda x: -x, lambda x: 0 * x - 1.0, 1.0, {"max_ls": 4}),
        (lambda x: (x - 2) ** 2, lambda x: 2 * (x - 2), 9.0, {"tolerance_change": 100.0}),
    ):
        seen = []

        def objective(x, step, d):
            at = n(float(step))
            seen.append(float(at))  # noqa: B023
            return float(f(at)), slope(at).reshape(1)  # noqa: B023

        d = t.ones(1, dtype=t.float64)
        start = float(f(n(0.0))), slope(n(0.0)).reshape(1)
        best = wolfe(objective, None, first, d, *start, start[1].dot(d), **options)
        found.append([*best, seen])
    return [places, found]


@case
def refusals(t):
    p, q = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    L = t.optim.LBFGS

    def closure():
        (p**2).sum().backward()
        return p.sum()

    return [
        error(lambda: L([p], lr=-1.0)),
        error(lambda: L([p], lr=t.tensor([1.0, 2.0]))),
        error(lambda: L([{"params": [p]}, {"params": [q]}])),
        error(lambda: L([p]).step()),
        error(lambda: L([p], line_search_fn="other").step(closure)),
        error(lambda: L([p]).step(lambda: None)),
        error(lambda: L([p], 1, 20, None, 1e-7, 1e-9, 100, None, 5)),
        p,
        L([p]).defaults,
        L([p], max_iter=7).defaults["max_eval"],
        repr(L([p, q])),
    ]


@case
def one_vector(t):
    """The methods that see all parameters as one vector."""
    params = parameters(t)
    optimizer = t.optim.LBFGS(params)
    params[1].grad = t.tensor([[3.0], [4.0]])
    flat = optimizer._gather_flat_grad()
    kept = optimizer._clone_param()
    with t.no_grad():
        optimizer._add_grad(0.5, t.arange(6.0))
        moved = [p.detach().clone() for p in params]
        versions = [p._version for p in params]
        optimizer._set_param(kept)
    return [flat, optimizer._numel(), moved, versions, params, len(optimizer._params)]


@case
def stopped_and_resumed(t):
    found = []
    for options in ({"lr": 0.01, "max_iter": 3}, {"line_search_fn": "strong_wolfe", "max_iter": 2}):
        params = parameters(t)
        optimizer = t.optim.LBFGS(params, **options)

        def step(optimizer, params):
            def closure():
                optimizer.zero_grad()
                loss = valley(*params)
                loss.backward()
                return loss

            return optimizer.step(closure)

        for _ in range(2):
            step(optimizer, params)
        others = [p.detach().clone().requires_grad_() for p in params]
        resumed = t.optim.LBFGS(others)
        resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        for _ in range(2):
            step(optimizer, params)
            step(resumed, others)
        state = optimizer.state_dict()
        wide = t.optim.LBFGS(parameters(t, t.float64))
        wide.load_state_dict(state)
        known = wide.state_dict()["state"][0]
        found += [
            [bool((p == q).all()) for p, q in zip(params, others, strict=True)],
            list(state["state"]),
            [[k, type(v).__name__] for k, v in state["state"][0].items()],
            [str(known["d"].dtype), str(known["old_dirs"][0].dtype), str(known["ro"][0].dtype)],
            repr(pickle.loads(pickle.dumps(optimizer))),
        ]
    return found


@case
def a_small_regression(t):
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.Tanh(), t.nn.Linear(4, 1)).double()
    x = t.randn(16, 3).double()
    y = x[:, :1] * x[:, 1:2]
    optimizer = t.optim.LBFGS(net.parameters(), max_iter=6, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = t.nn.functional.mse_loss(net(x), y)
        loss.backward()
        return loss

    return [optimizer.step(closure) for _ in range(2)]
