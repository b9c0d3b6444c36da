"""What optimizers refuse: options, ways to compute, groups; and that nothing is half done then."""

import importlib
import math

from casebook import case, error, heard

KINDS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax"]


def one(t, size=2):
    return t.arange(1.0, size + 1).requires_grad_()


def each(t, make):
    """Return what `make` does with each of the optimizers."""
    return [[kind, make(getattr(t.optim, kind))] for kind in KINDS]


@case
def options(t):
    p = one(t)
    wrong = [
        {"lr": -1}, {"lr": math.nan}, {"lr": "a"}, {"lr": None}, {"lr": t.tensor([1.0, 2.0])}, {"lr": t.tensor(-1.0)},
        {"eps": -1.0}, {"eps": math.nan}, {"betas": (1.0, 0.5)}, {"betas": (0.5, -0.1)}, {"betas": (0.5,)},
        {"betas": 5}, {"weight_decay": -1}, {"weight_decay": math.nan}, {"momentum": -1}, {"nesterov": True},
        {"nesterov": True, "momentum": 0.5, "dampening": 0.1}, {"alpha": -1}, {"rho": 1.5}, {"rho": -0.1},
        {"lr_decay": -1}, {"initial_accumulator_value": -1}, {"nonsense": 1}, {"fused": True, "foreach": True},
        {"fused": True, "differentiable": True}, {"lr": t.tensor(0.1), "foreach": True},
        {"betas": (t.tensor(0.5), 0.5)}, {"betas": (t.tensor([0.5, 0.5]), t.tensor(0.5))},
        {"betas": (t.tensor(0.5), t.tensor(0.5)), "foreach": True},
    ]  # fmt: skip
    return [each(t, lambda kind: error(lambda: kind([p], **given) and None)) for given in wrong]  # noqa: B023


@case
def ways_to_step(t):
    """A step that is refused changes nothing but what it had to start with."""

    def refused(kind, **given):
        p = one(t)
        p.grad = t.ones(2)

        def step():
            optimizer = kind([p], lr=0.1, **given)
            return [error(optimizer.step), optimizer.state_dict()["state"]]

        return [error(step), p.detach()]

    ways = [
        {"capturable": True},
        {"capturable": True, "foreach": True},
        {"foreach": True, "differentiable": True},
    ]
    return [each(t, lambda kind: refused(kind, **way)) for way in ways]  # noqa: B023


@case
def options_changed_later(t):
    def scale(kind):
        p = one(t)
        p.grad = t.ones(2)
        optimizer = kind([p], lr=0.1)
        optimizer.grad_scale = t.tensor(2.0)
        return [error(optimizer.step), p.detach()]

    def rate(kind):
        p = one(t)
        p.grad = t.ones(2)
        optimizer = kind([p], lr=0.1)
        optimizer.param_groups[0] |= {"lr": t.tensor(0.5), "foreach": True}
        return [error(optimizer.step), p.detach()]

    return [each(t, scale), each(t, rate)]


@case
def functional_forms(t):
    def call(kind):
        name = kind.__name__.lower()
        function = getattr(importlib.import_module(f"{t.__name__}.optim.{name}"), name)
        return [
            error(lambda: function()).partition("missing")[0],
            function.__name__,
            kind.step.__name__,
        ]

    adam = importlib.import_module(f"{t.__name__}.optim.adam").adam
    plain = {
        "amsgrad": False,
        "beta1": 0.9,
        "beta2": 0.99,
        "lr": 0.1,
        "weight_decay": 0,
        "eps": 1e-8,
    }
    p, g, m, v = t.ones(2), t.ones(2), t.zeros(2), t.zeros(2)
    return [
        each(t, call),
        error(lambda: adam([p], [g], [m], [v], [], [1], maximize=False, **plain)),
        adam([p], [g], [m], [v], [], [t.tensor(0.0)], maximize=True, **plain),
        adam([], [], [], [], [], [], maximize=True, capturable=True, **plain),
        error(
            lambda: adam(
                [p],
                [g],
                [m],
                [v],
                [],
                [t.tensor(1.0)],
                foreach=True,
                maximize=False,
                **{**plain, "lr": t.tensor(0.1)},
            )
        ),
        [p, m, v],
    ]


@case
def parameters(t):
    p, q = one(t), one(t, 3)
    sgd = t.optim.SGD
    kept = (one(t) * 2).requires_grad_()
    kept.retain_grad()
    given = [
        [{"params": []}], [{"params": []}, {"params": p, "lr": 9}], {"params": p}, [{"params": p}, q],
        [p, {"params": q}], [{"param": p}], "abc", None, [t.ones(2)], [t.ones(2, dtype=t.int64)], [kept],
        [("a", p), ("a", q)], [("a", p), ("b", 5)], [("a",), ("b", p)], [("a", p, 3)], [p * 2], iter([p]), (p, q),
        {"a": p}.values(), [p, None], [[p]], [t.nn.Linear(1, 1)], 5, [], {p}, p, [{"params": {p}}],
    ]  # fmt: skip
    made = [error(lambda: len(sgd(v, lr=1.0).param_groups)) for v in given]  # noqa: B023
    optimizer = sgd([p, q], lr=1.0)
    more = [
        {"params": [p]},
        {"params": [5]},
        {"params": [one(t) * 2]},
        [],
        {"params": {one(t)}},
        {"lr": 1},
    ]
    added = []
    for group in more:
        text = error(lambda: optimizer.add_param_group(group))  # noqa: B023
        added.append([text, len(optimizer.param_groups)])
    return [made, added]


@case
def duplicates(t):
    """One parameter twice in a group: PyTorch warns, and steps twice."""
    p, q = one(t), one(t, 3)
    optimizer, heard_first = heard(lambda: t.optim.SGD([p, q, p], lr=1.0))
    p.grad = t.ones(2)
    optimizer.step()
    _, heard_later = heard(lambda: optimizer.add_param_group({"params": [r := one(t), r]}))
    return [
        heard_first,
        heard_later,
        p,
        [g["params"] for g in optimizer.state_dict()["param_groups"]],
    ]


@case
def for_subclasses(t):
    home = importlib.import_module(f"{t.__name__}.optim.optimizer")
    return [
        home._get_value(t.tensor(1.5)),
        home._get_value(2),
        home._to_scalar(t.tensor([1.5])),
        home._to_scalar(2),
        str(home._get_scalar_dtype()),
        home._stack_if_compiling([1]),
        home._default_to_fused_or_foreach([t.ones(1)], False, True),
        home._default_to_fused_or_foreach([t.ones(1)], True, True),
        home._default_to_fused_or_foreach([], False),
        home._get_capturable_supported_devices(False),
        home._device_dtype_check_for_fused(t.ones(1)),
        error(lambda: home._device_dtype_check_for_fused(t.ones(1, dtype=t.int64))),
        error(lambda: home._device_dtype_check_for_fused(t.ones(1, dtype=t.int64), True)),
    ]
