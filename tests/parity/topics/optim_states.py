"""What optimizers remember and what becomes of it: loading, old states, names, scales, changed options."""

import copy

from casebook import case, error, heard

KINDS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax"]


def one(t, size=2, dtype=None):
    return t.arange(1.0, size + 1, dtype=dtype).requires_grad_()


def trained(t, kind, steps=2, **options):
    p = one(t)
    optimizer = getattr(t.optim, kind)([p], lr=0.1, **options)
    for i in range(steps):
        p.grad = t.full((2,), 1.0 + i)
        optimizer.step()
    return optimizer


def types(optimizer):
    return [
        [k, str(v.dtype).partition(".")[2]] if hasattr(v, "dtype") else [k, type(v).__name__]
        for s in optimizer.state_dict()["state"].values()
        for k, v in s.items()
    ]


@case
def loaded(t):
    found = []
    for kind in KINDS:
        state = trained(t, kind).state_dict()
        for dtype in (t.float16, t.float32, t.float64):
            p = one(t, 3)[:2].detach().to(dtype).requires_grad_()
            other = getattr(t.optim, kind)([p], lr=0.3)
            other.load_state_dict(state)
            p.grad = t.ones(2, dtype=dtype)
            other.step()
            found.append(
                [kind, types(other), p if dtype is not t.float16 else 0, list(other.state_dict())]
            )
    return found


@case
def of_an_old_version(t):
    """Options that were not there yet are filled in; counts of steps were numbers."""
    found = []
    for kind in KINDS:
        state = copy.deepcopy(trained(t, kind).state_dict())
        for group in state["param_groups"]:
            for option in ("maximize", "foreach", "capturable", "differentiable", "fused", "amsgrad", "nesterov", "centered", "decoupled_weight_decay"):  # fmt: skip
                group.pop(option, None)
        for kept in state["state"].values():
            if "step" in kept:
                kept["step"] = kept["step"].item()
        p = one(t)
        new = getattr(t.optim, kind)([p], lr=0.3)
        new.load_state_dict(state)
        p.grad = t.ones(2)
        new.step()
        found.append([kind, p, types(new), repr(new), list(new.param_groups[0])])
    return found


@case
def of_another_class(t):
    pairs = [
        ("SGD", "Adam"),
        ("Adam", "AdamW"),
        ("AdamW", "Adam"),
        ("Adam", "RMSprop"),
        ("Adagrad", "Adam"),
    ]
    found = []
    for kind, other in pairs:
        new = getattr(t.optim, other)([one(t)])
        text = error(lambda: new.load_state_dict(trained(t, kind, momentum=0.9).state_dict() if kind == "SGD" else trained(t, kind).state_dict()))  # noqa: B023  # fmt: skip
        new.param_groups[0]["params"][0].grad = t.ones(2)
        if text.startswith("no error"):  # PyTorch is left half-changed by an error
            text = [error(new.step), sorted(new.param_groups[0])]
        found.append([kind, other, text])
    return found


@case
def counts_of_steps(t):
    found = []
    for dtype in (t.float32, t.float64):
        t.set_default_dtype(dtype)
        try:
            found += [[kind, types(trained(t, kind))] for kind in KINDS]
            found += [
                [kind, types(trained(t, kind, fused=True))] for kind in ("SGD", "Adam", "Adagrad")
            ]
        finally:
            t.set_default_dtype(t.float32)
    return found


@case
def scaled_gradients(t):
    """With `fused` a step divides by the scale of the loss, and is left out if a gradient was infinite."""
    found = []
    for kind in ("SGD", "Adam", "AdamW", "Adagrad"):
        for infinite in (None, 0.0, 1.0):
            p = one(t)
            optimizer = getattr(t.optim, kind)([p], lr=0.1, fused=True, weight_decay=0.1)
            optimizer.grad_scale = t.tensor(4.0)
            if infinite is not None:
                optimizer.found_inf = t.tensor(infinite)
            for i in range(3):
                p.grad = t.full((2,), 8.0 * (i + 1))
                optimizer.step()
            kept = [v for v in optimizer.state[p].values() if v is not None]
            found.append([kind, p, p.grad, kept, optimizer._step_supports_amp_scaling])
    return found


@case
def names(t):
    net = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Linear(2, 1))
    adam = t.optim.Adam
    named, plain = adam(net.named_parameters()), adam(net.parameters())
    groups = [
        {"params": net[0].named_parameters()},
        {"params": net[1].named_parameters(), "lr": 0.5},
    ]
    found = [named.state_dict(), repr(named), adam(groups).state_dict()]
    plain.load_state_dict(named.state_dict())
    found.append([sorted(plain.param_groups[0]), plain.param_groups[0]["param_names"]])
    named.load_state_dict(adam(net.parameters()).state_dict())
    found.append(named.param_groups[0]["param_names"])
    other = named.state_dict()
    other["param_groups"][0]["param_names"] = ["w", "x", "y", "z"]
    named.load_state_dict(other)
    found.append(named.param_groups[0]["param_names"])
    found.append(error(lambda: named.add_param_group({"params": [one(t)]})))
    found.append(error(lambda: adam([one(t)]).add_param_group({"params": [("a", one(t))]})))
    named.add_param_group({"params": [("a", one(t))]})
    return [*found, named.state_dict()["param_groups"][-1]]


@case
def options_changed_between_steps(t):
    found = []
    for kind in KINDS:
        p = one(t, 3)
        optimizer = getattr(t.optim, kind)([p], lr=0.1)
        group = optimizer.param_groups[0]
        changes = [
            {},
            {"weight_decay": 0.1},
            {"maximize": True},
            {"momentum": 0.5},
            {"lr": t.tensor(0.2)},
        ]
        for i, change in enumerate(changes):
            p.grad = t.full((3,), 1.0 + i)
            group |= {k: v for k, v in change.items() if k in group}
            found.append([kind, i, error(optimizer.step), p.detach().clone()])
    return found


@case
def pickled_attributes(t):
    found = []
    for kind in KINDS:
        optimizer = trained(t, kind)
        bare = type(optimizer).__new__(type(optimizer))
        bare.__setstate__(optimizer.__getstate__())
        bare.zero_grad()
        found.append(
            [kind, sorted(vars(optimizer)), sorted(vars(bare)), sorted(vars(copy.copy(optimizer)))]
        )
    return found


@case
def closures(t):
    found = []
    for kind in KINDS:
        p = one(t)
        optimizer = getattr(t.optim, kind)([p], lr=0.1)
        modes = []

        def closure():
            modes.append(t.is_grad_enabled())  # noqa: B023
            optimizer.zero_grad()  # noqa: B023
            loss = (p**2).sum()  # noqa: B023
            loss.backward()
            return loss

        with t.no_grad():
            first = optimizer.step(closure)
        losses = [first, optimizer.step(closure=closure), optimizer.step(lambda: 5)]
        wrong = [error(lambda: optimizer.step(lambda: 1 / 0)), error(lambda: optimizer.step(5)), t.is_grad_enabled()]  # noqa: B023  # fmt: skip
        found.append([kind, losses, modes, p, wrong])
    return found


@case
def gradients_of_options(t):
    """A differentiable step passes gradients on to the learning rate, the decay and the betas."""
    found = []
    for kind in ("SGD", "Adam", "AdamW"):
        start = t.tensor([1.0, -2.0], dtype=t.float64, requires_grad=True)
        lr, decay, beta1, beta2 = (
            t.tensor(v, dtype=t.float64, requires_grad=True) for v in (0.1, 0.2, 0.9, 0.99)
        )
        p = start.clone()
        more = {} if kind == "SGD" else {"betas": (beta1, beta2), "eps": 0.3}
        optimizer = getattr(t.optim, kind)(
            [p], lr=lr, weight_decay=decay, differentiable=True, **more
        )
        for _ in range(1 if kind == "SGD" else 2):
            p.grad = (start.detach() ** 2).clone()
            optimizer.step()
        (p**2).sum().backward()
        found.append([kind, p, start.grad, lr.grad, decay.grad, beta1.grad, beta2.grad])
    return found


@case
def gradients_that_were_recorded_are_set_to_zero(t):
    found = []
    for loss in (lambda p: p.sum() ** 2, lambda p: (p**3).sum()):
        p = one(t)
        optimizer = t.optim.SGD([p], lr=0.1, foreach=True)
        loss(p).backward(create_graph=True)
        grad = p.grad
        optimizer.zero_grad(set_to_none=False)
        found.append([p.grad is grad, grad, grad.requires_grad, grad.is_leaf, grad.stride()])
    return found


@case
def infinite_gradients(t):
    """There is no warning, and what is infinite or undefined is so in the parameters."""
    found = []
    for kind in KINDS:
        for value in (0.0, 1e30, float("inf"), float("nan")):
            p = one(t)
            optimizer = getattr(t.optim, kind)([p], lr=0.1)
            p.grad = t.full((2,), value)
            found.append([kind, heard(optimizer.step), p.isfinite(), p.isnan()])
    return found


@case
def parameters_of_another_shape_or_type(t):
    """What was remembered no longer fits the data of the parameter."""
    found = []
    for kind in (
        "SGD",
        "Adam",
        "AdamW",
        "RMSprop",
        "Adagrad",
        "Adadelta",
        "Adamax",
        "NAdam",
        "RAdam",
    ):
        for shape in ((3, 2), (1, 2), ()):
            p = t.nn.Parameter(t.ones(2, 2))
            optimizer = getattr(t.optim, kind)(
                [p], lr=0.1, **({"momentum": 0.9} if kind == "SGD" else {})
            )
            p.grad = t.ones(2, 2)
            optimizer.step()
            p.grad = None
            p.data = t.ones(shape)
            p.grad = t.ones(shape)
            found.append([kind, error(optimizer.step)])
        optimizer = getattr(t.optim, kind)([p := t.nn.Parameter(t.ones(2))], lr=0.1)
        p.grad = t.ones(2)
        optimizer.step()
        p.grad = None
        p.data = p.data.double()
        p.grad = t.ones(2, dtype=t.float64)
        found.append([kind, error(optimizer.step)])
    return found
