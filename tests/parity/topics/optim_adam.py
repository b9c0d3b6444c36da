"""Adam, AdamW, and what all optimizers share: options, states, hooks."""

import copy
import importlib
import pickle

from casebook import case, error


def home(t):
    return importlib.import_module(f"{t.__name__}.optim.optimizer")


def trained(t, kind, steps=4, dtype=None, **options):
    p = t.tensor([1.0, -2.0, 0.5], dtype=dtype, requires_grad=True)
    q = t.tensor([[3.0], [0.0]], dtype=dtype, requires_grad=True)
    optimizer = getattr(t.optim, kind)([p, q], **options)
    for i in range(steps):
        optimizer.zero_grad()
        loss = (p**2).sum() + (q * p[:1] * (i + 1)).sum()
        loss.backward()
        optimizer.step()
    state = [[k, v] for k, v in sorted(optimizer.state[p].items()) if v is not None]
    return [p, q, p._version, q._version, state]


@case
def adam(t):
    return [
        trained(t, "Adam"),
        trained(t, "Adam", lr=0.1),
        trained(t, "Adam", lr=0.1, betas=(0.5, 0.9)),
        trained(t, "Adam", lr=0.1, eps=0.5),
        trained(t, "Adam", lr=0.1, weight_decay=0.3),
        trained(t, "Adam", lr=0.1, amsgrad=True, steps=7),
        trained(t, "Adam", lr=0.1, maximize=True),
        trained(t, "Adam", lr=0.1, decoupled_weight_decay=True, weight_decay=0.2),
        trained(t, "Adam", lr=0.1, dtype=t.float64, steps=20),
        trained(t, "Adam", lr=t.tensor(0.1)),
        trained(t, "Adam", lr=t.tensor([0.1])),
        trained(t, "Adam", lr=0.1, foreach=False),
        trained(t, "Adam", lr=0.1, betas=(t.tensor(0.9), t.tensor(0.99))),
        trained(t, "Adam", steps=0),
    ]


@case
def adamw(t):
    return [
        trained(t, "AdamW"),
        trained(t, "AdamW", lr=0.1, weight_decay=0.3),
        trained(t, "AdamW", lr=0.1, amsgrad=True, maximize=True, steps=6),
        trained(t, "AdamW", lr=0.1, dtype=t.float64),
    ]


@case
def sgd(t):
    return [
        trained(t, "SGD", lr=0.1),
        trained(t, "SGD", lr=t.tensor(0.1), momentum=0.5),
        trained(t, "SGD", lr=0.1, momentum=0.9, weight_decay=0.2, nesterov=True, maximize=True),
        trained(t, "SGD", lr=0.1, foreach=False, momentum=0.5, dampening=0.2),
        trained(t, "SGD", lr=0.01, dtype=t.float64, weight_decay=0.2),
    ]


@case
def errors(t):
    p = t.ones(1, requires_grad=True)
    A = t.optim.Adam
    return [
        error(lambda: A([p], lr=-1.0)),
        error(lambda: A([p], lr=t.tensor([1.0, 2.0]))),
        error(lambda: A([p], lr=t.tensor(1.0), foreach=True)),
        error(lambda: A([p], eps=-1)),
        error(lambda: A([p], betas=(1.0, 0.5))),
        error(lambda: A([p], betas=(0.5, -0.5))),
        error(lambda: A([p], betas=(0, 0.5))),
        error(lambda: A([p], betas=(t.tensor([0.5, 0.5]), t.tensor(0.1)))),
        error(lambda: A([p], weight_decay=-1)),
        error(lambda: A([p], fused=True, foreach=True)),
        error(lambda: A([p], fused=True, differentiable=True)),
        error(lambda: t.optim.SGD([p], fused=True, foreach=True)),
        error(lambda: t.optim.SGD([p], fused=True, differentiable=True)),
        error(lambda: t.optim.SGD([p], lr=t.tensor([1.0, 2.0]))),
        error(lambda: A({p})),
        error(lambda: A([p * 2])),
        error(lambda: A(["a"])),
        error(lambda: A([{"params": {p}}])),
        error(lambda: A([("a", p), t.ones(2, requires_grad=True)])),
        error(lambda: A([{"params": [("a", p)]}, {"params": [t.ones(1, requires_grad=True)]}])),
        error(lambda: A([{"params": [p]}, {"params": [p]}])),
        error(lambda: A([{"lr": 1}])),
        error(lambda: A([p]).add_param_group([p])),
        error(lambda: A([p]).add_param_group({"params": p})),
        error(lambda: A(5)),
        error(lambda: A(p)),
        error(lambda: A([])),
        error(lambda: A([p], 0.1, (0.9, 0.99), 1e-8, 0, False, True)),
        error(lambda: A([[p]])),
        error(lambda: A([None])),
        error(lambda: A([t.nn.Linear(1, 1)])),
    ]


@case
def groups(t):
    p, q, r = (t.full((2,), float(i), requires_grad=True) for i in range(3))
    own = {"params": q, "lr": 0.5, "extra": "x"}
    o = t.optim.Adam([{"params": [p]}, own], lr=0.25)
    o.add_param_group({"params": (x for x in [r]), "weight_decay": 0.5})
    (p + q + r).sum().backward()
    o.param_groups[0]["lr"] = 0.125
    o.step()
    named = t.optim.SGD(t.nn.Linear(2, 1).named_parameters(), lr=0.1)
    return [
        p,
        q,
        r,
        own is o.param_groups[1],
        sorted(own),
        [g["params"] for g in o.param_groups],
        repr(o),
        repr(named),
        named.param_groups[0]["param_names"],
        named.state_dict()["param_groups"],
        o.defaults,
        [t.is_tensor(k) for k in o.state],
        len(o.state_dict()["state"]),
    ]


@case
def zero_grad(t):
    p, q = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    o = t.optim.SGD([p, q], lr=1.0)
    (p**2).sum().backward()
    grad = p.grad
    o.zero_grad(set_to_none=False)
    found = [p.grad is grad, p.grad, q.grad, p.grad._version]
    o.zero_grad()
    (p**3).sum().backward(create_graph=True)
    o.zero_grad(False)
    return [*found, p.grad, p.grad.requires_grad, p.grad.grad_fn]


@case
def state_dicts(t):
    net = t.nn.Linear(2, 1)
    with t.no_grad():
        for p in net.parameters():
            p.fill_(0.5)

    def train(o):
        o.zero_grad()
        net(t.tensor([[1.0, 2.0]])).square().sum().backward()
        o.step()

    found = []
    for kind, options in (("SGD", {"momentum": 0.5}), ("Adam", {"amsgrad": True}), ("AdamW", {})):
        make = getattr(t.optim, kind)
        o = make(net.parameters(), lr=0.1, **options)
        train(o)
        state = o.state_dict()
        other = make(net.parameters(), lr=0.7)
        other.load_state_dict(state)
        train(other)
        half = make([p.detach().half().requires_grad_() for p in net.parameters()], lr=0.1)
        half.load_state_dict(state)
        found += [
            state,
            repr(other),
            other.state_dict(),
            state["state"][0] is o.state[net.weight],
            [[k, str(v.dtype).split(".")[1]] for k, v in half.state_dict()["state"][0].items()],
            net.weight,
            error(lambda: other.load_state_dict({"state": {}, "param_groups": []})),  # noqa: B023
            error(
                lambda: other.load_state_dict({"state": {}, "param_groups": [{"params": [0]}]})  # noqa: B023
            ),
            error(lambda: other.load_state_dict({})),  # noqa: B023
        ]
    return found


@case
def copies_and_pickles(t):
    p = t.ones(2, requires_grad=True)
    o = t.optim.Adam([p], lr=0.1)
    o.register_step_post_hook(lambda *a: None)
    p.sum().backward()
    o.step()
    c = copy.deepcopy(o)
    k = pickle.loads(pickle.dumps(t.optim.SGD([t.ones(2, requires_grad=True)], lr=0.5)))
    q = c.param_groups[0]["params"][0]
    return [
        repr(c),
        q is p,
        q,
        [sorted(v) for v in c.state.values()],
        next(iter(c.state)) is q,
        repr(k),
        k.param_groups[0]["params"],
        k.step(),
        sorted(o.__getstate__()),
        len(c._optimizer_step_post_hooks),
    ]


@case
def step_hooks(t):
    seen = []
    p = t.ones(1, requires_grad=True)
    o = t.optim.SGD([p], lr=1.0)
    p.sum().backward()

    def before(optimizer, args, kwargs):
        seen.append(["before", optimizer is o, len(args), args[0] is o, sorted(kwargs)])

    def after(optimizer, args, kwargs):
        seen.append(["after", optimizer is o, len(args), sorted(kwargs), p.item()])

    h = o.register_step_pre_hook(before)
    o.register_step_post_hook(after)
    module = home(t)
    g = module.register_optimizer_step_pre_hook(lambda *a: seen.append("global before"))
    e = module.register_optimizer_step_post_hook(lambda *a: seen.append("global after"))
    out = [o.step(), o.step(lambda: 5), o.step(closure=lambda: t.is_grad_enabled())]
    h.remove()
    g.remove()
    e.remove()
    out += [o.step()]
    with_closure = o.register_step_pre_hook(lambda opt, args, kwargs: ((opt, lambda: 7), {}))
    out += [o.step()]
    with_closure.remove()
    wrong = o.register_step_pre_hook(lambda opt, args, kwargs: 3)
    text = error(lambda: o.step())
    wrong.remove()
    return [out, seen, p, text.partition("<")[0], text.rpartition(">")[2]]


@case
def state_dict_hooks(t):
    seen = []
    p = t.ones(1, requires_grad=True)
    o = t.optim.SGD([p], lr=1.0)
    o.register_state_dict_pre_hook(lambda o: seen.append("pre"))
    o.register_state_dict_pre_hook(lambda o: seen.append("pre first"), prepend=True)
    o.register_state_dict_post_hook(lambda o, d: seen.append("post"))
    o.register_state_dict_post_hook(lambda o, d: d | {"more": 1})
    o.register_state_dict_post_hook(lambda o, d: seen.append(sorted(d)), prepend=True)
    o.register_load_state_dict_pre_hook(lambda o, d: seen.append(sorted(d)))
    o.register_load_state_dict_pre_hook(
        lambda o, d: {**d, "param_groups": [{**d["param_groups"][0], "lr": 9.0}]}
    )
    o.register_load_state_dict_post_hook(lambda o: seen.append(o.param_groups[0]["lr"]))
    state = o.state_dict()
    o.load_state_dict(state)
    return [sorted(state), seen, o.param_groups[0]["lr"], state["param_groups"][0]["lr"]]


@case
def own_optimizer(t):
    required = home(t).required

    class Decay(t.optim.Optimizer):
        def __init__(self, params, lr=required, power=1):
            super().__init__(params, {"lr": lr, "power": power})

        @t.no_grad()
        def step(self, closure=None):
            loss = None
            if closure is not None:
                with t.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    state = self.state[p]
                    state["step"] = state.get("step", 0) + 1
                    p.add_(p.grad, alpha=-group["lr"] / state["step"] ** group["power"])
            return loss

    p = t.ones(2, requires_grad=True)
    o = Decay([p], lr=0.5)

    def closure():
        o.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    out = [o.step(closure) for _ in range(3)]
    return [
        out,
        p,
        o.state_dict(),
        repr(o),
        error(lambda: Decay([p])),
        error(lambda: t.optim.Optimizer([p], {}).step()),
        repr(t.optim.Optimizer([p], {})),
        repr(home(t).required),
        o.step.__name__,
    ]


@case
def differentiable(t):
    found = []
    for kind, options in (
        ("SGD", {"momentum": 0.9, "weight_decay": 0.1}),
        ("SGD", {"nesterov": True, "momentum": 0.5}),
        ("Adam", {"weight_decay": 0.1}),
        ("AdamW", {}),
    ):
        start = t.tensor([1.0, -2.0], dtype=t.float64, requires_grad=True)
        p = start.clone()
        p.retain_grad()
        o = getattr(t.optim, kind)([p], lr=0.1, differentiable=True, **options)
        for scale in (1.0, 2.0)[: 2 if kind == "SGD" else 1]:
            p.grad = (start.detach() * 3 + start) * scale
            o.step()
        (p**2).sum().backward()
        found += [p, start.grad]
    leaf = t.ones(1, requires_grad=True)
    leaf.sum().backward()
    o = t.optim.SGD([leaf], lr=0.1, differentiable=True)
    return [*found, error(lambda: o.step())]
